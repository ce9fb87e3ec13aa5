"""A CSV file that grows by whole lines: a killed process leaves whole rows and at most one half line.

One process at a time appends; the next one cuts the half line off.
"""

import csv
import io
import os
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from app.files import safe_read
from app.files.atomic_write import check_place, write
from app.files.file_lock import lock_file
from physics.core.check import BadInput

MAX_SIZE = 1_000_000_000
"""Largest file that is continued [bytes]."""

FLUSH_INTERVAL = 1.0
"""Wall time between two flushes to the disk [s]: what a machine that stops may lose."""


def as_line(cells: Sequence[str]) -> bytes:
    """Cells as one line of a CSV file, with its end. They contain no line ends."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def replace_rows(path: str | Path, rows: Iterable[Sequence[str]]) -> None:
    """Write the whole file anew, atomically."""
    write(path, b"".join(map(as_line, rows)))


class AppendedRows:
    """Such a file, open and locked, as a context. rows: the whole ones in it; nothing is changed before the first `append`.

    Raises:
        BadInput: it cannot be opened, is no table, or another process appends to it.
    """

    def __init__(self, path: str | Path) -> None:
        self.path, self._flushed = Path(path), time.monotonic()
        self._new = not os.path.lexists(path)
        flags = os.O_CREAT | os.O_RDWR | os.O_APPEND | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC"))
        try:
            check_place(path)
            self._file: BinaryIO = os.fdopen(os.open(path, flags, 0o666), "ab", 0)
        except OSError as error:
            raise BadInput(f"{path} cannot be written: {error.strerror}") from None
        try:
            _claim(self._file, self.path)
            self.rows, self._size = self._whole_rows()     # _size: to cut it to, None once that is done
        except BaseException:
            self._file.close()
            raise

    def _whole_rows(self) -> tuple[list[list[str]], int]:
        """(rows, their size [bytes]), without a half last line."""
        data = safe_read.read(self.path, MAX_SIZE)
        size = data.rfind(b"\n") + 1
        try:
            return list(csv.reader(io.StringIO(data[:size].decode(), newline=""))), size
        except (UnicodeDecodeError, csv.Error) as error:
            raise BadInput(f"{self.path} is not a table ({error})") from None

    def clear(self) -> None:
        """Drop all rows; the file is emptied by the next `append`."""
        self.rows, self._size = [], 0

    def append(self, cells: Sequence[str]) -> None:
        """Add one line; it is on the disk within about a second."""
        line = as_line(cells)
        try:
            if self._size is not None:
                self._file.truncate(self._size)
                self._size = None
            while line:     # a disk that gets full takes a part of it
                line = line[self._file.write(line):]
            if time.monotonic() - self._flushed > FLUSH_INTERVAL:
                self._flush()
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from error

    def _flush(self) -> None:
        os.fsync(self._file.fileno())
        self._flushed = time.monotonic()

    def __enter__(self) -> "AppendedRows":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self._flush()
            if self._new and not os.fstat(self._file.fileno()).st_size:
                self.path.unlink()      # what was to be written failed before the first row
        finally:
            self._file.close()


def _claim(stream: BinaryIO, path: Path) -> None:
    """Lock the file while the stream is open, so that no row is written twice."""
    try:
        if sys.platform == "win32":
            stream.seek(2 * MAX_SIZE)       # far behind the end, so that others may read the file
        lock_file(stream)
    except OSError:
        raise BadInput(f"{path} is being written by another process: wait for it, or name another file") from None
