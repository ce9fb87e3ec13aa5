"""The last word of continuous collision: no body's middle passes through another in a step.

Contacts at the times of impact (continuous.py) stop a body on the way it would take freely. Thrown off that way it may meet
something else in the same step, of which no contact knows. So when the solver has moved the bodies, the way of every one that
went farther than FAST times its thickness is looked at once more: a ball of that radius in the middle of each of its shapes,
along a straight line in the frame of the other shape, from the pose before to that behind. Where it hits, the body is put back
to where a ball as thick as the shape touches, and keeps its velocity; the next step finds the contact. It gives back what gravity
did in the time it lost.

Bodies on joints are left alone: their joints hold them.
"""

import numpy as np

from physics.collide.continuous import thickness
from physics.collide.convex.core import CORE, load, load_triangle
from physics.collide.convex.distance import distance
from physics.collide.convex.epa import POLYTOPE
from physics.collide.convex.gjk import SIMPLEX
from physics.collide.surfaces._triangles import FIELD, MESH, TRIANGLE, WALK, fetch, following, is_solid, start
from physics.collide.sweep import NEVER, ORIGIN, STEPS
from physics.core import quat, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import SHAPE, Kind
from physics.geometry import Geometry
from physics.shapes import kinds

FAST = 0.5
_DYNAMIC = int(Kind.DYNAMIC)
_SPHERE = list(kinds()).index("sphere")
_PLANE = list(kinds()).index("plane")


@kernel
def find_fast(before, bodies, shapes, tied, fast):
    """fast[i] = 1 for the bodies to be looked at; returns how many. tied: >= 0 for bodies on joints."""
    count = 0
    fast[:] = 0
    for i in range(shapes.shape[0]):
        s = shapes[i]
        if s.body < 0 or bodies[s.body].kind != _DYNAMIC or tied[s.body] >= 0 or fast[s.body]:
            continue
        if vec.norm(vec.sub(bodies[s.body].pos, before[s.body])) > FAST * thickness(s):
            fast[s.body] = 1
            count += 1
    return count


@inline
def pose_before(before, i):
    """(pos, quat) of body i before the step, tuples."""
    return (before[i, 0], before[i, 1], before[i, 2]), (before[i, 3], before[i, 4], before[i, 5], before[i, 6])


@inline
def pose_of(body):
    """(pos, quat) of a body, tuples."""
    return vec.copy(body.pos), (body.quat[0], body.quat[1], body.quat[2], body.quat[3])


@routine
def into(x, pose_x, s, pose_s):
    """The middle of the shape x in the frame of the shape s, their bodies standing like these poses (pos, quat)."""
    point = vec.add(pose_x[0], quat.rotate(pose_x[1], x.local_pos))
    q = quat.conjugate(quat.multiply(pose_s[1], s.local_quat))
    return quat.rotate(q, vec.sub(point, vec.add(pose_s[0], quat.rotate(pose_s[1], s.local_pos))))


@routine
def first_touch(core, ball, pool, p, path, limit, simplex, polytope):
    """Part of the path (3,) after which a ball that starts at p touches the core, < limit; NEVER: not at all, or at once."""
    t = 0.0
    for _ in range(STEPS):
        vec.assign(ball.pos, vec.madd(p, path, t))
        d = distance(core, ball, pool, simplex, polytope, np.inf)
        if d <= 1e-3 * ball.radius:
            return t if t > 0.0 else NEVER
        u = -vec.dot(simplex.normal, path)
        if not d < u * (limit - t):
            return NEVER
        t += d / u
    return t


@routine
def on_surface(s, ball, pool, p, path, cores, w, triangles, simplex, polytope):
    """As `first_touch`, for the triangles of a surface."""
    for k in range(3):
        w.lo[k] = p[k] + min(path[k], 0.0) - ball.radius
        w.hi[k] = p[k] + max(path[k], 0.0) + ball.radius
    solid, best, f = is_solid(s, pool), 1.0, triangles[0]
    start(w, s, pool)
    number = following(w, s, pool)
    while number >= 0:
        fetch(f, s, pool, number)
        if not (solid and vec.dot(f.normal, path) >= 0.0):
            load_triangle(cores[0], f.corner[0], f.corner[1], f.corner[2], 0.0, ORIGIN)
            best = min(best, first_touch(cores[0], ball, pool, p, path, best, simplex, polytope))
        number = following(w, s, pool)
    return best


@routine
def place_ball(core, one, pool, radius):
    """core: a ball about the origin; one: a SHAPE to write on."""
    one.kind, one.geometry, one.rounding = _SPHERE, -1, 0.0
    one.dims[0], one.dims[1], one.dims[2] = radius, 0.0, 0.0
    for k in range(3):
        one.pos[k] = 0.0
        for j in range(3):
            one.rot[k, j] = 1.0 if k == j else 0.0
    load(core, one, pool, ORIGIN)


@routine
def passes(s, cores, pool, p, path, one, w, triangles, simplex, polytope):
    """Part of the path after which the ball cores[1] touches the shape s, all in the frame of s; 1 or more: it does not."""
    if s.kind == FIELD or s.kind == MESH:
        return on_surface(s, cores[1], pool, p, path, cores, w, triangles, simplex, polytope)
    one.kind, one.geometry, one.rounding = s.kind, s.geometry, s.rounding
    vec.assign(one.dims, s.dims)
    load(cores[0], one, pool, ORIGIN)
    return first_touch(cores[0], cores[1], pool, p, path, 1.0, simplex, polytope)


@kernel
def reach_of(before, bodies, shapes, pairs, fast, pool, part):
    """part[i]: how much of its way body i may go, 1: all of it."""
    cores, triangles, walks, local = np.empty(2, CORE), np.empty(2, TRIANGLE), np.empty(1, WALK), np.zeros(1, SHAPE)
    simplexes, polytopes = np.empty(1, SIMPLEX), np.empty(1, POLYTOPE)
    for i in range(pairs.shape[0]):
        for side in range(2):
            x, s = shapes[pairs[i, side]], shapes[pairs[i, 1 - side]]
            if not fast[x.body] or s.kind == _PLANE:
                continue
            place_ball(cores[1], local[0], pool, FAST * thickness(x))
            p = into(x, pose_before(before, x.body), s, pose_before(before, s.body))
            q = into(x, pose_of(bodies[x.body]), s, pose_of(bodies[s.body]))
            path = vec.sub(q, p)
            t = passes(s, cores, pool, p, path, local[0], walks[0], triangles, simplexes[0], polytopes[0])
            if t < 1.0:
                place_ball(cores[1], local[0], pool, thickness(x))
                t = min(t, passes(s, cores, pool, p, path, local[0], walks[0], triangles, simplexes[0], polytopes[0]))
            part[x.body] = min(part[x.body], t)


@kernel
def put_back(before, bodies, gravity, dt, part):
    """Let each body go only its part of the way."""
    for i in range(bodies.shape[0]):
        if part[i] >= 1.0:
            continue
        b, t = bodies[i], part[i]
        pos, q = pose_before(before, i)
        same = 1.0 if b.quat[0] * q[0] + b.quat[1] * q[1] + b.quat[2] * q[2] + b.quat[3] * q[3] >= 0.0 else -1.0
        size = 0.0
        for k in range(4):
            b.quat[k] = (1.0 - t) * same * q[k] + t * b.quat[k]
            size += b.quat[k] * b.quat[k]
        for k in range(4):
            b.quat[k] /= np.sqrt(size)
        for k in range(3):
            b.pos[k] = pos[k] + t * (b.pos[k] - pos[k])
            b.vel[k] -= (1.0 - t) * dt * gravity[k]


def hold_back(before: np.ndarray, bodies: np.ndarray, shapes: np.ndarray, pairs: np.ndarray, tied: np.ndarray,
              gravity: np.ndarray, dt: float, pool: Geometry) -> None:
    """Stop fast bodies where their middles would pass into another shape.

    before: of all bodies, (n, 14), as `measure.keep_motion` writes it. pairs: those of the broad phase. tied: of each body the
    group of its mechanism, -1 if free.
    """
    fast = np.empty(len(bodies), np.int64)
    if not find_fast(before, bodies, shapes, tied, fast):
        return
    part = np.ones(len(bodies))
    reach_of(before, bodies, shapes, pairs, fast, pool, part)
    put_back(before, bodies, gravity, dt, part)
