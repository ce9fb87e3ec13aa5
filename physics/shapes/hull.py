"""The convex hull of points, with a ball of radius rho (`rounding`) added all round.

Mass properties by tetrahedra from the origin over the triangles p q r of the surface (Tonon 2004):

    V = sum p . (q x r) / 6,     c = sum V_i (p + q + r) / 4 / V,     int x x^T dV = sum V_i / 20 (p p^T + q q^T + r r^T + s s^T),
    s = p + q + r,               I = trace(C) 1 - C about the centre of mass

and what the ball adds, see physics/shapes/_rounding.py.

Geometry in the pool: vertices and triangles about the centre of mass; numbers: normal and offset of each face;
integers: number of faces, where the neighbours start, starts of the faces' loops (one more than faces), the loops, starts of the
vertices' neighbours (one more than vertices), the neighbours. Starts count from the first integer of the hull.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from physics.check import number, numbers
from physics.core.jit import kernel
from physics.errors import BadInput
from physics.geometry import Data, data
from physics.shapes import Mesh, ShapeKind, _rounding
from physics.shapes._convex_hull import ConvexHull, Flat, convex_hull

MOST = 256
"""Vertices of one hull."""


def _flat(what: str, flat: Flat) -> BadInput:
    return BadInput(f"{what}: the points of its hull lie in a plane within {flat.thickness:.3g} m and span no volume: "
                    "give points off the plane, or use a thin Box")


@dataclass(frozen=True, eq=False)
class Hull:
    """The smallest convex body around points (n, 3) [m], given in any frame whose axes are the body's.

    Its own frame sits in its centre of mass; `centre` tells where that is in the frame of the points.
    rounding: radius of a ball added all round [m].
    """

    points: Any
    rounding: float = 0.0
    kind: ClassVar[str] = "hull"

    def check(self, what: str) -> None:
        """Raise BadInput if the points have no hull, or one that is not allowed."""
        self._checked(what)
        number(f"{what}: the rounding of its hull", self.rounding, lo=0.0, hi=1e5, unit="m")
        try:
            hull = self._found
        except Flat as flat:
            raise _flat(what, flat) from None
        if len(hull.points) > MOST:
            raise BadInput(f"{what}: its hull has {len(hull.points)} vertices; allowed: up to {MOST}. Thin the points out, or "
                           "use a Sphere, Ellipsoid or Cylinder for what is round")
        if self.thickness < 1e-4:
            raise BadInput(f"{what}: its hull is {self.thickness:.3g} m thick; allowed: at least 0.0001 m")

    def _checked(self, what: str) -> np.ndarray:
        """The points (n, 3) as numbers; BadInput where they are none that a hull is made of."""
        points = numbers(self.points)
        if points is None:
            raise BadInput(f"{what}: the points of its hull must be numbers, n x 3")
        if points.ndim != 2 or points.shape[1] != 3:
            raise BadInput(f"{what}: the points of its hull have the shape {points.shape}; it must be n x 3")
        if len(points) < 4:
            raise BadInput(f"{what}: a hull needs at least 4 points; {len(points)} are given")
        bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
        if len(bad):
            raise BadInput(f"{what}: point {bad[0]} of its hull is {tuple(points[bad[0]].tolist())}: all must be finite")
        if np.abs(points).max() > 1e5:
            raise BadInput(f"{what}: the points of its hull reach {np.abs(points).max():g} m; allowed: 1e5 m")
        return points

    @cached_property
    def _found(self) -> ConvexHull:
        return convex_hull(self._checked("the hull"))

    @property
    def hull(self) -> ConvexHull:
        """Vertices and faces in the frame of the points.

        Raises:
            BadInput: the points have none.
        """
        try:
            return self._found
        except Flat as flat:
            raise _flat("the hull", flat) from None

    @property
    def thickness(self) -> float:
        """Least width across a face [m]."""
        planes = self.hull.planes
        return float((planes[:, 3] - (self.hull.points @ planes[:, :3].T).min(axis=0)).min())

    @cached_property
    def _moments(self) -> tuple[float, np.ndarray, np.ndarray]:
        """(volume, centre, int (x - c) (x - c)^T dV) with the rounding; exact."""
        around = self.hull.points.mean(axis=0)
        p, q, r = (self.hull.points[self.hull.triangles[:, k]] - around for k in range(3))
        v = np.einsum("ij,ij->i", p, np.cross(q, r)) / 6.0
        s = p + q + r
        volume, first = float(v.sum()), (v[:, None] * s).sum(axis=0) / 4.0
        second = sum(np.einsum("i,ij,ik->jk", v, x, x) for x in (p, q, r, s)) / 20.0
        if self.rounding > 0.0:
            more = _rounding.added(self.hull._replace(points=self.hull.points - around), self.rounding)
            volume, first, second = volume + more[0], first + more[1], second + more[2]
        centre = first / volume
        return volume, around + centre, 0.5 * (second + second.T) - volume * np.outer(centre, centre)

    @property
    def centre(self) -> np.ndarray:
        """Centre of mass in the frame of the points (3,) [m]."""
        return self._moments[1]

    @property
    def dims(self) -> tuple[float, float, float]:
        """How far it reaches along its axes, on the farther side, with the rounding [m]."""
        return tuple((np.abs(self.hull.points - self.centre).max(axis=0) + self.rounding).tolist())

    def volume(self) -> float:
        return self._moments[0]

    def inertia(self, mass: float) -> np.ndarray:
        volume, _, second = self._moments
        return mass / volume * (np.trace(second) * np.eye(3) - second)

    def geometry(self) -> Data:
        hull = self.hull
        loops, near = hull.faces, [set() for _ in hull.points]
        for loop in loops:
            for i, j in zip(loop, [*loop[1:], loop[0]]):
                near[i].add(j)
                near[j].add(i)
        lists, starts = [*loops, *map(sorted, near)], []
        start = 2 + len(lists) + 2
        for some in (loops, near):
            for one in some:
                starts.append(start)
                start += len(one)
            starts.append(start)
        integers = [len(loops), 2 + len(loops) + 1, *starts, *(i for one in lists for i in one)]
        planes = hull.planes - np.column_stack([np.zeros((len(loops), 3)), (hull.planes[:, :3] * self.centre).sum(axis=1)])
        return data(hull.points - self.centre, hull.triangles, integers, planes)


@kernel
def bounds(shapes, index, pool):
    """lo, hi of the listed hulls, without margin: the vertices along the world axes, and the rounding."""
    for i in index:
        s = shapes[i]
        g = pool.table[s.geometry]
        for k in range(3):
            lo, hi = np.inf, -np.inf
            for v in range(g.vertex, g.vertex + g.vertices):
                p = pool.vertices[v]
                x = s.rot[k, 0] * p[0] + s.rot[k, 1] * p[1] + s.rot[k, 2] * p[2]
                lo, hi = min(lo, x), max(hi, x)
            s.lo[k] = s.pos[k] + lo - s.rounding
            s.hi[k] = s.pos[k] + hi + s.rounding


def mesh(own: Data) -> Mesh:
    """Flat faces; the vertices as parts of the dims. A rounded hull is drawn at its full size, with sharp edges."""
    corners = own.vertices[own.triangles].reshape(-1, 3)
    basis = np.zeros((len(corners), 3, 3))
    reach = np.abs(own.vertices).max(axis=0)
    for k in range(3):
        basis[:, k, k] = corners[:, k] / reach[k]
    p, q, r = (own.vertices[own.triangles[:, k]] for k in range(3))
    normals = np.cross(q - p, r - p)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Mesh(basis, np.repeat(normals, 3, axis=0), np.arange(len(corners)).reshape(-1, 3))


def ray(dims: np.ndarray, origin: np.ndarray, direction: np.ndarray, own: Data) -> float:
    """Distance to the hull, inf if missed; 0 from inside (planes as slabs: Kay and Kajiya 1986). Rounded edges count as sharp."""
    planes, rounding = own.numbers.reshape(-1, 4), dims[0] - np.abs(own.vertices[:, 0]).max()
    speed, ahead = planes[:, :3] @ direction, planes[:, 3] + rounding - planes[:, :3] @ origin
    if np.any((speed == 0.0) & (ahead < 0.0)):
        return np.inf
    with np.errstate(divide="ignore", invalid="ignore"):
        t = ahead / speed
    near, far = max(0.0, np.max(t[speed < 0.0], initial=0.0)), np.min(t[speed > 0.0], initial=np.inf)
    return float(near) if near <= far else np.inf


def _example(dims: Any) -> Hull:
    """An octahedron of that size."""
    return Hull([tuple(s * float(d) if k == axis else 0.0 for k in range(3)) for axis, d in enumerate(dims) for s in (-1, 1)])


SHAPE = ShapeKind(make=_example, bounds=bounds, mesh=mesh, ray=ray, geometric=True)
