"""A person's own scenes, lessons, panels, overlays and solvers: Python files in folders of these names, found as ours are.

    DATA/scenes/ramp.py     is a scene, as a file of scenes/ here is one; DATA as `data_folder` says

What such a file does wrong is said in a sentence, and the rest goes on without it. A file that is saved again is read again: a
scene that is shown is built anew (`Watch`); one that is wrong now leaves everything as it was.
"""

import contextlib
import importlib
import logging
import os
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.machinery import FileFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType

import platformdirs

log = logging.getLogger(__name__)

PACKAGES = {"scenes": "scenes", "lessons": "scenes.lessons", "panels": "app.panels", "overlays": "app.render.overlays",
            "solvers": "physics.solvers"}
"""By the name of a folder: the package that its files join. Joints and shapes are compiled into kernels, so they cannot."""

INTERVAL = 0.5
"""Wall seconds between two looks at the files."""


def data_folder() -> Path:
    """Where a person's own things are kept; STICTION_DATA_DIR overrides it."""
    given = os.environ.get("STICTION_DATA_DIR", "")
    return Path(given) if given else Path(platformdirs.user_data_dir("stiction", appauthor=False))


class _Regular(FileFinder):
    """Lists regular files alone: what is called x.py and is a folder or a pipe is left out, and the rest is found."""

    def iter_modules(self, prefix: str = "") -> Iterator[tuple[str, bool]]:
        """(name, whether it is a package) of each, as pkgutil asks for it."""
        for entry in sorted(Path(self.path).glob("*.py")):
            if entry.is_file():
                yield prefix + entry.stem, False


class _Careful(SourceFileLoader):
    """Runs a file for the first time; what it raises is said and goes no further: the module is empty then."""

    def get_data(self, path: str) -> bytes:
        """The bytes of the file or of what Python keeps of it."""
        from app import regular_file  # late: it knows physics, which a start without own files must not wait for
        from physics.errors import BadInput

        try:
            return regular_file.read(path)
        except BadInput as error:
            raise OSError(str(error)) from None

    def exec_module(self, module: ModuleType) -> None:
        again = any(not name.startswith("__") for name in vars(module))
        before = dict(vars(module))
        try:
            super().exec_module(module)
        except Exception as error:
            if again:
                raise
            _put_back(module, before)
            log.warning("%s is left out: %s", self.path, explained(error, self.path))


def explained(error: Exception, path: str) -> str:
    """What went wrong in a file, and in which of its lines."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    where = f"line {lines[-1]}: " if lines else ""
    return f"{where}{type(error).__name__}: {error}"


def adopt(data: Path | None = None) -> None:
    """Let the folders that are there join their packages; without any, nothing is imported. data: else `data_folder`."""
    for name, package in PACKAGES.items():
        folder = str((data or data_folder()) / name)
        if not os.path.isdir(folder):
            continue
        paths = importlib.import_module(package).__path__
        if folder in paths:
            continue
        ours = {entry.stem for path in paths for entry in Path(path).glob("*.py")}
        for entry in sorted(Path(folder).glob("*.py")):
            if not entry.is_file():
                log.warning("%s is left out: only regular files are read", entry)
            elif entry.stem in ours and not entry.stem.startswith("_"):
                log.warning("%s is left out: there is one of that name already, so give it another", entry)
        sys.path_importer_cache[folder] = _Regular(folder, (_Careful, [".py"]))
        paths.append(folder)


@dataclass
class Watch:
    """The file of the scene that is shown, and that of its lesson: whether they were saved again. trouble: what is wrong now."""

    scene: str = ""
    looked: float = 0.0
    saved: dict[str, int] = field(default_factory=dict)
    trouble: str = ""

    def renewed(self, scene: str, now: float) -> bool:
        """True if a file of this scene was saved since the last look, and is read again now. now: perf_counter [s]."""
        self.trouble = ""
        if scene == self.scene and now - self.looked < INTERVAL:
            return False
        modules = [sys.modules[name] for name in (f"scenes.{scene}", f"scenes.lessons.{scene}") if name in sys.modules]
        before, self.saved = self.saved if scene == self.scene else {}, _times(modules)
        self.scene, self.looked = scene, now
        both = before.keys() & self.saved.keys()
        changed = [module for module in modules if module.__name__ in both
                   and self.saved[module.__name__] != before[module.__name__]]
        self.trouble = " ".join(filter(None, map(_read_again, changed)))
        return bool(changed) and not self.trouble


def _times(modules: list[ModuleType]) -> dict[str, int]:
    """When their files were written, by name [ns]."""
    times = {}
    for module in modules:
        with contextlib.suppress(OSError):     # while an editor puts the new file in place
            times[module.__name__] = os.stat(module.__file__).st_mtime_ns
    return times


def _read_again(module: ModuleType) -> str:
    """Run a module's file once more; what is wrong with it, and then the module stays as it was."""
    before = dict(vars(module))
    try:
        importlib.reload(module)
    except Exception as error:  # noqa: BLE001  (somebody is at work on it)
        _put_back(module, before)
        return f"{module.__file__} was saved and is not used: {explained(error, module.__file__)}"
    return ""


def _put_back(module: ModuleType, before: dict) -> None:
    vars(module).clear()
    vars(module).update(before)
