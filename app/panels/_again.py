"""For panels that collect from the moment they are opened: what was before can be seen again."""

from app.gui.controls import icons, widgets
from app.session import Session


def offer(session: Session) -> None:
    """A button that plays the past from its begin, where there is one behind the moment at which it is paused."""
    past = session.frame.past
    if not session.frame.paused or session.frame.step <= past.first:
        return
    if widgets.button(icons.text(icons.REPLAY, "See the past again", "<>"), "This panel collects from when it is opened. Plays "
                      "what was before from its begin, step by step as it was, and nothing is forgotten.", name="see again"):
        session.post("go_to_step", past.first)
        session.post("play_past")
