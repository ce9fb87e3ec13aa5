"""A step in parts: how long each is, and what they add up to.

A part is a step of its own, with contacts of its own. A step is cut where an impact comes (time_of_impact.py,
limit_impacts.py), while bodies in contact turn fast, and where drivers are called again (drivers.py). Most steps have one part.
"""

from typing import Any

import numpy as np

from physics.core.jit import inline, kernel
from physics.core.records import copy_of, joined, selected
from physics.observe import contact_impulses
from physics.observe.report import BUDGET_SPENT, Report
from physics.stepping.limit_impacts import LimitApproach
from physics.stepping.time_of_impact import APPROACHES, most_impacts

_NOTHING = np.zeros((0, 3))

_SUMS = ("impulse", "friction_impulse", "reaction", "limit_impulse", "motor_impulse", "load")
"""Fields of JOINT that are sums over a step."""


class StepSums:
    """What the parts of a step add up to."""

    def __init__(self, dt: float) -> None:
        self.dt = dt
        self.reports: list[Report] = []
        self.contacts = _NOTHING
        self.contact_impulse: np.ndarray | None = None      # of StepStart; None while there is one part
        self._first: tuple | None = None        # of the first part: what `_add_contacts` takes
        self._joints: np.ndarray | None = None      # what the parts before the last have left in them
        self._pressing: np.ndarray | None = None    # impulses of the joints before an impact
        self.force = self.torque = _NOTHING
        self.broad = self.narrow = self.solving = self.integrating = 0.0       # wall times [s]
        self.impacts = self.approaches = 0
        self.limits = LimitApproach()
        self.lag = 0.0      # by how much velocities lag behind poses after the last part [s]

    def add(self, world: Any, report: Report, contacts: np.ndarray, motion: np.ndarray) -> None:
        """One more part, or impact; contacts: those that took part in it; motion: of the bodies when it began."""
        part = contacts, world.bodies, motion, report.solved is not None
        if self._first is None:
            self.contacts, self._first = contacts, part
        else:
            self.contacts = merged(self.contacts, contacts)
            for found in (part,) if self.contact_impulse is not None else (self._first, part):
                self._add_contacts(*found)
        self.reports.append(report)

    def _add_contacts(self, contacts: np.ndarray, bodies: np.ndarray, motion: np.ndarray, by_arms: bool) -> None:
        sums = self.contact_impulse if self.contact_impulse is not None else np.zeros((len(motion), 6))
        if len(sums) < len(motion):
            sums = np.concatenate([sums, np.zeros((len(motion) - len(sums), 6))])
        contact_impulses.add(contacts, bodies, motion, by_arms, sums)
        self.contact_impulse = sums

    def begin_impact(self, world: Any) -> None:
        """Before an impact: its impulses are no warm start for the part after it. Joints that it leaves alone keep those before
        it, others start from nothing: what they carried was for other velocities."""
        self._pressing = copy_of(world.joints) if len(world.joints) else None

    def next_part(self, world: Any) -> None:
        """Before a further part, which writes over what the joints have."""
        if self._joints is None:
            self._joints = copy_of(world.joints)
        else:
            self._add(self._joints, world.joints[: len(self._joints)])
        if self._pressing is not None:
            struck = world.joints["impulse"].any(axis=1) | world.joints["limit_impulse"].any(axis=1)
            for name in _SUMS:
                world.joints[name] = self._pressing[name]
                world.joints[name][struck] = 0.0
            self._pressing = None

    @staticmethod
    def _add(joints: np.ndarray, others: np.ndarray) -> None:
        for name in _SUMS:
            joints[name] += others[name]
        joints["residual"] = np.maximum(joints["residual"], others["residual"])

    def allows_impact(self, shapes: int) -> bool:
        """Whether a further impact of this step may be found and taken where it happens, in a world of so many shapes."""
        most = most_impacts(shapes)
        return self.impacts < most and self.approaches < 2 + APPROACHES * most

    def add_applied(self, force: np.ndarray, torque: np.ndarray, length: float) -> None:
        """Forces [N] and torques [N m] that acted for `length` [s]."""
        share = length / self.dt
        if share == 1.0 and not len(self.force):
            self.force, self.torque = force, torque
            return
        if len(self.force) < len(force):
            more = np.zeros((len(force) - len(self.force), 3))
            self.force, self.torque = np.concatenate([self.force, more]), np.concatenate([self.torque, more])
        self.force[: len(force)] += share * force
        self.torque[: len(force)] += share * torque

    def finish(self, world: Any) -> tuple[Report, np.ndarray]:
        """The report and the contacts of the whole step; the world's joints get their sums."""
        if self._joints is not None:
            self._add(world.joints[: len(self._joints)], self._joints)
        report = combined(self.reports) if len(self.reports) > 1 else self.reports[0]
        report.times = {"broad": self.broad, "narrow": self.narrow, "solve": self.solving, "integrate": self.integrating}
        return report, self.contacts


def combined(reports: list[Report]) -> Report:
    """One report of a step that had several parts; what describes the problem is of the last one that moved the bodies."""
    report = next(r for r in reversed(reports) if r.substeps > 0)
    report.iterations = sum(r.iterations for r in reports)
    report.position_iterations = sum(r.position_iterations for r in reports)
    report.substeps = sum(r.substeps for r in reports)
    report.impacts = sum(1 for r in reports if r.substeps == 0)
    records = [r.impact_records for r in reports if r.impact_records is not None]
    report.impact_records = np.concatenate(records) if records else None
    for name in ("change", "residual", "penetration", "joint_error"):
        setattr(report, name, max(getattr(r, name) for r in reports))
    report.expected_loss = sum(r.expected_loss for r in reports)
    ends = [r.end for r in reversed(reports) if r.end != "converged"]
    if ends:
        report.end = BUDGET_SPENT if BUDGET_SPENT in ends else ends[0]
    columns = [r.ledger for r in reports if r.ledger]
    report.ledger = {name: sum(c[name] for c in columns) for name in columns[0]} if columns else {}
    return report


def merged(before: np.ndarray, now: np.ndarray) -> np.ndarray:
    """CONTACT of two parts: those of the later one with the impulses of both, then what pushed in the earlier one alone."""
    now, gone = copy_of(now), np.zeros(len(before), np.bool_)
    _add_up(before, now, gone)
    if not gone.any():
        return now
    lost = selected(before, gone)
    lost["warm_startable"] = 0
    return joined(now, lost)


@kernel
def _add_up(before, now, gone):
    """Add the impulses of the contacts `before` to the same ones `now`; gone (n,): those that pushed and are none of these."""
    room = 1
    while room < 2 * now.shape[0] + 1:
        room *= 2
    slots = np.full(room, -1, np.int64)
    for k in range(now.shape[0]):
        slots[_slot(slots, now, now[k])] = k
    for i in range(before.shape[0]):
        old = before[i]
        if not old.impulse > 0.0 and old.warm_startable != 0:
            continue
        k = slots[_slot(slots, now, old)]
        if k < 0:
            gone[i] = True
            continue
        new = now[k]
        if new.impulse == 0.0:
            new.case, new.sign_case = old.case, old.sign_case      # how it ended when it pressed
        new.impulse += old.impulse
        for j in range(3):
            new.friction_impulse[j] += old.friction_impulse[j]
            new.spin_impulse[j] += old.spin_impulse[j]
            new.residual[j] = max(new.residual[j], old.residual[j])
        new.approach = min(new.approach, old.approach)
        new.restitution = min(new.restitution, old.restitution)     # of an impact: energy_limit.py
        new.warm_startable = min(new.warm_startable, old.warm_startable)


@inline
def _slot(slots, now, c):
    """Where a contact with its shapes and its feature is in the hash table, or would be."""
    last = slots.shape[0] - 1
    at = ((np.int64(c.shape_a) * 73856093) ^ (np.int64(c.shape_b) * 19349663) ^ (np.int64(c.feature) * 83492791)) & last
    while slots[at] >= 0:
        d = now[slots[at]]
        if d.shape_a == c.shape_a and d.shape_b == c.shape_b and d.feature == c.feature:
            break
        at = (at + 1) & last
    return at
