"""What the contacts of a step gave each body.

    p = sum of +-(p_n n + p_t),      l = sum of +-(r x (p_n n + p_t) + s)                                        (1)

p_n, p_t, s: normal, friction and rolling impulse of a contact, + on its second body; r: arm to the body's surface, where the
contacts were found, or as the exact solver solved them. Contacts of a step in several parts hold sums along their last normals:
there (1) is added up part by part (`StepStart.contact_impulse`).
"""

from typing import Any

import numpy as np

from physics.constraints.contact_batches import arms_about
from physics.core import vec
from physics.core.jit import kernel
from physics.core.records import Kind
from physics.dynamics import measure

_DYNAMIC = Kind.DYNAMIC


def of_step(world: Any) -> np.ndarray:
    """(1) of the last step, (bodies, 6): impulse [N s], and its moment about the centre of mass [N m s]."""
    started, bodies = world.step_start, world.bodies
    sums = np.zeros((len(bodies), 6))
    if started is not None and started.contact_impulse is not None:
        sums[: len(started.contact_impulse)] = started.contact_impulse
        return sums
    motion = np.empty((len(bodies), measure.MOTION))
    measure.copy_motion(bodies, motion)
    if started is not None:
        motion[: len(started.motion)] = started.motion
    add(world.contacts, bodies, motion, world.report is not None and world.report.solved is not None, sums)
    return sums


@kernel
def add(contacts, bodies, motion, by_arms, sums):
    """Add (1) to sums (n, 6). motion: as of `copy_motion`, where the contacts were found. by_arms: they hold the arms with which
    they were solved."""
    for i in range(contacts.shape[0]):
        c = contacts[i]
        a, b = c.body_a, c.body_b
        r_a, r_b = vec.copy(c.arm_a), vec.copy(c.arm_b)
        if not by_arms:
            r_a, r_b = arms_about(c, motion[a, :3], motion[b, :3], bodies[a].kind == _DYNAMIC and bodies[b].kind == _DYNAMIC)
        force = vec.madd(c.friction_impulse, c.normal, c.impulse)
        moment_a, moment_b = vec.add(vec.cross(r_a, force), c.spin_impulse), vec.add(vec.cross(r_b, force), c.spin_impulse)
        for k in range(3):
            sums[a, k] -= force[k]
            sums[b, k] += force[k]
            sums[a, 3 + k] -= moment_a[k]
            sums[b, 3 + k] += moment_b[k]
