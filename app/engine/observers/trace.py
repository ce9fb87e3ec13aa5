"""Samples of quantities over time: written by the physics thread after each step, read by plots and CSV."""

import threading
from collections.abc import Callable, Iterable

import numpy as np

from physics import BadInput, World
from physics.observe.quantities import Quantity, titles
from scenes import Scene, find_quantity


class Traces:
    """Growing columns of numbers that share one time column; samples beyond `capacity` are dropped, oldest first. scene: of the
    worlds that are recorded."""

    def __init__(self, capacity: int = 200_000, scene: Callable[[], Scene | None] = lambda: None) -> None:
        self.capacity, self._scene = capacity, scene
        self._lock = threading.Lock()
        self._quantities: dict[str, Quantity] = {}
        self._keys: tuple[str, ...] = ()
        self._columns: dict[str, np.ndarray] = {"time": np.zeros(1024)}
        self._count = 0     # samples up to the time shown
        self._end = 0       # samples including those of the future
        self._changes = 0   # incremented by every change of keys or samples
        self._cached_window: tuple[tuple, tuple] = ((), ())      # arguments and result of the last `window`

    @property
    def keys(self) -> tuple[str, ...]:
        """The recorded keys, in order."""
        return self._keys

    def record_only(self, keys: tuple[str, ...]) -> None:
        """Discard everything and record these keys (looked up at the first `record`)."""
        with self._lock:
            self._quantities, self._keys, self._count, self._end = {}, tuple(keys), 0, 0
            self._changes += 1
            self._columns = {key: np.full(1024, np.nan) for key in ("time", *keys)}

    def record_quantity(self, world: World, key: str) -> None:
        """Record one more key from now on; its past is NaN.

        Raises:
            BadInput: this world has no such quantity.
        """
        found = find_quantity(world, key, self._scene())
        with self._lock:
            if key not in self._keys:
                self._quantities[key] = found
                self._keys = (*self._keys, key)
                self._columns[key] = np.full(len(self._columns["time"]), np.nan)
                self._changes += 1

    def drop_quantity(self, key: str) -> None:
        with self._lock:
            self._keys = tuple(k for k in self._keys if k != key)
            self._quantities.pop(key, None)
            self._columns.pop(key, None)
            self._changes += 1

    def clear(self) -> None:
        """Discard the samples, keep the keys."""
        with self._lock:
            self._count = self._end = 0
            self._quantities = {}
            self._changes += 1

    def cut(self, time: float) -> None:
        """Discard the samples after `time` [s]."""
        with self._lock:
            self._count = self._end = self._index(time)
            self._changes += 1

    def show_until(self, time: float) -> None:
        """Show the samples up to `time` [s]; later ones are kept for when time moves forward again."""
        with self._lock:
            self._count = self._index(time)
            self._changes += 1

    def _index(self, time: float) -> int:
        return int(np.searchsorted(self._columns["time"][: self._end], time, side="right"))

    def record(self, world: World) -> None:
        """Append one sample of every key; a key that no longer exists gives NaN. In the past: overwrite the old sample."""
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
        """Return (times, values) of a key, copies; the newest `last` samples if given; empty if it is not recorded."""
        with self._lock:
            if key not in self._columns:
                return np.zeros(0), np.zeros(0)
            start = 0 if last is None else max(0, self._count - last)
            return (self._columns["time"][start:self._count].copy(), self._columns[key][start:self._count].copy())

    def window(self, start: float = -np.inf, end: float = np.inf) -> tuple[np.ndarray, dict[str, np.ndarray], float]:
        """Return (times, values by key, the time shown) between two times plus one sample on each side, future included, copies;
        the same arrays as the last time if nothing has changed, so they are read-only."""
        with self._lock:
            times = self._columns["time"][: self._end]
            a = max(0, int(np.searchsorted(times, start)) - 1)
            b = int(np.searchsorted(times, end, side="right")) + 1
            if self._cached_window[0] != (self._changes, a, b):
                present = float(times[self._count - 1]) if self._count else 0.0
                found = {key: self._columns[key][: self._end][a:b].copy() for key in self._keys}
                self._cached_window = (self._changes, a, b), (times[a:b].copy(), found, present)
                for column in (self._cached_window[1][0], *found.values()):
                    column.flags.writeable = False
            return self._cached_window[1]

    @property
    def end(self) -> float:
        """Time of the last sample [s], future included; 0 before the first."""
        with self._lock:
            return float(self._columns["time"][self._end - 1]) if self._end else 0.0

    def table(self) -> dict[str, np.ndarray]:
        """Return copies of all columns, "time" first."""
        with self._lock:
            return {key: column[: self._count].copy() for key, column in self._columns.items()}

    def label(self, key: str) -> str:
        """Name and unit of a key, as in a CSV header."""
        found = self._quantities.get(key)
        return found.header if found else key

    def titles(self, keys: Iterable[str]) -> list[str]:
        """Titles of the columns of keys, all different; "time" has its own."""
        known = {key: found for key in keys if (found := self._quantities.get(key))}
        own = {"time": "time [s]", **dict(zip(known, titles(known.values()), strict=True))}
        return [own.get(key, key) for key in keys]

    def _read(self, world: World, key: str) -> float:
        if key not in self._quantities:
            try:
                self._quantities[key] = find_quantity(world, key, self._scene())
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
