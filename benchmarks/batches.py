"""Many equal worlds at once against one after the other: `physics.step_worlds` beside loops of `physics.step`.

    python -m benchmarks.batches                --worlds 1000 --seconds 1.2 --threads 1 2 0 (0: all cores)

The door of MS16, given its rate at the end of the push instead of a hand, with a friction of its own in each world. Prints wall
seconds, the ratio to (one run by `step` x worlds / threads), and whether all numbers of threads gave the same bits.
"""

import argparse
import hashlib
import os
import statistics
import time

import numpy as np

import scenes
from physics import World, step, step_worlds
from scenes import door


def make(count: int) -> list[World]:
    """Doors that turn, in as many worlds."""
    first = scenes.make_world(scenes.find("door"))
    first.drivers.clear()
    first.joint("hinge").qd = door.OMEGA1
    step(first, scenes.find("door").dt)
    start, made = first.snapshot(), []
    for friction in np.linspace(0.5, 1.5, count) * door.F_MAX:
        world = World()
        world.restore(start)
        world.set_joint_friction(friction, world.joint("hinge"))
        made.append(world)
    return made


def digest(worlds: list[World]) -> str:
    """Of all poses and velocities."""
    total = hashlib.sha256()
    for world in worlds:
        for name in ("pos", "quat", "vel", "omega"):
            total.update(world.bodies[name].tobytes())
    return total.hexdigest()[:16]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1.2)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 0])
    args = parser.parse_args()
    dt = scenes.find("door").dt
    steps, single = round(args.seconds / dt), []
    for world in make(9):
        begin = time.perf_counter()
        for _ in range(steps):
            step(world, dt)
        single.append(time.perf_counter() - begin)
    one = statistics.median(single)
    print(f"one run of {steps} steps by step: {1e3 * one:.2f} ms, {1e6 * one / steps:.1f} us a step")
    print("| threads | seconds | us a step and world | over (one run x worlds / threads) | digest |")
    print("| ---: | ---: | ---: | ---: | --- |")
    for given in args.threads:
        worlds, threads = make(args.worlds), given or os.cpu_count() or 1
        begin = time.perf_counter()
        step_worlds(worlds, steps, dt, threads=threads)
        spent = time.perf_counter() - begin
        print(f"| {threads} | {spent:.3f} | {1e6 * spent / steps / len(worlds):.2f} | {spent * threads / one / len(worlds):.2f} "
              f"| {digest(worlds)} |")


if __name__ == "__main__":
    main()
