"""`stiction view [SCENE]`: the window."""

import argparse

from app.commands import _world

HELP = "open the window (the default command)"
EXAMPLES = """\
  stiction view
  stiction view door --paused
  stiction view pyramid --theme light --size 1280x800
  stiction view stack --seconds 3 --screenshot stack.png"""
KERNELS = False
DEFAULT = "pyramid"


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("scene", nargs="?", default="", metavar="SCENE", help="`stiction scenes` lists them")
    add("--dt", type=float, help="step [s]; the scene's own if not given")
    add("--theme", default="dark", choices=("dark", "light"))
    add("--size", default="1600x1000", metavar="WxH", help="of the window; default 1600x1000")
    add("--paused", action="store_true", help="do not run at once")
    add("--seconds", type=float, metavar="T", help="close by itself after this time")
    add("--screenshot", metavar="FILE", help="save a PNG picture of the window when --seconds are over")


def run(args: argparse.Namespace) -> int:
    """Open the window and stay until it is closed."""
    import math
    import sys
    from pathlib import Path

    from app.cli import MISSING, Usage
    from app.render.offscreen import NoGraphics

    size = _world.size(args.size, smallest=200)
    if args.seconds is not None and not (math.isfinite(args.seconds) and args.seconds > 0.0):
        raise Usage(f"--seconds = {args.seconds:g} must be a number above zero")
    if args.screenshot and args.seconds is None:
        raise Usage("--screenshot needs --seconds: how long to wait before the picture is taken")
    if args.screenshot and not Path(args.screenshot).resolve().parent.is_dir():
        raise Usage(f"--screenshot {args.screenshot}: there is no such folder")
    if args.screenshot and Path(args.screenshot).is_dir():
        raise Usage(f"--screenshot {args.screenshot} is a folder: name a file in it")

    def make() -> "Session":  # noqa: F821
        return open_session(args)

    try:
        from app.gui.opening import open_window, settle_logging

        settle_logging()
        open_window(make, size=size, theme=args.theme, seconds=args.seconds,
                    screenshot=Path(args.screenshot) if args.screenshot else None)
    except NoGraphics as error:
        print(f"stiction: {error}", file=sys.stderr)
        return MISSING
    return 0


def open_session(args: argparse.Namespace) -> "Session":  # noqa: F821
    """The session that the command line asks for."""
    import scenes
    from app.session import Session

    known = scenes.all_scenes()
    session = Session.open(args.scene or (DEFAULT if DEFAULT in known else next(iter(known))))
    session.view.theme = args.theme
    if args.dt is not None:
        session.simulation.set_dt(args.dt)
    if args.paused:
        session.simulation.pause()
    return session
