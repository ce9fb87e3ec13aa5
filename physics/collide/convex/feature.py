"""The contact feature of a core that faces a direction n: of a triangle here, of each kind of shape as its own file has it.

What a feature is: physics/shapes/_feature.py.
"""

import numpy as np

from physics.collide.convex.core import CONVEX, TRIANGLE, local_support
from physics.core import dispatch, mat3, vec
from physics.core.jit import routine
from physics.shapes._feature import ALIGNMENT_PREFERENCE, EDGE, FACE, LEANING, put


@routine
def point(core, pool, m, f, facing):
    """The support point, of shapes that have neither faces nor edges."""
    p, label = local_support(core, pool, m), np.int64(0)
    put(core, f, p[0], p[1], p[2], label)


local = routine(dispatch.by_kind("local", __name__, ("core", "pool", "m", "f", "facing"), {
    number: convex.feature for number, convex in CONVEX.items() if convex.feature}, point))
"""Write the feature of a shape that faces m, in its own frame."""


@routine
def triangle(core, n, f):
    """The face (both sides count), the best edge or the best corner; n in the world frame."""
    normal = vec.unit(vec.cross(vec.sub(core.corner[1], core.corner[0]), vec.sub(core.corner[2], core.corner[0])))
    facing = vec.dot(normal, n)
    if abs(facing) >= FACE:
        for k in range(3):
            label = k if facing > 0.0 else 2 - k
            vec.assign(f.point[k], core.corner[label])
            f.label[k] = label
        f.count = 3
        vec.assign(f.normal, vec.scale(normal, 1.0 if facing > 0.0 else -1.0))
        return
    at, other, slope = 0, -1, EDGE
    for k in range(1, 3):
        if vec.dot(core.corner[k], n) > vec.dot(core.corner[at], n):
            at = k
    for k in range(3):
        d = vec.sub(core.corner[at], core.corner[k])
        s = vec.dot(d, n) / vec.norm(d) if k != at else 1.0
        if s <= slope:
            other, slope = k, s - ALIGNMENT_PREFERENCE
    for k in range(3):
        if k in (at, other):
            vec.assign(f.point[f.count], core.corner[k])
            f.label[f.count] = k
            f.count += 1


@routine
def find(core, pool, n, f):
    """Write the feature that faces along n, a unit vector in the world frame, to f."""
    f.count = 0
    if core.kind == TRIANGLE:
        triangle(core, n, f)
    else:
        local(core, pool, mat3.apply_transposed(core.rot, n), f, FACE)


@routine
def as_it_is(core, pool, m, f):
    """Leave the face unchanged."""


widen_local = routine(dispatch.by_kind("widen_local", __name__, ("core", "pool", "m", "f"), {
    number: convex.widen for number, convex in CONVEX.items() if convex.widen}, as_it_is))
"""Extend the face of a shape that faces m, in its own frame, by adjacent corners that a plane may touch as well."""


@routine
def widen(core, pool, n, f):
    """Extend the face f that faces along n by adjacent corners that a plane may touch as well.

    Only for a face that is clipped: the extended one may be neither plane nor convex, as a region must be.
    """
    if f.count > 2 and core.kind != TRIANGLE:
        widen_local(core, pool, mat3.apply_transposed(core.rot, n), f)


@routine
def lean(core, pool, n, f, region):
    """Let f, which faces along n and is clipped to the face `region`, be the face that leans on it, if there is one, extended;
    returns whether one does."""
    leans = region.count > 2 and f.count <= 2 and core.kind != TRIANGLE
    if leans:
        f.count = 0
        local(core, pool, mat3.apply_transposed(core.rot, n), f, LEANING)
    widen(core, pool, n, f)
    return leans and f.count > 2
