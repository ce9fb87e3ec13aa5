"""How cost and memory grow with a pile: `python -m benchmarks.scale [--bodies 1000,5000,20000] [--hz 60]`.

The pile is ten layers of boxes, balls and capsules in a pit with walls; its floor grows with their number, so every body has
the same surroundings at every size, and a flat cost per body is what linear growth looks like. Each size in a fresh process on
one core; settled first, then measured; sleeping off unless asked for. Bytes: the world's tables, and with all that a step
allocates.
"""

import argparse
import math
import os
import statistics
import time
import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from physics import Box, Capsule, Plane, Sphere, World, set_option, step

LAYERS, PITCH = 10, 0.26
SETTLE, MEASURE = 1.5, 0.5
"""Simulated seconds before the measurement, and of it."""

COLUMNS = ("bodies", "asleep", "contacts", "ms/step", "us/step/body", "x real time", "phases", "sweeps", "build s",
           "tables B/body", "peak B/body")


def pile(count: int, random: np.random.Generator) -> World:
    """`count` bodies of about 0.2 m, one kg each, a little above one another, in a square pit."""
    world = World()
    side = math.ceil(math.sqrt(count / LAYERS))
    half = 0.5 * side * PITCH
    world.add_body(Plane(), kind="static")
    for sign in (-1.0, 1.0):
        world.add_body(Box((0.5, half + 1.0, 5.0)), kind="static", pos=(sign * (half + 0.5), 0.0, 5.0))
        world.add_body(Box((half + 1.0, 0.5, 5.0)), kind="static", pos=(0.0, sign * (half + 0.5), 5.0))
    shapes = (Box((0.08, 0.09, 0.1)), Sphere(0.1), Capsule(0.07, 0.05))
    for k in range(count):
        i, j, layer = k % side, k // side % side, k // side**2
        place = np.array([(i + 0.5) * PITCH - half, (j + 0.5) * PITCH - half, 0.15 + layer * PITCH])
        quat = random.normal(size=4)
        world.add_body(shapes[k % len(shapes)], pos=place + random.uniform(-0.01, 0.01, 3), quat=quat / np.linalg.norm(quat),
                       mass=1.0)
    set_option(world.solver.options, "budget", 0.0)
    return world


def measure(count: int, hz: int, core: int | None, settle: float = SETTLE, sleep: bool = False) -> dict[str, object]:
    """One row of the table."""
    if core is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    small = pile(30, np.random.default_rng(1))
    for _ in range(hz):
        step(small, 1.0 / hz)
    begin = time.process_time()
    world = pile(count, np.random.default_rng(1))
    build = time.process_time() - begin
    set_option(world.sleeping, "on", sleep)
    for _ in range(round(settle * hz)):
        step(world, 1.0 / hz)
    milliseconds, reports = [], []
    for _ in range(round(MEASURE * hz)):
        begin = time.process_time()
        reports.append(step(world, 1.0 / hz))
        milliseconds.append(1e3 * (time.process_time() - begin))
    tables = sum(table.nbytes for table in (world.bodies, world.shapes, world.contacts))
    tracemalloc.start()
    step(world, 1.0 / hz)
    peak = tracemalloc.get_traced_memory()[1]
    ms = statistics.median(milliseconds)
    whole = sum(report.times["step"] for report in reports)
    shares = {name: sum(report.times[name] for report in reports) / whole for name in reports[0].times if name != "step"}
    row = (count, reports[-1].asleep, len(world.contacts), f"{ms:.2f}", f"{1e3 * ms / count:.2f}", f"{1e3 / (ms * hz):.2f}",
           " ".join(f"{name} {100 * share:.0f}%" for name, share in shares.items()),
           f"{statistics.mean(report.iterations for report in reports):.0f}", f"{build:.1f}", f"{tables / count:.0f}",
           f"{(tables + peak) / count:.0f}")
    return dict(zip(COLUMNS, row))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bodies", default="1000,5000,20000")
    parser.add_argument("--hz", type=int, default=60)
    parser.add_argument("--core", type=int, default=(os.cpu_count() or 1) - 1, help="core to pin to; -1: none")
    parser.add_argument("--settle", type=float, default=SETTLE, help=f"simulated seconds before the measurement ({SETTLE:g})")
    parser.add_argument("--sleep", action="store_true", help="let islands at rest sleep; give them time to settle")
    args = parser.parse_args()
    core = args.core if args.core >= 0 else None
    print(f"| {' | '.join(COLUMNS)} |\n|{'---:|' * len(COLUMNS)}")
    for count in map(int, args.bodies.split(",")):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
            row = fresh.submit(measure, count, args.hz, core, args.settle, args.sleep).result()
        print(f"| {' | '.join(map(str, row.values()))} |", flush=True)


if __name__ == "__main__":
    main()
