"""Contact of two boxes: fifteen separating axes, then the manifold of two faces, of two edges, or of a corner.

Axes (Gottschalk, Lin, Manocha 1996, OBBTree, section 5), in the frame of a, R = R_a^T R_b, t = R_a^T (x_b - x_a):

    a_i:        |t_i| - h_i - sum_j |R_ij| g_j
    b_j:        |t . R_j| - g_j - sum_i |R_ij| h_i
    a_i x b_j:  (|t . L| - sum |L_m| h_m - sum |(R^T L)_m| g_m) / |L|,  L = e_i x R_j

The largest of them, S, is the depth if S <= 0 and a lower bound of the distance if S > 0. The bound is exact where a corner
faces a face or two edges cross. Otherwise the nearest points include a corner of one box, and the distance is that of the corner
from the other box.

A face of a is preferred to a face of b, and both to a pair of edges, by a slack: a thousandth of the size. This makes the choice
in a resting stack independent of tilts of some 1e-3 rad; the error of the depth is less than the slack.
"""

import math

import numpy as np

from physics.collide.pairs import _box, _points
from physics.core import contact_points, mat3, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import record

KINDS = ("box", "box")

BOX_BOX_WORK = record([
    ("rot", "f8", (3, 3)),     # b in the frame of a
    ("t", "f8", 3),            # centre of b in the frame of a
    ("face", "f8"),            # largest separation along a face normal [m]
    ("axis", "i4"),            # its axis: 0 .. 2 of a, 3 .. 5 of b
    ("edge", "f8"),            # largest separation along a product of edges [m]
    ("edge_a", "i4"),          # its two axes
    ("edge_b", "i4"),
    ("normal", "f8", 3),       # its direction, from a to b, frame of a
    ("corner", "i4"),          # nearest corner: 0 .. 7 of a, 8 .. 15 of b
    ("distance", "f8"),        # of that corner from the other box [m]
    ("away", "f8", 3),         # from a to b along that distance, world
    ("middle", "f8", 3),       # half way between, world
])

SLACK, THIN = 1e-3, 0.05
"""Slack as a fraction of the middle half extent, and at most this fraction of the smallest."""
ALIGNED = 0.9986295347545738   # cos 3 degrees
"""Within this angle the direction to the nearest corner counts as a face's normal."""
FACE_PREFERENCE = 1e-3
"""Margin by which a later face must be better aligned with the reference face to become the incident one."""


@inline
def tolerance_of(h):
    lo, hi = min(h[0], h[1], h[2]), max(h[0], h[1], h[2])
    return min(SLACK * (h[0] + h[1] + h[2] - lo - hi), THIN * lo)


@routine
def faces(w, a, b, reach, slack):
    """w.face, w.axis over the six face normals; False as soon as one of them separates the boxes by more than reach."""
    w.face, w.axis = -math.inf, 0
    for i in range(3):
        r = w.rot[i]
        s = abs(w.t[i]) - a.dims[i] - abs(r[0]) * b.dims[0] - abs(r[1]) * b.dims[1] - abs(r[2]) * b.dims[2]
        if s > reach:
            return False
        if s > w.face:
            w.face, w.axis = s, i
    best, axis = -math.inf, 0
    for j in range(3):
        r = mat3.column(w.rot, j)
        s = abs(vec.dot(w.t, r)) - b.dims[j] - abs(r[0]) * a.dims[0] - abs(r[1]) * a.dims[1] - abs(r[2]) * a.dims[2]
        if s > reach:
            return False
        if s > best:
            best, axis = s, j
    if best > w.face + slack:
        w.face, w.axis = best, 3 + axis
    return True


@routine
def edges(w, a, b, reach):
    """w.edge, w.edge_a, w.edge_b, w.normal over the nine products of edges; False if one separates the boxes."""
    w.edge = -math.inf
    for i in range(3):
        i1, i2 = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            x, y = -w.rot[i2, j], w.rot[i1, j]       # components i1, i2 of L; the third is zero
            size = x * x + y * y
            if size < 1e-6:                          # parallel edges: L is noise, and near a face normal
                continue
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            distance = w.t[i1] * x + w.t[i2] * y
            radii = (abs(x) * a.dims[i1] + abs(y) * a.dims[i2]
                     + abs(w.rot[i, j2]) * b.dims[j1] + abs(w.rot[i, j1]) * b.dims[j2])
            size = math.sqrt(size)
            s = (abs(distance) - radii) / size
            if s > reach:
                return False
            if s > w.edge:
                w.edge, w.edge_a, w.edge_b = s, i, j
                size = math.copysign(size, distance)
                w.normal[i], w.normal[i1], w.normal[i2] = 0.0, x / size, y / size
    return True


@routine
def fill(p, x, y, axis, sign):
    """Start the polygon: the face of y opposite face (axis, sign) of x, in the frame (u, v, w) of that face."""
    n = vec.scale(mat3.column(x.rot, axis), sign)
    u, v = mat3.column(x.rot, (axis + 1) % 3), mat3.column(x.rot, (axis + 2) % 3)
    j, facing = 0, vec.dot(n, mat3.column(y.rot, 0))
    for k in range(1, 3):
        d = vec.dot(n, mat3.column(y.rot, k))
        if abs(d) > abs(facing) + FACE_PREFERENCE:
            j, facing = k, d
    top = -1.0 if facing >= 0.0 else 1.0
    j1, j2 = (j + 1) % 3, (j + 2) % 3
    centre = vec.madd(vec.sub(y.pos, x.pos), mat3.column(y.rot, j), top * y.dims[j])
    e1, e2 = vec.scale(mat3.column(y.rot, j1), y.dims[j1]), vec.scale(mat3.column(y.rot, j2), y.dims[j2])
    for i in range(4):
        s1, s2 = 1 if i == 1 or i == 2 else 0, 1 if i >= 2 else 0
        c = vec.madd(vec.madd(centre, e1, 2 * s1 - 1), e2, 2 * s2 - 1)
        vec.assign(p.point[0, i], (vec.dot(u, c), vec.dot(v, c), vec.dot(n, c)))
        p.name[0, i] = (_box.side(top) << j) | (s1 << j1) | (s2 << j2)
        top_side = _box.side(top)
        # Edge cycle: along j1, along j2, back along j1, back along j2; sides in cyclic order after the edge's own axis.
        p.edge[0, i] = _box.edge_number(j1, s2, top_side) if i % 2 == 0 else _box.edge_number(j2, top_side, s1)


@routine
def face_contact(m, p, x, y, axis, sign, flip, reach, slack):
    """Append points of y's incident face over face (axis, sign) of x. Returns the smallest gap of the clipped polygon.

    flip: x is b of the pair. Vertices up to `slack` beyond the face's rim count as over it: equal faces keep their corners.
    """
    fill(p, x, y, axis, sign)
    reference, count, source = 2 * axis + _box.side(sign), 4, 0
    for c in range(2):
        k = (axis + 1 + c) % 3
        for s in range(2):
            count = _box.clip(p, source, count, c, 2.0 * s - 1.0, x.dims[k] + slack, 2 * k + s, reference)
            source = 1 - source
    least = math.inf
    if _box.is_sliver(p, source, count, x.dims[(axis + 1) % 3], x.dims[(axis + 2) % 3], slack):
        return least
    kept = 0
    for i in range(count):
        gap = p.point[source, i, 2] - x.dims[axis]
        least = min(least, gap)
        if gap <= reach:
            if kept < i:
                vec.assign(p.point[source, kept], p.point[source, i])
                p.name[source, kept] = p.name[source, i]
            kept += 1
    n = vec.scale(mat3.column(x.rot, axis), sign)
    u, v = mat3.column(x.rot, (axis + 1) % 3), mat3.column(x.rot, (axis + 2) % 3)
    vec.assign(m.normal, vec.scale(n, -1.0) if flip else n)
    base = ((6 if flip else 0) + reference) * 128
    for i in range(_box.reduce(p, source, kept, slack)):
        c = p.keep[i]
        q = p.point[source, c]
        gap = q[2] - x.dims[axis]
        point = vec.madd(vec.madd(vec.madd(x.pos, n, q[2] - 0.5 * gap), u, q[0]), v, q[1])
        contact_points.put(m, point, gap, base + p.name[source, c])
    return least


@inline
def covers_normal(m, n, distance, slack, least):
    """True if the points of m constrain as much as a single one with normal n would; least: their smallest gap."""
    return m.count > 0 and least <= distance + slack and vec.dot(m.normal, n) > ALIGNED


@routine
def edge_contact(m, w, a, b, slack, least):
    """Replace the points of m by the crossing of the two supporting edges, unless they constrain the same.

    Returns False, and changes nothing, if the boxes are separated and the crossing is beyond an end of an edge.
    """
    i, j = w.edge_a, w.edge_b
    n = mat3.apply(a.rot, w.normal)
    pa, pb = vec.copy(a.pos), vec.copy(b.pos)
    name_a, name_b = i, j
    for k in range(1, 3):
        c = mat3.column(a.rot, (i + k) % 3)
        s = 1.0 if vec.dot(c, n) >= 0.0 else -1.0
        pa = vec.madd(pa, c, s * a.dims[(i + k) % 3])
        name_a = 2 * name_a + _box.side(s)
        c = mat3.column(b.rot, (j + k) % 3)
        s = 1.0 if vec.dot(c, n) < 0.0 else -1.0
        pb = vec.madd(pb, c, s * b.dims[(j + k) % 3])
        name_b = 2 * name_b + _box.side(s)
    da, db = mat3.column(a.rot, i), mat3.column(b.rot, j)
    s, u = _points.closest(vec.sub(pb, pa), da, a.dims[i], db, b.dims[j])
    if w.edge > 0.0 and (abs(s) >= a.dims[i] or abs(u) >= b.dims[j]):
        return False
    if covers_normal(m, n, w.edge, slack, least):
        return True
    m.count = 0
    middle = vec.scale(vec.add(vec.madd(pa, da, s), vec.madd(pb, db, u)), 0.5)
    vec.assign(m.normal, n)
    contact_points.put(m, middle, w.edge, 2048 + 12 * name_a + name_b)
    return True


@routine
def corner_distance(w, x, y, first):
    """Update w.corner, w.distance, w.away, w.middle with the corners of y against the box x; first: number of y's corner 0."""
    for c in range(8):
        e = (y.dims[0] if c & 1 else -y.dims[0], y.dims[1] if c & 2 else -y.dims[1],
             y.dims[2] if c & 4 else -y.dims[2])
        q = mat3.apply_transposed(x.rot, vec.sub(vec.add(y.pos, mat3.apply(y.rot, e)), x.pos))
        p = (_points.clamp(q[0], x.dims[0]), _points.clamp(q[1], x.dims[1]), _points.clamp(q[2], x.dims[2]))
        d = vec.sub(q, p)
        distance = vec.norm(d)
        if distance < w.distance * 0.999:
            w.corner, w.distance = first + c, distance
            vec.assign(w.away, mat3.apply(x.rot, vec.scale(d, (1.0 if first else -1.0) / distance)))
            vec.assign(w.middle, vec.add(x.pos, mat3.apply(x.rot, vec.madd(p, d, 0.5))))


@routine
def corner_contact(m, w, a, b, reach, slack, least):
    """For separated boxes, replace the points of m by the nearest corner, unless they constrain the same."""
    w.distance = math.inf
    for first in (0, 8):
        corner_distance(w, a if first else b, b if first else a, first)
    if w.distance <= 1e-6 * slack or covers_normal(m, w.away, w.distance, slack, least):
        return
    m.count = 0
    if w.distance <= reach:
        vec.assign(m.normal, w.away)
        contact_points.put(m, w.middle, w.distance, 4096 + w.corner)


@routine
def touch(m, p, w, a, b):
    """Build the manifold of one pair."""
    reach = a.reach + b.reach
    vec.assign(w.t, mat3.apply_transposed(a.rot, vec.sub(b.pos, a.pos)))
    for i in range(3):
        vec.assign(w.rot[i], mat3.apply_transposed(b.rot, mat3.column(a.rot, i)))
    slack = min(tolerance_of(a.dims), tolerance_of(b.dims))
    if not faces(w, a, b, reach, slack) or not edges(w, a, b, reach):
        return
    edge_first, least = w.edge > w.face + slack + 0.02 * abs(w.face), math.inf
    if not edge_first:
        flip = w.axis >= 3
        axis = w.axis - 3 if flip else w.axis
        along = vec.dot(w.t, mat3.column(w.rot, axis)) if flip else w.t[axis]
        x, y = (b, a) if flip else (a, b)
        least = face_contact(m, p, x, y, axis, 1.0 if (along >= 0.0) != flip else -1.0, flip, reach, slack)
        if w.face <= 0.0 or least <= w.face + slack:
            return
    # The face is not nearest: two edges, or else a corner.
    if not ((edge_first or w.edge > w.face) and edge_contact(m, w, a, b, slack, least)):
        corner_contact(m, w, a, b, reach, slack, least)


@kernel
def collide(shapes, pairs, manifolds):
    """Up to four points."""
    work, polygon = np.empty(1, BOX_BOX_WORK), np.empty(1, _box.POLYGON)
    for k in range(pairs.shape[0]):
        m = manifolds[k]
        contact_points.begin(m, pairs[k, 0], pairs[k, 1])
        touch(m, polygon[0], work[0], shapes[pairs[k, 0]], shapes[pairs[k, 1]])
