"""Convex hull of points, with a ball of radius rho (`rounding`) added all round.

Mass properties by tetrahedra from the origin over the triangles p q r of the surface (Tonon 2004):

    V = sum p . (q x r) / 6,     c = sum V_i (p + q + r) / 4 / V,     int x x^T dV = sum V_i / 20 (p p^T + q q^T + r r^T + s s^T),
    s = p + q + r,               I = trace(C) 1 - C about the centre of mass

and the ball's contribution, see physics/shapes/_rounding.py.

Geometry in the pool: vertices and triangles about the centre of mass; numbers: normal and offset of each face;
integers: number of faces, start of the neighbours, starts of the faces' loops (one more than faces), the loops, starts of the
vertices' neighbours (one more than vertices), the neighbours. Starts count from the first integer of the hull.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from physics.core import mat3, vec
from physics.core.check import BadInput, number, numbers
from physics.core.jit import inline, kernel, routine
from physics.shapes import Convex, Mesh, ShapeKind, _rounding
from physics.shapes._convex_hull import ConvexHull, FlatHull, convex_hull
from physics.shapes._feature import ALIGNMENT_PREFERENCE, EDGE, FACE, MAX_CORNERS, put
from physics.shapes._geometry import ShapeGeometry, data, within

MAX_VERTICES = 256
"""Largest number of vertices of one hull."""

FLAT = 1e-3
"""Vertices closer to a plane than this share of the hull's size count as lying in it."""

MAX_EXHAUSTIVE_VERTICES = 24
"""Hulls with up to this many vertices are searched exhaustively; larger ones by hill climbing."""


def _flat(what: str, flat: FlatHull) -> BadInput:
    return BadInput(f"{what}: the hull points are coplanar within {flat.thickness:.3g} m and enclose no volume: add points off "
                    "the plane, or use a thin Box")


@dataclass(frozen=True, eq=False)
class Hull:
    """The convex hull of points (n, 3) [m], given in any frame whose axes are the body's.

    Its own frame is at its centre of mass; `centre` is that point in the frame of the points.
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
        except FlatHull as flat:
            raise _flat(what, flat) from None
        if len(hull.points) > MAX_VERTICES:
            raise BadInput(f"{what}: its hull has {len(hull.points)} vertices; allowed: up to {MAX_VERTICES}. Reduce the points, "
                           "or use a Sphere, Ellipsoid or Cylinder for round shapes")
        if self.thickness < 1e-4:
            raise BadInput(f"{what}: its hull is {self.thickness:.3g} m thick; allowed: at least 0.0001 m")

    def _checked(self, what: str) -> np.ndarray:
        """Convert to points (n, 3); BadInput where they cannot form a hull."""
        points = numbers(self.points)
        if points is None:
            raise BadInput(f"{what}: the hull points must be an n x 3 array of numbers")
        if points.ndim != 2 or points.shape[1] != 3:
            raise BadInput(f"{what}: the hull points have the shape {points.shape}; allowed: n x 3")
        if len(points) < 4:
            raise BadInput(f"{what}: a hull needs at least 4 points; got {len(points)}")
        bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
        if len(bad):
            raise BadInput(f"{what}: hull point {bad[0]} is {tuple(points[bad[0]].tolist())}; all coordinates must be finite")
        if np.abs(points).max() > 1e5:
            raise BadInput(f"{what}: the hull points reach {np.abs(points).max():g} m; allowed: up to 1e5 m")
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
        except FlatHull as flat:
            raise _flat("the hull", flat) from None

    @property
    def thickness(self) -> float:
        """Smallest width across a face [m]."""
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
        """Extent along its axes, on the farther side, with the rounding [m]."""
        return tuple((np.abs(self.hull.points - self.centre).max(axis=0) + self.rounding).tolist())

    def volume(self) -> float:
        """Volume with the rounding [m^3]."""
        return self._moments[0]

    def inertia(self, mass: float) -> np.ndarray:
        """Tensor (3, 3) about the centre of mass, own frame [kg m^2]; mass [kg]."""
        volume, _, second = self._moments
        return mass / volume * (np.trace(second) * np.eye(3) - second)

    def geometry(self) -> ShapeGeometry:
        """Arrays for the world's pool."""
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


def mesh(own: ShapeGeometry) -> Mesh:
    """Flat faces; the vertices as fractions of the dims. A rounded hull is drawn at full size, with sharp edges."""
    corners = own.vertices[own.triangles].reshape(-1, 3)
    basis = np.zeros((len(corners), 3, 3))
    reach = np.abs(own.vertices).max(axis=0)
    for k in range(3):
        basis[:, k, k] = corners[:, k] / reach[k]
    p, q, r = (own.vertices[own.triangles[:, k]] for k in range(3))
    normals = np.cross(q - p, r - p)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Mesh(basis, np.repeat(normals, 3, axis=0), np.arange(len(corners)).reshape(-1, 3))


def wrong_with(own: ShapeGeometry) -> str:
    """What is wrong with a hull's arrays; "" for nothing."""
    n, integers = len(own.vertices), own.integers.astype(np.int64)
    if not 4 <= n <= MAX_VERTICES or not len(own.triangles) or not within(own.triangles, n):
        return "refers to vertices that do not exist"
    faces = int(integers[0]) if len(integers) > 1 else 0
    if not 4 <= faces <= 2 * n or len(own.numbers) != 4 * faces or integers[1] != faces + 3:
        return "has different numbers of faces and planes"
    begin = faces + n + 4                   # of the first loop, behind two counts and the starts
    starts = integers[2:begin]
    if len(starts) != faces + n + 2 or starts[0] != begin or starts[faces] != starts[faces + 1] or starts[-1] != len(integers):
        return "has lists that are not contiguous"
    lengths = np.delete(np.diff(starts), faces)
    if np.any(lengths < 3) or np.any(lengths > n) or not within(integers[begin:], n):
        return "has a face or a vertex with neighbours that do not exist"
    normals = own.numbers.reshape(-1, 4)[:, :3]
    return "" if np.all(np.abs((normals**2).sum(axis=1) - 1.0) < 1e-6) else "has a normal that is not a unit vector"


def stretched(own: ShapeGeometry, record: Any, factors: np.ndarray) -> Hull:
    """The hull of stretched points; the rounding stays."""
    return Hull(own.vertices * factors, float(record["rounding"]))


@routine
def hull_vertex(core, pool, d):
    """Number of the hull's vertex farthest along d, in the frame of the shape; large hulls: hill climbing from core.at."""
    v = core.vertex
    if core.vertices <= MAX_EXHAUSTIVE_VERTICES:
        best, at = vec.dot(pool.vertices[v], d), 0
        for i in range(1, core.vertices):
            reach = vec.dot(pool.vertices[v + i], d)
            if reach > best:
                best, at = reach, i
        return at
    start = core.integer + pool.integers[core.integer + 1]         # start of the vertices' neighbour lists
    at, best = core.at, vec.dot(pool.vertices[v + core.at], d)
    climbing = True
    while climbing:
        climbing = False
        first, end = pool.integers[start + at], pool.integers[start + at + 1]
        for k in range(core.integer + first, core.integer + end):
            i = pool.integers[k]
            reach = vec.dot(pool.vertices[v + i], d)
            if reach > best:
                best, at, climbing = reach, i, True
    core.at = at
    return at


@inline
def support(core, pool, d):
    """The best vertex."""
    return vec.copy(pool.vertices[core.vertex + hull_vertex(core, pool, d)])


@routine
def put_vertex(core, pool, f, i):
    """Append vertex i of a hull."""
    p = pool.vertices[core.vertex + i]
    put(core, f, p[0], p[1], p[2], i)


@routine
def feature(core, pool, m, f, facing):
    """Face, edge or vertex of a hull."""
    start, number = core.integer, core.number
    best, face = -2.0, 0
    for k in range(pool.integers[start]):
        cosine = (pool.numbers[number + 4 * k] * m[0] + pool.numbers[number + 4 * k + 1] * m[1]
                  + pool.numbers[number + 4 * k + 2] * m[2])
        if cosine > best + (ALIGNMENT_PREFERENCE * ALIGNMENT_PREFERENCE if best > FACE else 0.0):
            best, face = cosine, k
    if best >= facing:
        first, end = pool.integers[start + 2 + face], pool.integers[start + 3 + face]
        size = end - first
        kept = min(size, MAX_CORNERS)
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
            near, slope = np.int64(pool.integers[k]), s - ALIGNMENT_PREFERENCE
    if near < 0:
        near = at
    put_vertex(core, pool, f, np.int64(min(at, near)))
    if near != at:
        put_vertex(core, pool, f, np.int64(max(at, near)))


@routine
def beside(f, x):
    """Distance of the point x beyond the sides of the face f, and the number of that side; 0, -1: x lies above the face."""
    far, side = 0.0, -1
    for k in range(f.count):
        edge = vec.sub(f.point[k + 1 if k + 1 < f.count else 0], f.point[k])
        size, out = vec.norm(edge), vec.dot(vec.cross(vec.sub(x, f.point[k]), edge), f.normal)
        if out > far * size and size > 0.0:
            far, side = out / size, k
    return far, side


@routine
def insert(f, x, label, side):
    """Insert the point x into the face f behind the corner `side`."""
    for j in range(f.count, side + 1, -1):
        vec.assign(f.point[j], vec.copy(f.point[j - 1]))
        f.label[j] = f.label[j - 1]
    vec.assign(f.point[side + 1], x)
    f.label[side + 1] = label
    f.count += 1


@routine
def is_corner(f, label):
    found = False
    for k in range(f.count):
        found = found or f.label[k] == label
    return found


@routine
def place(core, pool, i):
    """Vertex i relative to the origin of the pair."""
    return vec.add(core.pos, mat3.apply(core.rot, vec.copy(pool.vertices[core.vertex + i])))


@routine
def widen(core, pool, m, f):
    """Extend a face by the vertex farthest along m and by the adjacent vertex that the smallest rotation h / w brings down:

        h: height above the plane of the face, at most FLAT times the size unless the face is a triangle,
        w: distance beyond the sides of the face.

    Without these a hull that rests on several nearly coplanar faces sinks where a corner is missing.
    """
    flat = math.inf if f.count == 3 else FLAT * core.least
    far = hull_vertex(core, pool, m)
    if not is_corner(f, far) and f.count < MAX_CORNERS:
        x = place(core, pool, far)
        _, side = beside(f, x)
        if side >= 0:
            insert(f, x, far, side)
    table = core.integer + pool.integers[core.integer + 1]
    best, least, behind = -1, EDGE, -1
    for k in range(f.count):
        for j in range(core.integer + pool.integers[table + f.label[k]], core.integer + pool.integers[table + f.label[k] + 1]):
            i = pool.integers[j]
            if not is_corner(f, i):
                x = place(core, pool, i)
                height, (beyond, side) = vec.dot(f.normal, vec.sub(f.point[0], x)), beside(f, x)
                if height <= flat and height + FLAT * core.least < least * beyond:
                    best, least, behind = i, (height + FLAT * core.least) / beyond, side
    if best >= 0 and f.count < MAX_CORNERS:
        insert(f, place(core, pool, best), best, behind)


@routine
def inside(s, pool):
    """The nearest of its faces."""
    least, own = np.inf, pool.table[s.geometry]
    for k in range(own.number, own.number + own.numbers, 4):
        least = min(least, pool.numbers[k + 3])
    return least + s.rounding


def _example(dims: Any) -> Hull:
    """An octahedron of that size."""
    return Hull([tuple(s * float(d) if k == axis else 0.0 for k in range(3)) for axis, d in enumerate(dims) for s in (-1, 1)])


SHAPE = ShapeKind(make=_example, bounds=bounds, mesh=mesh, geometric=True, stretched=stretched, wrong_with=wrong_with,
                  convex=Convex(support, feature, inside=inside, widen=widen), order=70)
