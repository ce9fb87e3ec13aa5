"""A canvas for diagrams: outlines in metres, arrows in pixels, arcs, and labels that do not overlap."""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from app.gui.controls import style, widgets
from app.i18n import translate
from app.i18n.imgui_translated import imgui

Pixel = tuple[float, float]
"""From the canvas' upper left corner, y down [px]."""


class DiagramLabel(NamedTuple):
    """A text at the tip of an arrow. at: the tip; along: direction of the arrow (x, y up)."""

    at: Pixel
    along: np.ndarray
    text: str
    colour: style.RGBA


@dataclass
class Canvas:
    """width, height [px]; origin: pixel of (0, 0) metres; scale [px/m]."""

    name: str
    width: float
    height: float
    origin: Pixel
    scale: float
    labels: list[DiagramLabel] = field(default_factory=list)
    _occupied: list[tuple[float, float, float, float]] = field(default_factory=list)

    def begin(self) -> bool:
        """Start drawing; if True, `end` must follow."""
        corner = imgui.get_cursor_screen_pos()
        self._x, self._y, self._draw_list = corner.x, corner.y, imgui.get_window_draw_list()
        imgui.dummy(imgui.ImVec2(self.width, self.height))
        if not imgui.is_item_visible():
            return False
        end = imgui.ImVec2(corner.x + self.width, corner.y + self.height)
        self._draw_list.add_rect_filled(corner, end, style.u32(style.palette().bar, 0.55), imgui.get_style().frame_rounding)
        self._draw_list.push_clip_rect(corner, end, True)
        return True

    def end(self) -> None:
        self._draw_list.pop_clip_rect()

    def at(self, point: np.ndarray | Pixel, aside: Pixel = (0.0, 0.0)) -> Pixel:
        """Pixel of a point in metres; aside: offset in pixels to the right and up."""
        return self.origin[0] + self.scale * float(point[0]) + aside[0], self.origin[1] - self.scale * float(point[1]) - aside[1]

    def outline(self, polygon: np.ndarray, colour: style.RGBA) -> None:
        """Draw a body's outline, filled faintly."""
        points = [self._screen(self.at(p)) for p in polygon]
        if len(points) > 2:
            self._draw_list.add_convex_poly_filled(points, style.u32(colour, 0.16))
        self._draw_list.add_polyline(points, style.u32(colour), widgets.scaled(1.5), imgui.ImDrawFlags_.closed)

    def dot(self, point: np.ndarray | Pixel, colour: style.RGBA) -> None:
        self.pixel_dot(self.at(point), colour)

    def arrow(self, point: np.ndarray, pixels: np.ndarray, colour: style.RGBA, weight: float) -> Pixel:
        """Draw an arrow from a point in metres, by pixels to the right and up; returns the tip."""
        start = self.at(point)
        tip = start[0] + float(pixels[0]), start[1] - float(pixels[1])
        self.pixel_arrow(start, tip, colour, weight)
        return tip

    def pixel_dot(self, at: Pixel, colour: style.RGBA) -> None:
        self._draw_list.add_circle_filled(self._screen(at), widgets.scaled(3.0), style.u32(colour))

    def pixel_arrow(self, start: Pixel, tip: Pixel, colour: style.RGBA, weight: float) -> None:
        dx, dy = tip[0] - start[0], tip[1] - start[1]
        length = math.hypot(dx, dy)
        if length < 2.0:
            self.pixel_dot(start, colour)
            return
        head = min(widgets.scaled(10.0), 0.6 * length)
        dx, dy = dx / length, dy / length
        neck = tip[0] - head * dx, tip[1] - head * dy
        self._draw_list.add_line(self._screen(start), self._screen(neck), style.u32(colour), widgets.scaled(weight))
        self._head(tip, (dx, dy), head, colour)

    def arc(self, point: np.ndarray, radius: float, turn: float, colour: style.RGBA) -> None:
        """Draw three quarters of a circle around a point in metres, with a head; turn: anticlockwise if positive."""
        x, y = self.at(point)
        sign = 1.0 if turn > 0.0 else -1.0
        angles = [math.radians(-30.0) + sign * math.radians(250.0) * k / 24 for k in range(25)]
        path = [(x + radius * math.cos(a), y - radius * math.sin(a)) for a in angles]
        self._draw_list.add_polyline([self._screen(p) for p in path], style.u32(colour), widgets.scaled(2.0),
                                     imgui.ImDrawFlags_.none)
        along = path[-1][0] - path[-2][0], path[-1][1] - path[-2][1]
        size = math.hypot(*along) or 1.0
        self._head((path[-1][0] + along[0], path[-1][1] + along[1]), (along[0] / size, along[1] / size), widgets.scaled(9.0),
                   colour)

    def text(self, at: Pixel, text: str, colour: style.RGBA) -> None:
        """Draw a text centred horizontally at that point, below it."""
        size = imgui.calc_text_size(text)
        x = min(max(at[0] - 0.5 * size.x, 2.0), self.width - size.x - 2.0)
        self._draw_list.add_text(self._screen((x, at[1])), style.u32(colour), translate.translate(text))

    def write(self) -> None:
        """Draw the labels beyond their tips, without overlap: they move up or down to free places."""
        line = imgui.get_text_line_height()
        for label in self.labels:
            size, gap = imgui.calc_text_size(label.text), widgets.scaled(5.0)
            away = np.asarray(label.along, float)
            away = away / (np.linalg.norm(away) or 1.0)
            x = label.at[0] + gap * away[0] - size.x * (0.5 - 0.5 * float(np.clip(1.6 * away[0], -1.0, 1.0)))
            y = label.at[1] - gap * away[1] - size.y * (0.5 + 0.5 * float(np.clip(1.6 * away[1], -1.0, 1.0)))
            x = min(max(x, 2.0), self.width - size.x - 2.0)
            y = self._free(x, min(max(y, 2.0), self.height - size.y - 2.0), size.x, line)
            self._occupied.append((x, y, x + size.x, y + line))
            self._draw_list.add_text(self._screen((x, y)), style.u32(label.colour), translate.translate(label.text))

    def _free(self, x: float, y: float, width: float, line: float) -> float:
        """The nearest free height."""
        for step in range(2 * len(self._occupied) + 1):
            tried = y + (-1) ** step * ((step + 1) // 2) * line
            inside = 0.0 <= tried <= self.height - line
            if inside and not any(x < b[2] and x + width > b[0] and tried < b[3] and tried + line > b[1] for b in self._occupied):
                return tried
        return y

    def _head(self, tip: Pixel, along: Pixel, length: float, colour: style.RGBA) -> None:
        (x, y), (dx, dy), half = tip, along, 0.42 * length
        neck = x - length * dx, y - length * dy
        self._draw_list.add_triangle_filled(self._screen(tip), self._screen((neck[0] - half * dy, neck[1] + half * dx)),
                                      self._screen((neck[0] + half * dy, neck[1] - half * dx)), style.u32(colour))

    def _screen(self, at: Pixel) -> imgui.ImVec2:
        return imgui.ImVec2(self._x + at[0], self._y + at[1])
