"""Time of an evaluation of a mechanism's accelerations, in one process and over the processes of an MPI job.

    mpiexec -n 2 python -m mpi4py -m benchmarks.distributed
    mpiexec -n 2 python -m mpi4py -m benchmarks.distributed --bodies 1000

Chains of bars on hinges, and square nets of balls whose neighbours are joined by ball joints (loops everywhere). Processor time,
the least of a few evaluations, so that a busy machine matters less; shared: of the process with the most, whose waiting for
messages counts, for MPI spins. The model for P processes runs the tree of subsystems as they would share it, each with the time
that its two eliminations, up and down, took in one process,

    t(P) = t_all + t_up(root) + t_down(root) + t_gather                                                            (1)
    t_up(s) = max over children c (t_up(c) + t_message(c)) + t(s),   t_message = t_latency + bytes / rate          (2)

t_all is what each process does for the whole mechanism (poses, rows, forces); messages are only between processes; a subsystem
that one process has for itself takes the sum of its parts. Latency and rate are measured between two processes.
"""

import argparse
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from app.analysis.studies.distribution import MpiTransport, missing
from physics import Box, Sphere, World
from physics.articulated.subsystems import reduction
from physics.articulated.subsystems.distributed import NUMBER_BYTES, Share, shared
from physics.articulated.subsystems.mechanism import Mechanism
from physics.articulated.subsystems.reduction import Bodies, Elimination, Plan

TURNS = 20
MODELS = (2, 8, 64)
"""Processes of the model."""


def chain(count: int) -> World:
    """Bars of 0.2 m one below the other, on hinges about y."""
    world, last = World(), 0
    for k in range(count):
        bar = world.add_body(Box((0.02, 0.02, 0.1)), pos=(0.0, 0.0, -0.1 - 0.2 * k), mass=1.0, mask=0, omega=(0.0, 0.1, 0.0))
        world.add_joint("revolute", last, bar, anchor=(0.0, 0.0, -0.2 * k), axis=(0.0, 1.0, 0.0))
        last = bar
    return world


def net(count: int) -> World:
    """A square net of balls, 0.2 m apart, that hangs from one corner."""
    world, side = World(), max(2, round(math.sqrt(count)))
    at = {(i, k): world.add_body(Sphere(0.05), pos=(0.2 * i, 0.0, -0.2 * k), mass=1.0, mask=0)
          for i in range(side) for k in range(side)}
    world.add_joint("spherical", 0, at[0, 0], anchor=(-0.1, 0.0, 0.0))
    for (i, k), ball in at.items():
        for other, anchor in (((i + 1, k), (0.2 * i + 0.1, 0.0, -0.2 * k)), ((i, k + 1), (0.2 * i, 0.0, -0.2 * k - 0.1))):
            if other in at:
                world.add_joint("spherical", ball, at[other], anchor=anchor)
    return world


def least(job: Callable[[], object], meet: Callable[[], None], clock: Callable[[], float] = time.process_time) -> float:
    """Least time [s] of a few turns; meet(): all processes begin together."""
    out = []
    for _ in range(TURNS):
        meet()
        began = clock()
        job()
        out.append(clock() - began)
    return min(out)


class TracedElimination(Elimination):
    """An elimination that keeps its time, and those of its subsystems by their plans, of the last turn [s]."""

    seconds = 0.0
    parts: ClassVar[dict[tuple[str, int], float]] = {}

    def solve(self, bodies: Bodies) -> tuple[np.ndarray, np.ndarray]:
        def timed(job: Callable[..., object], name: str) -> Callable[..., object]:
            def run(plan: Plan, *rest: object) -> object:
                began = time.process_time()
                found = job(plan, *rest)
                self.parts[name, id(plan)] = time.process_time() - began
                return found
            return run
        plain, self.parts = (reduction.join, reduction.split), {}
        reduction.join, reduction.split = timed(reduction.join, "up"), timed(reduction.split, "down")
        began = time.process_time()
        try:
            found = super().solve(bodies)
        finally:
            reduction.join, reduction.split = plain
        self.seconds = time.process_time() - began
        return found


@dataclass(frozen=True)
class Turn:
    """An evaluation in one process [s]: what is not elimination, the elimination, and that of its subsystems by their plans."""

    other: float
    eliminating: float
    parts: dict[tuple[str, int], float]


def traced(mechanism: Mechanism, evaluate: Callable[[], object]) -> Turn:
    """The shortest of a few evaluations."""
    elimination, plain = TracedElimination(mechanism.elimination.plan), mechanism.elimination
    mechanism.elimination, turns = elimination, []
    for _ in range(TURNS):
        began = time.process_time()
        evaluate()
        other = time.process_time() - began - elimination.seconds
        turns.append(Turn(other, elimination.seconds, elimination.parts))
    mechanism.elimination = plain
    return min(turns, key=lambda turn: turn.other + turn.eliminating)


@dataclass(frozen=True)
class Wire:
    """Between two processes: latency [s], rate [bytes/s]."""

    latency: float
    rate: float

    def message(self, numbers: int) -> float:
        """Time of a message of so many numbers [s]."""
        return self.latency + NUMBER_BYTES * numbers / self.rate


def modelled(plan: Plan, turn: Turn, processes: int, wire: Wire) -> float:
    """(1) [s] for so many processes."""
    bodies = len(plan.subsystem.bodies)
    leaf = (turn.eliminating - sum(turn.parts.values())) / bodies

    def alone(plan: Plan, name: str) -> float:
        return turn.parts[name, id(plan)] + sum(alone(child, name) for child in plan.children) if plan.children else 0.5 * leaf

    def path(share: Share, name: str) -> float:
        if len(share.processes) == 1:
            return alone(share.plan, name)
        numbers = {"up": lambda child: child.size * (child.size + 1), "down": lambda child: child.size}[name]
        return turn.parts[name, id(share.plan)] + max(
            path(child, name) + (wire.message(numbers(child)) if child.owner != share.owner else 0.0) for child in share.children)
    whole = shared(plan, range(processes))
    exchange = math.log2(processes) * wire.latency + NUMBER_BYTES * 6 * bodies / wire.rate
    return turn.other + path(whole, "up") + path(whole, "down") + exchange


def wire_of(communicator: object, meet: Callable[[], None]) -> Wire:
    """Between the first two processes, from messages there and back."""
    rank = communicator.Get_rank()

    def back_and_forth(size: int) -> float:
        values = np.zeros(size)

        def turn() -> None:
            for sends in ((True, False), (False, True), ())[min(rank, 2)]:
                (communicator.Send if sends else communicator.Recv)(values, 1 - rank)
        return 0.5 * least(turn, meet, time.perf_counter)
    short, long = back_and_forth(1), back_and_forth(1 << 17)
    return Wire(short, NUMBER_BYTES * (1 << 17) / max(long - short, 1e-9))


@dataclass(frozen=True)
class Measured:
    """Times of an evaluation [s] in one process and in all, bytes that all of them send for it, and the largest difference."""

    plan: Plan
    turn: Turn
    serial: float
    shared: float
    bytes: float
    difference: float


def measure(make: Callable[[int], World], count: int, transport: MpiTransport, meet: Callable[[], None]) -> Measured:
    """An evaluation of a mechanism of so many bodies."""
    world = make(count)
    mechanism = Mechanism(world)
    mechanism.read(world)
    state = mechanism.q.copy(), mechanism.v.copy()

    def evaluate() -> np.ndarray:
        return mechanism.moment(*state, 0.0, frozenset(), {}).v_dot
    alone = evaluate()      # compiles
    serial = least(evaluate, meet) if transport.rank == 0 else least(lambda: None, meet)
    plan, turn = mechanism.elimination.plan, traced(mechanism, evaluate) if transport.rank == 0 else Turn(0.0, 0.0, {})
    serial = min(serial, turn.other + turn.eliminating) if transport.rank == 0 else serial
    mechanism.distribute(transport)
    together = evaluate()
    traffic = mechanism.elimination.traffic
    before = traffic.bytes
    mine = [least(evaluate, meet), (traffic.bytes - before) / TURNS]
    seconds, sent = transport.gather(np.array(mine), [2] * transport.size).reshape(-1, 2).T
    return Measured(plan, turn, serial, float(seconds.max()), float(sent.sum()), float(np.abs(together - alone).max()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bodies", type=int, nargs="+", default=[10, 100, 1000, 10000])
    args = parser.parse_args()
    if sentence := missing():
        print(sentence, file=sys.stderr)
        return 3
    from mpi4py import MPI

    communicator = MPI.COMM_WORLD
    transport, meet = MpiTransport(communicator), communicator.Barrier
    wire = wire_of(communicator, meet) if transport.size > 1 else Wire(0.0, math.inf)
    if transport.rank == 0:
        print(f"{transport.size} processes; latency {1e6 * wire.latency:.1f} us, {wire.rate / 1e9:.2f} GB/s; times in ms")
        print(f"{'':6}{'bodies':>8}{'serial':>10}{'shared':>10}{'faster':>8}{'bytes':>10}{'difference':>12}"
              + "".join(f"{f'model {size}':>10}" for size in MODELS))
    for name, make in (("chain", chain), ("net", net)):
        for count in args.bodies:
            if count < 2 * transport.size:
                continue
            found = measure(make, count, transport, meet)
            if transport.rank == 0:
                bodies = len(found.plan.subsystem.bodies)
                models = [1e3 * modelled(found.plan, found.turn, size, wire) for size in MODELS if bodies >= 4 * size]
                print(f"{name:6}{bodies:8d}{1e3 * found.serial:10.2f}{1e3 * found.shared:10.2f}{found.serial / found.shared:8.2f}"
                      f"{found.bytes:10.0f}{found.difference:12.2g}" + "".join(f"{t:10.2f}" for t in models), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
