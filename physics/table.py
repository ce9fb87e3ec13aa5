"""A growing table of records: grows by a quarter, reuses empty slots, lowest first."""

from collections.abc import Callable

import numpy as np


class Table:
    """Records of one type. `records` is a view of those in use, valid until the next addition.

    holes: set it where a slot was emptied.
    """

    def __init__(self, dtype: np.dtype, capacity: int = 64) -> None:
        self._room = np.zeros(capacity, dtype)
        self._count = 0
        self.holes = False

    @property
    def records(self) -> np.ndarray:
        """The slots handed out so far, empty ones included."""
        return self._room[: self._count]

    @property
    def room(self) -> np.ndarray:
        """All that is held in memory, for what is to come, too."""
        return self._room

    def add(self, empty: Callable[[np.ndarray], np.ndarray]) -> int:
        """Index of a zeroed slot: the lowest one that empty(records) tells, else a new one."""
        free = np.flatnonzero(empty(self.records)) if self.holes else ()
        self.holes = len(free) > 1
        if len(free):
            i = int(free[0])
        else:
            i = self._count
            if i == len(self._room):
                self._room = np.concatenate([self._room, np.zeros(max(64, i // 4), self._room.dtype)])
            self._count += 1
        self._room[i] = np.zeros((), self._room.dtype)
        return i

    def copy(self) -> "Table":
        """The same records by value."""
        twin = Table(self._room.dtype, len(self._room))
        twin._room[: self._count] = self.records
        twin._count, twin.holes = self._count, self.holes
        return twin

    def taken(self) -> tuple[bytes, bool]:
        """What `put_back` needs to make the table what it is now."""
        return self.records.tobytes(), self.holes

    def put_back(self, taken: bytes, holes: bool) -> None:
        """Make the table what it was when that was taken, in place: views of it stay good."""
        self._count, self.holes = len(taken) // self._room.itemsize, holes
        self.records.view(np.uint8)[:] = np.frombuffer(taken, np.uint8)
