"""The scene at hand: what to look for, its law, its parameters, predicted against measured."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.digits import few, percent
from app.gui.controls import style, widgets
from app.gui.controls.values import pretty
from app.gui.speaking import imgui
from app.gui.text import formula
from app.insight.lock import Lock
from app.insight.prediction import Foretold, Guess, measured
from app.panels import _asking
from app.session import Session
from physics import fields
from scenes import Prediction
from scenes.lessons import lesson_of

TITLE = "This scene"
PLACE = "left"
ORDER = 20

HEADS = (("predicted", "What the law above says."), ("measured", "What the simulation did so far."),
         ("off by", "The measured number less the predicted one, as a part of that; green within the scene's tolerance."))
STOPS = (0.0, 0.38, 0.74)
"""Where the columns begin, as shares of the width."""

INTERVAL = 0.4
"""Wall seconds between two measurements."""


@dataclass
class State:
    """The last measurements: (prediction, measured or None)."""

    wall: float = 0.0
    scene: str = ""
    rows: list[tuple[Prediction, float | None]] = field(default_factory=list)


def draw(session: Session) -> None:
    scene = session.scene
    if scene is None:
        widgets.dim("no scene")
        return
    imgui.push_font(None, 1.15 * imgui.get_style().font_size_base)
    widgets.wrapped(scene.title)
    imgui.pop_font()
    widgets.wrapped(scene.look_for, style.palette().dim)
    if scene.law or scene.law_text:
        widgets.heading("Law")
        if session.memory(Guess).waiting and scene.predict is not None and measurements(session):
            widgets.dim("Shown when you have answered.")
        else:
            formula.draw(scene.law, scene.law_text)
    parameters = session.parameters
    if parameters is not None and fields(parameters):
        widgets.heading("Parameters")
        hidden = session.memory(Lock).hidden_parameters(tuple(f.name for f in fields(parameters)), lesson_of(session.frame.scene))
        widgets.options(parameters, lambda name, value: session.post("set_parameter", name, value), live=False, skip=hidden)
    if scene.predict is not None:
        _predictions(session)


def _predictions(session: Session) -> None:
    rows = measurements(session)
    if not rows:
        return
    widgets.heading("Predicted and measured")
    if _asking.draw(session, rows):
        return
    touched = changed(session)
    if touched:
        widgets.wrapped(f"For the parameters above; since then you changed: {', '.join(touched)}.", style.palette().warn)
    start, width = imgui.get_cursor_pos_x(), imgui.get_content_region_avail().x
    stops = [start + share * width for share in STOPS]
    for i, ((head, help), stop) in enumerate(zip(HEADS, stops)):
        if i:
            imgui.same_line(stop)
        widgets.coloured(head, style.palette().dim)
        widgets.mark(f"head {head}")
        widgets.tooltip(help)
    for prediction, number in rows:
        imgui.separator()
        _prediction(prediction, number, stops)
        _asking.answer(session, prediction, number)
    _asking.curves(session)


def _prediction(prediction: Prediction, number: float | None, stops: Sequence[float]) -> None:
    """One number under the heads: what it is, by the law, as it was measured, and how far that is off."""
    p, unit = style.palette(), f" {pretty(prediction.unit)}" if prediction.unit else ""
    widgets.wrapped(prediction.name)
    imgui.text_unformatted(f"{few(prediction.value, 5)}{unit}")
    imgui.same_line(stops[1])
    if number is None:
        widgets.dim("not yet")
        return
    imgui.text_unformatted(f"{few(number, 5 if abs(number) > 1e-6 else 1)}{unit}")
    imgui.same_line(stops[2])
    error = relative_error(number, prediction.value)
    within = abs(number - prediction.value) <= max(prediction.tolerance * abs(prediction.value), 1e-6)
    widgets.coloured(percent(error) if abs(prediction.value) > 1e-9 else few(error, 1), p.good if within else p.warn)
    widgets.tooltip(f"measured {number:.9g}, predicted {prediction.value:.9g}; "
                    f"tolerance {few(100 * prediction.tolerance)} %")


def changed(session: Session) -> list[str]:
    """What a person set elsewhere and the predictions know nothing of."""
    simulation = session.simulation
    gravity = session.frame.gravity
    told = (("friction of all bodies", simulation.friction is not None),
            ("restitution of all bodies", simulation.restitution is not None),
            ("joint friction", bool(simulation.joint_bounds)),
            ("gravity", any(abs(g - g0) > 1e-9 for g, g0 in zip(gravity, simulation.own_gravity))))
    return [name for name, is_so in told if is_so]


def relative_error(measured: float, predicted: float) -> float:
    """(measured - predicted) / predicted; the difference itself where nothing is predicted to happen."""
    return (measured - predicted) / (abs(predicted) if abs(predicted) > 1e-9 else 1.0)


def measurements(session: Session) -> Sequence[tuple[Prediction, float | None]]:
    """Every prediction with what was measured so far, refreshed a few times a second."""
    state = session.memory(State)
    now = time.perf_counter()
    if now - state.wall < INTERVAL and state.scene == session.frame.scene:
        return state.rows
    state.wall, state.scene = now, session.frame.scene
    simulation = session.simulation
    trace = session.traces.table()
    predictions = session.memory(Foretold).of(session.scene, session.parameters)
    state.rows = [(p, measured(p, simulation.world, trace)) for p in predictions]
    return state.rows
