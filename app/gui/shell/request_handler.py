"""Handles requests to the window (app/requests.py); some are refused while it is locked for a class."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import pyglet

from app.analysis.lessons.classroom_lock import Lock
from app.gui.commands.actions import actions
from app.gui.output import scene_documents
from app.gui.output.video_recorder import picture_path
from app.gui.shell.panel_host import Panels
from app.gui.viewport import keyboard_navigation
from app.requests import RequestHandler

Given = ParamSpec("Given")
Method = Callable[Concatenate["WindowRequestHandler", Given], None]


def unless_locked(method: Method[Given]) -> Method[Given]:
    """Decorator of requests that a locked window refuses."""
    @functools.wraps(method)
    def guarded(self: "WindowRequestHandler", *args: Given.args, **kwargs: Given.kwargs) -> None:
        if not self.session.state(Lock).on:
            method(self, *args, **kwargs)
    return guarded


class WindowRequestHandler(RequestHandler):
    """The handler of a window (app/window.py) that has its session."""

    def __init__(self, window: Any) -> None:
        self.window, self.session, self.panels = window, window.session, window.gui.panels

    def open_panel(self, name: str) -> None:
        if self._allows_panel(name):
            self.panels.open(name)

    def toggle_panel(self, name: str) -> None:
        if self._allows_panel(name):
            self.panels.toggle(name)

    def show_panel(self, name: str) -> None:
        if self._allows_panel(name):
            self.panels.show(name)

    def add_new_panels(self) -> None:
        self.panels.add_new()

    @unless_locked
    def reset_layout(self) -> None:
        self.panels.reset_layout(self.session)

    @unless_locked
    def switch_instruments(self) -> None:
        self.panels.switch_instruments(self.session)

    @unless_locked
    def hide_or_show_panels(self) -> None:
        self.panels.hidden = not self.panels.hidden

    @unless_locked
    def focus_panels(self) -> None:
        keyboard_navigation.enter(self.session, self.panels)

    def zoom(self, steps: int) -> None:
        self.window.gui.zoom(steps)

    def run_action(self, name: str) -> None:
        if self.session.state(Lock).allows_action(name):
            actions()[name].do(self.session, self.window.hands)

    @unless_locked
    def save_screenshot(self) -> None:
        self._after_picture(self.window.save_picture, picture_path(self.session.frame.scene))

    @unless_locked
    def save_scene_picture(self) -> None:
        self._after_picture(self.window.save_scene_picture, picture_path(self.session.frame.scene))

    @unless_locked
    def save_panel_picture(self, path: Path, panel: str = "plot") -> None:
        self._after_picture(self.window.save_panel_picture, path, panel)

    @unless_locked
    def toggle_video(self) -> None:
        self.window.recorder.toggle(self.window)

    def copy_text(self, text: str) -> None:
        self.window.set_clipboard_text(text)

    @unless_locked
    def paste_link(self) -> None:
        scene_documents.paste_link(self.session, self.window.get_clipboard_text() or "")

    def quit(self) -> None:
        self._after_picture(self.window.on_close)

    def _allows_panel(self, name: str) -> bool:
        return name in self.panels.all and Panels.allows(self.session, name)

    @staticmethod
    def _after_picture(do: Callable[..., None], *args: Any) -> None:
        """Do it between two pictures: it draws one itself, or ends the window."""
        pyglet.clock.schedule_once(lambda dt: do(*args), 0.0)
