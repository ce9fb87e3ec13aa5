"""The keyboard among the panels, for whoever has no mouse at hand.

Arrows and Tab go from control to control, Space presses, Enter types into a control, Ctrl+Tab goes to the next panel; Esc, or a
click on the scene, gives the keyboard back to the scene.
"""

from app.gui.panels import OVER, Panels
from app.gui.speaking import imgui
from app.session import Session

SAID = ("the keyboard is in the panels: arrows go from control to control, Space presses, Enter types, Ctrl+Tab goes to the next "
        "panel, Esc goes back to the scene")
_ENABLED = imgui.ConfigFlags_.nav_enable_keyboard


def in_panels() -> bool:
    """Keys are for the control that has the frame around it, not for the scene."""
    return bool(imgui.get_io().config_flags & _ENABLED)


def enter(session: Session, panels: Panels) -> None:
    """Begin in the panel that was used last; a no-op where the keyboard is there already."""
    if in_panels():
        return
    imgui.get_io().config_flags |= _ENABLED
    windows = [imgui.internal.find_window_by_name(panel.window) for panel in panels.all.values()
               if panel.open and panel.place not in OVER]
    drawn = [window for window in windows if window is not None and window.active and not window.hidden]
    if drawn:
        imgui.internal.focus_window(max(drawn, key=lambda window: window.last_frame_just_focused))
    imgui.set_nav_cursor_visible(True)
    session.say(SAID)


def new_frame() -> None:
    """ImGui's. What had the keyboard may be gone, as the sign for "back to the default" is once it was pressed; the first control
    of its panel has it then, which ImGui takes from the picture that begins."""
    context = imgui.get_current_context()
    before = context.nav_window
    lost = in_panels() and before is not None and before.active and context.nav_id and not context.nav_id_is_alive
    imgui.new_frame()
    if lost and context.nav_window is not None and context.nav_window.id_ == before.id_:
        imgui.internal.nav_init_window(context.nav_window, True)


def leave() -> bool:
    """Back to the scene; False if the keyboard was not in the panels."""
    if not in_panels():
        return False
    imgui.get_io().config_flags &= ~_ENABLED
    imgui.set_nav_cursor_visible(False)
    return True
