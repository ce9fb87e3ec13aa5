"""The background of a slider: a field filled up to its value, in place of ImGui's grab."""

from collections.abc import Iterator
from contextlib import contextmanager

from app.gui.controls import style
from app.i18n.imgui_translated import imgui


def draw(fraction: float | None) -> None:
    """Draw the background: a field filled up to the value, on which the text stays legible."""
    p, corner = style.palette(), imgui.get_cursor_screen_pos()
    width, height = imgui.calc_item_width(), imgui.get_frame_height()
    end = imgui.ImVec2(corner.x + width, corner.y + height)
    over = imgui.is_mouse_hovering_rect(corner, end) and imgui.is_window_hovered()
    draw_list, rounding = imgui.get_window_draw_list(), imgui.get_style().frame_rounding
    alpha = imgui.get_style().alpha
    draw_list.add_rect_filled(corner, end, style.u32(p.field_hover if over else p.field, alpha), rounding)
    if fraction is not None and fraction > 0.0:
        least = 2.0 * imgui.get_style().font_scale_main
        draw_list.push_clip_rect(corner, imgui.ImVec2(corner.x + max(least, fraction * width), end.y), True)
        draw_list.add_rect_filled(corner, end, style.u32(p.accent, alpha * (0.62 if over else 0.5)), rounding)
        draw_list.pop_clip_rect()


@contextmanager
def see_through() -> Iterator[None]:
    """Let ImGui draw only the slider's text."""
    clear = imgui.ImVec4(0.0, 0.0, 0.0, 0.0)
    colours = (imgui.Col_.frame_bg, imgui.Col_.frame_bg_hovered, imgui.Col_.frame_bg_active, imgui.Col_.slider_grab,
               imgui.Col_.slider_grab_active)
    for colour in colours:
        imgui.push_style_color(colour, clear)
    imgui.push_style_var(imgui.StyleVar_.grab_min_size, 1.0)   # so that the value is at the mouse
    try:
        yield
    finally:
        imgui.pop_style_var()
        imgui.pop_style_color(len(colours))
