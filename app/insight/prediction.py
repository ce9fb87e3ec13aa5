"""What the law says of the plotted quantities, and how far the simulation is from it; what a person said before the run."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scenes import Curve, Scene


@dataclass
class Laws:
    """The law's curves of a scene, made anew when the parameters change. hidden: while a person is to say first."""

    curves: tuple[Curve, ...] = ()
    hidden: bool = False
    _made_for: Any = None

    def of(self, scene: Scene | None, parameters: Any) -> tuple[Curve, ...]:
        """Empty where the scene has no law over time, or a person is still to say what it will be."""
        if scene is None or scene.law_curves is None or self.hidden:
            return ()
        if self._made_for != (scene.title, parameters):
            try:
                self.curves = tuple(scene.law_curves(parameters))
            except (AttributeError, TypeError, ZeroDivisionError):      # the physics thread changes the scene this very moment
                return ()
            self._made_for = (scene.title, parameters)
        return self.curves


def deviation(curve: Curve, times: np.ndarray, values: np.ndarray) -> float | None:
    """Largest distance of a live curve from the law's, as a part of the law's range; None where they share no time.

    A law that is constant is measured against its size, one that is zero against one.
    """
    known = np.isfinite(values) & (times > 0.0) & (times <= curve.times[-1])
    if not np.any(known):
        return None
    law = np.array(curve.values, float)
    size = float(np.ptp(law)) or float(np.abs(law).max()) or 1.0
    return float(np.max(np.abs(values[known] - np.interp(times[known], curve.times, law)))) / size


def dashes(curve: Curve, start: float, end: float, count: int = 90) -> tuple[np.ndarray, np.ndarray]:
    """The law between two times as ends of dashes: times and values, two by two."""
    times = np.linspace(max(start, curve.times[0]), max(start, min(end, curve.times[-1])), 2 * count)
    return times, np.interp(times, curve.times, curve.values)


@dataclass
class Guess:
    """Ask before the run: what a person expects. values: by the prediction's name; said: the run is on and they stay."""

    on: bool = False
    said: bool = False
    name: str = ""
    values: dict[str, float] = field(default_factory=dict)
    at: tuple[str, str] = ("", "")      # scene and parameters that it was asked for

    @property
    def waiting(self) -> bool:
        """The law stays hidden."""
        return self.on and not self.said

    def begin(self, on: bool) -> None:
        """Ask anew, or no longer."""
        self.on, self.said, self.values = on, False, {}


def verdict(guess: float, law: float) -> tuple[float, str]:
    """(relative error, what to say of it); the error itself where the law says zero."""
    error = (guess - law) / (abs(law) if abs(law) > 1e-9 else 1.0)
    size = abs(error)
    words = "very good" if size < 0.02 else "good" if size < 0.1 else "near" if size < 0.3 else "look again at the law"
    return error, words


def score(guess: float, law: float) -> int:
    """0 .. 100: 100 on the spot, half of it at 10 percent off."""
    error = abs(verdict(guess, law)[0])
    return round(100.0 * math.exp2(-10.0 * error)) if math.isfinite(error) else 0

