"""Driving a scene: its control inputs (Scene.controls) follow held keys and the axes of a gamepad.

While driving by keyboard the keys of the controls act on them and on nothing else; with Ctrl or Alt keys keep their meaning.
Released, a control returns to 0. Without a key or axis held, the sliders of the panel set the value.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pyglet.window import key

from app.controllers import Controllers, controllers_of_pyglet
from app.engine import commands
from app.gui.shell.first_minute import Instruments
from app.i18n.message import Verbatim, message
from app.session import Session
from scenes import Control

log = logging.getLogger(__name__)

DEAD_ZONE = 0.15
"""Deflection of a gamepad's axis that is still 0."""

GAMEPAD_READERS: dict[str, Callable[[Any], float]] = {
    "left stick x": lambda pad: -pad.leftx, "left stick y": lambda pad: pad.lefty, "right stick x": lambda pad: -pad.rightx,
    "right stick y": lambda pad: pad.righty, "triggers": lambda pad: pad.righttrigger - pad.lefttrigger}
"""How to read an axis of `scenes.GAMEPAD_AXES` from a controller of pyglet, -1 .. 1."""


class Gamepads:
    """Connected gamepads; the first one drives. notify: shows a sentence when one comes or goes. find: as of `Controllers`."""

    def __init__(self, notify: Callable[[str], None], find: Callable[[], Any] = controllers_of_pyglet) -> None:
        self.pads: list[Any] = []
        self._notify = notify
        try:
            self._found = Controllers(find, self._changed)
            self.pads = self._found.open
        except Exception as error:  # noqa: BLE001  (no permission, no driver)
            log.warning(message("gamepads cannot be read ({error})", error=error))

    @property
    def name(self) -> str:
        """Name of the controller in use; "": none."""
        return str(self.pads[0].name) if self.pads else ""

    def deflection(self, axis: str) -> float:
        """Of an axis of the first one, -1 .. 1; 0 within DEAD_ZONE. One that cannot be read counts as gone."""
        if not self.pads or not axis:
            return 0.0
        try:
            value = float(GAMEPAD_READERS[axis](self.pads[0]))
        except Exception as error:  # noqa: BLE001  (unplugged before the system reports it, or a faulty driver)
            log.warning(message("gamepads cannot be read ({error})", error=error))
            self._found.drop(self.pads[0])
            return 0.0
        return max(-1.0, min(1.0, value)) if abs(value) >= DEAD_ZONE else 0.0

    def _changed(self, pad: Any, there: bool) -> None:
        name = Verbatim(pad.name)
        self._notify(message("gamepad connected: {name}", name=name) if there else
                     message("gamepad disconnected: {name}; its controls return to 0", name=name))


@dataclass
class Driving:
    """State of driving. scene: for which the panel was opened. by_keyboard: keys of the controls act on them. held: symbols of
    keys that are down. sent: values posted for what is held. gamepads: None until the panel was drawn once. opened: the
    panel was opened by a scene, and goes with it."""

    scene: str = ""
    opened: bool = False
    by_keyboard: bool = False
    held: set[int] = field(default_factory=set)
    sent: dict[str, float] = field(default_factory=dict)
    gamepads: Gamepads | None = None


def controls(session: Session) -> tuple[Control, ...]:
    """Controls of the scene shown."""
    return session.scene.controls if session.scene is not None else ()


def press(session: Session, symbol: int, modifiers: int) -> bool:
    """Take a key that drives; False: it does not."""
    driving = session.state(Driving)
    if not driving.by_keyboard or modifiers & (key.MOD_CTRL | key.MOD_COMMAND | key.MOD_ALT):
        return False
    if not any(symbol == getattr(key, name) for control in controls(session) for name in control.keys):
        return False
    driving.held.add(symbol)
    return True


def release(session: Session, symbol: int) -> None:
    """Note that a key is up."""
    session.state(Driving).held.discard(symbol)


def release_all(session: Session) -> None:
    """Release every key: the window lost the keyboard."""
    session.state(Driving).held.clear()


def tick(session: Session) -> None:
    """Post the inputs whose keys or axes have changed since the last picture."""
    driving, here = session.state(Driving), controls(session)
    if not here:
        if driving.opened:      # it came with the scene that is gone, perhaps also in the window that is put away
            session.state(Instruments).put_away.pop("controls", None)
            if session.shows_panel("controls"):
                session.window.toggle_panel("controls")
        driving.scene, driving.by_keyboard, driving.sent, driving.opened = "", False, {}, False
        driving.held.clear()
        return
    if driving.scene != session.frame.scene:
        driving.scene, driving.opened = session.frame.scene, driving.opened or not session.shows_panel("controls")
        session.window.open_panel("controls")
    for control in here:
        value = held_value(driving, control)
        if value != driving.sent.get(control.name, 0.0):
            driving.sent[control.name] = value
            session.post(commands.set_input, control.name, value)


def held_value(driving: Driving, control: Control) -> float:
    """Value of a control by the keys held, else by the gamepad."""
    down, up = (driving.by_keyboard and getattr(key, name) in driving.held for name in control.keys)
    if up != down:
        return control.hi if up else control.lo
    share = driving.gamepads.deflection(control.axis) if driving.gamepads is not None else 0.0
    return share * control.hi if share > 0.0 else -share * control.lo
