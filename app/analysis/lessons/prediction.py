"""Theory curves of the plotted quantities, the simulation's deviation from them, and predictions that the user enters."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from physics import World
from scenes import Curve, PredictedPath, Prediction, Scene, Trace


@dataclass
class Laws:
    """Theory curves of a scene, recomputed when the parameters change. hidden: while the user's prediction is awaited."""

    curves: tuple[Curve, ...] = ()
    hidden: bool = False
    _made_for: Any = None

    def of(self, scene: Scene | None, parameters: Any, changed: bool = False) -> tuple[Curve, ...]:
        """The curves; empty where the scene has none over time, the user's prediction is awaited, or a parameter was changed
        while the scene ran: they begin at its start."""
        if scene is None or scene.law_curves is None or self.hidden or changed:
            return ()
        if self._made_for != (scene.title, parameters):
            try:
                self.curves = tuple(scene.law_curves(parameters))
            except (AttributeError, TypeError):         # the physics thread is changing the scene
                return ()
            except (ArithmeticError, ValueError):       # the law has no answer
                self.curves = ()
            self._made_for = (scene.title, parameters)
        return self.curves


@dataclass
class PredictedCurve:
    """Predictions of a scene, recomputed when the parameters change."""

    predictions: tuple[Prediction, ...] = ()
    _made_for: Any = None

    def of(self, scene: Scene | None, parameters: Any) -> tuple[Prediction, ...]:
        """The predictions; empty where the scene makes none, or its law has no answer for these parameters."""
        if scene is None or scene.predict is None:
            return ()
        if self._made_for != (scene.title, parameters):
            try:
                self.predictions = tuple(scene.predict(parameters))
            except (AttributeError, TypeError):     # the physics thread is changing the scene
                return ()
            except (ArithmeticError, ValueError):
                self.predictions = ()
            self._made_for = (scene.title, parameters)
        return self.predictions


def measured(prediction: Prediction, world: World, trace: Trace) -> float | None:
    """Measured value; None while unavailable, also for a trace that was just cleared or a removed quantity."""
    try:
        return prediction.measure(world, trace)
    except (KeyError, IndexError, ValueError, ZeroDivisionError):
        return None


def deviation(curve: Curve, times: np.ndarray, values: np.ndarray) -> float | None:
    """Largest distance of a live curve from the law, relative to the law's range; None without common times.

    For a constant law it is relative to the law's magnitude, for a zero law to one.
    """
    known = np.isfinite(values) & (times > 0.0) & (times <= curve.times[-1])
    if not np.any(known):
        return None
    law = np.array(curve.values, float)
    size = float(np.ptp(law)) or float(np.abs(law).max()) or 1.0
    return float(np.max(np.abs(values[known] - np.interp(times[known], curve.times, law)))) / size


def dashes(curve: Curve, start: float, end: float, count: int = 90) -> tuple[np.ndarray, np.ndarray]:
    """The law between two times as end points of dashes: times and values, two by two."""
    times = np.linspace(max(start, curve.times[0]), max(start, min(end, curve.times[-1])), 2 * count)
    return times, np.interp(times, curve.times, curve.values)


@dataclass
class PersonalPrediction:
    """Asks for the user's prediction before the run. values: by the prediction's name; said: the run has begun: fixed."""

    on: bool = False
    submitted: bool = False
    name: str = ""
    values: dict[str, float] = field(default_factory=dict)
    at: tuple[str, str] = ("", "")      # scene and parameters of the question
    scroll_frames: int = 0                       # frames for which the question is scrolled into view

    @property
    def waiting(self) -> bool:
        """Whether the law stays hidden."""
        return self.on and not self.submitted

    def begin(self, on: bool) -> None:
        """Turn the question on, from its start, or off."""
        self.on, self.submitted, self.values, self.scroll_frames = on, False, {}, 3


def verdict(guess: float, law: float) -> tuple[float, str]:
    """(relative error, comment on it); the absolute error if the law gives zero."""
    error = (guess - law) / (abs(law) if abs(law) > 1e-9 else 1.0)
    size = abs(error)
    words = "very good" if size < 0.02 else "good" if size < 0.1 else "near" if size < 0.3 else "review the law"
    return error, words


def score(guess: float, law: float) -> int:
    """Score 0 .. 100: 100 for an exact guess, half of it at 10 percent error."""
    error = abs(verdict(guess, law)[0])
    return round(100.0 * math.exp2(-10.0 * error)) if math.isfinite(error) else 0


def pointed(place: PredictedPath, origin: np.ndarray, direction: np.ndarray) -> tuple[float, np.ndarray]:
    """Place picked by a ray (origin, direction (3,) [m, world]): (the number, its point (3,) [m]) where the path is nearest to
    the ray, in the view."""
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


def prediction_error(prediction: Prediction, submitted: float, number: float) -> float:
    """Distance of the predicted place from the measured one [m]."""
    return float(np.linalg.norm(prediction.place.at(submitted) - prediction.place.at(number)))
