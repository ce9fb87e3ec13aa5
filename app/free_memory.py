"""Freed memory goes back to the system.

The C library keeps what is freed for later allocations. Every scene allocates tables and pictures of other sizes, and what it
leaves behind fits badly: after some hundred scenes a fifth of the process would be holes.
"""

import ctypes
import sys


def release() -> None:
    """Give pages without allocations back, where the C library has a call for it (glibc). Takes milliseconds, without the GIL."""
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)      # musl has none
        if trim is not None:
            trim(ctypes.c_size_t(0))
