"""`stiction map NAME`: a phase map, as the panel makes it: how runs end, or a number, over a plane of two parameters."""

import argparse
import sys
from typing import Any

from app.commands import _scene_arguments

HELP = "class the runs of a scene over a plane of two parameters"
EXAMPLES = """\
  stiction map                                                  list the maps
  stiction map tipping --out tipping.csv
  stiction map ladder --size 128 --set wall=0 --out ladder.csv
  stiction map ladder --x wall=0:1 --y angle=20:80 --solver stewart_trinkle --out wall.csv
  stiction map door --x max_friction=0:20 --y friction=0:1 --measure joint:hinge.angle:max --out door.csv
  stiction map mine.toml --x mass:box=1:5 --y vx:ball=0:8 --measure "body:box.z:min > 0" --seconds 1 --out mine.csv

NAME is a ready-made map, or a scene, also a file of your own: any two of its numbers, as `stiction sweep --vary` names them,
span the plane. --measure is `motion` (comes to rest, still moves), `contacts` (touches nothing, sticks, slips) or `audit` at the
end of a run; a number as of `stiction sweep`; or two classes by a number: "MEASURE > NUMBER".

A coarse grid is run first, then only where outcomes differ; the table has the points that were run."""


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("map", metavar="NAME", nargs="?", help="name of a map, or " + _scene_arguments.SCENE_HELP + "; none: list the maps")
    add("--x", metavar="NAME=LO:HI", help="parameter along x and its range; default: that of the map")
    add("--y", metavar="NAME=LO:HI", help="as --x, along y")
    add("--size", type=int, default=64, metavar="N", help="cells along a side where classes meet; default: 64")
    add("--measure", metavar="NAME", help="what is asked of each run; default: the classes of the map; of a scene: motion")
    add("--seconds", type=float, metavar="T", help="simulated time of a run [s]; default: that of the map or scene")
    add("--out", metavar="FILE", default="-", help="CSV file; default: the standard output")
    add("--workers", type=int, metavar="N", help="processes; default: one for each core")
    _scene_arguments.arguments(parser)
    parser.set_defaults(budget_ms=None)


def run(args: argparse.Namespace) -> int:
    """Make the map and write its points."""
    from app.analysis.studies.phase_map import MapRun, csv_of, rows
    from app.analysis.studies.sweep import notes
    from app.analysis.studies.sweep_workers import LocalWorkers
    from app.build_scene import own_file
    from app.files.atomic_write import write
    from physics import BadInput
    from physics.core.compile import processor
    from scenes import maps

    if args.map is None:
        for name, known in maps.all_maps().items():
            print(f"{name:14} {known.scene:18} {known.title}: {', '.join(known.classes)}")
        return 0
    _scene_arguments.target("--out", args.out, ("measured runs",), stream=True)
    if args.workers is not None and not 1 <= args.workers <= 1024:
        raise BadInput("--workers must be 1 .. 1024")
    made = planned(args)
    for note in notes(made.sweep):
        print(f"stiction: {note}", file=sys.stderr)
    study = MapRun.of(made, workers=lambda: LocalWorkers(args.workers or processor.available(), own_file(made.scene)))
    study.run()
    if study.problem:
        raise BadInput(study.problem)
    table = csv_of(rows(study.made, study.refinement))
    if args.out == "-":
        sys.stdout.write(table.decode())
        return 0
    write(args.out, table)
    print(f"{args.out}: {study.refinement.count} of {(study.made.size + 1)**2} points run in {study.seconds:.3g} s")
    return 0


def planned(args: argparse.Namespace) -> Any:
    """The plan of a command line."""
    from app.analysis.studies.phase_map import plan
    from app.engine import file_kinds
    from app.own_files import discover
    from scenes import maps

    name = args.map if args.map in maps.all_maps() else discover.named(file_kinds.admit(args.map))
    dt = _scene_arguments.step_size(args, None)
    seconds = None if args.seconds is None else _scene_arguments.positive("--seconds", args.seconds)
    return plan(name, axis("--x", args.x), axis("--y", args.y), parameters=tuple(map(_scene_arguments.pair, args.parameters)),
                choices=_scene_arguments.choices(args), dt=dt, seconds=seconds, size=args.size, asked=args.measure)


def axis(option: str, text: str | None) -> Any:
    """Parse NAME=LO:HI; None: the map's own."""
    from app.build_scene import value_of
    from physics import BadInput
    from physics.core.check import number
    from scenes.maps import MapAxis

    if text is None:
        return None
    name, _, values = (part.strip() for part in text.partition("="))
    ends = [value_of(part.strip()) for part in values.split(":")]
    if not name or len(ends) != 2:
        raise BadInput(f"{option} {text} must have the form NAME=LO:HI")
    return MapAxis(name, *(float(number(f"{option} {text}: {word}", end)) for word, end in zip(("LO", "HI"), ends)))
