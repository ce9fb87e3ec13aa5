"""Contact manifolds of two convex shapes: one kernel for all pairs of kinds that have no file of their own in collide/pairs.

    1  gap and normal of the pair                                                          (distance)
    2  the features of the two shapes that face along the normal                           (feature)
       if both are faces, the one that is clipped is extended by adjacent corners that nearly touch
    3  the normal of a face, or orthogonal to an edge, if it separates the shapes as well  (`try_normal`)
    4  the intersection of the two features                                                (clip)

If no clipped point is as near as the gap (two crossing edges, a corner, a round side) the nearest points are the contact.
"""

import numpy as np

from physics.collide.convex import clip, feature
from physics.collide.convex.core import CORE, difference, load
from physics.collide.convex.distance import distance, polish_edge
from physics.collide.convex.epa import POLYTOPE
from physics.collide.convex.gjk import SIMPLEX
from physics.core import contact_points, vec
from physics.core.jit import kernel, routine
from physics.shapes._feature import FEATURE

SETTLE = 1e-7
"""A face's normal is used if its separation is within this fraction of the shapes' size of the best one."""
RIM_TOLERANCE = 2e-4
"""Corners up to this fraction of the thickness beyond the rim of a face count as over it, so that equal faces keep theirs."""
MIN_LEANING = 5e-3
"""What leans on a face reaches farther than this inside its rim [m]: a body that slides from tile to tile, and falls by less in a
step, does not lean on their flanks."""
LARGER = 1.1
"""Of two shapes of one kind, b provides the region if it is larger than a by more than this ratio."""
NEAREST_POINT_ID = 3 << 20
"""Feature number of a contact made of the nearest points."""


@routine
def try_normal(a, b, pool, s, fa, fb, gap):
    """Set s.normal to the normal of a face, or orthogonal to an edge, if it separates well enough; returns the gap along it."""
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
def clips_to_b(a, b, fa, fb):
    """Whether the feature of a is clipped to the face of b: a has no face, or b is the larger of two shapes of one kind."""
    return fa.count <= 2 or (fb.count > 2 and a.kind == b.kind and b.size > LARGER * a.size)


@routine
def clip_features(m, a, b, c, fa, fb, flip, leans, origin, gap, reach):
    """Append the intersection of the two features, if it is as near as the gap. flip: that of a is clipped to that of b; leans:
    it is a face that leans on the other."""
    slack = RIM_TOLERANCE * min(a.least, b.least)
    least = gap
    if fa.count > 2 or fb.count > 2:
        region, subject = (fb, fa) if flip else (fa, fb)
        sliver = MIN_LEANING if leans else slack
        least = clip.overlay(c, m, origin, region, subject, flip, a.radius, b.radius, slack, sliver, gap, reach)
    elif fa.count == 2 and fb.count == 2:
        clip.along(c, m, origin, fa, fb, a.radius, b.radius, reach)
    if least > gap + slack:
        m.count = 0


@routine
def meet(m, a, b, pool, c, fa, fb, origin, gap, reach):
    """Append the intersection of the features that face along the normal of the frame c, if it is as near as the gap: of the one
    that is clipped the face that leans on the other, or, where that does not reach far enough over it, what was found."""
    flip = clips_to_b(a, b, fa, fb)
    if flip:
        leans = feature.lean(a, pool, vec.copy(c.n), fa, fb)
    else:
        leans = feature.lean(b, pool, vec.scale(c.n, -1.0), fb, fa)
    clip_features(m, a, b, c, fa, fb, flip, leans, origin, gap, reach)
    if m.count == 0 and leans:
        feature.find(a if flip else b, pool, vec.scale(c.n, 1.0 if flip else -1.0), fa if flip else fb)
        clip_features(m, a, b, c, fa, fb, flip, False, origin, gap, reach)


@routine
def face(a, b, pool, s, p, c, fa, fb, reach):
    """Find the gap of two cores, their features and, in s and the frame c, the normal; beyond the reach the gap only."""
    gap = distance(a, b, pool, s, p, reach)
    if not gap <= reach:
        return gap
    feature.find(a, pool, vec.copy(s.normal), fa)
    feature.find(b, pool, vec.scale(s.normal, -1.0), fb)
    gap = try_normal(a, b, pool, s, fa, fb, gap)
    clip.set_frame(c, vec.copy(s.normal))
    return gap


@routine
def fill(m, a, b, pool, s, c, fa, fb, origin, gap, reach):
    """Build the manifold of two cores from what `face` found; origin: of the pair, world frame."""
    vec.assign(m.normal, s.normal)
    meet(m, a, b, pool, c, fa, fb, origin, gap, reach)
    if m.count == 0:
        middle = vec.scale(vec.add(s.point_a, s.point_b), 0.5)
        contact_points.put(m, vec.add(origin, middle), gap, NEAREST_POINT_ID)


@kernel
def collide(shapes, pairs, manifolds, pool):
    """Up to four points."""
    cores, features = np.empty(2, CORE), np.empty(2, FEATURE)
    simplex, polytope, clipping = np.empty(1, SIMPLEX), np.empty(1, POLYTOPE), np.empty(1, clip.CLIP)
    for k in range(pairs.shape[0]):
        m, a, b = manifolds[k], shapes[pairs[k, 0]], shapes[pairs[k, 1]]
        contact_points.begin(m, pairs[k, 0], pairs[k, 1])
        reach = a.reach + b.reach
        origin = vec.copy(a.pos)
        load(cores[0], a, pool, origin)
        load(cores[1], b, pool, origin)
        gap = face(cores[0], cores[1], pool, simplex[0], polytope[0], clipping[0], features[0], features[1], reach)
        if gap <= reach:
            fill(m, cores[0], cores[1], pool, simplex[0], clipping[0], features[0], features[1], origin, gap, reach)
