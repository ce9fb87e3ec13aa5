"""Game controllers, which may be plugged in and out at any time."""

import logging
from collections.abc import Callable
from typing import Any

log = logging.getLogger(__name__)


def controllers_of_pyglet() -> Any:
    """The manager that reports connected and disconnected controllers."""
    import pyglet.input

    return pyglet.input.ControllerManager()


class Controllers:
    """Opens every controller that is there or comes, until `close`. open: those that are. find: returns a manager like pyglet's;
    it keeps weak references to its handlers, so this object must be kept. changed: called with each controller that is there
    (True) or gone (False)."""

    def __init__(self, find: Callable[[], Any] = controllers_of_pyglet,
                 changed: Callable[[Any, bool], None] = lambda controller, there: None) -> None:
        self.open: list[Any] = []
        self._changed = changed
        self._manager = find()
        self._manager.push_handlers(on_connect=self._come, on_disconnect=self.drop)
        for controller in self._manager.get_controllers():
            self._come(controller)

    def close(self) -> None:
        self._manager.remove_handlers(on_connect=self._come, on_disconnect=self.drop)
        for controller in list(self.open):
            self.drop(controller)

    def _come(self, controller: Any) -> None:
        try:
            controller.open()
        except Exception as error:  # noqa: BLE001  (in use by another program)
            log.warning("could not open a controller (%s)", error)
            return
        if controller not in self.open:
            self.open.append(controller)
            self._changed(controller, True)

    def drop(self, controller: Any) -> None:
        """Close a controller that is gone or cannot be read."""
        if controller in self.open:
            self.open.remove(controller)
            try:
                controller.close()
            except Exception as error:  # noqa: BLE001  (already unplugged)
                log.info("a controller was gone before it was closed (%s)", error)
            self._changed(controller, False)
