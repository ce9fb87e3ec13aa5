"""`stiction render SCENE`: a picture or a video of a scene, without a window."""

import argparse
import time
from pathlib import Path
from typing import Any

from app.commands import _scene_arguments

HELP = "render a scene to a PNG file or a video, without a window"
EXAMPLES = """\
  stiction render pyramid --png pyramid.png
  stiction render stack --at 1 --cones --forces --theme light --png cones.png
  stiction render door --at 2.5 --azimuth 60 --elevation 15 --distance 4 --size 1920x1080 --png door.png
  stiction render domino --video domino.mp4 --seconds 5 --fps 60 --size 1280x720
  stiction render domino --frames pictures --seconds 2 --fps 30

Sweeps are limited by number, not by time: the same command line renders the same state."""
OVERLAY_SWITCHES = ("contacts", "normals", "forces", "cones", "joints", "velocities", "shadows", "wireframe")


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("scene", metavar="SCENE", help=_scene_arguments.SCENE_HELP)
    add("--png", metavar="FILE", help="one picture")
    _video_arguments(add)
    add("--at", type=float, default=0.0, metavar="T", help="simulated time of the picture [s]; default 0")
    add("--size", default="1600x1000", metavar="WxH", help="size in pixels; default 1600x1000")
    add("--samples", type=int, default=4, help="anti-aliasing samples per pixel; default 4")
    add("--theme", default="dark", choices=("dark", "light", "contrast"))
    for name in OVERLAY_SWITCHES:
        add(f"--{name}", action=argparse.BooleanOptionalAction, default=None, help=f"show or hide {name}")
    add("--show", default="", metavar="NAMES", help="further overlays, separated by commas; an unknown name lists all")
    add("--colour", metavar="BY", help="quantity shown by the colours of the bodies; an unknown name lists all")
    add("--force-scale", type=float, metavar="S",
        help="length of force arrows; default: 1, which suits the forces of the scene")
    add("--velocity-scale", type=float, metavar="S",
        help="length of velocity arrows; default: 1, which suits the speeds of the scene")
    add("--azimuth", type=float, metavar="A", help="camera azimuth [degrees]; 0 looks along +y")
    add("--elevation", type=float, metavar="E", help="camera elevation [degrees], -90 .. 90")
    add("--distance", type=float, metavar="D", help="camera distance from its target [m]")
    add("--target", metavar="X,Y,Z", help="camera target [m]")
    add("--select", metavar="BODY", help="outline the body with this name")
    _scene_arguments.arguments(parser)
    parser.set_defaults(budget_ms=None)


def _video_arguments(add: Any) -> None:
    add("--video", metavar="FILE", help="write a video (mp4) starting at --at, --seconds long; needs ffmpeg (the "
                                        "package imageio-ffmpeg, or one on the PATH)")
    add("--frames", metavar="FOLDER", help="write the video as single images into an empty or new folder")
    add("--seconds", type=float, metavar="T", help="simulated time of the video [s]; default 5")
    add("--fps", type=float, metavar="F", help="frames per simulated second of the video; default 60")


def run(args: argparse.Namespace) -> int:
    """Step the scene to the requested time and draw the requested picture."""
    import sys

    import scenes
    from app.render.opengl.offscreen import NoGraphics, Offscreen, write_png

    scene = scenes.find(args.scene)
    width, height = _scene_arguments.size(args.size)
    video = _output(args)
    try:
        if video is not None:
            _write_video(scene, args, video)
            return 0
        run = RenderedRun(scene, args)
        frame, facets = run.at(args.at), run.facets
        view, camera = view_options(scene, args), camera_of(scene.view, args)
        selection = chosen(frame, args.select)
        with Offscreen(width, height, max(0, args.samples)) as picture:
            from app.render.opengl.renderer import Renderer

            renderer = Renderer("high")
            picture.begin()
            renderer.draw(frame, camera, view, width, height, frame.wall, selection=selection, facets=facets)
            write_png(args.png, picture.pixels())
        print(f"saved {scene.title} at {run.world.time:.6g} s in {args.png}")
    except NoGraphics as error:
        print(f"stiction: {error}", file=sys.stderr)
        return 3
    return 0


def _output(args: argparse.Namespace) -> Any:
    """Return the output of the pictures: an object with put and close; None: a single picture.

    Raises:
        BadInput: not exactly one output is given, or it cannot be written.
    """
    from app.video import FPS, Frames, Mp4
    from physics import BadInput

    if sum(1 for path in (args.png, args.video, args.frames) if path) != 1:
        raise BadInput("no output given; use one of --png FILE, --video FILE.mp4, --frames FOLDER")
    if args.png:
        if given := [f"--{name}" for name in ("seconds", "fps") if getattr(args, name) is not None]:
            raise BadInput(f"{' and '.join(given)}: only for --video and --frames; --at is the time of a picture")
        _scene_arguments.target("--png", args.png)
        return None
    args.seconds, args.fps = (usual if given is None else given for given, usual in ((args.seconds, 5.0), (args.fps, 60.0)))
    if not FPS[0] <= args.fps <= FPS[1]:
        raise BadInput(f"--fps {args.fps:g} must be between {FPS[0]} and {FPS[1]} frames per second")
    if not 0.0 < args.seconds <= 3600.0:
        raise BadInput(f"--seconds {args.seconds:g} must be more than 0 and at most 3600")
    _scene_arguments.target("--video", args.video)
    return Mp4(Path(args.video), args.fps) if args.video else Frames(Path(args.frames))


def _write_video(scene: Any, args: argparse.Namespace, file: Any) -> None:
    """Draw and save all pictures.

    Raises:
        NoGraphics: nothing can be drawn here. OSError: the file could not be written.
    """
    from app.render.opengl.offscreen import Offscreen
    from app.video import Writer

    run = RenderedRun(scene, args)
    frame = run.at(args.at)
    view, camera = view_options(scene, args), camera_of(scene.view, args)
    width, height = _scene_arguments.size(args.size)
    with Offscreen(width, height, max(0, args.samples)) as picture:
        from app.render.opengl.renderer import Renderer

        renderer, writer = Renderer("high"), Writer(file)
        count = max(1, round(args.seconds * args.fps))
        for k in range(count):
            frame = run.at(args.at + k / args.fps)
            picture.begin()
            renderer.draw(frame, camera, view, width, height, time.perf_counter(), selection=chosen(frame, args.select),
                          facets=run.facets)
            writer.put(picture.pixels().copy())
        problem = writer.close()
    if problem:
        raise OSError(problem)
    print(f"saved {count / args.fps:.4g} s of {scene.title} in {args.video or args.frames}")


class RenderedRun:
    """A running scene. facets: of its solver's friction cone."""

    def __init__(self, scene: Any, args: argparse.Namespace) -> None:
        from app.analysis.forces.contact_lens import facets_of
        from physics import BadInput

        self.name, self.dt = args.scene, _scene_arguments.step_size(args, scene.dt)
        if not 0.0 <= args.at <= 1e4:
            raise BadInput(f"--at {args.at:g} must be between 0 and 10000 seconds")
        _scene_arguments.steps("--at", args.at, self.dt)
        self.world = _scene_arguments.chosen_world(scene, _scene_arguments.chosen_parameters(scene, args.parameters), args)
        self.facets = facets_of(self.world.solver)

    def at(self, time: float) -> Any:
        """Return the frame nearest to a time [s], never earlier than the last one."""
        from app.engine.frame import RealTimePace, capture, poses
        from physics import step

        while self.world.steps < round(time / self.dt):
            step(self.world, self.dt)
        return capture(self.world, scene=self.name, dt=self.dt, paused=True, before=poses(self.world), pace=RealTimePace())


def view_options(scene: Any, args: argparse.Namespace) -> Any:
    """Return the view options: those of the scene, changed by the arguments."""
    from app.render.view_options import ViewOptions, named, toggles
    from physics import BadInput, set_option

    view = ViewOptions()
    view.suit(scene)
    for word in ("theme", "colour", *OVERLAY_SWITCHES, "force_scale", "velocity_scale"):
        value = getattr(args, word)
        for name in named(word) or [word]:
            if value is not None:
                set_option(view, name, value)
    for name in filter(None, args.show.replace("-", "_").split(",")):
        if name not in toggles():
            raise BadInput(f"--show {name}: unknown overlay; available: {', '.join(toggles())}")
        set_option(view, name, True)
    return view


def camera_of(view: Any, args: argparse.Namespace) -> Any:
    """Return the scene's own camera with the given values changed."""
    import math

    from app.camera import DISTANCE, Camera
    from physics import BadInput

    camera = Camera()
    camera.set_view(view)
    for name, lo, hi in (("azimuth", -1e4, 1e4), ("elevation", -90.0, 90.0), ("distance", *DISTANCE)):
        value = getattr(args, name)
        if value is None:
            continue
        if not lo <= value <= hi:
            raise BadInput(f"--{name} {value:g} must be between {lo:g} and {hi:g}")
        setattr(camera, name, value)
    if args.target is not None:
        try:
            target = [float(part) for part in args.target.split(",")]
        except ValueError:
            target = []
        if len(target) != 3 or not all(math.isfinite(x) and abs(x) <= 1e6 for x in target):
            raise BadInput(f"--target {args.target} must be three numbers, for example 0,0,0.5")
        camera.target[:] = target
    return camera


def chosen(frame: Any, name: str | None) -> Any:
    """Return a selection with the body of that name, or None."""
    from app.session import Selection
    from physics import BadInput

    if name is None:
        return None
    if not name or name not in frame.body_names:
        raise BadInput(f"body '{name}' does not exist in scene {frame.scene}; available: "
                       f"{', '.join(n for n in frame.body_names[:20] if n)}")
    return Selection(body=frame.body_names.index(name))
