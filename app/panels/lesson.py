"""The present scene: what to look for, its law, its parameters, predicted against measured."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

import scenes
from app.analysis.lessons.classroom_lock import Lock
from app.analysis.lessons.edited_settings import FileDifferences, edited
from app.analysis.lessons.prediction import PersonalPrediction, PredictedCurve, measured
from app.gui.controls import icons, style, widgets
from app.gui.controls.values import pretty
from app.gui.text import formula
from app.gui.viewport.presentation import Presentation
from app.i18n.imgui_translated import imgui
from app.i18n.message import joined, message
from app.number_format import percent, power, rounded
from app.panels import _predict_first
from app.session import Session
from physics import fields
from physics.core.records import Kind
from scenes import Prediction
from scenes.lessons import lesson_of

TITLE = "This scene"
PLACE = "left"
ORDER = 20
GROUP = "Scene and lesson"
ABOUT = "law, parameters, predicted and measured"

HEADS = (("predicted", "Predicted by the law above."), ("measured", "Measured in the simulation so far."),
         ("deviation", "Measured minus predicted value, relative to the predicted value; green within the scene's tolerance."))
COLUMN_EDGES = (0.0, 0.38, 0.74)
"""Left edges of the columns, as shares of the width."""

MIN_TABLE_WIDTH = 240.0
"""In a narrower panel the numbers stand below each other [px at scale 1]."""

ACTS = "Acts at once while the scene runs."
REBUILDS = "Rebuilds and restarts the scene."

ZERO_PREDICTION = 1e-9
"""Predictions below this are zero, and measured numbers rounding errors; whole in the tooltip."""

FIRST_BODIES = 2
"""Bodies of the empty scene: the world and its floor."""

MAX_NAMED = 3
"""Largest number of edits that the note below the predictions names."""

MEASURE_INTERVAL = 0.4
"""Interval between two measurements [wall s]."""


@dataclass
class LessonState:
    """The last measurements: (prediction, measured or None)."""

    wall: float = 0.0
    scene: str = ""
    rows: list[tuple[Prediction, float | None]] = field(default_factory=list)


def draw(session: Session) -> None:
    scene = session.scene
    if scene is None:
        widgets.dim_text("no scene")
        return
    imgui.push_font(None, 1.15 * imgui.get_style().font_size_base)
    widgets.wrapped(scene.title)
    imgui.pop_font()
    if not session.state(Presentation).on:      # the presenter tells it, and what is measured stays in the picture
        widgets.wrapped(about(session), style.palette().dim)
    if scene.law or scene.law_text:
        widgets.heading("Law")
        if session.state(PersonalPrediction).waiting and scene.predict is not None and measurements(session):
            widgets.dim_text("Shown after your answer.")
        else:
            formula.draw(scene.law, scene.law_text)
    if session.parameters is not None and fields(session.parameters):
        widgets.heading("Parameters")
        draw_parameters(session)
    if scene.predict is not None:
        _predictions(session)


def about(session: Session) -> str:
    """What to look for; of a scene built on the empty floor how much there is."""
    count = int(np.count_nonzero(session.frame.bodies["kind"] != Kind.FREE)) - FIRST_BODIES
    if session.frame.scene != scenes.EMPTY or count <= 0:
        return session.scene.look_for
    return message("Built by hand: {count} body on a floor.", "Built by hand: {count} bodies on a floor.", count=count)


def draw_parameters(session: Session) -> None:
    """Draw the controls of the scene's parameters; those that rebuild the scene have a sign."""
    parameters, live = session.parameters, session.scene.live
    hidden = session.state(Lock).hidden_parameters(tuple(f.name for f in fields(parameters)), lesson_of(session.frame.scene))
    for option in fields(parameters):
        if option.name in hidden:
            continue
        acts = option.name in live
        with widgets.marked("" if acts else icons.text(icons.REBUILD, ascii_sign="*"), ACTS if acts else REBUILDS):
            new = widgets.option_control(option, getattr(parameters, option.name), live=acts and session.frame.step > 0)
        if new is not None:
            session.set_parameter(option.name, new)


def _predictions(session: Session) -> None:
    rows = measurements(session)
    widgets.heading("Predicted and measured")
    if not rows:
        widgets.wrapped("The law predicts nothing for these parameters; the scene runs all the same.", style.palette().dim)
        return
    if _predict_first.draw(session, rows):
        return
    since, warn = session.changed_at, style.palette().warn
    if since is not None and all(prediction.follows for prediction, _ in rows):
        widgets.wrapped(message("Parameters changed at t = {since} s: measured anew since then.", since=rounded(since, 3)),
                        style.palette().dim)
    elif since is not None:
        widgets.wrapped(message("Parameters changed during the run, at t = {since} s: the prediction is for the present ones, "
                                "the measurement includes the time before. Reset to compare.",
                                since=rounded(since, 3)), warn)
    touched = changed(session)
    if touched:
        widgets.wrapped(message("Valid for the parameters above; changed since then: {touched}.", touched=joined(", ", touched)),
                        warn)
    corner, start, width = imgui.get_cursor_screen_pos(), imgui.get_cursor_pos_x(), imgui.get_content_region_avail().x
    stops = [start + share * width for share in COLUMN_EDGES] if width >= widgets.scaled(MIN_TABLE_WIDTH) else []
    for i, ((head, help), stop) in enumerate(zip(HEADS, stops)):
        if i:
            imgui.same_line(stop)
        widgets.coloured(head, style.palette().dim)
        widgets.register_area(f"head {head}")
        widgets.tooltip(help)
    for i, (prediction, number) in enumerate(rows):
        imgui.separator()
        _prediction(prediction, number, stops, since is None or prediction.follows)
        if not i:
            widgets.register_area("first numbers", corner)
        _predict_first.answer(session, prediction, number)
    _predict_first.curves(session)


def _prediction(prediction: Prediction, number: float | None, stops: Sequence[float], judged: bool) -> None:
    """Draw one number: its name, law, measured value and error, in a colour if it is judged; in columns at `stops`, or below each
    other without any."""
    p, unit = style.palette(), f" {pretty(prediction.unit)}" if prediction.unit else ""
    cells = [(f"{rounded(prediction.value, 5)}{unit}", p.text)]
    if number is None:
        cells += [("not yet", p.dim)]
    else:
        cells += [(f"{measured_text(number)}{unit}", p.text),
                  (deviation_text(number, prediction.value, unit),
                   p.dim if not judged else p.good if prediction.holds(number) else p.warn)]
    widgets.wrapped(prediction.name)
    for k, ((head, _), (text, colour)) in enumerate(zip(HEADS, cells)):
        if stops and k:
            imgui.same_line(stops[k])
        elif not stops:
            widgets.dim_text(head)
            imgui.same_line()
        widgets.coloured(text, colour)
        widgets.register_area(f"{prediction.name}: {head}")
    if number is not None:
        widgets.tooltip(message("measured {number:.9g}, predicted {prediction:.9g}; tolerance {tolerance} %", number=number,
                                prediction=prediction.value, tolerance=rounded(100 * prediction.tolerance)))


def measured_text(number: float) -> str:
    """A measured number: "~0" where only rounding errors are left."""
    if 0.0 < abs(number) < ZERO_PREDICTION:
        return "~0"
    return rounded(number, 5 if abs(number) > 1e-6 else 1)


def deviation_text(number: float, predicted: float, unit: str = "") -> str:
    """The deviation of a measured number, in percent; from a prediction of zero the difference with its unit, or its bound."""
    error = relative_error(number, predicted)
    if abs(predicted) > ZERO_PREDICTION:
        return percent(error)
    return f"< {power(-9)}{unit}" if 0.0 < abs(error) < ZERO_PREDICTION else f"{rounded(error, 3)}{unit}"


def changed(session: Session) -> Sequence[str]:
    """Settings changed by the user elsewhere that the predictions do not include."""
    simulation = session.simulation
    gravity = session.frame.gravity
    settings = (("friction of all bodies", simulation.friction is not None),
                ("restitution of all bodies", simulation.restitution is not None),
                ("joint friction", bool(simulation.joint_bounds)),
                ("gravity", any(abs(g - g0) > 1e-9 for g, g0 in zip(gravity, simulation.own_gravity))))
    of_file = session.state(FileDifferences).of(session.scene, session.frame.setting.parameters)
    own = [*dict.fromkeys((*edited(session.frame.authored.edits.done, session.frame), *of_file))]
    more = [message("{count} more", count=len(own) - MAX_NAMED)] if len(own) > MAX_NAMED else []
    return [*(name for name, is_so in settings if is_so), *own[:MAX_NAMED], *more]


def relative_error(measured: float, predicted: float) -> float:
    """(measured - predicted) / predicted; the difference itself if the prediction is zero."""
    return (measured - predicted) / (abs(predicted) if abs(predicted) > ZERO_PREDICTION else 1.0)


def measurements(session: Session) -> Sequence[tuple[Prediction, float | None]]:
    """Every prediction with its measured value, updated a few times a second."""
    state = session.state(LessonState)
    now = time.perf_counter()
    if now - state.wall < MEASURE_INTERVAL and state.scene == session.frame.scene:
        return state.rows
    state.wall, state.scene = now, session.frame.scene
    trace = session.traces.table()
    predictions = session.state(PredictedCurve).of(session.scene, session.parameters)
    state.rows = [(p, measured(p, session.frame.as_world, trace)) for p in predictions]
    return state.rows
