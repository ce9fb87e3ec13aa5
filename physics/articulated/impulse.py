"""Impulses on mechanisms (F11 11.7): what a blow changes, and the impulse of an impact.

    u = H dqd,   u = J^T iota                        of the system                             (F11 11.57, 11.58)
    dv = Phi iota,   Phi = J H^-1 J^T = (I^A)^-1     of one body as its handle                 (F11 11.56)

Impact along rows R (k, n) of the relative velocity w = R qd, the normal first, W = R H^-1 R^T:

    without friction      lambda = -(1 + e) w_n / W_nn                                          (F11 11.65)
    sticking              lambda = -W^-1 (1 + E) w,   E = diag(e, 0, 0)                         (F11 11.72)

A body that its joints hold in some direction has no I^A, but it has Phi: there it answers no impulse.

Impact of several contacts at once, without friction: u = T^T qd, W = T^T H^-1 T, s a share of the restitution

    Newton              0 <= p _|_ W p + u + s e min(u, 0) >= 0                                                      (1)
    Poisson, Stronge    compression  0 <= p_c _|_ W p_c + u >= 0,   restitution  p = p_c + s e p_c + p',
                        0 <= p' _|_ W p + u >= 0                                                                     (2)

s is 1, or by Stronge's law the one with which the sum of `excess` (contact/impact_laws) over the contacts is zero; it is smaller
where energy would be gained, p . (u + W p / 2) > 0, or (1) has no solution, but for the unlimited law. For one contact all laws
agree.
"""

import math
from typing import Any

import numpy as np

from physics.articulated.joint_space import JointSpace
from physics.articulated.smooth_motion import first_fall
from physics.complementarity import lemke
from physics.complementarity.problem import Status
from physics.contact.impact_laws import ImpactLaw, ImpactState
from physics.core.check import BadInput, number, numbers, shown_value
from physics.core.uncompiled import uncompiled

COUPLED = 1e-12
"""Relative size of the response of one contact to another below which they are independent."""

GAIN_NOISE = 1e-12
"""Share of the work of all impulses that is rounding."""

SHARE_ACCURACY = 1e-10
"""Accuracy of s."""

MIN_SHARE, MAX_SHARE = 1e-6, 16.0
"""Range of s; less than the smallest is 0."""


def mobility(space: JointSpace, body: int | str) -> np.ndarray:
    """Phi (6, 6) of a body: change of (omega, v of its centre of mass) per impulse (moment, force) on it."""
    own = space.jacobian(body)
    return own @ space.solve(own.T)


def velocity_change(space: JointSpace, body: int | str, impulse: np.ndarray) -> np.ndarray:
    """dqd (n,) by an impulse (6,), moment [N m s] about the centre of mass and force [N s], on a body.

    Raises:
        BadInput: no such body, or an impulse that is not six finite numbers.
    """
    return space.solve(space.jacobian(body).T @ _finite("impulse", impulse, (6,)))


def frictionless_impulse(space: JointSpace, normal: np.ndarray, restitution: float) -> float:
    """lambda [N s] of an impact along the row `normal` (n,) of the relative velocity; 0 if the bodies separate.

    Raises:
        BadInput: restitution outside 0 .. 1; a normal of another size; nothing can move along the normal.
    """
    e, normal = number("restitution", restitution, lo=0.0, hi=1.0), _finite("normal", normal, (space.tree.size,))
    approach, response = float(normal @ space.qd), float(normal @ space.solve(normal))
    if not response > 0.0:
        raise BadInput("the bodies of the impact cannot move along its normal: their joints hold them")
    return max(0.0, -(1.0 + e) * approach / response)


def sticking_impulse(space: JointSpace, rows: np.ndarray, restitution: float) -> np.ndarray:
    """lambda (k,) [N s] of an impact that ends the tangential motion; rows (k, n): normal, then tangents.

    Of directions along which nothing can move the impulse is the smallest one that does it.

    Raises:
        BadInput: restitution outside 0 .. 1; rows of another size.
    """
    e, rows = number("restitution", restitution, lo=0.0, hi=1.0), _finite("rows", rows, (None, space.tree.size))
    velocity = rows @ space.qd
    if velocity[0] >= 0.0:
        return np.zeros(len(rows))
    wanted = velocity.copy()
    wanted[0] *= 1.0 + e
    return -np.linalg.lstsq(rows @ space.solve(rows.T), wanted, rcond=1e-12)[0]


def _finite(name: str, value: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    """Finite numbers of this shape; None: any length.

    Raises:
        BadInput: they are none.
    """
    found = numbers(value)
    if found is None or found.ndim != len(shape) or not all(
            n in (None, m) for n, m in zip(shape, found.shape)) or not np.isfinite(found).all():
        sizes = " x ".join("any" if n is None else str(n) for n in shape)
        raise BadInput(f"{name} must be {sizes} finite numbers, not {shown_value(value)}")
    return found


# ---- several contacts at once


def simultaneous_impact(W: np.ndarray, u: np.ndarray, e: np.ndarray, slow: float, law: ImpactLaw) -> tuple | None:
    """(p (m,) [N s], share s of the restitution (m,)) of contacts that touch, by (1) or (2); None: there is no solution.

    W (m, m) [1/kg]; u (m,): approach speeds, < 0 [m/s]; e (m,); slow: approaches below do not rebound [m/s]. Each group of
    contacts that act on one another has a share of its own.
    """
    p, share = np.zeros(len(u)), np.ones(len(u))
    for group in coupled_groups(W):
        own_W, own_u = W[np.ix_(group, group)], u[group]
        fast = own_u < -slow
        own_e = np.where(fast if law.by_velocity else fast.any(), e[group], 0.0)
        found = (_by_velocity if law.by_velocity else _by_impulse)(own_W, own_u, own_e, law)
        if found is None:
            return None
        p[group], share[group] = found
    return p, share


def coupled_groups(W: np.ndarray) -> list[np.ndarray]:
    """Indices of the contacts that act on one another, directly or through others, in ascending order."""
    size = np.sqrt(np.maximum(W.diagonal(), 0.0))
    near, left, groups = np.abs(W) > COUPLED * np.outer(size, size), np.ones(len(W), bool), []
    np.fill_diagonal(near, True)
    for i in range(len(W)):
        if left[i]:
            group = near[i]
            while (grown := near[group].any(axis=0)).sum() > group.sum():
                group = grown
            groups.append(np.flatnonzero(group))
            left &= ~group
    return groups


def _solve(W: np.ndarray, q: np.ndarray) -> np.ndarray | None:
    found = lemke.solve(W, q)
    return found.z if found.status == Status.SOLVED else None


def _by_velocity(W: np.ndarray, u: np.ndarray, e: np.ndarray, law: ImpactLaw) -> tuple[np.ndarray, float] | None:
    """(1), with the largest s that gains no energy and has a solution: walls that close on a body allow no rebound."""
    def struck(s: float) -> np.ndarray | None:
        return _solve(W, u + s * e * np.minimum(u, 0.0))

    def lost(s: float) -> float:
        p = struck(s)
        return -math.inf if p is None else GAIN_NOISE * float(np.abs(p) @ np.abs(u)) - float(p @ (u + 0.5 * W @ p))
    s = 1.0 if not law.limited or lost(1.0) >= 0.0 else first_fall(lost, 0.0, 1.0, SHARE_ACCURACY)
    s = s if s > MIN_SHARE else 0.0
    p = struck(s)
    return None if p is None else (p, s)


def _by_impulse(W: np.ndarray, u: np.ndarray, e: np.ndarray, law: ImpactLaw) -> tuple[np.ndarray, float] | None:
    """(2), with s as the law and the energy have it."""
    pressed, excess = _solve(W, u), uncompiled(law.excess)
    if pressed is None:
        return None
    after = u + W @ pressed
    work = 0.5 * pressed * (u + after)

    def sum_of_excess(impulse: np.ndarray, velocity: np.ndarray, done: np.ndarray) -> tuple[float, float]:
        values = np.array([excess(ImpactState(0, *state)) for state in zip(e, u, pressed, work, impulse, velocity, done)])
        return float(values.sum()), float(np.abs(values).sum())

    def given(s: float) -> np.ndarray:
        return s * e * pressed + _solve(W, after + W @ (s * e * pressed))

    size = sum_of_excess(pressed, np.zeros(len(u)), work)[1]

    def short(s: float) -> float:
        back = given(s)
        p, velocity = pressed + back, after + W @ back
        gain, whole = 0.5 * p @ (u + velocity), p @ (np.abs(u) + np.abs(velocity))
        found = sum_of_excess(pressed * (1.0 + s * e), velocity, work + 0.5 * back * (after + velocity))[0] / size
        return -max(found, gain / whole) if gain > GAIN_NOISE * whole else -found
    if size == 0.0 or abs(short(1.0)) < SHARE_ACCURACY:
        return pressed + given(1.0), 1.0
    high = 1.0
    while short(high) >= 0.0 and high < MAX_SHARE:
        high *= 2.0
    s = first_fall(short, 0.0, high, SHARE_ACCURACY) if short(high) < 0.0 else high
    return pressed + given(s), s
