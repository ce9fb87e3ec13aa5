"""`stiction record SCENE`: run a scene without a window and record it, to be replayed bit for bit."""

import argparse

from app.commands import _scene_arguments

HELP = "run a scene and write a recording of it"
EXAMPLES = """\
  stiction record pyramid --seconds 5 --out pyramid.stiction
  stiction replay pyramid.stiction --headless"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scene", metavar="SCENE", help=_scene_arguments.SCENE_HELP)
    parser.add_argument("--seconds", type=float, metavar="T", help="simulated time [s]; default: that of the scene")
    parser.add_argument("--out", metavar="FILE", help="recording file; default: SCENE.stiction")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="parameters",
                        help="set a parameter of the scene; repeatable")


def run(args: argparse.Namespace) -> int:
    """Step the scene, write the file."""
    from pathlib import Path

    import scenes
    from app.engine import commands
    from app.engine.recording.file import SUFFIX
    from app.engine.simulation import Simulation
    from app.files.atomic_write import write
    from physics import BadInput, fields

    scene = scenes.find(args.scene)
    out = args.out or f"{Path(args.scene).stem if scene.file else args.scene}{SUFFIX}"
    _scene_arguments.target("--out", out, ("recordings",))
    if not out.endswith(SUFFIX):
        raise BadInput(f"--out {out} must end with {SUFFIX}")
    seconds = _scene_arguments.positive("--seconds", scene.check_time if args.seconds is None else args.seconds)
    simulation = Simulation()
    simulation.load(args.scene, _scene_arguments.chosen_parameters(scene, args.parameters))
    if "budget" in {field.name for field in fields(simulation.world.solver.options)}:
        commands.set_option(simulation, "budget", 0.0)
    for _ in range(_scene_arguments.steps("--seconds", seconds, simulation.dt)):
        if not simulation.step():
            raise BadInput(simulation.messages[-1])
    troubles: list[OSError] = []

    def write_or_note(path: Path, data: bytes) -> None:
        try:
            write(path, data)
        except OSError as error:
            troubles.append(error)
            raise

    try:
        commands.save_recording(simulation, out, write_or_note, whole=True)
    except BadInput:
        if troubles:
            raise troubles[0] from None
        raise
    print(simulation.messages[-1])
    return 0
