"""Sweeps over contacts and bounded rows of mechanisms, with the constraints of the joints eliminated.

A sweep over bodies (iterate.py) lets a contact push a link as if no joint held it; the joints then take most of it back. On light
links between heavy ones, as the feet of robots, this converges slowly or not in hundreds of sweeps. With e the equations that the
joints solve together (direct_joint_solver.py) and c the rows of contacts, limits, motors and slipping friction of a mechanism,

    A_ee = J_e M^-1 J_e^T + softness = L L^T                                                                 (1)
    W = J_c M^-1 J_c^T + softness - Y^T Y,   Y = L^-1 J_e M^-1 J_c^T        Delassus operator in joint space (2)
    p <- P(p - D^-1 w),   D_rr = sum_s |W_rs|, so D >= W                    projected Jacobi, all at once    (3)
    w <- w + W dp,   dp of each block in turn by contact/laws.py            projected Gauss-Seidel           (4)
    V <- V + M^-1 J_c^T (p - p0)                                            e is solved once more            (5)

Of redundant supports any may carry. (4) would load the first one most; (3), which comes first, spreads the load evenly: where no
bound is reached, p - p0 remains a combination of the columns of D^-1 W. Between sweeps impulses are extrapolated as in
contact_sweeps.py. What is found counts only after a sweep over the bodies that changes no velocity by more than the tolerance:
these sweeps bring that one nearer, and judge nothing.
"""

import math
from typing import NamedTuple

import numpy as np

from physics.constraints.contact_batches import (
    ARM_A,
    ARM_B,
    IMPULSE_N,
    MASS_SCALE,
    MU,
    TARGET_N,
    apply_inverse_inertia,
)
from physics.contact.laws import friction_update, interval_update, loss_factor
from physics.core import lanes, stack, vec
from physics.core.dense import invert
from physics.core.jit import inline, routine
from physics.core.records import BLOCK, ROW, Bound
from physics.core.row import apply, error_of
from physics.dynamics import direct_joint_solver

MAX_REDUCED_ROWS = 240
"""Rows of a mechanism up to which W is formed: its cost grows with their square."""

MAX_SPREADING_SWEEPS, SPREAD = 150, 1e-8
"""Most sweeps of (3); they end where one changes the impulses by less than this share of the largest change, squared."""

MAX_REDUCED_SWEEPS = 300
"""Of (4): more than it takes where impulses converge. Where rows contradict one another, as sticking points of one foot by some
um/s, impulses drift until one of them slides or opens: faster with each sweep, because they are extrapolated."""

OPENING_SPEED = 0.02
"""Contacts and limits that do not press and open faster than this are left out [m/s] or [rad/s]."""

DEPENDENT_SHARE = 1e-9
"""A row keeps its impulse if the joints leave less than this fraction of its J M^-1 J^T."""

_CONE, _ONE_SIDED, _INTERVAL, _DISC, _EQUALITY = (int(b) for b in (Bound.CONE, Bound.ONE_SIDED, Bound.INTERVAL, Bound.DISC,
                                                                   Bound.EQUALITY))

_matrix, _inverse, _guess = stack.scratch(6, 6), stack.scratch(6, 6), stack.scratch(2, 6)


class Reduced(NamedTuple):
    """rows: ROW (m,); blocks: BLOCK, in which `index` is the place in the joints' table or, of a contact (CONE, whose first of
    three rows is the normal), 4 times its point plus its lane. matrix (m, m): W; error (m,): w; inverse (m, 6): of a block's part
    of W, 0 where a row is dependent; before (m,): p0; search, change (m,): of the extrapolation."""

    rows: np.ndarray
    blocks: np.ndarray
    matrix: np.ndarray
    error: np.ndarray
    inverse: np.ndarray
    rate: np.ndarray
    before: np.ndarray
    search: np.ndarray
    change: np.ndarray


class Given(NamedTuple):
    """Impulses at the start of a problem. rows (n,): of the joints' table; points: of contacts (contact_sweeps.impulses_of)."""

    rows: np.ndarray
    points: np.ndarray


@routine
def relax_mechanisms(problem, given, restart):
    """Run the sweeps for every mechanism that has few enough rows; changes impulses and velocities. restart: from those given,
    not from the impulses as they are. True if some ended before they converged."""
    system, bodies = problem.system, problem.system.layout.body_group.shape[0]
    root, rows = np.empty(bodies, np.int64), np.zeros(bodies, np.int64)
    direct_joint_solver.solve_joints(system.rows, system.blocks, system.factors, problem.velocity)
    _join(system.layout.body_group, problem.patches, root)
    _count(problem, root, rows)
    _bar(problem, root)
    stuck = False
    for n in range(bodies):
        if root[n] == n and rows[n] > 0:
            stuck |= _relax(problem, root, n, rows[n], given, restart)
    direct_joint_solver.solve_joints(system.rows, system.blocks, system.factors, problem.velocity)
    return stuck


@routine
def _join(group, patches, root):
    """Write the root of each body's mechanism, -1 for bodies without joints; mechanisms that touch have one root."""
    root[:] = group
    for k in range(patches.first.shape[0]):
        for lane in range(lanes.WIDTH):
            a, b = group[patches.moved_a[k, lane]], group[patches.moved_b[k, lane]]
            if a >= 0 and b >= 0:
                a, b = _top(root, a), _top(root, b)
                root[max(a, b)] = min(a, b)
    for i in range(group.shape[0]):
        if group[i] >= 0:
            root[i] = _top(root, group[i])


@routine
def _count(problem, root, rows):
    """Add up the most rows of each mechanism, at its root; -1 as the root of all bodies of one that has too many."""
    blocks, patches = problem.system.blocks, problem.patches
    for k in range(blocks.shape[0]):
        block = blocks[k]
        own = max(root[block.a], root[block.b])
        if own >= 0 and block.bound != _EQUALITY and (
                block.bound != _ONE_SIDED or _is_near(problem.system.rows[block.first], block, problem.velocity)):
            rows[own] += block.count
    for k in range(patches.first.shape[0]):
        for lane in range(lanes.WIDTH):
            own = max(root[patches.moved_a[k, lane]], root[patches.moved_b[k, lane]])
            for p in range(patches.first[k], patches.first[k] + patches.count[k]):
                if own >= 0 and _is_point_near(patches, k, p, lane, problem.velocity):
                    rows[own] += 3
    for i in range(root.shape[0]):
        if root[i] >= 0 and rows[root[i]] > MAX_REDUCED_ROWS:
            root[i] = -1


@inline
def _top(root, g):
    while root[g] != g:
        g = root[g]
    return g


@routine
def _bar(problem, root):
    """Leave to these sweeps, up to the end of the problem, the limits that press or are near and the friction that slips, with
    what else their joints may add to the equations: whether they hold is decided here alone."""
    rows, blocks, factors, velocity = problem.system.rows, problem.system.blocks, problem.system.factors, problem.velocity
    changed = False
    for k in range(factors.blocks.shape[0]):
        block = blocks[factors.blocks[k]]
        if max(root[block.a], root[block.b]) < 0 or factors.barred[k]:
            continue
        for f in range(factors.start[k], factors.start[k + 1]):
            own = blocks[factors.bounded[f]]
            if own.bound == _ONE_SIDED:
                if _is_near(rows[own.first], own, velocity):
                    factors.barred[k] = 1
            elif factors.included[f] == 0:
                factors.barred[k] = 1
        if factors.barred[k]:
            for f in range(factors.start[k], factors.start[k + 1]):
                changed |= factors.included[f] == 1
                factors.included[f] = 0
    if changed:
        direct_joint_solver.factor(rows, blocks, factors)


@inline
def _is_near(row, block, velocity):
    """Whether a one-sided row presses or may do so soon."""
    return row.impulse > 0.0 or error_of(row, velocity[block.a], velocity[block.b]) <= OPENING_SPEED


@routine
def _relax(problem, root, own, most, given, restart):
    """The sweeps for the mechanisms with root `own` and that many rows at most; True if they ended before they converged."""
    rows, blocks = _gather(problem, root, own, most)
    m = rows.shape[0]
    if m == 0:
        return False
    reduced = Reduced(rows, blocks, np.zeros((m, m)), np.empty(m), np.zeros((m, 6)), np.empty(m), np.empty(m),
                      np.zeros(m), np.zeros(m))
    for r in range(m):
        reduced.before[r] = rows[r].impulse
    _couple(reduced)
    _eliminate(problem.system, reduced, root, own)
    _invert_blocks(reduced, problem.velocity)
    _write_rates(reduced)
    if restart:
        _start_from(reduced, problem.system.blocks, given)
    converged = _sweep_to_end(reduced, problem.settings.polygon, 0.1 * problem.settings.tolerance)
    _apply(problem, reduced)
    return not converged


@routine
def _gather(problem, root, own, most):
    """The rows, `most` at most, and blocks of a mechanism."""
    rows, blocks = np.empty(most, ROW), np.empty(most, BLOCK)
    table, together, velocity = problem.system.blocks, problem.system.factors.together, problem.velocity
    m, n = 0, 0
    for k in range(table.shape[0]):
        block = table[k]
        if together[k] or max(root[block.a], root[block.b]) != own or block.bound == _EQUALITY:
            continue
        row = problem.system.rows[block.first]
        if block.bound == _ONE_SIDED and not _is_near(row, block, velocity):
            continue
        blocks[n] = block
        blocks[n].first, blocks[n].index = m, k
        for i in range(block.count):
            rows[m + i] = problem.system.rows[block.first + i]
        m, n = m + block.count, n + 1
    patches = problem.patches
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(lanes.WIDTH):
                if max(root[patches.moved_a[k, lane]], root[patches.moved_b[k, lane]]) == own and _is_point_near(
                        patches, k, p, lane, velocity):
                    _write_contact(patches, k, p, lane, rows[m : m + 3], blocks[n])
                    blocks[n].first, m, n = m, m + 3, n + 1
    return rows[:m], blocks[:n]


@routine
def _is_point_near(patches, k, p, lane, velocity):
    """Whether a point of a rigid contact presses or may do so soon."""
    point, a, b = patches.points[p], velocity[patches.a[k, lane]], velocity[patches.b[k, lane]]
    if patches.contact[p, lane] < 0 or point[MASS_SCALE, lane] != 1.0:
        return False
    r_a, r_b = _arm(point, ARM_A, lane), _arm(point, ARM_B, lane)
    dv = vec.sub(vec.add(b, vec.cross(b[3:], r_b)), vec.add(a, vec.cross(a[3:], r_a)))
    normal = (patches.frame[k, 0, lane], patches.frame[k, 1, lane], patches.frame[k, 2, lane])
    return point[IMPULSE_N, lane] > 0.0 or vec.dot(normal, dv) - point[TARGET_N, lane] <= OPENING_SPEED


@inline
def _arm(point, field, lane):
    return (point[field, lane], point[field + 1, lane], point[field + 2, lane])


@routine
def _write_contact(patches, k, p, lane, rows, block):
    """Write the three rows and the block of a point."""
    a, b, point = patches.a[k, lane], patches.b[k, lane], patches.points[p]
    block.a, block.b, block.count, block.bound, block.index = a, b, 3, _CONE, lanes.WIDTH * p + lane
    block.inv_mass_a, block.inv_mass_b = patches.mass[a, 0], patches.mass[b, 0]
    block.mu = point[MU, lane]
    inertia_a, inertia_b = patches.mass[a, 1:], patches.mass[b, 1:]
    r_a, r_b = _arm(point, ARM_A, lane), _arm(point, ARM_B, lane)
    for i in range(3):
        axis = (patches.frame[k, 3 * i, lane], patches.frame[k, 3 * i + 1, lane], patches.frame[k, 3 * i + 2, lane])
        row, turn_a, turn_b = rows[i], vec.scale(vec.cross(r_a, axis), -1.0), vec.cross(r_b, axis)
        vec.assign(row.lin_a, vec.scale(axis, -1.0))
        vec.assign(row.lin_b, axis)
        vec.assign(row.ang_a, turn_a)
        vec.assign(row.ang_b, turn_b)
        vec.assign(row.spin_a, apply_inverse_inertia(inertia_a, turn_a))
        vec.assign(row.spin_b, apply_inverse_inertia(inertia_b, turn_b))
        row.target, row.softness, row.position_error = point[TARGET_N + i, lane], 0.0, 0.0
        row.impulse = point[IMPULSE_N + i, lane]


@routine
def _couple(reduced):
    """W before the elimination: J_c M^-1 J_c^T."""
    rows, blocks, matrix = reduced.rows, reduced.blocks, reduced.matrix
    for k in range(blocks.shape[0]):
        p = blocks[k]
        for l in range(k, blocks.shape[0]):
            q = blocks[l]
            if not _shares_body(p, q):
                continue
            for i in range(p.first, p.first + p.count):
                for j in range(q.first, q.first + q.count):
                    matrix[i, j] = matrix[j, i] = _coupling(p, rows[i], q, rows[j])


@inline
def _shares_body(p, q):
    """Whether two blocks act on one body that moves."""
    return (p.inv_mass_a > 0.0 and (p.a == q.a or p.a == q.b)) or (p.inv_mass_b > 0.0 and (p.b == q.a or p.b == q.b))


@inline
def _coupling(p, r, q, s):
    """J_r M^-1 J_s^T of rows of the blocks p and q."""
    x = 0.0
    if p.inv_mass_a > 0.0:
        if p.a == q.a:
            x += p.inv_mass_a * vec.dot(r.lin_a, s.lin_a) + vec.dot(r.spin_a, s.ang_a)
        if p.a == q.b:
            x += p.inv_mass_a * vec.dot(r.lin_a, s.lin_b) + vec.dot(r.spin_a, s.ang_b)
    if p.inv_mass_b > 0.0:
        if p.b == q.a:
            x += p.inv_mass_b * vec.dot(r.lin_b, s.lin_a) + vec.dot(r.spin_b, s.ang_a)
        if p.b == q.b:
            x += p.inv_mass_b * vec.dot(r.lin_b, s.lin_b) + vec.dot(r.spin_b, s.ang_b)
    return x


@routine
def _eliminate(system, reduced, root, own):
    """(2): subtract Y^T Y from W."""
    factors, blocks, matrix, m = system.factors, system.blocks, reduced.matrix, reduced.matrix.shape[0]
    place, n = np.empty(factors.blocks.shape[0], np.int64), 0
    for k in range(place.shape[0]):
        block = blocks[factors.blocks[k]]
        place[k] = -1
        if max(root[block.a], root[block.b]) == own:
            place[k], n = n, n + 1
    y, spread = np.zeros((n, 6, m)), np.empty((6, m))
    for k in range(place.shape[0]):
        if place[k] >= 0:
            _constrain(system, reduced, k, y[place[k]])
    for k in range(place.shape[0]):
        if place[k] >= 0:
            _substitute(factors, k, y[place[k]], spread)
            for e in range(factors.column[k], factors.column[k + 1]):
                later = factors.below[e]
                _pass_on(factors.values[place.shape[0] + e], y[place[k]], y[place[later]], factors.count[later], factors.count[k])
            _subtract(matrix, y[place[k]])


@routine
def _constrain(system, reduced, k, y):
    """y (6, m) = J_k M^-1 J_c^T of the equations at position k."""
    factors, p = system.factors, system.blocks[system.factors.blocks[k]]
    for l in range(reduced.blocks.shape[0]):
        q = reduced.blocks[l]
        if _shares_body(p, q):
            for i in range(factors.count[k]):
                for j in range(q.first, q.first + q.count):
                    y[i, j] = _coupling(p, system.rows[factors.members[k, i]], q, reduced.rows[j])


@routine
def _substitute(factors, k, y, spread):
    """y (6, m) <- R_k^-1 y; spread (6, m): scratch."""
    root, size, m = factors.root[k], factors.count[k], y.shape[1]
    if factors.spread[k]:
        spread[:size] = 0.0
        for i in range(size):
            for j in range(size):
                for r in range(m):
                    spread[i, r] += root[i, j] * y[j, r]
        y[:size] = spread[:size]
        return
    for i in range(size):
        for j in range(i):
            for r in range(m):
                y[i, r] -= root[i, j] * y[j, r]
        for r in range(m):
            y[i, r] *= root[i, i]


@routine
def _pass_on(factor, y, below, count, size):
    """below (6, m) -= L y."""
    for i in range(count):
        for j in range(size):
            for r in range(y.shape[1]):
                below[i, r] -= factor[i, j] * y[j, r]


@routine
def _subtract(matrix, y):
    """W -= y^T y, of one position (6, m): its unused rows are 0."""
    m = matrix.shape[0]
    for r in range(m):
        a, b, c, d, e, f = y[0, r], y[1, r], y[2, r], y[3, r], y[4, r], y[5, r]
        if a != 0.0 or b != 0.0 or c != 0.0 or d != 0.0 or e != 0.0 or f != 0.0:
            for s in range(m):
                matrix[r, s] -= a * y[0, s] + b * y[1, s] + c * y[2, s] + d * y[3, s] + e * y[4, s] + f * y[5, s]


@routine
def _invert_blocks(reduced, velocity):
    """Errors of the rows, inverses of the blocks of W and their gradient steps."""
    rows, blocks, matrix = reduced.rows, reduced.blocks, reduced.matrix
    own, inverse = _matrix(), _inverse()
    for k in range(blocks.shape[0]):
        block = blocks[k]
        first, skipped, largest = block.first, 1 if block.bound == _CONE else 0, 0.0
        for i in range(first, first + block.count):
            free = _coupling(block, rows[i], block, rows[i])
            reduced.error[i] = error_of(rows[i], velocity[block.a], velocity[block.b])
            matrix[i, i] += rows[i].softness
            if matrix[i, i] <= DEPENDENT_SHARE * free:
                matrix[i, :] = matrix[:, i] = 0.0
                matrix[i, i], reduced.error[i] = free, 0.0
        for i in range(skipped, block.count):
            total = 0.0
            for j in range(skipped, block.count):
                own[i - skipped, j - skipped] = matrix[first + i, first + j]
                total += abs(matrix[first + i, first + j])
            own[i - skipped, i - skipped] *= 1.0 + DEPENDENT_SHARE
            largest = max(largest, total)
        block.gradient_step = 1.0 / largest
        invert(own, inverse, block.count - skipped)
        for i in range(skipped, block.count):
            for j in range(skipped, block.count):
                reduced.inverse[first + i, j] = inverse[i - skipped, j - skipped]
        if skipped == 1:
            reduced.inverse[first, 0] = 1.0 / matrix[first, first]


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
            _push(reduced, block.first + i, p - reduced.rows[block.first + i].impulse)


@routine
def _write_rates(reduced):
    """D^-1 of (3)."""
    for k in range(reduced.blocks.shape[0]):
        block, largest = reduced.blocks[k], 0.0
        for i in range(block.count - 1, -1, -1):
            total = 0.0
            for s in range(reduced.matrix.shape[0]):
                total += abs(reduced.matrix[block.first + i, s])
            largest = total if block.bound == _CONE and i == 0 else max(largest, total)
            reduced.rate[block.first + i] = 1.0 / largest
        begin = 1 if block.bound == _CONE else 0
        for i in range(begin + 1, block.count):
            reduced.rate[block.first + i] = reduced.rate[block.first + begin]


@routine
def _sweep_to_end(reduced, polygon, tolerance):
    """(3) and (4), until no block's velocity changes by more than the tolerance; False if they ended before."""
    last, first = 0.0, 0.0
    for _ in range(MAX_SPREADING_SWEEPS):
        total = _spread(reduced, polygon)
        first = max(first, total)
        if total <= SPREAD * first:
            break
        _extrapolate(reduced, min(1.0, total / last) if 0.0 < total <= last else 0.0)
        last = total
    last = 0.0
    for _ in range(MAX_REDUCED_SWEEPS):
        largest, total = _sweep(reduced, polygon)
        if largest <= tolerance * tolerance:
            return True
        _extrapolate(reduced, min(1.0, total / last) if 0.0 < total <= last else 0.0)
        last = total
    return False


@routine
def _spread(reduced, polygon):
    """One sweep of (3); returns the sum of the squares of all changes in the metric of D [J]."""
    change, rate, total = reduced.change, reduced.rate, 0.0
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
            _push(reduced, r, change[r])
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
def _extrapolate(reduced, beta):
    """p += beta s, s = beta s + d."""
    for r in range(reduced.rows.shape[0]):
        step = beta * reduced.search[r]
        reduced.search[r] = reduced.change[r] + step
        if step != 0.0:
            _push(reduced, r, step)


@inline
def _push(reduced, r, dp):
    """Change the impulse of row r."""
    reduced.rows[r].impulse += dp
    for s in range(reduced.error.shape[0]):
        reduced.error[s] += reduced.matrix[r, s] * dp


@routine
def _sweep(reduced, polygon):
    """One sweep; returns the square of the largest change of a velocity [m/s], and the sum of all in the mass metric [J]."""
    rows, blocks, change = reduced.rows, reduced.blocks, reduced.change
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
                _push(reduced, r, dp)
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
    """(5), and write the impulses back to the table and to the points."""
    velocity, points = problem.velocity, problem.patches.points
    for k in range(reduced.blocks.shape[0]):
        block = reduced.blocks[k]
        for i in range(block.count):
            row = reduced.rows[block.first + i]
            apply(row, block, velocity[block.a], velocity[block.b], row.impulse - reduced.before[block.first + i])
            if block.bound == _CONE:
                points[block.index // lanes.WIDTH, IMPULSE_N + i, block.index % lanes.WIDTH] = row.impulse
            else:
                problem.system.rows[problem.system.blocks[block.index].first + i].impulse = row.impulse
