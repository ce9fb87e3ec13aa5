"""Newton's method for contacts and bounded rows of joints, in the problem of reduced_problem.py: where things hold themselves,
as a roller in a narrowing gap or a cam, sweeps build up the load by a few per cent each, and keep what is uneven in it.

With w = W p + .. the errors, r a rate of each contact's normal, of its friction and of each other row, and P the projection onto
the cone or the bounds,

    F(p) = p - P(p - r w) = 0                                                                                (1)
    (1 - D + D r (W + epsilon)) d = -F,   D: derivative of P at p - r w,   p <- p + d                        (2)

It begins where the impulses are. If that fails, it begins without impulses, which leads to what slides; then as if all contacts
held, D = 1, with the least change of the impulses for which nothing moves: if that is within all bounds it is the solution,
else few steps are left. There may be several solutions. Of one that presses more than before and one that slides the latter is
chosen, as the exact solver chooses the least normal impulses: a wide drawer would jam of itself, pressed between its rails by
nothing but friction. After P. Alart and A. Curnier, see complementarity/friction_newton.py.

What is clamped may be held by the four corners of a face in many ways, and friction, which follows, may turn it. Of these
solutions the one with the least squares of normal impulses n is what surfaces that yield alike have (A. N. Tikhonov):

    w_n <- w_n + YIELD diag(W_nn) n                                                                          (3)
"""

import math

import numpy as np

from physics.complementarity import dense
from physics.contact.friction_cone import inside, project
from physics.contact.laws import loss_factor
from physics.core.jit import inline, routine
from physics.core.records import Bound
from physics.solvers.impulses.reduced_problem import push, row_impulses, set_row_impulses

MAX_STEPS = 15

EPSILON, DIFFERENCE = 1e-9, 1e-6
"""Epsilon of (2): redundant supports share; share of a radius of friction over which its differences are taken."""

YIELD = 1e-7
"""Softness of normals in (3), as a share of W_rr."""

SAME_PRESSURE = 1e-6
"""Share by which the squares of normal impulses may grow, and count as the same."""

_CONE, _ONE_SIDED, _DISC = int(Bound.CONE), int(Bound.ONE_SIDED), int(Bound.DISC)


@routine
def solve(reduced, polygon, tolerance):
    """Solve until no row's |F| / r is above the tolerance [m/s]; False if that fails, with the impulses as before."""
    before = _pressure(reduced)
    found = solve_from(reduced, polygon, tolerance, False)
    if found and _pressure(reduced) <= (1.0 + SAME_PRESSURE) * before:
        return True
    first, pressure = row_impulses(reduced), _pressure(reduced)
    set_row_impulses(reduced, np.zeros(first.shape[0]))
    slides = solve_from(reduced, polygon, tolerance, False)
    if slides and (not found or _pressure(reduced) < pressure):
        return True
    set_row_impulses(reduced, first)
    return found or solve_from(reduced, polygon, tolerance, True)


@routine
def solve_evenly(reduced, polygon, tolerance, everywhere):
    """The solution with the least squares of normal impulses, as of surfaces that yield alike: (3), then (1) from there, by (3)
    about it. everywhere: by `solve`, else by `solve_from`."""
    _soften(reduced, YIELD)
    if everywhere:
        found = solve(reduced, polygon, tolerance)
    else:
        found = solve_from(reduced, polygon, tolerance, False)
    even = row_impulses(reduced)
    _offset(reduced, even, -YIELD)
    found = found and solve_from(reduced, polygon, tolerance, False)
    _offset(reduced, even, YIELD)
    _soften(reduced, -YIELD)
    return found


@routine
def _soften(reduced, share):
    """Add (3) to W and to the errors; the share with a minus removes it."""
    for k in range(reduced.blocks.shape[0]):
        if reduced.blocks[k].bound == _CONE:
            r = reduced.blocks[k].first
            yields = share / reduced.inverse[r, 0]
            reduced.matrix[r, r] += yields
            reduced.error[r] += yields * reduced.rows[r].impulse


@routine
def _offset(reduced, impulses, share):
    """Count (3) from these impulses, by the share with a minus; by the share from none again."""
    for k in range(reduced.blocks.shape[0]):
        if reduced.blocks[k].bound == _CONE:
            r = reduced.blocks[k].first
            reduced.error[r] += share / reduced.inverse[r, 0] * impulses[r]


@routine
def _pressure(reduced):
    """Sum of the squares of the normal impulses."""
    total = 0.0
    for k in range(reduced.blocks.shape[0]):
        if reduced.blocks[k].bound == _CONE:
            p = reduced.rows[reduced.blocks[k].first].impulse
            total += p * p
    return total


@routine
def solve_from(reduced, polygon, tolerance, hold):
    """`solve` from the impulses as they are. hold: the first step is taken as if everything held, else not."""
    m = reduced.rows.shape[0]
    system, step, swaps, given = np.empty((m, m)), np.empty(m), np.empty(m, np.int64), row_impulses(reduced)
    for count in range(MAX_STEPS + 1):
        holds = hold and count == 0
        worst = _write(reduced, polygon, system, step, holds)
        if worst <= tolerance and not holds:
            return True
        if not worst < math.inf or not dense.factor(system, swaps, m):
            break
        dense.solve(system, swaps, step, m)
        for r in range(m):
            push(reduced, r, step[r])
    set_row_impulses(reduced, given)
    return False


@routine
def _write(reduced, polygon, system, step, hold):
    """Write the system and the right side -F of (2); returns the largest |F| / r. hold: as if everything held."""
    worst = 0.0
    for k in range(reduced.blocks.shape[0]):
        block = reduced.blocks[k]
        rate = block.gradient_step
        if block.bound == _CONE:
            rate = reduced.inverse[block.first, 0]
            _write_contact(reduced, polygon, block, rate, system, step, hold)
        elif block.bound == _DISC:
            _write_disc(reduced, block, system, step)
        else:
            _write_interval(reduced, block, system, step)
        worst = max(worst, abs(step[block.first]) / rate)
        for r in range(block.first + 1, block.first + block.count):
            worst = max(worst, abs(step[r]) / block.gradient_step)
    return worst


@routine
def _write_interval(reduced, block, system, step):
    """The row of a limit or of a motor."""
    r = block.first
    p = reduced.rows[r].impulse
    aim = p - block.gradient_step * reduced.error[r]
    lower, upper = (0.0, math.inf) if block.bound == _ONE_SIDED else (block.lower, block.upper)
    if lower < aim < upper:
        _hold(reduced, r, block.gradient_step, system, step)
    else:
        _prescribe(r, (lower if aim <= lower else upper) - p, system, step)


@routine
def _write_disc(reduced, block, system, step):
    """The rows of a joint's friction: D = s 1 + (s_x |x| - s) x x^T / |x|^2 where P scales x = p - r w by s, and s_x |x| is the
    share of a longer x that viscous friction adds."""
    rows, error, matrix, first, rate = reduced.rows, reduced.error, reduced.matrix, block.first, block.gradient_step
    size = 0.0
    for r in range(first, first + block.count):
        x = rows[r].impulse - rate * error[r]
        size += x * x
    size = math.sqrt(size)
    scale, longer = loss_factor(block.limit, block.viscous, rate, size), block.viscous / (block.viscous + rate)
    for r in range(first, first + block.count):
        if size <= block.limit:
            _hold(reduced, r, rate, system, step)
            continue
        x, p = rows[r].impulse - rate * error[r], rows[r].impulse
        for s in range(system.shape[0]):
            system[r, s] = 0.0
        for q in range(first, first + block.count):
            d = (longer - scale) * x * (rows[q].impulse - rate * error[q]) / (size * size) + (scale if q == r else 0.0)
            for s in range(system.shape[0]):
                system[r, s] += rate * d * matrix[q, s]
            system[r, q] -= d
        system[r, r] += 1.0
        step[r] = scale * x - p


@routine
def _write_contact(reduced, polygon, block, rate, system, step, hold):
    """The rows of a contact. P of friction is piecewise smooth: its derivatives are differences."""
    rows, error, matrix, first, sliding = reduced.rows, reduced.error, reduced.matrix, block.first, block.gradient_step
    aim = rows[first].impulse - rate * error[first]
    if aim > 0.0 or hold:
        _hold(reduced, first, rate, system, step)
    else:
        _prescribe(first, -rows[first].impulse, system, step)
    radius, p = block.mu * max(0.0, aim), (rows[first + 1].impulse, rows[first + 2].impulse)
    x, y = p[0] - sliding * error[first + 1], p[1] - sliding * error[first + 2]
    if (hold and block.mu > 0.0) or (radius > 0.0 and inside(polygon, radius, x, y)):
        _hold(reduced, first + 1, sliding, system, step)
        _hold(reduced, first + 2, sliding, system, step)
        return
    if radius <= 0.0:
        _prescribe(first + 1, -p[0], system, step)
        _prescribe(first + 2, -p[1], system, step)
        return
    d, there = DIFFERENCE * radius, project(polygon, radius, x, y)
    by_x, by_y = project(polygon, radius, x + d, y), project(polygon, radius, x, y + d)
    by_radius = project(polygon, radius + d, x, y)
    for i in range(2):
        r, along, across = first + 1 + i, (by_x[i] - there[i]) / d, (by_y[i] - there[i]) / d
        grows = block.mu * (by_radius[i] - there[i]) / d
        for s in range(system.shape[0]):
            system[r, s] = (sliding * (along * matrix[first + 1, s] + across * matrix[first + 2, s])
                            + grows * rate * matrix[first, s])
        system[r, first] -= grows
        system[r, first + 1] -= along
        system[r, first + 2] -= across
        system[r, r] += 1.0
        step[r] = there[i] - p[i]


@inline
def _hold(reduced, r, rate, system, step):
    """Row r of (2) with D = 1."""
    for s in range(system.shape[0]):
        system[r, s] = rate * reduced.matrix[r, s]
    system[r, r] += EPSILON
    step[r] = -rate * reduced.error[r]


@inline
def _prescribe(r, change, system, step):
    """Row r of (2) with D = 0: p changes by that much."""
    for s in range(system.shape[0]):
        system[r, s] = 0.0
    system[r, r], step[r] = 1.0, change
