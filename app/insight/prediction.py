"""What the law says of the plotted quantities, and how far the simulation is from it; what a person said before the run."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from physics import World
from scenes import Curve, Place, Prediction, Scene, Trace


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


@dataclass
class Foretold:
    """The predictions of a scene, made anew when the parameters change."""

    predictions: tuple[Prediction, ...] = ()
    _made_for: Any = None

    def of(self, scene: Scene | None, parameters: Any) -> tuple[Prediction, ...]:
        """Empty where the scene foretells nothing."""
        if scene is None or scene.predict is None:
            return ()
        if self._made_for != (scene.title, parameters):
            try:
                self.predictions = tuple(scene.predict(parameters))
            except (AttributeError, TypeError):     # the physics thread changes the scene this very moment
                return ()
            self._made_for = (scene.title, parameters)
        return self.predictions


def measured(prediction: Prediction, world: World, trace: Trace) -> float | None:
    """None while it cannot be told; a trace that was just cleared or a quantity that is gone cannot tell either."""
    try:
        return prediction.measure(world, trace)
    except (KeyError, IndexError, ValueError, ZeroDivisionError):
        return None


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
    news: int = 0                       # pictures for which the question is brought into sight

    @property
    def waiting(self) -> bool:
        """The law stays hidden."""
        return self.on and not self.said

    def begin(self, on: bool) -> None:
        """Ask anew, or no longer."""
        self.on, self.said, self.values, self.news = on, False, {}, 3


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


def pointed(place: Place, origin: np.ndarray, direction: np.ndarray) -> tuple[float, np.ndarray]:
    """What a person means who points along a ray (origin, direction (3,) [m, world]): (the number, its point (3,) [m]) where the
    way is nearest to the ray, as the eye sees it."""
    direction = direction / np.linalg.norm(direction)
    start, span = place.points[:-1], np.diff(place.points, axis=0)
    across, lead = span - np.outer(span @ direction, direction), origin - start
    lead = lead - np.outer(lead @ direction, direction)
    share = np.einsum("ij,ij->i", lead, across) / np.maximum(np.einsum("ij,ij->i", across, across), 1e-30)
    share = np.clip(share, 0.0, 1.0)
    points = start + share[:, None] * span
    depth = (points - origin) @ direction
    off = np.linalg.norm(points - origin - depth[:, None] * direction, axis=1)
    k = int(np.argmin(np.where(depth > 0.0, off / np.maximum(depth, 1e-9), np.inf)))
    return float(place.values[k] + share[k] * (place.values[k + 1] - place.values[k])), points[k]


def miss(prediction: Prediction, said: float, number: float) -> float:
    """How far the place that was said is from the one that was measured [m]."""
    return float(np.linalg.norm(prediction.place.at(said) - prediction.place.at(number)))
