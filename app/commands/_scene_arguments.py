"""Common part of commands that build a scene: the arguments that choose a world, and building it."""

import argparse
import csv
import math
from typing import Any

SCENE_HELP = ("scene name (see `stiction scenes`); or FILE.toml, a scene file; or FILE.urdf, .xml (MJCF) or .sdf, a robot; or "
              "FILE.obj, .stl, .glb, .gltf, .dae, a mesh; or FILE.py, your own or a trusted scene: it is a program, and naming "
              "it here runs it")
"""Allowed values of a command's scene."""
MAX_STEPS = 10**9
"""Largest number of steps of a command."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add step, solver, materials, options and the scene's parameters."""
    add = parser.add_argument
    add("--dt", type=float, help="step size [s]; default: that of the scene")
    solver_arguments(parser)
    add("--iterations", type=int, metavar="N", help="maximum number of sweeps per step")
    add("--friction", type=float, metavar="MU",
        help="friction coefficient of every body; what the scene sets for pairs of materials stays")
    add("--restitution", type=float, metavar="E", help="restitution of every body, likewise")
    add("--facets", type=int, metavar="K", help="approximate friction cones by polygons with K corners")
    add("--set", action="append", default=[], metavar="NAME=VALUE", dest="parameters",
        help="set a parameter of the scene; repeatable")


def solver_arguments(parser: argparse.ArgumentParser) -> None:
    """Add solver and its options."""
    parser.add_argument("--solver", metavar="NAME", help="solver; default: that of the scene")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE",
                        help="set an option of the solver; repeatable")


def require_scene(name: str) -> None:
    """Require the scene, or the recording, that a window shows, before it opens. A plain name has been checked already, without
    importing physics (app/cli.py); so has what a scene file contains.

    Raises:
        BadInput: there is no such scene; the message lists similar names. OSError: there is no such recording.
    """
    if not name or name.isidentifier():
        return
    import os

    import scenes
    from app.engine.recording import file

    if name.endswith(file.SUFFIXES):
        os.stat(name)
    else:
        scenes.find(name)


def require_solver(name: str) -> None:
    """Require a solver's name, before a window opens or a scene is built.

    Raises:
        Usage: there is no solver of that name, in this program or in the user's allowed files.
    """
    from app.commands import Usage
    from app.own_files import discover
    from physics import solvers

    discover.run_all()
    known = solvers.available()
    if name not in known:
        raise Usage(f"argument --solver: unknown solver '{name}'; choose from {', '.join(known)}")


def positive(name: str, value: float) -> float:
    """Require a finite number above zero."""
    from physics import BadInput

    if not (math.isfinite(value) and value > 0.0):
        raise BadInput(f"{name} = {value:g} must be a finite number greater than zero")
    return value


def duration(name: str, value: float) -> float:
    """Require a finite number not below zero [s]."""
    from physics import BadInput

    if not (math.isfinite(value) and value >= 0.0):
        raise BadInput(f"{name} = {value:g} must be a finite number, at least zero")
    return value


def step_size(args: argparse.Namespace, usual: float | None) -> float | None:
    """Return --dt [s], else the usual step size: checked before a file is opened.

    Raises:
        BadInput: no world makes such a step.
    """
    from physics import BadInput
    from physics.step import LONGEST_STEP, SHORTEST_STEP

    if args.dt is None:
        return usual
    if not SHORTEST_STEP <= positive("--dt", args.dt) <= LONGEST_STEP:
        raise BadInput(f"--dt = {args.dt:g} s is not allowed; allowed: {SHORTEST_STEP:g} .. {LONGEST_STEP:g} s")
    return args.dt


def steps(name: str, seconds: float, dt: float) -> int:
    """Return the number of steps of `dt` in a time; name: the option that gives the time."""
    from physics import BadInput

    if seconds / MAX_STEPS > dt:
        raise BadInput(f"{name} = {seconds:g} s in steps of {dt:g} s takes more than {MAX_STEPS:.0e} steps: shorten the time or "
                       "lengthen the step")
    return round(seconds / dt)


def target(option: str, path: str | None, kinds: tuple[str, ...] = (), *, stream: bool = False) -> None:
    """Reject an output file that cannot be written, before its contents are computed. path: None: no file. kinds: of
    app/engine/file_kinds.py, which the option writes. stream: "-" is the standard output.

    Raises:
        BadInput: it is a folder, a pipe or a device, in a folder that does not exist, or named like a file of another kind.
    """
    if path is None:
        return      # before the imports: a window without a screenshot shows its card first
    from pathlib import Path

    from app.engine.file_kinds import kind_of
    from app.files.atomic_write import NoPlace, check_place
    from physics import BadInput

    if path == "-":
        if stream:
            return
        raise BadInput(f"{option} - is not a file: name one")
    try:
        check_place(path)
    except NoPlace as error:
        raise BadInput(f"{option} {path} {error.strerror}") from None
    if not Path(path).resolve().parent.is_dir():
        raise BadInput(f"{option} {path}: the folder does not exist")
    if (kind := kind_of(path)) and kind not in kinds:
        raise BadInput(f"{option} {path}: {Path(path).suffix} is the ending of {kind}, which it does not write; name another "
                       "file")


def targets(options: dict[str, str | None], inputs: dict[str, str], kinds: dict[str, tuple[str, ...]] | None = None,
            stream: str = "") -> None:
    """`target` for each of a command's output files. inputs: files that it reads, by their words in the usage; "": none.
    kinds: of each option; stream: the option of which "-" is the standard output.

    Raises:
        BadInput: as `target`; or two of them are one file.
    """
    from physics import BadInput

    taken = {word: path for word, path in inputs.items() if path}
    for option, path in options.items():
        target(option, path, (kinds or {}).get(option, ()), stream=option == stream)
        if path in (None, "-"):
            continue
        for word, other in taken.items():
            if _one_file(path, other):
                raise BadInput(f"{option} {path} is also {word} {other}: name another file")
        taken[option] = path


def _one_file(a: str, b: str) -> bool:
    """Whether two paths lead to one file, now or once it is written."""
    import os

    try:
        return os.path.samefile(a, b)
    except OSError:
        return os.path.normcase(os.path.realpath(a)) == os.path.normcase(os.path.realpath(b))


def chosen_parameters(scene: Any, pairs: list[str]) -> Any:
    """Return the scene's parameters with the given ones changed."""
    from physics import BadInput, fields, set_option
    from physics.core.check import name_hint
    from physics.core.former_names import field_today

    parameters = scene.parameters()
    known = [field.name for field in fields(parameters)]
    for name, value in map(pair, pairs):
        if field_today(type(parameters), name) not in known:
            raise BadInput(f"--set {name}: '{scene.title}' has no such parameter{name_hint(name, known)}")
        set_option(parameters, name, value)
    return parameters


def choices(args: argparse.Namespace) -> Any:
    """The `Choices` of a command line."""
    from app.build_scene import Choices

    return Choices(args.solver or "", args.iterations, args.facets, tuple(map(pair, args.option)), args.friction,
                   args.restitution, args.budget_ms)


def chosen_world(scene: Any, parameters: Any, args: argparse.Namespace) -> Any:
    """Build the scene's world, with solver, options and materials of the command line."""
    from app.build_scene import build_chosen

    return build_chosen(scene, parameters, choices(args))


def names(text: str) -> tuple[str, ...]:
    """Names between commas; double quotes enclose a name that has a comma."""
    parts = next(csv.reader([" ".join(text.splitlines())], skipinitialspace=True), [])
    return tuple(part.strip() for part in parts if part.strip())


def pair(text: str) -> tuple[str, Any]:
    """Parse "warm_start=false" as ("warm_start", False); numbers become numbers, anything else stays text."""
    from app.build_scene import value_of
    from physics import BadInput

    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name and equals):
        raise BadInput(f"'{text}' must have the form NAME=VALUE")
    return name, value_of(value)


def size(text: str, smallest: int = 1) -> tuple[int, int]:
    """Parse "1600x1000" as two numbers of pixels."""
    from physics import BadInput

    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and smallest <= int(part[:9]) <= 16384 for part in parts):
        raise BadInput(f"--size {text} must have the form 1600x1000, with {smallest} .. 16384 pixels per side")
    return int(parts[0]), int(parts[1])
