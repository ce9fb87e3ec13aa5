"""`stiction check FILE...`: validate files from others without running them, and locate errors."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

HELP = "check scene files, robots, meshes, recordings, reports, settings and own scenes and report every error"
EXAMPLES = """\
  stiction check tower.toml        a scene file: all its mistakes, each with its line
  stiction check pyramid.stiction
  stiction check problem-pyramid-20260101-120000.zip settings.toml
  stiction check arm.urdf          a robot: what is wrong, and all that is skipped, each with its line
  stiction check ramp.py           read it without running it
  stiction check --run ramp.py     also run it: only for files that you trust

The exit code is 2 if a file is damaged."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE",
                        help="scene files and settings (.toml), robots (.urdf, .xml, .sdf), meshes (.obj, .stl, .glb, .gltf, "
                             ".dae), recordings (.stiction), reports (.zip), own scenes (.py)")
    parser.add_argument("--run", action="store_true", help="also run own scenes: they are programs and can do anything")


def run(args: argparse.Namespace) -> int:
    """Return 0 if all files are valid, 2 if one is not."""
    from app.commands import BAD_INPUT, DONE
    from app.files.printable import printable
    from physics import BadInput

    code = DONE
    for name in args.files:
        path = Path(name)
        try:
            report = f"{path}: {_checker(path, args.run)(path)}"
        except BadInput as error:
            code, report = BAD_INPUT, str(error) if str(path) in str(error) else f"{path}: {error}"
        print("\n".join(map(printable, report.splitlines())))
    return code


def _checker(path: Path, runs: bool) -> Callable[[Path], str]:
    """Return the check for such a file; it returns a description of the contents, or raises BadInput."""
    from app.engine.file_kinds import FILE_SUFFIXES, kind_of
    from physics import BadInput

    checkers = {"recordings": recording, "problem reports": recording, "scene files": tables, "robots": robot, "meshes": robot,
                "own scenes": scene_that_runs if runs else scene}
    kind = kind_of(path)
    if kind not in checkers:
        can = ", ".join(f"{kind} ({', '.join(FILE_SUFFIXES[kind])})" for kind in checkers)
        raise BadInput(f"{path} cannot be checked; supported files: {can}")
    return checkers[kind]


def recording(path: Path) -> str:
    """Check a recording, or a report that contains one."""
    from app.engine.commands import COMMANDS
    from app.engine.recording import file
    from app.i18n.message import message

    recorded = file.read(path, COMMANDS)
    past, history = recorded.history.past(), recorded.history
    steps = message("{count} step", "{count} steps", count=history.last - history.first)
    keyframes = message("{count} keyframe", "{count} keyframes", count=len(history.moments))
    edits = message("{count} command", "{count} commands", count=len(history.commands))
    return f"valid: a recording of '{recorded.scene}', {past.end - past.begin:.3g} s in {steps}, {keyframes}, {edits}"


def robot(path: Path) -> str:
    """Check a robot or a mesh."""
    from app.robots import robot_file

    return robot_file.checked(path)


def tables(path: Path) -> str:
    """Check a TOML file: a scene file, or the settings."""
    from app.engine.scene_files import text
    from app.files import safe_read
    from app.gui.shell.settings import Settings

    data = safe_read.read(path, text.MAX_BYTES)
    found = text.parsed(data, str(path)).keys()
    return settings(path, data) if found & vars(Settings()).keys() and "format" not in found else scene_file(path, data)


def scene_file(path: Path, data: bytes) -> str:
    """Check a scene file.

    Raises:
        BadInput: it has mistakes: one in a line.
    """
    from app.engine.scene_files import scene_file
    from app.i18n.message import message
    from physics import BadInput

    found, mistakes = scene_file.examined(data, str(path))
    if found is None:
        raise BadInput("\n".join(f"{path}:{mistake}" for mistake in mistakes))
    world = found.world
    notes = "".join(f"; {note}" for note in found.notes)
    bodies = message("{count} body", "{count} bodies", count=(world.bodies["kind"] > 0).sum() - 1)
    joints = message("{count} joint", "{count} joints", count=(world.joints["kind"] >= 0).sum())
    return f"valid: a scene file, {bodies}, {joints}, solver {world.solver.name}{notes}"


def settings(path: Path, text: bytes) -> str:
    """Check a settings file."""
    from app.gui.shell import settings
    from physics import BadInput

    _, trouble = settings.parsed(text, str(path))
    if trouble:
        raise BadInput(trouble)
    return "valid: settings"


def scene(path: Path) -> str:
    """Check a user's scene without running it: its syntax, and that it defines a scene."""
    import ast

    from app.files import safe_read
    from physics import BadInput

    try:
        tree = ast.parse(safe_read.read(path), filename=str(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        where = f"line {error.lineno}: " if getattr(error, "lineno", None) else ""
        raise BadInput(f"{path}: {where}{getattr(error, 'msg', None) or error}") from None
    if "SCENE" not in {name for item in tree.body for name in _defined(item)}:
        raise BadInput(f"{path}: it defines no SCENE: add SCENE = Scene(...) at the left margin")
    return "valid syntax for a scene; not run (use --run to run it)"


def _defined(item: Any) -> list[str]:
    """Return the names that a statement of a module defines."""
    import ast

    targets = item.targets if isinstance(item, ast.Assign) else [item.target] if isinstance(item, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def scene_that_runs(path: Path) -> str:
    """Check a scene, build its world and make one step."""
    import runpy

    import scenes
    from app import cancellable_work
    from app.own_files import discover
    from physics import BadInput, step

    def title() -> str:
        found = runpy.run_path(str(path)).get("SCENE")
        if not isinstance(found, scenes.Scene):
            raise BadInput(f"{path}: SCENE is not a Scene")
        step(scenes.make_world(found), found.dt)
        return found.title

    scene(path)
    try:
        return f"valid: the scene '{cancellable_work.run(title, f'Running {path}', discover.MAX_LOAD_TIME)}'"
    except BadInput:
        raise
    except Exception as error:  # noqa: BLE001  (foreign code may raise anything)
        raise BadInput(f"{path}: {discover.explained(error, str(path))}") from None
