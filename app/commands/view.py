"""`stiction view [SCENE]`: the window."""

import argparse

from app.commands import _world

HELP = "open the window (the default command)"
EXAMPLES = """\
  stiction view
  stiction view door --paused
  stiction view lesson.stiction
  stiction view pyramid --theme light --size 1280x800
  stiction view incline --locked --code 1234
  stiction view --restore
  stiction view stack --seconds 3 --screenshot stack.png"""
KERNELS = False
DEFAULT = "pyramid"


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("scene", nargs="?", default="", metavar="SCENE", help="`stiction scenes` lists them; or a recording (FILE.stiction), "
                                                              "or a report of a problem (FILE.zip)")
    add("--dt", type=float, help="step [s]; the scene's own if not given")
    add("--theme", choices=("dark", "light", "contrast"), help="as last time if not given")
    add("--language", choices=("en", "ru", "zh"), help="of the window; as last time if not given")
    add("--size", metavar="WxH", help="of the window; as last time if not given, at first 1600x1000")
    add("--fresh", action="store_true", help="as at the first start: settings and layout are neither read nor written")
    add("--restore", action="store_true", help="go on where the last session was that ended unexpectedly")
    add("--paused", action="store_true", help="do not run at once")
    add("--locked", action="store_true", help="for a class: only the lesson, its parameters, the plot and the time within reach")
    add("--code", default="", metavar="CODE", help="opens a locked window again; without one anybody may open it")
    add("--seconds", type=float, metavar="T", help="close by itself after this time")
    add("--screenshot", metavar="FILE", help="save a PNG picture of the window when --seconds are over")


def run(args: argparse.Namespace) -> int:
    """Open the window and stay until it is closed."""
    import math
    import sys
    from pathlib import Path

    from app.cli import MISSING, Usage
    from app.render.offscreen import NoGraphics

    size = _world.size(args.size, smallest=200) if args.size is not None else None
    if args.seconds is not None and not (math.isfinite(args.seconds) and args.seconds > 0.0):
        raise Usage(f"--seconds = {args.seconds:g} must be a number above zero")
    if args.code and not args.locked:
        raise Usage("--code needs --locked: it opens a locked window")
    if args.screenshot and args.seconds is None:
        raise Usage("--screenshot needs --seconds: how long to wait before the picture is taken")
    if args.screenshot and not Path(args.screenshot).resolve().parent.is_dir():
        raise Usage(f"--screenshot {args.screenshot}: there is no such folder")
    if args.screenshot and Path(args.screenshot).is_dir():
        raise Usage(f"--screenshot {args.screenshot} is a folder: name a file in it")

    try:
        from app import language
        from app.gui import settings
        from app.gui.opening import open_window, settle_logging
        from app.gui.text import fonts

        settle_logging()
        liked, trouble = (settings.Settings(), "") if args.fresh else settings.load(settings.place())
        liked.theme = args.theme or liked.theme
        liked.language = args.language or liked.language
        if fonts.can_show(liked.language):
            language.use(liked.language)
        else:
            trouble = f"{trouble}; {fonts.NO_CHINESE}" if trouble else fonts.NO_CHINESE
        by_itself = args.fresh or args.seconds is not None      # closed by the clock: no person chose anything
        keeper = settings.Keeper(liked, None if by_itself else settings.place(), trouble)
        return open_window(lambda: guarded_session(args, liked), early=(args.scene or liked.scene or DEFAULT) == DEFAULT,
                           size=size or (liked.width, liked.height), theme=liked.theme, seconds=args.seconds,
                           screenshot=Path(args.screenshot) if args.screenshot else None, keeper=keeper)
    except NoGraphics as error:
        print(f"stiction: {error}", file=sys.stderr)
        return MISSING


def guarded_session(args: argparse.Namespace, liked: "Settings") -> "Session":  # noqa: F821
    """That session with a journal, unless the clock closes it; what is left of one that ended unexpectedly is offered.

    Raises:
        BadInput: there is nothing to restore, though that was asked for.
    """
    import sys

    from app.gui.output import files
    from app.gui.output.restoring import Offer, folder, told
    from physics import BadInput

    session = open_session(args, liked)
    if args.seconds is not None and not args.restore:
        return session
    files.tidy()
    offer = session.memory(Offer)
    offer.find()
    if args.restore and not offer.left:
        raise BadInput(f"--restore: no session ended unexpectedly, as far as {folder()} tells")
    if args.restore:
        offer.restore(session)
    elif offer.left and (args.locked or args.fresh):
        print(f"{told(offer.left[0])} `stiction view --restore` brings it back.", file=sys.stderr)
        offer.postpone()
    elif offer.left:
        session.request("open:restore")
    try:
        session.thread.keep_journal(folder())
    except OSError as error:
        session.say(f"what you do is not kept for the case of a crash: {error.filename or folder()}: {error.strerror or error}")
    return session


def open_session(args: argparse.Namespace, liked: "Settings") -> "Session":  # noqa: F821
    """The session that the command line asks for, else the one of last time."""
    import scenes
    from app.engine import recording
    from app.session import Session

    known = scenes.all_scenes()
    last = next((name for name in (liked.scene, DEFAULT) if name in known), next(iter(known)))
    tape = args.scene if args.scene.endswith(recording.SUFFIXES) else ""
    session = Session.open(recording.read(tape).scene if tape else args.scene or last)
    if tape:
        session.post("open_recording", tape)
    session.view.theme = liked.theme
    if args.dt is not None:
        session.simulation.set_dt(args.dt)
    if args.paused:
        session.simulation.pause()
    if args.locked:
        from app.insight.lock import Lock

        session.memory(Lock).close(args.code)
        session.request("open:exercises")
    return session
