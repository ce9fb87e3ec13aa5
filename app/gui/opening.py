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

from app import language
from app.commands.warm import Progress, compile_all
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
THE_REST = "The window can be used; the rest of the physics is being compiled ({}). What needs it comes late until then."
ALL_THERE = "All of the physics is compiled."
ENDINGS = {name: 128 + number for name, number in (("SIGTERM", 15), ("SIGINT", 2), ("SIGHUP", 1)) if hasattr(signal, name)}
"""Signals after which the window closes in order, with the program's exit code."""


ADOPT_EVERY = 5.0
"""Kernels that were compiled meanwhile are taken over this often [s]."""


class Opening:
    """Between window and session: imports the physics, compiles kernels in processes of their own if they are missing.

    early: the session shows the scene whose kernels are compiled first (physics/exercises.py, opening), and need not wait for
    the others.
    """

    def __init__(self, window: Window, make: Callable[[], Any], early: bool) -> None:
        self.window, self.make, self.early = window, make, early
        self.error: Exception | None = None
        self._compiling: threading.Thread | None = None
        self._opened = threading.Event()
        self._progress: Progress | None = None
        self._adopted = 0.0
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
                self.window.splash = (COMPILING, 0.0, "")
                self._compiling = threading.Thread(target=self._compile, name="compiling", daemon=True)
                self._compiling.start()
                return False
        elif self._compiling.is_alive():
            return self._wait()
        elif not self._adopted:
            from physics.core import cache

            cache.adopt()
        else:
            self._adopt()
            self.window.session.say(language.text(ALL_THERE))
            return True
        self.window.adopt(self.make())
        if self._trouble:
            self.window.session.say(f"the kernels could not be compiled beforehand: {self._trouble}")
        return True

    def _wait(self) -> bool:
        """Not everything is compiled: perhaps enough for the first scene. False: to be called again."""
        if not (self.early and self._opened.is_set()):
            return False
        if not self._adopted:
            self._adopt()
            self.window.adopt(self.make())
            left = self._progress.left if self._progress is not None else ""
            self.window.session.say(language.text(THE_REST.format(left)))
        elif time.perf_counter() - self._adopted > ADOPT_EVERY:
            self._adopt()
        return False

    def _adopt(self) -> None:
        from physics.core import cache

        cache.adopt()
        self._adopted = time.perf_counter()

    def _compile(self) -> None:
        def show(progress: Progress) -> None:
            self._progress = progress
            self.window.splash = (COMPILING, progress.done / progress.total, f"{progress.left}: {progress.name}")

        code, last = compile_all(show, self._opened.set)
        self._trouble = last if code else ""


def open_window(make: Callable[[], Any], *, early: bool = False, size: tuple[int, int] = (1600, 1000), theme: str = "dark",
                seconds: float | None = None, screenshot: Path | None = None, keeper: Any = None) -> int:
    """Open the window, run until it is closed (or for `seconds`). make: () -> Session, called once the window is there; early: it
    shows the scene whose kernels are compiled first.

    keeper: of settings (settings.py); without one the layout of the window is not kept either. The exit code is returned: 0, or
    that of the signal which ended it.

    Raises:
        NoGraphics: no display, or no OpenGL 3.3. BadInput: from `make`.
    """
    kept = keeper is not None and keeper.path is not None
    window = Window(*size, theme=theme, ini=config() / "window.ini" if kept else None)
    window.keeper = keeper
    opening = Opening(window, make, early)

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
