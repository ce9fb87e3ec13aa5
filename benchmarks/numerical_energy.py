"""The ledger's column "numerical" of every scene of the gallery: energy gained or lost by the method alone.

    python -m benchmarks.numerical_energy [--solver NAME] [--seconds T] [SCENE ..]

For every scene, over T seconds under its own solver and step: the largest sum of the column, the energy that moves,
their ratio, and the number of steps with auditor failures (physics/observe/audit/auditor.py). The energy that moves is
the largest simultaneous sum of kinetic energy and height above the lowest, or contribution of any cause; at least the
energy of all bodies at speed CREEP, below which they are at rest. Scenes above ALLOWED give a reason (`Scene.numerical`).
"""

import argparse
from dataclasses import dataclass

import numpy as np

import scenes
from physics import World, step
from physics.core.records import Kind
from physics.dynamics.energy_ledger import LEDGER_COLUMNS

ALLOWED = 1e-3
"""Share of the energy that moves up to which "numerical" needs no explanation."""

CREEP = 0.01
"""Largest speed at rest [m/s]."""


@dataclass(frozen=True)
class LedgerRow:
    """Result of one scene. numerical, moves: energies [J]; failed: steps with auditor failures, out of `steps`; broken: which."""

    scene: str
    numerical: float
    moves: float
    failed: int
    steps: int
    broken: str

    @property
    def share(self) -> float:
        return abs(self.numerical) / self.moves if self.moves > 0.0 else 0.0

    def text(self) -> str:
        """The row as a line of the table."""
        return (f"{self.scene:22} {self.numerical:12.3e} J of {self.moves:10.3e} J  {100.0 * self.share:9.4f} %  "
                f"{'' if self.share <= ALLOWED else 'above':5}  audit: {self.failed} of {self.steps} {self.broken}")


def measure(world: World, seconds: float, dt: float) -> tuple[float, float]:
    """(the largest sum of "numerical" [J], the energy that moves [J]) over the given time."""
    world.records_energy = True
    sums, sizes = dict.fromkeys(LEDGER_COLUMNS, 0.0), dict.fromkeys(LEDGER_COLUMNS, 0.0)
    kinetic, worst, height, most, lowest = 0.0, 0.0, 0.0, 0.0, 0.0
    for _ in range(round(seconds / dt)):
        report = step(world, dt)
        for name, value in report.ledger.items():
            sums[name] += value
            sizes[name] = max(sizes[name], abs(sums[name]))
        kinetic, height = report.energy["kinetic"], -sums["gravity"]
        lowest = min(lowest, height)
        most = max(most, kinetic + height - lowest)
        worst = sums["numerical"] if abs(sums["numerical"]) > abs(worst) else worst
    moves = world.bodies["kind"] == Kind.DYNAMIC
    rest = 0.5 * float(np.sum(world.bodies["mass"][moves])) * CREEP**2
    return worst, max(most, rest, *(size for name, size in sizes.items() if name != "numerical"))


def row(name: str, seconds: float, solver: str = "") -> LedgerRow:
    """Run a scene of the gallery."""
    scene = scenes.find(name)
    world = scenes.make_world(scene)
    if solver:
        world.use_solver(solver)
        scenes.set_options(world, scene, scene.parameters())
    scenes.without_clock(world)
    numerical, moves = measure(world, seconds, scene.dt)
    broken = ", ".join(f"{title} {count}" for title, count in world.energy_totals.failures_by_rule.items())
    return LedgerRow(name, numerical, moves, world.energy_totals.audit_failures, world.steps, broken)


def main() -> int:
    """Print the table; return 1 if a scene is above ALLOWED without a reason."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.numerical_energy", description=__doc__.splitlines()[0])
    parser.add_argument("scenes", nargs="*", metavar="SCENE")
    parser.add_argument("--seconds", type=float, default=10.0, metavar="T")
    parser.add_argument("--solver", default="", metavar="NAME")
    args, silent = parser.parse_args(), 0
    for name in args.scenes or scenes.all_scenes():
        found = row(name, args.seconds, args.solver)
        why = scenes.find(name).numerical
        silent += found.share > ALLOWED and not why
        print(found.text() + (f"\n{'':24}{why}" if why and found.share > ALLOWED else ""), flush=True)
    return int(silent > 0)


if __name__ == "__main__":
    raise SystemExit(main())
