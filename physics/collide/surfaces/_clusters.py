"""Grouping of the contact points of one shape with many triangles by normal, reduced to manifolds of four.

A cluster keeps, of all points with its normal, the deepest one and those that reach farthest in eight directions across it, so
that a face lying on a hundred coplanar triangles keeps its own corners. The directions are slightly rotated, so that the corners
of an axis-aligned box are chosen without ties.
"""

import math

import numpy as np

from physics.collide.pairs import _box
from physics.core import mat3, vec
from physics.core.jit import routine
from physics.core.records import record

MAX_CLUSTERS = 16
"""Largest number of clusters of a pair; beyond it the least deep are dropped."""
SUPPORT_DIRECTIONS = 8
SAME_NORMAL_TOLERANCE = 5e-7
"""1 - cosine of the angle between two normals of one cluster."""
MERGE_DISTANCE = 1e-6
"""Points nearer to one another than this fraction of the size of the shape are merged [1]."""

_C, _S = 0.955336489125606, 0.29552020666133955     # cos and sin of 0.3 rad, the first direction; the others follow by 45 degrees
_D, _E = math.sqrt(0.5) * (_C - _S), math.sqrt(0.5) * (_C + _S)
_X, _Y = (_C, _D, -_S, -_E, -_C, -_D, _S, _E), (_S, _E, _C, _D, -_S, -_E, -_C, -_D)

CLUSTER = record([
    ("normal", "f8", 3),                  # from the surface to the shape, frame of the surface
    ("deepest", "f8"),                    # least gap [m]
    ("far", "f8", SUPPORT_DIRECTIONS + 1),              # extent of the points in each direction [m]; the last one: the deepest
    ("point", "f8", (SUPPORT_DIRECTIONS + 1, 3)),       # half way between the surfaces [m]
    ("gap", "f8", SUPPORT_DIRECTIONS + 1),              # [m]
    ("feature", "i8", SUPPORT_DIRECTIONS + 1),
])


@routine
def add_point(clusters, count, normal, point, gap, feature):
    """Add a point to the cluster of its normal, or to a new one; returns the number of clusters."""
    k = 0
    while k < count and vec.dot(clusters[k].normal, normal) < 1.0 - SAME_NORMAL_TOLERANCE:
        k += 1
    if k == count:
        if count < MAX_CLUSTERS:
            count += 1
        else:
            k = 0
            for i in range(1, MAX_CLUSTERS):
                if clusters[i].deepest > clusters[k].deepest:
                    k = i
            if clusters[k].deepest <= gap:
                return count
        vec.assign(clusters[k].normal, normal)
        clusters[k].deepest = np.inf
        clusters[k].far[:] = -np.inf
    c = clusters[k]
    u, v = vec.tangents(c.normal)
    x, y = vec.dot(u, point), vec.dot(v, point)
    for i in range(SUPPORT_DIRECTIONS + 1):
        far = _X[i] * x + _Y[i] * y if i < SUPPORT_DIRECTIONS else -gap
        if far > c.far[i]:
            c.far[i], c.gap[i], c.feature[i] = far, gap, feature
            vec.assign(c.point[i], point)
    c.deepest = min(c.deepest, gap)
    return count


@routine
def write(m, c, polygon, s, flip, slack):
    """Write the manifold of one cluster, in the world; flip: the surface s is the second shape of the pair."""
    u, v = vec.tangents(c.normal)
    n = 0
    for i in range(SUPPORT_DIRECTIONS + 1):
        new = True
        for j in range(i):
            d = vec.sub(c.point[i], c.point[j])
            new = new and vec.dot(d, d) > slack * slack
        if new:
            polygon.point[0, n, 0] = vec.dot(u, c.point[i])
            polygon.point[0, n, 1] = vec.dot(v, c.point[i])
            polygon.point[0, n, 2] = c.gap[i]
            polygon.name[0, n] = i
            n += 1
    vec.assign(m.normal, mat3.apply(s.rot, vec.scale(c.normal, -1.0 if flip else 1.0)))
    for i in range(_box.reduce(polygon, 0, n, slack)):
        k = polygon.name[0, polygon.keep[i]]
        vec.assign(m.pos[i], vec.add(s.pos, mat3.apply(s.rot, c.point[k])))
        m.gap[i], m.feature[i] = c.gap[k], c.feature[k]
        m.count = i + 1
