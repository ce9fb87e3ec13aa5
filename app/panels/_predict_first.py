"""Prediction before the run: the user's guess, on the plot or as a number, then beside law and measurement."""

from collections.abc import Sequence

from app.analysis.lessons.prediction import Laws, PersonalPrediction, deviation, prediction_error, score, verdict
from app.engine.simulation import Simulation
from app.gui.controls import icons, style, widgets
from app.gui.controls.values import pretty
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.number_format import MIN_RELATIVE_ERROR, percent, rounded
from app.session import Session
from scenes import Prediction

PredictionRows = Sequence[tuple[Prediction, float | None]]


def draw(session: Session, rows: PredictionRows) -> bool:
    """Draw the question, if one is open; True: law and measurement stay hidden."""
    guess, laws = session.state(PersonalPrediction), session.state(Laws)
    at = (session.frame.scene, repr(session.parameters))
    if guess.on and at != guess.at:
        guess.begin(True)
        _stand(session)
    guess.at = at
    new = widgets.toggle("Predict first", guess.on, "Enter a prediction before the law and the measurement are shown. The scene "
                                                   "waits at its start until you answer.")
    if new is not None:
        ask_first(session, new)
    laws.hidden = guess.waiting
    if guess.waiting:
        _question(session, guess, rows)
        if guess.scroll_frames:      # the panel has grown: the button may be below its edge
            guess.scroll_frames -= 1
            imgui.set_scroll_here_y(1.0)
    elif guess.submitted and widgets.button("Predict again", "Discard your prediction and return to the start.",
                                            name="ask again"):
        guess.begin(True)
        _stand(session)
    return guess.waiting


def ask_first(session: Session, on: bool) -> None:
    """Turn the question on, which returns the scene to its start, or off."""
    session.state(PersonalPrediction).begin(on)
    if on:
        _stand(session)


def _stand(session: Session) -> None:
    session.post(Simulation.pause)
    session.post(Simulation.reset)


def _question(session: Session, guess: PersonalPrediction, rows: PredictionRows) -> None:
    names = [prediction.name for prediction, _ in rows]
    if guess.name not in names:
        guess.name = names[0]
    if len(names) > 1:
        picked = widgets.choice("what", guess.name, tuple(names), "Which quantity of the scene to predict.")
        if picked:
            guess.name, guess.scroll_frames = picked, 3
    asked = next(prediction for prediction, _ in rows if prediction.name == guess.name)
    widgets.wrapped(message("{asked}: your prediction?", asked=asked.name))
    more = (" Or drag the line in the plot." if asked.key else "") + (" Or click in the scene." if asked.place else "")
    new = widgets.number("your answer", guess.values.get(asked.name, 0.0), unit=asked.unit,
                         help=message("Double-click to type, drag to change it.{more}", more=more))
    if new is not None:
        guess.values[asked.name] = new
    if asked.place:
        widgets.wrapped(message("Click where '{body}' will be at that time, on the line drawn in the scene.",
                                body=asked.place.body))
        widgets.register_area("where")
    if not guess.values:
        widgets.dim_text(("Or type a number" if asked.place else "Type a number") + (
            ", or drag the line in the plot." if asked.key else "."))
    elif widgets.button(icons.text(icons.PLAY, "Run and see"), "Your prediction stays visible; law and measurement are shown "
                                                               "beside it.",
                        name="run and see", accent=True):
        guess.submitted = True
        session.post(Simulation.reset)
        session.post(Simulation.run)


def answer(session: Session, prediction: Prediction, number: float | None) -> None:
    """Draw the guess of a number beside the law. number: as measured."""
    guess = session.state(PersonalPrediction)
    if not guess.submitted or prediction.name not in guess.values:
        return
    p, submitted = style.palette(), guess.values[prediction.name]
    _, words = verdict(submitted, prediction.value)
    points = score(submitted, prediction.value)
    unit = f" {pretty(prediction.unit)}" if prediction.unit else ""
    widgets.coloured(message("your prediction {submitted}{unit}: {words}, {points} of 100", submitted=rounded(submitted, 4),
                             unit=unit, words=words, points=points),
                     p.good if points >= 50 else p.warn)
    widgets.tooltip("100 points for the exact value, half for a deviation of 10 percent.")
    if prediction.place and number is not None:
        widgets.coloured(message("your flag is {distance} m from the final position",
                                 distance=rounded(prediction_error(prediction, submitted, number), 3)),
                         p.dim)
        widgets.register_area("flag")


def curves(session: Session) -> None:
    """Draw the deviation of the plotted quantities from their laws over time."""
    laws = session.state(Laws).of(session.scene, session.parameters, session.changed_at is not None)
    found = [(law, session.traces.read(law.key)) for law in laws]
    found = [(law, off) for law, (times, values) in found if (off := deviation(law, times, values)) is not None]
    if not found:
        return
    imgui.separator()
    widgets.dim_text("largest deviation of the curves")
    if not imgui.begin_table("laws", 2):
        return
    p = style.palette()
    imgui.table_setup_column("curve")
    imgui.table_setup_column("off", imgui.TableColumnFlags_.width_fixed)
    for law, off in found:
        imgui.table_next_column()
        widgets.dim_text(session.traces.label(law.key).split(" [")[0])
        imgui.table_next_column()
        text = f"\u2264 {rounded(100.0 * off, 2)} %" if off > MIN_RELATIVE_ERROR else percent(off)
        widgets.coloured(text, p.good if off <= law.tolerance else p.warn)
        widgets.tooltip(message("Largest deviation of the curve from the dashed law so far, relative to the range of the law; "
                                "tolerance {tolerance:g} %.", tolerance=100.0 * law.tolerance))
    imgui.end_table()
