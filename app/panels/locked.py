"""In the status bar of a locked window: that it is, and the way to its code."""

from app.gui.controls import icons, style, widgets
from app.gui.speaking import imgui
from app.insight.lock import Lock
from app.session import Session

TITLE = "Locked"
PLACE = "status"
ORDER = 5


def draw(session: Session) -> None:
    if not session.memory(Lock).on:
        return
    widgets.coloured(icons.text(icons.STICK, "locked for a class"), style.palette().accent_strong)
    widgets.mark("locked")
    widgets.tooltip("Click to type the code.")
    if imgui.is_item_clicked():
        session.request("open:lock")
    imgui.same_line(0.0, widgets.px(22.0))
