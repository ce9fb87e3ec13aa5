"""Scaled form of a friction problem for the algorithms: contacts in similar units, rows of blocks, |q| = 1.

Each contact may have its own units of impulse and velocity, r = s r', u = u' / s, s > 0: the law is invariant.

    (1) W'_ij = s_i s_j W_ij,    q'_i = s_i q_i / c,    r_i = c s_i r'_i           s_i = (tr |W_ii| / dim)^-1/2, c = |s q|

If mu = 0 only the normal has an impulse. Its tangents become separate problems whose solution is zero for any mu:

    (2) W'_tt = 1, W'_tj = W'_jt = 0, q'_t = 0

and so does the second tangent in a plane, for algorithms that require three directions.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Scaled:
    """Eqs 1 and 2. blocks (k, dim, dim), row and column (k,): W' without its zero blocks, by rows, the diagonal one of a row
    first; q: (n, dim), mu: (n,), 1 for those that are 0; scale: (n, dim), c s; slides: (n,) bool, where mu = 0."""

    blocks: np.ndarray
    row: np.ndarray
    column: np.ndarray
    q: np.ndarray
    mu: np.ndarray
    scale: np.ndarray
    slides: np.ndarray

    @property
    def dim(self) -> int:
        return self.q.shape[1]

    @cached_property
    def first(self) -> np.ndarray:
        """Start of each row of blocks, (n + 1,)."""
        return np.searchsorted(self.row, np.arange(len(self.mu) + 1))

    @cached_property
    def matrix(self) -> np.ndarray:
        """W' as a dense array, (n, dim, n, dim)."""
        n = len(self.mu)
        whole = np.zeros((n, self.dim, n, self.dim))
        whole[self.row, :, self.column, :] = self.blocks
        return whole

    def times(self, r: np.ndarray) -> np.ndarray:
        """W' r' + q', (n, dim)."""
        product = np.einsum("kij,kj->ki", self.blocks, r[self.column])
        return np.add.reduceat(product, self.first[:-1]) + self.q

    def given(self, r: np.ndarray) -> np.ndarray:
        """r' (n, dim) in the original units, (n dim,)."""
        r = self.scale * r
        r[self.slides, 1:] = 0.0
        return r.ravel()

    def own(self, r: np.ndarray) -> np.ndarray:
        """Inverse of `given`."""
        return r.reshape(self.q.shape) / self.scale


def scaled(W, q: np.ndarray, mu: np.ndarray, dim: int) -> Scaled:
    """The problem in scaled units. W: ndarray or scipy-sparse, q: (n dim,), mu: (n,)."""
    n = len(mu)
    blocks, row, column = _blocks(W, n, dim)
    order = np.lexsort((column, column != row, row))
    blocks, row, column = blocks[order], row[order], column[order]
    slides = mu == 0.0
    own = row == column
    trace = np.abs(np.einsum("kii->ki", blocks[own]))
    size = np.where(slides, trace[:, 0], trace.mean(axis=1))
    s = 1.0 / np.sqrt(np.where(size > 0.0, size, 1.0))
    blocks = blocks * (s[row] * s[column])[:, None, None]
    q = q.reshape(n, dim) * s[:, None]
    blocks[slides[row], 1:, :] = 0.0
    blocks[slides[column], :, 1:] = 0.0
    blocks[own & slides[row], 1:, 1:] = np.eye(dim - 1)
    q[slides, 1:] = 0.0
    c = np.linalg.norm(q)
    c = c if c > 0.0 else 1.0
    return Scaled(blocks, row, column, q / c, np.where(slides, 1.0, mu), np.repeat(c * s[:, None], dim, axis=1), slides)


def _blocks(W, n: int, dim: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(blocks, row, column) of all nonzero blocks and those on the diagonal."""
    if isinstance(W, np.ndarray):
        whole = W.reshape(n, dim, n, dim).transpose(0, 2, 1, 3)
        kept = np.any(whole != 0.0, axis=(2, 3)) | np.eye(n, dtype=bool)
        row, column = np.nonzero(kept)
        return whole[row, column], row, column
    W = W.tocoo()
    cells = np.concatenate([W.row.astype(np.int64) // dim * n + W.col // dim, np.arange(n) * (n + 1)])
    cells, place = np.unique(cells, return_inverse=True)
    blocks = np.zeros((len(cells), dim, dim))
    np.add.at(blocks, (place[:len(W.data)], W.row % dim, W.col % dim), W.data)
    return blocks, cells // n, cells % n


def cones(points: np.ndarray, mu: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(P_K of points (n, dim), its Jacobian (n, dim, dim)).

    On the lateral surface, with t the tangential direction, a the height of the nearest point, e = (1, mu t) / sqrt(1 + mu^2):

        P = a (1, mu t),    DP = e e^T + mu a / |p_t| (1 - t t^T)
    """
    n, dim = points.shape
    side = np.sqrt(np.square(points[:, 1:]).sum(axis=1))
    safe = np.where(side > 0.0, side, 1.0)
    inside, outside = side <= mu * points[:, 0], mu * side <= -points[:, 0]
    t = points[:, 1:] / safe[:, None]
    a = (points[:, 0] + mu * side) / (1.0 + mu * mu)
    e = np.column_stack([np.ones(n), mu[:, None] * t])
    slope = e[:, :, None] * e[:, None, :] / (1.0 + mu * mu)[:, None, None]
    slope[:, 1:, 1:] += (mu * a / safe)[:, None, None] * (np.eye(dim - 1) - t[:, :, None] * t[:, None, :])
    nearest = a[:, None] * e
    nearest[inside], slope[inside] = points[inside], np.eye(dim)
    nearest[outside], slope[outside] = 0.0, 0.0
    return nearest, slope
