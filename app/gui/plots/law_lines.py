"""Laws as dashed lines on a plot, and the line that the user drags to predict a value."""

import numpy as np

from app.analysis.lessons.prediction import Laws, PersonalPrediction, PredictedCurve, dashes
from app.gui.controls import style, widgets
from app.i18n.imgui_translated import implot
from app.session import Session
from scenes import Prediction

DASH_LENGTH = 5.0
"""Length of a dash and of the gap after it [px at scale 1]."""


def draw(session: Session, key: str) -> None:
    """Draw the law of one quantity, on the current axes."""
    limits = implot.get_plot_limits()
    count = max(8, int(implot.get_plot_size().x / widgets.scaled(2.0 * DASH_LENGTH)))
    for curve in session.state(Laws).of(session.scene, session.parameters, session.changed_at is not None):
        if curve.key == key:
            times, values = dashes(curve, limits.x.min, limits.x.max, count)
            spec = implot.Spec(line_color=style.vec(style.palette().text, 0.75), line_weight=widgets.scaled(1.4),
                               flags=implot.LineFlags_.segments)
            implot.plot_line(f"##law {key}", times, values, spec)
    _guess(session, key, limits)


def _guess(session: Session, key: str, limits: implot.Rect) -> None:
    """Draw the prediction: draggable until it is submitted, visible while the scene runs."""
    guess = session.state(PersonalPrediction)
    asked = _asked(session, guess)
    if asked is None or asked.key not in (key, "time") or (asked.key == "time" and key not in session.traces.keys[:1]):
        return
    p, upright = style.palette(), asked.key == "time"
    middle = 0.5 * (limits.x.min + limits.x.max) if upright else 0.5 * (limits.y.min + limits.y.max)
    at = guess.values[asked.name] + asked.level_offset if asked.name in guess.values else middle
    drag = implot.drag_line_x if upright else implot.drag_line_y
    flags = implot.DragToolFlags_.no_inputs if guess.submitted else implot.DragToolFlags_.none
    moved, at, *_ = drag(7, at, style.vec(p.warn), widgets.scaled(2.0), flags)
    if moved:
        guess.values[asked.name] = float(f"{at - asked.level_offset:.4g}")
    tag = implot.tag_x if upright else implot.tag_y
    tag(at, style.vec(p.warn), "you")


def _asked(session: Session, guess: PersonalPrediction) -> Prediction | None:
    """The prediction that the user enters, if its number can be shown on the plot."""
    if not guess.on:
        return None
    found = session.state(PredictedCurve).of(session.scene, session.parameters)
    return next((p for p in found if p.name == guess.name and p.key), None)


def levels(session: Session, key: str) -> list[np.ndarray]:
    """Values that the axis of a quantity must show besides its samples."""
    guess = session.state(PersonalPrediction)
    asked = _asked(session, guess)
    if asked is None or asked.key != key or asked.name not in guess.values:
        return []
    return [np.array([guess.values[asked.name] + asked.level_offset])]
