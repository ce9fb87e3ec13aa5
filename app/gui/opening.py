"""From nothing to a running window: splash, kernels compiled in a process of their own if missing, session, loop."""

import contextlib
import faulthandler
import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyglet

from app.gui.output.files import config
from app.insight import console
from app.window import Window

KEEP_EVERY = 10.0
"""Settings that changed are written this often [s], and when the window is closed."""


def interval() -> float:
    """Seconds between two pictures: the screen's own rate, if it tells."""
    try:
        rate = float(pyglet.display.get_display().get_default_screen().get_mode().rate or 60.0)
    except Exception:  # noqa: BLE001  (headless screens have no modes)
        rate = 60.0
    return 1.0 / min(165.0, max(60.0, rate))


COMPILING = "Compiling the physics: once after installing or updating, about two minutes."


ENDINGS = {name: 128 + number for name, number in (("SIGTERM", 15), ("SIGINT", 2), ("SIGHUP", 1)) if hasattr(signal, name)}
"""Signals after which the window closes in order, with the program's exit code."""


class Opening:
    """Between window and session: imports the physics, compiles kernels in a process of their own if they are missing."""

    def __init__(self, window: Window, make: Callable[[], Any]) -> None:
        self.window, self.make = window, make
        self.error: Exception | None = None
        self._compiling: threading.Thread | None = None
        self._trouble = ""

    def step(self, dt: float) -> None:
        """Called by pyglet's clock until the session is there."""
        try:
            if self._step():
                pyglet.clock.unschedule(self.step)
        except Exception as error:  # noqa: BLE001  (raised again once the window is closed)
            self.error = error
            pyglet.clock.unschedule(self.step)
            self.window.close()
            pyglet.app.exit()

    def _step(self) -> bool:
        if self.window.pictures_drawn < 1 or self.window.context is None:
            return False
        if self._compiling is None:
            import physics  # noqa: F401  (prepares the cache)
            from physics.core import cache

            if not cache.is_warm():
                self.window.splash = (COMPILING, 0, 0)
                self._compiling = threading.Thread(target=self._compile, name="compiling", daemon=True)
                self._compiling.start()
                return False
        elif self._compiling.is_alive():
            return False
        else:
            from physics.core import cache

            cache.adopt()
        self.window.adopt(self.make())
        if self._trouble:
            self.window.session.say(f"the kernels could not be compiled beforehand: {self._trouble}")
        return True

    def _compile(self) -> None:
        from app.commands.warm import compile_all

        def show(done: int, total: int) -> None:
            self.window.splash = (COMPILING, done, total)

        code, last = compile_all(show)
        self._trouble = last if code else ""


def open_window(make: Callable[[], Any], *, size: tuple[int, int] = (1600, 1000), theme: str = "dark",
                seconds: float | None = None, screenshot: Path | None = None, keeper: Any = None) -> int:
    """Open the window, run until it is closed (or for `seconds`). make: () -> Session, called once the window is there.

    keeper: of settings (settings.py); without one the layout of the window is not kept either. The exit code is returned: 0, or
    that of the signal which ended it.

    Raises:
        NoGraphics: no display, or no OpenGL 3.3. BadInput: from `make`.
    """
    kept = keeper is not None and keeper.path is not None
    window = Window(*size, theme=theme, ini=config() / "window.ini" if kept else None)
    window.keeper = keeper
    opening = Opening(window, make)

    def finish(dt: float) -> None:
        if window.session is None:
            return
        since.append(time.perf_counter())
        if seconds is not None and since[-1] - since[0] >= seconds:
            pyglet.clock.unschedule(finish)
            if screenshot is not None:
                window.save(screenshot)
            window.on_close()

    since: list[float] = []
    pyglet.clock.schedule_interval(opening.step, 0.02)
    if keeper is not None:
        pyglet.clock.schedule_interval(lambda dt: keeper.keep(window), KEEP_EVERY)
    if seconds is not None:
        pyglet.clock.schedule_interval(finish, 0.05)
    with _told_to_end() as told:
        pyglet.clock.schedule_interval(lambda dt: window.on_close() if told else None, 0.05)
        try:
            pyglet.app.run(interval())
        except BaseException:
            window.failed = True
            raise
        finally:
            window.close()
    if opening.error is not None:
        raise opening.error
    return told[0] if told else 0


@contextlib.contextmanager
def _told_to_end() -> Iterator[list[int]]:
    """Gets the exit code of a signal that asks the program to end."""
    told: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {name: signal.signal(getattr(signal, name), lambda *_, code=code: told.append(code))
                  for name, code in ENDINGS.items()}
    try:
        yield told
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


def settle_logging() -> None:
    """Messages of ours on stderr, without the libraries' chatter, and all that is said in the console as well."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    console.capture()
    with contextlib.suppress(OSError, ValueError, RuntimeError):     # where stderr is no file
        faulthandler.enable()       # a crash in compiled code leaves its stack
