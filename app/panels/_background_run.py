"""Common part of panels with background runs: choice of quantity and duration, run and cancel."""

from collections.abc import Callable
from dataclasses import dataclass

from app.analysis.studies.background_runs import BackgroundRun
from app.gui.controls import flags, style, widgets
from app.i18n.imgui_translated import imgui
from app.session import Session
from physics import BadInput
from scenes import find_quantity


@dataclass
class StudySettings:
    """Settings of a study. seconds: simulated time of each run; unit: of the quantity."""

    key: str = ""
    seconds: float = 1.0
    scene: str = ""
    study: BackgroundRun | None = None
    unit: str = ""


def draw(session: Session, asked: StudySettings, name: str, help: str, make: Callable[[], BackgroundRun],
         draw_below: Callable[[], None]) -> bool:
    """Draw the left part of such a panel, with `draw_below` under it; False where the scene has no quantities.

    name: of the buttons; help: of Run; make: creates the study, not started.
    """
    keys = tuple(session.scene.plots) if session.scene else ()
    if not keys:
        widgets.dim_text("This scene plots no quantity to study.")
        return False
    if asked.scene != session.frame.scene:
        if asked.study is not None:
            asked.study.cancel()
        asked.scene, asked.study, asked.key = session.frame.scene, None, keys[0]
        asked.seconds = min(2.0, session.scene.check_time)
    if imgui.begin_child("asked", imgui.ImVec2(widgets.scaled(300.0), 0.0), child_flags=flags.WITHIN):
        _ask(session, asked, keys)
        _buttons(session, asked, name, help, make)
        if asked.study is not None and asked.study.problem:
            widgets.wrapped(asked.study.problem, style.palette().warn)
        draw_below()
    imgui.end_child()
    imgui.same_line(0.0, 2.0 * imgui.get_style().item_spacing.x)
    return True


def _ask(session: Session, asked: StudySettings, keys: tuple[str, ...]) -> None:
    chosen = widgets.choice("quantity", asked.key, keys, "The runs are compared at the times of the largest step size.",
                            lambda key: _found(session, key)[0])
    asked.key = chosen or asked.key
    seconds = widgets.number("time", asked.seconds, lo=0.1, hi=20.0, unit="s",
                             help="Simulated time of each run. Chaotic motion, such as that of a pile, can only be compared over "
                                  "a short time.")
    asked.seconds = asked.seconds if seconds is None else float(seconds)


def _buttons(session: Session, asked: StudySettings, name: str, help: str, make: Callable[[], BackgroundRun]) -> None:
    study = asked.study
    if study is not None and not study.done:
        if widgets.button("Cancel", "Cancel the study.", name=f"cancel {name}", width=widgets.scaled(90.0)):
            study.cancel()
        imgui.same_line()
        widgets.bar(study.progress, f"{100.0 * study.progress:.0f} %", style.palette().dim)
    elif widgets.button("Run", help, name=f"run {name}", accent=True, width=widgets.scaled(90.0)):
        asked.study, asked.unit = make(), _found(session, asked.key)[1]
        asked.study.start()


def _found(session: Session, key: str) -> tuple[str, str]:
    """Label and unit of a quantity."""
    try:
        found = find_quantity(session.frame.as_world, key, session.scene)
    except BadInput:
        return key, ""
    return found.label, found.unit
