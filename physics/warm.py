"""Compile every kernel with the types it really gets: `python -m physics.warm`.

Where there are two processors a second process (`python -m physics.warm solvers`) compiles the solvers and publishes them as it
ends. The first one has compiled the rest meanwhile, takes those over, calls everything once and publishes the complete set (see
physics/core/cache.py). Prints `compiling i/N` as it goes.
"""

import contextlib
import gc
import os
import subprocess
import sys
import threading
import types
from collections.abc import Callable, Iterator

from numba.core import event

from physics import exercises
from physics.core import cache, jit, sources
from physics.core.compiling import Kernel

SOLVERS = "solvers"
ROOM = 70_000
"""Words for the frames of Python's calls in one piece: 0.5 MB."""


class _Listener(event.Listener):
    """Calls tell(name) for each of our functions that is compiled or loaded."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell

    def on_start(self, started: event.Event) -> None:
        pass

    def on_end(self, ended: event.Event) -> None:
        compiled = ended.data["dispatcher"]
        if isinstance(compiled, Kernel):
            self._tell(f"{compiled.__module__}.{compiled.__qualname__}")


class _Count:
    """How many functions are done, here or in the second process: show(done, total) is called after each."""

    def __init__(self, show: Callable[[int, int], None]) -> None:
        self._show, self._done, self._lock = show, set(), threading.Lock()

    def add(self, name: str) -> None:
        with self._lock:
            self._done.add(name)
            self._show(min(len(self._done), len(jit.FUNCTIONS)), len(jit.FUNCTIONS))


def compile_all(show: Callable[[int, int], None] = lambda done, total: None) -> None:
    """Compile every kernel; show(done, total) is called after each function."""
    count = _Count(show)
    if _shared():
        with _second(count.add):
            _compile(exercises.find, count.add)
        cache.adopt()
    _compile(exercises.everything, count.add)
    show(len(jit.FUNCTIONS), len(jit.FUNCTIONS))


def _compile(exercise: Callable[[], None], tell: Callable[[str], None]) -> None:
    """Do the exercise; tell(name) is called for each function that is compiled.

    Python takes memory for the frames of its calls in pieces of 16 kB and gives each back as soon as it is empty: a loop of calls
    at the edge of a piece asks the system for one in every turn. That was an eighth of the time; here all frames fit into one.
    """
    code = exercise.__code__.replace(co_stacksize=ROOM)
    with event.install_listener("numba:compile", _Listener(tell)):
        types.FunctionType(code, exercise.__globals__)()


def _shared() -> bool:
    """True if a second process is worth its start, and can hand over what it compiles."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return processors > 1 and cache.is_kept() and not cache.is_warm()


@contextlib.contextmanager
def _second(tell: Callable[[str], None]) -> Iterator[None]:
    """A process that compiles the solvers meanwhile; waited for in the end. If it fails its work is left to the first."""
    environment = {**os.environ, "PYTHONPATH": str(sources.PHYSICS.parent)}
    with subprocess.Popen([sys.executable, "-P", "-m", "physics.warm", SOLVERS], env=environment, text=True, encoding="utf-8",
                          errors="replace", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL) as process:

        def read() -> None:
            for line in process.stdout:
                tell(line.strip())

        reading = threading.Thread(target=read, daemon=True)
        reading.start()
        try:
            yield
        except BaseException:
            process.terminate()
            raise
        reading.join()


def main(words: list[str]) -> int:
    """Compile, publish, and say so when the disk keeps nothing."""
    gc.freeze()  # the compiler makes little garbage in circles, and looking for it all the time takes a tenth of it
    gc.set_threshold(1_000_000, 50, 10)
    if words == [SOLVERS]:
        _compile(exercises.solve, lambda name: print(name, flush=True))
        return 0
    compile_all(lambda done, total: print(f"compiling {done}/{total}", flush=True))
    if not cache.seal():
        print(f"the compiled kernels cannot be kept in {cache.root()}: each start compiles them again", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
