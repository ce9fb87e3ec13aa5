"""Sound and rumble of a session: off by default; without a device they stay off, with one message."""

import logging
import time
from typing import Any

import numpy as np

from app.engine import commands
from app.session import Session
from app.sound.rumble import Rumble
from app.sound.speaker import NoSound, Speaker
from app.sound.step_sounds import StepSounds
from app.sound.synthesis import BLOCK_SAMPLES, SAMPLE_RATE, SILENCE, Synthesis, pan_from_camera

log = logging.getLogger(__name__)

MAX_DELAY = 0.1
"""Sliding sounds older than this are stopped: the simulation is paused, or a step takes long [s]."""


SOUND_SWITCHES = ("on", "rumble", "impacts", "sliding", "joints")
"""The user's switches, kept for the next start."""


class Sound:
    """Sound and rumble; `session.state(Sound)`. level: peak of the last block, 0 .. 1.

    wanted: "on" and "rumble" as set by the user; kept for the next start even without a device now. trouble: why there
    is no sound; "" if there is or none is wanted.
    """

    def __init__(self) -> None:
        self.step_sounds = StepSounds()
        self.synthesis: Synthesis | None = None
        self.speaker: Any = None
        self.rumble: Rumble | None = None
        self.level = 0.0
        self.wanted = {"on": False, "rumble": False}
        self.trouble = ""
        self._heard = 0
        self._volume, self._kinds = 0.7, {"impacts": True, "sliding": True, "joints": True}

    @property
    def on(self) -> bool:
        return self.speaker is not None

    # ---- settings

    def switch(self, session: Session, on: bool) -> None:
        """Switch sound on or off; shows one message if there is no device."""
        self.wanted["on"], self.trouble = on, self.trouble if on else ""
        if on == self.on:
            return
        if not on:
            speaker, self.speaker = self.speaker, None
            speaker.close()
            self.level = 0.0
        else:
            self._begin(session)
            try:
                self.speaker, self.trouble = Speaker(lambda: self.block(session)), ""
            except NoSound as error:
                self.trouble = str(error)
                session.notify(f"no sound: {error}")
        self._attend(session)

    def switch_rumble(self, session: Session, on: bool) -> None:
        """Switch rumble on or off."""
        self.wanted["rumble"] = on
        if on == (self.rumble is not None):
            return
        if not on:
            self.rumble.close()
            self.rumble = None
        else:
            try:
                self.rumble = Rumble(self.step_sounds)
            except Exception:   # drivers raise anything; the traceback is not for the console
                log.debug("game controllers", exc_info=True)
                session.notify("no vibration: game controllers are not supported on this machine")
        self._attend(session)

    @property
    def volume(self) -> float:
        """Volume, 0 .. 1."""
        return self._volume

    @volume.setter
    def volume(self, value: float) -> None:
        self._volume = value
        if self.synthesis is not None:
            self.synthesis.volume = value

    @property
    def kinds(self) -> dict[str, bool]:
        """Which of impacts, sliding and joints are heard."""
        return self._kinds

    def switches(self) -> dict[str, bool]:
        """SOUND_SWITCHES as set by the user."""
        return self.wanted | self._kinds

    def recall(self, session: Session, volume: float, switches: dict[str, bool]) -> None:
        """Restore saved settings; names missing from `switches` keep their values."""
        self.volume = volume
        self._kinds.update({kind: switches[kind] for kind in self._kinds if kind in switches})
        self.switch(session, switches.get("on", self.wanted["on"]))
        self.switch_rumble(session, switches.get("rumble", self.wanted["rumble"]))

    def end(self) -> None:
        """Close the devices when the window closes."""
        for one in (self.speaker, self.rumble):
            if one is not None:
                one.close()
        self.speaker = self.rumble = None

    # ---- on the sound thread

    def _begin(self, session: Session) -> None:
        if self.synthesis is None:
            self.synthesis = Synthesis()
        self.synthesis.volume, self.synthesis.kinds = self._volume, self._kinds
        self._heard = self.step_sounds.heard
        self._place = pan_from_camera(session.camera)

    def block(self, session: Session) -> np.ndarray:
        """Compute the next block of samples from the sounds since the last one."""
        hits, self._heard = self.step_sounds.impacts_since(self._heard)
        rubs, when = self.step_sounds.newest
        now = time.perf_counter()
        if now - when > MAX_DELAY or session.frame.paused:
            rubs = SILENCE
        out = self.synthesis.block(hits, rubs, self._place, now - BLOCK_SAMPLES / SAMPLE_RATE)
        self.level = float(np.abs(out).max())
        return out

    def _attend(self, session: Session) -> None:
        """Observe the physics only while sound or rumble is on."""
        listening = self.on or self.rumble is not None
        session.post(commands.add_observer if listening else commands.remove_observer, self.step_sounds)
