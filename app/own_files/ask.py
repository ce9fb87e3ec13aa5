"""Asks the user once about each new own file, in the window. No ImGui."""

import os
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.files.folders import data_folder
from app.i18n.message import message
from app.own_files import discover, trust
from app.own_files.trust import TrustStore

TRUST_WARNING = ("It is a program with full access to this computer: it can read, change and delete files and use the network.")
"""Warning shown with the question."""


@dataclass
class TrustQuestions:
    """State of the question. new: files not asked about yet; on: whether the window asks at all; met: a new panel has run."""

    new: list[Path] = field(default_factory=list)
    on: bool = False
    met: bool = False
    _answers: TrustStore | None = None
    _later: set[Path] = field(default_factory=set)
    _stamps: tuple = ()
    _last_scan: float = 0.0

    def update(self, session: Any, now: float) -> None:
        """Check for new files at intervals. now: perf_counter [s]."""
        if self.met:
            self.met = False
            session.window.add_new_panels()
        restoring = session.shows_panel("restore")
        if not self.on or restoring or now - self._last_scan < discover.WATCH_INTERVAL:
            return
        self._last_scan, stamps = now, tuple(map(_stamp, discover.JOINED_PACKAGES))
        if stamps == self._stamps:
            return
        self._stamps = stamps
        before, self.new = self.new, [path for path in discover.adopt() if path not in self._later]
        if set(self.new) - set(before):
            session.window.open_panel("own_files")

    @property
    def answers(self) -> TrustStore:
        """The answers so far."""
        if self._answers is None:
            self._answers = TrustStore.load(trust.place())
        return self._answers

    def answer(self, session: Any, path: Path, runs: bool) -> None:
        """Answer for a new file, or change an answer. A file that already runs keeps running until the next start."""
        self.new = [other for other in self.new if other != path]
        self.answers.remember(path, runs)
        if runs:
            threading.Thread(target=self._read, args=(session.simulation, path), name="own file", daemon=True).start()

    def later(self) -> None:
        """Skip the new files until the next start, which asks again."""
        self._later |= set(self.new)
        self.new = []

    def _read(self, simulation: Any, path: Path) -> None:
        """Run a file for the first time and report the result."""
        if trouble := discover.run_first(path):
            simulation.notify(message("{path} is skipped: {trouble}", path=path, trouble=trouble))
        elif path.parent.name == "overlays":
            simulation.notify(message("{path} is available from the next start on", path=path.name))
        else:
            simulation.notify(message("{path} is now available", path=path.name))
        self.met |= path.parent.name == "panels"


def _stamp(name: str) -> int:
    """Modification time of a folder of own files [ns]; 0 if there is none."""
    try:
        return os.stat(data_folder() / name).st_mtime_ns
    except OSError:
        return 0
