"""Runs work that may never end, such as programs of the user, in a thread that can be abandoned.

Work is abandoned when it is cancelled or exceeds its time limit. Python loops end by an asynchronous exception; code that
blocks or computes inside compiled code does not receive it: such a thread is left behind and nothing waits for it.
"""

import contextlib
import ctypes
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from app.i18n.message import message

Result = TypeVar("Result")

CANCEL_GRACE = 1.0
"""Wall time that abandoned work has to end by itself [s]."""
CANCEL_INTERVAL = 0.05
"""Interval at which the exception is raised again, since the work may catch it [s]."""
POLL_INTERVAL = 0.25
"""Longest wait of the waiting thread before it handles signals again [s]."""


class WorkAbandoned(Exception):
    """Work was abandoned. cancelled: by the user; places: (file, line) of its call stack, the innermost last."""

    def __init__(self, why: str, places: list[tuple[str, int]], cancelled: bool = False) -> None:
        super().__init__(why)
        self.places, self.cancelled = places, cancelled


class _Abandoned(BaseException):
    """Raised inside the abandoned work."""


@dataclass
class CancellableWork:
    """Work in progress. what: its description; began: perf_counter [s]; waiter: id of the thread that waits for it."""

    what: str
    began: float = field(default_factory=time.perf_counter)
    cancelled: bool = False
    waiter: int = field(default_factory=threading.get_ident)
    _changed: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def seconds(self) -> float:
        """Wall time since it began [s]."""
        return time.perf_counter() - self.began

    def cancel(self) -> None:
        """Ask for the work to be abandoned."""
        self.cancelled = True
        self._changed.set()


_works: list[CancellableWork] = []
_inside = threading.local()


def at_work() -> CancellableWork | None:
    """The work that has run longest; None if there is none."""
    works = _works[:]
    return works[0] if works else None


def cancel_for(waiter: int | None) -> None:
    """Cancel the work that this thread waits for."""
    for work in _works[:]:
        if work.waiter == waiter:
            work.cancel()


def run(job: Callable[[], Result], what: str, limit: float | None = None) -> Result:
    """Run job() and return its result; what job() raises is raised again. Nested calls run at once, inside the outer work.

    what: description of the work, shown while it runs. limit: longest wall time [s].

    Raises:
        WorkAbandoned: it was cancelled, took too long, or tried to end the program.
    """
    if getattr(_inside, "work", False):
        return job()
    work, outcome, places = CancellableWork(what), [], []
    thread = threading.Thread(target=_do, args=(job, work, outcome), name=what, daemon=True)
    _works.append(work)
    try:
        thread.start()
        while not outcome and not work.cancelled and (limit is None or work.seconds < limit):
            work._changed.wait(POLL_INTERVAL if limit is None else min(POLL_INTERVAL, max(0.0, limit - work.seconds)))
    finally:
        if not outcome:
            places = _places(thread)
            _abandon(thread)
        _works.remove(work)
    if outcome and not isinstance(outcome[0][1], _Abandoned):
        return _result_of(*outcome[0])
    raise WorkAbandoned("cancelled" if work.cancelled else message("it takes longer than {limit:g} s", limit=limit), places,
                        work.cancelled)


def _result_of(result: Any, error: BaseException | None) -> Any:
    if error is None:
        return result
    if isinstance(error, Exception):
        raise error
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    raise WorkAbandoned("it calls sys.exit" if isinstance(error, SystemExit) else f"it raises {type(error).__name__}", places)


def _do(job: Callable[[], Any], work: CancellableWork, outcome: list) -> None:
    """Body of the worker thread."""
    _inside.work = True
    with contextlib.suppress(_Abandoned):      # the exception may arrive after the work has ended
        try:
            outcome.append((job(), None))
        except BaseException as error:  # noqa: BLE001  (raised again by the waiting thread)
            outcome.append((None, error))
        work._changed.set()


def _abandon(thread: threading.Thread) -> None:
    """End the Python loops of a thread; leave it behind if it does not end."""
    end = time.perf_counter() + CANCEL_GRACE
    while thread.is_alive() and time.perf_counter() < end:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(_Abandoned))
        thread.join(CANCEL_INTERVAL)


def _places(thread: threading.Thread) -> list[tuple[str, int]]:
    frame = sys._current_frames().get(thread.ident)
    if frame is None:
        return []
    return [(one.filename, one.lineno) for one in traceback.extract_stack(frame)]
