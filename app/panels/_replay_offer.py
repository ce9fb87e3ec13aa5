"""Offer of a replay, for panels that collect data only while open."""

from app.engine import commands
from app.gui.controls import icons, widgets
from app.session import Session


def offer(session: Session) -> None:
    """Draw a button that replays the recorded past from its start, if paused with a past to replay."""
    past = session.frame.past
    if not session.frame.paused or session.frame.step <= past.first:
        return
    if widgets.button(icons.text(icons.REPLAY, "Replay the past", "<>"), "This panel collects data from the moment it is "
                                                                            "opened. Replays the recorded past from its start, "
                                                                            "step by step; no data is lost.", name="see again"):
        session.post(commands.go_to_step, past.first)
        session.post(commands.replay)
