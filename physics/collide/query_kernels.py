"""Kernels of world queries (physics/world/queries.py): rays, moving shapes, overlaps and nearest points against all shapes.

A moving shape x (a ray is one of no size) along x + s m, 0 <= s <= 1, against a shape at rest: Newton's method on the distance
d(s), which is convex for two convex shapes (head of conservative_advancement.py),

    s <- s + d / (-n . m)          n from the shape at rest to the moving one

Rays against triangles: shapes/_surface.py and height_field.py. Surfaces have no interior here; half spaces and convex shapes do.
Shapes are in a tree of boxes (shapes/_tree.py), endless ones in a list after it.
"""

import numpy as np

from physics.collide.convex.core import CORE, load, load_triangle, support
from physics.collide.convex.distance import distance
from physics.collide.convex.epa import POLYTOPE
from physics.collide.convex.gjk import SIMPLEX
from physics.collide.surfaces._frame import enter
from physics.collide.surfaces._triangles import FIELD, MESH, TRIANGLE, WALK, fetch, following, start
from physics.core import mat3, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import SHAPE, record
from physics.shapes import kinds
from physics.shapes._surface import box_hit
from physics.shapes._surface import first_hit as mesh_hit
from physics.shapes.height_field import first_hit as field_hit

PLANE, SPHERE = (list(kinds()).index(name) for name in ("plane", "sphere"))
ORIGIN = (0.0, 0.0, 0.0)
MAX_ITERATIONS = 100
TOUCH_TOLERANCE = 1e-6
"""Gap, relative to the size, below which one last step of Newton's method suffices."""

HIT = record([
    ("found", "i8"),           # shape index, -1: none (not "shape": records have an attribute of that name)
    ("part", "f8"),            # s, or the signed distance [m]
    ("point", "f8", 3),        # on the surface hit, world [m]
    ("normal", "f8", 3),       # unit, outwards from the shape hit
])


@inline
def is_surface(s):
    return s.kind == FIELD or s.kind == MESH


@routine
def plane_distance(s, core, pool):
    """(distance of a core in world coordinates from a half space, its normal)."""
    n = mat3.column(s.rot, 2)
    p = support(core, pool, vec.scale(n, -1.0))
    return vec.dot(n, vec.sub(p, s.pos)) - core.radius, n


@routine
def newton(hit, standing, moving, pool, motion, limit, simplex, polytope):
    """Move `moving` along motion (3,) towards `standing`; returns the fraction of it, < limit, at which they touch, else inf.

    Both in one frame. Writes hit.normal and hit.point, in that frame.
    """
    begin, s = vec.copy(moving.pos), 0.0
    for _ in range(MAX_ITERATIONS):
        vec.assign(moving.pos, vec.madd(begin, motion, s))
        d = distance(standing, moving, pool, simplex, polytope, np.inf)
        n = simplex.normal
        u = -vec.dot(n, motion)
        if d > 0.0 and not d < u * (limit - s):
            s = np.inf
            break
        if d <= TOUCH_TOLERANCE * (standing.size + moving.size + standing.radius + moving.radius):
            s += max(d, 0.0) / u if u > 0.0 else 0.0
            vec.assign(hit.normal, n)
            vec.assign(hit.point, simplex.point_a)
            break
        s += d / u
    vec.assign(moving.pos, begin)
    return s


@routine
def box_of(core, pool, w, motion, grow):
    """w.lo, w.hi: the swept box of a core."""
    for k in range(3):
        axis = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        top = support(core, pool, axis)[k] + core.radius + grow
        bottom = support(core, pool, vec.scale(axis, -1.0))[k] - core.radius - grow
        w.lo[k], w.hi[k] = bottom + min(motion[k], 0.0), top + max(motion[k], 0.0)


@routine
def ray_on_surface(hit, s, local, pool, way, f):
    """As `newton`, for a ray from local.pos along `way`, in the frame of the surface s; no limit."""
    g = pool.table[s.geometry]
    if s.kind == FIELD:
        best, t = field_hit(pool.integers[g.integer], pool.integers[g.integer + 1], pool.numbers, g.number, local.pos, way)
    else:
        best, t = mesh_hit(pool.vertices[g.vertex:g.vertex + g.vertices], pool.triangles[g.triangle:g.triangle + g.triangles],
                           pool.nodes[g.node:g.node + g.nodes], local.pos, way)
    if best < np.inf:
        fetch(f, s, pool, t)
        vec.assign(hit.normal, vec.scale(f.normal, 1.0 if vec.dot(f.normal, way) < 0.0 else -1.0))
        vec.assign(hit.point, vec.madd(local.pos, way, best))
    return best


@routine
def cast_against(hit, s, x, pool, motion, limit, tools):
    """The fraction of the motion, < limit, at which the shape x touches the shape s; inf: never. Writes point and normal."""
    locals_, hits, cores, walks, triangles, simplexes, polytopes = tools
    local, other, w, f, simplex, polytope = locals_[0], hits[1], walks[0], triangles[0], simplexes[0], polytopes[0]
    best = np.inf
    if s.kind == PLANE:
        load(cores[1], x, pool, ORIGIN)
        d, n = plane_distance(s, cores[1], pool)
        u = -vec.dot(n, motion)
        best = 0.0 if d <= 0.0 else (d / u if u > 0.0 and d < u * limit else np.inf)
        p = support(cores[1], pool, vec.scale(n, -1.0))
        if best < np.inf:
            vec.assign(hit.normal, n)
            vec.assign(hit.point, vec.madd(vec.madd(p, motion, best), n, -cores[1].radius))
        return best if best < limit else np.inf
    enter(local, x, s)
    way = mat3.apply_transposed(s.rot, motion)
    load(cores[1], local, pool, ORIGIN)
    if is_surface(s) and x.kind == SPHERE and x.dims[0] == 0.0:
        best = ray_on_surface(hit, s, local, pool, way, f)
    elif is_surface(s):
        box_of(cores[1], pool, w, way, 0.0)
        start(w, s, pool)
        t = following(w, s, pool)
        while t >= 0:
            fetch(f, s, pool, t)
            load_triangle(cores[0], f.corner[0], f.corner[1], f.corner[2], 0.0, ORIGIN)
            part = newton(other, cores[0], cores[1], pool, way, min(best, limit), simplex, polytope)
            if part < min(best, limit):
                best = part
                vec.assign(hit.point, other.point)
                vec.assign(hit.normal, other.normal)
            t = following(w, s, pool)
    else:
        place(local, s)
        load(cores[0], local, pool, ORIGIN)
        best = newton(hit, cores[0], cores[1], pool, way, limit, simplex, polytope)
    if best < limit:
        vec.assign(hit.point, vec.add(s.pos, mat3.apply(s.rot, hit.point)))
        vec.assign(hit.normal, mat3.apply(s.rot, hit.normal))
        return best
    return np.inf


@routine
def place(local, s):
    """local: the shape s in its own frame."""
    local.kind, local.geometry, local.rounding = s.kind, s.geometry, s.rounding
    vec.assign(local.dims, s.dims)
    for k in range(3):
        local.pos[k] = 0.0
        for j in range(3):
            local.rot[k, j] = 1.0 if k == j else 0.0


@kernel
def cast(shapes, pool, nodes, order, endless, x, starts, turns, motions, tested, out):
    """The first shape that a copy of the shape x meets on each path.

    x: SHAPE (1,).

    Path i leads from starts[i] (3,), rotated by the matrix turns[i], along motions[i]. tested: 1 for the shapes to test.
    order: shapes as the leaves of the tree hold them; endless: the others.
    """
    locals_, cores, walks, triangles = np.zeros(2, SHAPE), np.empty(2, CORE), np.empty(1, WALK), np.empty(1, TRIANGLE)
    simplexes, polytopes, hits = np.empty(1, SIMPLEX), np.empty(1, POLYTOPE), np.empty(2, HIT)
    tools = (locals_, hits, cores, walks, triangles, simplexes, polytopes)
    grown_lo, grown_hi = np.empty(3), np.empty(3)
    for i in range(starts.shape[0]):
        o, moving = out[i], locals_[1]
        o.found, o.part = -1, np.inf
        place_query_shape(moving, x[0], starts[i], turns[i], pool, cores[1], walks[0])
        lo = vec.sub(starts[i], walks[0].hi)         # Minkowski difference of the node's box and that of the shape
        hi = vec.sub(starts[i], walks[0].lo)
        motion, n = vec.copy(motions[i]), 0
        while n < nodes.shape[0]:
            node = nodes[n]
            for k in range(3):
                grown_lo[k], grown_hi[k] = node.lo[k] + lo[k], node.hi[k] + hi[k]
            met = box_hit(grown_lo, grown_hi, starts[i], motion, min(o.part, 1.0))
            if node.count == 0:
                n = n + 1 if met else node.first
                continue
            if met:
                for c in range(node.first, node.first + node.count):
                    record_nearer(o, hits[0], order[c], shapes, tested, moving, pool, motion, tools)
            n += 1
        for c in range(endless.shape[0]):
            record_nearer(o, hits[0], endless[c], shapes, tested, moving, pool, motion, tools)


@routine
def place_query_shape(moving, shape, start, turn, pool, core, walk):
    """Place the query shape at start (3,), rotated by turn (3, 3): writes `moving`, its core, and its box in the walk."""
    place(moving, shape)
    for k in range(3):
        moving.pos[k] = start[k]
        for j in range(3):
            moving.rot[k, j] = turn[k, j]
    load(core, moving, pool, ORIGIN)
    box_of(core, pool, walk, ORIGIN, 0.0)


@routine
def record_nearer(o, hit, index, shapes, tested, moving, pool, motion, tools):
    """Record the shape `index` in the result o if it is hit earlier; at equal times the lower index wins."""
    if not tested[index]:
        return
    limit = o.part if o.part < np.inf else 1.0 + 1e-12
    part = cast_against(hit, shapes[index], moving, pool, motion, limit, tools)
    if part < limit or (part == o.part and index < o.found):
        o.found, o.part = index, part
        vec.assign(o.point, hit.point)
        vec.assign(o.normal, hit.normal)


@routine
def gap_to(hit, s, x, pool, limit, tools):
    """Signed distance of the shapes s and x; beyond the limit only a lower bound. Writes the point on s and the normal, world."""
    locals_, _, cores, walks, triangles, simplexes, polytopes = tools
    local, w, f, simplex, polytope = locals_[0], walks[0], triangles[0], simplexes[0], polytopes[0]
    if s.kind == PLANE:
        load(cores[1], x, pool, ORIGIN)
        d, n = plane_distance(s, cores[1], pool)
        vec.assign(hit.normal, n)
        p = support(cores[1], pool, vec.scale(n, -1.0))
        vec.assign(hit.point, vec.madd(p, n, -(d + cores[1].radius)))
        return d
    enter(local, x, s)
    load(cores[1], local, pool, ORIGIN)
    best = np.inf
    if is_surface(s):
        best = nearest_triangle(hit, s, pool, limit, cores, w, f, simplex, polytope)
    else:
        place(local, s)
        load(cores[0], local, pool, ORIGIN)
        best = distance(cores[0], cores[1], pool, simplex, polytope, limit)
        vec.assign(hit.point, simplex.point_a)
        vec.assign(hit.normal, simplex.normal)
    vec.assign(hit.point, vec.add(s.pos, mat3.apply(s.rot, hit.point)))
    vec.assign(hit.normal, mat3.apply(s.rot, hit.normal))
    return best


@routine
def nearest_triangle(hit, s, pool, limit, cores, w, f, simplex, polytope):
    """Signed distance of the core cores[1] from the nearest triangle of s, found in boxes that double until one contains it."""
    best, room = np.inf, min(limit, 0.01 * max(s.dims[0], s.dims[1], s.dims[2]))
    while True:
        box_of(cores[1], pool, w, ORIGIN, max(room, 0.0))
        start(w, s, pool)
        t = following(w, s, pool)
        while t >= 0:
            fetch(f, s, pool, t)
            load_triangle(cores[0], f.corner[0], f.corner[1], f.corner[2], 0.0, ORIGIN)
            d = distance(cores[0], cores[1], pool, simplex, polytope, min(best, limit))
            if d < best and d <= limit:
                best = d
                vec.assign(hit.point, simplex.point_a)
                vec.assign(hit.normal, simplex.normal)
            t = following(w, s, pool)
        if best <= room or room >= limit:
            return best
        room = min(2.0 * room, limit) if best == np.inf else min(best, limit)


@kernel
def nearest(shapes, pool, nodes, order, endless, x, starts, turns, reach, tested, out):
    """The shape with the smallest signed distance, up to reach [m], from a copy of x at each place; arguments as of `cast`."""
    locals_, cores, walks, triangles = np.zeros(2, SHAPE), np.empty(2, CORE), np.empty(1, WALK), np.empty(1, TRIANGLE)
    simplexes, polytopes, hits = np.empty(1, SIMPLEX), np.empty(1, POLYTOPE), np.empty(2, HIT)
    tools = (locals_, hits, cores, walks, triangles, simplexes, polytopes)
    for i in range(starts.shape[0]):
        o, moving, n = out[i], locals_[1], 0
        o.found, o.part = -1, np.inf
        place_query_shape(moving, x[0], starts[i], turns[i], pool, cores[1], walks[0])
        lo, hi = vec.copy(walks[0].lo), vec.copy(walks[0].hi)
        while n < nodes.shape[0]:
            node = nodes[n]
            away = (max(node.lo[0] - hi[0], lo[0] - node.hi[0], 0.0), max(node.lo[1] - hi[1], lo[1] - node.hi[1], 0.0),
                    max(node.lo[2] - hi[2], lo[2] - node.hi[2], 0.0))
            met = vec.norm(away) <= min(o.part, reach)
            if node.count == 0:
                n = n + 1 if met else node.first
                continue
            if met:
                for c in range(node.first, node.first + node.count):
                    approach(o, hits[0], order[c], shapes, tested, moving, pool, reach, tools)
            n += 1
        for c in range(endless.shape[0]):
            approach(o, hits[0], endless[c], shapes, tested, moving, pool, reach, tools)


@routine
def approach(o, hit, index, shapes, tested, moving, pool, reach, tools):
    """Record the shape `index` in the result o if it is nearer; at equal distances the lower index wins."""
    if not tested[index]:
        return
    d = gap_to(hit, shapes[index], moving, pool, min(o.part, reach), tools)
    if d <= reach and (d < o.part or (d == o.part and index < o.found)):
        o.found, o.part = index, d
        vec.assign(o.point, hit.point)
        vec.assign(o.normal, hit.normal)


@kernel
def overlapping(shapes, pool, candidates, x, out):
    """out[i] = 1 where the shape x[0] (placed) overlaps or touches the shape candidates[i]."""
    locals_, cores, walks, triangles = np.zeros(1, SHAPE), np.empty(2, CORE), np.empty(1, WALK), np.empty(1, TRIANGLE)
    simplexes, polytopes, hits = np.empty(1, SIMPLEX), np.empty(1, POLYTOPE), np.empty(2, HIT)
    tools = (locals_, hits, cores, walks, triangles, simplexes, polytopes)
    for i in range(candidates.shape[0]):
        out[i] = gap_to(hits[0], shapes[candidates[i]], x[0], pool, 0.0, tools) <= 0.0

