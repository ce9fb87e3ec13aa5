"""Filtering of contacts at seams between adjacent static boxes, whose inner edges must not catch bodies (as for meshes).

A body that slides from one tile to the next meets the rim or the flank of the next one, though the two form one floor: it is
thrown up or stopped. Let n be a contact's normal out of the box t, and k an axis of t with n_k <> 0: n points out through the
face (k, sign n_k). Another static box s, with faces parallel to those of t and flush with that face, covers a point p of it if
in the other axes j of t

    |p_j - c_j| <= g_j       c, g: middle and half extents of s                                                 (1)

or at most FLUSH_TOLERANCE beyond it where p lies on the rim of t: both end there. If such boxes cover all points of a contact,
and one of them on the rim, no contact through that face is real, and the normal's component along k is removed. With the
normalised rest m, the other body's point has

    gap' = (n . m) gap                                                                                          (2)

above the face or rim of m. At an impact later in the step the shapes meet with gap 0, and the rest of the gap is the approach
until then, along m instead of n. A contact whose normal vanishes is dropped.

Neighbours are searched when shapes were added or removed, and checked again when used: they may have been moved.
"""

from functools import partial

import numpy as np

from physics.collide.flush_supports import FLUSH_TOLERANCE, drop_beyond_plane
from physics.collide.narrow import RefineContacts
from physics.core import contact_points, mat3, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import Kind
from physics.shapes import kinds
from physics.shapes._geometry import GeometryArrays

MIN_LEAN = 1e-6
"""Smallest component of a normal that counts as leaning along an axis."""
FACE_COS = 0.99
"""Cosine beyond which a filtered normal snaps to a face's: edges that just touch have noisy normals."""
PARALLEL_COSINE = 1.0 - 1e-7
"""Cosine between axes above which boxes are parallel."""
_BOX = list(kinds()).index("box")


@routine
def half_in(t, s):
    """Half extents of the box s along the axes of the box t, if they are parallel; else (-1, -1, -1)."""
    extents = (0.0, 0.0, 0.0)
    for j in range(3):
        a = mat3.apply_transposed(t.rot, mat3.column(s.rot, j))
        if max(abs(a[0]), abs(a[1]), abs(a[2])) < PARALLEL_COSINE:
            return (-1.0, -1.0, -1.0)
        extents = (extents[0] + abs(a[0]) * s.dims[j], extents[1] + abs(a[1]) * s.dims[j], extents[2] + abs(a[2]) * s.dims[j])
    return extents


@routine
def face_at(t, s):
    """Number of the face of the box t with which the box s is flush: 2 axis, + 1 on the positive side; -1: none."""
    if s.kind != _BOX or s.sensor != t.sensor or s.category != t.category or s.ignores != t.ignores or s.group != t.group:
        return -1
    g = half_in(t, s)
    if g[0] < 0.0:
        return -1
    c, face = mat3.apply_transposed(t.rot, vec.sub(s.pos, t.pos)), -1
    for k in range(3):
        overlap = t.dims[k] + g[k] - abs(c[k])
        if overlap < -FLUSH_TOLERANCE:
            return -1
        if overlap <= FLUSH_TOLERANCE:
            if face >= 0:           # they share only an edge
                return -1
            face = 2 * k + (1 if c[k] > 0.0 else 0)
    return face


@kernel
def neighbours(shapes, boxes, reach, found):
    """Write to found (m, 2) the pairs of adjacent boxes (indices sorted by lowest x); returns their number.

    reach: half the size of each box's bounding cube [m].
    """
    count = 0
    for i in range(boxes.shape[0]):
        a = shapes[boxes[i]]
        for j in range(i + 1, boxes.shape[0]):
            b = shapes[boxes[j]]
            if b.pos[0] - reach[j, 0] > a.pos[0] + reach[i, 0] + FLUSH_TOLERANCE:
                break
            if (abs(b.pos[1] - a.pos[1]) > reach[i, 1] + reach[j, 1] + FLUSH_TOLERANCE
                or abs(b.pos[2] - a.pos[2]) > reach[i, 2] + reach[j, 2] + FLUSH_TOLERANCE or face_at(a, b) < 0):
                continue
            if count < found.shape[0]:
                found[count, 0], found[count, 1] = boxes[i], boxes[j]
            count += 1
    return count


@inline
def covers_point(t, s, face, p):
    """(whether s covers the point p (frame of t) by (1), whether p lies on a rim there)."""
    k = face // 2
    c, g = mat3.apply_transposed(t.rot, vec.sub(s.pos, t.pos)), half_in(t, s)
    inside, rim = True, False
    for j in range(3):
        if j != k:
            ends = abs(p[j]) >= t.dims[j] - FLUSH_TOLERANCE
            rim = rim or ends
            inside = inside and abs(p[j] - c[j]) <= g[j] + (FLUSH_TOLERANCE if ends else 0.0)
    return inside, rim


@routine
def is_covered(m, shapes, t, face, first, last, others, outwards):
    """True if adjacent boxes cover all points of a manifold at a face of the box t, and one of the points on its rim.

    outwards: 1.0 if t is the first shape of the manifold, -1.0 for the second.
    """
    k, side, on_rim = face // 2, 1.0 if face % 2 == 1 else -1.0, False
    later = contact_points.comes_later(m)
    for i in range(m.count):
        p = vec.copy(m.pos[i])
        if later and outwards < 0.0:
            p = vec.add(p, m.shift)
        elif not later:
            p = vec.madd(p, m.normal, -0.5 * outwards * m.gap[i])
        p = mat3.apply_transposed(t.rot, vec.sub(p, t.pos))
        if side * p[k] < t.dims[k] - FLUSH_TOLERANCE:
            return False
        inside = False
        for j in range(first, last):
            s = shapes[others[j]]
            if face_at(t, s) == face:
                here, rim = covers_point(t, s, face, p)
                inside = inside or here
                on_rim = on_rim or (here and rim)
        if not inside:
            return False
    return on_rim


@routine
def filter_normal(m, shapes, t, first, last, others, outwards):
    """Remove from the normal of a manifold of the box t its components across covered seams."""
    n = vec.scale(mat3.apply_transposed(t.rot, m.normal), outwards)
    straight = n
    for k in range(3):
        face = 2 * k + (1 if n[k] > 0.0 else 0)
        if abs(n[k]) > MIN_LEAN and is_covered(m, shapes, t, face, first, last, others, outwards):
            straight = (0.0 if k == 0 else straight[0], 0.0 if k == 1 else straight[1], 0.0 if k == 2 else straight[2])
    size = vec.norm(straight)
    if straight == n:
        return
    if size < MIN_LEAN:
        m.count = 0
        return
    for k in range(3):
        if abs(straight[k]) > FACE_COS * size:
            straight = (straight[0] if k == 0 else 0.0, straight[1] if k == 1 else 0.0, straight[2] if k == 2 else 0.0)
            size = abs(straight[k])
    u = vec.scale(mat3.apply(t.rot, straight), outwards / size)
    later = contact_points.comes_later(m)
    for i in range(m.count):
        gap = size * (m.gap[i] - vec.dot(m.normal, m.shift)) + vec.dot(u, m.shift)
        m.gap[i] = max(0.0, gap) if later else gap
    vec.assign(m.normal, u)


@kernel
def filter_all(shapes, manifolds, place, first, others):
    """Filter all manifolds of a chunk of pairs. The neighbours of shape i are others[first[i]:first[i + 1]]."""
    for i in range(place.shape[0]):
        k = place[i]
        while True:
            m = manifolds[k]
            for side in range(2):
                if m.count > 0:
                    shape = m.shape_a if side == 0 else m.shape_b
                    if first[shape + 1] > first[shape]:
                        filter_normal(m, shapes, shapes[shape], first[shape], first[shape + 1], others,
                                      1.0 if side == 0 else -1.0)
            k = m.more
            if k == 0:
                break


class EdgeFilter:
    """Adjacent static boxes of one world."""

    def __init__(self) -> None:
        self._revision = -1
        self._first, self._others = np.zeros(1, np.int64), np.zeros(0, np.int64)

    def over(self, refine: RefineContacts, bodies: np.ndarray, shapes: np.ndarray, pool: GeometryArrays,
             dt: float, revision: int) -> RefineContacts:
        """The same `refine`, after flush_supports.py and followed by the filter if there are any inner edges.

        shapes: refreshed by `bounds.update` for a step of dt [s]. revision: a number that changes when shapes are added, removed
        or filtered.
        """
        first, others = self.adjacent_boxes(bodies, shapes, revision)
        if len(others):
            refine = partial(_filter_afterwards, refine, shapes, first, others)
        return partial(_drop_before, refine, bodies, shapes, pool, float(dt))

    def adjacent_boxes(self, bodies: np.ndarray, shapes: np.ndarray, revision: int) -> tuple[np.ndarray, np.ndarray]:
        """(first, others) of `filter_all`; others is empty if there are none. Arguments as of `over`."""
        if revision != self._revision:
            self._revision = revision
            self._find(bodies, shapes)
        return self._first, self._others

    def _find(self, bodies: np.ndarray, shapes: np.ndarray) -> None:
        """Write the lists of neighbours."""
        still = (shapes["body"] >= 0) & (bodies["kind"][shapes["body"]] == Kind.STATIC)
        boxes = np.flatnonzero(still & (shapes["kind"] == _BOX))
        reach = np.einsum("nij,nj->ni", np.abs(shapes["rot"][boxes]), shapes["dims"][boxes])
        order = np.argsort(shapes["pos"][boxes, 0] - reach[:, 0], kind="stable")
        boxes, reach = boxes[order], np.ascontiguousarray(reach[order])
        found = np.empty((8 * len(boxes), 2), np.int64)
        count = neighbours(shapes, boxes, reach, found)
        if count > len(found):
            found = np.empty((count, 2), np.int64)
            neighbours(shapes, boxes, reach, found)
        both = np.concatenate([found[:count], found[:count, ::-1]])
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        self._first = np.searchsorted(both[:, 0], np.arange(len(shapes) + 1))
        self._others = np.ascontiguousarray(both[:, 1])


def _filter_afterwards(refine: RefineContacts, shapes: np.ndarray, first: np.ndarray, others: np.ndarray, pairs: np.ndarray,
                       manifolds: np.ndarray, place: np.ndarray) -> np.ndarray:
    """A `RefineContacts`: the result of `refine` with contacts at seams filtered."""
    found = refine(pairs, manifolds, place)
    filter_all(shapes, found, place, first, others)
    return found


def _drop_before(refine: RefineContacts, bodies: np.ndarray, shapes: np.ndarray, pool: GeometryArrays, dt: float,
                 pairs: np.ndarray, manifolds: np.ndarray, place: np.ndarray) -> np.ndarray:
    """A `RefineContacts`: the result of `refine` without contacts beyond the plane of a support."""
    drop_beyond_plane.unchecked(bodies, shapes, manifolds, place, pool, dt)
    return refine(pairs, manifolds, place)
