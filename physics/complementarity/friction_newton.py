"""Friction problems by a semi-smooth Newton method on the natural map, in the manner of Alart and Curnier.

    (1) F(r) = r - P_K(y),    y = r - rho u^,    u^ = u + mu |u_t| n,    u = W r + q            zero at solutions only
    (2) (1 - D + D (rho A W + epsilon)) d = -F(r)      D: Jacobian of P_K at y, A = 1 + mu n u_t^T / |u_t|
    (3) r <- r + a d,    a = 1, 1/2, 1/4, ..           until |F| falls

W may be singular (bodies on more supports than they need): where all stick, D = 1 and (2) is the system with W itself. Epsilon
holds what W leaves open, as a step of the proximal point method does.

P. Alart, A. Curnier, "A mixed formulation for frictional contact problems prone to Newton like solution methods", 1991.
"""

from collections.abc import Callable

import numpy as np

from physics.complementarity.friction_scaled import Scaled, cones

SOFTNESS = 1e-8
"""Epsilon of eq 2."""
HALVINGS = 12


def newton(p: Scaled, r: np.ndarray, steps: int, rho: float, good: Callable[[np.ndarray], bool]) -> tuple[np.ndarray, int]:
    """Improve r (n, dim) by at most so many steps; good(r) ends it, and so does |F| that falls no more. Returns (r, steps)."""
    n, dim = r.shape
    cell, eye = np.arange(n), np.eye(dim)
    missed, slope, u = _missed(p, r, rho)
    size = np.linalg.norm(missed)
    for done in range(steps):
        if good(r):
            return r, done
        side = np.sqrt(np.square(u[:, 1:]).sum(axis=1))
        tilt = np.tile(eye, (n, 1, 1))
        tilt[:, 0, 1:] += (p.mu / np.where(side > 0.0, side, 1.0))[:, None] * u[:, 1:]
        system = np.matmul(rho * slope @ tilt, p.matrix.reshape(n, dim, n * dim)).reshape(n, dim, n, dim)
        system[cell, :, cell, :] += eye - (1.0 - SOFTNESS) * slope
        try:
            step = np.linalg.solve(system.reshape(n * dim, n * dim), missed.ravel()).reshape(n, dim)
        except np.linalg.LinAlgError:
            return r, done
        for k in range(HALVINGS):
            trial = r - 0.5**k * step
            missed, slope, u = _missed(p, trial, rho)
            now = np.linalg.norm(missed)
            if now < (1.0 - 1e-3 * 0.5**k) * size:
                break
        else:
            return r, done + 1
        r, size = trial, now
    return r, steps


def _missed(p: Scaled, r: np.ndarray, rho: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(F of eq 1, D, u)."""
    u = p.times(r)
    y = r - rho * u
    y[:, 0] -= rho * p.mu * np.sqrt(np.square(u[:, 1:]).sum(axis=1))
    nearest, slope = cones(y, p.mu)
    return r - nearest, slope, u
