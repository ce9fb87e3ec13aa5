"""The only place that reads files named or kept by the user: regular files only, without blocking, up to a size limit.

A pipe, device, socket, folder or missing file gives one sentence; reading never blocks on a pipe without a writer.
"""

import hashlib
import os
import stat
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from app import cancellable_work
from app.files.printable import printable
from app.i18n.message import message
from physics.core.check import BadInput

MAX_TEXT_FILE = 4_000_000
"""Largest size of a text file of the user or the window: settings, progress, Python [bytes]."""

TOML_TIME = 10.0
"""Longest wall time of parsing a TOML text [s]: a name of thousands of parts, "a.a.a. ..", would take hours."""

_NOT_REGULAR = ((stat.S_ISDIR, "a folder: specify a file in it"), (stat.S_ISFIFO, "a pipe: only regular files are read"),
           (stat.S_ISSOCK, "a socket: only regular files are read"), (stat.S_ISCHR, "a device: only regular files are read"),
           (stat.S_ISBLK, "a device: only regular files are read"))


@contextmanager
def open_regular(path: str | Path, most: int) -> Iterator[BinaryIO]:
    """Open a regular file of at most `most` bytes for reading.

    Raises:
        BadInput: the file is missing, not regular, not readable or too large; the text names it.
    """
    try:
        _check(path, os.stat(path), most)       # before opening: opening a device may have side effects
        flags = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY", "O_CLOEXEC"))
        stream = os.fdopen(os.open(path, flags), "rb")
    except (OSError, ValueError) as error:
        raise _refused(path, error) from None
    with stream:
        _check(path, os.fstat(stream.fileno()), most)
        yield stream


def read(path: str | Path, most: int = MAX_TEXT_FILE) -> bytes:
    """Contents of such a file; raises as `open_regular`."""
    with open_regular(path, most) as stream:
        try:
            data = stream.read(most + 1)
        except OSError as error:
            raise _refused(path, error) from None
    if len(data) > most:
        raise _too_large(path, most)
    for files in _noting:
        files[os.path.abspath(path)] = hashlib.sha256(data).hexdigest()
    return data


_noting: list[dict[str, str]] = []


@contextmanager
def noted() -> Iterator[dict[str, str]]:
    """Note the files that `read` reads meanwhile, in any thread: their SHA-256 by their paths."""
    files: dict[str, str] = {}
    _noting.append(files)
    try:
        yield files
    finally:
        _noting[:] = [one for one in _noting if one is not files]


def parsed_toml(text: bytes, path: str | Path) -> dict[str, Any]:
    """Parse a TOML text; path: for the sentence.

    Raises:
        BadInput: it is no TOML, or would take too long.
    """
    try:
        return cancellable_work.run(lambda: tomllib.loads(text.decode("utf-8")), message("Reading {path}", path=path), TOML_TIME)
    except tomllib.TOMLDecodeError as error:
        why, _, where = str(error).rpartition(" (at ")      # "Invalid value (at line 2, column 7)", "... (at end of document)"
        line = where.removeprefix("line ").partition(",")[0] if where.startswith("line ") else text.rstrip().count(b"\n") + 1
        raise BadInput(message("{path}, line {line}: this is not TOML: {why}", path=path, line=line,
                               why=printable(why))) from None
    except UnicodeDecodeError as error:
        line = text[: error.start].count(b"\n") + 1
        raise BadInput(message("{path}, line {line}: this is not text in UTF-8: save it as such", path=path, line=line)) from None
    except RecursionError:
        raise BadInput(message("{path}: its values are nested too deep", path=path)) from None
    except (ValueError, cancellable_work.WorkAbandoned) as error:
        raise BadInput(message("{path} is damaged ({error})", path=path, error=printable(str(error)))) from None


def _check(path: str | Path, status: os.stat_result, most: int) -> None:
    for is_so, words in _NOT_REGULAR:
        if is_so(status.st_mode):
            raise BadInput(message("{path} is {words}", path=path, words=words))
    if not stat.S_ISREG(status.st_mode):
        raise BadInput(message("{path} is not a regular file", path=path))
    if status.st_size > most:
        raise _too_large(path, most)


def _refused(path: str | Path, error: OSError | ValueError) -> BadInput:
    if isinstance(error, BadInput):
        return error
    return BadInput(message("{path}: {error}", path=path, error=getattr(error, "strerror", None) or error))


def _too_large(path: str | Path, most: int) -> BadInput:
    return BadInput(message("{path} exceeds {limit:g} MB, the limit for files of its kind", path=path, limit=most / 1e6))
