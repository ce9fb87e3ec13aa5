"""A mechanism stepped by several processes over MPI (physics/articulated/subsystems/distributed.py), beside one process. GL-free.

mpi4py and an MPI library with `mpiexec` are an optional extra. A job is started by `launched`, or by hand on a cluster; its
processes find one another by MPI's variables in their environment.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from app.extras import install_command
from app.i18n.message import Verbatim, message
from app.kernel_compilation import child_environment
from physics import BadInput, World, step
from physics.articulated.subsystems.distributed import Traffic, Transport, check_agreement
from physics.solvers.subsystems import SOLVER

MPI_VARIABLES = ("PMI_RANK", "PMI_SIZE", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MPI_LOCALRANKID")
"""Variables in the environment of a process of an MPI job."""

MAX_PROCESSES = 1024
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""For linear algebra: each process has a core of its own, and the same bits whatever their number."""


class MpiTransport:
    """A Transport over an MPI communicator. Sent arrays are kept until the next gathering, where all of them have arrived."""

    def __init__(self, communicator: Any) -> None:
        self._comm, self._sent = communicator, []
        self.rank, self.size = communicator.Get_rank(), communicator.Get_size()

    def send(self, values: np.ndarray, to: int) -> None:
        self._sent.append((self._comm.Isend(values, to), values))

    def receive(self, values: np.ndarray, source: int) -> None:
        self._comm.Recv(values, source)

    def gather(self, mine: np.ndarray, counts: Sequence[int]) -> np.ndarray:
        every = np.empty(sum(counts))
        self._comm.Allgatherv(mine, (every, list(counts)))
        for request, _ in self._sent:
            request.Wait()
        self._sent.clear()
        return every


def in_job(environment: Any = os.environ) -> bool:
    """Whether this process belongs to an MPI job."""
    return any(name in environment for name in MPI_VARIABLES)


def mpiexec() -> str:
    """The program that starts MPI jobs: the one beside this Python, else that of the path; "" if there is none."""
    beside = shutil.which("mpiexec", path=str(Path(sys.executable).parent))
    return beside or shutil.which("mpiexec") or ""


def missing() -> str:
    """What distribution lacks here, as a sentence; "": nothing."""
    advice = message("run `{command}`, or install mpi4py and the MPI of your machine (Open MPI, MPICH)",
                     command=Verbatim(install_command("mpi", "mpi4py mpich" if os.name != "nt" else "mpi4py impi-rt")))
    if find_spec("mpi4py") is None:
        return message("distribution over processes needs mpi4py: {advice}", advice=advice)
    if not in_job() and not mpiexec():
        return message("distribution over processes needs the program mpiexec of an MPI library: {advice}", advice=advice)
    return ""


def launched(words: Sequence[str], processes: int) -> tuple[int, list[str]]:
    """Run `stiction WORDS` as an MPI job: (its exit code, what its processes wrote to stderr, each line once)."""
    command = [mpiexec(), "-n", str(processes), sys.executable, "-m", "mpi4py", "-m", "app", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**child_environment(), **ONE_THREAD}) as job:
        output = dict.fromkeys(line.rstrip() for line in job.stderr)
    return job.returncode, list(output)


@dataclass(frozen=True)
class Timed:
    """Steps of a mechanism. evaluations: of its accelerations; seconds: wall time in the solver; traffic: of this process."""

    evaluations: int
    seconds: float
    traffic: Traffic

    @property
    def per_evaluation(self) -> float:
        """[s]"""
        return self.seconds / max(self.evaluations, 1)


def check(world: World) -> SOLVER:
    """The subsystem method of a world.

    Raises:
        BadInput: the world has another solver. Unsupported: the method refuses the world.
    """
    solver = world.solver
    if not isinstance(solver, SOLVER):
        raise BadInput(message("only the subsystem method works in several processes, not '{solver}'; leave --solver out",
                               solver=solver.name))
    solver.require_support(world)
    return solver


def stepped(world: World, count: int, dt: float, transport: Transport | None, after: Callable[[], None]) -> Timed:
    """Make steps of dt [s], with all processes of a transport or alone; after(): called at the start and after every step.

    Raises:
        BadInput: the processes no longer have the same state, or as `step`.
    """
    solver = check(world)
    solver.transport = transport
    evaluations, seconds = 0, 0.0
    after()
    for _ in range(count):
        report = step(world, dt)
        evaluations, seconds = evaluations + report.iterations, seconds + report.times["solve"]
        if transport is not None:
            check_agreement(transport, np.concatenate([world.bodies[name].ravel() for name in ("pos", "quat", "vel", "omega")]))
        after()
    traffic = Traffic() if transport is None else solver.mechanism(world).elimination.traffic
    return Timed(evaluations, seconds, traffic)


def total(transport: Transport, traffic: Traffic) -> Traffic:
    """The traffic of all processes together; every process calls it."""
    mine = np.array([traffic.messages, traffic.gatherings, traffic.bytes], np.float64)
    every = transport.gather(mine, [3] * transport.size).reshape(-1, 3).sum(axis=0)
    return Traffic(*map(int, every))


def difference(a: World, b: World) -> float:
    """Largest difference of poses and velocities of the bodies of two worlds [m], [m/s], [rad/s]; 0: every bit is equal."""
    if a.bodies.tobytes() == b.bodies.tobytes():
        return 0.0
    return max(float(np.abs(a.bodies[name] - b.bodies[name]).max()) for name in ("pos", "quat", "vel", "omega"))


def guarded(communicator: Any, code: Callable[[Exception], int], job: Callable[[], int]) -> int:
    """Run a process's part of a job. An error ends the whole job with its exit code and one sentence; an error that all
    processes have is printed by all, and `launched` shows it once."""
    try:
        return job()
    except Exception as error:
        print(f"stiction: {error}", file=sys.stderr, flush=True)
        time.sleep(0.2)     # the others may be saying it, too
        communicator.Abort(code(error))
        raise
