"""Cost of the auditor (physics/observe/audit/auditor.py): alternating steps of equal worlds with and without it.

    python -m benchmarks.audit

Medians of the wall time of a step; the two worlds alternate so that a busy machine slows both; the share is that of the
difference. Both must take the same steps, bit for bit: a step that the auditor rejects would be charged to it. Stacks at rest are
the cheapest step with a hundred contacts: warm starting already gives its impulses.
"""

import argparse
import time

import numpy as np

import scenes
from physics import Box, Plane, World, set_option, step

TURNS = 400
"""Measured steps of each world."""

SETTLE = 240
"""Steps before those."""

GATE = 0.05
"""Largest share of a step with a hundred contacts that the auditor may cost."""


def stacks(wide: int, high: int) -> World:
    """Stacks of boxes on the ground: four contacts a box."""
    world = World()
    world.add_body(Plane(), kind="static", name="ground")
    for i in range(wide):
        for k in range(high):
            world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.5 * i, 0.0, 0.1 + 0.2 * k))
    return scenes.without_clock(world)


def pyramid(rows: int) -> World:
    """A pyramid of boxes, rows offset by half a box."""
    world = World()
    world.add_body(Plane(), kind="static", name="ground")
    for k in range(rows):
        for i in range(rows - k):
            world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.22 * (i + 0.5 * k), 0.0, 0.1 + 0.2 * k))
    return scenes.without_clock(world)


def heap() -> World:
    """Boxes that have fallen into a pit and still move: about a hundred contacts."""
    world, random = World(), np.random.default_rng(1)
    world.add_body(Plane(), kind="static", name="ground")
    for x, y in ((0.5, 0.0), (-0.5, 0.0), (0.0, 0.5), (0.0, -0.5)):
        half = (0.05, 0.6, 2.0) if x else (0.6, 0.05, 2.0)
        world.add_body(Box(half), kind="static", pos=(1.1 * x, 1.1 * y, 2.0))
    for k in range(18):
        turn = random.normal(size=4)
        world.add_body(Box((0.1, 0.1, 0.1)), pos=(*random.uniform(-0.3, 0.3, 2), 0.2 + 0.36 * k),
                       quat=turn / np.linalg.norm(turn))
    return scenes.without_clock(world)


def scene(name: str) -> World:
    """A scene of the gallery."""
    return scenes.without_clock(scenes.make_world(scenes.find(name)))


WORLDS = {"a heap that settles": heap, "stacks at rest": lambda: stacks(5, 5), "pyramid of 7 rows": lambda: pyramid(7),
          "pyramid of 15 rows": lambda: pyramid(15), "domino": lambda: scene("domino"), "chain": lambda: scene("chain"),
          "joint_gallery": lambda: scene("joint_gallery")}


def measure(build, dt: float = 1.0 / 240.0) -> tuple[float, float, int]:
    """(median of a step with the auditor, without it [s], contacts)."""
    with_it, without = build(), build()
    set_option(without.audit.options, "enabled", False)
    for _ in range(SETTLE):
        step(with_it, dt)
        step(without, dt)
    took = np.empty((TURNS, 2))
    for n in range(TURNS):
        for k, world in enumerate((with_it, without) if n % 2 else (without, with_it)):
            begin = time.perf_counter()
            step(world, dt)
            took[n, k if n % 2 else 1 - k] = time.perf_counter() - begin
    if with_it.bodies.tobytes() != without.bodies.tobytes():
        raise SystemExit("the auditor has rejected a step: the two worlds are not the same, and their times cannot be compared")
    median = np.median(took, axis=0)
    return float(median[0]), float(median[1]), with_it.report.contacts


def main() -> int:
    """Print a line for each world; return 1 if the first exceeds GATE."""
    argparse.ArgumentParser(prog="python -m benchmarks.audit", description=__doc__.splitlines()[0]).parse_args()
    shares = []
    for name, build in WORLDS.items():
        on, off, contacts = measure(build)
        shares.append((on - off) / off)
        print(f"{name:24} {contacts:5d} contacts  {1e6 * off:8.1f} us  with the auditor {1e6 * on:8.1f} us  "
              f"{1e6 * (on - off):+7.1f} us  {100.0 * shares[-1]:+5.1f} %", flush=True)
    return int(shares[0] > GATE)


if __name__ == "__main__":
    raise SystemExit(main())
