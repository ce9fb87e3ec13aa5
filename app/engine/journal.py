"""What a person does, in a file as it happens, so that a process that is killed loses less than a second of it.

The physics thread only puts what happens into a queue, by value. A thread of the journal's own packs and writes it
(journal_file.py), and flushes it to the disk at most once in SYNC: what a process has written outlives it without that, a machine
without power does not.
"""

import contextlib
import logging
import os
import secrets
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from app.engine.history import Check, Deed, Moment
from app.engine.journal_file import Glance, Pages, Source, Step, glance
from app.whole_files import write
from physics import BadInput
from physics.options import fields

log = logging.getLogger(__name__)

TICK = 0.2
"""Wall seconds between two looks at what has happened."""
SYNC = 1.0
"""Wall seconds between two flushes to the disk, at least."""
REPLAY = 2.0
"""Wall seconds of steps between two whole states: so long it takes to make the last ones again."""
CUT = 0.4
"""The same after a step that the clock cut short, which cannot be made again."""
SHARE = 20.0
"""A whole state is written at most once in so many times what packing it takes."""
AGAIN = 10.0
"""A file that cannot be written is tried again after this time [s]."""
KEPT = 5
"""Journals of dead processes that are kept until somebody decides; the oldest go."""

SUFFIX, LOCK, PICTURE = ".journal", ".lock", ".png"


class Journal:
    """Of one simulation, in a file of its own in that folder; listens to its history (`History.listener`)."""

    def __init__(self, folder: Path, simulation: Any) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path, self.simulation = folder / f"{os.getpid()}-{secrets.token_hex(4)}{SUFFIX}", simulation
        self._claim = _claimed(self.path)
        self._events: deque[tuple[Callable | None, tuple]] = deque()      # what to do and with what; None: a step
        # since the last whole state: cost of steps, one was cut short, the next that is kept must be written, when it was
        self._cost, self._cut, self._owed, self._at = 0.0, False, False, 0.0
        self._acts = -1             # deeds, steps, beginnings after the first
        self._packing = 0.0         # wall seconds of packing a whole state
        self._over, self._ended = threading.Event(), False
        self._pages = Pages(self.path)
        self._where, self._synced, self._dirty, self._retry, self._told = (), 0.0, False, 0.0, False
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    # ---- what the history tells, on the physics thread

    def began(self, moment: Moment) -> None:
        """The past begins here."""
        one = self.simulation
        if one.scene is not None:
            parameters = {f.name: getattr(one.parameters, f.name) for f in fields(one.parameters)}
            self._whole(self._start, moment, Source(one.scene_name, parameters, tuple(one.world.drivers)))

    def kept(self, moment: Moment) -> None:
        """The present was kept; it is written where the last whole state is too long ago."""
        since = time.perf_counter() - self._at
        due = (self._cost >= REPLAY or (self._cut and since >= CUT)) and since >= SHARE * self._packing
        if due or self._owed or self._pages.asked:
            self._whole(self._pages.state, moment)

    def noted(self, deed: Deed) -> None:
        """Something was done."""
        self._acts += 1
        self._events.append((self._pages.deed, (deed,)))

    def stepped(self, step: int, now: float, cost: float, cut: bool, check: Check) -> None:
        """A step was made; arguments as of `History.stepped`."""
        self._acts += 1
        self._cost += cost
        self._cut |= cut
        self._events.append((None, (step, now, check.whole, cut)))

    def parted(self, moment: Moment) -> None:
        """The present does not follow from what was noted."""
        self._whole(self._pages.part, moment)

    def forgot_after(self, step: int) -> None:
        """The past ends there; the present is kept next."""
        self._owed = True
        self._events.append((self._pages.forget_after, (step,)))

    def continued_from(self, moment: Moment) -> None:
        """The past ends there with that moment, however it came about."""
        self._whole(self._pages.go_on_from, moment)

    def _whole(self, record: Callable, *what: Any) -> None:
        self._acts += record != self._pages.state
        self._cost, self._cut, self._at = 0.0, False, time.perf_counter()
        self._owed = record != self._pages.state    # the edit that this is, where it is one, comes with the next
        self._events.append((record, what))

    # ---- from any thread

    def show(self, encode: Callable[[], bytes]) -> None:
        """How it looks now: encode() makes a PNG file of it, on the journal's thread."""
        self._events.append((self._picture, (encode,)))

    def after(self, job: Callable[[], None]) -> None:
        """Call job() once all that was told before is on the disk."""
        self._events.append((self._done, (job,)))

    def wait(self, seconds: float = 5.0) -> bool:
        """Until what was told before is on the disk, but no longer; False: it is not."""
        written = threading.Event()
        self.after(written.set)
        return written.wait(seconds)

    def close(self, ended: bool = True) -> None:
        """End the thread. ended: in order, so there is nothing to restore, and the file goes; else what is left is written."""
        self._ended = ended
        self._over.set()
        self._thread.join(5.0)
        if ended:
            for record, what in self._events:
                if record == self._done:    # nobody needs what they wait for any more
                    what[0]()
            _remove(self.path)
        self._claim.close()

    # ---- the thread

    def _run(self) -> None:
        over = False
        while not over and not self._ended:
            over = self._over.wait(TICK)
            try:
                if not self._ended:
                    self._take()
            except OSError as error:
                self._give_up(error.strerror or str(error))
            except Exception as error:
                log.exception("the journal failed")
                self._give_up(f"{type(error).__name__}: {error}")
        self._pages.close()

    def _take(self) -> None:
        """Write what has happened; nothing counts that is before the last beginning."""
        pages, events = self._pages, [self._events.popleft() for _ in range(len(self._events))]
        begin = max((k for k, (record, _) in enumerate(events) if record == self._start), default=0)
        steps: list[Step] = []
        for k, (record, what) in enumerate(events):
            if record is None:
                if k >= begin:
                    steps.append(what)
            elif k >= begin or record in (self._picture, self._done):
                if steps:
                    self._write(pages.steps, steps)
                    steps = []
                self._write(record, *what)
        if steps:
            self._write(pages.steps, steps)
        where = self.simulation.place, len(self.simulation.edits.done), self._acts
        if events or where != self._where:
            self._where = where
            self._write(pages.where, *where)
        if self._dirty and time.perf_counter() - self._synced >= SYNC:
            self._flush()

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

    def _start(self, moment: Moment, source: Source) -> None:
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

    def _give_up(self, why: str) -> None:
        """The file cannot be written: told once, and tried again later with a whole state."""
        self._pages.close()
        self._retry = time.perf_counter() + AGAIN
        if not self._told:
            self._told = True
            self.simulation.warn(f"what you do is not kept for the case of a crash: {self.path} cannot be written: {why}")


# ---- what dead processes left


@dataclass(frozen=True)
class Abandoned:
    """A journal whose process ended without a word; nobody else can have it before `leave` or `remove`."""

    path: Path
    seen: Glance
    claim: BinaryIO

    @property
    def picture(self) -> Path:
        """How it looked; it may be missing."""
        return self.path.with_suffix(PICTURE)

    def leave(self) -> None:
        """For another time."""
        self.claim.close()

    def remove(self) -> None:
        """It is restored, or nobody wants it."""
        _remove(self.path)
        self.claim.close()


def abandoned(folder: Path) -> list[Abandoned]:
    """What dead processes left there in which somebody has done something, the newest first; all else of them is removed."""
    found = []
    for lock in folder.glob(f"*{LOCK}"):
        path = lock.with_suffix(SUFFIX)
        try:
            claim = _claimed(path)
        except OSError:     # its process lives, or another window asks about it
            continue
        try:
            seen = glance(path)
        except BadInput as error:
            log.info("%s", error)
            seen = None
        if seen is None or seen.fresh:
            _remove(path)
            claim.close()
        else:
            found.append(Abandoned(path, seen, claim))
    found.sort(key=lambda left: left.seen.clock, reverse=True)
    for old in found[KEPT:]:
        old.remove()
    return found[:KEPT]


def _claimed(path: Path) -> BinaryIO:
    """The lock of a journal: open as long as it is ours.

    Raises:
        OSError: it is somebody else's.
    """
    stream = open(path.with_suffix(LOCK), "ab")     # noqa: SIM115  (it stays open)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        stream.close()
        raise
    return stream


def _remove(path: Path) -> None:
    """A journal and all that belongs to it."""
    for one in (path, path.with_suffix(PICTURE), path.with_suffix(LOCK)):
        with contextlib.suppress(OSError):      # an open lock stays on Windows until the next start
            one.unlink()
