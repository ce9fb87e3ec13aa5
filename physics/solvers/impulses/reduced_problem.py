"""The problem of contacts and bounded rows of a mechanism, with the constraints of the joints eliminated.

With e the equations that the joints solve together (direct_joint_solver.py) and c the rows of contacts, limits, motors and
slipping friction of a mechanism,

    A_ee = J_e M^-1 J_e^T + softness = L L^T                                                                 (1)
    W = J_c M^-1 J_c^T + softness - Y^T Y,   Y = L^-1 J_e M^-1 J_c^T        Delassus operator in joint space (2)

Mechanisms that touch are one, with the free bodies that they hold; in small worlds free bodies that touch are, too. Limits that
are near and friction that slips leave the equations and become rows of c.
"""

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
from physics.core import lanes, stack, vec
from physics.core.dense import invert
from physics.core.jit import inline, routine
from physics.core.records import BLOCK, ROW, Bound
from physics.core.row import coupling, error_of
from physics.dynamics import direct_joint_solver

MAX_REDUCED_ROWS, MAX_ROWS_WITH_FREE, MAX_ROWS_OF_FREE = 240, 96, 96
"""Rows up to which W is formed, of mechanisms, of those that hold free bodies, and of free bodies: its cost grows with their
square."""

SMALL = 64
"""Contacts of a problem in which free bodies that touch no mechanism are looked at, too, and sweeps never end early: they cost
next to nothing."""

REACH = 4
"""Free bodies up to so many contacts away are taken in: what a cam squeezes against a floor can be moved neither by the cam alone
nor by the floor. Fewer where there would be too many rows."""

OPENING_SPEED = 0.02
"""Contacts and limits that do not press and open faster than this are left out [m/s] or [rad/s]."""

OPPOSED = -0.5
"""Largest cosine between two normals of which one may be held from opposite sides."""

DEPENDENT_SHARE = 1e-9
"""A row keeps its impulse if the joints leave less than this fraction of its J M^-1 J^T."""

_CONE, _ONE_SIDED, _EQUALITY = Bound.CONE, Bound.ONE_SIDED, Bound.EQUALITY

_matrix, _inverse = stack.scratch(6, 6), stack.scratch(6, 6)


class ReducedProblem(NamedTuple):
    """rows: ROW (m,); blocks: BLOCK, in which `index` is the place in the joints' table or, of a contact (CONE, whose first of
    three rows is the normal), 4 times its point plus its lane. matrix (m, m): W; error (m,): J V + softness p - target; inverse
    (m, 6): of a block's part of W, 0 where a row is dependent; rate (m,): 1 / sum_s |W_rs|, the least of a block."""

    rows: np.ndarray
    blocks: np.ndarray
    matrix: np.ndarray
    error: np.ndarray
    inverse: np.ndarray
    rate: np.ndarray


@routine
def list_near(problem, root, size):
    """(n, 3): the root of the mechanism, place and batch of everything that may act in it soon: the place in the joints' table
    and -1, or 4 times a contact's point plus its lane. Writes root (bodies,): of each body's mechanism, also of free bodies that
    it holds, or of a set of free bodies, -1: none or too many rows; size (bodies,): the most rows, at the root."""
    blocks, patches, group = problem.system.blocks, problem.patches, problem.system.layout.body_group
    near = np.empty((blocks.shape[0] + lanes.WIDTH * patches.points.shape[0], 3), np.int64)
    reach, n = np.full(group.shape[0], REACH), -1
    while n < 0:
        _join(group, patches, problem.contacts.shape[0] <= SMALL, reach, root)
        n = _write_near(problem, root, size, near)
        if _shorten(group, root, size, reach):
            n = -1
    return near[:n]


@routine
def clamps(patches, root, own):
    """Whether something that moves is touched from opposite sides where it, or what touches it, has that root; own -1: any."""
    for k in range(patches.first.shape[0]):
        for lane in range(lanes.WIDTH):
            for side in range(2):
                body = patches.moved_b[k, lane] if side == 1 else patches.moved_a[k, lane]
                other = patches.moved_a[k, lane] if side == 1 else patches.moved_b[k, lane]
                into_it = vec.scale(vec.of_lane(patches.frame[k], 0, lane), 2.0 * side - 1.0)
                belongs = _has_root(root, body, own) or _has_root(root, other, own)
                if body > 0 and _is_opposed(patches, k, lane, body, into_it, root, own, belongs):
                    return True
    return False


@routine
def _is_opposed(patches, own_batch, own_lane, body, normal, root, own, belongs):
    """Whether a later contact of that body has a normal against this one, which points into the body. belongs: whether the body
    or what touches it there has the root."""
    for k in range(own_batch, patches.first.shape[0]):
        for lane in range(own_lane + 1 if k == own_batch else 0, lanes.WIDTH):
            a, b = patches.moved_a[k, lane], patches.moved_b[k, lane]
            other = b if body == a else a if body == b else -1
            if other >= 0 and (belongs or _has_root(root, other, own)):
                cosine = vec.dot(normal, vec.of_lane(patches.frame[k], 0, lane))
                if (cosine if body == b else -cosine) <= OPPOSED:
                    return True
    return False


@inline
def _has_root(root, body, own):
    """Whether a body has that root; own -1: any."""
    return root[body] >= 0 and (own < 0 or root[body] == own)


@routine
def _write_near(problem, root, size, near):
    """Write `near` and `size` of `list_near`; returns the number of entries."""
    blocks, patches, n = problem.system.blocks, problem.patches, 0
    size[:] = 0
    for k in range(blocks.shape[0]):
        block = blocks[k]
        own = max(root[block.a], root[block.b])
        if own >= 0 and block.bound != _EQUALITY and (
                block.bound != _ONE_SIDED or _is_near(problem.system.rows[block.first], block, problem.velocity)):
            vec.assign(near[n], (own, k, -1))
            size[own], n = size[own] + block.count, n + 1
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(lanes.WIDTH):
                own = max(root[patches.moved_a[k, lane]], root[patches.moved_b[k, lane]])
                if own >= 0 and _is_point_near(patches, k, p, lane, problem.velocity):
                    vec.assign(near[n], (own, lanes.WIDTH * p + lane, k))
                    size[own], n = size[own] + 3, n + 1
    return n


@routine
def _shorten(group, root, size, reach):
    """Shorten the reach of what has too many rows; whether there was something."""
    found = False
    for i in range(group.shape[0]):
        if root[i] < 0:
            continue
        if group[root[i]] < 0:
            if size[root[i]] > MAX_ROWS_OF_FREE:
                reach[i], found = -1, True
        elif group[i] >= 0 and size[root[i]] > (MAX_ROWS_WITH_FREE if reach[i] > 0 else MAX_REDUCED_ROWS):
            reach[i], found = reach[i] // 2 if reach[i] > 0 else -1, True
    return found


@routine
def _join(group, patches, small, reach, root):
    """Write the root of each body's mechanism, -1 for bodies without; mechanisms that touch have one root, and with them the free
    bodies up to `reach` contacts away. In small worlds other free bodies that touch have one, too. reach (bodies,): -1: none."""
    left = np.full(group.shape[0], -1)
    for i in range(group.shape[0]):
        root[i] = -1
        if group[i] >= 0 and reach[i] >= 0:
            root[i], left[i] = group[i], reach[i]
    changed = True
    while changed:
        changed = False
        for k in range(patches.first.shape[0]):
            for lane in range(lanes.WIDTH):
                a, b = patches.moved_a[k, lane], patches.moved_b[k, lane]
                if a > 0 and b > 0:
                    changed |= _reach(group, a, b, left, root)
                    changed |= _reach(group, b, a, left, root)
                    if root[a] >= 0 and root[b] >= 0:
                        _unite(root, a, b)
    if small:
        _join_free(patches, group, reach, root)
    for i in range(group.shape[0]):
        if root[i] >= 0:
            root[i] = _top(root, root[i])


@routine
def _join_free(patches, group, reach, root):
    """Join the free bodies that have no root and touch."""
    for k in range(patches.first.shape[0]):
        for lane in range(lanes.WIDTH):
            for i in (patches.moved_a[k, lane], patches.moved_b[k, lane]):
                if i > 0 and group[i] < 0 and root[i] < 0 and reach[i] >= 0:
                    root[i] = i
    for k in range(patches.first.shape[0]):
        for lane in range(lanes.WIDTH):
            a, b = patches.moved_a[k, lane], patches.moved_b[k, lane]
            if a > 0 and b > 0 and root[a] >= 0 and root[b] >= 0 and group[root[a]] < 0 and group[root[b]] < 0:
                _unite(root, a, b)


@inline
def _unite(root, a, b):
    """Give the sets of two bodies one root, the lower."""
    own, other = _top(root, root[a]), _top(root, root[b])
    root[max(own, other)] = min(own, other)


@inline
def _reach(group, a, b, left, root):
    """Let the set of body a take in free body b, which it touches; whether something changed."""
    if group[b] >= 0 or left[a] <= left[b] + 1:
        return False
    left[b] = left[a] - 1
    if root[b] < 0:
        root[b] = root[a]
    return True


@inline
def _top(root, g):
    while root[g] != g:
        g = root[g]
    return g


@routine
def bar(problem, root):
    """Leave to these rows, up to the end of the problem, the limits that press or are near and the friction that slips, with
    what else their joints may add to the equations: whether they hold is decided by them alone."""
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
def _is_point_near(patches, k, p, lane, velocity):
    """Whether a point of a rigid contact presses or may do so soon."""
    point, a, b = patches.points[p], velocity[patches.a[k, lane]], velocity[patches.b[k, lane]]
    if patches.contact[p, lane] < 0 or point[MASS_SCALE, lane] != 1.0:
        return False
    r_a, r_b = vec.of_lane(point, ARM_A, lane), vec.of_lane(point, ARM_B, lane)
    dv = vec.sub(vec.add(b, vec.cross(b[3:], r_b)), vec.add(a, vec.cross(a[3:], r_a)))
    normal = vec.of_lane(patches.frame[k], 0, lane)
    return point[IMPULSE_N, lane] > 0.0 or vec.dot(normal, dv) - point[TARGET_N, lane] <= OPENING_SPEED


@routine
def form(problem, root, near, own, most):
    """The problem of the mechanisms with root `own`, of `most` rows at most."""
    rows, blocks = _gather(problem, near, own, most)
    m = rows.shape[0]
    reduced = ReducedProblem(rows, blocks, np.zeros((m, m)), np.empty(m), np.zeros((m, 6)), np.empty(m))
    _couple(reduced)
    _eliminate(problem.system, reduced, root, own)
    _invert_blocks(reduced, problem.velocity)
    _write_rates(reduced)
    return reduced


@routine
def _gather(problem, near, own, most):
    """The rows and blocks of what is near and not among the equations."""
    rows, blocks = np.empty(most, ROW), np.empty(most, BLOCK)
    m, n = 0, 0
    for i in range(near.shape[0]):
        place, batch = near[i, 1], near[i, 2]
        if near[i, 0] != own or (batch < 0 and problem.system.factors.together[place]):
            continue
        if batch < 0:
            blocks[n] = problem.system.blocks[place]
            blocks[n].index = place
            for r in range(blocks[n].count):
                rows[m + r] = problem.system.rows[blocks[n].first + r]
        else:
            _write_contact(problem.patches, batch, place // lanes.WIDTH, place % lanes.WIDTH, rows[m : m + 3], blocks[n])
        blocks[n].first, m, n = m, m + blocks[n].count, n + 1
    return rows[:m], blocks[:n]


@routine
def _write_contact(patches, k, p, lane, rows, block):
    """Write the three rows and the block of a point."""
    a, b, point = patches.a[k, lane], patches.b[k, lane], patches.points[p]
    block.a, block.b, block.count, block.bound, block.index = a, b, 3, _CONE, lanes.WIDTH * p + lane
    block.inv_mass_a, block.inv_mass_b = patches.mass[a, 0], patches.mass[b, 0]
    block.mu = point[MU, lane]
    inertia_a, inertia_b = patches.mass[a, 1:], patches.mass[b, 1:]
    r_a, r_b = vec.of_lane(point, ARM_A, lane), vec.of_lane(point, ARM_B, lane)
    for i in range(3):
        axis = vec.of_lane(patches.frame[k], 3 * i, lane)
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
                    matrix[i, j] = matrix[j, i] = coupling(rows[i], p, rows[j], q)


@routine
def row_impulses(reduced):
    """Copy the impulses."""
    out = np.empty(reduced.rows.shape[0])
    for r in range(out.shape[0]):
        out[r] = reduced.rows[r].impulse
    return out


@routine
def set_row_impulses(reduced, given):
    """Set the impulses to those of `row_impulses`."""
    for r in range(given.shape[0]):
        if given[r] != reduced.rows[r].impulse:
            push(reduced, r, given[r] - reduced.rows[r].impulse)


@inline
def push(reduced, r, dp):
    """Change the impulse of row r."""
    reduced.rows[r].impulse += dp
    for s in range(reduced.error.shape[0]):
        reduced.error[s] += reduced.matrix[r, s] * dp


@inline
def _shares_body(p, q):
    """Whether two blocks act on one body that moves."""
    return (p.inv_mass_a > 0.0 and (p.a == q.a or p.a == q.b)) or (p.inv_mass_b > 0.0 and (p.b == q.a or p.b == q.b))


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
    y, work = np.zeros((n, 6, m)), np.empty((6, m))
    for k in range(place.shape[0]):
        if place[k] >= 0:
            _constrain(system, reduced, k, y[place[k]])
    for k in range(place.shape[0]):
        if place[k] >= 0:
            direct_joint_solver.solve_columns(factors, k, y[place[k]], work)
            for e in range(factors.column[k], factors.column[k + 1]):
                direct_joint_solver.pass_on_columns(factors, k, e, y[place[k]], y[place[factors.below[e]]])
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
                    y[i, j] = coupling(system.rows[factors.members[k, i]], p, reduced.rows[j], q)


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
            free = coupling(rows[i], block, rows[i], block)
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
            largest = max(largest, total)
        block.gradient_step = 1.0 / largest
        _invert(own, inverse, block.count - skipped)
        for i in range(skipped, block.count):
            for j in range(skipped, block.count):
                reduced.inverse[first + i, j] = inverse[i - skipped, j - skipped]
        if skipped == 1:
            reduced.inverse[first, 0] = 1.0 / matrix[first, first]


@routine
def _invert(own, inverse, n):
    """Inverse of a block's n x n part of W, which is destroyed. Of two dependent rows it is the pseudo-inverse W / (tr W)^2: what
    acts across their direction without effect is no matter of errors, which are rounding there, and grow with each sweep."""
    if n == 2:
        trace = own[0, 0] + own[1, 1]
        if own[0, 0] * own[1, 1] - own[0, 1] * own[1, 0] <= DEPENDENT_SHARE * trace * trace:
            for i in range(n):
                for j in range(n):
                    inverse[i, j] = own[i, j] / (trace * trace)
            return
    for i in range(n):
        own[i, i] *= 1.0 + DEPENDENT_SHARE
    invert(own, inverse, n)


@routine
def _write_rates(reduced):
    """The step sizes of all rows, equal within a block but for a contact's normal."""
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
