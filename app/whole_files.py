"""Files that are there whole or not at all, whatever happens meanwhile: written beside their place, flushed to the disk, renamed.

What a killed process leaves is known by its name and removed when the next one comes to that folder.
"""

import contextlib
import itertools
import os
import platform
import stat
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MARK = ".stiction-part"
"""How the names of unfinished files end; before it: process, machine, number."""

FOREIGN = 2 * 86400.0
"""Unfinished files of other machines that share the folder are left alone for so long [s]."""

_HERE = f"{zlib.crc32(platform.node().encode()):08x}"
_numbers = itertools.count()
_swept: set[Path] = set()


def write(path: str | Path, data: bytes, private: bool = False) -> None:
    """A file of these bytes in place of what was there; folders are made. private: nobody else may read it.

    Raises:
        OSError: it cannot be written, and names the file; what was there stays.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with opened(path, private=private) as stream:
        stream.write(data)


@contextlib.contextmanager
def opened(path: str | Path, mode: str = "wb", *, private: bool = False, **how: Any) -> Iterator[Any]:
    """The same in a folder that is there, bit by bit: the file appears at the end of the block. how: encoding, newline."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(0, "is a folder: name a file in it", str(path))
    temporary = unfinished(path)
    try:
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
        handle = os.open(temporary, flags, 0o600 if private else 0o666)
        with open(handle, mode, **how) as stream:
            yield stream
        put_in_place(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def unfinished(path: Path) -> Path:
    """Where that file is made until it is whole, for programs that write it themselves; what others left there is removed."""
    folder = Path(os.path.realpath(path)).parent
    if folder not in _swept:
        _swept.add(folder)
        sweep(folder)
    return folder / f".{os.getpid()}-{_HERE}-{next(_numbers)}{MARK}"


def put_in_place(temporary: Path, path: Path) -> None:
    """A file that is finished takes its place, on the disk, too; where a link points to if the place is one."""
    target = Path(os.path.realpath(path))
    with open(temporary, "rb+") as stream:
        os.fsync(stream.fileno())
    with contextlib.suppress(OSError):
        os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
    os.replace(temporary, target)
    with contextlib.suppress(OSError):      # where folders cannot be opened
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def sweep(folder: Path) -> None:
    """Remove unfinished files of processes that are gone."""
    with contextlib.suppress(OSError):
        for path in folder.glob(f".*{MARK}"):
            with contextlib.suppress(OSError):
                if not _alive(path):
                    path.unlink()


def _alive(path: Path) -> bool:
    """Whether somebody may be writing it. Windows does not remove what is open, so nobody has to be asked there."""
    pid, _, rest = path.name[1:].partition("-")
    if not rest.startswith(_HERE) or not pid.isdigit():
        return time.time() - path.stat().st_mtime < FOREIGN
    if sys.platform == "win32":
        return False
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass
    return True
