"""`stiction replay FILE`: a recording made again, every step compared with what was recorded; in the window, or without one."""

import argparse

HELP = "replay a recording and compare every step; exit code 1 if it differs"
EXAMPLES = """\
  stiction replay pyramid.stiction
  stiction replay pyramid.stiction --headless
  stiction replay problem-pyramid-20260101-120000.zip"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a recording (.stiction), or a report of a problem (.zip)")
    parser.add_argument("--headless", action="store_true", help="without a window: make every step again, compare, tell")


def run(args: argparse.Namespace) -> int:
    """0: every step came out bit for bit as recorded; 1: one did not."""
    from app.cli import main
    from app.engine.simulation import Simulation

    if not args.headless:
        return main(["view", args.file])
    simulation = Simulation()
    simulation.open_recording(args.file)
    print(simulation.messages[-1])
    first, last, fetched = simulation.world.steps, simulation.history.last, len(simulation.history.cuts)
    while simulation.world.steps < last and not (simulation.divergence and simulation.divergence.measured):
        if not simulation.make_next():
            print(f"stopped: the step after {simulation.world.steps} cannot be made again")
            return 1
    if simulation.divergence is not None:
        print(simulation.divergence.text)
        return 1
    told = f", but for {fetched} that the clock had cut short and that were taken from the file" if fetched else ""
    print(f"all {last - first} steps came out bit for bit as recorded{told}")
    return 0
