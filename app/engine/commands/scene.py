"""Commands of the scene: its parameters, bookmarks, reloading its file."""

import contextlib
import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

import scenes
from app.build_scene import build
from app.engine.command import command, undoable
from app.engine.scene_files.document import Document
from app.engine.simulation import Simulation, Start
from app.engine.undo.difference import MOUSE_SPRING, FieldChange, changed_fields, write_fields
from app.engine.undo.edit_list import EditList, parameter_edit
from app.i18n.message import message
from app.own_files.discover import read_again
from physics import BadInput, World, fields
from physics import set_option as set_field
from physics.core.records import Kind


@command
def set_parameter(simulation: Simulation, name: str, value: Any) -> None:
    """Set a parameter of the scene and rebuild it, with its own friction and restitution."""
    by_name = {f.name: f for f in fields(simulation.parameters)}
    if name not in by_name:
        raise BadInput(message("this scene has no parameter '{name}'; available: {by_name}", name=name,
                               by_name=", ".join(by_name) or "none"))
    before, scene = simulation.present_parameters, simulation.scene
    trial = dataclasses.replace(before)
    set_field(trial, name, value)
    world = build(scene, trial)
    with simulation.undo.whole_edit(f"set_parameter {name}", functools.partial(parameter_edit, by_name[name], trial)):
        simulation.parameters, simulation.start = trial, Start()
        simulation.forget_materials()
        simulation.rebuild(world)
        if scene.chosen_options and scene.options_of(before) != scene.options_of(trial):
            scenes.set_options(simulation.world, scene, trial)
            simulation.timeline.begin()


@undoable
def set_live_parameter(simulation: Simulation, name: str, value: float) -> None:
    """Set a parameter that acts while the scene runs, from the next step on: nothing is rebuilt.

    Raises:
        BadInput: the scene has none of that name, it acts by a rebuild alone, or its value is out of range.
    """
    scene, world, before = simulation.scene, simulation.world, simulation.present_parameters
    if scene is None or name not in scene.live:
        raise BadInput(message("this scene has no live parameter '{name}'; available: {live}", name=name,
                               live=", ".join(scene.live if scene is not None else ()) or "none"))
    after = dataclasses.replace(before)
    set_field(after, name, value)
    as_built = dataclasses.replace(scene, start=None)
    old, new = build(as_built, before), build(as_built, after)
    changes = _live_changes(world, old, new)
    _forget_overridden(simulation, changes)
    for i, (was, now) in enumerate(zip(old.materials.items, new.materials.items)):
        if was != now and i < len(world.materials.items) and world.materials.items[i].name == now.name:
            numbers = {name: number for name, number in vars(now).items() if number != getattr(was, name)}
            world.materials = world.materials.change(i, dataclasses.replace(world.materials.items[i], **numbers))
    write_fields(world, changes)
    if scene.chosen_options and scene.options_of(before) != scene.options_of(after):
        scenes.set_options(world, scene, after)
    world.set_input(name, getattr(after, name))
    if world.steps:
        world.set_input(scenes.CHANGED, world.time)


LIVE_FIELDS = {
    "bodies": ("mass", "inv_mass", "inertia", "inv_inertia", "vel", "omega"),
    "shapes": ("friction", "restitution"),
    "joints": ("param", "max_friction", "kinetic", "stribeck", "viscous", "load_mu", "load_radius", "motor_target", "motor_force",
               "motor_speed", "motor_stiffness", "motor_damping")}
"""Fields that follow a live parameter: what a body is and where it is stays; a velocity is that of a kinematic body."""


def _live_changes(world: World, old: World, new: World) -> list[FieldChange]:
    """The fields of a running world that differ between two builds of its scene, of bodies and joints that are still there."""
    found = []
    for field in changed_fields(old, new):
        if field.name not in LIVE_FIELDS[field.table]:
            continue
        owner = (lambda slot: int(new.shapes["body"][slot])) if field.table == "shapes" else int
        built, names = (new.joint_names, world.joint_names) if field.table == "joints" else (new.body_names, world.body_names)
        kept = np.array([owner(slot) < len(names) and names[owner(slot)] == built[owner(slot)]
                         and (field.table != "shapes" or (slot < len(world.shapes) and world.shapes["body"][slot] == owner(slot)))
                         and (field.name not in ("vel", "omega") or world.bodies["kind"][slot] == Kind.KINEMATIC)
                         for slot in field.slots.tolist()], bool)
        if kept.any():
            found.append(dataclasses.replace(field, slots=field.slots[kept], before=field.before[kept], after=field.after[kept]))
    return found


def _forget_overridden(simulation: Simulation, changes: Sequence[FieldChange]) -> None:
    """Discard what was set for all bodies, or for a joint, where the parameter sets it now."""
    names = {(field.table, field.name) for field in changes}
    if ("shapes", "friction") in names:
        simulation.friction = None
    if ("shapes", "restitution") in names:
        simulation.restitution = None
    joints = {simulation.world.joint_names[slot] for field in changes if (field.table, field.name) == ("joints", "max_friction")
              for slot in field.slots.tolist()}
    simulation.joint_bounds = {key: bound for key, bound in simulation.joint_bounds.items() if key[0] not in joints}


@undoable
def set_input(simulation: Simulation, name: str, value: float) -> None:
    """Set a control input of the scene, which acts from the next step on. It is driving, and no edit.

    Raises:
        BadInput: the scene has no such input, or the value is not finite.
    """
    if name not in simulation.world.inputs:
        raise BadInput(message("this scene has no control input '{name}'; available: {inputs}", name=name,
                               inputs=", ".join(simulation.world.inputs) or "none"))
    simulation.world.set_input(name, value)


@command
def bookmark_state(simulation: Simulation) -> None:
    """Bookmark this state."""
    simulation.timeline.go_to_goal()
    simulation.timeline.bookmarked()
    simulation.bookmarked = simulation.world.snapshot()
    simulation.notify(message("state at t = {time:.3f} s bookmarked; press F9 to return to it", time=simulation.world.time))


@command
def return_to_state(simulation: Simulation) -> None:
    """Return to the bookmarked state."""
    if simulation.bookmarked is None:
        raise BadInput("no bookmarked state: press F5 to bookmark one")
    with simulation.undo.whole_edit("return_to_state", lambda before: message("returned to t = {time:.4g} s",
            time=simulation.bookmarked.time)):
        simulation.world.restore(simulation.bookmarked)
        simulation.dragged = -1
        for j, name in enumerate(simulation.world.joint_names):
            if name == MOUSE_SPRING:
                simulation.world.remove_joint(j)
        simulation.traces.cut(simulation.world.time)
        simulation.timeline.continue_from_bookmark()


@command
def rebuild_changed_scene(simulation: Simulation, modules: Sequence[str] = ()) -> None:
    """Reload these modules and rebuild the scene. Parameters that it still has, and everything that survives a reset, stay.

    Raises:
        BadInput: it cannot be read or built; the world stays as it is.
    """
    if trouble := " ".join(filter(None, map(read_again, modules))):
        raise BadInput(trouble)
    if simulation.scene is None:
        return
    if simulation.document.path:
        simulation.notify(message("the program of the scene '{scene_name}' was changed: open {path} again to use it",
                               scene_name=simulation.scene_name, path=simulation.document.path))
        return
    scene = scenes.find(simulation.scene_name)
    parameters = scene.parameters()
    for field in fields(parameters):
        with contextlib.suppress(AttributeError, BadInput):
            set_field(parameters, field.name, getattr(simulation.present_parameters, field.name))
    world = build(scene, parameters)
    simulation.scene, simulation.parameters, simulation.edits, simulation.bookmarked = scene, parameters, EditList(), None
    simulation.start, simulation.document = Start(), Document()
    simulation.traces.record_only(scene.plots)
    simulation.rebuild(world)
    simulation.notify(message("the file of '{scene_name}' was saved: the scene is updated", scene_name=simulation.scene_name))
