"""The problems of all islands of a step, one after the other: build (problem.py), solve by Lemke's algorithm, hand impulses back.

    p_e = -W_ee^-1 (g_e + W_eu p_u),   V <- V + M^-1 J^T p                                    (1)

An equation that depends on others is left out; what it asks for beyond them is its contradiction. Where Lemke's algorithm ends
without a solution the island gets that of projected sweeps over its blocks (solvers/_sweep.py), and the tally tells.
"""

import math
from typing import NamedTuple

import numpy as np

from physics.complementarity import elimination
from physics.complementarity.lemke import lemke
from physics.complementarity.status import Status
from physics.core.jit import kernel, routine
from physics.core.row import apply, error_of
from physics.lcp.problem import assemble, impulses_of, kind_of, list_rows, list_unknowns, note_signs, weigh
from physics.solvers._sweep import solve_block

_SOLVED, _CANCELLED = int(Status.SOLVED), int(Status.CANCELLED)

DEPENDENT = 1e-10
"""An equation of whose W_ii the others explain all but this share is one of them already."""

SWEEPS = 2000
"""Most sweeps where Lemke's algorithm has no answer."""

STILL = 1e-10
"""They end where no velocity changes by more than this [m/s]."""

UNKNOWNS, EQUATIONS, STATUS, PIVOTS, SWEPT, WORST = range(6)
"""Columns of the tally: sizes, Lemke's status and pivots, sweeps instead (0: none), the row of the worst contradiction (-1)."""


class Task(NamedTuple):
    """What is to be solved. members, first, sizes: blocks by island and sizes of the problems (problem.py); offsets: where the
    unknowns of each island begin; active: of each contact; polygon: of the cone, for the sweeps; limit: most pivots of one problem;
    halt: int32 (1,), not zero: give up."""

    members: np.ndarray
    first: np.ndarray
    sizes: np.ndarray
    offsets: np.ndarray
    active: np.ndarray
    polygon: np.ndarray
    limit: int
    halt: np.ndarray


class Answer(NamedTuple):
    """Room for what comes out. basis: uint8, which z of each island are basic; on entry those to begin with. tally: int64
    (islands, 6); contradiction: of each island [m/s]; signs: int8 (blocks, 3), see `note_signs`; trail: int32 (p, 2), the pivots
    of the largest problem."""

    basis: np.ndarray
    tally: np.ndarray
    contradiction: np.ndarray
    signs: np.ndarray
    trail: np.ndarray


@kernel
def solve(rows, blocks, inverses, velocity, known, directions, task, answer):
    """Solve all islands; impulses are added to the rows, velocities (bodies, 6) follow. known: impulses before, (rows,) [N s].

    Returns False if it was told to give up: rows and velocities are then not to be used.
    """
    place = np.empty(rows.shape[0], np.int64)
    none = np.empty((0, 2), np.int32)
    largest = 0
    for i in range(task.sizes.shape[0]):
        if task.sizes[i, 0] > task.sizes[largest, 0]:
            largest = i
    for i in range(task.sizes.shape[0]):
        answer.tally[i, :] = 0
        answer.tally[i, WORST] = -1
        answer.contradiction[i] = 0.0
        if task.sizes[i, 0] + task.sizes[i, 1] > 0:
            members = task.members[task.first[i] : task.first[i + 1]]
            basis = answer.basis[task.offsets[i] : task.offsets[i] + task.sizes[i, 0]]
            trail = answer.trail if i == largest else none
            solve_island(rows, blocks, inverses, velocity, known, directions, task, members, i, place, basis, trail, answer)
            if answer.tally[i, STATUS] == _CANCELLED:
                return False
    return True


@routine
def solve_island(rows, blocks, inverses, velocity, known, directions, task, members, i, place, basis, trail, answer):
    """One of them."""
    n, n_e, tally = task.sizes[i, 0], task.sizes[i, 1], answer.tally[i]
    n_u, n_f, n_b = count(blocks, members, task.active, directions)
    equations, bounded = np.empty((n_e, 2), np.int64), np.empty((n_u, 2), np.int64)
    list_rows(blocks, members, task.active, directions, equations, bounded)
    W, g = np.empty((n_u, n_u)), np.empty(n_u)
    weigh(rows, blocks, bounded, bounded, W)
    errors(rows, blocks, bounded, velocity, g)
    weights = np.empty(n_u)
    for k in range(n_u):
        weights[k] = W[k, k]
    A, C, X, g_e = np.empty((n_e, n_e)), np.empty((n_e, n_u)), np.empty((n_e, n_u)), np.empty(n_e)
    order, L, rank = np.empty(n_e, np.int64), np.empty((n_e, n_e)), 0
    if n_e > 0:
        weigh(rows, blocks, equations, equations, A)
        weigh(rows, blocks, equations, bounded, C)
        errors(rows, blocks, equations, velocity, g_e)
        rank = elimination.factor(A, DEPENDENT, order, L)
        elimination.schur(L, order, rank, C, W, X)
        for e in range(n_e):
            for u in range(n_u):
                g[u] -= X[e, u] * g_e[e]
    forces, scale, bounds = np.empty((n_f, 4), np.int64), np.empty(n_f), np.empty((n_b, 2), np.int64)
    list_unknowns(blocks, members, task.active, directions, weights, forces, scale, bounds, place)
    p = np.zeros(n_u)
    tally[UNKNOWNS], tally[EQUATIONS] = n, n_e
    if n > 0:
        M, q, d, z = np.empty((n, n)), np.empty(n), np.ones(n), np.empty(n)
        assemble(rows, blocks, directions, forces, scale, bounds, known, W, g, M, q)
        tally[STATUS], tally[PIVOTS] = lemke(M, q, d, basis, task.limit, task.halt, z, trail)
        if tally[STATUS] != _SOLVED:
            basis[:] = 0
            if tally[STATUS] != _CANCELLED:
                tally[SWEPT] = sweep(rows, blocks, inverses, members, velocity, task)
            return
        note_signs(blocks, forces, bounds, z, answer.signs)
        impulses_of(forces, scale, directions, z, p)
    hand_back(rows, blocks, bounded, p, velocity)
    if n_e > 0:
        p_e = np.empty(n_e)
        for e in range(n_e):
            p_e[e] = -g_e[e]
            for u in range(n_u):
                p_e[e] -= C[e, u] * p[u]
        elimination.solve(L, order, rank, p_e)
        hand_back(rows, blocks, equations, p_e, velocity)
        for k in range(rank, n_e):
            e = order[k]
            left = abs(error_of(rows[equations[e, 0]], velocity[blocks[equations[e, 1]].a], velocity[blocks[equations[e, 1]].b]))
            if left > answer.contradiction[i]:
                answer.contradiction[i], tally[WORST] = left, equations[e, 1]


@routine
def count(blocks, members, active, directions):
    """(bounded rows, force unknowns, lambdas) of an island."""
    n_u, n_f, n_b = 0, 0, 0
    for m in range(members.shape[0]):
        _, u, f, b = kind_of(blocks[members[m]], active, directions.ball, directions.plane)
        n_u, n_f, n_b = n_u + u, n_f + f, n_b + b
    return n_u, n_f, n_b


@routine
def errors(rows, blocks, listed, velocity, g):
    """g of the listed rows (row, block)."""
    for k in range(listed.shape[0]):
        block = blocks[listed[k, 1]]
        g[k] = error_of(rows[listed[k, 0]], velocity[block.a], velocity[block.b])


@routine
def hand_back(rows, blocks, listed, p, velocity):
    """Add impulses to the listed rows, and what they do to the velocities."""
    for k in range(listed.shape[0]):
        if p[k] != 0.0:
            row, block = rows[listed[k, 0]], blocks[listed[k, 1]]
            row.impulse += p[k]
            apply(row, block, velocity[block.a], velocity[block.b], p[k])


@routine
def sweep(rows, blocks, inverses, members, velocity, task):
    """Projected Gauss-Seidel over the blocks of an island; returns the number of sweeps. Their impulses begin at what they are."""
    work = np.empty(12)
    for n in range(1, SWEEPS + 1):
        largest = 0.0
        for m in range(members.shape[0]):
            block = blocks[members[m]]
            if kind_of(block, task.active, 1, 1) != (0, 0, 0, 0):
                size = solve_block(block, rows, inverses, velocity[block.a], velocity[block.b], task.polygon, work, False, 0.0, 1.0)
                largest = max(largest, math.sqrt(size) / block.rate)
        if largest < STILL:
            return n
    return SWEEPS
