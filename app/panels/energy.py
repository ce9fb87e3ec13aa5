"""Energy account: layers over time that must reach a line, a table by cause; and the momentum, as arrows tip to tail."""

import time
from dataclasses import dataclass, field

import numpy as np

from app.analysis.energy import energy, momentum
from app.engine import commands
from app.engine.frame import Frame
from app.files import folders
from app.files.atomic_write import write
from app.gui.controls import flags, style, tables, widgets
from app.gui.plots import axes
from app.i18n import translate
from app.i18n.imgui_translated import imgui, implot
from app.i18n.message import message
from app.number_format import percent, rounded, signed
from app.panels import _momentum, _replay_offer
from app.session import Session

TITLE = "Energy"
PLACE = "bottom"
ORDER = 22
GROUP = "Measure"
ABOUT = "energy by cause, momentum"

MAX_STROKES = 2000
"""Largest number of marked steps with auditor failures."""

MIN_DRAWN_ENERGY = 1e-9
"""Energies below this are not plotted [J]."""

MAX_SAMPLES = 400
"""Largest number of samples drawn side by side."""

REFRESH_INTERVAL = 0.25
"""Interval at which numbers are updated, to stay readable [s]."""

LAYERS = (energy.KINETIC, energy.POTENTIAL, *energy.CAUSES)

LAYER_TITLES = {energy.KINETIC: "kinetic energy", energy.POTENTIAL: "potential energy"}
LAYER_COLOURS = {
    "dark": dict(zip(LAYERS, map(style.rgb, (
        "#5aa9e6", "#2c5d94", "#c9b458", "#f0e442", "#7fd6df", "#6b7386", "#2fae86", "#8f97a8", "#a6d854", "#e69f00", "#b4541a",
        "#c77dc0", "#dfe3ea")), strict=True)),
    "light": dict(zip(LAYERS, map(style.rgb, (
        "#4d9be0", "#17467e", "#8a7a1f", "#c9b800", "#2b97a5", "#777f90", "#0f8a63", "#9aa1b0", "#5f8f1a", "#e08e00", "#9a3f0c",
        "#a04f98", "#33373f")), strict=True)),
}
"""Colour of every layer, in all views; neighbours differ in lightness, also for colour-blind users."""

ARROWS = {"gravity": energy.POTENTIAL, "applied": "applied", "drag": "drag", "normal": energy.KINETIC, "friction": "friction",
          "joints": "joint friction"}
"""Colours of impulses."""


@dataclass
class EnergyState:
    """State between two frames."""

    history: energy.EnergyHistory = field(default_factory=energy.EnergyHistory)
    layers: energy.Layers | None = None
    rows: list[energy.EnergyRow] = field(default_factory=list)
    frame: Frame | None = None
    behind: bool = False    # samples are not in the rows yet
    refreshed: float = -1e9
    plane: str = "x z"
    view: str = "energy"
    impulses: momentum.Momentum | None = None


def draw(session: Session) -> None:
    state = session.state(EnergyState)
    if not session.simulation.audited:
        session.post(commands.record_energy)
    update(session, state)
    _bar(session, state)
    if state.view == "momentum":
        _momentum.draw(state.impulses, state.plane, {name: colour(layer) for name, layer in ARROWS.items()})
        return
    if state.layers is None:
        widgets.dim_text(why_empty(session.frame))
        _replay_offer.offer(session)
        return
    tables.beside_plot(lambda height: _plot(state, height), lambda: _table(state), 410.0, narrow=220.0, above=(150.0, 0.45),
                       lowest=90.0)


def why_empty(frame: Frame) -> str:
    """Why there is nothing to show."""
    if frame.report is None or frame.report.ledger or frame.paused:
        return "No step yet. Run the scene." if not frame.step else "No step since this panel was opened. Run the scene."
    return message("The solver {solver} does not report energy.", solver=frame.report.solver)


def update(session: Session, state: EnergyState) -> None:
    """Read the newest frame; update numbers four times a second, or at once while paused."""
    frame, now = session.frame, time.perf_counter()
    if frame is state.frame:
        return
    state.frame = frame
    due = frame.paused or now - state.refreshed >= REFRESH_INTERVAL
    fresh = state.history.add_frame(frame)
    if not state.history.count:
        state.layers, state.rows = None, []
    elif fresh or state.layers is None:
        state.layers, state.behind = state.history.layers(MAX_SAMPLES), True
    if state.behind and (due or not state.rows):    # the frame that says "paused" may bring no sample
        state.refreshed, state.rows, state.behind = now, state.history.rows(), False
    if state.view == "momentum" and due:
        state.refreshed, state.impulses = now, momentum.momentum_of(frame)


def _bar(session: Session, state: EnergyState) -> None:
    for view, help in (("energy", "Kinetic and potential energy, with energy inputs and losses by cause since the account "
                                  "began."),
                       ("momentum", "Total momentum of the moving bodies and the impulses on them in the last step.")):
        if imgui.radio_button(view, state.view == view):
            state.view, state.frame, state.refreshed = view, None, -1e9
        widgets.register_area(view)
        widgets.tooltip(help)
        if view == "energy":
            imgui.same_line()
    if state.view == "energy":
        imgui.same_line()
        if widgets.button("CSV", "Save all samples of this panel: energies and work by cause.", name="energy csv"):
            _save(session, state)
        if state.history.count:
            _closing(state)
        return
    for plane in _momentum.PLANE_AXES:
        imgui.same_line()
        if imgui.radio_button(plane, state.plane == plane):
            state.plane = plane
        widgets.register_area(plane)
        widgets.tooltip("Plane in which the arrows are drawn: horizontal and vertical axes.")


def _closing(state: EnergyState) -> None:
    """Draw the numerical energy, in a warning's colour if large."""
    p, value = style.palette(), float(state.history.column(energy.NUMERICAL)[-1])
    scale = state.history.scale
    share = f" ({percent(value / scale)})" if scale > 0.0 else ""
    text = message("numerical {energy} J{share}", energy=signed(value),
                   share=share) if abs(value) > state.history.rounding else "numerical 0 J"
    imgui.same_line()
    if imgui.get_content_region_avail().x < imgui.calc_text_size(text).x:
        imgui.new_line()
    imgui.align_text_to_frame_padding()
    widgets.coloured(text, p.bad if state.history.suspicious else p.dim)
    widgets.register_area("numerical")
    share = 100.0 * energy.NUMERICAL_WARNING_SHARE
    widgets.tooltip(message("{layer} Red above {share:.0f} % of the largest energy so far. Red marks at the top of the plot: "
                            "steps in which the auditor reported a violation.", layer=energy.LAYER_TEXTS[energy.NUMERICAL],
                            share=share))


def colour(name: str) -> style.RGBA:
    """Colour of a layer in the present theme."""
    p = style.palette()
    if name == energy.NUMERICAL:
        return p.bad
    return LAYER_COLOURS["light" if p is style.LIGHT else "dark"][name]


def _plot(state: EnergyState, height: float) -> None:
    """Plot the layers, the line that they must reach, and the difference."""
    p, Axis, shown, width = style.palette(), implot.ImAxis_, state.layers, imgui.get_content_region_avail().x
    if not implot.begin_plot("##energy", imgui.ImVec2(-widgets.scaled(8.0), height), flags.WITHOUT_LEGEND):
        return
    first, last = float(shown.time[0]), float(shown.time[-1])
    most = max(float(shown.heights[-1].max()), float(shown.put_in.max()))
    top = 1.06 * most if most > MIN_DRAWN_ENERGY else 1.0
    axes.even(Axis.x1, "t", "s", first, max(last, first + 0.05), width, implot.AxisFlags_.lock | implot.AxisFlags_.no_grid_lines)
    axes.even(Axis.y1, "", "J", 0.0, top, height, implot.AxisFlags_.lock)
    implot.setup_finish()
    for k, name in enumerate(shown.names):
        implot.plot_shaded(name, shown.time, shown.heights[k + 1], shown.heights[k],
                           implot.Spec(fill_color=style.vec(colour(name))))
    edge = implot.Spec(line_color=style.vec(p.panel), line_weight=widgets.scaled(1.0))
    for k in range(1, len(shown.names)):
        implot.plot_line(f"##edge {k}", shown.time, shown.heights[k], edge)
    implot.plot_shaded("##numerical", shown.time, shown.heights[-1], shown.put_in, implot.Spec(fill_color=style.vec(p.bad, 0.85)))
    implot.plot_line("##put in", shown.time, shown.put_in,
                     implot.Spec(line_color=style.vec(p.text), line_weight=widgets.scaled(1.8)))
    if most <= MIN_DRAWN_ENERGY:
        implot.plot_text("no data: no energy changes yet", 0.5 * (first + max(last, first + 0.05)), 0.5)
    _failures(state)
    _marks(state)
    if implot.is_plot_hovered():
        _cursor(shown)
    implot.end_plot()
    widgets.register_area("plot")


def _failures(state: EnergyState) -> None:
    """Mark steps with auditor failures: a stroke each, below the top; dense strokes merge into a bar."""
    times = state.history.failures()
    if not len(times):
        return
    draw_list, limits, colour = implot.get_plot_draw_list(), implot.get_plot_limits(), style.u32(style.palette().bad)
    pixels = np.unique([round(implot.plot_to_pixels(float(t), limits.y.max).x) for t in times[-MAX_STROKES:]])
    top, tall = implot.get_plot_pos().y, widgets.scaled(9.0)
    for x in pixels.tolist():
        draw_list.add_rect_filled(imgui.ImVec2(x - 1.0, top), imgui.ImVec2(x + 1.0, top + tall), colour)


def _marks(state: EnergyState) -> None:
    """Mark changes of solver."""
    if not state.history.marks:
        return
    p, draw_list, limits = style.palette(), implot.get_plot_draw_list(), implot.get_plot_limits()
    times = np.array([mark.time for mark in state.history.marks])
    implot.plot_inf_lines("##solvers", times, implot.Spec(line_color=style.vec(p.text, 0.7)))
    for mark in state.history.marks:
        at, size = implot.plot_to_pixels(mark.time, limits.y.max), imgui.calc_text_size(mark.solver)
        left = min(at.x + widgets.scaled(4.0), implot.get_plot_pos().x + implot.get_plot_size().x - size.x - widgets.scaled(4.0))
        draw_list.add_rect_filled(imgui.ImVec2(left - widgets.scaled(2.0), at.y), imgui.ImVec2(left + size.x, at.y + size.y),
                                  style.u32(p.panel, 0.8))
        draw_list.add_text(imgui.ImVec2(left, at.y), style.u32(p.text), translate.translate(mark.solver))


def _cursor(shown: energy.Layers) -> None:
    """Show the layers at the cursor."""
    at, p = implot.get_plot_mouse_pos().x, style.palette()
    i = int(np.clip(np.searchsorted(shown.time, at), 0, len(shown.time) - 1))
    implot.plot_inf_lines("##cursor", np.array([shown.time[i]]), implot.Spec(line_color=style.vec(p.dim, 0.7)))
    imgui.begin_tooltip()
    widgets.dim_text(f"t = {rounded(shown.time[i], 4)} s")
    widgets.coloured(message("input {put_in} J", put_in=rounded(shown.put_in[i], 4)) + (message(", from {lines}",
            lines=", ".join(shown.lines)) if shown.lines else ""),
                     p.text)
    for k in range(len(shown.names) - 1, -1, -1):
        widgets.swatch(colour(shown.names[k]))
        imgui.text_unformatted(f"{shown.names[k]}  {rounded(shown.heights[k + 1, i] - shown.heights[k, i], 4)} J")
    widgets.coloured(message("numerical  {numerical} J", numerical=signed(shown.numerical[i])), p.bad)
    imgui.end_tooltip()


def _table(state: EnergyState) -> None:
    """Draw the table of energies by cause [J]."""
    heads = (("energy [J]", ""), ("step", "In the last step [J]."), ("last second", "In the last second [J]."),
             ("total", "Kinetic energy, and potential energy measured from z = 0: current values. Causes: totals since the "
                       "account began, which goes on while the panel is closed: in a scene that was running when the panel was "
                       "first opened, since then; in later ones, since their start. Negative is a loss, positive an input [J]."))
    if not _begin("energies", heads, (2.45, 0.8, 1.0, 0.85)):
        return
    for row in state.rows:
        imgui.table_next_row()
        imgui.table_next_column()
        loud = row.name == energy.NUMERICAL and state.history.suspicious
        widgets.swatch(colour(row.name))
        widgets.coloured(widgets.cut(LAYER_TITLES.get(row.name, row.name)), style.palette().bad if loud else style.palette().text)
        widgets.register_area(f"row {row.name}")
        widgets.tooltip(energy.LAYER_TEXTS[row.name])
        for value in (row.step, row.second, row.total):
            imgui.table_next_column()
            widgets.right(rounded(value, of=state.history.scale), style.palette().bad if loud else None)
    imgui.end_table()
    imgui.pop_style_var()


def _begin(name: str, heads: tuple[tuple[str, str], ...], widths: tuple[float, ...]) -> bool:
    imgui.push_style_var(imgui.StyleVar_.cell_padding, imgui.ImVec2(widgets.scaled(5.0), widgets.scaled(2.0)))
    if not imgui.begin_table(name, len(heads), flags.TABLE_FLAGS):
        imgui.pop_style_var()
        return False
    for (head, _), width in zip(heads, widths):
        imgui.table_setup_column(head, imgui.TableColumnFlags_.width_stretch, width)
    imgui.table_next_row()
    for k, (head, help) in enumerate(heads):
        imgui.table_next_column()
        if k:
            widgets.right(head, style.palette().dim)
        else:
            widgets.dim_text(head)
        widgets.tooltip(help)
    return True


def _save(session: Session, state: EnergyState) -> None:
    path = folders.documents() / f"{session.frame.scene or 'record'}-energy-{time.strftime('%Y%m%d-%H%M%S')}.csv"
    try:
        write(path, state.history.as_csv())
    except OSError as error:
        session.notify(folders.not_saved(path, error))
    else:
        session.notify(message("saved {path}", path=path))
