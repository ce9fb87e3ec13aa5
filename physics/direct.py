"""All joints at once: a direct solution of their coupled equations, sparse by blocks.

The equality blocks k of the table (one a joint) with velocity errors w = J V + softness p - target want impulses dp with

    A dp = -w,   A_kl = J_k M^-1 J_l^T (+ softness where k = l)                                       (1)

A_kl is zero unless the joints k and l share a moving body, so A has the graph of the mechanism, and for a chain or a tree
A = L D L^T has no more blocks than A itself (Baraff, Linear-time dynamics using Lagrange multipliers, 1996); loops add a few.
With the blocks in an order of elimination:

    D_k = A_kk - sum_j<k L_kj D_j L_kj^T                                                              (2)
    L_lk = (A_lk - sum_j<k L_lj D_j L_kj^T) D_k^-1                                                     (3)
    y_l = -w_l - sum_k<l L_lk y_k,   dp_k = D_k^-1 y_k - sum_l>k L_lk^T dp_l                            (4)

The cost grows with the joints, whatever their masses and however long the chain. A mechanism that is held twice over (a closed
loop) makes D singular: a part REGULAR of A_kk is added to it, and the sweeps around it iron out what that changes.
"""

import heapq
from typing import NamedTuple

import numpy as np

from physics.core import vec
from physics.core.dense import invert
from physics.core.jit import inline, kernel, routine
from physics.core.row import apply, error_of

REGULAR = 1e-11
"""Added to the diagonal, as a part of it."""


class Elimination(NamedTuple):
    """The order in which joints are eliminated, and where L has blocks; all int64.

    order (n,): which of the table's equality blocks is at each position. column (n + 1,): where the entries of a position start
    in below (m,): the positions l > k of its blocks L_lk, ascending. target: for each column, for each pair i <= j of its
    entries, the place of block (below[j], below[i]) among the values: a position if i = j, else n + its entry.
    """

    order: np.ndarray
    column: np.ndarray
    below: np.ndarray
    target: np.ndarray


class Factors(NamedTuple):
    """An elimination carried out.

    blocks (n,): index in the table of the block at each position; column, below, target: as in Elimination.
    values (n + m, 6, 6): D, then L. inverse (n, 6, 6): D^-1. y (n, 6), x (6,): scratch.
    """

    blocks: np.ndarray
    column: np.ndarray
    below: np.ndarray
    target: np.ndarray
    values: np.ndarray
    inverse: np.ndarray
    y: np.ndarray
    x: np.ndarray


def elimination(a: np.ndarray, b: np.ndarray, moves: np.ndarray) -> Elimination:
    """Elimination by least degree (ties: the lower joint) of joints between bodies a[k] and b[k]; moves (bodies,): bool."""
    of_body: dict[int, list[int]] = {}
    neighbours: list[set[int]] = [set() for _ in a]
    for k, bodies in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        for body in bodies:
            if moves[body]:
                for other in of_body.setdefault(body, []):
                    neighbours[k].add(other)
                    neighbours[other].add(k)
                of_body[body].append(k)
    heap = [(len(n), k) for k, n in enumerate(neighbours)]
    heapq.heapify(heap)
    place, sequence, columns = [-1] * len(a), [], []
    while heap:
        degree, k = heapq.heappop(heap)
        if place[k] >= 0 or degree != len(neighbours[k]):
            continue
        place[k] = len(sequence)
        sequence.append(k)
        columns.append(sorted(neighbours[k]))
        for other in columns[-1]:
            neighbours[other] |= neighbours[k]
            neighbours[other] -= {k, other}
            heapq.heappush(heap, (len(neighbours[other]), other))
    below = [sorted(place[k] for k in column) for column in columns]
    first = np.concatenate([[0], np.cumsum([len(column) for column in below])]).astype(np.int64)
    entry = {(k, row): int(first[k]) + i for k, column in enumerate(below) for i, row in enumerate(column)}
    n = len(sequence)
    target = [row if row == other else n + entry[row, other]
              for column in below for i, row in enumerate(column) for other in column[i:]]
    return Elimination(*(np.array(x, np.int64) for x in (sequence, first, [row for column in below for row in column], target)))


def room(plan: Elimination, constraints: np.ndarray) -> Factors:
    """Room for the factors of the blocks `constraints` of a table, in the order of the plan."""
    n = len(plan.order)
    return Factors(constraints[plan.order], plan.column, plan.below, plan.target, np.empty((n + len(plan.below), 6, 6)),
                   np.empty((n, 6, 6)), np.empty((n, 6)), np.empty(6))


def none() -> Factors:
    """No joint is solved directly."""
    return Factors(*(np.zeros(n, np.int64) for n in (0, 1, 0, 0)), np.zeros((0, 6, 6)), np.zeros((0, 6, 6)), np.zeros((0, 6)),
                   np.zeros(6))


@kernel
def factor(rows, blocks, factors):
    """(1) to (3), for a table with its M^-1 J^T (effective_mass.py)."""
    values, inverse, target = factors.values, factors.inverse, factors.target
    n = factors.blocks.shape[0]
    column, below = factors.column, factors.below
    scratch = np.empty((6, 6))
    for k in range(n):
        block = blocks[factors.blocks[k]]
        _couple(rows, block, block, values[k])
        for i in range(block.count):
            values[k, i, i] += rows[block.first + i].softness + REGULAR * values[k, i, i]
        for e in range(column[k], column[k + 1]):
            _couple(rows, blocks[factors.blocks[below[e]]], block, values[n + e])
    t = 0
    for k in range(n):
        size = blocks[factors.blocks[k]].count
        for i in range(size):
            for j in range(size):
                scratch[i, j] = values[k, i, j]
        invert(scratch, inverse[k], size)
        for e in range(column[k], column[k + 1]):
            rows_e = blocks[factors.blocks[below[e]]].count
            _times(values[n + e], inverse[k], scratch, rows_e, size)        # L_lk in scratch, A_lk still in values
            for f in range(e, column[k + 1]):
                _subtract(values[target[t]], values[n + f], scratch, blocks[factors.blocks[below[f]]].count, rows_e, size)
                t += 1
            for i in range(rows_e):
                for j in range(size):
                    values[n + e, i, j] = scratch[i, j]


@routine
def _couple(rows, p, q, out):
    """out = J_p M^-1 J_q^T, over the bodies that the two blocks share."""
    aa, ab = p.a == q.a and p.inv_mass_a > 0.0, p.a == q.b and p.inv_mass_a > 0.0
    ba, bb = p.b == q.a and p.inv_mass_b > 0.0, p.b == q.b and p.inv_mass_b > 0.0
    for i in range(p.count):
        r = rows[p.first + i]
        for j in range(q.count):
            s = rows[q.first + j]
            x = 0.0
            if aa:
                x += p.inv_mass_a * vec.dot(r.lin_a, s.lin_a) + vec.dot(r.spin_a, s.ang_a)
            if ab:
                x += p.inv_mass_a * vec.dot(r.lin_a, s.lin_b) + vec.dot(r.spin_a, s.ang_b)
            if ba:
                x += p.inv_mass_b * vec.dot(r.lin_b, s.lin_a) + vec.dot(r.spin_b, s.ang_a)
            if bb:
                x += p.inv_mass_b * vec.dot(r.lin_b, s.lin_b) + vec.dot(r.spin_b, s.ang_b)
            out[i, j] = x


@inline
def _times(a, b, out, n, m):
    """out = a b: n x m, b m x m."""
    for i in range(n):
        for j in range(m):
            x = 0.0
            for l in range(m):
                x += a[i, l] * b[l, j]
            out[i, j] = x


@inline
def _subtract(target, a, b, n, m, inner):
    """target -= a b^T: n x m."""
    for i in range(n):
        for j in range(m):
            x = target[i, j]
            for l in range(inner):
                x -= a[i, l] * b[j, l]
            target[i, j] = x


@routine
def solve(rows, blocks, factors, velocity):
    """One direct solution (4) from the present velocities; applies dp to rows and velocity (bodies, 6).

    Returns the square of the largest change of velocity [m/s].
    """
    n = factors.blocks.shape[0]
    column, below, values, inverse, y, x = factors.column, factors.below, factors.values, factors.inverse, factors.y, factors.x
    for k in range(n):
        block = blocks[factors.blocks[k]]
        for i in range(block.count):
            y[k, i] = -error_of(rows[block.first + i], velocity[block.a], velocity[block.b])
    for k in range(n):
        size = blocks[factors.blocks[k]].count
        for e in range(column[k], column[k + 1]):
            for i in range(blocks[factors.blocks[below[e]]].count):
                for j in range(size):
                    y[below[e], i] -= values[n + e, i, j] * y[k, j]
    worst = 0.0
    for k in range(n - 1, -1, -1):
        block = blocks[factors.blocks[k]]
        size = block.count
        for i in range(size):
            x[i] = 0.0
            for j in range(size):
                x[i] += inverse[k, i, j] * y[k, j]
        for e in range(column[k], column[k + 1]):
            for j in range(blocks[factors.blocks[below[e]]].count):
                for i in range(size):
                    x[i] -= values[n + e, j, i] * y[below[e], j]
        change = 0.0
        for i in range(size):
            y[k, i] = x[i]
            change += x[i] * x[i]
        worst = max(worst, change / (block.rate * block.rate))
    for k in range(n):
        block = blocks[factors.blocks[k]]
        for i in range(block.count):
            row = rows[block.first + i]
            row.impulse += y[k, i]
            apply(row, block, velocity[block.a], velocity[block.b], y[k, i])
    return worst
