"""Presentation mode, for an audience: large text and arrows, the panels of the simple window (or all instruments, on one side of
the scene), no status bar, a mark while recording; a ring around the pointer."""

import time
from dataclasses import dataclass, replace

from app.gui.controls import style, widgets
from app.gui.output.video_recorder import Shown
from app.i18n.imgui_translated import imgui
from app.render.view_options import ViewOptions
from app.session import Session

LARGER, LONGER = 1.45, 1.4
"""Factors of text, marks and thickness of arrows, and of their lengths."""
RING, RING_PRESSED = 26.0, 18.0
"""Radius of the ring around the pointer, and of the disc while a button is pressed [px at scale 1]."""
BLINK = 1.0
"""Time for which the mark of recording is bright, and then dim [s]."""


LEAVE = "presentation mode: press F11 to leave it"


@dataclass
class Presentation:
    """on: in presentation mode; from_instruments: the window had all instruments before, and has them again afterwards."""

    on: bool = False
    from_instruments: bool = False


def toggle(session: Session) -> None:
    """Enter presentation mode, or leave it: everything is as before."""
    state = session.state(Presentation)
    state.on = not state.on
    if state.on:
        session.notify(LEAVE)
    else:
        session.withdraw(LEAVE)


def enlargement(session: Session) -> float:
    """Factor of text and marks."""
    return LARGER if session.state(Presentation).on else 1.0


def view_shown(session: Session) -> ViewOptions:
    """The view options as drawn."""
    view = session.view
    if not session.state(Presentation).on:
        return view
    return replace(view, **{name: LONGER * getattr(view, name) for name in ("force_scale", "torque_scale", "velocity_scale",
                                                                            "spin_scale")})


def draw_presentation(session: Session, centre: tuple[float, float, float, float]) -> None:
    """Draw the mark of recording over the scene, whose rectangle is x, y, width, height [px], and the ring around the pointer."""
    if session.state(Presentation).on and (session.state(Shown).recording or session.simulation.recorder.since >= 0):
        _recording_mark(centre[0], centre[1])
    at = imgui.get_mouse_pos()
    if session.view.halo and imgui.is_mouse_pos_valid(at):
        draw_list, accent = imgui.get_foreground_draw_list(), style.palette().accent_strong
        if any(imgui.is_mouse_down(button) for button in (0, 1, 2)):
            draw_list.add_circle_filled(at, widgets.scaled(RING_PRESSED), style.u32(accent, 0.45))
        draw_list.add_circle(at, widgets.scaled(RING), style.u32(accent, 0.9), 0, widgets.scaled(3.0))


def _recording_mark(x: float, y: float) -> None:
    """A red disc and REC in the upper left corner of the scene."""
    px, flags, bad = widgets.scaled, imgui.WindowFlags_, style.palette().bad
    imgui.set_next_window_pos(imgui.ImVec2(x + px(14.0), y + px(14.0)), imgui.Cond_.always)
    imgui.set_next_window_bg_alpha(0.86)
    imgui.begin("##recording", None, flags.no_decoration | flags.no_inputs | flags.no_saved_settings | flags.no_docking
                | flags.always_auto_resize | flags.no_focus_on_appearing | flags.no_nav)
    corner, radius = imgui.get_cursor_screen_pos(), 0.36 * imgui.get_text_line_height()
    bright = time.perf_counter() % (2.0 * BLINK) < BLINK
    imgui.get_window_draw_list().add_circle_filled(imgui.ImVec2(corner.x + radius, corner.y + 0.5 * imgui.get_text_line_height()),
                                                   radius, style.u32(bad, 1.0 if bright else 0.35))
    imgui.dummy(imgui.ImVec2(2.0 * radius, 0.0))
    imgui.same_line()
    widgets.coloured("REC", bad)
    widgets.register_area("REC")
    imgui.end()
