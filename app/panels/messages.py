"""Everything that was said."""

import time

from imgui_bundle import imgui

from app.gui import style, widgets
from app.session import Session

TITLE = "Messages"
PLACE = "bottom"
ORDER = 30


def draw(session: Session) -> None:
    if not session.messages:
        widgets.dim("Nothing to report.")
        return
    now = time.perf_counter()
    for message in reversed(session.messages):
        widgets.dim(ago(now - message.wall))
        imgui.same_line(widgets.px(90.0))
        widgets.wrapped(message.text, style.palette().text)


def ago(seconds: float) -> str:
    """How long ago, roughly."""
    if seconds < 60.0:
        return f"{max(0.0, seconds):.0f} s ago"
    return f"{seconds / 60.0:.0f} min ago" if seconds < 3600.0 else f"{seconds / 3600.0:.0f} h ago"
