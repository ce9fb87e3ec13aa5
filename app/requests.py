"""What the GUI asks of its window. A request waits in the session until the window handles it, before it draws its next picture:
panels may ask while they are drawn, and commands before there is a window. No GL."""

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Protocol


class RequestHandler(Protocol):
    """Handles requests; the window's handler is app/gui/shell/request_handler.py. It may refuse."""

    def open_panel(self, name: str) -> None:
        """Open a panel if it is closed, and bring it to the front."""

    def toggle_panel(self, name: str) -> None:
        """Open or close a panel."""

    def show_panel(self, name: str) -> None:
        """Bring a panel to the front of its dock if it is open."""

    def add_new_panels(self) -> None:
        """Add panels whose files were installed since the start."""

    def reset_layout(self) -> None:
        """Put every panel back to its place."""

    def switch_instruments(self) -> None:
        """Show all instruments, or the simple window."""

    def hide_or_show_panels(self) -> None:
        """Hide all panels, or show them again."""

    def focus_panels(self) -> None:
        """Move the keyboard from the scene into the panels."""

    def zoom(self, steps: int) -> None:
        """Enlarge (positive) or shrink text and controls; 0: back to the screen's own size."""

    def run_action(self, name: str) -> None:
        """Run an action of app/gui/commands/actions.py."""

    def save_screenshot(self) -> None:
        """Save a picture of the window into the pictures folder."""

    def save_scene_picture(self) -> None:
        """Save a picture of the scene without panels into the pictures folder."""

    def save_panel_picture(self, path: Path, panel: str = "plot") -> None:
        """Save a picture of a panel's plots alone: "plot", "phase_map"."""

    def toggle_video(self) -> None:
        """Begin or end a video."""

    def copy_text(self, text: str) -> None:
        """Put a text on the clipboard."""

    def paste_link(self) -> None:
        """Open the scene of the link that is on the clipboard."""

    def quit(self) -> None:
        """Close the window, once unsaved work is answered for."""


class WindowRequests:
    """Requests in the order in which they were made: one method for each of RequestHandler."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[RequestHandler], None]] = deque()

    def handle(self, handler: RequestHandler) -> None:
        """Pass all waiting requests to the handler, with those that it makes meanwhile."""
        while self._waiting:
            self._waiting.popleft()(handler)

    def open_panel(self, name: str) -> None:
        self._waiting.append(lambda handler: handler.open_panel(name))

    def toggle_panel(self, name: str) -> None:
        self._waiting.append(lambda handler: handler.toggle_panel(name))

    def show_panel(self, name: str) -> None:
        self._waiting.append(lambda handler: handler.show_panel(name))

    def add_new_panels(self) -> None:
        self._waiting.append(lambda handler: handler.add_new_panels())

    def reset_layout(self) -> None:
        self._waiting.append(lambda handler: handler.reset_layout())

    def switch_instruments(self) -> None:
        self._waiting.append(lambda handler: handler.switch_instruments())

    def hide_or_show_panels(self) -> None:
        self._waiting.append(lambda handler: handler.hide_or_show_panels())

    def focus_panels(self) -> None:
        self._waiting.append(lambda handler: handler.focus_panels())

    def zoom(self, steps: int) -> None:
        self._waiting.append(lambda handler: handler.zoom(steps))

    def run_action(self, name: str) -> None:
        self._waiting.append(lambda handler: handler.run_action(name))

    def save_screenshot(self) -> None:
        self._waiting.append(lambda handler: handler.save_screenshot())

    def save_scene_picture(self) -> None:
        self._waiting.append(lambda handler: handler.save_scene_picture())

    def save_panel_picture(self, path: Path, panel: str = "plot") -> None:
        self._waiting.append(lambda handler: handler.save_panel_picture(path, panel))

    def toggle_video(self) -> None:
        self._waiting.append(lambda handler: handler.toggle_video())

    def copy_text(self, text: str) -> None:
        self._waiting.append(lambda handler: handler.copy_text(text))

    def paste_link(self) -> None:
        self._waiting.append(lambda handler: handler.paste_link())

    def quit(self) -> None:
        self._waiting.append(lambda handler: handler.quit())
