"""Where the processor does the drawing: how that is seen, and that its threads let the physics go first."""

import contextlib
import os
from pathlib import Path

SIGNS = ("llvmpipe", "softpipe", "swiftshader", "software")
THREADS = "llvmpipe"
"""Mesa's names of the threads that fill the triangles begin so."""
MANNERS = 4
"""Niceness of these threads. As many as there are cores, and always busy, they would make each step wait for a slice of time.
More does not make steps more punctual, and beside other busy programs pictures would take seconds."""


def draws(renderer_name: str) -> bool:
    """True if this name of OpenGL's renderer is a program, not a graphics card."""
    return any(sign in renderer_name.lower() for sign in SIGNS)


def make_way() -> int:
    """Let everything else on the machine go before the threads that draw; how many there are. Linux only."""
    yielding = 0
    for thread in Path("/proc/self/task").glob("*"):
        with contextlib.suppress(OSError, ValueError):
            if (thread / "comm").read_text().startswith(THREADS):
                os.setpriority(os.PRIO_PROCESS, int(thread.name), MANNERS)
                yielding += 1
    return yielding
