"""`stiction tour`: a film of two minutes through the scenes."""

import argparse
import sys

from app.commands import _scene_arguments

HELP = "write a film of two minutes: ten scenes with their laws, predicted against measured"
EXAMPLES = """\
  stiction tour --video tour.mp4
  stiction tour --video tour.mp4 --language ru --size 1920x1080
  stiction tour --video short.mp4 --seconds 20 --scenes door,cradle
  stiction tour --frames pictures --quick

mp4 needs ffmpeg: the package imageio-ffmpeg, or one on the PATH. Nothing of the film depends on the clock."""

QUICK = (4.0, 5.0, "640x360")
"""Length [s], pictures per second and size of --quick."""


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--video", metavar="FILE", help="the film (mp4)")
    add("--frames", metavar="FOLDER", help="single images into an empty or new folder instead")
    add("--seconds", type=float, metavar="T", help="length of the film [s]; default 120")
    add("--fps", type=float, metavar="F", help="pictures per second; default 30")
    add("--size", metavar="WxH", help="size in pixels; default 1280x720")
    add("--scenes", metavar="NAMES", help="scenes to visit, separated by commas")
    add("--language", default="en", metavar="CODE", help="language of the texts: en, ru or zh")
    add("--quick", action="store_true", help="a small film of 4 s, to see whether it works")


def run(args: argparse.Namespace) -> int:
    """Draw the pictures and write them."""
    from pathlib import Path

    from tqdm import tqdm

    import scenes
    from app.commands import MISSING
    from app.render.opengl.offscreen import NoGraphics, Offscreen
    from app.video import FPS, Frames, Mp4, Writer
    from physics import BadInput

    if bool(args.video) == bool(args.frames):
        raise BadInput("no output given; use one of --video FILE.mp4 and --frames FOLDER")
    seconds, fps, size = (given or usual for given, usual in zip(
        (args.seconds, args.fps, args.size), QUICK if args.quick else (120.0, 30.0, "1280x720")))
    if not FPS[0] <= fps <= FPS[1]:
        raise BadInput(f"--fps {fps:g} must be between {FPS[0]} and {FPS[1]} frames per second")
    shape = _scene_arguments.size(size)
    chosen = tuple(filter(None, (args.scenes or "").split(",")))
    for name in chosen:
        scenes.find(name)
    _scene_arguments.target("--video", args.video)
    _set_language(args.language)
    if not 0.1 <= seconds <= 3600.0:
        raise BadInput(f"--seconds {seconds:g} must be between 0.1 and 3600")
    file, count = Mp4(Path(args.video), fps) if args.video else Frames(Path(args.frames)), 0
    try:
        with Offscreen(*shape, 4) as target:
            from app.gui.output import tour  # imports pyglet's window, for which a display or none is chosen by now

            stops, writer = chosen or tour.TOUR_SCENES, Writer(file)
            for picture in tqdm(tour.pictures(target, stops, seconds, fps), total=round(seconds * fps), unit="picture",
                                disable=not sys.stderr.isatty(), file=sys.stderr, leave=False):
                writer.put(picture)
                count += 1
            problem = writer.close()
    except NoGraphics as error:
        print(f"stiction: {error}", file=sys.stderr)
        return MISSING
    if problem:
        raise OSError(problem)
    print(f"saved {count / fps:.4g} s of {len(stops)} scenes in {args.video or args.frames}")
    return 0


def _set_language(code: str) -> None:
    """Set the language of the texts."""
    from app.gui.text import fonts
    from app.i18n import translate
    from physics import BadInput

    if code not in translate.LANGUAGES:
        raise BadInput(f"--language {code} is unknown; available: {', '.join(translate.LANGUAGES)}")
    if not fonts.can_show(code):
        raise BadInput(fonts.NO_CHINESE)
    translate.set_language(code)
