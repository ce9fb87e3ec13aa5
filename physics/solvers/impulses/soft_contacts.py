"""Contacts of soft steps around their sweeps: targets while overlaps are removed, gaps after the motion, rebounds.

With s the gap, h the substep, v* the largest speed of the push-out, (rate, scale) of soft_steps.py:

    solve    n.dv >= -s / h                     s > 0: may close the gap, not more; rigid
             n.dv >= min(-rate s, v*), scale    s <= 0: removed softly
    move     s <- s + h n.dv                    arms and normals stay as found
    relax    n.dv >= -s / h  or  0              rigid: removes the velocity left by the correction

less the curvature of arms and normals up to the middle of the substep, (4) of contact_batches.py. A contact that is, or was,
separated in the substep and has not pushed is ignored in the relaxation: it would lose its speed before touching anything.

Rebound of a contact that approached with u0 < -threshold and has pushed since. With a the approaching acceleration without
contact, s0 and s1 the gaps at the start and at the end of the step (targets.py; velocities are at the middles of substeps):

    V^2 = (-u0 + a h / 2)^2 + 2 a s0                       at the surface                          (1)
    (v - a h / 2)^2 = e^2 (V^2 - (a h)^2 / 4) - 2 a s1     the apex after it is e^2 times the drop   (2)

At the end of the step these are the targets of one rigid solution, with friction, joints and their limits, as in sequential
impulses; it starts from the impulses of the whole step, and gains no energy (energy_limit.py).
"""

import math

import numpy as np

from physics.constraints.contact_batches import (
    ARM_A,
    ARM_B,
    GAP,
    IMPULSE_N,
    MASS_SCALE,
    REBOUND,
    REBOUNDS,
    TARGET_N,
    TOTAL_N,
    advance_arms,
    aim_tangents,
    batch_rows,
    curvature_lanes,
    join_arms,
    load3,
)
from physics.contact.targets import LATER_IMPACT, TOUCH_GAP, normal_velocity
from physics.core import lanes, vec
from physics.core.jit import inline, routine
from physics.core.records import Bound, Kind
from physics.core.row import velocity_of
from physics.solvers.impulses.contact_sweeps import difference, motion_of, store3

_DYNAMIC, _ONE_SIDED = Kind.DYNAMIC, Bound.ONE_SIDED


@routine
def bias_targets(contacts, patches, bodies, dt, elapsed, between, ground, limit):
    """Set the targets of the solve, and arms that follow their bodies; between, ground: (rate [1/s], scale) of contacts of two
    moving bodies, of one; limit: v* [m/s]; elapsed: since contacts were found [s]."""
    points, mass = patches.points, patches.mass
    zero, one, touch, per_step = lanes.fill(0.0), lanes.fill(1.0), lanes.fill(TOUCH_GAP), lanes.fill(-1.0 / dt)
    fastest, step, half, middle = lanes.fill(limit), lanes.fill(dt), lanes.fill(0.5 * dt), lanes.fill(elapsed + 0.5 * dt)
    for k in range(patches.first.shape[0]):
        both = lanes.gather(mass, batch_rows(patches.a, k), 0) * lanes.gather(mass, batch_rows(patches.b, k), 0)
        rate = lanes.greater(both, zero, lanes.fill(-between[0]), lanes.fill(-ground[0]))
        scale = lanes.greater(both, zero, lanes.fill(between[1]), lanes.fill(ground[1]))
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            if elapsed > 0.0:
                advance_arms(points, p, step)
                join_arms(contacts, patches, k, p, bodies)
            gap = lanes.load(points, p, GAP)
            out = rate * gap
            out = lanes.greater(out, fastest, fastest, out)
            wanted = lanes.greater(gap, touch, per_step * gap, out) - curvature_lanes(points, p, half, middle)
            lanes.store(points, p, TARGET_N, wanted)
            aim_tangents(points, p, half)
            lanes.store(points, p, MASS_SCALE, lanes.greater(gap, touch, one, scale))


@routine
def follow(contacts, patches, bodies, velocity, dt, elapsed):
    """Update gaps after a motion by dt [s] with these velocities, and the relaxation's targets; elapsed: as in `bias_targets`.

    Arms between moving bodies meet again. Those on the ground stay: the relaxation may take back what the solve gave.
    """
    points, frame = patches.points, patches.frame
    zero, one, touch = lanes.fill(0.0), lanes.fill(1.0), lanes.fill(TOUCH_GAP)
    step, per_step, let_be = lanes.fill(dt), lanes.fill(-1.0 / dt), lanes.fill(LATER_IMPACT)
    half, middle = lanes.fill(0.5 * dt), lanes.fill(elapsed + 0.5 * dt)
    for k in range(patches.first.shape[0]):
        a, b = batch_rows(patches.a, k), batch_rows(patches.b, k)
        v_a, w_a, v_b, w_b = motion_of(velocity, a, b)
        n = load3(frame, k, 0)
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            dv = difference(v_a, w_a, v_b, w_b, load3(points, p, ARM_A), load3(points, p, ARM_B))
            turned = curvature_lanes(points, p, half, middle)
            before = lanes.load(points, p, GAP)
            gap = before + step * (vec.dot(n, dv) + turned)
            lanes.store(points, p, GAP, gap)
            pushed = lanes.greater(gap, touch, per_step * gap, zero)
            idle = lanes.greater(lanes.greater(gap, before, gap, before), touch, let_be, zero)
            wanted = lanes.greater(lanes.load(points, p, IMPULSE_N), zero, pushed, idle)
            lanes.store(points, p, TARGET_N, wanted - turned)
            lanes.store(points, p, MASS_SCALE, one)
            join_arms(contacts, patches, k, p, bodies)


@routine
def accumulate(patches):
    """Add the impulses of a substep to those of the step."""
    points = patches.points
    for p in range(points.shape[0]):
        store3(points, p, TOTAL_N, vec.add(load3(points, p, TOTAL_N), load3(points, p, IMPULSE_N)))


@routine
def approaches(contacts, bodies, velocity, threshold):
    """Write approach and warm_startable of the contacts; True if one of them may rebound."""
    found = False
    for i in range(contacts.shape[0]):
        c = contacts[i]
        a, b = c.body_a, c.body_b
        r_b = vec.sub(vec.add(c.pos, c.shift), bodies[b].pos)
        c.approach = normal_velocity(c, vec.sub(c.pos, bodies[a].pos), r_b, velocity[a], velocity[b])
        c.warm_startable = 1
        found = found or (c.restitution > 0.0 and c.approach < -threshold)
    return found


@routine
def enforce_limits(joints, system, start, approach, dt):
    """Make joint limits only stop in a substep of dt [s]: they rebound at the end of the step, with the fastest approach.

    A mechanism whose limit has struck starts the next substep from zero: one sweep could not undo the impact. start:
    velocities before the substep (bodies, 6). approach (blocks, 2): of limits, the fastest [m/s] or [rad/s], and 1 after an
    impact.
    """
    rows, blocks, group = system.rows, system.blocks, system.layout.body_group
    struck, some = np.zeros(group.shape[0] + 1, np.bool_), False
    for k in range(blocks.shape[0]):
        block = blocks[k]
        if block.bound != _ONE_SIDED:
            continue
        row = rows[block.first]
        impact = approach[k, 1] > 0.0 or (row.impulse > 0.0 and velocity_of(row, start[block.a], start[block.b]) > row.target)
        approach[k, 1] = 0.0
        if block.limit > 0.0:
            approach[k, 0], approach[k, 1] = max(approach[k, 0], block.limit / joints[block.index].limit_restitution), 1.0
            row.target = -max(row.position_error, 0.0) / dt
        if impact:
            struck[_group(block, group)], some = True, True
    for k in range(blocks.shape[0] if some else 0):
        if struck[_group(blocks[k], group)]:
            for i in range(blocks[k].first, blocks[k].first + blocks[k].count):
                rows[i].impulse = 0.0


@routine
def limit_strikes(system, start, dt, threshold):
    """True if a limit that did not push is reached in a substep of dt [s], faster than threshold [m/s] or [rad/s]; start:
    velocities before the substep (bodies, 6)."""
    found = False
    for k in range(system.blocks.shape[0]):
        block = system.blocks[k]
        if block.bound == _ONE_SIDED:
            row = system.rows[block.first]
            speed = velocity_of(row, start[block.a], start[block.b])
            found = found or (row.impulse == 0.0 and speed < -threshold - max(row.position_error, 0.0) / dt)
    return found


@inline
def _group(block, group):
    """Mechanism of a block; -1: none."""
    return group[block.a] if block.inv_mass_a > 0.0 else group[block.b]


@routine
def rebounds(contacts, patches, bodies, gravity, joints, rows, blocks, velocity, approach, done, dt, threshold):
    """Set targets, eq 2, of contacts that approached faster than threshold [m/s], and of joint limits; True if there is one.

    They start from their impulses of the whole step, so that friction has all of the normal impulse; other contacts from those of
    the last substep, as they cannot undo earlier impulses. done: a StateBefore (energy_limit.py). dt: of a substep.
    """
    points, found = patches.points, False
    for p in range(points.shape[0]):
        for lane in range(lanes.WIDTH):
            i = patches.contact[p, lane]
            if i >= 0 and points[p, TOTAL_N, lane] > 0.0:
                c = contacts[i]
                if c.restitution > 0.0 and c.approach < -threshold:
                    a_a, a_b = _acceleration(bodies[c.body_a], gravity), _acceleration(bodies[c.body_b], gravity)
                    a = vec.dot(c.normal, vec.sub(a_a, a_b))
                    speed = _rebound(c, a, points[p, GAP, lane], dt)
                    if speed > 0.0:
                        points[p, TARGET_N, lane], points[p, REBOUND, lane] = speed, REBOUNDS
                        c.warm_startable, found = 0, True
                        arm_a = vec.of_lane(points[p], ARM_A, lane)
                        arm_b = vec.of_lane(points[p], ARM_B, lane)
                        done.closing[p, lane] = normal_velocity(c, arm_a, arm_b, velocity[c.body_a], velocity[c.body_b])
                        for j in range(3):
                            points[p, IMPULSE_N + j, lane] = points[p, TOTAL_N + j, lane]
                        most = abs(a) * dt
                        excess = _at_surface(c, a, dt) + 0.5 * a * dt + done.approach[p, lane]
                        done.excess[p, lane] = 0.5 * min(max(excess, -most), most)
        store3(done.base, p, 0, load3(points, p, IMPULSE_N))
    for k in range(blocks.shape[0]):
        row = rows[blocks[k].first]
        if approach[k, 0] > 0.0 and row.position_error <= dt * approach[k, 0]:
            row.target, found = joints[blocks[k].index].limit_restitution * approach[k, 0], True
            blocks[k].limit = row.target
    return found


@routine
def settle_totals(patches, base):
    """Add the rebounds' change of the impulses base (points, 3, 4) to those of the step."""
    points = patches.points
    for p in range(points.shape[0]):
        change = vec.sub(load3(points, p, IMPULSE_N), load3(base, p, 0))
        store3(points, p, TOTAL_N, vec.add(load3(points, p, TOTAL_N), change))


@inline
def _acceleration(body, gravity):
    """Acceleration of a body without contacts [m/s^2]."""
    if body.kind != _DYNAMIC:
        return (0.0, 0.0, 0.0)
    return vec.madd(gravity, body.force, body.inv_mass)


@routine
def _at_surface(c, a, dt):
    """V of eq 1 [m/s]."""
    s = -c.approach + 0.5 * a * dt
    return math.sqrt(max(0.0, s * abs(s) + 2.0 * a * max(c.gap, 0.0)))


@routine
def _rebound(c, a, gap, dt):
    """Velocity after an impact [m/s], eq 2; 0: the apex is below the remaining gap."""
    s = -c.approach + 0.5 * a * dt
    v2 = s * abs(s) + 2.0 * a * max(c.gap, 0.0)
    w2 = c.restitution * c.restitution * (v2 - 0.25 * (a * dt) * (a * dt)) - 2.0 * a * max(gap, 0.0)
    return 0.5 * a * dt + math.sqrt(w2) if w2 > 0.0 else 0.0
