"""What happens to contacts before and after the sweeps of a substep: targets, warm start, the push, and the results.

    gap  += h (n.dv + n.dv_push)              of the substep before; arms and normals stay as they were found
    push: a second set of velocities, forgotten after the step, that moves overlapping bodies apart:
          n.dv_push >= min(rate (-gap' - slop) / h, limit),  p >= 0,   gap' = gap + h n.dv
"""

import math

import numpy as np

from physics.contact_law import TOUCH, wanted
from physics.core import lanes, vec
from physics.core.jit import kernel, routine
from physics.core.records import Case
from physics.friction import inside, project
from physics.friction_cases import seen_case
from physics.patches import (
    APPROACH,
    ARM_A,
    ARM_B,
    BEND_N,
    GAP,
    IMPULSE_1,
    IMPULSE_2,
    IMPULSE_N,
    INVERSE_11,
    INVERSE_12,
    INVERSE_22,
    INVERSE_N,
    MU,
    PUSH_IMPULSE,
    PUSH_TARGET,
    RATE,
    REBOUND,
    RESTITUTION,
    STIFFNESS,
    SWING,
    TARGET_1,
    TARGET_2,
    TARGET_N,
    TOTAL_1,
    TOTAL_2,
    TOTAL_N,
    aim_tangents,
    bent,
    four,
    load3,
    masses,
    sweep_arms,
)
from physics.solvers import _uncommon
from physics.solvers._contacts import (
    SKIP,
    combine,
    difference,
    is_settled,
    kicked,
    largest,
    motion_of,
    note_batch,
    set_motion,
    store3,
)

_OPEN, _STICK, _SLIP = int(Case.OPEN), int(Case.STICK), int(Case.SLIP)


@routine
def aim(contacts, patches, start, free, push, pushed, dt, threshold, previous, elapsed):
    """Targets for a substep of dt [s].

    start, free: velocities before and after the free motion, (bodies, 6). previous: length of the substep before [s], 0: this is
    the first; later the gaps have moved on by start and, if `pushed`, by push, and contacts that rebounded start from nothing.
    elapsed: since contacts were found [s].
    """
    points, frame = patches.points, patches.frame
    scratch = np.empty((2, 1, lanes.WIDTH))
    zero, step, touch, again = lanes.fill(0.0), lanes.fill(dt), lanes.fill(TOUCH), previous > 0.0
    half, middle = lanes.fill(0.5 * dt), lanes.fill(elapsed + 0.5 * dt)
    way, back, earlier = lanes.fill(previous), lanes.fill(-0.5 * previous), lanes.fill(elapsed - 0.5 * previous)
    for k in range(patches.first.shape[0]):
        a, b = four(patches.a, k), four(patches.b, k)
        v_a, w_a, v_b, w_b = motion_of(start, a, b)
        n = load3(frame, k, 0)
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            if again:
                sweep_arms(points, p, way)
            arm_a, arm_b = load3(points, p, ARM_A), load3(points, p, ARM_B)
            u0 = vec.dot(n, difference(v_a, w_a, v_b, w_b, arm_a, arm_b))
            gap = lanes.load(points, p, GAP)
            if again:
                moved = u0 + bent(points, p, back, earlier)
                if pushed:
                    s_a, r_a, s_b, r_b = motion_of(push, a, b)
                    moved = moved + vec.dot(n, difference(s_a, r_a, s_b, r_b, arm_a, arm_b))
                gap = gap + way * moved
                lanes.store(points, p, GAP, gap)
                fastest = lanes.load(points, p, APPROACH)
                lanes.store(points, p, APPROACH, lanes.greater(fastest, u0, u0, fastest))
            else:
                lanes.store(points, p, APPROACH, u0)
            if lanes.any_greater(lanes.load(points, p, RESTITUTION), zero):
                f_a, g_a, f_b, g_b = motion_of(free, a, b)
                lanes.store(scratch, 0, 0, u0)
                lanes.store(scratch, 1, 0, vec.dot(n, difference(f_a, g_a, f_b, g_b, arm_a, arm_b)))
                for lane in range(lanes.WIDTH):
                    if patches.contact[p, lane] >= 0:
                        _bounce(contacts[patches.contact[p, lane]], points[p], lane, scratch, dt, threshold, elapsed)
            else:
                wanted_n = lanes.greater(gap, touch, zero - gap / step, zero) - bent(points, p, half, middle)
                lanes.store(points, p, TARGET_N, wanted_n)
            aim_tangents(points, p, half)
    _uncommon.aim(contacts, patches, start, dt)


@routine
def _bounce(c, point, lane, scratch, dt, threshold, elapsed):
    """Target of a contact with restitution."""
    if elapsed > 0.0 and point[TARGET_N, lane] > 0.0:
        point[IMPULSE_N, lane], point[IMPULSE_1, lane], point[IMPULSE_2, lane] = 0.0, 0.0, 0.0
    point[TARGET_N, lane], rebounds, c.pending = wanted(point[GAP, lane], scratch[0, 0, lane], scratch[1, 0, lane],
                                                        point[RESTITUTION, lane], dt, threshold, c.pending)
    if rebounds:
        point[REBOUND, lane] = 1.0
    else:
        point[TARGET_N, lane] -= 0.5 * dt * point[BEND_N, lane] + (elapsed + 0.5 * dt) * point[SWING, lane]


@routine
def warm_start(patches, velocity, ratio):
    """Start from ratio times the last impulses."""
    points, frame, mass = patches.points, patches.frame, patches.mass
    scale = lanes.fill(ratio)
    for k in range(patches.first.shape[0]):
        a, b = four(patches.a, k), four(patches.b, k)
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
    _uncommon.warm_start(patches, velocity, ratio)


@routine
def push_targets(patches, velocity, dt, elapsed, rate, slop, limit):
    """Targets of the push along the normals; True if an overlap needs it. Adds the impulses of this substep to the totals.

    elapsed: since contacts were found [s]. A contact still apart after its motion may be closed by the push, not crossed.
    """
    points, frame = patches.points, patches.frame
    half, middle = lanes.fill(0.5 * dt), lanes.fill(elapsed + 0.5 * dt)
    zero, step, share = lanes.fill(0.0), lanes.fill(dt), lanes.fill(rate)
    spare, fastest = lanes.fill(slop), lanes.fill(limit)
    needed = False
    for k in range(patches.first.shape[0]):
        a, b = four(patches.a, k), four(patches.b, k)
        v_a, w_a, v_b, w_b = motion_of(velocity, a, b)
        n = load3(frame, k, 0)
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            store3(points, p, TOTAL_N, vec.add(load3(points, p, TOTAL_N), load3(points, p, IMPULSE_N)))
            dv = difference(v_a, w_a, v_b, w_b, load3(points, p, ARM_A), load3(points, p, ARM_B))
            moved = vec.dot(n, dv) + bent(points, p, half, middle)
            deep = zero - (lanes.load(points, p, GAP) + step * moved)
            over = lanes.greater(lanes.load(points, p, INVERSE_N), zero, deep - spare, zero)
            out = share * over / step
            out = lanes.greater(out, fastest, fastest, out)
            lanes.store(points, p, PUSH_TARGET, lanes.greater(over, zero, out, lanes.greater(deep, zero, zero, deep) / step))
            lanes.store(points, p, PUSH_IMPULSE, zero)
            needed = needed or lanes.any_greater(over, zero)
    _uncommon.add_up(patches.uncommon)
    return needed


@routine
def push_sweep(patches, push, tolerance, marks):
    """One sweep of the push over the normals; returns the square of the largest change of pseudo-velocity [m/s]."""
    zero = lanes.fill(0.0)
    limit = lanes.fill(SKIP * tolerance * tolerance)
    points, frame, mass = patches.points, patches.frame, patches.mass
    worst = zero
    for k in range(patches.first.shape[0]):
        if is_settled(patches, marks, k):
            continue
        a, b = four(patches.a, k), four(patches.b, k)
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
            note_batch(patches, marks, k)
        worst = lanes.greater(change, worst, change, worst)
    return largest(marks.scratch, worst)


@routine
def alone(patches):
    """The impulses of this substep are those of the whole step."""
    points = patches.points
    for p in range(points.shape[0]):
        store3(points, p, TOTAL_N, load3(points, p, IMPULSE_N))
    for k in range(patches.uncommon.shape[0]):
        vec.assign(patches.uncommon[k].total, patches.uncommon[k].impulse)


@kernel
def store(patches, velocity, polygon, contacts):
    """Write impulses, slip, case and residual (natural map, measure.py) back to the contacts; returns the largest of these [m/s].
    """
    points, frame = patches.points, patches.frame
    scratch = np.empty((1, 3, lanes.WIDTH))
    worst = 0.0
    for k in range(patches.first.shape[0]):
        a, b = four(patches.a, k), four(patches.b, k)
        v_a, w_a, v_b, w_b = motion_of(velocity, a, b)
        n, t1, t2 = load3(frame, k, 0), load3(frame, k, 3), load3(frame, k, 6)
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            dv = difference(v_a, w_a, v_b, w_b, load3(points, p, ARM_A), load3(points, p, ARM_B))
            store3(scratch, 0, 0, (vec.dot(n, dv), vec.dot(t1, dv), vec.dot(t2, dv)))
            for lane in range(lanes.WIDTH):
                i = patches.contact[p, lane]
                if i >= 0:
                    worst = max(worst, _settle(contacts[i], points[p], lane, frame[k], scratch, polygon))
    return max(worst, _uncommon.store(patches, velocity, contacts))


@routine
def _settle(c, point, lane, frame, scratch, polygon):
    """One contact's results; returns its residual."""
    s, u, w = scratch[0, 0, lane], scratch[0, 1, lane] - point[TARGET_1, lane], scratch[0, 2, lane] - point[TARGET_2, lane]
    p_n, x, y = point[IMPULSE_N, lane], point[IMPULSE_1, lane], point[IMPULSE_2, lane]
    t1 = (frame[3, lane], frame[4, lane], frame[5, lane])
    t2 = (frame[6, lane], frame[7, lane], frame[8, lane])
    c.target[0] = point[TARGET_N, lane]
    if point[APPROACH, lane] < math.inf:
        c.approach = point[APPROACH, lane]
        c.warm = 0 if point[REBOUND, lane] > 0.0 else 1
    c.impulse = point[TOTAL_N, lane]
    vec.assign(c.friction_impulse, vec.madd(vec.scale(t1, point[TOTAL_1, lane]), t2, point[TOTAL_2, lane]))
    vec.assign(c.slip, vec.madd(vec.scale(t1, u), t2, w / (c.anisotropy * c.anisotropy)))
    c.residual[0] = abs(min(p_n / point[INVERSE_N, lane], s - point[TARGET_N, lane]))
    radius, rate = max(point[MU, lane] * p_n, 0.0), point[RATE, lane]
    c.case = _OPEN if p_n <= 0.0 else _SLIP
    if radius > 0.0:
        sticks = inside(polygon, radius, x - point[INVERSE_11, lane] * u - point[INVERSE_12, lane] * w,
                        y - point[INVERSE_12, lane] * u - point[INVERSE_22, lane] * w)
        c.case = _STICK if sticks else _SLIP
    c.sign_case = seen_case(x, y, radius, radius > 0.0 and c.case == _SLIP)
    q, r = project(polygon, radius, x - rate * u, y - rate * w)
    c.residual[1], c.residual[2] = math.sqrt((q - x) * (q - x) + (r - y) * (r - y)) / rate, 0.0
    return max(c.residual[0], c.residual[1])
