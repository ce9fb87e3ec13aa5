"""What soft steps do to contacts around their sweeps: targets while overlaps are driven out, gaps after the motion, rebounds.

With s the gap, h the substep, v* the largest speed of the push-out, (rate, scale) of soft_steps.py:

    solve    n.dv >= -s / h                     s > 0: may close the gap, not more; rigid
             n.dv >= min(-rate s, v*), scale    s <= 0: driven out softly
    move     s <- s + h n.dv                    arms and normals stay as they were found
    relax    n.dv >= -s / h  or  0              rigid: what the drive has left in the velocities goes

Rebound of a contact that came in with u0 < -threshold and has pushed since. With a the approaching acceleration without contact,
s0 and s1 the gaps at the start and at the end of the step (contact_law.py; velocities are those of the middles of substeps):

    V^2 = (-u0 + a h / 2)^2 + 2 a s0                       at the surface                          (1)
    (v - a h / 2)^2 = e^2 (V^2 - (a h)^2 / 4) - 2 a s1     the apex after it is e^2 times the drop   (2)
"""

import math

from physics.contact_law import TOUCH, normal_velocity
from physics.core import lanes, vec
from physics.core.jit import inline, routine
from physics.core.records import Kind
from physics.patches import (
    ARM_A,
    ARM_B,
    GAP,
    IMPULSE_N,
    INVERSE_N,
    MASS_SCALE,
    PUSH_IMPULSE,
    PUSH_TARGET,
    TARGET_N,
    TOTAL_N,
    four,
    load3,
)
from physics.solvers._contact_passes import push_sweep
from physics.solvers._contacts import difference, motion_of, store3

_DYNAMIC = int(Kind.DYNAMIC)

NEVER = -1e30
"""A target that no contact falls short of [m/s]."""


@routine
def press(patches, dt, between, ground, limit):
    """Targets of the solve; between, ground: (rate [1/s], scale) of contacts of two moving bodies, of one; limit: v* [m/s]."""
    points, mass = patches.points, patches.mass
    zero, one, touch, per_step = lanes.fill(0.0), lanes.fill(1.0), lanes.fill(TOUCH), lanes.fill(-1.0 / dt)
    fastest = lanes.fill(limit)
    for k in range(patches.first.shape[0]):
        both = lanes.gather(mass, four(patches.a, k), 0) * lanes.gather(mass, four(patches.b, k), 0)
        rate = lanes.greater(both, zero, lanes.fill(-between[0]), lanes.fill(-ground[0]))
        scale = lanes.greater(both, zero, lanes.fill(between[1]), lanes.fill(ground[1]))
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            gap = lanes.load(points, p, GAP)
            out = rate * gap
            out = lanes.greater(out, fastest, fastest, out)
            lanes.store(points, p, TARGET_N, lanes.greater(gap, touch, per_step * gap, out))
            lanes.store(points, p, MASS_SCALE, lanes.greater(gap, touch, one, scale))


@routine
def follow(patches, velocity, dt):
    """Gaps after a motion by dt [s] with these velocities, and the targets of the relaxation."""
    points, frame = patches.points, patches.frame
    zero, one, touch = lanes.fill(0.0), lanes.fill(1.0), lanes.fill(TOUCH)
    step, per_step = lanes.fill(dt), lanes.fill(-1.0 / dt)
    for k in range(patches.first.shape[0]):
        a, b = four(patches.a, k), four(patches.b, k)
        v_a, w_a, v_b, w_b = motion_of(velocity, a, b)
        n = load3(frame, k, 0)
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            dv = difference(v_a, w_a, v_b, w_b, load3(points, p, ARM_A), load3(points, p, ARM_B))
            gap = lanes.load(points, p, GAP) + step * vec.dot(n, dv)
            lanes.store(points, p, GAP, gap)
            lanes.store(points, p, TARGET_N, lanes.greater(gap, touch, per_step * gap, zero))
            lanes.store(points, p, MASS_SCALE, one)


@routine
def add_up(patches):
    """Add the impulses of a substep to those of the step."""
    points = patches.points
    for p in range(points.shape[0]):
        store3(points, p, TOTAL_N, vec.add(load3(points, p, TOTAL_N), load3(points, p, IMPULSE_N)))


@routine
def approaches(contacts, bodies, velocity, threshold):
    """Write approach and warm of the contacts; True if one of them may rebound."""
    found = False
    for i in range(contacts.shape[0]):
        c = contacts[i]
        a, b = c.body_a, c.body_b
        r_b = vec.sub(vec.add(c.pos, c.shift), bodies[b].pos)
        c.approach = normal_velocity(c, vec.sub(c.pos, bodies[a].pos), r_b, velocity[a], velocity[b])
        c.warm = 1
        found = found or (c.restitution > 0.0 and c.approach < -threshold)
    return found


@routine
def rebounds(contacts, patches, bodies, gravity, velocity, dt, threshold, sweeps, tolerance, marks):
    """Give the contacts that came in faster than threshold [m/s] their rebounds, eq 2; returns by how much the worst misses its
    own [m/s].

    dt: of a substep. Adds to velocity and the contacts' impulses.
    """
    points = patches.points
    found = False
    for p in range(points.shape[0]):
        for lane in range(lanes.WIDTH):
            i = patches.contact[p, lane]
            points[p, PUSH_TARGET, lane], points[p, PUSH_IMPULSE, lane] = NEVER, 0.0
            if i >= 0 and points[p, TOTAL_N, lane] > 0.0:
                c = contacts[i]
                if c.restitution > 0.0 and c.approach < -threshold:
                    a_a, a_b = _acceleration(bodies[c.body_a], gravity), _acceleration(bodies[c.body_b], gravity)
                    a = vec.dot(c.normal, vec.sub(a_a, a_b))
                    points[p, PUSH_TARGET, lane] = _rebound(c, a, points[p, GAP, lane], dt)
                    c.warm = 0
                    found = True
    if not found:
        return 0.0
    for _ in range(sweeps):
        if push_sweep(patches, velocity, tolerance, marks) < tolerance * tolerance:
            break
    return _give_back(contacts, patches, velocity)


@routine
def _give_back(contacts, patches, velocity):
    """The contacts' impulses grow by those of the rebounds, and their residuals to what these miss; returns the largest miss."""
    points, worst = patches.points, 0.0
    for p in range(points.shape[0]):
        for lane in range(lanes.WIDTH):
            i = patches.contact[p, lane]
            if i >= 0:
                c, pushed = contacts[i], points[p, PUSH_IMPULSE, lane]
                a, b = c.body_a, c.body_b
                arm_a = (points[p, ARM_A, lane], points[p, ARM_A + 1, lane], points[p, ARM_A + 2, lane])
                arm_b = (points[p, ARM_B, lane], points[p, ARM_B + 1, lane], points[p, ARM_B + 2, lane])
                speed = normal_velocity(c, arm_a, arm_b, velocity[a], velocity[b])
                missed = abs(min(pushed / points[p, INVERSE_N, lane], speed - points[p, PUSH_TARGET, lane]))
                c.impulse += pushed
                c.residual[0] = max(c.residual[0], missed)
                worst = max(worst, missed)
    return worst


@inline
def _acceleration(body, gravity):
    """Of a body without contacts [m/s^2]."""
    if body.kind != _DYNAMIC:
        return (0.0, 0.0, 0.0)
    return vec.madd(gravity, body.force, body.inv_mass)


@routine
def _rebound(c, a, gap, dt):
    """Velocity after an impact [m/s], eq 2."""
    s = -c.approach + 0.5 * a * dt
    v2 = s * abs(s) + 2.0 * a * max(c.gap, 0.0)
    w2 = c.restitution * c.restitution * (v2 - 0.25 * (a * dt) * (a * dt)) - 2.0 * a * max(gap, 0.0)
    return 0.5 * a * dt + math.sqrt(w2) if w2 > 0.0 else NEVER
