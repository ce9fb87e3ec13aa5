"""Time: run, pause, step, reset, the past, speed, step size. Always visible."""

from app import language
from app.engine.history import Past
from app.engine.simulation import DT_RANGE
from app.gui import icons, style, widgets
from app.gui.actions import tip
from app.gui.speaking import imgui
from app.gui.values import SPEEDS
from app.session import Session

TITLE = "Transport"
PLACE = "top"
ORDER = 0

NARROW = 960.0
"""In a bar that is narrower than this the words are left out: signs and units stay [px at scale 1]."""
SLIDER = 110.0


def draw(session: Session) -> None:
    simulation, frame = session.simulation, session.frame
    narrow = imgui.get_window_width() < widgets.px(NARROW)
    _buttons(session, frame.paused, narrow)
    _gap(narrow)
    if not narrow:
        widgets.dim("t")
        imgui.same_line(0.0, widgets.px(5.0))
    start = imgui.get_cursor_pos_x()
    imgui.text_unformatted(f"{frame.time:.3f} s")
    imgui.same_line(start + widgets.px(72.0))
    rest = 2.0 * widgets.px(SLIDER) + (widgets.px(60.0) if narrow else widgets.px(152.0))
    room = imgui.get_window_width() - imgui.get_cursor_pos_x() - rest
    if room > widgets.px(60.0):
        _past(session, frame.past, frame.time, min(widgets.px(520.0), room))
    _gap(narrow)
    _speed(session, simulation.speed, narrow)
    _gap(narrow)
    _step_size(session, simulation.dt, narrow)


def _buttons(session: Session, paused: bool, narrow: bool) -> None:
    wide = widgets.px(88.0)
    if paused:
        if widgets.button(icons.text(icons.PLAY, "Run", ">"), tip("run"), name="run", accent=True, width=wide):
            session.post("run")
    elif widgets.button(icons.text(icons.PAUSE, "Pause"), tip("run"), name="pause", width=wide):
        session.post("pause")
    imgui.same_line()
    imgui.push_item_flag(imgui.ItemFlags_.button_repeat, True)
    if widgets.button(icons.text(icons.STEP_BACK, "", "|<"), f"{tip('step_back')} Hold for more.",
                      name="step back"):
        session.post("step_back")
    imgui.same_line()
    if widgets.button(icons.text(icons.STEP, "" if narrow else "Step", ">|"), f"{tip('step')} Hold for more.", name="step"):
        session.post("single_step")
    imgui.pop_item_flag()
    imgui.same_line()
    if widgets.button(icons.text(icons.RESET, "" if narrow else "Reset", "|<<"), tip("reset"), name="reset"):
        session.post("reset")
    imgui.same_line()


def _past(session: Session, past: Past, now: float, width: float) -> None:
    """The kept past from its begin to its end, filled up to the time that is shown; the mouse goes about in it."""
    p, corner = style.palette(), imgui.get_cursor_screen_pos()
    height = imgui.get_frame_height()
    end = imgui.ImVec2(corner.x + width, corner.y + height)
    imgui.invisible_button("past", imgui.ImVec2(width, height))
    widgets.mark("past")
    held, span = imgui.is_item_active(), past.end - past.begin
    fraction = min(1.0, max(0.0, (now - past.begin) / span)) if span > 0.0 else 1.0
    if held and span > 0.0:
        fraction = min(1.0, max(0.0, (imgui.get_mouse_pos().x - corner.x) / width))
        if imgui.is_item_activated() or imgui.get_io().mouse_delta.x:
            session.post("go_to_time", past.begin + fraction * span)
    ink, rounding = imgui.get_window_draw_list(), imgui.get_style().frame_rounding
    ink.add_rect_filled(corner, end, style.u32(p.field_hover if held or imgui.is_item_hovered() else p.field), rounding)
    here = corner.x + fraction * width
    ink.push_clip_rect(corner, imgui.ImVec2(here, end.y), True)
    ink.add_rect_filled(corner, end, style.u32(p.accent, 0.5), rounding)
    ink.pop_clip_rect()
    first, last = f"{past.begin:.4g}", f"{past.end:.4g} s"
    top, side, size = corner.y + 0.5 * (height - imgui.get_text_line_height()), widgets.px(5.0), imgui.calc_text_size(last).x
    if width > 2.0 * size + 4.0 * side:
        ink.add_text(imgui.ImVec2(corner.x + side, top), style.u32(p.dim), language.text(first))
    ink.add_text(imgui.ImVec2(end.x - side - size, top), style.u32(p.dim if fraction < 1.0 else p.text), language.text(last))
    ink.add_line(imgui.ImVec2(here, corner.y), imgui.ImVec2(here, end.y), style.u32(p.text), widgets.px(1.5))
    widgets.tooltip(describe(past))
    imgui.same_line()


def describe(past: Past) -> str:
    """What is kept, and what it takes."""
    return (f"The past: click or drag to see it again, bit for bit; Run goes on from there.\n"
            f"Kept: {past.begin:.3f} to {past.end:.3f} s, {past.last - past.first} steps, {past.moments} of them whole, "
            f"in {1e-6 * past.size:.1f} of {1e-6 * past.budget:.0f} MB.")


def _speed(session: Session, speed: float, narrow: bool) -> None:
    if not narrow:
        widgets.dim("speed")
        imgui.same_line()
    new = widgets.number("speed", speed, lo=SPEEDS[0], hi=SPEEDS[1], unit="\u00d7", log=True, default=1.0, inline=True,
                         width=widgets.px(SLIDER), help=f"Simulated seconds per second. {tip('slower')} {tip('faster')}")
    imgui.same_line()
    if new is not None:
        session.post("set_speed", new)


def _step_size(session: Session, dt: float, narrow: bool) -> None:
    if not narrow:
        widgets.dim("step")
        imgui.same_line()
    scene = session.scene
    new = widgets.number("step size", dt * 1e3, lo=DT_RANGE[0] * 1e3, hi=DT_RANGE[1] * 1e3, unit="ms", log=True,
                         default=scene.dt * 1e3 if scene else None, inline=True, width=widgets.px(SLIDER),
                         help=f"Step size of the physics; now {1.0 / dt:.4g} steps a second. "
                              "Smaller is more accurate and costs more.")
    imgui.same_line()
    if new is not None:
        session.post("set_dt", step_of(new))


def step_of(milliseconds: float) -> float:
    """The step size in seconds, kept inside its range whatever rounding did."""
    return min(DT_RANGE[1], max(DT_RANGE[0], milliseconds * 1e-3))


def _gap(narrow: bool) -> None:
    imgui.dummy(imgui.ImVec2(widgets.px(1.0 if narrow else 10.0), 1.0))
    imgui.same_line()
