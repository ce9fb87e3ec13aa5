"""A square that shows the colour in which something is drawn."""

from app.gui.controls import style, widgets
from app.i18n.imgui_translated import imgui


def swatch(colour: style.Colour) -> None:
    """Draw a small square; text continues on the same line."""
    side, corner = widgets.scaled(10.0), imgui.get_cursor_screen_pos()
    top = corner.y + 0.5 * (imgui.get_text_line_height() - side)
    imgui.get_window_draw_list().add_rect_filled(imgui.ImVec2(corner.x, top), imgui.ImVec2(corner.x + side, top + side),
                                                 style.u32(colour), widgets.scaled(2.0))
    imgui.dummy(imgui.ImVec2(side, imgui.get_text_line_height()))
    imgui.same_line(0.0, widgets.scaled(6.0))
