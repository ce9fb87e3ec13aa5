"""Impacts as rumble of game controllers, which may be plugged in at any time. Needs no sound device."""

import logging
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from app.controllers import Controllers, controllers_of_pyglet
from app.sound.step_sounds import StepSounds, strength

log = logging.getLogger(__name__)

POLL_INTERVAL = 0.015
"""Interval between two checks for impacts [s]."""

MIN_STRENGTH = 0.05
"""Impacts below this strength cause no rumble."""


class Rumble:
    """Rumbles all controllers with the strength of impacts, until `close`. find: returns a manager like pyglet's."""

    def __init__(self, step_sounds: StepSounds, find: Callable[[], Any] = controllers_of_pyglet) -> None:
        self._step_sounds, self._heard = step_sounds, step_sounds.heard
        self._found = Controllers(find)
        self.controllers = self._found.open
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._poll, name="rumble", daemon=True)
        self._thread.start()

    def stop_polling(self) -> None:
        """Look for impacts only when `vibrate` is called."""
        self._end.set()
        self._thread.join()

    def close(self) -> None:
        self.stop_polling()
        self._found.close()

    def vibrate(self) -> float:
        """Play the strongest impact since the last call; returns its strength, 0 for none."""
        hits, self._heard = self._step_sounds.impacts_since(self._heard)
        if not len(hits):
            return 0.0
        strong = float(np.max(strength(hits["impulse"], hits["mass"], hits["scale"])))
        if strong < MIN_STRENGTH:
            return 0.0
        for controller in list(self.controllers):
            try:
                controller.rumble_play_strong(strong, 0.05 + 0.15 * strong)
                controller.rumble_play_weak(min(1.0, 0.5 + 0.5 * strong), 0.05)
            except Exception as error:  # noqa: BLE001  (just unplugged, or without motors)
                log.warning("a controller does not vibrate (%s)", error)
                self.controllers.remove(controller)
        return strong

    def _poll(self) -> None:
        while not self._end.wait(POLL_INTERVAL):
            self.vibrate()
