"""Pictures of `stiction render` with --video and --frames: from --at on, one per 1 / fps of simulated time."""

import argparse
import time
from pathlib import Path
from typing import Any

from app.commands import _scene_arguments


def arguments(add: Any) -> None:
    add("--video", metavar="FILE", help="write a video (mp4) starting at --at, --seconds long; needs ffmpeg (pip install "
                                        "imageio-ffmpeg)")
    add("--frames", metavar="FOLDER", help="write the video as single images into an empty or new folder")
    add("--seconds", type=float, default=5.0, metavar="T", help="simulated time of the video [s]; default 5")
    add("--fps", type=float, default=60.0, metavar="F", help="frames per simulated second; default 60")


def target(args: argparse.Namespace) -> Any:
    """Return the output of the pictures: an object with put and close; None: a single picture.

    Raises:
        BadInput: not exactly one output is given, or it cannot be written.
    """
    from app.video import FPS, Frames, Mp4
    from physics import BadInput

    if sum(1 for path in (args.png, args.video, args.frames) if path) != 1:
        raise BadInput("no output given; use one of --png FILE, --video FILE.mp4, --frames FOLDER")
    if args.png:
        _scene_arguments.target("--png", args.png)
        return None
    if not FPS[0] <= args.fps <= FPS[1]:
        raise BadInput(f"--fps {args.fps:g} must be between {FPS[0]} and {FPS[1]} frames per second")
    if not 0.0 < args.seconds <= 3600.0:
        raise BadInput(f"--seconds {args.seconds:g} must be more than 0 and at most 3600")
    _scene_arguments.target("--video", args.video)
    return Mp4(Path(args.video), args.fps) if args.video else Frames(Path(args.frames))


def shoot(scene: Any, args: argparse.Namespace, file: Any) -> None:
    """Draw and save all pictures.

    Raises:
        NoGraphics: nothing can be drawn here. OSError: the file could not be written.
    """
    from app.commands.render import Run, camera_of, chosen, view_options
    from app.render.opengl.offscreen import Offscreen
    from app.video import Writer

    run = Run(scene, args)
    frame = run.at(args.at)
    view, camera = view_options(scene, frame, args), camera_of(scene.view, args)
    width, height = _scene_arguments.size(args.size)
    with Offscreen(width, height, max(0, args.samples)) as picture:
        from app.render.opengl.renderer import Renderer

        renderer, writer = Renderer("high"), Writer(file)
        for k in range(max(1, round(args.seconds * args.fps))):
            frame = run.at(args.at + k / args.fps)
            picture.begin()
            renderer.draw(frame, camera, view, width, height, time.perf_counter(), selection=chosen(frame, args.select),
                          facets=run.facets)
            writer.put(picture.pixels().copy())
        problem = writer.close()
    if problem:
        raise OSError(problem)
