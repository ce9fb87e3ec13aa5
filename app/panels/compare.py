"""Up to four solvers on the scene at hand, side by side: what each does with the same step, and how far they are apart."""

from dataclasses import dataclass

import numpy as np

from app import language
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
                      few(1e3 * report.times["step"], 3), "" if each is frame else few(1e3 * apart(frame, each), 2)))
    return lines


def apart(frame: Frame, other: Frame) -> float:
    """Largest distance between the same body in both [m]; nan where they are not at the same step or have other bodies."""
    if frame.step != other.step or len(frame.bodies) != len(other.bodies):
        return float("nan")
    moves = frame.bodies["kind"] == Kind.DYNAMIC
    away = np.linalg.norm(frame.bodies["pos"][moves] - other.bodies["pos"][moves], axis=1)
    return float(away.max(initial=0.0))


def _table(frame: Frame) -> None:
    flags, lines = imgui.TableFlags_, rows(frame)
    imgui.push_style_var(imgui.StyleVar_.cell_padding, imgui.ImVec2(widgets.px(3.0), widgets.px(4.0)))
    if imgui.begin_table("solvers", len(COLUMNS) + 1, flags.sizing_fixed_fit | flags.row_bg):
        _lines(frame, lines)
        imgui.end_table()
    imgui.pop_style_var()


def _lines(frame: Frame, lines: list[tuple[str, ...]]) -> None:
    widths = _widths(lines)
    for k, width in enumerate(widths):
        imgui.table_setup_column(f"{k}", imgui.TableColumnFlags_.width_fixed, width)
    imgui.table_next_row()
    imgui.table_next_column()
    for (name, help), width in zip(COLUMNS, widths[1:]):
        imgui.table_next_column()
        widgets.right(widgets.cut(name, width), style.palette().dim)
        widgets.tooltip(help)
    for i, numbers in enumerate(lines):
        imgui.table_next_row()
        imgui.table_next_column()
        widgets.coloured(icons.text(icons.OPEN, f"{i + 1}", "*"), style.palette().curves[i])
        widgets.tooltip((frame, *frame.others)[i].solver)
        for number in numbers:
            imgui.table_next_column()
            widgets.right(number)
            widgets.mark(f"{i} {number}")


def _widths(lines: list[tuple[str, ...]]) -> np.ndarray:
    """Of the columns [px]: as wide as what is in them now, for numbers come and go in length; where that is too much, long
    heads give way; what is left is shared out."""
    texts = [(icons.text(icons.OPEN, "4", "*"),), *zip(*lines)]
    cells = np.array([max(imgui.calc_text_size(text).x for text in column) for column in texts])
    heads = np.array([0.0, *(imgui.calc_text_size(language.text(name)).x for name, _ in COLUMNS)])
    over = np.maximum(0.0, heads - cells)
    room = imgui.get_content_region_avail().x - 2.0 * len(cells) * imgui.get_style().cell_padding.x - 1.0 - cells.sum()
    if over.sum() > room:
        return cells + over * max(0.0, room / over.sum())
    return cells + over + (room - over.sum()) / len(cells)


def _follower(session: Session, state: State, index: int, frame: Frame) -> None:
    """One other solver: its name, what can be done with it, its options."""
    p = style.palette()
    widgets.heading(f"{index + 2}  {language.text(frame.solver)}")
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
