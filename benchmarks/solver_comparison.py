"""Sequential impulses against the exact solver: `python -m benchmarks.solver_comparison [states curve] [--out FILE.md]`.

states: the same scene from the same snapshot under both; their distance after a second.
curve: one step from a snapshot under sequential impulses with 1, 3, 10, .. sweeps; distance of its velocities from the LCP's.
    It falls to rounding where the LCP has one solution. Where friction admits several, both end in one, with no residual.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import scenes
from physics import Box, Plane, Snapshot, Sphere, World, set_option, step
from physics.core.records import Kind

SWEEPS = (1, 3, 10, 30, 100, 300, 1000, 3000)

EXACT = {"iterations": 100_000, "tolerance": 1e-13, "substeps": 1, "budget": 0.0}
"""Sequential impulses iterated until nothing changes, with the step of the exact solver."""


UNDIVIDED = {"restitution_threshold": 10.0}
"""An impact does not divide the step."""


def incline() -> World:
    """Blocks that stick and slide on a slope."""
    return scenes.make_world(scenes.find("incline"))


def pyramid() -> World:
    """Six boxes in three rows."""
    scene = scenes.find("pyramid")
    parameters = scene.parameters()
    set_option(parameters, "width", 3)
    return scenes.make_world(scene, parameters)


def door() -> World:
    """The door of MS16: a hinge with dry friction."""
    return scenes.make_world(scenes.find("door"))


def balls(apart: float = 1e-5) -> World:
    """The four balls of ST96; apart: gap between the resting ones [m]. For sequential impulses 1e-5 m is touching already."""
    world = World(gravity=(0.0, 0.0, -9.82))
    world.add_body(Plane(), kind="static", friction=0.4)
    for k, pos in enumerate(((0.0, 0.0, 1.0), (1.0, 0.0, 0.1), (1.2 + apart, 0.0, 0.1), (1.4 + 2.0 * apart, 0.0, 0.1))):
        world.add_body(Sphere(0.1), pos=pos, vel=(1.5, 0.1, 0.0) if k == 0 else (0.0, 0.0, 0.0), mass=1.0, friction=0.4)
    return world


def chain() -> World:
    """Five links on hinges with friction."""
    world, before = World(), 0
    for k in range(5):
        link = world.add_body(Box((0.2, 0.05, 0.05)), pos=(0.4 * k + 0.2, 0.0, 2.0))
        world.add_joint("revolute", before, link, anchor=(0.4 * k, 0.0, 2.0), axis=(0.0, 1.0, 0.0), max_friction=1.0)
        before = link
    return world


SCENES: dict[str, tuple[Callable[[], World], float]] = {
    "incline": (incline, 1 / 240), "pyramid of 3": (pyramid, 1 / 240), "four balls": (balls, 1 / 240),
    "four balls, touching": (lambda: balls(0.0), 1 / 240), "door": (door, 0.01), "chain": (chain, 1 / 240)}
"""(world, step [s]) of each scene."""


def velocities(world: World) -> np.ndarray:
    """Velocities of the dynamic bodies, (n, 6) [m/s, rad/s]."""
    bodies = world.bodies[world.bodies["kind"] == Kind.DYNAMIC]
    return np.concatenate([bodies["vel"], bodies["omega"]], axis=1)


def use(world: World, solver: str, **options: object) -> None:
    """Switch the solver and set its options."""
    world.use_solver(solver)
    for name, value in options.items():
        set_option(world.solver.options, name, value)


def states(name: str, seconds: float = 1.0) -> list[dict]:
    """Rows from one snapshot: the LCP, converged sequential impulses, and those with default options."""
    world, dt = SCENES[name][0](), SCENES[name][1]
    snapshot, rows = world.snapshot(), []
    for solver, options in (("stewart_trinkle", {}), ("sequential_impulses", {**EXACT, "cone": "polygon"}),
                            ("sequential_impulses", {"budget": 0.0, "cone": "polygon"})):
        world.restore(snapshot)
        use(world, solver, **options)
        begin, residual, depth = time.perf_counter(), 0.0, 0.0
        for _ in range(round(seconds / dt)):
            report = step(world, dt)
            residual, depth = max(residual, report.residual), max(depth, report.penetration)
        moving = world.bodies["kind"] == Kind.DYNAMIC
        rows.append({"scene": name, "solver": solver, "options": options, "pos": world.bodies["pos"][moving].copy(),
                     "vel": velocities(world), "residual": residual, "penetration": depth, "energy": sum(report.energy.values()),
                     "seconds": time.perf_counter() - begin})
    return rows


def busy_moment(name: str) -> tuple[World, Snapshot, float]:
    """A world, a snapshot before a demanding step, and the step [s]."""
    world, dt = SCENES[name][0](), SCENES[name][1]
    use(world, "stewart_trinkle")
    if name.startswith("four balls"):
        while True:
            snapshot = world.snapshot()
            step(world, dt)
            if len(world.contacts) >= 4 and np.count_nonzero(world.contacts["impulse"] > 0.1) >= 3:
                world.restore(snapshot)
                return world, snapshot, dt
    for _ in range(40):
        step(world, dt)
    return world, world.snapshot(), dt


def curve(name: str, kicked: bool = False, **options: object) -> list[tuple[int, float, float]]:
    """(sweeps, largest difference of a velocity from the LCP's [m/s, rad/s], residual [m/s]) of one step of sequential impulses.

    kicked: the highest body and another are pushed first. options: of sequential impulses.
    """
    world, snapshot, dt = busy_moment(name)
    if kicked:
        world.set_velocity(len(world.bodies) - 1, (1.0, 0.2, 0.0), (0.0, 0.0, 1.0))
        world.set_velocity(len(world.bodies) - 4, (0.0, -0.5, 0.0), (0.0, 0.0, 0.0))
        snapshot = world.snapshot()
    use(world, "stewart_trinkle", rounds=1, contacts="all", cone="circle", **UNDIVIDED)
    step(world, dt)
    exact, rows = velocities(world), []
    for n in SWEEPS:
        world.restore(snapshot)
        use(world, "sequential_impulses", **{**EXACT, "iterations": n, "tolerance": 0.0}, warm_start=False, acceleration=False,
            **UNDIVIDED, **options)
        world.solver.stop_at = 1, n     # what leads to closed joints at the end of a step is no sweep, and not in the LCP
        report = step(world, dt)
        rows.append((n, float(np.abs(velocities(world) - exact).max()), report.residual))
    return rows


CURVES = (("incline", {}), ("pyramid of 3", {}), ("pyramid of 3", {"kicked": True}), ("four balls, touching", {}),
          ("chain", {"joints": "one by one"}), ("chain", {"joints": "direct"}))
"""Arguments of `curve`."""


def states_table() -> list[str]:
    """Markdown lines of `states`, each row with its distance from the LCP's."""
    lines = ["| scene | solver | residual [m/s] | overlap [m] | energy [J] | position [m] | velocity [m/s] | time [s] |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name in ("incline", "pyramid of 3", "four balls", "door"):
        rows = states(name)
        for row in rows:
            kind = "LCP" if row is rows[0] else "impulses, converged" if row["options"] == EXACT else "impulses, default"
            apart = [f"{np.abs(row[key] - rows[0][key]).max():.1e}" if row is not rows[0] else "" for key in ("pos", "vel")]
            lines.append(f"| {name} | {kind} | {row['residual']:.1e} | {row['penetration']:.1e} | {row['energy']:.6f} | "
                         f"{' | '.join(apart)} | {row['seconds']:.2f} |")
    return lines


def curve_table() -> list[str]:
    """Markdown lines of `curve`: distance from the LCP's velocities (residual)."""
    lines = [f"| scene | {' | '.join(f'{n} sweeps' for n in SWEEPS)} |", f"| --- |{' --- |' * len(SWEEPS)}"]
    for name, options in CURVES:
        cells = [f"{apart:.0e} ({residual:.0e})" for _, apart, residual in curve(name, **options)]
        what = name + (", kicked" if options.get("kicked") else f", joints {options['joints']}" if options else "")
        lines.append(f"| {what} | {' | '.join(cells)} |")
    return lines


TABLES = {"states": states_table, "curve": curve_table}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=list(TABLES), help=f"which: {', '.join(TABLES)}; all without a name")
    parser.add_argument("--out", type=Path, help="also write them to this Markdown file")
    args = parser.parse_args()
    if unknown := [name for name in args.tables if name not in TABLES]:
        parser.error(f"there is no table '{unknown[0]}'; there are: {', '.join(TABLES)}")
    text = "\n\n".join(f"## {name}\n\n" + "\n".join(TABLES[name]()) for name in args.tables)
    print(text)
    if args.out:
        args.out.write_text(f"# Sequential impulses against the exact solver\n\n```\n{__doc__}```\n\n{text}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
