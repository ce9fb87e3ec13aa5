"""The auditor beside every step: it believes no solver, and shares no code with one.

It sees the bodies before and after each part of a step, the applied forces, gravity, and the impulses that contacts and joints
report, and asks of every step of every solver whether (physics/auditing):

    energy came from nowhere or went nowhere        verdict.py (5), within about a second, island by island
    every body moved as its impulses say            verdict.py (2)
    islands that nothing touches kept their momenta verdict.py (4)
    joints held                                     joints.py (1), (2)
    contacts obeyed their law, nothing overlaps     contacts.py (2), (3)

What is beyond a threshold (`Options`) is a `Finding` on the step's report and a warning of the world: each rule of each body
once, and no more than MOST bodies a rule.
"""

import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from physics.auditing.found import BODY, CONTACT, COUNT, JOINT, OTHER, RATIO, VALUE, Rule, room
from physics.auditing.sums import SINCE
from physics.auditing.told import Audit, Finding
from physics.auditing.verdict import LIMITS, MOVED, examine
from physics.options import Described, option

MOST = 3
"""Bodies of which the world's warnings tell, of each rule."""

_ENERGY = (Rule.GAINED, Rule.LOST)

CLEAN = Audit()
"""Nothing was found."""


@dataclass
class Options(Described):
    """What the auditor lets pass."""

    on: bool = option(True, help="Judge every step by energy, momentum and the laws of joints and contacts, whatever the solver "
                                 "says of itself, and make steps that gain energy from nowhere again in shorter pieces. It "
                                 "changes no other motion.")
    window: float = option(1.0, unit="s", lo=0.01, hi=60.0, log=True,
                           help="For how long the account of energy remembers: what a method lends it must get back within it.")
    energy: float = option(0.01, lo=1e-9, hi=1.0, log=True,
                           help="Energy that may come or go without a source within the window, as a part of the most that moved "
                                "in it.")
    quiet: float = option(0.05, unit="m/s", lo=0.0, hi=10.0, log=True,
                          help="Less energy than bodies have at this speed is not judged.")
    balance: float = option(1e-6, lo=1e-12, hi=1.0, log=True,
                            help="Change of a body's momentum that no reported impulse explains, as a part of what acts on it.")
    momentum: float = option(1e-6, lo=1e-12, hi=1.0, log=True,
                             help="Change in a step of the momentum of bodies that nothing outside touches, as a part of the sum "
                                  "of its sizes.")
    joint: float = option(1e-3, lo=1e-9, hi=1.0, log=True,
                          help="How far a joint's parts may be apart, as a part of the arm that it holds.")
    joint_angle: float = option(1e-3, unit="rad", lo=1e-9, hi=1.0, log=True, help="How far a joint's axes may be out of line.")
    cone: float = option(1e-6, lo=1e-12, hi=1.0, log=True, help="Friction beyond its bound, as a part of that.")
    slip: float = option(0.02, unit="m/s", lo=1e-6, hi=10.0, log=True,
                         help="Faster than this a contact slips: then it must have all its friction, against the slip.")
    along: float = option(0.1, lo=1e-3, hi=1.0, help="Part of the friction that may act along the slip and not against it.")
    gap: float = option(1e-3, unit="m", lo=1e-9, hi=1.0, log=True,
                        help="A contact with an impulse must have been nearer than this in the step.")
    overlap: float = option(0.2, lo=1e-6, hi=10.0, log=True,
                            help="How deep bodies may be in one another, as a part of half the thinner one's thickness.")
    least_overlap: float = option(1e-3, unit="m", lo=0.0, hi=1.0, log=True, help="An overlap below this is never told of.")
    again: float = option(0.02, lo=0.0, hi=1.0,
                          help="A step in which more than this part of what moves comes from nowhere is made again in shorter "
                               "pieces; 1: never.")


class Auditor:
    """The auditor of one world (`world.audit`)."""

    def __init__(self) -> None:
        self.options = Options()
        self.memory = np.zeros((0, 3))      # verdict.py (5), of each body
        self.found = room()                 # in the last part, of each rule: found.py
        self.findings: dict[Rule, Finding] = {}
        self.step_length = 1.0
        self.gained = 0.0                   # share of what moves in an island that came from nowhere in this step
        self._set, self._limit = (), np.zeros(1, LIMITS)
        self.told: set[tuple[int, str]] = set()

    def copy(self) -> "Auditor":
        """The same by value."""
        twin = copy.copy(self)
        twin.options, twin.told = copy.copy(self.options), self.told.copy()
        twin.memory, twin.found, twin.findings = self.memory.copy(), self.found.copy(), {}
        twin._set = ()      # made anew from the options, whoever wrote it
        return twin

    def forget(self) -> None:
        """What was not seen cannot be judged: the accounts begin anew."""
        self.memory = np.zeros((0, 3))

    def begin(self, world: Any, dt: float) -> None:
        """A step of dt [s] begins."""
        self.findings, self.step_length, self.gained = {}, dt, 0.0
        if not self.options.on:
            self.forget()
        elif len(self.memory) != len(world.bodies):
            kept, self.memory = self.memory, np.zeros((len(world.bodies), 3))
            self.memory[: len(kept)] = kept[: len(world.bodies)]

    def look(self, world: Any, motion: np.ndarray, force: np.ndarray, torque: np.ndarray, contacts: np.ndarray, dt: float,
             parts: int = 1, ended: bool = False) -> None:
        """A part of the step has been made, from this motion (measure.keep_motion) and with these applied forces.

        dt: [s], 0 for impacts in no time; parts: into which the solver cut it. ended: contacts are told as they are at its end.
        The world still has those of the part before.
        """
        if not self.options.on:
            return
        if dt > 0.0 and not getattr(world.solver.options, "half_kick", True):
            motion = _from_the_start(motion, dt)
        broken, gained = examine(world.bodies, motion, force, torque, contacts, ended, world.awake_contacts, parts, world.joints,
                                 world.materials.pairs, world.gravity, dt, self.step_length, self._limits(), self.memory,
                                 self.found)
        self.gained += gained
        if broken:
            for rule, ratio in zip(Rule, self.found[:, RATIO].tolist(), strict=True):
                if ratio > 1.0 and (rule not in self.findings or ratio > self.findings[rule].ratio):
                    self.findings[rule] = self._finding(world, contacts, rule, self.found[rule].tolist())

    def verdict(self, world: Any, whole: bool) -> Audit | None:
        """What was found in the step, which is over; None if the auditor is off. whole: it had one part, whose contacts the world
        has now, in their order."""
        if not self.options.on:
            return None
        if not self.findings:
            return CLEAN
        found = sorted(self.findings.values(), key=lambda finding: -finding.ratio)
        audit = Audit(tuple(found if whole else (replace(finding, contact=-1) for finding in found)))
        for finding in audit.findings:
            self._tell(world, finding)
        return audit

    def _limits(self) -> np.ndarray:
        """The options as numbers."""
        now = tuple(getattr(self.options, name) for name in LIMITS.names)
        if now != self._set:
            self._set, self._limit = now, np.array([now], LIMITS)
        return self._limit

    def _finding(self, world: Any, contacts: np.ndarray, rule: Rule, row: list[float]) -> Finding:
        value, body, other, contact, joint = row[VALUE], *(int(row[k]) for k in (BODY, OTHER, CONTACT, JOINT))
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

    def _tell(self, world: Any, finding: Finding) -> None:
        """Say it, if it was not said of this body and not of MOST others."""
        key = (int(finding.rule), world.body_names[finding.body])
        if key not in self.told and sum(rule == finding.rule for rule, _ in self.told) < MOST:
            self.told.add(key)
            world.warnings.add(finding.text)


def _from_the_start(motion: np.ndarray, dt: float) -> np.ndarray:
    """The motion before a step, where the solver takes velocities for those of the middle of steps from the start (`half_kick`
    off, as the paper does): then they are as old before the step as they are after it."""
    motion = motion.copy()
    motion[:, SINCE] = 0.5 * dt
    return motion
