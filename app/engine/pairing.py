"""The commands that change what pairs of surfaces do, of materials or of two bodies alone; what `Simulation` inherits.

Physics knows pairs of materials. Two bodies alone become such a pair by having a material each to themselves: where a body shares
its own with others it gets a copy of it, named as the body, with all that was set for the old one's pairs.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from app.engine.rewinding import changes
from app.engine.undoing import Undoing
from physics import BadInput, Material, World
from physics.materials import Materials

Values = Mapping[str, float | None]


class Pairing(Undoing):
    """Numbers of pairs, set by hand. pairs: those that outlive a reset, (table, a, b) -> numbers; table "materials" with
    indices, or "bodies" with names."""

    def __init__(self) -> None:
        super().__init__()
        self.pairs: dict[tuple[str, int | str, int | str], Values] = {}

    @changes
    def set_pair(self, a: int, b: int, values: Values) -> None:
        """Numbers of a pair of materials, by their indices, instead of those that the rules mix; None takes one back."""
        items = self.world.materials.items
        if not (0 <= a < len(items) and 0 <= b < len(items)):
            raise BadInput(f"there are no materials {a} and {b}: this scene has {len(items)}, counted from 0")
        self.world.set_pair(items[a], items[b], **values)
        self._keep("materials", *sorted((a, b)), values)

    @changes
    def set_body_pair(self, a: int, b: int, values: Values) -> None:
        """The same for the contacts between two bodies alone."""
        before = self.world.materials, self.world.shapes["material"].copy()
        try:
            own = [own_material(self.world, body) for body in (a, b)]
            self.world.set_pair(*own, **values)
        except BadInput:
            self.world.materials, self.world.shapes["material"][:] = before
            raise
        self._keep("bodies", *sorted(self.world.body_names[body] for body in (a, b)), values)

    @changes
    def set_surface(self, material: int, values: Values) -> None:
        """Friction and restitution of all bodies of a material; of a named one any of its numbers."""
        world, items = self.world, self.world.materials.items
        if not 0 <= material < len(items):
            raise BadInput(f"there is no material {material}: this scene has {len(items)}, counted from 0")
        if items[material].name:
            world.change_material(items[material].name, **values)
            return
        odd = [name for name in values if name not in ("friction", "restitution")]
        if odd:
            raise BadInput(f"an unnamed material has friction and restitution, body by body, and no '{odd[0]}': give its bodies "
                           "a named material in the inspector")
        shapes = world.shapes
        for body in np.unique(shapes["body"][(shapes["body"] >= 0) & (shapes["material"] == material)]).tolist():
            for name, value in values.items():
                getattr(world, f"set_{name}")(value, body)

    # ---- inside

    def _keep(self, table: str, a: int | str, b: int | str, values: Values) -> None:
        kept = {**self.pairs.get((table, a, b), {}), **values}
        self.pairs = {**self.pairs, (table, a, b): {name: value for name, value in kept.items() if value is not None}}

    def _pair_again(self) -> None:
        """After the scene was built anew, as far as the same bodies and materials are there."""
        world = self.world
        for (table, a, b), values in self.pairs.items():
            if table == "materials" and max(a, b) < len(world.materials.items):
                world.set_pair(world.materials.items[a], world.materials.items[b], **values)
            elif table == "bodies" and a in world.body_names and b in world.body_names:
                own = [own_material(world, world.body_names.index(name)) for name in (a, b)]
                world.set_pair(*own, **values)


def own_material(world: World, body: int) -> Material:
    """A material that no other body has; the body gets one if it shares its own.

    Raises:
        BadInput: the body has no shape, or there are too many materials.
    """
    shapes, materials = world.shapes, world.materials
    own = np.flatnonzero(shapes["body"] == body)
    if not len(own):
        raise BadInput(f"body '{world.body_names[body]}' has no shape: it touches nothing")
    old = int(shapes["material"][own[0]])
    others = (shapes["body"] >= 0) & (shapes["body"] != body) & (shapes["material"] == old)
    if materials.items[old].name and not others.any():
        return materials.items[old]
    slot = own[0]
    ratio = materials.items[old].kinetic_ratio
    copy: Material = replace(materials.items[old], friction=float(shapes["friction"][slot]), name=_name(world, body),
                             kinetic_friction=None if ratio == 1.0 else ratio * float(shapes["friction"][slot]),
                             restitution=float(shapes["restitution"][slot]))
    added, new = materials.add(copy)
    world.materials = _with_pairs_of(added, old, new)
    shapes["material"][own] = new
    return copy


def _name(world: World, body: int) -> str:
    """As the body, or with the next number."""
    taken, name = {m.name for m in world.materials.items}, world.body_names[body]
    return next(title for n in range(1, len(taken) + 3) if (title := name if n == 1 else f"{name} {n}") not in taken)


def _with_pairs_of(materials: Materials, old: int, new: int) -> Materials:
    """What was set for pairs of the old material holds for the new one, too."""
    for (a, b), values in list(materials.given.items()):
        if old in (a, b) and values:
            other = b if a == old else a
            materials = materials.with_pair(new, other, values)
            if other == old:
                materials = materials.with_pair(new, new, values)
    return materials
