"""Division of a step into parts, where joints need shorter ones, and the sums over them.

The rounds of lcp/step.py hold the directions of the joints' forces constant during a step, and have no solution where a loaded
link would swing by h omega > 2 (stiffness.py). So a step is divided into parts of dt / 2^k with h omega < RESOLVED by the last
forces and the turn of joints' arms, and a part whose rounds do not converge is halved. In each part contacts are found again.

Rounds also alternate for ever where contacts come and go, as between the edges of a dozen cards at the slip; no part is short
enough for that. So after MAX_HALVINGS no part of the step is halved again, and one whose rounds stall ends with its first round.
"""

import math
from typing import Any

import numpy as np

from physics.core.records import copy_of, joined, selected
from physics.dynamics import measure
from physics.observe.report import Report
from physics.solvers.impulses.torn_joints import raise_if_torn

RESOLVED = 0.4
"""Largest product of part length and swing rate: loses 0.4 % of the energy where a chain of 10 : 1 cracks like a whip."""

MAX_PARTS = 512
"""Most parts of a step."""

MAX_HALVINGS = 2
"""Most times that parts of a step are halved."""

OPEN = 1e-3
"""A joint that opens by more than this fraction of its arm in a step gives a warning."""

_SUMS = ("impulse", "friction_impulse", "reaction", "limit_impulse", "motor_impulse", "load")
"""Fields of JOINT that are sums over a step."""


class SubstepPlan:
    """A step of dt [s] and its progress, counted in ticks of dt / MAX_PARTS."""

    def __init__(self, world: Any, dt: float, whole: bool, resolved: float = RESOLVED, at_end: bool = True) -> None:
        """whole: do not divide it. resolved: largest product of part length and rate. at_end: contacts are those at the end of a
        part; otherwise the next step compares its normals with those of the last one, which the sums therefore keep, though the
        direction of the sum is another."""
        self.dt, self.done, self.ticks, self.whole, self.resolved, self.halvings = dt, 0, MAX_PARTS, whole, resolved, 0
        self.world, self.at_end, self.observed = world, at_end, False
        self.stalled = 2 * MAX_PARTS     # length of the last part that did [ticks]
        self.reports: list[Report] = []
        self.joints: dict[str, np.ndarray] = {}
        self.contacts = np.zeros(0)
        self.bodies = world.bodies
        self.given = world.bodies["force"].copy(), world.bodies["torque"].copy()
        self.motion = np.empty((len(world.bodies), measure.MOTION))     # at the start of a part

    @property
    def may_halve(self) -> bool:
        return not self.whole and self.ticks > 1 and self.halvings < MAX_HALVINGS

    @property
    def has_given_up(self) -> bool:
        """Whether shorter parts have not helped."""
        return self.halvings == MAX_HALVINGS

    @property
    def finished(self) -> bool:
        return self.done == MAX_PARTS

    def length(self, rate: float) -> float:
        """Begin a part; returns its length [s] for a rate that it has to resolve [rad/s]: at most twice the last one and half of
        what stalled, aligned to powers of two, and no longer than what is held (stiffness.py)."""
        measure.copy_motion.unchecked(self.bodies, self.motion)
        if self.whole:
            return self.dt
        world, tick = self.world, self.dt / MAX_PARTS
        longest = self.resolved / rate if rate > 0.0 else math.inf
        if not world.layout.joints.is_touched(world.awake_contacts):
            world.pace = world.pace.after(longest, self.dt)
            longest = world.pace.held or math.inf
        most = min(self.stalled // 2, MAX_PARTS if not self.reports else 2 * self.ticks)
        ticks = MAX_PARTS
        while ticks > 1 and (ticks > most or self.done % ticks or ticks * tick > longest * (1.0 + 1e-9)):
            ticks //= 2
        self.ticks = ticks
        return ticks * tick

    def halve(self) -> float:
        """Reject a part: returns the length of its half [s]."""
        self.stalled, self.halvings = self.ticks, self.halvings + 1
        self.ticks //= 2
        return self.dt * self.ticks / MAX_PARTS

    def add(self, world: Any, report: Report, contacts: np.ndarray) -> None:
        """Add one finished part, with its contacts; applied forces continue. Where bodies touch the auditor sees each part: sums
        have one arm, which may race round a rim meanwhile."""
        length = self.dt * self.ticks / MAX_PARTS
        self.done += self.ticks
        first = not self.reports
        self.reports.append(report)
        self.contacts = contacts if first else merged(self.contacts, contacts, not self.at_end)
        self.observed = self.observed or (first and not self.finished and (self.at_end or len(contacts) > 0))
        if self.observed:
            world.audit.observe_part(world, self.motion, *self.given, contacts, length, 1, self.at_end)
        if first and self.finished:
            return
        world.awake_contacts, world.impulse_duration, world.last_part_dt = contacts, length, length
        for name in _SUMS:
            new = world.joints[name]
            self.joints[name] = new.copy() if first else self.joints[name] + new
        if not self.finished:
            self.bodies["force"], self.bodies["torque"] = self.given

    def report(self, world: Any) -> Report:
        """Report of the whole step; the world's joints get their sums."""
        last = self.reports[-1]
        for name, total in self.joints.items():
            world.joints[name] = total
        if len(self.reports) > 1:
            last.substeps, last.observed = len(self.reports), self.observed
            for name in ("iterations", "expected_loss"):
                setattr(last, name, sum(getattr(r, name) for r in self.reports))
            for name in ("change", "residual", "penetration", "joint_error"):
                setattr(last, name, max(getattr(r, name) for r in self.reports))
            last.ledger = {name: sum(r.ledger[name] for r in self.reports) for name in last.ledger}
            last.end = next((r.end for r in self.reports if r.end != "converged"), last.end)
        last.contacts_at_end = self.contacts
        return last


def merged(before: np.ndarray, now: np.ndarray, follows_normals: bool) -> np.ndarray:
    """CONTACT of the later part with the impulses of both, then those that pushed in the earlier one alone. Bodies turn between
    parts, and normals with them: unless the next step follows them, that of the sum is the direction of what pressed in all."""
    key = [(int(c["shape_a"]), int(c["shape_b"]), int(c["feature"])) for c in now]
    place, now, lost = {k: i for i, k in enumerate(key)}, copy_of(now), []
    for i in np.flatnonzero(before["impulse"] > 0.0).tolist():
        old = before[i]
        k = place.get((int(old["shape_a"]), int(old["shape_b"]), int(old["feature"])), -1)
        if k < 0:
            lost.append(i)
            continue
        if follows_normals:
            now["impulse"][k] += old["impulse"]
        else:
            pressed = now["impulse"][k] * now["normal"][k] + old["impulse"] * old["normal"]
            now["impulse"][k] = size = np.linalg.norm(pressed)
            now["normal"][k] = pressed / size
        for name in ("friction_impulse", "spin_impulse"):
            now[name][k] += old[name]
    return joined(now, selected(before, np.array(lost, np.int64)))


def judge_joints(world: Any, before: np.ndarray, dt: float) -> None:
    """Warn of joints that have opened in a step of dt [s], whose errors are up to date; raise where one was torn. before: their
    errors at its start."""
    worst, opened = raise_if_torn(world, before, lambda name, error: (
        f"joint '{name}' separates by {error:.2g} in a step of {dt:g} s and the exact solver could not close it; the state "
        "before the step is restored. Reduce the step size"))
    if opened > OPEN:
        world.warnings.add(f"joint '{world.joint_names[worst]}' separated by {world.joints['error'][worst]:.2g} in a step of "
                           f"{dt:g} s of the exact solver: reduce the step size")
