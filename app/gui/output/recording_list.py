"""The user's recordings: folder, names, list, commands of the buttons. No ImGui."""

import time
from dataclasses import dataclass, field
from pathlib import Path

from app.engine import commands
from app.engine.recording.file import SUFFIX
from app.files import folders
from app.files.atomic_write import write
from app.session import Session

MAX_LISTED = 100
"""Limit of recordings listed, the newest first."""

SCAN_INTERVAL = 1.0
"""Interval between two scans of the folder [s]."""


def folder() -> Path:
    return folders.documents() / "Recordings"


def toggle(session: Session) -> None:
    """Start recording, or stop and save."""
    if session.simulation.recorder.since < 0:
        session.post(commands.start_recording)
    else:
        session.post(commands.save_recording, _fresh(session), write)


def save_history(session: Session) -> None:
    """All that is kept of the past."""
    session.post(commands.save_recording, _fresh(session), write, whole=True)


def loop(session: Session) -> None:
    """Remove the loop if there is one, else loop over the whole past."""
    past = session.frame.past
    session.post(commands.set_loop, past.begin, past.begin if session.simulation.player.loop else past.end)


def _fresh(session: Session) -> Path:
    return folder() / f"{session.frame.scene or 'scene'}-{time.strftime('%Y%m%d-%H%M%S')}{SUFFIX}"


@dataclass(frozen=True)
class RecordingEntry:
    """A recording in the folder: its file, time of writing, size in bytes."""

    path: Path
    when: float
    size: int


@dataclass
class RecordingList:
    """The recordings in the folder, scanned at intervals."""

    found: list[RecordingEntry] = field(default_factory=list)
    last_scan: float = -1e9

    def list(self, now: float) -> list[RecordingEntry]:
        """The recordings, the newest first. now: perf_counter [s]."""
        if now - self.last_scan > SCAN_INTERVAL:
            self.last_scan, self.found = now, _scan(folder())
        return self.found


def _scan(place: Path) -> list[RecordingEntry]:
    recordings = []
    for path in place.glob(f"*{SUFFIX}"):
        try:
            stat = path.stat()
        except OSError:     # removed meanwhile
            continue
        recordings.append(RecordingEntry(path, stat.st_mtime, stat.st_size))
    return sorted(recordings, key=lambda entry: entry.when, reverse=True)[:MAX_LISTED]
