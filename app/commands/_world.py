"""What commands that build a scene have in common: the arguments that choose a world, and the world they choose."""

import argparse
import math
from typing import Any


def arguments(parser: argparse.ArgumentParser) -> None:
    """Step, solver, materials, options and the scene's parameters."""
    add = parser.add_argument
    add("--dt", type=float, help="step [s]; the scene's own if not given")
    add("--solver", metavar="NAME", help="another solver than the scene's own")
    add("--iterations", type=int, metavar="N", help="most sweeps a step")
    add("--friction", type=float, metavar="MU", help="friction coefficient of every body")
    add("--restitution", type=float, metavar="E", help="restitution of every body")
    add("--facets", type=int, metavar="K", help="friction cones are polygons with K corners")
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="any option of the solver; may be repeated")
    add("--set", action="append", default=[], metavar="NAME=VALUE", dest="parameters",
        help="a parameter of the scene; may be repeated")


def positive(name: str, value: float) -> float:
    """A finite number above zero."""
    from physics import BadInput

    if not (math.isfinite(value) and value > 0.0):
        raise BadInput(f"{name} = {value:g} must be a number above zero")
    return value


def chosen_parameters(scene: Any, pairs: list[str]) -> Any:
    """The scene's parameters with the given ones changed."""
    from physics import set_option

    parameters = scene.parameters()
    for name, value in map(pair, pairs):
        set_option(parameters, name, value)
    return parameters


def chosen_world(scene: Any, parameters: Any, args: argparse.Namespace) -> Any:
    """The scene in a world, with solver, options and materials of the command line."""
    import scenes
    from physics import fields, set_option

    world = scenes.make_world(scene, parameters)
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
    """"warm_start=false" is ("warm_start", False); numbers become numbers, anything else stays text."""
    from physics import BadInput

    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name and equals):
        raise BadInput(f"'{text}' must look like NAME=VALUE")
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    for convert in (int, float):
        try:
            return name, convert(value)
        except ValueError:
            continue
    return name, value


def size(text: str, smallest: int = 1) -> tuple[int, int]:
    """"1600x1000" as two numbers of pixels."""
    from physics import BadInput

    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and smallest <= int(part[:9]) <= 16384 for part in parts):
        raise BadInput(f"--size {text} must look like 1600x1000, with {smallest} .. 16384 pixels a side")
    return int(parts[0]), int(parts[1])
