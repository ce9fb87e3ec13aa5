"""Caches what stays constant of a frame's shapes: which there are, sizes, meshes. No GL.

Every frame has a copy of the table of shapes, so only a comparison of its bytes shows whether it is unchanged. That takes a tenth
of the time of recomputing all this.
"""

from collections.abc import Iterable, Iterator
from functools import cache, cached_property

import numpy as np

from app.engine.frame import Frame
from physics import shapes
from physics.core.records import SHAPE
from physics.shapes._geometry import GeometryPool

CACHED_FIELDS = SHAPE.fields["pos"][1]
"""Leading bytes of a record, before those that every step writes."""
MAX_CACHED = 8
"""Cached builds: of several panes, and of scenes just left."""
MAX_MESH_BYTES = 64_000_000
"""Largest memory of the cached meshes of geometries [bytes], of which every change of one makes another; the oldest are dropped
first."""

MeshGroup = tuple[tuple[str, bytes], shapes.Mesh, np.ndarray]
"""A mesh's key, the mesh, and the indices of its shapes."""


@cache
def shape_kinds() -> dict[str, shapes.ShapeKind]:
    """All kinds of shapes by name."""
    return shapes.kinds()


@cache
def meshes() -> dict[str, shapes.Mesh]:
    """Drawing mesh of each kind of shape that is fully described by dims."""
    return {name: kind.mesh() for name, kind in shape_kinds().items() if not kind.geometric}


own_meshes: dict[tuple[str, bytes], shapes.Mesh] = {}


def own_mesh(name: str, pool: GeometryPool, geometry: int) -> shapes.Mesh:
    """Drawing mesh of a shape with geometry in the pool; made once for equal geometry."""
    key = (name, pool.keys[geometry])
    if (mesh := own_meshes.get(key)) is None:
        mesh = own_meshes[key] = shape_kinds()[name].mesh(pool.data(geometry))
        total = sum(size_of(other) for other in list(own_meshes.values()))
        for oldest in list(own_meshes)[:-1]:
            if total <= MAX_MESH_BYTES:
                break
            total -= size_of(own_meshes.pop(oldest))
    return mesh


def size_of(mesh: shapes.Mesh) -> int:
    """Memory of a mesh [bytes]."""
    return mesh.basis.nbytes + mesh.normals.nbytes + mesh.triangles.nbytes


def grouped(kind: np.ndarray, geometry: np.ndarray, names: tuple[str, ...], pool: GeometryPool) -> Iterator[MeshGroup]:
    """For every mesh with triangles in use, the indices of its shapes, given kinds and geometries (n,)."""
    for name, mesh in meshes().items():
        which = of_kind(kind, name, names)
        if len(mesh.triangles) and len(which):
            yield (name, b""), mesh, which
    for name in (name for name, known in shape_kinds().items() if known.geometric):
        which = of_kind(kind, name, names)
        for own in np.unique(geometry[which]).tolist():
            yield (name, pool.keys[own]), own_mesh(name, pool, own), which[geometry[which] == own]


def of_kind(kind: np.ndarray, name: str, names: tuple[str, ...]) -> np.ndarray:
    """Indices of the kinds (n,) that have that name."""
    return np.flatnonzero(kind == names.index(name)) if name in names else np.empty(0, int)


def bounding(dims: np.ndarray, rounding: np.ndarray, groups: Iterable[MeshGroup]) -> np.ndarray:
    """Radii (n,) [m] of balls about their centres that hold the shapes; inf for those without a mesh."""
    radii = np.full(len(dims), np.inf)
    for _, mesh, which in groups:
        largest = np.abs(mesh.basis).max(axis=0)
        radii[which] = np.linalg.norm(np.abs(dims[which]) @ largest.T, axis=1) + rounding[which]
    return radii


class ShapeCache:
    """The shapes in use of a table, without their poses. Immutable.

    index (n,): rows of the table; body, kind, geometry (n,); dims (n, 3), rounding (n,) [m]; local (n, 3) [m] and turned (n, 4):
    pose in the body's frame, None if all are trivial; names: of the kinds; words: the constant part of the table, by which it is
    recognised.
    """

    def __init__(self, frame: Frame, words: np.ndarray) -> None:
        table = frame.shapes
        self.index = np.flatnonzero(table["body"] >= 0)
        for name in ("body", "kind", "geometry", "dims", "rounding"):
            setattr(self, name, table[name][self.index])
        local, turned = table["local_pos"][self.index], table["local_quat"][self.index]
        self.local = local if np.any(local) else None
        self.turned = turned if np.any(turned[:, 1:]) else None
        self.names, self.pool, self.words = frame.shape_kinds, frame.pool, words
        self._of: dict[str, np.ndarray] = {}

    def of(self, name: str) -> np.ndarray:
        """Indices of the shapes of that kind."""
        if name not in self._of:
            self._of[name] = of_kind(self.kind, name, self.names)
        return self._of[name]

    @cached_property
    def groups(self) -> list[MeshGroup]:
        """All meshes in use."""
        return list(grouped(self.kind, self.geometry, self.names, self.pool))

    @cached_property
    def radii(self) -> np.ndarray:
        """A bounding radius of each shape about its centre (n,) [m]; inf for planes."""
        return bounding(self.dims, self.rounding, self.groups)

    @cached_property
    def bounded(self) -> np.ndarray:
        """Indices of the bounded shapes."""
        return np.flatnonzero(np.isfinite(self.radii))

    @cached_property
    def sizes(self) -> np.ndarray:
        """The largest of each shape's dims (n,) [m]."""
        return self.dims.max(axis=1, initial=0.0)

    @cached_property
    def typical_radius(self) -> float:
        """A typical radius of them [m]."""
        return float(np.median(self.radii[self.bounded])) if len(self.bounded) else 0.5


cached_shapes: list[ShapeCache] = []


def cached(frame: Frame) -> ShapeCache:
    """The cached shapes of a frame; the same object as long as they are unchanged."""
    words = frame.shapes.view(np.uint64).reshape(len(frame.shapes), SHAPE.itemsize // 8)[:, : CACHED_FIELDS // 8]
    for build in cached_shapes:
        if build.pool is frame.pool and build.names == frame.shape_kinds and np.array_equal(build.words, words):
            break
    else:
        build = ShapeCache(frame, words.copy())
    if not cached_shapes or cached_shapes[0] is not build:
        cached_shapes[:] = [build, *(other for other in cached_shapes if other is not build)][:MAX_CACHED]
    return build
