"""Contacts of any two convex shapes: one kernel for all pairs of kinds that have no file of their own in collide/pairs.

    1  gap and normal of the pair                                                          (distance)
    2  the features of the two shapes that look along the normal                           (feature)
    3  the normal of a face, or square to an edge, if it parts the shapes as well          (`settle`)
    4  the points that the two features have in common                                     (clip)

If they have none as near as the gap says (two edges that cross, a corner, a round side) the nearest points are the contact.
"""

import numpy as np

from physics.collide.convex import clip, feature
from physics.collide.convex.core import CORE, difference, load
from physics.collide.convex.distance import distance, polish_edge
from physics.collide.convex.epa import POLYTOPE
from physics.collide.convex.gjk import SIMPLEX
from physics.collide.pairs import _points
from physics.core import vec
from physics.core.jit import kernel, routine

SETTLE = 1e-7
"""A face's normal is taken if it parts the shapes as well as the best one but for this part of their size."""
SLACK = 2e-4
"""Corners this far beyond the rim of a face count as over it, as a part of the thickness: those of equal faces stay whole."""
NEAREST = 3 << 20
"""Number of a contact that is made of the nearest points."""


@routine
def settle(a, b, pool, s, fa, fb, gap):
    """Put the normal of a face, or square to an edge, into s.normal if it will do; the gap along it."""
    radii, least = a.radius + b.radius, gap - SETTLE * (a.size + b.size)
    for turn in range(2):
        f = fb if turn else fa
        if f.count > 2:
            n = vec.scale(f.normal, -1.0 if turn else 1.0)
            w, _ = difference(a, b, pool, n)
            own = vec.dot(n, w) - radii
            if own >= least:
                vec.assign(s.normal, n)
                return own
    for turn in range(2):
        f = fb if turn else fa
        if f.count == 2:
            gap = polish_edge(a, b, pool, s, vec.unit(vec.sub(f.point[1], f.point[0])), gap + radii) - radii
    return gap


@routine
def meet(m, a, b, c, fa, fb, origin, gap, reach):
    """Append what the two features have in common, if it is as near as the gap."""
    slack = SLACK * min(a.least, b.least)
    least = gap
    if fa.count > 2 or fb.count > 2:
        flip = fa.count <= 2
        region, subject = (fb, fa) if flip else (fa, fb)
        least = clip.overlay(c, m, origin, region, subject, flip, a.radius, b.radius, slack, gap, reach)
    elif fa.count == 2 and fb.count == 2:
        clip.along(c, m, origin, fa, fb, a.radius, b.radius, reach)
    if least > gap + slack:
        m.count = 0


@routine
def touch(m, a, b, pool, s, p, c, fa, fb, origin, reach):
    """The manifold of two cores placed relative to the origin (world frame)."""
    gap = distance(a, b, pool, s, p, reach)
    if not gap <= reach:
        return
    feature.find(a, pool, vec.copy(s.normal), fa)
    feature.find(b, pool, vec.scale(s.normal, -1.0), fb)
    gap = settle(a, b, pool, s, fa, fb, gap)
    vec.assign(m.normal, s.normal)
    vec.assign(c.n, s.normal)
    u, v = vec.tangents(s.normal)
    vec.assign(c.u, u)
    vec.assign(c.v, v)
    meet(m, a, b, c, fa, fb, origin, gap, reach)
    if m.count == 0:
        middle = vec.scale(vec.add(s.point_a, s.point_b), 0.5)
        _points.put(m, vec.add(origin, middle), gap, NEAREST)


@kernel
def collide(shapes, pairs, manifolds, pool):
    """Up to four points."""
    cores, features = np.empty(2, CORE), np.empty(2, feature.FEATURE)
    simplex, polytope, clipping = np.empty(1, SIMPLEX), np.empty(1, POLYTOPE), np.empty(1, clip.CLIP)
    for k in range(pairs.shape[0]):
        m, a, b = manifolds[k], shapes[pairs[k, 0]], shapes[pairs[k, 1]]
        _points.begin(m, pairs[k, 0], pairs[k, 1])
        reach = a.reach + b.reach
        origin = vec.copy(a.pos)
        load(cores[0], a, pool, origin)
        load(cores[1], b, pool, origin)
        touch(m, cores[0], cores[1], pool, simplex[0], polytope[0], clipping[0], features[0], features[1], origin, reach)
