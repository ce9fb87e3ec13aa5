"""Impacts of a single contact by Routh's method (contact/impact_path.py), with the joints of its mechanism.

    W = J H^-1 J^T      of the contact's normal and tangents, where joints hold: from the response to unit impulses       (1)
    P                   from the path of the impact, by the law chosen; applied to the bodies                             (2)
    targets             the velocities that the path predicts: the sweeps that follow add only what joints need           (3)

A contact is alone if no other of its island touches, no joint limit of it is reached, and neither rolling nor torsional friction
acts. The points of an edge that lands flat, or of a face, act as one at their middle, with equal shares of the impulse, where
they come in, and leave, with equal velocities. Everything else is solved at once (restitution_phase.py, energy_limit.py).
"""

import math

import numpy as np

from physics.constraints.contact_batches import (
    ARM_A,
    ARM_B,
    IMPULSE_1,
    IMPULSE_2,
    IMPULSE_N,
    MU,
    REBOUND,
    REBOUNDS,
    TARGET_1,
    TARGET_2,
    TARGET_N,
)
from physics.contact import impact_path
from physics.contact.impact_path import Q_1, Q_2, U_1, U_N, P
from physics.core import stack, vec
from physics.core.dense import assign
from physics.core.jit import routine
from physics.core.records import Bound, Case
from physics.dynamics import direct_joint_solver

EQUAL = 1e-7
"""Share of the approach by which velocities of points may differ that act as one."""

UNBOUNDED = 1e30
"""Friction coefficient of a contact whose friction the path has decided."""

_response, _velocity, _slip, _end = stack.scratch(3, 3), stack.scratch(3), stack.scratch(2), stack.scratch(impact_path.END)
_ONE_SIDED, _INTERVAL, _EQUALITY = Bound.ONE_SIDED, Bound.INTERVAL, Bound.EQUALITY
_STICK, _SLIP = Case.STICK, Case.SLIP


@routine
def drop_company(problem, alone, island):
    """Set alone[i] = 0 for contacts that cannot be solved alone. alone (contacts,): how many contacts of the island touch; island
    (bodies,): of each body."""
    for j in range(problem.patches.extended.shape[0]):
        u = problem.patches.extended[j]
        if u.rolling > 0.0 or u.torsional > 0.0 or u.adhesion > 0.0:
            alone[u.contact] = 0
    rows, blocks, together = problem.system.rows, problem.system.blocks, problem.system.factors.together
    for k in range(blocks.shape[0]):
        block = blocks[k]
        reached = block.bound == _ONE_SIDED and rows[block.first].target > -math.inf
        driven = block.bound == _INTERVAL and (block.lower < 0.0 or block.upper > 0.0)
        apart = block.bound == _EQUALITY and together[k] == 0
        if reached or driven or apart:
            own = island[block.a] if block.inv_mass_a > 0.0 else island[block.b]
            for i in range(alone.shape[0]):
                c = problem.contacts[i]
                if max(island[c.body_a], island[c.body_b]) == own:
                    alone[i] = 0


@routine
def solve(problem, alone, island, kind, limited, records):
    """Apply the impacts of contacts that are alone and rebound, or of points that act as one, by law `kind`; limited: none gains
    energy. alone (contacts,): as in `drop_company`, becomes 1 where that is done, 0 elsewhere. Writes records (contacts,):
    IMPACT, what the path depends on."""
    patches, factors = problem.patches, problem.system.factors
    direct_joint_solver.begin(problem.system.rows, problem.system.blocks, factors)
    drop_company(problem, alone, island)
    for k in range(patches.first.shape[0]):
        for lane in range(patches.contact.shape[1]):
            share = _share(patches, k, lane, alone)
            solved = share > 0.0 and _solve_one(problem, k, lane, share, _has_joints(problem, island, patches, k, lane), kind,
                                                limited, records)
            for p in range(patches.first[k], patches.first[k] + patches.count[k]):
                if patches.contact[p, lane] >= 0:
                    alone[patches.contact[p, lane]] = solved


@routine
def _share(patches, k, lane, alone):
    """Share of each point in the impulses of its patch, 0 if there are other contacts in its island, or some do not rebound."""
    count, all_rebound = 0, True
    for p in range(patches.first[k], patches.first[k] + patches.count[k]):
        if patches.contact[p, lane] >= 0:
            count += 1
            all_rebound = all_rebound and patches.points[p, REBOUND, lane] == REBOUNDS
    if count == 0 or not all_rebound or alone[patches.contact[patches.first[k], lane]] != count:
        return 0.0
    return 1.0 / count


@routine
def _has_joints(problem, island, patches, k, lane):
    """Whether a joint belongs to the island of a patch."""
    c, blocks, found = problem.contacts[patches.contact[patches.first[k], lane]], problem.system.blocks, False
    own = max(island[c.body_a], island[c.body_b])
    for k in range(blocks.shape[0]):
        found = found or (island[blocks[k].a] if blocks[k].inv_mass_a > 0.0 else island[blocks[k].b]) == own
    return found


@routine
def _solve_one(problem, k, lane, share, has_joints, kind, limited, records):
    """(1) to (3) for the points of a patch; False, and nothing has happened, where they do not act as one."""
    patches, points, first = problem.patches, problem.patches.points, problem.patches.first[k]
    c, W, u, target, end = problem.contacts[patches.contact[first, lane]], _response(), _velocity(), _slip(), _end()
    for j in range(3):
        u[j] = _mean_speed(problem, k, lane, share, j)
    if not _are_equal(problem, k, lane, u, abs(u[0])):
        return False
    belt_1, belt_2 = c.target[1], c.anisotropy * c.target[2]
    u[1], u[2] = u[1] - belt_1, u[2] - belt_2
    target[0], target[1] = points[first, TARGET_1, lane] - belt_1, points[first, TARGET_2, lane] - belt_2
    _respond(problem, k, lane, share, has_joints, W)
    impact_path.solve(W, u, points[first, MU, lane], target, c.restitution, kind, limited, end)
    approach, impulse = abs(u[0]), (end[P], end[Q_1], end[Q_2])
    u[0], u[1], u[2] = end[U_N], end[U_1] + belt_1, end[U_1 + 1] + belt_2
    if share < 1.0 and not _stay_equal(problem, k, lane, share, has_joints, impulse, u, approach):
        return False
    _kick_all(problem, k, lane, share, impulse)
    for p in range(first, first + patches.count[k]):
        if patches.contact[p, lane] >= 0:
            i = patches.contact[p, lane]
            _write(problem.contacts[i], points[p], lane, share, u, end)
            _describe_path(records[i], W, target, share)
    return True


@routine
def _write(c, point, lane, share, u, end):
    """Write impulses and targets of a point; u: its velocity after the impact."""
    point[IMPULSE_N, lane], point[IMPULSE_1, lane], point[IMPULSE_2, lane] = share * end[P], share * end[Q_1], share * end[Q_2]
    point[TARGET_N, lane], point[TARGET_1, lane], point[TARGET_2, lane] = u[0], u[1], u[2]
    point[MU, lane] = UNBOUNDED
    c.restitution = end[impact_path.RESTITUTION]
    c.case = _SLIP if end[impact_path.SLIDES] > 0.0 else _STICK


@routine
def _describe_path(record, W, target, share):
    """Note what the path depends on, in impulses of one point."""
    record.alone = 1
    for i in range(3):
        for j in range(3):
            record.response[i, j] = W[i, j] / share
    record.slip_target[0], record.slip_target[1] = target[0], target[1]


@routine
def _mean_speed(problem, k, lane, share, j):
    """Mean velocity of the points of a patch along an axis [m/s]."""
    patches, mean = problem.patches, 0.0
    for p in range(patches.first[k], patches.first[k] + patches.count[k]):
        if patches.contact[p, lane] >= 0:
            mean += share * speed(patches, problem.velocity, k, p, lane, j)
    return mean


@routine
def _are_equal(problem, k, lane, u, approach):
    """Whether all points of a patch have the velocity u (3,) [m/s]."""
    patches, largest = problem.patches, 0.0
    for p in range(patches.first[k], patches.first[k] + patches.count[k]):
        if patches.contact[p, lane] >= 0:
            for j in range(3):
                largest = max(largest, abs(speed(patches, problem.velocity, k, p, lane, j) - u[j]))
    return largest <= EQUAL * approach


@routine
def _stay_equal(problem, k, lane, share, has_joints, impulse, u, approach):
    """Whether all points of a patch have the velocity u (3,) after the impulse; nothing is changed [m/s]."""
    system, velocity = problem.system, problem.velocity
    before, impulses = velocity.copy(), _impulses(system.rows)
    _kick_all(problem, k, lane, share, impulse)
    if has_joints:
        direct_joint_solver.solve_joints(system.rows, system.blocks, system.factors, velocity)
    equal = _are_equal(problem, k, lane, u, approach)
    _restore(problem, before, impulses)
    return equal


@routine
def _impulses(rows):
    """Copy of the impulses of ROW records."""
    impulses = np.empty(rows.shape[0])
    for i in range(rows.shape[0]):
        impulses[i] = rows[i].impulse
    return impulses


@routine
def _restore(problem, velocity, impulses):
    """Give back velocities and impulses of the joints."""
    assign(problem.velocity, velocity)
    for i in range(impulses.shape[0]):
        problem.system.rows[i].impulse = impulses[i]


@routine
def _kick_all(problem, k, lane, share, impulse):
    """Apply an impulse in equal shares to the points of a patch."""
    for p in range(problem.patches.first[k], problem.patches.first[k] + problem.patches.count[k]):
        if problem.patches.contact[p, lane] >= 0:
            kick(problem, k, p, lane, (share * impulse[0], share * impulse[1], share * impulse[2]))


@routine
def speed(patches, velocity, k, p, lane, j):
    """Velocity of b relative to a along an axis of the contact [m/s]."""
    v_a, v_b = velocity[patches.a[k, lane]], velocity[patches.b[k, lane]]
    dv = vec.sub(vec.add(v_b, vec.cross(v_b[3:], vec.of_lane(patches.points[p], ARM_B, lane))),
                 vec.add(v_a, vec.cross(v_a[3:], vec.of_lane(patches.points[p], ARM_A, lane))))
    return vec.dot(vec.of_lane(patches.frame[k], 3 * j, lane), dv)


@routine
def kick(problem, k, p, lane, impulse):
    """Apply an impulse along normal, t1 and t2 to b, and its opposite to a."""
    patches = problem.patches
    whole = (0.0, 0.0, 0.0)
    for j in range(3):
        whole = vec.madd(whole, vec.of_lane(patches.frame[k], 3 * j, lane), impulse[j])
    _push(patches.mass, problem.velocity, patches.moved_a[k, lane], vec.of_lane(patches.points[p], ARM_A, lane), whole, -1.0)
    _push(patches.mass, problem.velocity, patches.moved_b[k, lane], vec.of_lane(patches.points[p], ARM_B, lane), whole, 1.0)


@routine
def _push(mass, velocity, i, arm, impulse, sign):
    """Apply sign times an impulse at an arm to body i; none where it is 0."""
    if i > 0:
        x, y, z = vec.cross(arm, impulse)
        vec.add_scaled(velocity[i], impulse, sign * mass[i, 0])
        velocity[i, 3] += sign * (mass[i, 1] * x + mass[i, 2] * y + mass[i, 3] * z)
        velocity[i, 4] += sign * (mass[i, 2] * x + mass[i, 4] * y + mass[i, 5] * z)
        velocity[i, 5] += sign * (mass[i, 3] * x + mass[i, 5] * y + mass[i, 6] * z)


@routine
def _respond(problem, k, lane, share, has_joints, W):
    """Write (1): velocity changes by impulses along each axis, with what the joints add."""
    patches, velocity, system = problem.patches, problem.velocity, problem.system
    moved_a, moved_b = patches.moved_a[k, lane], patches.moved_b[k, lane]
    size = 1.0 / (patches.mass[moved_a, 0] + patches.mass[moved_b, 0])
    before, impulses = velocity.copy(), _impulses(system.rows)
    for j in range(3):
        _kick_all(problem, k, lane, share, (size * (j == 0), size * (j == 1), size * (j == 2)))
        if has_joints:
            direct_joint_solver.solve_joints(system.rows, system.blocks, system.factors, velocity)
        for i in range(3):
            W[i, j] = _mean_speed(problem, k, lane, share, i) / size
        _restore(problem, before, impulses)
    for i in range(3):
        now = _mean_speed(problem, k, lane, share, i)
        for j in range(3):
            W[i, j] -= now / size
    for i in range(3):
        for j in range(i):
            W[i, j] = 0.5 * (W[i, j] + W[j, i])
            W[j, i] = W[i, j]


@routine
def describe(problem, records):
    """Write records (contacts,): IMPACT, what has become of all contacts; their impulses are those of the whole impact."""
    patches, points = problem.patches, problem.patches.points
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                i = patches.contact[p, lane]
                if i < 0:
                    continue
                c, one = problem.contacts[i], records[i]
                one.shape_a, one.shape_b, one.feature = c.shape_a, c.shape_b, c.feature
                one.body_a, one.body_b = c.body_a, c.body_b
                one.friction, one.restitution = c.friction, c.restitution
                for j in range(3):
                    belt = 0.0 if j == 0 else c.target[1] if j == 1 else c.anisotropy * c.target[2]
                    one.before[j] = speed(problem.patches, problem.start, k, p, lane, j) - belt
                    one.after[j] = speed(problem.patches, problem.velocity, k, p, lane, j) - belt
                    one.impulse[j] = points[p, IMPULSE_N + j, lane]


@routine
def store(problem, alone):
    """Write slip and case of the contacts solved alone; their residual is what the velocities miss of the path's."""
    patches = problem.patches
    for p in range(patches.points.shape[0]):
        for lane in range(patches.contact.shape[1]):
            i = patches.contact[p, lane]
            if i >= 0 and alone[i] and patches.points[p, MU, lane] == UNBOUNDED:
                c = problem.contacts[i]
                x = patches.points[p, TARGET_1, lane] - c.target[1]
                y = patches.points[p, TARGET_2, lane] / c.anisotropy - c.target[2]
                vec.assign(c.slip, vec.madd(vec.scale(c.tangent, x), vec.cross(c.normal, c.tangent), y))
                c.case = _SLIP if math.sqrt(x * x + y * y) > impact_path.SLIP_ROUNDING * abs(c.approach) else _STICK
