"""Newton's method for the problem of reduced_problem.py: where things hold themselves, as a roller in a narrowing gap, sweeps
build up the load by a few per cent each, and keep what is uneven in it.

With w = W p + .. the errors, r a rate of each block and P the projection onto its bound (contact/laws.py),

    F(p) = p - P(p - r w) = 0                                                                                (1)
    (1 - D + D r (W + epsilon)) d = -F,   D: derivative of P at p - r w,   p <- p + d                        (2)

Where what slid slides on, that converges at once. Else the first step is taken as if everything held, D = 1: the least change
of the impulses for which nothing moves. If it is within all bounds it is the solution; else few steps are left. (There may be
several solutions: from there, one in which a drawer that slides begins to rattle.) After P. Alart and A. Curnier, see
complementarity/friction_newton.py.
"""

import math

import numpy as np

from physics.complementarity import dense
from physics.contact.friction_cone import inside, project
from physics.contact.laws import loss_factor
from physics.core.jit import inline, routine
from physics.core.records import Bound
from physics.solvers.impulses.reduced_problem import push

MAX_STEPS = 15

EPSILON, DIFFERENCE = 1e-9, 1e-6
"""Epsilon of (2): redundant supports share; share of a radius of friction over which its differences are taken."""

_CONE, _ONE_SIDED, _INTERVAL = int(Bound.CONE), int(Bound.ONE_SIDED), int(Bound.INTERVAL)


@routine
def solve(reduced, polygon, tolerance):
    """Solve from the impulses as they are, until no row's |F| / r is above the tolerance [m/s]; False if that fails, with the
    impulses as before."""
    return _solve_from(reduced, polygon, tolerance, False) or _solve_from(reduced, polygon, tolerance, True)


@routine
def _solve_from(reduced, polygon, tolerance, hold):
    """`solve`, with a first step in which everything holds, or not."""
    m, worst = reduced.rows.shape[0], math.inf
    system, step, swaps, total = np.empty((m, m)), np.empty(m), np.empty(m, np.int64), np.zeros(m)
    for count in range(MAX_STEPS + 1):
        worst = _write(reduced, polygon, system, step, hold and count == 0)
        if worst <= tolerance and not (hold and count == 0):
            return True
        if not worst < math.inf or not dense.factor(system, swaps, m):
            break
        dense.solve(system, swaps, step, m)
        for r in range(m):
            total[r] += step[r]
            push(reduced, r, step[r])
    for r in range(m):
        push(reduced, r, -total[r])
    return False


@routine
def _write(reduced, polygon, system, step, hold):
    """Write the system and the right side -F of (2); returns the largest |F| / r. hold: as if everything held."""
    rows, error, worst = reduced.rows, reduced.error, 0.0
    for k in range(reduced.blocks.shape[0]):
        block = reduced.blocks[k]
        first, rate, p = block.first, block.gradient_step, rows[block.first].impulse
        if block.bound == _CONE:
            rate = reduced.inverse[first, 0]
            _write_cone(reduced, polygon, block, rate, system, step, hold)
        elif block.bound == _ONE_SIDED or block.bound == _INTERVAL:
            lower, upper = (0.0, math.inf) if block.bound == _ONE_SIDED else (block.lower, block.upper)
            aim = p - rate * error[first]
            if (lower < aim < upper) or (hold and lower < upper):
                _hold(reduced, first, rate, system, step)
            else:
                _prescribe(first, max(lower, min(upper, aim)) - p, system, step)
        else:
            _write_disc(reduced, block, rate, system, step, hold)
        for r in range(first, first + block.count):
            worst = max(worst, abs(step[r]) / rate)
    return worst


@routine
def _write_cone(reduced, polygon, block, rate, system, step, hold):
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


@routine
def _write_disc(reduced, block, rate, system, step, hold):
    """The rows of a joint's friction."""
    rows, error, first, end, size = reduced.rows, reduced.error, block.first, block.first + block.count, 0.0
    for r in range(first, end):
        aim = rows[r].impulse - rate * error[r]
        size += aim * aim
    size = math.sqrt(size)
    if size < block.limit or (hold and block.limit > 0.0):
        for r in range(first, end):
            _hold(reduced, r, rate, system, step)
        return
    if size == 0.0:
        for r in range(first, end):
            _prescribe(r, -rows[r].impulse, system, step)
        return
    along = block.viscous / (block.viscous + rate)
    shrunk = loss_factor(block.limit, block.viscous, rate, size)
    for r in range(first, end):
        aim = rows[r].impulse - rate * error[r]
        for s in range(system.shape[0]):
            system[r, s] = 0.0
        for q in range(first, end):
            slope = (along - shrunk) * aim * (rows[q].impulse - rate * error[q]) / (size * size) + (shrunk if q == r else 0.0)
            for s in range(system.shape[0]):
                system[r, s] += slope * rate * reduced.matrix[q, s]
            system[r, q] -= slope
        system[r, r] += 1.0
        step[r] = shrunk * aim - rows[r].impulse


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
