"""Compiles all kernels in a separate process and reports the progress (physics/warmup/compile.py)."""

import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

PROGRESS_LINE = r"compiling ([\d.]+)/([\d.]+) (\d+) (\S+)"
"""Line of `python -m physics.warmup.compile` for each function: processor seconds done, in total, seconds left, its name."""
UPDATE_INTERVAL = 1.0
"""Longest interval between progress updates [s]."""
UNLISTED_KERNELS = "what the recipe does not know"
"""What is compiled after the last function of the recipe, an unpredictable amount of work."""
_ROOT = Path(__file__).resolve().parents[1]


def needed() -> bool:
    """Whether kernels are missing; never with NUMBA_DISABLE_JIT=1, where they run as plain Python."""
    import numba

    import physics  # noqa: F401  (prepares the cache)
    from physics.core.compile import cache

    return not (numba.config.DISABLE_JIT or cache.is_warm())


def unused() -> str:
    """Return why kernels are compiled although the package contains some; "" if it contains none."""
    from physics.core.compile import cache

    why = cache.incompatibility()
    return why and f"the kernels of the package are not used ({why}): they are compiled again"


@dataclass(frozen=True)
class CompilationProgress:
    """Progress of compiling. done, total: work [processor seconds]; seconds: estimated time left; name: what is compiled;
    waited: time since the last report [s]."""

    done: float
    total: float
    seconds: float
    name: str
    waited: float = 0.0

    @property
    def left(self) -> str:
        """Format the time left."""
        seconds = self.seconds - self.waited
        if seconds < 0.0:
            return f"{-seconds:.0f} s longer than estimated"
        return f"{seconds:.0f} s left" if seconds < 90.0 else f"{seconds / 60.0:.0f} min left"

    def after(self, waited: float) -> "CompilationProgress":
        """Return the progress after `waited` seconds without a report."""
        return replace(self, waited=waited, name=UNLISTED_KERNELS if self.done >= self.total else self.name)


def child_environment() -> dict[str, str]:
    """Environment of a Python process that finds these sources, and the packages that this process may have from PYTHONPATH."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))}


def compile_all(show: Callable[[CompilationProgress], None], opened: Callable[[], None] = lambda: None) -> tuple[int, str]:
    """Run `python -m physics.warmup.compile`; return (exit code, last line it printed). opened: called when the kernels of the
    first picture are published."""
    from physics.core.compile import cache

    cache.publish()     # with the hashes of the sources, which the other process then need not compute
    last, received, since = "", None, time.monotonic()
    with subprocess.Popen([sys.executable, "-P", "-m", "physics.warmup.compile"], env=child_environment(), text=True,
                          encoding="utf-8", errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL) as process:
        try:
            for line in _lines(process.stdout):
                if not line:
                    if received is not None:
                        show(received.after(time.monotonic() - since))
                elif progress := re.match(PROGRESS_LINE, line):
                    done, total, seconds = map(float, progress.groups()[:3])
                    received, since = CompilationProgress(done, total, seconds, progress[4]), time.monotonic()
                    show(received)
                elif line == "opening\n":
                    opened()
                elif line.strip():
                    last = line.strip()
            return process.wait(), last
        except BaseException:
            process.terminate()
            raise


def _lines(stream: TextIO) -> Iterator[str]:
    """Yield the stream's lines as they arrive, and "" after each interval without one."""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        for line in stream:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, name="compiler's lines", daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=UPDATE_INTERVAL)
        except queue.Empty:
            line = ""
        if line is None:
            return
        yield line
