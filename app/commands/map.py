"""`stiction map NAME`: a phase map, as the panel makes it: how runs end over a plane of two parameters."""

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

A coarse grid is run first, then only where outcomes differ; the table has the points that were run."""


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("map", metavar="NAME", nargs="?", help="name of a map; none: list them")
    add("--x", metavar="NAME=LO:HI", help="parameter along x and its range; default: that of the map")
    add("--y", metavar="NAME=LO:HI", help="as --x, along y")
    add("--size", type=int, default=64, metavar="N", help="cells along a side where classes meet; default: 64")
    add("--out", metavar="FILE", default="-", help="CSV file; default: the standard output")
    add("--workers", type=int, metavar="N", help="processes; default: one for each core but one")
    _scene_arguments.arguments(parser)
    parser.set_defaults(budget_ms=None)


def run(args: argparse.Namespace) -> int:
    """Make the map and write its points."""
    from app.analysis.studies.phase_map import MapRun, csv_of, processes, rows
    from app.files.atomic_write import write
    from physics import BadInput
    from scenes import maps

    if args.map is None:
        for name, known in maps.all_maps().items():
            print(f"{name:14} {known.scene:18} {known.title}: {', '.join(known.classes)}")
        return 0
    _scene_arguments.target("--out", args.out)
    if args.workers is not None and not 1 <= args.workers <= 1024:
        raise BadInput("--workers must be 1 .. 1024")
    study = MapRun.of(planned(args), workers=lambda: processes(args.workers))
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

    dt = None if args.dt is None else _scene_arguments.positive("--dt", args.dt)
    x, y = axis("--x", args.x), axis("--y", args.y)
    return plan(args.map, x, y, tuple(map(_scene_arguments.pair, args.parameters)), _scene_arguments.choices(args), dt, args.size)


def axis(option: str, text: str | None) -> Any:
    """Parse NAME=LO:HI; None: the map's own."""
    from app.build_scene import value_of
    from physics import BadInput
    from physics.basics.check import number
    from scenes.maps import MapAxis

    if text is None:
        return None
    name, _, values = (part.strip() for part in text.partition("="))
    ends = [value_of(part.strip()) for part in values.split(":")]
    if not name or len(ends) != 2:
        raise BadInput(f"{option} {text} must have the form NAME=LO:HI")
    return MapAxis(name, *(float(number(f"{option} {text}: {word}", end)) for word, end in zip(("LO", "HI"), ends)))
