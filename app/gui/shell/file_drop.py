"""Handles files dropped on the window: opens scene files, robots, recordings, reports and measured runs. No ImGui."""

from collections.abc import Sequence
from pathlib import Path

from app.analysis.friction_fit.plan import OpenedData
from app.engine import commands
from app.engine.file_kinds import FILE_SUFFIXES, SCENES, kind_of
from app.engine.simulation import Simulation
from app.files.folders import data_folder
from app.i18n.message import Verbatim, joined, message
from app.session import Session
from physics import BadInput

OPENERS = {**dict.fromkeys(("recordings", "problem reports"), commands.open_recording), **dict.fromkeys(SCENES, Simulation.load)}
"""By the kind of a file: the command of the simulation that opens it."""


def open_dropped(session: Session, paths: Sequence[str]) -> None:
    """Open a dropped file, or show why it cannot be opened."""
    if len(paths) != 1:
        session.notify(message("{paths} files were dropped: drop one file at a time", paths=len(paths)))
        return
    path, kind = Path(paths[0]), kind_of(paths[0])
    if path.is_dir():
        session.notify(message("{path} is a folder: drop a file", path=path))
    elif not path.is_file():
        session.notify(message("{path} cannot be read: copy it to this computer first", path=path))
    elif kind in OPENERS:
        session.post(OPENERS[kind], str(path))
    elif kind == "measured runs":
        open_measured(session, path)
    elif kind == "own scenes":
        session.notify(message("{path} is a program: to use it as your own scene, put it into {folder}", path=path.name,
                            folder=data_folder() / "scenes"))
    else:
        can = joined(", ", (message("{kind} ({endings})", kind=kind, endings=Verbatim(", ".join(FILE_SUFFIXES[kind])))
                            for kind in (*OPENERS, "measured runs")))
        session.notify(message("{path} cannot be opened: supported files: {can}; scenes are opened with Alt+O", path=path.name,
                            can=can))


def open_measured(session: Session, path: Path) -> None:
    """Open a measured run in the panel Fit, or show why it cannot be opened."""
    try:
        session.state(OpenedData).open(str(path))
    except BadInput as error:
        session.notify(str(error))
    else:
        session.window.open_panel("fit")
