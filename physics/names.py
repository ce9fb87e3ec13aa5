"""Names of the slots of a table: unique, found again, with a hint where one is wrong."""

from numbers import Integral
from typing import Any

from physics.check import name_hint, said, text
from physics.errors import BadInput


def find(what: str, name: str, names: list[str]) -> int:
    """Index of the slot of that name; BadInput with near names where there is none."""
    if not text(f"the name of a {what}", name) or name not in names:
        raise BadInput(f"there is no {what} '{name}'{name_hint(name, names)}")
    return names.index(name)


def slot(what: str, given: Any, names: list[str]) -> int:
    """Index from an index or a name; whether such a slot is in use is left to the caller if it is an index."""
    if isinstance(given, str):
        return find(what, given, names)
    if isinstance(given, bool) or not isinstance(given, Integral):
        raise BadInput(f"there is no {what} {said(given)}: give its index or its name")
    return int(given)


def put(names: list[str], i: int, name: str) -> None:
    """Name slot i, the next one or one that exists."""
    if i == len(names):
        names.append(name)
    else:
        names[i] = name


def check_free(what: str, name: str, names: list[str]) -> None:
    """BadInput where another slot has that name, or it is none; "" is always free."""
    if text(f"{what}: its name", name) and name in names:
        raise BadInput(f"{what}: the name is taken")
