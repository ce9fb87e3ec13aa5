"""Momentum view of the panel Energy: impulses of the last step tip to tail, and a table of vectors."""

import math

import numpy as np

from app.analysis.energy.momentum import Momentum
from app.gui.controls import flags, style, widgets
from app.gui.plots import axes
from app.i18n.imgui_translated import imgui, implot
from app.i18n.message import message
from app.number_format import rounded

PLANE_AXES = {"x z": (0, 2), "y z": (1, 2), "x y": (0, 1)}
"""Views from the side, the front, above: axes to the right and up."""

MOMENTUM_COLUMNS = (("", 1.5), ("x", 1.0), ("y", 1.0), ("z", 1.0), ("", 0.8))
"""Headings and relative widths of the table's columns."""

NO_COLOUR = (0.0, 0.0, 0.0, 0.0)
"""Colour of rows without an arrow."""

ZERO_IMPULSE = 1e-9
"""Remainders below this count as zero [N s]."""

ROUNDING_IMPULSE = 1e-12
"""Impulses below this share of the largest are not drawn."""


def draw(seen: Momentum | None, plane: str, colours: dict[str, style.RGBA]) -> None:
    """Draw arrows and table. colours: of the impulses by name."""
    if seen is None:
        widgets.dim_text("No moving bodies, or no step yet.")
        return
    room, gap, table = imgui.get_content_region_avail(), imgui.get_style().item_spacing.x, widgets.scaled(360.0)
    if room.x < table + widgets.scaled(200.0):
        _arrows(seen, plane, colours, max(widgets.scaled(150.0), 0.5 * room.y))
        _table(seen, colours)
        return
    if imgui.begin_child("arrows", imgui.ImVec2(room.x - table - 2.0 * gap, 0.0)):
        _arrows(seen, plane, colours, max(widgets.scaled(90.0), imgui.get_content_region_avail().y))
    imgui.end_child()
    imgui.same_line(0.0, 2.0 * gap)
    if imgui.begin_child("vectors", imgui.ImVec2(table, 0.0)):
        _table(seen, colours)
    imgui.end_child()


def chain(seen: Momentum, plane: tuple[int, int]) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """(name, tail, tip) of every nonzero impulse, each at the tip of the one before, in a plane [N s]."""
    largest = max((float(np.linalg.norm(impulse)) for _, impulse in seen.impulses), default=0.0)
    tail, arrows = np.zeros(2), []
    for name, impulse in seen.impulses:
        if np.linalg.norm(impulse) > ROUNDING_IMPULSE * largest:
            tip = tail + impulse[list(plane)]
            arrows.append((name, tail, tip))
            tail = tip
    return arrows


def _arrows(seen: Momentum, plane: str, colours: dict[str, style.RGBA], height: float) -> None:
    """Draw the impulses tip to tail; from the first tail to the last tip is the change of momentum."""
    p, Axis, (across, up) = style.palette(), implot.ImAxis_, plane.split()
    size, width = imgui.ImVec2(-widgets.scaled(8.0), height), imgui.get_content_region_avail().x
    if not implot.begin_plot("##momentum", size, flags.WITHOUT_INPUTS | implot.Flags_.equal):
        return
    arrows = chain(seen, PLANE_AXES[plane])
    points = np.array([np.zeros(2), *(tip for _, _, tip in arrows)])
    middle, reach = 0.5 * (points.min(axis=0) + points.max(axis=0)), 0.6 * float(np.ptp(points, axis=0).max()) or 1.0
    for axis, name, k in ((Axis.x1, across, 0), (Axis.y1, up, 1)):
        axes.even(axis, name, "N s", middle[k] - reach, middle[k] + reach, (width, height)[k])
    implot.setup_finish()
    implot.push_plot_clip_rect()
    for k, (name, tail, tip) in enumerate(arrows):
        aside = widgets.scaled(5.0) if any(_along(tip - tail, other[2] - other[1]) for other in arrows[:k]) else 0.0
        _arrow(tail, tip, colours[name], aside, widgets.scaled(2.6))
    change = (seen.linear - seen.before)[list(PLANE_AXES[plane])]
    _arrow(np.zeros(2), change, p.text, 0.0, widgets.scaled(1.6))
    implot.pop_plot_clip_rect()
    implot.end_plot()
    widgets.register_area("arrows")


def _along(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrows are collinear, so that one would hide the other."""
    size = float(np.linalg.norm(one) * np.linalg.norm(other))
    return size > 0.0 and abs(float(one[0] * other[1] - one[1] * other[0])) < 0.05 * size


def _arrow(tail: np.ndarray, tip: np.ndarray, colour: style.RGBA, aside: float, weight: float) -> None:
    """Draw an arrow in plot units; aside: shift to its left [px]."""
    a, b, draw_list = implot.plot_to_pixels(*tail), implot.plot_to_pixels(*tip), implot.get_plot_draw_list()
    dx, dy = b.x - a.x, b.y - a.y
    length = math.hypot(dx, dy)
    if length < 1.0:
        draw_list.add_circle_filled(a, weight, style.u32(colour))
        return
    dx, dy = dx / length, dy / length
    a, b = (imgui.ImVec2(q.x + dy * aside, q.y - dx * aside) for q in (a, b))
    head = min(widgets.scaled(9.0), 0.5 * length)
    neck = imgui.ImVec2(b.x - head * dx, b.y - head * dy)
    draw_list.add_line(a, neck, style.u32(colour), weight)
    half = 0.45 * head
    draw_list.add_triangle_filled(b, imgui.ImVec2(neck.x - half * dy, neck.y + half * dx),
                                  imgui.ImVec2(neck.x + half * dy, neck.y - half * dx), style.u32(colour))


def _table(seen: Momentum, colours: dict[str, style.RGBA]) -> None:
    """Draw the vectors as numbers."""
    rows = [(name, impulse, "N s", message("Impulse of {name} on all moving bodies in the last step.", name=name))
            for name, impulse in seen.impulses if impulse.any()]
    rows += [("change", seen.linear - seen.before, "N s", "Change of momentum in the last step: the sum of all impulses."),
             ("rest", seen.rest, "N s", "Change not explained by these impulses: rounding, adhesion, bodies stopped at a time of "
                                        "impact."),
             ("momentum", seen.linear, "N s", "Total of all moving bodies."),
             ("spin, origin", seen.about_origin, "N m s", "Angular momentum about the origin of the world."),
             ("spin, centre", seen.about_centre, "N m s", "Angular momentum about the common centre of mass.")]
    imgui.push_style_var(imgui.StyleVar_.cell_padding, imgui.ImVec2(widgets.scaled(5.0), widgets.scaled(2.0)))
    if imgui.begin_table("vectors", 5, flags.TABLE_FLAGS):
        for head, width in MOMENTUM_COLUMNS:
            imgui.table_setup_column(head, imgui.TableColumnFlags_.width_stretch, width)
        imgui.table_next_row()
        for head, _ in MOMENTUM_COLUMNS:
            imgui.table_next_column()
            widgets.right(head, style.palette().dim)
        for name, vector, unit, help in rows:
            imgui.table_next_row()
            imgui.table_next_column()
            widgets.swatch(colours.get(name, style.palette().text if name == "change" else NO_COLOUR))
            imgui.text_unformatted(name)
            widgets.register_area(f"row {name}")
            widgets.tooltip(help)
            faint = max(1e-12, 1e-9 * float(np.abs(vector).max()), ZERO_IMPULSE if name == "rest" else 0.0)
            for value in vector:
                imgui.table_next_column()
                widgets.right("0" if abs(value) < faint else rounded(value))
            imgui.table_next_column()
            widgets.dim_text(unit)
        imgui.end_table()
    imgui.pop_style_var()
