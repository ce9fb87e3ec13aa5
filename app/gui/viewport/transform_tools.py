"""The active tool: none, or the handles to move, turn or size the selected body. No ImGui, no GL."""

from dataclasses import dataclass

from app.analysis.editing import shape_sizes
from app.i18n.message import message
from app.session import Session

GIZMO_MODES = ("move", "turn", "size")


@dataclass
class Tool:
    """mode: one of GIZMO_MODES, "" for none. local: along the body's own axes, else the world's.

    over, using: the mouse is over the handles, or holds them. resume: the simulation ran when they were taken.
    """

    mode: str = ""
    local: bool = False
    over: bool = False
    using: bool = False
    resume: bool = False


def choose(session: Session, mode: str) -> None:
    """Activate a tool, or deactivate it if it is active; shows a sentence if it has nothing to act on."""
    tool = session.state(Tool)
    tool.mode = "" if tool.mode == mode else mode
    body = session.selection.body
    if not tool.mode:
        return
    if body <= 0:
        session.notify(message("select a body to {mode}: click it, or choose it in the Outliner panel", mode=mode))
    elif mode == "size" and (reason := shape_sizes.refusal(session.frame, body)):
        session.notify(reason)
