"""The sign that ties a word to what is drawn in its colour."""

from app.gui.controls import style, widgets
from app.gui.speaking import imgui


def swatch(colour: style.Colour) -> None:
    """A small square; the word goes on the same line."""
    side, corner = widgets.px(10.0), imgui.get_cursor_screen_pos()
    top = corner.y + 0.5 * (imgui.get_text_line_height() - side)
    imgui.get_window_draw_list().add_rect_filled(imgui.ImVec2(corner.x, top), imgui.ImVec2(corner.x + side, top + side),
                                                 style.u32(colour), widgets.px(2.0))
    imgui.dummy(imgui.ImVec2(side, imgui.get_text_line_height()))
    imgui.same_line(0.0, widgets.px(6.0))
