"""`stiction export SCENE --html FILE`: the motion of a scene as one file that any browser plays."""

import argparse
from typing import Any

from app.commands import _scene_arguments

HELP = "write a scene's motion as one HTML file that plays in any browser"
EXAMPLES = """\
  stiction export door --html door.html
  stiction export domino --seconds 6 --fps 60 --html domino.html
  stiction export incline --set angle=25 --html incline.html

The file holds everything that it needs: it plays without a network, from a disk, a mail or a course page. Drag to turn, wheel to
zoom, Shift+drag to move; Space plays and pauses, arrow keys step."""

MAX_FRAMES = 36_000
"""Largest number of frames: ten minutes of 60 a second."""


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("scene", metavar="SCENE", help=_scene_arguments.SCENE)
    add("--html", metavar="FILE", required=True, help="the page")
    add("--seconds", type=float, metavar="T", help="simulated time; default: the check time of the scene")
    add("--fps", type=float, default=60.0, metavar="F", help="frames per simulated second; default 60")
    _scene_arguments.arguments(parser)
    parser.set_defaults(budget_ms=None)


def run(args: argparse.Namespace) -> int:
    """Step the scene, record its frames, write the page."""
    import scenes
    from app.commands.run import progress
    from app.files.atomic_write import write
    from app.render.web_page import MAX_CONTACTS, Motion
    from physics import BadInput, step

    scene = scenes.find(args.scene)
    _scene_arguments.target("--html", args.html)
    seconds = _scene_arguments.duration("--seconds", scene.check_time if args.seconds is None else args.seconds)
    dt = _scene_arguments.positive("--dt", scene.dt if args.dt is None else args.dt)
    every = max(1, round(1.0 / (_scene_arguments.positive("--fps", args.fps) * dt)))
    count = _scene_arguments.steps("--seconds", seconds, dt)
    if count // every > MAX_FRAMES:
        raise BadInput(f"{count // every:,} frames are too many for a page; allowed: {MAX_FRAMES:,}: reduce --seconds or --fps")
    parameters = _scene_arguments.chosen_parameters(scene, args.parameters)
    world = _scene_arguments.chosen_world(scene, parameters, args)
    motion = Motion(world, scene.plots)
    for n in progress(count):
        step(world, dt)
        if (n + 1) % every == 0:
            motion.record()
        if motion.contacts > MAX_CONTACTS:
            raise BadInput(f"more than {MAX_CONTACTS:,} contacts are too many for a page: reduce --seconds or --fps")
    how = f"{world.steps} steps of {dt:.6g} s with {world.solver.name}, {len(motion.times)} frames"
    page = motion.page(scene, how, _predicted(scene, parameters, world, motion.traces))
    write(args.html, page.encode())
    print(f"saved {world.time:.6g} s in {args.html}, {len(page) / 1e6:.2f} MB")
    return 0


def _predicted(scene: Any, parameters: Any, world: Any, traces: dict[str, list[float]]) -> list[tuple[str, str, str]]:
    """(name, predicted, measured) of each prediction, in words."""
    import numpy as np

    columns, rows = {key: np.array(values) for key, values in traces.items()}, []
    for prediction in (scene.predict(parameters) if scene.predict else ()):
        measured = prediction.measure(world, columns) if world.steps else None
        unit = f" {prediction.unit}" if prediction.unit else ""
        found = "not reached" if measured is None else f"{measured:.4g}{unit}"
        rows.append((prediction.name, f"{prediction.value:.4g}{unit}", found))
    return rows
