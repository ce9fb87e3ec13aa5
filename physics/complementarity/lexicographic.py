"""Ratio test, which chooses the leaving variable, with lexicographic tie-breaking.

A pivot lets the entering variable grow until the first basic variable reaches zero (g: rate at which each falls):

    (1) t = min x_i / g_i over g_i > 0

If several reach zero at once (degeneracy), an arbitrary choice can cycle for ever. So the perturbed problem is considered,

    (2) q(e) = q + B_0 (e, e^2, ..., e^n)           e > 0, infinitesimal; B_0: the initial basis

in which there are no ties: the leaving variable has the lexicographically smallest row of (x, B^-1 B_0) / g (Cottle, Pang, Stone,
"The Linear Complementarity Problem", section 4.9). Column k of B^-1 B_0 is -T's column of the variable that was initially basic
in row k, or the unit vector of that variable while it is still basic. So only the columns needed are computed, and only in tied
rows.
"""

import numpy as np

from physics.complementarity import tableau, vectors
from physics.core import lanes
from physics.core.jit import inline, routine

NONE = -1
TIE = 1e-12
"""Values that reach zero within this fraction of the largest value are tied."""
THIN = 1e-6
"""A pivot below this fraction of the largest slope is thin: several of them lose all digits."""


@inline
def leaving(t, start, share, tied):
    """The leaving variable, by eqs 1 and 2: (index, whether it is a w, whether the pivot is thin); NONE if none falls: a ray.

    share: a slope below this fraction of the largest one counts as zero: a pivot on it would lose as many digits.
    `tied` (2n + 1,): scratch for the tied ones: a z as its index, a w as n + 1 + index. The covering variable leaves whenever it
    can: then the problem is solved.
    """
    n, m = len(t.w), t.size[0]
    largest = max(vectors.largest(t.z_slope, m), vectors.largest(t.w_slope, n))
    flat = share * largest
    best = min(shortest(t.z, t.z_slope, flat, t.z_early, m), shortest(t.w, t.w_slope, flat, t.w_early, n))
    if best == np.inf:
        return NONE, False, False
    best, count, inside, z_early, w_early = max(best, 0.0), 0, t.inside, t.z_early, t.w_early
    for p in range(m):
        if z_early[p] <= best:
            if inside[p] == n:
                return n, False, False
            tied[count] = inside[p]
            count += 1
    whole, one, zero, limit = n - n % 4, lanes.fill(1.0), lanes.fill(0.0), lanes.fill(best)
    for i in range(0, whole, 4):
        if lanes.any_greater(lanes.greater(lanes.load4(w_early, i), limit, zero, one), zero):    # one of four is at most `best`
            count = gather(w_early, best, i, i + 4, tied, count)
    count = gather(w_early, best, whole, n, tied, count)
    chosen = tied[0] if count == 1 else smallest_row(t, start, tied, count)
    thin = -slope(t, chosen, n) < THIN * largest
    return (chosen - n - 1, True, thin) if chosen > n else (chosen, False, thin)


@inline
def gather(w_early, best, first, last, tied, count):
    """Append those w from first to last whose early ratio is at most the best; returns the number of tied ones."""
    for i in range(first, last):
        if w_early[i] <= best:
            tied[count] = len(w_early) + 1 + i
            count += 1
    return count


@routine
def shortest(values, slopes, flat, early, n):
    """The smallest ratio of eq 1, inf if none falls; early (n,): ratios at which a value is within the tie tolerance of zero.

    A value is tied if its early ratio is at most the smallest. Both are computed for all values, falling or not: without
    branches four are processed at once.
    """
    near = TIE * vectors.largest(values, n)
    whole, zero, never = n - n % 4, lanes.fill(0.0), lanes.fill(np.inf)
    width, least, first = lanes.fill(near), lanes.fill(flat), never
    for i in range(0, whole, 4):
        value, fall = lanes.load4(values, i), zero - lanes.load4(slopes, i)
        lanes.store4(early, i, lanes.greater(fall, least, (value - width) / fall, never))
        ratio = lanes.greater(fall, least, value / fall, never)
        first = lanes.greater(first, ratio, ratio, first)
    best = -lanes.highest(zero - first)
    for i in range(whole, n):
        falls = -slopes[i] > flat
        early[i] = (values[i] - near) / -slopes[i] if falls else np.inf
        best = min(best, values[i] / -slopes[i] if falls else np.inf)
    return best


@routine
def smallest_row(t, start, tied, count):
    """The tied variable whose row of B^-1 B_0 / g is lexicographically smallest, eq 2."""
    n = len(t.w)
    values, z_column, w_column = np.empty(count), np.empty(n + 1), np.empty(n)
    for k in range(n):
        if count == 1:
            break
        own = k if start[k] else n + 1 + k
        if (t.z_slot[k] >= 0) if start[k] else (t.w_slot[k] < 0):
            count = without(tied, count, own)
            continue
        if start[k]:
            tableau.column(t, k, False, z_column, w_column)
        for a in range(count):
            v = tied[a]
            if start[k]:
                part = w_column[v - n - 1] if v > n else z_column[t.z_slot[v]]
            elif v > n:
                part = tableau.entry(t.columns, t.inverse, t.inside, t.size[0], v - n - 1, t.w_slot[k])
            else:
                part = t.inverse[t.z_slot[v], t.w_slot[k]]
            values[a] = part / slope(t, v, n)
        count = select_smallest(tied, values, count)
    return tied[0]


@inline
def slope(t, variable, n):
    """T's entry of the entering column in the row of a tied variable."""
    return t.w_slope[variable - n - 1] if variable > n else t.z_slope[t.z_slot[variable]]


@inline
def without(tied, count, own):
    """Drop `own`, whose unit vector makes it larger than all others; returns the number left."""
    kept = 0
    for a in range(count):
        if tied[a] != own:
            tied[kept] = tied[a]
            kept += 1
    return kept


@inline
def select_smallest(tied, values, count):
    """Keep those with the smallest value; returns their number."""
    least, size = np.inf, 0.0
    for a in range(count):
        least = min(least, values[a])
        size = max(size, abs(values[a]))
    kept = 0
    for a in range(count):
        if values[a] <= least + TIE * size:
            tied[kept] = tied[a]
            kept += 1
    return kept
