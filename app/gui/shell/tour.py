"""The tour of the window: six stops, each pointing at the control that it is about, which can be used meanwhile."""

from dataclasses import dataclass

from app.analysis.lessons.classroom_lock import Lock
from app.gui.controls import icons, style, widgets
from app.gui.controls.values import title
from app.gui.shell.panel_host import Panels
from app.gui.shell.viewport_layout import Rectangle
from app.i18n.imgui_translated import imgui
from app.session import Session
from physics import fields

TEXT_WIDTH = 350.0
"""Width of the text [px at scale 1]."""
TEXT_GAP = 12.0
"""Distance of the text from what it is about [px at scale 1]."""
SHADE_OPACITY = 0.5
"""Opacity of the shade over everything else."""


@dataclass(frozen=True)
class Stop:
    """One stop. controls: what it points at, by the names of `widgets.register_area`, the first that is there; "{}" is the
    scene's first parameter; panel: the panel that is opened for it, and pointed at if it has none of the controls; "": the
    scene."""

    head: str
    text: str
    controls: tuple[str, ...] = ()
    panel: str = ""


TOUR_STOPS = (
    Stop("The scene", "Drag a body with the left button, and throw a ball with B. Drag beside the bodies to turn the view; the "
                      "wheel comes closer."),
    Stop("Time", "Space runs and pauses. The arrow keys go one step forward or back, and Reset returns to the start.",
         ("top/run", "top/pause")),
    Stop("Parameters", "Move a slider and see what it changes. The law above says what to expect.", ("lesson/{}",), "lesson"),
    Stop("Predicted and measured", "What the law predicts, and what the simulation measures. Green: they agree.",
         ("lesson/first numbers",), "lesson"),
    Stop("Plot", "The quantities of this scene over time. Dashed lines are those of the law; + Quantity adds others.",
         panel="plot"),
    Stop("Everything else", "This button brings all instruments, and takes them away again. The menu Scene opens other scenes, "
                            "and Ctrl+P finds everything by typing.", ("MainMenuBar/instruments", "MainMenuBar/View")))


@dataclass
class Tour:
    """at: the present stop, -1: there is no tour; arrived: its panel is open and its text has the keyboard; target: what it
    points at (x, y, w, h) [px], y down."""

    at: int = -1
    arrived: bool = False
    target: Rectangle = (0.0, 0.0, 0.0, 0.0)

    def go(self, at: int) -> None:
        """Go to a stop; behind the last one the tour ends."""
        self.at, self.arrived = at if at < len(TOUR_STOPS) else -1, False


def leave(session: Session) -> bool:
    """End the tour; False if there is none."""
    tour = session.state(Tour)
    there = tour.at >= 0
    tour.go(-1)
    return there


def draw_tour(session: Session, panels: Panels) -> None:
    """Draw the present stop over everything, after all panels."""
    tour = session.state(Tour)
    if tour.at >= 0 and session.state(Lock).on:
        tour.go(-1)
    if tour.at < 0:
        widgets.sought = ()
        return
    stop, panels.hidden = TOUR_STOPS[tour.at], False
    if not tour.arrived and stop.panel:
        panels.open(stop.panel)
    first = next((title(field.name) for field in fields(session.parameters)), "") if session.parameters is not None else ""
    widgets.sought = tuple(name.format(first) for name in stop.controls)
    tour.target = _target(stop, panels)
    widgets.found.clear()
    _shade(tour.target)
    _box(tour, stop)


def _target(stop: Stop, panels: Panels) -> Rectangle:
    """The rectangle that a stop points at (x, y, w, h) [px], y down."""
    for name in widgets.sought:
        if name in widgets.found:
            x0, y0, x1, y1 = widgets.found[name]
            air = widgets.scaled(4.0)
            return x0 - air, y0 - air, x1 - x0 + 2.0 * air, y1 - y0 + 2.0 * air
    window = imgui.internal.find_window_by_name(panels.all[stop.panel].window) if stop.panel else None
    if window is not None and window.active:
        return window.pos.x, window.pos.y, window.size.x, window.size.y
    return panels.centre


def _shade(target: Rectangle) -> None:
    """Darken everything but the target, and frame that."""
    screen, flags = imgui.get_main_viewport(), imgui.WindowFlags_
    imgui.set_next_window_pos(screen.pos)
    imgui.set_next_window_size(screen.size)
    imgui.begin("##shade", None, flags.no_decoration | flags.no_inputs | flags.no_background | flags.no_saved_settings
                | flags.no_docking | flags.no_nav | flags.no_focus_on_appearing)
    _bring_to_front()
    (x, y, width, height), end = target, (screen.pos.x + screen.size.x, screen.pos.y + screen.size.y)
    draw_list, colour, p = imgui.get_window_draw_list(), style.u32((0.0, 0.0, 0.0, SHADE_OPACITY)), style.palette()
    for x0, y0, x1, y1 in ((screen.pos.x, screen.pos.y, end[0], y), (screen.pos.x, y + height, end[0], end[1]),
                           (screen.pos.x, y, x, y + height), (x + width, y, end[0], y + height)):
        draw_list.add_rect_filled(imgui.ImVec2(x0, y0), imgui.ImVec2(x1, y1), colour)
    draw_list.add_rect(imgui.ImVec2(x, y), imgui.ImVec2(x + width, y + height), style.u32(p.accent_strong), widgets.scaled(4.0),
                       widgets.scaled(2.5))
    imgui.end()


def _bring_to_front() -> None:
    """Draw this window over the others, but not over an open menu."""
    if not imgui.is_popup_open("", imgui.PopupFlags_.any_popup_id | imgui.PopupFlags_.any_popup_level):
        imgui.internal.bring_window_to_display_front(imgui.internal.get_current_window())


def _box(tour: Tour, stop: Stop) -> None:
    """Draw the text with its buttons beside the target."""
    flags, before = imgui.WindowFlags_, imgui.internal.find_window_by_name("###tour")
    height = before.size.y if before is not None else widgets.scaled(150.0)
    imgui.set_next_window_pos(imgui.ImVec2(*place_beside(tour.target, (widgets.scaled(TEXT_WIDTH), height))))
    imgui.set_next_window_size(imgui.ImVec2(widgets.scaled(TEXT_WIDTH), 0.0))
    if not tour.arrived:
        tour.arrived = True
        imgui.set_next_window_focus()       # a slider that was touched before would take Enter, too
    imgui.begin("###tour", None, flags.no_decoration | flags.no_saved_settings | flags.no_docking | flags.no_move | flags.no_nav
                | flags.always_auto_resize | flags.no_focus_on_appearing)
    _bring_to_front()
    imgui.push_font(None, 1.15 * imgui.get_style().font_size_base)
    widgets.wrapped(stop.head)
    imgui.pop_font()
    widgets.wrapped(stop.text)
    imgui.dummy(imgui.ImVec2(0.0, widgets.scaled(4.0)))
    last = tour.at == len(TOUR_STOPS) - 1
    entered = imgui.is_key_pressed(imgui.Key.enter, False) and not imgui.get_io().want_text_input
    if widgets.button("Done" if last else "Next", "Enter does the same.", name="next", accent=True) or entered:
        tour.go(tour.at + 1)
    imgui.same_line()
    imgui.begin_disabled(tour.at == 0)
    if widgets.button("Back", name="back"):
        tour.go(tour.at - 1)
    imgui.end_disabled()
    imgui.same_line()
    if widgets.button(icons.text(icons.CLOSE, "", "x"), "End the tour. Esc does the same.", name="close"):
        tour.go(-1)
    imgui.same_line()
    imgui.align_text_to_frame_padding()
    widgets.right(f"{tour.at + 1 or len(TOUR_STOPS)} / {len(TOUR_STOPS)}", style.palette().dim)
    imgui.end()


def place_beside(target: Rectangle, size: tuple[float, float]) -> tuple[float, float]:
    """Upper left corner of a box of that size [px]: beside the target if there is room, else within its lower right corner."""
    screen, gap, (x, y, width, height) = imgui.get_main_viewport(), widgets.scaled(TEXT_GAP), target
    lo, hi = (screen.pos.x, screen.pos.y), (screen.pos.x + screen.size.x, screen.pos.y + screen.size.y)
    across = min(max(x, lo[0] + gap), hi[0] - size[0] - gap)
    down = min(max(y, lo[1] + gap), hi[1] - size[1] - gap)
    beside = (x + width + gap, down), (x - gap - size[0], down), (across, y + height + gap), (across, y - gap - size[1])
    for left, top in beside:
        if lo[0] <= left and left + size[0] <= hi[0] and lo[1] <= top and top + size[1] <= hi[1]:
            return left, top
    return min(x + width, hi[0]) - size[0] - gap, min(y + height, hi[1]) - size[1] - gap
