"""Impulses on mechanisms (F11 11.7): what a blow changes, and the impulse of an impact.

    u = H dqd,   u = J^T iota                        of the system                             (F11 11.57, 11.58)
    dv = Phi iota,   Phi = J H^-1 J^T = (I^A)^-1     of one body as its handle                 (F11 11.56)

Impact along rows R (k, n) of the relative velocity w = R qd, the normal first, W = R H^-1 R^T:

    without friction      lambda = -(1 + e) w_n / W_nn                                          (F11 11.65)
    sticking              lambda = -W^-1 (1 + E) w,   E = diag(e, 0, 0)                         (F11 11.72)

A body that its joints hold in some direction has no I^A, but it has Phi: there it answers no impulse.
"""

import numpy as np

from physics.articulated.joint_space import JointSpace
from physics.core.check import BadInput, number


def mobility(space: JointSpace, body: int | str) -> np.ndarray:
    """Phi (6, 6) of a body: change of (omega, v of its centre of mass) per impulse (moment, force) on it."""
    own = space.jacobian(body)
    return own @ space.solve(own.T)


def velocity_change(space: JointSpace, body: int | str, impulse: np.ndarray) -> np.ndarray:
    """dqd (n,) by an impulse (6,), moment [N m s] about the centre of mass and force [N s], on a body."""
    return space.solve(space.jacobian(body).T @ np.asarray(impulse, np.float64))


def frictionless_impulse(space: JointSpace, normal: np.ndarray, restitution: float) -> float:
    """lambda [N s] of an impact along the row `normal` (n,) of the relative velocity; 0 if the bodies separate.

    Raises:
        BadInput: restitution outside 0 .. 1; nothing can move along the normal.
    """
    e = number("restitution", restitution, lo=0.0, hi=1.0)
    approach, response = float(normal @ space.qd), float(normal @ space.solve(normal))
    if not response > 0.0:
        raise BadInput("the bodies of the impact cannot move along its normal: their joints hold them")
    return max(0.0, -(1.0 + e) * approach / response)


def sticking_impulse(space: JointSpace, rows: np.ndarray, restitution: float) -> np.ndarray:
    """lambda (k,) [N s] of an impact that ends the tangential motion; rows (k, n): normal, then tangents.

    Of directions along which nothing can move the impulse is the smallest one that does it.

    Raises:
        BadInput: restitution outside 0 .. 1.
    """
    e = number("restitution", restitution, lo=0.0, hi=1.0)
    velocity = rows @ space.qd
    if velocity[0] >= 0.0:
        return np.zeros(len(rows))
    wanted = velocity.copy()
    wanted[0] *= 1.0 + e
    return -np.linalg.lstsq(rows @ space.solve(rows.T), wanted, rcond=1e-12)[0]
