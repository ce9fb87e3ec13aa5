"""Which tool is in the hand: nothing, or the handles to move, turn or size the selected body. No ImGui, no GL."""

from dataclasses import dataclass

from app.insight import sizes
from app.session import Session

MODES = ("move", "turn", "size")


@dataclass
class Tool:
    """mode: one of MODES, "" for the bare hand. local: along the body's own axes, else the world's.

    over, using: the mouse is over the handles, or holds them. resume: it ran when they were taken.
    """

    mode: str = ""
    local: bool = False
    over: bool = False
    using: bool = False
    resume: bool = False


def choose(session: Session, mode: str) -> None:
    """Take a tool, or put it away if it is in the hand; a sentence where it has nothing to act on."""
    tool = session.memory(Tool)
    tool.mode = "" if tool.mode == mode else mode
    body = session.selection.body
    if not tool.mode:
        return
    if body <= 0:
        session.say(f"select a body to {mode} it: click it, or choose it in the panel Outliner")
    elif mode == "size" and (reason := sizes.refusal(session.frame, body)):
        session.say(reason)
