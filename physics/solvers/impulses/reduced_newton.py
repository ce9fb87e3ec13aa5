"""Newton's method for the problem of reduced_problem.py: where things hold themselves, as a roller in a narrowing gap, sweeps
build up the load by a few per cent each, and keep what is uneven in it.

With w = W p + .. the errors, r a rate of each block and P the projection onto its bound (contact/laws.py; round cones only),

    F(p) = p - P(p - r w) = 0                                                                                (1)
    (1 - D + D r (W + epsilon)) d = -F,   D: derivative of P at p - r w,   p <- p + d                        (2)

The first step is taken as if everything held, D = 1: the least change of the impulses for which nothing moves. If it is within
all bounds it is the solution; else few steps are left. After P. Alart and A. Curnier, see complementarity/friction_newton.py.
"""

import math

import numpy as np

from physics.complementarity import dense
from physics.core.jit import inline, routine
from physics.core.records import Bound
from physics.solvers.impulses.reduced_problem import push

MAX_STEPS = 15

EPSILON = 1e-9
"""Of (2): redundant supports share."""

_CONE, _ONE_SIDED, _INTERVAL = int(Bound.CONE), int(Bound.ONE_SIDED), int(Bound.INTERVAL)


@routine
def solve(reduced, tolerance):
    """Solve from the impulses as they are, until no row's |F| / r is above the tolerance [m/s]; False if that fails, with the
    impulses as before."""
    m, worst = reduced.rows.shape[0], math.inf
    system, step, swaps, total = np.empty((m, m)), np.empty(m), np.empty(m, np.int64), np.zeros(m)
    for count in range(MAX_STEPS + 1):
        worst = _write(reduced, system, step, count == 0)
        if count > 0 and worst <= tolerance:
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
def _write(reduced, system, step, hold):
    """Write the system and the right side -F of (2); returns the largest |F| / r. hold: as if everything held."""
    rows, error, worst = reduced.rows, reduced.error, 0.0
    for k in range(reduced.blocks.shape[0]):
        block = reduced.blocks[k]
        first, rate, p = block.first, block.gradient_step, rows[block.first].impulse
        if block.bound == _CONE:
            rate = reduced.inverse[first, 0]
            _write_cone(reduced, block, rate, system, step, hold)
        elif block.bound == _ONE_SIDED or block.bound == _INTERVAL:
            lower, upper = (0.0, math.inf) if block.bound == _ONE_SIDED else (block.lower, block.upper)
            aim = p - rate * error[first]
            if (lower < aim < upper) or (hold and lower < upper):
                _hold(reduced, first, rate, system, step)
            else:
                _keep(first, max(lower, min(upper, aim)) - p, system, step)
        else:
            _write_disc(reduced, first, block.count, rate, block.limit, block.viscous, 0.0, system, step,
                        hold and block.limit > 0.0)
        for r in range(first, first + block.count):
            worst = max(worst, abs(step[r]) / rate)
    return worst


@routine
def _write_cone(reduced, block, rate, system, step, hold):
    """The rows of a contact."""
    first = block.first
    aim = reduced.rows[first].impulse - rate * reduced.error[first]
    if aim > 0.0 or hold:
        _hold(reduced, first, rate, system, step)
    else:
        _keep(first, -reduced.rows[first].impulse, system, step)
    _write_disc(reduced, first + 1, 2, block.gradient_step, block.mu * max(0.0, aim), 0.0, block.mu if aim > 0.0 else 0.0,
                system, step, hold and block.mu > 0.0)


@routine
def _write_disc(reduced, first, count, rate, radius, viscous, mu, system, step, hold):
    """Rows that are bounded together by a radius that grows by mu times the normal impulse, of the row before them."""
    rows, error, m, size = reduced.rows, reduced.error, system.shape[0], 0.0
    for r in range(first, first + count):
        step[r] = rows[r].impulse - rate * error[r]
        size += step[r] * step[r]
    size = math.sqrt(size)
    if hold or size < radius:
        for r in range(first, first + count):
            _hold(reduced, r, rate, system, step)
        return
    if radius <= 0.0 and viscous == 0.0:
        for r in range(first, first + count):
            _keep(r, -rows[r].impulse, system, step)
        return
    along = viscous / (viscous + rate)
    shrunk = (along * size + (1.0 - along) * radius) / size
    for i in range(count):
        r = first + i
        for s in range(m):
            system[r, s] = 0.0
        for j in range(count):
            slope = (along - shrunk) * (rows[r].impulse - rate * error[r]) * (rows[first + j].impulse - rate * error[first + j])
            slope = slope / (size * size) + (shrunk if i == j else 0.0)
            for s in range(m):
                system[r, s] += slope * rate * reduced.matrix[first + j, s]
            system[r, first + j] -= slope
        system[r, r] += 1.0
        toward = (rows[r].impulse - rate * error[r]) / size
        if mu > 0.0:
            normal_rate = reduced.inverse[first - 1, 0]
            for s in range(m):
                system[r, s] += mu * toward * normal_rate * reduced.matrix[first - 1, s]
            system[r, first - 1] -= mu * toward
        step[r] = shrunk * size * toward - rows[r].impulse


@inline
def _hold(reduced, r, rate, system, step):
    """Row r of (2) with D = 1."""
    for s in range(system.shape[0]):
        system[r, s] = rate * reduced.matrix[r, s]
    system[r, r] += EPSILON
    step[r] = -rate * reduced.error[r]


@inline
def _keep(r, change, system, step):
    """Row r of (2) with D = 0: p changes by that much."""
    for s in range(system.shape[0]):
        system[r, s] = 0.0
    system[r, r], step[r] = 1.0, change
