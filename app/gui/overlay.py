"""Text over the viewport: names of bodies, the drag's force, what to say for a moment."""

import time

from imgui_bundle import imgui

from app.gui import style, widgets
from app.gui.panels import Panels
from app.render.labels import labels
from app.session import Session

SHOWN_FOR = 6.0
"""How long a message stays in the picture [s]."""


def draw_overlays(session: Session, panels: Panels) -> None:
    """Drawn behind all panels, over the scene, which fills the middle that the panels leave free."""
    ink = imgui.get_background_draw_list()
    x, y, width, height = panels.centre
    for label in labels(session.frame, session.camera, session.view, int(width), int(height), time.perf_counter()):
        _plate(ink, x + label.x, y + height - label.y, label.text, (*label.colour, 1.0))
    _messages(session, panels)


def _plate(ink: imgui.ImDrawList, x: float, y: float, text: str, colour: style.Colour) -> None:
    """Text on a soft plate around its middle (x, y), y down."""
    size, pad = imgui.calc_text_size(text), widgets.px(4.0)
    x, y = round(x - 0.5 * size.x), round(y - 0.5 * size.y)
    ink.add_rect_filled(imgui.ImVec2(x - pad, y - 0.5 * pad), imgui.ImVec2(x + size.x + pad, y + size.y + 0.5 * pad),
                        style.u32(style.palette().panel, 0.7), widgets.px(4.0))
    ink.add_text(imgui.ImVec2(x, y), style.u32(colour), text)


def _messages(session: Session, panels: Panels) -> None:
    now = time.perf_counter()
    recent = [m for m in session.messages if now - m.wall < SHOWN_FOR][-4:]
    if not recent:
        return
    x, y, width, height = panels.centre
    imgui.set_next_window_pos(imgui.ImVec2(x + widgets.px(14.0), y + height - widgets.px(14.0)), imgui.Cond_.always,
                              imgui.ImVec2(0.0, 1.0))
    imgui.set_next_window_size_constraints(imgui.ImVec2(0.0, 0.0), imgui.ImVec2(max(widgets.px(160.0), 0.8 * width), 4000.0))
    imgui.set_next_window_bg_alpha(0.86)
    flags = imgui.WindowFlags_
    imgui.begin("##said", None, flags.no_decoration | flags.no_inputs | flags.no_saved_settings | flags.no_docking
                | flags.always_auto_resize | flags.no_focus_on_appearing | flags.no_nav)
    for message in recent:
        imgui.push_text_wrap_pos(max(widgets.px(150.0), 0.75 * width))
        imgui.text_unformatted(message.text)
        imgui.pop_text_wrap_pos()
    imgui.end()
