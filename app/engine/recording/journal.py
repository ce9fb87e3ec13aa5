"""Writes a person's commands to a file as they happen, so that a killed process loses less than a second of work.

The physics thread only queues what happens, by value. The journal's own thread packs and writes it (journal_file.py), and
flushes it to the disk at most once in SYNC: written data survives the end of the process without a flush, but not a loss of
power.
"""

import contextlib
import errno
import logging
import os
import secrets
import stat
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from app.engine.recording.journal_file import JournalSummary, JournalWriter, Source, StepEntry, glance
from app.engine.timeline.history import CommandRecord, Keyframe, StepChecksum
from app.files.atomic_write import write
from app.files.file_lock import lock_file
from app.i18n.message import message
from physics import BadInput
from physics.core.options import fields

log = logging.getLogger(__name__)

WRITE_INTERVAL = 0.2
"""Interval between two runs of the writer [wall s]."""
SYNC = 1.0
"""Least interval between two flushes to the disk [wall s]."""
MAX_REPLAY_TIME = 2.0
"""Cost of steps between two keyframes [wall s]: the time to recompute the last steps."""
STATE_INTERVAL_AFTER_CUT = 0.4
"""The same after a step that the time budget cut short, which cannot be recomputed."""
STATE_COST_FACTOR = 20.0
"""The interval between keyframes is at least this multiple of the time of packing one."""
RETRY_INTERVAL = 10.0
"""Interval between attempts to write a file that cannot be written [s]."""
MAX_ABANDONED = 5
"""Largest number of abandoned journals kept until the user decides; the oldest are removed."""

SUFFIX, LOCK, PICTURE = ".journal", ".lock", ".png"


class Journal:
    """The journal of a simulation, in a file of its own; listens to its history (`SimulationHistory.listener`).

    view_state: encodes the view state (view_state.py); None: there is no window.
    """

    def __init__(self, folder: Path, simulation: Any) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path, self.simulation = folder / f"{os.getpid()}-{secrets.token_hex(4)}{SUFFIX}", simulation
        self._claim = _claimed(self.path)
        self.view_state: Callable[[], bytes] | None = None
        self._last_view_check = 0.0
        self._events: deque[tuple[Callable | None, tuple]] = deque()      # method and arguments; method None: a step
        # since the last keyframe: cost of steps, whether one was cut short, whether the next one must be written, its time
        self._cost, self._cut, self._owed, self._at = 0.0, False, False, 0.0
        self._acts = -1             # number of commands, steps, and beginnings after the first
        self._packing = 0.0         # wall time of packing a keyframe
        self._over, self._ended = threading.Event(), False
        self._pages = JournalWriter(self.path)
        self._where, self._synced, self._dirty, self._retry, self._failure_reported = (), 0.0, False, 0.0, False
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    # ---- events of the history, on the physics thread

    def on_begin(self, moment: Keyframe) -> None:
        """Begin with this keyframe."""
        one = self.simulation
        if one.scene is not None:
            parameters = {f.name: getattr(one.parameters, f.name) for f in fields(one.parameters)}
            self._whole(self._start, moment, Source(one.scene_name, parameters, tuple(one.world.drivers)))

    def on_keyframe(self, moment: Keyframe) -> None:
        """Write the present if the last keyframe is too old."""
        since = time.perf_counter() - self._at
        due = (self._cost >= MAX_REPLAY_TIME
               or (self._cut and since >= STATE_INTERVAL_AFTER_CUT)) and since >= STATE_COST_FACTOR * self._packing
        if due or self._owed or self._pages.asked:
            self._whole(self._pages.state, moment)

    def on_command(self, command: CommandRecord) -> None:
        """Record a command."""
        self._acts += 1
        self._events.append((self._pages.command, (command,)))

    def on_step(self, step: int, now: float, cost: float, cut: bool, check: StepChecksum) -> None:
        """Record a step; arguments as of `SimulationHistory.record_step`."""
        self._acts += 1
        self._cost += cost
        self._cut |= cut
        self._events.append((None, (step, now, check.whole, cut)))

    def on_break(self, moment: Keyframe) -> None:
        """Record a state that does not follow from the recorded commands."""
        self._whole(self._pages.part, moment)

    def on_forget_after(self, step: int) -> None:
        """End the history at that step; the present is stored next."""
        self._owed = True
        self._events.append((self._pages.forget_after, (step,)))

    def on_continue_from(self, moment: Keyframe) -> None:
        """End the history with that keyframe, whatever led to it."""
        self._whole(self._pages.go_on_from, moment)

    def _whole(self, record: Callable, *what: Any) -> None:
        self._acts += record != self._pages.state
        self._cost, self._cut, self._at = 0.0, False, time.perf_counter()
        self._owed = record != self._pages.state    # the next keyframe contains the edit that this may be
        self._events.append((record, what))

    # ---- from any thread

    def show(self, encode: Callable[[], bytes]) -> None:
        """Store the present picture: encode() makes a PNG file of it, on the journal's thread."""
        self._events.append((self._picture, (encode,)))

    def after(self, job: Callable[[], None]) -> None:
        """Call job() once all earlier events are on the disk."""
        self._events.append((self._done, (job,)))

    def wait(self, seconds: float = 5.0) -> bool:
        """Wait up to `seconds` until all earlier events are on the disk; False: they are not."""
        written = threading.Event()
        self.after(written.set)
        return written.wait(seconds)

    def close(self, ended: bool = True) -> None:
        """End the thread. ended: regularly, so there is nothing to restore, and the file is removed; else the rest is written."""
        self._ended = ended
        self._over.set()
        self._thread.join(5.0)
        if ended:
            for record, what in self._events:
                if record == self._done:    # the jobs that wait for the disk need not wait any longer
                    what[0]()
            _remove(self.path)
        self._claim.close()

    # ---- the thread

    def _run(self) -> None:
        over = False
        while not over and not self._ended:
            over = self._over.wait(WRITE_INTERVAL)
            try:
                if not self._ended:
                    self._write_queued()
            except OSError as error:
                self._report_failure(error.strerror or str(error))
            except Exception as error:
                log.exception("the journal failed")
                self._report_failure(f"{type(error).__name__}: {error}")
        self._pages.close()

    def _write_queued(self) -> None:
        """Write the queued events; those before the latest beginning are skipped."""
        pages, events = self._pages, [self._events.popleft() for _ in range(len(self._events))]
        begin = max((k for k, (record, _) in enumerate(events) if record == self._start), default=0)
        steps: list[StepEntry] = []
        for k, (record, what) in enumerate(events):
            if record == self._done:
                continue
            if record is None:
                if k >= begin:
                    steps.append(what)
            elif k >= begin or record == self._picture:
                if steps:
                    self._write(pages.steps, steps)
                    steps = []
                self._write(record, *what)
        if steps:
            self._write(pages.steps, steps)
        where = self.simulation.timeline.place, len(self.simulation.edits.done), self._acts
        if events or where != self._where:
            self._where = where
            self._write(pages.where, *where)
        for record, what in events:
            if record == self._done:
                self._write(record, *what)
        self._queue_view_state()
        if self._dirty and time.perf_counter() - self._synced >= SYNC:
            self._flush()

    def _queue_view_state(self) -> None:
        """Write the view state if it has changed."""
        if self.view_state is None or time.perf_counter() - self._last_view_check < SYNC:
            return
        self._last_view_check = time.perf_counter()
        try:
            state = self.view_state()
        except Exception as error:  # noqa: BLE001  (being changed by the window, or not encodable)
            log.debug("how it is looked at is not kept: %s", error)
            return
        if state != self._pages.last_view_state:
            self._write(self._pages.write_view_state, state)

    def _write(self, record: Callable, *what: Any) -> None:
        if record == self._picture:
            record(*what)
        elif time.perf_counter() >= self._retry:
            began = time.perf_counter()
            self._dirty = True
            record(*what)
            if record in (self._start, self._pages.state):
                self._packing += 0.3 * (time.perf_counter() - began - self._packing)
        elif record == self._start:
            self._pages.source = what[1]

    def _start(self, moment: Keyframe, source: Source) -> None:
        self._pages.source = source
        self._pages.start(moment)

    def _flush(self) -> None:
        self._pages.flush()
        self._synced, self._dirty = time.perf_counter(), False

    def _done(self, job: Callable[[], None]) -> None:
        self._flush()
        job()

    def _picture(self, encode: Callable[[], bytes]) -> None:
        write(self.path.with_suffix(PICTURE), encode(), private=True)

    def _report_failure(self, why: str) -> None:
        """Report once that the file cannot be written; retried later with a keyframe."""
        self._pages.close()
        self._retry = time.perf_counter() + RETRY_INTERVAL
        if not self._failure_reported:
            self._failure_reported = True
            self.simulation.warn(message("crash recovery is not available: cannot write {path}: {why}", path=self.path, why=why))


# ---- journals of dead processes


@dataclass(frozen=True)
class AbandonedJournal:
    """A journal whose process ended without closing it; locked until `release` or `remove`."""

    path: Path
    summary: JournalSummary
    claim: BinaryIO

    @property
    def picture(self) -> Path:
        """Path of its picture, which may be missing."""
        return self.path.with_suffix(PICTURE)

    def release(self) -> None:
        """Keep it for a later start."""
        self.claim.close()

    def remove(self) -> None:
        """Remove it, since it was restored or is not wanted."""
        _remove(self.path)
        self.claim.close()


def abandoned(folder: Path) -> list[AbandonedJournal]:
    """Return the abandoned journals that contain changes, the newest first; remove the others."""
    found = []
    for lock in folder.glob(f"*{LOCK}"):
        path = lock.with_suffix(SUFFIX)
        try:
            claim = _claimed(path)
        except OSError:     # its process is alive, or another window is asking about it
            continue
        try:
            summary = glance(path)
        except BadInput as error:
            log.info("%s", error)
            summary = None
        if summary is None or summary.is_untouched:
            _remove(path)
            claim.close()
        else:
            found.append(AbandonedJournal(path, summary, claim))
    found.sort(key=lambda left: left.summary.clock, reverse=True)
    for old in found[MAX_ABANDONED:]:
        old.remove()
    return found[:MAX_ABANDONED]


def _claimed(path: Path) -> BinaryIO:
    """Lock a journal; the lock is held while the stream is open.

    Raises:
        OSError: another process holds it.
    """
    flags = os.O_CREAT | os.O_APPEND | os.O_RDWR | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_BINARY", "O_CLOEXEC"))
    handle = os.open(path.with_suffix(LOCK), flags, 0o600)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "is not a regular file", str(path.with_suffix(LOCK)))
    stream = os.fdopen(handle, "ab")
    try:
        lock_file(stream)
    except OSError:
        stream.close()
        raise
    return stream


def _remove(path: Path) -> None:
    """Remove a journal and its lock and picture."""
    for one in (path, path.with_suffix(PICTURE), path.with_suffix(LOCK)):
        with contextlib.suppress(OSError):      # Windows keeps an open lock file until the next start
            one.unlink()
