"""Many worlds at once, over all cores: each is stepped by one thread, in compiled calls of many steps where these are possible
(compiled_step.py), which hold no lock of Python.

The worlds share nothing, so the result does not depend on the number of threads.
"""

import os
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock

from physics.core.check import BadInput, whole
from physics.observe.report import Report
from physics.step import step_count, step_many
from physics.world.world import World

MAX_THREADS = 1024

FIRST_STEPS = 2
"""Of a world: the first is made the long way, the second prepares compiled ones (compiled_step.py)."""


def step_worlds(worlds: Sequence[World], steps: int, dt: float, threads: int = 0) -> list[Report]:
    """Advance each world by so many steps of dt [s], as `step_many` does; returns the report of the last step of each.

    threads: at most so many at once; 0: as many as there are processor cores. Drivers are called in the thread of their world.

    Raises:
        BadInput: a world occurs twice, or a number is out of range: nothing has moved.
        BadInput, Diverged: of the first world that failed, which is as before the step that failed; the others are at the end.
    """
    if len({id(world) for world in worlds}) < len(worlds):
        raise BadInput("step_worlds expects different worlds: one of them occurs twice")
    steps, threads = step_count(steps), whole("threads", threads, 0, MAX_THREADS) or os.cpu_count() or 1
    with ThreadPoolExecutor(threads, thread_name_prefix="worlds") as pool:
        begins = Lock()
        running: list[Future[Report]] = [pool.submit(_steps, world, steps, dt, begins) for world in worlds]
    return [one.result() for one in running]


def _steps(world: World, steps: int, dt: float, begins: Lock) -> Report:
    """The steps of one world. The first ones list its bodies and find what to call, in Python: one world at a time, since many
    threads that hand its lock to and fro take longer than one."""
    if steps <= FIRST_STEPS:
        return step_many(world, steps, dt)
    with begins:
        step_many(world, FIRST_STEPS, dt)
    return step_many(world, steps - FIRST_STEPS, dt)
