"""`stiction distribute SCENE`: run a mechanism's tree of subsystems in several processes over MPI, beside one process."""

import argparse
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from app import commands
from app.commands import _scene_arguments

HELP = "run subsystems of a mechanism in several processes over MPI"
EXAMPLES = """\
  stiction distribute bar_net --processes 2 --seconds 1
  stiction distribute four_bars --processes 4 --option bodies=1 --csv bars.csv
  stiction distribute bar_net --processes 2 --seconds 60 --checkpoint net.toml
  mpiexec -n 64 python -m mpi4py -m app distribute chain --set links=10000    on a cluster

Every process knows the whole mechanism and eliminates its own subsystems. The results have the same bits as those of one process;
--no-serial leaves the comparison out. A checkpoint is a scene file, from which `distribute FILE.toml` goes on. If a process
dies, the run ends with exit code 1. Needs mpi4py and an MPI library, the extra `mpi`; exit code 3 without."""


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("scene", metavar="SCENE", help=_scene_arguments.SCENE_HELP)
    add("--processes", type=int, metavar="N", help="start so many; default: one for each core, or those of the running MPI job")
    add("--seconds", type=float, metavar="T", help="simulated time [s]; default: that of the scene")
    add("--csv", metavar="FILE", help="write one row per step, time first; - is standard output")
    add("--checkpoint", metavar="FILE", help="write the state to a scene file (.toml) while it runs, and at the end")
    add("--every", type=float, default=10.0, metavar="S", help="wall time between checkpoints [s]; default: 10")
    add("--no-serial", action="store_true", help="do not repeat the run in one process")
    _scene_arguments.arguments(parser)
    parser.set_defaults(budget_ms=None)


def missing(args: argparse.Namespace) -> str:
    from app.analysis.studies import distribution

    return distribution.missing()


def run(args: argparse.Namespace) -> int:
    """Start the job, or do this process's part of one."""
    from app.analysis.studies import distribution

    if args.processes is None and distribution.in_job():
        from mpi4py import MPI

        from physics import BadInput

        def code(error: Exception) -> int:
            return commands.BAD_INPUT if isinstance(error, BadInput) else commands.FAILED
        return distribution.guarded(MPI.COMM_WORLD, code, lambda: part(args, distribution.MpiTransport(MPI.COMM_WORLD)))
    return start(args)


def start(args: argparse.Namespace) -> int:
    """Check the arguments and start the job on this machine."""
    from app.analysis.studies import distribution
    from physics import BadInput
    from physics.articulated.subsystems.distributed import shared
    from physics.core.compile import processor

    processes = processor.available() if args.processes is None else args.processes
    if not 1 <= processes <= distribution.MAX_PROCESSES:
        raise BadInput(f"--processes must be 1 .. {distribution.MAX_PROCESSES}")
    world, *_ = asked(args)
    shared(distribution.check(world).mechanism(world).elimination.plan, range(processes))
    code, messages = distribution.launched(words_of(sys.argv[1:]), processes)
    sentences = [line for line in messages if line.startswith("stiction: ")]
    if code not in (commands.DONE, commands.FAILED, commands.BAD_INPUT, commands.MISSING, commands.INTERRUPTED) or not (
            sentences or code == commands.DONE):
        last = f"; the last checkpoint is {args.checkpoint}" if args.checkpoint and os.path.exists(args.checkpoint) else ""
        sentences.append(f"stiction: a process of the run died, and the run ended with it (exit code {code} of MPI){last}")
        code = commands.FAILED
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    return code


def words_of(words: list[str]) -> list[str]:
    """The same command line for a process of the job: without the number of processes."""
    out, skip = [], False
    for word in words:
        if skip or word.startswith("--processes="):
            skip = False
        elif word == "--processes":
            skip = True
        else:
            out.append(word)
    return out


def asked(args: argparse.Namespace) -> tuple[Any, Any, Any, int, float]:
    """(world, scene, parameters, steps, dt) of a command line, with the subsystem method."""
    import scenes
    from app.engine.scene_files import scene_file
    from physics import BadInput

    args.solver = args.solver or "subsystems"
    scene = scenes.find(args.scene)
    _scene_arguments.targets({"--csv": args.csv, "--checkpoint": args.checkpoint}, {"SCENE": scene.file},
                             {"--csv": ("measured runs",), "--checkpoint": ("scene files",)}, stream="--csv")
    if args.checkpoint is not None and not args.checkpoint.endswith(scene_file.SUFFIX):
        raise BadInput(f"--checkpoint {args.checkpoint} must end with {scene_file.SUFFIX}: it is a scene file")
    _scene_arguments.positive("--every", args.every)
    seconds = _scene_arguments.duration("--seconds", scene.check_time if args.seconds is None else args.seconds)
    dt = _scene_arguments.step_size(args, scene.dt)
    parameters = _scene_arguments.chosen_parameters(scene, args.parameters)
    world = _scene_arguments.chosen_world(scene, parameters, args)
    return world, scene, parameters, _scene_arguments.steps("--seconds", seconds, dt), dt


def part(args: argparse.Namespace, transport: Any) -> int:
    """A process's part of the job; the first process writes the files and prints the summary."""
    from app.analysis.studies import distribution
    from app.commands.run import table
    from physics.observe.quantities import default_keys, titles
    from scenes import find_quantity

    world, scene, parameters, count, dt = asked(args)
    first = transport.rank == 0
    keys = [find_quantity(world, key, scene) for key in scene.plots or default_keys(world)]
    save = checkpoints(args, parameters, world, dt) if first else lambda end: None
    with table(args.csv if first else None) as write:
        write(["time [s]", *titles(keys)])

        def after() -> None:
            write([repr(world.time), *(repr(key.read(world)) for key in keys)])
            save(False)
        timed = distribution.stepped(world, count, dt, transport, after)
    save(True)
    traffic = distribution.total(transport, timed.traffic)
    if first:
        print_summary(args, transport.size, (count, dt), timed, traffic, out=sys.stderr if args.csv == "-" else sys.stdout)
        if not args.no_serial:
            return beside_one(args, world, timed, sys.stderr if args.csv == "-" else sys.stdout)
    return commands.DONE


def checkpoints(args: argparse.Namespace, parameters: Any, world: Any, dt: float) -> Callable[[bool], None]:
    """A function that writes the state if it is time for it, or at the end."""
    from app.engine.scene_files import scene_file
    from app.files.atomic_write import write

    written = time.monotonic()

    def save(end: bool) -> None:
        nonlocal written
        if args.checkpoint and (end or time.monotonic() - written >= args.every):
            transport, world.solver.transport = world.solver.transport, None
            around = scene_file.SceneContext(scene=args.scene, parameters=parameters)
            write(args.checkpoint, scene_file.text_of(world, dt, around)[0].encode())
            world.solver.transport, written = transport, time.monotonic()
    return save


def print_summary(args: argparse.Namespace, size: int, made: tuple[int, float], timed: Any, traffic: Any, out: Any) -> None:
    """What the job did, in lines. made: number of steps and step size [s]."""
    steps, evaluations = max(made[0], 1), max(timed.evaluations, 1)
    print(f"{args.scene}: {made[0] * made[1]:.6g} s in {made[0]} steps over {size} processes", file=out)
    print(f"distributed: {1e3 * timed.per_evaluation:.3f} ms an evaluation with its share of the way back onto closed loops, "
          f"{timed.evaluations} evaluations", file=out)
    print(f"exchanged: {traffic.bytes / steps:.0f} bytes a step, {traffic.messages / evaluations:g} messages and one gathering "
          "an evaluation", file=out)


def beside_one(args: argparse.Namespace, world: Any, timed: Any, out: Any) -> int:
    """Repeat the run in this process, and compare; FAILED if the results differ by more than rounding."""
    from app.analysis.studies import distribution

    alone, _, _, count, dt = asked(args)
    serial = distribution.stepped(alone, count, dt, None, lambda: None)
    apart = distribution.difference(world, alone)
    print(f"serial: {1e3 * serial.per_evaluation:.3f} ms an evaluation", file=out)
    print(f"difference: {apart:.3g} in poses and velocities" if apart else "difference: none, every bit is equal", file=out)
    return commands.DONE if apart <= 1e-13 else commands.FAILED
