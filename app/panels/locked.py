"""Status bar note of a locked window, with access to its code."""

from app.analysis.lessons.classroom_lock import Lock
from app.gui.controls import icons, style, widgets
from app.i18n.imgui_translated import imgui
from app.session import Session

TITLE = "Locked"
PLACE = "status"
ORDER = 5


def draw(session: Session) -> None:
    if not session.state(Lock).on:
        return
    widgets.coloured(icons.text(icons.STICK, "locked for a class"), style.palette().accent_strong)
    widgets.register_area("locked")
    widgets.tooltip("Click to enter the code.")
    if imgui.is_item_clicked():
        session.window.open_panel("lock")
    imgui.same_line(0.0, widgets.scaled(22.0))
