"""The laws of contacts and of joint friction, each written once: the update of one visit, and the residual.

p: impulses, w: velocity error of the rows, K = J M^-1 J^T, r: rate, at most 1 / (largest eigenvalue of K).

    bound                        update                                                 residual
    one-sided  p >= 0            max(0, s (p - w / K)), in the sweeps                    |min(p / r, w)|                 (1)
    interval   lower .. upper    p - w / K, clamped                                      |clamp(p - r w) - p| / r        (2)
    cone       |p| <= mu p_n     p* = p - K^-1 w inside: it sticks; else it slips and
                                 p' = P(p - r w), P: nearest point (friction_cone.py)    |P(p - r w) - p| / r            (3)
    disc       |p| <= limit      the same; viscous friction shrinks less (`loss_factor`)                                 (4)

The projection of p - r w is maximal dissipation. Read by the sweeps over rows, batches and extended contacts
(solvers/impulses), the residual of every solver (dynamics/measure.py) and the microscope's replay. The auditor has formulas of
its own (observe/audit/contacts.py): a judge shares no code with what it judges.
"""

import math

from physics.contact.friction_cone import inside, project
from physics.core import stack
from physics.core.jit import inline, routine
from physics.core.records import Case

_OPEN, _STICK, _SLIP = Case.OPEN, Case.STICK, Case.SLIP

circle = stack.scratch(0, 4)
"""Makes the polygon that stands for a circle, in compiled code."""


@inline
def one_sided_residual(p, w, rate):
    """Residual of (1)."""
    return abs(min(p / rate, w))


@inline
def interval_update(p, w, inverse, lower, upper):
    """New impulse of (2); inverse: 1 / K."""
    return max(lower, min(upper, p - inverse * w))


@inline
def interval_residual(p, w, rate, lower, upper):
    """Residual of (2)."""
    return abs(interval_update(p, w, rate, lower, upper) - p) / rate


@inline
def friction_case(polygon, radius, x, y):
    """Case of a friction impulse (x, y) that would stop the sliding, in the cone of that radius."""
    if radius <= 0.0:
        return _OPEN
    return _STICK if inside(polygon, radius, x, y) else _SLIP


@inline
def friction_update(polygon, radius, stick, slide):
    """(x, y, Case): new friction impulse of (3). stick: p*; slide: p - r w."""
    case = friction_case(polygon, radius, stick[0], stick[1])
    if case == _STICK:
        return stick[0], stick[1], case
    if case == _OPEN:
        return 0.0, 0.0, case
    x, y = project(polygon, radius, slide[0], slide[1])
    return x, y, case


@routine
def friction_residual(polygon, radius, p, w, rate):
    """Residual of (3) of the impulse p (2,) with sliding velocity w (2,)."""
    x, y = project(polygon, radius, p[0] - rate * w[0], p[1] - rate * w[1])
    return math.sqrt((x - p[0]) * (x - p[0]) + (y - p[1]) * (y - p[1])) / rate


@inline
def loss_factor(limit, viscous, rate, size):
    """Factor by which friction scales an impulse of that size: 1 inside the disc (4), the proximal point outside
    (row_sweeps.py)."""
    if size <= limit:
        return 1.0
    if viscous == 0.0:
        return limit / size
    return (viscous * size + rate * limit) / ((viscous + rate) * size)
