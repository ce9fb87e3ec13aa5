"""The kinds of breakpoints (breakpoints.py): contact, slip, impact, gain of energy, rest and others."""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from app.engine.breakpoints.base import Breakpoint, BreakpointCause
from app.engine.breakpoints.expression import Condition
from app.engine.frame import contact_keys
from app.i18n.message import message
from app.number_format import rounded
from physics import BadInput, World, option
from physics.contact.targets import TOUCH_GAP
from physics.core.records import Case, Drive, Kind
from physics.dynamics import measure
from physics.observe.audit.findings import Finding
from physics.observe.joint_quantities import fields_of
from scenes import Scene

IMPACT_SPEED = 0.02
"""Approach speed below which a contact is resting and not an impact [m/s]."""

BOTH = ("contacts and joints", "contacts", "joints")


# ---- contacts


def _pair(contacts: np.ndarray) -> np.ndarray:
    """Key of each contact's pair: lower shape * 2^32 + higher shape."""
    low, high = np.minimum(contacts["shape_a"], contacts["shape_b"]), np.maximum(contacts["shape_a"], contacts["shape_b"])
    return low.astype(np.int64) * 2**32 + high


def _between(world: World, c: np.record) -> str:
    a, b = (world.body_names[i] for i in (int(c["body_a"]), int(c["body_b"])))
    return message("'{one}' and '{other}'", one=a, other=b)


def _moving(world: World, a: int, b: int) -> int:
    """Return the dynamic one of two bodies, b if both are."""
    return b if world.bodies["kind"][b] == Kind.DYNAMIC else a


def _at_contact(world: World, i: int, text: str) -> BreakpointCause:
    c = world.contacts[i]
    return BreakpointCause(text, _moving(world, int(c["body_a"]), int(c["body_b"])), contact=i, point=tuple(map(float, c["pos"])))


@dataclass
class NextContact(Breakpoint):
    title = "Next contact"
    meaning = "Two bodies come into contact."
    of_bodies = True

    def before(self, world: World) -> np.ndarray:
        return world.contacts

    def find(self, world: World, then: np.ndarray) -> BreakpointCause | None:
        now = world.contacts
        begun = (now["impulse"] > 0.0) & self.selected_rows(world, now) & ~np.isin(_pair(now), _pair(then[then["impulse"] > 0.0]))
        # A pair that touched before without an impulse (a pile before its first load) begins only if it approaches.
        touched = (world.steps == 1) | np.isin(_pair(now), _pair(then[then["gap"] <= TOUCH_GAP]))
        begun &= ~touched | (now["approach"] < -IMPACT_SPEED)
        if not begun.any():
            return None
        i = int(np.argmax(np.where(begun, now["impulse"], -1.0)))
        pair = begun & (_pair(now) == _pair(now[i : i + 1])[0])
        speed, impulse = max(0.0, -float(now["approach"][pair].min())), float(now["impulse"][pair].sum())
        return _at_contact(world, i,
                           message("{pair} come into contact at {speed} m/s with {impulse} N s", pair=_between(world, now[i]),
                                   speed=rounded(speed), impulse=rounded(impulse)))


@dataclass
class _Changes(Breakpoint):
    """A transition of friction from sticking to slipping, or back."""

    of_bodies = True
    begins: ClassVar[bool]      # slipping; else sticking
    what: str = option(BOTH[0], choices=BOTH, help="Friction of contacts, of joints, or of both.")
    speed: float = option(0.001, unit="m/s", lo=0.0, hi=1.0,
                          help="Slip speeds below this count as sticking; contacts in a pile creep by micrometres all the time. "
                               "Rotating joints: rad/s.")

    def _slide(self, records: np.ndarray) -> np.ndarray:
        return (records["case"] == Case.SLIP) & ((records["slip"] ** 2).sum(axis=1) > self.speed * self.speed)

    def before(self, world: World) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return world.contacts, self._slide(world.joints), world.joints["kind"].copy()

    def find(self, world: World, then: tuple[np.ndarray, np.ndarray, np.ndarray]) -> BreakpointCause | None:
        found = self._contact(world, then[0]) if self.what != "joints" else None
        return found or (self._joint(world, *then[1:]) if self.what != "contacts" else None)

    def _contact(self, world: World, then: np.ndarray) -> BreakpointCause | None:
        now = world.contacts
        pressed = (now["impulse"] > 0.0) & self.selected_rows(world, now)
        candidates = np.flatnonzero(pressed & (self._slide(now) if self.begins else now["case"] == Case.STICK))
        if not len(candidates):
            return None
        before = set(contact_keys(then[(then["impulse"] > 0.0) & (self._slide(then) != self.begins)]))
        for i, key in zip(candidates.tolist(), contact_keys(now[candidates])):
            if key in before:
                c, acting = now[i], world.impulse_duration
                return _at_contact(world, i,
                                   message("contact of {pair}: {word}; slip {slip} m/s, friction {friction} N of at most {most} "
                                           "N", pair=_between(world, c), word=self._word,
                                           slip=rounded(float(np.linalg.norm(c["slip"]))),
                                           friction=rounded(float(np.linalg.norm(c["friction_impulse"])) / acting, 4),
                                           most=rounded(float(c["friction"] * c["impulse"]) / acting, 4)))
        return None

    def _joint(self, world: World, slid: np.ndarray, kinds: np.ndarray) -> BreakpointCause | None:
        joints = world.joints[: len(slid)]
        changed = self._slide(joints) if self.begins else joints["case"] == Case.STICK
        changed = changed & (slid != self.begins) & (joints["kind"] >= 0) & (joints["kind"] == kinds)
        for j in np.flatnonzero(changed & self.selected_rows(world, joints)).tolist():
            if world.joint_kind(j).friction and (joints["max_friction"][j].any() or joints["load_mu"][j].any()):
                unit = "m/s" if world.joint_kind(j).friction[0].unit == "N" else "rad/s"
                return _at_joint(world, j,
                                 message("friction of joint '{joint}': {word}; {slip} {unit}",
                                         joint=world.joint_names[j] or f"#{j}", word=self._word,
                                         slip=rounded(float(np.linalg.norm(joints["slip"][j]))), unit=unit))
        return None

    @property
    def _word(self) -> str:
        return "begins to slide" if self.begins else "sticks"


def _at_joint(world: World, j: int, text: str) -> BreakpointCause:
    joint = world.joints[j]
    body = _moving(world, int(joint["body_a"]), int(joint["body_b"]))
    return BreakpointCause(text, body, joint=j, point=tuple(map(float, world.bodies["pos"][body])))


@dataclass
class FirstSlip(_Changes):
    title = "First slip"
    meaning = "A sticking contact or joint begins to slide."
    begins = True


@dataclass
class FirstStick(_Changes):
    title = "First stick"
    meaning = "A sliding contact or joint begins to stick."
    begins = False


@dataclass
class Impact(Breakpoint):
    title = "Impact"
    meaning = message("Two bodies collide with at least this impulse, faster than {impact_speed:g} m/s.",
                      impact_speed=IMPACT_SPEED)
    of_bodies = True

    impulse: float = option(1.0, unit="N s", lo=0.0, hi=1e6, log=True,
                            help="Smallest total normal impulse of the two bodies in one step.")

    def find(self, world: World, then: None) -> BreakpointCause | None:
        now = world.contacts[: len(world.awake_contacts)]
        hitting = (now["approach"] < -IMPACT_SPEED) & (now["impulse"] > 0.0) & self.selected_rows(world, now)
        if not hitting.any():
            return None
        pairs = _pair(now)
        sums = {int(pair): float(now["impulse"][pairs == pair].sum()) for pair in np.unique(pairs[hitting])}
        hardest = max(sums, key=sums.get)
        if sums[hardest] < self.impulse:
            return None
        points = hitting & (pairs == hardest)
        i = int(np.argmax(np.where(points, now["impulse"], -1.0)))
        return _at_contact(world, i,
                           message("{pair} collide with {impulse} N s, at {speed} m/s", pair=_between(world, now[i]),
                                   impulse=rounded(sums[hardest], 4), speed=rounded(-float(now["approach"][points].min()))))


@dataclass
class Penetration(Breakpoint):
    title = "Penetration"
    meaning = "Two bodies penetrate deeper than this."
    of_bodies = True

    depth: float = option(1.0, unit="mm", lo=0.001, hi=1000.0, log=True, help="Penetration depth that triggers the breakpoint.")

    def _deepest(self, world: World) -> int:
        now = world.contacts
        mine = self.selected_rows(world, now)
        return int(np.argmin(np.where(mine, now["gap"], np.inf))) if mine.any() else -1

    def before(self, world: World) -> bool:
        i = self._deepest(world)
        return i >= 0 and -1e3 * world.contacts["gap"][i] > self.depth

    def find(self, world: World, then: bool) -> BreakpointCause | None:
        i = self._deepest(world)
        if then or i < 0 or -1e3 * world.contacts["gap"][i] <= self.depth:
            return None
        c = world.contacts[i]
        return _at_contact(world, i,
                           message("{pair} overlap by {depth} mm", pair=_between(world, c),
                                   depth=rounded(-1e3 * float(c["gap"]), 4)))


# ---- the rest


def mechanical_energy(world: World) -> float:
    """Kinetic and potential energy [J]."""
    return float(sum(measure.energy(world.bodies, world.gravity)))


def source(world: World) -> str:
    """Return what may supply energy to this world, "" if nothing can."""
    joints = world.joints
    live = joints["kind"] >= 0
    if world.drivers:
        return "the scene applies forces"
    for j in np.flatnonzero(live & (joints["motor_mode"] != Drive.OFF).any(axis=1)).tolist():
        return message("joint '{joint}' has a motor or a spring", joint=world.joint_names[j])
    for j in np.flatnonzero(live).tolist():
        if world.joint_kind(j).springs or world.joint_kind(j).pulled:
            return message("joint '{joint}' is a {kind}", joint=world.joint_names[j],
                           kind=world.joint_kinds[world.joints["kind"][j]].replace("_", " "))
    bodies = world.bodies
    movers = (bodies["kind"] == Kind.KINEMATIC) & ((bodies["vel"] != 0.0) | (bodies["omega"] != 0.0)).any(axis=1)
    for i in np.flatnonzero(movers).tolist():
        return message("body '{body}' is kinematic", body=world.body_names[i])
    if any(any(material.surface_velocity) or material.adhesion for material in world.materials.items):
        return "a surface moves or has adhesion"
    return "an external force acts" if (world.bodies["force"] != 0.0).any() or (world.bodies["torque"] != 0.0).any() else ""


@dataclass
class EnergyGained(Breakpoint):
    title = "Energy gained"
    meaning = "Mechanical energy increases without a motor, spring, mouse force, kinematic body or external force."

    energy: float = option(0.1, unit="J", lo=1e-6, hi=1e6, log=True, help="Smallest energy gain in one step.")

    def before(self, world: World) -> float | None:
        self.trouble = source(world) and message("not monitored while {source}", source=source(world))
        return None if self.trouble else mechanical_energy(world)

    def find(self, world: World, then: float | None) -> BreakpointCause | None:
        gain = 0.0 if then is None else mechanical_energy(world) - then
        return BreakpointCause(message("mechanical energy increased by {gain} J in one step",
                                       gain=rounded(gain, 4))) if gain > self.energy else None


@dataclass
class AuditFails(Breakpoint):
    title = "Audit fails"
    meaning = "The auditor finds a violation of energy, momentum, joint or contact laws, independently of the solver's report."
    of_bodies = True

    def before(self, world: World) -> frozenset[int]:
        self.trouble = "" if world.audit.options.enabled else "the auditor is off: enable it in the Physics panel"
        return frozenset(finding.rule for finding in self._mine(world))

    def _mine(self, world: World) -> list[Finding]:
        audit, body = world.report.audit if world.report is not None else None, self.body(world)
        return [f for f in audit.findings if body in (-1, f.body, f.other)] if audit is not None else []

    def find(self, world: World, then: frozenset[int]) -> BreakpointCause | None:
        for found in self._mine(world):
            if found.rule not in then:
                return BreakpointCause(found.text, found.body, joint=found.joint, contact=found.contact,
                                       point=tuple(map(float, world.bodies["pos"][found.body])))
        return None


@dataclass
class JointSaturated(Breakpoint):
    title = "Joint friction saturated"
    meaning = "Dry friction of a joint reaches this fraction of its bound."
    of_bodies = True

    share: float = option(100.0, unit="%", lo=1.0, hi=100.0, help="Fraction of the bound; the joint slips at 100.")

    def before(self, world: World) -> set[int]:
        return set(self._saturated(world))

    def _saturated(self, world: World) -> dict[int, tuple[float, float]]:
        """Friction and bound of each joint at its bound [N] or [N m], by index."""
        joints, found = world.joints, {}
        bounded = (joints["kind"] >= 0) & (joints["max_friction"] > 0.0).any(axis=1) & self.selected_rows(world, joints)
        for j in np.flatnonzero(bounded).tolist():
            of = fields_of(world.joint_kind(j))
            if "friction" in of:
                friction, bound = abs(of["friction"].read(world, j)), of["friction_bound"].read(world, j)
                if bound > 0.0 and friction >= 0.01 * self.share * bound * (1.0 - 1e-9):
                    found[j] = friction, bound
        return found

    def find(self, world: World, then: set[int]) -> BreakpointCause | None:
        for j, (friction, bound) in self._saturated(world).items():
            if j not in then:
                unit = fields_of(world.joint_kind(j))["friction"].unit
                return _at_joint(world, j,
                                 message("friction of joint '{joint}' reached {friction} of {bound} {unit}",
                                         joint=world.joint_names[j] or f"#{j}", friction=rounded(friction, 4),
                                         bound=rounded(bound, 4), unit=unit))
        return None


@dataclass
class Stops(Breakpoint):
    title = "A body stops"
    meaning = "A moving body becomes slower than this."
    of_bodies = True

    speed: float = option(0.001, unit="m/s", lo=1e-6, hi=10.0, log=True, help="Speed [m/s] and angular speed [rad/s] below which "
                                                                              "a body counts as stopped.")

    def _moves(self, world: World) -> np.ndarray:
        bodies, body = world.bodies, self.body(world)
        limit = self.speed * self.speed
        moves = ((bodies["vel"] ** 2).sum(axis=1) > limit) | ((bodies["omega"] ** 2).sum(axis=1) > limit)
        return moves & (bodies["kind"] == Kind.DYNAMIC) & (True if body < 0 else np.arange(len(bodies)) == body)

    def before(self, world: World) -> np.ndarray:
        return self._moves(world)

    def find(self, world: World, then: np.ndarray) -> BreakpointCause | None:
        stopped = np.flatnonzero(then & ~self._moves(world)[: len(then)] & (world.bodies["kind"][: len(then)] == Kind.DYNAMIC))
        return _at_body(world, int(stopped[0]),
                        message("stopped (slower than {speed:g} m/s)", speed=self.speed)) if len(stopped) else None


@dataclass
class FallsAsleep(Breakpoint):
    title = "A body falls asleep"
    meaning = "A body falls asleep (sleeping is enabled in the Physics panel)."
    of_bodies = True

    def before(self, world: World) -> np.ndarray:
        return world.bodies["asleep"] != 0

    def find(self, world: World, then: np.ndarray) -> BreakpointCause | None:
        asleep, body = (world.bodies["asleep"] != 0)[: len(then)] & ~then, self.body(world)
        fallen = [i for i in np.flatnonzero(asleep).tolist() if body in (-1, i)]
        return _at_body(world, fallen[0], "fell asleep" + (message(", with {fallen} more",
                                                                   fallen=len(fallen) - 1) if len(fallen) > 1 else "")
                        ) if fallen else None


def _at_body(world: World, i: int, what: str) -> BreakpointCause:
    return BreakpointCause(f"'{world.body_names[i] or f'#{i}'}' {what}", i, point=tuple(map(float, world.bodies["pos"][i])))


@dataclass
class WatchExpression(Breakpoint):
    title = "Watched expression"
    meaning = "A condition on quantities becomes true."

    expression: str = "world.kinetic < 0.01"
    condition: Condition | None = field(default=None, repr=False)

    def write(self, text: str) -> None:
        """Set the condition to watch.

        Raises:
            BadInput: it cannot be parsed; the previous one stays.
        """
        self.condition = Condition(text)
        self.expression = text

    def is_same(self) -> Breakpoint:
        return replace(self, condition=None)

    def check(self, world: World, scene: Scene | None = None) -> None:
        super().check(world, scene)
        try:
            self.condition = self.condition or Condition(self.expression)
            self.condition.find(world, scene)
        except BadInput as error:
            self.trouble = str(error)

    def before(self, world: World) -> bool:
        return self.condition(world)

    def find(self, world: World, then: bool) -> BreakpointCause | None:
        if then or not self.condition(world):
            return None
        key = next((key for key in self.condition.keys if key.startswith("body:")), "")
        name = key.removeprefix("body:").rpartition(".")[0]
        body = world.body_names.index(name) if name in world.body_names else -1
        point = tuple(map(float, world.bodies["pos"][body])) if body >= 0 else None
        return BreakpointCause(message("{expression} became true: {values}", expression=self.expression,
                                       values=self.condition.values(world)),
                               body, point=point)
