"""A report of a problem: one zip with what somebody else needs to see it, too, and nothing about who made it."""

import dataclasses
import getpass
import io
import json
import platform
import queue
import sys
import time
import zipfile
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pyglet

from app.cli import version
from app.engine.frame import Frame
from app.engine.handing import Recent
from app.engine.recording import IN_REPORT, pack
from app.gui.output.files import documents
from app.gui.settings import Settings, as_toml
from app.insight.console import LEVELS, as_text, console
from app.render.offscreen import as_png
from app.session import Session
from app.whole_files import write
from physics import BadInput

PACKAGES = ("numpy", "numba", "llvmlite", "pyglet", "imgui-bundle", "pyrr")

CONTENTS = {"contents.txt": "this list", "versions.txt": "of the program, of what it is made with, of this machine",
            "scene.json": "scene, parameters, solver, options, step, what was edited",
            IN_REPORT: "how it came about: the newest seconds, to be made again bit for bit",
            "state.npz": "bodies, shapes, joints and contacts as they are now, for numpy.load",
            "reports.json": "what the newest steps said of themselves", "settings.toml": "theme, sizes, panels",
            "console.txt": "everything that was said since the start", "screenshot.png": "the window"}
"""Of the zip, in words."""

HOW = """To see how it came about: drop this zip on the window of Stiction and press Run, or
    python3 start.py replay THIS.zip
It makes every step again, compares it with what was, and ends with the state that was reported.
"""

PATIENCE = 0.5
"""Seconds that the window waits for the physics to hand out the past."""

REPORTS = 240
"""The newest steps whose reports are kept."""


def save_soon(session: Session) -> None:
    """After this picture, of the window that shows the session: the menu is closed then."""
    window = next(window for window in pyglet.app.windows if getattr(window, "session", None) is session)
    pyglet.clock.schedule_once(lambda _dt: save(window), 0.0)


def save(window: Any) -> Path:
    """Have the report of a window's session written, without waiting for it: a message tells where it is and what is in it."""
    session = window.session
    path = documents() / f"problem-{session.frame.scene or 'empty'}-{time.strftime('%Y%m%d-%H%M%S')}.zip"
    keeper, recent = window.keeper, _recent(session)
    parts = collected(session, renderer(), keeper.settings if keeper is not None else Settings(theme=session.view.theme), recent)
    parts["screenshot.png"] = as_png(window.picture())
    session.thread.clerk.give(path.name, partial(_into_file, parts, recent, path), session.simulation.say)
    return path


def _recent(session: Session) -> Recent:
    """The moment that is reported and what led to it; a physics thread that is in a long step is not waited for."""
    answers: queue.SimpleQueue[Recent] = queue.SimpleQueue()
    session.post("hand_recent", answers.put)
    try:
        return answers.get(timeout=PATIENCE)
    except queue.Empty:
        return Recent(session.frame, None, "the physics did not answer in time: it was at a long step")


def _into_file(parts: dict[str, bytes], recent: Recent, path: Path) -> str:
    """Add the recording, write the zip; returns what to say."""
    why = recent.why
    if recent.piece is not None:
        try:
            parts[IN_REPORT] = pack(recent.piece)
        except BadInput as error:
            why = str(error)
    parts["contents.txt"] = contents(why).encode()
    try:
        write(path, zipped(parts))
    except OSError as error:
        raise BadInput(f"the report could not be saved as {anonymous(str(path))} ({error.strerror or error}): make room there, "
                       "or allow the program to write there, and try again") from None
    past = f"no recording ({why})" if why else f"the {recent.piece.seconds:.3g} s before as a recording"
    return (f"the report was saved as {anonymous(str(path))}, {path.stat().st_size / 1e3:.0f} kB: scene and settings, the state "
            f"of all bodies, {past}, versions, the console and a picture of this window; your name and folders are left out")


def contents(why: str = "") -> str:
    """The list of what is in the zip. why: it has no recording."""
    told = CONTENTS | ({IN_REPORT: f"left out: {why}"} if why else {})
    listed = "\n".join(f"{name:20}{meaning}" for name, meaning in told.items())
    return anonymous(f"A report of a problem in Stiction\n\n{listed}\n\n{'' if why else HOW}")


def collected(session: Session, graphics: str, settings: Settings, recent: Recent) -> dict[str, bytes]:
    """Everything but picture, recording and list, by the name of its file; texts without names of persons."""
    texts = {"versions.txt": versions(graphics),
             "scene.json": json.dumps(scene(session, recent.frame), indent=1, default=_plain),
             "reports.json": json.dumps(_reports(session, recent.frame), indent=1, default=_plain),
             "settings.toml": as_toml(settings), "console.txt": as_text(console().matching(set(LEVELS), "")) + "\n"}
    return {name: anonymous(text).encode() for name, text in texts.items()} | {"state.npz": _state(recent.frame)}


def versions(graphics: str) -> str:
    """A line each."""
    lines = {"stiction": version(), "python": sys.version.split()[0], **{name: _version(name) for name in PACKAGES},
             "OpenGL": graphics, "platform": f"{platform.system()} {platform.release()}, {platform.machine()}"}
    return "".join(f"{name}: {value}\n" for name, value in lines.items())


def scene(session: Session, frame: Frame) -> dict[str, Any]:
    """What was run, and how."""
    simulation = session.simulation
    solver = simulation.world.solver
    return {"scene": frame.scene, "parameters": _fields(session.parameters), "solver": solver.name,
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


def _state(frame: Frame) -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, body_names=np.array(frame.body_names), joint_names=np.array(frame.joint_names),
                        **{name: np.asarray(getattr(frame, name)).view(np.ndarray) for name in (
                            "bodies", "shapes", "joints", "contacts")})
    return out.getvalue()


def _reports(session: Session, frame: Frame) -> list[dict[str, Any]]:
    """The newest steps, the last one at the end."""
    kept = [(time_of, report) for time_of, report in list(session.simulation.recent)[-REPORTS:]]
    last = frame.report
    if last is not None and not any(report is last for _, report in kept):
        kept.append((frame.time, last))
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
