"""`stiction record SCENE`: a scene without a window into a file from which it can be made again bit for bit."""

import argparse

from app.commands import _world

HELP = "run a scene and write a recording of it"
EXAMPLES = """\
  stiction record pyramid --seconds 5 --out pyramid.stiction
  stiction replay pyramid.stiction --headless"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scene", metavar="SCENE", help="`stiction scenes` lists them")
    parser.add_argument("--seconds", type=float, metavar="T", help="simulated time [s]; the scene's own if not given")
    parser.add_argument("--out", metavar="FILE", help="the recording; SCENE.stiction if not given")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="parameters",
                        help="a parameter of the scene; may be repeated")


def run(args: argparse.Namespace) -> int:
    """Step the scene, write the file."""
    import scenes
    from app.engine.recording import SUFFIX
    from app.engine.simulation import Simulation
    from app.whole_files import write
    from physics import BadInput, fields

    scene = scenes.find(args.scene)
    seconds = _world.positive("--seconds", scene.check_time if args.seconds is None else args.seconds)
    simulation = Simulation()
    simulation.load(args.scene, _world.chosen_parameters(scene, args.parameters))
    if "budget" in {field.name for field in fields(simulation.world.solver.options)}:
        simulation.set_option("budget", 0.0)
    for _ in range(round(seconds / simulation.dt)):
        if not simulation.step():
            raise BadInput(simulation.messages[-1])
    simulation.save_recording(args.out or f"{args.scene}{SUFFIX}", write, whole=True)
    print(simulation.messages[-1])
    return 0
