"""A report of a problem: one zip with what somebody else needs to see it, too, and nothing about who made it."""

import dataclasses
import getpass
import io
import json
import platform
import sys
import tempfile
import time
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pyglet

from app.cli import version
from app.gui.output.files import documents, write
from app.gui.settings import Settings, as_toml
from app.insight.console import LEVELS, as_text, console
from app.render.offscreen import write_png
from app.session import Session

PACKAGES = ("numpy", "numba", "llvmlite", "pyglet", "imgui-bundle", "pyrr")

CONTENTS = {"contents.txt": "this list", "versions.txt": "of the program, of what it is made with, of this machine",
            "scene.json": "scene, parameters, solver, options, step, what was edited",
            "state.npz": "bodies, shapes, joints and contacts as they are now, for numpy.load",
            "reports.json": "what the newest steps said of themselves", "settings.toml": "theme, sizes, panels",
            "console.txt": "everything that was said since the start", "screenshot.png": "the window"}
"""Of the zip, in words."""

REPORTS = 240
"""The newest steps whose reports are kept."""


def save_soon(session: Session) -> None:
    """After this picture, of the window that shows the session: the menu is closed then."""
    window = next(window for window in pyglet.app.windows if getattr(window, "session", None) is session)
    pyglet.clock.schedule_once(lambda _dt: save(window), 0.0)


def save(window: Any) -> Path | None:
    """Write the report of a window's session, and tell where it is and what is in it; None if it could not be written."""
    session = window.session
    path = documents() / f"problem-{session.frame.scene or 'empty'}-{time.strftime('%Y%m%d-%H%M%S')}.zip"
    keeper = window.keeper
    parts = collected(session, renderer(), keeper.settings if keeper is not None else Settings(theme=session.view.theme))
    parts["screenshot.png"] = _png(window.picture())
    try:
        write(path, zipped(parts))
    except OSError as error:
        session.say(f"the report could not be saved as {anonymous(str(path))} ({error.strerror or error}): make room there, or "
                    "allow the program to write there, and try again")
        return None
    session.say(f"the report was saved as {anonymous(str(path))}, {path.stat().st_size / 1e3:.0f} kB: scene and settings, the "
                "state of all bodies, versions, the console and a picture of this window; your name and folders are left out")
    return path


def collected(session: Session, graphics: str, settings: Settings) -> dict[str, bytes]:
    """Everything but the picture, by the name of its file; texts without names of persons."""
    listed = "\n".join(f"{name:16}{meaning}" for name, meaning in CONTENTS.items())
    texts = {"contents.txt": f"A report of a problem in Stiction\n\n{listed}\n", "versions.txt": versions(graphics),
             "scene.json": json.dumps(scene(session), indent=1, default=_plain),
             "reports.json": json.dumps(_reports(session), indent=1, default=_plain), "settings.toml": as_toml(settings),
             "console.txt": as_text(console().matching(set(LEVELS), "")) + "\n"}
    return {name: anonymous(text).encode() for name, text in texts.items()} | {"state.npz": _state(session)}


def versions(graphics: str) -> str:
    """A line each."""
    lines = {"stiction": version(), "python": sys.version.split()[0], **{name: _version(name) for name in PACKAGES},
             "OpenGL": graphics, "platform": f"{platform.system()} {platform.release()}, {platform.machine()}"}
    return "".join(f"{name}: {value}\n" for name, value in lines.items())


def scene(session: Session) -> dict[str, Any]:
    """What was run, and how."""
    simulation, frame = session.simulation, session.frame
    solver = simulation.world.solver
    return {"scene": frame.scene, "parameters": _fields(simulation.parameters), "solver": solver.name,
            "options": _fields(getattr(solver, "options", None)), "dt": frame.dt, "step": frame.step, "time": frame.time,
            "gravity": frame.gravity, "paused": frame.paused, "bodies": int(np.count_nonzero(frame.bodies["kind"])),
            "contacts": len(frame.contacts), "joints": int(np.count_nonzero(frame.joints["kind"] >= 0)),
            "sleeping": _fields(simulation.world.sleeping), "edits": [edit.text for edit in simulation.edits.done],
            "warnings": [message.text for message in session.messages]}


def anonymous(text: str) -> str:
    """The text with the home folder as ~ and without the name of who is logged in."""
    home = str(Path.home())
    if len(home) > 1:
        for spelled in dict.fromkeys((home, home.replace("\\", "\\\\"), Path(home).as_posix())):
            text = text.replace(spelled, "~")
    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        return text
    for before in ("/home/", "/Users/", "\\Users\\", "\\\\Users\\\\"):
        text = text.replace(f"{before}{name}", "~")
    return text


def renderer() -> str:
    """What draws: version, renderer, vendor."""
    from pyglet.gl import gl_info

    return f"{gl_info.get_version_string()}, {gl_info.get_renderer()}, {gl_info.get_vendor()}"


def zipped(parts: dict[str, bytes]) -> bytes:
    """In the order of CONTENTS."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in CONTENTS:
            if name in parts:
                archive.writestr(name, parts[name])
    return out.getvalue()


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _state(session: Session) -> bytes:
    frame, out = session.frame, io.BytesIO()
    np.savez_compressed(out, body_names=np.array(frame.body_names), joint_names=np.array(frame.joint_names),
                        **{name: np.asarray(getattr(frame, name)).view(np.ndarray) for name in (
                            "bodies", "shapes", "joints", "contacts")})
    return out.getvalue()


def _reports(session: Session) -> list[dict[str, Any]]:
    """The newest steps, the last one at the end."""
    kept = [(time_of, report) for time_of, report in list(session.simulation.recent)[-REPORTS:]]
    last = session.frame.report
    if last is not None and not any(report is last for _, report in kept):
        kept.append((session.frame.time, last))
    return [{"time": when, **_fields(report)} for when, report in kept]


def _fields(made: Any) -> dict[str, Any]:
    """Fields of a dataclass that have a plain value."""
    if not dataclasses.is_dataclass(made):
        return {}
    found = {f.name: getattr(made, f.name) for f in dataclasses.fields(made)}
    return {name: value for name, value in found.items() if isinstance(value, int | float | str | bool | tuple | list | dict)}


def _plain(value: Any) -> Any:
    """Numbers of numpy as numbers; else in words."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


def _png(pixels: np.ndarray) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write_png(Path(folder) / "picture.png", pixels)
        return (Path(folder) / "picture.png").read_bytes()
