"""`stiction bench`: this engine and the installed peers at equal quality; see benchmarks/peers."""

import argparse

HELP = "benchmark the engine against installed peers at equal quality"
EXAMPLES = """\
  stiction bench --engines ours --scenes pyramid --sizes 20 --hz 60
  stiction bench --engines ours:default+iterations=50,mujoco:cg --scenes chain
  stiction bench --repeats 3 --out benchmarks/results/today"""


def arguments(parser: argparse.ArgumentParser) -> None:
    from benchmarks.peers import command

    command.arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Measure, print, write."""
    from benchmarks.peers import command

    return command.run(args)
