"""Starts the program: splash screen, missing kernels compiled in another process, session, loop."""

import contextlib
import faulthandler
import gc
import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyglet

from app import console
from app.files.folders import config
from app.i18n.message import message
from app.kernel_compilation import CompilationProgress, compile_all, needed, unused
from app.window import Window

log = logging.getLogger(__name__)

SAVE_INTERVAL = 10.0
"""Changed settings are saved at this interval [s], and when the window is closed."""


def interval() -> float:
    """Time between two pictures [s]: the screen's own rate, if known."""
    try:
        rate = float(pyglet.display.get_display().get_default_screen().get_mode().rate or 60.0)
    except Exception:  # noqa: BLE001  (headless screens have no modes)
        rate = 60.0
    return 1.0 / min(165.0, max(60.0, rate))


COMPILING = "Compiling the physics: once after installing or updating, about two minutes."
REMAINING_KERNELS = ("The window is ready; the remaining physics is being compiled ({left}). Functions that need it are delayed "
                     "until then.")
ALL_THERE = "All physics kernels are compiled."
CLOSING_SIGNALS = {name: 128 + number for name, number in (("SIGTERM", 15), ("SIGINT", 2), ("SIGHUP", 1))
                   if hasattr(signal, name)}
"""Signals that close the window in order, with the program's exit code."""


ADOPT_EVERY = 5.0
"""Interval at which newly compiled kernels are loaded [s]."""


class Startup:
    """From window to session: imports the physics, compiles missing kernels in other processes.

    early: the session shows the scene whose kernels are compiled first (physics/warmup/worlds.py, opening), and need not wait for
    the others.
    """

    def __init__(self, window: Window, make: Callable[[], Any], early: bool) -> None:
        self.window, self.make, self.early = window, make, early
        self.error: Exception | None = None
        self._compiling: threading.Thread | None = None
        self._opened = threading.Event()
        self._making: threading.Thread | None = None
        self._made: Any = None
        self._progress: CompilationProgress | None = None
        self._adopted, self._finished = 0.0, False
        self._trouble = ""

    def step(self, dt: float) -> None:
        """Called by pyglet's clock until the session is ready."""
        try:
            if self._step():
                pyglet.clock.unschedule(self.step)
        except Exception as error:  # noqa: BLE001  (raised again once the window is closed)
            self.error = error
            pyglet.clock.unschedule(self.step)
            self.window.close()
            pyglet.app.exit()

    def _step(self) -> bool:
        """True once everything is ready."""
        if self.window.pictures_drawn < 1 or self.window.context is None:
            return False
        if self._compiling is None and self._making is None and needed():
            if why := unused():
                log.warning(why)
            self.window.splash = (COMPILING, 0.0, "")
            self._compiling = threading.Thread(target=self._compile, name="compiling", daemon=True)
            self._compiling.start()
            return False
        if self._compiling is not None and self._compiling.is_alive():
            self._wait()
            return False
        if self._compiling is not None and not self._finished:
            self._finished = True
            self._adopt()
        early = self.window.session is not None
        if not self._has_session():
            return False
        if self._trouble:
            self.window.session.notify(message("could not compile the kernels in advance: {trouble}", trouble=self._trouble))
        elif early and self._compiling is not None:
            self.window.session.notify(ALL_THERE)
        return True

    def _wait(self) -> None:
        """While compiling: open the session if the kernels of the first scene are ready."""
        if not (self.early and self._opened.is_set()):
            return
        if not self._adopted or time.perf_counter() - self._adopted > ADOPT_EVERY:
            self._adopt()
        if self.window.session is None and self._has_session():
            left = self._progress.left if self._progress is not None else ""
            self.window.session.notify(message(REMAINING_KERNELS, left=left))

    def _has_session(self) -> bool:
        """Whether the window has its session, which is created in another thread: the user's programs may take long."""
        if self.window.session is not None:
            return True
        if self._making is None:
            self._making = threading.Thread(target=self._make, name="opening", daemon=True)
            self._making.start()
        if self._making.is_alive():
            return False
        if isinstance(self._made, BaseException):
            raise self._made
        self.window.adopt(self._made)
        gc.freeze()         # what was imported for it is never garbage
        gc.enable()
        return True

    def _make(self) -> None:
        try:
            self._made = self.make()
        except Exception as error:  # noqa: BLE001  (raised by the waiting thread)
            self._made = error

    def _adopt(self) -> None:
        from physics.core.compile import cache

        cache.load_set()
        self._adopted = time.perf_counter()

    def _compile(self) -> None:
        def show(progress: CompilationProgress) -> None:
            self._progress = progress
            self.window.splash = (COMPILING, progress.done / progress.total, f"{progress.left}: {progress.name}")

        code, last = compile_all(show, self._opened.set)
        self._trouble = last if code else ""


def open_window(make: Callable[[], Any], *, early: bool = False, size: tuple[int, int] = (1600, 1000), theme: str = "dark",
                seconds: float | None = None, screenshot: Path | None = None, settings_store: Any = None,
                first_picture: Callable[[], None] | None = None) -> int:
    """Open the window and run until it is closed (or for `seconds`); returns the exit code: 0, or that of the ending signal.

    make: () -> Session, called once the window is open; early: it shows the scene whose kernels are compiled first.
    settings_store: SettingsStore; without one the window layout is not saved either. first_picture: called after it.

    Raises:
        NoGraphics: no display, or no OpenGL 3.3. BadInput: from `make`.
    """
    kept = settings_store is not None and settings_store.path is not None
    window = Window(*size, theme=theme, ini=config() / "window.ini" if kept else None)
    window.settings_store = settings_store
    opening = Startup(window, make, early)

    def finish(dt: float) -> None:
        if window.session is None:
            return
        since.append(time.perf_counter())
        if seconds is not None and since[-1] - since[0] >= seconds:
            pyglet.clock.unschedule(finish)
            if screenshot is not None:
                window.save(screenshot)
            window.on_close()

    def uncover(dt: float) -> None:
        if window.pictures_drawn:
            pyglet.clock.unschedule(uncover)
            first_picture()

    since: list[float] = []
    pyglet.clock.schedule_interval(opening.step, 0.02)
    if first_picture is not None:
        pyglet.clock.schedule_interval(uncover, 0.02)
    if settings_store is not None:
        pyglet.clock.schedule_interval(lambda dt: settings_store.save(window), SAVE_INTERVAL)
    if seconds is not None:
        pyglet.clock.schedule_interval(finish, 0.05)
    with _collect_end_signals() as exit_codes:
        pyglet.clock.schedule_interval(lambda dt: window.end() if exit_codes else None, 0.05)
        try:
            pyglet.app.run(interval())
        except BaseException:
            window.failed = True
            raise
        finally:
            window.close()
    if opening.error is not None:
        raise opening.error
    return exit_codes[0] if exit_codes else 0


@contextlib.contextmanager
def _collect_end_signals() -> Iterator[list[int]]:
    """Collect the exit codes of signals that ask the program to end."""
    exit_codes: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {name: signal.signal(getattr(signal, name), lambda *_, code=code: exit_codes.append(code))
                  for name, code in CLOSING_SIGNALS.items()}
    try:
        yield exit_codes
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


def configure_logging() -> None:
    """Log our messages to stderr, without those of libraries, and capture everything for the console."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    console.capture()
    with contextlib.suppress(OSError, ValueError, RuntimeError):     # stderr may not be a file
        faulthandler.enable()       # print the stack on a crash in compiled code
