"""Compile every kernel with its actual argument types, on all processors: `python -m physics.warmup.compile`.

`kernels.json` beside this file is the recipe: each compiled function with its argument types, its callees and its cost
(`python -m physics.warmup.compile --record` rewrites it). Compiler processes are given one function after the other: callees
first, what the first picture needs before all else, and what most others wait for before the rest. They share one folder
(physics/core/compile/cache.py); code used by several is compiled once. What the recipe lacks, because a source has changed
since, is compiled at the end by running the exercises.

Prints `compiling DONE/TOTAL LEFT NAME` as it goes (processor seconds; seconds left), and `opening` when the kernels of the first
picture are published.
"""

import contextlib
import gc
import heapq
import importlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
import types
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numba.core import event

from physics.core import jit
from physics.core.compile import cache, processor, signatures, sources
from physics.core.compile.compiling import Kernel
from physics.warmup import worlds

RECIPE = Path(__file__).with_name("kernels.json")
MAX_COMPILERS = 16
"""Most compilers: each needs some 300 MB."""

NICE_LEVEL = 10
"""Priority of compilers once the first picture has its kernels."""

PUBLISH_INTERVAL = 15.0
"""Compiled code is published at least this often [s] once the first picture has its kernels."""

STACK_WORDS = 70_000
"""Words for the frames of Python's calls in one block: 0.5 MB."""

Show = Callable[[float, float, float, str], None]
"""Called with (done, total, seconds left, what is being compiled)."""


@dataclass
class Task:
    """A function to compile. needs: tasks that must be done before; cost: processor time [s]; opening: the first picture needs
    it; wait: cost of the most expensive path from here to a function without callers [s]."""

    function: str
    arguments: list
    needs: list[int]
    cost: float
    opening: bool
    wait: float = 0.0
    needed_by: list[int] = field(default_factory=list)

    @property
    def order(self) -> tuple:
        """Sort key: smaller is done earlier."""
        return not self.opening, -self.wait


def recipe() -> tuple[list[Task], str]:
    """(the tasks, callees before callers; hash of their sources)."""
    try:
        text = json.loads(RECIPE.read_bytes())
    except FileNotFoundError:
        return [], ""
    tasks = [Task(function, [text["types"][k] for k in arguments], needs, cost, opening)
             for function, arguments, needs, cost, opening in text["functions"]]
    for k, task in enumerate(tasks):
        for need in task.needs:
            tasks[need].needed_by.append(k)
    for task in reversed(tasks):
        task.wait = task.cost + max((tasks[k].wait for k in task.needed_by), default=0.0)
        for need in task.needs:
            tasks[need].opening |= task.opening
    return tasks, text["of"]


def compile_all(show: Show = lambda done, total, left, name: None, opened: Callable[[], None] = lambda: None) -> None:
    """Compile every kernel. opened: called when those of the first picture are published."""
    if cache.is_warm():
        return
    tasks, of = recipe()
    done = _Work(tasks, show, opened).run()
    if not done or of != _sources():
        _compile(worlds.all_worlds)


# ---- compilers


class _Work:
    """The tasks and their compilers."""

    def __init__(self, tasks: list[Task], show: Show, opened: Callable[[], None]) -> None:
        self._tasks, self._show, self._opened = tasks, show, opened
        self._missing = [len(task.needs) for task in tasks]
        self._ready = [(*task.order, k) for k, task in enumerate(tasks) if not task.needs]
        heapq.heapify(self._ready)
        self._opening = sum(task.opening for task in tasks)
        self._left, self._done, self._total = len(tasks), 0.0, sum(task.cost for task in tasks)
        self._answers: queue.SimpleQueue = queue.SimpleQueue()

    def run(self) -> bool:
        """Run all tasks; False: a compiler ended early, and some may be left."""
        path = os.pathsep.join(filter(None, (str(sources.PHYSICS.parent), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, **cache.share(), "PYTHONPATH": path}
        with contextlib.ExitStack() as stack:
            compilers = [stack.enter_context(_Compiler(k, environment, self._answers)) for k in range(_processors())]
            idle, begin, published = list(range(len(compilers))), time.monotonic(), time.monotonic()
            while self._left:
                while idle and self._ready:
                    compilers[idle.pop()].submit(heapq.heappop(self._ready)[-1])
                compiler, task = self._answers.get()
                if task is None:
                    return False
                idle.append(compiler)
                self._finish(task, begin)
                if self._opening == 0:
                    self._opening, published = -1, time.monotonic()
                    for other in compilers:
                        other.lower_priority()
                    cache.publish()
                    self._opened()
                if self._opening < 0 and time.monotonic() - published > PUBLISH_INTERVAL:
                    cache.publish()
                    published = time.monotonic()
        return True

    def _finish(self, k: int, begin: float) -> None:
        task = self._tasks[k]
        self._left -= 1
        self._done += task.cost
        for other in task.needed_by:
            self._missing[other] -= 1
            if not self._missing[other]:
                heapq.heappush(self._ready, (*self._tasks[other].order, other))
        pace = (time.monotonic() - begin) / max(self._done, 1e-3)
        self._show(self._done, self._total, max(0.0, pace * (self._total - self._done)), task.function.rpartition(":")[2])
        self._opening -= task.opening


class _Compiler:
    """A process that compiles the functions it is given."""

    def __init__(self, number: int, environment: dict[str, str], answers: queue.SimpleQueue) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "physics.warmup.compile", "--compiler"], env=environment, text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._number, self._answers = number, answers
        self._reader = threading.Thread(target=self._read, name=f"compiler {number}", daemon=True)
        self._reader.start()

    def __enter__(self) -> "_Compiler":
        return self

    def __exit__(self, *raised: object) -> None:
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.terminate()
        self._process.wait()
        self._reader.join()
        self._process.stdout.close()

    def submit(self, task: int) -> None:
        with contextlib.suppress(OSError):      # it has ended, which its reader reports
            print(task, file=self._process.stdin, flush=True)

    def lower_priority(self) -> None:
        """Let other processes run first from now on."""
        if hasattr(os, "setpriority"):
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self._process.pid, NICE_LEVEL)

    def _read(self) -> None:
        for line in self._process.stdout:
            self._answers.put((self._number, int(line)))
        self._answers.put((self._number, None))


def _serve() -> None:
    """Compile the tasks whose numbers are read, one a line; write their numbers when they are done."""
    tasks = recipe()[0]
    for line in sys.stdin:
        task = tasks[int(line)]
        with contextlib.suppress(Exception):    # the warm-up worlds report it if it is needed
            _find(task.function).compile(tuple(map(signatures.read, task.arguments)))
        print(line.strip(), flush=True)


def _find(function: str) -> Any:
    module, _, name = function.partition(":")
    return getattr(importlib.import_module(module), name)


def _processors() -> int:
    return max(1, min(MAX_COMPILERS, processor.available()))


def _compile(exercise: Callable[[], None]) -> None:
    """Run the exercise.

    Python allocates the frames of its calls in blocks of 16 kB and frees each as soon as it is empty: a loop of calls at the edge
    of a block calls the system in every iteration. That took an eighth of the time; here all frames fit in one.
    """
    code = exercise.__code__.replace(co_stacksize=STACK_WORDS)
    types.FunctionType(code, exercise.__globals__)()


# ---- the recipe


class _Clock(event.Listener):
    """Own processor time of each compiled function [s], all its signatures together, without its callees."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self._open: list[list[float]] = []

    def on_start(self, started: event.Event) -> None:
        self._open.append([time.process_time(), 0.0])

    def on_end(self, ended: event.Event) -> None:
        begin, inner = self._open.pop()
        whole, compiled = time.process_time() - begin, ended.data["dispatcher"]
        if isinstance(compiled, Kernel):
            name = f"{compiled.__module__}:{compiled.__qualname__}"
            self.spent[name] = self.spent.get(name, 0.0) + whole - inner
            if self._open:
                self._open[-1][1] += whole


def record() -> int:
    """Write the recipe in a new process without cached code; returns its exit code."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = {**os.environ, "STICTION_CACHE_DIR": folder, "PYTHONPATH": str(sources.PHYSICS.parent)}
        command = [sys.executable, "-P", "-m", "physics.warmup.compile", "--record-here"]
        return subprocess.run(command, check=False, env=environment).returncode


def _record_here() -> None:
    """Compile everything in this process and write the recipe."""
    clock = _Clock()
    with event.install_listener("numba:compile", clock):
        _compile(worlds.opening)
        opening = {address for address, _ in _libraries()}
        _compile(worlds.all_worlds)
        libraries = dict(_libraries())
    overloads = Counter((module, name) for module, name, _ in libraries)
    index: dict[tuple, int] = {}
    kinds: dict[str, int] = {}
    functions: list[list] = []

    def enter(address: tuple) -> int:
        if address not in index:
            needs = sorted({enter(other) for other in libraries[address].called if other in libraries})
            module, name, arguments = address
            spelled = [kinds.setdefault(json.dumps(signatures.spell(kind)), len(kinds)) for kind in arguments]
            cost = clock.spent.get(f"{module}:{name}", 0.0) / overloads[module, name]
            functions.append([f"{module}:{name}", spelled, needs, round(cost, 2), address in opening])
            index[address] = len(functions) - 1
        return index[address]

    for address in libraries:
        if "<locals>" not in address[1]:
            enter(address)
    text = json.dumps({"of": _sources(), "types": ["TYPES"], "functions": ["ROWS"]})
    text = text.replace('"TYPES"', "\n" + ",\n".join(kinds)).replace('"ROWS"', "\n" + ",\n".join(map(json.dumps, functions)))
    RECIPE.write_text(text + "\n")


def _sources() -> str:
    """Hash of the sources of everything that is compiled."""
    return sources.code_hash({function.__module__ for function in jit.FUNCTIONS})


def _libraries() -> list[tuple[tuple, Any]]:
    return [(result.library.address, result.library) for function in jit.FUNCTIONS for result in function.overloads.values()]


def main(words: list[str]) -> int:
    """Compile, publish, and report when the disk keeps nothing."""
    gc.freeze()  # compilation makes few reference cycles, and searching for them takes a tenth of the time
    gc.set_threshold(1_000_000, 50, 10)
    if words == ["--compiler"]:
        _compile(_serve)
        return 0
    if words == ["--record"]:
        return record()
    if words == ["--record-here"]:
        _record_here()
        return 0
    compile_all(lambda done, total, left, name: print(f"compiling {done:.1f}/{total:.1f} {left:.0f} {name}", flush=True),
                lambda: print("opening", flush=True))
    if not cache.seal():
        print(f"the compiled kernels cannot be saved in {cache.root()}: each start compiles them again", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
