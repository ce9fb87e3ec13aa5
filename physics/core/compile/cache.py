"""Disk cache of compiled kernels: named by a hash of what they depend on, verified before use, never shared while changing.

    kernels-KEY/     a published set: never changed, only replaced as a whole; manifest.json has SHA-256 of every file
    run-PID-.../     one process's own copy (hard links); numba reads and writes only here. Compilers started by the
                     process (physics/warmup/compile.py) also work in it and take turns writing

When a process first uses a function, its files are copied from the set shipped with the package (by `start.py wheel`) or from the
published one; verifying all of a set would take longer than importing physics. If the process has compiled something new, it
publishes its own at exit, merged with what others have published meanwhile. So two processes never write into one folder, and
numba loads only files that were just verified. A damaged set is deleted, and what is good in it published anew: a recompilation
costs seconds, a flipped bit in machine code crashes the process.

For security a folder that belongs to another user or is writable by others is not used. Without a home directory kernels live in
a private folder until the process ends.

KEY = hash of all physics sources, numba, llvmlite, numpy, Python, platform, and numba's environment variables. If there is no
set of that key, a process inherits from earlier sets the modules whose stamp still holds (physics/core/compile/sources.py).
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
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from physics.core.compile import sources
from physics.core.compile.lock import alone

MANIFEST = "manifest.json"
SHIPPED = sources.PHYSICS / "kernels"   # the set of a wheel, never changed
SHARED = "STICTION_COMPILE_IN"
"""Environment variable of a compiler process: the folder of the process that it works for."""

MAX_REPLACEMENTS = 20
"""Times that a process reads a set which others replace while it reads."""

_STAMPS, _TURN, _REPLACED = "stamps.json", "turn", "-old"
KEEP = 4


@dataclass
class _State:
    """This process's copy: its folder, its key, and its files that are not its own work."""

    pid: int
    home: Path                  # root() when the process started
    key: str
    folder: Path
    shared: bool = False        # the folder belongs to the process that this one compiles for
    complete: bool = False      # it and the sets hold what physics.warmup.compile compiled
    sealed: bool = False        # this process has compiled all of it
    stamps: dict[str, str] = field(default_factory=dict)    # of every module of physics
    before: dict[str, tuple] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)            # functions whose files were looked for in the sets


_state: _State | None = None
_FETCHING = threading.Lock()


def root() -> Path:
    """The user's cache folder for compiled kernels; STICTION_CACHE_DIR overrides it. Without a home directory, a private folder
    that is removed when the process ends."""
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
    """A private folder of this process, removed at exit."""
    made = tempfile.mkdtemp(prefix="stiction-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


def untrusted_reason(home: Path) -> str:
    """Why code in this folder cannot be trusted; "" if it can."""
    if not hasattr(os, "geteuid"):
        return ""
    try:
        found = os.stat(home)
    except OSError:
        return ""
    if found.st_uid != os.geteuid():
        return "it belongs to another user"
    return "other users have write access" if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else ""


def folder() -> Path:
    """Folder of the published set of these sources, whether it exists or not."""
    return root() / f"kernels-{sources.key()}"


def prepare() -> Path:
    """This process's own folder for numba; `fetch` fills it.

    If the user's cache folder cannot be written, it is a temporary one and the kernels are lost when the process ends.
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
        load_set()
        found = [_read(place) for place in _sets(_state)]
        _state.stamps = next(filter(None, (manifest.get("modules") for manifest in found)), None) or sources.stamps()
        if is_kept():
            if not any(manifest.get("files") for manifest in found):
                _inherit(_state)
            _prune(home)
    return _state.folder


def place(module: str, source: str) -> tuple[str, str]:
    """(folder of a module's compiled code within this process's folder, stamp that the code must have).

    source: the module's file. Modules outside physics depend on all of it, and on their own text.
    """
    own = prepare()
    if stamp := _state.stamps.get(module):
        return f"{own}/{module}", stamp
    text = hashlib.sha256(Path(source).read_bytes()).hexdigest()[:20]
    return f"{own}/{module}-{text}", f"{_state.key} {text}"


def load_set() -> None:
    """Look at the available sets again: code not yet loaded will be loaded from there."""
    prepare()
    _state.complete |= any(bool(_read(place).get("complete")) for place in _sets(_state))
    _state.asked.clear()


def fetch(function: str) -> None:
    """Copy the files of a function (its folder and name, as `_function` gives them) from the sets into this process's folder."""
    with _FETCHING:
        if _state is None or _state.shared or function in _state.asked:
            return
        _state.asked.add(function)
        for place in _sets(_state):
            _copy_published(place, _state.folder, function)


def share() -> dict[str, str]:
    """Environment variables for compilers that work in this process's folder; it then holds all that the sets do."""
    folder = prepare()
    _copy_all(_state)
    (folder / _STAMPS).write_text(json.dumps(_state.stamps))
    return {SHARED: str(folder)}


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """Lock the folder for writing if other processes write there too."""
    if _state is None or not _state.shared:
        yield
        return
    with open(_state.folder / _TURN, "ab") as turn, alone(turn):
        yield


def publish() -> None:
    """Publish what has been compiled so far for other processes."""
    _publish(_state)


def is_warm() -> bool:
    """True if this process has everything that `python -m physics.warmup.compile` compiles."""
    prepare()
    return _state.complete


def incompatibility() -> str:
    """Why the set shipped with the package cannot be used here; "" if it can, or none was shipped."""
    came = next(SHIPPED.glob("kernels-*"), None)
    return "" if came is None or is_warm() else sources.difference(_read(came).get("for", {}))


def is_kept() -> bool:
    """False if the user's cache folder cannot be written: then no other process can compile for this one."""
    prepare()
    return _state.folder.parent == _state.home


def seal() -> bool:
    """Publish this process's kernels as the complete set; False if the disk cannot be written."""
    _state.complete = _state.sealed = True
    return _publish(_state)


def clear() -> None:
    """Delete all published sets."""
    for path in root().glob("kernels-*"):
        shutil.rmtree(path, ignore_errors=True)
    if _state is not None:
        shutil.rmtree(_state.folder, ignore_errors=True)
        _state.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _state.complete, _state.sealed, _state.before = False, False, {}
        _state.asked.clear()


def _own_folder(home: Path) -> Path:
    prefix = f"run-{os.getpid()}-"
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not untrusted_reason(home):
            return Path(tempfile.mkdtemp(prefix=prefix, dir=home))
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="stiction-" + prefix))


def _published(state: _State) -> Path:
    return state.home / f"kernels-{state.key}"


def _sets(state: _State) -> list[Path]:
    """Possible folders of sets of this key: in the package, and in the user's cache folder."""
    shipped = SHIPPED / f"kernels-{state.key}"
    return [shipped, _published(state)] if state.folder.parent == state.home else [shipped]


def _read(published: Path) -> dict:
    """The manifest of a published set; empty if missing or unreadable."""
    try:
        manifest = json.loads((published / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def _copy_all(state: _State) -> None:
    """Copy all that the sets have and the own folder lacks. Completeness was so far known from the manifests only."""
    listed = any(_read(place).get("files") for place in _sets(state))
    whole = [_copy_published(place, state.folder) for place in _sets(state)]
    if listed:
        state.complete = state.sealed or any(whole)


def _copy_published(published: Path, own: Path, function: str = "") -> bool:
    """Copy the files of a set, or of one function in it, that the own folder lacks; True if the set was complete.

    A damaged set of the user is removed, after what is good in it was copied, but not one that was only replaced meanwhile.
    """
    for _ in range(MAX_REPLACEMENTS):
        before = _identity(published)
        try:
            complete, functions = _contents(published, before)
            _copy_newer(published, own, functions.get(function, {}) if function else
                        {name: digest for files in functions.values() for name, digest in files.items()})
            return complete
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            now = _identity(published)
        if now is not None and now == before:
            if published.parent != SHIPPED:
                _salvage(published, own)
            return False
        if now is None and not any(published.parent.glob(f"run-*{_REPLACED}")):
            return False
        time.sleep(0.01)
    return False


@functools.lru_cache(maxsize=8)
def _contents(published: Path, identity: tuple[int, int] | None) -> tuple[bool, dict[str, dict[str, str]]]:
    """(whether a set is complete, its files {name: SHA-256} by function); identity: of its folder.

    Raises:
        OSError, ValueError, KeyError, TypeError, AttributeError: there is none, or its manifest is damaged.
    """
    manifest = json.loads((published / MANIFEST).read_bytes())
    functions: dict[str, dict[str, str]] = {}
    for name, digest in manifest["files"].items():
        functions.setdefault(_function(name), {})[name] = digest
    return bool(manifest["complete"]), functions


def _salvage(published: Path, own: Path) -> None:
    """Copy the functions of a damaged set that are whole, and remove it; this process publishes them again."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        for files in _contents(published, _identity(published))[1].values():
            with contextlib.suppress(OSError, ValueError, TypeError):
                _copy_newer(published, own, files)
    shutil.rmtree(published, ignore_errors=True)
    if _state is not None and own == _state.folder:
        _state.complete, _state.before = _state.sealed, {}


def _identity(folder: Path) -> tuple[int, int] | None:
    """Equal as long as the same folder is there; None if none is."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _copy_newer(published: Path, own: Path, files: dict[str, str]) -> None:
    """Copy those of some functions of which the own folder has fewer; all or none. Raises as `_copy_set`."""
    folders = {os.path.dirname(name) for name in files}
    newer = _newer_files([f"{folder}/{name}" if folder else name for folder in folders for name in _names(own / folder)], files)
    _copy_set(published, own, newer)
    if _state is not None and own == _state.folder:
        _state.before |= {name: _size_and_time(f"{own}/{name}") for name in newer}


def _copy_set(published: Path, own: Path, files: dict[str, str]) -> None:
    """Copy these files {name: SHA-256}, each verified; all or none.

    Raises:
        OSError, ValueError, TypeError: one is missing or damaged.
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


def _newer_files(own: Iterable[str], other: dict[str, str]) -> dict[str, str]:
    """The files of each function that has more of them in the other set, so that index and code stay together."""
    have, has = Counter(map(_function, own)), Counter(map(_function, other))
    return {name: digest for name, digest in other.items() if has[_function(name)] > have[_function(name)]}


def _function(name: str) -> str:
    """The function that a file belongs to: `folder/name-line.py311.nbi` is its index, `folder/name-line.py311.1.nbc` code."""
    return name.rsplit(".", 1 if name.endswith(".nbi") else 2)[0]


def _inherit(state: _State) -> None:
    """Inherit from earlier sets the modules whose stamps still hold: complete sets first, then the newest. At its end the process
    publishes them for these sources: to find out what still holds takes seconds."""
    with contextlib.suppress(OSError):
        sets = sorted(state.home.glob("kernels-*"), key=lambda p: p.stat().st_mtime, reverse=True)
        done: set[str] = set()
        for path, manifest in sorted(((p, _read(p)) for p in sets), key=lambda found: not found[1].get("complete")):
            try:
                same = {m for m, stamp in manifest.get("modules", {}).items() if state.stamps.get(m) == stamp} - done
                files = {name: digest for name, digest in manifest.get("files", {}).items() if name.split("/")[0] in same}
                _copy_set(path, state.folder, files)
                done |= same
                state.complete = state.complete or (bool(manifest.get("complete")) and same == state.stamps.keys())
            except (OSError, ValueError, KeyError, TypeError, AttributeError):
                shutil.rmtree(path, ignore_errors=True)


def _make_folders(place: Path, names: Iterable[str]) -> None:
    for folder in {os.path.dirname(name) for name in names}:
        (place / folder).mkdir(parents=True, exist_ok=True, mode=0o700)


def _link(source: str, target: str) -> None:
    """Hard-link the file (numba replaces files and never writes into one); copy where links do not work."""
    try:
        os.link(source, target)
    except FileExistsError:
        os.unlink(target)
        _link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _publish(state: _State) -> bool:
    """Replace the published set by a copy of the process's folder, unless the sources have changed meanwhile."""
    target = _published(state)
    if state.folder.parent == state.home:
        _copy_all(state)
    if state.folder.parent != state.home or sources.key() != state.key or (not state.complete and _read(target).get("complete")):
        return False
    try:
        fresh = Path(tempfile.mkdtemp(prefix=f"run-{os.getpid()}-new-", dir=state.home))
    except OSError:
        return False
    try:
        _fill(fresh, state, target)
        if target.exists():
            os.replace(target, fresh.with_name(fresh.name + _REPLACED))
        os.replace(fresh, target)
    except OSError:  # full disk, or another process was faster
        return False
    finally:
        for left in (fresh, fresh.with_name(fresh.name + _REPLACED)):
            shutil.rmtree(left, ignore_errors=True)
    state.before = _file_stamps(state.folder)
    return True


def _fill(fresh: Path, state: _State, target: Path) -> None:
    """Write a set: the process's files, further files that others have published, and the manifest."""
    files = dict.fromkeys(_file_stamps(state.folder))
    _make_folders(fresh, files)
    for name in files:
        _link(f"{state.folder}/{name}", f"{fresh}/{name}")
        files[name] = hashlib.sha256((fresh / name).read_bytes()).hexdigest()
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
        others = _newer_files(files, _read(target).get("files", {}))
        _copy_set(target, fresh, others)
        files |= others
    (fresh / MANIFEST).write_text(json.dumps(
        {"complete": state.complete, "for": sources.facts(), "modules": state.stamps, "files": files}))


def _file_stamps(path: Path) -> dict[str, tuple]:
    """Size and time of every file of the cache, by relative name."""
    folders = ("", *(entry.name for entry in os.scandir(path) if entry.is_dir()))
    names = [f"{folder}/{name}" if folder else name for folder in folders for name in _names(path / folder)]
    return {name: _size_and_time(f"{path}/{name}") for name in names}


def _names(folder: Path) -> list[str]:
    """Names of the cache's files in a folder, none if it is not there."""
    try:
        return [name for name in os.listdir(folder) if name.endswith((".nbi", ".nbc"))]
    except FileNotFoundError:
        return []


def _size_and_time(path: str) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns


def _leave(state: _State) -> None:
    """At process exit: publish what is new, remove the process's folder."""
    if os.getpid() != state.pid:
        return  # a fork of the owning process
    with contextlib.suppress(OSError):
        if _file_stamps(state.folder) != state.before:
            _publish(state)
    shutil.rmtree(state.folder, ignore_errors=True)


def _prune(home: Path) -> None:
    """Remove folders of dead processes and all but the newest published sets."""
    with contextlib.suppress(OSError):
        sets = sorted(home.glob("kernels-*"), key=lambda p: p.stat().st_mtime, reverse=True)
        old = [path for path in sets[KEEP:] if path.name != f"kernels-{_state.key}"]
        for path in (*old, *(path for path in home.glob("run-*") if not _alive(path))):
            shutil.rmtree(path, ignore_errors=True)


def _alive(path: Path) -> bool:
    """False if the owning process of a folder is gone. On Windows this cannot be queried safely: folders live two days."""
    if sys.platform == "win32":
        return time.time() - path.stat().st_mtime < 2 * 86400
    try:
        os.kill(int(path.name.split("-")[1]), 0)
    except (ProcessLookupError, ValueError, IndexError):
        return False
    except OSError:
        pass
    return True
