"""Friction problems on polygonal cones of k facets, as a linear complementarity problem for Lemke's algorithm.

    (1) r_t = D b, b >= 0        D: k directions (cos 2 pi j/k, sin 2 pi j/k); in a plane +1 and -1, which is the law itself
    (2) 0 <= r_n  _|_  u_n >= 0
        0 <= b    _|_  D^T u_t + l 1 >= 0
        0 <= l    _|_  mu r_n - sum b >= 0

D. E. Stewart, J. C. Trinkle, IJNME 39, 1996, section 3. Compared with the round cone friction is off by up to cos(pi/k) in size
and pi/k in direction, so this is exact in a plane, and an initial guess in space.
"""

import numpy as np

from physics.complementarity import lemke
from physics.complementarity.friction_scaled import Scaled


def solve(p: Scaled, facets: int) -> tuple[np.ndarray, int]:
    """(r (n, dim), pivots). facets: k of eq 1, in space."""
    n = len(p.mu)
    turn = 2.0 * np.pi * np.arange(facets) / facets
    D = np.array([[1.0, -1.0]]) if p.dim == 2 else np.array([np.cos(turn), np.sin(turn)])
    k = D.shape[1]
    W = p.matrix
    M = np.zeros((n, k + 2, n, k + 2))
    M[:, 0, :, 0] = W[:, 0, :, 0]
    M[:, 0, :, 1:k + 1] = W[:, 0, :, 1:] @ D
    M[:, 1:k + 1, :, 0] = np.einsum("tk,ntm->nkm", D, W[:, 1:, :, 0])
    M[:, 1:k + 1, :, 1:k + 1] = np.einsum("tk,ntms,sl->nkml", D, W[:, 1:, :, 1:], D, optimize=True)
    cell = np.arange(n)
    M[cell, 1:k + 1, cell, k + 1] = 1.0
    M[cell, k + 1, cell, 0] = p.mu
    M[cell, k + 1, cell, 1:k + 1] = -1.0
    q = np.column_stack([p.q[:, 0], p.q[:, 1:] @ D, np.zeros(n)])
    found = lemke.solve(M.reshape(n * (k + 2), n * (k + 2)), q.ravel())
    z = found.z.reshape(n, k + 2)
    return np.column_stack([z[:, 0], z[:, 1:k + 1] @ D.T]), found.pivots
