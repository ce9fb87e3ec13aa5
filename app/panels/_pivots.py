"""Pivots in the microscope: entering and leaving variables, remaining distance, and the basis as a grid."""

from typing import Any

import numpy as np

from app.analysis.microscope.pivots import PivotPath, copositivity_text
from app.gui.controls import flags, style, tables, widgets
from app.gui.plots import axes
from app.i18n import translate
from app.i18n.imgui_translated import imgui, implot
from app.i18n.message import message
from app.number_format import rounded
from app.panels._sweeps import choose
from app.session import Session

PIVOT_COLUMNS = (
    ("pivot", 34.0, "Number of the pivot, counted from the start of the problem."),
    ("enters", 0.0, "Entering variable: increased from zero; the complement of the variable that left last."),
    ("leaves", 0.0, "Leaving variable: the first to reach zero; it is replaced in the basis."),
    ("ratio", 56.0, "Value of the entering variable after the pivot: the minimum ratio."),
    ("z0", 56.0, "Covering variable after the pivot; the problem is solved when it leaves the basis at zero."))


def draw(session: Session, state: Any) -> None:
    scope = state.scope
    state.path = min(state.path, len(scope.paths) - 1)
    if len(scope.paths) > 1:
        titles = tuple(f"{i + 1}. {path.title}" for i, path in enumerate(scope.paths))
        imgui.set_next_item_width(min(widgets.scaled(330.0), imgui.get_content_region_avail().x))
        if imgui.begin_combo("##path", titles[state.path]):
            for i, title in enumerate(titles):
                if imgui.selectable(title, i == state.path)[0]:
                    state.path, state.at = i, 10**9
                widgets.register_area(f"path={i}")
            imgui.end_combo()
        widgets.register_area("path")
        widgets.tooltip("Problems in the order of solution: rounds of the step and independent islands.")
    path = scope.paths[state.path]
    if path.note:
        widgets.wrapped(path.note, style.palette().warn)
    if text := copositivity_text(path):
        widgets.dim_text(widgets.cut(text))
        widgets.register_area("copositivity")
        widgets.tooltip(message("{text} ST96 eq 18 and 19: z'Mz is a square of velocities plus the friction coefficient times a "
                                "normal impulse and a slip speed, all nonnegative.", text=text))
    if not len(path.pivots):
        widgets.wrapped("No pivots: the final basis of the previous problem also solves this one.", style.palette().dim)
    at = min(max(state.at, 0), len(path.pivots))
    room = imgui.get_content_region_avail()
    if room.x < widgets.scaled(760.0):
        _curve(state, path, at, widgets.scaled(130.0))
        _table(state, path, at, widgets.scaled(190.0))
        _grid(session, state, path, at)
        return
    if imgui.begin_child("z0", imgui.ImVec2(widgets.scaled(210.0), 0.0)):
        _curve(state, path, at, -1.0)
    imgui.end_child()
    imgui.same_line()
    if imgui.begin_child("pivots", imgui.ImVec2(0.56 * imgui.get_content_region_avail().x, 0.0)):
        _table(state, path, at, 0.0)
    imgui.end_child()
    imgui.same_line()
    if imgui.begin_child("basis", imgui.ImVec2(0.0, 0.0), 0, imgui.WindowFlags_.horizontal_scrollbar):
        _grid(session, state, path, at)
    imgui.end_child()


def _curve(state: Any, path: PivotPath, at: int, height: float) -> None:
    """Plot z_0 after each pivot."""
    p, Axis = style.palette(), implot.ImAxis_
    good, room = np.isfinite(path.z0), imgui.get_content_region_avail()
    if not good.any() or not implot.begin_plot("##z0", imgui.ImVec2(-widgets.scaled(2.0), height), flags.WITHOUT_LEGEND):
        return
    widgets.register_area("curve")
    top = max(float(path.z0[good].max()), 1e-300)
    axes.even(Axis.x1, "pivots", "", 0.5, len(path.z0) + 0.5, room.x, implot.AxisFlags_.no_grid_lines, whole=True)
    axes.even(Axis.y1, "z0", "", -0.05 * top, 1.1 * top, height if height > 0.0 else room.y)
    implot.setup_finish()
    x = np.arange(1.0, len(path.z0) + 1.0)
    implot.plot_inf_lines("##at", np.array([float(at)]),
                          implot.Spec(line_color=style.vec(p.dim), line_weight=widgets.scaled(1.0)))
    implot.plot_line("z0", x, path.z0, implot.Spec(line_color=style.vec(p.curves[0]), line_weight=widgets.scaled(1.6)))
    implot.plot_scatter("pivot", x, path.z0, implot.Spec(marker=implot.Marker_.circle, marker_size=widgets.scaled(2.4),
                                                         marker_fill_color=style.vec(p.curves[0]),
                                                         marker_line_color=style.vec(p.curves[0])))
    if implot.is_plot_hovered() and imgui.is_mouse_down(0):
        state.at, state.playing = round(min(max(implot.get_plot_mouse_pos(Axis.x1, Axis.y1).x, 0.0), len(path.z0))), False
    implot.end_plot()


def _table(state: Any, path: PivotPath, at: int, height: float) -> None:
    p = style.palette()
    if not tables.begin("pivots", PIVOT_COLUMNS, height):
        return
    for i in tables.visible_rows(len(path.pivots)):
        imgui.table_next_row()
        imgui.table_next_column()
        chosen = i + 1 == at
        if imgui.selectable(f"{i + 1}", chosen, imgui.SelectableFlags_.span_all_columns)[0]:
            state.at, state.playing = i + 1, False
        widgets.register_area(f"pivot {i + 1}")
        for variable, colour in zip(path.pivots[i].tolist(), (p.curves[0], p.curves[1])):
            imgui.table_next_column()
            widgets.coloured(widgets.cut(path.brief(variable)), colour if chosen else p.text)
            widgets.tooltip(path.name(variable))
        for value in (path.step[i], path.z0[i]):
            imgui.table_next_column()
            widgets.right(rounded(value) if np.isfinite(value) else "\u2013")
    tables.end()


def _grid(session: Session, state: Any, path: PivotPath, at: int) -> None:
    """Draw a chip for each pair z, w: filled where z is basic, hollow where w is; the pivot's two are framed."""
    p, draw_list, n = style.palette(), imgui.get_window_draw_list(), len(path.unknowns)
    basic = path.basic[min(at, len(path.basic) - 1)]
    entered, left = path.pivots[at - 1].tolist() if at > 0 else (-1, -1)
    rows: dict[tuple[str, int], list[int]] = {}
    for k, unknown in enumerate(path.unknowns):
        rows.setdefault((unknown.row, unknown.contact), []).append(k)
    gap, names, longest = widgets.scaled(3.0), widgets.scaled(66.0), max(map(len, rows.values()))
    size = min(widgets.scaled(27.0), max(widgets.scaled(19.0), (imgui.get_content_region_avail().x - names) / longest - gap))
    listed = list(rows.items())
    for row in tables.visible_rows(len(rows), size + gap):
        (name, contact), members = listed[row]
        corner = imgui.get_cursor_screen_pos()
        head = message("contact {name}", name=name) if contact >= 0 else name
        draw_list.add_text(imgui.ImVec2(corner.x, corner.y + 0.15 * size), style.u32(p.dim), translate.translate(head))
        for place, k in enumerate(members):
            x = corner.x + names + place * (size + gap)
            a, b = imgui.ImVec2(x, corner.y), imgui.ImVec2(x + size, corner.y + size)
            _chip(draw_list, a, b, path.unknowns[k].short, bool(basic[k]))
            if k in (entered, entered - n) or k in (left, left - n):
                colour = p.curves[0] if k in (entered, entered - n) else p.curves[1]
                draw_list.add_rect(a, b, style.u32(colour), widgets.scaled(4.0), widgets.scaled(2.2))
        if imgui.invisible_button(f"row {row}", imgui.ImVec2(names + len(members) * (size + gap), size)) and contact >= 0:
            choose(session, state, contact, path.contacts)
        widgets.register_area(f"chips {name}")
        if imgui.is_item_hovered():
            place = int((imgui.get_mouse_pos().x - corner.x - names) // (size + gap))
            widgets.tooltip(_tip(path, basic, members, place))
        imgui.set_cursor_screen_pos(imgui.ImVec2(corner.x, corner.y + size + gap))
    imgui.dummy(imgui.ImVec2(1.0, 1.0))


def _chip(draw_list: imgui.ImDrawList, a: imgui.ImVec2, b: imgui.ImVec2, text: str, full: bool) -> None:
    p = style.palette()
    draw_list.add_rect_filled(a, b, style.u32(p.accent if full else p.field), widgets.scaled(4.0))
    size = imgui.calc_text_size(text)
    draw_list.add_text(imgui.ImVec2(round(0.5 * (a.x + b.x - size.x)), round(0.5 * (a.y + b.y - size.y))),
                       style.u32(p.on_accent if full else p.dim), translate.translate(text))


def _tip(path: PivotPath, basic: np.ndarray, members: list[int], place: int) -> str:
    """Tooltip of a chip."""
    if not 0 <= place < len(members):
        return ("Filled: the force is basic and may act. Grey: its complement is basic and the force is zero. Outlined: "
                "exchanged by the pivot. Click a row to see the contact in the scene.")
    unknown = path.unknowns[members[place]]
    return message("In the basis: {unknown}", unknown=unknown.z if basic[members[place]] else unknown.w)
