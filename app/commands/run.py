"""`stiction run SCENE`: a scene without a window, the same bits every time, numbers to a CSV file."""

import argparse
import csv
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from app.commands import _world

HELP = "run a scene without a window and write numbers to a CSV file"
EXAMPLES = """\
  stiction run door --seconds 5 --csv door.csv
  stiction run stack --dt 0.002 --iterations 50 --friction 0.3
  stiction run door --quantities joint:hinge.angle,world.energy --csv -
  stiction run domino --wav domino.wav
  stiction run door --option warm_start=false --set max_friction=10

The same command line gives the same bits on every run: sweeps are limited by number, not by the clock (see --budget-ms)."""


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("scene", metavar="SCENE", help="`stiction scenes` lists them")
    add("--seconds", type=float, metavar="T", help="simulated time [s]; the scene's own if not given")
    add("--csv", metavar="FILE", help="write one row a step, time first; - is standard output")
    add("--wav", metavar="FILE", help="write the sound of the run: impacts, sliding and joints, as the scene's camera hears them")
    add("--parquet", metavar="FILE", help="the same numbers as a Parquet file, for pandas, Polars, DuckDB")
    add("--quantities", metavar="KEY,..", help="columns, as body:NAME.speed, joint:NAME.angle, world.energy")
    _world.arguments(parser)
    add("--budget-ms", type=float, metavar="B", help="wall-clock time a step may take [ms]; gives up sameness of bits")


def run(args: argparse.Namespace) -> int:
    """Step the scene, write the file, print a summary."""
    import scenes
    from app.sound.recording import as_wav, of_scene
    from app.whole_files import opened
    from physics import quantities, step

    scene = scenes.find(args.scene)
    seconds = _world.positive("--seconds", scene.check_time if args.seconds is None else args.seconds)
    dt = _world.positive("--dt", scene.dt if args.dt is None else args.dt)
    parameters = _world.chosen_parameters(scene, args.parameters)
    world = _world.chosen_world(scene, parameters, args)
    given = tuple(key.strip() for key in (args.quantities or "").split(",") if key.strip())
    keys = given or tuple(scene.plots) or tuple(quantities.default_keys(world))
    columns = {key: quantities.find(world, key) for key in dict.fromkeys((*keys, *scene.plots))}
    trace: dict[str, list[float]] = {key: [] for key in ("time", *columns)}
    with table(args.csv) as write, (opened(args.wav) if args.wav else nullcontext()) as sound:
        recording = of_scene(world, scene) if sound else None
        write(["time [s]", *(columns[key].header for key in keys)])
        for n in progress(round(seconds / dt) + 1):
            if n:
                step(world, dt)
                if recording:
                    recording.step()
            trace["time"].append(world.time)
            for key, quantity in columns.items():
                trace[key].append(quantity.read(world))
            write([repr(trace[key][-1]) for key in ("time", *keys)])
        if recording:
            as_wav(recording.samples(1.0), sound)
    if args.parquet is not None:
        save_parquet(Path(args.parquet), {"time [s]": trace["time"], **{columns[key].header: trace[key] for key in keys}})
    summary(scene, parameters, world, trace, sys.stderr if args.csv == "-" else sys.stdout)
    return 0


def save_parquet(path: Path, table: dict[str, list[float]]) -> None:
    """A column for each quantity, whole or not at all."""
    import numpy as np

    from app.insight import parquet
    from app.whole_files import write

    write(path, parquet.encode({name: np.array(values) for name, values in table.items()}))


@contextmanager
def table(path: str | None) -> Iterator[Callable[[list], Any]]:
    """A function that writes one row of a CSV file. The file appears when it is whole, or not at all."""
    from app.whole_files import opened

    if path is None:
        yield lambda row: None
    elif path == "-":
        yield csv.writer(sys.stdout, lineterminator="\n").writerow
    else:
        with opened(path, "w", encoding="utf-8", newline="") as stream:
            yield csv.writer(stream, lineterminator="\n").writerow


def progress(count: int) -> Iterator[int]:
    """range(count) behind a progress bar in a terminal."""
    from tqdm import tqdm

    terminal = bool(sys.stderr and sys.stderr.isatty())
    return iter(tqdm(range(count), unit="step", disable=not terminal, file=sys.stderr, leave=False))


def audited(world: Any) -> str:
    """What the auditor found in all steps, in a line."""
    account = world.account
    if not world.audit.options.on:
        return "off"
    if not account.failed:
        return f"nothing found in {world.steps} steps"
    what = ", ".join(f"{title} in {steps}" for title, steps in sorted(account.broken.items(), key=lambda item: -item[1]))
    return f"fails in {account.failed} of {world.steps} steps: {what}"


def summary(scene: Any, parameters: Any, world: Any, trace: dict[str, list[float]], out: Any) -> None:
    """What happened, in a few lines."""
    import numpy as np

    from app.insight.budget import ended

    report = world.report
    wall = report.times.get("step", math.nan)
    energy = " + ".join(f"{value:.6g} J {name}" for name, value in report.energy.items())
    print(f"{scene.title}: {world.time:.6g} s in {world.steps} steps with {report.solver}", file=out)
    print(f"last step: {1e3 * wall:.2f} ms, {report.iterations} {report.counted}, {ended(report)}, "
          f"residual {report.residual:.2g} m/s, "
          f"{report.contacts} contacts, penetration {1e3 * report.penetration:.2g} mm", file=out)
    print(f"energy: {energy}", file=out)
    print(f"audit: {audited(world)}", file=out)
    if scene.numerical:
        print(f"numerical energy: {scene.numerical}", file=out)
    for sentence in world.warnings:
        print(f"warning: {sentence}", file=out)
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
