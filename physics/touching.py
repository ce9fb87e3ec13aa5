"""Shapes follow their bodies; contacts of bodies that stand elsewhere than at the start, for solvers that look again."""

from typing import Any

import numpy as np

from physics.collide import bounds
from physics.collide.narrow import as_found


def follow(world: Any, dt: float) -> None:
    """Bring the shapes of those who are awake to their bodies' poses, with their reach in a step of dt [s]."""
    bounds.update(world.bodies, world.shapes, world.lists.shapes, world.margin, dt, world.gravity, world.pool.arrays)


def look_again(world: Any, dt: float) -> np.ndarray:
    """CONTACT of the pairs of this step, with the bodies where they stand now.

    Impulses of the last step are handed on as at its start. The shapes follow their bodies; nothing else of the world changes.
    """
    bodies, shapes = world.bodies, world.shapes
    follow(world, dt)
    refine = world.seams.over(as_found, bodies, shapes, world.revision)
    contacts = world.narrow_phase.find(shapes, world.pairs, world.awake_contacts, world.pool.arrays, refine)
    world.mix_materials(contacts)
    return contacts
