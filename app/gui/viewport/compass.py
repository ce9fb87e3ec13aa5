"""Compass of the directions x, y and z, in a corner of the scene; a click on an end looks from there."""

import numpy as np

from app.gui.controls import style, widgets
from app.gui.shell.panel_host import Panels
from app.gui.viewport import camera_commands
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.session import Session

COMPASS_SIZE = 92.0
"""Size of the corner [px at scale 1]."""
ARM, BALL, FAINT = 0.34, 8.5, 5.0
"""Length of an axis as a fraction of the corner; radii of the ends with a letter and of those without [px at scale 1]."""
MIN_SCENE_WIDTH = 4.0
"""Least width of the scene, in sizes of the compass; the least height is half of that. Else it is hidden."""

ENDS = ((0, 1, "right"), (1, 1, "back"), (2, 1, "top"), (0, -1, "left"), (1, -1, "front"), (2, -1, "bottom"))
"""(axis, side, the view from there)."""


def draw_compass(session: Session, panels: Panels) -> None:
    """Draw it over the scene's upper right corner."""
    x, y, width, height = panels.centre
    size = widgets.scaled(COMPASS_SIZE)
    if not session.view.compass or width < MIN_SCENE_WIDTH * size or height < 0.5 * MIN_SCENE_WIDTH * size:
        return
    flags = imgui.WindowFlags_
    imgui.set_next_window_pos(imgui.ImVec2(x + width - size, y), imgui.Cond_.always)
    imgui.set_next_window_size(imgui.ImVec2(size, size))
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(0.0, 0.0))
    imgui.begin("##compass", None, flags.no_decoration | flags.no_background | flags.no_saved_settings | flags.no_docking
                | flags.no_move | flags.no_nav | flags.no_focus_on_appearing | flags.no_bring_to_front_on_focus)
    _ends(session, np.array([x + width - 0.5 * size, y + 0.5 * size]), size)
    imgui.end()
    imgui.pop_style_var()


def _ends(session: Session, centre: np.ndarray, size: float) -> None:
    """Draw the ends from back to front."""
    right, up, ahead = session.camera.axes()
    draw_list, p = imgui.get_window_draw_list(), style.palette()
    colours = (p.curves[5], p.curves[2], p.curves[0])
    for axis, side, view in sorted(ENDS, key=lambda end: -end[1] * ahead[end[0]]):
        at = centre + side * ARM * size * np.array([right[axis], -up[axis]])
        named, spot = side > 0, imgui.ImVec2(*at.tolist())
        radius = widgets.scaled(BALL if named else FAINT)
        imgui.set_cursor_screen_pos(imgui.ImVec2(spot.x - radius, spot.y - radius))
        if imgui.invisible_button(view, imgui.ImVec2(2.0 * radius, 2.0 * radius)):
            camera_commands.turn(session, view)
        widgets.register_area(view)
        hovered = imgui.is_item_hovered()
        widgets.tooltip(message("From the {name}", name=view))
        if named:
            draw_list.add_line(imgui.ImVec2(*centre.tolist()), spot, style.u32(colours[axis]), widgets.scaled(2.0))
        draw_list.add_circle_filled(spot, radius, style.u32(p.text if hovered else colours[axis] if named else p.field))
        draw_list.add_circle(spot, radius, style.u32(colours[axis]), 0, widgets.scaled(1.4))
        if named:
            letter = "xyz"[axis]
            half = imgui.calc_text_size(letter)
            draw_list.add_text(imgui.ImVec2(round(spot.x - 0.5 * half.x), round(spot.y - 0.5 * half.y)), style.u32(p.panel),
                               letter)
