"""What of a frame's shapes stays from frame to frame: which there are, how large, with which meshes. No GL.

Every frame has a copy of the table of shapes, so nothing but its bytes tells whether it is still the same one. To compare them
takes a tenth of what it takes to work all of this out.
"""

from collections.abc import Iterable, Iterator
from functools import cache, cached_property

import numpy as np

from app.engine.frame import Frame
from physics import shapes
from physics.core.records import SHAPE
from physics.geometry import Pool

STAYS = SHAPE.fields["pos"][1]
"""Bytes of a record before those that every step writes."""
KEPT = 8
"""Builds that are remembered: of panes, and of scenes just left."""

Group = tuple[tuple[str, bytes], shapes.Mesh, np.ndarray]
"""A mesh's key, itself, and which of the shapes have it."""


@cache
def shape_kinds() -> dict[str, shapes.ShapeKind]:
    """All kinds of shapes by name."""
    return shapes.kinds()


@cache
def meshes() -> dict[str, shapes.Mesh]:
    """The drawing mesh of each kind of shape whose dims say all."""
    return {name: kind.mesh() for name, kind in shape_kinds().items() if not kind.geometric}


_own: dict[tuple[str, bytes], shapes.Mesh] = {}


def own_mesh(name: str, pool: Pool, geometry: int) -> shapes.Mesh:
    """The drawing mesh of a shape that has geometry in the pool; made once for equal geometry."""
    key = (name, pool.keys[geometry])
    if key not in _own:
        _own[key] = shape_kinds()[name].mesh(pool.data(geometry))
    return _own[key]


def grouped(kind: np.ndarray, geometry: np.ndarray, names: tuple[str, ...], pool: Pool) -> Iterator[Group]:
    """For every mesh with triangles that is in use, the shapes of these kinds and geometries (n,) that have it."""
    for name, mesh in meshes().items():
        which = of_kind(kind, name, names)
        if len(mesh.triangles) and len(which):
            yield (name, b""), mesh, which
    for name in (name for name, known in shape_kinds().items() if known.geometric):
        which = of_kind(kind, name, names)
        for own in np.unique(geometry[which]).tolist():
            yield (name, pool.keys[own]), own_mesh(name, pool, own), which[geometry[which] == own]


def of_kind(kind: np.ndarray, name: str, names: tuple[str, ...]) -> np.ndarray:
    """Which of the kinds (n,) are the one of that name."""
    return np.flatnonzero(kind == names.index(name)) if name in names else np.empty(0, int)


def bounding(dims: np.ndarray, rounding: np.ndarray, groups: Iterable[Group]) -> np.ndarray:
    """Radii (n,) [m] of balls about their centres that hold the shapes; inf for those without a mesh."""
    radii = np.full(len(dims), np.inf)
    for _, mesh, which in groups:
        largest = np.abs(mesh.basis).max(axis=0)
        radii[which] = np.linalg.norm(np.abs(dims[which]) @ largest.T, axis=1) + rounding[which]
    return radii


class Build:
    """The living shapes of a table, without where they are.

    index (n,): rows of the table; body, kind, geometry (n,); dims (n, 3), rounding (n,) [m]; local (n, 3) [m] and turned (n, 4):
    place and turn in the body's frame, None where all are none; names: of the kinds; words: what stays of the table, by which it
    is known again. Nothing of it is changed.
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
        """Which of the shapes are of that kind."""
        if name not in self._of:
            self._of[name] = of_kind(self.kind, name, self.names)
        return self._of[name]

    @cached_property
    def groups(self) -> list[Group]:
        """All meshes in use."""
        return list(grouped(self.kind, self.geometry, self.names, self.pool))

    @cached_property
    def radii(self) -> np.ndarray:
        """A bounding radius of each shape about its centre (n,) [m]; inf for planes."""
        return bounding(self.dims, self.rounding, self.groups)

    @cached_property
    def bounded(self) -> np.ndarray:
        """Which of the shapes have an end."""
        return np.flatnonzero(np.isfinite(self.radii))

    @cached_property
    def sizes(self) -> np.ndarray:
        """The largest of each shape's dims (n,) [m]."""
        return self.dims.max(axis=1, initial=0.0)

    @cached_property
    def typical(self) -> float:
        """A usual radius of them [m]."""
        return float(np.median(self.radii[self.bounded])) if len(self.bounded) else 0.5


_builds: list[Build] = []


def build_of(frame: Frame) -> Build:
    """That of a frame's shapes; the same object as long as they are the same."""
    words = frame.shapes.view(np.uint64).reshape(len(frame.shapes), SHAPE.itemsize // 8)[:, : STAYS // 8]
    for build in _builds:
        if build.pool is frame.pool and build.names == frame.shape_kinds and np.array_equal(build.words, words):
            break
    else:
        build = Build(frame, words.copy())
    if not _builds or _builds[0] is not build:
        _builds[:] = [build, *(other for other in _builds if other is not build)][:KEPT]
    return build
