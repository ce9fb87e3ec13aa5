"""Recordings as a person meets them: where they are, what they are called, what the buttons about them do. No ImGui."""

import time
from dataclasses import dataclass, field
from pathlib import Path

from app.engine.recording import SUFFIX
from app.gui.output import files
from app.session import Session
from app.whole_files import write

MOST = 100
"""Recordings listed, the newest first."""

LOOK_EVERY = 1.0
"""Seconds between two looks into the folder."""


def folder() -> Path:
    return files.documents() / "Recordings"


def toggle(session: Session) -> None:
    """Start recording, or stop and save."""
    if session.simulation.since < 0:
        session.post("start_recording")
    else:
        session.post("save_recording", _fresh(session), write)


def save_past(session: Session) -> None:
    """All that is kept of the past."""
    session.post("save_recording", _fresh(session), write, whole=True)


def loop(session: Session) -> None:
    """No loop where there is one, else one over all of the past."""
    past = session.frame.past
    session.post("set_loop", past.begin, past.begin if session.simulation.loop else past.end)


def _fresh(session: Session) -> Path:
    return folder() / f"{session.frame.scene or 'scene'}-{time.strftime('%Y%m%d-%H%M%S')}{SUFFIX}"


@dataclass(frozen=True)
class Tape:
    """A recording in the folder: its file, when it was written, bytes."""

    path: Path
    when: float
    size: int


@dataclass
class Tapes:
    """What is in the folder; it is looked into now and then."""

    found: list[Tape] = field(default_factory=list)
    looked: float = -1e9

    def list(self, now: float) -> list[Tape]:
        """The newest first. now: perf_counter [s]."""
        if now - self.looked > LOOK_EVERY:
            self.looked, self.found = now, _look(folder())
        return self.found


def _look(place: Path) -> list[Tape]:
    tapes = []
    for path in place.glob(f"*{SUFFIX}"):
        try:
            stat = path.stat()
        except OSError:     # it is gone meanwhile
            continue
        tapes.append(Tape(path, stat.st_mtime, stat.st_size))
    return sorted(tapes, key=lambda tape: tape.when, reverse=True)[:MOST]
