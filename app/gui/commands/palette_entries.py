"""Entries of the command palette: actions, panels, scenes, solvers, and every number and choice that can be set. No ImGui."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import scenes
from app.engine import commands
from app.engine.recording.validate_commands import DT_RANGE
from app.engine.simulation import Simulation
from app.gui.commands.actions import actions
from app.gui.controls.values import SPEEDS, THROWS, parse, pretty, range_text, solver_title
from app.i18n.message import message
from app.number_format import rounded
from app.session import Session
from physics import fields, solvers

ACTION_WORDS = {
    "add": "new box ball create insert", "copy_link": "share url", "faster": "speed up", "frame": "reset camera zoom fit center",
    "help": "shortcuts hotkeys", "instruments": "advanced expert beginner", "larger": "font size zoom bigger",
    "lock": "kiosk exam", "open_file": "import load robot urdf mjcf sdf mesh obj stl gltf", "own_size": "font size zoom",
    "palette": "search", "picture": "image png", "present": "fullscreen full screen projector", "quit": "exit close",
    "run": "play start stop", "screenshot": "image capture print", "slower": "slow motion", "smaller": "font size zoom",
    "sound": "mute volume audio", "theme": "dark light mode colors appearance", "tour": "tutorial introduction"}
PANEL_WORDS = {"files": "import load robot urdf", "lesson": "law parameters tilt", "plot": "csv export data graph chart measure",
               "physics": "timestep settings gravity"}
"""Words by which a newcomer looks for an action or a panel, by its name, and which its label and help do not have."""


@dataclass(frozen=True)
class Setting:
    """A value that can be set, its bounds and the function that sets it."""

    value: Any
    commit: Callable[[Any], None]
    lo: float | None = None
    hi: float | None = None
    unit: str = ""
    choices: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The present value as text."""
        if isinstance(self.value, str):
            return self.value
        return f"{rounded(self.value, 4)} {pretty(self.unit)}".rstrip()

    @property
    def allowed(self) -> str:
        return ", ".join(self.choices) or f"{range_text(self.lo, self.hi).removeprefix('; ')} {pretty(self.unit)}".strip()

    def set_from_text(self, text: str) -> str:
        """Set the value from text; returns "" or why it was refused."""
        if self.choices:
            fitting = [choice for choice in self.choices if choice.startswith(text.strip().lower())]
            if not text.strip() or not fitting:
                return message("'{text}' is none of: {allowed}", text=text, allowed=self.allowed)
            self.commit(fitting[0])
            return ""
        new, reason = parse(text, self.lo, self.hi, self.value)
        if not reason:
            self.commit(new)
        return reason


@dataclass(frozen=True)
class Entry:
    """One line of the palette: calls `do`, or asks for a value. state: "on", a value, or a category; words: by which it is found
    besides."""

    group: str
    label: str
    do: Callable[[], None] | None = None
    setting: Setting | None = None
    keys: str = ""
    help: str = ""
    state: str = ""
    words: str = ""


def entries(session: Session) -> list[Entry]:
    """All entries, in the order of the empty search."""
    return [*_actions(session), *_panels(session), *_scenes(session), *_solvers(session), *_settings(session)]


def _actions(session: Session) -> Iterator[Entry]:
    for action in actions().values():
        if action.ready(session) and action.name != "palette":
            state = "" if action.on is None else "on" if action.on(session) else "off"
            yield Entry(action.topic, action.label, partial(session.window.run_action, action.name), keys=action.shortcut,
                        help=action.help, state=state, words=ACTION_WORDS.get(action.name, ""))


def _panels(session: Session) -> Iterator[Entry]:
    for panel in session.panels:
        yield Entry("Panel", message("Panel {panel}", panel=panel.title), partial(session.window.open_panel, panel.name),
                    help=panel.about or "Bring it to the front.", state="open" if panel.is_open else "closed",
                    words=PANEL_WORDS.get(panel.name, ""))


def _scenes(session: Session) -> Iterator[Entry]:
    for category, title, name in sorted((s.category, s.title, name) for name, s in scenes.all_scenes().items()):
        yield Entry("Scene", message("Open {title}", title=title), lambda name=name: session.post(Simulation.load, name),
                    help=scenes.find(name).look_for, state="current" if name == session.frame.scene else category,
                    words=f"{name} {name.replace('_', ' ')} {category}")


def _solvers(session: Session) -> Iterator[Entry]:
    now = session.frame.solver
    for key, kind in solvers.available().items():
        yield Entry("Solver", message("Solver {kind}", kind=kind.name), lambda key=key: session.post(commands.use_solver, key),
                    help=kind.doc, state="current" if kind.name == now else "")
        for options in kind.alternatives:
            yield Entry("Solver", message("Solver {kind}", kind=solver_title(kind.name, options)),
                        partial(session.post, commands.use_solver, key, **options), help=kind.doc)


def _settings(session: Session) -> Iterator[Entry]:
    simulation, view = session.simulation, session.view
    frame = session.frame
    yield from _options("Solver", frame.solver_state.options, lambda name,
                        value: session.post(commands.set_option, name, value))
    yield from _options("Parameter", session.parameters, session.set_parameter)
    yield from _options("Sleeping", frame.sleeping, lambda name, value: session.post(commands.set_sleeping, name, value))
    yield from _options("Auditor", frame.audit_options, lambda name, value: session.post(commands.set_audit, name, value))
    yield from (entry for entry in _options("View", view, lambda name, value: setattr(view, name, value)) if entry.setting)
    gravity = session.frame.gravity
    living = session.frame.shapes[session.frame.shapes["body"] >= 0]
    for label, value, lo, hi, unit, commit, help in (
            ("friction of all bodies", _mean(living["friction"]), 0.0, 2.0, "",
             lambda v: session.post(commands.set_friction, v), "Friction coefficient of every body's material."),
            ("restitution of all bodies", _mean(living["restitution"]), 0.0, 1.0, "",
             lambda v: session.post(commands.set_restitution, v), "Coefficient of restitution: ratio of rebound to approach "
                                                                    "speed."),
            ("gravity", 0.0 - float(gravity[2]), -30.0, 30.0, "m/s\u00b2",
             lambda v: session.post(commands.set_gravity, (float(gravity[0]), float(gravity[1]), -v)), "Downward "
                                                                                                         "acceleration."),
            ("playback speed", simulation.speed, *SPEEDS, "\u00d7", lambda v: session.post(Simulation.set_speed, v),
             "Simulated seconds per second."),
            ("step size", 1e3 * simulation.dt, 1e3 * DT_RANGE[0], 1e3 * DT_RANGE[1], "ms",
             lambda v: session.post(commands.set_dt, min(DT_RANGE[1], max(DT_RANGE[0], 1e-3 * v))), "Step size of the "
                                                                                                      "physics."),
            ("throw speed", session.throw_speed, *THROWS, "m/s", lambda v: setattr(session, "throw_speed", v),
             "Speed of a ball thrown with B.")):
        setting = Setting(float(value), commit, lo, hi, unit)
        yield Entry("Set", message("Set {label}", label=label), setting=setting, help=help, state=setting.shown)


def _options(group: str, target: Any, commit: Callable[[str, Any], None]) -> Iterator[Entry]:
    """An entry for every described field of an options object."""
    for field in fields(target):
        m, value, label = field.metadata, getattr(target, field.name), field.name.replace("_", " ")
        if isinstance(field.default, bool):
            yield Entry(group, message("Switch {label}", label=label), partial(commit, field.name, not value), help=m["help"],
                        state="on" if value else "off")
        else:
            setting = Setting(value, lambda new, name=field.name: commit(name, new), m["lo"], m["hi"], m["unit"], m["choices"])
            yield Entry(group, message("Set {label}", label=label), setting=setting, help=m["help"], state=setting.shown)


def _mean(values: Any) -> float:
    return float(values.mean()) if len(values) else 0.0
