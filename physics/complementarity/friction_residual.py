"""Residual of friction problems: how far impulses r are from Coulomb's law. Shares no code with the solvers.

    (1) u = W r + q,    u^ = u + mu |u_t| n                 per contact; n: the normal, first of its components
    (2) K* contains u^,  u^ . r = 0,  r in K                K: |r_t| <= mu r_n, K* its dual: mu |u_t| <= u_n
    (3) |r - P_K(r - u^)| / |q|                             2-norms over all contacts; zero only at solutions of (2)

V. Acary, M. Bremond, O. Huber, "On solving contact problems with Coulomb friction: formulations and numerical comparisons", 2018;
fclib, "a collection of discrete 3D frictional contact problems", INRIA RT-0444, 2014.
"""

import numpy as np


def residual(W, q, mu, r, dim: int) -> float:
    """Eq 3; if q is zero, without the division. W: (n dim, n dim), anything with W @ r; q, r: (n dim,); mu: (n,)."""
    u = (W @ r + q).reshape(-1, dim)
    p = r.reshape(-1, dim)
    shifted = p - u
    shifted[:, 0] -= mu * np.sqrt(np.square(u[:, 1:]).sum(axis=1))
    missed, size = np.linalg.norm(p - _nearest(shifted, mu)), np.linalg.norm(q)
    return float(missed / size if size > 0.0 else missed)


def _nearest(points: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """P_K: the points of the cones nearest to points (n, dim)."""
    height, side = points[:, 0], np.sqrt(np.square(points[:, 1:]).sum(axis=1))
    on = np.maximum((height + mu * side) / (1.0 + mu * mu), 0.0)
    share = mu * on / np.where(side > 0.0, side, 1.0)
    inside = side <= mu * height
    return np.where(inside[:, None], points, np.column_stack([on, share[:, None] * points[:, 1:]]))
