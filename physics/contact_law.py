"""What velocities contacts are asked for: resting, anticipated, rebounding.

    target = 0                       touching (gap <= TOUCH) or overlapping
           = -gap / dt               apart: may close the gap, not more (T08's anticipated contact)
           = rebound, see below      an impact within this step, restitution e > 0

Rebound. Velocities of semi-implicit Euler are those of a parabola in the middle of a step. With u0, u1 the normal velocities
before and after the free motion of this step, a = (u0 - u1) / dt the approaching acceleration:

    speed at the start of the step    s = -u0 + a dt / 2
    speed at the surface              V^2 = s^2 + 2 a gap
    rebound (Newton, energy-exact)    (target + a dt / 2)^2 = e^2 (V^2 - (a dt)^2 / 4) - 2 a gap

so that the apex of the parabola after the impact is e^2 times the drop, less e^2 a dt^2 / 8: never above it. Below the velocity
threshold, and where e^2 times the drop is less than the remaining gap, e = 0.
"""

import math

from physics.core import vec
from physics.core.jit import inline, kernel, routine

TOUCH = 1e-5
"""Contacts closer than this touch [m]: they are not asked to close the rest, which is noise of the solver as often as not, and to
chase it would keep a pile in motion for ever."""


@routine
def wanted(gap, u0, u1, e, dt, threshold):
    """Target of the normal velocity [m/s] from the velocities before and after the free motion, and whether it is a rebound."""
    if e > 0.0 and u0 < -threshold and gap + dt * u1 < 0.0:
        speed = rebound(u0, u1, max(gap, 0.0), e, dt)
        if speed > 0.0:
            return speed, True
    return (-gap / dt if gap > TOUCH else 0.0), False


@inline
def normal_velocity(c, r_a, r_b, v_a, v_b):
    """Velocity of b against a along the normal [m/s]; v (6,)."""
    a = vec.add((v_a[0], v_a[1], v_a[2]), vec.cross((v_a[3], v_a[4], v_a[5]), r_a))
    b = vec.add((v_b[0], v_b[1], v_b[2]), vec.cross((v_b[3], v_b[4], v_b[5]), r_b))
    return vec.dot(c.normal, vec.sub(b, a))


@kernel
def targets(contacts, bodies, start, free, dt, threshold):
    """Write approach, target and warm of each contact.

    start, free: velocities before and after the free motion, shape (bodies, 6); threshold: slower impacts do not rebound [m/s].
    """
    for n in range(contacts.shape[0]):
        c = contacts[n]
        r_a = vec.sub(c.pos, bodies[c.body_a].pos)
        r_b = vec.sub(c.pos, bodies[c.body_b].pos)
        c.approach = normal_velocity(c, r_a, r_b, start[c.body_a], start[c.body_b])
        free_velocity = normal_velocity(c, r_a, r_b, free[c.body_a], free[c.body_b])
        c.target[0], rebounds = wanted(c.gap, c.approach, free_velocity, c.restitution, dt, threshold)
        c.warm = 0 if rebounds else 1


@routine
def rebound(u0, u1, gap, e, dt):
    """Target velocity after an impact [m/s], see the head of this file; 0 where there is none."""
    a = (u0 - u1) / dt
    s = -u0 + 0.5 * a * dt
    v2 = s * abs(s) + 2.0 * a * gap
    w2 = e * e * (v2 - 0.25 * (a * dt) * (a * dt)) - 2.0 * a * gap
    if w2 <= 0.0:
        return 0.0
    return math.sqrt(w2) - 0.5 * a * dt
