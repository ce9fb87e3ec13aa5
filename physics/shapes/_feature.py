"""Contact features of a shape's core: the face, edge or point that faces a direction m, with numbers constant from step to step.

A face is used if its normal is within FACE (or LEANING) of m, an edge if it is within EDGE of orthogonal to m. Round shapes have
a face where they are flat (the end of a cylinder, the base of a cone) and an edge where they are straight (the side at the
azimuth of m).

The rim of a round face is sampled at 8 points fixed in the shape, so that they persist while it stands; the one nearest to the
lowest point of the rim moves towards it with growing tilt, so that a rolling rim has no corners:

    sine of the tilt s = |m_xy|,      azimuth of the sample  phi_k + (phi_low - phi_k) s^2 / (s^2 + RIM_TILT^2)
    (1)
"""

import math

from physics.core import mat3, vec
from physics.core.jit import inline, routine
from physics.core.records import record

MAX_CORNERS = 32
"""Corners of a face; a face with more uses this many, evenly spaced."""
RIM_SAMPLES = 8
RIM_TILT = 1e-3
FACE = 0.9986295347545738      # cos 3 degrees
LEANING = 0.1
"""As FACE, of what leans on a face of the other shape: its other corners may come down on it within the step."""
EDGE = 0.03489949670250097     # sin 2 degrees
ALIGNMENT_PREFERENCE = 1e-3
"""Margin by which a later face or edge must be better aligned to be preferred, so that equal ones do not alternate."""

FEATURE = record([
    ("count", "i4"),              # 1: a point, 2: an edge, more: a face, counter-clockwise seen from outside
    ("point", "f8", (MAX_CORNERS, 3)),   # relative to the origin of the pair [m]
    ("label", "i4", MAX_CORNERS),        # number of the corner, below 1024, unique within the shape
    ("normal", "f8", 3),          # of a face, unit, outwards
])


@routine
def put(core, f, x, y, z, label):
    """Append a point in the frame of the shape."""
    vec.assign(f.point[f.count], vec.add(core.pos, mat3.apply(core.rot, (x, y, z))))
    f.label[f.count] = label
    f.count += 1


@inline
def extent_along(x, length):
    return length if x >= 0.0 else -length


@routine
def line(core, m, f):
    """The ends of the core's line along z, of half length dims[1], or the one that faces m; numbers: 0 lower, 1 upper."""
    for end in range(2):
        if abs(m[2]) <= EDGE or (m[2] > 0.0) == (end > 0):
            put(core, f, 0.0, 0.0, core.dims[1] if end else -core.dims[1], end)


@routine
def rim(core, m, f, z, up):
    """The round face at height z, by samples (1), numbered from 8, on the upper side from 16. The lowest point of a tilted rim
    has the number 24, or 25, so that a rolling rim keeps its impulses."""
    r, s2, share = core.dims[0], m[0] * m[0] + m[1] * m[1], 0.0
    x, y, c, s = 1.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)
    lowest = 0
    for k in range(RIM_SAMPLES):
        f.point[k, 0], f.point[k, 1] = x, y
        if m[0] * x + m[1] * y > m[0] * f.point[lowest, 0] + m[1] * f.point[lowest, 1]:
            lowest = k
        x, y = c * x - s * y, s * x + c * y
    if s2 > 0.0:
        # Blend the two directions and normalise: exact at both ends of (1), close enough between them.
        size, share = math.sqrt(s2), s2 / (s2 + RIM_TILT * RIM_TILT)
        x = f.point[lowest, 0] + share * (m[0] / size - f.point[lowest, 0])
        y = f.point[lowest, 1] + share * (m[1] / size - f.point[lowest, 1])
        size = math.sqrt(x * x + y * y)
        f.point[lowest, 0], f.point[lowest, 1] = x / size, y / size
    for k in range(RIM_SAMPLES // 2 if not up else 0):       # counter-clockwise from outside: reversed on the lower side
        j = RIM_SAMPLES - 1 - k
        x, y = f.point[k, 0], f.point[k, 1]
        f.point[k, 0], f.point[k, 1] = f.point[j, 0], f.point[j, 1]
        f.point[j, 0], f.point[j, 1] = x, y
    for k in range(RIM_SAMPLES):
        x, y = f.point[k, 0], f.point[k, 1]
        sample = k if up else RIM_SAMPLES - 1 - k
        label = (16 if up else 8) + sample
        if share > 0.5 and sample == lowest:
            label = 25 if up else 24
        put(core, f, r * x, r * y, z, label)
    vec.assign(f.normal, vec.scale(mat3.column(core.rot, 2), 1.0 if up else -1.0))


@routine
def rim_curvature(core, m, x):
    """H x of a rim of radius r = dims[0]:  H = r / rho t t^T,  t = z x m / rho,  rho = |m_xy|."""
    rho2 = m[0] * m[0] + m[1] * m[1]
    if rho2 < 1e-16:
        return (0.0, 0.0, 0.0)
    c = core.dims[0] * (m[0] * x[1] - m[1] * x[0]) / (rho2 * math.sqrt(rho2))
    return (-c * m[1], c * m[0], 0.0)
