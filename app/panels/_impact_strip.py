"""Strip of the panel Impact: a column for each step with gap, velocities, impulses, energy; a click goes to the step."""

import math

from app.analysis.forces import impact as insight
from app.analysis.forces.impact import ImpactColumn, metres, number
from app.gui.controls import style, widgets
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.i18n.message import message

MIN_STEPS, MAX_STEPS = 5, 40
"""Fewest and most steps side by side."""

MIN_COLUMN_WIDTH = 15.0
"""Smallest width of a column [px at scale 1]; with less room the strip scrolls."""

MIN_HEIGHT, FULL_HEIGHT = 6.0, 8.0
"""Heights in lines: of the smallest strip, and of one with all tracks."""

NAME_WIDTH = 92.0
"""Width left of the columns, for names and scales [px at scale 1]."""

SHORT_ROLES = {"anticipates": "antic.", "rebounds": "reb.", "leaves": "leav.", "stops": "stop", "rests": "still", "waits": "wait"}
"""Short names of roles for narrow columns."""

ScreenBox = tuple[float, float, float, float]
"""Left, top, right, bottom [px]."""


def draw(columns: list[ImpactColumn], present: int) -> int | None:
    """Draw the strip; return the step that was clicked, or None. present: the step that the scene shows."""
    room, gutter, bar = imgui.get_content_region_avail(), widgets.scaled(NAME_WIDTH), imgui.get_style().scrollbar_size
    least, line = gutter + len(columns) * widgets.scaled(MIN_COLUMN_WIDTH), imgui.get_text_line_height()
    high = room.y - (bar if least > room.x else 0.0)
    height = max(high, MIN_HEIGHT * line)
    width = max(room.x - (bar if height > high else 0.0), least)
    clicked = None
    if imgui.begin_child("strip", imgui.ImVec2(0.0, 0.0), window_flags=imgui.WindowFlags_.horizontal_scrollbar):
        corner = imgui.get_cursor_screen_pos()
        imgui.dummy(imgui.ImVec2(width, height - 1.0))
        _tracks(columns, (corner.x, corner.y, corner.x + width, corner.y + height), gutter, present)
        each = (width - gutter) / len(columns)
        clicked = _hover(columns, corner.x + gutter, corner.y, each, height)
    imgui.end_child()
    return clicked


def _hover(columns: list[ImpactColumn], left: float, top: float, each: float, height: float) -> int | None:
    """Show the numbers of the column under the mouse; return its step if clicked."""
    clicked = None
    for i, column in enumerate(columns):
        imgui.set_cursor_screen_pos(imgui.ImVec2(left + i * each, top))
        if imgui.invisible_button(f"{column.step}", imgui.ImVec2(each, height - 1.0)):
            clicked = column.step
        widgets.register_area(f"column {i}")
        if imgui.is_item_hovered():
            lo, hi = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            imgui.get_window_draw_list().add_rect(lo, hi, style.u32(style.palette().accent_strong), widgets.scaled(3.0))
            widgets.tooltip(describe(column))
    return clicked


def describe(column: ImpactColumn) -> str:
    """Describe a column in words and numbers."""
    head = message("Step {step}, t = {time:.6g} s", step=column.step,
                   time=column.time) + (f": {column.role}" if column.role else "")
    lines = [head, insight.ROLE_TEXTS[column.role]]
    if column.role:
        parts = message(": {stops} for compression, {throws} for restitution", stops=number(column.stops),
                        throws=number(column.throws)) if column.throws else ""
        lines += [message("gap {gap} → {gap_after}", gap=metres(column.gap), gap_after=metres(column.gap_after)),
                  message("normal velocity {before} → {after} m/s", before=number(column.before), after=number(column.after)),
                  f"\u03bb_n = {number(column.normal)} N s{parts}",
                  message("λ_f = {friction} N s, slip {slip} m/s, {case}", friction=number(column.friction),
                          slip=number(column.slip), case=column.case)
                  + (message(", T08 sign case {sign_case} of 8", sign_case=column.sign_case) if column.sign_case else ""),
                  message("kinetic energy of both bodies {kinetic} J", kinetic=number(column.kinetic))]
    return "\n".join([*lines, "Click to jump to this step."])


def colour_of(role: str) -> style.RGBA:
    p = style.palette()
    return {insight.ANTICIPATES: p.curves[1], insight.WAITS: p.curves[1], insight.STOPS: p.curves[0],
            insight.REBOUNDS: p.curves[2]}.get(role, p.dim)


# ---- the tracks


def _tracks(columns: list[ImpactColumn], box: ScreenBox, gutter: float, present: int) -> None:
    """Draw steps and roles, gap, velocity, impulse, energy, from top to bottom."""
    p, draw_list, line = style.palette(), imgui.get_window_draw_list(), imgui.get_text_line_height()
    left, top, right, bottom = box
    each = (right - left - gutter) / len(columns)
    edges = [left + gutter + i * each for i in range(len(columns) + 1)]
    for i, column in enumerate(columns):
        if column.step == present:
            draw_list.add_rect_filled(imgui.ImVec2(edges[i], top), imgui.ImVec2(edges[i + 1], bottom), style.u32(p.accent, 0.16),
                                      widgets.scaled(3.0))
    _roles(columns, edges, top, line)
    first = top + 2.0 * line + widgets.scaled(4.0)
    tracks = ((1.0, _gap), (1.15, _velocity), (1.15, _impulse), (0.75, _energy))[: 4 if bottom - top >= FULL_HEIGHT * line else 3]
    gap, y = widgets.scaled(4.0), first
    size = (bottom - first - (len(tracks) - 1) * gap) / sum(share for share, _ in tracks)
    ground, rounding = style.u32(p.bar, 0.5), widgets.scaled(3.0)
    for share, track in tracks:
        draw_list.add_rect_filled(imgui.ImVec2(edges[0], y), imgui.ImVec2(right, y + share * size), ground, rounding)
        name, unit, top_value = track(columns, edges, y, y + share * size)
        _label(left, y, y + share * size, gutter, name, f"{number(top_value)} {unit}")
        y += share * size + gap


def _label(left: float, top: float, bottom: float, gutter: float, name: str, scale: str) -> None:
    """Draw the name of a track and the value of its full height."""
    p, draw_list = style.palette(), imgui.get_window_draw_list()
    line, end = imgui.get_text_line_height(), left + gutter - widgets.scaled(7.0)
    for text, colour, y in ((name, p.text, top), (scale, p.dim, top + line)):
        if y + line <= bottom + 3.0:
            draw_list.add_text(imgui.ImVec2(end - imgui.calc_text_size(text).x, y), style.u32(colour), translate.translate(text))


def _text(x: float, y: float, room: float, colour: style.RGBA, *texts: str) -> None:
    """Draw the first of these texts that fits, centred at x."""
    for text in texts:
        width = imgui.calc_text_size(text).x
        if width <= room - 2.0:
            corner = imgui.ImVec2(round(x - 0.5 * width), round(y))
            imgui.get_window_draw_list().add_text(corner, style.u32(colour), translate.translate(text))
            return


def _roles(columns: list[ImpactColumn], edges: list[float], top: float, line: float) -> None:
    """Draw step numbers and roles; a bar in the role's colour where no word fits."""
    p, draw_list = style.palette(), imgui.get_window_draw_list()
    wide = imgui.calc_text_size(f"{columns[-1].step} ").x
    every = max(1, math.ceil(wide / (edges[1] - edges[0])))
    for i, column in enumerate(columns):
        room, middle = edges[i + 1] - edges[i], 0.5 * (edges[i] + edges[i + 1])
        if (columns[-1].step - column.step) % every == 0:
            _text(middle, top, every * room + 4.0, p.dim, f"{column.step}")
        colour = colour_of(column.role)
        _text(middle, top + line, room, colour, column.role or "\u2013", SHORT_ROLES.get(column.role, column.role))
        if column.role not in (insight.UNSEEN, insight.APART, insight.RESTS, insight.LEAVES):
            y = top + 2.0 * line + widgets.scaled(1.0)
            draw_list.add_line(imgui.ImVec2(edges[i] + 2.0, y), imgui.ImVec2(edges[i + 1] - 2.0, y), style.u32(colour),
                               widgets.scaled(2.5))


def _largest(values: list[float]) -> float:
    """Largest finite value; 1 if all are zero."""
    return max((v for v in values if math.isfinite(v)), default=0.0) or 1.0


def _gap(columns: list[ImpactColumn], edges: list[float], top: float, bottom: float) -> tuple[str, str, float]:
    """Draw the other body as a line, the point at the start of the step (ring) and at its end (disc)."""
    p, draw_list = style.palette(), imgui.get_window_draw_list()
    most = _largest([max(abs(c.gap), abs(c.gap_after)) for c in columns])
    pad = widgets.scaled(7.0)
    unit, scale = ("m", 1.0) if most >= 0.1 else ("mm", 1e3) if most >= 1e-5 else ("\u00b5m", 1e6)

    def at(gap: float) -> float:
        return min(bottom - 2.0, bottom - pad - (bottom - top - 2.0 * pad) * gap / most)

    draw_list.add_line(imgui.ImVec2(edges[0], at(0.0)), imgui.ImVec2(edges[-1], at(0.0)), style.u32(p.dim), widgets.scaled(1.5))
    for i, c in enumerate(columns):
        if not c.role:
            continue
        room = edges[i + 1] - edges[i]
        x0, x1, colour, r = edges[i] + 0.3 * room, edges[i] + 0.7 * room, colour_of(c.role), min(widgets.scaled(4.0), 0.2 * room)
        _dashes(x0, at(c.gap), x1, at(c.gap_after), colour)
        draw_list.add_circle(imgui.ImVec2(x0, at(c.gap)), r, style.u32(colour), 0, widgets.scaled(1.4))
        draw_list.add_circle_filled(imgui.ImVec2(x1, at(c.gap_after)), r, style.u32(colour))
        if c.gap > 1e-6 and at(c.gap) + r + imgui.get_text_line_height() < at(0.0):
            _text(x0 + 0.1 * room, at(0.0) - imgui.get_text_line_height() - 1.0, 0.7 * room, p.dim, number(scale * c.gap))
    return "gap", unit, scale * most


def _dashes(x0: float, y0: float, x1: float, y1: float, colour: style.RGBA) -> None:
    draw_list, size = imgui.get_window_draw_list(), math.hypot(x1 - x0, y1 - y0)
    pieces = max(1, round(size / widgets.scaled(6.0)))
    for k in range(pieces):
        s, e = k / pieces, (k + 0.6) / pieces
        draw_list.add_line(imgui.ImVec2(x0 + s * (x1 - x0), y0 + s * (y1 - y0)),
                           imgui.ImVec2(x0 + e * (x1 - x0), y0 + e * (y1 - y0)),
                           style.u32(colour, 0.8), widgets.scaled(1.4))


def _velocity(columns: list[ImpactColumn], edges: list[float], top: float, bottom: float) -> tuple[str, str, float]:
    """Draw the velocity before (thin) and after (thick), about the line of rest."""
    p, draw_list = style.palette(), imgui.get_window_draw_list()
    lo = min((v for c in columns for v in (c.before, c.after) if math.isfinite(v)), default=0.0)
    hi = max(0.0, max((v for c in columns for v in (c.before, c.after) if math.isfinite(v)), default=0.0))
    span, pad, line = max(hi - min(lo, 0.0), 1e-9), widgets.scaled(5.0), imgui.get_text_line_height()

    def at(v: float) -> float:
        return top + pad + (bottom - top - 2.0 * pad) * (hi - v) / span

    draw_list.add_line(imgui.ImVec2(edges[0], at(0.0)), imgui.ImVec2(edges[-1], at(0.0)), style.u32(p.dim, 0.7), 1.0)
    for i, c in enumerate(columns):
        if not c.role:
            continue
        a, b, colour = edges[i], edges[i + 1], colour_of(c.role)
        middle, thin = 0.5 * (a + b), widgets.scaled(1.4)
        draw_list.add_line(imgui.ImVec2(a + 2.0, at(c.before)), imgui.ImVec2(middle, at(c.before)), style.u32(p.dim), thin)
        draw_list.add_line(imgui.ImVec2(middle, at(c.before)), imgui.ImVec2(middle, at(c.after)), style.u32(colour, 0.8), thin)
        draw_list.add_line(imgui.ImVec2(middle, at(c.after)), imgui.ImVec2(b - 2.0, at(c.after)), style.u32(colour),
                           widgets.scaled(2.6))
        y = at(c.after) + 2.0 if at(c.after) + line + 2.0 < bottom else at(c.after) - line - 2.0
        _text(0.5 * (middle + b), y, 0.75 * (b - a), p.text, number(c.after))
    return "velocity v", "m/s", hi if hi > -lo else lo


def _impulse(columns: list[ImpactColumn], edges: list[float], top: float, bottom: float) -> tuple[str, str, float]:
    """Draw bars: the normal impulse, its rebound share lighter; friction beside it, in the colour of stick or slip."""
    p, draw_list, line = style.palette(), imgui.get_window_draw_list(), imgui.get_text_line_height()
    most = _largest([max(c.normal, c.friction) for c in columns])
    height = bottom - top - line

    def bar(a: float, b: float, lo: float, hi: float, colour: style.RGBA, alpha: float = 1.0) -> None:
        if hi > lo:
            draw_list.add_rect_filled(imgui.ImVec2(a, bottom - height * hi / most), imgui.ImVec2(b, bottom - height * lo / most),
                                      style.u32(colour, alpha))

    for i, c in enumerate(columns):
        if not c.role or c.normal <= 0.0:
            continue
        a, room = edges[i], edges[i + 1] - edges[i]
        rubs = c.friction > 1e-9 * most
        end = a + (0.62 if rubs else 0.8) * room
        bar(a + 0.2 * room, end, 0.0, c.stops, colour_of(c.role), 0.9)
        bar(a + 0.2 * room, end, c.stops, c.normal, colour_of(c.role), 0.5)
        if rubs:
            bar(end + 1.0, a + 0.84 * room, 0.0, c.friction, p.slip if c.case == "slide" else p.stick, 0.9)
        _text(a + 0.5 * room, bottom - height * c.normal / most - line, room, p.text, number(c.normal))
    return "impulse \u03bb", "N s", most


def _energy(columns: list[ImpactColumn], edges: list[float], top: float, bottom: float) -> tuple[str, str, float]:
    """Draw the kinetic energy of the two bodies at the end of each step."""
    p, draw_list = style.palette(), imgui.get_window_draw_list()
    most = _largest([c.kinetic for c in columns])
    for i, c in enumerate(columns):
        if c.role:
            y = bottom - (bottom - top - widgets.scaled(3.0)) * c.kinetic / most
            draw_list.add_rect_filled(imgui.ImVec2(edges[i] + 1.0, y), imgui.ImVec2(edges[i + 1] - 1.0, bottom),
                                      style.u32(p.curves[6], 0.35))
            draw_list.add_line(imgui.ImVec2(edges[i] + 1.0, y), imgui.ImVec2(edges[i + 1] - 1.0, y), style.u32(p.curves[6]),
                               widgets.scaled(2.0))
    return "energy", "J", most


