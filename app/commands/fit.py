"""`stiction fit SCENE --data FILE`: friction from a measured run, with intervals."""

import argparse
import sys
from typing import Any

from app import commands
from app.commands import _scene_arguments

HELP = "find friction and other parameters of a scene from measured data"
EXAMPLES = """\
  stiction fit slider --data video.csv --parameters max_friction --nuisance start_speed --html fit.html
  stiction fit pendulum --data angle.csv --parameters joint_friction,viscous --nuisance start,time_offset
  stiction fit incline --data box.csv --observe 'body:box 3.x' --parameters mu
  stiction fit slider --set tilt=0 --data motor.csv --parameters static,kinetic,stribeck,viscous --json fit.json

The data is a CSV file: time first, then positions or angles, velocities, the applied force or torque; titles are `name [unit]`,
as `stiction run --csv` writes them, in SI units or in ms, mm, cm, deg, deg/s, rpm, mN m, .. The scene starts at the first sample.

A parameter is one of the scene by its name; mu, mu_s, or mu:A & B of two bodies; joint_friction, static, kinetic, stribeck,
viscous, load of a joint, also viscous:JOINT; start_speed, time_offset, offset. --nuisance names those that have to be found on
the way.

By default the law of a joint is fitted to its motor log if there are columns of its velocity and its torque or friction, else the
scene's motion to the measured one; a measured force is then applied to the scene. Samples that slip are equations, those that
stick only bounds: the answer is a value with an interval of 95 %, or a set. Exit code 1: the data do not determine a
parameter."""


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("scene", metavar="SCENE", help=_scene_arguments.SCENE_HELP)
    add("--data", required=True, metavar="FILE", help="CSV file with the measured run")
    add("--parameters", required=True, metavar="NAME,..", dest="wanted", help="what to find")
    add("--nuisance", default="", metavar="NAME,..", help="what else is not known")
    add("--observe", default="", metavar="KEY,..", help="measured quantities, for example body:NAME.x, a key with a comma in "
        "double quotes; default: by the columns")
    add("--method", default="auto", choices=("auto", "trajectory", "regression"), help="fit the motion, or a joint's law")
    add("--seconds", type=float, metavar="T", help="use the first T seconds of the data")
    add("--rest-speed", type=float, metavar="V", help="speed below which a joint may stick [m/s], [rad/s]; default: by the noise")
    add("--gaps", action="store_true", help="allow missing stretches of time in the data")
    add("--html", metavar="FILE", help="write a report with charts")
    add("--json", metavar="FILE", help="write the answers, curves and residuals; - is standard output")
    add("--workers", type=int, default=1, metavar="N", help="processes that run the scene; default: 1")
    _scene_arguments.arguments(parser)
    parser.set_defaults(budget_ms=None)


def run(args: argparse.Namespace) -> int:
    """Fit, print the answers, write the files."""
    import scenes
    from app.analysis.friction_fit import report
    from app.analysis.friction_fit.study import FitRun
    from app.files.atomic_write import write
    from physics import BadInput

    inputs = {"--data": args.data, "SCENE": scenes.find(args.scene).file}
    _scene_arguments.targets({"--html": args.html, "--json": args.json}, inputs, stream="--json")
    if not 1 <= args.workers <= 1024:
        raise BadInput("--workers must be 1 .. 1024")
    made = planned(args)
    fit = FitRun.of(made, args.workers)
    fit.run()
    if fit.problem:
        raise BadInput(fit.problem)
    title = scenes.find(args.scene).title
    if args.html is not None:
        write(args.html, report.as_html(made, fit.result, title, args.data).encode())
    if args.json is not None and args.json != "-":
        write(args.json, report.as_json(made, fit.result, args.data).encode())
    if args.json == "-":
        sys.stdout.write(report.as_json(made, fit.result, args.data))
    print_summary(title, made, fit, sys.stderr if args.json == "-" else sys.stdout)
    if fit.result.unknown:
        print(f"stiction: the data do not determine {', '.join(fit.result.unknown)}: leave out parameters, or measure a motion "
              "that depends on them", file=sys.stderr)
        return commands.FAILED
    return commands.DONE


def planned(args: argparse.Namespace) -> Any:
    """The plan of a command line."""
    import scenes
    from app.analysis.friction_fit.measurements import read
    from app.analysis.friction_fit.plan import Asked, plan

    scene = scenes.find(args.scene)
    seconds = None if args.seconds is None else _scene_arguments.positive("--seconds", args.seconds)
    dt = _scene_arguments.step_size(args, None)
    rest = None if args.rest_speed is None else _scene_arguments.positive("--rest-speed", args.rest_speed)
    _scene_arguments.chosen_parameters(scene, args.parameters)
    wanted, nuisance, observed = map(_scene_arguments.names, (args.wanted, args.nuisance, args.observe))
    asked = Asked(args.scene, wanted, nuisance, tuple(map(_scene_arguments.pair, args.parameters)),
                  _scene_arguments.choices(args), dt, observed, args.method, rest)
    return plan(asked, read(args.data, args.gaps).until(seconds))


def print_summary(title: str, made: Any, fit: Any, out: Any) -> None:
    """Print the answers and what limits them."""
    from app.analysis.friction_fit.report import circumstances
    from app.analysis.friction_fit.sentences import remarks, sentence
    from app.number_format import rounded

    result = fit.result
    noise = ", ".join(f"{rounded(value, 3)} {curve.unit}" for value, curve in zip(result.noise, result.curves))
    print(f"{title}: {circumstances(made, result)} Noise {noise}. {fit.seconds:.3g} s.", file=out)
    for one in result.answers:
        print(f"  {sentence(one)}", file=out)
    for line in (*remarks(result), *made.notes):
        print(f"  {line[0].upper()}{line[1:]}", file=out)
