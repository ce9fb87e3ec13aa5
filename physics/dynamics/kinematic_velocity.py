"""Velocities of kinematic bodies within a step: a ramp instead of a jump.

A kinematic body is given one velocity v per step. With n substeps the whole change to v would fall into the first one, and a load
on the body would have to follow in 1 / n of the time: held by friction, it would slip. So the substep whose middle is at the
fraction s of the step uses

    v(s) = v + slope (s - 1/2),   slope = minmod(v - v_before, v_before - v_older)                       (1)

Its mean is v, so the path is that of the given velocities. minmod, the smaller of two changes of equal sign, else 0, is the
largest slope without overshoot (P. Roe, Annual Review of Fluid Mechanics 18, 1986): a single jump remains a jump.
"""

from physics.core.jit import inline, routine
from physics.core.records import Kind

_KINEMATIC = Kind.KINEMATIC


@inline
def _minmod(a, b):
    if a * b <= 0.0:
        return 0.0
    return a if abs(a) < abs(b) else b


@inline
def _slope(b, v, k):
    """Component k of the slope in (1), linear ones first, for the given v."""
    return _minmod(v - b.before[k], b.before[k] - b.older[k])


@routine
def has_ramp(bodies, given):
    """Whether any body has a slope; given (bodies, 6): velocities."""
    found = False
    for i in range(bodies.shape[0]):
        if bodies[i].kind == _KINEMATIC:
            for k in range(6):
                found = found or _slope(bodies[i], given[i, k], k) != 0.0
    return found


@routine
def set_velocity_at(bodies, given, share):
    """Set kinematic bodies to v(share); with 1/2 to their given velocities, (bodies, 6)."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.kind == _KINEMATIC:
            for k in range(3):
                b.vel[k] = given[i, k] + (share - 0.5) * _slope(b, given[i, k], k)
                b.omega[k] = given[i, 3 + k] + (share - 0.5) * _slope(b, given[i, 3 + k], 3 + k)


@inline
def store_velocity(b):
    """After a step, store the velocity of a kinematic body as that of the last step."""
    for k in range(6):
        b.older[k] = b.before[k]
        b.before[k] = b.vel[k] if k < 3 else b.omega[k - 3]
