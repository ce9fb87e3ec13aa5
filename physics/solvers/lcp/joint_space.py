"""Solution of the problems of all islands of a step whose rows act on joint coordinates (solvers/joint_space.py).

    W = J H^-1 J^T + softness = Z^T Z + softness,   Z = L^-T J^T,   H = L^T L              J: rows in joint velocities
    g = J V - target,   V the velocities without these impulses

The rest is as in solving.py: equations are eliminated, bounded rows are a complementarity problem (assemble.py). Of joints of the
tree only locked axes are equations; where Lemke's algorithm ends without a solution, contacts give way a little. For a round cone
the directions are rotated (round_cone.py).
"""

import numpy as np

from physics.complementarity import elimination
from physics.complementarity.problem import Status
from physics.core.dense import assign
from physics.core.jit import kernel, routine
from physics.solvers.lcp import round_cone
from physics.solvers.lcp.assemble import assemble, columns_of, impulses_of, list_rows, list_unknowns, write_sign_cases
from physics.solvers.lcp.fallbacks import ASKEW, EQUATIONS, STATUS, UNKNOWNS, WORST, complement, norms, soften_contacts
from physics.solvers.lcp.solving import DEPENDENT, count, errors

_SOLVED, _CANCELLED = int(Status.SOLVED), int(Status.CANCELLED)


@kernel
def solve(W, rows, blocks, velocity, directions, task, answer):
    """Add the impulses of all islands to the rows. W (rows, rows); velocity (bodies, 6). Returns False if cancelled."""
    place = np.empty(rows.shape[0], np.int64)
    for i in range(task.sizes.shape[0]):
        answer.tally[i, :] = 0
        answer.tally[i, WORST] = -1
        if task.sizes[i, 0] + task.sizes[i, 1] > 0:
            members = task.members[task.first[i] : task.first[i + 1]]
            basis = answer.basis[task.offsets[i] : task.offsets[i] + task.sizes[i, 0]]
            _solve_island(W, rows, blocks, velocity, directions, task, members, i, place, basis, answer)
            if answer.tally[i, STATUS] == _CANCELLED:
                return False
    return True


@routine
def _coupling(W, first, second, out):
    """out[i, j] = W of the listed rows (row, block)."""
    for i in range(first.shape[0]):
        for j in range(second.shape[0]):
            out[i, j] = W[first[i, 0], second[j, 0]]


@routine
def _solve_island(W_all, rows, blocks, velocity, directions, task, members, i, place, basis, answer):
    n_e, tally = task.sizes[i, 1], answer.tally[i]
    n_u, n_f, n_b = count(blocks, members, task.active, directions)
    tally[UNKNOWNS], tally[EQUATIONS] = task.sizes[i, 0], n_e
    equations, bounded = np.empty((n_e, 2), np.int64), np.empty((n_u, 2), np.int64)
    list_rows(blocks, members, task.active, directions, equations, bounded)
    W, g, weights, p = np.empty((n_u, n_u)), np.empty(n_u), np.empty(n_u), np.zeros(n_u)
    _coupling(W_all, bounded, bounded, W)
    errors(rows, blocks, bounded, velocity, g)
    for k in range(n_u):
        weights[k] = max(W[k, k], 1e-12)
    A, C, X, g_e, p_e = np.empty((n_e, n_e)), np.empty((n_e, n_u)), np.empty((n_e, n_u)), np.empty(n_e), np.empty(n_e)
    order, L, rank = np.empty(n_e, np.int64), np.empty((n_e, n_e)), 0
    if n_e > 0:
        _coupling(W_all, equations, equations, A)
        _coupling(W_all, equations, bounded, C)
        errors(rows, blocks, equations, velocity, g_e)
        rank = elimination.factor(A, DEPENDENT, order, L)
        elimination.schur(L, order, rank, C, W, X)
        elimination.carry(X, g_e, g)
    if n_f > 0:
        _solve_bounded(rows, blocks, directions, task, members, weights, bounded, W, g, p, (n_f, n_b), place, basis,
                       answer.account, tally, answer)
        for k in range(n_u):
            rows[bounded[k, 0]].impulse += p[k]
    if n_e > 0:
        assign(p_e, g_e)
        elimination.solve(L, order, rank, p_e)
        elimination.recover(X, p, p_e)
        for k in range(n_e):
            rows[equations[k, 0]].impulse += p_e[k]


@routine
def _solve_bounded(rows, blocks, directions, task, members, weights, bounded, W, g, p, numbers, place, basis, account, tally,
                   answer):
    """p of the bounded rows of an island."""
    n_f, n_b = numbers
    n, is_round = n_f + n_b, answer.towards.shape[0] > 0
    forces, scale, bounds, D = np.empty((n_f, 4), np.int64), np.empty(n_f), np.empty((n_b, 4), np.int64), np.zeros((n_f, 3))
    list_unknowns(blocks, members, task.active, directions, weights, forces, scale, bounds, place)
    M, q, z, kept, even = np.empty((n, n)), np.empty(n), np.empty(n), np.empty(n), np.empty(n_f)
    towards, known = np.zeros((blocks.shape[0], 3)), np.zeros(rows.shape[0])
    if is_round:
        assign(towards, answer.towards)
    norms(blocks, forces, scale, bounded, even)
    tolerance, rounds = round_cone.SETTLED * max(1.0, np.max(np.abs(g))), np.zeros((3, towards.shape[0], 3))
    for turn in range(round_cone.MAX_PROBLEMS):
        columns_of(directions, forces, bounds, towards, D)
        assemble(rows, blocks, D, forces, scale, bounds, known, W, g, M, q)
        nearly = complement(M, q, forces, D, even, basis, task, z, kept, tally, account)
        if tally[STATUS] != _SOLVED and tally[STATUS] != _CANCELLED:
            if nearly:
                assign(z, kept)
            else:
                soften_contacts(M, q, n_f, basis, task, z, tally, account)
        impulses_of(forces, scale, D, z, p)
        if not is_round or tally[STATUS] != _SOLVED:
            break
        assign(rounds[2], towards)
        if not round_cone.turn(blocks, forces, bounds, known, W, g, p, tolerance, basis, towards):
            break
        round_cone.hasten(rounds, towards)
        tally[ASKEW] = 1 if turn == round_cone.MAX_PROBLEMS - 1 else 0
    write_sign_cases(blocks, directions, forces, bounds, z, answer.signs)
