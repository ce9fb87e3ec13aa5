"""Contacts of shapes with surfaces of triangles (triangle meshes and height fields): one pair, many triangles, several manifolds.

Every triangle that the shape's box meets is tested for contact (_ball.py, _convex.py), in the frame of the surface. Inner edges
are filtered (_regions.py). The points are grouped by normal and reduced (_clusters.py). The first manifold of a pair is stored in
its own place, the others after those of all pairs, linked by MANIFOLD.more.
"""

import numpy as np

from physics.collide.convex import core
from physics.collide.convex.clip import CLIP
from physics.collide.convex.core import CORE, load
from physics.collide.convex.epa import POLYTOPE
from physics.collide.convex.gjk import SIMPLEX
from physics.collide.pairs._box import POLYGON
from physics.collide.surfaces import _ball, _convex
from physics.collide.surfaces._clusters import CLUSTER, MAX_CLUSTERS, MERGE_DISTANCE, add_point, write
from physics.collide.surfaces._frame import enter, swept_box
from physics.collide.surfaces._triangles import FIELD, MESH, TRIANGLE, WALK, fetch, following, is_solid, start
from physics.core import contact_points
from physics.core.jit import kernel
from physics.core.records import MANIFOLD, SHAPE, record
from physics.shapes import kinds
from physics.shapes._feature import FEATURE
from physics.shapes._geometry import GeometryArrays

SPHERE = list(kinds()).index("sphere")
SURFACES = ("height_field", "triangle_mesh")
SHAPES = core.NAMES
"""The kinds that can meet a surface."""

NO_PATH = (0.0, 0.0, 0.0)

FOUND = record([
    ("normal", "f8", 3),       # from the surface to the shape
    ("point", "f8", 3),        # half way between the surfaces [m]
])


@kernel
def collide(shapes, pairs, manifolds, extra, pool, base):
    """Manifolds of pairs with one surface each; further ones of a pair go to `extra`, which follows all pairs at index `base`.

    Returns the length that `extra` needs; if that exceeds its actual length, the call is void.
    """
    clusters, polygon, local = np.empty(MAX_CLUSTERS, CLUSTER), np.empty(1, POLYGON), np.empty(1, SHAPE)
    walk, triangles, nearest, found = np.empty(1, WALK), np.empty(2, TRIANGLE), np.empty(1, _ball.NEAREST), np.empty(1, FOUND)
    cores, features, points = np.empty(2, CORE), np.empty(2, FEATURE), np.empty(1, MANIFOLD)
    simplex, polytope, clipping = np.empty(1, SIMPLEX), np.empty(1, POLYTOPE), np.empty(1, CLIP)
    used = 0
    for k in range(pairs.shape[0]):
        w, f, q, out = walk[0], triangles[0], nearest[0], found[0]
        m = manifolds[k]
        contact_points.begin(m, pairs[k, 0], pairs[k, 1])
        kind = shapes[pairs[k, 0]].kind
        flip = kind != FIELD and kind != MESH
        s, x = shapes[pairs[k, 1 if flip else 0]], shapes[pairs[k, 0 if flip else 1]]
        enter(local[0], x, s)
        load(cores[1], local[0], pool, _convex.ORIGIN)
        swept_box(w, x, s, NO_PATH, s.reach)
        solid, reach, count = is_solid(s, pool), x.reach + s.reach, 0
        start(w, s, pool)
        t = following(w, s, pool)
        while t >= 0:
            fetch(f, s, pool, t)
            if x.kind == SPHERE:
                gap = _ball.touch(out, q, f, triangles[1], s, pool, solid, local[0].pos, x.dims[0])
                if gap <= reach:
                    count = add_point(clusters, count, out.normal, out.point, gap, t << 24 | q.region)
            else:
                p = points[0]
                _convex.touch(p, f, triangles[1], s, pool, solid, cores[0], cores[1], simplex[0], polytope[0], clipping[0],
                              features[0], features[1], reach)
                for i in range(p.count):
                    count = add_point(clusters, count, p.normal, p.pos[i], p.gap[i], t << 24 | p.feature[i])
            t = following(w, s, pool)
        for c in range(count):
            if c > 0:
                if used < extra.shape[0]:
                    m.more = base + used
                    m = extra[used]
                    contact_points.begin(m, pairs[k, 0], pairs[k, 1])
                used += 1
            write(m, clusters[c], polygon[0], s, flip, MERGE_DISTANCE * f.longest)
    return used


def find(shapes: np.ndarray, pairs: np.ndarray, manifolds: np.ndarray, pool: GeometryArrays, base: int) -> np.ndarray:
    """Fill the manifolds of the pairs; returns the further ones, which follow those of all pairs at index `base`."""
    extra = np.zeros(16 + 2 * len(pairs), MANIFOLD)
    used = collide(shapes, pairs, manifolds, extra, pool, base)
    if used > len(extra):
        extra = np.zeros(used, MANIFOLD)
        collide(shapes, pairs, manifolds, extra, pool, base)
    return extra[:used]
