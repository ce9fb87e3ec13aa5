"""The folder of compiled kernels: named by what it depends on, sealed by a manifest, wiped when in doubt.

Key = hash of (all physics sources, numba, numpy, Python, platform, flags that change the code).
Manifest = SHA-256 of every file. A file that differs from the manifest, or a missing manifest, empties the folder: a
recompilation costs seconds, a flipped bit in machine code costs the process.
"""

import hashlib
import json
import os
import platform
import shutil
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

FLAGS = ("NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_DISABLE_JIT")
MANIFEST = "manifest.json"
_PHYSICS = Path(__file__).resolve().parents[1]


def root() -> Path:
    """The user's cache folder for compiled kernels; STICTION_CACHE_DIR overrides it."""
    if override := os.environ.get("STICTION_CACHE_DIR"):
        return Path(override)
    home = os.environ.get("XDG_CACHE_HOME")
    if home:
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
        digest.update(str(path.relative_to(_PHYSICS)).encode())
        digest.update(path.read_bytes())
    facts = [version("numba"), version("numpy"), sys.version, platform.machine(), sys.platform, str(_PHYSICS)]
    facts += [f"{flag}={os.environ.get(flag, '')}" for flag in FLAGS]
    digest.update("\n".join(facts).encode())
    return digest.hexdigest()[:20]


def folder() -> Path:
    return root() / f"kernels-{key()}"


def is_warm() -> bool:
    """True if a complete set of compiled kernels is on disk and undamaged."""
    return _sealed(folder())


def prepare() -> Path:
    """Return the folder for this process: verified, made if missing, in a temporary place if unwritable."""
    path = folder()
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        if any(path.iterdir()) and not _sealed(path) and not _being_filled(path):
            _empty(path)
        _mark(path)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="stiction-kernels-"))
    return path


def seal(path: Path | None = None) -> None:
    """Write the manifest: from now on a changed file empties the folder. Older siblings are removed."""
    path = path or folder()
    listing = {str(f.relative_to(path)): _digest(f) for f in _files(path)}
    handle, temporary = tempfile.mkstemp(dir=path, prefix=".manifest")
    with os.fdopen(handle, "w") as stream:
        json.dump(listing, stream)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(temporary, path / MANIFEST)
    for marker in path.glob(".filling-*"):
        marker.unlink(missing_ok=True)
    _prune(path)


def _files(path: Path) -> list[Path]:
    return sorted(f for f in path.rglob("*.nb?") if f.is_file())


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _sealed(path: Path) -> bool:
    try:
        listing = json.loads((path / MANIFEST).read_text())
        return bool(listing) and all(_digest(path / name) == digest for name, digest in listing.items()) and (
            len(listing) == len(_files(path)))
    except (OSError, ValueError):
        return False


def _mark(path: Path) -> None:
    if not (path / MANIFEST).exists():
        (path / f".filling-{os.getpid()}").touch()


def _being_filled(path: Path) -> bool:
    """Another living process compiles into this folder right now."""
    for marker in path.glob(".filling-*"):
        try:
            os.kill(int(marker.name.rsplit("-", 1)[1]), 0)
        except (ProcessLookupError, ValueError):
            marker.unlink(missing_ok=True)
        except PermissionError:
            return True
        else:
            return True
    return False


def _empty(path: Path) -> None:
    shutil.rmtree(path)
    path.mkdir(parents=True, mode=0o700)


def _prune(path: Path, keep: int = 4) -> None:
    siblings = sorted(path.parent.glob("kernels-*"), key=lambda p: p.stat().st_mtime, reverse=True)
    for old in siblings[keep:]:
        if old != path and not _being_filled(old):
            shutil.rmtree(old, ignore_errors=True)
