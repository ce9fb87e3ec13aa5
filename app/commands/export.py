"""`stiction export SCENE`: its motion as a page (--html) or a glTF animation (--gltf), its bodies as --mjcf or --urdf FILE."""

import argparse
from typing import Any

from app.commands import _scene_arguments

HELP = "write a scene's motion as an HTML file that plays in any browser or as glTF, or the scene as an MJCF or URDF file"
EXAMPLES = """\
  stiction export door --html door.html
  stiction export domino --seconds 6 --fps 60 --html domino.html
  stiction export incline --set angle=25 --html incline.html
  stiction export domino --seconds 4 --gltf domino.glb
  stiction export chain --mjcf chain.xml
  stiction export stack --seconds 2 --mjcf stack.xml
  stiction export door --urdf door.urdf

The page holds everything that it needs: it plays without a network, from a disk, a mail or a course page. Drag to turn, wheel to
zoom, Shift+drag to move; Space plays and pauses, arrow keys step.
The glTF file opens in Blender, three.js and other viewers: a node for each body, with its motion.
The MJCF file holds the scene as it starts, or after --seconds, with its velocities as the keyframe "start". The URDF
file holds it at the zero of its joints; its meshes come into a folder beside it. What a format cannot hold is listed."""


OPTION_SUFFIXES = {"gltf": (".glb", ".gltf"), "mjcf": (".xml",), "urdf": (".urdf",)}
"""Of the files of each option."""


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("scene", metavar="SCENE", help=_scene_arguments.SCENE_HELP)
    add("--html", metavar="FILE", help="the page")
    add("--gltf", metavar="FILE", help="the motion as a glTF animation, .glb or .gltf")
    add("--mjcf", metavar="FILE", help="the MJCF file")
    add("--urdf", metavar="FILE", help="the URDF file; its meshes come into a folder beside it")
    add("--seconds", type=float, metavar="T", help="simulated time; default: the check time of the scene; of a robot's file 0")
    add("--fps", type=float, default=60.0, metavar="F", help="frames per simulated second; default 60")
    _scene_arguments.arguments(parser)
    parser.set_defaults(budget_ms=None)


def run(args: argparse.Namespace) -> int:
    """Write the requested file."""
    import scenes
    from physics import BadInput

    if not (args.html or args.gltf or args.mjcf or args.urdf):
        raise BadInput("what to write is missing: give --html FILE, --gltf FILE, --mjcf FILE or --urdf FILE")
    for option, endings in OPTION_SUFFIXES.items():
        if (path := getattr(args, option)) and not path.lower().endswith(endings):
            raise BadInput(f"--{option} {path} must end with {' or '.join(endings)}")
    scene = scenes.find(args.scene)
    _scene_arguments.targets({f"--{option}": getattr(args, option) for option in ("html", "gltf", "mjcf", "urdf")},
                             {"SCENE": scene.file}, {"--gltf": ("meshes",), "--mjcf": ("robots",), "--urdf": ("robots",)})
    if args.mjcf or args.urdf:
        write_model(scene, args)
    if args.html or args.gltf:
        write_motion(scene, args)
    return 0


def write_model(scene: Any, args: argparse.Namespace) -> None:
    """Write the scene at its start, or after some time, as MJCF and as URDF with its meshes beside."""
    from app.commands.run import progress
    from app.world_files import save
    from physics import step

    dt = _scene_arguments.step_size(args, scene.dt)
    seconds = _scene_arguments.duration("--seconds", args.seconds or 0.0)
    world = _scene_arguments.chosen_world(scene, _scene_arguments.chosen_parameters(scene, args.parameters), args)
    for _ in progress(_scene_arguments.steps("--seconds", seconds, dt)):
        step(world, dt)
    for path in filter(None, (args.mjcf, args.urdf)):
        notes = save(world, path, title=scene.title, dt=dt)
        print(f"saved the scene at {world.time:.6g} s in {path}")
        for note in notes:
            print(f"not in the file: {note}")


def write_motion(scene: Any, args: argparse.Namespace) -> None:
    """Step the scene, record its frames, write the page and the glTF animation."""
    from app.commands.run import progress
    from app.files.atomic_write import write
    from app.render.gltf import gltf_of
    from app.render.web_page import page_of_run, record_run

    seconds = _scene_arguments.duration("--seconds", scene.check_time if args.seconds is None else args.seconds)
    dt = _scene_arguments.step_size(args, scene.dt)
    fps = _scene_arguments.positive("--fps", args.fps)
    _scene_arguments.steps("--seconds", seconds, dt)
    parameters = _scene_arguments.chosen_parameters(scene, args.parameters)
    if fps * dt > 1.0 + 1e-9:
        print(f"--fps {fps:g}: there is one frame a step, {1.0 / dt:g} a second: set a smaller --dt for more")
    motion = record_run(scene, _scene_arguments.chosen_world(scene, parameters, args), seconds, dt, fps, progress)
    files = {}
    if args.html:
        files[args.html] = page_of_run(scene, parameters, motion, dt).encode()
    if args.gltf:
        files[args.gltf] = gltf_of(motion, scene.title, binary=args.gltf.lower().endswith(".glb"))
    for path, data in files.items():
        write(path, data)
        print(f"saved {motion.world.time:.6g} s in {path}, {len(data) / 1e6:.2f} MB")
