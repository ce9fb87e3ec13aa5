"""A session that ended unexpectedly: what is left of it, how it looked, what to do with it. No ImGui."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import scenes
from app.engine.journal import Abandoned, abandoned
from app.gui.output import files
from app.render.offscreen import Offscreen, as_png
from app.session import Session
from physics import BadInput

EVERY = 10.0
"""Wall seconds between two pictures that are kept beside a journal."""

SIZE = (480, 300)
"""Of such a picture [px]; what is beside this shape is left out."""


def folder() -> Path:
    """Of the journals."""
    return files.state() / "journal"


@dataclass
class Offer:
    """What is left of sessions that ended unexpectedly, the newest first; nobody else has them meanwhile."""

    left: list[Abandoned] = field(default_factory=list)

    def find(self) -> None:
        self.left = abandoned(folder())

    def restore(self, session: Session) -> None:
        """Bring the newest back; its file goes once this session's has all of it."""
        newest = self.left.pop(0)
        session.post("recover", newest.path, newest.remove)
        self.postpone()

    def discard(self) -> None:
        """Forget the newest."""
        self.left.pop(0).remove()

    def postpone(self) -> None:
        """Ask again at the next start."""
        while self.left:
            self.left.pop().leave()


def told(left: Abandoned) -> str:
    """When that was, of which scene, how much was done in it."""
    try:
        title = scenes.find(left.seen.scene).title
    except BadInput:        # a scene of one's own that is gone
        title = left.seen.scene
    when = time.strftime("%d %b %H:%M", time.localtime(left.seen.clock))
    if left.seen.edits == 1:
        return f"The last session ended unexpectedly ({when}, '{title}', 1 edit)."
    return f"The last session ended unexpectedly ({when}, '{title}', {left.seen.edits} edits)."


@dataclass
class Camera:
    """Keeps a picture of the scene beside the journal, now and then, where something has changed."""

    taken: float = 0.0
    of: tuple = ()

    def see(self, window: Any, now: float) -> None:
        """A picture of the window was drawn. now: perf_counter [s]."""
        session = window.session
        journal, of = session.thread.journal, (session.frame.scene, session.frame.step, len(session.simulation.edits.done))
        if journal is None or now - self.taken < EVERY or of == self.of:
            return
        self.taken, self.of = now, of
        ratio = window.get_framebuffer_size()[0] / max(1, window.get_size()[0])
        left, top, width, height = (ratio * side for side in window.gui.panels.centre)
        scale = min(width / SIZE[0], height / SIZE[1])
        x, y = left + 0.5 * (width - scale * SIZE[0]), top + 0.5 * (height + scale * SIZE[1])
        if scale > 0.0:
            with Offscreen(*SIZE, 0) as small:
                small.shrink(*map(round, (x, window.get_framebuffer_size()[1] - y, scale * SIZE[0], scale * SIZE[1])))
                pixels = small.pixels()
            journal.show(lambda: as_png(pixels))
