"""Lemke's algorithm with lexicographic pivots: LCP(q, M), find z >= 0 with w = q + M z >= 0 and z.w = 0.

    (1) w = q + M z + d z_0              d > 0: with a large z_0 all w are positive and z = 0 is a solution
    (2) z_0 enters; the w that falls below zero first leaves
    (3) the complement of the last leaving variable enters, and the first to reach zero leaves, until
        z_0 leaves: SOLVED; or nothing falls: a secondary RAY

C. E. Lemke 1965; Cottle, Pang, Stone, "The Linear Complementarity Problem", algorithm 4.4.1, with the lexicographic rule of
section 4.9 (lexicographic.py), under which no basis recurs. For copositive M with q in the dual cone of its solutions at
q = 0, as in the time-stepping problems of Stewart and Trinkle 1996, a ray cannot occur.

Only the inverse of the columns of basic z is stored (tableau.py). It is recomputed if it has lost digits, and z comes from a
fresh factorisation at the end:

    (4) M_AA z_A = -q_A                  A: the basic z; one step of iterative refinement

Nearly redundant contacts, such as the corners of a box at rest on another, have slopes equal to the 1e-7 by which they differ. A
pivot on so thin a slope inflates K by the same factor, and after several of them the path is meaningless. It counts as lost after
more than a few of them, at a ray after one, and if

    (5) a basis recurs: each has a hash, and the present one is compared with that of an earlier pivot

(R. P. Brent, BIT 20, 1980), which is impossible in exact arithmetic. Then another path is tried, where

    (6) slopes below 1e-6 of the largest count as zero, not only those below 1e-9; and if need be, those below 1e-7, 1e-8

A variable skipped in this way may fall below zero by as little as its slope; a path from the basis reached corrects that
(`repair`).

Warm start: (1) is expressed in a basis in which given z are basic; there the covering vector is d, which is B_0 d in the original
problem. If that meets a ray or a singular basis, the cold start is tried.
"""

from typing import NamedTuple

import numpy as np

from physics.complementarity import basis, judge, lexicographic, problem, tableau, vectors
from physics.complementarity.problem import Status
from physics.core.dense import assign
from physics.core.jit import inline, kernel, routine

REFRESH_ERROR = 1e-11
"""If a column of the tableau is off by this fraction of its largest entry, the inverse is recomputed."""
REPAIR_RESIDUAL = 1e-11
"""If the residual of the polished z is above this fraction of max |q|, pivoting continues with a fresh inverse."""
MAX_RESIDUAL = 1e-8
"""A residual above this fraction of max |q| after all repairs is no solution."""
REPAIRS = 3
"""Paths from the basis reached; the last is another one from the start, if that was no solution."""
FLAT_SLOPES = (1e-9, 1e-6, 1e-7, 1e-8, 1e-9)
"""Eq 6: fractions of the largest slope, one path after the other; the last may use all remaining pivots."""
MAX_THIN_PIVOTS, STRAY = 20, (4, 80)
"""A path is lost after more than MAX_THIN_PIVOTS thin pivots, or that number times STRAY[0] + n / STRAY[1] pivots after the first
thin one."""
ZERO_TOLERANCE = 1e-14
"""An initial value negative by less than this fraction of the largest counts as zero."""
TRACE = 1e-13
"""If d z_0 is at most this fraction of max |q|, it counts as zero and the problem as solved."""


class Solution(NamedTuple):
    """z and w = q + M z, shape (n,); residual: max |min(z, w)|; basic: (n,) bool, the z in the last basis, for a
    warm start; trail: (pivots, 2) entering and leaving variables, or None."""

    z: np.ndarray
    w: np.ndarray
    status: Status
    pivots: int
    residual: float
    basic: np.ndarray
    trail: np.ndarray | None


def solve(M, q, *, d=None, start=None, limit=None, trail=False) -> Solution:
    """Solve LCP(q, M) with Lemke's algorithm.

    M: (n, n), q: (n,), d: (n,) > 0 (ones), start: (n,) bool, the z that are basic initially, limit: maximum number of pivots
    (50 n, at least 1000). Variables in the trail are 0 .. n - 1: z, n .. 2n - 1: w, 2n: the covering variable. BadInput names
    what is wrong.
    """
    M, q = problem.problem(M, q)
    n = len(q)
    d = np.ones(n) if d is None else problem.covering(d, n)
    start = np.zeros(n, np.uint8) if start is None else problem.marks(start, n)
    limit = problem.count("limit", limit, max(1000, 50 * n))
    z, steps = np.empty(n), np.empty((limit if trail else 0, 2), np.int32)
    status, pivots = lemke(M, q, d, start, limit, np.zeros(1, np.int32), z, steps)
    w = np.empty(n)
    residual = judge.natural(M, q, z, w)
    return Solution(z, w, Status(status), pivots, residual, start != 0, steps[:pivots] if trail else None)


@kernel
def lemke(M, q, d, start, limit, halt, z, trail):
    """Solve LCP(q, M); z is written. Returns (status, pivots).

    start: (n,) uint8, the z that are basic initially; overwritten with those of the last basis, which z > 0 does not determine
    if the solution is degenerate: pass it again to warm-start the next, similar problem; zeros for a cold start.
    halt: (1,) int32, checked at every pivot: nonzero cancels. trail: (p, 2) int32, the first p pivots' entering and leaving
    variables. SOLVED: max |min(z, w)| is at most MAX_RESIDUAL, usually 1e-14, of max |q|; else z is the last iterate. The
    status is a `Status` as a plain number, which is faster to return.
    """
    size, pivots, status = vectors.largest(q, len(q)), 0, Status.LOST
    owner = tableau.make(M)
    now, basic, best = z, start, np.inf
    for k in range(len(FLAT_SLOPES)):
        if k == 1:                  # most problems need no second path, nor memory for it
            now, basic = np.empty(len(q)), np.empty_like(start)
        if k > 0:
            basic[:] = 0
        patience = MAX_THIN_PIVOTS if k + 1 < len(FLAT_SLOPES) else limit
        status, pivots, residual = attempt(owner, q, d, FLAT_SLOPES[k], patience, limit, halt, pivots, trail, now, basic)
        if residual < best:
            best = residual
            if k > 0:
                assign(z, now)
                assign(start, basic)
        done = REPAIR_RESIDUAL if k == 0 else MAX_RESIDUAL
        if best <= done * size or not (status == Status.LOST or status == Status.SOLVED):
            break
    if status != Status.CANCELLED and best <= MAX_RESIDUAL * size:
        status = Status.SOLVED
    return Status.RAY.value if status == Status.LOST else status.value, pivots


@routine
def attempt(owner, q, d, flat, patience, limit, halt, pivots, trail, z, basic):
    """Follow the path from the basis whose z are `basic`, then repair. z and basic return the result.

    Returns (status, pivots, residual); RAY: of the problem itself, not of rounding.
    """
    t = tableau.borrowed(owner)
    marks, size = basic.copy(), vectors.largest(q, len(q))
    if not tableau.begin(t, marks):
        marks[:] = 0
    status, pivots = follow(t, q, d, marks, flat, patience, limit, halt, pivots, trail)
    if (status == Status.RAY or status == Status.LOST) and np.any(marks != 0):
        marks[:] = 0
        tableau.begin(t, marks)
        status, pivots = follow(t, q, d, marks, flat, patience, limit, halt, pivots, trail)
    if status == Status.LIMIT and pivots < limit:       # after a thin pivot
        status = Status.LOST
    residual = polish(t, q, z)
    for i in range(len(q)):
        basic[i] = owner.z_slot[i] >= 0
    if status == Status.CANCELLED or status == Status.LIMIT or (status == Status.RAY and residual > MAX_RESIDUAL * size):
        return status, pivots, residual
    if residual <= REPAIR_RESIDUAL * size:            # also after a ray: the remaining covering variable is noise
        return Status.SOLVED, pivots, residual
    if status == Status.LOST and flat == FLAT_SLOPES[0] and residual > MAX_RESIDUAL * size:
        return status, pivots, residual
    return repair(owner, q, d, flat, limit, halt, pivots, trail, z, basic, residual)


@routine
def repair(owner, q, d, flat, limit, halt, pivots, trail, z, basic, residual):
    """After a loss of digits, continue from the basis reached with a fresh inverse; last, try another path.

    Keeps the best z and its basis. Returns (status, pivots, residual); LOST if it is still no solution.
    """
    n, size = len(q), vectors.largest(q, len(q))
    t = tableau.borrowed(owner)
    marks, now, other = np.empty(n, np.uint8), np.empty(n), d.copy()
    for turn in range(REPAIRS):
        near, last = residual <= MAX_RESIDUAL * size, turn == REPAIRS - 1
        if near and last:
            break
        for i in range(n):
            marks[i] = t.z_slot[i] >= 0 and not last
        if last or not tableau.begin(t, marks):
            marks[:] = 0
            tableau.begin(t, marks)
            for i in range(n):
                other[i] = d[i] * (1.0 + 0.125 * ((i + turn) % 8))
        most = min(limit, pivots + (n // 8 + 20 if near else n))
        status, pivots = follow(t, q, other, marks, FLAT_SLOPES[0] if turn == 1 else flat, MAX_THIN_PIVOTS, most, halt, pivots,
                                trail)
        if status == Status.CANCELLED or pivots >= limit:
            return status, pivots, residual
        better = polish(t, q, now)
        if better < residual:
            residual = better
            assign(z, now)
            for i in range(n):
                basic[i] = owner.z_slot[i] >= 0
        if residual <= REPAIR_RESIDUAL * size:
            break
    return Status.SOLVED if residual <= MAX_RESIDUAL * size else Status.LOST, pivots, residual


@routine
def follow(t, q, d, start, flat, patience, limit, halt, pivots, trail):
    """Follow the path of eqs 2 and 3 from the basis `start`, which t holds. Returns (status, pivots).

    LOST: digits lost, after `patience` thin pivots, by eq 5, or at a false ray; LIMIT: of all pivots or those after a thin one.
    """
    n = len(q)
    t = tableau.borrowed(t)
    tied = np.empty(2 * n + 1, np.int64)
    first, thin, trace = pivots, 0, TRACE * vectors.largest(q, n) / vectors.largest(d, n)
    state, seen, renew = np.uint64(0), np.uint64(0), 1
    tableau.evaluate(t, q)
    index, of_w = first_pivot(t, d, start, tied)
    if index == lexicographic.NONE:
        return Status.SOLVED, pivots
    entering, enters_w = n, False
    while True:
        if halt[0] != 0:
            return Status.CANCELLED, pivots
        if pivots >= limit:
            return Status.LIMIT, pivots
        if pivots < len(trail):
            trail[pivots, 0] = entering + n if enters_w or entering == n else entering
            trail[pivots, 1] = index + n if of_w or index == n else index
        move(t, entering, enters_w, index, of_w)
        pivots += 1
        state ^= mark(entering, enters_w) ^ mark(index, of_w)
        if state == seen:
            return Status.LOST, pivots
        if pivots - first == renew:
            seen, renew = state, renew + renew // 4 + 8
        if t.z_slot[n] < 0 or t.z[t.z_slot[n]] <= trace:
            return Status.SOLVED, pivots
        entering, enters_w = index, not of_w
        for again in range(2):          # a loop, so that `column` is inlined once
            error = tableau.column(t, entering, enters_w, t.z_slope, t.w_slope)
            if again or error <= REFRESH_ERROR or error <= REFRESH_ERROR * vectors.largest(t.w_slope,
                                                                                           n) or not tableau.refresh(t):
                break
            tableau.evaluate(t, q)
        index, of_w, is_thin = lexicographic.leaving(t, start, flat, tied)
        if index == lexicographic.NONE:
            return Status.RAY if thin == 0 and is_ray(t, start, tied) else Status.LOST, pivots
        if is_thin:
            if thin == 0:
                limit = min(limit, pivots + patience * (STRAY[0] + n // STRAY[1]))
            thin += 1
            if thin > patience:
                return Status.LOST, pivots


@inline
def mark(index, of_w):
    """Hash of a variable; the exclusive or over a basis identifies the basis."""
    x = np.uint64(2 * index + (2 if of_w else 1)) * np.uint64(0x9E3779B97F4A7C15)
    return (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)


@routine
def is_ray(t, start, tied):
    """Whether a ray is genuine: no skipped slope, now or before, would have ended it."""
    least = -lexicographic.TIE * max(vectors.largest(t.z, t.size[0]), vectors.largest(t.w, len(t.w)))
    for p in range(t.size[0]):
        if t.z[p] < least:
            return False
    for i in range(len(t.w)):
        if t.w[i] < least:
            return False
    return lexicographic.leaving(t, start, FLAT_SLOPES[0], tied)[0] == lexicographic.NONE


@routine
def first_pivot(t, d, start, tied):
    """Set up the first pivot, eq 2: the covering column and the leaving variable (NONE if the basis is already a solution)."""
    n, m = len(d), t.size[0]
    worst, chosen = 0.0, -1
    z_noise, w_noise = ZERO_TOLERANCE * vectors.largest(t.z, m), ZERO_TOLERANCE * vectors.largest(t.w, n)
    for i in range(n):
        value = t.z[t.z_slot[i]] if start[i] else t.w[i]
        # ties: the last row is the lexicographically smallest, as all rows are unit vectors
        if value < -(z_noise if start[i] else w_noise) and value / d[i] <= worst:
            worst, chosen = value / d[i], i
    if chosen < 0:
        return lexicographic.NONE, False
    assign(t.columns[n], d)
    for p in range(m):
        t.columns[n, t.inside[p]] = 0.0
    for p in range(m):
        vectors.add(-d[t.inside[p]], t.columns[t.inside[p]], t.columns[n], n)
    tableau.column(t, n, False, t.z_slope, t.w_slope)
    return chosen, not start[chosen]


@inline
def move(t, entering, enters_w, index, of_w):
    """Perform one pivot: advance the values until the leaving one is zero, then exchange the two variables."""
    n, m = len(t.w), t.size[0]
    p = -1 if of_w else t.z_slot[index]
    step = -t.w[index] / t.w_slope[index] if of_w else -t.z[p] / t.z_slope[p]
    step = max(step, 0.0)
    vectors.add(step, t.z_slope, t.z, m)
    vectors.add(step, t.w_slope, t.w, n)
    tableau.exchange_pivot(t, entering, enters_w, index, of_w)
    if of_w:
        t.w[index] = 0.0
    if enters_w:
        t.w[entering] = step
    else:
        t.z[t.z_slot[entering]] = step


@routine
def polish(t, q, z):
    """z by eq 4 from the final basis, or from the pivots if that is no worse. Returns max |min(z, w)|."""
    n, m = len(q), 0
    t = tableau.borrowed(t)
    w, x, z_now = t.w_early, t.z_early, t.w_slope
    rows, swaps = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        if t.z_slot[i] >= 0:
            x[m] = t.z[t.z_slot[i]]
            rows[m] = i
            m += 1
    assign(w, q)
    vectors.combine(t.columns, rows, x, w, m, n)
    residual = spread(rows, x, m, z, w)
    if basis.solve(t.columns, q, rows, m, t.inverse, swaps, t.part, w, t.row):
        assign(z_now, z)
        better = spread(rows, t.part, m, z, w)
        if better < residual:
            return better
        assign(z, z_now)
    return residual


@routine
def spread(rows, x, m, z, w):
    """Write the basic values x to z (n,), negative ones as zero. Returns max |min(z, w)| before that."""
    z[:] = 0.0
    worst = 0.0
    for a in range(m):
        z[rows[a]] = x[a]
    for i in range(len(z)):
        worst = max(worst, abs(min(z[i], w[i])))
        z[i] = max(z[i], 0.0)
    return worst
