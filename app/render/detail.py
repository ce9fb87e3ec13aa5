"""How finely the scene is drawn where the processor does the drawing: coarse while things move, fine when they rest. No GL."""

from collections import deque

LEVELS = (1.0, 0.85, 0.7, 0.6, 0.5, 0.42)
"""Pixels drawn for each pixel shown, along a side."""
FINEST = 2.0
"""For a picture at rest: the edges become smooth."""
BUDGET = 0.012
"""What a picture of moving things may take [s]."""
SLOWEST = 0.25
"""What the one finest picture may take [s]."""
EVERY = 5
"""Every so many pictures one is timed."""
REST, LONG_REST = 3, 15
"""So many equal pictures, and it is drawn in full; at its finest."""


class Detail:
    """Chooses the scale of the next picture from how long pictures took.

    Up and down have different limits, and only the least of a few times counts, so that the scale does not flutter.
    """

    def __init__(self) -> None:
        self.level = 1
        self.shown = 0.0
        self.calm = False   # what is drawn rests, or creeps after a rest: there is time for more than the shapes
        self._equal = 0
        self._drawn = 0
        self._times: deque[float] = deque(maxlen=3)
        self._full = 0.0

    def choose(self, same: bool) -> float:
        """The scale to draw at now; 0: show what was drawn last. same: nothing has changed since then."""
        rested = self._equal >= REST
        self._equal = self._equal + 1 if same and self.shown else 0
        if self._equal == 0:   # after a rest in full: what creeps must not flicker between coarse and fine
            self.shown, self.calm = 1.0 if rested else LEVELS[self.level], rested
            self._drawn += 1
            return self.shown
        wanted = 1.0 if self._equal >= REST else 0.0
        if self._equal >= LONG_REST and FINEST**2 * self._full < SLOWEST:
            wanted = FINEST
        if wanted < self.shown or (wanted == self.shown and self.calm):
            return 0.0
        self.shown, self.calm = wanted, True
        return wanted

    def timed(self) -> bool:
        """Whether the picture just chosen is to be timed."""
        return self._equal == 0 and self.shown == LEVELS[self.level] and (self._drawn % EVERY == 0 or self._full == 0.0)

    def took(self, seconds: float) -> None:
        """The picture took so long to draw, up to its last pixel."""
        scale = LEVELS[self.level]
        self._times.append(seconds)
        least = min(self._times)
        self._full = least / scale**2
        if least > 1.25 * BUDGET and (len(self._times) > 1 or least > 2.0 * BUDGET):
            self._move(+1)
            while least * (LEVELS[self.level] / scale) ** 2 > 1.25 * BUDGET and self.level + 1 < len(LEVELS):
                self._move(+1)
        elif len(self._times) == self._times.maxlen and self.level > 0 and \
                max(self._times) * (LEVELS[self.level - 1] / scale) ** 2 < 0.9 * BUDGET:
            self._move(-1)

    def _move(self, by: int) -> None:
        level = min(max(self.level + by, 0), len(LEVELS) - 1)
        if level != self.level:
            self.level = level
            self._times.clear()
