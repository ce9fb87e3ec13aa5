"""Contacts of convex shapes with half spaces: by the shape's own `Convex.on_plane`, else by its feature that faces
the plane.

    gap_i = up . (p_i - x) - rho       p_i the corners of the feature, x a point of the plane, rho the ball added all round

If none of them is as near as the support point (a round side), that is the contact.
"""

import numpy as np

from physics.collide.convex import feature
from physics.collide.convex.clip import CLIP
from physics.collide.convex.core import CONVEX, CORE, load, support
from physics.collide.convex.manifold import NEAREST_POINT_ID, RIM_TOLERANCE
from physics.collide.pairs import _box
from physics.core import contact_points, dispatch, mat3, vec
from physics.core.jit import kernel, routine
from physics.shapes import kinds
from physics.shapes._feature import FEATURE

PLANE = list(kinds()).index("plane")


@routine
def nowhere(s, m, origin, up, reach):
    """Append nothing."""


on_plane = routine(dispatch.by_kind("on_plane", __name__, ("s", "m", "origin", "up", "reach"), {
    number: convex.on_plane for number, convex in CONVEX.items() if convex.on_plane}, nowhere))
"""Append the contact points of the shape s with the half space below the plane through origin across up."""


@kernel
def collide(shapes, pairs, manifolds):
    """Shapes that define it."""
    for k in range(pairs.shape[0]):
        m = manifolds[k]
        contact_points.begin(m, pairs[k, 0], pairs[k, 1])
        first = 1 if shapes[pairs[k, 0]].kind == PLANE else 0
        s, plane = shapes[pairs[k, first]], shapes[pairs[k, 1 - first]]
        up = mat3.column(plane.rot, 2)
        vec.assign(m.normal, vec.scale(up, 1.0 if first else -1.0))
        on_plane(s, m, plane.pos, up, s.reach + plane.reach)


@routine
def put_corners(core, c, f, m, above, origin, up, lowest, reach):
    """Append up to four corners of the feature f; above: height of the origin over the plane. False: none is the lowest."""
    u, v = vec.tangents(up)
    slack, count, least = RIM_TOLERANCE * core.least, 0, np.inf
    for i in range(f.count):
        p = f.point[i]
        gap = vec.dot(up, p) + above - core.radius
        least = min(least, gap)
        if gap <= reach:
            vec.assign(c.point[0, count], (vec.dot(u, p), vec.dot(v, p), gap))
            c.name[0, count] = f.label[i]
            count += 1
    if least > lowest + slack:
        return False
    for i in range(_box.reduce(c, 0, count, slack)):
        q = c.point[0, c.keep[i]]
        x = vec.madd(vec.madd(vec.madd(origin, u, q[0]), v, q[1]), up, 0.5 * q[2] - above)
        contact_points.put(m, x, q[2], c.name[0, c.keep[i]])
    return True


@kernel
def collide_core(shapes, pairs, manifolds, pool):
    """All other convex shapes: up to four points."""
    cores, features, clipping = np.empty(1, CORE), np.empty(1, FEATURE), np.empty(1, CLIP)
    for k in range(pairs.shape[0]):
        m, core, f = manifolds[k], cores[0], features[0]
        contact_points.begin(m, pairs[k, 0], pairs[k, 1])
        first = 1 if shapes[pairs[k, 0]].kind == PLANE else 0
        s, plane = shapes[pairs[k, first]], shapes[pairs[k, 1 - first]]
        up, origin, reach = mat3.column(plane.rot, 2), vec.copy(s.pos), s.reach + plane.reach
        down, above = vec.scale(up, -1.0), vec.dot(up, vec.sub(s.pos, plane.pos))
        vec.assign(m.normal, up if first else down)
        load(core, s, pool, origin)
        p = support(core, pool, down)
        lowest = vec.dot(up, p) + above - core.radius
        if lowest > reach:
            continue
        feature.find(core, pool, down, f)
        if not put_corners(core, clipping[0], f, m, above, origin, up, lowest, reach):
            contact_points.put(m, vec.madd(vec.add(origin, p), up, -core.radius - 0.5 * lowest), lowest, NEAREST_POINT_ID)
