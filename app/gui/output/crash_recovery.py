"""Recovery of sessions that ended unexpectedly: their journals, thumbnails, and the user's choices. No ImGui."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.engine import commands
from app.engine.recording.journal import AbandonedJournal, abandoned
from app.files import folders
from app.i18n.message import message
from app.render.opengl.offscreen import Offscreen, as_png
from app.robots import robot_file
from app.session import Session
from physics import BadInput

THUMBNAIL_INTERVAL = 10.0
"""Wall time between two thumbnails saved beside a journal [s]."""

PICTURE_SIZE = (480, 300)
"""Size of a thumbnail [px]; the window is cropped to this shape."""


def folder() -> Path:
    """Folder of the journals."""
    return folders.state() / "journal"


@dataclass
class RecoveryOffer:
    """Journals of sessions that ended unexpectedly, the newest first; other processes cannot take them meanwhile."""

    left: list[AbandonedJournal] = field(default_factory=list)

    def find(self) -> None:
        self.left = abandoned(folder())

    def restore(self, session: Session) -> None:
        """Restore the newest session; its file is removed once this session's journal has all of it."""
        newest = self.left.pop(0)
        session.post(commands.recover, newest.path, newest.remove)
        self.postpone()

    def discard(self) -> None:
        """Delete the newest."""
        self.left.pop(0).remove()

    def postpone(self) -> None:
        """Ask again at the next start."""
        while self.left:
            self.left.pop().release()


def describe_session(left: AbandonedJournal) -> str:
    """A sentence with time, scene and number of edits of the session."""
    try:
        title = robot_file.found(left.summary.scene).title
    except BadInput:        # the user's own scene is gone
        title = left.summary.scene
    when = time.strftime("%d %b %H:%M", time.localtime(left.summary.clock))
    if left.summary.edits == 1:
        return message("The last session ended unexpectedly ({when}, '{title}', 1 edit).", when=when, title=title)
    return message("The last session ended unexpectedly ({when}, '{title}', {edits} edits).", when=when, title=title,
                   edits=left.summary.edits)


@dataclass
class ThumbnailWriter:
    """Saves a thumbnail of the scene beside the journal at intervals, if something has changed."""

    last_saved: float = 0.0
    of: tuple = ()

    def update(self, window: Any, now: float) -> None:
        """Call after each picture of the window. now: perf_counter [s]."""
        session = window.session
        journal, of = session.thread.journal, (session.frame.scene, session.frame.step, len(session.simulation.edits.done))
        if journal is None or now - self.last_saved < THUMBNAIL_INTERVAL or of == self.of:
            return
        self.last_saved, self.of = now, of
        ratio = window.get_framebuffer_size()[0] / max(1, window.get_size()[0])
        left, top, width, height = (ratio * side for side in window.gui.panels.centre)
        scale = min(width / PICTURE_SIZE[0], height / PICTURE_SIZE[1])
        x, y = left + 0.5 * (width - scale * PICTURE_SIZE[0]), top + 0.5 * (height + scale * PICTURE_SIZE[1])
        if scale > 0.0:
            with Offscreen(*PICTURE_SIZE, 0) as small:
                bottom = window.get_framebuffer_size()[1] - y
                small.shrink(*map(round, (x, bottom, scale * PICTURE_SIZE[0], scale * PICTURE_SIZE[1])))
                pixels = small.pixels()
            journal.show(lambda: as_png(pixels))
