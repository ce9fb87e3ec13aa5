"""Common part of commands that build a scene: the arguments that choose a world, and building it."""

import argparse
import math
from typing import Any

SCENE = ("scene name (see `stiction scenes`); or FILE.py, your own or a trusted scene: it is a program, and naming it here runs "
         "it")
"""Allowed values of a command's scene."""
MAX_STEPS = 10**9
"""Largest number of steps of a command."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add step, solver, materials, options and the scene's parameters."""
    add = parser.add_argument
    add("--dt", type=float, help="step size [s]; default: that of the scene")
    add("--solver", metavar="NAME", help="solver; default: that of the scene")
    add("--iterations", type=int, metavar="N", help="maximum number of sweeps per step")
    add("--friction", type=float, metavar="MU", help="friction coefficient of every body")
    add("--restitution", type=float, metavar="E", help="restitution of every body")
    add("--facets", type=int, metavar="K", help="approximate friction cones by polygons with K corners")
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="set an option of the solver; repeatable")
    add("--set", action="append", default=[], metavar="NAME=VALUE", dest="parameters",
        help="set a parameter of the scene; repeatable")


def positive(name: str, value: float) -> float:
    """Require a finite number above zero."""
    from physics import BadInput

    if not (math.isfinite(value) and value > 0.0):
        raise BadInput(f"{name} = {value:g} must be greater than zero")
    return value


def duration(name: str, value: float) -> float:
    """Require a finite number not below zero [s]."""
    from physics import BadInput

    if not (math.isfinite(value) and value >= 0.0):
        raise BadInput(f"{name} = {value:g} must be at least zero")
    return value


def steps(name: str, seconds: float, dt: float) -> int:
    """Return the number of steps of `dt` in a time; name: the option that gives the time."""
    from physics import BadInput

    if seconds / MAX_STEPS > dt:
        raise BadInput(f"{name} = {seconds:g} s in steps of {dt:g} s takes more than {MAX_STEPS:.0e} steps: shorten the time or "
                       "lengthen the step")
    return round(seconds / dt)


def target(option: str, path: str | None) -> None:
    """Reject an output file that cannot be written, before its contents are computed. path: None or "-": no file.

    Raises:
        BadInput: it is a folder, a pipe or a device, or in a folder that does not exist.
    """
    from pathlib import Path

    from app.files.atomic_write import NoPlace, check_place
    from physics import BadInput

    if path in (None, "-"):
        return
    try:
        check_place(path)
    except NoPlace as error:
        raise BadInput(f"{option} {path} {error.strerror}") from None
    if not Path(path).resolve().parent.is_dir():
        raise BadInput(f"{option} {path}: the folder does not exist")


def chosen_parameters(scene: Any, pairs: list[str]) -> Any:
    """Return the scene's parameters with the given ones changed."""
    from physics import set_option

    parameters = scene.parameters()
    for name, value in map(pair, pairs):
        set_option(parameters, name, value)
    return parameters


def chosen_world(scene: Any, parameters: Any, args: argparse.Namespace) -> Any:
    """Build the scene's world, with solver, options and materials of the command line."""
    import scenes
    from app.build_scene import build
    from physics import fields, set_option

    world = build(scene, parameters)
    if args.solver:
        world.use_solver(args.solver)
        scenes.set_options(world, scene, parameters)
    options = world.solver.options
    known = {field.name for field in fields(options)}
    if args.budget_ms is None:
        scenes.without_clock(world)
    else:
        set_option(options, "budget", args.budget_ms)
    if args.facets is not None and "cone" in known:
        set_option(options, "cone", "polygon")
    for name, value in (("iterations", args.iterations), ("facets", args.facets)):
        if value is not None:
            set_option(options, name, value)
    for name, value in map(pair, args.option):
        set_option(options, name, value)
    if args.friction is not None:
        world.set_friction(args.friction)
    if args.restitution is not None:
        world.set_restitution(args.restitution)
    return world


def pair(text: str) -> tuple[str, Any]:
    """Parse "warm_start=false" as ("warm_start", False); numbers become numbers, anything else stays text."""
    from physics import BadInput

    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name and equals):
        raise BadInput(f"'{text}' must have the form NAME=VALUE")
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    for convert in (int, float):
        try:
            return name, convert(value)
        except ValueError:
            continue
    return name, value


def size(text: str, smallest: int = 1) -> tuple[int, int]:
    """Parse "1600x1000" as two numbers of pixels."""
    from physics import BadInput

    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and smallest <= int(part[:9]) <= 16384 for part in parts):
        raise BadInput(f"--size {text} must have the form 1600x1000, with {smallest} .. 16384 pixels per side")
    return int(parts[0]), int(parts[1])
