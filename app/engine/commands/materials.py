"""Commands of materials: of all bodies, one body, a pair of surfaces."""

import dataclasses
from typing import Any

import numpy as np

from app.build_scene import build
from app.engine.body_materials import PairValues, own_material
from app.engine.command import undoable
from app.engine.material_library import assign
from app.engine.simulation import Simulation
from app.i18n.message import message
from physics import BadInput, Material
from physics.joints._settings import friction_of


@undoable
def set_friction(simulation: Simulation, mu: float, body: int | None = None) -> None:
    """Set the friction coefficient of one body's material, or of all; the latter survives a reset."""
    simulation.world.set_friction(mu, body)
    if body is None:
        simulation.friction = mu


@undoable
def set_restitution(simulation: Simulation, e: float, body: int | None = None) -> None:
    """Set the restitution of one body's material, or of all; the latter survives a reset."""
    simulation.world.set_restitution(e, body)
    if body is None:
        simulation.restitution = e


@undoable
def set_material(simulation: Simulation, body: int, material: Material | str) -> None:
    """Assign a material to a body, or the material in use with that name."""
    simulation.world.set_material(body, material)


@undoable
def use_material(simulation: Simulation, body: int, name: str) -> None:
    """Make a body of a material of the library (app/engine/material_library.py), with its pairs from handbooks."""
    assign(simulation.world, body, name)


@undoable
def change_material(simulation: Simulation, name: str, values: dict[str, Any]) -> None:
    """Change properties of a named material, and thereby of every body made of it."""
    simulation.world.change_material(name, **values)


@undoable
def set_surface(simulation: Simulation, material: int, values: PairValues) -> None:
    """Set friction and restitution of all bodies of a material; of a named material any property."""
    world, items = simulation.world, simulation.world.materials.items
    if not 0 <= material < len(items):
        raise BadInput(message("material {material} does not exist: this scene has {items} materials, numbered from 0",
                               material=material, items=len(items)))
    if items[material].name:
        world.change_material(items[material].name, **values)
        return
    odd = [name for name in values if name not in ("friction", "restitution")]
    if odd:
        raise BadInput(message("an unnamed material has only friction and restitution per body, no '{odd}': assign a named "
                               "material in the inspector", odd=odd[0]))
    shapes = world.shapes
    for body in np.unique(shapes["body"][(shapes["body"] >= 0) & (shapes["material"] == material)]).tolist():
        for name, value in values.items():
            getattr(world, f"set_{name}")(value, body)


@undoable
def set_pair(simulation: Simulation, a: int, b: int, values: PairValues) -> None:
    """Override mixed values of a pair of materials, by their indices; None restores the value of the rules."""
    items = simulation.world.materials.items
    if not (0 <= a < len(items) and 0 <= b < len(items)):
        raise BadInput(message("materials {a} and {b} do not exist: this scene has {items} materials, numbered from 0", a=a, b=b,
                               items=len(items)))
    simulation.world.set_pair(items[a], items[b], **values)
    _store_pair(simulation, "materials", *sorted((a, b)), values)


@undoable
def set_body_pair(simulation: Simulation, a: int, b: int, values: PairValues) -> None:
    """Override mixed values for the contacts between two bodies only."""
    before = simulation.world.materials, simulation.world.shapes["material"].copy()
    try:
        own = [own_material(simulation.world, body) for body in (a, b)]
        simulation.world.set_pair(*own, **values)
    except BadInput:
        simulation.world.materials, simulation.world.shapes["material"][:] = before
        raise
    _store_pair(simulation, "bodies", *sorted(simulation.world.body_names[body] for body in (a, b)), values)


@undoable
def restore_materials(simulation: Simulation) -> None:
    """Restore the scene's own friction and restitution of every body and joint, without a reset."""
    simulation.forget_materials()
    if simulation.scene is None:
        return
    fresh, world = build(simulation.scene, simulation.present_parameters), simulation.world
    own = {fresh.body_names[s["body"]]: (s["friction"], s["restitution"], s["material"]) for s in fresh.shapes}
    world.materials = dataclasses.replace(world.materials, given=fresh.materials.given,
                                          items=(*fresh.materials.items, *world.materials.items[len(fresh.materials.items):]))
    for i, name in enumerate(world.body_names):
        if name in own:
            world.shapes["material"][world.shapes["body"] == i] = own[name][2]
            world.set_friction(float(own[name][0]), i)
            world.set_restitution(float(own[name][1]), i)
    for j, name in enumerate(world.joint_names):
        if name and name in fresh.joint_names:
            own = fresh.joints[fresh.joint(name)]
            for g, group in enumerate(world.joint_kind(j).friction):
                world.set_joint_friction(friction_of(own, g), j, group.name)


def _store_pair(simulation: Simulation, table: str, a: int | str, b: int | str, values: PairValues) -> None:
    """Store the values of a pair, so that they survive a reset."""
    kept = {**simulation.pairs.get((table, a, b), {}), **values}
    simulation.pairs = {**simulation.pairs, (table, a, b): {name: value for name, value in kept.items() if value is not None}}
