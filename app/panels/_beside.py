"""What panels that run the scene beside the window have in common: which quantity, how long, run or cancel."""

from collections.abc import Callable
from dataclasses import dataclass

from app.gui.controls import flags, style, widgets
from app.gui.speaking import imgui
from app.insight.runs_beside import RunsBeside
from app.session import Session
from physics import BadInput, quantities


@dataclass
class Asked:
    """What was asked for. seconds: simulated time of each run; unit: of the quantity of the study."""

    key: str = ""
    seconds: float = 1.0
    scene: str = ""
    study: RunsBeside | None = None
    unit: str = ""


def draw(session: Session, asked: Asked, name: str, help: str, make: Callable[[], RunsBeside], tell: Callable[[], None]) -> bool:
    """The left part of such a panel, with what `tell` draws below; False where the scene has nothing to look at.

    name: of the buttons; help: what Run does; make: the study, not begun.
    """
    keys = tuple(session.scene.plots) if session.scene else ()
    if not keys:
        widgets.dim("This scene plots no quantity that could be looked at.")
        return False
    if asked.scene != session.simulation.scene_name:
        if asked.study is not None:
            asked.study.cancel()
        asked.scene, asked.study, asked.key = session.simulation.scene_name, None, keys[0]
        asked.seconds = min(2.0, session.scene.check_time)
    if imgui.begin_child("asked", imgui.ImVec2(widgets.px(300.0), 0.0), child_flags=flags.WITHIN):
        _ask(session, asked, keys)
        _buttons(session, asked, name, help, make)
        if asked.study is not None and asked.study.problem:
            widgets.wrapped(asked.study.problem, style.palette().warn)
        tell()
    imgui.end_child()
    imgui.same_line(0.0, 2.0 * imgui.get_style().item_spacing.x)
    return True


def _ask(session: Session, asked: Asked, keys: tuple[str, ...]) -> None:
    chosen = widgets.choice("quantity", asked.key, keys, "Compared at the times of the largest step.",
                            lambda key: _found(session, key)[0])
    asked.key = chosen or asked.key
    seconds = widgets.number("time", asked.seconds, lo=0.1, hi=20.0, unit="s",
                             help="Simulated time of each run. Chaotic motion, as a pile's, can be compared for a short time.")
    asked.seconds = asked.seconds if seconds is None else float(seconds)


def _buttons(session: Session, asked: Asked, name: str, help: str, make: Callable[[], RunsBeside]) -> None:
    study = asked.study
    if study is not None and not study.done:
        if widgets.button("Cancel", "End the study.", name=f"cancel {name}", width=widgets.px(90.0)):
            study.cancel()
        imgui.same_line()
        widgets.bar(study.progress, f"{100.0 * study.progress:.0f} %", style.palette().dim)
    elif widgets.button("Run", help, name=f"run {name}", accent=True, width=widgets.px(90.0)):
        asked.study, asked.unit = make(), _found(session, asked.key)[1]
        asked.study.start()


def _found(session: Session, key: str) -> tuple[str, str]:
    """Label and unit of a quantity."""
    try:
        found = quantities.find(session.simulation.world, key)
    except BadInput:
        return key, ""
    return found.label, found.unit
