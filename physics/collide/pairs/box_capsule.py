"""Contact of a box and a capsule: the capsule's axis q(t) = q_0 + t d, t in [0, 1], against the box, in the box's frame.

Separated: f(t) = |q - clamp(q, -h, h)|^2 / 2 is convex and f'(t) = sum_k over_k(t) d_k is piecewise linear with breaks where a
coordinate passes +-h_k; its zero, between two breaks, is exact. n = over / |over|.

Axis inside: separating axes of a segment and a box (Gottschalk, Lin, Manocha 1996, OBBTree): the three faces and the three
products e_k x d; the axis of smallest overlap is the normal.

Where the normal is a face's, or that of an edge parallel to the axis, both ends of the overlap with that face or edge are used.
"""

import math

import numpy as np

from physics.core import contact_points, mat3, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import record

KINDS = ("box", "capsule")

BOX_CAPSULE_WORK = record([
    ("q", "f8", 3),         # first end of the axis, box frame
    ("d", "f8", 3),         # from there to the other end
    ("h", "f8", 3),         # half extents of the box
    ("n", "f8", 3),         # normal, box frame
    ("t", "f8"),            # parameter of the contact on the axis
])

FACE = 0.9993908270190958      # cos 2 degrees
"""Cosine above which a normal counts as a face's: a capsule lying on a face across its edge keeps two points."""
ALONG = 0.9993908270190958     # cos 2 degrees
"""Cosine above which an axis counts as parallel to an edge and touches it at two points."""
FACE_PREFERENCE = 1e-3
"""Margin, as a fraction of the radius, by which an edge must be nearer, or overlap less, to be preferred to a face."""


@inline
def over(x, h):
    """Signed distance by which x is outside [-h, h]."""
    return x - min(max(x, -h), h)


@inline
def slope(w, t):
    """f'(t)."""
    return (over(w.q[0] + t * w.d[0], w.h[0]) * w.d[0] + over(w.q[1] + t * w.d[1], w.h[1]) * w.d[1]
            + over(w.q[2] + t * w.d[2], w.h[2]) * w.d[2])


@routine
def nearest(w):
    """w.t: axis point nearest to the box; w.n: unit vector from the box to it. Returns the distance."""
    t0, t1 = 0.0, 1.0
    s0, s1 = slope(w, 0.0), slope(w, 1.0)
    for k in range(3):
        for side in (-1.0, 1.0):
            t = (side * w.h[k] - w.q[k]) / w.d[k]      # inf or nan on a parallel face: outside (t0, t1)
            if t0 < t < t1:
                s = slope(w, t)
                if s < 0.0:
                    t0, s0 = t, s
                else:
                    t1, s1 = t, s
    if s0 >= 0.0:
        w.t = t0
    elif s1 <= 0.0:
        w.t = t1
    else:
        w.t = t0 + (t1 - t0) * s0 / (s0 - s1)
    d = (over(w.q[0] + w.t * w.d[0], w.h[0]), over(w.q[1] + w.t * w.d[1], w.h[1]),
         over(w.q[2] + w.t * w.d[2], w.h[2]))
    vec.assign(w.n, vec.unit(d))
    return vec.norm(d)


@routine
def least_overlap(w, slack):
    """w.n: the direction of smallest overlap; w.t: where the axis touches an edge, if the direction is an edge's."""
    best, axis, sign = -math.inf, 0, 1.0
    for k in range(3):
        lo, hi = min(w.q[k], w.q[k] + w.d[k]), max(w.q[k], w.q[k] + w.d[k])
        for side in (1.0, -1.0):
            gap = (lo if side > 0.0 else -hi) - w.h[k]
            if gap > best + slack:
                best, axis, sign = gap, k, side
    vec.assign(w.n, (sign if axis == 0 else 0.0, sign if axis == 1 else 0.0, sign if axis == 2 else 0.0))
    length = vec.norm(w.d)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        size = math.sqrt(w.d[i] * w.d[i] + w.d[j] * w.d[j])
        if size <= 1e-3 * length:
            continue
        x, y = -w.d[j] / size, w.d[i] / size           # e_k x d
        distance = x * w.q[i] + y * w.q[j]
        if distance < 0.0:
            x, y, distance = -x, -y, -distance
        gap = distance - abs(x) * w.h[i] - abs(y) * w.h[j]
        if gap > best + slack:
            best = gap
            w.n[k], w.n[i], w.n[j] = 0.0, x, y
            edge_i, edge_j = math.copysign(w.h[i], x) - w.q[i], math.copysign(w.h[j], y) - w.q[j]
            w.t = min(max((edge_i * w.d[i] + edge_j * w.d[j]) / (size * size), 0.0), 1.0)
    return best


@routine
def clip(w, skip_i, skip_j):
    """The part (t0, t1) of the axis between the faces of all axes except skip_i, skip_j; t0 > t1: none."""
    t0, t1 = 0.0, 1.0
    for k in range(3):
        if k in (skip_i, skip_j):
            continue
        if w.d[k] == 0.0:
            if abs(w.q[k]) > w.h[k]:
                return 1.0, 0.0
            continue
        near, far = (-w.h[k] - w.q[k]) / w.d[k], (w.h[k] - w.q[k]) / w.d[k]
        t0, t1 = max(t0, min(near, far)), min(t1, max(near, far))
    return t0, t1


@routine
def stretch(w, limit):
    """The stretch (t0, t1) of the axis over the face or edge that w.n belongs to; t0 > t1: touches at w.t only.

    limit: a face counts only if the axis comes this near to it on that stretch [m].
    """
    for k in range(3):
        if abs(w.n[k]) > FACE:
            t0, t1 = clip(w, k, k)
            sign = math.copysign(1.0, w.n[k])
            nearest_end = min(sign * (w.q[k] + t0 * w.d[k]), sign * (w.q[k] + t1 * w.d[k])) - w.h[k]
            if t0 <= t1 and nearest_end > limit:
                return 1.0, 0.0
            if t0 <= t1:
                vec.assign(w.n, (math.copysign(1.0, w.n[0]) if k == 0 else 0.0,
                                 math.copysign(1.0, w.n[1]) if k == 1 else 0.0,
                                 math.copysign(1.0, w.n[2]) if k == 2 else 0.0))
            return t0, t1
    for k in range(3):
        if w.n[k] == 0.0 and abs(w.d[k]) > ALONG * vec.norm(w.d):
            return clip(w, (k + 1) % 3, (k + 2) % 3)
    return 1.0, 0.0


@inline
def write(m, a, w, t, radius, reach, feature):
    """Append the point at t, if in reach: the gap is measured from the box's supporting plane."""
    q = vec.madd(w.q, w.d, t)
    gap = vec.dot(w.n, q) - abs(w.n[0]) * w.h[0] - abs(w.n[1]) * w.h[1] - abs(w.n[2]) * w.h[2] - radius
    if gap <= reach:
        p = vec.madd(q, w.n, -(radius + 0.5 * gap))
        contact_points.put(m, vec.add(a.pos, mat3.apply(a.rot, p)), gap, feature)


@kernel
def collide(shapes, pairs, manifolds):
    """One point (feature 0), or two (1: nearer the lower end of the capsule's frame; 2)."""
    work = np.empty(1, BOX_CAPSULE_WORK)
    for k in range(pairs.shape[0]):
        w, m, a, b = work[0], manifolds[k], shapes[pairs[k, 0]], shapes[pairs[k, 1]]
        contact_points.begin(m, pairs[k, 0], pairs[k, 1])
        reach, radius = a.reach + b.reach, b.dims[0]
        axis = mat3.column(b.rot, 2)
        vec.assign(w.h, a.dims)
        vec.assign(w.q, mat3.apply_transposed(a.rot, vec.madd(vec.sub(b.pos, a.pos), axis, -b.dims[1])))
        vec.assign(w.d, mat3.apply_transposed(a.rot, vec.scale(axis, 2.0 * b.dims[1])))
        distance = nearest(w)
        if distance - radius > reach:
            continue
        limit = distance + FACE_PREFERENCE * radius
        if distance <= 1e-9 * radius:
            least_overlap(w, FACE_PREFERENCE * radius)
            limit = math.inf
        t0, t1 = stretch(w, limit)
        vec.assign(m.normal, mat3.apply(a.rot, w.n))
        if (t1 - t0) * 2.0 * b.dims[1] > 1e-3 * radius:
            write(m, a, w, t0, radius, reach, 1)
            write(m, a, w, t1, radius, reach, 2)
        if m.count == 0:
            write(m, a, w, w.t if t0 > t1 else t0, radius, reach, 0)
