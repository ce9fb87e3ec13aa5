"""Impulse plane of the panel Impact: Routh's diagram of the selected impact, and the ends of all laws of impact in a table."""

import numpy as np

from app.analysis.forces.impact import number
from app.analysis.forces.impulse_plane import ImpulsePlane, LawEnd
from app.gui.controls import flags, style, tables, widgets
from app.gui.plots import axes
from app.i18n import translate
from app.i18n.imgui_translated import imgui, implot
from app.i18n.message import message

MARKERS = (implot.Marker_.circle, implot.Marker_.cross, implot.Marker_.square, implot.Marker_.diamond, implot.Marker_.up,
           implot.Marker_.down)
"""Marks of the laws' ends, in the order of the table."""

LAW_COLUMNS = (("law", 0.0, "Law of impact, in the colour of its mark in the diagram; an arrow marks that of the solver."),
               ("e", 42.0, "Coefficient of restitution that energy allows."),
               ("lost [J]", 52.0, "Energy that the impact takes from the bodies; negative: it gains energy."),
               ("v_t [m/s]", 58.0, "Tangential velocity after the impact, along the first slip; 0: it sticks."))

TABLE_WIDTH = 310.0
"""Width of the table beside the diagram [px at scale 1]."""

MIN_DIAGRAM_WIDTH = 190.0
"""Least width of the diagram beside the table [px at scale 1]."""

HOVER = 9.0
"""Distance from a mark at which the mouse reads it [px at scale 1]."""

SEVERAL_CONTACTS = ("Several contacts acted in this impact at once, or rolling or torsional friction did: they were solved "
          "simultaneously, and none has a path of its own.")
NOT_STRUCK = "No rebound in no time is recorded for this contact: e is 0, it was slower than the threshold, or it rested."
OUT_OF_PLANE = "The slip turns out of the plane: the path is its projection on the plane of the first slip."


def draw(plane: ImpulsePlane | None, struck: bool) -> None:
    """Draw diagram and table. struck: whether an impact is recorded at all."""
    if plane is None:
        widgets.wrapped(SEVERAL_CONTACTS if struck else NOT_STRUCK, style.palette().dim)
        return
    tables.beside_plot(lambda height: _diagram(plane, height), lambda: _table(plane), TABLE_WIDTH, narrow=MIN_DIAGRAM_WIDTH,
                       above=(190.0, 0.6), lowest=110.0)


def levels(plane: ImpulsePlane) -> tuple[float, float]:
    """Least and largest p_t that the diagram shows [N s]."""
    p_n = np.array([0.0, plane.compression])
    shown = np.concatenate([plane.path[:, 1], [0.0, plane.impulse[1]], np.clip(plane.sticking(p_n), -plane.reach, plane.reach),
                            [sign * min(plane.friction, 1.0) * 0.5 * plane.reach for sign in (-1.0, 1.0)]])
    low, high = float(shown.min()), float(shown.max())
    spare = 0.08 * (high - low) or 0.5 * plane.reach
    return low - spare, high + spare


def _diagram(plane: ImpulsePlane, height: float) -> None:
    """Draw lines, path and ends."""
    p, Axis, width = style.palette(), implot.ImAxis_, imgui.get_content_region_avail().x
    implot.push_style_var(implot.StyleVar_.plot_min_size, imgui.ImVec2(widgets.scaled(100.0), widgets.scaled(80.0)))    # not cut
    opened = implot.begin_plot("##impulse plane", imgui.ImVec2(-widgets.scaled(8.0), height), flags.WITHOUT_INPUTS)
    implot.pop_style_var()
    if not opened:
        return
    low, high = levels(plane)
    axes.even(Axis.x1, "p_n", "N s", 0.0, plane.reach, width)
    axes.even(Axis.y1, "p_t", "N s", low, high, height)
    implot.setup_finish()
    span = np.array([0.0, plane.reach])
    for k, sign in enumerate((-1.0, 1.0)):
        _line(f"##cone {k}", span, sign * plane.friction * span, p.dim, 1.2)
    _line("##stick", span, plane.sticking(span), p.stick, 1.6)
    edge = np.array([low, high])
    _line("##compression", plane.compressed(edge), edge, p.curves[1], 1.6)
    _line("##path", np.ascontiguousarray(plane.path[:, 0]), np.ascontiguousarray(plane.path[:, 1]), p.text, 2.6)
    for k, end in enumerate(plane.ends):
        _mark(k, end)
    implot.push_plot_clip_rect()
    _names(plane, low, high)
    implot.pop_plot_clip_rect()
    _read(plane)
    implot.end_plot()
    widgets.register_area("impulse plane")


def _line(name: str, x: np.ndarray, y: np.ndarray, colour: style.RGBA, weight: float) -> None:
    implot.plot_line(name, x, y, implot.Spec(line_color=style.vec(colour), line_weight=widgets.scaled(weight)))


def _colour(k: int) -> style.RGBA:
    """Colour of a law."""
    curves = style.palette().curves
    return curves[(0, 5, 2, 3, 4, 6)[k % 6]]


def _mark(k: int, end: LawEnd) -> None:
    """Draw the end by a law: larger for that of the solver."""
    colour, size = style.vec(_colour(k)), 7.0 if end.chosen else 5.0
    implot.plot_scatter(f"##{end.law}", np.array([end.impulse[0]]), np.array([end.impulse[1]]), implot.Spec(
        marker=MARKERS[k % len(MARKERS)], marker_size=widgets.scaled(size), marker_line_color=colour,
        marker_fill_color=imgui.ImVec4(colour.x, colour.y, colour.z, 0.45), line_weight=widgets.scaled(1.8)))


def _names(plane: ImpulsePlane, low: float, high: float) -> None:
    """Write the names of the lines beside them, where they are inside the plot."""
    p, taken, near = style.palette(), [], widgets.scaled(HOVER)
    for end in plane.ends:
        q = implot.plot_to_pixels(*end.impulse)
        taken.append((q.x - near, q.y - near, q.x + near, q.y + near))
    candidates = (("sticking", p.stick, [(s * plane.reach, float(plane.sticking(np.array(s * plane.reach)))) for s in
                                         (0.8, 0.6, 0.45, 0.2)]),
                  ("maximal compression", p.curves[1], [(float(plane.compressed(np.array(y))), y) for y in
                                                        (low + s * (high - low) for s in (0.93, 0.07, 0.75, 0.25, 0.5, 0.6))]),
                  ("cone", p.dim, [(s * plane.reach, sign * plane.friction * s * plane.reach) for s in (0.85, 0.6, 0.35)
                                   for sign in (1.0, -1.0)]))
    for text, colour, places in candidates:
        size = imgui.calc_text_size(text)
        for x, y in places:
            if not (0.0 < x < plane.reach and low < y < high):
                continue
            at = implot.plot_to_pixels(x, y)
            left, top = _inside(at.x + widgets.scaled(5.0), at.y - size.y - widgets.scaled(3.0), size)
            box = (left, top, left + size.x, top + size.y)
            if all(box[2] < o[0] or o[2] < box[0] or box[3] < o[1] or o[3] < box[1] for o in taken):
                taken.append(box)
                draw_list = implot.get_plot_draw_list()
                draw_list.add_rect_filled(imgui.ImVec2(left - 2.0, top), imgui.ImVec2(box[2] + 2.0, box[3]),
                                          style.u32(p.panel, 0.85))        # lines pass below the names, not through them
                draw_list.add_text(imgui.ImVec2(left, top), style.u32(colour), translate.translate(text))
                break


def _inside(left: float, top: float, size: imgui.ImVec2) -> tuple[float, float]:
    """A place of a text within the plot."""
    corner, room = implot.get_plot_pos(), implot.get_plot_size()
    return (min(max(left, corner.x + 2.0), corner.x + room.x - size.x - 2.0),
            min(max(top, corner.y + 2.0), corner.y + room.y - size.y - 2.0))


def _read(plane: ImpulsePlane) -> None:
    """Tell the values under the mouse: of the nearest end, else of the point."""
    mouse, corner, size = imgui.get_mouse_pos(), implot.get_plot_pos(), implot.get_plot_size()
    inside = 0.0 <= mouse.x - corner.x <= size.x and 0.0 <= mouse.y - corner.y <= size.y
    if not (inside and imgui.is_window_hovered()):
        return
    at = implot.get_plot_mouse_pos()
    near = []
    for k, end in enumerate(plane.ends):
        q = implot.plot_to_pixels(*end.impulse)
        near.append((np.hypot(q.x - mouse.x, q.y - mouse.y), k))
    distance, _ = min(near)
    lines = [describe(plane.ends[k]) for d, k in sorted(near) if d <= distance + 1.0] if distance <= widgets.scaled(HOVER) else [
        f"p_n = {number(at.x)} N s, p_t = {number(at.y)} N s",
        f"v_n = {number(plane.u[0] + plane.w[0] * at.x + plane.w[1] * at.y)} m/s",
        f"v_t = {number(plane.u[1] + plane.w[1] * at.x + plane.w[2] * at.y)} m/s"]
    imgui.begin_tooltip()
    for line in lines:
        imgui.text_unformatted(line)
    imgui.end_tooltip()


def describe(end: LawEnd) -> str:
    """An end in words and numbers."""
    return (message("{law}: p_n = {normal} N s, p_t = {tangential} N s, e = {restitution}, energy lost {lost} J, v_n = {speed} "
                    "m/s, v_t = {slip} m/s", law=end.law, normal=number(end.impulse[0]), tangential=number(end.impulse[1]),
                    restitution=number(end.restitution), lost=number(end.lost), speed=number(end.normal),
                    slip=number(end.slip[0])))


def _table(plane: ImpulsePlane) -> None:
    """The ends side by side, with remarks."""
    p = style.palette()
    height = (len(plane.ends) + 1.6) * (imgui.get_text_line_height() + widgets.scaled(4.0))
    if tables.begin("laws", LAW_COLUMNS, height):
        for k, end in enumerate(plane.ends):
            imgui.table_next_row()
            imgui.table_next_column()
            law = translate.translate(end.law)
            widgets.coloured(widgets.cut(f"\u2192 {law}" if end.chosen else law), _colour(k))
            widgets.register_area(f"law {end.law}")
            widgets.tooltip(describe(end))
            for text, colour in ((number(end.restitution), p.warn if end.restitution < 0.999 * plane.meant else p.text),
                                 (number(end.lost), p.bad if end.lost < -1e-9 * plane.energy else p.text),
                                 (number(end.slip[0]), p.text)):
                imgui.table_next_column()
                widgets.right(text, colour)
        tables.end()
    widgets.wrapped(verdict(plane))
    if not plane.planar:
        widgets.wrapped(OUT_OF_PLANE, p.dim)


def verdict(plane: ImpulsePlane) -> str:
    """Whether the laws agree, and what Newton's gains, in a sentence."""
    impulses = [end.impulse[0] for end in plane.ends]
    if max(impulses) - min(impulses) <= 1e-6 * max(impulses):
        return "All laws agree: friction keeps its direction in this impact, or does not act on the normal velocity."
    gained = -min(end.lost for end in plane.ends)
    if gained > 1e-9 * plane.energy:
        return (message("The slip stops or is reversed, so the laws differ. Newton's law alone would gain {gained} J (Kane "
                        "1984): e is reduced until nothing is gained.", gained=number(gained)))
    return "The slip stops or is reversed, so the laws differ; none of them gains energy here."
