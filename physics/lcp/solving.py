"""The problems of all islands of a step, one after the other: build (problem.py), solve by Lemke's algorithm, hand impulses back.

    p_e = -W_ee^-1 (g_e + W_eu p_u),   V <- V + M^-1 J^T p                                    (1)

An equation that depends on others is left out; what it asks for beyond them is its contradiction. Where Lemke's algorithm ends
without a solution the island gets that of projected sweeps over its blocks (solvers/_sweep.py), and if there is none at all, that
of contacts that give way a little; the tally tells.
"""

import math
from typing import NamedTuple

import numpy as np

from physics.complementarity import elimination, judge
from physics.complementarity.lemke import lemke
from physics.complementarity.status import Status
from physics.core.jit import inline, kernel, routine
from physics.core.row import apply, error_of
from physics.lcp.problem import assemble, impulses_of, kind_of, list_rows, list_unknowns, note_signs, weigh
from physics.solvers._sweep import solve_block

_SOLVED, _RAY, _CANCELLED = int(Status.SOLVED), int(Status.RAY), int(Status.CANCELLED)

DEPENDENT = 1e-10
"""An equation of whose W_ii the others explain all but this share is one of them already."""

SWEEPS = 2000
"""Most sweeps where Lemke's algorithm has no answer."""

STILL = 1e-10
"""They end where no velocity changes by more than this [m/s]."""

SOFTENED, SOFTEST = 1e-11, 1e-8
"""What is added to the diagonal of M where redundant contacts keep Lemke's algorithm from an answer: at first, and at most."""

ALLOWED = 1e-7
"""Largest residual of an answer, as a part of max |q|."""

SILENT = 1e-5
"""Smaller q are taken to be of this size: what is asked for may be zero but for rounding [sqrt(kg) m/s]."""

SETTLED = 1e-6
"""Changes that are taken for settled after the last of them [m/s]."""

SOFTER, NEARLY = (1e-7, 1e-6), 1e-2
"""Further softness of contacts that rounding keeps from holding, and how large a residual any may leave, as a part of max |q|."""

GIVES = 1e-2
"""Softness of contacts that cannot all hold."""

GAVE_WAY = -1
"""Tally of softened trials where contacts gave way."""

FEW = 100
"""Problems with fewer unknowns than these get as many pivots as if they had so many."""

UNKNOWNS, EQUATIONS, STATUS, PIVOTS, SOFT, SWEPT, WORST = range(7)
"""Columns of the tally: sizes, status and pivots of Lemke's algorithm, its further trials with a softened M, sweeps in its place
(0: none), the block of the worst contradiction (-1: none)."""


class Task(NamedTuple):
    """What is to be solved. members, first, sizes: blocks by island and sizes of the problems (problem.py); offsets: where the
    unknowns of each island begin; active: of each contact; polygon: of the cone, for the sweeps; limit: most pivots of one
    problem, in multiples of its unknowns (`most_pivots`); halt: int32 (1,), not zero: give up."""

    members: np.ndarray
    first: np.ndarray
    sizes: np.ndarray
    offsets: np.ndarray
    active: np.ndarray
    polygon: np.ndarray
    limit: float
    halt: np.ndarray


class Account(NamedTuple):
    """Room for how the largest problem was solved, none where nobody wants to know. trail: int32 (p, 2), the pivots (lemke.py);
    problem: (n, n + 1), M and q; forces (n, 4), bounds (n, 2): int64, the unknowns as `list_unknowns` lays them out, zeros behind
    them; bounded: int64 (rows, 2), the bounded rows and their blocks; scale: (n,), of the forces."""

    trail: np.ndarray
    problem: np.ndarray
    forces: np.ndarray
    bounds: np.ndarray
    bounded: np.ndarray
    scale: np.ndarray


def account(unknowns: int, rows: int, pivots: int) -> Account:
    """Room for a problem of that size; zeros: none."""
    return Account(np.empty((pivots, 2), np.int32), np.empty((unknowns, unknowns + 1)), np.zeros((unknowns, 4), np.int64),
                   np.empty((unknowns, 2), np.int64), np.empty((rows, 2), np.int64), np.empty(unknowns))


class Answer(NamedTuple):
    """Room for what comes out. basis: uint8, which z of each island are basic; on entry those to begin with. tally: int64
    (islands, 7); contradiction: of each island [m/s]; signs: int8 (blocks, 3), see `note_signs`."""

    basis: np.ndarray
    tally: np.ndarray
    contradiction: np.ndarray
    signs: np.ndarray
    account: Account


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
            trail = answer.account.trail if i == largest else none
            solve_island(rows, blocks, inverses, velocity, known, directions, task, members, i, place, basis, trail, answer)
            if answer.tally[i, STATUS] == _CANCELLED:
                return False
    return True


@routine
def solve_island(rows, blocks, inverses, velocity, known, directions, task, members, i, place, basis, trail, answer):
    """One of them."""
    n_e, tally = task.sizes[i, 1], answer.tally[i]
    n_u, n_f, n_b = count(blocks, members, task.active, directions)
    tally[UNKNOWNS], tally[EQUATIONS] = task.sizes[i, 0], n_e
    equations, bounded = np.empty((n_e, 2), np.int64), np.empty((n_u, 2), np.int64)
    list_rows(blocks, members, task.active, directions, equations, bounded)
    W, g, weights, p = np.empty((n_u, n_u)), np.empty(n_u), np.empty(n_u), np.zeros(n_u)
    weigh(rows, blocks, bounded, bounded, W)
    errors(rows, blocks, bounded, velocity, g)
    for k in range(n_u):
        weights[k] = W[k, k]
    A, C, X, g_e, p_e = np.empty((n_e, n_e)), np.empty((n_e, n_u)), np.empty((n_e, n_u)), np.empty(n_e), np.empty(n_e)
    order, L, rank = np.empty(n_e, np.int64), np.empty((n_e, n_e)), 0
    if n_e > 0:
        weigh(rows, blocks, equations, equations, A)
        weigh(rows, blocks, equations, bounded, C)
        errors(rows, blocks, equations, velocity, g_e)
        rank = elimination.factor(A, DEPENDENT, order, L)
        elimination.schur(L, order, rank, C, W, X)
        elimination.carry(X, g_e, g)
    if n_f > 0:
        forces, scale, bounds = np.empty((n_f, 4), np.int64), np.empty(n_f), np.empty((n_b, 2), np.int64)
        list_unknowns(blocks, members, task.active, directions, weights, forces, scale, bounds, place)
        M, q, z, kept = np.empty((n_f + n_b, n_f + n_b)), np.empty(n_f + n_b), np.empty(n_f + n_b), np.empty(n_f + n_b)
        assemble(rows, blocks, directions, forces, scale, bounds, known, W, g, M, q)
        if trail.shape[0] > 0:
            tell(M, q, forces, bounds, bounded, scale, answer.account)
        nearly = complement(M, q, n_f, basis, task, z, kept, trail, tally)
        if tally[STATUS] != _SOLVED:
            if tally[STATUS] == _CANCELLED or sweep(rows, blocks, inverses, members, velocity, task, tally):
                return
            if nearly:
                z[:] = kept
            else:
                yield_a_little(M, q, n_f, basis, task, z, trail, tally)
            if tally[STATUS] == _CANCELLED:
                return
        note_signs(blocks, directions, forces, bounds, z, answer.signs)
        impulses_of(forces, scale, directions, z, p)
        hand_back(rows, blocks, bounded, p, velocity)
    if n_e > 0:
        p_e[:] = g_e
        elimination.solve(L, order, rank, p_e)
        elimination.recover(X, p, p_e)
        hand_back(rows, blocks, equations, p_e, velocity)
        answer.contradiction[i], tally[WORST] = contradiction(rows, blocks, equations, order, rank, velocity)


@routine
def tell(M, q, forces, bounds, bounded, scale, account):
    """Write the problem into its account."""
    n, n_f = q.shape[0], forces.shape[0]
    account.problem[:n, :n] = M
    account.problem[:n, n] = q
    account.forces[:n_f] = forces
    account.bounds[: n - n_f] = bounds
    account.bounded[: bounded.shape[0]] = bounded
    account.scale[:n_f] = scale


@inline
def most_pivots(limit, unknowns):
    """After which Lemke's algorithm is given up: usually it needs about as many pivots as there are unknowns; where rounding
    leads it in circles, it goes on for ever near the solution."""
    return max(1, int(limit * max(unknowns, FEW)))


@routine
def complement(M, q, n_f, basis, task, z, kept, trail, tally):
    """z of LCP(q, M), and what the tally says of it. Returns whether a softer M was nearly solved; kept: by the least such.

    Redundant contacts make M singular, sometimes in more ways than rounding tells apart. Where Lemke's algorithm ends without an
    answer it gets a slightly softer M; what it then finds is judged by M as it was.
    """
    w, share, nearly = np.empty(q.shape[0]), SOFTENED, False
    largest = np.max(np.abs(q[:n_f]))
    allowed = ALLOWED * max(largest, SILENT)
    limit = most_pivots(task.limit, q.shape[0])
    tally[STATUS], tally[PIVOTS] = lemke(M, q, np.ones(q.shape[0]), basis, limit, task.halt, z, trail)
    while tally[STATUS] != _SOLVED and tally[STATUS] != _CANCELLED and judge.natural(M, q, z, w) > allowed and share <= SOFTEST:
        tally[STATUS] = softened(M, q, n_f, share, basis, task, z, trail, tally)
        tally[SOFT] += 1
        share *= 10.0
        if not nearly and tally[STATUS] == _SOLVED and judge.natural(M, q, z, w) <= NEARLY * largest:
            nearly = True
            kept[:] = z
    if tally[STATUS] != _CANCELLED:
        if judge.natural(M, q, z, w) <= allowed:
            tally[STATUS] = _SOLVED
        elif tally[STATUS] == _SOLVED:
            tally[STATUS] = _RAY
    if tally[STATUS] != _SOLVED:
        basis[:] = 0
    return nearly


@routine
def softened(M, q, n_f, share, basis, task, z, trail, tally):
    """z of the problem with that share added to the diagonal of M for forces; returns the status, counts the pivots."""
    softer = M.copy()
    for k in range(n_f):
        softer[k, k] += share
    basis[:] = 0
    limit = most_pivots(task.limit, q.shape[0])
    status, pivots = lemke(softer, q, np.ones(q.shape[0]), basis, limit, task.halt, z, trail)
    tally[PIVOTS] += pivots
    return status


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
    """Add impulses to the listed rows, and what they do to the velocities."""
    for k in range(listed.shape[0]):
        if p[k] != 0.0:
            row, block = rows[listed[k, 0]], blocks[listed[k, 1]]
            row.impulse += p[k]
            apply(row, block, velocity[block.a], velocity[block.b], p[k])


@routine
def sweep(rows, blocks, inverses, members, velocity, task, tally):
    """Projected Gauss-Seidel over the blocks of an island, from the impulses that they have; tally[SWEPT]: how many sweeps.

    Returns False if they did not settle, because nothing satisfies all rows: then all is as before.
    """
    work, before, size = np.empty(12), velocity.copy(), 0
    for m in range(members.shape[0]):
        size += blocks[members[m]].count
    impulses = np.empty(size)
    exchange(rows, blocks, members, impulses, False)
    for n in range(1, SWEEPS + 1):
        largest = 0.0
        for m in range(members.shape[0]):
            block = blocks[members[m]]
            if kind_of(block, task.active, 1, 1) != (0, 0, 0, 0):
                change = solve_block(block, rows, inverses, velocity[block.a], velocity[block.b], task.polygon, work, False, 0.0,
                                     1.0)
                largest = max(largest, math.sqrt(change) / block.rate)
        tally[SWEPT] = n
        if task.halt[0] != 0:
            tally[STATUS] = _CANCELLED
        if largest < STILL or task.halt[0] != 0:
            return True
    if largest < SETTLED:
        return True
    tally[SWEPT] = 0
    velocity[:] = before
    exchange(rows, blocks, members, impulses, True)
    return False


@routine
def exchange(rows, blocks, members, impulses, back):
    """Copy the impulses of all rows of the members, or put them back."""
    k = 0
    for m in range(members.shape[0]):
        block = blocks[members[m]]
        for i in range(block.first, block.first + block.count):
            if back:
                rows[i].impulse = impulses[k]
            else:
                impulses[k] = rows[i].impulse
            k += 1


@routine
def yield_a_little(M, q, n_f, basis, task, z, trail, tally):
    """The least further softness, as a share of contacts' own J M^-1 J^T, with which the problem is nearly solved: for mass
    ratios beyond what rounding allows. Where nothing satisfies all rows (a body in a slot that narrows, F11 example 11.1)
    contacts give way by GIVES, and overlaps are shared out."""
    w, nearly = np.empty(q.shape[0]), NEARLY * np.max(np.abs(q[:n_f]))
    for trial in range(len(SOFTER) + 1):
        status = softened(M, q, n_f, SOFTER[trial] if trial < len(SOFTER) else GIVES, basis, task, z, trail, tally)
        basis[:] = 0
        if status == _CANCELLED:
            tally[STATUS] = _CANCELLED
            return
        if trial < len(SOFTER) and status == _SOLVED and judge.natural(M, q, z, w) <= nearly:
            tally[SOFT] += 1
            return
    tally[SOFT] = GAVE_WAY
    if status != _SOLVED:
        z[:] = 0.0


@kernel
def put_in(rows, blocks, first_block, known, velocity):
    """Give the contacts' normal rows their known impulses (rows,), and the velocities (bodies, 6) what they do."""
    for k in range(first_block, blocks.shape[0], 2):
        block = blocks[k]
        p = known[block.first]
        if p != 0.0:
            rows[block.first].impulse += p
            apply(rows[block.first], block, velocity[block.a], velocity[block.b], p)
