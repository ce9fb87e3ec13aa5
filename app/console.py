"""Log of everything the program reports: messages to the user, logs, warnings, exceptions of every thread. No window.

Captured output still goes to its former destination (stderr).
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

MESSAGE_LEVELS = ("error", "warning", "note")
MAX_LINES = 1000

MERGE_INTERVAL = 2.0
"""A message and a log record of the same text within this time become one line [s]."""
MAX_MERGE_DISTANCE = 20


@dataclass
class ConsoleLine:
    """One line. source: a logger or a thread; detail: a traceback or ""; count: consecutive repetitions."""

    level: str
    text: str
    source: str
    wall: float
    detail: str = ""
    count: int = 1
    number: int = 0


@dataclass
class Console:
    """The newest lines and the count of each level since the last clear. Thread-safe."""

    lines: deque[ConsoleLine] = field(default_factory=lambda: deque(maxlen=MAX_LINES))
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MESSAGE_LEVELS, 0))
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
            self.lines.append(ConsoleLine(level, text, source, now, detail, number=self._numbers))

    def add_message(self, text: str) -> None:
        """Add a message that was shown to the user, unless it was just logged as well."""
        with self._lock:
            now, recent = time.perf_counter(), list(self.lines)[-MAX_MERGE_DISTANCE:]
            if not any(line.text == text and now - line.wall < MERGE_INTERVAL for line in recent):
                self.add("note", text)

    def clear(self) -> None:
        with self._lock:
            self.lines.clear()
            self.counts = dict.fromkeys(MESSAGE_LEVELS, 0)

    def matching(self, levels: set[str], text: str) -> list[ConsoleLine]:
        """Lines of these levels that contain every word, newest first."""
        words = text.lower().split()
        with self._lock:
            lines = list(self.lines)
        return [line for line in reversed(lines) if line.level in levels
                and all(word in f"{line.text} {line.source} {line.detail}".lower() for word in words)]


_console = Console()


def console() -> Console:
    """The console of this process."""
    return _console


def as_text(lines: list[ConsoleLine]) -> str:
    """Lines as text for the clipboard, oldest first."""
    return "\n".join(f"{line.level}{f' ({line.count} times)' if line.count > 1 else ''}: {line.text}"
                     + (f"\n{line.detail.rstrip()}" if line.detail else "") for line in reversed(lines))


class _Handler(logging.Handler):
    """Turns log records into console lines; exceptions add their traceback."""

    def emit(self, record: logging.LogRecord) -> None:
        level = "error" if record.levelno >= logging.ERROR else "warning" if record.levelno >= logging.WARNING else "note"
        detail = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info and record.exc_info[0] else ""
        _console.add(level, record.getMessage(), record.name, detail)


def _failed(kind: type[BaseException], error: BaseException | None, trace: Any, source: str) -> None:
    detail = "".join(traceback.format_exception(kind, error, trace))
    _console.add("error", f"{kind.__name__}: {error}" if str(error or "") else kind.__name__, source, detail)


def _watch(undo: ExitStack, owner: Any, name: str, report: Callable[..., None]) -> None:
    """Hook a function of `owner`: call report first, then the original."""
    before = getattr(owner, name)

    def hook(*args: Any, **kwargs: Any) -> None:
        report(*args)
        before(*args, **kwargs)

    setattr(owner, name, hook)
    undo.callback(setattr, owner, name, before)


def capture() -> ExitStack:
    """Capture logs, warnings and exceptions of every thread as lines; closing the result stops it."""
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
