"""Records the sounds of each step on the physics thread: impacts and sliding, in preallocated tables.

Sizes are those of solid balls with the same moment of inertia, r = sqrt(5 tr(I) / (6 m)); a pair sounds by its smaller body. With
the mass m of that body, its impulse p and its friction power P, scaling by a fall of its size makes scenes of all sizes alike:

    strength   u / (u + sqrt(2 g r)),  u = p / m          0 .. 1, grows with the impulse                          (1)
    level      P / (m g v*),  v* = 1 m/s                  of a single sliding body: mu v / v*                     (2)

Without gravity g = 9.81 m/s^2.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from physics.core.records import Case, Kind, record

MIN_APPROACH_SPEED = 0.05
"""Slower approaches make no sound [m/s]."""

AUDIBLE_SLIP = 0.01
"""Slower slip makes no sound [m/s] or [rad/s]."""

HITS, RUBS = 512, 256
"""Sizes of the tables: impacts kept until they are heard; simultaneous sliding contacts and joints, the loudest."""

IMPACT_SOUND = record([("pair", "i8"), ("impulse", "f8"), ("mass", "f8"), ("size", "f8"), ("scale", "f8"), ("when", "f8"),
                       ("place", "f8", 3)])
"""pair: of bodies; impulse: sum over their contacts [N s]; mass [kg], size [m] of the body that sounds; scale: sqrt(2 g r) [m/s];
when [s]; place [m]."""

RUB = record([("level", "f8"), ("speed", "f8"), ("load", "f8"), ("creaks", "i4"), ("place", "f8", 3)])
"""level: (2); speed [m/s]; load: normal force over the weight; creaks: 1 for a joint; place [m]."""


class StepSounds:
    """Observer of a world's sounds. clock: source of `when`, by default wall time."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.clock = clock
        self.heard = 0                                  # impacts since the start
        self.newest: tuple[np.ndarray, float] = (np.zeros(0, RUB), 0.0)     # sliding, and its time
        self.hits = np.zeros(HITS, IMPACT_SOUND)
        self._rubs = [np.zeros(RUBS, RUB) for _ in range(3)]    # triple buffer: read, published, written
        self._turn = 0
        self._pending = np.zeros(0, IMPACT_SOUND)                # of the last step
        self._known: tuple[Any, int] = (None, -1)

    def on_step(self, simulation: Any) -> None:
        """Observe a step; steps recomputed by the timeline are silent."""
        if simulation.timeline.goal is None:
            self.add_step(simulation.world)

    def forget_after(self, step: int) -> None:
        pass

    def forget(self) -> None:
        self.newest, self._pending = (self._rubs[self._turn][:0], self.clock()), self._pending[:0]

    def impacts_since(self, count: int) -> tuple[np.ndarray, int]:
        """Return (copies of the impacts after the first `count`, total count now); the oldest are lost."""
        heard = self.heard
        new = np.arange(max(count, heard - HITS), heard) % HITS
        return self.hits[new], heard

    def add_step(self, world: Any) -> None:
        """Record the sounds of the world's last step."""
        now = self.clock()
        if self._known != (world, world.revision) or len(self._size) != len(world.bodies):
            self._reset(world)
        contacts, gravity = world.awake_contacts, float(np.linalg.norm(world.gravity)) or 9.81
        self._turn = (self._turn + 1) % 3
        rubs, count = self._rubs[self._turn], 0
        self._strike(contacts, gravity, now)
        if len(contacts):
            count = self._slide(contacts, gravity, world.impulse_duration, rubs)
        if len(world.joints):
            count = self._joint_friction(world, gravity, rubs, count)
        self.newest = rubs[:count], now

    def _reset(self, world: Any) -> None:
        """Update sizes and masses of the bodies; static and kinematic bodies do not sound."""
        bodies = world.bodies
        dynamic = bodies["kind"] == Kind.DYNAMIC
        self._mass = np.where(dynamic, bodies["mass"], np.inf)
        turning = np.trace(bodies["inertia"], axis1=1, axis2=2)
        self._size = np.where(dynamic, np.sqrt(5.0 * turning / (6.0 * np.where(dynamic, bodies["mass"], 1.0))), np.inf)
        self._known = world, world.revision

    def _sounding(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The body of each pair that sounds: the smaller one."""
        return np.where(self._size[a] < self._size[b], a, b)

    def _strike(self, contacts: np.ndarray, gravity: float, now: float) -> None:
        """Merge the impacts of a pair, also over two consecutive steps (T08); hence they are reported one step later."""
        hit = np.flatnonzero((contacts["approach"] < -MIN_APPROACH_SPEED) & (contacts["impulse"] > 0.0))
        if not len(hit) and not len(self._pending):
            return
        if len(hit) > HITS // 4:
            hit = hit[np.argpartition(-contacts["impulse"][hit], HITS // 4)[: HITS // 4]]
        a, b = contacts["body_a"][hit], contacts["body_b"][hit]
        pairs, first, which = np.unique((a.astype(np.int64) << 32) + b, return_index=True, return_inverse=True)
        new = np.zeros(len(pairs), IMPACT_SOUND)
        new["pair"], new["impulse"] = pairs, np.bincount(which.ravel(), contacts["impulse"][hit], len(pairs))
        body = self._sounding(a, b)[first]
        new["mass"], new["size"], new["scale"] = self._mass[body], self._size[body], np.sqrt(2.0 * gravity * self._size[body])
        new["when"], new["place"] = now, contacts["pos"][hit[first]]
        known, before, after = np.intersect1d(self._pending["pair"], pairs, assume_unique=True, return_indices=True)
        if len(known):
            self._pending["impulse"][before] += new["impulse"][after]
            new = np.delete(new, after)
        self.hits[np.arange(self.heard, self.heard + len(self._pending)) % HITS] = self._pending
        self.heard += len(self._pending)
        self._pending = new

    def _slide(self, contacts: np.ndarray, gravity: float, dt: float, rubs: np.ndarray) -> int:
        """Write the sliding contacts; returns their number."""
        sliding = np.flatnonzero((contacts["case"] == Case.SLIP) & (contacts["impulse"] > 0.0))
        slip, force = contacts["slip"][sliding], contacts["friction_impulse"][sliding]
        speed = np.sqrt(np.einsum("ij,ij->i", slip, slip))
        body = self._sounding(contacts["body_a"][sliding], contacts["body_b"][sliding])
        weight = self._mass[body] * gravity
        level = np.abs(np.einsum("ij,ij->i", slip, force)) / (dt * weight)
        k = np.flatnonzero(speed > AUDIBLE_SLIP)
        if len(k) > RUBS // 2:
            k = k[np.argpartition(-level[k], RUBS // 2)[: RUBS // 2]]
        out = rubs[: len(k)]
        out["level"], out["speed"], out["creaks"] = level[k], speed[k], 0
        out["load"] = contacts["impulse"][sliding[k]] / (dt * weight[k])
        out["place"] = contacts["pos"][sliding[k]]
        return len(k)

    def _joint_friction(self, world: Any, gravity: float, rubs: np.ndarray, count: int) -> int:
        """Append the joints with slip; returns the new number of records."""
        joints = world.joints
        k = np.flatnonzero((joints["kind"] >= 0) & (joints["case"] == Case.SLIP))[: len(rubs) - count]
        slip, impulse = joints["slip"][k], joints["friction_impulse"][k]
        speed = np.sqrt(np.einsum("ij,ij->i", slip, slip))
        body = self._sounding(joints["body_a"][k], joints["body_b"][k])
        weight = self._mass[body] * gravity
        k, body, speed, level, weight = (x[(speed > AUDIBLE_SLIP) & np.isfinite(weight)] for x in (
            k, body, speed, np.abs(np.einsum("ij,ij->i", slip, impulse)) / world.impulse_duration, weight))
        out = rubs[count : count + len(k)]
        out["level"], out["speed"], out["load"], out["creaks"] = level / weight, speed, 1.0, 1
        out["place"] = world.bodies["pos"][body]
        return count + len(k)


def strength(impulse: np.ndarray, mass: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Loudness of impacts by (1), 0 .. 1."""
    speed = impulse / mass
    return speed / (speed + scale)
