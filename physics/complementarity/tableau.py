"""Tableau of a complementarity problem, stored as a small inverse only.

With the covering vector d as column n of M and its variable z_n (Lemke's z_0),

    (1) w = q + M z + d z_n                    the tableau expresses basic variables by nonbasic ones: x = x' + T y

Let A be the indices of the basic z, R the rows whose w is nonbasic, equal in number. The rows R of (1) give the basic z, and
these the basic w (a block pivot; Cottle, Pang, Stone, "The Linear Complementarity Problem", section 2.3):

    (2) K = M_RA^-1                            z_A = K (w_R - q_R - M_Rj z_j)
    (3) w_B = q_B + M_BA z_A + M_Bj z_j        B: the rows whose w is basic

so T's columns for nonbasic w are K's and M_BA K, and any column or row of T costs |A| times its length. In contact problems
most z are zero and |A| is a small fraction of n. Exchanging a nonbasic c and a basic p, pivot t = T_pc, changes K by rank one:

    (4) T_ip = T_ic / t     T_cl = -T_pl / t     T_cp = 1 / t     T_il -= T_ic T_pl / t
"""

from typing import NamedTuple

import numpy as np

from physics.complementarity import dense, vectors
from physics.core import lanes
from physics.core.dense import assign
from physics.core.jit import inline, routine
from physics.core.records import borrow


class Tableau(NamedTuple):
    """A basis of (1) and its values. `slot`: index of a basic z in K's rows, of a nonbasic w in K's columns, else -1."""

    matrix: np.ndarray      # (n, n) M
    columns: np.ndarray     # (n + 1, n) M's columns and d, contiguous, each copied when first needed
    copied: np.ndarray      # (n + 1,) which of them are copied
    inverse: np.ndarray     # (n + 1, wide) K, its leading size x size part; wide: n + 1 or a little more, a multiple of 4
    size: np.ndarray        # (1,)
    inside: np.ndarray      # (n + 1,) the z of each row of K
    outside: np.ndarray     # (n + 1,) the w of each column of K
    z_slot: np.ndarray      # (n + 1,)
    w_slot: np.ndarray      # (n,)
    z: np.ndarray           # (wide,) values of basic z, by slot
    w: np.ndarray           # (n,) values of w, by index; zero if nonbasic
    z_slope: np.ndarray     # (wide,) T's column of the variable last evaluated, as z and w
    w_slope: np.ndarray     # (n,)
    z_early: np.ndarray     # (wide,) ratios of the ratio test, as z and w
    w_early: np.ndarray     # (n,)
    row: np.ndarray         # (wide,) T's row of the leaving variable, by K's columns
    part: np.ndarray        # (wide,) scratch for a part of a row or column


@routine
def make(M):
    """The tableau with all w basic; the caller writes column n."""
    n = len(M)
    wide = 4 * (n // 4 + 1)
    copied = np.zeros(n + 1, np.bool_)
    copied[n] = True
    places, numbers = np.full((4, n + 1), -1, np.int64), np.zeros((8, wide))     # two blocks: allocation is slow
    return Tableau(M, np.empty((n + 1, n)), copied, np.empty((n + 1, wide)), np.zeros(1, np.int64), places[0], places[1],
                   places[2], places[3, :n], numbers[0], numbers[1, :n], numbers[2], numbers[3, :n], numbers[4],
                   numbers[5, :n], numbers[6], numbers[7])


@inline
def borrowed(t):
    """The same tableau without reference counts; t must be named again after its last use."""
    return Tableau(borrow(t.matrix), borrow(t.columns), borrow(t.copied), borrow(t.inverse), borrow(t.size), borrow(t.inside),
                   borrow(t.outside), borrow(t.z_slot), borrow(t.w_slot), borrow(t.z), borrow(t.w), borrow(t.z_slope),
                   borrow(t.w_slope), borrow(t.z_early), borrow(t.w_early), borrow(t.row), borrow(t.part))


@routine
def copy(matrix, columns, copied, j):
    """Make a contiguous copy of column j of M, unless there is one."""
    if not copied[j]:
        copied[j] = True
        for i in range(len(matrix)):
            columns[j, i] = matrix[i, j]


@routine
def begin(t, basic):
    """Set the basis in which z_i is basic if basic[i], else w_i. False if it is singular; then all w are basic."""
    m = 0
    t.z_slot[:] = -1
    t.w_slot[:] = -1
    for i in range(len(basic)):
        if basic[i]:
            copy(t.matrix, t.columns, t.copied, i)
            t.inside[m], t.outside[m], t.z_slot[i], t.w_slot[i] = i, i, m, m
            m += 1
    t.size[0] = m
    if refresh(t):
        return True
    t.size[0] = 0
    t.z_slot[:] = -1
    t.w_slot[:] = -1
    return False


@routine
def refresh(t):
    """Recompute K from the columns of its basis, eq 2. False if the basis is singular."""
    m = t.size[0]
    for p in range(m):
        column = t.columns[t.inside[p]]
        for l in range(m):
            t.inverse[l, p] = column[t.outside[l]]
    return dense.invert(t.inverse, m)


@routine
def evaluate(t, q):
    """Compute the basic variables, eqs 2 and 3."""
    m, n = t.size[0], len(q)
    for l in range(m):
        t.part[l] = -q[t.outside[l]]
    vectors.multiply(t.inverse, t.part, t.z, m, m)
    assign(t.w, q)
    vectors.combine(t.columns, t.inside, t.z, t.w, m, n)
    for l in range(m):
        t.w[t.outside[l]] = 0.0


@inline
def column(t, j, of_w, z_slope, w_slope):
    """T's column of the nonbasic w_j (`of_w`) or z_j, by eqs 2 and 3. Returns its error, the residual of the rows R."""
    m, n = t.size[0], len(t.w)
    K, columns, outside, part = t.inverse, t.columns, t.outside, t.part
    if of_w:
        c = t.w_slot[j]
        for p in range(m):
            z_slope[p] = K[p, c]
        for i in range(n):
            w_slope[i] = 0.0
    else:
        copy(t.matrix, columns, t.copied, j)
        for i in range(n):
            w_slope[i] = columns[j, i]
        for l in range(m):
            part[l] = -w_slope[outside[l]]
        vectors.multiply(K, part, z_slope, m, m)
    vectors.combine(columns, t.inside, z_slope, w_slope, m, n)
    error = 0.0
    for l in range(m):
        i = outside[l]
        error = max(error, abs(w_slope[i] - (1.0 if of_w and i == j else 0.0)))
        w_slope[i] = 0.0
    return error


@inline
def row(matrix, columns, K, inside, m, i, part, result):
    """T's row of the basic w_i by K's columns: result (m,) = M_iA K, and K's padding up to a multiple of 4."""
    n = len(matrix)
    for p in range(m):
        j = inside[p]
        part[p] = matrix[i, j] if j < n else columns[n, i]
    for l in range(0, m, 4):
        total = lanes.fill(0.0)
        for p in range(m):
            total = total + lanes.fill(part[p]) * lanes.load4(K[p], l)
        lanes.store4(result, l, total)


@inline
def entry(columns, K, inside, m, i, c):
    """T's entry in the row of the basic w_i and column c of K."""
    total = 0.0
    for p in range(m):
        total += columns[inside[p], i] * K[p, c]
    return total


@inline
def exchange_pivot(t, entering, enters_w, leaving, leaves_w):
    """Eq 4 on K; the column of the entering variable is in z_slope and w_slope. The caller updates the values."""
    K, m, line, slopes = t.inverse, t.size[0], t.row, t.z_slope
    p, c = m, m                     # K's row and column of the exchange; new ones unless present
    if leaves_w:
        row(t.matrix, t.columns, K, t.inside, m, leaving, t.part, line)
        pivot = t.w_slope[leaving]
    else:
        p = t.z_slot[leaving]
        for l in range(m):
            line[l] = K[p, l]
        pivot = slopes[p]
    if enters_w:
        c = t.w_slot[entering]
    for i in range(m):
        f = slopes[i] / pivot
        if f != 0.0:
            target, factor = K[i], lanes.fill(f)
            for l in range(0, m, 4):
                lanes.store4(target, l, lanes.load4(target, l) - factor * lanes.load4(line, l))
        if leaves_w:
            K[i, c] = f
    if not enters_w:
        for l in range(m):
            K[p, l] = -line[l] / pivot
        if leaves_w:
            K[m, m] = 1.0 / pivot
    relabel(t, entering, enters_w, leaving, leaves_w, p, c)


@inline
def relabel(t, entering, enters_w, leaving, leaves_w, p, c):
    """Update the slots after the exchange; a removed row and column are replaced by the last ones."""
    K, m = t.inverse, t.size[0]
    if leaves_w:
        t.outside[c] = leaving
        t.w_slot[leaving] = c
    else:
        t.z_slot[leaving] = -1
    if enters_w:
        t.w_slot[entering] = -1
    else:
        t.inside[p] = entering
        t.z_slot[entering] = p
    if leaves_w and not enters_w:
        t.size[0] = m + 1
    elif enters_w and not leaves_w:
        last = m - 1
        if p != last:
            assign(K[p, :m], K[last, :m])
            t.inside[p], t.z[p] = t.inside[last], t.z[last]
            t.z_slot[t.inside[p]] = p
        if c != last:
            for i in range(last):
                K[i, c] = K[i, last]
            t.outside[c] = t.outside[last]
            t.w_slot[t.outside[c]] = c
        t.size[0] = last
