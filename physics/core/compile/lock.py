"""File lock between processes."""

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import IO

if sys.platform == "win32":
    import msvcrt

    @contextlib.contextmanager
    def alone(stream: IO) -> Iterator[None]:
        """Hold an exclusive lock on the file, waiting for it; a killed process releases it."""
        stream.seek(0)
        while True:
            try:
                msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
                break
            except OSError:
                time.sleep(0.002)
        try:
            yield
        finally:
            stream.seek(0)
            msvcrt.locking(stream.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    @contextlib.contextmanager
    def alone(stream: IO) -> Iterator[None]:
        """Hold an exclusive lock on the file, waiting for it; a killed process releases it."""
        fcntl.flock(stream, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(stream, fcntl.LOCK_UN)
