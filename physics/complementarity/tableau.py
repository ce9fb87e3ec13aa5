"""The tableau of a complementarity problem, of which only a small inverse is kept.

With the covering vector d as column n of M and its variable z_n (Lemke's z_0),

    (1) w = q + M z + d z_n                    the tableau writes basic variables by nonbasic ones: x = x' + T y

Let A be the indices of the basic z, R the rows whose w is nonbasic; there are as many. The rows R of (1) give the basic z, and
those the basic w (a block pivot; Cottle, Pang, Stone, "The Linear Complementarity Problem", section 2.3):

    (2) K = M_RA^-1                            z_A = K (w_R - q_R - M_Rj z_j)
    (3) w_B = q_B + M_BA z_A + M_Bj z_j        B: the rows whose w is basic

so T's columns for nonbasic w are K's and M_BA K, and any column or row of T costs |A| times its length. In problems of contacts
most z are zero and |A| is a small part of n. Exchanging a nonbasic c and a basic p, pivot t = T_pc, changes K by rank one:

    (4) T_ip = T_ic / t     T_cl = -T_pl / t     T_cp = 1 / t     T_il -= T_ic T_pl / t
"""

from typing import NamedTuple

import numpy as np

from physics.complementarity import dense, vectors
from physics.core.jit import inline, routine


class Tableau(NamedTuple):
    """A basis of (1) and its numbers. `slot`: where a basic z stands in K's rows, a nonbasic w in K's columns, else -1."""

    columns: np.ndarray     # (n + 1, n) M^T, and d as last row: columns[j] is what z_j is multiplied with in (1)
    inverse: np.ndarray     # (n + 1, n + 1) K, its leading size x size part
    size: np.ndarray        # (1,)
    inside: np.ndarray      # (n + 1,) the z of each row of K
    outside: np.ndarray     # (n + 1,) the w of each column of K
    z_slot: np.ndarray      # (n + 1,)
    w_slot: np.ndarray      # (n,)
    z: np.ndarray           # (n + 1,) values of basic z, by slot
    w: np.ndarray           # (n,) values of basic w, by index; those of nonbasic w mean nothing
    z_slope: np.ndarray     # (n + 1,) T's column of the variable that was last asked for, as z and w
    w_slope: np.ndarray     # (n,)
    row: np.ndarray         # (n + 1,) T's row of the leaving variable, by K's columns


@routine
def make(M):
    """The tableau with all w basic; column n, the covering vector's, is zero."""
    n = len(M)
    columns = np.empty((n + 1, n))
    vectors.transpose(M, columns, n, n)
    columns[n] = 0.0
    return Tableau(columns, np.empty((n + 1, n + 1)), np.zeros(1, np.int64), np.empty(n + 1, np.int64), np.empty(n + 1, np.int64),
                   np.full(n + 1, -1, np.int64), np.full(n, -1, np.int64), np.zeros(n + 1), np.zeros(n), np.zeros(n + 1),
                   np.zeros(n), np.zeros(n + 1))


@routine
def begin(t, basic):
    """Take the basis in which z_i is basic where basic[i], else w_i. False if there is none; then all w are basic."""
    m = 0
    t.z_slot[:] = -1
    t.w_slot[:] = -1
    for i in range(len(basic)):
        if basic[i]:
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
    """K afresh from the columns of its basis, eq 2. False if the basis is singular."""
    m = t.size[0]
    for p in range(m):
        column = t.columns[t.inside[p]]
        for l in range(m):
            t.inverse[l, p] = column[t.outside[l]]
    return dense.invert(t.inverse, m)


@routine
def evaluate(t, q):
    """Values of the basic variables, eqs 2 and 3."""
    m, n = t.size[0], len(q)
    for l in range(m):
        t.row[l] = q[t.outside[l]]
    for p in range(m):
        t.z[p] = -vectors.dot(t.inverse[p], t.row, m)
    t.w[:] = q
    accumulate(t, t.z, t.w, m, n)


@routine
def accumulate(t, z, w, m, n):
    """w += M_.A z, four columns at a time."""
    whole = m - m % 4
    for p in range(0, whole, 4):
        a, b, c, d = z[p], z[p + 1], z[p + 2], z[p + 3]
        first, second = t.columns[t.inside[p]], t.columns[t.inside[p + 1]]
        third, fourth = t.columns[t.inside[p + 2]], t.columns[t.inside[p + 3]]
        for i in range(n):
            w[i] += (a * first[i] + b * second[i]) + (c * third[i] + d * fourth[i])
    for p in range(whole, m):
        vectors.add(z[p], t.columns[t.inside[p]], w, n)


@routine
def column(t, j, of_w, z_slope, w_slope):
    """T's column of the nonbasic w_j (`of_w`) or z_j, by eqs 2 and 3. Returns its error: what the rows R are off by."""
    m, n = t.size[0], len(t.w)
    if of_w:
        c = t.w_slot[j]
        for p in range(m):
            z_slope[p] = t.inverse[p, c]
        w_slope[:] = 0.0
    else:
        source = t.columns[j]
        for l in range(m):
            t.row[l] = source[t.outside[l]]
        for p in range(m):
            z_slope[p] = -vectors.dot(t.inverse[p], t.row, m)
        w_slope[:] = source
    accumulate(t, z_slope, w_slope, m, n)
    error = 0.0
    for l in range(m):
        i = t.outside[l]
        error = max(error, abs(w_slope[i] - (1.0 if of_w and i == j else 0.0)))
    return error


@routine
def row(t, i):
    """T's row of the basic w_i by K's columns: M_iA K, left in t.row."""
    m = t.size[0]
    t.row[:m] = 0.0
    for p in range(m):
        f = t.columns[t.inside[p], i]
        if f != 0.0:
            vectors.add(f, t.inverse[p], t.row, m)


@inline
def entry(t, i, c):
    """T's number in the row of the basic w_i and column c of K."""
    total = 0.0
    for p in range(t.size[0]):
        total += t.columns[t.inside[p], i] * t.inverse[p, c]
    return total


@routine
def exchange(t, entering, enters_w, leaving, leaves_w):
    """Eq 4 on K; the column of the entering variable is in z_slope and w_slope. Values are the caller's to move on."""
    K, m = t.inverse, t.size[0]
    p, c = m, m                     # K's row and column that the exchange is about; new ones unless they are there
    if leaves_w:
        row(t, leaving)
        pivot = t.w_slope[leaving]
    else:
        p = t.z_slot[leaving]
        t.row[:m] = K[p, :m]
        pivot = t.z_slope[p]
    if enters_w:
        c = t.w_slot[entering]
    for i in range(m):
        f = t.z_slope[i] / pivot
        if f != 0.0:
            vectors.add(-f, t.row, K[i], m)
        if leaves_w:
            K[i, c] = f
    if not enters_w:
        for l in range(m):
            K[p, l] = -t.row[l] / pivot
        if leaves_w:
            K[m, m] = 1.0 / pivot
    relabel(t, entering, enters_w, leaving, leaves_w, p, c)


@routine
def relabel(t, entering, enters_w, leaving, leaves_w, p, c):
    """Who stands where after the exchange; a row and a column that went are filled with the last ones."""
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
            K[p, :m] = K[last, :m]
            t.inside[p], t.z[p] = t.inside[last], t.z[last]
            t.z_slot[t.inside[p]] = p
        if c != last:
            for i in range(last):
                K[i, c] = K[i, last]
            t.outside[c] = t.outside[last]
            t.w_slot[t.outside[c]] = c
        t.size[0] = last
