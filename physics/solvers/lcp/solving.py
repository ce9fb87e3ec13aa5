"""Solution of the problems of all islands of a step, one after the other: build (assemble.py), solve by Lemke's algorithm,
apply the impulses.

    p_e = -W_ee^-1 (g_e + W_eu p_u),   V <- V + M^-1 J^T p                                    (1)

An equation that depends on others is omitted; what it asks for beyond them is its contradiction. Where Lemke's algorithm ends
without a solution the island gets that of projected sweeps over its blocks (impulses/row_sweeps.py), and if there is none, that
of contacts that give way a little; the tally reports it.
"""

import math
from typing import NamedTuple

import numpy as np

from physics.complementarity import elimination, judge
from physics.complementarity.problem import Status
from physics.core.dense import assign
from physics.core.jit import kernel, routine
from physics.core.records import Bound
from physics.core.row import apply, error_of
from physics.solvers.impulses.row_sweeps import solve_block
from physics.solvers.lcp import round_cone
from physics.solvers.lcp.assemble import (
    assemble,
    columns_of,
    coupling_matrix,
    impulses_of,
    kind_of,
    list_rows,
    list_unknowns,
    write_sign_cases,
)
from physics.solvers.lcp.fallbacks import ASKEW, EQUATIONS, STATUS, SWEPT, UNKNOWNS, WORST, complement, norms, soften_contacts

_SOLVED, _CANCELLED, _POLYGON = int(Status.SOLVED), int(Status.CANCELLED), Bound.POLYGON

DEPENDENT = 1e-10
"""An equation is dependent if the others explain all but this share of its W_ii."""

SWEEPS = 2000
"""Most sweeps where Lemke's algorithm finds no solution."""

SETTLED_SPEED = 1e-10
"""Sweeps end when no velocity changes by more than this [m/s]."""

SETTLED = 1e-6
"""Largest change accepted as converged after the last sweep [m/s]."""

class LcpTask(NamedTuple):
    """Task of a solution. members, first, sizes: blocks by island and sizes of the problems (assemble.py); offsets: where the
    unknowns of each island begin; active: of each contact; polygon: of the cone, for the sweeps; limit: most pivots of one
    problem, in multiples of its unknowns (`most_pivots`); halt: int32 (1,), not zero: cancel."""

    members: np.ndarray
    first: np.ndarray
    sizes: np.ndarray
    offsets: np.ndarray
    active: np.ndarray
    polygon: np.ndarray
    limit: float
    halt: np.ndarray


class LcpStatistics(NamedTuple):
    """Record of how the largest problem was solved, empty if not wanted. Of the last path, where there were several:
    start: uint8 (n,), the z that were basic at first; pivots: int64 (1,), their number; trail: int32 (p, 2), the pivots
    (lemke.py); problem: (n, n + 1), M and q as passed to Lemke's algorithm (fallbacks.py). z: (n,) the solution; residual: (1,)
    its natural map, by the original M; forces (n, 4), bounds (n, 4): int64, the unknowns as `list_unknowns` lays them out, zeros
    after them; bounded: int64 (rows, 2), the bounded rows and their blocks; scale: (n,), of the forces."""

    start: np.ndarray
    pivots: np.ndarray
    trail: np.ndarray
    problem: np.ndarray
    z: np.ndarray
    residual: np.ndarray
    forces: np.ndarray
    bounds: np.ndarray
    bounded: np.ndarray
    scale: np.ndarray

    @classmethod
    def of_size(cls, unknowns: int, rows: int, pivots: int) -> "LcpStatistics":
        """Room for a problem of that size; zeros: none."""
        return cls(np.zeros(unknowns, np.uint8), np.zeros(1, np.int64), np.empty((pivots, 2), np.int32),
                   np.empty((unknowns, unknowns + 1)), np.zeros(unknowns), np.zeros(1), np.zeros((unknowns, 4), np.int64),
                   np.zeros((unknowns, 4), np.int64), np.zeros((rows, 2), np.int64), np.zeros(unknowns))


NO_ACCOUNT = LcpStatistics.of_size(0, 0, 0)
"""Of no problem. What is written there, as to any account, nobody reads."""


class LcpResult(NamedTuple):
    """Arrays for the results. basis: uint8, which z of each island are basic; on entry the initial ones. tally: int64
    (islands, 8); contradiction: of each island [m/s]; signs: int8 (blocks, 3), see `write_sign_cases`; towards: (blocks, 3),
    directions of the first corners of the friction's polygons, on entry and in the end, (0, 3): they are not rotated
    (round_cone.py). account: of the largest problem; no_account: for the others, of no size."""

    basis: np.ndarray
    tally: np.ndarray
    contradiction: np.ndarray
    signs: np.ndarray
    towards: np.ndarray
    account: LcpStatistics
    no_account: LcpStatistics


@kernel
def solve(rows, blocks, inverses, velocity, known, directions, task, answer):
    """Solve all islands; impulses are added to the rows, velocities (bodies, 6) follow. known: impulses before, (rows,) [N s].

    Returns False if cancelled: rows and velocities are then not to be used.
    """
    place = np.empty(rows.shape[0], np.int64)
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
            seen = answer.account if i == largest else answer.no_account
            solve_island(rows, blocks, inverses, velocity, known, directions, task, members, i, place, basis, seen, answer)
            if answer.tally[i, STATUS] == _CANCELLED:
                return False
    return True


@routine
def solve_island(rows, blocks, inverses, velocity, known, directions, task, members, i, place, basis, seen, answer):
    """Solve one island."""
    n_e, tally = task.sizes[i, 1], answer.tally[i]
    n_u, n_f, n_b = count(blocks, members, task.active, directions)
    tally[UNKNOWNS], tally[EQUATIONS] = task.sizes[i, 0], n_e
    equations, bounded = np.empty((n_e, 2), np.int64), np.empty((n_u, 2), np.int64)
    list_rows(blocks, members, task.active, directions, equations, bounded)
    W, g, weights, p = np.empty((n_u, n_u)), np.empty(n_u), np.empty(n_u), np.zeros(n_u)
    coupling_matrix(rows, blocks, bounded, bounded, W)
    errors(rows, blocks, bounded, velocity, g)
    for k in range(n_u):
        weights[k] = W[k, k]
    A, C, X, g_e, p_e = np.empty((n_e, n_e)), np.empty((n_e, n_u)), np.empty((n_e, n_u)), np.empty(n_e), np.empty(n_e)
    order, L, rank = np.empty(n_e, np.int64), np.empty((n_e, n_e)), 0
    if n_e > 0:
        coupling_matrix(rows, blocks, equations, equations, A)
        coupling_matrix(rows, blocks, equations, bounded, C)
        errors(rows, blocks, equations, velocity, g_e)
        rank = elimination.factor(A, DEPENDENT, order, L)
        elimination.schur(L, order, rank, C, W, X)
        elimination.carry(X, g_e, g)
    if n_f > 0 and not solve_bounded(rows, blocks, inverses, velocity, known, directions, task, members, weights, bounded, W, g,
                                     p, (n_f, n_b), place, basis, seen, tally, answer):
        return
    if n_e > 0:
        assign(p_e, g_e)
        elimination.solve(L, order, rank, p_e)
        elimination.recover(X, p, p_e)
        hand_back(rows, blocks, equations, p_e, velocity)
        answer.contradiction[i], tally[WORST] = contradiction(rows, blocks, equations, order, rank, velocity)


@routine
def solve_bounded(rows, blocks, inverses, velocity, known, directions, task, members, weights, bounded, W, g, p, numbers, place,
                  basis, seen, tally, answer):
    """Solve the bounded rows of an island. Returns False where sweeps have solved all rows, or it was cancelled."""
    n_f, n_b = numbers
    n, is_round = n_f + n_b, answer.towards.shape[0] > 0
    forces, scale, bounds, D = np.empty((n_f, 4), np.int64), np.empty(n_f), np.empty((n_b, 4), np.int64), np.zeros((n_f, 3))
    list_unknowns(blocks, members, task.active, directions, weights, forces, scale, bounds, place)
    M, q, z, kept = np.empty((n, n)), np.empty(n), np.empty(n), np.empty(n)
    none, even = np.zeros((blocks.shape[0], 3)), np.empty(n_f)
    norms(blocks, forces, scale, bounded, even)
    towards = answer.towards if is_round else none
    tolerance = round_cone.SETTLED * max(1.0, np.max(np.abs(g)))
    for turn in range(round_cone.MAX_PROBLEMS):
        columns_of(directions, forces, bounds, towards, D)
        assemble(rows, blocks, D, forces, scale, bounds, known, W, g, M, q)
        nearly = complement(M, q, forces, D, even, basis, task, z, kept, tally, seen)
        if tally[STATUS] != _SOLVED:
            if tally[STATUS] == _CANCELLED or sweep(rows, blocks, inverses, members, velocity, task, tally):
                return False
            if nearly:
                assign(z, kept)
            else:
                soften_contacts(M, q, n_f, basis, task, z, tally, seen)
            if tally[STATUS] == _CANCELLED:
                return False
        impulses_of(forces, scale, D, z, p)
        if not is_round or tally[STATUS] != _SOLVED:
            break
        if not round_cone.turn(blocks, forces, bounds, known, W, g, p, tolerance, basis, towards):
            break
        tally[ASKEW] = 1 if turn == round_cone.MAX_PROBLEMS - 1 else 0
    if seen.trail.shape[0] > 0:
        write_statistics(M, q, z, forces, bounds, bounded, scale, seen)
    write_sign_cases(blocks, directions, forces, bounds, z, answer.signs)
    hand_back(rows, blocks, bounded, p, velocity)
    return True


@routine
def write_statistics(M, q, z, forces, bounds, bounded, scale, seen):
    """Write the problem and its solution to its account."""
    n, n_f = q.shape[0], forces.shape[0]
    assign(seen.z[:n], z)
    seen.residual[0] = judge.natural(M, q, z, np.empty(n))
    assign(seen.forces[:n_f], forces)
    assign(seen.bounds[: n - n_f], bounds)
    assign(seen.bounded[: bounded.shape[0]], bounded)
    assign(seen.scale[:n_f], scale)


@routine
def contradiction(rows, blocks, equations, order, rank, velocity):
    """(largest velocity that a dependent equation still asks for [m/s], its block; 0, -1 where none does)."""
    worst, which = 0.0, -1
    for k in range(rank, order.shape[0]):
        row, block = rows[equations[order[k], 0]], equations[order[k], 1]
        left = abs(error_of(row, velocity[blocks[block].a], velocity[blocks[block].b]))
        if left > worst:
            worst, which = left, block
    return worst, which


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
    """Add impulses to the listed rows, and their effect to the velocities."""
    for k in range(listed.shape[0]):
        if p[k] != 0.0:
            row, block = rows[listed[k, 0]], blocks[listed[k, 1]]
            row.impulse += p[k]
            apply(row, block, velocity[block.a], velocity[block.b], p[k])


@routine
def sweep(rows, blocks, inverses, members, velocity, task, tally):
    """Projected Gauss-Seidel over the blocks of an island, from their current impulses; tally[SWEPT]: number of sweeps.

    Returns False if they did not converge, because nothing satisfies all rows: then everything is restored.
    """
    work, before, size = np.empty(12), velocity.copy(), 0
    for m in range(members.shape[0]):
        size += blocks[members[m]].count
        if blocks[members[m]].bound == _POLYGON:      # the sweeps do not know its corners
            return False
    impulses = np.empty(size)
    exchange(rows, blocks, members, impulses, False)
    for n in range(1, SWEEPS + 1):
        largest = 0.0
        for m in range(members.shape[0]):
            block = blocks[members[m]]
            if kind_of(block, task.active, 1, 1) != (0, 0, 0, 0):
                change = solve_block(block, rows, inverses, velocity[block.a], velocity[block.b], task.polygon, work, False, 0.0,
                                     1.0)
                largest = max(largest, math.sqrt(change) / block.gradient_step)
        tally[SWEPT] = n
        if task.halt[0] != 0:
            tally[STATUS] = _CANCELLED
        if largest < SETTLED_SPEED or task.halt[0] != 0:
            return True
    if largest < SETTLED:
        return True
    tally[SWEPT] = 0
    assign(velocity, before)
    exchange(rows, blocks, members, impulses, True)
    return False


@routine
def exchange(rows, blocks, members, impulses, back):
    """Copy the impulses of all rows of the members, or restore them."""
    k = 0
    for m in range(members.shape[0]):
        block = blocks[members[m]]
        for i in range(block.first, block.first + block.count):
            if back:
                rows[i].impulse = impulses[k]
            else:
                impulses[k] = rows[i].impulse
            k += 1


@kernel
def apply_known(rows, blocks, first_block, known, velocity):
    """Add known impulses (rows,) to the contacts' normal rows, and their effect to the velocities (bodies, 6)."""
    for k in range(first_block, blocks.shape[0], 2):
        block = blocks[k]
        p = known[block.first]
        if p != 0.0:
            rows[block.first].impulse += p
            apply(rows[block.first], block, velocity[block.a], velocity[block.b], p)
