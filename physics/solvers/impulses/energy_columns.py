"""Energy ledger of substepping solvers: the work of all impulses of a substep (physics/dynamics/energy_ledger.py, 1 to 3).

Impacts: a contact that closed faster than the threshold or rebounded has struck, and so has every contact that presses on a
struck body, through a whole pile: what one of them transmits to the next is not lost.
"""

import numpy as np

from physics.constraints.contact_batches import ARM_A, ARM_B, IMPULSE_1, IMPULSE_2, IMPULSE_N, MASS_SCALE, REBOUND, REBOUNDS
from physics.core import vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import Kind, Role
from physics.core.row import velocity_of
from physics.dynamics import integrate, measure
from physics.dynamics.energy_ledger import APPLIED, CONTACT, FRICTION, GRAVITY, IMPACT, MOVERS, column_of

_DYNAMIC, _KINEMATIC = Kind.DYNAMIC, Kind.KINEMATIC
_LOWER, _UPPER = Role.LOWER, Role.UPPER


@routine
def open(bodies, gravity, columns):
    """Begin a step; no columns: the ledger is off."""
    columns[:] = 0.0
    if columns.shape[0] > 0:
        columns[GRAVITY] = measure.potential(bodies, gravity)


@inline
def room(bodies, columns):
    """Allocate the array of `kicks`."""
    return np.empty(bodies.shape[0] if columns.shape[0] > 0 else 0)


@routine
def kicks(bodies, dt, kick):
    """Write the duration of the forces on each body in a substep of dt [s], before it moves: kick (bodies,), or empty."""
    for i in range(kick.shape[0]):
        kick[i] = integrate.kick_time(bodies[i], dt)


@routine
def close(bodies, gravity, columns):
    """Add the change of potential energy by the motions of the step."""
    if columns.shape[0] > 0:
        columns[GRAVITY] -= measure.potential(bodies, gravity)


@kernel
def enter(bodies, joints, problem, kick, gravity, dt, threshold, columns):
    """Add a substep of dt [s] to the columns, after its last sweep and before impulses are stored.

    problem: VelocityProblem (iterate.py). kick: of `kicks`. threshold: contacts that close faster strike [m/s].
    """
    contacts, patches, start, velocity = problem.contacts, problem.patches, problem.start, problem.velocity
    mean = 0.5 * (start + velocity)
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.kind == _DYNAMIC:
            columns[GRAVITY] += b.mass * (kick[i] * vec.dot(gravity, mean[i]) - dt * vec.dot(gravity, velocity[i]))
            columns[APPLIED] += kick[i] * (vec.dot(b.force, mean[i]) + vec.dot(b.torque, mean[i, 3:]))
    _enter_joints(bodies, joints, problem.system, problem.system.rows, start, mean, threshold, columns)
    struck = np.zeros(bodies.shape[0], np.bool_)
    if _strike(bodies, patches, start, threshold, struck):
        _spread(bodies, patches, struck)
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                if patches.contact[p, lane] >= 0 and patches.points[p, IMPULSE_N, lane] != 0.0:
                    _enter_contact(bodies, contacts[patches.contact[p, lane]], patches, k, p, lane, mean, struck, columns)
    _enter_extended(bodies, patches, mean, columns)


@routine
def enter_turned(bodies, joints, problem, turned, threshold, columns):
    """After `enter`, add the work of impulses that have acted along other directions than those of the rows at the end; turned:
    of joint_rows.redirect."""
    mean = 0.5 * (problem.start + problem.velocity)
    _enter_joints(bodies, joints, problem.system, turned, problem.start, mean, threshold, columns)


@routine
def _enter_joints(bodies, joints, system, rows, start, mean, threshold, columns):
    """Add all rows of the joints."""
    blocks, layout = system.blocks, system.layout
    for k in range(blocks.shape[0]):
        block = blocks[k]
        column = column_of(block, joints, system.written[layout.sources[block.first]].softness)
        for i in range(block.first, block.first + block.count):
            row = rows[i]
            if row.impulse == 0.0:
                continue
            into = column
            if (block.role == _LOWER or block.role == _UPPER) and (
                    row.target > 0.0 or velocity_of(row, start[block.a], start[block.b]) < -threshold):
                into = IMPACT
            columns[into] += row.impulse * velocity_of(row, mean[block.a], mean[block.b])
            if bodies[block.a].kind == _KINEMATIC:
                own = vec.dot(row.lin_a, mean[block.a]) + vec.dot(row.ang_a, mean[block.a, 3:])
                columns[MOVERS] -= row.impulse * own
            if bodies[block.b].kind == _KINEMATIC:
                own = vec.dot(row.lin_b, mean[block.b]) + vec.dot(row.ang_b, mean[block.b, 3:])
                columns[MOVERS] -= row.impulse * own


@inline
def _at(motion, arm):
    """Velocity of a point of a body."""
    return vec.add(motion, vec.cross(motion[3:], arm))


@routine
def _strike(bodies, patches, start, threshold, struck):
    """Mark the moving bodies of striking contacts; True if there is one."""
    points, found = patches.points, False
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                if patches.contact[p, lane] < 0 or points[p, IMPULSE_N, lane] == 0.0 or points[p, MASS_SCALE, lane] == 0.0:
                    continue
                a, b = patches.a[k, lane], patches.b[k, lane]
                dv = vec.sub(_at(start[b], vec.of_lane(points[p], ARM_B, lane)),
                             _at(start[a], vec.of_lane(points[p], ARM_A, lane)))
                if points[p, REBOUND, lane] == REBOUNDS or vec.dot(vec.of_lane(patches.frame[k], 0, lane), dv) < -threshold:
                    found = True
                    struck[a], struck[b] = bodies[a].kind == _DYNAMIC, bodies[b].kind == _DYNAMIC
    return found


@routine
def _spread(bodies, patches, struck):
    """Mark all bodies connected to struck ones by contacts."""
    more = True
    while more:
        more = False
        for k in range(patches.first.shape[0]):
            for p in range(patches.first[k], patches.first[k] + patches.count[k]):
                for lane in range(patches.contact.shape[1]):
                    a, b = patches.a[k, lane], patches.b[k, lane]
                    if (patches.contact[p, lane] >= 0 and patches.points[p, IMPULSE_N, lane] != 0.0 and struck[a] != struck[b]
                            and bodies[a].kind == _DYNAMIC and bodies[b].kind == _DYNAMIC):
                        struck[a] = struck[b] = more = True


@routine
def _enter_contact(bodies, c, patches, k, p, lane, mean, struck, columns):
    """Add one point: along its normal, and its friction relative to the surfaces, which may move on their bodies."""
    points = patches.points
    a, b = patches.a[k, lane], patches.b[k, lane]
    frame = patches.frame[k]
    n, t1, t2 = vec.of_lane(frame, 0, lane), vec.of_lane(frame, 3, lane), vec.of_lane(frame, 6, lane)
    v_a, v_b = _at(mean[a], vec.of_lane(points[p], ARM_A, lane)), _at(mean[b], vec.of_lane(points[p], ARM_B, lane))
    dv = vec.sub(v_b, v_a)
    p_n, p_1, p_2 = points[p, IMPULSE_N, lane], points[p, IMPULSE_1, lane], points[p, IMPULSE_2, lane]
    belt = p_1 * c.target[1] + p_2 * c.anisotropy * c.target[2]
    columns[IMPACT if struck[a] or struck[b] else CONTACT] += p_n * vec.dot(n, dv)
    columns[FRICTION] += p_1 * vec.dot(t1, dv) + p_2 * vec.dot(t2, dv) - belt
    columns[MOVERS] += belt
    if bodies[a].kind == _KINEMATIC or bodies[b].kind == _KINEMATIC:
        impulse = vec.madd(vec.madd(vec.scale(n, p_n), t1, p_1), t2, p_2)
        if bodies[a].kind == _KINEMATIC:
            columns[MOVERS] += vec.dot(impulse, v_a)
        if bodies[b].kind == _KINEMATIC:
            columns[MOVERS] -= vec.dot(impulse, v_b)


@routine
def _enter_extended(bodies, patches, mean, columns):
    """Add moments of rolling and torsional friction, and adhesion."""
    for k in range(patches.extended.shape[0]):
        u = patches.extended[k]
        moment = (0.0, 0.0, 0.0)
        for j in range(3):
            moment = vec.madd(moment, u.frame[j], u.impulse[j])
        pull = vec.scale(u.frame[0], -u.pull)
        v_a, v_b = (_at(mean[u.a], vec.of_lane(patches.points[u.point], ARM_A, u.lane)),
                    _at(mean[u.b], vec.of_lane(patches.points[u.point], ARM_B, u.lane)))
        columns[FRICTION] += vec.dot(moment, vec.sub(mean[u.b, 3:], mean[u.a, 3:]))
        columns[CONTACT] += vec.dot(pull, vec.sub(v_b, v_a))
        if bodies[u.a].kind == _KINEMATIC:
            columns[MOVERS] += vec.dot(moment, mean[u.a, 3:]) + vec.dot(pull, v_a)
        if bodies[u.b].kind == _KINEMATIC:
            columns[MOVERS] -= vec.dot(moment, mean[u.b, 3:]) + vec.dot(pull, v_b)


@kernel
def enter_rebounds(bodies, patches, rows, blocks, done, before, after, columns):
    """Add the growth of the impulses since those of `done` (a StateBefore of energy_limit.py); before, after: velocities
    (bodies, 6)."""
    mean, points = 0.5 * (before + after), patches.points
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                if patches.contact[p, lane] < 0:
                    continue
                n, t1 = vec.of_lane(patches.frame[k], 0, lane), vec.of_lane(patches.frame[k], 3, lane)
                t2 = vec.of_lane(patches.frame[k], 6, lane)
                d = vec.sub(vec.of_lane(points[p], IMPULSE_N, lane), vec.of_lane(done.base[p], 0, lane))
                a, b = patches.a[k, lane], patches.b[k, lane]
                rubs = vec.madd(vec.scale(t1, d[1]), t2, d[2])
                v_a, v_b = _at(mean[a], vec.of_lane(points[p], ARM_A, lane)), _at(mean[b], vec.of_lane(points[p], ARM_B, lane))
                columns[IMPACT] += d[0] * vec.dot(n, vec.sub(v_b, v_a))
                columns[FRICTION] += vec.dot(rubs, vec.sub(v_b, v_a))
                impulse = vec.madd(rubs, n, d[0])
                if bodies[a].kind == _KINEMATIC:
                    columns[MOVERS] += vec.dot(impulse, v_a)
                if bodies[b].kind == _KINEMATIC:
                    columns[MOVERS] -= vec.dot(impulse, v_b)
    for k in range(blocks.shape[0]):
        block = blocks[k]
        for i in range(block.first, block.first + block.count):
            d = rows[i].impulse - done.row_impulse[i]
            columns[IMPACT] += d * velocity_of(rows[i], mean[block.a], mean[block.b])
