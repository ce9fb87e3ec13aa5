"""The bodies at the start and at the end of a part of a step: one kernel each, for in a small world a call costs as much as what
it does, and few loops over the bodies, for in a large one it is fetching them that costs.
"""

from typing import NamedTuple

import numpy as np

from physics.collide.continuous import tunnelling_guard
from physics.core.jit import kernel
from physics.dynamics import integrate, measure


class PartStart(NamedTuple):
    """What a part of a step begins with: the motion of all bodies (measure.copy_motion), applied forces [N] and torques [N m]
    (bodies, 3), and by how much velocities lag behind poses [s]. bad_body: the first whose state is not allowed, -1: none."""

    motion: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    lag: float
    bad_body: int

    @classmethod
    def of(cls, bodies: np.ndarray) -> "PartStart":
        """What a part begins with that starts now."""
        n = len(bodies)
        motion, force, torque = np.empty((n, measure.MOTION)), np.empty((n, 3)), np.empty((n, 3))
        return cls(motion, force, torque, *begin.unchecked(bodies, motion, force, torque))


@kernel
def begin(bodies, motion, force, torque):
    """Write motion (n, MOTION), force and torque (n, 3); returns lag and bad_body of PartStart."""
    lag, bad = 0.0, -1
    for i in range(bodies.shape[0]):
        b = bodies[i]
        measure.store_motion(b, motion[i])
        for k in range(3):
            force[i, k], torque[i, k] = (b.force[k], b.torque[k]) if b.asleep == 0 else (0.0, 0.0)
        lag = max(lag, b.velocity_lag)
        if bad < 0 and measure.is_bad(b, measure.SPEED_LIMIT, measure.DISTANCE_LIMIT):
            bad = i
    return lag, bad


@kernel
def end(bodies, shapes, before, force, torque, tied, dt, fast):
    """End a motion of dt [s] in which no body was fast; returns (first bad body, number of fast bodies, lag of velocities [s]).

    before, force, torque: of PartStart. tied: the group of each body's mechanism, -1 if free. Writes fast (n,), see
    tunnelling_guard.find_fast. With a bad body or a fast one the part is not ended: `integrate.end_part` is still to come.
    """
    bad = measure.first_bad_body(bodies, measure.SPEED_LIMIT, measure.DISTANCE_LIMIT)
    if bad >= 0:        # whoever blew up has no way that could be looked along
        return bad, 0, 0.0
    count = tunnelling_guard.find_fast(before, bodies, shapes, tied, dt, fast)
    return bad, count, 0.0 if count > 0 else integrate.end_part(bodies, before, force, torque)
