"""Contact of any convex shape and one triangle.

    n    the normal of the pair of triangle and shape (physics/collide/convex)

If n is nearly that of the triangle's face, the shape's feature that faces it is clipped to the face, along the face's exact
normal. If n belongs to an edge or a corner of the triangle, it counts only if allowed there (_regions.py). If it is not, the
triangle gives no contact while the shape is separated, because a neighbour is nearer; if they overlap, the face pushes the shape
along its own normal. So a slightly sunk box is carried by all triangles under it and pushed by none of their edges.

Side of the face: that of the shape's centre; the outer one of a solid surface.
"""

import math

from physics.collide.convex import clip, feature
from physics.collide.convex.core import load_triangle
from physics.collide.convex.distance import distance
from physics.collide.convex.manifold import NEAREST_POINT_ID, meet
from physics.collide.surfaces._ball import is_above
from physics.collide.surfaces._regions import corner_allows, edge_allows, region_allows
from physics.collide.surfaces._triangles import FIELD
from physics.core import contact_points, vec
from physics.core.jit import routine
from physics.shapes._feature import FACE

REGION_SINE = 0.02
"""Sine by which a normal may be outside its region: less than that of FACE, so that a flat edge gives no contact."""
ORIGIN = (0.0, 0.0, 0.0)


@routine
def lay(m, t, x, pool, c, fa, fb, n, slack, reach):
    """Clip the shape's feature that faces n, a normal of the triangle's face, to that face; append the points."""
    feature.find(t, pool, n, fa)
    feature.find(x, pool, vec.scale(n, -1.0), fb)
    feature.lean(x, pool, vec.scale(n, -1.0), fb, fa)
    clip.set_frame(c, n)
    clip.overlay(c, m, ORIGIN, fa, fb, False, t.radius, x.radius, slack, slack, -math.inf, reach)


@routine
def allows(f, other, s, pool, fa, n):
    """True if the triangle's feature fa, an edge or a corner, may have the normal n."""
    if fa.count == 1:
        return corner_allows(f, other, s, pool, fa.label[0], n, REGION_SINE)
    k = fa.label[0] if fa.label[0] + 1 == fa.label[1] else fa.label[1]
    return edge_allows(f, other, s, pool, k, n, REGION_SINE)


@routine
def touch(m, f, other, s, pool, solid, t, x, simplex, polytope, c, fa, fb, reach):
    """Append points of the core x on the triangle f of the surface s, all in the frame of s; m: normal from the triangle to x.

    t, simplex, polytope, c, fa, fb: scratch; t is a CORE.
    """
    m.count = 0
    height = vec.dot(f.normal, vec.sub(x.pos, f.corner[0]))
    side = 1.0 if solid or height >= 0.0 else -1.0
    up, slack = vec.scale(f.normal, side), 1e-9 * f.longest
    load_triangle(t, f.corner[0], f.corner[1], f.corner[2], 0.0, ORIGIN)
    vec.assign(m.normal, up)
    if s.kind == FIELD and height < 0.0 and is_above(f, x.pos):
        lay(m, t, x, pool, c, fa, fb, up, slack, reach)
        return
    gap = distance(t, x, pool, simplex, polytope, reach)
    if not gap <= reach:
        return
    n = vec.copy(simplex.normal)
    facing = vec.dot(n, up)
    if solid and facing < 0.0 and (gap > 0.0 or height < 0.0):
        return
    if facing >= FACE:
        lay(m, t, x, pool, c, fa, fb, up, slack, reach)
        if m.count > 0:
            return
    feature.find(t, pool, n, fa)
    if not (region_allows(f, other, s, pool, n) if fa.count > 2 else allows(f, other, s, pool, fa, n)):
        if gap <= 0.0:
            lay(m, t, x, pool, c, fa, fb, up, slack, reach)
        return
    feature.find(x, pool, vec.scale(n, -1.0), fb)
    clip.set_frame(c, n)
    vec.assign(m.normal, n)
    meet(m, t, x, pool, c, fa, fb, ORIGIN, gap, reach)
    if m.count == 0:
        contact_points.put(m, vec.scale(vec.add(simplex.point_a, simplex.point_b), 0.5), gap, NEAREST_POINT_ID)
