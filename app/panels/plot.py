"""Plots of quantities over time or over another one: cursor, spans, kept runs, compared solvers, files."""

from app.analysis.curves.curve_statistics import SpanCache
from app.analysis.curves.curves import MINUS, CurveSet
from app.analysis.curves.plot_layout import Plot, PlotLayout
from app.gui.controls import widgets
from app.gui.output.panel_image import PanelImage, is_rendering
from app.gui.plots import plot_area, plot_readout, plot_toolbar
from app.gui.plots.plot_toolbar import add_curve, describe_run
from app.i18n.imgui_translated import imgui, implot
from app.session import Session

TITLE = "Plot"
PLACE = "bottom"
ORDER = 10
GROUP = "Measure"
ABOUT = "quantities over time"

MIN_HEIGHT = 90.0
"""Below this plot height the panel scrolls [px at scale 1]."""
MIN_PATH_WIDTH = 220.0
"""Width of each of a scene's paths from which they are side by side [px at scale 1]."""


def draw(session: Session) -> None:
    layout = session.state(PlotLayout)
    scene = session.scene
    layout.on_scene(session.frame.scene, *((scene.paths, scene.plots, scene.drawn) if scene else ()))
    if layout.frozen is None:
        picture = add_curve(session, layout, *layout.window(session.frame.time, session.traces.end))
    else:
        picture = layout.frozen.within(*layout.window(layout.frozen.present, layout.frozen.end))
    if session.state(PanelImage).of == "plot":
        with is_rendering(session):
            widgets.dim_text(describe_run(session))
            _plots(session, layout, picture)
        return
    plot_toolbar.draw(session, layout, picture)
    if not session.traces.keys:
        widgets.dim_text("No data. Add a quantity.")
        return
    room = imgui.get_content_region_avail()
    if layout.measured is not None and room.x > widgets.scaled(plot_readout.MIN_WIDTH_BESIDE):
        imgui.begin_child("plots", imgui.ImVec2(0.42 * room.x, 0.0))
        _plots(session, layout, picture)
        imgui.end_child()
        imgui.same_line()
        imgui.begin_child("reading")
        _reading(session, layout, picture)
        imgui.end_child()
        return
    if layout.measured is not None:
        _above(session, layout, picture)
    _plots(session, layout, picture)


def _above(session: Session, layout: PlotLayout, picture: CurveSet) -> None:
    """Draw the table of the span over the scene, above the panel, if the dock is low: the curves keep their height."""
    flags, corner, screen = imgui.WindowFlags_, imgui.get_window_pos(), imgui.get_main_viewport()
    before = imgui.internal.find_window_by_name("##span of the plot")
    right = screen.pos.x + screen.size.x - (before.size.x if before is not None else 0.0)
    imgui.set_next_window_pos(imgui.ImVec2(max(screen.pos.x, min(corner.x, right)), corner.y), imgui.Cond_.always,
                              imgui.ImVec2(0.0, 1.0))
    imgui.begin("##span of the plot", None, flags.no_decoration | flags.always_auto_resize | flags.no_focus_on_appearing
                | flags.no_saved_settings | flags.no_docking | flags.no_nav | flags.no_move)
    _reading(session, layout, picture, scroll=False)
    imgui.end()


def _plots(session: Session, layout: PlotLayout, picture: CurveSet) -> None:
    """Draw all parts below each other, with aligned left edges; a scene's paths side by side where there is room."""
    units = {key: unit for key, (_, unit) in picture.names}
    parts = layout.arrange([key for key, _ in picture.names], lambda key: units.get(key, ""))
    if layout.minus:
        parts = [*parts, (plot_area.DIFFERENCE_PLOT, tuple(key for key in units if key not in layout.not_drawn))]
    paths = [(part, keys) for part, keys in parts if part.pairs]
    beside = len(paths) > 1 and imgui.get_content_region_avail().x > widgets.scaled(MIN_PATH_WIDTH) * len(paths)
    below = [(part, keys) for part, keys in parts if not (beside and part.pairs)]
    rows = len(below) + beside
    room = imgui.get_content_region_avail().y - (rows - 1) * imgui.get_style().item_spacing.y
    height = max(widgets.scaled(MIN_HEIGHT), room / rows)
    if beside:
        _side_by_side(session, layout, picture, paths, height)
    if implot.begin_aligned_plots("plots"):
        for part, keys in below:
            plot_area.draw(session, layout, picture, part, keys, height)
        implot.end_aligned_plots()
    touch = session.state(plot_area.PlotMouse)
    plot_area.follow_click(session, touch, 0.0, session.traces.end)


def _side_by_side(session: Session, layout: PlotLayout, picture: CurveSet, paths: list[tuple[Plot, tuple[str, ...]]],
                  height: float) -> None:
    """Draw a scene's paths in one row."""
    gap = imgui.get_style().item_spacing.x
    width = (imgui.get_content_region_avail().x - (len(paths) - 1) * gap) / len(paths)
    for n, (part, keys) in enumerate(paths):
        if n:
            imgui.same_line()
        if imgui.begin_child(f"##path {part.number}", imgui.ImVec2(width, height)):
            plot_area.draw(session, layout, picture, part, keys, height)
        imgui.end_child()


def _reading(session: Session, layout: PlotLayout, picture: CurveSet, scroll: bool = True) -> None:
    units = {key: unit for key, (_, unit) in picture.names}
    lines, x_units = [], {}
    for part, keys in layout.arrange(list(units), lambda key: units.get(key, "")):
        found = picture.over(keys, part.x_of)
        lines += [line for line in found if line.kind != MINUS]
        x_units |= {line.name: units.get(part.x, "") for line in found if part.x}
    if layout.minus:
        lines += [line for line in picture.lines if line.kind == MINUS and line.key not in layout.not_drawn]
    plot_readout.table(session.state(SpanCache), lines, layout.measured, x_units, scroll)
