"""Compiled kernels on disk: named by what they depend on, checked before use, never shared while they change.

    kernels-KEY/     a published set: never changed, only replaced as a whole; manifest.json has SHA-256 of every file
    run-PID-.../     one process's own copy (hard links); numba reads and writes here and nowhere else

A process starts with a copy of the published set, if that is undamaged, and publishes its own when it ends having
compiled something new. So two processes never write into one folder, and what numba loads was whole a moment ago. A
damaged set is thrown away: a recompilation costs seconds, a flipped bit in machine code costs the process.

KEY = hash of all physics sources, numba, llvmlite, numpy, Python, platform, and numba's environment variables.
"""

import atexit
import contextlib
import hashlib
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import llvmlite
import numba
import numpy

MANIFEST = "manifest.json"
KEEP = 4
_PHYSICS = Path(__file__).resolve().parents[1]
_NO_MATTER = ("NUMBA_CACHE_DIR", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_DEBUG_CACHE", "NUMBA_NUM_THREADS")


@dataclass
class _State:
    """This process's copy: where, of what, and how it looked when it was filled."""

    pid: int
    home: Path                  # root() when the process started
    key: str
    folder: Path
    complete: bool = False      # it holds what physics.warm compiled
    before: dict[str, tuple] = field(default_factory=dict)


_state: _State | None = None


def root() -> Path:
    """The user's cache folder for compiled kernels; STICTION_CACHE_DIR overrides it."""
    if override := os.environ.get("STICTION_CACHE_DIR"):
        return Path(override)
    if home := os.environ.get("XDG_CACHE_HOME"):
        return Path(home) / "stiction"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "stiction" / "cache"
    try:
        base = Path.home()
    except RuntimeError:
        base = Path(tempfile.gettempdir())
    if sys.platform == "darwin":
        return base / "Library" / "Caches" / "stiction"
    return base / ".cache" / "stiction"


def key() -> str:
    """Hash of everything that the compiled code depends on."""
    digest = hashlib.sha256()
    for path in sorted(_PHYSICS.rglob("*.py")):
        source = path.read_bytes()
        digest.update(f"{path.relative_to(_PHYSICS).as_posix()} {len(source)}\n".encode())
        digest.update(source)
    facts = [numba.__version__, llvmlite.__version__, numpy.__version__, sys.version, platform.machine(), sys.platform,
             str(_PHYSICS)]
    facts += [f"{name}={value}" for name, value in sorted(os.environ.items())
              if name.startswith("NUMBA_") and name not in _NO_MATTER]
    digest.update("\n".join(facts).encode())
    return digest.hexdigest()[:20]


def folder() -> Path:
    """Where the published set of these sources is, or would be."""
    return root() / f"kernels-{key()}"


def prepare() -> Path:
    """This process's own folder for numba, filled with the published set if there is an undamaged one.

    If the user's cache folder cannot be written, it is a temporary one and the kernels live as long as the process.
    """
    global _state
    if _state is None:
        home = root()
        _state = _State(os.getpid(), home, key(), _own_folder(home))
        atexit.register(_leave, _state)
        adopt()
        _prune(home)
    return _state.folder


def adopt() -> None:
    """Take over what another process has published since: what is not loaded yet will be loaded from there."""
    complete = _copy_published(_state.home / f"kernels-{_state.key}", _state.folder)
    _state.complete = complete or _state.complete
    _state.before = _look(_state.folder)


def is_warm() -> bool:
    """True if this process has everything that `python -m physics.warm` compiles."""
    prepare()
    return _state.complete


def is_kept() -> bool:
    """False if the user's cache folder cannot be written: then another process could not compile for this one."""
    prepare()
    return _state.folder.parent == _state.home


def seal() -> bool:
    """Publish this process's kernels as the complete set; False if the disk does not let us."""
    _state.complete = True
    return _publish(_state)


def clear() -> None:
    """Throw away all published sets."""
    for path in root().glob("kernels-*"):
        shutil.rmtree(path, ignore_errors=True)
    if _state is not None:
        shutil.rmtree(_state.folder, ignore_errors=True)
        _state.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _state.complete, _state.before = False, {}


def _own_folder(home: Path) -> Path:
    prefix = f"run-{os.getpid()}-"
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Path(tempfile.mkdtemp(prefix=prefix, dir=home))
    except OSError:
        return Path(tempfile.mkdtemp(prefix="stiction-" + prefix))


def _copy_published(published: Path, own: Path) -> bool:
    """Copy a published set after checking every file; True if it was a complete one. A damaged one is removed."""
    for attempt in range(2):  # the second look is for a set that was replaced under our eyes
        try:
            text = (published / MANIFEST).read_bytes()
            manifest = json.loads(text)
            _make_folders(own, manifest["files"])
            for name, digest in manifest["files"].items():
                source = f"{published}/{name}"
                with open(source, "rb", buffering=0) as stream:
                    if hashlib.sha256(stream.read()).hexdigest() != digest:
                        raise ValueError(name)
                _link(source, f"{own}/{name}")
            return bool(manifest["complete"])
        except FileNotFoundError:
            if not published.exists():
                return False
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass
        _empty(own)
        if attempt:
            shutil.rmtree(published, ignore_errors=True)
    return False


def _make_folders(place: Path, names: Iterable[str]) -> None:
    for folder in {os.path.dirname(name) for name in names}:
        (place / folder).mkdir(parents=True, exist_ok=True, mode=0o700)


def _link(source: str, target: str) -> None:
    """A second name for the file (numba replaces files, it never writes into one); a copy where links do not work."""
    try:
        os.link(source, target)
    except FileExistsError:
        os.unlink(target)
        _link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _publish(state: _State) -> bool:
    """Put a copy of the process's folder in place of the published set, unless the sources have changed meanwhile."""
    target = state.home / f"kernels-{state.key}"
    if key() != state.key or (not state.complete and _is_complete(target)):
        return False
    try:
        fresh = Path(tempfile.mkdtemp(prefix=f"run-{os.getpid()}-new-", dir=state.home))
    except OSError:
        return False
    try:
        files = dict.fromkeys(_look(state.folder))
        _make_folders(fresh, files)
        for name in files:
            _link(f"{state.folder}/{name}", f"{fresh}/{name}")
            files[name] = hashlib.sha256((fresh / name).read_bytes()).hexdigest()
        (fresh / MANIFEST).write_text(json.dumps({"complete": state.complete, "files": files}))
        if target.exists():
            os.replace(target, fresh.with_name(fresh.name + "-old"))
        os.replace(fresh, target)
    except OSError:  # full disk, or another process was quicker
        return False
    finally:
        for left in (fresh, fresh.with_name(fresh.name + "-old")):
            shutil.rmtree(left, ignore_errors=True)
    state.before = _look(state.folder)
    return True


def _is_complete(published: Path) -> bool:
    try:
        return bool(json.loads((published / MANIFEST).read_bytes())["complete"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _look(path: Path) -> dict[str, tuple]:
    """Every file of the cache by relative name, with its size and time."""
    found = {}
    for folder in (path, *(Path(entry) for entry in os.scandir(path) if entry.is_dir())):
        for entry in os.scandir(folder):
            if entry.name.endswith((".nbi", ".nbc")):
                name = entry.name if folder == path else f"{folder.name}/{entry.name}"
                found[name] = (entry.stat().st_size, entry.stat().st_mtime_ns)
    return found


def _leave(state: _State) -> None:
    """At the end of the process: publish what is new, remove its own folder."""
    if os.getpid() != state.pid:
        return  # a fork of the process that it belongs to
    with contextlib.suppress(OSError):
        if _look(state.folder) != state.before:
            _publish(state)
    shutil.rmtree(state.folder, ignore_errors=True)


def _empty(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True, exist_ok=True, mode=0o700)


def _prune(home: Path) -> None:
    """Remove what killed processes left, and all but the newest published sets."""
    with contextlib.suppress(OSError):
        sets = sorted(home.glob("kernels-*"), key=lambda p: p.stat().st_mtime, reverse=True)
        for path in sets[KEEP:]:
            if path.name != f"kernels-{_state.key}":
                shutil.rmtree(path, ignore_errors=True)
        for path in home.glob("run-*"):
            if not _alive(path):
                shutil.rmtree(path, ignore_errors=True)


def _alive(path: Path) -> bool:
    """False if the process that a folder belongs to is gone. Windows cannot be asked safely: folders live two days."""
    if sys.platform == "win32":
        return time.time() - path.stat().st_mtime < 2 * 86400
    try:
        os.kill(int(path.name.split("-")[1]), 0)
    except (ProcessLookupError, ValueError, IndexError):
        return False
    except OSError:
        return True
    return True
