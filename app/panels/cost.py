"""Step times: the phases live and stacked, their statistics, and the sizes of the problem behind them."""

import time
from dataclasses import dataclass, field

import numpy as np

from app.analysis.energy.step_timing import MAX_TIME, PhaseStatistics, StepTiming, ceiling, layers, milliseconds, statistics, thin
from app.analysis.microscope.budget import cut_short, ended
from app.engine.frame import Frame
from app.engine.simulation import MAX_RECENT_REPORTS
from app.gui.controls import flags, style, tables, widgets
from app.gui.plots import axes
from app.i18n import translate
from app.i18n.imgui_translated import imgui, implot
from app.i18n.message import message
from app.number_format import rounded
from app.session import Session
from physics.core.records import Kind

TITLE = "Cost"
PLACE = "bottom"
ORDER = 20
OPEN = False
GROUP = "Solver"
ABOUT = "times of the phases of a step"

MAX_COLUMNS = 400
"""Largest number of columns of steps; beyond it each column shows the longest of a group."""

REFRESH_INTERVAL = 0.25
"""Interval at which numbers are updated, to stay readable [s]."""

WORDS = {
    "broad": "Broad phase: updates the shapes and finds pairs with overlapping bounding boxes. Includes preparations before the "
             "step.",
    "narrow": "Narrow phase: computes the contact points of those pairs and matches them with those of the last step.",
    "solve": "Solver: builds the constraint rows of contacts and joints and sweeps over them until the impulses converge; first "
             "for velocities, then for penetration.",
    "integrate": "Integration: applies gravity and gyroscopic torques, updates poses and corrects joints.",
    "rest": "Everything else: divergence checks, events, sleeping, energy.",
    "step": "The whole step: sum of all phases.",
}

PHASE_COLUMNS = (
    ("median", "Median computing time [ms]."), ("p95", "95th percentile of the computing time [ms]."),
    ("worst", "Longest step in the plot [ms]."), ("share", "Fraction of the total time of these steps [%]."))

PHASE_COLOURS = {
    "dark": tuple(map(style.rgb, ("#efba27", "#c0522c", "#3d93f0", "#a8ecd8", "#6b7386"))),
    "light": tuple(map(style.rgb, ("#b68819", "#7a1f0c", "#1d4ed8", "#10a669", "#66667c"))),
}
"""Colours of the phases in the order of WORDS: distinct from each other and the panel, also for colour-blind users."""


def sizes(frame: Frame) -> list[tuple[str, str, str]]:
    """(name, value with unit, explanation) of the last step's problem and how it was solved."""
    report = frame.report
    if report is None:
        return []
    awake = int(np.count_nonzero(frame.bodies["kind"] == Kind.DYNAMIC)) - report.asleep
    budget = f"{rounded(1e3 * report.budget)} ms" if report.budget > 0.0 else "no limit"
    short = frame.energy_totals.budget_ended_steps
    return [
        ("awake bodies", f"{awake}",
         message("Moving bodies that are awake; {asleep} sleep at almost no cost.", asleep=report.asleep)),
        ("contacts", f"{report.contacts}", "Contact points in the last step."),
        ("rows", f"{report.rows}", "Constraint rows in the last step: three per contact, plus those of the joints."),
        (report.iteration_unit, f"{report.iterations}", "Velocity sweeps over all rows; pivots for the exact solver."),
        ("ended by", ended(report), "Why the iteration ended: converged, iteration limit, budget spent, or a fixed number; see "
                                    "the Exact panel for the exact solver."),
        ("position sweeps", f"{report.position_iterations}", "Sweeps of position correction."),
        ("residual", f"{rounded(report.residual, 2)} m/s",
         "Residual of the solution (natural map) [m/s or rad/s]."),
        *((("time budget exceeded", "friction may be too weak", cut_short(short)),) if short else ()),
        ("budget", budget, "Wall-clock time limit for the solver per step. Set it in the Physics panel."),
    ]


@dataclass
class CostState:
    """State between two frames."""

    timing: StepTiming = field(default_factory=StepTiming)
    frozen: bool = False
    limits: tuple[tuple[float, float] | None, tuple[float, float] | None] = (None, None)
    refreshed: float = -1e9
    lines: list[PhaseStatistics] = field(default_factory=list)
    cells: list[list[tuple[str, float]]] = field(default_factory=list)      # per row: text, its width
    sizes: list[tuple[str, str, str]] = field(default_factory=list)
    real: float = 0.0
    top: float = 0.0


def draw(session: Session) -> None:
    state = session.state(CostState)
    if not state.frozen:
        _update(session, state)
    if not state.lines:
        widgets.dim_text("No step yet. Run the scene.")
        return
    room, gap = imgui.get_content_region_avail(), imgui.get_style().item_spacing.x
    table, facts = widgets.scaled(300.0), widgets.scaled(200.0)
    if room.x < table + widgets.scaled(200.0):
        _plot(state, widgets.scaled(170.0))
        _table(state)
        _bar(state)
        tables.facts("size", state.sizes)
        return
    wide = room.x >= table + facts + widgets.scaled(300.0)
    right = table + (facts + 2.0 * gap if wide else 0.0)
    if imgui.begin_child("times", imgui.ImVec2(room.x - right - 2.0 * gap, 0.0)):
        _plot(state, max(widgets.scaled(90.0), imgui.get_content_region_avail().y))
    imgui.end_child()
    imgui.same_line(0.0, 2.0 * gap)
    if imgui.begin_child("table", imgui.ImVec2(table, 0.0)):
        _table(state)
        _bar(state)
        if not wide:
            tables.facts("size", state.sizes)
    imgui.end_child()
    if wide:
        imgui.same_line(0.0, 2.0 * gap)
        if imgui.begin_child("sizes"):
            tables.facts("size", state.sizes)
        imgui.end_child()


def _update(session: Session, state: CostState) -> None:
    state.timing.add(session.simulation.recent)
    now, frame = time.perf_counter(), session.frame
    if now - state.refreshed >= REFRESH_INTERVAL or not state.timing.table.shape[1]:
        state.refreshed, state.lines, state.sizes = now, statistics(state.timing), sizes(frame)
        state.real = 1e3 * frame.dt / max(frame.pace.asked, 1e-9)
        state.cells = [[(text, imgui.calc_text_size(text).x) for text in line.texts()] for line in state.lines]
        if state.lines:
            state.top = ceiling(state.lines[-1].median, state.lines[-1].p95, state.real, state.top)


def _bar(state: CostState) -> None:
    new = widgets.toggle("freeze", state.frozen, "Freeze the plot to inspect it: drag and zoom. The simulation continues.")
    state.frozen = state.frozen if new is None else new
    times = state.timing.table[0]
    imgui.same_line(0.0, widgets.scaled(14.0))
    widgets.dim_text(message("{steps} steps, {seconds:.2g} s", steps=len(times), seconds=times[-1] - times[0]))


def _plot(state: CostState, height: float) -> None:
    Axis, times = implot.ImAxis_, state.timing.table[0]
    locked = implot.AxisFlags_.none if state.frozen else implot.AxisFlags_.lock
    cond = imgui.Cond_.once if state.frozen else imgui.Cond_.always
    across = imgui.get_content_region_avail().x
    if not implot.begin_plot("##times", imgui.ImVec2(-widgets.scaled(10.0), height), flags.WITHOUT_LEGEND):
        return
    now, first = float(times[-1]), float(times[0])
    width = min(MAX_TIME, MAX_RECENT_REPORTS * (now - first) / max(1, len(times) - 1)) or 1.0
    start = max(0.0, now - width)
    seen = state.limits if state.frozen else (None, None)
    axes.even(Axis.x1, "t", "s", start, max(now, start + 0.2 * width), across, locked | implot.AxisFlags_.no_grid_lines,
              cond=cond, shown=seen[0])
    axes.even(Axis.y1, "", "ms a step", 0.0, state.top, height, locked, cond=cond, shown=seen[1])
    implot.setup_finish()
    state.limits = axes.limits(Axis.x1), axes.limits(Axis.y1)
    shown = thin(state.timing, MAX_COLUMNS)
    heights = layers(shown)
    for k, name in enumerate(state.timing.names):
        implot.plot_shaded(name, shown[0], heights[k + 1], heights[k], implot.Spec(fill_color=style.vec(colour(name))))
    _real_time(state)
    if implot.is_plot_hovered():
        _cursor(state)
    implot.end_plot()
    widgets.register_area("plot")


def colour(phase: str) -> style.RGBA:
    """Colour of a phase; a curve's colour if WORDS does not know it."""
    p = style.palette()
    if phase in WORDS:
        return PHASE_COLOURS["light" if p is style.LIGHT else "dark"][list(WORDS).index(phase)]
    return p.curves[sum(phase.encode()) % len(p.curves)]


def _real_time(state: CostState) -> None:
    """Draw the line above which the machine falls behind real time, or where it lies outside the plot."""
    p, limits = style.palette(), implot.get_plot_limits()
    text = message("real time {real} ms", real=rounded(state.real))
    if state.real <= limits.y.max:
        implot.plot_inf_lines("##real", np.array([state.real]), implot.Spec(
            line_color=style.vec(p.text), line_weight=widgets.scaled(1.4), flags=implot.InfLinesFlags_.horizontal))
        at = implot.plot_to_pixels(limits.x.max, state.real)
    else:
        text, at = message("{text}, above the plot", text=text), implot.plot_to_pixels(limits.x.max, limits.y.max)
        if imgui.calc_text_size(text).x > implot.get_plot_size().x - widgets.scaled(16.0):
            text = f"{rounded(state.real)} ms \u2191"
    size, pad = imgui.calc_text_size(text), widgets.scaled(4.0)
    top = implot.get_plot_pos().y
    low = at.y - size.y - 2.0 * pad
    corner = imgui.ImVec2(at.x - size.x - 3.0 * pad, low if low >= top else at.y + pad)
    draw_list = implot.get_plot_draw_list()
    end = imgui.ImVec2(corner.x + size.x + 2.0 * pad, corner.y + size.y + pad)
    draw_list.add_rect_filled(corner, end, style.u32(p.panel, 0.85), pad)
    draw_list.add_text(imgui.ImVec2(corner.x + pad, corner.y + 0.5 * pad), style.u32(p.text), translate.translate(text))


def _cursor(state: CostState) -> None:
    """Draw a line at the cursor and the phases of that step."""
    table, p = state.timing.table, style.palette()
    at = implot.get_plot_mouse_pos().x
    if not table[0, 0] <= at <= table[0, -1]:
        return
    when, step, *parts = table[:, int(np.argmin(np.abs(table[0] - at)))].tolist()
    implot.plot_inf_lines("##cursor", np.array([when]), implot.Spec(line_color=style.vec(p.text, 0.7)))
    imgui.begin_tooltip()
    widgets.dim_text(f"t = {when:.4f} s")
    for name, value in zip(state.timing.names, parts):
        widgets.swatch(colour(name))
        imgui.text_unformatted(f"{name}  {milliseconds(value)} ms")
    imgui.text_unformatted(message("step  {step} ms", step=milliseconds(step)))
    imgui.end_tooltip()


def _table(state: CostState) -> None:
    imgui.push_style_var(imgui.StyleVar_.cell_padding, imgui.ImVec2(widgets.scaled(5.0), widgets.scaled(2.0)))
    if imgui.begin_table("phases", 1 + len(PHASE_COLUMNS), flags.TABLE_FLAGS):
        imgui.table_setup_column("phase", imgui.TableColumnFlags_.width_stretch, 1.75)
        for name, _ in PHASE_COLUMNS:
            imgui.table_setup_column(name, imgui.TableColumnFlags_.width_stretch, 1.0)
        ends = _header()
        for line, cells in zip(state.lines, state.cells):
            imgui.table_next_row()
            imgui.table_next_column()
            if line.name != "step":
                widgets.swatch(colour(line.name))
            imgui.text_unformatted(widgets.cut(line.name))
            widgets.register_area(f"phase {line.name}")
            widgets.tooltip(WORDS.get(line.name, "A phase specific to this solver."))
            for (text, width), end in zip(cells, ends):
                imgui.table_next_column()
                imgui.set_cursor_pos_x(end - width)
                imgui.text_unformatted(text)
        imgui.end_table()
    imgui.pop_style_var()


def _header() -> list[float]:
    """Draw the heading row; return the right ends of the columns of numbers."""
    imgui.push_style_color(imgui.Col_.text, style.vec(style.palette().dim))
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.text_unformatted("ms a step")
    widgets.tooltip("Wall-clock time per step, over the steps in the plot.")
    ends = []
    for name, help in PHASE_COLUMNS:
        imgui.table_next_column()
        ends.append(widgets.cell_end())
        widgets.right(name, style.palette().dim, ends[-1])
        widgets.tooltip(help)
    imgui.pop_style_color()
    return ends
