"""Friction problems by a semi-smooth Newton method on the natural map, after Alart and Curnier.

    (1) F(r) = r - P_K(y),    y = r - rho u^,    u^ = u + mu |u_t| n,    u = W r + q            zero at solutions only
    (2) (1 - D + D (rho A W + epsilon)) d = -F(r)      D: Jacobian of P_K at y, A = 1 + mu n u_t^T / |u_t|
    (3) r <- r + a d,    a = 1, 1/2, 1/4, ..           until |F| is below the largest of the last few

W may be singular (redundant supports): if all contacts stick, D = 1 and (2) is the system with W itself. Epsilon regularises
the null space of W, like a step of the proximal point method. While contacts change between sticking and slipping |F| must often
rise before it falls: with a long memory in (3) full steps are accepted, and only the best iterate is kept.

P. Alart, A. Curnier, "A mixed formulation for frictional contact problems prone to Newton like solution methods", 1991.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from physics.complementarity.friction_scaled import Scaled, cones

MAX_HALVINGS = 12
MAX_STALLED_STEPS = 12
"""The iteration ends after this many steps without a new smallest |F|."""


class NewtonVariant(NamedTuple):
    """Parameters: rho and epsilon of eq 2, in the units of p; memory: number of last |F| used in eq 3, 0: full steps."""

    rho: float
    softness: float
    memory: int


def newton(p: Scaled, r: np.ndarray, steps: int, manner: NewtonVariant, good: Callable[[np.ndarray], bool]) -> None:
    """Run at most `steps` steps from r (n, dim), until good(r) is true or the steps stall."""
    rho, softness, memory = manner
    n, dim = r.shape
    cell, eye = np.arange(n), np.eye(dim)
    missed, slope, u = _missed(p, r, rho)
    sizes = [np.linalg.norm(missed)]
    for _ in range(steps):
        if good(r) or (len(sizes) > MAX_STALLED_STEPS and min(sizes[-MAX_STALLED_STEPS:]) >= min(sizes[:-MAX_STALLED_STEPS])):
            return
        side = np.sqrt(np.square(u[:, 1:]).sum(axis=1))
        tilt = np.tile(eye, (n, 1, 1))
        tilt[:, 0, 1:] += (p.mu / np.where(side > 0.0, side, 1.0))[:, None] * u[:, 1:]
        system = np.matmul(rho * slope @ tilt, p.matrix.reshape(n, dim, n * dim)).reshape(n, dim, n, dim)
        system[cell, :, cell, :] += eye - (1.0 - softness) * slope
        try:
            step = np.linalg.solve(system.reshape(n * dim, n * dim), missed.ravel()).reshape(n, dim)
        except np.linalg.LinAlgError:
            return
        allowed = max(sizes[-memory:]) if memory else np.inf
        for k in range(MAX_HALVINGS):
            trial = r - 0.5**k * step
            missed, slope, u = _missed(p, trial, rho)
            now = np.linalg.norm(missed)
            if now < (1.0 - 1e-3 * 0.5**k) * allowed:
                break
        else:
            return
        r = trial
        sizes.append(now)


def _missed(p: Scaled, r: np.ndarray, rho: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(F, D, u) of eqs 1 and 2."""
    u = p.times(r)
    y = r - rho * u
    y[:, 0] -= rho * p.mu * np.sqrt(np.square(u[:, 1:]).sum(axis=1))
    nearest, slope = cones(y, p.mu)
    return r - nearest, slope, u
