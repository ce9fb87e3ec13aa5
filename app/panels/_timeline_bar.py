"""Timeline bar: the recorded past, the present position, the loop with its two handles, the first divergence of a replay."""

from dataclasses import dataclass

from app.engine import commands
from app.engine.recording.recorder import Divergence
from app.engine.timeline.history import PastSummary
from app.engine.timeline.player import Loop
from app.gui.controls import style, widgets
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.number_format import rounded
from app.session import Session

GRAB_DISTANCE = 7.0
"""Distance within which the mouse grabs a handle of the loop [px at scale 1]."""


@dataclass
class DraggedHandle:
    """What the mouse drags on the bar: "" the shown time, else one end of the loop."""

    end: str = ""


def bar(session: Session, now: float, width: float) -> None:
    """Draw the recorded past, filled up to the shown time, and handle the mouse."""
    past, simulation = session.frame.past, session.simulation
    loop, divergence = simulation.player.loop, simulation.recorder.divergence
    p, corner, height = style.palette(), imgui.get_cursor_screen_pos(), imgui.get_frame_height()
    end = imgui.ImVec2(corner.x + width, corner.y + height)
    imgui.invisible_button("past", imgui.ImVec2(width, height))
    widgets.register_area("past")
    place = _TimeScale(corner.x, width, past)
    held = imgui.is_item_active()
    if past.end > past.begin:
        now = _handle_mouse(session, place, loop, now, held)
    draw_list, rounding = imgui.get_window_draw_list(), imgui.get_style().frame_rounding
    draw_list.add_rect_filled(corner, end, style.u32(p.field_hover if held or imgui.is_item_hovered() else p.field), rounding)
    here = place.x(now)
    draw_list.push_clip_rect(corner, imgui.ImVec2(here, end.y), True)
    draw_list.add_rect_filled(corner, end, style.u32(p.accent, 0.5), rounding)
    draw_list.pop_clip_rect()
    _labels(draw_list, past, corner, end, dim=here < end.x - 1.0)
    if loop is not None:
        _loop(draw_list, place, loop, corner.y, end.y)
    if divergence is not None:
        _mark(draw_list, place.x(divergence.time), corner.y, end.y)
    draw_list.add_line(imgui.ImVec2(here, corner.y), imgui.ImVec2(here, end.y), style.u32(p.text), widgets.scaled(1.5))
    widgets.tooltip(describe(past, loop, divergence, simulation.recorder.recording is not None))
    imgui.same_line()


class _TimeScale:
    """Mapping between times and positions on the bar."""

    def __init__(self, left: float, width: float, past: PastSummary) -> None:
        self.left, self.width, self.past = left, width, past

    def x(self, time: float) -> float:
        span = self.past.end - self.past.begin
        return self.left + self.width * (min(1.0, max(0.0, (time - self.past.begin) / span)) if span > 0.0 else 1.0)

    def time(self, x: float) -> float:
        share = min(1.0, max(0.0, (x - self.left) / self.width))
        return self.past.begin + share * (self.past.end - self.past.begin)


def _handle_mouse(session: Session, place: _TimeScale, loop: Loop | None, now: float, held: bool) -> float:
    """Handle the mouse; return the time to show."""
    x, hand = imgui.get_mouse_pos().x, session.state(DraggedHandle)
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
            session.post(commands.go_to_time, place.time(x))
        return place.time(x)
    if imgui.get_io().mouse_delta.x:
        dt = session.frame.dt
        begin, end = (min(place.time(x), loop.end - dt), loop.end) if hand.end == "begin" else \
            (loop.begin, max(place.time(x), loop.begin + dt))
        session.post(commands.set_loop, begin, end)
    return now


def _near(place: _TimeScale, loop: Loop | None, x: float) -> str:
    """The end of the loop within reach of the mouse."""
    if loop is None:
        return ""
    far = {end: abs(x - place.x(time)) for end, time in (("begin", loop.begin), ("end", loop.end))}
    nearest = min(far, key=far.get)
    return nearest if far[nearest] <= widgets.scaled(GRAB_DISTANCE) else ""


def _labels(draw_list: imgui.ImDrawList, past: PastSummary, corner: imgui.ImVec2, end: imgui.ImVec2, dim: bool) -> None:
    p, side = style.palette(), widgets.scaled(5.0)
    first, last = rounded(past.begin, 4), f"{rounded(past.end, 4)} s"
    top, size = corner.y + 0.5 * (end.y - corner.y - imgui.get_text_line_height()), imgui.calc_text_size(last).x
    if end.x - corner.x > 4.0 * size:
        draw_list.add_text(imgui.ImVec2(corner.x + side, top), style.u32(p.dim), translate.translate(first))
    draw_list.add_text(imgui.ImVec2(end.x - side - size, top), style.u32(p.dim if dim else p.text), translate.translate(last))


def _loop(draw_list: imgui.ImDrawList, place: _TimeScale, loop: Loop, top: float, bottom: float) -> None:
    """Draw the loop as a band along the upper edge between two handles."""
    colour, thick, size = style.u32(style.palette().warn), widgets.scaled(2.0), widgets.scaled(6.0)
    left, right = place.x(loop.begin), place.x(loop.end)
    draw_list.add_rect_filled(imgui.ImVec2(left, top), imgui.ImVec2(right, top + thick), colour)
    for x, side in ((left, 1.0), (right, -1.0)):
        draw_list.add_line(imgui.ImVec2(x, top), imgui.ImVec2(x, bottom), colour, thick)
        draw_list.add_triangle_filled(imgui.ImVec2(x, top), imgui.ImVec2(x + side * size, top), imgui.ImVec2(x, top + size),
                                      colour)


def _mark(draw_list: imgui.ImDrawList, x: float, top: float, bottom: float) -> None:
    """Mark where a replay starts to diverge: a line with a head above and below."""
    colour, size = style.u32(style.palette().bad), widgets.scaled(4.0)
    draw_list.add_line(imgui.ImVec2(x, top), imgui.ImVec2(x, bottom), colour, widgets.scaled(2.0))
    for y, side in ((top, 1.0), (bottom, -1.0)):
        draw_list.add_triangle_filled(imgui.ImVec2(x - size, y), imgui.ImVec2(x + size, y), imgui.ImVec2(x, y + side * size),
                                      colour)


def describe(past: PastSummary, loop: Loop | None = None, divergence: Divergence | None = None, taped: bool = False) -> str:
    """Describe what is recorded, and its size."""
    text = (message("The {what}: click or drag to replay it bit for bit; {run}.\nStored: {begin:.3f} to {end:.3f} s, {steps} "
                    "steps, {keyframes} keyframes, {size:.1f} of {budget:.0f} MB.", what="recording" if taped else "past",
                    run="Run replays it" if taped else "Run continues from there", begin=past.begin, end=past.end,
                    steps=past.last - past.first, keyframes=past.moments, size=1e-6 * past.size, budget=1e-6 * past.budget))
    if loop is not None:
        text += message("\nLoop: {begin:.3f} to {end:.3f} s; drag its ends.", begin=loop.begin, end=loop.end)
    return text + (f"\n{divergence.text[0].upper()}{divergence.text[1:]}." if divergence is not None else "")
