"""Ctrl+C waits while something is done that must not be left half done."""

import signal
import threading
from types import FrameType
from typing import Any


class uninterrupted:
    """Context in which SIGINT is only noted; its handler is called at the end. Only the main thread gets any."""

    def __enter__(self) -> None:
        self._handler: Any = None
        self._noted: tuple[int, FrameType | None] | None = None
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if callable(handler):       # else the process ends at once, or never
                self._handler = handler
                signal.signal(signal.SIGINT, self._note)

    def __exit__(self, *raised: object) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
            if self._noted is not None:
                self._handler(*self._noted)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._noted = number, frame
