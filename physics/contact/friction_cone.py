"""Friction bounds: the disc, or the regular k-gon with its first vertex along the first tangent; the cases of Coulomb's law.

The k-gon is the convex hull of mu p_n d_i, d_i = (cos 2 pi i/k, sin 2 pi i/k) (ST96 section 3): inscribed in the circle.
Facet i lies between vertices i and i + 1; its outward normal is (cos, sin) of (2 i + 1) pi / k, its distance from the
centre cos(pi/k). The 2-gon is the line between its vertices, for planar motion.

Maximal dissipation: p minimises 1/2 p'A p + w0'p over the set, w = A p + w0 the sliding velocity; equivalently, for any
rate r > 0, p = projection of (p - r w) on the set, which `project` computes.

Cases of Coulomb's law: T08's four cases of the slack form and eight cases of the general form.

Slack form, v_t = v_f1 - v_f2 and lambda_t in the plane of motion:

    0 <= mu l_n + l_t _|_ v_f1 >= 0,    0 <= mu l_n - l_t _|_ v_f2 >= 0                              (1)

    1 stick: both left sides positive; 2 "slide right": v_f2 > 0, l_t = mu l_n; 3 "slide left": v_f1 > 0, l_t = -mu l_n;
    4 degenerate: both left sides are zero, mu l_n = 0

General form, l_f = (l_f1, l_f2) >= 0, l_t = l_f1 - l_f2, s the sliding speed:

    0 <= l_f1 _|_ v_t + s >= 0,    0 <= l_f2 _|_ -v_t + s >= 0,    0 <= s _|_ mu l_n - l_f1 - l_f2 >= 0    (2)

Each of l_f1, l_f2, s is positive or zero: 2^3 = 8 cases, numbered as in T08, + for positive:

    1  + + +   v_t = -s and v_t = s: only with s = 0, a contradiction. Empty; numerically, a slip below resolution: stick
    2  + + 0   v_t = 0, the two impulses partly cancel, l_f1 + l_f2 <= mu l_n: stick
    3  + 0 +   v_t = -s < 0, l_f1 = mu l_n: slides against f1
    4  + 0 0   v_t = 0, l_f1 <= mu l_n: stick, loaded one way
    5  0 + +   v_t = s > 0, l_f2 = mu l_n: slides against f2
    6  0 + 0   v_t = 0, l_f2 <= mu l_n: stick, loaded the other way
    7  0 0 +   mu l_n = 0, |v_t| <= s: no friction (open or frictionless), it may slide either way: degenerate
    8  0 0 0   v_t = 0 and no friction is needed: stick without force; open if l_n = 0 as well

In 3D f1 is the direction of the friction polygon with the largest impulse, f2 its opposite.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from physics.core import quat
from physics.core.jit import inline, kernel, routine
from physics.core.records import Case


@cache
def polygon(facets: int) -> np.ndarray:
    """Vertices and facet normals of the regular k-gon, shape (k, 4): (vertex x, y, normal x, y); (0, 4) is the circle.

    All callers share the array: do not modify it.
    """
    table = np.zeros((facets, 4))
    _fill(table)
    return table


@kernel
def _fill(table):
    k = table.shape[0]
    for i in range(k):
        table[i, 0], table[i, 1] = _direction(2 * i, k)
        table[i, 2], table[i, 3] = _direction(2 * i + 1, k)


@routine
def _direction(half_steps, k):
    """(cos, sin) of half_steps * pi / k, reduced to a quarter turn, by our own series (libm differs between machines)."""
    x = math.pi * half_steps / k
    sign = 1.0
    if x > math.pi:
        x -= math.pi
        sign = -1.0
    if x > 0.5 * math.pi:
        y = x - 0.5 * math.pi
        return -sign * y * quat.sinc(y * y), sign * quat.cosine(y * y)
    return sign * quat.cosine(x * x), sign * x * quat.sinc(x * x)


@routine
def support(polygon, x, y):
    """Support function sigma(x, y): maximum of x px + y py over points p of the unit disc, or of the k-gon in it."""
    if polygon.shape[0] == 0:
        return math.sqrt(x * x + y * y)
    most = 0.0
    for i in range(polygon.shape[0]):
        most = max(most, polygon[i, 0] * x + polygon[i, 1] * y)
    return most


@routine
def facet(polygon, x, y):
    """The facet whose sector contains (x, y), by bisection over the vertices of its half plane, ordered by angle."""
    k = polygon.shape[0]
    # within a half plane two directions differ by less than a half turn, so the sign of their cross product orders them
    lo, hi = (0, (k + 1) // 2) if y >= 0.0 else (k // 2, k)
    while hi - lo > 1:
        middle = (lo + hi) // 2
        if polygon[middle, 0] * y - polygon[middle, 1] * x >= 0.0:
            lo = middle
        else:
            hi = middle
    return lo


@routine
def inside(polygon, radius, x, y):
    """True if (x, y) is in the disc of that radius, or in the k-gon inscribed in it."""
    if polygon.shape[0] == 0:
        return x * x + y * y <= radius * radius
    apothem = polygon[0, 0] * polygon[0, 2] + polygon[0, 1] * polygon[0, 3]
    if x * x + y * y <= 0.999999 * apothem * apothem * radius * radius:     # inside the inscribed circle
        return True
    i = facet(polygon, x, y)
    if polygon.shape[0] == 2 and abs(x) > radius:      # beyond an end of the line: both facets lie along it
        return False
    return polygon[i, 2] * x + polygon[i, 3] * y <= radius * apothem


@routine
def project(polygon, radius, x, y):
    """The point of the disc, or of the k-gon, nearest to (x, y)."""
    if inside(polygon, radius, x, y):
        return x, y
    if polygon.shape[0] == 0:
        s = radius / math.sqrt(x * x + y * y)
        return s * x, s * y
    i = facet(polygon, x, y)
    nx, ny = polygon[i, 2], polygon[i, 3]
    apothem = polygon[0, 0] * polygon[0, 2] + polygon[0, 1] * polygon[0, 3]
    half = radius * math.sqrt(max(0.0, 1.0 - apothem * apothem))
    s = min(max(nx * y - ny * x, -half), half)
    return radius * apothem * nx - s * ny, radius * apothem * ny + s * nx


CASE_TEXTS = {1: "stick (empty case)", 2: "stick", 3: "slide against f1", 4: "stick", 5: "slide against f2", 6: "stick",
              7: "degenerate", 8: "no friction"}
"""The sign cases of (2) in words."""


class Classified(NamedTuple):
    """State of a contact: "open", "stick", "slide", "degenerate"; sign case of (2), 1 .. 8; planar case of (1), 1 .. 4."""

    state: str
    sign_case: int
    planar_case: int


@inline
def sign_case(f1, f2, s):
    """Case number of (2); each argument positive or zero."""
    return (0 if f1 > 0 else 4) + (0 if f2 > 0 else 2) + (0 if s > 0 else 1) + 1


@inline
def observed_case(x, y, radius, slips):
    """Case number of (2) from a friction impulse (x, y), its bound and whether it slips. f1 is its direction if that is in the
    first tangent's half plane, else the opposite. Cancelling impulses cannot be observed, so it is never 1 or 2."""
    f1 = 1 if x > 0.0 or (x == 0.0 and y > 0.0) else 0
    f2 = 1 if f1 == 0 and (x != 0.0 or y != 0.0) else 0
    return sign_case(f1, f2, 1 if slips or radius <= 0.0 else 0)


def planar_case(case: int) -> int:
    """The case of (1) that a sign case of (2) belongs to."""
    return {3: 2, 5: 3, 7: 4, 8: 4}.get(case, 1)


def classify(contact) -> Classified:
    """Classify a CONTACT record solved by any solver."""
    case = int(contact["sign_case"])
    if contact["impulse"] <= 0.0:
        return Classified("open", case, 4)
    if contact["friction"] == 0.0 or case == 7:
        return Classified("degenerate", 7, 4)
    state = "slide" if contact["case"] == Case.SLIP else "stick"
    return Classified(state, case, planar_case(case) if case != 8 else 1)
