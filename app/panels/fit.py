"""Friction from data: a measured run over the simulated one, residuals, and the result for each parameter."""

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import scenes
from app.analysis.friction_fit import report
from app.analysis.friction_fit.fit_parameters import NUISANCES
from app.analysis.friction_fit.plan import FIT_METHODS, FitPlan, OpenedData, asked_of, offered, plan
from app.analysis.friction_fit.sentences import numbers, remarks, sentence
from app.analysis.friction_fit.study import AT_LEAST, UNKNOWN, VALUE, FitAnswer, FitCurve, FitResult, FitRun
from app.files import folders
from app.files.atomic_write import write
from app.gui.controls import flags, style, widgets
from app.gui.controls.values import title
from app.gui.plots import axes
from app.i18n import translate
from app.i18n.imgui_translated import imgui, implot
from app.i18n.message import message
from app.session import Session
from physics import BadInput

TITLE = "Fit"
PLACE = "bottom"
ORDER = 27
OPEN = False
GROUP = "Measure"
ABOUT = "friction from measured data"

SETTINGS, ANSWERS = 250.0, 360.0
"""Widths of the parts on the left, at most a fourth and a third of the panel [px at scale 1]."""

TALL = 330.0
"""Height from which curves and residuals are drawn at once [px at scale 1]."""

RUN_HELP = ("Find these parameters in other processes: the scene as set here is run against the data. The scene in the window is "
            "not affected.")
METHOD = ("Fit the scene's motion to the measured one, or the law of a joint to its motor log; auto: the latter where the data "
          "have velocity and torque.")
FORMAT_HELP = ("Drop a CSV file on the window: time, then a position or an angle, such as a tracked video, or velocity and "
               "torque of a motor. Titles have units: time [s],angle [deg].")


@dataclass
class FitState:
    """path: typed; wanted, nuisances: names of parameters; method: as of the plan; run: the last one;
    scene: of which `offered` are the names; curve: which one is drawn;
    residuals: whether they are drawn in a panel without room for both."""

    path: str = ""
    wanted: tuple[str, ...] = ()
    nuisances: tuple[str, ...] = ()
    method: str = FIT_METHODS[0]
    run: FitRun | None = None
    scene: str = ""
    offered: tuple[str, ...] = ()
    curve: int = 0
    residuals: bool = False


def draw(session: Session) -> None:
    state = session.state(FitState)
    if state.scene != session.shown_name:
        if state.run is not None:
            state.run.cancel()
        state.scene, state.run, state.wanted, state.nuisances = session.shown_name, None, (), ()
        state.offered = offered(session.frame)
    room = imgui.get_content_region_avail().x
    if imgui.begin_child("settings", imgui.ImVec2(min(widgets.scaled(SETTINGS), 0.25 * room), 0.0), child_flags=flags.WITHIN):
        _settings(session, state)
    imgui.end_child()
    imgui.same_line(0.0, 2.0 * imgui.get_style().item_spacing.x)
    if imgui.begin_child("answers", imgui.ImVec2(min(widgets.scaled(ANSWERS), 0.34 * room), 0.0), child_flags=flags.WITHIN):
        _answers(session, state)
    imgui.end_child()
    imgui.same_line(0.0, 2.0 * imgui.get_style().item_spacing.x)
    if imgui.begin_child("curves"):
        _curves(session, state)
    imgui.end_child()


# ---- left: the request


def _settings(session: Session, state: FitState) -> None:
    data = session.state(OpenedData)
    busy, wide = state.run is not None and not state.run.done, min(widgets.scaled(90.0), imgui.get_content_region_avail().x)
    imgui.begin_disabled(busy)
    _file(session, state, data)
    imgui.end_disabled()
    if busy:
        if widgets.button("Cancel", "Cancel the fit.", name="cancel fit", width=wide):
            state.run.cancel()
        imgui.same_line()
        widgets.bar(state.run.progress, "", style.palette().dim)
    else:
        missing = waits_for(state, data)
        imgui.begin_disabled(bool(missing))
        if widgets.button("Run", missing or RUN_HELP, name="run fit", accent=True, width=wide):
            _start(session, state, data)
        imgui.end_disabled()
    imgui.begin_disabled(busy)
    widgets.dim_text("Find")
    state.wanted = _toggles(state.offered, state.wanted)
    widgets.dim_text("Not known either")
    state.nuisances = _toggles(NUISANCES, state.nuisances)
    chosen = widgets.choice("method", state.method, FIT_METHODS, METHOD)
    state.method = chosen or state.method
    imgui.end_disabled()


def waits_for(state: FitState, data: OpenedData) -> str:
    """What is missing before a fit can run, "" if nothing is."""
    if data.measured is None:
        return FORMAT_HELP
    return "" if state.wanted else "Under Find, tick what is to be found: then it can run."


def _file(session: Session, state: FitState, data: OpenedData) -> None:
    """Draw the field for a path, and what is open."""
    imgui.set_next_item_width(-1.0)
    entered, state.path = imgui.input_text_with_hint("##path", "CSV file", state.path,
                                                     imgui.InputTextFlags_.enter_returns_true)
    widgets.register_area("path")
    widgets.tooltip(FORMAT_HELP)
    if entered and state.path.strip():
        try:
            data.open(str(Path(state.path.strip()).expanduser()))
        except BadInput as error:
            session.notify(str(error))
    if data.measured is not None:
        widgets.dim_text(widgets.cut(Path(data.measured.path).name))
        widgets.tooltip(f"{data.measured.path}\n{', '.join(f'{one.name} [{one.given}]' for one in data.measured.columns)}")


def _toggles(names: tuple[str, ...], chosen: tuple[str, ...]) -> tuple[str, ...]:
    """Draw a toggle for each name, two in a row where they fit; returns the chosen ones."""
    width = imgui.get_content_region_avail().x
    room, alone = 0.5 * width - imgui.get_frame_height() - 2.0 * imgui.get_style().item_inner_spacing.x, False
    for name in names:
        fits = imgui.calc_text_size(title(name)).x <= room
        if alone and fits:
            imgui.same_line(0.5 * width)
        alone = fits and not alone
        new = widgets.toggle(translate.translate(title(name)), name in chosen)
        widgets.register_area(f"find {name}")
        if new is not None:
            chosen = (*chosen, name) if new else tuple(one for one in chosen if one != name)
    return chosen


def _start(session: Session, state: FitState, data: OpenedData) -> None:
    try:
        made = plan(asked_of(session.shown_scene(), session.frame, state.wanted, state.nuisances, state.method), data.measured)
    except BadInput as error:
        session.notify(str(error))
        return
    state.run, state.curve = FitRun.beside_the_window(made), 0
    state.run.start()


# ---- middle: what was found


def _answers(session: Session, state: FitState) -> None:
    p, run = style.palette(), state.run
    if run is None:
        widgets.wrapped(waits_for(state, session.state(OpenedData)) or RUN_HELP, p.dim)
        return
    if run.problem:
        widgets.wrapped(run.problem, p.warn)
    if run.result is None:
        return
    result = run.result
    widgets.wrapped(report.circumstances(run.made, result), p.dim)
    _table(result)
    for one in result.answers:
        widgets.wrapped(sentence(one), p.warn if one.kind == UNKNOWN else p.text)
    for line in (*remarks(result), *run.made.notes):
        widgets.wrapped(line, p.dim)
    if widgets.button("Save report", "Save charts and answers as one HTML file in the documents folder.", name="save fit"):
        save_report(session, run.made, result)


def save_report(session: Session, made: FitPlan, result: FitResult) -> None:
    path = folders.documents() / f"{made.experiment.scene}-fit-{time.strftime('%Y%m%d-%H%M%S')}.html"
    source = session.state(OpenedData).measured
    try:
        page = report.as_html(made, result, scenes.find(made.experiment.scene).title, source.path if source else "")
        write(path, page.encode())
    except OSError as error:
        session.notify(folders.not_saved(path, error))
    else:
        session.notify(message("saved {path}", path=path))


def _table(result: FitResult) -> None:
    """Draw parameters with values and intervals as numbers and bars."""
    if not imgui.begin_table("answers", 3, imgui.TableFlags_.row_bg):
        return
    for k, share in enumerate((0.3, 0.48, 0.22)):
        imgui.table_setup_column(f"##{k}", imgui.TableColumnFlags_.width_stretch, share)
    for one in result.answers:
        imgui.table_next_row()
        imgui.table_next_column()
        widgets.dim_text(widgets.cut(translate.translate(title(one.name))))
        imgui.table_next_column()
        value, lo, hi = numbers(one)
        imgui.text_unformatted(widgets.cut(value or f"{lo or '..'} \u2013 {hi or '..'}"))
        widgets.tooltip(sentence(one))
        imgui.table_next_column()
        _bar(one)
    imgui.end_table()


def _bar(one: FitAnswer) -> None:
    """Draw the interval over a scale that has zero; an open upper end is an arrow."""
    p, corner = style.palette(), imgui.get_cursor_screen_pos()
    width, height = imgui.get_content_region_avail().x, imgui.get_text_line_height()
    imgui.dummy(imgui.ImVec2(width, height))
    if one.kind == UNKNOWN:
        return
    lo, hi = report.span(one)
    left, right = min(0.0, 1.25 * lo), max(abs(lo), abs(hi)) * 1.25 or 1.0
    scale = (width - widgets.scaled(8.0)) / (right - left)
    x0, x1, value, zero = (corner.x + (at - left) * scale for at in (lo, hi, one.value, 0.0))
    middle, drawn, colour = corner.y + 0.5 * height, imgui.get_window_draw_list(), style.u32(p.curves[1])
    drawn.add_line(imgui.ImVec2(zero, corner.y), imgui.ImVec2(zero, corner.y + height), style.u32(p.border), 1.0)
    drawn.add_line(imgui.ImVec2(x0, middle), imgui.ImVec2(max(x1, x0 + 1.0), middle), colour, widgets.scaled(3.0))
    if one.kind == VALUE:
        drawn.add_circle_filled(imgui.ImVec2(value, middle), widgets.scaled(3.5), colour)
    if one.kind == AT_LEAST:
        size = widgets.scaled(5.0)
        drawn.add_triangle_filled(imgui.ImVec2(x1, middle - size), imgui.ImVec2(x1 + 1.6 * size, middle),
                                  imgui.ImVec2(x1, middle + size), colour)


# ---- right: curves


def _curves(session: Session, state: FitState) -> None:
    """Draw the data and the curve over them, residuals below; the data alone before a fit."""
    result, measured = state.run.result if state.run is not None else None, session.state(OpenedData).measured
    if result is None:
        if measured is not None:
            column = next((one for one in measured.columns if one.unit), measured.columns[0])
            _plot("data", FitCurve(column.name, column.unit, measured.times, column.values, np.empty(0)), 1.0)
        return
    if len(result.curves) > 1:
        names = tuple(curve.name for curve in result.curves)
        state.curve = names.index(widgets.choice("quantity", names[state.curve], names) or names[state.curve])
    curve = result.curves[state.curve]
    if not len(curve.x):
        return
    both = imgui.get_content_region_avail().y > widgets.scaled(TALL)
    if not both and (new := widgets.toggle("residuals", state.residuals, "Data minus curve.")) is not None:
        state.residuals = new
    if both or not state.residuals:
        _plot("fit", curve, 0.62 if both else 1.0)
    if both or state.residuals:
        _plot("residuals", FitCurve("residual", curve.unit, curve.x, curve.data - curve.model, np.zeros(len(curve.x)),
                                    curve.x_name,
                                    curve.x_unit), 1.0)


def _plot(name: str, curve: FitCurve, share: float) -> None:
    """Plot data as dots and the model as a line, over a share of the height that is left."""
    p, Axis, room = style.palette(), implot.ImAxis_, imgui.get_content_region_avail()
    height = share * room.y if share < 1.0 else -1.0
    if not implot.begin_plot(f"##{name}", imgui.ImVec2(-widgets.scaled(6.0), height), flags.WITHOUT_INPUTS):
        return
    widgets.register_area(f"{name} plot")
    x, y = curve.line or (curve.x, curve.model)
    lo, hi = report.ends(np.concatenate([curve.data, y]), 0.06)
    across = report.ends(np.concatenate([curve.x, x[: len(y)]]), 0.0)
    axes.even(Axis.x1, translate.translate(curve.x_name), curve.x_unit, *across, room.x)
    axes.even(Axis.y1, translate.translate(curve.name) if name == "residuals" else "", curve.unit, lo, hi, share * room.y)
    implot.setup_finish()
    implot.plot_scatter("##data", curve.x, curve.data, implot.Spec(
        marker=implot.Marker_.circle, marker_size=widgets.scaled(2.0), marker_fill_color=style.vec(p.dim),
        marker_line_color=style.vec(p.dim)))
    for k, (part_x, part_y) in enumerate(report.pieces(x, y, curve.line is not None) if len(y) else ()):
        implot.plot_line(f"##model {k}", part_x.copy(), part_y.copy(),
                         implot.Spec(line_color=style.vec(p.curves[1]), line_weight=widgets.scaled(1.8)))
    implot.end_plot()
