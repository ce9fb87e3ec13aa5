"""Comparison of up to four solvers on the present scene: their numbers for the same step, and their distances."""

from dataclasses import dataclass

import numpy as np

from app.engine.comparison import MAX_FOLLOWERS, Comparison
from app.engine.frame import Frame
from app.gui.controls import icons, style, widgets
from app.gui.controls.values import solver_title
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.number_format import rounded
from app.panels.physics import alternatives, unsupported
from app.session import Session
from physics import solvers
from physics.core.records import Kind

TITLE = "Compare"
PLACE = "left"
ORDER = 30
OPEN = False
GROUP = "Solver"
ABOUT = "up to four solvers side by side"

NEGLIGIBLE_LENGTH = 1e-9
"""Lengths below this are rounding errors in the table [m]."""

SOLVER_COLUMNS = (
    ("sweeps", "Iterations of the last step; pivots of the exact solver."),
    ("residual", "Residual of the step, the same measure for all solvers [m/s]."),
    ("overlap", "Deepest penetration [mm]."),
    ("step", "Computing time of the last step [ms]."),
    ("apart", "Largest distance of a body from its position in the first solver [mm]."))


@dataclass
class CompareState:
    """open: index of the solver whose options are shown, -1: none."""

    open: int = -1


def draw(session: Session) -> None:
    frame, state = session.frame, session.state(CompareState)
    if not frame.followers:
        widgets.wrapped("Add a solver: it continues from the current state in parallel with the solver of the Physics panel, "
                        "with the same camera, mouse forces and history. Reset restarts all of them.", style.palette().dim)
    _add(session)
    if not frame.followers:
        return
    imgui.same_line()
    new = widgets.toggle("split", session.view.split, "One pane per solver; off: all overlaid in their own colours.")
    if new is not None:
        session.view.split = new
    _table(frame)
    for i, other in enumerate(frame.followers):
        _follower(session, state, i, other)


def _add(session: Session) -> None:
    imgui.begin_disabled(len(session.frame.followers) >= MAX_FOLLOWERS)
    if widgets.button("Add a solver", message("Maximum: {max_followers}.", max_followers=MAX_FOLLOWERS + 1), name="add solver"):
        imgui.open_popup("solvers")
    imgui.end_disabled()
    if not imgui.begin_popup("solvers"):
        return
    reasons = unsupported(session)
    for file, kind in solvers.available().items():
        reason = reasons.get(file, "")
        if imgui.menu_item(kind.name, "", False, not reason)[0]:
            session.post(Comparison.compare_with, file)
        widgets.register_area(f"with {file}")
        widgets.tooltip(reason or kind.doc)
        if options := alternatives(session).get(file):
            if imgui.menu_item(solver_title(kind.name, options), "", False)[0]:
                session.post(Comparison.compare_with, file, **options)
            widgets.register_area(f"with {file} with {'+'.join(options)}")
            widgets.tooltip(kind.doc)
    imgui.end_popup()


def rows(frame: Frame) -> list[tuple[str, ...]]:
    """A row of numbers for each solver, in the order of SOLVER_COLUMNS."""
    lines = []
    for each in (frame, *frame.followers):
        report = each.report
        if report is None:
            lines.append(("",) * len(SOLVER_COLUMNS))
            continue
        lines.append((f"{report.iterations}", rounded(report.residual, 2), millimetres(report.penetration),
                      rounded(1e3 * report.times["step"], 3), "" if each is frame else millimetres(apart(frame, each))))
    return lines


def millimetres(length: float) -> str:
    """A length [m] in millimetres; "~0" below NEGLIGIBLE_LENGTH: powers of ten would take the room of the headings."""
    return "~0" if 0.0 < length < NEGLIGIBLE_LENGTH else rounded(1e3 * length, 2)


def apart(frame: Frame, other: Frame) -> float:
    """Largest distance of the same body in both [m]; NaN at different steps or with different bodies."""
    if frame.step != other.step or len(frame.bodies) != len(other.bodies):
        return float("nan")
    moves = frame.bodies["kind"] == Kind.DYNAMIC
    away = np.linalg.norm(frame.bodies["pos"][moves] - other.bodies["pos"][moves], axis=1)
    return float(away.max(initial=0.0))


def _table(frame: Frame) -> None:
    flags, lines = imgui.TableFlags_, rows(frame)
    imgui.push_style_var(imgui.StyleVar_.cell_padding, imgui.ImVec2(widgets.scaled(3.0), widgets.scaled(4.0)))
    if imgui.begin_table("solvers", len(SOLVER_COLUMNS) + 1, flags.sizing_fixed_fit | flags.row_bg):
        _lines(frame, lines)
        imgui.end_table()
    imgui.pop_style_var()


def _lines(frame: Frame, lines: list[tuple[str, ...]]) -> None:
    widths = _widths(lines)
    for k, width in enumerate(widths):
        imgui.table_setup_column(f"{k}", imgui.TableColumnFlags_.width_fixed, width)
    imgui.table_next_row()
    imgui.table_next_column()
    for (name, help), width in zip(SOLVER_COLUMNS, widths[1:]):
        imgui.table_next_column()
        widgets.right(widgets.cut(name, width), style.palette().dim)
        widgets.tooltip(help)
    for i, numbers in enumerate(lines):
        imgui.table_next_row()
        imgui.table_next_column()
        widgets.coloured(icons.text(icons.OPEN, f"{i + 1}", "*"), style.palette().curves[i])
        widgets.tooltip((frame, *frame.followers)[i].solver)
        for number in numbers:
            imgui.table_next_column()
            widgets.right(number)
            widgets.register_area(f"{i} {number}")


def _widths(lines: list[tuple[str, ...]]) -> np.ndarray:
    """Column widths [px]: as wide as the present contents, since numbers vary in length; if that is too much, long headings are
    cut; the remainder is distributed."""
    texts = [(icons.text(icons.OPEN, "4", "*"),), *zip(*lines)]
    cells = np.array([max(imgui.calc_text_size(text).x for text in column) for column in texts])
    heads = np.array([0.0, *(imgui.calc_text_size(translate.translate(name)).x for name, _ in SOLVER_COLUMNS)])
    over = np.maximum(0.0, heads - cells)
    room = imgui.get_content_region_avail().x - 2.0 * len(cells) * imgui.get_style().cell_padding.x - 1.0 - cells.sum()
    if over.sum() > room:
        return cells + over * max(0.0, room / over.sum())
    return cells + over + (room - over.sum()) / len(cells)


def _follower(session: Session, state: CompareState, index: int, frame: Frame) -> None:
    """Draw one follower: its name, actions and options."""
    p = style.palette()
    widgets.heading(f"{index + 2}  {translate.translate(frame.solver)}")
    if frame.stopped_because:
        widgets.wrapped(frame.stopped_because, p.warn)
    if widgets.button("Options", "Options of this solver only.", name=f"options {index}"):
        state.open = -1 if state.open == index else index
    imgui.same_line()
    if widgets.button("Make first", "Swap with the first solver, including all options.", name=f"lead {index}"):
        session.post(Comparison.swap_leader, index)
    imgui.same_line()
    if widgets.button(icons.text(icons.TRASH, "Remove"), "Remove this solver from the comparison.", name=f"remove {index}"):
        session.post(Comparison.stop_comparing, index)
    followers = session.frame.followers
    if state.open == index and index < len(followers):
        imgui.push_id(index)
        widgets.options(followers[index].solver_state.options,
                        lambda name, value: session.post(Comparison.set_follower_option, index, name, value))
        imgui.pop_id()
