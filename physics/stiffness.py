"""How fast a loaded mechanism can swing: what the step has to resolve.

A joint that carries a force F at an arm r from a body's centre turns it back like a pendulum, sideways of r:

    omega^2 = sum over its joints |F| |r| / I_across,   1 / I_across = (tr I^-1 - r.I^-1 r / r^2) / 2        (1)

The direction of F is held through a step (a force, not a spring, for the solver), which is stable while h omega < 2: a chain of
light links under a heavy end needs short steps. RESOLVED is what we ask for.
"""

import math

import numpy as np

from physics.core import mat3, vec
from physics.core.jit import inline, routine

RESOLVED = 1.2
"""Largest product of step and swing rate that is asked for."""

STABLE = 2.0
"""Beyond this product forces held through a step drive the swinging."""


@routine
def swing_rate(joints, index, bodies, dt):
    """Largest omega (1) of any body [rad/s], from the reactions of the last step, which took dt [s]."""
    square = np.zeros(bodies.shape[0])
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        force = vec.norm(joint.reaction) / dt
        square[joint.body_a] += force * _leverage(bodies[joint.body_a], joint.anchor_a)
        square[joint.body_b] += force * _leverage(bodies[joint.body_b], joint.anchor_b)
    largest = 0.0
    for i in range(square.shape[0]):
        largest = max(largest, square[i])
    return math.sqrt(largest)


@inline
def _leverage(body, anchor):
    """|r| / I_across [1/(kg m)]; anchor in the body's frame."""
    r2 = vec.dot(anchor, anchor)
    if r2 == 0.0:
        return 0.0
    inverse = body.inv_inertia
    along = vec.dot(anchor, mat3.apply(inverse, anchor)) / r2
    return 0.5 * math.sqrt(r2) * (inverse[0, 0] + inverse[1, 1] + inverse[2, 2] - along)
