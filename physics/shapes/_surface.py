"""Drawing meshes and ray casts of triangle surfaces, shared by triangle meshes and height fields.

Ray and triangle a, b, c: o + t d = a + u (b - a) + v (c - a), by Cramer's rule (Moeller and Trumbore 1997).
Ray and box: slabs (Kay and Kajiya 1986).
"""

import numpy as np

from physics.core import vec
from physics.core.jit import inline, routine
from physics.shapes import Mesh
from physics.shapes._geometry import ShapeGeometry


def flat_mesh(own: ShapeGeometry) -> Mesh:
    """Mesh with one normal per triangle; the basis uses the largest of the half extents, which are the dims."""
    corners = own.vertices[own.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    half = np.abs(corners).max(axis=(0, 1))
    k = int(np.argmax(half))
    basis = np.zeros((3 * len(corners), 3, 3))
    basis[:, :, k] = corners.reshape(-1, 3) / half[k]
    return Mesh(basis, np.repeat(normals, 3, axis=0), np.arange(3 * len(corners)).reshape(-1, 3))


@inline
def hit(o, d, a, b, c):
    """t >= 0 where the ray meets the triangle, from either side; inf if it does not."""
    e, f = vec.sub(b, a), vec.sub(c, a)
    p = vec.cross(d, f)
    det = vec.dot(e, p)
    if det == 0.0:
        return np.inf
    r = vec.sub(o, a)
    u = vec.dot(r, p) / det
    q = vec.cross(r, e)
    v = vec.dot(d, q) / det
    t = vec.dot(f, q) / det
    if u < 0.0 or v < 0.0 or u + v > 1.0 or t < 0.0:
        return np.inf
    return t


@routine
def box_hit(lo, hi, o, d, limit):
    """True if the ray meets the box before `limit`."""
    near, far = 0.0, limit
    for k in range(3):
        if d[k] == 0.0:
            if o[k] < lo[k] or o[k] > hi[k]:
                return False
            continue
        t0, t1 = (lo[k] - o[k]) / d[k], (hi[k] - o[k]) / d[k]
        near, far = max(near, min(t0, t1)), min(far, max(t0, t1))
    return near <= far


@routine
def first_hit(vertices, triangles, nodes, origin, direction):
    """(distance along the direction, in its lengths, to the first triangle of a tree (_tree.py), its number); inf, -1: none."""
    best, first = np.inf, -1
    i = 0
    o, d = vec.copy(origin), vec.copy(direction)
    while i < nodes.shape[0]:
        node = nodes[i]
        met = box_hit(node.lo, node.hi, o, d, best)
        if node.count == 0:
            i = i + 1 if met else node.first
            continue
        if met:
            for t in range(node.first, node.first + node.count):
                part = hit(o, d, vertices[triangles[t, 0]], vertices[triangles[t, 1]], vertices[triangles[t, 2]])
                if part < best:
                    best, first = part, t
        i += 1
    return best, first
