"""Collision queries: ray casts, shape casts, overlaps, closest points.

    view = queries.View(world)            a picture of all poses, by value: ask it from any thread, as often as you like
    hits = view.ray(origins, directions)  many at once; `hits.body` is -1 where there is nothing
    queries.ray(world, origins, directions)      the same with a view of its own
    queries.CollisionQuery.of(bodies, shapes, kinds, pool)   of a few shapes of copied tables

Queries see all shapes as they are between two steps; make a view while no step is running. `bodies` limits the query to
some of them. Rays and moving shapes that start inside a convex shape or a half space meet it at once; a surface (triangle mesh,
height field) has no inside here.
"""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from physics.collide import bounds
from physics.collide.query_kernels import HIT, cast, nearest, overlapping
from physics.core.check import BadInput, number, numbers, shown_value, unit_quaternion
from physics.core.quaternions import product, rotate, to_matrix
from physics.core.records import NODE, SHAPE, copy_of
from physics.shapes import Shape, _geometry
from physics.shapes._tree import morton, tree
from physics.shapes.compound import parts_of
from physics.shapes.sphere import Sphere
from physics.world.bodies import check_shape, write_shape

MAX_RAY_LENGTH = 1e7
"""Default length of a ray [m]."""


class Hits(NamedTuple):
    """Answers, one a question (n,).

    body, shape: index, -1 where nothing was found. distance: along the way, or signed from point to surface [m]; inf: nothing.
    point: (n, 3) on the surface found, world [m]. normal: (n, 3) unit, outwards from it (of a surface without thickness:
    towards the asker).
    """

    body: np.ndarray
    shape: np.ndarray
    distance: np.ndarray
    point: np.ndarray
    normal: np.ndarray


class CollisionQuery:
    """The present shapes of a world, with a tree over their boxes. Never changed: any thread may query it."""

    def __init__(self, world: Any) -> None:
        bodies = copy_of(world.bodies)
        self._shapes, self._pool = copy_of(world.shapes), world.pool
        self._bodies = len(bodies)
        bounds.update(bodies, self._shapes, world.layout.shapes, 0.0, 0.0, np.zeros(3), self._pool.arrays)
        live = self._shapes["body"] >= 0
        finite = live & np.isfinite(self._shapes["hi"]).all(axis=1)
        self._endless = np.flatnonzero(live & ~finite)
        boxed = np.flatnonzero(finite)
        self._kinds = world.shape_kinds
        if len(boxed):
            lo, hi = self._shapes["lo"][boxed], self._shapes["hi"][boxed]
            order = morton(0.5 * (lo + hi))
            self._order, self._nodes = boxed[order], tree(lo[order], hi[order])
        else:
            self._order, self._nodes = boxed, np.zeros(0, NODE)

    @classmethod
    def of(cls, bodies: np.ndarray, shapes: np.ndarray, kinds: Sequence[str],
           pool: _geometry.GeometryPool) -> "CollisionQuery":
        """Of SHAPE (n,) on BODY (m,), none asleep, which it keeps and places; kinds and pool: of their world.

        Without a tree, which costs more than it saves for a few shapes: every query tests each of them.
        """
        made, live = cls.__new__(cls), shapes["body"] >= 0
        lists = {kinds[k]: np.flatnonzero(live & (shapes["kind"] == k)).astype(np.int32)
                 for k in np.unique(shapes["kind"][live])}
        bounds.update(bodies, shapes, lists, 0.0, 0.0, np.zeros(3), pool.arrays)
        made._shapes, made._pool, made._kinds, made._bodies = shapes, pool, kinds, len(bodies)
        made._endless, made._order, made._nodes = np.flatnonzero(live), np.zeros(0, np.int64), np.zeros(0, NODE)
        return made

    def ray(self, origins: Any, directions: Any, max_distance: float = MAX_RAY_LENGTH,
            bodies: Sequence[int] | None = None) -> Hits:
        """The first hit of each ray.

        origins, directions: (n, 3) or (3,) [m], world; directions of any length but 0. max_distance: [m]. bodies: only these.

        Raises:
            BadInput: other shapes, numbers that are not finite, a direction without length, no such body.
        """
        origins, directions = _rows("origins", origins), _rows("directions", directions)
        reach = number("max_distance", max_distance, lo=0.0, hi=MAX_RAY_LENGTH, unit="m", open_lo=True)
        lengths = np.linalg.norm(directions, axis=1, keepdims=True)
        if (lengths < 1e-12).any():
            raise BadInput(f"ray direction {int(np.argmin(lengths))} has zero length")
        origins, motion = np.broadcast_arrays(origins, directions / lengths * reach)
        record, pool = self._record(_Point())
        return self._better(None, self._cast(record, pool, origins, np.eye(3), motion, bodies))

    def shape_cast(self, shape: Shape, pos: Any, quat: Any, motion: Any, bodies: Sequence[int] | None = None) -> Hits:
        """The first hit of a convex shape, or of a compound of such, moved from pos along motion without turning.

        pos, motion: (n, 3) or (3,) [m, world]; quat: (w, x, y, z). distance: how far it goes [m]. Raises as `closest_to`.
        """
        pos, motion = np.broadcast_arrays(_rows("pos", pos), _rows("motion", motion))
        q = unit_quaternion("quat", quat)
        best: Hits | None = None
        for part in parts_of(shape):
            record, pool = self._record(part.shape)
            turn = to_matrix(product(q, part.quat))
            best = self._better(best, self._cast(record, pool, pos + rotate(q, part.pos), turn, motion, bodies))
        return best

    def closest(self, points: Any, max_distance: float = MAX_RAY_LENGTH, bodies: Sequence[int] | None = None) -> Hits:
        """The nearest surface point to each point (n, 3) or (3,) [m, world]; distance < 0 inside a convex shape.

        max_distance: [m]; farther ones are not found. Raises as `ray`.
        """
        points = _rows("points", points)
        return self.closest_to(_Point(), points, (1.0, 0.0, 0.0, 0.0), max_distance, bodies)

    def closest_to(self, shape: Shape, pos: Any, quat: Any, max_distance: float = MAX_RAY_LENGTH,
                   bodies: Sequence[int] | None = None) -> Hits:
        """The nearest surface point to a convex shape, or a compound of such, at each pos; distance < 0 if they overlap.

        pos: (n, 3) or (3,) [m, world]; quat: (w, x, y, z). max_distance: [m]. Raises as `ray`, and for other shapes.
        """
        pos, q = _rows("pos", pos), unit_quaternion("quat", quat)
        reach = number("max_distance", max_distance, lo=0.0, hi=MAX_RAY_LENGTH, unit="m")
        best: Hits | None = None
        for part in parts_of(shape):
            record, pool = self._record(part.shape)
            out = np.zeros(len(pos), HIT)
            turn = np.ascontiguousarray(np.broadcast_to(to_matrix(product(q, part.quat)), (len(pos), 3, 3)))
            nearest(self._shapes, pool, self._nodes, self._order, self._endless, record, pos + rotate(q, part.pos), turn, reach,
                    self._asked(bodies), out)
            best = self._better(best, out)
        return best

    def overlap(self, shape: Shape, pos: Any, quat: Any = (1.0, 0.0, 0.0, 0.0),
                bodies: Sequence[int] | None = None) -> np.ndarray:
        """Indices (k,), ascending, of the shapes that a convex shape, or a compound of such, overlaps or touches at pos.

        pos: (3,) [m, world]; quat: (w, x, y, z). Raises as `closest_to`.
        """
        pos, q = _rows("pos", pos), unit_quaternion("quat", quat)
        if len(pos) != 1:
            raise BadInput(f"pos of an overlap must be three numbers, not {len(pos)} rows")
        found: set[int] = set()
        for part in parts_of(shape):
            record, pool = self._record(part.shape)
            record["pos"], record["rot"] = pos[0] + rotate(q, part.pos), to_matrix(product(q, part.quat))
            reach = float(np.linalg.norm(part.shape.dims) + record["rounding"][0])
            near = ((self._shapes["lo"] <= record["pos"] + reach) & (self._shapes["hi"] >= record["pos"] - reach)).all(axis=1)
            candidates = np.flatnonzero(near & (self._shapes["body"] >= 0) & (self._asked(bodies) == 1))
            touches = np.zeros(len(candidates), np.int64)
            overlapping(self._shapes, pool, candidates, record, touches)
            found.update(candidates[touches == 1].tolist())
        return np.array(sorted(found), np.int64)

    # ---- inside

    def _record(self, shape: Shape) -> tuple[np.ndarray, _geometry.GeometryArrays]:
        """SHAPE (1,) of the querying shape, and a pool that knows its geometry."""
        record, pool = np.zeros(1, SHAPE), self._pool
        if isinstance(shape, _Point):
            record["kind"], record["geometry"] = self._kinds.index("sphere"), -1
            return record, pool.arrays
        check_shape("the query shape", shape, True, self._kinds, ())
        return record, write_shape(record[0], shape, self._kinds.index(shape.kind), pool).arrays

    def _cast(self, record: np.ndarray, pool: _geometry.GeometryArrays, pos: np.ndarray, turn: np.ndarray, motion: np.ndarray,
              bodies: Sequence[int] | None) -> np.ndarray:
        """HIT (n,) of one asking shape on paths from pos along motion (n, 3), rotated by turn (3, 3); `part` is in metres."""
        out = np.zeros(len(pos), HIT)
        cast(self._shapes, pool, self._nodes, self._order, self._endless, record, np.ascontiguousarray(pos),
             np.ascontiguousarray(np.broadcast_to(turn, (len(pos), 3, 3))), np.ascontiguousarray(motion), self._asked(bodies),
             out)
        out["part"] *= np.where(out["found"] >= 0, np.linalg.norm(motion, axis=1), 1.0)
        return out

    def _asked(self, bodies: Sequence[int] | None) -> np.ndarray:
        """1 for the shapes of these bodies, int64 (shapes,); None: of all."""
        if bodies is None:
            return np.ones(len(self._shapes), np.int64)
        chosen = np.asarray(bodies)
        if chosen.size and chosen.dtype.kind not in "iu":
            raise BadInput(f"bodies = {shown_value(bodies)} must be indices of bodies")
        chosen = chosen.astype(np.int64).reshape(-1)
        if len(chosen) and not (chosen.min() >= 0 and chosen.max() < self._bodies):
            raise BadInput(f"bodies = {shown_value(bodies)} contains a body that does not exist; allowed: 0 .. "
                           f"{self._bodies - 1}")
        return np.isin(self._shapes["body"], chosen).astype(np.int64)

    def _better(self, best: Hits | None, out: np.ndarray) -> Hits:
        """The nearer answers of two parts of the querying shape."""
        found = out["found"] >= 0
        body = np.where(found, self._shapes["body"][np.where(found, out["found"], 0)] if len(self._shapes) else -1, -1)
        new = Hits(body, out["found"], np.where(found, out["part"], np.inf), out["point"].copy(), out["normal"].copy())
        if best is None:
            return new
        closer = new.distance < best.distance
        return Hits(*(np.where(closer if a.ndim == 1 else closer[:, None], b, a) for a, b in zip(best, new)))


class _Point(Sphere):
    """A ball of no size."""

    def __init__(self) -> None:
        super().__init__(0.0)


def __getattr__(name: str) -> Any:
    """`CollisionQuery` was called `View` in earlier versions."""
    if name != "View":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    warnings.warn("queries.View is queries.CollisionQuery now", FutureWarning, stacklevel=2)
    return CollisionQuery


def ray(world: Any, origins: Any, directions: Any, max_distance: float = MAX_RAY_LENGTH,
        bodies: Sequence[int] | None = None) -> Hits:
    """`CollisionQuery.ray` on the present world."""
    return CollisionQuery(world).ray(origins, directions, max_distance, bodies)


def shape_cast(world: Any, shape: Shape, pos: Any, quat: Any, motion: Any, bodies: Sequence[int] | None = None) -> Hits:
    """`CollisionQuery.shape_cast` on the present world."""
    return CollisionQuery(world).shape_cast(shape, pos, quat, motion, bodies)


def closest(world: Any, points: Any, max_distance: float = MAX_RAY_LENGTH, bodies: Sequence[int] | None = None) -> Hits:
    """`CollisionQuery.closest` on the present world."""
    return CollisionQuery(world).closest(points, max_distance, bodies)


def overlap(world: Any, shape: Shape, pos: Any, quat: Any = (1.0, 0.0, 0.0, 0.0),
            bodies: Sequence[int] | None = None) -> np.ndarray:
    """`CollisionQuery.overlap` on the present world."""
    return CollisionQuery(world).overlap(shape, pos, quat, bodies)


def _rows(what: str, value: Any) -> np.ndarray:
    """(n, 3) finite floats from (n, 3) or (3,)."""
    rows = numbers(value)
    if rows is None:
        raise BadInput(f"{what} must be numbers, (n, 3) or (3,)")
    rows = np.atleast_2d(rows)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise BadInput(f"{what} must be (n, 3) or (3,), not {np.shape(value)}")
    bad = np.flatnonzero(~(np.abs(rows) <= MAX_RAY_LENGTH).all(axis=1))
    if len(bad):
        raise BadInput(f"row {bad[0]} of {what} is {tuple(rows[bad[0]].tolist())}: it must be finite and at most "
                       f"{MAX_RAY_LENGTH:g} in size")
    return rows
