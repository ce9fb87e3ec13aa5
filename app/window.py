"""The main window: a pyglet window and event loop, with the scene in the middle and Dear ImGui around and over it.

An exception in a handler is logged and shown; it never ends the program.
"""

import ctypes
import functools
import logging
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyglet

from app import splash

splash.configure(pyglet)

from app.camera import Camera  # noqa: E402
from app.render.opengl.offscreen import NoGraphics, on_screen, write_png  # noqa: E402

log = logging.getLogger(__name__)

ANTIALIASING_SAMPLES = 4
"""Anti-aliasing samples of the renderer's own framebuffer. Panels need none, and software rendering may lack them."""
REPEAT_AFTER = 5.0
"""The same error is shown again only after this time [s]."""
SPLASH_EVERY = 0.2
"""Interval between two pictures of the splash screen [s]."""
UNSEEN_PICTURES = 2
"""Pictures of the session by whose last one all events have come that were meant for the splash screen: the first one takes its
place, and before the second the event loop handles all that has waited meanwhile."""

try:
    from pyglet import gl
    from pyglet.window import Window as _Window
    from pyglet.window import key
except Exception as error:
    raise NoGraphics(f"cannot open a window on this machine ({type(error).__name__}: {error}); check that a display is "
                     "available") from error

from app.analysis.forces.contact_lens import facets_of  # noqa: E402
from app.analysis.lessons.classroom_lock import Lock  # noqa: E402
from app.files.folders import not_saved  # noqa: E402
from app.gui.commands import driving  # noqa: E402
from app.gui.commands.key_positions import latin  # noqa: E402
from app.gui.controls.style import palette  # noqa: E402
from app.gui.controls.widgets import scaled  # noqa: E402
from app.gui.output import panel_image, scene_documents  # noqa: E402
from app.gui.output.crash_recovery import ThumbnailWriter  # noqa: E402
from app.gui.output.video_recorder import VideoRecorder, scene_alone  # noqa: E402
from app.gui.shell.file_drop import open_dropped  # noqa: E402
from app.gui.shell.imgui_context import Gui, build_gui, draw, draw_splash  # noqa: E402
from app.gui.shell.messages_overlay import draw_labels, outline  # noqa: E402
from app.gui.shell.request_handler import WindowRequestHandler  # noqa: E402
from app.gui.shell.viewport_layout import (  # noqa: E402
    Pane,
    Rectangle,
    ghosts_shown,
    inset,
    panes,
)
from app.gui.viewport import keyboard_navigation  # noqa: E402
from app.gui.viewport.hidden_bodies import visible  # noqa: E402
from app.gui.viewport.presentation import view_shown  # noqa: E402
from app.i18n.imgui_translated import imgui  # noqa: E402
from app.session import Selection  # noqa: E402
from app.sound.sound import Sound  # noqa: E402


def safe(handler: Callable) -> Callable:
    """Decorator of event handlers: report errors to the user instead of ending the loop."""
    @functools.wraps(handler)
    def guarded(self: "Window", *args: Any, **kwargs: Any) -> Any:
        try:
            handler(self, *args, **kwargs)
        except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever it is, the window stays open)
            self.complain(handler.__name__, error)
        return pyglet.event.EVENT_HANDLED
    return guarded


def unless_splash(handler: Callable) -> Callable:
    """Decorator of handlers of clicks and keys: what was meant for the splash screen does not reach the scene behind it."""
    @functools.wraps(handler)
    def guarded(self: "Window", *args: Any) -> None:
        if not self._unseen:
            handler(self, *args)
    return guarded


def in_order(handler: Callable) -> Callable:
    """Decorator of handlers of input: a key or a text waits until it is known who has the keyboard, a click or a turn of the
    wheel until it is known whether a panel is at its place, since a picture may take half a second; and so does all that comes
    after it (`_settle`)."""
    of_keys = handler.__name__ in ("on_key_press", "on_text")
    of_place = handler.__name__ in ("on_mouse_press", "on_mouse_scroll")

    @functools.wraps(handler)
    def ordered(self: "Window", *args: Any) -> None:
        moved = of_place and self.session is not None and not self.gui.inputs.knows_place(*args[:2])
        if moved:
            self.gui.inputs.mouse_at(*args[:2])
        if self.session is not None and (self.waiting or moved or (of_keys and self.gui.inputs.unsettled)):
            self.waiting.append((handler, args))
        else:
            handler(self, *args)
    return ordered


class Window(_Window):
    """A window with one session; shows a splash screen until `adopt` sets the session."""

    def __init__(self, width: int = 1600, height: int = 1000, *, theme: str = "dark", ini: Path | None = None,
                 vsync: bool = True) -> None:
        self.session: Any = None
        self.gui: Gui | None = None
        self.renderer: Any = None
        self.hands: Any = None
        self.handler: Any = None    # of what the session asks
        self.settings_store: Any = None     # writes the settings
        self.recorder, self.camera = VideoRecorder(), ThumbnailWriter()
        self.other_renderers: list[Any] = []    # of the panes beside the leader's
        self.splash = ("opening", 0.0, "")
        self._splashed = -SPLASH_EVERY
        self.pictures_drawn = 0
        self.waiting: deque[tuple[Callable, tuple]] = deque()   # events of the keyboard, and what came after them
        self._complaints: dict[str, float] = {}
        self._unseen = 0        # pictures until the session has been seen
        self._ours = self.failed = False    # failed: it closes by an error; the session can be recovered
        self._intervals: list[float] = []
        given = on_screen(width, height, vsync)
        try:
            super().__init__(**given)
        except Exception as error:
            raise NoGraphics(f"OpenGL 3.3 is not available ({type(error).__name__}: {error}); update the graphics driver or "
                             "install Mesa") from error
        self.set_minimum_size(200, 150)
        self.gui = Gui(self, theme=theme, scale=self.gui_scale, ini=ini)

    @property
    def gui_scale(self) -> float:
        """Scale of the GUI relative to an ordinary screen, in the window's units."""
        ratio = self.get_framebuffer_size()[0] / max(1, self.get_size()[0])
        return max(0.75, float(getattr(self, "scale", 1.0)) / max(ratio, 0.1))

    def adopt(self, session: Any) -> None:
        """Show this session; its physics starts once the first picture is drawn: reading its kernels takes as long as that."""
        from app.gui.viewport.viewport import Viewport
        from app.render.opengl.renderer import Renderer

        self.switch_to()
        self.session = session
        self.renderer = Renderer(samples=ANTIALIASING_SAMPLES)
        self.hands = Viewport(session)
        build_gui(session, self, gui=self.gui)
        self.handler = WindowRequestHandler(self)
        if self.settings_store is not None:
            self.settings_store.apply(self)
        self._unseen = UNSEEN_PICTURES

    def complain(self, where: str, error: Exception) -> None:
        """Log an error and show it; identical errors at most once per REPEAT_AFTER."""
        text = f"{where}: {type(error).__name__}: {error}"
        now = time.perf_counter()
        if now - self._complaints.get(text, -REPEAT_AFTER) < REPEAT_AFTER:
            return
        self._complaints[text] = now
        log.exception(text)
        if self.session is not None:
            self.session.notify(text)

    # ---- drawing

    def draw(self, dt: float) -> None:
        """Draw one picture. The splash screen is drawn seldom, to leave the processor to the compilers."""
        now = time.perf_counter()
        if self.session is None and now - self._splashed < SPLASH_EVERY:
            return
        self._splashed = now
        super().draw(dt)

    @safe
    def on_refresh(self, dt: float) -> None:
        """Draw everything. dt: wall time since the last picture [s]."""
        start = time.perf_counter()
        session, gui = self.session, self.gui
        if session is not None and self._unseen:
            self._unseen -= 1
        self._settle()
        gui.begin(dt)
        while session is not None and gui.inputs.pending:       # all that was typed by now belongs to this picture
            self._panels_unseen()
            gui.begin(0.0)
        try:
            if session is None:
                draw_splash(*self.splash)
            else:
                self._count(dt)
                session.update(start)
                scene_documents.update(session, start)
                self._name(session.document_title)
                self._panels()
                self._scene(dt, start)
        except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever it is, the window stays open)
            self.complain("drawing", error)
        finally:
            if session is None:
                self._clear()
            gui.end()
        if session is not None:
            self.recorder.add_picture(self)
            self.camera.update(self, start)
            if self._unseen == UNSEEN_PICTURES - 1:
                session.thread.start()
        self.pictures_drawn += 1

    def _panels(self) -> None:
        """Draw the panels, once all that was asked of the window is done."""
        self.session.window.handle(self.handler)
        draw(self.gui)
        self.gui.inputs.picture_drawn()

    def _panels_unseen(self) -> None:
        """Draw the panels of a picture that was begun, and do not show them."""
        try:
            self._panels()
        finally:
            imgui.end_frame()

    def _settle(self) -> None:
        """Let waiting events act one after the other, each once the panels know who has the keyboard: without showing them."""
        inputs = self.gui.inputs
        while self.waiting:
            while inputs.unsettled or inputs.pending:
                self.gui.begin(0.0)
                self._panels_unseen()
            handler, args = self.waiting.popleft()
            handler(self, *args)

    def _name(self, title: str) -> None:
        """Show the name of the scene in the window's title."""
        if (caption := f"{title} - Stiction" if title else "Stiction") != self.caption:
            self.set_caption(caption)

    def _scene(self, dt: float, now: float) -> None:
        """Draw the scene into the area that the panels leave free."""
        session, hands = self.session, self.hands
        hands.panes = panes(visible(session), self.gui.panels.centre, session.view.split)
        driving.tick(session)
        hands.tick(dt)
        self._clear()
        for pane in hands.panes:
            self._pane(pane, now)
        if (found := inset(session, hands.panes[0].box)) is not None:
            self._inset(*found, now)

    def _inset(self, camera: Camera, box: Rectangle, now: float) -> None:
        """Draw the picture of a camera on a body into its corner, without overlays."""
        pixels, window = self.get_framebuffer_size(), self.get_size()
        across, down = pixels[0] / max(1, window[0]), pixels[1] / max(1, window[1])
        x, y, width, height = box
        frame, view = self.hands.panes[0].frame, self.session.view.without_overlays()
        self._renderer(len(self.hands.panes)).draw(
            frame, camera, view, round(width * across), round(height * down), now,
            corner=(round(x * across), round((window[1] - y - height) * down)), density=across)
        outline(box)

    def _pane(self, pane: Pane, now: float) -> None:
        """Draw one frame into its pane; each pane has its own renderer, which caches what does not change."""
        session, pixels, window = self.session, self.get_framebuffer_size(), self.get_size()
        across, down = pixels[0] / max(1, window[0]), pixels[1] / max(1, window[1])
        x, y, width, height = pane.box
        simulations = session.thread.comparison.simulations
        solver = simulations[min(pane.index, len(simulations) - 1)].world.solver    # it may have been removed just now
        chosen = session.selection if pane.index == 0 else Selection.of(session.selection.bodies)
        hands = self.hands
        cursor = tuple(across * at for at in hands.cursor) if hands.cursor and pane is hands.pane else None
        placed = self._renderer(pane.index).draw(
            pane.frame, session.camera, view_shown(session), round(width * across), round(height * down), now, selection=chosen,
            facets=facets_of(solver), hover=hands.hover, corner=(round(x * across), round((window[1] - y - height) * down)),
            density=across * scaled(1.0), cursor=cursor, highlight=session.highlight if pane.index == 0 else None,
            **(ghosts_shown(session, now) if pane.index == 0 else {}))
        draw_labels(placed, pane, across, titled=len(hands.panes) > 1)

    def _renderer(self, index: int) -> Any:
        """The renderer of a pane; index 0 is the leader's."""
        from app.render.opengl.renderer import Renderer

        while index > len(self.other_renderers):
            self.other_renderers.append(Renderer(samples=ANTIALIASING_SAMPLES))
        return self.other_renderers[index - 1] if index else self.renderer

    def _clear(self) -> None:
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        gl.glViewport(0, 0, *self.get_framebuffer_size())
        gl.glClearColor(*palette().bar)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)

    def _count(self, dt: float) -> None:
        self._intervals.append(dt)
        if sum(self._intervals) >= 0.5:
            self.session.fps = len(self._intervals) / max(sum(self._intervals), 1e-6)
            self._intervals = []

    @safe
    def save_picture(self, path: Path) -> None:
        """Save the window as a PNG file, and say so."""
        self._write(path, lambda: self.save(path))

    @safe
    def save_scene_picture(self, path: Path) -> None:
        """Save the scene without panels as a PNG file, and say so."""
        self._write(path, lambda: write_png(path, scene_alone(self, None)))

    @safe
    def save_panel_picture(self, path: Path, panel: str = "plot") -> None:
        """Save an open panel's plots alone as a PNG file, and say so."""
        self._write(path, lambda: panel_image.save(self.session, self.picture, path, panel))

    def _write(self, path: Path, save: Callable[[], None]) -> None:
        """Save a picture, and say so, or why not."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            save()
        except OSError as error:
            self.session.notify(not_saved(path, error))
        else:
            self.session.notify(f"saved {path}")

    def picture(self) -> np.ndarray:
        """Draw the window and return its pixels, (height, width, 3) uint8, top row first."""
        self.switch_to()
        self.on_refresh(1.0 / 60.0)
        return self.pixels()

    def pixels(self) -> np.ndarray:
        """Pixels of the last picture, as `picture`."""
        width, height = self.get_framebuffer_size()
        out = np.empty((height, width, 3), np.uint8)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(0, 0, width, height, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, ctypes.c_void_p(out.ctypes.data))
        return out[::-1].copy()

    def save(self, path: Path) -> None:
        """Draw the window and save it as a PNG file."""
        write_png(path, self.picture())

    # ---- mouse

    def _place(self, x: float, y: float) -> tuple[float, float]:
        """Window coordinates to those of the pane under the mouse, or where a button was pressed; origin bottom left."""
        down = self.get_size()[1] - y
        if not self._ours:
            self.hands.enter(x, down)
        left, top, _, height = self.hands.pane.box
        return x - left, top + height - down

    @safe
    @in_order
    def on_mouse_motion(self, x: int, y: int, dx: int, dy: int) -> None:
        self.gui.inputs.mouse_at(x, y)
        if self.hands is not None:
            if self.gui.inputs.wants_mouse:
                self.hands.leave()
            else:
                self.hands.motion(*self._place(x, y))

    @safe
    @unless_splash
    @in_order
    def on_mouse_press(self, x: int, y: int, button: int, modifiers: int) -> None:
        inputs = self.gui.inputs
        inputs.mouse_button(x, y, button, True)
        if self.hands is not None and not inputs.wants_mouse:
            keyboard_navigation.leave()
            place, self._ours = self._place(x, y), True
            self.hands.press(*place, button, modifiers)

    @safe
    @in_order
    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        self.gui.inputs.mouse_at(x, y)
        if self._ours:
            self.hands.drag(*self._place(x, y), dx, dy)

    @safe
    @in_order
    def on_mouse_release(self, x: int, y: int, button: int, modifiers: int) -> None:
        self.gui.inputs.mouse_button(x, y, button, False)
        if self._ours:
            self._ours = False
            self.hands.release(*self._place(x, y), button)

    @safe
    @unless_splash
    @in_order
    def on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        self.gui.inputs.wheel(x, y, scroll_x, scroll_y)
        if self.hands is not None and not self.gui.inputs.wants_mouse:
            self.hands.wheel(*self._place(x, y), scroll_y)

    @safe
    def on_mouse_leave(self, x: int, y: int) -> None:
        if not self._ours:
            self.gui.inputs.mouse_gone()
            if self.hands is not None:
                self.hands.leave()

    # ---- keys

    @safe
    @unless_splash
    @in_order
    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Override the default handler, which would close the window on Esc."""
        from app.gui.commands.keys import FLY_KEYS, act, is_command

        symbol = latin(symbol)
        self.gui.inputs.key(symbol, modifiers, True)
        if self.session is None:
            if symbol == key.Q and modifiers & (key.MOD_CTRL | key.MOD_COMMAND):
                self.on_close()
        elif symbol == key.ESCAPE and self.gui.escape():
            return
        elif self.gui.panels.asks:      # a question waits: no key acts beside it
            if symbol == key.TAB:
                keyboard_navigation.enter(self.session, self.gui.panels)
        elif not self.gui.inputs.wants_key(symbol) or is_command(symbol, modifiers):
            if driving.press(self.session, symbol, modifiers):
                return
            if act(symbol, modifiers, self.session, self.hands) and symbol not in FLY_KEYS:
                self.gui.inputs.unsettle()      # it may open a list with a text field

    @safe
    @in_order
    def on_key_release(self, symbol: int, modifiers: int) -> None:
        symbol = latin(symbol)
        self.gui.inputs.key(symbol, modifiers, False)
        if self.hands is not None:
            self.hands.fly_key(symbol, False)
            driving.release(self.session, symbol)

    @safe
    @unless_splash
    @in_order
    def on_text(self, text: str) -> None:
        self.gui.inputs.text(text)

    # ---- the window itself

    @safe
    def on_file_drop(self, x: int, y: int, paths: list[str]) -> None:
        if self.session is not None and not self.session.state(Lock).on and not self.gui.panels.asks:
            open_dropped(self.session, paths)

    @safe
    def on_activate(self) -> None:
        self.gui.inputs.focus(True)

    @safe
    def on_deactivate(self) -> None:
        self.gui.inputs.focus(False)
        if self.hands is not None:
            self.hands.stop()
            driving.release_all(self.session)

    @safe
    def on_close(self) -> None:
        if self.session is not None:
            self.session.leave(self.close)
        else:
            self.close()

    def end(self) -> None:
        """Close without a question, as the system asks; unsaved work is offered at the next start, as after a crash."""
        self.failed |= self.session is not None and self.session.has_unsaved
        self.close()

    def close(self) -> None:
        """Stop the physics, free the GL objects, close."""
        if self.context is None:
            return
        try:
            if self.settings_store is not None:
                self.settings_store.save(self)
            if self.session is not None:
                self.session.state(Sound).end()
                self.session.thread.stop(ended=not self.failed)
            self.switch_to()
            if self.recorder.writer is not None:
                self.recorder.stop(self)
            for renderer in (self.renderer, *self.other_renderers):
                if renderer is not None:
                    renderer.delete()
            if self.gui is not None:
                self.gui.close()
        except Exception:
            log.exception("closing")
        self.gui = self.renderer = self.hands = None
        super().close()
