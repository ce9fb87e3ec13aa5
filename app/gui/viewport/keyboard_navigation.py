"""Keyboard navigation of the panels, for use without a mouse.

Arrows and Tab move between controls, Space presses, Enter types into a control, Ctrl+Tab goes to the next panel; Esc, or a
click on the scene, returns the keyboard to the scene.
"""

from app.gui.shell.panel_host import FLOATING_PLACES, Panels
from app.i18n.imgui_translated import imgui
from app.session import Session

NAVIGATION_HELP = ("keyboard navigation of the panels: arrow keys move between controls, Space presses, Enter edits, Ctrl+Tab "
                   "goes to the next panel, Esc returns to the scene")
_ENABLED = imgui.ConfigFlags_.nav_enable_keyboard


def in_panels() -> bool:
    """Whether keys go to the focused control instead of the scene."""
    return bool(imgui.get_io().config_flags & _ENABLED)


def enter(session: Session, panels: Panels) -> None:
    """Focus the panel used last, or the question that waits; does nothing if the keyboard is already there."""
    if in_panels():
        return
    imgui.get_io().config_flags |= _ENABLED
    windows = [imgui.internal.find_window_by_name(panel.window) for panel in panels.all.values()
               if panel.open and panel.place not in FLOATING_PLACES]
    drawn = [window for window in windows if window is not None and window.active and not window.hidden]
    if drawn and not panels.asks:       # a question has the focus
        imgui.internal.focus_window(max(drawn, key=lambda window: window.last_frame_just_focused))
    imgui.set_nav_cursor_visible(True)
    session.notify(NAVIGATION_HELP)


def new_frame() -> None:
    """Begin ImGui's frame. If the focused control is gone, as the icon "back to the default" is once pressed, the first control
    of its panel gets the focus, which ImGui takes from the picture that begins."""
    context = imgui.get_current_context()
    before = context.nav_window
    lost = in_panels() and before is not None and before.active and context.nav_id and not context.nav_id_is_alive
    imgui.new_frame()
    if lost and context.nav_window is not None and context.nav_window.id_ == before.id_:
        imgui.internal.nav_init_window(context.nav_window, True)


def leave() -> bool:
    """Return the keyboard to the scene; False if it was there."""
    if not in_panels():
        return False
    imgui.get_io().config_flags &= ~_ENABLED
    imgui.set_nav_cursor_visible(False)
    return True
