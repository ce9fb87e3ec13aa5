"""Guard against tunnelling, run after the solver: no body's centre passes through another body in a step.

Contacts at the times of impact (impacts.py) stop a body on its free path. Deflected from it, the body may hit something else in
the same step for which there is no contact. So once the solver has moved the bodies, the path of every one that moved farther
than FAST times its thickness is checked: a ball of that radius in the centre of each of its shapes, along a straight line in the
frame of the other shape, from the pose before to that after. Where it hits, the body is moved back to where a ball as thick as
the shape touches, and keeps its velocity; the next step finds the contact. What gravity and applied forces did in the lost time
is undone. A plane is a shape like any other, except for bodies on joints, which contacts must stop: a body that an impact spun by
a radian a step turned its contacts away from the plane and sank.

A body on joints swings about them: its path is that of its mechanism (mechanism_paths.py), in enough pieces that each is straight
to SAGGING times the thickness. Where one body hits, its whole mechanism moves back along its paths to where none has come nearer
to anything than GUARD_SHARE times the thickness. It takes its velocities along its joints with it, and no more energy than it has
there.

A mechanism deflected from its paths within the step, by an impact or because it tumbles by a radian a step, did not move
uniformly, and its path is unknown. Its bodies are checked along straight lines, as free ones; where one passes through something
the mechanism returns to its state before the step, with the velocities that the impact left it. Bodies of one mechanism may pass
each other.
"""

from typing import Any

import numpy as np

from physics.collide.continuous.conservative_advancement import MAX_ADVANCES, NO_IMPACT, ORIGIN
from physics.collide.continuous.impacts import thickness
from physics.collide.continuous.mechanism_paths import (
    PATH,
    build_paths,
    follow,
    pose_before,
    pose_in,
    pose_of,
    retreat,
    straight,
    unevenness,
)
from physics.collide.convex.core import CONVEX, CORE, load, load_triangle
from physics.collide.convex.distance import distance
from physics.collide.convex.epa import POLYTOPE
from physics.collide.convex.gjk import SIMPLEX
from physics.collide.surfaces._triangles import FIELD, MESH, TRIANGLE, WALK, fetch, following, is_solid, start
from physics.core import dispatch, quat, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import SHAPE, Kind
from physics.dynamics import integrate, measure
from physics.shapes import kinds

FAST, GUARD_SHARE, SLIDING = 0.5, 0.9, 0.1
SAGGING, PIECES = 0.1, 64
"""Largest deviation of a path's piece from straight, as a fraction of the thickness; most pieces of a path."""
_DYNAMIC = Kind.DYNAMIC
_PLANE, _SPHERE = (list(kinds()).index(name) for name in ("plane", "sphere"))


@kernel
def find_fast(before, bodies, shapes, tied, dt, fast):
    """fast[i] = 1 for the bodies to check; returns how many. tied: >= 0 for bodies on joints, which may come round."""
    count = 0
    fast[:] = 0
    for i in range(shapes.shape[0]):
        s = shapes[i]
        if s.body < 0 or bodies[s.body].kind != _DYNAMIC or bodies[s.body].asleep != 0 or fast[s.body]:
            continue
        far = vec.norm(vec.sub(bodies[s.body].pos, before[s.body]))
        if tied[s.body] >= 0:
            far = max(far, dt * vec.norm(bodies[s.body].vel))
        if far > FAST * thickness(s):
            fast[s.body] = 1
            count += 1
    return count


@inline
def is_checked(x, s, fast, tied):
    """Whether the path of the shape x is checked against the shape s. Contacts stop bodies on joints at planes; those of one
    mechanism may pass each other."""
    if not fast[x.body] or x.kind == _PLANE:
        return False
    return tied[x.body] < 0 or not (s.kind == _PLANE or tied[x.body] == tied[s.body])


@kernel
def any_checked(shapes, pairs, fast, tied):
    """Whether the path of any body is checked against anything."""
    found = False
    for i in range(pairs.shape[0]):
        a, b = shapes[pairs[i, 0]], shapes[pairs[i, 1]]
        found = found or is_checked(a, b, fast, tied) or is_checked(b, a, fast, tied)
    return found


@routine
def into(x, pose_x, s, pose_s):
    """Centre of the shape x in the frame of the shape s, with their bodies at these poses (pos, quat)."""
    point = vec.add(pose_x[0], quat.rotate(pose_x[1], x.local_pos))
    q = quat.conjugate(quat.multiply(pose_s[1], s.local_quat))
    return quat.rotate(q, vec.sub(point, vec.add(pose_s[0], quat.rotate(pose_s[1], s.local_pos))))


@routine
def first_touch(core, ball, pool, p, path, limit, begun, simplex, polytope):
    """Fraction of the path (3,), < limit, at which a ball that starts at p touches the core. NO_IMPACT: never, or at once, unless
    the path continues one that has begun."""
    t = 0.0
    for _ in range(MAX_ADVANCES):
        vec.assign(ball.pos, vec.madd(p, path, t))
        d = distance(core, ball, pool, simplex, polytope, np.inf)
        if d <= 1e-3 * ball.radius:
            return t if t > 0.0 or begun else NO_IMPACT
        u = -vec.dot(simplex.normal, path)
        if not d < u * (limit - t):
            return NO_IMPACT
        t += d / u
    return t


@routine
def on_surface(s, ball, pool, p, path, begun, cores, w, triangles, simplex, polytope):
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
            best = min(best, first_touch(cores[0], ball, pool, p, path, best, begun, simplex, polytope))
        number = following(w, s, pool)
    return best


@inline
def on_plane(radius, p, path):
    """As `first_touch`, for the half space z < 0. A ball that starts lower than its radius sinks no deeper, unless it starts
    inside; resting and sliding balls are ignored."""
    above, down = max(0.0, p[2] - radius), -path[2]
    if p[2] < 0.0 or down <= above + SLIDING * radius:
        return NO_IMPACT
    return above / down


@routine
def least_size(s, pool):
    return thickness(s)


ball_inside = routine(dispatch.by_kind("ball_inside", __name__, ("s", "pool"), {
    number: convex.inside for number, convex in CONVEX.items() if convex.inside}, least_size))
"""Radius of the largest ball about the centre inside a shape [m]: its smallest dim, where its kind does not say otherwise."""


@routine
def place_ball(core, one, pool, radius):
    """core: a ball about the origin; one: a scratch SHAPE."""
    one.kind, one.geometry, one.rounding = _SPHERE, -1, 0.0
    one.dims[0], one.dims[1], one.dims[2] = radius, 0.0, 0.0
    for k in range(3):
        one.pos[k] = 0.0
        for j in range(3):
            one.rot[k, j] = 1.0 if k == j else 0.0
    load(core, one, pool, ORIGIN)


@routine
def hit_fraction(s, cores, pool, p, path, begun, one, w, triangles, simplex, polytope):
    """Fraction of the path at which the ball cores[1] touches the shape s, all in the frame of s; 1 or more: it does not."""
    if s.kind == _PLANE:
        return on_plane(cores[1].radius, p, path)
    if s.kind == FIELD or s.kind == MESH:
        return on_surface(s, cores[1], pool, p, path, begun, cores, w, triangles, simplex, polytope)
    one.kind, one.geometry, one.rounding = s.kind, s.geometry, s.rounding
    vec.assign(one.dims, s.dims)
    load(cores[0], one, pool, ORIGIN)
    return first_touch(cores[0], cores[1], pool, p, path, 1.0, begun, simplex, polytope)


@routine
def pose_on_path(before, bodies, slot, poses, i, m, pieces):
    """Pose of the body i at the fraction m / pieces of the step. poses: of these fractions, or none: then all paths are straight.
    """
    if m == 0:
        return pose_before(before, i)
    if m == pieces:
        return pose_of(bodies[i])
    known = slot[i] >= 0 and poses.shape[0] > 0
    return pose_in(poses[m], slot[i]) if known else straight(before, bodies[i], i, m / float(pieces))


@routine
def straight_pieces(x, s, before, bodies):
    """Number of pieces in which a straight path of the shape x is straight enough in the frame of the shape s, which turns: as in
    `pieces_of`, with the arc that the turn of s, at most pi times the sine of its half, makes of the distance."""
    turn = quat.multiply(pose_of(bodies[s.body])[1], quat.conjugate(pose_before(before, s.body)[1]))
    angle = np.pi * vec.norm((turn[1], turn[2], turn[3]))
    start = vec.norm(into(x, pose_before(before, x.body), s, pose_before(before, s.body)))
    end = vec.norm(into(x, pose_of(bodies[x.body]), s, pose_of(bodies[s.body])))
    return int(min(float(PIECES), max(1.0, np.ceil(angle * np.sqrt(max(start, end) / (8.0 * SAGGING * thickness(x)))))))


@routine
def path_fraction(x, s, pieces, before, bodies, slot, poses, pool, tools):
    """Fraction of the step at which the ball cores[1] in the centre of the shape x touches the shape s; 1 or more: it does not.

    poses: see `pose_on_path`. Touches at the start are ignored.
    """
    cores, triangles, walks, local, simplexes, polytopes = tools
    p = into(x, pose_before(before, x.body), s, pose_before(before, s.body))
    begun = pieces > 1
    for k in range(pieces):
        q = into(x, pose_on_path(before, bodies, slot, poses, x.body, k + 1, pieces),
                 s, pose_on_path(before, bodies, slot, poses, s.body, k + 1, pieces))
        path = vec.sub(q, p)
        t = hit_fraction(s, cores, pool, p, path, begun, local[0], walks[0], triangles, simplexes[0], polytopes[0])
        if k == 0 and t == 0.0:
            begun = False
            t = hit_fraction(s, cores, pool, p, path, begun, local[0], walks[0], triangles, simplexes[0], polytopes[0])
        if t < 1.0:
            return (k + t) / pieces
        p = q
    return NO_IMPACT


@kernel
def allowed_fractions(before, bodies, shapes, pairs, fast, tied, thrown, slot, poses, pool, part):
    """part[i]: fraction of its path that body i may move, or the mechanism with that number; 1: all of it.

    thrown: from `find_deflected`.
    """
    cores, triangles, walks, local = np.empty(2, CORE), np.empty(2, TRIANGLE), np.empty(1, WALK), np.zeros(1, SHAPE)
    simplexes, polytopes = np.empty(1, SIMPLEX), np.empty(1, POLYTOPE)
    tools = (cores, triangles, walks, local, simplexes, polytopes)
    near = np.ones(part.shape[0])
    for i in range(pairs.shape[0]):
        for side in range(2):
            x, s = shapes[pairs[i, side]], shapes[pairs[i, 1 - side]]
            if not is_checked(x, s, fast, tied):
                continue
            hangs = slot[x.body] >= 0
            whose = tied[x.body] if hangs else x.body
            straight_on = not hangs or thrown[whose] == 1
            pieces = straight_pieces(x, s, before, bodies) if straight_on else poses.shape[0] - 1
            known = poses[:0] if straight_on else poses
            radius = ball_inside(x, pool) if s.kind == _PLANE else thickness(x)
            place_ball(cores[1], local[0], pool, FAST * radius)
            t = path_fraction(x, s, pieces, before, bodies, slot, known, pool, tools)
            if t < 1.0:
                place_ball(cores[1], local[0], pool, radius)
                t = min(t, path_fraction(x, s, pieces, before, bodies, slot, known, pool, tools))
                part[whose] = 0.0 if hangs and straight_on else min(part[whose], t)
            elif not straight_on:
                place_ball(cores[1], local[0], pool, GUARD_SHARE * thickness(x))
                near[whose] = min(near[whose], path_fraction(x, s, pieces, before, bodies, slot, poses, pool, tools))
    for i in range(part.shape[0]):
        if part[i] < 1.0:
            part[i] = min(part[i], near[i])


@kernel
def put_back(before, bodies, gravity, dt, slot, part):
    """Move each body without joints back to its allowed fraction of the path; it keeps its angular momentum."""
    for i in range(bodies.shape[0]):
        if part[i] >= 1.0 or slot[i] >= 0:
            continue
        b, t = bodies[i], part[i]
        pos, q = straight(before, b, i, t)
        vec.assign(b.omega, integrate.rotate_with_drift(b, quat.copy(b.quat), q, vec.copy(b.omega), dt, True))
        vec.assign(b.pos, pos)
        for k in range(4):
            b.quat[k] = q[k]
        for k in range(3):
            b.vel[k] -= (1.0 - t) * dt * gravity[k]


@kernel
def put_mechanisms_back(bodies, gravity, tied, ways, part):
    """Move each mechanism back to its allowed fraction of its paths, with no more energy than the step left it."""
    after = np.empty((bodies.shape[0], measure.MOTION))
    kinetic, allowed = np.zeros(bodies.shape[0]), np.zeros(bodies.shape[0])
    measure.copy_motion(bodies, after)
    for k in range(ways.shape[0]):
        i = ways[k].body
        motion, height = measure.energy_of(bodies[i], gravity)
        allowed[tied[i]] += motion + height
    for k in range(ways.shape[0]):
        i = ways[k].body
        if part[tied[i]] < 1.0:
            retreat(ways[k], after, bodies, part[tied[i]])
        motion, height = measure.energy_of(bodies[i], gravity)
        kinetic[tied[i]] += motion
        allowed[tied[i]] -= height
    for k in range(ways.shape[0]):
        b, g = bodies[ways[k].body], tied[ways[k].body]
        if part[g] < 1.0 and kinetic[g] > allowed[g]:
            less = np.sqrt(max(allowed[g], 0.0) / kinetic[g])
            for i in range(3):
                b.vel[i] *= less
                b.omega[i] *= less


@kernel
def find_deflected(before, bodies, shapes, tied, ways, dt, thrown):
    """thrown[g] = 1 for mechanisms deflected from their paths, so that uniform paths do not describe their motion.

    A velocity off by e at either end displaces the path by e dt / 7 (a cubic).
    """
    least = np.empty(bodies.shape[0])
    least[:] = np.inf
    for i in range(shapes.shape[0]):
        if shapes[i].body >= 0:
            least[shapes[i].body] = min(least[shapes[i].body], thickness(shapes[i]))
    for k in range(ways.shape[0]):
        i = ways[k].body
        if unevenness(ways[k], before, bodies, dt) > 7.0 * FAST * least[i]:
            thrown[tied[i]] = 1


@kernel
def pieces_of(before, bodies, shapes, fast, ways, dt):
    """Number of pieces in which each path is straight enough: arcs of a length s and a turn of a / n sag by s a / 8 n^2."""
    turn, most = 0.0, 4.0
    for k in range(ways.shape[0]):
        turn = max(turn, dt * vec.norm(bodies[ways[k].body].omega), vec.norm(ways[k].swing), vec.norm(ways[k].spin))
    for i in range(shapes.shape[0]):
        s = shapes[i]
        if s.body >= 0 and fast[s.body]:
            far = max(dt * vec.norm(bodies[s.body].vel), vec.norm(vec.sub(bodies[s.body].pos, before[s.body])))
            most = max(most, far * turn / (8.0 * SAGGING * thickness(s)))
    return int(min(float(PIECES), np.ceil(np.sqrt(most))))      # the number may exceed the range of an integer


def prevent_tunnelling(before: np.ndarray, force: np.ndarray, world: Any, pairs: np.ndarray, fast: np.ndarray,
                       dt: float) -> np.ndarray:
    """Stop fast bodies where their centres would pass into another shape; returns the motion before, where paths were looked
    along with a further column, the time that each body lost [s]: `LOST` of the auditor.

    before: of all bodies, (n, MOTION), from `measure.copy_motion`; force (n, 3): applied to them [N], of which the bodies know no
    more. pairs: those of the broad phase. fast: 1 for the bodies to check, from `find_fast`. dt: step [s].
    """
    bodies, shapes, gravity, tied = world.bodies, world.shapes, world.gravity, world.layout.joints.body_group
    if not any_checked.unchecked(shapes, pairs, fast, tied):
        return before
    ways, slot, pieces = np.zeros(0, PATH), np.full(len(bodies), -1), 1
    thrown = np.zeros(len(bodies), np.int64)
    groups = tied[(fast == 1) & (tied >= 0)]
    if len(groups):
        wanted = np.zeros(len(bodies), np.int64)
        wanted[groups] = 1
        ways = np.zeros(int(wanted[tied[tied >= 0]].sum()), PATH)
        build_paths.unchecked(before, bodies, world.joints, tied, wanted, dt, ways)
        find_deflected.unchecked(before, bodies, shapes, tied, ways, dt, thrown)
        slot[ways["body"]] = np.arange(len(ways))
        pieces = pieces_of.unchecked(before, bodies, shapes, fast, ways, dt)
    poses, part = np.empty((pieces + 1, len(ways), 7)), np.ones(len(bodies))
    follow.unchecked(before, bodies, ways, slot, poses)
    allowed_fractions.unchecked(before, bodies, shapes, pairs, fast, tied, thrown, slot, poses, world.pool.arrays, part)
    put_back.unchecked(before, bodies, gravity, dt, slot, part)
    if len(groups):
        put_mechanisms_back.unchecked(bodies, gravity, tied, ways, part)
    lost = np.where(slot < 0, (1.0 - part) * dt, 0.0)
    bodies["vel"] -= (lost * bodies["inv_mass"])[:, None] * force
    return np.column_stack((before, lost))
