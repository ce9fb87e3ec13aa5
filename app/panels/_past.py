"""The bar of the past: what is kept, where in it we are, the loop with its two handles, where a replay differs."""

from dataclasses import dataclass

from app import language
from app.digits import few
from app.engine.history import Past
from app.engine.playing import Divergence, Loop
from app.gui.controls import style, widgets
from app.gui.speaking import imgui
from app.session import Session

GRIP = 7.0
"""How near to a handle of the loop the mouse takes hold of it [px at scale 1]."""


@dataclass
class Hand:
    """What of the bar the mouse holds: "" the time that is shown, else one end of the loop."""

    end: str = ""


def bar(session: Session, now: float, width: float) -> None:
    """The kept past from its begin to its end, filled up to the time that is shown; the mouse goes about in it."""
    past, simulation = session.frame.past, session.simulation
    loop, divergence = simulation.loop, simulation.divergence
    p, corner, height = style.palette(), imgui.get_cursor_screen_pos(), imgui.get_frame_height()
    end = imgui.ImVec2(corner.x + width, corner.y + height)
    imgui.invisible_button("past", imgui.ImVec2(width, height))
    widgets.mark("past")
    place = _Place(corner.x, width, past)
    held = imgui.is_item_active()
    if past.end > past.begin:
        now = _hands(session, place, loop, now, held)
    ink, rounding = imgui.get_window_draw_list(), imgui.get_style().frame_rounding
    ink.add_rect_filled(corner, end, style.u32(p.field_hover if held or imgui.is_item_hovered() else p.field), rounding)
    here = place.x(now)
    ink.push_clip_rect(corner, imgui.ImVec2(here, end.y), True)
    ink.add_rect_filled(corner, end, style.u32(p.accent, 0.5), rounding)
    ink.pop_clip_rect()
    _labels(ink, past, corner, end, dim=here < end.x - 1.0)
    if loop is not None:
        _loop(ink, place, loop, corner.y, end.y)
    if divergence is not None:
        _mark(ink, place.x(divergence.time), corner.y, end.y)
    ink.add_line(imgui.ImVec2(here, corner.y), imgui.ImVec2(here, end.y), style.u32(p.text), widgets.px(1.5))
    widgets.tooltip(describe(past, loop, divergence, simulation.tape is not None))
    imgui.same_line()


class _Place:
    """Times on the bar."""

    def __init__(self, left: float, width: float, past: Past) -> None:
        self.left, self.width, self.past = left, width, past

    def x(self, time: float) -> float:
        span = self.past.end - self.past.begin
        return self.left + self.width * (min(1.0, max(0.0, (time - self.past.begin) / span)) if span > 0.0 else 1.0)

    def time(self, x: float) -> float:
        share = min(1.0, max(0.0, (x - self.left) / self.width))
        return self.past.begin + share * (self.past.end - self.past.begin)


def _hands(session: Session, place: _Place, loop: Loop | None, now: float, held: bool) -> float:
    """What the mouse does; returns the time to be shown."""
    x, hand = imgui.get_mouse_pos().x, session.memory(Hand)
    near = _near(place, loop, x) if imgui.is_item_hovered() or held else ""
    if imgui.is_item_activated():
        hand.end = near
    if (near and not held) or (held and hand.end):
        imgui.set_mouse_cursor(imgui.MouseCursor_.resize_ew)
    if not held:
        return now
    moved = imgui.is_item_activated() or imgui.get_io().mouse_delta.x
    if not hand.end or loop is None:
        if moved:
            session.post("go_to_time", place.time(x))
        return place.time(x)
    if imgui.get_io().mouse_delta.x:
        dt = session.frame.dt
        begin, end = (min(place.time(x), loop.end - dt), loop.end) if hand.end == "begin" else \
            (loop.begin, max(place.time(x), loop.begin + dt))
        session.post("set_loop", begin, end)
    return now


def _near(place: _Place, loop: Loop | None, x: float) -> str:
    """The end of the loop that the mouse would take hold of."""
    if loop is None:
        return ""
    far = {end: abs(x - place.x(time)) for end, time in (("begin", loop.begin), ("end", loop.end))}
    nearest = min(far, key=far.get)
    return nearest if far[nearest] <= widgets.px(GRIP) else ""


def _labels(ink: imgui.ImDrawList, past: Past, corner: imgui.ImVec2, end: imgui.ImVec2, dim: bool) -> None:
    p, side = style.palette(), widgets.px(5.0)
    first, last = few(past.begin, 4), f"{few(past.end, 4)} s"
    top, size = corner.y + 0.5 * (end.y - corner.y - imgui.get_text_line_height()), imgui.calc_text_size(last).x
    if end.x - corner.x > 4.0 * size:
        ink.add_text(imgui.ImVec2(corner.x + side, top), style.u32(p.dim), language.text(first))
    ink.add_text(imgui.ImVec2(end.x - side - size, top), style.u32(p.dim if dim else p.text), language.text(last))


def _loop(ink: imgui.ImDrawList, place: _Place, loop: Loop, top: float, bottom: float) -> None:
    """A band along the upper edge between two handles."""
    colour, thick, size = style.u32(style.palette().warn), widgets.px(2.0), widgets.px(6.0)
    left, right = place.x(loop.begin), place.x(loop.end)
    ink.add_rect_filled(imgui.ImVec2(left, top), imgui.ImVec2(right, top + thick), colour)
    for x, way in ((left, 1.0), (right, -1.0)):
        ink.add_line(imgui.ImVec2(x, top), imgui.ImVec2(x, bottom), colour, thick)
        ink.add_triangle_filled(imgui.ImVec2(x, top), imgui.ImVec2(x + way * size, top), imgui.ImVec2(x, top + size), colour)


def _mark(ink: imgui.ImDrawList, x: float, top: float, bottom: float) -> None:
    """Where a replay begins to differ: a line with a head above and below."""
    colour, size = style.u32(style.palette().bad), widgets.px(4.0)
    ink.add_line(imgui.ImVec2(x, top), imgui.ImVec2(x, bottom), colour, widgets.px(2.0))
    for y, way in ((top, 1.0), (bottom, -1.0)):
        ink.add_triangle_filled(imgui.ImVec2(x - size, y), imgui.ImVec2(x + size, y), imgui.ImVec2(x, y + way * size), colour)


def describe(past: Past, loop: Loop | None = None, divergence: Divergence | None = None, taped: bool = False) -> str:
    """What is kept, and what it takes."""
    text = (f"The {'recording' if taped else 'past'}: click or drag to see it again, bit for bit; "
            f"{'Run plays it' if taped else 'Run goes on from there'}.\n"
            f"Kept: {past.begin:.3f} to {past.end:.3f} s, {past.last - past.first} steps, {past.moments} of them whole, "
            f"in {1e-6 * past.size:.1f} of {1e-6 * past.budget:.0f} MB.")
    if loop is not None:
        text += f"\nLoop: {loop.begin:.3f} to {loop.end:.3f} s; drag its ends."
    return text + (f"\n{divergence.text[0].upper()}{divergence.text[1:]}." if divergence is not None else "")
