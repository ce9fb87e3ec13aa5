"""`stiction run SCENE`: run a scene without a window, bit-reproducibly, and write numbers to a CSV file."""

import argparse
import csv
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from app.commands import _scene_arguments

HELP = "run a scene without a window and write numbers to a CSV file"
EXAMPLES = """\
  stiction run door --seconds 5 --csv door.csv
  stiction run stack --dt 0.002 --iterations 50 --friction 0.3
  stiction run door --quantities joint:hinge.angle,world.energy --csv -
  stiction run domino --wav domino.wav
  stiction run door --option warm_start=false --set max_friction=10

Runs are bit-reproducible: sweeps are limited by number, not by time (see --budget-ms)."""


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("scene", metavar="SCENE", help=_scene_arguments.SCENE_HELP)
    add("--seconds", type=float, metavar="T", help="simulated time [s]; default: that of the scene")
    add("--csv", metavar="FILE", help="write one row per step, time first; - is standard output")
    add("--wav", metavar="FILE", help="write the sound of the run (impacts, sliding, joints) as heard at the scene's camera")
    add("--parquet", metavar="FILE", help="write the same data as a Parquet file for pandas, Polars, DuckDB")
    add("--quantities", metavar="KEY,..", help="columns, for example body:NAME.speed, joint:NAME.angle, input:NAME, "
        "world.energy; a key with a comma in double quotes")
    _scene_arguments.arguments(parser)
    add("--budget-ms", type=float, metavar="B", help="wall-clock time budget per step [ms]; runs are then not reproducible")


def run(args: argparse.Namespace) -> int:
    """Step the scene, write the file, print a summary."""
    import scenes
    from app.files.atomic_write import open_atomic
    from app.sound.wav_recording import as_wav, of_scene
    from physics import step
    from physics.observe import quantities

    scene = scenes.find(args.scene)
    _scene_arguments.targets({"--csv": args.csv, "--wav": args.wav, "--parquet": args.parquet}, {"SCENE": scene.file},
                             {"--csv": ("measured runs",)}, stream="--csv")
    seconds = _scene_arguments.duration("--seconds", scene.check_time if args.seconds is None else args.seconds)
    dt = _scene_arguments.step_size(args, scene.dt)
    count = _scene_arguments.steps("--seconds", seconds, dt)
    parameters = _scene_arguments.chosen_parameters(scene, args.parameters)
    world = _scene_arguments.chosen_world(scene, parameters, args)
    given = asked_keys(args.quantities)
    keys = tuple(dict.fromkeys(given or tuple(scene.plots) or tuple(quantities.default_keys(world))))
    columns = {key: scenes.find_quantity(world, key, scene) for key in dict.fromkeys((*keys, *scene.plots))}
    titles = ["time [s]", *quantities.titles(columns[key] for key in keys)]
    trace: dict[str, list[float]] = {key: [] for key in ("time", *columns)}
    with table(args.csv) as write, (open_atomic(args.wav) if args.wav else nullcontext()) as sound:
        recording = of_scene(world, scene) if sound else None
        write(titles)
        for n in progress(count + 1):
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
        save_parquet(Path(args.parquet), {title: trace[key] for title, key in zip(titles, ("time", *keys), strict=True)})
    summary(scene, parameters, world, trace, sys.stderr if args.csv == "-" else sys.stdout, overrides(args))
    return 0


def asked_keys(text: str | None) -> tuple[str, ...]:
    """The keys of --quantities; (): it is not given.

    Raises:
        BadInput: it names none.
    """
    from physics import BadInput

    keys = _scene_arguments.names(text or "")
    if text is not None and not keys:
        raise BadInput(f"--quantities '{text}' names none; leave it out for those that the scene plots")
    return keys


def overrides(args: argparse.Namespace) -> list[str]:
    """What the command line sets for all bodies, whatever the scene's parameters are: predictions follow from the parameters."""
    given = {"friction": args.friction, "restitution": args.restitution}
    return [f"--{name} {value:g} is the {name} of every body; predictions are for the {name} that the scene's parameters give"
            for name, value in given.items() if value is not None]


def save_parquet(path: Path, table: dict[str, list[float]]) -> None:
    """Write a column for each quantity, atomically."""
    import numpy as np

    from app.analysis.curves import parquet
    from app.files.atomic_write import write

    write(path, parquet.encode({name: np.array(values) for name, values in table.items()}))


@contextmanager
def table(path: str | None) -> Iterator[Callable[[list], Any]]:
    """Yield a function that writes one row of a CSV file. The file appears once complete, or not at all."""
    from app.files.atomic_write import open_atomic

    if path is None:
        yield lambda row: None
    elif path == "-":
        yield csv.writer(sys.stdout, lineterminator="\n").writerow
    else:
        with open_atomic(path, "w", encoding="utf-8", newline="") as stream:
            yield csv.writer(stream, lineterminator="\n").writerow


def progress(count: int) -> Iterator[int]:
    """Iterate over range(count) behind a progress bar in a terminal."""
    from tqdm import tqdm

    terminal = bool(sys.stderr and sys.stderr.isatty())
    return iter(tqdm(range(count), unit="step", disable=not terminal, file=sys.stderr, leave=False))


def audited(world: Any, steps: int) -> str:
    """Summarise the auditor failures of all steps of this run in a line."""
    from app.i18n.message import message

    account = world.energy_totals
    if not world.audit.options.enabled:
        return "off"
    if not account.audit_failures:
        return f"no violation in {message('{count} step', '{count} steps', count=steps)}"
    rules = sorted(account.failures_by_rule.items(), key=lambda item: -item[1])
    what = ", ".join(f"{name} in {count}" for name, count in rules)
    return f"violations in {account.audit_failures} of {steps} steps: {what}"


def last_step(world: Any, steps: int, out: Any) -> None:
    """Print the last step's report, and the auditor failures of all steps of this run."""
    from app.analysis.microscope.budget import ended
    from app.i18n.message import message

    report = world.report
    wall = report.times.get("step", math.nan)
    energy = " + ".join(f"{value:.6g} J {name}" for name, value in report.energy.items())
    unit = report.iteration_unit.removesuffix("s") if report.iterations == 1 else report.iteration_unit
    contacts = message("{count} contact", "{count} contacts", count=report.contacts)
    print(f"last step: {1e3 * wall:.2f} ms, {report.iterations} {unit}, {ended(report)}, residual {report.residual:.2g} m/s, "
          f"{contacts}, penetration {1e3 * report.penetration:.2g} mm", file=out)
    print(f"energy: {energy}", file=out)
    print(f"audit: {audited(world, steps)}", file=out)


def summary(scene: Any, parameters: Any, world: Any, trace: dict[str, list[float]], out: Any,
            remarks: Sequence[str] = ()) -> None:
    """Print a summary of a few lines. The world of a scene file may have begun later than at 0."""
    import scenes
    from app.i18n.message import message

    steps, begin = len(trace["time"]) - 1, trace["time"][0]
    made = message("{count} step", "{count} steps", count=steps)
    since = f", from {begin:.6g} s to {world.time:.6g} s," if begin else ""
    print(f"{scene.title}: {world.time - begin:.6g} s in {made}{since} with {world.solver.name}", file=out)
    if world.report is not None:
        last_step(world, steps, out)
    if scene.numerical:
        print(f"numerical energy: {scene.numerical}", file=out)
    if scene.violations and world.energy_totals.audit_failures:
        print(f"violations: {scene.violations}", file=out)
    for sentence in world.warnings:
        print(f"warning: {sentence}", file=out)
    for sentence in remarks if scene.predict else ():
        print(f"remark: {sentence}", file=out)
    for prediction, measured in scenes.predicted_and_measured(scene, parameters, world, trace):
        if measured is None:
            print(f"{prediction.name}: predicted {prediction.value:.6g} {prediction.unit}, not reached yet", file=out)
            continue
        error = abs(measured - prediction.value) / abs(prediction.value) if prediction.value else abs(measured)
        kind = f"{error:.2%} off" if prediction.value else f"{error:.2g} off"
        print(f"{prediction.name}: predicted {prediction.value:.6g} {prediction.unit}, measured {measured:.6g} "
              f"({kind})", file=out)
