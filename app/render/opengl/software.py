"""Detects software rendering and lowers the priority of its threads, so that the physics goes first."""

import contextlib
import os
from pathlib import Path

SOFTWARE_RENDERERS = ("llvmpipe", "softpipe", "swiftshader", "software")
THREADS = "llvmpipe"
"""Prefix of the names of Mesa's rasteriser threads."""
NICE_LEVEL = 4
"""Niceness of these threads. They are as many as the cores and always busy, so each step would wait for a time slice. A higher
value does not make steps more punctual, and beside other busy programs pictures would take seconds."""


def is_software(renderer_name: str) -> bool:
    """Whether this OpenGL renderer name is a software renderer."""
    return any(sign in renderer_name.lower() for sign in SOFTWARE_RENDERERS)


def lower_priority() -> int:
    """Lower the priority of the rasteriser threads; returns their number. Linux only."""
    yielding = 0
    for thread in Path("/proc/self/task").glob("*"):
        with contextlib.suppress(OSError, ValueError):
            if (thread / "comm").read_text().startswith(THREADS):
                os.setpriority(os.PRIO_PROCESS, int(thread.name), NICE_LEVEL)
                yielding += 1
    return yielding
