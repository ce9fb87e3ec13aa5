"""A growing table of records: grows by an eighth, reuses empty slots, lowest first.

Names of the slots of a table: unique, found again, with a hint where one is wrong; the slots of a world.
"""

from collections.abc import Callable
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from physics.core.check import BadInput, name_hint, plain_name, shown_value, text
from physics.core.records import Kind, copy_of, joined

if TYPE_CHECKING:
    from physics.world.world import World


class Table:
    """Records of one type.

    records: the slots handed out so far, empty ones included; a view, valid until the next addition, which follows from the other
    attributes and is not stored with them. has_free_slots: set it where a slot was emptied.
    """

    __slots__ = ("__dict__", "records")

    def __init__(self, dtype: np.dtype, capacity: int = 16) -> None:
        self._room = np.zeros(capacity, dtype)
        self._count = 0
        self.has_free_slots = False

    def __getattr__(self, name: str) -> np.ndarray:
        """Make the view where there is none yet: a step asks for it 30 times."""
        if name != "records":
            raise AttributeError(name)
        self.records = self._room[: self._count]
        return self.records

    def _use(self, count: int) -> None:
        """Hand out the first `count` slots."""
        self._count, self.records = count, self._room[:count]

    @property
    def storage(self) -> np.ndarray:
        """The whole allocated array, spare slots included."""
        return self._room

    def add(self, empty: Callable[[np.ndarray], np.ndarray]) -> int:
        """Index of a zeroed slot: the lowest one for which empty(records) is true, else a new one."""
        free = np.flatnonzero(empty(self.records)) if self.has_free_slots else ()
        self.has_free_slots = len(free) > 1
        if len(free):
            i = int(free[0])
        else:
            i = self._count
            if i == len(self._room):
                self._room = joined(self._room, np.zeros(max(16, i // 8), self._room.dtype))
            self._use(i + 1)
        self._room[i] = np.zeros((), self._room.dtype)
        return i

    def copy(self) -> "Table":
        """The same records by value."""
        twin = Table(self._room.dtype, 0)
        twin._room, twin._count, twin.has_free_slots = copy_of(self._room), self._count, self.has_free_slots
        return twin

    def capture(self) -> tuple[bytes, bool]:
        """State for `restore`."""
        return self.records.tobytes(), self.has_free_slots

    def restore(self, captured: bytes, has_free_slots: bool) -> None:
        """Return to a captured state in place: views stay valid."""
        self._use(len(captured) // self._room.itemsize)
        self.has_free_slots = has_free_slots
        self.records.view(np.uint8)[:] = np.frombuffer(captured, np.uint8)


def find(what: str, name: str, names: list[str]) -> int:
    """Index of the slot of that name; BadInput with near names where there is none."""
    if not text(f"the name of a {what}", name) or name not in names:
        raise BadInput(f"there is no {what} '{name}'{name_hint(name, names)}")
    return names.index(name)


def resolve_slot(what: str, given: Any, names: list[str]) -> int:
    """Index from an index or a name; whether such a slot is in use is left to the caller if it is an index."""
    if isinstance(given, str):
        return find(what, given, names)
    if isinstance(given, bool) or not isinstance(given, Integral):
        raise BadInput(f"there is no {what} {shown_value(given)}: give its index or its name")
    return int(given)


def set_name(names: list[str], i: int, name: str) -> None:
    """Name slot i, the next one or one that exists."""
    if i == len(names):
        names.append(name)
    else:
        names[i] = name


def check_name_unused(what: str, name: str, names: list[str]) -> None:
    """BadInput where another slot has that name, or it is none; "" is always free."""
    if plain_name(f"{what}: its name", name) and name in names:
        raise BadInput(f"{what}: the name is taken")


def checked_new_name(what: str, name: str, names: list[str], own: int) -> str:
    """A new name for slot `own`, without spaces around it; BadInput where it is empty or taken."""
    name = name.strip() if isinstance(name, str) else ""
    if not name:
        raise BadInput(f"{what}: the name is empty; give at least one letter")
    check_name_unused(what, name, [other for k, other in enumerate(names) if k != own])
    return name


# ---- of a world


def body_index(world: "World", i: int | str) -> int:
    """Index of an existing body, from its index or name.

    Raises:
        BadInput: there is none.
    """
    i = resolve_slot("body", i, world.body_names)
    if not 0 <= i < len(world.bodies) or world.bodies["kind"][i] == Kind.FREE:
        raise BadInput(f"there is no body {i}")
    return i


def joint_index(world: "World", j: int | str) -> int:
    """Index of an existing joint; as `body_index`."""
    j = resolve_slot("joint", j, world.joint_names)
    if not 0 <= j < len(world.joints) or world.joints["kind"][j] < 0:
        raise BadInput(f"there is no joint {j}")
    return j


def shape_indices(world: "World", body: int | None) -> np.ndarray:
    """Indices of the shapes of one body, or of all."""
    if body is None:
        return np.flatnonzero(world.shapes["body"] >= 0)
    return np.flatnonzero(world.shapes["body"] == body_index(world, body))


def structure_changed(world: "World") -> None:
    """After an addition or removal: a new revision, and a layout rebuilt at its next use."""
    world.revision += 1
    world.invalidate_layout()
