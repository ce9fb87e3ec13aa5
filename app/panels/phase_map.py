"""A phase map: two parameters span a plane, filled in the background with how runs end; the law's border; a click opens a run."""

from dataclasses import dataclass, field

import numpy as np

from app.analysis.studies.map_refinement import Node
from app.analysis.studies.phase_map import FAILED, SIZES, MapPlan, MapRun, csv_of, is_stale, plan_of, rows
from app.engine import commands
from app.engine.simulation import Simulation
from app.files import folders
from app.files.atomic_write import write
from app.gui.controls import flags, style, widgets
from app.gui.controls.values import pretty, title
from app.gui.output.panel_image import PanelImage, is_rendering
from app.gui.plots import axes, plot_saving
from app.gui.text import formula
from app.i18n import translate
from app.i18n.imgui_translated import imgui, implot
from app.i18n.message import message
from app.number_format import rounded
from app.session import Session
from physics import BadInput
from scenes import maps
from scenes.maps import MapAxis, PhaseMap

TITLE = "Phase map"
PLACE = "bottom"
ORDER = 25
OPEN = False
GROUP = "Measure"
ABOUT = "how runs end, over two parameters"

WIDTH = 330.0
"""Of the settings, at most half of the panel [px at scale 1]."""
SHADE = 0.7
"""Opacity of the classes."""

HELP = ("Run the scene at the points of this plane, in another process, at the time step and with the solver of the window: a "
        "coarse grid first, then only where outcomes differ. The scene in the window is not affected.")

Stretch = tuple[int, int, int, int]
"""Row, first and last point, and class, of equal neighbours in a row."""


@dataclass
class MapState:
    """name: of the chosen map, "": that of the scene; size: cells along a side; run: the last one. counted: number of its points
    when `stretches` were made; lines: of the border."""

    name: str = ""
    size: int = 64
    run: MapRun | None = None
    counted: int = -1
    stretches: list[Stretch] = field(default_factory=list)
    lines: tuple[np.ndarray, ...] = ()


def draw(session: Session) -> None:
    state = session.state(MapState)
    known = maps.all_maps()
    if state.name not in known:
        state.name = next((name for name, one in known.items() if one.scene == session.frame.scene), next(iter(known)))
    if session.state(PanelImage).of == "phase_map" and state.run is not None:
        with is_rendering(session):
            imgui.text_unformatted(translate.translate(state.run.made.map.title))
            _legend(state.run)
            _plane(session, state, state.run)
        return
    width = min(widgets.scaled(WIDTH), 0.5 * imgui.get_content_region_avail().x)     # ImPlot has a least size, which must fit
    if imgui.begin_child("settings", imgui.ImVec2(width, 0.0), child_flags=flags.WITHIN):
        _settings(session, state, known)
    imgui.end_child()
    imgui.same_line(0.0, 2.0 * imgui.get_style().item_spacing.x)
    if imgui.begin_child("plane") and state.run is not None:
        _plane(session, state, state.run)
    imgui.end_child()


def _settings(session: Session, state: MapState, known: dict[str, PhaseMap]) -> None:
    run, p = state.run, style.palette()
    busy = run is not None and not run.done
    imgui.begin_disabled(busy)
    chosen = widgets.choice("map", state.name, tuple(known), "Each map has a scene, two of its parameters and a law.",
                            lambda name: translate.translate(known[name].title))
    if chosen:
        state.name, state.run = chosen, None
    size = widgets.choice("cells", str(state.size), tuple(map(str, SIZES)), "Cells along a side, where classes meet; the first "
                          "grid has 8.")
    state.size = int(size) if size else state.size
    imgui.end_disabled()
    if busy:
        if widgets.button("Cancel", "Stop; what is known stays.", name="cancel map", width=widgets.scaled(90.0)):
            run.cancel()
        imgui.same_line()
        widgets.bar(run.progress, f"{100.0 * run.progress:.0f} %", p.dim)
    elif widgets.button("Run", HELP, name="run map", accent=True, width=widgets.scaled(90.0)):
        _start(session, state)
    if not busy and run is not None and run.refinement.count:
        imgui.same_line()
        if widgets.button("Save", "Save the points that were run, or the map as a picture.", name="save map",
                          width=widgets.scaled(90.0)):
            imgui.open_popup("save map as")
        _save_menu(session, run)
    if state.run is None:
        widgets.wrapped("Two parameters span a plane of runs. The law of this map:", p.dim)
        formula.draw(known[state.name].law, known[state.name].law_text)
    elif state.run.made.name == state.name:
        _draw_text(session, state.run)


def _save_menu(session: Session, run: MapRun) -> None:
    """The popup of the button Save."""
    if not imgui.begin_popup("save map as"):
        return
    if plot_saving.item("Points as CSV", name="map csv", help="Both parameters and the outcome of every point that was run."):
        plot_saving.save_as(session, "csv", lambda session, path: write(path, csv_of(rows(run.made, run.refinement))))
    if plot_saving.item("Picture as PNG", name="map png",
                        help="The map as shown, in these colours; a larger window gives a larger picture."):
        session.window.save_panel_picture(folders.pictures() / f"{plot_saving.file_name(session)}-map.png", "phase_map")
    imgui.end_popup()


def _start(session: Session, state: MapState) -> None:
    try:
        state.run = MapRun.of(plan_of(state.name, session.frame, state.size))
    except BadInput as error:
        session.notify(str(error))
        return
    state.counted, state.stretches, state.lines = -1, [], state.run.made.border()
    state.run.start()


def _draw_text(session: Session, run: MapRun) -> None:
    """Draw what is known of a run: classes with their colours, numbers, problems, the law."""
    p, made = style.palette(), run.made
    if is_stale(made, session.frame):
        widgets.wrapped("Outdated: the scene, its solver or another parameter was changed since. Run it again, or click a point "
                        "to return to what the map shows.", p.warn)
    _legend(run)
    if not run.refinement.count and not run.done:
        widgets.dim_text("starting another process ...")
    else:
        widgets.dim_text(message("{count} runs in {seconds} s", count=run.refinement.count, seconds=rounded(run.seconds, 3)))
        widgets.tooltip(message("Of {points} points; the others have the class of all their neighbours that were run.",
                                points=(made.size + 1) ** 2))
    if run.problem:
        widgets.wrapped(run.problem, p.warn)
    if made.map.law:
        formula.draw(made.map.law, made.map.law_text)
        widgets.tooltip(message("The line in the map is this law: {translate}.", translate=translate.translate(made.map.source)))


def _legend(run: MapRun) -> None:
    """Draw the classes with their colours."""
    for k, name in enumerate(run.made.map.classes):
        if k:
            imgui.same_line(0.0, 2.0 * imgui.get_style().item_spacing.x)
        widgets.swatch(colour_of(k))
        imgui.text_unformatted(translate.translate(name))
    if run.failure:
        widgets.swatch(style.palette().bad)
        imgui.text_unformatted("failed")
        widgets.tooltip(run.failure)


def colour_of(outcome: int) -> style.Colour:
    """Colour of a class."""
    p = style.palette()
    return p.bad if outcome == FAILED else p.curves[outcome % len(p.curves)]


def _refresh(state: MapState, run: MapRun) -> None:
    """Join equal neighbours of a row, if more points were run."""
    counted = run.refinement.count
    if counted == state.counted:
        return
    state.counted, state.stretches = counted, stretches(run.refinement.filled())


def stretches(filled: np.ndarray) -> list[Stretch]:
    """Stretches of equal known points of all rows of a plane (rows, columns)."""
    found = []
    for row, classes in enumerate(filled):
        ends = np.flatnonzero(np.diff(classes)) + 1
        for a, b in zip((0, *ends), (*ends, len(classes))):
            if classes[a] >= 0:
                found.append((row, int(a), int(b) - 1, int(classes[a])))
    return found


def _plane(session: Session, state: MapState, run: MapRun) -> None:
    """Draw the plane, its border and the mouse's point."""
    made, p, Axis_, room = run.made, style.palette(), implot.ImAxis_, imgui.get_content_region_avail()
    _refresh(state, run)
    if not implot.begin_plot("##map", imgui.ImVec2(-widgets.scaled(6.0), -1.0), flags.WITHOUT_LEGEND):
        return
    widgets.register_area("map")
    for at, axis, length in ((Axis_.x1, made.x, room.x), (Axis_.y1, made.y, room.y)):
        axes.even(at, translate.translate(title(axis.name)), made.unit(axis), axis.lo, axis.hi, length)
    implot.setup_finish()
    draw_classes(state, made)
    for k, line in enumerate(state.lines):
        for part in unbroken(line):
            implot.plot_line(f"##border {k}", part[:, 0].copy(), part[:, 1].copy(),
                             implot.Spec(line_color=style.vec(p.text), line_weight=widgets.scaled(2.0)))
    if session.frame.scene == made.map.scene:
        here = [np.array([getattr(session.parameters, axis.name)], float) for axis in (made.x, made.y)]
        implot.plot_scatter("##here", *here, implot.Spec(
            marker=implot.Marker_.circle, marker_size=widgets.scaled(5.0), marker_fill_color=style.vec(p.text),
            marker_line_color=style.vec(p.panel)))
    hovered, mouse = implot.is_plot_hovered(), implot.get_plot_mouse_pos(Axis_.x1, Axis_.y1)
    implot.end_plot()
    if hovered:
        node = made.nearest(mouse.x, mouse.y)
        _describe(run, node)
        if imgui.is_mouse_clicked(0):
            open_run(session, made, node)


def draw_classes(state: MapState, made: MapPlan) -> None:
    """Fill the plane: each point colours the cell around it."""
    draw_list, clip = implot.get_plot_draw_list(), implot.get_plot_limits()
    low, high = (implot.plot_to_pixels(*corner) for corner in ((clip.x.min, clip.y.min), (clip.x.max, clip.y.max)))
    edges = np.arange(made.size + 2) - 0.5      # whole pixels: neighbours neither overlap nor leave a gap
    across = np.round(low.x + edges / made.size * (high.x - low.x)).tolist()
    up = np.round(low.y + edges / made.size * (high.y - low.y)).tolist()
    implot.push_plot_clip_rect()
    for row, first, last, outcome in state.stretches:
        draw_list.add_rect_filled(imgui.ImVec2(across[first], up[row + 1]), imgui.ImVec2(across[last + 1], up[row]),
                                  style.u32(colour_of(outcome), SHADE))
    implot.pop_plot_clip_rect()


def unbroken(line: np.ndarray) -> list[np.ndarray]:
    """Parts of a line (m, 2) between its gaps."""
    known = np.isfinite(line).all(axis=1)
    ends = np.flatnonzero(np.diff(known)) + 1
    return [part for part in np.split(line, ends) if np.isfinite(part).all() and len(part) > 1]


def value_text(made: MapPlan, axis: MapAxis, value: float) -> str:
    """A parameter with its value and unit."""
    return f"{translate.translate(title(axis.name))} {rounded(value, 4)} {pretty(made.unit(axis))}".rstrip()


def _describe(run: MapRun, node: Node) -> None:
    """Draw the tooltip of a point."""
    made = run.made
    outcome = int(run.refinement.known[node[1], node[0]])
    name = "failed" if outcome == FAILED else made.map.classes[outcome] if outcome >= 0 else "not run: as its neighbours"
    values = ", ".join(value_text(made, axis, value) for axis, value in zip((made.x, made.y), made.values(node)))
    imgui.begin_tooltip()
    imgui.text_unformatted(values)
    imgui.text_unformatted(translate.translate(name))
    widgets.dim_text("Click to open this run.")
    imgui.end_tooltip()


def open_run(session: Session, made: MapPlan, node: Node) -> None:
    """Show the run of a point in the scene, from its start: the parameters, solver and step are those of the map."""
    frame = session.frame
    if frame.scene == made.map.scene and not is_stale(made, frame):
        for axis, value in zip((made.x, made.y), made.values(node)):
            session.post(commands.set_parameter, axis.name, value)
    else:
        session.post(Simulation.load, made.map.scene, made.parameters_at(node))
        session.post(commands.use_solver, made.choices.solver)
        for name, value in made.choices.options:
            session.post(commands.set_option, name, value)
        session.post(commands.set_dt, made.dt)
    session.post(Simulation.run)
