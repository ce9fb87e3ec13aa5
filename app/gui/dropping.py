"""Files dropped on the window: recordings and reports are opened, for everything else there is one sentence. No ImGui."""

from collections.abc import Sequence
from pathlib import Path

from app.engine.simulation import Simulation
from app.own_files import data_folder
from app.session import Session

OPENERS = {".stiction": ("open_recording", "recordings"), ".zip": ("open_recording", "reports of a problem")}
"""By a file's ending: the command of the simulation that opens it, and what such files are."""


def openers() -> dict[str, tuple[str, str]]:
    """Those that this simulation has."""
    return {suffix: opener for suffix, opener in OPENERS.items() if hasattr(Simulation, opener[0])}


def take(session: Session, paths: Sequence[str]) -> None:
    """Open a dropped file, or say why not."""
    if len(paths) != 1:
        session.say(f"{len(paths)} files were dropped: drop one at a time")
        return
    path, known = Path(paths[0]), openers()
    if path.is_dir():
        session.say(f"{path} is a folder: drop a file")
    elif not path.is_file():
        session.say(f"{path} cannot be read from here: copy it to this computer first")
    elif path.suffix.lower() in known:
        session.post(known[path.suffix.lower()][0], str(path))
    elif path.suffix.lower() == ".py":
        session.say(f"{path.name} is a program: as a scene of your own it belongs into {data_folder() / 'scenes'}")
    else:
        can = ", ".join(f"{what} ({suffix})" for suffix, (_, what) in known.items())
        session.say(f"{path.name} cannot be opened: {f'the window takes {can}' if can else 'no kind of file can be, yet'}; "
                    "scenes are opened with Ctrl+O")
