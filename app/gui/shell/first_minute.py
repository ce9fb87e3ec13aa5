"""The first minute: a window with the few panels that a beginner needs, and hints over the first scene, gone once followed."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from app.analysis.lessons.classroom_lock import Lock
from app.gui.controls import icons, style, widgets
from app.gui.viewport.presentation import Presentation
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.session import Session

FIRST_SCENE = "incline"
"""The scene of the first start."""

SIMPLE_PANELS = ("lesson", "exercises", "plot")
"""Docked panels of the simple window: those that a window locked for a class shows."""

MAX_HEIGHT_SHARE = 0.3
"""Largest share of the scene's height that hints cover: in a small window there are fewer of them, or none."""
MIN_TEXT_WIDTH = 120.0
"""Hints with less room for their text are not shown [px at scale 1]."""

THANKED = 2.5
"""How long a hint stays, ticked, after it was followed [s]."""


@dataclass
class Instruments:
    """Which window is shown: the simple one, or all instruments. put_away: which panels the other one had open, by name;
    numbers: whether the status bar shows the solver's."""

    simple: bool = False
    numbers: bool = False
    put_away: dict[str, bool] = field(default_factory=dict)

    def opens(self, name: str, by_default: bool) -> bool:
        """Whether the window shown has a docked panel open at first."""
        return name in SIMPLE_PANELS if self.simple else by_default


@dataclass
class Hints:
    """waiting: hints that were neither followed nor closed, by name; followed: when, of those still shown [wall s]."""

    waiting: list[str] = field(default_factory=list)
    followed: dict[str, float] = field(default_factory=dict)


def _tilted(session: Session) -> bool:
    return getattr(session.parameters, "angle", None) != getattr(session.scene.parameters(), "angle", None)


HINTS: dict[str, tuple[str, Callable[[Session], bool]]] = {
    "drag": ("Drag a box: press the left button on it and pull.", lambda session: session.simulation.dragged >= 0),
    "throw": ("Throw a ball: point into the scene and press B.",
              lambda session: any(name.startswith("thrown ") for name in session.frame.body_names)),
    "tilt": ("Tilt the bench: move the slider of the angle on the left.", _tilted)}
"""By name: what to do, and whether it is being done."""


def draw_hints(session: Session, centre: tuple[float, float, float, float]) -> None:
    """Draw the hints in the lower left corner of the scene, above the messages; not before an audience, whose view they cover.
    centre: its rectangle (x, y, w, h) [px], y down."""
    hints, now = session.state(Hints), time.perf_counter()
    if session.frame.scene != FIRST_SCENE or session.state(Lock).on or session.state(Presentation).on or not (
            hints.waiting or hints.followed):
        return
    for name in [name for name in hints.waiting if HINTS[name][1](session)]:
        hints.waiting.remove(name)
        hints.followed[name] = now
    hints.followed = {name: wall for name, wall in hints.followed.items() if now - wall < THANKED}
    x, y, width, height = centre
    room = min(widgets.scaled(420.0), 0.6 * width)
    shown = _fitting([name for name in HINTS if name in hints.waiting or name in hints.followed], room, MAX_HEIGHT_SHARE * height)
    if not shown:
        return
    air, flags, message_window = widgets.scaled(14.0), imgui.WindowFlags_, imgui.internal.find_window_by_name("##said")
    bottom = message_window.pos.y if message_window is not None and message_window.active else y + height
    imgui.set_next_window_pos(imgui.ImVec2(x + air, bottom - air), imgui.Cond_.always, imgui.ImVec2(0.0, 1.0))
    imgui.set_next_window_bg_alpha(0.86)
    imgui.begin("##hints", None, flags.no_decoration | flags.no_saved_settings | flags.no_docking | flags.no_move
                | flags.no_nav | flags.no_focus_on_appearing | flags.always_auto_resize)
    for name in shown:
        _hint(hints, name, room)
    imgui.end()


def _fitting(names: list[str], room: float, height: float) -> list[str]:
    """The first hints that fit into that height, in a window that leaves the scene little; room: width of their texts [px]."""
    spacing, shown = imgui.get_style().item_spacing.y, []
    left = height - 2.0 * imgui.get_style().window_padding.y
    for name in names if room >= widgets.scaled(MIN_TEXT_WIDTH) else ():
        left -= imgui.calc_text_size(translate.translate(HINTS[name][0]), wrap_width=room).y + spacing
        if left < 0.0:
            break
        shown.append(name)
    return shown


def _hint(hints: Hints, name: str, room: float) -> None:
    """Draw one hint with the cross that closes it. room: width of its text [px]."""
    p, done = style.palette(), name in hints.followed
    if imgui.small_button(f"{icons.text(icons.CLOSE, '', 'x')}###close {name}"):
        hints.followed.pop(name, None)
        if not done:
            hints.waiting.remove(name)
    widgets.register_area(f"close {name}")
    widgets.tooltip("Close this hint.")
    imgui.same_line()
    sign, colour = (icons.text(icons.DONE, "", "v"), p.good) if done else (icons.text(icons.SLIP, "", ">"), p.accent_strong)
    widgets.coloured(sign, colour)
    imgui.same_line()
    imgui.push_text_wrap_pos(imgui.get_cursor_pos_x() + room)
    widgets.coloured(HINTS[name][0], p.dim if done else p.text)
    imgui.pop_text_wrap_pos()
    widgets.register_area(name)
