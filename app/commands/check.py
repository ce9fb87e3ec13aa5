"""`stiction check FILE...`: is a file of somebody else whole, or what is wrong with it and where; nothing of it is run."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

HELP = "say whether recordings, reports, settings and own scenes are whole, or what is wrong with them and where"
EXAMPLES = """\
  stiction check pyramid.stiction
  stiction check problem-pyramid-20260101-120000.zip settings.toml
  stiction check ramp.py           reads it, and runs nothing of it
  stiction check --run ramp.py     also runs it: only for a file that you trust

The exit code is 2 if a file is not whole."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="recordings (.stiction), reports (.zip), settings (.toml), "
                                                                 "own scenes (.py)")
    parser.add_argument("--run", action="store_true", help="run own scenes, too: they are programs and may do anything")


def run(args: argparse.Namespace) -> int:
    """0: all of them are whole; 2: one is not."""
    from app.cli import BAD_INPUT, DONE
    from physics import BadInput

    code = DONE
    for name in args.files:
        path = Path(name)
        try:
            print(f"{path}: {_checker(path, args.run)(path)}")
        except BadInput as error:
            code = BAD_INPUT
            print(str(error) if str(path) in str(error) else f"{path}: {error}")
    return code


def _checker(path: Path, runs: bool) -> Callable[[Path], str]:
    """What looks at such a file; it returns what is in it, or raises BadInput."""
    from app.engine.recording import SUFFIXES
    from physics import BadInput

    suffix = path.suffix.lower()
    if suffix in SUFFIXES:
        return recording
    if suffix == ".toml":
        return settings
    if suffix == ".py":
        return scene_that_runs if runs else scene
    raise BadInput(f"{path} is neither a recording (.stiction), nor a report (.zip), nor settings (.toml), nor a scene (.py)")


def recording(path: Path) -> str:
    """A recording, or a report with one in it."""
    from app.engine import recording
    from app.engine.simulation import Simulation

    tape = recording.read(path, Simulation)
    past, history = tape.history.past(), tape.history
    return (f"whole: a recording of '{tape.scene}', {past.end - past.begin:.3g} s in {history.last - history.first} steps, "
            f"{len(history.moments)} whole states, {len(history.deeds)} deeds")


def settings(path: Path) -> str:
    """What is kept between sessions."""
    from app import regular_file
    from app.gui import settings
    from physics import BadInput

    text = regular_file.read(path)
    _, trouble = settings.parsed(text, str(path))
    if trouble:
        raise BadInput(trouble)
    return "whole: settings"


def scene(path: Path) -> str:
    """A scene of a person's: its syntax, and that it defines one. It is not run."""
    import ast

    from app import regular_file
    from physics import BadInput

    try:
        tree = ast.parse(regular_file.read(path), filename=str(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        where = f"line {error.lineno}: " if isinstance(error, SyntaxError) else ""
        raise BadInput(f"{path}: {where}{getattr(error, 'msg', None) or error}") from None
    if "SCENE" not in {name for item in tree.body for name in _defined(item)}:
        raise BadInput(f"{path}: it defines no SCENE, so it is no scene: write SCENE = Scene(...) at the left margin")
    return "a scene, as far as can be seen without running it (--run runs it)"


def _defined(item: Any) -> list[str]:
    """Names that a statement of a module gives a value."""
    import ast

    targets = item.targets if isinstance(item, ast.Assign) else [item.target] if isinstance(item, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def scene_that_runs(path: Path) -> str:
    """The same, and its world is built and makes a step."""
    import runpy

    import scenes
    from app.own_files import explained
    from physics import BadInput, step

    scene(path)
    try:
        found = runpy.run_path(str(path)).get("SCENE")
        if not isinstance(found, scenes.Scene):
            raise BadInput(f"{path}: SCENE is no Scene")
        step(scenes.make_world(found), found.dt)
    except BadInput:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever somebody's program does)
        raise BadInput(f"{path}: {explained(error, str(path))}") from None
    return f"whole: the scene '{found.title}'"
