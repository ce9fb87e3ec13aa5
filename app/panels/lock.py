"""Panel to lock the window for a class, with or without a code, and to unlock it."""

from dataclasses import dataclass

from app.analysis.lessons.classroom_lock import MAX_CODE_LENGTH, Lock
from app.gui.controls import style, widgets
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.session import Selection, Session

TITLE = "Lock for a class"
PLACE = "float"
OPEN = False
GROUP = ""


@dataclass
class LockState:
    """The code being typed, and whether it was refused."""

    code: str = ""
    refused: bool = False


def draw(session: Session) -> None:
    lock, state = session.state(Lock), session.state(LockState)
    imgui.dummy(imgui.ImVec2(widgets.scaled(360.0), 0.0))
    if not lock.on:
        widgets.wrapped("Hide everything except the lesson, its parameters, the plot and the time controls, and disable other "
                        "keys, until the code is entered. The window can still be closed.")
    else:
        widgets.wrapped("Only the lesson, its parameters, the plot and the time controls are available.")
        widgets.wrapped("Enter the teacher's code to unlock the "
                        "rest." if lock.code else "No code is set: anyone can unlock the rest.")
    entered = False
    if lock.code or not lock.on:
        if imgui.is_window_appearing():
            imgui.set_keyboard_focus_here()
        imgui.set_next_item_width(widgets.scaled(180.0))
        flags = imgui.InputTextFlags_.enter_returns_true | (imgui.InputTextFlags_.password if lock.on else 0)
        entered, state.code = imgui.input_text_with_hint("##code", "code", state.code[:MAX_CODE_LENGTH], flags)
        widgets.register_area("code")
        widgets.tooltip(message("Up to {max_code_length} letters or digits.", max_code_length=MAX_CODE_LENGTH)
                        + ("" if lock.on else " Without a code anyone can unlock it."))
        imgui.same_line()
    if lock.on:
        if widgets.button("Open", "Unlock all panels.", name="unlock", accent=True) or entered:
            _open(session, lock, state)
    elif widgets.button("Lock", "Lock the window for the class.", name="lock", accent=True) or entered:
        lock.close(state.code)
        state.code, state.refused = "", False
        session.selection = Selection()
        session.window.toggle_panel("lock")
        session.window.open_panel("exercises")
    if state.refused:
        widgets.coloured("Wrong code.", style.palette().warn)


def _open(session: Session, lock: Lock, state: LockState) -> None:
    state.refused = not lock.open(state.code)
    state.code = ""
    if not state.refused:
        session.window.toggle_panel("lock")
