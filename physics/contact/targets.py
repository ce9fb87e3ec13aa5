"""Target velocities of contacts: resting, anticipated, rebounding.

    target = 0                       touching (gap <= TOUCH_GAP) or overlapping
           = -gap / dt               apart: may close the gap, not more (T08's anticipated contact)
           = rebound, see below      an impact within this step, restitution e > 0

Rebound. Velocities of semi-implicit Euler are those of a parabola at the middle of a step. With u0, u1 the normal velocities
before and after the free motion of this step, a = (u0 - u1) / dt the acceleration of approach:

    speed at the start of the step    s = -u0 + a dt / 2
    speed at the surface              V^2 = s^2 + 2 a gap
    rebound (Newton, energy-exact)    (target + a dt / 2)^2 = e^2 (V^2 - (a dt)^2 / 4) - 2 a gap

so that the apex of the parabola after the impact is e^2 times the drop, less e^2 a dt^2 / 8: never above it. Where e^2 times the
drop is less than the remaining gap, the gap is closed first and the rebound follows in the next step with the present V
(`pending_rebound`). Below the velocity threshold e = 0.
"""

import math

from physics.core import vec
from physics.core.jit import inline, routine

TOUCH_GAP = 1e-5
"""Contacts closer than this touch [m]. The remaining gap is mostly solver noise; closing it would keep a pile in motion for
ever."""

LATER_IMPACT = -1e30
"""Target that is always satisfied [m/s]."""


@routine
def target_velocity(gap, u0, u1, e, dt, threshold, pending):
    """(target of the normal velocity [m/s], whether it is a rebound, speed of an impact left for the next step [m/s]).

    u0, u1: velocities before and after the free motion; pending: impact speed left by the last step.
    """
    closing = -gap / dt if gap > TOUCH_GAP else 0.0
    if e == 0.0 or gap + dt * u1 >= 0.0:
        return closing, False, 0.0
    a, ahead = (u0 - u1) / dt, max(gap, 0.0)
    if pending > 0.0 and gap <= TOUCH_GAP:
        v2 = pending * pending
    elif u0 < -threshold:
        s = -u0 + 0.5 * a * dt
        v2 = s * abs(s) + 2.0 * a * ahead
    else:
        return closing, False, 0.0
    w2 = e * e * (v2 - 0.25 * (a * dt) * (a * dt)) - 2.0 * a * ahead
    speed = math.sqrt(max(w2, 0.0)) - 0.5 * a * dt
    if speed > 0.0:
        return speed, True, 0.0
    return closing, False, (math.sqrt(v2) if gap > TOUCH_GAP and v2 > 0.0 else 0.0)


@inline
def normal_velocity(c, r_a, r_b, v_a, v_b):
    """Velocity of b relative to a along the normal [m/s]; v (6,)."""
    a = vec.add((v_a[0], v_a[1], v_a[2]), vec.cross((v_a[3], v_a[4], v_a[5]), r_a))
    b = vec.add((v_b[0], v_b[1], v_b[2]), vec.cross((v_b[3], v_b[4], v_b[5]), r_b))
    return vec.dot(c.normal, vec.sub(b, a))
