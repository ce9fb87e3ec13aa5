"""Set values for pairs of surfaces and apply them to a world.

Physics knows pairs of materials only. A pair of bodies becomes a pair of materials by giving each body a material of its own: a
body that shares its material with others gets a copy named after it, with all values that were set for pairs of the original.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from app.i18n.message import message
from physics import BadInput, Material, World
from physics.world.materials import Materials

PairValues = Mapping[str, float | None]
"""Values of a pair by name; None: the value given by the mixing rules."""


def apply_pairs(world: World, pairs: Mapping[tuple[str, int | str, int | str], PairValues]) -> None:
    """Set the values of pairs in a rebuilt world, for those bodies and materials that it still has.

    pairs: by (table, a, b); table "materials" with indices, or "bodies" with names.
    """
    for (table, a, b), values in pairs.items():
        if table == "materials" and max(a, b) < len(world.materials.items):
            world.set_pair(world.materials.items[a], world.materials.items[b], **values)
        elif table == "bodies" and a in world.body_names and b in world.body_names:
            own = [own_material(world, world.body_names.index(name)) for name in (a, b)]
            world.set_pair(*own, **values)


def own_material(world: World, body: int) -> Material:
    """Return a material that no other body has; copy the body's own if it is shared.

    Raises:
        BadInput: the body has no shape, or there are too many materials.
    """
    shapes, materials = world.shapes, world.materials
    own = np.flatnonzero(shapes["body"] == body)
    if not len(own):
        raise BadInput(message("body '{body}' has no shape, so it has no contacts", body=world.body_names[body]))
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
    """Return the body's name, with the next number if it is taken."""
    taken, name = {m.name for m in world.materials.items}, world.body_names[body]
    return next(title for n in range(1, len(taken) + 3) if (title := name if n == 1 else f"{name} {n}") not in taken)


def _with_pairs_of(materials: Materials, old: int, new: int) -> Materials:
    """Copy the values set for pairs of the old material to the new one."""
    for (a, b), values in list(materials.given.items()):
        if old in (a, b) and values:
            other = b if a == old else a
            materials = materials.with_pair(new, other, values)
            if other == old:
                materials = materials.with_pair(new, new, values)
    return materials
