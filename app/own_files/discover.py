"""Loads the user's own scenes, lessons, panels, overlays and solvers: Python files in folders of these names, found as ours are.

    DATA/scenes/ramp.py     is a scene, like a file of our scenes/; DATA is `data_folder`

These files are programs, so only those allowed by the user run (trust.py); a scene's file may also be named on the command line.
An error in such a file is reported in one sentence and the rest continues without it. A file that is saved again is reloaded: the
scene on display is rebuilt (`Watch`); if the new file fails, everything stays unchanged.
"""

import contextlib
import importlib
import logging
import os
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

from app import cancellable_work
from app.files.folders import data_folder
from app.files.printable import printable
from app.i18n.message import message
from app.own_files import trust
from app.own_files.trust import TrustStore

log = logging.getLogger(__name__)

JOINED_PACKAGES = {"scenes": "scenes", "lessons": "scenes.lessons", "panels": "app.panels", "overlays": "app.render.overlays",
                   "solvers": "physics.solvers"}
"""Folder name -> package that its files join. Joints and shapes are compiled into kernels, so they are excluded."""

WATCH_INTERVAL = 0.5
"""Wall time between two checks of the files [s]."""

MAX_LOAD_TIME = 20.0
"""Longest wall time of running a file, or of building its scene [s]."""


# ---- finding and loading


class _Admitted:
    """Import finder for the allowed files of a folder, and nothing else there. names: module -> whether it is listed.

    Not a FileFinder: pkgutil would list everything in the folder.
    """

    def __init__(self, folder: str) -> None:
        self.folder, self.names = folder, {}

    def iter_modules(self, prefix: str = "") -> Iterator[tuple[str, bool]]:
        """(name, whether it is a package) of each listed module, for pkgutil."""
        for name in sorted(self.names):
            if self.names[name] and os.path.isfile(self._path(name)):
                yield prefix + name, False

    def find_spec(self, fullname: str, target: ModuleType | None = None) -> ModuleSpec | None:
        """Spec of an allowed module, for the import system."""
        name = fullname.rpartition(".")[2]
        if name not in self.names or not os.path.isfile(self._path(name)):
            return None
        return spec_from_file_location(fullname, self._path(name), loader=_Careful(fullname, self._path(name)))

    def invalidate_caches(self) -> None:
        """Does nothing: there is no cache."""

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, f"{name}.py")


class _Careful(SourceFileLoader):
    """Loader that reports errors of a first run instead of raising them; the module is empty then."""

    def get_data(self, path: str) -> bytes:
        """Contents of the file."""
        from app.files import safe_read  # late: it imports physics, which a start without own files need not wait for
        from physics.core.check import BadInput

        try:
            return safe_read.read(path)
        except BadInput as error:
            raise OSError(str(error)) from None

    def path_stats(self, path: str) -> dict:
        """Disable bytecode: Python writes no .pyc, and loads none that came with the file, since it was not reviewed."""
        raise OSError

    def exec_module(self, module: ModuleType) -> None:
        from app.own_files import required_names

        again = any(not name.startswith("__") for name in vars(module))
        before = dict(vars(module))
        try:
            cancellable_work.run(lambda: super(_Careful, self).exec_module(module),
                                 message("Reading {file}", file=self.path), MAX_LOAD_TIME)
            required_names.check(module)
        except Exception as error:
            if again:
                raise
            _put_back(module, before)
            troubles[self.path] = explained(error, self.path)
            log.warning(printable(message("{path} is skipped: {trouble}", path=self.path, trouble=troubles[self.path])))


troubles: dict[str, str] = {}
"""Path -> error of each file that was left out."""


def explained(error: Exception, path: str) -> str:
    """What went wrong in a file, and in which line."""
    if type(error) is ValueError and "null bytes" in str(error):
        return str(error)       # a SyntaxError from Python 3.11.4 on
    if isinstance(error, SyntaxError):
        return message("line {line}: {reason}", line=error.lineno, reason=error.msg) if error.lineno else str(error.msg)
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    lines = [line for name, line in (*places, *getattr(error, "places", ())) if name == path]
    where = message("line {lines}: ", lines=lines[-1]) if lines else ""
    return f"{where}{error}" if hasattr(error, "places") else f"{where}{type(error).__name__}: {error}"


# ---- which files run


def adopt(data: Path | None = None, answers: TrustStore | None = None) -> list[Path]:
    """Admit the files allowed by the user; returns those not asked about yet. Without any files, nothing is imported.

    data: by default `data_folder`. answers: by default the saved ones.
    """
    folders = {name: (data or data_folder()) / name for name in JOINED_PACKAGES}
    folders = {name: folder for name, folder in folders.items() if folder.is_dir()}
    if not folders:
        return []
    answers = answers or TrustStore.load(trust.place())
    answers.forget_gone(list(folders.values()))
    new = []
    for name, folder in folders.items():
        for path in sorted(folder.glob("[!.]*.py")):
            trouble, runs = _trouble(path, JOINED_PACKAGES[name]) or trust.untrusted_reason(path), answers.of(path)
            if trouble:
                if troubles.get(str(path)) != trouble:
                    log.warning(printable(message("{path} is skipped: {trouble}", path=path, trouble=trouble)))
                troubles[str(path)] = trouble
            elif runs:
                admit(path)
            elif runs is None:
                new.append(path)
    return new


def admit(path: Path, package: str = "", listed: bool = True) -> None:
    """Let a file join its package, by default that of its folder's name. It runs on first import.

    listed: found by enumeration; else only imported by name, until it is admitted again.
    """
    package = package or JOINED_PACKAGES[path.parent.name]
    paths, entry = importlib.import_module(package).__path__, os.path.join(os.path.abspath(path.parent), "")
    if entry not in paths:      # the trailing separator keeps it distinct from entries of sys.path, whose finder stays
        sys.path_importer_cache[entry] = _Admitted(entry)
        paths.append(entry)
    sys.path_importer_cache[entry].names[path.stem] = listed


def run_first(path: Path) -> str:
    """Run a new file and list it afterwards; returns "" or the error."""
    admit(path, listed=False)
    importlib.import_module(f"{JOINED_PACKAGES[path.parent.name]}.{path.stem}")
    admit(path)
    _forget_lessons()
    return troubles.get(str(path), "")


def run_all() -> None:
    """Import all admitted files ahead of time, so that the window need not wait for them."""
    for package in JOINED_PACKAGES.values():
        for entry in importlib.import_module(package).__path__:
            finder = sys.path_importer_cache.get(entry)
            for name in finder.names if isinstance(finder, _Admitted) else ():
                importlib.import_module(f"{package}.{name}")


def named(word: str) -> str:
    """Name of the scene that a command line means; a Python file is admitted, since it was named, other words stay.

    Raises:
        BadInput: it is not there, no scene, or its name is taken.
    """
    if not word.endswith(".py"):
        return word
    from app.files import safe_read
    from physics.core.check import BadInput

    safe_read.read(word)
    path = Path(os.path.abspath(word))
    if path.parent == _ours("scenes"):
        return path.stem
    if trouble := _trouble(path, "scenes"):
        raise BadInput(f"{word}: {trouble}")
    admit(path, "scenes")
    importlib.import_module(f"scenes.{path.stem}")
    if str(path) in troubles:
        del sys.path_importer_cache[os.path.join(path.parent, "")].names[path.stem]
        raise BadInput(f"{path}: {troubles[str(path)]}")
    return path.stem


def is_own(path: str) -> bool:
    """Whether this is an admitted own file."""
    finder = sys.path_importer_cache.get(os.path.join(os.path.dirname(path), ""))
    return isinstance(finder, _Admitted) and Path(path).stem in finder.names


def _trouble(path: Path, package: str) -> str:
    """Why a file cannot join, regardless of its contents."""
    if not path.is_file():
        return "only regular files are read"
    if "." in path.stem:
        return "its name has a dot before the extension: rename it"
    others = (Path(one) for one in importlib.import_module(package).__path__)
    if not path.stem.startswith("_") and any((folder / path.name).is_file() and folder != path.parent for folder in others
                                             if folder == _ours(package) or is_own(str(folder / path.name))):
        return "the name is already used: rename it"
    return ""


def _ours(package: str) -> Path:
    """The package's folder in our sources."""
    return Path(importlib.import_module(package).__file__).parent


# ---- reloading


@dataclass
class FileWatcher:
    """Watches the files of the current scene and its lesson for changes."""

    scene: str = ""
    last_check: float = 0.0
    saved: dict[str, int] = field(default_factory=dict)

    def renewed(self, scene: str, now: float) -> tuple[str, ...]:
        """Modules of this scene whose files were saved since the last check. now: perf_counter [s]."""
        if scene == self.scene and now - self.last_check < WATCH_INTERVAL:
            return ()
        before, self.saved = self.saved if scene == self.scene else {}, _times(scene)
        self.scene, self.last_check = scene, now
        return tuple(name for name in before.keys() & self.saved.keys() if self.saved[name] != before[name])


def _times(scene: str) -> dict[str, int]:
    """Modification times of the files of a scene and its lesson, by module name [ns]."""
    times = {}
    for name in (f"scenes.{scene}", f"scenes.lessons.{scene}"):
        with contextlib.suppress(OSError, KeyError):     # an editor is replacing the file
            times[name] = os.stat(sys.modules[name].__file__).st_mtime_ns
    return times


_read: dict[str, int] = {}
"""Modification times of the reloaded files at their last reload, by module name [ns]."""


def read_again(name: str) -> str:
    """Reload a module; returns "" or the error, in which case the module stays unchanged."""
    module = sys.modules[name]
    saved = _times(name.rpartition(".")[2]).get(name, 0)
    if _read.get(name) == saved:        # reloaded by another simulation of the same scene
        return ""
    _read[name], before = saved, dict(vars(module))
    try:
        cancellable_work.run(lambda: importlib.reload(module), message("Reading {file}", file=module.__file__), MAX_LOAD_TIME)
    except Exception as error:  # noqa: BLE001  (the file is being edited)
        _put_back(module, before)
        return message("{file} was saved but is not used: {error}", file=module.__file__, error=explained(error, module.__file__))
    _forget_lessons()
    return ""


def _forget_lessons() -> None:
    """Clear the cached list of lessons."""
    if "scenes.lessons" in sys.modules:
        sys.modules["scenes.lessons"].all_lessons.cache_clear()


def _put_back(module: ModuleType, before: dict) -> None:
    vars(module).clear()
    vars(module).update(before)
