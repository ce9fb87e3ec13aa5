"""Friction problems by an interior-point method on second-order cones that includes the friction term.

In units x = (mu r_n, r_t), z = (u^_n / mu, u_t) both cones become the Lorentz cone L: |v_t| <= v_0, its own dual:

    (1) z = W x + q + phi(z) e,    L contains x and z,    x o z = 0        phi = sqrt(|z_t|^2 + epsilon^2) - epsilon, e = (1, 0)

The Jordan product x o z = (x . z, x_0 z_t + z_0 x_t) is driven to zero along x o z = sigma g e, g = x . z / n, by Newton
steps with Nesterov-Todd scaling, which maps x and z to the same point l = V z = V^-1 x, with V^-2 = Theta:

    (2) (W + A Theta) dx = A c - f,   dz = c - Theta dx,   A = 1 - e z_t^T / (|z_t|^2 + epsilon^2)^1/2,   f = W x + q + phi e - z
    (3) c = -z + V^-1 (l \\ (sigma g e - (V^-1 dx) o (V dz)))       the last product from a step with c = -z (Mehrotra)

Without phi this is the theory of convex quadratic programs; with it z depends on itself, which leaves solutions unchanged and
usually does not disturb the path. Epsilon, a multiple of g, smoothes the corner at z_t = 0.

V. Acary, P. Armand, H. M. Nguyen, M. Shpakovych, "Second-order cone programming for frictional contact mechanics using interior
point algorithm", Optimization Methods and Software, 2024; the scaling as in L. Vandenberghe, "The CVXOPT linear and quadratic
cone program solvers", 2010, section 4.2.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from physics.complementarity.friction_scaled import Scaled

BOUNDARY_FRACTION = 0.9
"""Fraction of the distance to the boundary of the cone that a step takes."""
MIN_GAP = 1e-26
"""A mean of x . z below this is rounding."""
CENTRING, JAMMED = 0.5, 0.3
"""After a step shorter than JAMMED, sigma of the next one, a centring step without the last product of eq 3."""
STALLED = 1e-3
"""The method gives up after TIMES consecutive steps shorter than this."""
TIMES = 4


class ConeScaling(NamedTuple):
    """The scaling at x, z. w (n, dim): midpoint of x and J z, all three with det 1; beta (n,): (det x / det z)^1/4."""

    w: np.ndarray
    beta: np.ndarray


def interior(p: Scaled, steps: int, smooth: float, good: Callable[[np.ndarray], bool]) -> int:
    """Run at most `steps` steps, until good(r), r (n, dim) in the units of p, is true. smooth: epsilon / g of eq 1.

    Returns the number of steps.
    """
    n, dim = p.q.shape
    unit = np.ones((n, dim))
    unit[:, 0] = 1.0 / p.mu
    even = 1.0 / np.sqrt(np.maximum(np.einsum("nini->ni", p.matrix) * unit * unit, 1e-12).mean(axis=1))
    unit *= even[:, None]
    W = (unit.reshape(-1, 1) * p.matrix.reshape(n * dim, n * dim) * unit.ravel()).reshape(n, dim, n, dim)
    q = unit * p.q
    size = np.linalg.norm(q) / np.sqrt(n)
    x = np.tile(np.eye(dim)[0], (n, 1))
    z, short, centring = x.copy(), 0, 0.0
    for done in range(steps):
        if good(size * unit * x):
            return done
        gap = np.sum(x * z) / n
        if gap < MIN_GAP or short >= TIMES or not (np.all(_det(x) > 0.0) and np.all(_det(z) > 0.0)):
            return done
        moved = _step(W, q / size, x, z, smooth * gap, centring)
        if moved is None:
            return done
        x, z, length = moved
        centring = CENTRING if length < JAMMED else 0.0
        short = short + 1 if length < STALLED else 0
    return steps


def _step(W: np.ndarray, q: np.ndarray, x: np.ndarray, z: np.ndarray, epsilon: float, sigma: float):
    """One step of eqs 2 and 3: (x, z, length of the step), or None if the system is singular. sigma: 0: Mehrotra's choice."""
    n, dim = x.shape
    flat, gap = n * dim, np.sum(x * z) / n
    rounded = np.sqrt(np.square(z[:, 1:]).sum(axis=1) + epsilon * epsilon)
    tilt = np.tile(np.eye(dim), (n, 1, 1))
    tilt[:, 0, 1:] -= z[:, 1:] / np.where(rounded > 0.0, rounded, 1.0)[:, None]
    feasible = (W.reshape(flat, flat) @ x.ravel()).reshape(n, dim) + q - z
    feasible[:, 0] += rounded - epsilon
    frame = _frame(x, z)
    theta = _theta(frame)
    system, cell = W.copy(), np.arange(n)
    system[cell, :, cell, :] += tilt @ theta
    solve = _factored(system.reshape(flat, flat))
    if solve is None:
        return None

    def direction(c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        dx = solve((_each(tilt, c) - feasible).ravel()).reshape(n, dim)
        return dx, c - _each(theta, dx)

    product = np.zeros((n, dim))
    if sigma == 0.0:
        dx, dz = direction(-z)
        length = min(_length(x, dx), _length(z, dz))
        after = np.sum((x + length * dx) * (z + length * dz)) / n
        sigma = min(1.0, max(after / gap, 1e-2))**3
        product = -_jordan(_unscale(frame, dx), _scale(frame, dz))
    product[:, 0] += sigma * gap
    dx, dz = direction(-z + _unscale(frame, _divide(_scale(frame, z), product)))
    if not (np.all(np.isfinite(dx)) and np.all(np.isfinite(dz))):
        return None
    length = min(_length(x, dx), _length(z, dz))
    return x + length * dx, z + length * dz, length


def _factored(system: np.ndarray) -> Callable[[np.ndarray], np.ndarray] | None:
    """solve(b) = system^-1 b; None if it is singular. With scipy it is factored once for all b."""
    try:
        from scipy.linalg.lapack import dgetrf, dgetrs
    except ImportError:
        return lambda b: np.linalg.solve(system, b)
    lu, pivots, info = dgetrf(system)
    if info != 0:
        return None
    return lambda b: dgetrs(lu, pivots, b)[0]


def _det(v: np.ndarray) -> np.ndarray:
    side = np.sqrt(np.square(v[:, 1:]).sum(axis=1))
    return (v[:, 0] - side) * (v[:, 0] + side)


def _length(v: np.ndarray, d: np.ndarray) -> float:
    """The largest a <= 1 with v + a d inside the cones: BOUNDARY_FRACTION times the first root of
    det (v + a d) = c + 2 b a + s a^2."""
    s, c = np.square(d[:, 0]) - np.square(d[:, 1:]).sum(axis=1), _det(v)
    b = v[:, 0] * d[:, 0] - (v[:, 1:] * d[:, 1:]).sum(axis=1)
    root = np.sqrt(np.maximum(b * b - s * c, 0.0)) - b
    ends = (root > 0.0) & (b * b >= s * c)
    return min(1.0, BOUNDARY_FRACTION * float(np.min(c[ends] / root[ends], initial=np.inf)))


def _frame(x: np.ndarray, z: np.ndarray) -> ConeScaling:
    size_x, size_z = np.sqrt(_det(x)), np.sqrt(_det(z))
    x, z = x / size_x[:, None], z / size_z[:, None]
    between = x - z
    between[:, 0] += 2.0 * z[:, 0]
    return ConeScaling(between / np.sqrt(2.0 + 2.0 * np.sum(x * z, axis=1))[:, None], np.sqrt(size_x / size_z))


def _theta(frame: ConeScaling) -> np.ndarray:
    """V^-2 = (2 (J w) (J w)^T - J) / beta^2, (n, dim, dim)."""
    turned = -frame.w
    turned[:, 0] = frame.w[:, 0]
    theta = 2.0 * turned[:, :, None] * turned[:, None, :] + np.eye(turned.shape[1])
    theta[:, 0, 0] -= 2.0
    return theta / np.square(frame.beta)[:, None, None]


def _scale(frame: ConeScaling, v: np.ndarray) -> np.ndarray:
    """V v = beta (w . v, v_t + (v_0 + w_t . v_t / (1 + w_0)) w_t)."""
    return frame.beta[:, None] * _boosted(frame.w, v, 1.0)


def _unscale(frame: ConeScaling, v: np.ndarray) -> np.ndarray:
    """V^-1 v."""
    return _boosted(frame.w, v, -1.0) / frame.beta[:, None]


def _boosted(w: np.ndarray, v: np.ndarray, sign: float) -> np.ndarray:
    along = sign * np.sum(w[:, 1:] * v[:, 1:], axis=1)
    share = sign * v[:, 0] + sign * along / (1.0 + w[:, 0])
    return np.column_stack([w[:, 0] * v[:, 0] + along, v[:, 1:] + share[:, None] * w[:, 1:]])


def _jordan(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.column_stack([np.sum(a * b, axis=1), a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:]])


def _divide(l: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The y with l o y = v."""
    along = np.sum(l[:, 1:] * v[:, 1:], axis=1)
    first = (l[:, 0] * v[:, 0] - along) / _det(l)
    return np.column_stack([first, (v[:, 1:] - first[:, None] * l[:, 1:]) / l[:, :1]])


def _each(blocks: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.matmul(blocks, v[:, :, None])[:, :, 0]
