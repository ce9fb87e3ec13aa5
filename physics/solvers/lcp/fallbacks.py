"""Solution of an island's problem with fallbacks: smallest normal impulses, softened trials, contacts that give way.

Where contacts are redundant (four corners of a pad, a block on a beam) the law has many solutions, and Lemke's algorithm ends in
a corner of their set: one corner of four carries all, about which the pad then turns, since friction is bounded by the load of
each contact. So impulses get a softness, whose effect is then removed:

    w = q + M z + eps N (z - z')          N: norm of one-sided impulses, D'D of friction; z' = 0, then the last z (1)

the proximal point method (Rockafellar 1976), whose first solution is nearly that of least norm, and which converges to the
unsoftened law. As long as the basis stays, a round of it is one back substitution:

    (M + eps N)_AA dz_A = -w_A            A: where z is basic,  w = q + M z                               (2)

All are judged by the original M.
"""

import numpy as np

from physics.complementarity import dense, judge
from physics.complementarity.lemke import lemke
from physics.complementarity.problem import Status
from physics.core import vec
from physics.core.dense import assign
from physics.core.jit import inline, routine
from physics.core.records import MOMENT

_SOLVED, _RAY, _LOST, _CANCELLED = int(Status.SOLVED), int(Status.RAY), int(Status.LOST), int(Status.CANCELLED)

MIN_NORM_WEIGHT = 1e-5
"""eps of (1), a share of J M^-1 J^T: of the largest of those blocks that share their bodies, so that each newton of a pad's four
corners counts as much, and grams and tonnes do not mix."""

MAX_UNKNOWNS = 1000
"""Problems with more unknowns are solved without (1): two paths of Lemke's algorithm would take minutes."""

PASSES, REFINED = 3, 12
"""Most problems of (1), and most steps of (2) in each."""

FINE, ENOUGH = 1e-15, 1e-11
"""Residuals, as fractions of max |q|: below the first, (2) ends; below the second, it has succeeded."""

IDLE = 1e-10
"""Shares of corners below this fraction of max |q| are left out: rounding of M over eps gives 1e-11."""

ZERO_SHARE = 1e-13
"""Smaller z, as a fraction of max |q|, are rounded zeros."""

SOFTENED, SOFTEST = 1e-11, 1e-8
"""First and largest addition to the diagonal of M where redundant contacts keep Lemke's algorithm from a solution."""

ALLOWED = 1e-7
"""Largest residual of a solution, as a fraction of max |q|."""

MIN_Q_SCALE = 1e-5
"""Smaller q are treated as this large: they may be rounded zeros [sqrt(kg) m/s]."""

SOFTER, NEARLY = (1e-7, 1e-6), 1e-2
"""Further softness of contacts that rounding keeps from holding; largest residual then, as a fraction of max |q|."""

CONTACT_COMPLIANCE = 1e-2
"""Softness of contacts that cannot all hold."""

CONTACTS_YIELDED = -1
"""Tally of softened trials where contacts gave way."""

MIN_SIZE_FOR_PIVOT_LIMIT = 100
"""Problems with fewer unknowns get as many pivots as one of this size."""

UNKNOWNS, EQUATIONS, STATUS, PIVOTS, SOFT, SWEPT, WORST, ASKEW = range(8)
"""Columns of the tally: sizes, status and pivots of Lemke's algorithm, its further trials with a softened M, sweeps in its place
(0: none), the block of the worst contradiction (-1: none), 1 where the directions of round friction did not converge."""


@inline
def most_pivots(limit, unknowns):
    """Pivots after which Lemke's algorithm is stopped: usually it needs about as many as there are unknowns; where rounding makes
    it cycle, it continues for ever near the solution."""
    return max(1, int(limit * max(unknowns, MIN_SIZE_FOR_PIVOT_LIMIT)))


@routine
def complement(M, q, forces, D, even, basis, task, z, kept, tally, account):
    """z of LCP(q, M), with its tally. Returns whether a softer M was nearly solved; kept: z of the least soft such M.

    Redundant contacts make M singular, sometimes in more ways than rounding can resolve. Where Lemke's algorithm ends without a
    solution it gets a slightly softer M; the result is judged by the original M.
    """
    n_f = forces.shape[0]
    w, share, nearly = np.empty(q.shape[0]), SOFTENED, False
    largest = np.max(np.abs(q[:n_f]))
    allowed = ALLOWED * max(largest, MIN_Q_SCALE)
    if least_impulses(M, q, forces, D, even, basis, task, z, tally, account):
        return False
    attempt(M, q, basis, most_pivots(task.limit, q.shape[0]), task, z, tally, account)
    while tally[STATUS] != _SOLVED and tally[STATUS] != _CANCELLED and judge.natural(M, q, z, w) > allowed and share <= SOFTEST:
        softened(M, q, n_f, share, basis, task, z, tally, account)
        tally[SOFT] += 1
        share *= 10.0
        if not nearly and tally[STATUS] == _SOLVED and judge.natural(M, q, z, w) <= NEARLY * largest:
            nearly = True
            assign(kept, z)
    if tally[STATUS] != _CANCELLED:
        if judge.natural(M, q, z, w) <= allowed:
            tally[STATUS] = _SOLVED
        elif tally[STATUS] == _SOLVED:
            tally[STATUS] = _RAY
    if tally[STATUS] != _SOLVED:
        basis[:] = 0
    return nearly


@routine
def attempt(M, q, basis, limit, task, z, tally, account):
    """Run Lemke's algorithm; the tally gets its status and its pivots, the account the problem and its solution."""
    n, recorded = q.shape[0], account.trail.shape[0] > 0
    if recorded:
        assign(account.start[:n], basis)
        assign(account.problem[:n, :n], M)
        assign(account.problem[:n, n], q)
    tally[STATUS], pivots = lemke(M, q, np.ones(n), basis, limit, task.halt, z, account.trail)
    tally[PIVOTS] += pivots
    if recorded:
        account.pivots[0] = pivots


@routine
def norms(blocks, forces, scale, bounded, even):
    """even (n_f,): weight of the square of each force in (1), in the square of its unit."""
    for i in range(forces.shape[0]):
        f, largest = blocks[bounded[forces[i, 0], 1]], 0.0
        for j in range(forces.shape[0]):
            g = blocks[bounded[forces[j, 0], 1]]
            same = f.a == g.a and f.b == g.b and f.bound == g.bound and (f.role == MOMENT) == (g.role == MOMENT)
            if same and scale[j] > 0.0:
                largest = max(largest, 1.0 / (scale[j] * scale[j]))
        even[i] = largest * scale[i] * scale[i]


@routine
def pushes(forces):
    """Number of one-sided unknowns."""
    total = 0
    for k in range(forces.shape[0]):
        if forces[k, 3] < 0:
            total += 1
    return total


@routine
def soften(M, forces, D, even):
    """Add eps N of (1), where there are several one-sided unknowns."""
    if pushes(forces) < 2:
        return
    for i in range(forces.shape[0]):
        if forces[i, 3] < 0:
            M[i, i] += MIN_NORM_WEIGHT * even[i]
            continue
        for j in range(forces.shape[0]):
            if forces[j, 3] == forces[i, 3]:
                M[i, j] += MIN_NORM_WEIGHT * even[i] * vec.dot(D[i], D[j])


@routine
def least_impulses(M, q, forces, D, even, basis, task, z, tally, account):
    """(1), (2). Returns whether z is a solution, or was cancelled. Else the problem is to be solved without (1): nearly redundant
    contacts, as gaps of 1e-6 m make them, have one solution, which is far from even and for which (1) converges too slowly."""
    n_f = forces.shape[0]
    if pushes(forces) < 2 or q.shape[0] > MAX_UNKNOWNS:
        return False
    softer, shifted, before = M.copy(), q.copy(), basis.copy()
    soften(softer, forces, D, even)
    size = max(np.max(np.abs(q[:n_f])), MIN_Q_SCALE)
    limit = min(most_pivots(task.limit, q.shape[0]), max(q.shape[0], MIN_SIZE_FOR_PIVOT_LIMIT))
    for _ in range(PASSES):
        attempt(softer, shifted, basis, limit, task, z, tally, account)
        if tally[STATUS] == _SOLVED:
            use_fewest_corners(forces, D, IDLE * size, basis, z)
        if tally[STATUS] == _CANCELLED or (tally[STATUS] == _SOLVED and refine(M, softer, q, basis, z, size)):
            return True
        if tally[STATUS] != _SOLVED:
            break
        limit = q.shape[0] // 4 + MIN_SIZE_FOR_PIVOT_LIMIT // 4
        for i in range(n_f):            # q - eps N z
            shifted[i] = q[i]
            for j in range(n_f):
                if softer[i, j] != M[i, j]:
                    shifted[i] -= (softer[i, j] - M[i, j]) * z[j]
    assign(basis, before)
    return False


@routine
def use_fewest_corners(forces, D, zero, basis, z):
    """Express friction that sticks by the two corners of its polygon beside it, in place of several that depend on one another,
    such as opposite ones, with which (2) is singular. Impulses and w stay, but what is left below a bound grows. zero: smaller z
    are rounding."""
    n_f, i = forces.shape[0], 0
    while i < n_f:
        b, first = forces[i, 3], i
        while i < n_f and forces[i, 3] == b and (b >= 0 or i == first):
            i += 1
        if b < 0 or z[n_f + b] > zero:
            continue
        force, total, flat = (0.0, 0.0, 0.0), 0.0, True
        for j in range(first, i):
            force, total = vec.madd(force, (D[j, 0], D[j, 1], D[j, 2]), z[j]), total + z[j]
            flat = flat and D[j, 2] == 0.0
        if not flat:
            continue
        one, x, other, y = beside(D, first, i, force, zero)
        if x >= 0.0 and y >= 0.0 and x + y <= total + zero:
            basis[first:i], z[first:i], z[n_f + b], basis[n_f + b] = 0, 0.0, 0.0, 0
            z[one], basis[one] = x, 1 if x > 0.0 else 0
            if other != one:
                z[other], basis[other] = y, 1 if y > 0.0 else 0


@routine
def beside(D, first, end, force, zero):
    """(corner, share of it, corner, share of it) of the corners D[first:end] of a plane polygon around 0 that are most along
    `force`, which is their sum; shares below `zero` are left out."""
    one, other, along, second = first, first, -np.inf, -np.inf
    for j in range(first, end):
        a = vec.dot((D[j, 0], D[j, 1], 0.0), force)
        if a > along:
            one, other, along, second = j, one, a, along
        elif a > second:
            other, second = j, a
    area = D[one, 0] * D[other, 1] - D[one, 1] * D[other, 0]
    if area == 0.0:
        return one, vec.dot((D[one, 0], D[one, 1], 0.0), force), one, 0.0
    x = (force[0] * D[other, 1] - force[1] * D[other, 0]) / area
    y = (D[one, 0] * force[1] - D[one, 1] * force[0]) / area
    return one, 0.0 if abs(x) <= zero else x, other, 0.0 if abs(y) <= zero else y


@routine
def refine(M, softer, q, basis, z, size):
    """Repeat (2) until the original M is solved; returns whether it is."""
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
        if z[i] < ZERO_SHARE * size:
            z[i] = 0.0
    return judge.natural(M, q, z, w) <= ENOUGH * size


@routine
def softened(M, q, n_f, share, basis, task, z, tally, account):
    """z of the problem with `share` added to the diagonal of M for forces; the tally gets status and pivots."""
    softer = M.copy()
    for k in range(n_f):
        softer[k, k] += share
    basis[:] = 0
    attempt(softer, q, basis, most_pivots(task.limit, q.shape[0]), task, z, tally, account)


@routine
def soften_contacts(M, q, n_f, basis, task, z, tally, account):
    """Find the least further softness, as a share of contacts' own J M^-1 J^T, with which the problem is nearly solved: for mass
    ratios beyond what rounding allows. Where nothing satisfies all rows (a body in a slot that narrows, F11 example 11.1)
    contacts give way by CONTACT_COMPLIANCE, and overlaps are shared."""
    w, nearly, before = np.empty(q.shape[0]), NEARLY * np.max(np.abs(q[:n_f])), tally[STATUS]
    for trial in range(len(SOFTER) + 1):
        softened(M, q, n_f, SOFTER[trial] if trial < len(SOFTER) else CONTACT_COMPLIANCE, basis, task, z, tally, account)
        basis[:] = 0
        status = tally[STATUS]
        if status == _CANCELLED:
            return
        tally[STATUS] = before
        if trial < len(SOFTER) and status == _SOLVED and judge.natural(M, q, z, w) <= nearly:
            tally[SOFT] += 1
            return
    tally[SOFT] = CONTACTS_YIELDED
    if status != _SOLVED:
        z[:] = 0.0
