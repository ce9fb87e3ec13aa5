"""Everything that the program said: what was told to the person, logs, warnings, exceptions of every thread. No window.

What is captured still goes where it went before (stderr).
"""

import logging
import sys
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

LEVELS = ("error", "warning", "note")
KEPT = 1000

SAME = 2.0
"""What is told to the person and logged within this time is one line [s]."""
LOOK_BACK = 20


@dataclass
class Line:
    """One sentence. source: a logger or a thread; detail: a traceback or ""; count: how often it came one after the other."""

    level: str
    text: str
    source: str
    wall: float
    detail: str = ""
    count: int = 1
    number: int = 0


@dataclass
class Console:
    """The newest lines, and how many of each level came since it was cleared. Any thread may add to it."""

    lines: deque[Line] = field(default_factory=lambda: deque(maxlen=KEPT))
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LEVELS, 0))
    _numbers: int = 0
    _lock: Any = field(default_factory=threading.RLock, repr=False)

    def add(self, level: str, text: str, source: str = "", detail: str = "") -> None:
        with self._lock:
            now, last = time.perf_counter(), self.lines[-1] if self.lines else None
            self.counts[level] += 1
            if last is not None and (last.level, last.text, last.detail) == (level, text, detail):
                last.count, last.wall = last.count + 1, now
                return
            self._numbers += 1
            self.lines.append(Line(level, text, source, now, detail, number=self._numbers))

    def said(self, text: str) -> None:
        """Something was told to the person; most of that is logged as well."""
        with self._lock:
            now, recent = time.perf_counter(), list(self.lines)[-LOOK_BACK:]
            if not any(line.text == text and now - line.wall < SAME for line in recent):
                self.add("note", text)

    def clear(self) -> None:
        with self._lock:
            self.lines.clear()
            self.counts = dict.fromkeys(LEVELS, 0)

    def matching(self, levels: set[str], text: str) -> list[Line]:
        """Lines of these levels that have every word, newest first."""
        words = text.lower().split()
        with self._lock:
            lines = list(self.lines)
        return [line for line in reversed(lines) if line.level in levels
                and all(word in f"{line.text} {line.source} {line.detail}".lower() for word in words)]


_console = Console()


def console() -> Console:
    """That of this process."""
    return _console


def as_text(lines: list[Line]) -> str:
    """For the clipboard, oldest first."""
    return "\n".join(f"{line.level}{f' ({line.count} times)' if line.count > 1 else ''}: {line.text}"
                     + (f"\n{line.detail.rstrip()}" if line.detail else "") for line in reversed(lines))


class _Handler(logging.Handler):
    """Log records become lines; of an exception its traceback."""

    def emit(self, record: logging.LogRecord) -> None:
        level = "error" if record.levelno >= logging.ERROR else "warning" if record.levelno >= logging.WARNING else "note"
        detail = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info and record.exc_info[0] else ""
        _console.add(level, record.getMessage(), record.name, detail)


def _failed(kind: type[BaseException], error: BaseException | None, trace: Any, source: str) -> None:
    detail = "".join(traceback.format_exception(kind, error, trace))
    _console.add("error", f"{kind.__name__}: {error}" if str(error or "") else kind.__name__, source, detail)


def _watch(undo: ExitStack, owner: Any, name: str, tell: Callable[..., None]) -> None:
    """Tell the console, then do what was done before."""
    before = getattr(owner, name)

    def hook(*args: Any, **kwargs: Any) -> None:
        tell(*args)
        before(*args, **kwargs)

    setattr(owner, name, hook)
    undo.callback(setattr, owner, name, before)


def capture() -> ExitStack:
    """From now on logs, warnings and exceptions of every thread become lines, too; closing the result ends it."""
    undo, handler = ExitStack(), _Handler()
    logging.getLogger().addHandler(handler)
    undo.callback(logging.getLogger().removeHandler, handler)
    _watch(undo, warnings, "showwarning", lambda message, category, filename, lineno, *_: _console.add(
        "warning", f"{category.__name__}: {message}", f"{filename}:{lineno}"))
    _watch(undo, sys, "excepthook", lambda kind, error, trace: _failed(kind, error, trace, "main thread"))
    _watch(undo, threading, "excepthook", lambda args: _failed(
        args.exc_type, args.exc_value, args.exc_traceback, args.thread.name if args.thread else "a thread"))
    _watch(undo, sys, "unraisablehook", lambda args: _failed(args.exc_type, args.exc_value, args.exc_traceback,
                                                             str(args.err_msg or "cleaning up")))
    return undo
