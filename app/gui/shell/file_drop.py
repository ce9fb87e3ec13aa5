"""Handles files dropped on the window: opens scene files, robots, recordings, reports and measured runs. No ImGui."""

from collections.abc import Sequence
from pathlib import Path

from app.analysis.friction_fit.plan import OpenedData
from app.engine import commands
from app.engine.simulation import Simulation
from app.files.folders import data_folder
from app.i18n.message import message
from app.robots import mesh_files
from app.session import Session
from physics import BadInput

OPENERS = {".stiction": (commands.open_recording, "recordings"), ".zip": (commands.open_recording, "problem reports"),
           ".toml": (Simulation.load, "scene files"), ".urdf": (Simulation.load, "URDF robots"),
           ".xml": (Simulation.load, "MJCF robots"), ".sdf": (Simulation.load, "SDF models"),
           **dict.fromkeys(mesh_files.FORMATS, (Simulation.load, "meshes"))}
"""By a file's ending: the command of the simulation that opens it, and what such files are."""


def take(session: Session, paths: Sequence[str]) -> None:
    """Open a dropped file, or show why it cannot be opened."""
    if len(paths) != 1:
        session.say(message("{paths} files were dropped: drop one file at a time", paths=len(paths)))
        return
    path = Path(paths[0])
    if path.is_dir():
        session.say(message("{path} is a folder: drop a file", path=path))
    elif not path.is_file():
        session.say(message("{path} cannot be read: copy it to this computer first", path=path))
    elif path.suffix.lower() in OPENERS:
        session.post(OPENERS[path.suffix.lower()][0], str(path))
    elif path.suffix.lower() == ".csv":
        open_measured(session, path)
    elif path.suffix.lower() == ".py":
        session.say(message("{path} is a program: to use it as your own scene, put it into {folder}", path=path.name,
                            folder=data_folder() / "scenes"))
    else:
        can = ", ".join([*(f"{what} ({suffix})" for suffix, (_, what) in OPENERS.items()), "measured runs (.csv)"])
        session.say(message("{path} cannot be opened: supported files: {can}; scenes are opened with Alt+O", path=path.name,
                            can=can))


def open_measured(session: Session, path: Path) -> None:
    """Open a measured run in the panel Fit, or show why it cannot be opened."""
    try:
        session.state(OpenedData).open(str(path))
    except BadInput as error:
        session.say(str(error))
    else:
        session.window.open_panel("fit")
