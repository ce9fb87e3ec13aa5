"""Samples of quantities over time: written by the physics thread after each step, read by plots and CSV."""

import threading

import numpy as np

from physics import BadInput, World, quantities


class Traces:
    """Growing columns of numbers, oldest dropped beyond `capacity`; all columns share one time column."""

    def __init__(self, capacity: int = 200_000) -> None:
        self.capacity = capacity
        self._lock = threading.Lock()
        self._quantities: dict[str, quantities.Quantity] = {}
        self._keys: tuple[str, ...] = ()
        self._columns: dict[str, np.ndarray] = {"time": np.zeros(1024)}
        self._count = 0     # samples up to the time that is shown
        self._end = 0       # and of the future after it, which is gone to again
        self._changes = 0   # grows with every change, of the keys and of the samples
        self._seen: tuple[tuple, tuple] = ((), ())      # the last window: what was asked, the answer

    @property
    def keys(self) -> tuple[str, ...]:
        """The followed keys, in order."""
        return self._keys

    def follow_only(self, keys: tuple[str, ...]) -> None:
        """Forget everything and follow these keys (found at the first `record`)."""
        with self._lock:
            self._quantities, self._keys, self._count, self._end = {}, tuple(keys), 0, 0
            self._changes += 1
            self._columns = {key: np.full(1024, np.nan) for key in ("time", *keys)}

    def follow(self, world: World, key: str) -> None:
        """Follow one more key from now on; its past is NaN.

        Raises:
            BadInput: no such quantity in this world.
        """
        found = quantities.find(world, key)
        with self._lock:
            if key not in self._keys:
                self._quantities[key] = found
                self._keys = (*self._keys, key)
                self._columns[key] = np.full(len(self._columns["time"]), np.nan)
                self._changes += 1

    def unfollow(self, key: str) -> None:
        with self._lock:
            self._keys = tuple(k for k in self._keys if k != key)
            self._quantities.pop(key, None)
            self._columns.pop(key, None)
            self._changes += 1

    def clear(self) -> None:
        """Forget the samples, keep the keys."""
        with self._lock:
            self._count = self._end = 0
            self._quantities = {}
            self._changes += 1

    def cut(self, time: float) -> None:
        """Forget the samples after `time` [s]."""
        with self._lock:
            self._count = self._end = self._index(time)
            self._changes += 1

    def seek(self, time: float) -> None:
        """Show the samples up to `time` [s]; those after it are kept, for when the way leads there again."""
        with self._lock:
            self._count = self._index(time)
            self._changes += 1

    def _index(self, time: float) -> int:
        return int(np.searchsorted(self._columns["time"][: self._end], time, side="right"))

    def record(self, world: World) -> None:
        """Append one sample of every key; a key that no longer exists gives NaN. In the past: in its old place."""
        values = [self._read(world, key) for key in self._keys]
        with self._lock:
            if self._count == len(self._columns["time"]):
                self._make_room()
            if self._count < self._end and self._columns["time"][self._count] != world.time:
                self._end = self._count
            self._columns["time"][self._count] = world.time
            for key, value in zip(self._keys, values):
                self._columns[key][self._count] = value
            self._count += 1
            self._end = max(self._end, self._count)
            self._changes += 1

    def read(self, key: str, last: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(times, values) of a key, copies; the newest `last` samples if given; empty if not followed."""
        with self._lock:
            if key not in self._columns:
                return np.zeros(0), np.zeros(0)
            start = 0 if last is None else max(0, self._count - last)
            return (self._columns["time"][start:self._count].copy(), self._columns[key][start:self._count].copy())

    def window(self, start: float = -np.inf, end: float = np.inf) -> tuple[np.ndarray, dict[str, np.ndarray], float]:
        """(times, values by key, the time that is shown) between two times and one sample more on each side, copies; the future
        that can be gone to again as well. The same arrays as the last time if nothing has changed: they are read only."""
        with self._lock:
            times = self._columns["time"][: self._end]
            a = max(0, int(np.searchsorted(times, start)) - 1)
            b = int(np.searchsorted(times, end, side="right")) + 1
            if self._seen[0] != (self._changes, a, b):
                present = float(times[self._count - 1]) if self._count else 0.0
                found = {key: self._columns[key][: self._end][a:b].copy() for key in self._keys}
                self._seen = (self._changes, a, b), (times[a:b].copy(), found, present)
                for column in (self._seen[1][0], *found.values()):
                    column.flags.writeable = False
            return self._seen[1]

    @property
    def end(self) -> float:
        """Time of the last sample [s], of the future as well; 0 before the first."""
        with self._lock:
            return float(self._columns["time"][self._end - 1]) if self._end else 0.0

    def table(self) -> dict[str, np.ndarray]:
        """All columns, copies, "time" first."""
        with self._lock:
            return {key: column[: self._count].copy() for key, column in self._columns.items()}

    def label(self, key: str) -> str:
        """Name with unit, as in a CSV header."""
        found = self._quantities.get(key)
        return found.header if found else key

    def _read(self, world: World, key: str) -> float:
        if key not in self._quantities:
            try:
                self._quantities[key] = quantities.find(world, key)
            except BadInput:
                return float("nan")
        return self._quantities[key].read(world)

    def _make_room(self) -> None:
        size = len(self._columns["time"])
        if size < self.capacity:
            grown = min(2 * size, self.capacity)
            self._columns = {k: np.concatenate([c, np.full(grown - size, np.nan)]) for k, c in self._columns.items()}
            return
        keep = size // 2
        for column in self._columns.values():
            column[:keep] = column[size - keep:]
        self._count = self._end = keep
