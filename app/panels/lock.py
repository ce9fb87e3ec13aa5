"""Lock the window for a class, with a code or without one, and open it again."""

from dataclasses import dataclass

from app.gui.controls import style, widgets
from app.gui.speaking import imgui
from app.insight.lock import LONGEST, Lock
from app.session import Selection, Session

TITLE = "Lock for a class"
PLACE = "float"
OPEN = False


@dataclass
class State:
    """What is being typed, and whether it was refused."""

    code: str = ""
    refused: bool = False


def draw(session: Session) -> None:
    lock, state = session.memory(Lock), session.memory(State)
    imgui.dummy(imgui.ImVec2(widgets.px(360.0), 0.0))
    if not lock.on:
        widgets.wrapped("Everything but the lesson, its parameters, the plot and the time disappears, and other keys do nothing, "
                        "until the code is typed. Closing the window stays possible.")
    else:
        widgets.wrapped("Only the lesson, its parameters, the plot and the time are within reach.")
        widgets.wrapped("The teacher's code opens the rest." if lock.code else "No code is set: anybody may open the rest.")
    entered = False
    if lock.code or not lock.on:
        imgui.set_next_item_width(widgets.px(180.0))
        flags = imgui.InputTextFlags_.enter_returns_true | (imgui.InputTextFlags_.password if lock.on else 0)
        entered, state.code = imgui.input_text_with_hint("##code", "code", state.code[:LONGEST], flags)
        widgets.mark("code")
        widgets.tooltip(f"Up to {LONGEST} letters or digits." + ("" if lock.on else " Without one anybody may open it."))
        imgui.same_line()
    if lock.on:
        if widgets.button("Open", "Everything comes back.", name="unlock", accent=True) or entered:
            _open(session, lock, state)
    elif widgets.button("Lock", "The class may begin.", name="lock", accent=True) or entered:
        lock.close(state.code)
        state.code, state.refused = "", False
        session.selection = Selection()
        session.request("panel:lock")
        session.request("open:exercises")
    if state.refused:
        widgets.coloured("This is not the code.", style.palette().warn)


def _open(session: Session, lock: Lock, state: State) -> None:
    state.refused = not lock.open(state.code)
    state.code = ""
    if not state.refused:
        session.request("panel:lock")
