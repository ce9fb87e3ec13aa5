"""`stiction run SCENE`: a scene without a window, the same bits every time, numbers to a CSV file."""

import argparse
import csv
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HELP = "run a scene without a window and write numbers to a CSV file"
EXAMPLES = """\
  stiction run door --seconds 5 --csv door.csv
  stiction run stack --dt 0.002 --iterations 50 --friction 0.3
  stiction run door --quantities joint:hinge.angle,world.energy --csv -
  stiction run door --option warm_start=false --set max_friction=10

The same command line gives the same bits on every run: sweeps are limited by number, not by the clock (see --budget-ms)."""


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("scene", metavar="SCENE", help="`stiction scenes` lists them")
    add("--seconds", type=float, metavar="T", help="simulated time [s]; the scene's own if not given")
    add("--csv", metavar="FILE", help="write one row a step, time first; - is standard output")
    add("--quantities", metavar="KEY,..", help="columns, as body:NAME.speed, joint:NAME.angle, world.energy")
    add("--dt", type=float, help="step [s]; the scene's own if not given")
    add("--solver", metavar="NAME", help="another solver")
    add("--iterations", type=int, metavar="N", help="most sweeps a step")
    add("--budget-ms", type=float, metavar="B", help="wall-clock time a step may take [ms]; gives up sameness of bits")
    add("--friction", type=float, metavar="MU", help="friction coefficient of every body")
    add("--restitution", type=float, metavar="E", help="restitution of every body")
    add("--facets", type=int, metavar="K", help="friction cones are polygons with K corners")
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="any option of the solver; may be repeated")
    add("--set", action="append", default=[], metavar="NAME=VALUE", dest="parameters",
        help="a parameter of the scene; may be repeated")


def run(args: argparse.Namespace) -> int:
    """Step the scene, write the file, print a summary."""
    import scenes
    from physics import quantities, step

    scene = scenes.find(args.scene)
    seconds = positive("--seconds", scene.check_time if args.seconds is None else args.seconds)
    dt = positive("--dt", scene.dt if args.dt is None else args.dt)
    parameters = chosen_parameters(scene, args.parameters)
    world = chosen_world(scene, parameters, args)
    given = tuple(key.strip() for key in (args.quantities or "").split(",") if key.strip())
    keys = given or tuple(scene.plots) or tuple(quantities.default_keys(world))
    columns = {key: quantities.find(world, key) for key in dict.fromkeys((*keys, *scene.plots))}
    trace: dict[str, list[float]] = {key: [] for key in ("time", *columns)}
    with table(args.csv) as write:
        write(["time [s]", *(columns[key].header for key in keys)])
        for n in progress(round(seconds / dt) + 1):
            if n:
                step(world, dt)
            trace["time"].append(world.time)
            for key, quantity in columns.items():
                trace[key].append(quantity.read(world))
            write([repr(trace[key][-1]) for key in ("time", *keys)])
    summary(scene, parameters, world, trace, sys.stderr if args.csv == "-" else sys.stdout)
    return 0


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
    options = world.solver.options
    known = {field.name for field in fields(options)}
    if args.solver:
        for name in known & set(scene.options):
            set_option(options, name, scene.options[name])
    if "budget" in known or args.budget_ms is not None:
        set_option(options, "budget", 0.0 if args.budget_ms is None else args.budget_ms)
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


@contextmanager
def table(path: str | None) -> Iterator[Callable[[list], Any]]:
    """A function that writes one row of a CSV file. The file appears when it is whole, or not at all."""
    if path is None:
        yield lambda row: None
        return
    if path == "-":
        yield csv.writer(sys.stdout, lineterminator="\n").writerow
        return
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(0, "is a folder: name a file in it", str(target))
    try:
        handle, temporary = tempfile.mkstemp(prefix=".", suffix=".csv", dir=target.parent)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(target)) from None
    try:
        with open(handle, "w", encoding="utf-8", newline="") as stream:
            yield csv.writer(stream, lineterminator="\n").writerow
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def progress(count: int) -> Iterator[int]:
    """range(count) behind a progress bar in a terminal."""
    from tqdm import tqdm

    terminal = bool(sys.stderr and sys.stderr.isatty())
    return iter(tqdm(range(count), unit="step", disable=not terminal, file=sys.stderr, leave=False))


def summary(scene: Any, parameters: Any, world: Any, trace: dict[str, list[float]], out: Any) -> None:
    """What happened, in a few lines."""
    import numpy as np

    report = world.report
    wall = report.times.get("step", math.nan)
    energy = " + ".join(f"{value:.6g} J {name}" for name, value in report.energy.items())
    print(f"{scene.title}: {world.time:.6g} s in {world.steps} steps with {report.solver}", file=out)
    print(f"last step: {1e3 * wall:.2f} ms, {report.iterations} sweeps, {report.end}, residual {report.residual:.2g} m/s, "
          f"{report.contacts} contacts, penetration {1e3 * report.penetration:.2g} mm", file=out)
    print(f"energy: {energy}", file=out)
    columns = {key: np.array(values) for key, values in trace.items()}
    for prediction in (scene.predict(parameters) if scene.predict else ()):
        measured = prediction.measure(world, columns)
        if measured is None:
            print(f"{prediction.name}: predicted {prediction.value:.6g} {prediction.unit}, not reached yet", file=out)
            continue
        error = abs(measured - prediction.value) / abs(prediction.value) if prediction.value else abs(measured)
        kind = f"{error:.2%} off" if prediction.value else f"{error:.2g} off"
        print(f"{prediction.name}: predicted {prediction.value:.6g} {prediction.unit}, measured {measured:.6g} "
              f"({kind})", file=out)
