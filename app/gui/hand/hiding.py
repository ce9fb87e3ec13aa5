"""Bodies that a person does not want to see: neither drawn nor found by the mouse. The physics knows nothing of it. No ImGui."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from app.engine.frame import Frame
from app.gui.hand.choosing import with_it
from app.session import Selection, Session
from physics.core.records import copy_of


@dataclass
class Hidden:
    """bodies: names by index, of `scene`; made: the frame that was looked at last, whose bodies, and what was left of it.

    away: bodies that are drawn otherwise for a moment, by handles that stretch them.
    """

    bodies: dict[int, str] = field(default_factory=dict)
    scene: str = ""
    made: tuple[Frame, tuple[int, ...], Frame] | None = None
    away: tuple[int, ...] = ()

    def seen(self, frame: Frame) -> Frame:
        """The frame without these; the same one as long as nothing changes."""
        if frame.scene != self.scene:
            self.bodies, self.scene, self.made = {}, frame.scene, None
        names = frame.body_names
        for body, name in list(self.bodies.items()):
            if body >= len(names) or not names[body]:
                del self.bodies[body]               # it is gone, and who comes into its place is seen
            elif names[body] != name:
                self._renamed(frame, body)
        bodies = (*self.bodies, *self.away)
        if not bodies:
            return frame
        if self.made is None or self.made[0] is not frame or self.made[1] != bodies:
            self.made = frame, bodies, without(frame, bodies)
        return self.made[2]

    def _renamed(self, frame: Frame, body: int) -> None:
        """Another name in the same place: of the same body, if nothing came or went meanwhile."""
        if self.made is not None and self.made[0].revision == frame.revision:
            self.bodies[body] = frame.body_names[body]
        else:
            del self.bodies[body]


def seen(session: Session) -> Frame:
    """What is drawn of the newest frame, and found by the mouse."""
    return session.memory(Hidden).seen(session.frame)


def without(frame: Frame, bodies: Iterable[int]) -> Frame:
    """A frame in which these bodies have no shapes."""
    shapes, gone = copy_of(frame.shapes), tuple(bodies)
    shapes["body"][np.isin(shapes["body"], gone)] = -1
    return replace(frame, shapes=shapes, hidden=gone, others=tuple(without(other, gone) for other in frame.others))


def hide(session: Session, bodies: Iterable[int]) -> None:
    """Hide bodies; they are selected no longer."""
    names, hidden = session.frame.body_names, session.memory(Hidden)
    seen(session)       # of this scene
    hidden.bodies |= {i: names[i] for i in bodies if 0 < i < len(names) and names[i]}
    if any(i in hidden.bodies for i in session.selection.bodies):
        session.selection = Selection.of(i for i in session.selection.bodies if i not in hidden.bodies)


def hide_chosen(session: Session, body: int) -> None:
    """Hide a body and all that are selected with it."""
    among, names = with_it(session, body), session.frame.body_names
    if not among:
        return
    hide(session, among)
    what = names[among[0]] if len(among) == 1 else f"{len(among)} bodies"
    session.say(f"hidden: {what}; the physics goes on with it. Alt+H shows all again")


def toggle(session: Session, body: int) -> None:
    """Hide a body, or show it again."""
    hidden = session.memory(Hidden)
    if hidden.bodies.pop(body, None) is None:
        hide(session, (body,))


def show_all(session: Session) -> None:
    """Show everything again."""
    session.memory(Hidden).bodies.clear()
