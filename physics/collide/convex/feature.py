"""The part of a core that looks in a direction n: a face, an edge or a point; with numbers that stay the same from step to step.

A face counts if its normal is within FACE of n, an edge if it is within EDGE of being square to n. Round shapes have a face where
they are flat (the end of a cylinder, the base of a cone) and an edge where they are straight (the side at the azimuth of n).

The rim of a round face is sampled at 8 points fixed in the shape, so that they persist while it stands; but the one nearest to
the lowest point of the rim is moved there, the more the disc is tilted, so that a rolling rim has no corners:

    sine of the tilt s = |n_xy|,      azimuth of the sample  phi_k + (phi_low - phi_k) s^2 / (s^2 + TILT^2)                 (1)
"""

import math

import numpy as np

from physics.collide.convex.core import BOX, CAPSULE, CONE, CYLINDER, HULL, TRIANGLE, hull_vertex, local_support
from physics.core import mat3, vec
from physics.core.jit import routine
from physics.core.records import record

ROOM = 32
"""Corners of a face; of a face with more only so many, evenly picked, are used."""
SAMPLES = 8
TILT = 1e-3
FACE = 0.9986295347545738      # cos 3 degrees
EDGE = 0.03489949670250097     # sin 2 degrees
SQUARE = 1e-3
"""How much more squarely a later face or edge must lie to be preferred: equal ones must not take turns."""

FEATURE = record([
    ("count", "i4"),              # 1: a point, 2: an edge, more: a face, counter-clockwise seen from outside
    ("point", "f8", (ROOM, 3)),   # relative to the origin of the pair [m]
    ("label", "i4", ROOM),        # number of the corner, below 1024, unique within the shape
    ("normal", "f8", 3),          # of a face, unit, outwards
])


@routine
def put(core, f, x, y, z, label):
    """Append a point given in the frame of the shape."""
    vec.assign(f.point[f.count], vec.add(core.pos, mat3.apply(core.rot, (x, y, z))))
    f.label[f.count] = label
    f.count += 1


@routine
def put_vertex(core, pool, f, i):
    """Append vertex i of a hull."""
    p = pool.vertices[core.vertex + i]
    put(core, f, p[0], p[1], p[2], i)


@routine
def box(core, m, f):
    """Face, edge or corner of a box; m: the direction in its frame. Bit k of a corner's number: positive side of axis k."""
    h = core.dims
    axis, straight = 0, 0
    for k in range(1, 3):
        if abs(m[k]) > abs(m[axis]) + SQUARE:
            axis = k
        if abs(m[k]) < abs(m[straight]) - SQUARE:
            straight = k
    count = 4 if abs(m[axis]) >= FACE else (2 if abs(m[straight]) <= EDGE else 1)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    base = (1 if m[0] >= 0.0 else 0) | (2 if m[1] >= 0.0 else 0) | (4 if m[2] >= 0.0 else 0)
    up = base >> axis & 1
    for n in range(count):
        corner = base
        if count == 4:
            first, second = 1 if n == 1 or n == 2 else 0, 1 if n >= 2 else 0
            corner = up << axis | (first if up else second) << i | (second if up else first) << j
        elif count == 2:
            corner = (base & ~(1 << straight)) | n << straight
        put(core, f, h[0] if corner & 1 else -h[0], h[1] if corner & 2 else -h[1], h[2] if corner & 4 else -h[2], corner)
    if count == 4:
        vec.assign(f.normal, vec.scale(mat3.column(core.rot, axis), 1.0 if up else -1.0))


@routine
def hull(core, pool, m, f):
    """Face, edge or vertex of a hull."""
    start, number = core.integer, core.number
    best, face = -2.0, 0
    for k in range(pool.integers[start]):
        cosine = (pool.numbers[number + 4 * k] * m[0] + pool.numbers[number + 4 * k + 1] * m[1]
                  + pool.numbers[number + 4 * k + 2] * m[2])
        if cosine > best + (SQUARE * SQUARE if best > FACE else 0.0):
            best, face = cosine, k
    if best >= FACE:
        first, end = pool.integers[start + 2 + face], pool.integers[start + 3 + face]
        size = end - first
        kept = min(size, ROOM)
        for k in range(kept):
            label = pool.integers[start + first + k * size // kept]
            put_vertex(core, pool, f, np.int64(label))
        vec.assign(f.normal, mat3.apply(core.rot, (pool.numbers[number + 4 * face], pool.numbers[number + 4 * face + 1],
                                                   pool.numbers[number + 4 * face + 2])))
        return
    at = hull_vertex(core, pool, m)
    p = vec.copy(pool.vertices[core.vertex + at])
    near, slope = np.int64(-1), EDGE
    table = start + pool.integers[start + 1]
    for k in range(start + pool.integers[table + at], start + pool.integers[table + at + 1]):
        d = vec.sub(p, pool.vertices[core.vertex + pool.integers[k]])
        s = vec.dot(d, m) / vec.norm(d)
        if s <= slope:
            near, slope = np.int64(pool.integers[k]), s - SQUARE
    if near < 0:
        near = at
    put_vertex(core, pool, f, np.int64(min(at, near)))
    if near != at:
        put_vertex(core, pool, f, np.int64(max(at, near)))


@routine
def rim(core, m, f, z, up):
    """The round face at height z, by samples (1); their numbers begin with 8, or with 16 on the upper side. The lowest point of
    a tilted one has the number 24, or 25: a rim that rolls keeps its impulses."""
    r, s2, share = core.dims[0], m[0] * m[0] + m[1] * m[1], 0.0
    x, y, c, s = 1.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)
    lowest = 0
    for k in range(SAMPLES):
        f.point[k, 0], f.point[k, 1] = x, y
        if m[0] * x + m[1] * y > m[0] * f.point[lowest, 0] + m[1] * f.point[lowest, 1]:
            lowest = k
        x, y = c * x - s * y, s * x + c * y
    if s2 > 0.0:
        # Blending the two directions and normalising: exact at both ends of (1), between them near enough.
        size, share = math.sqrt(s2), s2 / (s2 + TILT * TILT)
        x = f.point[lowest, 0] + share * (m[0] / size - f.point[lowest, 0])
        y = f.point[lowest, 1] + share * (m[1] / size - f.point[lowest, 1])
        size = math.sqrt(x * x + y * y)
        f.point[lowest, 0], f.point[lowest, 1] = x / size, y / size
    for k in range(SAMPLES // 2 if not up else 0):       # counter-clockwise from outside: backwards on the lower side
        j = SAMPLES - 1 - k
        x, y = f.point[k, 0], f.point[k, 1]
        f.point[k, 0], f.point[k, 1] = f.point[j, 0], f.point[j, 1]
        f.point[j, 0], f.point[j, 1] = x, y
    for k in range(SAMPLES):
        x, y = f.point[k, 0], f.point[k, 1]
        sample = k if up else SAMPLES - 1 - k
        label = (16 if up else 8) + sample
        if share > 0.5 and sample == lowest:
            label = 25 if up else 24
        put(core, f, r * x, r * y, z, label)
    vec.assign(f.normal, vec.scale(mat3.column(core.rot, 2), 1.0 if up else -1.0))


@routine
def cylinder(core, m, f):
    """An end, the side's line, or a point of a rim; numbers of the line's ends: 0 below, 1 above."""
    if abs(m[2]) >= FACE:
        rim(core, m, f, core.dims[1] if m[2] > 0.0 else -core.dims[1], m[2] > 0.0)
        return
    side = math.sqrt(m[0] * m[0] + m[1] * m[1])
    x, y = core.dims[0] * m[0] / side, core.dims[0] * m[1] / side
    for end in range(2):
        if abs(m[2]) <= EDGE or (m[2] > 0.0) == (end > 0):
            put(core, f, x, y, core.dims[1] if end else -core.dims[1], end)


@routine
def cone(core, m, f):
    """The base, the side's line, the apex or a point of the rim; numbers of the line's ends: 0 on the rim, 1 at the apex."""
    r, h = core.dims[0], core.dims[1]
    if m[2] <= -FACE:
        rim(core, m, f, -0.25 * h, m[2] > 0.0)
        return
    side = math.sqrt(m[0] * m[0] + m[1] * m[1])
    x, y = (m[0] / side, m[1] / side) if side > 0.0 else (1.0, 0.0)
    slope = (m[2] * h - r * side) / math.sqrt(r * r + h * h)       # sine between n and the plane square to the line
    for end in range(2):
        if end == 0 and slope <= EDGE:
            put(core, f, r * x, r * y, -0.25 * h, end)
        if end == 1 and slope >= -EDGE:
            put(core, f, 0.0, 0.0, 0.75 * h, end)


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
            other, slope = k, s - SQUARE
    for k in range(3):
        if k in (at, other):
            vec.assign(f.point[f.count], core.corner[k])
            f.label[f.count] = k
            f.count += 1


@routine
def find(core, pool, n, f):
    """Write the feature that looks along n, a unit vector in the world frame, into f."""
    f.count = 0
    if core.kind == TRIANGLE:
        triangle(core, n, f)
        return
    m = mat3.apply_transposed(core.rot, n)
    if core.kind == BOX:
        box(core, m, f)
    elif core.kind == HULL:
        hull(core, pool, m, f)
    elif core.kind == CYLINDER:
        cylinder(core, m, f)
    elif core.kind == CONE:
        cone(core, m, f)
    elif core.kind == CAPSULE:
        for end in range(2):
            if abs(m[2]) <= EDGE or (m[2] > 0.0) == (end > 0):
                put(core, f, 0.0, 0.0, core.dims[1] if end else -core.dims[1], end)
    else:
        p, label = local_support(core, pool, m), np.int64(0)
        put(core, f, p[0], p[1], p[2], label)
