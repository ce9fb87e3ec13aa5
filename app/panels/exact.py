"""Panel of the exact solver: its problems, energy, the case of every contact; and a way to abort a step that is too large."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from app.analysis.microscope import exact
from app.engine import commands
from app.engine.frame import Frame, same_contact
from app.engine.thread import BusyState
from app.gui.controls import flags, style, tables, widgets
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.panels.physics import unsupported
from app.session import Session
from physics.solvers.stewart_trinkle import StewartTrinkle

TITLE = "Exact"
PLACE = "bottom"
ORDER = 25
OPEN = False
GROUP = "Solver"
ABOUT = "problems of the exact solver"

SOLVER = "stewart_trinkle"
"""File name of the panel's solver."""

REFRESH_INTERVAL = 0.25
"""Interval at which numbers are updated, to stay readable [s]."""

CONTACT_COLUMNS = (
    ("bodies", 0.0, "The bodies in contact."),
    ("state", 74.0, "Open: no normal force. Degenerate: friction is zero or not determined by the law."),
    ("case", 34.0, "One of eight T08 cases, by the signs of the two friction impulses and of the slip; and one of four planar "
                   "cases: 1 stick, 2 and 3 slide in either direction, 4 degenerate."),
    ("N [N s]", 56.0, "Normal impulse in the step."),
    ("F / \u03bcN", 52.0, "Friction relative to its bound. Sliding at 1, or slightly less between two corners of the polygon."))

PROBLEM_COLUMNS = (
    ("round", 0.0, "Round within the step; 'press' and 'release' are compression and decompression in Poisson's restitution."),
    ("LCPs", 34.0, "Linear complementarity problems: one per group of bodies connected by contacts and joints."),
    ("unknowns", 66.0, "Size of the largest problem, and the joint equations eliminated from it."),
    ("pivots", 42.0, "Pivots of Lemke's algorithm, summed over all problems."))
"""Heading, width [px at scale 1, 0: the remainder], explanation."""


@dataclass
class ExactState:
    """Shown data, by value, until the next update."""

    refreshed: float = -1e9
    frame: Frame | None = None
    facts: list[exact.Fact] = field(default_factory=list)
    energies: list[exact.Fact] = field(default_factory=list)
    problems: list[tuple[str, ...]] = field(default_factory=list)
    contact_texts: dict[int, exact.ContactText] = field(default_factory=dict)      # those shown since the update


def draw(session: Session) -> None:
    solver, state, busy = session.frame.solver_state, session.state(ExactState), session.busy
    if not isinstance(solver, StewartTrinkle):
        state.frame = None
        _offer(session, solver.name)
        return
    if busy is not None:
        _wait(session, busy)
    _update(session, state)
    if state.frame is None:
        if busy is None:
            widgets.dim_text("No step of the exact solver yet. Run the scene.")
        return
    room, gap = imgui.get_content_region_avail(), imgui.get_style().item_spacing.x
    left, middle = widgets.scaled(236.0), widgets.scaled(240.0)
    if room.x < left + middle + widgets.scaled(380.0):
        _solved(session, state, min(8, len(state.problems) + 1) * (imgui.get_text_line_height() + widgets.scaled(5.0)))
        _energies(session, state)
        _contacts(session, state, widgets.scaled(220.0))
        return
    for name, width, part in (("solved", left, _solved), ("energies", middle, _energies), ("contacts", 0.0, _contacts)):
        if imgui.begin_child(name, imgui.ImVec2(width, 0.0)):
            part(session, state)
        imgui.end_child()
        if width:
            imgui.same_line(0.0, 2.0 * gap)


def _offer(session: Session, running: str) -> None:
    """Draw the offer to switch to this solver while another one runs, or the reason why it cannot run."""
    widgets.wrapped(message("This panel shows the exact solver. The current solver, {running}, does not solve such problems.",
                            running=running),
                    style.palette().dim)
    if reason := unsupported(session).get(SOLVER, ""):
        widgets.wrapped(message("The exact solver does not support this scene: {reason}", reason=reason), style.palette().warn)
    elif widgets.button("Use the exact solver", StewartTrinkle.doc, name="use exact", accent=True):
        session.post(commands.use_solver, SOLVER)


def _wait(session: Session, busy: BusyState) -> None:
    """Show the progress of a long step, and how to leave it."""
    p, width = style.palette(), widgets.scaled(90.0)
    if busy.cancels:
        if widgets.button("Cancel", "Cancel this step and pause. The state before it is restored.", name="cancel", accent=True,
                          width=width):
            session.cancel()
        imgui.same_line()
    fraction = busy.working / busy.estimate[1] if busy.estimate[1] > 0.0 else 0.0
    widgets.bar(fraction,
                message("{estimate}; the step so far {seconds}", estimate=exact.estimate_text(busy),
                        seconds=exact.duration(busy.seconds)),
                p.warn)


def _update(session: Session, state: ExactState) -> None:
    """Read the newest frame of this solver, four times a second."""
    now, frame = time.perf_counter(), session.frame
    if frame is state.frame or now - state.refreshed < REFRESH_INTERVAL:
        return
    state.refreshed = now
    if frame.report is None or frame.report.solved is None:
        state.frame = None
        return
    state.frame, state.contact_texts = frame, {}
    state.facts, state.problems, state.energies = exact.facts(frame), exact.problems(frame), exact.energies(frame)


def _solved(_: Session, state: ExactState, height: float = 0.0) -> None:
    _lines("facts", state.facts, (1.0, 2.0))
    if tables.begin("problems", PROBLEM_COLUMNS, height):
        for i in tables.visible_rows(len(state.problems)):
            imgui.table_next_row()
            for text in state.problems[i]:
                imgui.table_next_column()
                imgui.text_unformatted(text)
        tables.end()


def _energies(_: Session, state: ExactState) -> None:
    _lines("energies", state.energies, (1.25, 1.0, 1.0), ("energy [J]", "this step", "since start"), rule="sum")


def _contacts(session: Session, state: ExactState, height: float = 0.0) -> None:
    contacts = state.frame.contacts
    if not len(contacts):
        widgets.dim_text("No contacts.")
    elif tables.begin("contacts", CONTACT_COLUMNS, height):
        for i in tables.visible_rows(len(contacts)):
            if i not in state.contact_texts:
                state.contact_texts[i] = exact.describe_contact(state.frame, i)
            _contact_row(session, state, i)
        tables.end()


def _contact_row(session: Session, state: ExactState, index: int) -> None:
    """Draw a row of the table; a click selects its contact in the scene."""
    p, touch = style.palette(), state.contact_texts[index]
    imgui.table_next_row()
    imgui.table_next_column()
    chosen = same_contact(session.frame.contacts, state.frame.contacts[index])
    if imgui.selectable(f"{widgets.cut(touch.pair)}##{index}", 0 <= chosen == session.selection.contact, flags.LINE)[0]:
        session.selection.contact = chosen
    widgets.register_area(f"contact {index}")
    widgets.tooltip(message("{pair}. Click to select it in the scene.", pair=touch.pair))
    imgui.table_next_column()
    widgets.coloured(touch.state, style.of_state(touch.state))
    widgets.tooltip(touch.help)
    imgui.table_next_column()
    imgui.text_unformatted(touch.case)
    widgets.tooltip(touch.help)
    imgui.table_next_column()
    imgui.text_unformatted(touch.normal)
    imgui.table_next_column()
    if np.isfinite(touch.ratio):
        widgets.bar(touch.ratio, f"{touch.ratio:.3f}", p.slip if touch.state == "slide" else p.stick,
                    imgui.get_text_line_height())
    else:
        widgets.dim_text("\u2013")


def _lines(name: str, lines: list[exact.Fact], widths: Sequence[float], heads: Sequence[str] = (), rule: str = "") -> None:
    """Draw a table of names and numbers. rule: name of the highlighted row, the first of a sum."""
    imgui.push_style_var(imgui.StyleVar_.cell_padding, imgui.ImVec2(widgets.scaled(5.0), widgets.scaled(2.0)))
    if imgui.begin_table(name, len(widths), imgui.TableFlags_.no_saved_settings):
        for i, width in enumerate(widths):
            imgui.table_setup_column(f"{i}", imgui.TableColumnFlags_.width_stretch, width)
        if heads:
            imgui.table_next_row()
            for i, head in enumerate(heads):
                imgui.table_next_column()
                widgets.right(head, style.palette().dim) if i else widgets.dim_text(head)
        for line in lines:
            imgui.table_next_row()
            if line.name == rule:
                imgui.table_set_bg_color(imgui.TableBgTarget_.row_bg0, style.u32(style.palette().field))
            imgui.table_next_column()
            widgets.dim_text(widgets.cut(line.name))
            widgets.register_area(f"{name} {line.name}")
            widgets.tooltip(line.help)
            for text in line.values:
                imgui.table_next_column()
                widgets.right(text)
        imgui.end_table()
    imgui.pop_style_var()
