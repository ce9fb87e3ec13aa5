"""`stiction replay FILE`: recompute a recording and compare every step with it, in the window or without one."""

import argparse

HELP = "replay a recording and compare every step; exit code 1 if it differs"
EXAMPLES = """\
  stiction replay pyramid.stiction
  stiction replay pyramid.stiction --headless
  stiction replay problem-pyramid-20260101-120000.zip"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a recording (.stiction) or a problem report (.zip)")
    parser.add_argument("--headless", action="store_true", help="without a window: recompute and compare every step and print "
                                                                "the result")


def run(args: argparse.Namespace) -> int:
    """Return 0 if every step is bit for bit as recorded, else 1."""
    from app import commands as command_line
    from app.engine import commands
    from app.engine.simulation import Simulation

    if not args.headless:
        view, parser = command_line.load("view"), argparse.ArgumentParser()
        view.arguments(parser)
        return view.run(parser.parse_args([args.file]))
    simulation = Simulation()
    commands.open_recording(simulation, args.file)
    print(simulation.messages[-1])
    first, last, fetched = simulation.world.steps, simulation.history.last, len(simulation.history.unrepeatable_steps)
    while simulation.world.steps < last and not (simulation.recorder.divergence and simulation.recorder.divergence.measured):
        if not simulation.player.recompute_next():
            print(f"stopped: the step after {simulation.world.steps} cannot be recomputed")
            return 1
    if simulation.recorder.divergence is not None:
        print(simulation.recorder.divergence.text)
        return 1
    exception = f", except {fetched} steps cut short by the time budget, which were read from the file" if fetched else ""
    print(f"all {last - first} steps match the recording bit for bit{exception}")
    return 0
