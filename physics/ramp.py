"""Velocities of kinematic bodies within a step: a ramp instead of a stair.

A kinematic body is given one velocity v a step. In substeps it would have all of the change to v in the first, and what rides on
it would have to follow in 1 / n of the time: friction that holds a load would let it slip. So the substep whose middle is at the
share s of the step sees

    v(s) = v + slope (s - 1/2),   slope = minmod(v - v_before, v_before - v_older)                       (1)

Its mean is v: the path is that of the velocities given. minmod, the smaller of two changes of one sign, else 0, is what a ramp
may have without overshooting (P. Roe, Annual Review of Fluid Mechanics 18, 1986): a single jump stays one.
"""

from physics.core.jit import inline, kernel, routine
from physics.core.records import Kind

_KINEMATIC = int(Kind.KINEMATIC)


@inline
def _minmod(a, b):
    if a * b <= 0.0:
        return 0.0
    return a if abs(a) < abs(b) else b


@inline
def _slope(b, v, k):
    """Component k of (1), linear ones first, where v is given."""
    return _minmod(v - b.before[k], b.before[k] - b.older[k])


@routine
def ramps(bodies, given):
    """Whether any body has a slope; given (bodies, 6): velocities."""
    found = False
    for i in range(bodies.shape[0]):
        if bodies[i].kind == _KINEMATIC:
            for k in range(6):
                found = found or _slope(bodies[i], given[i, k], k) != 0.0
    return found


@routine
def give(bodies, given, share):
    """Kinematic bodies get v(share); with 1/2 the velocities that they were given, (bodies, 6)."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.kind == _KINEMATIC:
            for k in range(3):
                b.vel[k] = given[i, k] + (share - 0.5) * _slope(b, given[i, k], k)
                b.omega[k] = given[i, 3 + k] + (share - 0.5) * _slope(b, given[i, 3 + k], 3 + k)


@kernel
def remember(bodies):
    """After a step: what kinematic bodies had becomes what they had before."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.kind == _KINEMATIC:
            for k in range(6):
                b.older[k] = b.before[k]
                b.before[k] = b.vel[k] if k < 3 else b.omega[k - 3]
