"""A phase map: two settings span a plane, filled in the background with how runs end, or with a number; the law's border; a click
opens a run. Ready-made, or of the scene in the window."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice

import numpy as np

import scenes
from app.analysis.studies import outcomes
from app.analysis.studies.map_refinement import UNKNOWN, Node
from app.analysis.studies.phase_map import (
    CELL_COUNTS,
    FAILED,
    PARAMETER,
    MapPlan,
    MapRun,
    csv_of,
    is_stale,
    plan_of,
    posted,
    rows,
    spanning,
    usual_axis,
)
from app.engine import commands
from app.engine.simulation import Simulation
from app.files import folders
from app.files.atomic_write import write
from app.gui.controls import flags, icons, style, widgets
from app.gui.controls.search_list import SearchList
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

SETTINGS_WIDTH = 330.0
"""Of the settings, at most half of the panel [px at scale 1]."""
CLASS_OPACITY = 0.7
"""Opacity of the classes."""

SCENE_IN_WINDOW = "the scene"
"""Choice of a map of the scene in the window."""

COLOUR_LEVELS = 64
"""Colours of a map of numbers."""

MAX_LISTED = 40
"""Most names that a list with a search field shows."""

RUN_HELP = ("Run the scene at the points of this plane, in another process, at the time step and with the solver of the window: "
            "a coarse grid first, then only where outcomes differ. The scene in the window is not affected.")

Stretch = tuple[int, int, int, int]
"""Row, first and last point, and class, of equal neighbours in a row."""


@dataclass
class MapState:
    """name: of the chosen map, "": that of the scene; size: cells along a side; run: the last one. counted: number of its points
    when `stretches` were made; lines: of the border. asked: of each run, "": the classes of the map; x, y, seconds: of a map of
    the scene in the window, whose name is `of`; typed: in a list."""

    name: str = ""
    size: int = 64
    asked: str = ""
    x: MapAxis | None = None
    y: MapAxis | None = None
    seconds: float = 2.0
    of: str = ""
    typed: SearchList = field(default_factory=SearchList)
    run: MapRun | None = None
    counted: int = -1
    stretches: list[Stretch] = field(default_factory=list)
    lines: tuple[np.ndarray, ...] = ()


def draw(session: Session) -> None:
    state = session.state(MapState)
    known = maps.all_maps()
    if state.name not in (*known, SCENE_IN_WINDOW):
        state.name = next((name for name, one in known.items() if one.scene == session.frame.scene), SCENE_IN_WINDOW)
    if state.of != session.shown_name:
        _begin(session, state)
    if session.state(PanelImage).of == "phase_map" and state.run is not None:
        with is_rendering(session):
            imgui.text_unformatted(translate.translate(state.run.made.title))
            _legend(state.run)
            _plane(session, state, state.run)
        return
    width = min(widgets.scaled(SETTINGS_WIDTH), 0.5 * imgui.get_content_region_avail().x)     # ImPlot has a least size
    if imgui.begin_child("settings", imgui.ImVec2(width, 0.0), child_flags=flags.WITHIN):
        _settings(session, state, known)
    imgui.end_child()
    imgui.same_line(0.0, 2.0 * imgui.get_style().item_spacing.x)
    if imgui.begin_child("plane") and state.run is not None:
        _legend(state.run)
        _plane(session, state, state.run)
    imgui.end_child()


def _settings(session: Session, state: MapState, known: dict[str, PhaseMap]) -> None:
    run, p = state.run, style.palette()
    busy = run is not None and not run.done
    imgui.begin_disabled(busy)
    chosen = widgets.choice("map", state.name, (SCENE_IN_WINDOW, *known), "Any two numbers of the scene in the window; or a "
                            "ready-made map with a scene, two of its parameters and a law.",
                            lambda name: translate.translate(known[name].title if name in known else name))
    if chosen:
        state.name, state.run, state.asked = chosen, None, ""
    imgui.end_disabled()
    if busy:
        if widgets.button("Cancel", "Stop; what is known stays.", name="cancel map", width=widgets.scaled(90.0)):
            run.cancel()
        imgui.same_line()
        widgets.bar(run.progress, f"{100.0 * run.progress:.0f} %", p.dim)
    elif widgets.button("Run", RUN_HELP, name="run map", accent=True, width=widgets.scaled(90.0)):
        _start(session, state)
    if not busy and run is not None and run.refinement.count:
        imgui.same_line()
        if widgets.button("Save", "Save the points that were run, or the map as a picture.", name="save map",
                          width=widgets.scaled(90.0)):
            imgui.open_popup("save map as")
        _save_menu(session, run)
    imgui.begin_disabled(busy)
    _questions(session, state, known)
    size = widgets.choice("cells", str(state.size), tuple(map(str, CELL_COUNTS)), "Cells along a side, where classes meet; the "
                          "first grid has 8.")
    state.size = int(size) if size else state.size
    imgui.end_disabled()
    if state.run is not None:
        _draw_text(session, state.run)
    elif state.name in known:
        widgets.wrapped("Two parameters span a plane of runs. The law of this map:", p.dim)
        formula.draw(known[state.name].law, known[state.name].law_text)
    elif session.has_unsaved:
        widgets.wrapped("Runs begin as the scene was opened: save it, and they begin with what was built.", p.warn)


def _shows(session: Session, made: MapPlan) -> bool:
    return made.scene_name in (session.frame.scene, session.shown_name)


def _begin(session: Session, state: MapState) -> None:
    """Propose axes for a map of the scene in the window."""
    frame, scene = session.frame, session.frame.setting.scene
    names = spanning(scene, frame.solver_state, frame.as_world)
    state.of, state.seconds, state.asked = session.shown_name, scene.check_time, ""
    state.x, state.y = (usual_axis(name, frame) for name in names[:2])


def _questions(session: Session, state: MapState, known: dict[str, PhaseMap]) -> None:
    """Draw the choice of the axes and of the measured quantity."""
    frame = session.frame
    own = ("",) if state.name in known else ()
    scene = scenes.find(known[state.name].scene) if own else frame.setting.scene
    here = not own or known[state.name].scene == frame.scene
    asked = state.asked or (own or tuple(outcomes.CATEGORIES))[0]
    plotted = tuple(session.traces.keys) if here else scene.plots
    every = chain(own, outcomes.offered(scene, scene.parameters(), plotted),
                  (f"{key}:end" for key in scenes.QuantityKeys(frame.as_world, scene)) if here else ())
    chosen = _picked("colour", asked, dict.fromkeys(every) if imgui.is_popup_open("", POPUP) else (), state,
                     "The result of each run: a class, or a number, at its end or over its steps.",
                     lambda word: translate.translate(word if word else "how runs end"))
    if chosen is not None:
        state.asked = chosen
    if state.name == SCENE_IN_WINDOW:
        names = spanning(scene, frame.solver_state, frame.as_world) if imgui.is_popup_open("", POPUP) else ()
        for label in ("x", "y"):
            _axis(session, state, label, names)
        seconds = widgets.number("run for", state.seconds, lo=1e-3, hi=1000.0, unit="s", log=True, default=scene.check_time,
                                 help="Simulated time of each run.")
        state.seconds = state.seconds if seconds is None else seconds


POPUP = imgui.PopupFlags_.any_popup_id | imgui.PopupFlags_.any_popup_level


def _axis(session: Session, state: MapState, label: str, names: Iterable[str]) -> None:
    """Draw the choice of what spans the plane along x or y, and its range."""
    now = getattr(state, label)
    chosen = _picked(label, now.name, names, state, "What changes along this axis.",
                     lambda name: translate.translate(title(name)) if ":" not in name else name)
    if chosen is not None:
        now = usual_axis(chosen, session.frame)
    widgets.row("from, to", "Range of this axis.")
    half = 0.5 * (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x)
    for end, word in (("lo", "from"), ("hi", "to")):
        value = widgets.number(f"{label} {word}", getattr(now, end), inline=True, width=half)
        now = now if value is None else replace(now, **{end: float(value)})
        if end == "lo":
            imgui.same_line()
    setattr(state, label, now)


def _picked(label: str, value: str, names: Iterable[str], state: MapState, help: str, show: Callable[[str], str]) -> str | None:
    """Choose one of many names from a list with a search field."""
    widgets.row(label, help, widgets.combo_width(show(value)))
    picked = None
    imgui.set_next_item_width(-1.0)
    if not imgui.begin_combo(f"##{label}", show(value), imgui.ComboFlags_.height_large):
        widgets.register_area(label)
        widgets.tooltip(help)
        return None
    if imgui.is_window_appearing():
        state.typed.begin()
    state.typed.line("search quantities", icons.text(icons.SEARCH, "search"))
    words = state.typed.text.lower().split()
    for item in islice((one for one in names if all(word in f"{one} {show(one)}".lower() for word in words)), MAX_LISTED):
        if imgui.selectable(f"{show(item)}##{item}", item == value)[0]:
            picked = item
        widgets.register_area(f"{label}={item}")
    imgui.end_combo()
    return picked


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
        if state.name != SCENE_IN_WINDOW:
            made = plan_of(state.name, session.frame, size=state.size, asked=state.asked)
        else:
            made = plan_of(session.shown_scene(), session.frame, state.x, state.y, size=state.size, asked=state.asked or None,
                           seconds=state.seconds)
        state.run = MapRun.of(made)
    except BadInput as error:
        session.notify(str(error))
        return
    state.counted, state.stretches, state.lines = -1, [], state.run.made.border()
    state.run.start()


def _draw_text(session: Session, run: MapRun) -> None:
    """Draw what is known of a run: how many points, problems, the law."""
    p, made = style.palette(), run.made
    if is_stale(made, session.frame, session.simulation.document):
        widgets.wrapped("Outdated: the scene, its solver or another parameter was changed since. Run it again, or click a point "
                        "to return to what the map shows.", p.warn)
    if not run.refinement.count and not run.done:
        widgets.dim_text("starting another process ...")
    else:
        widgets.dim_text(message("{count} runs in {seconds} s", count=run.refinement.count, seconds=rounded(run.seconds, 3)))
        widgets.tooltip(message("Of {points} points; the others have the class of all their neighbours that were run.",
                                points=(made.size + 1) ** 2) if run.question.classes else
                        message("Of {points} points; between them the number is interpolated.", points=(made.size + 1) ** 2))
    if run.problem:
        widgets.wrapped(run.problem, p.warn)
    if made.map is not None and made.map.law:
        formula.draw(made.map.law, made.map.law_text)
        widgets.tooltip(message("The line in the map is this law: {translate}.", translate=translate.translate(made.map.source)))


def _legend(run: MapRun) -> None:
    """Draw the classes with their colours, or the scale of numbers."""
    if not run.question.classes:
        _scale(run)
    for k, name in enumerate(run.question.classes):
        if k:
            imgui.same_line(0.0, 2.0 * imgui.get_style().item_spacing.x)
        widgets.swatch(colour_of(run, k))
        imgui.text_unformatted(translate.translate(name))
    if run.failure:
        if run.question.classes:
            imgui.same_line(0.0, 2.0 * imgui.get_style().item_spacing.x)
        widgets.swatch(style.palette().bad)
        imgui.text_unformatted("failed")
        widgets.tooltip(run.failure)


def _scale(run: MapRun) -> None:
    """Draw the colours of a map of numbers, from the least to the largest."""
    lo, hi = run.refinement.span
    imgui.text_unformatted(f"{run.question.word} [{pretty(run.question.unit)}]" if run.question.unit else run.question.word)
    if not lo <= hi:
        return
    least, most = rounded(lo, 4), rounded(hi, 4)
    imgui.text_unformatted(least)
    imgui.same_line()
    at, height = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
    width = max(1.0, imgui.get_content_region_avail().x - imgui.calc_text_size(most).x - imgui.get_style().item_spacing.x)
    edges, draw_list = at.x + width * np.arange(COLOUR_LEVELS + 1) / COLOUR_LEVELS, imgui.get_window_draw_list()
    for k in range(COLOUR_LEVELS):
        draw_list.add_rect_filled(imgui.ImVec2(edges[k], at.y), imgui.ImVec2(edges[k + 1], at.y + height),
                                  style.u32(colour_of(run, k), CLASS_OPACITY))
    imgui.dummy(imgui.ImVec2(width, height))
    widgets.register_area("map scale")
    imgui.same_line()
    imgui.text_unformatted(most)


def colour_of(run: MapRun, outcome: int) -> style.RGBA:
    """Colour of a class, or of a level of numbers."""
    p = style.palette()
    if outcome == FAILED:
        return p.bad
    if run.question.classes:
        return p.curves[outcome % len(p.curves)]
    found = implot.sample_colormap(outcome / (COLOUR_LEVELS - 1), implot.Colormap_.viridis)
    return (found.x, found.y, found.z)


def _refresh(state: MapState, run: MapRun) -> None:
    """Join equal neighbours of a row, if more points were run."""
    counted = run.refinement.count
    if counted == state.counted:
        return
    filled = run.refinement.filled()
    state.counted, state.stretches = counted, stretches(filled if run.question.classes else levels(filled, *run.refinement.span))


def levels(filled: np.ndarray, lo: float, hi: float) -> np.ndarray:
    """Levels of numbers (rows, columns) between lo and hi; UNKNOWN, FAILED where there is none."""
    share = (np.where(np.isfinite(filled), filled, lo) - lo) / ((hi - lo) or 1.0)
    found = np.clip(np.nan_to_num(share) * COLOUR_LEVELS, 0, COLOUR_LEVELS - 1).astype(int)
    return np.where(np.isnan(filled), UNKNOWN, np.where(np.isinf(filled), FAILED, found))


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
    draw_classes(state, run)
    for k, line in enumerate(state.lines):
        for part in unbroken(line):
            implot.plot_line(f"##border {k}", part[:, 0].copy(), part[:, 1].copy(),
                             implot.Spec(line_color=style.vec(p.text), line_weight=widgets.scaled(2.0)))
    if _shows(session, made) and all(one.belongs == PARAMETER for one in made.sweep.axes):
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


def draw_classes(state: MapState, run: MapRun) -> None:
    """Fill the plane: each point colours the cell around it."""
    made = run.made
    draw_list, clip = implot.get_plot_draw_list(), implot.get_plot_limits()
    low, high = (implot.plot_to_pixels(*corner) for corner in ((clip.x.min, clip.y.min), (clip.x.max, clip.y.max)))
    edges = np.arange(made.size + 2) - 0.5      # whole pixels: neighbours neither overlap nor leave a gap
    across = np.round(low.x + edges / made.size * (high.x - low.x)).tolist()
    up = np.round(low.y + edges / made.size * (high.y - low.y)).tolist()
    implot.push_plot_clip_rect()
    for row, first, last, outcome in state.stretches:
        draw_list.add_rect_filled(imgui.ImVec2(across[first], up[row + 1]), imgui.ImVec2(across[last + 1], up[row]),
                                  style.u32(colour_of(run, outcome), CLASS_OPACITY))
    implot.pop_plot_clip_rect()


def unbroken(line: np.ndarray) -> list[np.ndarray]:
    """Parts of a line (m, 2) between its gaps."""
    known = np.isfinite(line).all(axis=1)
    ends = np.flatnonzero(np.diff(known)) + 1
    return [part for part in np.split(line, ends) if np.isfinite(part).all() and len(part) > 1]


def value_text(made: MapPlan, axis: MapAxis, value: float) -> str:
    """A setting with its value and unit."""
    return f"{translate.translate(title(axis.name))} {rounded(value, 4)} {pretty(made.unit(axis))}".rstrip()


def _describe(run: MapRun, node: Node) -> None:
    """Draw the tooltip of a point."""
    made = run.made
    found, classes = run.refinement.known[node[1], node[0]], run.question.classes
    if not run.refinement.is_known(*node):
        name = "not run: as its neighbours"
    elif np.isinf(found) or found == FAILED:
        name = "failed"
    else:
        name = classes[int(found)] if classes else f"{rounded(float(found), 5)} {pretty(run.question.unit)}".rstrip()
    values = ", ".join(value_text(made, axis, value) for axis, value in zip((made.x, made.y), made.values(node)))
    imgui.begin_tooltip()
    imgui.text_unformatted(values)
    imgui.text_unformatted(translate.translate(name))
    widgets.dim_text("Click to open this run.")
    imgui.end_tooltip()


def open_run(session: Session, made: MapPlan, node: Node) -> None:
    """Show the run of a point in the scene, from its start: the parameters, solver and step are those of the map."""
    plain = all(one.belongs == PARAMETER for one in made.sweep.axes)
    if plain and _shows(session, made) and not is_stale(made, session.frame, session.simulation.document):
        for axis, value in zip((made.x, made.y), made.values(node)):
            session.post(commands.set_parameter, axis.name, value)
    else:
        session.leave(partial(_load_run, session, made, node))
        return
    session.post(Simulation.run)


def _load_run(session: Session, made: MapPlan, node: Node) -> None:
    """Load the scene of a map with the settings of a point and run it; nothing is posted before unsaved work is answered for."""
    post = session.thread.post
    post(Simulation.load, made.scene_name, made.parameters_at(node))
    post(commands.use_solver, made.choices.solver)
    for name, value in made.choices.options:
        post(commands.set_option, name, value)
    post(commands.set_dt, made.dt)
    for one, value in zip(made.sweep.axes, made.values(node)):
        if one.belongs != PARAMETER:
            command, arguments = posted(made, one, value)
            post(getattr(commands, command), *arguments)
    post(Simulation.run)
