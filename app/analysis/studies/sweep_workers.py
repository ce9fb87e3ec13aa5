"""Runs the points of a sweep or a map in other processes: of this machine, or of a Dask cluster. GL-free.

A process that dies takes the points in work with it. Each of them is run once more by itself: one that kills its process again is
recorded as failed, the others have their rows.
"""

import asyncio
import logging
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, wait
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from app.analysis.studies.sweep import Sweep, failed_row, row_of
from app.engine import file_kinds
from app.i18n.message import message
from app.own_files import discover
from physics import BadInput
from physics.core.compile import sources

CONNECT_TIME = 10.0
"""Longest wait for a scheduler [s]."""

MAX_PROCESSES = 61
"""Windows cannot wait for more."""

NICE = 10
"""Priority of processes that yield: less than that of the window and its physics."""

AHEAD = 2
"""Points handed out for each worker: one in work, the others ready."""


PointTask = Callable[[Any], Any]
"""What is done with a point; another process can be given it."""


class Workers:
    """Processes that run points, as a context. count: of them; lost: what the futures of a dead process raise.

    Subclasses set `count`, `lost`, `pool` and may start again.
    """

    count: int
    lost: tuple[type[BaseException], ...]
    pool: Executor

    def again(self) -> None:
        """Replace processes that died."""

    def end(self, at_once: bool) -> None:
        """End the processes; at_once: without waiting for the points in work."""

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.end(at_once=kind is not None)


class LocalWorkers(Workers):
    """Processes of this machine. file: the user's own scene, "" for one of ours; yields: to all other processes."""

    lost = (BrokenExecutor,)

    def __init__(self, count: int, file: str, yields: bool = False) -> None:
        self.count, self._file = min(count, MAX_PROCESSES) if os.name == "nt" else count, file
        self._yields = yields
        self._others = set(multiprocessing.active_children())
        self.again()

    def again(self) -> None:
        """Start new processes.

        Raises:
            RuntimeError: they end at once.
        """
        # spawn: a copy of a process that has threads, as fork makes it, may hold their locks for ever
        if hasattr(self, "pool"):
            self.pool.shutdown(wait=True)
        context = multiprocessing.get_context("spawn")
        self.pool = ProcessPoolExecutor(self.count, context, initializer=_begin, initargs=(self._file, self._yields))
        try:
            self.pool.submit(identity).result()
        except BrokenExecutor:
            raise RuntimeError("the processes of the sweep end at their start") from None

    def end(self, at_once: bool) -> None:
        """End the processes."""
        if at_once:
            for child in set(multiprocessing.active_children()) - self._others:
                child.terminate()
        self.pool.shutdown(wait=True, cancel_futures=at_once)   # its own thread has ended, too: Python's exit would trip over it


class ClusterWorkers(Workers):
    """Workers of a Dask cluster. address: of its scheduler, such as tcp://host:8786.

    Raises:
        ModuleNotFoundError: dask.distributed is not installed.
        BadInput: the scheduler cannot be reached, has no workers, or they have another version of this program.
    """

    def __init__(self, address: str) -> None:
        from distributed import Client
        from distributed.scheduler import KilledWorker

        self.lost, self._address = (KilledWorker, BrokenExecutor), address
        for name in [name for name in logging.root.manager.loggerDict if name.startswith(("distributed", "tornado"))]:
            logging.getLogger(name).setLevel(logging.CRITICAL)      # errors are raised and reported in one sentence
        _knock(address)     # a client without a scheduler retries for ever in the background
        try:
            self._client = Client(address, timeout=CONNECT_TIME, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise BadInput(message("--scheduler {address} cannot be reached: {error}", address=address,
                                   error=error or type(error).__name__)) from None
        try:
            self.count = sum(self._client.nthreads().values())
            if not self.count:
                raise BadInput(message("--scheduler {address} has no workers: start `dask worker {address}` on its machines",
                                       address=address))
            self.pool = self._client.get_executor(pure=False)
            self._check()
        except BaseException:
            self._client.close()
            raise

    def _check(self) -> None:
        try:
            if find_spec("stiction"):       # of an installation: its import makes the names of our packages good
                self._client.run_on_scheduler(import_module, "stiction")
                self._client.register_worker_callbacks(setup=partial(import_module, "stiction"))
            found = self._client.run(identity)
        except Exception as error:  # noqa: BLE001  (whatever a worker raises when it imports the program)
            raise BadInput(message("--scheduler {address}: its workers cannot import this program ({error_type}: {error}): "
                                   "install it there", address=self._address, error_type=type(error).__name__,
                                   error=error)) from None
        if set(found.values()) != {identity()}:
            raise BadInput(message("--scheduler {address}: its workers have another version of this program, of Python or of a "
                                   "library: rows would differ", address=self._address))

    def end(self, at_once: bool) -> None:
        """Leave the cluster; points in work are cancelled."""
        self.pool.shutdown(wait=not at_once)
        self._client.close()


def _knock(address: str) -> None:
    """Raise BadInput if no scheduler listens at the address."""
    try:
        place = urlsplit(address if "://" in address else f"tcp://{address}")
        known = place.scheme.startswith(("tcp", "tls", "ucx", "ws"))
        if not known or (place.scheme in ("tcp", "tls") and not (place.hostname and place.port)):
            raise ValueError("it must have the form tcp://host:port")
        if place.scheme in ("tcp", "tls"):
            socket.create_connection((place.hostname, place.port), CONNECT_TIME).close()
            asyncio.run(_greet(address))
    except (OSError, ValueError) as error:
        raise BadInput(message("--scheduler {address} cannot be reached: {error}", address=address, error=error)) from None


async def _greet(address: str) -> None:
    """Raise if no scheduler answers where something listens, such as its page for the browser: a client would wait for ever."""
    from distributed.core import connect

    try:
        comm = await asyncio.wait_for(connect(address, timeout=CONNECT_TIME), CONNECT_TIME)
    except TimeoutError:
        raise ValueError("no scheduler answers there") from None
    await comm.close()


def identity() -> str:
    """Of the compiled physics of a process: equal ones give equal bits."""
    return sources.key()


def _begin(file: str, yields: bool) -> None:
    """Prepare a process of this machine."""
    if yields and hasattr(os, "nice"):
        os.nice(NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)    # the command ends it: Ctrl+C reaches all of a terminal's processes
    threading.Thread(target=_end_with, args=(multiprocessing.parent_process(),), daemon=True).start()
    discover.adopt()
    if file:
        discover.named(file_kinds.admit(file))


def _end_with(parent: Any) -> None:
    """End when the command is gone; if killed, it cannot announce its end."""
    parent.join()
    os._exit(1)


def rows(sweep: Sweep, points: Sequence[tuple[Any, ...]], workers: Workers) -> Iterator[list[str]]:
    """Rows of the points, as they are finished.

    Raises:
        BadInput: the scheduler of a cluster is gone.
    """
    try:
        for _, row in results(partial(row_of, sweep), partial(failed_row, sweep), points, workers):
            yield row
    except CancelledError:
        raise BadInput("the scheduler has ended: the rows so far are kept; run the same command again to continue") from None


def results(job: PointTask, failed: Callable[[Any, str], Any], points: Sequence[Any],
            workers: Workers) -> Iterator[tuple[Any, Any]]:
    """(point, job(point)) as they are finished; (point, failed(point, why)) of one whose process died."""
    left, running = iter(points), {}
    while True:
        for point in islice(left, AHEAD * workers.count - len(running)):
            running[_handed_out(workers, job, point)] = point
        if not running:
            return
        suspects = []
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            point = running.pop(future)
            try:
                yield point, future.result()
            except workers.lost:
                suspects.append(point)
        if suspects:    # the others were lost with it, or are finished
            for future, point in running.items():
                try:
                    yield point, future.result()
                except workers.lost:
                    suspects.append(point)
            running.clear()
            for point in suspects:
                yield point, _alone(workers, job, failed, point)
            workers.again()


def _alone(workers: Workers, job: PointTask, failed: Callable[[Any, str], Any], point: Any) -> Any:
    """The result of a point that runs in new processes and beside no other."""
    workers.again()
    try:
        return _handed_out(workers, job, point).result()
    except workers.lost:
        return failed(point, "the process that ran it died")


def _handed_out(workers: Workers, job: PointTask, point: Any) -> Future:
    try:
        return workers.pool.submit(job, point)
    except workers.lost as error:       # died since the last check
        lost: Future = Future()
        lost.set_exception(error)
        return lost
