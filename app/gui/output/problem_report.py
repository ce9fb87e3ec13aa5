"""Problem reports: one zip with everything needed to reproduce a problem, and nothing about its author."""

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

from app import version
from app.console import MESSAGE_LEVELS, as_text, console
from app.engine import commands
from app.engine.commands.observation import RecentPast
from app.engine.frame import Frame
from app.engine.recording.file import REPORT_RECORDING, pack
from app.files.atomic_write import write
from app.files.folders import documents
from app.gui.shell.settings import Settings, as_toml
from app.i18n.message import message
from app.render.opengl.offscreen import as_png
from app.session import Session
from physics import BadInput

REPORTED_PACKAGES = ("numpy", "numba", "llvmlite", "pyglet", "imgui-bundle", "pyrr")

CONTENTS = {"contents.txt": "this list", "versions.txt": "versions of the program, its libraries and this machine",
            "scene.json": "scene, parameters, solver, options, step, what was edited",
            REPORT_RECORDING: "the last seconds, for a bit-exact replay",
            "state.npz": "bodies, shapes, joints and contacts as they are now, for numpy.load",
            "reports.json": "reports of the last steps", "settings.toml": "theme, sizes, panels",
            "console.txt": "the console since the start", "screenshot.png": "the window"}
"""Descriptions of the files in the zip."""

INSTRUCTIONS = ("To reproduce the problem, drop this zip onto the Stiction window and press Run, or\n    python3 start.py replay "
       "THIS.zip\nIt recomputes every step, compares it with the original, and ends with the reported state.\n")

MAX_WAIT = 0.5
"""Longest wait of the window for the recent past from the physics thread [s]."""

REPORTS = 240
"""Limit of the newest steps whose reports are included."""


def save_soon(session: Session) -> None:
    """Save the report after this picture, when the menu is closed."""
    window = next(window for window in pyglet.app.windows if getattr(window, "session", None) is session)
    pyglet.clock.schedule_once(lambda _dt: save(window), 0.0)


def save(window: Any) -> Path:
    """Start writing the report of a window's session, without waiting; a message reports its path and contents."""
    session = window.session
    path = documents() / f"problem-{session.frame.scene or 'empty'}-{time.strftime('%Y%m%d-%H%M%S')}.zip"
    store, recent = window.settings_store, _recent(session)
    parts = collect(session, renderer(), store.settings if store is not None else Settings(theme=session.view.theme), recent)
    parts["screenshot.png"] = as_png(window.picture())
    session.thread.writer.submit(path.name, partial(_into_file, parts, recent, path), session.simulation.notify)
    return path


def _recent(session: Session) -> RecentPast:
    """The present moment and what led to it; does not wait for a physics thread in a long step."""
    answers: queue.SimpleQueue[RecentPast] = queue.SimpleQueue()
    session.post(commands.export_recent, answers.put)
    try:
        return answers.get(timeout=MAX_WAIT)
    except queue.Empty:
        return RecentPast(session.frame, None, "the physics did not respond in time: a long step is running")


def _into_file(parts: dict[str, bytes], recent: RecentPast, path: Path) -> str:
    """Add the recording and write the zip; returns the message."""
    why = recent.why
    if recent.piece is not None:
        try:
            parts[REPORT_RECORDING] = pack(recent.piece)
        except BadInput as error:
            why = str(error)
    parts["contents.txt"] = contents(why).encode()
    try:
        write(path, zipped(parts))
    except OSError as error:
        raise BadInput(message("could not save the report as {path} ({reason}): free disk space or check write permission, and "
                               "try again", path=anonymous(str(path)), reason=error.strerror or error)) from None
    past = message("no recording ({why})",
                   why=why) if why else message("the last {seconds:.3g} s as a recording", seconds=recent.piece.seconds)
    return (message("report saved as {path}, {size:.0f} kB: scene and settings, the state of all bodies, {past}, versions, the "
                    "console and a picture of this window, without your name and folders", path=anonymous(str(path)),
                    size=path.stat().st_size / 1e3, past=past))


def contents(why: str = "") -> str:
    """Text of the list of files in the zip. why: the recording is left out."""
    entries = CONTENTS | ({REPORT_RECORDING: f"left out: {why}"} if why else {})
    listed = "\n".join(f"{name:20}{meaning}" for name, meaning in entries.items())
    return anonymous(f"A report of a problem in Stiction\n\n{listed}\n\n{'' if why else INSTRUCTIONS}")


def collect(session: Session, graphics: str, settings: Settings, recent: RecentPast) -> dict[str, bytes]:
    """Contents of all files except picture, recording and list, by file name; texts are anonymous."""
    texts = {"versions.txt": versions(graphics),
             "scene.json": json.dumps(scene(session, recent.frame), indent=1, default=_plain),
             "reports.json": json.dumps(_reports(session, recent.frame), indent=1, default=_plain),
             "settings.toml": as_toml(settings), "console.txt": as_text(console().matching(set(MESSAGE_LEVELS), "")) + "\n"}
    return {name: anonymous(text).encode() for name, text in texts.items()} | {"state.npz": _state(recent.frame)}


def versions(graphics: str) -> str:
    """Versions, one per line."""
    lines = {"stiction": version(), "python": sys.version.split()[0], **{name: _version(name) for name in REPORTED_PACKAGES},
             "OpenGL": graphics, "platform": f"{platform.system()} {platform.release()}, {platform.machine()}"}
    return "".join(f"{name}: {value}\n" for name, value in lines.items())


def scene(session: Session, frame: Frame) -> dict[str, Any]:
    """What was run, and how."""
    solver = frame.solver_state
    return {"scene": frame.scene, "parameters": _fields(session.parameters), "solver": solver.name,
            "options": _fields(getattr(solver, "options", None)), "dt": frame.dt, "step": frame.step, "time": frame.time,
            "gravity": frame.gravity, "paused": frame.paused, "bodies": int(np.count_nonzero(frame.bodies["kind"])),
            "contacts": len(frame.contacts), "joints": int(np.count_nonzero(frame.joints["kind"] >= 0)),
            "sleeping": _fields(frame.sleeping), "edits": [edit.text for edit in frame.authored.edits.done],
            "warnings": [message.text for message in session.messages]}


def anonymous(text: str) -> str:
    """The text with the home folder as ~ and without the name of the user."""
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
    """OpenGL version, renderer, vendor."""
    from pyglet.gl import gl_info

    return f"{gl_info.get_version_string()}, {gl_info.get_renderer()}, {gl_info.get_vendor()}"


def zipped(parts: dict[str, bytes]) -> bytes:
    """The zip, with files in the order of CONTENTS."""
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
    """Reports of the newest steps, the last one at the end."""
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
    """numpy values as plain numbers; everything else as text."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)
