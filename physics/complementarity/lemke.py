"""Lemke's algorithm with lexicographic pivots: LCP(q, M), find z >= 0 with w = q + M z >= 0 and z.w = 0.

    (1) w = q + M z + d z_0              d > 0: with a large z_0 all w are positive and z = 0 is a solution
    (2) z_0 enters; the w that falls below zero first leaves
    (3) the complement of what left enters, and what reaches zero first leaves, until
        z_0 leaves: SOLVED; or nothing falls: a secondary RAY

C. E. Lemke 1965; Cottle, Pang, Stone, "The Linear Complementarity Problem", algorithm 4.4.1, with the lexicographic rule of
section 4.9 (lexicographic.py), under which no basis comes twice. For copositive M with q in the dual cone of its solutions at
q = 0, as in the time-stepping problems of Stewart and Trinkle 1996, a ray cannot occur.

Only the inverse of the columns of basic z is kept (tableau.py). It is made afresh where it has lost digits, and z comes from a
fresh factorisation at the end:

    (4) M_AA z_A = -q_A                  A: where z is basic; one step of iterative refinement

Warm start: (1) is written by a basis in which given z are basic; there d covers that basis, and so is B_0 d in the original
problem. Where that meets a ray or a singular basis the cold start is tried.
"""

from typing import NamedTuple

import numpy as np

from physics.complementarity import basis, given, judge, lexicographic, tableau, vectors
from physics.complementarity.status import Status
from physics.core.jit import inline, kernel, routine

BLURRED = 1e-11
"""A column of the tableau that is off by this part of its largest number calls for a fresh inverse."""
WRONG = 1e-11
"""Where the residual of the polished z is above this part of max |q|, pivots go on from there with a fresh inverse."""
HOPELESS = 1e-8
"""A residual above this part of max |q| after all repairs is no solution."""
REPAIRS = 4
NOISE = 1e-14
"""Where a start is negative by less than this part of the largest value it counts as zero."""
TRACE = 1e-13
"""Where d z_0 is at most this part of max |q| it counts as zero, and the problem as solved."""


class Solution(NamedTuple):
    """z and w = q + M z, shape (n,); residual: max |min(z, w)|; basic: (n,) bool, which z are in the last basis, for a
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

    M: (n, n), q: (n,), d: (n,) > 0 (ones), start: (n,) bool, the z to begin with as basic ones, limit: most pivots (50 n, at
    least 1000). Variables in the trail are 0 .. n - 1: z, n .. 2n - 1: w, 2n: the covering variable. BadInput names what is
    wrong.
    """
    M, q = given.problem(M, q)
    n = len(q)
    d = np.ones(n) if d is None else given.covering(d, n)
    start = np.zeros(n, np.uint8) if start is None else given.marks(start, n)
    limit = given.count("limit", limit, max(1000, 50 * n))
    z, steps = np.empty(n), np.empty((limit if trail else 0, 2), np.int32)
    status, pivots = lemke(M, q, d, start, limit, np.zeros(1, np.int32), z, steps)
    w = np.empty(n)
    residual = judge.natural(M, q, z, w)
    return Solution(z, w, Status(status), pivots, residual, start != 0, steps[:pivots] if trail else None)


@kernel
def lemke(M, q, d, start, limit, halt, z, trail):
    """Solve LCP(q, M); z is written. Returns (status, pivots).

    start: (n,) uint8, the z to begin with as basic ones; overwritten with those of the last basis, which z > 0 does not tell
    where the solution is degenerate: pass it again to begin the next, similar problem there; zeros for a cold start.
    halt: (1,) int32, looked at at every pivot: nonzero cancels. trail: (p, 2) int32, the first p pivots' entering and leaving
    variables. SOLVED: max |min(z, w)| is at most HOPELESS, and as a rule 1e-14, of max |q|; else z is where it stopped. The
    status is that of `Status` as a plain number, which is quicker to hand over.
    """
    n = len(q)
    owner = tableau.make(M)
    t = tableau.borrowed(owner)
    marks = start.copy()
    warm = tableau.begin(t, marks)
    if not warm:
        marks[:] = 0
    status, pivots = follow(t, q, d, marks, limit, halt, 0, trail)
    if status == Status.RAY and np.any(marks != 0):
        marks[:] = 0
        tableau.begin(t, marks)
        status, pivots = follow(t, q, d, marks, limit, halt, pivots, trail)
    residual, size = polish(t, q, z), vectors.largest(q, n)
    near = status == Status.RAY and residual <= HOPELESS * size     # what is left of the covering variable is noise
    if near and residual <= WRONG * size:
        status = Status.SOLVED
    elif near or (status == Status.SOLVED and residual > WRONG * size):
        status, pivots = repair(t, q, d, marks, limit, halt, pivots, trail, z, residual)
    for i in range(n):
        start[i] = owner.z_slot[i] >= 0
    return status.value, pivots


@routine
def repair(t, q, d, marks, limit, halt, pivots, trail, z, residual):
    """Digits were lost on the way: go on from the basis that was reached with a fresh inverse; at last by another path.

    The best z stays. Returns (status, pivots); RAY where it is no solution still.
    """
    n, size = len(q), vectors.largest(q, len(q))
    best, other = z.copy(), d.copy()
    for attempt in range(REPAIRS):
        for i in range(n):
            marks[i] = t.z_slot[i] >= 0
            other[i] = d[i] * (1.0 + 0.125 * (i % 8))
        if attempt == REPAIRS - 1:
            marks[:] = 0
        tableau.begin(t, marks)
        status, pivots = follow(t, q, other if attempt == REPAIRS - 1 else d, marks, limit, halt, pivots, trail)
        if status == Status.CANCELLED or status == Status.LIMIT:
            return status, pivots
        better = polish(t, q, z)
        if better < residual:
            residual = better
            best[:] = z
        if residual <= WRONG * size:
            break
    z[:] = best
    return Status.SOLVED if residual <= HOPELESS * size else Status.RAY, pivots


@routine
def follow(t, q, d, start, limit, halt, pivots, trail):
    """The path of eqs 2 and 3 from the basis that `start` names and t has. Returns (status, pivots)."""
    n = len(q)
    t = tableau.borrowed(t)
    tied = np.empty(2 * n + 1, np.int64)
    trace = TRACE * vectors.largest(q, n) / vectors.largest(d, n)
    tableau.evaluate(t, q)
    index, of_w = cover(t, d, start, tied)
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
        if t.z_slot[n] < 0 or t.z[t.z_slot[n]] <= trace:
            return Status.SOLVED, pivots
        entering, enters_w = index, not of_w
        for again in range(2):          # a loop, so that `column` is inlined once
            error = tableau.column(t, entering, enters_w, t.z_slope, t.w_slope)
            if again or error <= BLURRED or error <= BLURRED * vectors.largest(t.w_slope, n) or not tableau.refresh(t):
                break
            tableau.evaluate(t, q)
        index, of_w = lexicographic.leaving(t, start, tied)
        if index == lexicographic.NONE:
            return Status.RAY, pivots


@routine
def cover(t, d, start, tied):
    """Set up the first pivot, eq 2: the covering column, and what leaves (NONE if the basis is a solution as it stands)."""
    n, m = len(d), t.size[0]
    worst, chosen = 0.0, -1
    z_noise, w_noise = NOISE * vectors.largest(t.z, m), NOISE * vectors.largest(t.w, n)
    for i in range(n):
        value = t.z[t.z_slot[i]] if start[i] else t.w[i]
        # ties: the last row is the lexicographically smallest, as all rows are unit vectors
        if value < -(z_noise if start[i] else w_noise) and value / d[i] <= worst:
            worst, chosen = value / d[i], i
    if chosen < 0:
        return lexicographic.NONE, False
    t.columns[n] = d
    for p in range(m):
        t.columns[n, t.inside[p]] = 0.0
    for p in range(m):
        vectors.add(-d[t.inside[p]], t.columns[t.inside[p]], t.columns[n], n)
    tableau.column(t, n, False, t.z_slope, t.w_slope)
    return chosen, not start[chosen]


@inline
def move(t, entering, enters_w, index, of_w):
    """One pivot: values move on until the leaving one is zero, then the two change places."""
    n, m = len(t.w), t.size[0]
    p = -1 if of_w else t.z_slot[index]
    step = -t.w[index] / t.w_slope[index] if of_w else -t.z[p] / t.z_slope[p]
    step = max(step, 0.0)
    vectors.add(step, t.z_slope, t.z, m)
    vectors.add(step, t.w_slope, t.w, n)
    tableau.exchange(t, entering, enters_w, index, of_w)
    if of_w:
        t.w[index] = 0.0
    if enters_w:
        t.w[entering] = step
    else:
        t.z[t.z_slot[entering]] = step


@routine
def polish(t, q, z):
    """z by eq 4 from the final basis; where that is no better, as the pivots left it. Returns max |min(z, w)|."""
    n, m = len(q), 0
    t = tableau.borrowed(t)
    w, x, z_now = t.w_early, t.z_early, t.w_slope
    rows, swaps = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        if t.z_slot[i] >= 0:
            x[m] = t.z[t.z_slot[i]]
            rows[m] = i
            m += 1
    w[:] = q
    vectors.combine(t.columns, rows, x, w, m, n)
    residual = spread(rows, x, m, z, w)
    if basis.solve(t.columns, q, rows, m, t.inverse, swaps, t.part, w, t.row):
        z_now[:] = z
        better = spread(rows, t.part, m, z, w)
        if better < residual:
            return better
        z[:] = z_now
    return residual


@routine
def spread(rows, x, m, z, w):
    """z (n,) gets the basic values x; those that are negative become zero. Returns max |min(z, w)| as it was before that."""
    z[:] = 0.0
    worst = 0.0
    for a in range(m):
        z[rows[a]] = x[a]
    for i in range(len(z)):
        worst = max(worst, abs(min(z[i], w[i])))
        z[i] = max(z[i], 0.0)
    return worst
