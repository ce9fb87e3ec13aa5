"""Writes files atomically: each is written to a temporary file in the same folder, flushed to the disk and renamed.

Temporary files left by killed processes are recognised by name and removed at the next write to that folder.
"""

import contextlib
import errno
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

TEMPORARY_MARK = ".stiction-part"
"""Ending of the names of temporary files; before it: process, machine, number."""

FOREIGN = 2 * 86400.0
"""Age up to which temporary files of other machines that share the folder are kept [s]."""

_NOT_REGULAR = ((stat.S_ISDIR, "a folder: specify a file in it"), (stat.S_ISFIFO, "a pipe: specify a regular file"),
           (stat.S_ISSOCK, "a socket: specify a regular file"), (stat.S_ISCHR, "a device: specify a regular file"),
           (stat.S_ISBLK, "a device: specify a regular file"))

_MACHINE = f"{zlib.crc32(platform.node().encode()):08x}"
_numbers = itertools.count()
_swept: set[Path] = set()


def write(path: str | Path, data: bytes, private: bool = False) -> None:
    """Write a file atomically, replacing an existing one; folders are created. private: readable only by its owner.

    Raises:
        OSError: it cannot be written, and names the file; the old file stays.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open_atomic(path, private=private) as stream:
        stream.write(data)


class NoPlace(OSError):
    """The path holds something that a file must not replace."""


def check_place(path: str | Path) -> None:
    """Check that a file may be put there; renaming would replace even a device or a pipe.

    Raises:
        NoPlace: it is neither free nor a regular file.
    """
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return
    for is_so, words in _NOT_REGULAR:
        if is_so(mode):
            raise NoPlace(errno.EINVAL, f"is {words}", str(path))


@contextlib.contextmanager
def open_atomic(path: str | Path, mode: str = "wb", *, private: bool = False, **how: Any) -> Iterator[Any]:
    """Open a file in an existing folder for writing; it appears at the end of the block. how: encoding, newline."""
    path = Path(path)
    temporary = leftovers(path)
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


def leftovers(path: Path) -> Path:
    """Path of the temporary file for programs that write it themselves; removes leftovers in the folder.

    Raises:
        NoPlace: no file may be put there.
    """
    check_place(path)
    folder = Path(os.path.realpath(path)).parent
    if folder not in _swept:
        _swept.add(folder)
        remove_leftovers(folder)
    return folder / f".{os.getpid()}-{_MACHINE}-{next(_numbers)}{TEMPORARY_MARK}"


def put_in_place(temporary: Path, path: Path) -> None:
    """Flush a finished file to the disk and rename it to its place; links are followed.

    Raises:
        NoPlace: the path was taken meanwhile.
    """
    check_place(path)
    target = Path(os.path.realpath(path))
    with open(temporary, "rb+") as stream:
        os.fsync(stream.fileno())
    with contextlib.suppress(OSError):
        os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
    os.replace(temporary, target)
    with contextlib.suppress(OSError):      # some systems cannot open folders
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def remove_leftovers(folder: Path) -> None:
    """Remove temporary files of processes that no longer exist."""
    with contextlib.suppress(OSError):
        for path in folder.glob(f".*{TEMPORARY_MARK}"):
            with contextlib.suppress(OSError):
                if not _alive(path):
                    path.unlink()


def _alive(path: Path) -> bool:
    """Whether a process may still be writing it. Windows refuses to remove open files, so no check is needed there."""
    pid, _, rest = path.name[1:].partition("-")
    if not rest.startswith(_MACHINE) or not pid.isdigit():
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
