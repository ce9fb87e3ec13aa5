"""Drivers: functions of the world that push bodies, move kinematic ones and set motors, for the time until they are called again.

A force that is held for a time of h acts at its middle. So it has to be computed for that moment, or a spring made by a driver
gains energy, at a rate of omega^2 h / 4:

    leapfrog (integrate.py, 3)    a force at x acts half before and half after it: its middle is x               (1)
    velocities at the poses       the force at x + v h / 2 acts from x on; the step is then symplectic           (2)

With (2) a driver sees the poses of the middle. Drivers are called again where (1) would not hold: before every substep, if a
solver is told how many to make.
"""

import math
from typing import Any

from physics.core.equal_parts import equal_part
from physics.core.quaternions import turned_by

ASKED = 0.005
"""Drivers are called at least that often [s]."""


def call(world: Any, left: float) -> None:
    """Call the world's drivers, if any, of a step of which `left` [s] are to come."""
    if not world.drivers:
        return
    world.driver_dt = interval(left, world.solver.substep_count(world.current_dt) / world.current_dt)
    if world.solver.velocities_at_poses:
        _call_at_middle(world)
        return
    for drive in world.drivers:
        drive(world)


def interval(left: float, substeps_per_second: float) -> float:
    """Time after which drivers are called again [s]; substeps_per_second: 0 if the solver chooses their number."""
    return equal_part(left, 1.0 / max(1.0 / ASKED, substeps_per_second))


def substeps_of(world: Any, count: int, dt: float) -> int:
    """Substeps of a part of dt [s] where a step has `count`: its share where drivers are called before each."""
    if not world.drivers:
        return count
    return max(1, math.ceil(count * dt / world.current_dt - 1e-6))


def _call_at_middle(world: Any) -> None:
    """Call the drivers with the poses of (2); poses that they set stay."""
    bodies, half = world.bodies, 0.5 * world.driver_dt
    pos, quat = bodies["pos"].copy(), bodies["quat"].copy()
    bodies["pos"] += half * bodies["vel"]
    bodies["quat"] = turned_by(quat, half * bodies["omega"])
    ahead_pos, ahead_quat = bodies["pos"].copy(), bodies["quat"].copy()
    try:
        for drive in world.drivers:
            drive(world)
    finally:
        kept = world.bodies[: len(pos)]
        same = (kept["pos"] == ahead_pos).all(axis=1) & (kept["quat"] == ahead_quat).all(axis=1)
        kept["pos"][same], kept["quat"][same] = pos[same], quat[same]
