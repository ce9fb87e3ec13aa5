"""Contacts of bodies that stand elsewhere than at the start of the step: for solvers that look again within it."""

from typing import Any

import numpy as np

from physics.collide import bounds
from physics.collide.narrow import as_found


def look_again(world: Any, dt: float) -> np.ndarray:
    """CONTACT of the pairs of this step, with the bodies where they stand now.

    Impulses of the last step are handed on as at its start. The shapes follow their bodies; nothing else of the world changes.
    """
    bodies, shapes = world.bodies, world.shapes
    bounds.update(bodies, shapes, world.lists.shapes, world.margin, dt, world.gravity, world.pool.arrays)
    refine = world.seams.over(as_found, bodies, shapes, world.revision)
    contacts = world.narrow_phase.find(shapes, world.pairs, world.awake_contacts, world.pool.arrays, refine)
    world.mix_materials(contacts)
    return contacts
