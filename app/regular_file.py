"""Files that a person names or keeps are read here, and nowhere else: regular files only, at once, and no more than is allowed.

A pipe, a device, a socket, a folder and a file that is not there give one sentence; nothing waits for a writer that never comes.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from physics.errors import BadInput

TEXT = 4_000_000
"""Bytes of a text that a person writes or the window keeps: settings, progress, Python."""

_OTHERS = ((stat.S_ISDIR, "a folder: name a file in it"), (stat.S_ISFIFO, "a pipe: only regular files are read"),
           (stat.S_ISSOCK, "a socket: only regular files are read"), (stat.S_ISCHR, "a device: only regular files are read"),
           (stat.S_ISBLK, "a device: only regular files are read"))


@contextmanager
def opened(path: str | Path, most: int) -> Iterator[BinaryIO]:
    """A regular file of at most so many bytes, to read from.

    Raises:
        BadInput: it is not there, is no regular file, must not be read or is larger; with its name.
    """
    try:
        _check(path, os.stat(path), most)       # before it is opened: to open a device may already do something
        flags = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY", "O_CLOEXEC"))
        stream = os.fdopen(os.open(path, flags), "rb")
    except (OSError, ValueError) as error:
        raise _refused(path, error) from None
    with stream:
        _check(path, os.fstat(stream.fileno()), most)
        yield stream


def read(path: str | Path, most: int = TEXT) -> bytes:
    """What is in such a file; raises as `opened`."""
    with opened(path, most) as stream:
        try:
            data = stream.read(most + 1)
        except OSError as error:
            raise _refused(path, error) from None
    if len(data) > most:
        raise _too_large(path, most)
    return data


def _check(path: str | Path, status: os.stat_result, most: int) -> None:
    for is_so, words in _OTHERS:
        if is_so(status.st_mode):
            raise BadInput(f"{path} is {words}")
    if not stat.S_ISREG(status.st_mode):
        raise BadInput(f"{path} is no regular file: only these are read")
    if status.st_size > most:
        raise _too_large(path, most)


def _refused(path: str | Path, error: OSError | ValueError) -> BadInput:
    if isinstance(error, BadInput):
        return error
    return BadInput(f"{path}: {getattr(error, 'strerror', None) or error}")


def _too_large(path: str | Path, most: int) -> BadInput:
    return BadInput(f"{path} is larger than {most / 1e6:g} MB: no file of its kind is")
