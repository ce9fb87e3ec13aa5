"""Quantities of contacts: of one, identified by its shapes and feature from step to step, and of all between two bodies.

    contact:A & B #I/J/F.FIELD   shapes I and J, feature F; the names of the bodies are for people only and are ignored.
                                 normal, friction [N], slip, approach, residual [m/s], gap [m], case (1 .. 8 of T08); NaN while
                                 there is no such contact
    pair:A & B.FIELD             normal: sum of the normal forces [N]; friction: size of the sum of the friction forces [N];
                                 contacts: their number; 0 while they do not touch

Forces are means over the last step. The gap is that at the start of the step (of the exact solver: at its end).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from physics.core.check import BadInput

TABLES = ("contact", "pair")

MISSING = float("nan")

Found = tuple[str, str, Callable[[Any], float]]
"""Label, unit, function that reads it from a world."""

CONTACT_FIELDS: dict[str, tuple[str, str, Callable[[Any, float], float]]] = {
    "normal": ("normal force", "N", lambda contact, dt: float(contact["impulse"]) / dt),
    "friction": ("friction force", "N", lambda contact, dt: math.hypot(*contact["friction_impulse"]) / dt),
    "slip": ("slip", "m/s", lambda contact, dt: math.hypot(*contact["slip"])),
    "gap": ("gap", "m", lambda contact, dt: float(contact["gap"])),
    "approach": ("approach", "m/s", lambda contact, dt: float(contact["approach"])),
    "residual": ("residual", "m/s", lambda contact, dt: float(contact["residual"].max())),
    "case": ("case", "", lambda contact, dt: float(contact["sign_case"])),
}

PAIR_FIELDS: dict[str, tuple[str, str, Callable[[Any, float], float]]] = {
    "normal": ("normal force", "N", lambda contacts, dt: float(contacts["impulse"].sum()) / dt),
    "friction": ("friction force", "N", lambda contacts, dt: math.hypot(*contacts["friction_impulse"].sum(axis=0)) / dt),
    "contacts": ("contacts", "", lambda contacts, dt: float(len(contacts))),
}


def find(world: Any, key: str) -> Found:
    """The quantity of that key.

    Raises:
        BadInput: not a valid key, or for bodies or shapes that the world does not have.
    """
    table, _, rest = key.partition(":")
    name, _, field = rest.rpartition(".")
    fields = CONTACT_FIELDS if table == "contact" else PAIR_FIELDS
    if field not in fields:
        raise BadInput(f"a {table} has no '{field}' (in '{key}'); it has: {', '.join(fields)}")
    return _contact(world, key, name, field) if table == "contact" else _pair(world, key, name, field)


def _contact(world: Any, key: str, name: str, field: str) -> Found:
    bodies, _, numbers = name.rpartition(" #")
    parts = numbers.split("/")
    if len(parts) != 3 or not all(part.removeprefix("-").isascii() and part.removeprefix("-").isdigit() for part in parts):
        raise BadInput(f"'{key}' is not a contact; use a key such as contact:A & B #I/J/F.normal, with two shapes and a feature")
    a, b, feature = map(int, parts)
    if not all(0 <= shape < len(world.shapes) and world.shapes["body"][shape] >= 0 for shape in (a, b)):
        raise BadInput(f"shape {a} or {b} of '{key}' does not exist; this world has {len(world.shapes)} shapes, numbered from 0")
    label, unit, number = CONTACT_FIELDS[field]

    def read(world: Any) -> float:
        contacts = world.contacts
        same = np.flatnonzero((contacts["shape_a"] == a) & (contacts["shape_b"] == b) & (contacts["feature"] == feature))
        return number(contacts[same[0]], world.impulse_duration) if len(same) else MISSING

    counts = [np.count_nonzero(world.shapes["body"] == world.shapes["body"][shape]) for shape in (a, b)]
    shapes = f" {a}/{b}" if max(counts) > 1 else ""        # features of other shapes of a compound have equal numbers
    return f"{bodies}{shapes} #{feature} {label}", unit, read


def _pair(world: Any, key: str, name: str, field: str) -> Found:
    label, unit, number = PAIR_FIELDS[field]
    if _bodies(world, name) is None:
        raise BadInput(f"'{name}' is not a pair of bodies of this world in '{key}'; use a key such as pair:A & B.normal")
    known: dict[str, Any] = {"world": None, "revision": -1, "bodies": None}

    def read(world: Any) -> float:
        if known["world"] is not world or known["revision"] != world.revision:
            known.update(world=world, revision=world.revision, bodies=_bodies(world, name))
        if known["bodies"] is None:
            return MISSING
        (a, b), contacts = known["bodies"], world.contacts
        one, two = contacts["body_a"], contacts["body_b"]
        return number(contacts[((one == a) & (two == b)) | ((one == b) & (two == a))], world.impulse_duration)

    return f"{name} {label}", unit, read


def _bodies(world: Any, name: str) -> tuple[int, int] | None:
    """The two bodies of "A & B"; names may contain "&" themselves."""
    parts = name.split(" & ")
    for k in range(1, len(parts)):
        a, b = (_body(world, " & ".join(half)) for half in (parts[:k], parts[k:]))
        if a is not None and b is not None:
            return a, b
    return None


def _body(world: Any, name: str) -> int | None:
    if name and name in world.body_names:
        return world.body_names.index(name)
    number = name[1:]
    known = name[:1] == "#" and number.isascii() and number.isdigit() and int(number) < len(world.body_names)
    return int(number) if known else None


def groups(world: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Prefixes of keys and their fields, of the present pairs and contacts."""
    columns = (world.contacts[name].tolist() for name in ("body_a", "body_b", "shape_a", "shape_b", "feature"))
    keys = [_key(world.body_names, *numbers) for numbers in zip(*columns)]
    single, paired = tuple(CONTACT_FIELDS), tuple(PAIR_FIELDS)
    yield from ((f"pair:{bodies}.", paired) for bodies in dict.fromkeys(key.rpartition(" #")[0] for key in keys))
    yield from ((f"contact:{key}.", single) for key in keys)


def key_of(contact: Any, names: Sequence[str]) -> str:
    """The part of a key between "contact:" and the field; names: of the bodies."""
    return _key(names, *(int(contact[name]) for name in ("body_a", "body_b", "shape_a", "shape_b", "feature")))


def _key(names: Sequence[str], body_a: int, body_b: int, shape_a: int, shape_b: int, feature: int) -> str:
    return f"{names[body_a] or f'#{body_a}'} & {names[body_b] or f'#{body_b}'} #{shape_a}/{shape_b}/{feature}"
