"""Names of the slots of a table: unique, found again, with a hint where one is wrong."""

from physics.check import name_hint
from physics.errors import BadInput


def find(what: str, name: str, names: list[str]) -> int:
    """Index of the slot of that name; BadInput with near names where there is none."""
    if not name or name not in names:
        raise BadInput(f"there is no {what} '{name}'{name_hint(name, names)}")
    return names.index(name)


def put(names: list[str], i: int, name: str) -> None:
    """Name slot i, the next one or one that exists."""
    if i == len(names):
        names.append(name)
    else:
        names[i] = name


def check_free(what: str, name: str, names: list[str]) -> None:
    """BadInput where another slot has that name; "" is always free."""
    if name and name in names:
        raise BadInput(f"{what}: the name is taken")
