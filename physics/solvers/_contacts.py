"""Sequential impulses over batches of contacts (physics/patches.py): normal, then friction, of four points at once.

    w_n = n.dv - target,                p_n' = max(0, s (p_n - w_n / K_nn))     (s = 1: rigid; s < 1: soft, see soft_steps.py)
    w_t = t.dv + K_tn (p_n' - p_n) - target,  p_t* = p_t - K_tt^-1 w_t
    |p_t*| <= mu p_n' (circle or k-gon):  p_t' = p_t*;  else  p_t' = projection of (p_t - rate w_t)   (maximal dissipation)

A batch whose bodies have not changed since it was last solved would not change either, and is passed over (`Marks`): so a sweep
costs as much as what is still moving.

Between two sweeps impulses may go on in the direction in which they have moved, as in the method of conjugate gradients
(Silcowitz, Niebe and Erleben, A nonsmooth nonlinear conjugate gradient method, The Visual Computer 26, 2010, algorithm 2); d is
the change by the last sweep, s the search direction:

    beta = |d_k|^2 / |d_k-1|^2 (0 if that is > 1: start anew),  p += beta s,  s = beta s + d
"""

from typing import NamedTuple

import numpy as np

from physics.core import lanes, vec
from physics.core.jit import inline, routine
from physics.friction import inside, project
from physics.patches import (
    ARM_A,
    ARM_B,
    CHANGE_N,
    COUPLE_1,
    COUPLE_2,
    IMPULSE_N,
    INVERSE_11,
    INVERSE_12,
    INVERSE_22,
    INVERSE_N,
    MASS_SCALE,
    MU,
    RATE,
    SEARCH_N,
    STIFFNESS,
    TARGET_1,
    TARGET_2,
    TARGET_N,
    four,
    load3,
    masses,
    turn,
)
from physics.solvers import _uncommon

SKIP = 0.01
"""Changes smaller than this part of the tolerance, squared, do not make a batch worth another visit."""


class Marks(NamedTuple):
    """When something last changed, in ticks of a clock that moves on with every change.

    clock (1,), body (bodies,): last change of its velocity by more than the tolerance, batch (batches,): what it was last solved
    for; int64. searching (batches,): 1 while the search direction of a batch means something. scratch: float64 (5, 1, 4).
    """

    clock: np.ndarray
    body: np.ndarray
    batch: np.ndarray
    searching: np.ndarray
    scratch: np.ndarray


@routine
def marks(bodies, batches):
    """Marks of a new pass: everything is to be solved."""
    return Marks(np.zeros(1, np.int64), np.zeros(bodies, np.int64), np.full(batches, -1, np.int64),
                 np.zeros(batches, np.int64), np.empty((5, 1, lanes.WIDTH)))


@inline
def reset(marks):
    """Everything is to be solved again."""
    marks.clock[0] = 0
    marks.body[:] = 0
    marks.batch[:] = -1
    marks.searching[:] = 0


@inline
def last_change(patches, marks, k):
    """When a body of batch k was last changed, or the batch solved, whichever is later."""
    newest = marks.batch[k]
    for lane in range(lanes.WIDTH):
        newest = max(newest, marks.body[patches.moved_a[k, lane]], marks.body[patches.moved_b[k, lane]])
    return newest


@inline
def is_settled(patches, marks, k):
    """True if nothing changed the bodies of batch k since it was last solved; else it is marked as solved now."""
    newest = last_change(patches, marks, k)
    settled = newest == marks.batch[k]
    marks.batch[k] = newest
    return settled


@inline
def note_batch(patches, marks, k):
    """The bodies of batch k have changed."""
    marks.clock[0] += 1
    for lane in range(lanes.WIDTH):
        marks.body[patches.moved_a[k, lane]] = marks.clock[0]
        marks.body[patches.moved_b[k, lane]] = marks.clock[0]
    marks.body[0] = 0


@inline
def note_block(block, marks):
    """The bodies of a block of rows have changed."""
    marks.clock[0] += 1
    if block.inv_mass_a > 0.0:
        marks.body[block.a] = marks.clock[0]
    if block.inv_mass_b > 0.0:
        marks.body[block.b] = marks.clock[0]


@inline
def largest(scratch, value):
    """The largest lane."""
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
    """Write them back."""
    v_a, w_a, v_b, w_b = motion
    lanes.scatter4(velocity, a, 0, (v_a[0], v_a[1], v_a[2], w_a[0]))
    lanes.scatter4(velocity, a, 2, (v_a[2], w_a[0], w_a[1], w_a[2]))
    lanes.scatter4(velocity, b, 0, (v_b[0], v_b[1], v_b[2], w_b[0]))
    lanes.scatter4(velocity, b, 2, (v_b[2], w_b[0], w_b[1], w_b[2]))


@inline
def kicked(motion, impulse, r_a, r_b, light_a, light_b, inertia_a, inertia_b):
    """The motion after an impulse on b, and its opposite on a, (2) of patches.py; light: 1/m."""
    v_a, w_a, v_b, w_b = motion
    return (vec.madd(v_a, impulse, lanes.fill(0.0) - light_a), vec.sub(w_a, turn(inertia_a, vec.cross(r_a, impulse))),
            vec.madd(v_b, impulse, light_b), vec.add(w_b, turn(inertia_b, vec.cross(r_b, impulse))))


@inline
def difference(v_a, w_a, v_b, w_b, r_a, r_b):
    """Velocity of b against a at a point, (1) of patches.py."""
    return vec.sub(vec.add(v_b, vec.cross(w_b, r_b)), vec.add(v_a, vec.cross(w_a, r_a)))


@inline
def combine(n, t1, t2, p):
    """p_n n + p_1 t1 + p_2 t2."""
    return (n[0] * p[0] + t1[0] * p[1] + t2[0] * p[2], n[1] * p[0] + t1[1] * p[1] + t2[1] * p[2],
            n[2] * p[0] + t1[2] * p[1] + t2[2] * p[2])


@inline
def store3(array, i, field, v):
    """Three lanes from field on."""
    lanes.store(array, i, field, v[0])
    lanes.store(array, i, field + 1, v[1])
    lanes.store(array, i, field + 2, v[2])


@routine
def clip(polygon, scratch):
    """Friction impulses of a point's lanes that leave the cone, projected; scratch (5, 1, 4): radius, x, y, and p - rate w."""
    for lane in range(lanes.WIDTH):
        radius = scratch[0, 0, lane]
        if radius <= 0.0:
            scratch[1, 0, lane], scratch[2, 0, lane] = 0.0, 0.0
        elif not inside(polygon, radius, scratch[1, 0, lane], scratch[2, 0, lane]):
            scratch[1, 0, lane], scratch[2, 0, lane] = project(polygon, radius, scratch[3, 0, lane], scratch[4, 0, lane])


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
    """One Gauss-Seidel sweep over the batches that something has changed for.

    Returns the square of the largest change of velocity [m/s] by one point, and the sum of |d|^2 in the mass metric [J].
    """
    zero = lanes.fill(0.0)
    # up to here the k-gon is never left
    apothem = 1.0
    if polygon.shape[0] > 0:
        apothem = polygon[0, 0] * polygon[0, 2] + polygon[0, 1] * polygon[0, 3]
    safe = lanes.fill(apothem * apothem * (1.0 - 1e-12))
    limit = lanes.fill(SKIP * tolerance * tolerance)
    points, frame, mass, scratch = patches.points, patches.frame, patches.mass, marks.scratch
    worst, total = zero, zero
    for k in range(patches.first.shape[0]):
        if is_settled(patches, marks, k):
            marks.searching[k] = 0
            continue
        a, b = four(patches.a, k), four(patches.b, k)
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
            note_batch(patches, marks, k)
        worst = lanes.greater(change, worst, change, worst)
    lanes.store(scratch, 1, 0, total)
    resisted = _uncommon.sweep(patches, velocity, tolerance, marks)
    return max(largest(scratch, worst), resisted), scratch[1, 0, 0] + scratch[1, 0, 1] + scratch[1, 0, 2] + scratch[1, 0, 3]


@routine
def accelerate(patches, velocity, beta, marks):
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
        a, b = four(patches.a, k), four(patches.b, k)
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
        note_batch(patches, marks, k)
