"""z of an island's complementarity problem, whatever it takes: least normal impulses, softened trials, contacts that give way.

Where contacts carry more than they need to (four corners of a pad, a block on a beam) the law has many solutions, and Lemke's
algorithm ends in a corner of their set: one corner of four carries all, about which the pad then turns, since friction is bounded
by what each contact carries. So impulses get a softness, and what it did is taken out again:

    w = q + M z + eps N (z - z')          N: norm of what only pushes, D'D of friction; z' = 0, then the z before (1)

the proximal point method (Rockafellar 1976), whose first answer is that of least norm but for eps, and which ends with the law as
it was. As long as the basis stays, a round of it is one back substitution:

    (M + eps N)_AA dz_A = -w_A            A: where z is basic,  w = q + M z                               (2)

All are judged by M as it is.
"""

import numpy as np

from physics.complementarity import dense, judge
from physics.complementarity.lemke import lemke
from physics.complementarity.status import Status
from physics.core import vec
from physics.core.jit import inline, routine

_SOLVED, _RAY, _LOST, _CANCELLED = int(Status.SOLVED), int(Status.RAY), int(Status.LOST), int(Status.CANCELLED)

EVEN = 1e-5
"""eps of (1), a share of J M^-1 J^T: of the largest of those blocks that share their bodies, so that each newton of a pad's four
corners counts as much, and grams and tonnes do not mix."""

LARGE = 1000
"""Problems with more unknowns are solved as they stand: two paths of Lemke's algorithm would take minutes."""

PASSES, REFINED = 3, 12
"""Most problems of (1), and most steps of (2) in each."""

FINE, ENOUGH = 1e-15, 1e-11
"""Residuals as parts of max |q|: no more steps of (2) are needed; they have done what they should."""

ROUNDING = 1e-13
"""Smaller z, as a part of max |q|, are what rounding made of zero."""

SOFTENED, SOFTEST = 1e-11, 1e-8
"""What is added to the diagonal of M where redundant contacts keep Lemke's algorithm from an answer: at first, and at most."""

ALLOWED = 1e-7
"""Largest residual of an answer, as a part of max |q|."""

SILENT = 1e-5
"""Smaller q are taken to be of this size: what is asked for may be zero but for rounding [sqrt(kg) m/s]."""

SOFTER, NEARLY = (1e-7, 1e-6), 1e-2
"""Further softness of contacts that rounding keeps from holding, and how large a residual any may leave, as a part of max |q|."""

GIVES = 1e-2
"""Softness of contacts that cannot all hold."""

GAVE_WAY = -1
"""Tally of softened trials where contacts gave way."""

FEW = 100
"""Problems with fewer unknowns than these get as many pivots as if they had so many."""

UNKNOWNS, EQUATIONS, STATUS, PIVOTS, SOFT, SWEPT, WORST, ASKEW = range(8)
"""Columns of the tally: sizes, status and pivots of Lemke's algorithm, its further trials with a softened M, sweeps in its place
(0: none), the block of the worst contradiction (-1: none), 1 where the directions of round friction did not settle."""


@inline
def most_pivots(limit, unknowns):
    """After which Lemke's algorithm is given up: usually it needs about as many pivots as there are unknowns; where rounding
    leads it in circles, it goes on for ever near the solution."""
    return max(1, int(limit * max(unknowns, FEW)))


@routine
def complement(M, q, forces, D, even, basis, task, z, kept, tally, account):
    """z of LCP(q, M), and what the tally says of it. Returns whether a softer M was nearly solved; kept: by the least such.

    Redundant contacts make M singular, sometimes in more ways than rounding tells apart. Where Lemke's algorithm ends without an
    answer it gets a slightly softer M; what it then finds is judged by M as it was.
    """
    n_f = forces.shape[0]
    w, share, nearly = np.empty(q.shape[0]), SOFTENED, False
    largest = np.max(np.abs(q[:n_f]))
    allowed = ALLOWED * max(largest, SILENT)
    if evenly(M, q, forces, D, even, basis, task, z, tally, account):
        return False
    once(M, q, basis, most_pivots(task.limit, q.shape[0]), task, z, tally, account)
    while tally[STATUS] != _SOLVED and tally[STATUS] != _CANCELLED and judge.natural(M, q, z, w) > allowed and share <= SOFTEST:
        softened(M, q, n_f, share, basis, task, z, tally, account)
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
def once(M, q, basis, limit, task, z, tally, account):
    """Lemke's algorithm; the tally gets its status and its pivots, the account what was solved and how."""
    n, told = q.shape[0], account.trail.shape[0] > 0
    if told:
        account.start[:n] = basis
        account.problem[:n, :n] = M
        account.problem[:n, n] = q
    tally[STATUS], pivots = lemke(M, q, np.ones(n), basis, limit, task.halt, z, account.trail)
    tally[PIVOTS] += pivots
    if told:
        account.pivots[0] = pivots


@routine
def norms(blocks, forces, scale, bounded, even):
    """even (n_f,): what (1) counts the square of each force with, in the square of its unit."""
    for i in range(forces.shape[0]):
        f, largest = blocks[bounded[forces[i, 0], 1]], 0.0
        for j in range(forces.shape[0]):
            g = blocks[bounded[forces[j, 0], 1]]
            if f.a == g.a and f.b == g.b and f.bound == g.bound and scale[j] > 0.0:
                largest = max(largest, 1.0 / (scale[j] * scale[j]))
        even[i] = largest * scale[i] * scale[i]


@routine
def pushes(forces):
    """How many unknowns only push."""
    total = 0
    for k in range(forces.shape[0]):
        if forces[k, 3] < 0:
            total += 1
    return total


@routine
def soften(M, forces, D, even):
    """eps N of (1), where there are several that push."""
    if pushes(forces) < 2:
        return
    for i in range(forces.shape[0]):
        if forces[i, 3] < 0:
            M[i, i] += EVEN * even[i]
            continue
        for j in range(forces.shape[0]):
            if forces[j, 3] == forces[i, 3]:
                M[i, j] += EVEN * even[i] * vec.dot(D[i], D[j])


@routine
def evenly(M, q, forces, D, even, basis, task, z, tally, account):
    """(1), (2). Returns whether z is a solution, or was cancelled. Else the problem is to be solved as it stands: contacts that
    are all but redundant, as gaps of 1e-6 m make them, have one solution, which is far from even and takes (1) for ever."""
    n_f = forces.shape[0]
    if pushes(forces) < 2 or q.shape[0] > LARGE:
        return False
    softer, shifted, before = M.copy(), q.copy(), basis.copy()
    soften(softer, forces, D, even)
    size = max(np.max(np.abs(q[:n_f])), SILENT)
    limit = min(most_pivots(task.limit, q.shape[0]), max(q.shape[0], FEW))
    for _ in range(PASSES):
        once(softer, shifted, basis, limit, task, z, tally, account)
        if tally[STATUS] == _CANCELLED or (tally[STATUS] == _SOLVED and refine(M, softer, q, basis, z, size)):
            return True
        if tally[STATUS] != _SOLVED:
            break
        limit = q.shape[0] // 4 + FEW // 4
        for i in range(n_f):            # q - eps N z
            shifted[i] = q[i]
            for j in range(n_f):
                if softer[i, j] != M[i, j]:
                    shifted[i] -= (softer[i, j] - M[i, j]) * z[j]
    basis[:] = before
    return False


@routine
def refine(M, softer, q, basis, z, size):
    """(2) until M as it is is solved; returns whether it is."""
    n, m = q.shape[0], 0
    rows, swaps, w, step = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n), np.empty(n)
    for i in range(n):
        if basis[i]:
            rows[m] = i
            m += 1
    worst = judge.natural(M, q, z, w)
    if worst <= FINE * size or m == 0:
        return worst <= ENOUGH * size
    K = np.empty((m, m))
    for a in range(m):
        for b in range(m):
            K[a, b] = softer[rows[a], rows[b]]
    if not dense.factor(K, swaps, m):
        return False
    for _ in range(REFINED):
        for a in range(m):
            step[a] = -w[rows[a]]
        dense.solve(K, swaps, step, m)
        for a in range(m):
            z[rows[a]] += step[a]
        before = worst
        worst = judge.natural(M, q, z, w)
        if worst <= FINE * size or worst > 0.5 * before:
            break
    for i in range(n):
        if z[i] < ROUNDING * size:
            z[i] = 0.0
    return judge.natural(M, q, z, w) <= ENOUGH * size


@routine
def softened(M, q, n_f, share, basis, task, z, tally, account):
    """z of the problem with that share added to the diagonal of M for forces; the tally gets status and pivots."""
    softer = M.copy()
    for k in range(n_f):
        softer[k, k] += share
    basis[:] = 0
    once(softer, q, basis, most_pivots(task.limit, q.shape[0]), task, z, tally, account)


@routine
def yield_a_little(M, q, n_f, basis, task, z, tally, account):
    """The least further softness, as a share of contacts' own J M^-1 J^T, with which the problem is nearly solved: for mass
    ratios beyond what rounding allows. Where nothing satisfies all rows (a body in a slot that narrows, F11 example 11.1)
    contacts give way by GIVES, and overlaps are shared out."""
    w, nearly, told = np.empty(q.shape[0]), NEARLY * np.max(np.abs(q[:n_f])), tally[STATUS]
    for trial in range(len(SOFTER) + 1):
        softened(M, q, n_f, SOFTER[trial] if trial < len(SOFTER) else GIVES, basis, task, z, tally, account)
        basis[:] = 0
        status = tally[STATUS]
        if status == _CANCELLED:
            return
        tally[STATUS] = told
        if trial < len(SOFTER) and status == _SOLVED and judge.natural(M, q, z, w) <= nearly:
            tally[SOFT] += 1
            return
    tally[SOFT] = GAVE_WAY
    if status != _SOLVED:
        z[:] = 0.0
