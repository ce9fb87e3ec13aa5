"""Clipping of one box face against another, and reduction of the polygon to four points. Used by box_box.

Sutherland and Hodgman 1974 (reentrant polygon clipping), in the frame of the reference face: coordinates u, v along the face
and w above it. Each vertex records its origin, so that its number does not depend on the order of clipping.

Features of a point, unique within a pair of boxes (X has the reference face, Y the incident one):

    corner of Y                0 .. 7      bit k set on the positive side of axis k
    edge of Y x side of X      8 .. 79     8 + 6 edge + face
    corner of X                80 .. 87

An edge's number is 4 axis + 2 side_1 + side_2, a face's 2 axis + side.
"""

import math

from physics.core import vec
from physics.core.jit import inline, routine
from physics.core.records import record

MAX_VERTICES = 16
"""Vertices of a polygon: 4 + 4 in exact arithmetic."""

POLYGON = record([
    ("point", "f8", (2, MAX_VERTICES, 3)),   # two buffers, clipped alternately: u, v, w [m]
    ("edge", "i4", (2, MAX_VERTICES)),       # the edge that starts at the vertex: edge of Y, or 12 + face of X
    ("name", "i4", (2, MAX_VERTICES)),       # feature of the vertex
    ("keep", "i4", 4),               # vertices that remain after reduction
])


@inline
def edge_number(axis, side_1, side_2):
    return 4 * axis + 2 * side_1 + side_2


@inline
def side(x):
    """1 on the positive side, else 0."""
    return 1 if x >= 0.0 else 0


@routine
def corner_number(face_1, face_2, face_3):
    """The corner of a box where three faces meet."""
    return ((face_1 & 1) << (face_1 >> 1)) | ((face_2 & 1) << (face_2 >> 1)) | ((face_3 & 1) << (face_3 >> 1))


@routine
def clip(p, source, count, axis, sign, limit, face, reference):
    """Keep sign * coordinate <= limit, from buffer `source` into the other one; returns the new count.

    face: number of the clipping side of X; reference: number of the reference face.
    """
    target = 1 - source
    kept = 0
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        here = sign * p.point[source, i, axis] - limit
        there = sign * p.point[source, j, axis] - limit
        if here <= 0.0 and kept < MAX_VERTICES:
            vec.assign(p.point[target, kept], p.point[source, i])
            p.edge[target, kept] = p.edge[source, i]
            p.name[target, kept] = p.name[source, i]
            kept += 1
        if (here <= 0.0) != (there <= 0.0) and kept < MAX_VERTICES:
            f = here / (here - there)
            for c in range(3):
                p.point[target, kept, c] = p.point[source, i, c] + f * (p.point[source, j, c] - p.point[source, i, c])
            edge = p.edge[source, i]
            p.name[target, kept] = 8 + 6 * edge + face if edge < 12 else 80 + corner_number(reference, edge - 12, face)
            p.edge[target, kept] = 12 + face if here <= 0.0 else edge
            kept += 1
    return kept


@routine
def is_sliver(p, buffer, count, limit_u, limit_v, slack):
    """True if the polygon nowhere reaches more than `slack` inside the rim |u| = limit_u, |v| = limit_v.

    Neighbours in a grid of boxes meet along edges only; points there would support nothing and push sideways.
    """
    lo_u, hi_u, lo_v, hi_v = limit_u, -limit_u, limit_v, -limit_v
    for i in range(count):
        u, v = p.point[buffer, i, 0], p.point[buffer, i, 1]
        lo_u, hi_u, lo_v, hi_v = min(lo_u, u), max(hi_u, u), min(lo_v, v), max(hi_v, v)
    return limit_u - lo_u <= slack or hi_u + limit_u <= slack or limit_v - lo_v <= slack or hi_v + limit_v <= slack


@routine
def turn(point, i, j, k):
    """Twice the signed area of a triangle of vertices as seen from above the reference face."""
    return ((point[j, 0] - point[i, 0]) * (point[k, 1] - point[i, 1])
            - (point[j, 1] - point[i, 1]) * (point[k, 0] - point[i, 0]))


@routine
def reduce(p, buffer, count, slack):
    """p.keep: four of the vertices: the deepest, the farthest from it, then those that add the most area.

    A later vertex must be better by `slack` [m] (or a thousandth), so that equal ones do not alternate. Returns the number kept.
    """
    if count <= 4:
        for i in range(count):
            p.keep[i] = i
        return count
    point = p.point[buffer]
    a = 0
    for i in range(1, count):
        if point[i, 2] < point[a, 2] - slack:
            a = i
    b, far = a, 0.0
    for i in range(count):
        x, y = point[i, 0] - point[a, 0], point[i, 1] - point[a, 1]
        if x * x + y * y > far * 1.001:
            b, far = i, x * x + y * y
    c, area, way = a, 0.0, 1.0
    for i in range(count):
        t = turn(point, a, b, i)
        if abs(t) > area * 1.001:
            c, area, way = i, abs(t), math.copysign(1.0, t)
    d, area = a, 0.0
    for i in range(count):
        outside = -min(way * turn(point, a, b, i), way * turn(point, b, c, i), way * turn(point, c, a, i))
        if outside > area * 1.001:
            d, area = i, outside
    kept = 0
    for i in range(count):
        if i in (a, b, c, d):
            p.keep[kept] = i
            kept += 1
    return kept
