"""When a joint next strikes a limit.

With the way s that is left to the limit, its rate s' and its acceleration a at the time of the poses:

    s + s' t + a t^2 / 2 = 0                                                                                   (1)

Velocities V lag behind the poses by l, and the row J of the limit turns: its curvature term is -h J_dot V / 2, and

    s' = J V + l (a - J_dot V),   a = (s' - s'_before) / T,   T the time of the part before                    (2)

Forces alone do not tell a where joints hold the bodies. Where no part precedes, a part covers half of the way, and (2) holds
after it; s' is J V then, as of what slides freely (J V_dot = a - J_dot V = 0), but where the limit pressed before (a = 0): what
it holds on a circle has J V = -omega^2 r l and s' = 0. A limit with s <= LIMIT_TOLERANCE that comes in faster than REBOUND_SPEED
strikes now. That holds without restitution, too: a limit that a substep only stopped in its middle would leave the turn of that
substep in the velocities.
"""

import math
from typing import Any

import numpy as np

from physics.constraints import joint_system
from physics.constraints.joint_rows import MOMENTARY, REBOUND_SPEED, turn_of_rate
from physics.core.jit import kernel, routine
from physics.core.records import Role
from physics.core.row import velocity_of
from physics.dynamics import integrate
from physics.stepping.time_of_impact import first_root

LIMIT_TOLERANCE = 1e-6
"""A limit nearer than this is reached [m] or [rad]."""

INSTANT = 1.0
"""Length of a substep in which rows are written that do not depend on it [s]."""

_LOWER, _UPPER = Role.LOWER, Role.UPPER


class LimitApproach:
    """The rates of (2) in a step so far."""

    def __init__(self) -> None:
        self._before: np.ndarray | None = None

    def forget(self) -> None:
        """After an impact the rates before it tell nothing."""
        self._before = None

    def next_strike(self, world: Any, left: float) -> float:
        """See the kernel."""
        if not world.layout.joints.limits:
            return math.inf
        system = world.layout.joint_system
        if self._before is None or len(self._before) != len(system.blocks):
            self._before = np.full((len(system.blocks), 2), math.nan)
        return next_strike.unchecked(world.bodies, world.joints, system, self._before, world.last_part_dt, left,
                                     np.empty(len(world.bodies), np.bool_))


def bodies_struck(world: Any) -> np.ndarray:
    """Whether a limit that holds a body strikes now, bool (bodies,)."""
    struck = np.zeros(len(world.bodies), np.bool_)
    if world.layout.joints.limits:
        system = world.layout.joint_system
        next_strike.unchecked(world.bodies, world.joints, system, np.full((len(system.blocks), 2), math.nan), 0.0, 0.0, struck)
    return struck


@kernel
def next_strike(bodies, joints, system, before, since, left, struck):
    """Time of the first strike in the next `left` [s], or of half of the way to it where (2) is not known; 0: now; inf: none.

    before (blocks, 2): J V before and its l [s], NaN: no part precedes; replaced by those of now.
    since: length of that part [s]. struck (bodies,): True where a limit strikes now.
    """
    rows, blocks, first, layout = system.rows, system.blocks, math.inf, system.layout
    velocity = np.empty((bodies.shape[0], 6))
    integrate.read(bodies, velocity)
    joint_system.write(joints, system, bodies, rows, blocks, MOMENTARY, 0.0, False)
    for k in range(blocks.shape[0]):
        block = blocks[k]
        if block.role != _LOWER and block.role != _UPPER:
            continue
        row = rows[block.first]
        u = velocity_of(row, velocity[block.a], velocity[block.b])
        lag = max(bodies[block.a].velocity_lag, bodies[block.b].velocity_lag)
        curvature = system.written[layout.sources[block.first]].target * (-1.0 if block.role == _UPPER else 1.0)
        turn = turn_of_rate(curvature, 1.0, MOMENTARY)
        t = _time_to(row.position_error, u, lag, turn, before[k], since, left, row.impulse > 0.0)
        before[k, 0], before[k, 1] = u, lag
        first = min(first, t)
        if t == 0.0:
            struck[block.a] = struck[block.b] = True
    return first


@routine
def _time_to(s, u, lag, turn, before, since, left, pressed):
    """The time of `next_strike`, of one limit. u: J V; turn: -J_dot V; pressed: in the part before."""
    passed = since + before[1] - lag
    known = passed > 0.0        # False if NaN
    a = (u - before[0] - turn * (before[1] - lag)) / passed if known else 0.0
    if known or pressed:
        u += lag * (a + turn)
    if s <= LIMIT_TOLERANCE:
        return 0.0 if u < -REBOUND_SPEED else math.inf
    if not known:
        return -0.5 * s / u if u < -REBOUND_SPEED and -s / u < 2.0 * left else math.inf
    t = first_root(s - 0.5 * LIMIT_TOLERANCE, u, a, left)
    return t if u + a * t < -REBOUND_SPEED else math.inf
