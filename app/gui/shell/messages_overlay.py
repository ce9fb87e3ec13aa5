"""Text over the viewport: labels placed by the renderer, the legend, and recent messages."""

import math
import time

import numpy as np

from app.gui.controls import style, widgets
from app.gui.shell.panel_host import Panels
from app.gui.shell.viewport_layout import Pane, Rectangle
from app.gui.viewport import multi_select
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.number_format import rounded
from app.render.scene.colours import VIRIDIS, Legend
from app.render.scene.labels import PlacedLabel, ScaleBar
from app.session import Session

SHOWN_FOR, FADING = 6.0, 1.0
"""How long a message is shown, and how long it fades at the end [s]."""
MAX_SHOWN = 2
"""Limit of messages over the scene, which they hide; the console has all."""


def draw_labels(placed: PlacedLabel, pane: Pane, density: float, titled: bool = False) -> None:
    """Draw labels behind all panels, over the scene in its pane. density: framebuffer pixels per unit of the window. titled: with
    the name of the pane's solver."""
    draw_list = imgui.get_background_draw_list()
    x, y, width, height = pane.box
    draw_list.push_clip_rect(imgui.ImVec2(x, y), imgui.ImVec2(x + width, y + height))
    for label in placed.labels:
        if label.point is not None:
            draw_list.add_line(imgui.ImVec2(x + label.x / density, y + height - label.y / density),
                               imgui.ImVec2(x + label.point[0] / density, y + height - label.point[1] / density),
                               style.u32((*label.colour, 0.6)), widgets.scaled(1.0))
        _plate(draw_list, x + label.x / density, y + height - label.y / density, label.text, (*label.colour, 1.0))
    bottom = _legend(draw_list, placed.legend, pane.box) if placed.legend is not None else y + height
    if placed.scale_bar is not None:    # the pictures beside the leader's have its colours
        bar = placed.scale_bar._replace(meanings=()) if pane.index else placed.scale_bar
        _scale_bar(draw_list, bar, pane.box, bottom, density)
    if titled:
        _title(draw_list, pane)
    draw_list.pop_clip_rect()


def outline(box: Rectangle) -> None:
    """Draw the edge of a picture within the scene."""
    x, y, width, height = box
    imgui.get_background_draw_list().add_rect(imgui.ImVec2(x, y), imgui.ImVec2(x + width, y + height),
                                              style.u32(style.palette().border), 0.0, widgets.scaled(1.5))


def _scale_bar(draw_list: imgui.ImDrawList, bar: ScaleBar, box: Rectangle, bottom: float, density: float) -> None:
    """Draw what the arrows mean, and an arrow with the force that is as long, in the lower right corner above `bottom`; the arrow
    alone where there is too little room."""
    px, p, line = widgets.scaled, style.palette(), imgui.get_text_line_height_with_spacing()
    text = f"{rounded(bar.newtons)} N" if bar.newtons > 0.0 else ""
    names = [(translate.translate(meaning), colour) for meaning, colour in bar.meanings]
    if not (names or text):
        return
    size, long, sample = imgui.calc_text_size(text), bar.length / density, px(28.0)
    right = box[0] + box[2] - px(24.0)
    wide = max(size.x, long, *(sample + imgui.calc_text_size(name).x for name, _ in names))
    if wide > 0.4 * box[2]:
        names, wide = [], max(size.x, long)
    low = min(bottom, _free_above(right - wide - px(16.0))) - px(20.0)
    top = low - line * len(names) - (size.y + px(16.0) if text else px(8.0))
    if right - wide - px(10.0) < box[0] or top < box[1]:
        return
    draw_list.add_rect_filled(imgui.ImVec2(right - wide - px(10.0), top), imgui.ImVec2(right + px(10.0), low + px(6.0)),
                              style.u32(p.panel, 0.8), px(5.0))
    for row, (name, colour) in enumerate(names):
        y = top + px(6.0) + row * line
        _arrow(draw_list, (right - wide, right - wide + sample - px(8.0)), y + 0.5 * size.y, (*colour, 1.0))
        draw_list.add_text(imgui.ImVec2(right - wide + sample, y), style.u32(p.text), name)
    if text:
        draw_list.add_text(imgui.ImVec2(right - 0.5 * (wide + size.x), low - size.y - px(10.0)), style.u32(p.text), text)
        _arrow(draw_list, (right - 0.5 * (wide + long), right - 0.5 * (wide - long)), low - px(2.0), p.text)


def _free_above(left: float) -> float:
    """Lower edge of what messages and hints leave free right of `left` [px]: both begin at the left edge of the scene."""
    shown = (imgui.internal.find_window_by_name(name) for name in ("##said", "##hints"))
    return min((window.pos.y for window in shown if window is not None and window.was_active
                and window.pos.x + window.size.x > left), default=math.inf)


def _arrow(draw_list: imgui.ImDrawList, ends: tuple[float, float], y: float, colour: style.RGBA) -> None:
    """Draw an arrow from left to right. ends: its x [px]."""
    (left, end), head, shade = ends, widgets.scaled(5.0), style.u32(colour)
    draw_list.add_line(imgui.ImVec2(left, y), imgui.ImVec2(end - head, y), shade, widgets.scaled(3.0))
    draw_list.add_triangle_filled(imgui.ImVec2(end - 2.0 * head, y - head), imgui.ImVec2(end, y),
                                  imgui.ImVec2(end - 2.0 * head, y + head), shade)


def _legend(draw_list: imgui.ImDrawList, legend: Legend, box: Rectangle) -> float:
    """Draw the legend of colours in the lower right corner of the scene: a scale with numbers, or names of classes. Returns its
    upper edge [px]."""
    x, y, width, height = box
    px, p, line = widgets.scaled, style.palette(), imgui.get_text_line_height_with_spacing()
    title = f"{legend.title} [{legend.unit}]" if legend.unit else legend.title
    rows = [name for name, _ in legend.classes]
    widest = max(imgui.calc_text_size(text).x for text in (title, *(f"     {name}" for name in rows)))
    scaled = legend.lo < legend.hi
    wide = max(widest, px(170.0) if scaled else 0.0) + px(20.0)
    tall = line * (1 + len(rows)) + px(14.0) + (line + px(14.0) if scaled else 0.0)
    left, top = x + width - wide - px(14.0), y + height - tall - px(14.0)
    if left < x or top < y:
        return y + height
    edge = top
    draw_list.add_rect_filled(imgui.ImVec2(left, top), imgui.ImVec2(left + wide, top + tall), style.u32(p.panel, 0.86), px(5.0))
    left, top, right = left + px(10.0), top + px(7.0), left + wide - px(10.0)
    draw_list.add_text(imgui.ImVec2(left, top), style.u32(p.text), translate.translate(title))
    top += line
    for name, colour in legend.classes:
        draw_list.add_rect_filled(imgui.ImVec2(left, top + px(2.0)), imgui.ImVec2(left + px(12.0), top + px(14.0)),
                                  style.u32((*colour, 1.0)), px(2.0))
        draw_list.add_text(imgui.ImVec2(left + px(19.0), top), style.u32(p.text), translate.translate(name))
        top += line
    if scaled:
        _scale(draw_list, legend, (left, top, right))
    return edge


def _scale(draw_list: imgui.ImDrawList, legend: Legend, where: tuple[float, float, float]) -> None:
    """Draw a colour bar with its lowest, middle and highest number; where: left, top, right."""
    left, top, right = where
    px, text = widgets.scaled, style.u32(style.palette().text)
    ends = left + (right - left) * np.linspace(0.0, 1.0, len(VIRIDIS))
    shades = [style.u32((*colour, 1.0)) for colour in VIRIDIS]
    for k in range(len(shades) - 1):
        draw_list.add_rect_filled_multi_color(imgui.ImVec2(ends[k], top), imgui.ImVec2(ends[k + 1], top + px(10.0)), shades[k],
                                              shades[k + 1], shades[k + 1], shades[k])
    for share in (0.0, 0.5, 1.0):
        number = rounded(legend.lo + share * (legend.hi - legend.lo), 4)
        at = left + share * (right - left) - share * imgui.calc_text_size(number).x
        draw_list.add_text(imgui.ImVec2(at, top + px(13.0)), text, number)


def _title(draw_list: imgui.ImDrawList, pane: Pane) -> None:
    """Draw the solver's name in its colour, and why it has stopped, if it has."""
    frame, pad = pane.frame, widgets.scaled(14.0)
    text = frame.solver + (f": {frame.stopped_because}" if frame.stopped_because else "")
    half = 0.5 * imgui.calc_text_size(text).x
    _plate(draw_list, pane.box[0] + pad + half, pane.box[1] + pad + widgets.scaled(6.0), text, style.palette().curves[pane.index])


def _plate(draw_list: imgui.ImDrawList, x: float, y: float, text: str, colour: style.RGBA) -> None:
    """Draw text on a translucent plate centred at (x, y), y down."""
    size, pad = imgui.calc_text_size(text), widgets.scaled(4.0)
    x, y = round(x - 0.5 * size.x), round(y - 0.5 * size.y)
    draw_list.add_rect_filled(imgui.ImVec2(x - pad, y - 0.5 * pad), imgui.ImVec2(x + size.x + pad, y + size.y + 0.5 * pad),
                              style.u32(style.palette().panel, 0.7), widgets.scaled(4.0))
    draw_list.add_text(imgui.ImVec2(x, y), style.u32(colour), translate.translate(text))


def draw_rectangle(session: Session) -> None:
    """Draw the selection rectangle of Ctrl and drag."""
    corners = session.state(multi_select.SelectionRectangle).corners
    if corners is None:
        return
    draw_list, p = imgui.get_background_draw_list(), style.palette()
    lo, hi = (imgui.ImVec2(*(side(a, b) for a, b in zip(*corners))) for side in (min, max))
    draw_list.add_rect_filled(lo, hi, style.u32(p.accent, 0.14))
    draw_list.add_rect(lo, hi, style.u32(p.accent_strong), 0.0, widgets.scaled(1.5))


def draw_messages(session: Session, panels: Panels) -> None:
    """Draw recent messages at the bottom of the scene."""
    now = time.perf_counter()
    recent = [m for m in session.messages if now - m.wall < SHOWN_FOR and m.wall >= session.stale_before][-MAX_SHOWN:]
    if not recent:
        return
    x, y, width, height = panels.centre
    imgui.set_next_window_pos(imgui.ImVec2(x + widgets.scaled(14.0), y + height - widgets.scaled(14.0)), imgui.Cond_.always,
                              imgui.ImVec2(0.0, 1.0))
    imgui.set_next_window_size_constraints(imgui.ImVec2(0.0, 0.0), imgui.ImVec2(max(widgets.scaled(160.0), 0.8 * width), 4000.0))
    fades = [min(1.0, (SHOWN_FOR - now + m.wall) / FADING) for m in recent]
    imgui.set_next_window_bg_alpha(0.86 * max(fades))
    flags = imgui.WindowFlags_
    imgui.begin("##said", None, flags.no_decoration | flags.no_inputs | flags.no_saved_settings | flags.no_docking
                | flags.always_auto_resize | flags.no_focus_on_appearing | flags.no_nav)
    for message, opaque in zip(recent, fades, strict=True):
        imgui.push_text_wrap_pos(max(widgets.scaled(150.0), 0.75 * width))
        imgui.push_style_color(imgui.Col_.text, style.vec(style.palette().text, opaque))
        imgui.text_unformatted(message.text)
        imgui.pop_style_color()
        imgui.pop_text_wrap_pos()
    imgui.end()
