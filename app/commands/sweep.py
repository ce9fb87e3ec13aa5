"""`stiction sweep SCENE`: a scene over all combinations of varied settings, in several processes, as a resumable table."""

import argparse
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from app import commands
from app.commands import _scene_arguments

HELP = "run a scene over ranges of its parameters and write a table"
EXAMPLES = """\
  stiction sweep slider --vary max_friction=2:20:10 --measure body:carriage.x:max --out slider.csv
  stiction sweep incline --vary friction=0.1:0.9:33 --vary facets=4,8,16,circle --out incline.csv
  stiction sweep stack --vary dt=0.001:0.02:5:log --vary solver=sequential_impulses,soft_steps --measure world.energy --out a.csv
  stiction sweep door --vary max_friction=0:20:201 --out door.csv --scheduler tcp://host:8786
  stiction sweep mine.toml --vary mass:box=1:5:9 --vary vx:ball=0:4:9 --measure body:box.x:end --out mine.csv

--vary NAME=LO:HI:COUNT (both ends belong to it), NAME=LO:HI:COUNT:log, or NAME=A,B,.. NAME is a parameter of the scene, an
option of its solver, or solver, dt, friction, restitution, gravity; facets may be `circle`. Of a body or joint, also of a scene
file: mass:NAME, friction:NAME, restitution:NAME, x:NAME, vx:NAME (y, z), joint_friction:NAME, viscous:NAME. --measure is a
prediction of the scene by its name, in lower case with underscores, or a quantity with :max, :min, :mean or :end; by default all
predictions.

A row is written as soon as its run is finished, and tells settings, numbers, solver, largest residual, the auditor's verdict, and
why it failed, if it did: then the exit code is 1. The same command continues a table that was interrupted, unless a file of the
scene has changed since. Rows do not depend on the number of workers. x, y, z move a body alone: where a joint would be torn they
are refused. friction and restitution are those of all bodies; what the scene sets for pairs of materials stays, which is told."""


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("scene", metavar="SCENE", help=_scene_arguments.SCENE_HELP)
    add("--vary", action="append", required=True, metavar="NAME=VALUES", help="a setting and its values; repeatable")
    add("--measure", action="append", default=[], metavar="NAME", help="a column; repeatable; default: all predictions")
    add("--out", required=True, metavar="FILE", help="CSV file; one of the same sweep is continued")
    add("--overwrite", action="store_true", help="replace a file of another sweep")
    add("--seconds", type=float, metavar="T", help="simulated time of a run [s]; default: that of the scene")
    add("--workers", type=int, metavar="N", help="processes; default: one for each core")
    add("--scheduler", metavar="ADDRESS", help="run on a Dask cluster instead, for example tcp://host:8786")
    _scene_arguments.arguments(parser)
    parser.set_defaults(budget_ms=None)


def missing(args: argparse.Namespace) -> str:
    if args.scheduler is None or find_spec("distributed"):
        return ""
    from app.extras import install_command

    return f"--scheduler needs dask.distributed: run `{install_command('sweep', 'dask distributed')}`"


def run(args: argparse.Namespace) -> int:
    """Run what is not in the file yet; every row is there as soon as it is finished."""
    from app.analysis.studies import sweep as study
    from app.files.append_rows import AppendedRows, replace_rows

    sweep = planned(args)
    for note in study.notes(sweep):
        print(f"stiction: {note}", file=sys.stderr)
    began, total, done, failed = time.monotonic(), len(sweep), 0, 0
    with AppendedRows(args.out) as table:
        if args.overwrite:
            table.clear()
        study.check_continues(sweep, table.rows, args.out)
        points, there = study.remaining(sweep, table.rows), list(table.rows)
        failed = sum(bool(row[-1]) for row in table.rows[1:])
        if points:
            with workers(args, len(points)) as processes:
                if not there:
                    table.append(sweep.header())
                    there.append(sweep.header())
                for row in progress(sweep, points, processes):
                    table.append(row)
                    there.append(row)
                    done, failed = done + 1, failed + bool(row[-1])
    if points:
        replace_rows(args.out, study.ordered(sweep, there))
    spent = time.monotonic() - began
    print(f"{args.out}: {total} points, {done} run now in {spent:.3g} s ({done / max(spent, 1e-9):.3g} per second), "
          f"{total - done} were there, {failed} failed")
    if failed:
        print(f"stiction: {failed} of {total} points failed: column 'error' says why; remove their rows and repeat the command "
              "to run them again", file=sys.stderr)
        return commands.FAILED
    return commands.DONE


def planned(args: argparse.Namespace) -> Any:
    """The sweep of a command line."""
    import scenes
    from app.analysis.studies.sweep import Base, plan
    from physics import BadInput

    scene = scenes.find(args.scene)
    _scene_arguments.target("--out", args.out, ("measured runs",))
    if args.workers is not None and not 1 <= args.workers <= 1024:
        raise BadInput("--workers must be 1 .. 1024")
    seconds = _scene_arguments.positive("--seconds", scene.check_time if args.seconds is None else args.seconds)
    dt = _scene_arguments.step_size(args, scene.dt)
    _scene_arguments.steps("--seconds", seconds, dt)
    _scene_arguments.chosen_parameters(scene, args.parameters)
    base = Base(args.scene, tuple(map(_scene_arguments.pair, args.parameters)), _scene_arguments.choices(args), seconds, dt)
    return plan(base, args.vary, args.measure)


def workers(args: argparse.Namespace, points: int) -> Any:
    """The processes that a command line requests."""
    import scenes
    from app.analysis.studies.sweep_workers import ClusterWorkers, LocalWorkers
    from app.build_scene import own_file
    from physics.core.compile import processor

    if args.scheduler is None:
        return LocalWorkers(min(args.workers or processor.available(), points), own_file(scenes.find(args.scene)))
    return ClusterWorkers(args.scheduler)


def progress(sweep: Any, points: Sequence[Any], processes: Any) -> Any:
    """Rows behind a bar with the time left, in a terminal."""
    from tqdm import tqdm

    from app.analysis.studies.sweep_workers import rows

    terminal = bool(sys.stderr and sys.stderr.isatty())
    return tqdm(rows(sweep, points, processes), total=len(sweep), initial=len(sweep) - len(points), unit="point",
                disable=not terminal, file=sys.stderr, leave=False)
