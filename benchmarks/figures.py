"""Figures of the sandbox: `python -m benchmarks.figures [pyramid gil facets budget lateness window]`, all of them by default.

Absolute times depend on the machine and its load: compare only rows of one run.
"""

import argparse
import math
import statistics
import sys
import threading
import time
from collections.abc import Callable

import numpy as np

import physics
from physics import Box, Plane, World, set_option, step
from physics.core import jit


def pyramid_world(width: int, iterations: int, budget: float = 0.0) -> World:
    """A pyramid of 1 m, 1 kg boxes on a plane, mu = 0.5."""
    world = World()
    world.add_body(Plane(), kind="static", friction=0.5)
    for level in range(width):
        for i in range(width - level):
            world.add_body(Box((0.5, 0.5, 0.5)), pos=((i - (width - level - 1) / 2) * 1.05, 0.0, 0.5 + level), mass=1.0)
    set_option(world.solver.options, "iterations", iterations)
    set_option(world.solver.options, "budget", budget)
    return world


def pyramid() -> None:
    """ms per step and sweeps for a pyramid 20 wide."""
    print(f"{'pyramid 20 wide':34}{'ms/step':>9}{'sweeps':>8}{'residual':>11}{'moved':>9}   contacts")
    for iterations, budget in ((10, 0.0), (50, 0.0), (200, 0.0), (100_000, 2.0)):
        world = pyramid_world(20, iterations, budget)
        step(world, 1 / 240)
        first = world.bodies["pos"].copy()
        times, sweeps = [], []
        for _ in range(480):
            report = step(world, 1 / 240)
            times.append(1e3 * report.times["step"])
            sweeps.append(report.iterations)
        moved = np.abs(world.bodies["pos"] - first).max()
        name = f"at most {iterations} sweeps" if not budget else f"budget {budget:g} ms"
        print(f"{name:34}{statistics.median(times):9.2f}{statistics.median(sweeps):8.0f}{report.residual:11.1e}"
              f"{1e3 * moved:7.2f}mm   {report.contacts}")


def gil() -> None:
    """Share of a step's wall time spent in compiled code, which releases the GIL."""
    spent = [0.0]

    def timed(compiled: Callable) -> Callable:
        def call(*args: object) -> object:
            begin = time.perf_counter()
            result = compiled(*args)
            spent[0] += time.perf_counter() - begin
            return result
        call.unchecked = call
        return call

    World()  # imports solvers, joints and shapes
    wrapped = {id(k): timed(k) for k in jit.KERNELS}
    replaced = []
    for module in [m for name, m in sys.modules.items() if name.startswith("physics")]:
        for name, value in list(vars(module).items()):
            if id(value) in wrapped:
                replaced.append((module, name, value))
                setattr(module, name, wrapped[id(value)])
    try:
        for width in (5, 10, 20):
            world = pyramid_world(width, 50)
            for _ in range(60):
                step(world, 1 / 240)
            spent[0] = 0.0
            begin = time.perf_counter()
            for _ in range(200):
                step(world, 1 / 240)
            total = time.perf_counter() - begin
            print(f"pyramid {width:2d} wide, 50 sweeps: step {5 * total:.3f} ms, GIL-free {100 * spent[0] / total:.1f} %")
    finally:
        for module, name, value in replaced:
            setattr(module, name, value)


def facets() -> None:
    """Friction of a sliding block over all directions: largest loss and largest direction error by number of facets."""
    print(f"{'facets':>8}{'largest loss':>14}{'1 - cos(pi/k)':>15}{'direction error':>17}{'pi/k':>8}   [deg]")
    for k in (3, 4, 8, 16, 64, 0):
        loss, angle = 0.0, 0.0
        for phi in np.linspace(0.0, 2.0 * math.pi, 181):
            force = sliding_friction(k, phi)
            direction = np.array([math.cos(phi), math.sin(phi)])
            size = np.linalg.norm(force)
            loss = max(loss, 1.0 + force @ direction / (0.5 * 9.81))
            angle = max(angle, math.degrees(math.acos(min(1.0, -(force @ direction) / size))))
        bound = 1.0 - math.cos(math.pi / k) if k else 0.0
        print(f"{k or 'circle':>8}{loss:14.6f}{bound:15.6f}{angle:17.3f}{180.0 / k if k else 0.0:8.3f}")


def sliding_friction(k: int, phi: float) -> np.ndarray:
    """Friction force (x, y) [N] on a 1 kg ball of huge inertia that slides at 1 m/s in direction phi, mu = 0.5."""
    world = World()
    world.add_body(Plane(), kind="static", friction=0.5)
    ball = world.add_body(physics.Sphere(0.1), pos=(0.0, 0.0, 0.1), mass=1.0, inertia=(1e6, 1e6, 1e6), friction=0.5)
    world.set_velocity(ball, (math.cos(phi), math.sin(phi), 0.0), (0.0, 0.0, 0.0))
    set_option(world.solver.options, "cone", "polygon" if k else "circle")
    set_option(world.solver.options, "facets", k or 8)
    for _ in range(3):
        step(world, 1 / 240)
    return world.contacts["friction_impulse"][0, :2] * 240.0


def budget() -> None:
    """Accuracy of the wall-clock budget: time of the sweeps beyond the budget, pyramid 20 wide."""
    for ms in (0.5, 1.0, 2.0, 4.0):
        world = pyramid_world(20, 100_000, ms)
        set_option(world.solver.options, "tolerance", 0.0)
        solve = [1e3 * step(world, 1 / 240).times["solve"] for _ in range(200)]
        print(f"budget {ms:3g} ms: solver phase median {statistics.median(solve):.2f} ms, "
              f"99 % {np.quantile(solve, 0.99):.2f} ms, sweeps {world.report.iterations}")


def lateness() -> None:
    """Step lateness at 240 Hz without a window, with another Python thread busy (the worst case of a GUI)."""
    from app.session import Session

    session = Session.open("pyramid")
    session.thread.start()
    stop = time.perf_counter() + 8.0

    def busy() -> None:
        while time.perf_counter() < stop:
            sum(range(1000))

    for name in ("idle", "busy"):
        if name == "busy":
            threading.Thread(target=busy, daemon=True).start()
        time.sleep(4.0)
        pace = session.thread.frame.pace
        print(f"{name} GUI thread: reached speed {pace.reached:.3f}, lateness p50 {1e3 * pace.late_p50:.2f} ms, "
              f"p99 {1e3 * pace.late_p99:.2f} ms, dropped {pace.dropped:.3f} s")
    session.thread.stop()


def window() -> None:
    """Step lateness at 240 Hz beside the drawn window, 10 s of the pyramid; needs a display."""
    from app.session import Session
    from app.startup import open_window

    opened = []

    def make() -> Session:
        opened.append(Session.open("pyramid"))
        return opened[0]

    open_window(make, seconds=10.0)
    session = opened[0]
    pace, report = session.frame.pace, session.frame.report
    print(f"{session.fps:.0f} pictures/s, reached speed {pace.reached:.3f}, lateness p50 {1e3 * pace.late_p50:.2f} ms, "
          f"p99 {1e3 * pace.late_p99:.2f} ms, dropped {pace.dropped:.3f} s, step {1e3 * report.times['step']:.2f} ms")


FIGURES = {f.__name__: f for f in (pyramid, gil, facets, budget, lateness, window)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(FIGURES)}")
    for name in parser.parse_args().names or FIGURES:
        print(f"\n{FIGURES[name].__doc__.splitlines()[0]}")
        FIGURES[name]()


if __name__ == "__main__":
    main()
