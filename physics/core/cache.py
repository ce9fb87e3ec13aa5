"""Compiled kernels on disk: named by what they depend on, checked before use, never shared while they change.

    kernels-KEY/     a published set: never changed, only replaced as a whole; manifest.json has SHA-256 of every file
    run-PID-.../     one process's own copy (hard links); numba reads and writes here and nowhere else. Compilers that the
                     process starts (physics/warm.py) work in it, too, and take turns in writing

A process starts with a copy of the published set, if that is undamaged, and publishes its own when it ends having
compiled something new, together with what others have published meanwhile. So two processes never write into one folder,
and what numba loads was whole a moment ago. A damaged set is thrown away: a recompilation costs seconds, a flipped bit in
machine code costs the process.

Compiled code is code: a folder of another user, or that others may write, is not used, and where nobody's home can be found
kernels live in a private folder as long as the process.

KEY = hash of all physics sources, numba, llvmlite, numpy, Python, platform, and numba's environment variables. Where there is
no set of that key, a process takes over from earlier sets the modules whose stamp still holds (physics/core/sources.py).
"""

import atexit
import contextlib
import functools
import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from physics.core import sources
from physics.core.turns import alone

MANIFEST = "manifest.json"
SHARED = "STICTION_COMPILE_IN"
"""Environment variable of a compiler: the folder of the process that it works for."""

_STAMPS, _TURN = "stamps.json", "turn"
KEEP = 4


@dataclass
class _State:
    """This process's copy: where, of what, and how it looked when it was filled."""

    pid: int
    home: Path                  # root() when the process started
    key: str
    folder: Path
    shared: bool = False        # it is the folder of the process that this one compiles for
    complete: bool = False      # it holds what physics.warm compiled
    stamps: dict[str, str] = field(default_factory=dict)    # of every module of physics
    before: dict[str, tuple] = field(default_factory=dict)


_state: _State | None = None


def root() -> Path:
    """The user's cache folder for compiled kernels; STICTION_CACHE_DIR overrides it. Without a home it is a private one that
    lives as long as the process."""
    if override := os.environ.get("STICTION_CACHE_DIR"):
        return Path(override)
    if home := os.environ.get("XDG_CACHE_HOME"):
        return Path(home) / "stiction"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or _passing()) / "stiction" / "cache"
    try:
        base = Path.home()
    except RuntimeError:
        return _passing()
    if sys.platform == "darwin":
        return base / "Library" / "Caches" / "stiction"
    return base / ".cache" / "stiction"


@functools.cache
def _passing() -> Path:
    """A folder of this process alone, removed as it ends."""
    made = tempfile.mkdtemp(prefix="stiction-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


def doubt(home: Path) -> str:
    """Why code in this folder may be somebody else's; "" if it is not."""
    if not hasattr(os, "geteuid"):
        return ""
    try:
        found = os.stat(home)
    except OSError:
        return ""
    if found.st_uid != os.geteuid():
        return "it belongs to another user"
    return "others may write into it" if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else ""


def folder() -> Path:
    """Where the published set of these sources is, or would be."""
    return root() / f"kernels-{sources.key()}"


def prepare() -> Path:
    """This process's own folder for numba, filled with the published set if there is an undamaged one.

    If the user's cache folder cannot be written, it is a temporary one and the kernels live as long as the process.
    """
    global _state
    if _state is None and (shared := os.environ.get(SHARED)):
        folder = Path(shared)
        _state = _State(os.getpid(), folder.parent, sources.key(), folder, shared=True,
                        stamps=json.loads((folder / _STAMPS).read_bytes()))
    if _state is None:
        home = root()
        _state = _State(os.getpid(), home, sources.key(), _own_folder(home))
        atexit.register(_leave, _state)
        if is_kept():
            adopt()
            _state.stamps = _read(_published(_state)).get("modules", {})
        _state.stamps = _state.stamps or sources.stamps()
        if is_kept():
            if not _state.before:
                _inherit(_state)
            _prune(home)
    return _state.folder


def place(module: str, source: str) -> tuple[str, str]:
    """(folder of a module's compiled code in this process's own, stamp that the code must have).

    source: the module's file. Modules outside physics depend on all of it, and on their own text.
    """
    own = prepare()
    if stamp := _state.stamps.get(module):
        return f"{own}/{module}", stamp
    text = hashlib.sha256(Path(source).read_bytes()).hexdigest()[:20]
    return f"{own}/{module}-{text}", f"{_state.key} {text}"


def adopt() -> None:
    """Take over what another process has published since: what is not loaded yet will be loaded from there."""
    if not is_kept():
        return
    complete = _copy_published(_published(_state), _state.folder)
    _state.complete = complete or _state.complete
    _state.before = _look(_state.folder)


def share() -> dict[str, str]:
    """Environment for compilers that work in this process's folder."""
    folder = prepare()
    (folder / _STAMPS).write_text(json.dumps(_state.stamps))
    return {SHARED: str(folder)}


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """A turn in writing into a folder where other processes write."""
    if _state is None or not _state.shared:
        yield
        return
    with open(_state.folder / _TURN, "ab") as turn, alone(turn):
        yield


def publish() -> None:
    """Let other processes have what there is so far."""
    _publish(_state)


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
        if not doubt(home):
            return Path(tempfile.mkdtemp(prefix=prefix, dir=home))
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="stiction-" + prefix))


def _published(state: _State) -> Path:
    return state.home / f"kernels-{state.key}"


def _read(published: Path) -> dict:
    """The manifest of a published set; empty if there is none that can be read."""
    try:
        manifest = json.loads((published / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def _copy_published(published: Path, own: Path) -> bool:
    """Copy of a published set what the own folder has less of; True if it was a complete one. A damaged one is removed."""
    for attempt in range(2):  # the second look is for a set that was replaced under our eyes
        try:
            manifest = json.loads((published / MANIFEST).read_bytes())
            _take(published, own, _gains(_look(own) if own.exists() else (), manifest["files"]))
            return bool(manifest["complete"])
        except FileNotFoundError:
            if not published.exists():
                return False
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass
        if attempt:
            shutil.rmtree(published, ignore_errors=True)
    return False


def _take(published: Path, own: Path, files: dict[str, str]) -> None:
    """Copy these files {name: SHA-256}, each checked; all or none.

    Raises:
        OSError, ValueError, TypeError: one is missing, or not what it was.
    """
    _make_folders(own, files)
    taken: list[str] = []
    try:
        for name, digest in files.items():
            source = f"{published}/{name}"
            with open(source, "rb", buffering=0) as stream:
                if hashlib.sha256(stream.read()).hexdigest() != digest:
                    raise ValueError(name)
            _link(source, f"{own}/{name}")
            taken.append(f"{own}/{name}")
    except (OSError, ValueError, TypeError):
        for path in taken:
            os.unlink(path)
        raise


def _gains(own: Iterable[str], other: dict[str, str]) -> dict[str, str]:
    """The files of each function that has more of them in the other set: index and code stay together."""
    have, has = Counter(map(_function, own)), Counter(map(_function, other))
    return {name: digest for name, digest in other.items() if has[_function(name)] > have[_function(name)]}


def _function(name: str) -> str:
    """Of which function a file is: `folder/name-line.py311.nbi` is its index, `folder/name-line.py311.1.nbc` code."""
    return name.rsplit(".", 1 if name.endswith(".nbi") else 2)[0]


def _inherit(state: _State) -> None:
    """Take over the modules whose stamps still hold from earlier sets: from complete ones first, then from the newest."""
    with contextlib.suppress(OSError):
        sets = sorted(state.home.glob("kernels-*"), key=lambda p: p.stat().st_mtime, reverse=True)
        done: set[str] = set()
        for path, manifest in sorted(((p, _read(p)) for p in sets), key=lambda found: not found[1].get("complete")):
            try:
                same = {m for m, stamp in manifest.get("modules", {}).items() if state.stamps.get(m) == stamp} - done
                files = {name: digest for name, digest in manifest.get("files", {}).items() if name.split("/")[0] in same}
                _take(path, state.folder, files)
                done |= same
                state.complete = state.complete or (bool(manifest.get("complete")) and same == state.stamps.keys())
            except (OSError, ValueError, KeyError, TypeError, AttributeError):
                shutil.rmtree(path, ignore_errors=True)
    state.before = _look(state.folder)


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
    target = _published(state)
    if state.folder.parent != state.home or sources.key() != state.key or (not state.complete and _read(target).get("complete")):
        return False
    try:
        fresh = Path(tempfile.mkdtemp(prefix=f"run-{os.getpid()}-new-", dir=state.home))
    except OSError:
        return False
    try:
        _fill(fresh, state, target)
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


def _fill(fresh: Path, state: _State, target: Path) -> None:
    """A set of the process's files, of what others have published beyond them, and the manifest."""
    files = dict.fromkeys(_look(state.folder))
    _make_folders(fresh, files)
    for name in files:
        _link(f"{state.folder}/{name}", f"{fresh}/{name}")
        files[name] = hashlib.sha256((fresh / name).read_bytes()).hexdigest()
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
        others = _gains(files, _read(target).get("files", {}))
        _take(target, fresh, others)
        files |= others
    (fresh / MANIFEST).write_text(json.dumps({"complete": state.complete, "modules": state.stamps, "files": files}))


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
