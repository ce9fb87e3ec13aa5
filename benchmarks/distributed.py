"""Time of an evaluation of a mechanism's accelerations, in one process and over the processes of an MPI job.

    mpiexec -n 2 python -m mpi4py -m benchmarks.distributed
    mpiexec -n 2 python -m mpi4py -m benchmarks.distributed --bodies 10 100 1000 10000

Chains of bars on hinges, and square nets of balls whose neighbours are joined by ball joints (loops everywhere). Least wall time
of a few evaluations, so that a busy machine matters less. The model for P processes splits what was measured in one: a part that
each does for the whole mechanism (poses, rows, forces), the elimination, of which each does 1 / P and the top log2 P levels one
after the other, and the exchange,

    t(P) = t_all + t_elimination (1 / P + log2 P / nodes) + (2 log2 P + log2 P) t_latency + bytes / rate                  (1)

with latency and rate measured between two processes.
"""

import argparse
import math
import sys
import time
from collections.abc import Callable

import numpy as np

from app.analysis.studies.distribution import MpiTransport, missing
from physics import Box, Sphere, World
from physics.articulated.subsystems.mechanism import Mechanism
from physics.articulated.subsystems.reduction import Bodies, Elimination

TURNS = 20
MODEL = 64
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


def least(job: Callable[[], object], meet: Callable[[], None]) -> float:
    """Least wall time [s] of a few turns; meet(): all processes begin together."""
    out = []
    for _ in range(TURNS):
        meet()
        began = time.perf_counter()
        job()
        out.append(time.perf_counter() - began)
    return min(out)


class TracedElimination(Elimination):
    """An elimination that keeps its least time [s]."""

    seconds = math.inf

    def solve(self, bodies: Bodies) -> tuple[np.ndarray, np.ndarray]:
        began = time.perf_counter()
        found = super().solve(bodies)
        self.seconds = min(self.seconds, time.perf_counter() - began)
        return found


def wire(communicator: object, meet: Callable[[], None]) -> tuple[float, float]:
    """(latency [s], rate [bytes/s]) between the first two processes, from messages there and back."""
    rank = communicator.Get_rank()

    def back_and_forth(size: int) -> float:
        values = np.zeros(size)

        def turn() -> None:
            for sends in ((True, False), (False, True), ())[min(rank, 2)]:
                (communicator.Send if sends else communicator.Recv)(values, 1 - rank)
        return 0.5 * least(turn, meet)
    short, long = back_and_forth(1), back_and_forth(1 << 17)
    return short, 8.0 * (1 << 17) / max(long - short, 1e-9)


def measure(make: Callable[[int], World], count: int, transport: MpiTransport, meet: Callable[[], None]) -> dict[str, float]:
    """Times of an evaluation [s], bytes that all processes send for it, and the largest difference."""
    world = make(count)
    mechanism = Mechanism(world)
    mechanism.read(world)
    state = mechanism.q.copy(), mechanism.v.copy()

    def evaluate() -> np.ndarray:
        return mechanism.moment(*state, 0.0, frozenset(), {}).v_dot
    watched = mechanism.elimination = TracedElimination(mechanism.elimination.plan)
    alone = evaluate()      # compiles
    watched.seconds = math.inf
    serial = least(evaluate, meet) if transport.rank == 0 else least(lambda: None, meet)
    eliminating = min(watched.seconds, serial)
    mechanism.distribute(transport)
    together = evaluate()
    traffic = mechanism.elimination.traffic
    before = traffic.bytes
    shared = least(evaluate, meet)
    sent = transport.gather(np.array([float(traffic.bytes - before)]), [1] * transport.size).sum() / TURNS
    return {"bodies": len(mechanism.tree.links), "serial": serial, "eliminating": eliminating, "shared": shared, "bytes": sent,
            "difference": float(np.abs(together - alone).max())}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bodies", type=int, nargs="+", default=[10, 30, 100, 300, 1000])
    args = parser.parse_args()
    if sentence := missing():
        print(sentence, file=sys.stderr)
        return 3
    from mpi4py import MPI

    communicator = MPI.COMM_WORLD
    transport, meet = MpiTransport(communicator), communicator.Barrier
    latency, rate = wire(communicator, meet) if transport.size > 1 else (0.0, math.inf)
    if transport.rank == 0:
        print(f"{transport.size} processes; latency {1e6 * latency:.1f} us, {rate / 1e9:.2f} GB/s")
        print(f"{'':6}{'bodies':>8}{'serial ms':>12}{'shared ms':>12}{'faster':>8}{'bytes':>10}{'difference':>12}"
              f"{f'model {MODEL} ms':>14}")
    for name, make in (("chain", chain), ("net", net)):
        for count in args.bodies:
            if count >= 2 * transport.size:
                told = measure(make, count, transport, meet)
                levels = math.log2(MODEL)
                model = told["serial"] - told["eliminating"] + told["eliminating"] * (1.0 / MODEL + levels / told["bodies"])
                model += 3.0 * levels * latency + told["bytes"] * MODEL / max(transport.size, 1) / rate
                if transport.rank == 0:
                    print(f"{name:6}{told['bodies']:8d}{1e3 * told['serial']:12.3f}{1e3 * told['shared']:12.3f}"
                          f"{told['serial'] / told['shared']:8.2f}{told['bytes']:10.0f}{told['difference']:12.2g}"
                          f"{1e3 * model:14.3f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
