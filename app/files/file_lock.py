"""A lock on a file that one process at a time can hold; it ends with the process, however that ends."""

import sys
from typing import BinaryIO


def lock_file(stream: BinaryIO) -> None:
    """Lock the file while the stream is open; on Windows one byte of it, at the stream's position.

    Raises:
        OSError: another process holds it.
    """
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
