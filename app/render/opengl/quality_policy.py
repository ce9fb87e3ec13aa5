"""Chooses the resolution of software rendering: coarse while things move, fine at rest. No GL."""

from collections import deque

RESOLUTIONS = (1.0, 0.85, 0.7, 0.6, 0.5, 0.42)
"""Rendered pixels per shown pixel, along a side."""
FINEST = 2.0
"""Scale of a picture at rest, for smooth edges."""
PICTURE_TIME = 0.012
"""Longest time of a picture while things move [s]."""
MAX_FINEST_TIME = 0.25
"""Longest time of the single picture at FINEST [s]."""
TIMING_INTERVAL = 5
"""One in this many pictures is timed."""
FULL_SCALE_PICTURES, FINEST_PICTURES = 3, 15
"""Number of equal pictures after which the scene is drawn at full scale; at FINEST."""


class QualityPolicy:
    """Chooses the scale of the next picture from the times of past ones.

    Hysteresis keeps the scale stable: raising and lowering have different limits, and only the least of a few times counts.
    """

    def __init__(self) -> None:
        self.level = 1
        self.shown = 0.0
        self.calm = False   # the picture rests, or creeps after a rest: there is time for more than the shapes
        self._equal = 0
        self._drawn = 0
        self._times: deque[float] = deque(maxlen=3)
        self._full = 0.0

    def choose(self, same: bool) -> float:
        """The scale of the next picture; 0: show the last one again. same: nothing has changed since then."""
        rested = self._equal >= FULL_SCALE_PICTURES
        self._equal = self._equal + 1 if same and self.shown else 0
        if self._equal == 0:   # full scale after a rest: slow motion must not flicker between coarse and fine
            self.shown, self.calm = 1.0 if rested else RESOLUTIONS[self.level], rested
            self._drawn += 1
            return self.shown
        wanted = 1.0 if self._equal >= FULL_SCALE_PICTURES else 0.0
        if self._equal >= FINEST_PICTURES and FINEST**2 * self._full < MAX_FINEST_TIME:
            wanted = FINEST
        if wanted < self.shown or (wanted == self.shown and self.calm):
            return 0.0
        self.shown, self.calm = wanted, True
        return wanted

    def timed(self) -> bool:
        """Whether the picture just chosen is to be timed."""
        due = self._drawn % TIMING_INTERVAL == 0 or self._full == 0.0
        return self._equal == 0 and self.shown == RESOLUTIONS[self.level] and due

    def record_time(self, seconds: float) -> None:
        """Record how long the picture took, up to its last pixel."""
        scale = RESOLUTIONS[self.level]
        self._times.append(seconds)
        least = min(self._times)
        self._full = least / scale**2
        if least > 1.25 * PICTURE_TIME and (len(self._times) > 1 or least > 2.0 * PICTURE_TIME):
            self._move(+1)
            while least * (RESOLUTIONS[self.level] / scale) ** 2 > 1.25 * PICTURE_TIME and self.level + 1 < len(RESOLUTIONS):
                self._move(+1)
        elif len(self._times) == self._times.maxlen and self.level > 0 and \
                max(self._times) * (RESOLUTIONS[self.level - 1] / scale) ** 2 < 0.9 * PICTURE_TIME:
            self._move(-1)

    def _move(self, by: int) -> None:
        level = min(max(self.level + by, 0), len(RESOLUTIONS) - 1)
        if level != self.level:
            self.level = level
            self._times.clear()
