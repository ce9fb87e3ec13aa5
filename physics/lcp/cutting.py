"""A step in parts, where joints need shorter ones: how long each is, and what they add up to.

The rounds of lcp/stepping.py hold the directions of the joints' forces through a step, and have no solution where a loaded link
would swing by h omega > 2 (stiffness.py). So a step is cut into parts of dt / 2^k with h omega < RESOLVED by the last forces, and
a part whose rounds do not settle is halved. In each part contacts are found again.
"""

from typing import Any

import numpy as np

from physics.core.records import copy_of
from physics.errors import Diverged
from physics.lcp import aim
from physics.report import Report

RESOLVED = 0.4
"""Largest product of a part and the swing rate: loses 0.4 % of the energy where a chain of 10 : 1 cracks like a whip."""

SHORTEST = 512
"""Most parts of a step."""

OPEN, TORN = 1e-3, 0.05
"""Joint errors, as parts of the joint's arm, that are warned of, and with which a step has failed."""

CENTRED = 1e-9
"""Arms below this are none but for rounding [m]: wheels held at their centres."""

_SUMS = ("impulse", "friction_impulse", "reaction", "limit_impulse", "motor_impulse", "load")
"""Fields of JOINT that are sums over a step."""


class Cut:
    """A step of dt [s] and what of it is done, counted in ticks of dt / SHORTEST."""

    def __init__(self, world: Any, dt: float, whole: bool) -> None:
        """whole: it is not to be cut."""
        self.dt, self.done, self.ticks, self.whole = dt, 0, SHORTEST, whole
        self.reports: list[Report] = []
        self.joints: dict[str, np.ndarray] = {}
        self.contacts = np.zeros(0)
        self.bodies = world.bodies
        self.given = world.bodies["force"].copy(), world.bodies["torque"].copy()

    @property
    def may_halve(self) -> bool:
        return not self.whole and self.ticks > 1

    @property
    def finished(self) -> bool:
        return self.done == SHORTEST

    def length(self, world: Any) -> float:
        """Of the next part [s]: as the load asks, at most twice the last one, and such that halves of halves come out."""
        if self.whole:
            return self.dt
        rate = aim.swing(world.joints, world.lists.joints.joints, world.bodies, world.acting)
        most = SHORTEST if not self.reports else 2 * self.ticks
        ticks = SHORTEST
        while ticks > 1 and (ticks > most or self.done % ticks or ticks * self.dt / SHORTEST * rate > RESOLVED):
            ticks //= 2
        self.ticks = ticks
        return self.dt * ticks / SHORTEST

    def halve(self) -> float:
        """A part did not do: the length of its half [s]."""
        self.ticks //= 2
        return self.dt * self.ticks / SHORTEST

    def add(self, world: Any, report: Report, contacts: np.ndarray) -> None:
        """One part more, with its contacts; applied forces go on."""
        self.done += self.ticks
        first = not self.reports
        self.reports.append(report)
        self.contacts = contacts if first else merged(self.contacts, contacts)
        if first and self.finished:
            return
        for name in _SUMS:
            new = world.joints[name]
            self.joints[name] = new.copy() if first else self.joints[name] + new
        if not self.finished:
            self.bodies["force"], self.bodies["torque"] = self.given

    def report(self, world: Any) -> Report:
        """Of the whole step; the world's joints get their sums."""
        last = self.reports[-1]
        for name, total in self.joints.items():
            world.joints[name] = total
        if len(self.reports) > 1:
            last.parts = len(self.reports)
            for name in ("iterations", "numerical"):
                setattr(last, name, sum(getattr(r, name) for r in self.reports))
            for name in ("change", "residual", "penetration", "joint_error"):
                setattr(last, name, max(getattr(r, name) for r in self.reports))
            last.ledger = {name: sum(r.ledger[name] for r in self.reports) for name in last.ledger}
            last.end = next((r.end for r in self.reports if r.end != "converged"), last.end)
        last.touching = self.contacts
        return last


def merged(before: np.ndarray, now: np.ndarray) -> np.ndarray:
    """CONTACT of the later part with the impulses of both, then those that pushed in the earlier one alone."""
    key = [(int(c["shape_a"]), int(c["shape_b"]), int(c["feature"])) for c in now]
    place, now, lost = {k: i for i, k in enumerate(key)}, copy_of(now), []
    for i in np.flatnonzero(before["impulse"] > 0.0).tolist():
        old = before[i]
        k = place.get((int(old["shape_a"]), int(old["shape_b"]), int(old["feature"])), -1)
        if k < 0:
            lost.append(i)
            continue
        for name in ("impulse", "friction_impulse", "spin_impulse"):
            now[name][k] += old[name]
    return np.concatenate([now, before[lost]])


def judge_joints(world: Any, before: np.ndarray, dt: float) -> None:
    """Warn of joints that have opened in a step of dt [s], whose errors are fresh; where one was torn the step has failed.
    before: their errors at its start."""
    joints = world.joints
    arms = np.maximum(np.linalg.norm(joints["anchor_a"], axis=1), np.linalg.norm(joints["anchor_b"], axis=1))
    held = (joints["kind"] >= 0) & (arms > CENTRED)
    wide = np.where(held, (joints["error"] - before) / np.where(held, arms, 1.0), 0.0)
    worst = int(wide.argmax()) if len(wide) else 0
    if len(wide) and wide[worst] > OPEN:
        name, error = world.joint_names[worst], joints["error"][worst]
        if wide[worst] > TORN:
            raise Diverged(f"joint '{name}' is torn apart by {error:.2g} in a step of {dt:g} s, which the exact solver could not "
                           "close; the state before is kept. Take smaller steps", int(joints["body_b"][worst]))
        world.warnings.add(f"joint '{name}' came apart by {error:.2g} in a step of {dt:g} s of the exact solver: take smaller "
                           "steps")
