"""The command that stretches bodies of one hull, mesh or height field along their axes; what `Simulation` inherits.

With S = diag(s) and the vertices v of a shape, S v is again such a shape: the hull of stretched points, the same triangles, a
grid of stretched cells. A hull's centre of mass goes along (S c), so its body stays where it is, but for the rounding, which is
not stretched: what it moves the centre by is added to the body's place.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from app.engine.jointing import Jointing
from app.engine.rewinding import changes
from physics import BadInput, HeightField, Hull, TriangleMesh, matter
from physics.check import vector
from physics.core.records import Kind
from physics.frames import inverse, rotate
from physics.geometry import Data
from physics.shapes import Shape

LEAST, MOST = 1e-3, 1e3
"""Factors that are allowed."""


ROUNDING = 1e-12
"""A centre that moves by less has not moved [m]."""


class Stretching(Jointing):
    """Sizes of shapes that have no three numbers."""

    world: Any

    @changes
    def stretch(self, body: int, factors: Sequence[float]) -> None:
        """Make a body so many times as large along its three axes; its density stays.

        Raises:
            BadInput: no such body, one that is made of something else, a factor or a size out of range. Nothing is changed.
        """
        world = self.world
        slot, kind = self._stretchable(body)
        what, record, b = f"body '{world.body_names[body]}'", world.shapes[slot].copy(), world.bodies[body]
        factors = vector(f"{what}: factors", factors)
        if not np.all((factors >= LEAST) & (factors <= MOST)):
            raise BadInput(f"{what}: factors {tuple(factors.tolist())} of its size; allowed: {LEAST:g} .. {MOST:g}")
        old, shape = (KINDS[kind](world.pool.data(record["geometry"]), record, f) for f in (np.ones(3), factors))
        dynamic = bool(b["kind"] == Kind.DYNAMIC)
        matter.check(what, shape, dynamic, world.shape_kinds, (), world.warnings.add)
        shift = shape.centre if kind == "hull" else shape.middle
        shift = np.where(np.abs(shift) > ROUNDING, shift, 0.0)
        if dynamic:
            mass, tensor = matter.mass_properties(what, shape, None, float(b["mass"]) / old.volume(), None, world.warnings)
            b["mass"], b["inv_mass"], b["inertia"], b["inv_inertia"] = mass, 1.0 / mass, tensor, inverse(tensor)
            b["pos"] += rotate(b["quat"], shift)
        else:
            record["local_pos"] = factors * record["local_pos"] + shift
        world.pool = matter.describe(record, shape, world.shape_kinds.index(kind), world.pool)
        world.shapes[slot] = record
        world.unseen.add(body)
        world.was_edited()

    def _stretchable(self, body: int) -> tuple[int, str]:
        """(slot, kind) of the only shape of a body."""
        world, own = self.world, np.flatnonzero(self.world.shapes["body"] == body)
        if body <= 0 or len(own) != 1:
            raise BadInput(f"body {body} is not made of one shape: no other can be stretched")
        kind = world.shape_kinds[world.shapes["kind"][own[0]]]
        if kind not in KINDS:
            raise BadInput(f"body '{world.body_names[body]}' is a {kind.replace('_', ' ')}: stretched can be: "
                           f"{', '.join(name.replace('_', ' ') for name in KINDS)}")
        return int(own[0]), kind


def _hull(own: Data, record: np.void, factors: np.ndarray) -> Hull:
    return Hull(own.vertices * factors, float(record["rounding"]))


def _mesh(own: Data, record: np.void, factors: np.ndarray) -> TriangleMesh:
    return TriangleMesh(own.vertices * factors, own.triangles, bool(own.integers[0]))


def _field(own: Data, record: np.void, factors: np.ndarray) -> HeightField:
    heights = own.numbers[2:].reshape(tuple(int(k) for k in own.integers))
    return HeightField(heights * factors[2], tuple(float(d) for d in own.numbers[:2] * factors[:2]))


KINDS: dict[str, Callable[[Data, np.void, np.ndarray], Shape]] = {"hull": _hull, "triangle_mesh": _mesh, "height_field": _field}
"""Makes the stretched shape of its data and record."""
