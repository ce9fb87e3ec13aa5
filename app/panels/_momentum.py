"""The momentum view of the panel Energy: impulses of the last step tip to tail, and a table of vectors."""

import math

import numpy as np

from app.digits import few
from app.gui.controls import flags, style, widgets
from app.gui.controls.swatch import swatch
from app.gui.plots import axes
from app.gui.speaking import imgui, implot
from app.insight.momentum import Momentum

PLANES = {"x z": (0, 2), "y z": (1, 2), "x y": (0, 1)}
"""From the side, from the front, from above: axes across and up."""

COLUMNS = (("", 1.5), ("x", 1.0), ("y", 1.0), ("z", 1.0), ("", 0.8))
"""Of the table: heads and widths."""

NO_COLOUR = (0.0, 0.0, 0.0, 0.0)
"""Of rows that are not drawn."""

ROUNDING = 1e-9
"""What is left over below this is nothing [N s]."""

NOTHING = 1e-12
"""Impulses below this part of the largest are not drawn."""


def draw(seen: Momentum | None, plane: str, colours: dict[str, style.Colour]) -> None:
    """Arrows and table; colours: of the impulses by name."""
    if seen is None:
        widgets.dim("Nothing moves here, or no step was made yet.")
        return
    room, gap, table = imgui.get_content_region_avail(), imgui.get_style().item_spacing.x, widgets.px(360.0)
    if room.x < table + widgets.px(200.0):
        _arrows(seen, plane, colours, max(widgets.px(150.0), 0.5 * room.y))
        _table(seen, colours)
        return
    if imgui.begin_child("arrows", imgui.ImVec2(room.x - table - 2.0 * gap, 0.0)):
        _arrows(seen, plane, colours, max(widgets.px(90.0), imgui.get_content_region_avail().y))
    imgui.end_child()
    imgui.same_line(0.0, 2.0 * gap)
    if imgui.begin_child("vectors", imgui.ImVec2(table, 0.0)):
        _table(seen, colours)
    imgui.end_child()


def chain(seen: Momentum, plane: tuple[int, int]) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """(name, tail, tip) of every impulse that is not nothing, each at the tip of the one before, in a plane [N s]."""
    largest = max((float(np.linalg.norm(impulse)) for _, impulse in seen.impulses), default=0.0)
    tail, arrows = np.zeros(2), []
    for name, impulse in seen.impulses:
        if np.linalg.norm(impulse) > NOTHING * largest:
            tip = tail + impulse[list(plane)]
            arrows.append((name, tail, tip))
            tail = tip
    return arrows


def _arrows(seen: Momentum, plane: str, colours: dict[str, style.Colour], height: float) -> None:
    """Each impulse begins where the last one ends; from the first tail to the last tip is the change of momentum."""
    p, Axis, (across, up) = style.palette(), implot.ImAxis_, plane.split()
    size, width = imgui.ImVec2(-widgets.px(8.0), height), imgui.get_content_region_avail().x
    if not implot.begin_plot("##momentum", size, flags.UNTOUCHED | implot.Flags_.equal):
        return
    arrows = chain(seen, PLANES[plane])
    points = np.array([np.zeros(2), *(tip for _, _, tip in arrows)])
    middle, reach = 0.5 * (points.min(axis=0) + points.max(axis=0)), 0.6 * float(np.ptp(points, axis=0).max()) or 1.0
    for axis, name, k in ((Axis.x1, across, 0), (Axis.y1, up, 1)):
        axes.even(axis, name, "N s", middle[k] - reach, middle[k] + reach, (width, height)[k])
    implot.setup_finish()
    implot.push_plot_clip_rect()
    for k, (name, tail, tip) in enumerate(arrows):
        aside = widgets.px(5.0) if any(_along(tip - tail, other[2] - other[1]) for other in arrows[:k]) else 0.0
        _arrow(tail, tip, colours[name], aside, widgets.px(2.6))
    change = (seen.linear - seen.before)[list(PLANES[plane])]
    _arrow(np.zeros(2), change, p.text, 0.0, widgets.px(1.6))
    implot.pop_plot_clip_rect()
    implot.end_plot()
    widgets.mark("arrows")


def _along(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrows lie along one line, and would hide one another."""
    size = float(np.linalg.norm(one) * np.linalg.norm(other))
    return size > 0.0 and abs(float(one[0] * other[1] - one[1] * other[0])) < 0.05 * size


def _arrow(tail: np.ndarray, tip: np.ndarray, colour: style.Colour, aside: float, weight: float) -> None:
    """In the plot's units; aside: moved to its left [px]."""
    a, b, ink = implot.plot_to_pixels(*tail), implot.plot_to_pixels(*tip), implot.get_plot_draw_list()
    dx, dy = b.x - a.x, b.y - a.y
    length = math.hypot(dx, dy)
    if length < 1.0:
        ink.add_circle_filled(a, weight, style.u32(colour))
        return
    dx, dy = dx / length, dy / length
    a, b = (imgui.ImVec2(q.x + dy * aside, q.y - dx * aside) for q in (a, b))
    head = min(widgets.px(9.0), 0.5 * length)
    neck = imgui.ImVec2(b.x - head * dx, b.y - head * dy)
    ink.add_line(a, neck, style.u32(colour), weight)
    half = 0.45 * head
    ink.add_triangle_filled(b, imgui.ImVec2(neck.x - half * dy, neck.y + half * dx),
                            imgui.ImVec2(neck.x + half * dy, neck.y - half * dx), style.u32(colour))


def _table(seen: Momentum, colours: dict[str, style.Colour]) -> None:
    """Vectors in numbers."""
    rows = [(name, impulse, "N s", f"Impulse of {name} in the last step on all that moves.")
            for name, impulse in seen.impulses if impulse.any()]
    rows += [("change", seen.linear - seen.before, "N s", "Momentum now less momentum a step ago: the sum of all impulses."),
             ("rest", seen.rest, "N s", "What these do not explain: rounding, adhesion, bodies stopped in their way."),
             ("momentum", seen.linear, "N s", "Of all bodies that move, together."),
             ("spin, origin", seen.about_origin, "N m s", "Angular momentum about the origin of the world."),
             ("spin, centre", seen.about_centre, "N m s", "Angular momentum about the common centre of mass.")]
    imgui.push_style_var(imgui.StyleVar_.cell_padding, imgui.ImVec2(widgets.px(5.0), widgets.px(2.0)))
    if imgui.begin_table("vectors", 5, flags.TABLE):
        for head, width in COLUMNS:
            imgui.table_setup_column(head, imgui.TableColumnFlags_.width_stretch, width)
        imgui.table_next_row()
        for head, _ in COLUMNS:
            imgui.table_next_column()
            widgets.right(head, style.palette().dim)
        for name, vector, unit, help in rows:
            imgui.table_next_row()
            imgui.table_next_column()
            swatch(colours.get(name, style.palette().text if name == "change" else NO_COLOUR))
            imgui.text_unformatted(name)
            widgets.mark(f"row {name}")
            widgets.tooltip(help)
            faint = max(1e-12, 1e-9 * float(np.abs(vector).max()), ROUNDING if name == "rest" else 0.0)
            for value in vector:
                imgui.table_next_column()
                widgets.right("0" if abs(value) < faint else few(value))
            imgui.table_next_column()
            widgets.dim(unit)
        imgui.end_table()
    imgui.pop_style_var()
