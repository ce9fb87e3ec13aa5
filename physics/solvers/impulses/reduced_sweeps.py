"""Sweeps over contacts and bounded rows of mechanisms in joint space: with the constraints of the joints eliminated.

A sweep over bodies (iterate.py) lets a contact push a link as if no joint held it; the joints then take most of it back. On light
links between heavy ones, as the feet of robots, this converges slowly or not in hundreds of sweeps. Here W and w = J V + softness
p - target are those of reduced_problem.py, P projects onto the bounds:

    p <- P(p - D^-1 w),   D_rr = sum_s |W_rs|, so D >= W                    projected Jacobi, all at once    (1)
    w <- w + W dp,   dp of each block in turn by contact/laws.py            projected Gauss-Seidel           (2)
    V <- V + M^-1 J_c^T (p - p0)                                            the joints are solved once more  (3)

Of redundant supports any may carry. (2) would load the first one most; (1), which comes first, spreads the load evenly: where no
bound is reached, p - p0 remains a combination of the columns of D^-1 W. The stress that a wedge holds in itself stays as it is.
Few rows of free bodies, and of mechanisms that clamp, are given to Newton's method (reduced_newton.py), from (1) if need be: (2)
holds a cam on a plate with one end of its line more than with the other, until that one slides. Between sweeps impulses are
extrapolated as in contact_sweeps.py. What is found counts only after a sweep over the bodies that changes no velocity by more
than the tolerance: these sweeps bring that one nearer, and judge nothing.
"""

import math
from typing import NamedTuple

import numpy as np

from physics.constraints.contact_batches import IMPULSE_N
from physics.contact.laws import friction_update, interval_update, loss_factor
from physics.core import lanes, stack
from physics.core.jit import inline, routine
from physics.core.records import Bound
from physics.core.row import apply
from physics.dynamics import direct_joint_solver
from physics.solvers.impulses import reduced_newton, reduced_problem
from physics.solvers.impulses.reduced_problem import MAX_ROWS_OF_FREE, SMALL, push, row_impulses, set_row_impulses

MAX_SPREADING_SWEEPS, SPREAD = 150, 1e-8
"""Most sweeps of (1); they end where one changes the impulses by less than this share of the largest change, squared."""

MAX_REDUCED_SWEEPS = 300
"""Of (2): more than it takes where impulses converge. Where rows contradict one another, as sticking points of one foot by some
um/s, impulses drift until one of them slides or opens: faster with each sweep, because they are extrapolated."""

_CONE, _ONE_SIDED, _INTERVAL, _DISC = (int(b) for b in (Bound.CONE, Bound.ONE_SIDED, Bound.INTERVAL, Bound.DISC))

_guess = stack.scratch(2, 6)


class Given(NamedTuple):
    """Impulses at the start of a problem. rows (n,): of the joints' table; points: of contacts (contact_sweeps.impulses_of)."""

    rows: np.ndarray
    points: np.ndarray


@routine
def relax_mechanisms(problem, given, first, again):
    """Run the sweeps for every mechanism that has few enough rows; changes impulses and velocities. first: begin from those
    given, not from the impulses as they are; again: mechanisms that clamp do so in any case. Returns whether some ended before
    they converged, and whether anything changed."""
    system, factors, bodies = problem.system, problem.system.factors, problem.system.layout.body_group.shape[0]
    root, size = np.empty(bodies, np.int64), np.empty(bodies, np.int64)
    direct_joint_solver.solve_joints(system.rows, system.blocks, factors, problem.velocity)
    near = reduced_problem.list_near(problem, root, size)
    reduced_problem.bar(problem, root)
    stuck, changed = False, factors.blocks.shape[0] > 0
    for n in range(bodies):
        if root[n] == n and size[n] > 0:
            reduced = reduced_problem.form(problem, root, near, n, size[n])
            free = system.layout.body_group[n] < 0
            evenly = (not free and problem.contacts.shape[0] <= SMALL and size[n] <= MAX_ROWS_OF_FREE
                      and reduced_problem.clamps(problem.patches, root, n))
            converged = _relax(problem, reduced, given, first or (again and evenly), free, evenly)
            changed |= converged
            stuck |= not converged and not free
    direct_joint_solver.solve_joints(system.rows, system.blocks, factors, problem.velocity)
    return stuck, changed


@routine
def _relax(problem, reduced, given, restart, free, evenly):
    """Newton's method where free bodies touch or a mechanism clamps; the sweeps for a mechanism otherwise, or where that fails.
    False if they ended before they converged."""
    polygon, tolerance = problem.settings.polygon, 0.1 * problem.settings.tolerance
    converged = (free or evenly) and _solve_few(problem, reduced, given, restart, evenly, tolerance)
    if not converged and not free:
        if restart:
            _start_from(reduced, problem.system.blocks, given)
        _spread_to_end(reduced, polygon)
        converged = _sweep_to_end(reduced, polygon, tolerance)
    _apply(problem, reduced)
    return converged


@routine
def _solve_few(problem, reduced, given, restart, evenly, tolerance):
    """Newton's method, from everywhere the first time; False if it failed, with the impulses as before."""
    swept, polygon = row_impulses(reduced), problem.settings.polygon
    if evenly:
        if restart:
            _start_from(reduced, problem.system.blocks, given)
        if reduced_newton.solve_evenly(reduced, polygon, tolerance, restart):
            return True
        set_row_impulses(reduced, swept)
    if not restart:
        return reduced_newton.solve_from(reduced, polygon, tolerance, False)
    _start_from(reduced, problem.system.blocks, given)
    if reduced_newton.solve(reduced, polygon, tolerance):
        return True
    _spread_to_end(reduced, polygon)
    if reduced_newton.solve_from(reduced, polygon, tolerance, True):
        return True
    set_row_impulses(reduced, swept)
    return False


@routine
def _start_from(reduced, table, given):
    """Set the impulses to those at the start: what the sweeps over bodies have done since is not spread evenly."""
    for k in range(reduced.blocks.shape[0]):
        block = reduced.blocks[k]
        for i in range(block.count):
            if block.bound == _CONE:
                p = given.points[block.index // lanes.WIDTH, i, block.index % lanes.WIDTH]
            else:
                p = given.rows[table[block.index].first + i]
            push(reduced, block.first + i, p - reduced.rows[block.first + i].impulse)


@routine
def _spread_to_end(reduced, polygon):
    """(1), until the impulses change little."""
    last, first, m = 0.0, 0.0, reduced.rows.shape[0]
    search, change = np.zeros(m), np.zeros(m)
    for _ in range(MAX_SPREADING_SWEEPS):
        total = _spread(reduced, change, polygon)
        first = max(first, total)
        if total <= SPREAD * first:
            break
        _extrapolate(reduced, search, change, min(1.0, total / last) if 0.0 < total <= last else 0.0)
        last = total


@routine
def _sweep_to_end(reduced, polygon, tolerance):
    """(2), until no block's velocity changes by more than the tolerance; False if they ended before."""
    last, m = 0.0, reduced.rows.shape[0]
    search, change = np.zeros(m), np.zeros(m)
    for _ in range(MAX_REDUCED_SWEEPS):
        largest, total = _sweep(reduced, change, polygon)
        if largest <= tolerance * tolerance:
            return True
        _extrapolate(reduced, search, change, min(1.0, total / last) if 0.0 < total <= last else 0.0)
        last = total
    return False


@routine
def _spread(reduced, change, polygon):
    """One sweep of (1), with its changes; returns the sum of their squares in the metric of D [J]."""
    rate, total = reduced.rate, 0.0
    for k in range(reduced.blocks.shape[0]):
        block = reduced.blocks[k]
        first = block.first
        for i in range(first, first + block.count):
            change[i] = reduced.rows[i].impulse - rate[i] * reduced.error[i]
        if block.bound == _INTERVAL:
            change[first] = max(block.lower, min(block.upper, change[first]))
        elif block.bound == _DISC:
            _shrink(change[first : first + block.count], block.limit, block.viscous, rate[first])
        else:
            change[first] = max(0.0, change[first])
        if block.bound == _CONE:
            x, y = change[first + 1], change[first + 2]
            change[first + 1], change[first + 2], _ = friction_update(polygon, block.mu * change[first], (x, y), (x, y))
        for i in range(first, first + block.count):
            change[i] -= reduced.rows[i].impulse
            total += change[i] * change[i] / rate[i]
    for r in range(change.shape[0]):
        if change[r] != 0.0:
            push(reduced, r, change[r])
    return total


@inline
def _shrink(p, limit, viscous, rate):
    """Project impulses onto a disc."""
    size = 0.0
    for i in range(p.shape[0]):
        size += p[i] * p[i]
    shrink = loss_factor(limit, viscous, rate, math.sqrt(size))
    for i in range(p.shape[0]):
        p[i] *= shrink


@routine
def _extrapolate(reduced, search, change, beta):
    """p += beta s, s = beta s + d."""
    for r in range(reduced.rows.shape[0]):
        step = beta * search[r]
        search[r] = change[r] + step
        if step != 0.0:
            push(reduced, r, step)


@routine
def _sweep(reduced, change, polygon):
    """One sweep of (2), with its changes; returns the square of the largest one of a velocity [m/s], and the sum of all in the
    mass metric [J]."""
    rows, blocks = reduced.rows, reduced.blocks
    new = _guess()[0]
    largest, total = 0.0, 0.0
    for k in range(blocks.shape[0]):
        block = blocks[k]
        _solve_block(reduced, block, polygon, new)
        size = 0.0
        for i in range(block.count):
            r = block.first + i
            dp = new[i] - rows[r].impulse
            change[r] = dp
            if dp != 0.0:
                push(reduced, r, dp)
                size += dp * dp * reduced.matrix[r, r]
                largest = max(largest, dp * dp * reduced.matrix[r, r] * reduced.matrix[r, r])
        total += size
    return largest, total


@routine
def _solve_block(reduced, block, polygon, new):
    """The new impulses of a block, by the laws of contact/laws.py."""
    rows, error, inverse, first = reduced.rows, reduced.error, reduced.inverse, block.first
    p = rows[first].impulse
    if block.bound == _ONE_SIDED:
        new[0] = max(0.0, p - inverse[first, 0] * error[first])
    elif block.bound == _INTERVAL:
        new[0] = interval_update(p, error[first], inverse[first, 0], block.lower, block.upper)
    elif block.bound == _DISC:
        _solve_disc(reduced, block, new)
    else:
        new[0] = max(0.0, p - inverse[first, 0] * error[first])
        d = new[0] - p
        u, w = error[first + 1] + reduced.matrix[first, first + 1] * d, error[first + 2] + reduced.matrix[first, first + 2] * d
        x, y = rows[first + 1].impulse, rows[first + 2].impulse
        stick = (x - inverse[first + 1, 1] * u - inverse[first + 1, 2] * w,
                 y - inverse[first + 2, 1] * u - inverse[first + 2, 2] * w)
        slide = (x - block.gradient_step * u, y - block.gradient_step * w)
        new[1], new[2], _ = friction_update(polygon, block.mu * new[0], stick, slide)


@routine
def _solve_disc(reduced, block, new):
    """The new impulses of a joint's friction."""
    first, n, size = block.first, block.count, 0.0
    for i in range(n):
        new[i] = reduced.rows[first + i].impulse
        for j in range(n):
            new[i] -= reduced.inverse[first + i, j] * reduced.error[first + j]
        size += new[i] * new[i]
    if size > block.limit * block.limit:
        for i in range(n):
            new[i] = reduced.rows[first + i].impulse - block.gradient_step * reduced.error[first + i]
        _shrink(new[:n], block.limit, block.viscous, block.gradient_step)


@routine
def _apply(problem, reduced):
    """(3), and write the impulses back to the table and to the points."""
    velocity, points, table = problem.velocity, problem.patches.points, problem.system.rows
    for k in range(reduced.blocks.shape[0]):
        block = reduced.blocks[k]
        for i in range(block.count):
            row = reduced.rows[block.first + i]
            if block.bound == _CONE:
                p, lane = block.index // lanes.WIDTH, block.index % lanes.WIDTH
                before, points[p, IMPULSE_N + i, lane] = points[p, IMPULSE_N + i, lane], row.impulse
            else:
                r = problem.system.blocks[block.index].first + i
                before, table[r].impulse = table[r].impulse, row.impulse
            apply(row, block, velocity[block.a], velocity[block.b], row.impulse - before)
