"""`stiction view [SCENE]`: the window."""

import argparse

from app.commands import _scene_arguments

HELP = "open the window (the default command)"
EXAMPLES = """\
  stiction view
  stiction view door --paused
  stiction view stack --solver stewart_trinkle --option facets=8
  stiction view lesson.stiction
  stiction view pyramid --theme light --size 1280x800
  stiction view incline --locked --code 1234
  stiction view --restore
  stiction view stack --seconds 3 --screenshot stack.png"""
KERNELS = False


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("scene", nargs="?", default="", metavar="SCENE", help=f"{_scene_arguments.SCENE_HELP}; or a recording "
        "(FILE.stiction) or a problem report (FILE.zip)")
    add("--dt", type=float, help="step size [s]; default: that of the scene")
    _scene_arguments.solver_arguments(parser)
    add("--theme", choices=("dark", "light", "contrast"), help="default: as in the last session")
    add("--language", choices=("en", "ru", "zh"), help="language of the window; default: as in the last session")
    add("--size", metavar="WxH", help="size of the window; default: as in the last session, initially 1600x1000")
    add("--fresh", action="store_true", help="use default settings and layout; neither read nor write them")
    add("--restore", action="store_true", help="restore the last session that ended unexpectedly")
    add("--paused", action="store_true", help="start paused")
    add("--locked", action="store_true", help="lock the window for a class: only the lesson, its parameters, the plot and the "
                                              "time controls are available")
    add("--code", default="", metavar="CODE", help="code that unlocks the window; without one anyone can unlock it")
    add("--seconds", type=float, metavar="T", help="close the window after this time")
    add("--screenshot", metavar="FILE", help="save a PNG picture of the window after --seconds")


def asks(args: argparse.Namespace) -> bool:
    """Return whether a user at the window can answer questions."""
    return args.seconds is None and not args.locked


def run(args: argparse.Namespace) -> int:
    """Open the window and stay until it is closed."""
    import gc

    gc.disable()    # imported objects stay; collecting among them took a quarter of the time to the first picture
    try:
        return _checked(args)
    finally:
        gc.enable()


def _checked(args: argparse.Namespace) -> int:
    """Check the arguments and open the window.

    Raises:
        Usage: they make no sense.
    """
    import math
    import sys

    from app import splash
    from app.commands import MISSING, Usage

    size = _scene_arguments.size(args.size, smallest=200) if args.size is not None else None
    if args.seconds is not None and not (math.isfinite(args.seconds) and args.seconds > 0.0):
        raise Usage(f"--seconds = {args.seconds:g} must be greater than zero")
    if args.code and not args.locked:
        raise Usage("--code needs --locked: it unlocks a locked window")
    if args.screenshot and args.seconds is None:
        raise Usage("--screenshot needs --seconds: the time before the picture is taken")
    _scene_arguments.target("--screenshot", args.screenshot)
    _scene_arguments.require_scene(args.scene)
    if args.solver is not None:
        _scene_arguments.require_solver(args.solver)

    close_splash = splash.show() if args.seconds is None else None
    from app.render.opengl.offscreen import NoGraphics  # heavy: after the card is on the screen

    try:
        return _open(args, size, close_splash)
    except NoGraphics as error:
        print(f"stiction: {error}", file=sys.stderr)
        return MISSING
    finally:
        if close_splash is not None:
            close_splash()


def _open(args: argparse.Namespace, size: tuple[int, int] | None, first_picture: "Callable[[], None] | None") -> int:  # noqa: F821
    """Open the window with the settings and arguments; return the exit code once it is closed."""
    from pathlib import Path

    from app.gui.shell import settings
    from app.gui.shell.first_minute import FIRST_SCENE
    from app.gui.text import fonts
    from app.i18n import translate
    from app.startup import configure_logging, open_window

    configure_logging()
    liked, trouble = (settings.Settings.first(), "") if args.fresh else settings.load(settings.place())
    liked.theme = args.theme or liked.theme
    liked.language = args.language or liked.language
    if fonts.can_show(liked.language):
        translate.set_language(liked.language)
    else:
        trouble = f"{trouble}; {fonts.NO_CHINESE}" if trouble else fonts.NO_CHINESE
    by_itself = args.fresh or args.seconds is not None      # closed by the clock: the user chose nothing
    settings_store = settings.SettingsStore(liked, None if by_itself else settings.place(), trouble)
    return open_window(lambda: guarded_session(args, liked), early=(args.scene or liked.scene or FIRST_SCENE) == FIRST_SCENE,
                       size=size or (liked.width, liked.height), theme=liked.theme, seconds=args.seconds,
                       screenshot=Path(args.screenshot) if args.screenshot else None, settings_store=settings_store,
                       first_picture=first_picture)


def guarded_session(args: argparse.Namespace, liked: "Settings") -> "Session":  # noqa: F821
    """Return the session of `open_session` with a journal, unless the clock closes it; offer to restore a lost one.

    Raises:
        BadInput: a restore was requested, but there is nothing to restore.
    """
    import sys

    from app.files import folders
    from app.gui.output.crash_recovery import RecoveryOffer, describe_session, folder
    from app.own_files import discover
    from app.own_files.ask import TrustQuestions
    from physics import BadInput

    discover.run_all()
    session = open_session(args, liked)
    session.state(TrustQuestions).on = session.asks_before_leaving = asks(args)
    if args.seconds is not None and not args.restore:
        return session
    folders.tidy()
    offer = session.state(RecoveryOffer)
    offer.find()
    if args.restore and not offer.left:
        raise BadInput(f"--restore: no unexpectedly ended session found in {folder()}")
    if args.restore:
        offer.restore(session)
    elif offer.left and (args.locked or args.fresh):
        print(f"{describe_session(offer.left[0])} Run `stiction view --restore` to restore it.", file=sys.stderr)
        offer.postpone()
    elif offer.left:
        session.window.open_panel("restore")
    try:
        session.start_journal(folder())
    except OSError as error:
        session.notify(f"crash recovery is not available: {error.filename or folder()}: {error.strerror or error}")
    return session


def open_session(args: argparse.Namespace, liked: "Settings") -> "Session":  # noqa: F821
    """Return the session that the command line requests, else one with the previous scene."""
    import scenes
    from app.engine import commands
    from app.engine.recording import file
    from app.engine.scene_files import scene_file
    from app.gui.shell.first_minute import FIRST_SCENE
    from app.session import Session
    from physics import BadInput

    last = next((name for name in (liked.scene, FIRST_SCENE) if name.endswith(scene_file.SUFFIX) or scenes.listed(name)),
                None) or next(iter(scenes.all_scenes()))
    recorded = args.scene if args.scene.endswith(file.SUFFIXES) else ""
    if recorded and (args.solver or args.option):
        raise BadInput("--solver and --option have no effect on a recording, which replays as it was made")
    try:
        session = Session.open(file.read(recorded).scene if recorded else args.scene or last)
    except BadInput as error:
        if args.scene or last == FIRST_SCENE:
            raise
        session = Session.open(FIRST_SCENE)     # the previous scene is an own file that cannot be built now
        session.notify(str(error))
    if recorded:
        session.post(commands.open_recording, recorded)
    session.view.theme = liked.theme
    if args.dt is not None:
        commands.set_dt(session.simulation, args.dt)
    options = dict(map(_scene_arguments.pair, args.option))
    if args.solver:
        commands.use_solver(session.simulation, args.solver, **options)
    else:
        for name, value in options.items():
            commands.set_option(session.simulation, name, value)
    if args.paused:
        session.simulation.pause()
    session.thread.publish()    # the first picture shows what was set here
    if args.locked:
        from app.analysis.lessons.classroom_lock import Lock

        session.state(Lock).close(args.code)
        session.window.open_panel("exercises")
    return session
