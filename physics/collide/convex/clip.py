"""Intersection of two opposed features, projected along the normal n: up to four points with their gaps.

In the frame (t1, t2, n) both features are projected to the plane (u, v); heights are along n. One of them, a face, is the region;
the other, the subject (face, edge or point), is clipped by the sides of the region (Sutherland and Hodgman 1974). Heights of the
subject are interpolated along its edges, those of the region come from its plane N . x = d:

    h(u, v) = (d - N_u u - N_v v) / N_n,        gap = +- (h_subject - h_region) - radii

Two nearly parallel edges overlap in a segment with two ends. A point's number encodes its origin: a corner of the subject, a
crossing of two sides, or a corner of the region.
"""

import math

import numpy as np

from physics.collide.pairs import _box
from physics.core import contact_points, vec
from physics.core.jit import inline, routine
from physics.core.records import record
from physics.shapes._feature import EDGE, MAX_CORNERS

CROSSING, REGION = 1 << 20, 2 << 20
"""Added to the numbers of crossings of two sides, and of corners of the region."""
SIDE = 1 << 10
"""Added to the numbers of edges that run along a side of the region."""

CLIP = record([
    ("u", "f8", 3),                       # the frame
    ("v", "f8", 3),
    ("n", "f8", 3),
    ("region", "f8", (MAX_CORNERS, 2)),          # corners, counter-clockwise
    ("label", "i4", MAX_CORNERS),
    ("corners", "i4"),
    ("slope_u", "f8"),                    # height of the region's plane: level + slope_u u + slope_v v
    ("slope_v", "f8"),
    ("level", "f8"),
    ("point", "f8", (2, 2 * MAX_CORNERS, 3)),    # two buffers, clipped alternately: u, v, height; finally u, v, gap
    ("edge", "i4", (2, 2 * MAX_CORNERS)),        # the edge that starts at the vertex
    ("name", "i4", (2, 2 * MAX_CORNERS)),
    ("keep", "i4", 4),
    ("widest", "f8"),                     # largest gap within the reach, before points are left out [m]
    ("beyond", "f8"),                     # smallest gap beyond the reach [m]
])


@routine
def set_frame(c, n):
    """Set the axes for the normal n, before any point is found."""
    u, v = vec.tangents(n)
    vec.assign(c.n, n)
    vec.assign(c.u, u)
    vec.assign(c.v, v)
    c.widest, c.beyond = -math.inf, math.inf


@inline
def is_within(c, gap, reach):
    """Whether a gap is within the reach; notes how near to it the gaps are on both sides."""
    if gap <= reach:
        c.widest = max(c.widest, gap)
        return True
    c.beyond = min(c.beyond, gap)
    return False


@routine
def set_region(c, f, turned):
    """Set the face f as the region; turned: it faces against n."""
    c.corners = f.count
    for k in range(f.count):
        j = f.count - 1 - k if turned else k
        c.region[k, 0], c.region[k, 1] = vec.dot(f.point[j], c.u), vec.dot(f.point[j], c.v)
        c.label[k] = f.label[j]
    up = vec.dot(f.normal, c.n)
    c.level = vec.dot(f.normal, f.point[0]) / up
    c.slope_u, c.slope_v = -vec.dot(f.normal, c.u) / up, -vec.dot(f.normal, c.v) / up


@inline
def height_along(c, u, v):
    return c.level + c.slope_u * u + c.slope_v * v


@routine
def cut(c, source, count, closed, k, slack):
    """Copy what is inside side k of the region, or at most slack outside, from one buffer to the other; returns the new count."""
    target, j = 1 - source, k + 1 if k + 1 < c.corners else 0
    x, y = c.region[j, 0] - c.region[k, 0], c.region[j, 1] - c.region[k, 1]
    size = math.sqrt(x * x + y * y)
    if size == 0.0:
        x, size = 1.0, math.inf
    x, y = x / size, y / size
    kept = 0
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        p, q = c.point[source, i], c.point[source, j]
        here = (p[0] - c.region[k, 0]) * y - (p[1] - c.region[k, 1]) * x - slack
        there = (q[0] - c.region[k, 0]) * y - (q[1] - c.region[k, 1]) * x - slack
        if here <= 0.0 and kept < 2 * MAX_CORNERS:
            vec.assign(c.point[target, kept], p)
            c.edge[target, kept], c.name[target, kept] = c.edge[source, i], c.name[source, i]
            kept += 1
        if (here <= 0.0) != (there <= 0.0) and (closed or i + 1 < count) and kept < 2 * MAX_CORNERS:
            f = here / (here - there)
            vec.assign(c.point[target, kept], vec.madd(p, vec.sub(q, p), f))
            edge = c.edge[source, i]
            if edge < SIDE:
                c.name[target, kept] = CROSSING | edge << 10 | c.label[k]
            else:
                c.name[target, kept] = REGION | (edge - SIDE) << 10 | c.label[k]
            c.edge[target, kept] = SIDE + c.label[k] if here <= 0.0 else edge
            kept += 1
    return kept


@routine
def is_sliver(c, source, count, slack):
    """True if the polygon nowhere reaches more than slack inside some side of the region: the features share only a side."""
    for k in range(c.corners):
        j = k + 1 if k + 1 < c.corners else 0
        x, y = c.region[j, 0] - c.region[k, 0], c.region[j, 1] - c.region[k, 1]
        size, inside = math.sqrt(x * x + y * y), -math.inf
        for i in range(count):
            inside = max(inside, (c.point[source, i, 1] - c.region[k, 1]) * x - (c.point[source, i, 0] - c.region[k, 0]) * y)
        if inside <= slack * size:
            return True
    return False


@routine
def overlay(c, m, origin, region, subject, flip, radius_a, radius_b, slack, sliver, bound, reach):
    """Append the points of `subject` over the face `region` to the manifold; returns the smallest gap, inf if there are none.

    flip: the region belongs to b, else to a. origin: that of the pair, world frame. sliver: a face that is no wider is none;
    bound: lower bound of all gaps.
    """
    set_region(c, region, flip)
    count, source = np.int64(subject.count), np.int64(0)
    for i in range(count):
        p = subject.point[i]
        vec.assign(c.point[0, i], (vec.dot(p, c.u), vec.dot(p, c.v), vec.dot(p, c.n)))
        c.edge[0, i], c.name[0, i] = subject.label[i], subject.label[i]
    for k in range(c.corners):
        count = cut(c, source, count, subject.count > 2, k, slack if subject.count > 2 else 0.0)
        source = 1 - source
    least = math.inf
    if count == 0 or (subject.count > 2 and is_sliver(c, source, count, sliver)):
        return least
    kept, sign = np.int64(0), -1.0 if flip else 1.0
    for i in range(count):
        p = c.point[source, i]
        gap = max(sign * (p[2] - height_along(c, p[0], p[1])) - radius_a - radius_b, bound)
        least = min(least, gap)
        if is_within(c, gap, reach):
            vec.assign(c.point[source, kept], (p[0], p[1], gap))
            c.name[source, kept] = c.name[source, i]
            kept += 1
    for i in range(_box.reduce(c, source, kept, slack)):
        p = c.point[source, c.keep[i]]
        gap = p[2]
        low = height_along(c, p[0], p[1]) - (gap + radius_a + radius_b if flip else 0.0)      # of the core of a
        x = vec.madd(vec.madd(vec.madd(origin, c.n, low + radius_a + 0.5 * gap), c.u, p[0]), c.v, p[1])
        contact_points.put(m, x, gap, c.name[source, c.keep[i]] + ((4 << 20) if flip else 0))
    return least


@routine
def along(c, m, origin, e, f, radius_a, radius_b, reach):
    """Append the ends of the overlap of two nearly parallel edges, e of a and f of b."""
    d, r = vec.sub(e.point[1], e.point[0]), vec.sub(f.point[1], f.point[0])
    size, other = vec.norm(d), vec.norm(r)
    d, r = vec.scale(d, 1.0 / size), vec.scale(r, 1.0 / other)
    cross = vec.cross(d, r)
    if vec.dot(cross, cross) > EDGE * EDGE:
        return
    s0, slope = vec.dot(d, vec.sub(f.point[0], e.point[0])), vec.dot(d, r)
    s1 = s0 + slope * other
    lo, hi = max(0.0, min(s0, s1)), min(size, max(s0, s1))
    if not hi - lo > 1e-3 * min(size, other):
        return
    for end in range(2):
        s = hi if end else lo
        p, q = vec.madd(e.point[0], d, s), vec.madd(f.point[0], r, (s - s0) / slope)
        gap = vec.dot(c.n, vec.sub(q, p)) - radius_a - radius_b
        if is_within(c, gap, reach):
            x = vec.madd(vec.scale(vec.add(p, q), 0.5), c.n, 0.5 * (radius_a - radius_b))
            contact_points.put(m, vec.add(origin, x), gap, CROSSING + end)
