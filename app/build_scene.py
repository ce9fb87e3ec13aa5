"""Builds the world of a scene in a worker thread, so that a long build can be shown and cancelled; with a choice of solver,
options and materials where a command requests them."""

import inspect
from dataclasses import dataclass
from typing import Any

import scenes
from app import cancellable_work, world_settings
from app.i18n.message import message
from app.own_files import discover
from physics import BadInput, World, fields, set_option


@dataclass(frozen=True)
class Choices:
    """What a command changes of a scene's world; None, "" and (): as the scene has it.

    solver: name of its file; iterations, facets (which makes the cone a polygon), options: of that solver.
    friction, restitution: of every body; what the scene sets for pairs of materials stays, which a warning tells.
    settings: of single bodies and joints (app/world_settings.py).
    budget: wall time per step [ms]; None: none, the same numbers on every machine.
    """

    solver: str = ""
    iterations: int | None = None
    facets: int | None = None
    options: tuple[tuple[str, Any], ...] = ()
    friction: float | None = None
    restitution: float | None = None
    budget: float | None = None
    settings: tuple[tuple[str, float], ...] = ()


def build(scene: scenes.Scene, parameters: Any = None) -> World:
    """Return a world with the scene built in it, as `scenes.make_world`.

    Raises:
        BadInput: the build was cancelled, or the user's own scene failed; the text names the error and its line.
    """
    path, own = _file(scene), bool(own_file(scene))
    runs_code = own and path.lower().endswith((".py", ".toml"))      # robots and meshes have limits of their own
    try:
        return cancellable_work.run(lambda: scenes.make_world(scene, parameters),
                                    message("Building '{scene}'", scene=scene.title),
                                    discover.MAX_LOAD_TIME if runs_code else None)
    except cancellable_work.WorkAbandoned as error:
        if error.cancelled:
            raise BadInput(message("cancelled: '{scene}' was not built", scene=scene.title)) from None
        raise BadInput(message("'{scene}' in {path} cannot be built: {error}", scene=scene.title, path=path,
                               error=discover.explained(error, path))) from None
    except Exception as error:
        if not own or (scene.file and isinstance(error, BadInput)):
            raise
        raise BadInput(message("'{scene}' in {path} cannot be built: {error}", scene=scene.title, path=path,
                               error=discover.explained(error, path))) from error


def build_chosen(scene: scenes.Scene, parameters: Any, choices: Choices) -> World:
    """The world of a scene with these choices.

    Raises:
        BadInput: as `build`; or the solver refuses the scene, or does not have such an option.
    """
    world = build(scene, parameters)
    if choices.solver:
        scenes.use_solver(world, scene, parameters, choices.solver, dict(choices.options))
    options = world.solver.options
    if choices.budget is None:
        scenes.without_clock(world)
    else:
        set_option(options, "budget", choices.budget)
    if choices.facets is not None and "cone" in {field.name for field in fields(options)}:
        set_option(options, "cone", "polygon")
    for name, value in (("iterations", choices.iterations), ("facets", choices.facets)):
        if value is not None:
            set_option(options, name, value)
    for name, value in choices.options:
        set_option(options, name, value)
    if choices.friction is not None:
        world.set_friction(choices.friction)
    if choices.restitution is not None:
        world.set_restitution(choices.restitution)
    for note in world_settings.kept_pairs(world, (name for name in world_settings.SURFACE if getattr(choices, name) is not None)):
        world.warnings.add(note)
    for name, value in choices.settings:
        world_settings.find(world, name).write(world, value)
    return world


def own_file(scene: scenes.Scene) -> str:
    """Path of the user's own file of the scene, of its scene file or of its robot's file; "" for one of ours."""
    path = _file(scene)
    return path if scene.file or discover.is_own(path) else ""


def value_of(text: str) -> Any:
    """The value of a word of a command line: "false" is False, numbers become numbers, anything else stays text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


def _file(scene: scenes.Scene) -> str:
    """Path of the scene file or the robot's file, or of the file that defines the scene's build function."""
    if scene.file:
        return scene.file
    code = getattr(inspect.unwrap(scene.build), "__code__", None)
    return code.co_filename if code is not None else ""
