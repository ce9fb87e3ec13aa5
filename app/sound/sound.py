"""Sound and rumble of a session: off until a person switches them on, and gone with one message where there is no device."""

import logging
import time
from typing import Any

import numpy as np

from app.session import Session
from app.sound.ears import Ears
from app.sound.hearing import from_camera
from app.sound.rumble import Rumble
from app.sound.speaker import NoSound, Speaker
from app.sound.synthesis import BLOCK, RATE, SILENCE, Synthesis

log = logging.getLogger(__name__)

STALE = 0.1
"""What was heard longer ago goes on no more: time stands still, or a step takes long [s]."""


SWITCHES = ("on", "rumble", "impacts", "sliding", "joints")
"""What a person switches on or off and finds so at the next start."""


class Sound:
    """What sounds and shakes; `session.memory(Sound)`. level: how loud it was last, 0 .. 1.

    wanted: by a person, "on" and "rumble"; kept for the next start though this machine may have no device now. trouble: why there
    is no sound, "" if there is or none is wanted.
    """

    def __init__(self) -> None:
        self.ears = Ears()
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

    # ---- what a person sets

    def switch(self, session: Session, on: bool) -> None:
        """Sound on or off; without a device one message."""
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
                session.say(f"there is no sound: {error}")
        self._attend(session)

    def switch_rumble(self, session: Session, on: bool) -> None:
        """Rumble on or off."""
        self.wanted["rumble"] = on
        if on == (self.rumble is not None):
            return
        if not on:
            self.rumble.close()
            self.rumble = None
        else:
            try:
                self.rumble = Rumble(self.ears)
            except Exception:   # whatever drivers raise; no error of ours, so its trace is not for the console
                log.debug("game controllers", exc_info=True)
                session.say("there is no rumble: game controllers cannot be used on this machine")
        self._attend(session)

    @property
    def volume(self) -> float:
        """0 .. 1."""
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
        """SWITCHES as a person wants them."""
        return self.wanted | self._kinds

    def recall(self, session: Session, volume: float, switches: dict[str, bool]) -> None:
        """As it was left: what `switches` does not name stays as it is."""
        self.volume = volume
        self._kinds.update({kind: switches[kind] for kind in self._kinds if kind in switches})
        self.switch(session, switches.get("on", self.wanted["on"]))
        self.switch_rumble(session, switches.get("rumble", self.wanted["rumble"]))

    def end(self) -> None:
        """The window closes."""
        for one in (self.speaker, self.rumble):
            if one is not None:
                one.close()
        self.speaker = self.rumble = None

    # ---- what the thread of the sound does

    def _begin(self, session: Session) -> None:
        if self.synthesis is None:
            self.synthesis = Synthesis()
        self.synthesis.volume, self.synthesis.kinds = self._volume, self._kinds
        self._heard = self.ears.heard
        self._place = from_camera(session.camera)

    def block(self, session: Session) -> np.ndarray:
        """The next block of samples, of what was heard since the last one."""
        hits, self._heard = self.ears.hits_since(self._heard)
        rubs, when = self.ears.newest
        now = time.perf_counter()
        if now - when > STALE or session.frame.paused:
            rubs = SILENCE
        out = self.synthesis.block(hits, rubs, self._place, now - BLOCK / RATE)
        self.level = float(np.abs(out).max())
        return out

    def _attend(self, session: Session) -> None:
        """The ears cost the physics something only while something listens."""
        listening = self.on or self.rumble is not None
        session.post("call_witness" if listening else "dismiss_witness", self.ears)
