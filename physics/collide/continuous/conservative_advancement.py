"""Time of impact of two moving shapes by conservative advancement (Mirtich 1996).

With d the distance of the two at time t, n its direction from a to b, v, omega the velocities of their bodies, and r the reach
of each core from its body's centre of mass:

    t <- t + d / u,     u = n . (v_a - v_b) + |omega_a x n| r_a + |omega_b x n| r_b                                        (1)

No iteration passes the impact, because a plane between them with normal n cannot be crossed earlier. Without rotation (1) is
Newton's method on the distance, a convex function of time, and converges quadratically. If u <= 0 they never meet.
"""

import numpy as np

from physics.collide.convex.core import BALL, load, load_triangle
from physics.collide.convex.distance import distance
from physics.collide.surfaces._frame import enter, swept_box
from physics.collide.surfaces._regions import region_allows
from physics.collide.surfaces._triangles import fetch, following, is_solid, start
from physics.core import mat3, quat, vec
from physics.core.jit import inline, routine
from physics.dynamics.integrate import turned

MAX_ADVANCES = 60
"""Iterations after which, under much rotation, the shapes count as touching: they are near, and early is safe."""
TOUCH_TOLERANCE = 1e-6
"""Shapes nearer than this fraction of their size touch after one more iteration of (1)."""
NO_IMPACT = np.inf
ORIGIN = (0.0, 0.0, 0.0)


@inline
def arm(s, body):
    """Reach of a shape's core from its body's centre of mass [m]; lo, hi grown by reach."""
    local = vec.norm(s.local_pos)
    if BALL[s.kind]:
        return local + s.dims[1]
    x = max(body.pos[0] - s.lo[0], s.hi[0] - body.pos[0]) - s.reach
    y = max(body.pos[1] - s.lo[1], s.hi[1] - body.pos[1]) - s.reach
    z = max(body.pos[2] - s.lo[2], s.hi[2] - body.pos[2]) - s.reach
    return vec.norm((x, y, z))


@routine
def advance_shape(moved, s, body, velocity, t):
    """moved: the shape s after its body has moved for t with a velocity (6,)."""
    q = turned(body.quat, t * velocity[3], t * velocity[4], t * velocity[5])
    pos = vec.madd(body.pos, velocity, t)
    moved.kind, moved.geometry, moved.rounding, moved.reach = s.kind, s.geometry, s.rounding, s.reach
    vec.assign(moved.dims, s.dims)
    vec.assign(moved.pos, vec.add(pos, quat.rotate(q, s.local_pos)))
    quat.to_matrix(moved.rot, quat.multiply(q, s.local_quat))


@inline
def rotation_bound(velocity, n, r):
    """|omega x n| r."""
    return r * vec.norm(vec.cross((velocity[3], velocity[4], velocity[5]), n))


@routine
def impact(a, b, body_a, body_b, velocity_a, velocity_b, dt, pool, moved, cores, simplex, polytope):
    """Time until the two shapes touch, < dt; NO_IMPACT if they do not. moved: SHAPE (2,), their placement then."""
    r_a, r_b = arm(a, body_a), arm(b, body_b)
    t = 0.0
    for _ in range(MAX_ADVANCES):
        advance_shape(moved[0], a, body_a, velocity_a, t)
        advance_shape(moved[1], b, body_b, velocity_b, t)
        origin = vec.copy(moved[0].pos)
        load(cores[0], moved[0], pool, origin)
        load(cores[1], moved[1], pool, origin)
        d = distance(cores[0], cores[1], pool, simplex, polytope, np.inf)
        n = simplex.normal
        u = vec.dot(n, velocity_a) - vec.dot(n, velocity_b) + rotation_bound(velocity_a, n, r_a) + rotation_bound(velocity_b, n,
                                                                                                                  r_b)
        if not d < u * (dt - t):
            return NO_IMPACT
        t += max(d, 0.0) / u
        if d <= TOUCH_TOLERANCE * (cores[0].size + cores[1].size + cores[0].radius + cores[1].radius):
            return t
    return t


@routine
def impact_triangle(x, body, velocity, s, f, other, pool, solid, near, best, moved, cores, simplex, polytope):
    """Time until the shape x touches the triangle f of the surface s, < best. NO_IMPACT if it does not, or not with a normal that
    the triangle may have, or if they are already nearer than `near`: they have contacts then."""
    r, t = arm(x, body), 0.0
    load_triangle(cores[0], f.corner[0], f.corner[1], f.corner[2], 0.0, ORIGIN)
    for _ in range(MAX_ADVANCES):
        advance_shape(moved[0], x, body, velocity, t)
        enter(moved[1], moved[0], s)
        load(cores[1], moved[1], pool, ORIGIN)
        d = distance(cores[0], cores[1], pool, simplex, polytope, np.inf)
        if t == 0.0 and d <= near:
            return NO_IMPACT
        n = vec.copy(simplex.normal)
        world = mat3.apply(s.rot, n)
        u = rotation_bound(velocity, world, r) - vec.dot(world, velocity)
        if not d < u * (best - t):
            return NO_IMPACT
        t += max(d, 0.0) / u
        if d <= TOUCH_TOLERANCE * (cores[1].size + cores[1].radius):
            break
    if (solid and vec.dot(n, f.normal) < 0.0) or not region_allows(f, other, s, pool, n):
        return NO_IMPACT
    return t


@routine
def impact_surface(x, s, body, body_s, velocity, velocity_s, dt, pool, near, tools):
    """Time until the shape x touches a triangle of the surface s farther away than `near`; NO_IMPACT if it does not."""
    relative, walks, triangles, moved, cores, simplexes, polytopes = tools
    w = walks[0]
    v = vec.sub(velocity, velocity_s)
    v = vec.sub(v, vec.cross((velocity_s[3], velocity_s[4], velocity_s[5]), vec.sub(x.pos, body_s.pos)))
    for k in range(3):
        relative[k], relative[3 + k] = v[k], velocity[3 + k]
    turn = arm(x, body) * dt * vec.norm((velocity[3], velocity[4], velocity[5]))
    swept_box(w, x, s, vec.scale(v, dt), turn - x.reach)
    solid, best = is_solid(s, pool), dt
    start(w, s, pool)
    number = following(w, s, pool)
    while number >= 0:
        fetch(triangles[0], s, pool, number)
        t = impact_triangle(x, body, relative, s, triangles[0], triangles[1], pool, solid, near, best, moved, cores,
                            simplexes[0], polytopes[0])
        best = min(best, t)
        number = following(w, s, pool)
    return best if best < dt else NO_IMPACT
