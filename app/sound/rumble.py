"""Impacts in the hand: the motors of game controllers, plugged in at any time. It needs no sound device."""

import logging
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from app.sound.ears import Ears, strength

log = logging.getLogger(__name__)

LOOK = 0.015
"""Between two looks at what was hit [s]."""

WEAKEST = 0.05
"""A blow below this strength is not felt."""


def controllers_of_pyglet() -> Any:
    """Tells of controllers that come and go."""
    import pyglet.input

    return pyglet.input.ControllerManager()


class Rumble:
    """Shakes all controllers with the strength of impacts, until `close`. find: gives a manager as pyglet's."""

    def __init__(self, ears: Ears, find: Callable[[], Any] = controllers_of_pyglet) -> None:
        self._ears, self._heard = ears, ears.heard
        self.controllers: list[Any] = []
        self._manager = find()
        self._manager.push_handlers(on_connect=self._come, on_disconnect=self._go)
        for controller in self._manager.get_controllers():
            self._come(controller)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._feel, name="rumble", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._end.set()
        self._thread.join()
        self._manager.remove_handlers(on_connect=self._come, on_disconnect=self._go)
        for controller in list(self.controllers):
            self._go(controller)

    def shake(self) -> float:
        """Pass on the strongest blow since the last look; its strength, 0: none."""
        hits, self._heard = self._ears.hits_since(self._heard)
        if not len(hits):
            return 0.0
        strong = float(np.max(strength(hits["impulse"], hits["mass"], hits["scale"])))
        if strong < WEAKEST:
            return 0.0
        for controller in list(self.controllers):
            try:
                controller.rumble_play_strong(strong, 0.05 + 0.15 * strong)
                controller.rumble_play_weak(min(1.0, 0.5 + 0.5 * strong), 0.05)
            except Exception as error:  # noqa: BLE001  (unplugged this moment, or without motors)
                log.warning("a controller does not rumble (%s)", error)
                self.controllers.remove(controller)
        return strong

    def _feel(self) -> None:
        while not self._end.wait(LOOK):
            self.shake()

    def _come(self, controller: Any) -> None:
        try:
            controller.open()
        except Exception as error:  # noqa: BLE001  (another program has it)
            log.warning("a controller could not be opened (%s)", error)
            return
        if controller not in self.controllers:
            self.controllers.append(controller)

    def _go(self, controller: Any) -> None:
        if controller in self.controllers:
            self.controllers.remove(controller)
            try:
                controller.close()
            except Exception as error:  # noqa: BLE001  (it is gone already)
                log.info("a controller was gone before it was closed (%s)", error)
