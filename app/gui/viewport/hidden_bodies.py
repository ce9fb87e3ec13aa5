"""Bodies hidden by the user: neither drawn nor picked. The physics is unaffected. No ImGui."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from app.engine.frame import Frame
from app.gui.viewport.multi_select import selected_with
from app.i18n.message import message
from app.session import Selection, Session
from physics.core.records import copy_of


@dataclass
class Hidden:
    """bodies: names by index, of `scene`; made: cache of (frame, hidden bodies, frame without them).

    away: bodies hidden for a moment, while the handles preview their stretching.
    """

    bodies: dict[int, str] = field(default_factory=dict)
    scene: str = ""
    made: tuple[Frame, tuple[int, ...], Frame] | None = None
    away: tuple[int, ...] = ()

    def without_hidden(self, frame: Frame) -> Frame:
        """The frame without the hidden bodies; the same object as long as nothing changes."""
        if frame.scene != self.scene:
            self.bodies, self.scene, self.made = {}, frame.scene, None
        names = frame.body_names
        for body, name in list(self.bodies.items()):
            if body >= len(names) or not names[body]:
                del self.bodies[body]               # it is gone; a new body in its place is visible
            elif names[body] != name:
                self._renamed(frame, body)
        bodies = (*self.bodies, *self.away)
        if not bodies:
            return frame
        if self.made is None or self.made[0] is not frame or self.made[1] != bodies:
            self.made = frame, bodies, without_hidden(frame, bodies)
        return self.made[2]

    def _renamed(self, frame: Frame, body: int) -> None:
        """Handle a new name at the same index: the body stays hidden if no body was added or removed meanwhile."""
        if self.made is not None and self.made[0].revision == frame.revision:
            self.bodies[body] = frame.body_names[body]
        else:
            del self.bodies[body]


def visible(session: Session) -> Frame:
    """The newest frame as drawn and picked, without hidden bodies."""
    return session.state(Hidden).without_hidden(session.frame)


def without_hidden(frame: Frame, bodies: Iterable[int]) -> Frame:
    """A frame in which these bodies have no shapes."""
    shapes, gone = copy_of(frame.shapes), tuple(bodies)
    shapes["body"][np.isin(shapes["body"], gone)] = -1
    return replace(frame, shapes=shapes, hidden=gone, followers=tuple(without_hidden(other, gone) for other in frame.followers))


def hide(session: Session, bodies: Iterable[int]) -> None:
    """Hide bodies and deselect them."""
    names, hidden = session.frame.body_names, session.state(Hidden)
    visible(session)       # switch to this scene
    hidden.bodies |= {i: names[i] for i in bodies if 0 < i < len(names) and names[i]}
    if any(i in hidden.bodies for i in session.selection.bodies):
        session.selection = Selection.of(i for i in session.selection.bodies if i not in hidden.bodies)


def hide_chosen(session: Session, body: int) -> None:
    """Hide a body and all selected with it."""
    among, names = selected_with(session, body), session.frame.body_names
    if not among:
        return
    hide(session, among)
    what = names[among[0]] if len(among) == 1 else message("{count} body", "{count} bodies", count=len(among))
    session.notify(message("hidden: {what}; still simulated. Alt+H shows all", what=what))


def toggle(session: Session, body: int) -> None:
    """Hide a body, or show it again."""
    hidden = session.state(Hidden)
    if hidden.bodies.pop(body, None) is None:
        hide(session, (body,))


def show_all(session: Session) -> None:
    """Show everything again."""
    session.state(Hidden).bodies.clear()
