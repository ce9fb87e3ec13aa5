"""Commands of the scene: its parameters, bookmarks, reloading its file."""

import contextlib
import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import scenes
from app.build_scene import build
from app.engine.command import command, undoable
from app.engine.scene_files.document import Document
from app.engine.simulation import Simulation
from app.engine.undo.difference import MOUSE
from app.engine.undo.edit_list import EditList, parameter_edit
from app.own_files.discover import read_again
from physics import BadInput, fields
from physics import set_option as set_field


@command
def set_parameter(simulation: Simulation, name: str, value: Any) -> None:
    """Set a parameter of the scene and rebuild it, with its own friction and restitution."""
    by_name = {f.name: f for f in fields(simulation.parameters)}
    if name not in by_name:
        raise BadInput(f"this scene has no parameter '{name}'; available: {', '.join(by_name) or 'none'}")
    before, trial, scene = simulation.parameters, dataclasses.replace(simulation.parameters), simulation.scene
    set_field(trial, name, value)
    world = build(scene, trial)
    with simulation.undo.whole_edit(f"set_parameter {name}", functools.partial(parameter_edit, by_name[name], trial)):
        simulation.parameters, simulation.start = trial, None
        simulation.forget_materials()
        simulation.rebuild(world)
        if scene.chosen_options and scene.options_of(before) != scene.options_of(trial):
            scenes.set_options(simulation.world, scene, trial)
            simulation.timeline.begin()


@undoable
def set_input(simulation: Simulation, name: str, value: float) -> None:
    """Set a control input of the scene, which acts from the next step on. It is driving, and no edit.

    Raises:
        BadInput: the scene has no such input, or the value is not finite.
    """
    if name not in simulation.world.inputs:
        raise BadInput(f"this scene has no control input '{name}'; available: {', '.join(simulation.world.inputs) or 'none'}")
    simulation.world.set_input(name, value)


@command
def bookmark_state(simulation: Simulation) -> None:
    """Bookmark this state."""
    simulation.timeline.go_to_goal()
    simulation.timeline.bookmarked()
    simulation.kept = simulation.world.snapshot()
    simulation.say(f"state at t = {simulation.world.time:.3f} s bookmarked; press F9 to return to it")


@command
def return_to_state(simulation: Simulation) -> None:
    """Return to the bookmarked state."""
    if simulation.kept is None:
        raise BadInput("no bookmarked state: press F5 to bookmark one")
    with simulation.undo.whole_edit("return_to_state", lambda before: f"returned to t = {simulation.kept.time:.4g} s"):
        simulation.world.restore(simulation.kept)
        simulation.dragged = -1
        for j, name in enumerate(simulation.world.joint_names):
            if name == MOUSE:
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
        simulation.say(f"the program of the scene '{simulation.scene_name}' was changed: open {simulation.document.path} again "
                       "to use it")
        return
    scene = scenes.find(simulation.scene_name)
    parameters = scene.parameters()
    for field in fields(parameters):
        with contextlib.suppress(AttributeError, BadInput):
            set_field(parameters, field.name, getattr(simulation.parameters, field.name))
    world = build(scene, parameters)
    simulation.scene, simulation.parameters, simulation.edits, simulation.kept = scene, parameters, EditList(), None
    simulation.start, simulation.document = None, Document()
    simulation.traces.record_only(scene.plots)
    simulation.rebuild(world)
    simulation.say(f"the file of '{simulation.scene_name}' was saved: the scene is updated")
