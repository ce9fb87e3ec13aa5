"""One process at a time."""

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import IO

if sys.platform == "win32":
    import msvcrt

    @contextlib.contextmanager
    def alone(stream: IO) -> Iterator[None]:
        """Wait until no other process is in here with the same file; a process that is killed leaves."""
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
        """Wait until no other process is in here with the same file; a process that is killed leaves."""
        fcntl.flock(stream, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(stream, fcntl.LOCK_UN)
