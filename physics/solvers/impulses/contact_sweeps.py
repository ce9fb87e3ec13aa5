"""Sequential impulses over batches of contacts (physics/constraints/contact_batches.py): normal, then friction, of four points
at once.

    w_n = n.dv - target,                p_n' = max(0, s (p_n - w_n / K_nn))     (s = 1: rigid; s < 1: soft, see soft_steps.py)
    w_t = t.dv + K_tn (p_n' - p_n) - target,  p_t* = p_t - K_tt^-1 w_t
    |p_t*| <= mu p_n' (circle or k-gon):  p_t' = p_t*;  else  p_t' = projection of (p_t - rate w_t)   (maximal dissipation)

A batch whose bodies have not changed since it was last solved would not change either, and is skipped (`ChangeTracker`), so a
sweep costs as much as what still moves.

Between two sweeps impulses may be extrapolated in the direction of their change, as in the conjugate gradient method
(Silcowitz, Niebe and Erleben, A nonsmooth nonlinear conjugate gradient method, The Visual Computer 26, 2010, algorithm 2); d is
the change by the last sweep, s the search direction:

    beta = |d_k|^2 / |d_k-1|^2 (0 if that is > 1: restart),  p += beta s,  s = beta s + d

Contacts before and after the sweeps of a substep: targets, warm start, the push, and the results.

    gap  += h (n.dv + n.dv_push)              of the previous substep; arms and normals stay as found
    push: a second set of velocities, discarded after the step, that separates overlapping bodies:
          n.dv_push >= min(rate (-gap' - slop) / h, limit),  p >= 0,   gap' = gap + h n.dv
"""

import math
from typing import NamedTuple

import numpy as np

from physics.constraints.contact_batches import (
    APPROACH,
    ARM_A,
    ARM_B,
    CHANGE_N,
    COUPLE_1,
    COUPLE_2,
    CURVATURE_N,
    GAP,
    IMPULSE_1,
    IMPULSE_2,
    IMPULSE_N,
    INVERSE_11,
    INVERSE_12,
    INVERSE_22,
    INVERSE_N,
    MASS_SCALE,
    MU,
    PUSH_IMPULSE,
    PUSH_TARGET,
    RATE,
    REBOUND,
    REBOUNDS,
    RESTITUTION,
    SEARCH_N,
    STIFFNESS,
    SWING,
    TARGET_1,
    TARGET_2,
    TARGET_N,
    TOTAL_1,
    TOTAL_2,
    TOTAL_N,
    advance_arms,
    aim_tangents,
    apply_inverse_inertia,
    batch_rows,
    curvature_lanes,
    join_arms,
    load3,
    masses,
)
from physics.contact.friction_cone import observed_case
from physics.contact.laws import friction_case, friction_residual, friction_update, one_sided_residual
from physics.contact.targets import TOUCH_GAP, target_velocity
from physics.core import lanes, stack, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import Case
from physics.solvers.impulses import extended_contacts

SKIP_UNCHANGED = 0.01
"""Smaller changes than this fraction of the tolerance, squared, do not cause a batch to be solved again."""


class ChangeTracker(NamedTuple):
    """Times of the last changes, in ticks of a clock that advances with every change.

    clock (1,), body (bodies,): last change of its velocity by more than the tolerance, batch (batches,): the change it was last
    solved for; int64. searching (batches,): 1 while a batch's search direction is valid. scratch: float64 (5, 1, 4).
    """

    clock: np.ndarray
    body: np.ndarray
    batch: np.ndarray
    searching: np.ndarray
    scratch: np.ndarray


@routine
def marks(bodies, batches):
    """Marks of a new pass: everything is to be solved."""
    return ChangeTracker(np.zeros(1, np.int64), np.zeros(bodies, np.int64), np.full(batches, -1, np.int64),
                         np.zeros(batches, np.int64), np.empty((5, 1, lanes.WIDTH)))


@inline
def reset(marks):
    """Mark everything to be solved again."""
    marks.clock[0] = 0
    marks.body[:] = 0
    marks.batch[:] = -1
    marks.searching[:] = 0


@inline
def last_change(patches, marks, k):
    """Time of the last change of a body of batch k, or of its last solution, whichever is later."""
    newest = marks.batch[k]
    for lane in range(lanes.WIDTH):
        newest = max(newest, marks.body[patches.moved_a[k, lane]], marks.body[patches.moved_b[k, lane]])
    return newest


@inline
def is_settled(patches, marks, k):
    """True if the bodies of batch k have not changed since it was last solved; else it is marked as solved now."""
    newest = last_change(patches, marks, k)
    settled = newest == marks.batch[k]
    marks.batch[k] = newest
    return settled


@inline
def mark_batch(patches, marks, k):
    """Mark the bodies of batch k as changed."""
    marks.clock[0] += 1
    for lane in range(lanes.WIDTH):
        marks.body[patches.moved_a[k, lane]] = marks.clock[0]
        marks.body[patches.moved_b[k, lane]] = marks.clock[0]
    marks.body[0] = 0


@inline
def note_block(block, marks):
    """Mark the bodies of a block of rows as changed."""
    marks.clock[0] += 1
    if block.inv_mass_a > 0.0:
        marks.body[block.a] = marks.clock[0]
    if block.inv_mass_b > 0.0:
        marks.body[block.b] = marks.clock[0]


@inline
def largest(scratch, value):
    """Maximum over the lanes."""
    lanes.store(scratch, 0, 0, value)
    return max(scratch[0, 0, 0], scratch[0, 0, 1], scratch[0, 0, 2], scratch[0, 0, 3])


@inline
def motion_of(velocity, a, b):
    """Lanes of v_a, omega_a, v_b, omega_b."""
    p, q, r, s = (lanes.gather4(velocity, a, 0), lanes.gather4(velocity, a, 2),
                  lanes.gather4(velocity, b, 0), lanes.gather4(velocity, b, 2))
    return (p[0], p[1], p[2]), (q[1], q[2], q[3]), (r[0], r[1], r[2]), (s[1], s[2], s[3])


@inline
def set_motion(velocity, a, b, motion):
    """Write the lanes back to the velocities."""
    v_a, w_a, v_b, w_b = motion
    lanes.scatter4(velocity, a, 0, (v_a[0], v_a[1], v_a[2], w_a[0]))
    lanes.scatter4(velocity, a, 2, (v_a[2], w_a[0], w_a[1], w_a[2]))
    lanes.scatter4(velocity, b, 0, (v_b[0], v_b[1], v_b[2], w_b[0]))
    lanes.scatter4(velocity, b, 2, (v_b[2], w_b[0], w_b[1], w_b[2]))


@inline
def kicked(motion, impulse, r_a, r_b, light_a, light_b, inertia_a, inertia_b):
    """The motion after an impulse on b, and its opposite on a, (2) of contact_batches.py; light: 1/m."""
    v_a, w_a, v_b, w_b = motion
    return (vec.madd(v_a, impulse, lanes.fill(0.0) - light_a),
            vec.sub(w_a, apply_inverse_inertia(inertia_a, vec.cross(r_a, impulse))),
            vec.madd(v_b, impulse, light_b), vec.add(w_b, apply_inverse_inertia(inertia_b, vec.cross(r_b, impulse))))


@inline
def difference(v_a, w_a, v_b, w_b, r_a, r_b):
    """Velocity of b relative to a at a point, (1) of contact_batches.py."""
    return vec.sub(vec.add(v_b, vec.cross(w_b, r_b)), vec.add(v_a, vec.cross(w_a, r_a)))


@inline
def combine(n, t1, t2, p):
    """p_n n + p_1 t1 + p_2 t2."""
    return (n[0] * p[0] + t1[0] * p[1] + t2[0] * p[2], n[1] * p[0] + t1[1] * p[1] + t2[1] * p[2],
            n[2] * p[0] + t1[2] * p[1] + t2[2] * p[2])


@inline
def store3(array, i, field, v):
    """Write three lanes from `field` on."""
    lanes.store(array, i, field, v[0])
    lanes.store(array, i, field + 1, v[1])
    lanes.store(array, i, field + 2, v[2])


@routine
def clip(polygon, scratch):
    """Project friction impulses that leave the cone, in a point's lanes; scratch (5, 1, 4): radius, x, y, and p - rate w."""
    for lane in range(lanes.WIDTH):
        scratch[1, 0, lane], scratch[2, 0, lane], _ = friction_update(
            polygon, scratch[0, 0, lane], (scratch[1, 0, lane], scratch[2, 0, lane]), (scratch[3, 0, lane], scratch[4, 0, lane]))


@inline
def friction(points, p, polygon, safe, scratch, radius, u, w, x0, y0):
    """New friction impulses of a point with sliding velocities u, w."""
    cross = lanes.load(points, p, INVERSE_12)
    x = x0 - lanes.load(points, p, INVERSE_11) * u - cross * w
    y = y0 - cross * u - lanes.load(points, p, INVERSE_22) * w
    if lanes.any_greater(x * x + y * y, radius * radius * safe):
        rate = lanes.load(points, p, RATE)
        lanes.store(scratch, 0, 0, radius)
        lanes.store(scratch, 1, 0, x)
        lanes.store(scratch, 2, 0, y)
        lanes.store(scratch, 3, 0, x0 - rate * u)
        lanes.store(scratch, 4, 0, y0 - rate * w)
        clip(polygon, scratch)
        x, y = lanes.load(scratch, 1, 0), lanes.load(scratch, 2, 0)
    return x, y


@routine
def sweep(patches, velocity, polygon, tolerance, marks):
    """One Gauss-Seidel sweep over the batches whose bodies have changed.

    Returns the square of the largest change of velocity [m/s] by one point, and the sum of |d|^2 in the mass metric [J].
    """
    zero = lanes.fill(0.0)
    # within the apothem the impulse is always inside the k-gon
    apothem = 1.0
    if polygon.shape[0] > 0:
        apothem = polygon[0, 0] * polygon[0, 2] + polygon[0, 1] * polygon[0, 3]
    safe = lanes.fill(apothem * apothem * (1.0 - 1e-12))
    limit = lanes.fill(SKIP_UNCHANGED * tolerance * tolerance)
    points, frame, mass, scratch = patches.points, patches.frame, patches.mass, marks.scratch
    worst, total = zero, zero
    for k in range(patches.first.shape[0]):
        if is_settled(patches, marks, k):
            marks.searching[k] = 0
            continue
        a, b = batch_rows(patches.a, k), batch_rows(patches.b, k)
        v_a, w_a, v_b, w_b = motion_of(velocity, a, b)
        light_a, inertia_a = masses(mass, a)
        light_b, inertia_b = masses(mass, b)
        n, t1, t2 = load3(frame, k, 0), load3(frame, k, 3), load3(frame, k, 6)
        change = zero
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            r_a, r_b = load3(points, p, ARM_A), load3(points, p, ARM_B)
            dv = difference(v_a, w_a, v_b, w_b, r_a, r_b)
            p_n, x0, y0 = load3(points, p, IMPULSE_N)
            new = p_n - lanes.load(points, p, INVERSE_N) * (vec.dot(n, dv) - lanes.load(points, p, TARGET_N))
            new = lanes.load(points, p, MASS_SCALE) * new
            new = lanes.greater(new, zero, new, zero)
            d_n = new - p_n
            u = vec.dot(t1, dv) + lanes.load(points, p, COUPLE_1) * d_n - lanes.load(points, p, TARGET_1)
            w = vec.dot(t2, dv) + lanes.load(points, p, COUPLE_2) * d_n - lanes.load(points, p, TARGET_2)
            x, y = friction(points, p, polygon, safe, scratch, lanes.load(points, p, MU) * new, u, w, x0, y0)
            d = (d_n, x - x0, y - y0)
            store3(points, p, IMPULSE_N, (new, x, y))
            store3(points, p, CHANGE_N, d)
            impulse = combine(n, t1, t2, d)
            v_a, w_a, v_b, w_b = kicked((v_a, w_a, v_b, w_b), impulse, r_a, r_b, light_a, light_b, inertia_a, inertia_b)
            stiffness = lanes.load(points, p, STIFFNESS)
            size = vec.dot(d, d) * stiffness
            total = total + size
            change = lanes.greater(size * stiffness, change, size * stiffness, change)
        set_motion(velocity, a, b, (v_a, w_a, v_b, w_b))
        if lanes.any_greater(change, limit):
            mark_batch(patches, marks, k)
        worst = lanes.greater(change, worst, change, worst)
    lanes.store(scratch, 1, 0, total)
    resisted = extended_contacts.sweep(patches, velocity, tolerance, marks)
    return max(largest(scratch, worst), resisted), scratch[1, 0, 0] + scratch[1, 0, 1] + scratch[1, 0, 2] + scratch[1, 0, 3]


@routine
def extrapolate(patches, velocity, beta, marks):
    """p += beta s, s = beta s + d for the batches that the last sweep solved."""
    points, frame, mass = patches.points, patches.frame, patches.mass
    scale = lanes.fill(beta)
    for k in range(patches.first.shape[0]):
        if last_change(patches, marks, k) == marks.batch[k]:
            marks.searching[k] = 0
            continue
        if marks.searching[k] == 0 or beta == 0.0:
            for p in range(patches.first[k], patches.first[k] + patches.count[k]):
                store3(points, p, SEARCH_N, load3(points, p, CHANGE_N))
            marks.searching[k] = 1
            continue
        a, b = batch_rows(patches.a, k), batch_rows(patches.b, k)
        v_a, w_a, v_b, w_b = motion_of(velocity, a, b)
        light_a, inertia_a = masses(mass, a)
        light_b, inertia_b = masses(mass, b)
        n, t1, t2 = load3(frame, k, 0), load3(frame, k, 3), load3(frame, k, 6)
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            r_a, r_b = load3(points, p, ARM_A), load3(points, p, ARM_B)
            d = vec.scale(load3(points, p, SEARCH_N), scale)
            store3(points, p, IMPULSE_N, vec.add(load3(points, p, IMPULSE_N), d))
            store3(points, p, SEARCH_N, vec.add(load3(points, p, CHANGE_N), d))
            impulse = combine(n, t1, t2, d)
            v_a, w_a, v_b, w_b = kicked((v_a, w_a, v_b, w_b), impulse, r_a, r_b, light_a, light_b, inertia_a, inertia_b)
        set_motion(velocity, a, b, (v_a, w_a, v_b, w_b))
        mark_batch(patches, marks, k)


_OPEN, _SLIP = Case.OPEN, Case.SLIP

_approach, _slip = stack.scratch(2, 1, lanes.WIDTH), stack.scratch(1, 3, lanes.WIDTH)


@routine
def set_targets(problem, bodies, push, pushed, dt, threshold, previous, elapsed):
    """Set the targets for a substep of dt [s], after its free motion and before any impulse.

    problem: VelocityProblem (iterate.py). previous: length of the previous substep [s], 0: this is the first; later, gaps
    advance by the velocities at the start and, if `pushed`, by push (bodies, 6), and rebounded contacts start with zero impulses.
    elapsed: time since contacts were found [s].
    """
    contacts, patches, start, free = problem.contacts, problem.patches, problem.start, problem.velocity
    points, frame = patches.points, patches.frame
    scratch = _approach()
    zero, step, touch, again = lanes.fill(0.0), lanes.fill(dt), lanes.fill(TOUCH_GAP), previous > 0.0
    half, middle = lanes.fill(0.5 * dt), lanes.fill(elapsed + 0.5 * dt)
    way, back, earlier = lanes.fill(previous), lanes.fill(-0.5 * previous), lanes.fill(elapsed - 0.5 * previous)
    for k in range(patches.first.shape[0]):
        a, b = batch_rows(patches.a, k), batch_rows(patches.b, k)
        v_a, w_a, v_b, w_b = motion_of(start, a, b)
        n = load3(frame, k, 0)
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            if again:
                advance_arms(points, p, way)
            arm_a, arm_b = load3(points, p, ARM_A), load3(points, p, ARM_B)
            u0 = vec.dot(n, difference(v_a, w_a, v_b, w_b, arm_a, arm_b))
            gap = lanes.load(points, p, GAP)
            if again:
                moved = u0 + curvature_lanes(points, p, back, earlier)
                if pushed:
                    s_a, r_a, s_b, r_b = motion_of(push, a, b)
                    moved = moved + vec.dot(n, difference(s_a, r_a, s_b, r_b, arm_a, arm_b))
                gap = gap + way * moved
                lanes.store(points, p, GAP, gap)
                fastest = lanes.load(points, p, APPROACH)
                lanes.store(points, p, APPROACH, lanes.greater(fastest, u0, u0, fastest))
                join_arms(contacts, patches, k, p, bodies)
                arm_a, arm_b = load3(points, p, ARM_A), load3(points, p, ARM_B)
            else:
                lanes.store(points, p, APPROACH, u0)
            if lanes.any_greater(lanes.load(points, p, RESTITUTION), zero):
                f_a, g_a, f_b, g_b = motion_of(problem.before, a, b)
                lanes.store(scratch, 0, 0, vec.dot(n, difference(f_a, g_a, f_b, g_b, arm_a, arm_b)))
                f_a, g_a, f_b, g_b = motion_of(free, a, b)
                lanes.store(scratch, 1, 0, vec.dot(n, difference(f_a, g_a, f_b, g_b, arm_a, arm_b)))
                for lane in range(lanes.WIDTH):
                    if patches.contact[p, lane] >= 0:
                        _rebound_target(contacts[patches.contact[p, lane]], points[p], lane, scratch, dt, threshold, elapsed)
            else:
                wanted_n = lanes.greater(gap, touch, zero - gap / step, zero) - curvature_lanes(points, p, half, middle)
                lanes.store(points, p, TARGET_N, wanted_n)
            aim_tangents(points, p, half)
    extended_contacts.set_targets(contacts, patches, start, dt)


@routine
def _rebound_target(c, point, lane, scratch, dt, threshold, elapsed):
    """Target of a contact with restitution."""
    if point[REBOUND, lane] == REBOUNDS:
        point[IMPULSE_N, lane], point[IMPULSE_1, lane], point[IMPULSE_2, lane] = 0.0, 0.0, 0.0
    point[TARGET_N, lane], rebounds, c.pending_rebound = target_velocity(
        point[GAP, lane], scratch[0, 0, lane], scratch[1, 0, lane], point[RESTITUTION, lane], dt, threshold, c.pending_rebound)
    point[REBOUND, lane] = REBOUNDS if rebounds else min(point[REBOUND, lane], 1.0)
    if not rebounds:
        point[TARGET_N, lane] -= 0.5 * dt * point[CURVATURE_N, lane] + (elapsed + 0.5 * dt) * point[SWING, lane]


@routine
def warm_start(patches, velocity, ratio):
    """Start from ratio times the last impulses."""
    points, frame, mass = patches.points, patches.frame, patches.mass
    scale = lanes.fill(ratio)
    for k in range(patches.first.shape[0]):
        a, b = batch_rows(patches.a, k), batch_rows(patches.b, k)
        motion = motion_of(velocity, a, b)
        light_a, inertia_a = masses(mass, a)
        light_b, inertia_b = masses(mass, b)
        n, t1, t2 = load3(frame, k, 0), load3(frame, k, 3), load3(frame, k, 6)
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            last = vec.scale(load3(points, p, IMPULSE_N), scale)
            store3(points, p, IMPULSE_N, last)
            motion = kicked(motion, combine(n, t1, t2, last), load3(points, p, ARM_A), load3(points, p, ARM_B), light_a, light_b,
                            inertia_a, inertia_b)
        set_motion(velocity, a, b, motion)
    extended_contacts.warm_start(patches, velocity, ratio)


@routine
def impulses_of(patches):
    """Copy the impulses of this substep, (points + extended contacts, 3, 4)."""
    points, extended = patches.points, patches.extended
    out = np.zeros((points.shape[0] + extended.shape[0], 3, lanes.WIDTH))
    for p in range(points.shape[0]):
        store3(out, p, 0, load3(points, p, IMPULSE_N))
    for k in range(extended.shape[0]):
        for i in range(3):
            out[points.shape[0] + k, i, 0] = extended[k].impulse[i]
    return out


@routine
def set_impulses(patches, given):
    """Set the impulses of this substep to those of `impulses_of`."""
    points, extended = patches.points, patches.extended
    for p in range(points.shape[0]):
        store3(points, p, IMPULSE_N, load3(given, p, 0))
    for k in range(extended.shape[0]):
        for i in range(3):
            extended[k].impulse[i] = given[points.shape[0] + k, i, 0]


@routine
def push_targets(patches, velocity, dt, elapsed, rate, slop, limit):
    """Set the push targets along the normals; True if an overlap needs it. Adds the impulses of this substep to the totals.

    elapsed: since contacts were found [s]. The push may close a contact still separated after its motion, but not overlap it.
    """
    points, frame = patches.points, patches.frame
    half, middle = lanes.fill(0.5 * dt), lanes.fill(elapsed + 0.5 * dt)
    zero, step, share = lanes.fill(0.0), lanes.fill(dt), lanes.fill(rate)
    spare, fastest = lanes.fill(slop), lanes.fill(limit)
    needed = False
    for k in range(patches.first.shape[0]):
        a, b = batch_rows(patches.a, k), batch_rows(patches.b, k)
        v_a, w_a, v_b, w_b = motion_of(velocity, a, b)
        n = load3(frame, k, 0)
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            store3(points, p, TOTAL_N, vec.add(load3(points, p, TOTAL_N), load3(points, p, IMPULSE_N)))
            dv = difference(v_a, w_a, v_b, w_b, load3(points, p, ARM_A), load3(points, p, ARM_B))
            moved = vec.dot(n, dv) + curvature_lanes(points, p, half, middle)
            deep = zero - (lanes.load(points, p, GAP) + step * moved)
            over = lanes.greater(lanes.load(points, p, INVERSE_N), zero, deep - spare, zero)
            out = share * over / step
            out = lanes.greater(out, fastest, fastest, out)
            lanes.store(points, p, PUSH_TARGET, lanes.greater(over, zero, out, lanes.greater(deep, zero, zero, deep) / step))
            lanes.store(points, p, PUSH_IMPULSE, zero)
            needed = needed or lanes.any_greater(over, zero)
    extended_contacts.add_up(patches.extended)
    return needed


@routine
def push_sweep(patches, push, tolerance, marks):
    """One push sweep over the normals; returns the square of the largest change of pseudo-velocity [m/s]."""
    zero = lanes.fill(0.0)
    limit = lanes.fill(SKIP_UNCHANGED * tolerance * tolerance)
    points, frame, mass = patches.points, patches.frame, patches.mass
    worst = zero
    for k in range(patches.first.shape[0]):
        if is_settled(patches, marks, k):
            continue
        a, b = batch_rows(patches.a, k), batch_rows(patches.b, k)
        v_a, w_a, v_b, w_b = motion_of(push, a, b)
        light_a, inertia_a = masses(mass, a)
        light_b, inertia_b = masses(mass, b)
        n = load3(frame, k, 0)
        change = zero
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            r_a, r_b = load3(points, p, ARM_A), load3(points, p, ARM_B)
            w = vec.dot(n, difference(v_a, w_a, v_b, w_b, r_a, r_b)) - lanes.load(points, p, PUSH_TARGET)
            old = lanes.load(points, p, PUSH_IMPULSE)
            new = old - lanes.load(points, p, INVERSE_N) * w
            new = lanes.greater(new, zero, new, zero)
            lanes.store(points, p, PUSH_IMPULSE, new)
            impulse = vec.scale(n, new - old)
            v_a, w_a, v_b, w_b = kicked((v_a, w_a, v_b, w_b), impulse, r_a, r_b, light_a, light_b, inertia_a, inertia_b)
            size = (new - old) * lanes.load(points, p, STIFFNESS)
            change = lanes.greater(size * size, change, size * size, change)
        set_motion(push, a, b, (v_a, w_a, v_b, w_b))
        if lanes.any_greater(change, limit):
            mark_batch(patches, marks, k)
        worst = lanes.greater(change, worst, change, worst)
    return largest(marks.scratch, worst)


@routine
def use_substep_impulses(patches):
    """Use the impulses of this substep as those of the whole step."""
    points = patches.points
    for p in range(points.shape[0]):
        store3(points, p, TOTAL_N, load3(points, p, IMPULSE_N))
    for k in range(patches.extended.shape[0]):
        vec.assign(patches.extended[k].total, patches.extended[k].impulse)


@kernel
def store(patches, velocity, polygon, contacts):
    """Write impulses, slip, case and residual (natural map, measure.py) to the contacts; returns the largest residual [m/s]."""
    points, frame = patches.points, patches.frame
    scratch = _slip()
    worst = 0.0
    for k in range(patches.first.shape[0]):
        a, b = batch_rows(patches.a, k), batch_rows(patches.b, k)
        v_a, w_a, v_b, w_b = motion_of(velocity, a, b)
        n, t1, t2 = load3(frame, k, 0), load3(frame, k, 3), load3(frame, k, 6)
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            dv = difference(v_a, w_a, v_b, w_b, load3(points, p, ARM_A), load3(points, p, ARM_B))
            store3(scratch, 0, 0, (vec.dot(n, dv), vec.dot(t1, dv), vec.dot(t2, dv)))
            for lane in range(lanes.WIDTH):
                i = patches.contact[p, lane]
                if i >= 0:
                    worst = max(worst, _store_contact(contacts[i], points[p], lane, frame[k], scratch, polygon))
    return max(worst, extended_contacts.store(patches, velocity, contacts))


@routine
def _store_contact(c, point, lane, frame, scratch, polygon):
    """Write one contact's results; returns its residual."""
    s, u, w = scratch[0, 0, lane], scratch[0, 1, lane] - point[TARGET_1, lane], scratch[0, 2, lane] - point[TARGET_2, lane]
    p_n, x, y = point[IMPULSE_N, lane], point[IMPULSE_1, lane], point[IMPULSE_2, lane]
    t1, t2 = vec.of_lane(frame, 3, lane), vec.of_lane(frame, 6, lane)
    c.target[0] = point[TARGET_N, lane]
    if point[APPROACH, lane] < math.inf:
        c.approach = point[APPROACH, lane]
        c.warm_startable = 0 if point[REBOUND, lane] > 0.0 else 1
    c.impulse = point[TOTAL_N, lane]
    vec.assign(c.friction_impulse, vec.madd(vec.scale(t1, point[TOTAL_1, lane]), t2, point[TOTAL_2, lane]))
    vec.assign(c.slip, vec.madd(vec.scale(t1, u), t2, w / (c.anisotropy * c.anisotropy)))
    c.residual[0] = one_sided_residual(p_n, s - point[TARGET_N, lane], point[INVERSE_N, lane])
    radius, rate = max(point[MU, lane] * p_n, 0.0), point[RATE, lane]
    c.case = _OPEN if p_n <= 0.0 else _SLIP
    if radius > 0.0:
        c.case = friction_case(polygon, radius, x - point[INVERSE_11, lane] * u - point[INVERSE_12, lane] * w,
                               y - point[INVERSE_12, lane] * u - point[INVERSE_22, lane] * w)
    c.sign_case = observed_case(x, y, radius, radius > 0.0 and c.case == _SLIP)
    c.residual[1], c.residual[2] = friction_residual(polygon, radius, (x, y), (u, w), rate), 0.0
    return max(c.residual[0], c.residual[1])
