"""Growth of cost and memory with the number of bodies: `python -m benchmarks.scale [--bodies 1000,2000,...] [--write]`.

Three tables, each row in a fresh process on one core:

    growth    piles, walls and wide worlds of growing size, at most SWEEPS sweeps a substep, so that the work per contact is the
              same at every size: microseconds of a step and its phases per body, bytes per body. A body's neighbourhood does not
              change with the size: a constant column means linear growth.
    default   a pile of 5,000 under the default options: real-time factor, sleeping off and on
    asleep    stacks at rest, all asleep, and a ball that rolls through them

Worlds settle first, then are measured. Processor time; phases: `broad` (with checks, drivers and shape poses),
`narrow`, `solve` (including its batches), `integrate` (free motion, positions, joint errors), `host` (the rest of
the step). Bytes: all Python and NumPy allocations since before the world was made, at rest and at the peak of a step.
"""

import argparse
import gc
import math
import os
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from benchmarks.peers.measure import machine
from physics import Box, Capsule, Plane, Sphere, World, set_option, step

LAYERS, PITCH = 10, 0.26
COURSES, LENGTH, DEPTH, HEIGHT = 20, 0.2, 0.1, 0.1
"""Courses of a wall, and size of its bricks [m]."""
SWEEPS = 5
SETTLE, MEASURE = 1.0, 10
"""Simulated seconds before the measurement, and measured steps."""

RESULTS = Path(__file__).parent / "results"
Row = dict[str, object]


def pile(count: int, random: np.random.Generator) -> World:
    """`count` bodies of about 0.2 m and 1 kg, slightly apart vertically, in a square pit: LAYERS layers at every size."""
    world = empty()
    side = math.ceil(math.sqrt(count / LAYERS))
    half = 0.5 * side * PITCH
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
    return world


def wall(count: int, random: np.random.Generator) -> World:
    """A brick wall, COURSES high at every size, built without gaps."""
    world = empty()
    for k in range(count):
        place, course = divmod(k, COURSES)
        world.add_body(Box((0.5 * LENGTH, 0.5 * DEPTH, 0.5 * HEIGHT)), mass=1.0,
                       pos=((place + 0.5 * (course % 2)) * LENGTH, 0.0, (course + 0.5) * HEIGHT))
    return world


def wide(count: int, random: np.random.Generator) -> World:
    """Boxes, balls and capsules lying apart on a plain."""
    world = empty()
    shapes = (Box((0.08, 0.09, 0.1)), Sphere(0.1), Capsule(0.1, 0.05))
    side = math.ceil(math.sqrt(count))
    for k in range(count):
        world.add_body(shapes[k % len(shapes)], mass=1.0,
                       pos=(2.0 * (k % side) + random.uniform(-0.5, 0.5), 2.0 * (k // side), 0.15 if k % 3 == 2 else 0.1))
    return world


def stacks(count: int, random: np.random.Generator) -> World:
    """Stacks of four boxes, a metre apart."""
    world = empty()
    side = math.ceil(math.sqrt(count / 4))
    for k in range(count):
        i, j = divmod(k // 4, side)
        world.add_body(Box((0.1, 0.1, 0.1)), pos=(i, j, 0.1 + 0.2 * (k % 4)), mass=1.0)
    return world


def empty() -> World:
    """A plane; no wall-clock budget."""
    world = World()
    world.add_body(Plane(), kind="static")
    set_option(world.solver.options, "budget", 0.0)
    return world


WORLDS: dict[str, Callable[[int, np.random.Generator], World]] = {"pile": pile, "wall": wall, "wide": wide}


def on_core(core: int | None) -> None:
    """Pin to one core, and load the kernels."""
    if core is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    small = built("pile", 300, SWEEPS)      # of more shapes than a compiled step takes
    for _ in range(60):
        step(small, 1.0 / 60.0)


def built(scene: str, count: int, sweeps: int) -> World:
    world = WORLDS[scene](count, np.random.default_rng(1))
    set_option(world.solver.options, "iterations", sweeps)
    return world


def bytes_of(world: World, hz: int) -> tuple[int, int]:
    """(at rest, at the peak of a step): allocations since `tracemalloc.start`, called before the world was made."""
    gc.collect()
    rest = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    step(world, 1.0 / hz)
    return rest, tracemalloc.get_traced_memory()[1]


def timed(work: Callable[[], object]) -> float:
    """Processor time [s]."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def growth(scene: str, count: int, hz: int, core: int | None, settle: float = SETTLE) -> Row:
    """Costs and bytes per body of one scene and size."""
    on_core(core)
    tracemalloc.start()
    world = built(scene, count, SWEEPS)
    for _ in range(round(settle * hz)):
        step(world, 1.0 / hz)
    rest, peak = bytes_of(world, hz)
    tracemalloc.stop()
    steps = []
    for _ in range(MEASURE):
        whole = timed(lambda: step(world, 1.0 / hz))
        parts = {name: whole * seconds / world.report.times["step"] for name, seconds in world.report.times.items()
                 if name != "step"}
        steps.append({"step": whole, **parts, "host": whole - sum(parts.values())})
    row: Row = {"scene": scene, "bodies": count, "contacts/body": f"{len(world.contacts) / count:.2f}"}
    row |= {f"{name} us/body": f"{1e6 * statistics.median(s[name] for s in steps) / count:.2f}" for name in steps[0]}
    return row | {"sweeps": world.report.iterations, "rest B/body": round(rest / count), "peak B/body": round(peak / count)}


def default(count: int, hz: int, core: int | None, sleep: bool, settle: float = 4.0) -> Row:
    """Cost of a pile under the default options, over one second."""
    on_core(core)
    world = built("pile", count, 20)
    for _ in range(round(settle * hz)):
        step(world, 1.0 / hz)
    world.use_solver("sequential_impulses")
    set_option(world.sleeping, "enabled", sleep)
    for _ in range(hz):
        step(world, 1.0 / hz)
    seconds = [timed(lambda: step(world, 1.0 / hz)) for _ in range(hz)]
    report = world.report
    return {"bodies": count, "sleeping": "on" if sleep else "off", "asleep": report.asleep, "contacts": len(world.contacts),
            "ms/step": f"{1e3 * statistics.median(seconds):.1f}", "x real time": f"{1.0 / sum(seconds):.2f}",
            "sweeps": report.iterations, "residual m/s": f"{report.residual:.2g}",
            "penetration mm": f"{1e3 * report.penetration:.2f}"}


def asleep(count: int, hz: int, core: int | None) -> Row:
    """Cost of stacks that all sleep; then with a ball that rolls through."""
    on_core(core)
    world = stacks(count, np.random.default_rng(1))
    set_option(world.sleeping, "enabled", True)
    while world.sleep.count < count and world.time < 3.0:
        step(world, 1.0 / hz)
    still = [timed(lambda: step(world, 1.0 / hz)) for _ in range(hz)]
    sleepers = world.sleep.count
    world.add_body(Sphere(0.3), pos=(-2.0, 2.0, 0.3), vel=(8.0, 0.0, 0.0), mass=200.0)
    rolling = [timed(lambda: step(world, 1.0 / hz)) for _ in range(2 * hz)]
    return {"bodies": count, "asleep": sleepers, "ms/step": f"{1e3 * statistics.median(still):.2f}",
            "asleep, ball inside": world.sleep.count, "ms/step, ball": f"{1e3 * statistics.median(rolling[hz:]):.2f}",
            "worst ms": f"{1e3 * max(rolling):.1f}", "x real time": f"{2.0 / sum(rolling):.2f}"}


def tables(sizes: list[int], hz: int, core: int | None, chosen: list[str]) -> Iterator[tuple[str, Callable[[], Row]]]:
    """(title of the table, function that measures a row)."""
    for scene in WORLDS:
        for count in sizes:
            if "growth" in chosen:
                yield f"Growth: {SWEEPS} sweeps a substep, sleeping off", partial(growth, scene, count, hz, core)
    for sleep in (False, True):
        if "default" in chosen:
            yield "A pile of 5,000 under the default options", partial(default, 5000, hz, core, sleep)
    if "asleep" in chosen:
        yield "20,000 bodies asleep in stacks of four, and a ball that rolls through", partial(asleep, 20_000, hz, core)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bodies", default="1000,2000,5000,10000,20000")
    parser.add_argument("--tables", default="growth,default,asleep")
    parser.add_argument("--hz", type=int, default=60)
    parser.add_argument("--core", type=int, default=(os.cpu_count() or 1) - 1, help="core to pin to; -1: none")
    parser.add_argument("--write", action="store_true", help="keep the page in benchmarks/results")
    args = parser.parse_args()
    core = args.core if args.core >= 0 else None
    here = machine()
    page = ["# How cost and memory grow\n", f"{here['cpu']}, {here['cores']} cores, {here['system']}, Python {here['python']}, "
            f"{here['date']}. One core, steps of 1/{args.hz} s. `python -m benchmarks.scale --help` says what the columns are."]
    title = ""
    print("\n".join(page))
    for heading, work in tables([int(n) for n in args.bodies.split(",")], args.hz, core, args.tables.split(",")):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
            row = fresh.submit(work).result()
        lines = [f"| {' | '.join(map(str, row.values()))} |"]
        if heading != title:
            title = heading
            lines = [f"\n## {heading}\n", f"| {' | '.join(row)} |", f"|{'---:|' * len(row)}", *lines]
        print("\n".join(lines), flush=True)
        page += lines
    if args.write:
        (RESULTS / f"{here['date']}-scale.md").write_text("\n".join(page) + "\n")


if __name__ == "__main__":
    main()
