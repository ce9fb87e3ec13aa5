"""The auditor: an independent check of every step that trusts no solver and shares no code with any.

From the bodies before and after each part of a step, the applied forces, gravity, and the impulses that contacts and joints
report, it checks for every solver (physics/observe/audit):

    energy is conserved, apart from known causes    verdict.py (5), within about a second, island by island
    each body's motion follows from its impulses    verdict.py (2)
    isolated islands keep their momenta             verdict.py (4)
    joints hold                                     joints.py (1), (2)
    contacts obey their law, nothing overlaps       contacts.py (2), (3)

A value beyond its threshold (`AuditOptions`) is a `Finding` on the step's report and a warning of the world: once for each rule
and body, for at most MAX_WARNINGS_PER_RULE bodies per rule.
"""

import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from physics.core import former_names
from physics.core.options import Described, option
from physics.core.quaternions import conjugate, rotate
from physics.core.records import Kind
from physics.observe.audit.findings import Audit, Finding
from physics.observe.audit.sums import OMEGA, QUAT, SINCE, VEL
from physics.observe.audit.verdict import LIMITS, MOVED, examine
from physics.observe.audit.worst_places import BODY, CONTACT, COUNT, JOINT, OTHER_BODY, RATIO, VALUE, Rule, room

MAX_WARNINGS_PER_RULE = 3
"""Maximum number of bodies per rule that the world's warnings report."""

_ENERGY = (Rule.GAINED, Rule.LOST)

RIGID = (0.0, 0.0, 0.0)
"""`Solver.contact_springs` of rigid contacts."""

_NONE_DRIVEN = np.zeros((0, 12))

NO_FINDINGS = Audit()
"""An audit without findings."""


@former_names.accepts_former
@dataclass
class AuditOptions(Described):
    """Thresholds of the auditor."""

    enabled: bool = option(True,
                           help="Audit every step for energy, momentum, joint errors and the contact law, independently of the "
                                "solver's own report. Steps with unexplained energy gain are rejected and repeated in shorter "
                                "pieces; all other motion is unaffected.")
    window: float = option(1.0, unit="s", lo=0.01, hi=60.0, log=True,
                           help="Averaging window of the energy balance. Energy that a method adds temporarily must be returned "
                                "within it.")
    energy: float = option(0.01, lo=1e-9, hi=1.0, log=True,
                           help="Energy error allowed within the window, relative to the largest kinetic energy in it.")
    min_speed: float = option(0.05, unit="m/s", lo=0.0, hi=10.0, log=True,
                              help="Energy errors below the kinetic energy of the bodies at this speed are ignored.")
    body_tolerance: float = option(1e-6, lo=1e-12, hi=1.0, log=True,
                                   help="Allowed change of a body's momentum not explained by reported impulses, relative to "
                                        "the impulses acting on it.")
    momentum: float = option(1e-6, lo=1e-12, hi=1.0, log=True,
                             help="Allowed change per step of the total momentum of an isolated group of bodies, relative to the "
                                  "sum of the magnitudes.")
    joint: float = option(1e-3, lo=1e-9, hi=1.0, log=True,
                          help="Allowed position error of a joint, relative to its lever arm.")
    joint_angle: float = option(1e-3, unit="rad", lo=1e-9, hi=1.0, log=True, help="Allowed misalignment of a joint's axes.")
    cone: float = option(1e-6, lo=1e-12, hi=1.0, log=True, help="Allowed excess of friction over its bound, relative to the "
                                                                "bound.")
    slip: float = option(0.02, unit="m/s", lo=1e-6, hi=10.0, log=True,
                         help="A contact slips above this speed; friction must then be at its bound and oppose the slip.")
    slip_alignment: float = option(0.1, lo=1e-3, hi=1.0, help="Allowed fraction of friction acting along the slip instead of "
                                                              "against it.")
    gap: float = option(1e-3, unit="m", lo=1e-9, hi=1.0, log=True,
                        help="Largest gap during the step at which a contact may carry an impulse.")
    overlap: float = option(0.2, lo=1e-6, hi=10.0, log=True,
                            help="Allowed penetration, relative to half the thickness of the thinner body.")
    least_overlap: float = option(1e-3, unit="m", lo=0.0, hi=1.0, log=True, help="Penetration below this depth is not reported.")
    reject_above: float = option(0.01, lo=0.0, hi=1.0,
                                 help="Reject a step whose unexplained energy gain exceeds this fraction of the kinetic energy, "
                                      "and repeat it in shorter pieces; 1: never reject.")


class Auditor:
    """The auditor of one world (`world.audit`)."""

    def __init__(self) -> None:
        self.options = AuditOptions()
        self.memory = np.zeros((0, 3))      # verdict.py (5), of each body
        self.found = room()                 # worst place of each rule in the last part: worst_places.py
        self.findings: dict[Rule, Finding] = {}
        self.step_length = 1.0
        self.gained = 0.0                   # unexplained gain of an island in this step, as a fraction of its moving energy
        self._set, self._limit = (), np.zeros(1, LIMITS)
        self._driven = _NONE_DRIVEN         # see `examine`
        self.warned: set[tuple[int, str]] = set()

    def copy(self) -> "Auditor":
        """A copy by value."""
        twin = copy.copy(self)
        twin.options, twin.warned = copy.copy(self.options), self.warned.copy()
        twin.memory, twin.found, twin.findings = self.memory.copy(), self.found.copy(), {}
        twin._set, twin._driven = (), _NONE_DRIVEN      # recomputed, from the options and in each step
        return twin

    def reset_accounts(self) -> None:
        """Restart the energy accounts, after changes that the auditor has not seen."""
        self.memory = np.zeros((0, 3))

    def begin(self, world: Any, dt: float) -> None:
        """Begin a step of dt [s]."""
        self.findings, self.step_length, self.gained = {}, dt, 0.0
        if not self.options.enabled:
            if len(self.memory):        # compiled steps keep what they found of a table until it is another one
                self.reset_accounts()
        elif len(self.memory) != len(world.bodies):
            kept, self.memory = self.memory, np.zeros((len(world.bodies), 3))
            self.memory[: len(kept)] = kept[: len(world.bodies)]
        self._driven = _past_velocities(world.bodies) if world.layout.driven else _NONE_DRIVEN

    def observe_part(self, world: Any, motion: np.ndarray, force: np.ndarray, torque: np.ndarray, contacts: np.ndarray,
                     dt: float, parts: int = 1, ended: bool = False) -> None:
        """Examine a finished part of the step, from its initial motion (measure.copy_motion) and applied forces.

        dt: [s], 0 for instantaneous impacts; parts: number of parts by the solver. ended: `contacts` are those at its end.
        The world still has the contacts of the part before.
        """
        if not self.options.enabled:
            return
        if dt > 0.0 and world.solver.starts_at_middle:
            motion = _new_account(world, motion, force, torque)
        broken, gained = examine.unchecked(world.bodies, motion, force, torque, contacts, ended, world.awake_contacts,
                                           world.last_part_dt, parts, world.joints, world.materials.pairs,
                                           tuple(world.solver.contact_springs or RIGID), world.gravity, dt, self.step_length,
                                           self.limits(), self._driven, world.solver.ramps_kinematic, self.memory, self.found)
        if len(self._driven):
            self._driven = _past_velocities(world.bodies)
        self.gained += gained
        if broken:
            for rule, ratio in zip(Rule, self.found[:, RATIO].tolist(), strict=True):
                if ratio > 1.0 and (rule not in self.findings or ratio > self.findings[rule].ratio):
                    self.findings[rule] = self._finding(world, contacts, rule, self.found[rule].tolist())

    def verdict(self, world: Any, whole: bool) -> Audit | None:
        """Findings of the finished step; None if the auditor is off. whole: it had one part, whose contacts the world has now, in
        the same order."""
        if not self.options.enabled:
            return None
        if not self.findings:
            return NO_FINDINGS
        found = sorted(self.findings.values(), key=lambda finding: -finding.ratio)
        audit = Audit(tuple(found if whole else (replace(finding, contact=-1) for finding in found)))
        for finding in audit.findings:
            self._warn(world, finding)
        return audit

    def limits(self) -> np.ndarray:
        """The options as a LIMITS array."""
        now = tuple(vars(self.options).values())
        if now != self._set:
            self._set = now
            self._limit = np.array([tuple(getattr(self.options, name) for name in LIMITS.names)], LIMITS)
        return self._limit

    def _finding(self, world: Any, contacts: np.ndarray, rule: Rule, row: list[float]) -> Finding:
        value, body, other, contact, joint = row[VALUE], *(int(row[k]) for k in (BODY, OTHER_BODY, CONTACT, JOINT))
        names, where, share = world.body_names, "", 0.0
        who = f"'{names[body]}'"
        if rule == Rule.JOINT:
            who = f"'{world.joint_names[joint]}'"
        elif other >= 0:
            who = f"'{names[body]}' & '{names[other]}'"
        if rule in _ENERGY:
            share = 100.0 * abs(value) / max(1e-300, float(self.memory[body, MOVED]), abs(value))
            if joint >= 0:
                where = f"'{world.joint_names[joint]}'"
            elif contact >= 0:
                a, b = (names[int(contacts[side][contact])] for side in ("body_a", "body_b"))
                where = f"'{a}' & '{b}'"
        return Finding(rule, value, row[RATIO], int(row[COUNT]), body, other, joint, contact,
                       share, who, where)

    def _warn(self, world: Any, finding: Finding) -> None:
        """Warn, unless the rule was already reported for this body or for MAX_WARNINGS_PER_RULE others."""
        key = (int(finding.rule), world.body_names[finding.body])
        if key not in self.warned and sum(rule == finding.rule for rule, _ in self.warned) < MAX_WARNINGS_PER_RULE:
            self.warned.add(key)
            world.warnings.add(finding.text)


def _past_velocities(bodies: np.ndarray) -> np.ndarray:
    """Velocities of kinematic bodies in the last two parts, (bodies, 12)."""
    return np.concatenate([bodies["before"], bodies["older"]], axis=1)


def _new_account(world: Any, motion: np.ndarray, force: np.ndarray, torque: np.ndarray) -> np.ndarray:
    """The motion before a step of a solver that `starts_at_middle`: velocities lag as much before the step as after it. One that
    was set since the last step is recognised by its lag, 0: it is brought to the pose instead."""
    motion, bodies = motion.copy(), world.bodies
    given, lag = (motion[:, SINCE] == 0.0) & (bodies["kind"] == Kind.DYNAMIC), bodies["velocity_lag"]
    for i in np.flatnonzero(given).tolist():
        b, quat = bodies[i], motion[i, QUAT : QUAT + 4]
        turning = rotate(quat, (b["inv_inertia"] * rotate(conjugate(quat), torque[i])).sum(axis=1))     # no BLAS: frames.inverse
        motion[i, VEL : VEL + 3] += lag[i] * (world.gravity + b["inv_mass"] * force[i])
        motion[i, OMEGA : OMEGA + 3] += lag[i] * turning
    motion[:, SINCE] = np.where(given, 0.0, lag)
    return motion
