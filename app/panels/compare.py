"""Up to four solvers on the scene at hand, side by side: what each does with the same step, and how far they are apart."""

from dataclasses import dataclass

import numpy as np

from app.digits import few
from app.engine.comparison import MOST
from app.engine.frame import Frame
from app.gui.controls import icons, style, widgets
from app.gui.speaking import imgui
from app.panels.physics import unsupported
from app.session import Session
from physics import solvers
from physics.core.records import Kind

TITLE = "Compare"
PLACE = "left"
ORDER = 30
OPEN = False

COLUMNS = (
    ("sweeps", "Iterations of the last step; pivots of the exact solver."),
    ("residual", "How far the step is from solving its own problem, the same measure for all solvers [m/s]."),
    ("overlap", "Deepest penetration [mm]."),
    ("step", "What the last step took [ms]."),
    ("apart", "The farthest that a body is from where the first solver has it [mm]."))


@dataclass
class State:
    """open: whose options are shown, -1: nobody's."""

    open: int = -1


def draw(session: Session) -> None:
    frame, state = session.frame, session.memory(State)
    if not frame.others:
        widgets.wrapped("Add a solver: it goes on from this moment beside the one in the panel Physics, with the same camera, "
                        "the same hand and the same past. Reset lets all begin together.", style.palette().dim)
    _add(session)
    if not frame.others:
        return
    imgui.same_line()
    new = widgets.toggle("split", session.view.split, "A pane for each solver; off: all over one another, in their colours.")
    if new is not None:
        session.view.split = new
    _table(frame)
    for i, other in enumerate(frame.others):
        _follower(session, state, i, other)


def _add(session: Session) -> None:
    imgui.begin_disabled(len(session.frame.others) >= MOST)
    if widgets.button("Add a solver", f"At most {MOST + 1} at once.", name="add solver"):
        imgui.open_popup("solvers")
    imgui.end_disabled()
    if not imgui.begin_popup("solvers"):
        return
    reasons = unsupported(session)
    for file, kind in solvers.available().items():
        reason = reasons.get(file, "")
        if imgui.menu_item(kind.name, "", False, not reason)[0]:
            session.post("compare_with", file)
        widgets.mark(f"with {file}")
        widgets.tooltip(reason or kind.doc)
    imgui.end_popup()


def rows(frame: Frame) -> list[tuple[str, ...]]:
    """A line of numbers for each solver, in the order of COLUMNS."""
    lines = []
    for each in (frame, *frame.others):
        report = each.report
        if report is None:
            lines.append(("",) * len(COLUMNS))
            continue
        lines.append((f"{report.iterations}", few(report.residual, 2), few(1e3 * report.penetration, 2),
                      f"{1e3 * report.times['step']:.2f}", "" if each is frame else few(1e3 * apart(frame, each), 2)))
    return lines


def apart(frame: Frame, other: Frame) -> float:
    """Largest distance between the same body in both [m]; nan where they are not at the same step or have other bodies."""
    if frame.step != other.step or len(frame.bodies) != len(other.bodies):
        return float("nan")
    moves = frame.bodies["kind"] == Kind.DYNAMIC
    away = np.linalg.norm(frame.bodies["pos"][moves] - other.bodies["pos"][moves], axis=1)
    return float(away.max(initial=0.0))


def _table(frame: Frame) -> None:
    flags = imgui.TableFlags_
    if not imgui.begin_table("solvers", len(COLUMNS) + 1, flags.sizing_stretch_prop | flags.row_bg):
        return
    imgui.table_next_row()
    imgui.table_next_column()
    for name, help in COLUMNS:
        imgui.table_next_column()
        widgets.right(name, style.palette().dim)
        widgets.tooltip(help)
    for i, numbers in enumerate(rows(frame)):
        imgui.table_next_row()
        imgui.table_next_column()
        widgets.coloured(icons.text(icons.OPEN, f"{i + 1}", "*"), style.palette().curves[i])
        widgets.tooltip((frame, *frame.others)[i].solver)
        for number in numbers:
            imgui.table_next_column()
            widgets.right(number)
    imgui.end_table()


def _follower(session: Session, state: State, index: int, frame: Frame) -> None:
    """One other solver: its name, what can be done with it, its options."""
    p = style.palette()
    widgets.heading(f"{index + 2}  {frame.solver}")
    if frame.trouble:
        widgets.wrapped(frame.trouble, p.warn)
    if widgets.button("Options", "Of this solver alone.", name=f"options {index}"):
        state.open = -1 if state.open == index else index
    imgui.same_line()
    if widgets.button("Lead", "Change places with the first solver, with all options.", name=f"lead {index}"):
        session.post("lead_with", index)
    imgui.same_line()
    if widgets.button(icons.text(icons.TRASH, "Remove"), "No longer compare with this solver.", name=f"remove {index}"):
        session.post("stop_comparing", index)
    followers = session.thread.comparison.followers
    if state.open == index and index < len(followers):
        imgui.push_id(index)
        widgets.options(followers[index].simulation.world.solver.options,
                        lambda name, value: session.post("set_follower_option", index, name, value))
        imgui.pop_id()
