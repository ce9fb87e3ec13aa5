"""Ask before the run: a person says what will happen, on the plot or as a number, and then sees it beside law and measurement."""

from collections.abc import Sequence

from app.digits import few
from app.gui.controls import icons, style, widgets
from app.gui.controls.values import pretty
from app.gui.speaking import imgui
from app.insight.prediction import Guess, Laws, deviation, miss, score, verdict
from app.session import Session
from scenes import Prediction

Rows = Sequence[tuple[Prediction, float | None]]


def draw(session: Session, rows: Rows) -> bool:
    """The question, while one is to be answered; True: law and measurement stay hidden until then."""
    guess, laws = session.memory(Guess), session.memory(Laws)
    at = (session.frame.scene, repr(session.parameters))
    if guess.on and at != guess.at:
        guess.begin(True)
        _stand(session)
    guess.at = at
    new = widgets.toggle("Ask me first", guess.on, "Say what you expect before the law and the measurement are shown: the "
                                                   "scene waits "
                                                   "at its start until you have.")
    if new is not None:
        guess.begin(new)
        if new:
            _stand(session)
    laws.hidden = guess.waiting
    if guess.waiting:
        _question(session, guess, rows)
        if guess.news:      # the panel has grown: the button may have gone below its edge
            guess.news -= 1
            imgui.set_scroll_here_y(1.0)
    elif guess.said and widgets.button("Ask again", "Forget what you said, and go back to the start.", name="ask again"):
        guess.begin(True)
        _stand(session)
    return guess.waiting


def _stand(session: Session) -> None:
    session.post("pause")
    session.post("reset")


def _question(session: Session, guess: Guess, rows: Rows) -> None:
    names = [prediction.name for prediction, _ in rows]
    if guess.name not in names:
        guess.name = names[0]
    if len(names) > 1:
        picked = widgets.choice("what", guess.name, tuple(names), "Which of the scene's numbers you want to foretell.")
        if picked:
            guess.name, guess.news = picked, 3
    asked = next(prediction for prediction, _ in rows if prediction.name == guess.name)
    widgets.wrapped(f"{asked.name}: what do you expect?")
    more = (" Or drag the line in the plot." if asked.key else "") + (" Or click in the scene." if asked.place else "")
    new = widgets.number("your answer", guess.values.get(asked.name, 0.0), unit=asked.unit,
                         help=f"Double-click to type, drag to change it.{more}")
    if new is not None:
        guess.values[asked.name] = new
    if asked.place:
        widgets.wrapped(f"Click in the scene where '{asked.place.body}' will be then, on the line that is drawn there.")
        widgets.mark("where")
    if not guess.values:
        widgets.dim(("Or type a number" if asked.place else "Type a number") + (
            ", or drag the line in the plot." if asked.key else "."))
    elif widgets.button(icons.text(icons.PLAY, "Run and see"), "What you said stays; law and measurement are shown beside it.",
                        name="run and see", accent=True):
        guess.said = True
        session.post("reset")
        session.post("run")


def answer(session: Session, prediction: Prediction, number: float | None) -> None:
    """What was said of a number, beside the law. number: as measured."""
    guess = session.memory(Guess)
    if not guess.said or prediction.name not in guess.values:
        return
    p, said = style.palette(), guess.values[prediction.name]
    _, words = verdict(said, prediction.value)
    points = score(said, prediction.value)
    unit = f" {pretty(prediction.unit)}" if prediction.unit else ""
    widgets.coloured(f"you said {few(said, 4)}{unit}: {words}, {points} of 100", p.good if points >= 50 else p.warn)
    widgets.tooltip("100 for the law's own number, half for one that is 10 percent off.")
    if prediction.place and number is not None:
        widgets.coloured(f"your flag stands {few(miss(prediction, said, number), 3)} m from where it came", p.dim)
        widgets.mark("flag")


def curves(session: Session) -> None:
    """How far the plotted quantities are from the law over time."""
    laws = session.memory(Laws).of(session.scene, session.parameters)
    found = [(law, session.traces.read(law.key)) for law in laws]
    found = [(law, off) for law, (times, values) in found if (off := deviation(law, times, values)) is not None]
    if not found or not imgui.begin_table("laws", 2):
        return
    p = style.palette()
    imgui.table_setup_column("curve")
    imgui.table_setup_column("off", imgui.TableColumnFlags_.width_fixed)
    for law, off in found:
        imgui.table_next_column()
        widgets.dim(session.traces.label(law.key).split(" [")[0])
        imgui.table_next_column()
        widgets.coloured(f"\u2264 {few(100.0 * off, 2)} %", p.good if off <= law.tolerance else p.warn)
        widgets.tooltip(f"Largest distance of the curve from the dashed law so far, as a part of the law's range; "
                        f"tolerance {100.0 * law.tolerance:g} %.")
    imgui.end_table()
