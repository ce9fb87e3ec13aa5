"""Scene files in the window: new, open, save, export, links, and the question before unsaved work is left. No ImGui."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import scenes
from app.analysis.curves.plot_layout import PlotLayout
from app.engine import commands
from app.engine.file_kinds import SCENES, kind_of
from app.engine.recording import view_state
from app.engine.scene_files import scene_file
from app.engine.scene_files.document import Document
from app.engine.scene_files.scene_file import SUFFIX
from app.engine.simulation import Simulation
from app.files import folders, recent
from app.files.atomic_write import NoPlace, check_place, write
from app.i18n.message import Verbatim, message
from app.render.view_options import OVERLAYS
from app.session import Session
from physics import BadInput

SCAN_INTERVAL = 1.0
"""Interval between two scans of the folder [s]."""

SIGNS_REFUSED = '<>:"/\\|?*'
"""Signs that Windows refuses in the name of a file: a scene is sent to others."""

MAX_LISTED = 200
"""Largest number of files listed."""

WAIT_AFTER_SAVE = 2.0
"""Wall time after a save within which what waits for it may continue [s], in addition to the time of writing."""

Then = Callable[[], None]


def folder() -> Path:
    return folders.documents() / "Scenes"


@dataclass
class FileList:
    """State of the panel of files. saving: it asks for a name, else for a file to open; then: what waits for the save.

    typed: the name or path; replaces: the existing file that a second press replaces; met: the document's path that is among the
    recent files, or that of the robot's file shown.
    """

    saving: bool = False
    typed: str = ""
    replaces: Path | None = None
    focus: bool = True
    then: Then | None = None
    found: list[Path] = field(default_factory=list)
    last_scan: float = -1e9
    met: str = ""

    def begin(self, saving: bool, typed: str, then: Then | None = None) -> None:
        """Ask again."""
        self.saving, self.typed, self.replaces, self.focus, self.then, self.last_scan = saving, typed, None, True, then, -1e9

    def files(self, now: float) -> list[Path]:
        """Recent files, then the others of the folder, the newest first; to save to, scene files only. now: perf_counter [s]."""
        if now - self.last_scan > SCAN_INTERVAL:
            self.last_scan = now
            kinds = SCENES[:1] if self.saving else SCENES
            found = {path: path.stat().st_mtime for path in folder().glob("*") if path.is_file()}
            listed = dict.fromkeys((*recent.recent(), *sorted(found, key=found.get, reverse=True)))
            self.found = [path for path in listed if kind_of(path) in kinds][:MAX_LISTED]
        return self.found


@dataclass
class PendingSave:
    """What waits for a save: done once the document is another one than before; given up if it was not written."""

    then: Then | None = None
    before: Document | None = None
    until: float = 0.0


def update(session: Session, now: float) -> None:
    """Go on with what waited for a save, and note opened and saved files among the recent ones. now: perf_counter [s]."""
    state, pending, document = session.state(FileList), session.state(PendingSave), session.simulation.document
    opened = document.path or document.source
    if opened and opened != state.met:
        state.met = opened
        recent.add(Path(opened))
    if pending.then is None:
        return
    if session.thread.writer.writing or not pending.until:
        pending.until = now + WAIT_AFTER_SAVE
    if document is not pending.before:
        then, pending.then = pending.then, None
        then()
    elif now > pending.until:
        pending.then = None


# ---- actions


def new(session: Session) -> None:
    """An empty floor."""
    session.post(Simulation.load, scenes.EMPTY)


def shown_name(path: Path) -> str:
    """Name of a file in lists: without the ending of scene files."""
    return path.stem if path.suffix == SUFFIX else path.name


def ask_open(session: Session) -> None:
    """Ask which file to open."""
    session.state(FileList).begin(False, "")
    session.window.open_panel("files")


def open_file(session: Session, path: Path) -> None:
    """Open a file."""
    session.post(Simulation.load, str(path))


def save(session: Session, then: Then | None = None) -> None:
    """Save to the document's file, or ask for a name."""
    if session.simulation.document.path:
        save_to(session, Path(session.simulation.document.path), then)
    else:
        ask_save(session, then)


def ask_save(session: Session, then: Then | None = None) -> None:
    """Ask for a name."""
    path = session.simulation.document.path
    session.state(FileList).begin(True, Path(path).stem if path else free_name(session), then)
    session.window.open_panel("files")


def free_name(session: Session) -> str:
    """A name that no file of the folder has."""
    name = session.frame.scene if session.frame.scene not in ("", scenes.EMPTY) else "scene"
    taken = {path.stem for path in folder().glob(f"*{SUFFIX}")}
    return next(title for n in range(1, len(taken) + 2) if (title := name if n == 1 else f"{name} {n}") not in taken)


def typed_path(text: str, saving: bool = True) -> Path:
    """The file that a typed name or path means: one that can be written, or one that is there and describes a scene.

    Raises:
        BadInput: it is none.
    """
    text = text.strip()
    if not text.isprintable() or Path(text).name in ("", ".."):
        raise BadInput("type a name for the file")
    try:
        path = Path(text).expanduser()
        if kind_of(path) not in (SCENES[:1] if saving else SCENES):
            path = path.with_name(path.name + SUFFIX)
        if saving:
            _check_name(path)
        path = path if path.is_absolute() else folder() / path
        there = path.is_file()
    except (OSError, RuntimeError, ValueError) as error:       # too long, an unreadable folder, an unknown user's home
        raise BadInput(f"{Verbatim(text)}: {getattr(error, 'strerror', None) or error}") from None
    if not saving and not there:
        raise BadInput(message("{path} is not there: correct the name, or choose a file of the list", path=path))
    return path


def _check_name(path: Path) -> None:
    """Check what was typed for a new file.

    Raises:
        BadInput: its name has a sign that other systems refuse, or it is to lie in a folder that is not there.
    """
    odd = [sign for sign in path.name if sign in SIGNS_REFUSED]
    if odd:
        raise BadInput(message("'{sign}' cannot be in the name of a file: type another name", sign=odd[0]))
    if not (folder() / path).parent.is_dir() and path.parent != Path():
        raise BadInput(message("there is no folder {parent}: type a name without '/', or make that folder first",
                               parent=(folder() / path).parent))


def save_to(session: Session, path: Path, then: Then | None = None) -> None:
    """Save to a file."""
    try:
        check_place(path)
    except NoPlace as error:
        session.notify(f"{path} {error.strerror}")
        return
    vars(session.state(PendingSave)).update(then=then, before=session.simulation.document, until=0.0)
    session.post(commands.save_scene_file, path, _view(session), _shown(session), write)


def export_python(session: Session) -> None:
    """Write a Python program that builds this world, beside the document or into the folder of scenes."""
    path = session.simulation.document.path
    target = Path(path).with_suffix(".py") if path else folder() / f"{free_name(session)}.py"
    session.post(commands.export_python, target, _view(session), _shown(session), write)


def copy_link(session: Session) -> None:
    """Put the scene as text on the clipboard."""
    session.post(commands.copy_link, _view(session), _shown(session), session.window.copy_text)


def paste_link(session: Session, text: str) -> None:
    """Open the scene of a link."""
    try:
        session.post(Simulation.load, scene_file.admit_link(text))
    except BadInput as error:
        session.notify(str(error))


def _view(session: Session) -> dict[str, Any]:
    view, layout = view_state.values(session.thread.comparison, session.camera), session.state(PlotLayout)
    if layout.scene == session.frame.scene:     # else the plot was not open in this scene
        view["drawn"] = [key for key in view["plots"] if key not in layout.not_drawn]
    return view


def _shown(session: Session) -> tuple[str, ...]:
    return tuple(name for name in OVERLAYS if getattr(session.view, name))
