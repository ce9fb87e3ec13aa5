"""The kinds of breakpoints (breakpoints.py): what is a contact, a slip, an impact, a gain of energy, a stop."""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from app.digits import few
from app.engine.breakpoints import Breakpoint, Cause
from app.engine.condition import Condition
from app.engine.identity import contact_keys
from physics import BadInput, World, measure, option
from physics.auditing.told import Finding
from physics.core.records import Case, Drive, Kind
from physics.joint_quantities import fields_of

IMPACT_SPEED = 0.02
"""Slower than this nothing hits, it lies and is pressed [m/s]."""

BOTH = ("contacts and joints", "contacts", "joints")


# ---- contacts


def _pair(contacts: np.ndarray) -> np.ndarray:
    """Lower shape * 2^32 + higher shape."""
    low, high = np.minimum(contacts["shape_a"], contacts["shape_b"]), np.maximum(contacts["shape_a"], contacts["shape_b"])
    return low.astype(np.int64) * 2**32 + high


def _between(world: World, c: np.record) -> str:
    a, b = (world.body_names[i] for i in (int(c["body_a"]), int(c["body_b"])))
    return f"'{a}' and '{b}'"


def _moving(world: World, a: int, b: int) -> int:
    """The one of two bodies that is rather meant."""
    return b if world.bodies["kind"][b] == Kind.DYNAMIC else a


def _at_contact(world: World, i: int, text: str) -> Cause:
    c = world.contacts[i]
    return Cause(text, _moving(world, int(c["body_a"]), int(c["body_b"])), contact=i, point=tuple(map(float, c["pos"])))


@dataclass
class NextContact(Breakpoint):
    title = "Next contact"
    meaning = "Two bodies begin to press against one another."
    of_bodies = True

    def before(self, world: World) -> np.ndarray:
        return world.contacts

    def find(self, world: World, then: np.ndarray) -> Cause | None:
        now = world.contacts
        begun = (now["impulse"] > 0.0) & self.mine(world, now) & ~np.isin(_pair(now), _pair(then[then["impulse"] > 0.0]))
        if world.steps == 1:
            begun &= now["approach"] < -IMPACT_SPEED    # the others lay there from the start
        if not begun.any():
            return None
        i = int(np.argmax(np.where(begun, now["impulse"], -1.0)))
        pair = begun & (_pair(now) == _pair(now[i : i + 1])[0])
        speed, impulse = max(0.0, -float(now["approach"][pair].min())), float(now["impulse"][pair].sum())
        return _at_contact(world, i, f"{_between(world, now[i])} touch, with {few(speed)} m/s and {few(impulse)} N s")


@dataclass
class _Changes(Breakpoint):
    """Friction goes over from holding to sliding, or back."""

    of_bodies = True
    begins: ClassVar[bool]      # to slide; else it begins to hold
    what: str = option(BOTH[0], choices=BOTH, help="Whose friction: that of contacts, of joints, or both.")
    speed: float = option(0.001, unit="m/s", lo=0.0, hi=1.0,
                          help="Slower than this it holds, whatever the solver says: in a pile contacts give way by micrometres "
                               "all the time. Joints that turn: rad/s.")

    def _slide(self, records: np.ndarray) -> np.ndarray:
        return (records["case"] == Case.SLIP) & ((records["slip"] ** 2).sum(axis=1) > self.speed * self.speed)

    def before(self, world: World) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return world.contacts, self._slide(world.joints), world.joints["kind"].copy()

    def find(self, world: World, then: tuple[np.ndarray, np.ndarray, np.ndarray]) -> Cause | None:
        found = self._contact(world, then[0]) if self.what != "joints" else None
        return found or (self._joint(world, *then[1:]) if self.what != "contacts" else None)

    def _contact(self, world: World, then: np.ndarray) -> Cause | None:
        now = world.contacts
        pressed = (now["impulse"] > 0.0) & self.mine(world, now)
        candidates = np.flatnonzero(pressed & (self._slide(now) if self.begins else now["case"] == Case.STICK))
        if not len(candidates):
            return None
        before = set(contact_keys(then[(then["impulse"] > 0.0) & (self._slide(then) != self.begins)]))
        for i, key in zip(candidates.tolist(), contact_keys(now[candidates])):
            if key in before:
                c, acting = now[i], world.acting
                return _at_contact(world, i, f"the contact of {_between(world, c)} {self._word}: slip "
                                             f"{few(float(np.linalg.norm(c['slip'])))} m/s, friction "
                                             f"{few(float(np.linalg.norm(c['friction_impulse'])) / acting, 4)} N of at most "
                                             f"{few(float(c['friction'] * c['impulse']) / acting, 4)} N")
        return None

    def _joint(self, world: World, slid: np.ndarray, kinds: np.ndarray) -> Cause | None:
        joints = world.joints[: len(slid)]
        changed = self._slide(joints) if self.begins else joints["case"] == Case.STICK
        changed = changed & (slid != self.begins) & (joints["kind"] >= 0) & (joints["kind"] == kinds)
        for j in np.flatnonzero(changed & self.mine(world, joints)).tolist():
            if world.joint_kind(j).friction and (joints["max_friction"][j].any() or joints["load_mu"][j].any()):
                unit = "m/s" if world.joint_kind(j).friction[0].unit == "N" else "rad/s"
                return _at_joint(world, j, f"the friction of joint '{world.joint_names[j] or f'#{j}'}' {self._word}: "
                                           f"{few(float(np.linalg.norm(joints['slip'][j])))} {unit}")
        return None

    @property
    def _word(self) -> str:
        return "begins to slide" if self.begins else "sticks"


def _at_joint(world: World, j: int, text: str) -> Cause:
    joint = world.joints[j]
    body = _moving(world, int(joint["body_a"]), int(joint["body_b"]))
    return Cause(text, body, joint=j, point=tuple(map(float, world.bodies["pos"][body])))


@dataclass
class FirstSlip(_Changes):
    title = "First slip"
    meaning = "Friction that held begins to slide, in a contact or in a joint."
    begins = True


@dataclass
class FirstStick(_Changes):
    title = "First stick"
    meaning = "Friction that slid begins to hold, in a contact or in a joint."
    begins = False


@dataclass
class Impact(Breakpoint):
    title = "Impact"
    meaning = f"Two bodies hit with at least this impulse, faster than {IMPACT_SPEED:g} m/s."
    of_bodies = True

    impulse: float = option(1.0, unit="N s", lo=0.0, hi=1e6, log=True,
                            help="Least normal impulse of all points of the two bodies in one step.")

    def find(self, world: World, then: None) -> Cause | None:
        now = world.contacts[: len(world.awake_contacts)]
        hitting = (now["approach"] < -IMPACT_SPEED) & (now["impulse"] > 0.0) & self.mine(world, now)
        if not hitting.any():
            return None
        pairs = _pair(now)
        sums = {int(pair): float(now["impulse"][pairs == pair].sum()) for pair in np.unique(pairs[hitting])}
        hardest = max(sums, key=sums.get)
        if sums[hardest] < self.impulse:
            return None
        points = hitting & (pairs == hardest)
        i = int(np.argmax(np.where(points, now["impulse"], -1.0)))
        return _at_contact(world, i, f"{_between(world, now[i])} hit with {few(sums[hardest], 4)} N s, at "
                                     f"{few(-float(now['approach'][points].min()))} m/s")


@dataclass
class Penetration(Breakpoint):
    title = "Penetration"
    meaning = "Two bodies overlap by more than this."
    of_bodies = True

    depth: float = option(1.0, unit="mm", lo=0.001, hi=1000.0, log=True, help="Overlap from which on it fires.")

    def _deepest(self, world: World) -> int:
        now = world.contacts
        mine = self.mine(world, now)
        return int(np.argmin(np.where(mine, now["gap"], np.inf))) if mine.any() else -1

    def before(self, world: World) -> bool:
        i = self._deepest(world)
        return i >= 0 and -1e3 * world.contacts["gap"][i] > self.depth

    def find(self, world: World, then: bool) -> Cause | None:
        i = self._deepest(world)
        if then or i < 0 or -1e3 * world.contacts["gap"][i] <= self.depth:
            return None
        c = world.contacts[i]
        return _at_contact(world, i, f"{_between(world, c)} overlap by {few(-1e3 * float(c['gap']), 4)} mm")


# ---- the rest


def mechanical_energy(world: World) -> float:
    """Kinetic and potential energy [J]."""
    return float(sum(measure.energy(world.bodies, world.gravity)))


def source(world: World) -> str:
    """What may feed energy into this world, "" if nothing can."""
    joints = world.joints
    live = joints["kind"] >= 0
    if world.drivers:
        return "the scene pushes"
    for j in np.flatnonzero(live & (joints["motor_mode"] != Drive.OFF).any(axis=1)).tolist():
        return f"joint '{world.joint_names[j]}' has a motor or a spring"
    for j in np.flatnonzero(live).tolist():
        if world.joint_kind(j).name in ("drag", "spring", "torsion_spring"):
            return f"joint '{world.joint_names[j]}' is a {world.joint_kind(j).name.replace('_', ' ')}"
    bodies = world.bodies
    movers = (bodies["kind"] == Kind.KINEMATIC) & ((bodies["vel"] != 0.0) | (bodies["omega"] != 0.0)).any(axis=1)
    for i in np.flatnonzero(movers).tolist():
        return f"body '{world.body_names[i]}' is moved"
    if any(any(material.surface_velocity) or material.adhesion for material in world.materials.items):
        return "a surface runs or sticks"
    return "a force acts" if (world.bodies["force"] != 0.0).any() or (world.bodies["torque"] != 0.0).any() else ""


@dataclass
class EnergyGained(Breakpoint):
    title = "Energy gained"
    meaning = "Mechanical energy rises though nothing feeds it: no motor, spring, mouse, mover or force."

    energy: float = option(0.1, unit="J", lo=1e-6, hi=1e6, log=True, help="Least gain in one step.")

    def before(self, world: World) -> float | None:
        self.trouble = source(world) and f"not watched while {source(world)}"
        return None if self.trouble else mechanical_energy(world)

    def find(self, world: World, then: float | None) -> Cause | None:
        gain = 0.0 if then is None else mechanical_energy(world) - then
        return Cause(f"mechanical energy rose by {few(gain, 4)} J in one step") if gain > self.energy else None


@dataclass
class AuditFails(Breakpoint):
    title = "Audit fails"
    meaning = "The auditor finds energy, momentum or a law of joints and contacts broken, whatever the solver says of itself."
    of_bodies = True

    def before(self, world: World) -> frozenset[int]:
        self.trouble = "" if world.audit.options.on else "the auditor is off: the panel Physics switches it on"
        return frozenset(finding.rule for finding in self._mine(world))

    def _mine(self, world: World) -> list[Finding]:
        audit, body = world.report.audit if world.report is not None else None, self.body(world)
        return [f for f in audit.findings if body in (-1, f.body, f.other)] if audit is not None else []

    def find(self, world: World, then: frozenset[int]) -> Cause | None:
        for found in self._mine(world):
            if found.rule not in then:
                return Cause(found.text, found.body, joint=found.joint, contact=found.contact,
                             point=tuple(map(float, world.bodies["pos"][found.body])))
        return None


@dataclass
class JointSaturated(Breakpoint):
    title = "Joint friction saturated"
    meaning = "Dry friction of a joint reaches this share of its bound."
    of_bodies = True

    share: float = option(100.0, unit="%", lo=1.0, hi=100.0, help="Of the bound; 100 is where it gives way.")

    def before(self, world: World) -> set[int]:
        return set(self._saturated(world))

    def _saturated(self, world: World) -> dict[int, tuple[float, float]]:
        """(friction, bound) of the joints that are there [N] or [N m]."""
        joints, found = world.joints, {}
        bounded = (joints["kind"] >= 0) & (joints["max_friction"] > 0.0).any(axis=1) & self.mine(world, joints)
        for j in np.flatnonzero(bounded).tolist():
            of = fields_of(world.joint_kind(j))
            if "friction" in of:
                friction, bound = abs(of["friction"].read(world, j)), of["friction_bound"].read(world, j)
                if bound > 0.0 and friction >= 0.01 * self.share * bound * (1.0 - 1e-9):
                    found[j] = friction, bound
        return found

    def find(self, world: World, then: set[int]) -> Cause | None:
        for j, (friction, bound) in self._saturated(world).items():
            if j not in then:
                unit = fields_of(world.joint_kind(j))["friction"].unit
                return _at_joint(world, j, f"the friction of joint '{world.joint_names[j] or f'#{j}'}' reached "
                                           f"{few(friction, 4)} of {few(bound, 4)} {unit}")
        return None


@dataclass
class Stops(Breakpoint):
    title = "A body stops"
    meaning = "A body that moved becomes slower than this."
    of_bodies = True

    speed: float = option(0.001, unit="m/s", lo=1e-6, hi=10.0, log=True, help="Speed, and angular speed in rad/s, below which it "
                                                                               "counts as still.")

    def _moves(self, world: World) -> np.ndarray:
        bodies, body = world.bodies, self.body(world)
        limit = self.speed * self.speed
        moves = ((bodies["vel"] ** 2).sum(axis=1) > limit) | ((bodies["omega"] ** 2).sum(axis=1) > limit)
        return moves & (bodies["kind"] == Kind.DYNAMIC) & (True if body < 0 else np.arange(len(bodies)) == body)

    def before(self, world: World) -> np.ndarray:
        return self._moves(world)

    def find(self, world: World, then: np.ndarray) -> Cause | None:
        stopped = np.flatnonzero(then & ~self._moves(world)[: len(then)] & (world.bodies["kind"][: len(then)] == Kind.DYNAMIC))
        return _at_body(world, int(stopped[0]), f"stopped (slower than {self.speed:g} m/s)") if len(stopped) else None


@dataclass
class FallsAsleep(Breakpoint):
    title = "A body falls asleep"
    meaning = "A body comes to rest for good and is left out of the steps (Physics, Sleeping switches that on)."
    of_bodies = True

    def before(self, world: World) -> np.ndarray:
        return world.bodies["asleep"] != 0

    def find(self, world: World, then: np.ndarray) -> Cause | None:
        asleep, body = (world.bodies["asleep"] != 0)[: len(then)] & ~then, self.body(world)
        fallen = [i for i in np.flatnonzero(asleep).tolist() if body in (-1, i)]
        return _at_body(world, fallen[0], "fell asleep" + (f", with {len(fallen) - 1} more" if len(fallen) > 1 else "")
                        ) if fallen else None


def _at_body(world: World, i: int, what: str) -> Cause:
    return Cause(f"'{world.body_names[i] or f'#{i}'}' {what}", i, point=tuple(map(float, world.bodies["pos"][i])))


@dataclass
class Watched(Breakpoint):
    title = "Watched expression"
    meaning = "A condition on any quantities becomes true."

    expression: str = "world.kinetic < 0.01"
    condition: Condition | None = field(default=None, repr=False)

    def write(self, text: str) -> None:
        """Watch this condition.

        Raises:
            BadInput: it cannot be read; the one before stays.
        """
        self.condition = Condition(text)
        self.expression = text

    def alike(self) -> Breakpoint:
        return replace(self, condition=None)

    def check(self, world: World) -> None:
        super().check(world)
        try:
            self.condition = self.condition or Condition(self.expression)
            self.condition.find(world)
        except BadInput as error:
            self.trouble = str(error)

    def before(self, world: World) -> bool:
        return self.condition(world)

    def find(self, world: World, then: bool) -> Cause | None:
        if then or not self.condition(world):
            return None
        key = next((key for key in self.condition.keys if key.startswith("body:")), "")
        name = key.removeprefix("body:").rpartition(".")[0]
        body = world.body_names.index(name) if name in world.body_names else -1
        point = tuple(map(float, world.bodies["pos"][body])) if body >= 0 else None
        return Cause(f"{self.expression} became true: {self.condition.values(world)}", body, point=point)
