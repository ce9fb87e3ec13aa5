"""What the command palette lists: actions, panels, scenes, solvers, and every number and choice that can be set. No ImGui."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import scenes
from app.digits import few
from app.engine.deeds import DT_RANGE
from app.gui.actions import actions
from app.gui.controls.values import SPEEDS, THROWS, parse, pretty, range_text
from app.session import Session
from physics import fields, solvers


@dataclass(frozen=True)
class Setting:
    """Something with a value: how it is, what is allowed, what sets it."""

    value: Any
    commit: Callable[[Any], None]
    lo: float | None = None
    hi: float | None = None
    unit: str = ""
    choices: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """Its value now."""
        if isinstance(self.value, str):
            return self.value
        return f"{few(self.value, 4)} {pretty(self.unit)}".rstrip()

    @property
    def allowed(self) -> str:
        return ", ".join(self.choices) or f"{range_text(self.lo, self.hi).removeprefix('; ')} {pretty(self.unit)}".strip()

    def take(self, text: str) -> str:
        """Set what was typed; "" or why not."""
        if self.choices:
            fitting = [choice for choice in self.choices if choice.startswith(text.strip().lower())]
            if not text.strip() or not fitting:
                return f"'{text}' is none of: {self.allowed}"
            self.commit(fitting[0])
            return ""
        new, reason = parse(text, self.lo, self.hi, self.value)
        if not reason:
            self.commit(new)
        return reason


@dataclass(frozen=True)
class Entry:
    """One line of the palette: either `do` is called or a value is asked for. state: "on", a value, or what it is."""

    group: str
    label: str
    do: Callable[[], None] | None = None
    setting: Setting | None = None
    keys: str = ""
    help: str = ""
    state: str = ""


def entries(session: Session) -> list[Entry]:
    """Everything, in the order in which it is listed before something is typed."""
    return [*_actions(session), *_panels(session), *_scenes(session), *_solvers(session), *_settings(session)]


def _actions(session: Session) -> Iterator[Entry]:
    for action in actions().values():
        if action.ready(session) and action.name != "palette":
            state = "" if action.on is None else "on" if action.on(session) else "off"
            yield Entry(action.topic, action.label, _request(session, f"do:{action.name}"), keys=action.shortcut,
                        help=action.help, state=state)


def _panels(session: Session) -> Iterator[Entry]:
    for name, title, is_open, _ in session.panels:
        yield Entry("Panel", f"Panel {title}", _request(session, f"open:{name}"), help="Bring it to the front.",
                    state="open" if is_open else "closed")


def _scenes(session: Session) -> Iterator[Entry]:
    for category, title, name in sorted((s.category, s.title, name) for name, s in scenes.all_scenes().items()):
        yield Entry("Scene", f"Open {title}", lambda name=name: session.post("load", name), help=scenes.find(name).look_for,
                    state="this one" if name == session.frame.scene else category)


def _solvers(session: Session) -> Iterator[Entry]:
    now = session.simulation.world.solver.name
    for key, kind in solvers.available().items():
        yield Entry("Solver", f"Solver {kind.name}", lambda key=key: session.post("use_solver", key), help=kind.doc,
                    state="this one" if kind.name == now else "")


def _settings(session: Session) -> Iterator[Entry]:
    simulation, view = session.simulation, session.view
    world = simulation.world
    yield from _options("Solver", world.solver.options, lambda name, value: session.post("set_option", name, value))
    yield from _options("Parameter", session.parameters, lambda name, value: session.post("set_parameter", name, value))
    yield from _options("Sleeping", world.sleeping, lambda name, value: session.post("set_sleeping", name, value))
    yield from _options("Auditor", world.audit.options, lambda name, value: session.post("set_audit", name, value))
    yield from (entry for entry in _options("View", view, lambda name, value: setattr(view, name, value)) if entry.setting)
    gravity = session.frame.gravity
    living = session.frame.shapes[session.frame.shapes["body"] >= 0]
    for label, value, lo, hi, unit, commit, help in (
            ("friction of all bodies", _mean(living["friction"]), 0.0, 2.0, "",
             lambda v: session.post("set_friction", v), "Coulomb's coefficient of every body's material."),
            ("restitution of all bodies", _mean(living["restitution"]), 0.0, 1.0, "",
             lambda v: session.post("set_restitution", v), "Part of the approach speed that comes back."),
            ("gravity", 0.0 - float(gravity[2]), -30.0, 30.0, "m/s\u00b2",
             lambda v: session.post("set_gravity", (float(gravity[0]), float(gravity[1]), -v)), "Downwards."),
            ("speed of time", simulation.speed, *SPEEDS, "\u00d7", lambda v: session.post("set_speed", v),
             "Simulated seconds per second."),
            ("step size", 1e3 * simulation.dt, 1e3 * DT_RANGE[0], 1e3 * DT_RANGE[1], "ms",
             lambda v: session.post("set_dt", min(DT_RANGE[1], max(DT_RANGE[0], 1e-3 * v))), "Of the physics."),
            ("throw speed", session.throw_speed, *THROWS, "m/s", lambda v: setattr(session, "throw_speed", v),
             "Of a ball thrown with B.")):
        setting = Setting(float(value), commit, lo, hi, unit)
        yield Entry("Set", f"Set {label}", setting=setting, help=help, state=setting.shown)


def _options(group: str, target: Any, commit: Callable[[str, Any], None]) -> Iterator[Entry]:
    """Every described field of an options object."""
    for field in fields(target):
        m, value, label = field.metadata, getattr(target, field.name), field.name.replace("_", " ")
        if isinstance(field.default, bool):
            yield Entry(group, f"Switch {label}", lambda name=field.name, value=value: commit(name, not value), help=m["help"],
                        state="on" if value else "off")
        else:
            setting = Setting(value, lambda new, name=field.name: commit(name, new), m["lo"], m["hi"], m["unit"], m["choices"])
            yield Entry(group, f"Set {label}", setting=setting, help=m["help"], state=setting.shown)


def _mean(values: Any) -> float:
    return float(values.mean()) if len(values) else 0.0


def _request(session: Session, what: str) -> Callable[[], None]:
    return lambda: session.request(what)
