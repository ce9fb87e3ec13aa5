"""Contact of a ball and one triangle: the triangle's nearest point to its centre (Ericson, Real-Time Collision Detection, 5.1.5).

    p = nearest point of the triangle to the centre x,   n = (x - p) / |x - p|,   gap = |x - p| - r

Over the face n is the face's normal, on the side of the centre (solid: outside; a centre below the face has a negative
distance). At an edge or a corner p counts only if n is allowed there (_regions.py). A centre inside a height field is pushed out
by the triangle straight above it.
"""

import numpy as np

from physics.collide.surfaces._regions import corner_allows, edge_allows
from physics.collide.surfaces._triangles import FIELD
from physics.core import vec
from physics.core.jit import routine
from physics.core.records import record

REGION_SINE = 1e-9
"""Sine by which a normal may be outside its region."""

NEAREST = record([
    ("point", "f8", 3),        # on the triangle [m]
    ("region", "i8"),          # 0: face; 1 .. 3: edge from corner region - 1 on; 4 .. 6: corner region - 4
])


@routine
def nearest(q, f, x):
    """The point of the triangle f nearest to x."""
    a, b, c = f.corner[0], f.corner[1], f.corner[2]
    ab, ac, ap = vec.sub(b, a), vec.sub(c, a), vec.sub(x, a)
    d1, d2 = vec.dot(ab, ap), vec.dot(ac, ap)
    bp, cp = vec.sub(x, b), vec.sub(x, c)
    d3, d4 = vec.dot(ab, bp), vec.dot(ac, bp)
    d5, d6 = vec.dot(ab, cp), vec.dot(ac, cp)
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    if d1 <= 0.0 and d2 <= 0.0:
        q.region = 4
        vec.assign(q.point, a)
    elif d3 >= 0.0 and d4 <= d3:
        q.region = 5
        vec.assign(q.point, b)
    elif d6 >= 0.0 and d5 <= d6:
        q.region = 6
        vec.assign(q.point, c)
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        q.region = 1
        vec.assign(q.point, vec.madd(a, ab, d1 / (d1 - d3)))
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        q.region = 2
        vec.assign(q.point, vec.madd(b, vec.sub(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6))))
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        q.region = 3
        vec.assign(q.point, vec.madd(a, ac, d2 / (d2 - d6)))
    else:
        q.region = 0
        vec.assign(q.point, vec.madd(x, f.normal, -vec.dot(f.normal, ap)))


@routine
def is_above(f, x):
    """True if the triangle is straight above or below x; counter-clockwise seen from above."""
    for k in range(3):
        a, b = f.corner[k], f.corner[(k + 1) % 3]
        if (b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0]) < 0.0:
            return False
    return True


@routine
def touch(out, q, f, other, s, pool, solid, x, radius):
    """Write out.normal and out.point; returns the gap [m], inf where another triangle provides the contact."""
    nearest(q, f, x)
    d = vec.sub(x, q.point)
    height = vec.dot(f.normal, vec.sub(x, f.corner[0]))
    distance = vec.norm(d)
    if s.kind == FIELD and height < 0.0:
        if not is_above(f, x):
            return np.inf
        q.region = 0
    if q.region == 0 or distance <= 1e-12 * f.longest:
        side = 1.0 if solid or height >= 0.0 else -1.0
        n = vec.scale(f.normal, side)
        distance = side * height
        if s.kind != FIELD and distance < -radius:
            return np.inf
    else:
        n = vec.scale(d, 1.0 / distance)
        if solid and vec.dot(n, f.normal) < 0.0:
            return np.inf
        if q.region <= 3:
            if not edge_allows(f, other, s, pool, q.region - 1, n, REGION_SINE):
                return np.inf
        elif not corner_allows(f, other, s, pool, q.region - 4, n, REGION_SINE):
            return np.inf
    gap = distance - radius
    vec.assign(out.normal, n)
    vec.assign(out.point, vec.madd(x, n, -(radius + 0.5 * gap)))
    return gap
