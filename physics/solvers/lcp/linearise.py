"""Linearised constraint rows about a point q~ near the end of the step, ST96 eq 14 and section 3.6.

With q~ = q0 + h v~, gaps, errors and the contacts' J linearised there, and q1 = q0 + h v1:

    gap(q1)   = gap(q~) + h J (v1 - v~) >= 0      =>   J v1 >= J v~ - gap(q~) / h                        (1)
    C(q1)     = C(q~) + h J (v1 - v~) = 0         =>   J v1  = J v~ - C(q~) / h,   J = J(q0)             (2)

For joints, and contacts that touch at the start, J is that of the start: where the rounds converge C(q1) = 0 all the same, and
velocities, which belong to the middles of steps, change along J(q0) between them (the SHAKE scheme: a frictionless pendulum keeps
its energy; with J at the end it loses a share (h omega)^2 / 2 in every step, and a block that rocks on its edges, or a disc on
its rim, gains as much). M is taken at q0, too. Contacts that are met within a step have J at q~, and so have all in the schemes
of the papers.

Backward Euler takes J at q~ for joints, too, and springs by (3): all forces are those of the end of the step, and a pendulum does
lose that share.

v~ = v0 is the paper's choice, q0 + h v0; v~ = 0 linearises at the start of the step; v~ = v1 of the last round makes (1), (2)
exact where the rounds converge. Kinematic bodies have their velocity in J v1 and J v~: d psi/dt of T08.

An overlap or an error present at the start of the step need not be removed at once: its speed is limited. gap0 = gap(q~) - h J v~
is the gap at the start, by the same linearisation. A rebound (targets.py) asks for more than (1), in Poisson's form in a second
problem.
"""

import math

import numpy as np

from physics.constraints.rows import rates
from physics.contact.targets import TOUCH_GAP, target_velocity
from physics.core.jit import kernel
from physics.core.records import Bound, Drive, Kind, Owner, Role
from physics.core.row import velocity_of
from physics.dynamics import integrate
from physics.dynamics.stiffness import inertia_rate, swing_frequency, turn_rate

NEGLIGIBLE_OVERLAP = 1e-9
"""Less is not removed [m]."""

_DYNAMIC, _ONE_SIDED = Kind.DYNAMIC, Bound.ONE_SIDED
_CONSTRAINT, _LOWER, _UPPER = Role.CONSTRAINT, Role.LOWER, Role.UPPER
_FRICTION, _MOTOR, _SPRING = Role.FRICTION, Role.MOTOR, Drive.SPRING


@kernel
def free_motion(bodies, gravity, dt, start, free):
    """start = v0, free = v0 + h M^-1 k of all bodies, shape (n, 6) [m/s, rad/s]."""
    integrate.velocities(bodies, gravity, dt, start, free)


@kernel
def swing(joints, index, turning, bodies, dt):
    """Largest rate of loaded links that a step has to resolve (stiffness.py) [rad/s]. index: of the joints; turning: of those
    whose arms must not turn far in it; dt: of the step of their reactions [s]."""
    return max(swing_frequency(joints, index, bodies, dt, np.empty((bodies.shape[0], 3))), turn_rate(joints, turning, bodies),
               inertia_rate(joints, index, bodies, dt))


@kernel
def place_bodies(bodies, pos, quat, velocity, dt, gyroscopic):
    """Place bodies at q0 + dt v: pos (n, 3) [m] and quat (n, 4) are those of q0. Their world inertias stay those of q0."""
    integrate.place(bodies, pos, quat, velocity, dt, gyroscopic)


@kernel
def finish_step(bodies, quat, velocity, dt, gyroscopic):
    """Finish the step: bodies, moved from quat (n, 4), get their velocities (n, 6), applied forces end."""
    integrate.finish_drift(bodies, quat, velocity, dt, gyroscopic)
    integrate.end_applied_forces(bodies)


@kernel
def relinearise_joints(rows, blocks, there, about, dt, fastest):
    """Set the targets of the joints' constraints and limits by (2).

    rows, blocks: as written at q0. there: rows as written at q~ (the same blocks). about: v~ (n, 6). fastest: largest speed at
    which errors are removed [m/s]. Drives, springs and friction are left unchanged.
    """
    for k in range(blocks.shape[0]):
        block = blocks[k]
        if block.role != _CONSTRAINT and block.role != _LOWER and block.role != _UPPER:
            continue
        for i in range(block.first, block.first + block.count):
            row = rows[i]
            if row.softness > 0.0:
                continue
            before = there[i].position_error - dt * velocity_of(row, about[block.a], about[block.b])
            if block.bound == _ONE_SIDED:
                permitted = min(row.position_error + dt * fastest, 0.0)
                row.target = max(row.target if row.target > 0.0 else -math.inf, (permitted - before) / dt)
            else:
                kept = row.position_error - min(max(row.position_error, -dt * fastest), dt * fastest)
                row.target = (kept - before) / dt


@kernel
def end_rows(rows, blocks, there, joints, about, dt):
    """For backward Euler (T08): rows of joints take their J from those written at q~, `there`, and springs pull as they will at
    the end of the step, with the coordinate q of their axis at q~:

        p = -h (k (q + h J (v1 - v~) - q_0) + c J v1)     =>   J v1 + p / (h (h k + c)) = k (h J v~ - q + q_0) / (h k + c)  (3)
    """
    for k in range(blocks.shape[0]):
        block = blocks[k]
        joint, slot = joints[block.index], block.first_impulse
        for i in range(block.first, block.first + block.count):
            row, new = rows[i], there[i]
            for j in range(3):
                row.lin_a[j], row.ang_a[j], row.lin_b[j], row.ang_b[j] = new.lin_a[j], new.ang_a[j], new.lin_b[j], new.ang_b[j]
            if block.role == _FRICTION:
                row.target = 0.0
            elif block.role == _MOTOR and joint.motor_mode[slot] == _SPRING:
                give = dt * joint.motor_stiffness[slot] + joint.motor_damping[slot]
                along = velocity_of(row, about[block.a], about[block.b])
                stretch = joint.coordinate[slot] - joint.motor_target[slot] - dt * along
                row.target = -joint.motor_stiffness[slot] * stretch / give if give > 0.0 else 0.0
                row.softness = 1.0 / (dt * give) if give > 0.0 else 0.0


@kernel
def stabilise(rows, blocks, dt, fastest):
    """For rows written at q0: remove errors of joints and limits by the end of the step."""
    for k in range(blocks.shape[0]):
        block = blocks[k]
        for i in range(block.first, block.first + block.count):
            row = rows[i]
            if block.role == _CONSTRAINT and row.softness == 0.0:
                row.target += min(max(-row.position_error / dt, -fastest), fastest)
            elif (block.role == _LOWER or block.role == _UPPER) and row.position_error < 0.0:
                row.target = max(row.target, min(-row.position_error / dt, fastest))


@kernel
def aim(contacts, rows, first, held, start, free, about, dt, threshold, permitted, rebounds):
    """Write the normal targets by (1), and `approach`, `target`, `warm_startable`, `pending_rebound` of the contacts.

    first: row of the first contact; held: the first contact whose row is that of q0. start, free, about: v0, v0 + h M^-1 k, v~
    (n, 6). threshold: slower impacts do not rebound.
    permitted: (n,) gaps allowed at the end of the step, 0 or less, to those that begin with less than 0 [m].
    rebounds: (n,) speeds with which rebounding contacts separate [m/s], 0 for the others.
    """
    for n in range(contacts.shape[0]):
        c, row = contacts[n], rows[first + 3 * n]
        c.approach = velocity_of(row, start[c.body_a], start[c.body_b])
        gap = c.gap if n >= held else c.gap - dt * velocity_of(row, about[c.body_a], about[c.body_b])
        u1 = velocity_of(row, free[c.body_a], free[c.body_b])
        speed, bounces, c.pending_rebound = target_velocity(gap, c.approach, u1, c.restitution, dt, threshold, c.pending_rebound)
        row.target = (max(min(gap, 0.0), permitted[n]) - gap) / dt
        row.position_error = gap
        rebounds[n] = max(0.0, speed) if bounces else 0.0
        c.target[0] = max(row.target, rebounds[n])
        c.warm_startable = 0 if bounces else 1


def aim_way_out(rows: np.ndarray, blocks: np.ndarray, written: np.ndarray, normals: slice, wanted: np.ndarray, way: np.ndarray,
                swung: np.ndarray) -> None:
    """Make rows and blocks those of displacements [m] that remove overlaps: contacts without friction end with gaps of `wanted`
    (contacts,) [m], or above 0 with what they have; what gives way in a joint takes no part, the rest of it stays where it is.

    written: the blocks, none of them without rows; way (bodies, 6): the motion; swung (contacts,): what it adds to gaps at second
    order [m].
    """
    reached = rows["position_error"] + rates(rows, written, way)
    reached[normals] += swung
    one_sided = np.repeat(blocks["bound"] == Bound.ONE_SIDED, written["count"])
    rows["impulse"], rows["target"] = 0.0, np.where(one_sided, np.minimum(-reached, 0.0), 0.0)
    rows["target"][normals] = np.minimum(wanted, 0.0) - reached[normals]
    gives = (blocks["owner"] != Owner.CONTACT) & ((blocks["bound"] == Bound.INTERVAL) | (blocks["bound"] == Bound.POLYGON) | (
        (blocks["bound"] == Bound.DISC) & (blocks["limit"] < np.inf)) | (
        (blocks["role"] == Role.MOTOR) & (rows["softness"][np.minimum(blocks["first"], len(rows) - 1)] > 0.0)))
    blocks["mu"], blocks["bound"][gives], blocks["count"][gives] = 0.0, Bound.EQUALITY, 0


@kernel
def decompression_impulses(contacts, rows, first, of_body, free, rebounds, known):
    """known (rows,) = e' c_c of Poisson's restitution for the contacts' normal rows.

    For a contact that struck, e' comes from its approach and its separation speed; where the impact of another contact of its
    island pressed it, e' = e. of_body: island of each body, -1: none.
    """
    struck = np.zeros(of_body.shape[0] + 1, np.bool_)
    for n in range(contacts.shape[0]):
        if rebounds[n] > 0.0:
            struck[max(of_body[contacts[n].body_a], of_body[contacts[n].body_b])] = True
    for n in range(contacts.shape[0]):
        c, row = contacts[n], rows[first + 3 * n]
        approach = -velocity_of(row, free[c.body_a], free[c.body_b])
        part = c.restitution if struck[max(of_body[c.body_a], of_body[c.body_b])] else 0.0
        known[first + 3 * n] = row.impulse * (rebounds[n] / approach if rebounds[n] > 0.0 and approach > 0.0 else part)


@kernel
def reverse_slip(rows, index, contacts, which, free, e):
    """Aim the tangential rows index (m,) of the contacts `which` (m,) at e (m,) times the slip of v0 + h M^-1 k, `free` (n, 6),
    reversed."""
    for k in range(index.shape[0]):
        row, c = rows[index[k]], contacts[which[k]]
        row.target -= e[k] * (velocity_of(row, free[c.body_a], free[c.body_b]) - row.target)


@kernel
def contact_work(rows, blocks, first_block, impulses, of_body, now, change, out):
    """out (islands, 2): by island of_body, the energy added by the contacts' impulses (rows,), (1) of energy_limit.py, and the
    sum of the terms' sizes [J]. now, change: velocities (n, 6) at q0, and their change by the impulses. Motion is relative to the
    surfaces: the work of a belt or a piston is no gain."""
    out[:, :] = 0.0
    for k in range(first_block, blocks.shape[0]):
        block = blocks[k]
        island = max(of_body[block.a], of_body[block.b])
        if island < 0:
            continue
        for i in range(block.first, block.first + block.count):
            p, row = impulses[i], rows[i]
            if p != 0.0:
                u = velocity_of(row, now[block.a], now[block.b]) - (row.target if block.count > 1 else 0.0)
                out[island, 0] += p * (u + 0.5 * velocity_of(row, change[block.a], change[block.b]))
                out[island, 1] += abs(p * u)


@kernel
def arms(contacts, held, bodies, pos, meet):
    """Arms of contacts to the bodies' own surfaces; meet: of two moving, separated bodies, to half way between
    (contact_batches.py). Contacts from `held` on are those of the start, when bodies were at pos (n, 3): they follow their
    bodies, so that their arms stay; an impact found later in the step (shift) has its own, and touching contacts are left
    unchanged."""
    for n in range(contacts.shape[0]):
        c = contacts[n]
        later = c.shift[0] != 0.0 or c.shift[1] != 0.0 or c.shift[2] != 0.0
        between = meet and c.gap > TOUCH_GAP and bodies[c.body_a].kind == _DYNAMIC and bodies[c.body_b].kind == _DYNAMIC
        for k in range(3):
            a = bodies[c.body_a].pos[k] - pos[c.body_a, k] if n >= held else 0.0
            b = bodies[c.body_b].pos[k] - pos[c.body_b, k] if n >= held else 0.0
            rests = n >= held and c.restitution == 0.0 and abs(c.gap) <= TOUCH_GAP
            gap = 0.0 if later or rests or between else c.gap * c.normal[k]
            c.pos[k] += a - 0.5 * gap
            c.shift[k] += b - a + gap


@kernel
def violated(contacts, rows, first, velocity, dt, tolerance, active):
    """Add to `active` (n,) the contacts that velocities v1 (n, 6) would close by more than `tolerance` [m]; returns how many."""
    added = 0
    for n in range(contacts.shape[0]):
        c, row = contacts[n], rows[first + 3 * n]
        if active[n] == 0 and velocity_of(row, velocity[c.body_a], velocity[c.body_b]) < row.target - tolerance / dt:
            active[n] = 1
            added += 1
    return added


@kernel
def largest_move(before, after, dt):
    """Largest difference of two velocities (n, 6), as a motion in dt [m] or a rotation [rad]."""
    largest = 0.0
    for i in range(before.shape[0]):
        for k in range(6):
            largest = max(largest, dt * abs(after[i, k] - before[i, k]))
    return largest
