"""Energy of impacts by each law: of random impacts of one contact, and of random bodies that strike a floor under each solver.

    python -m benchmarks.impacts [--count 10000] [--bodies 100]

First table: share of impacts that gain energy and the worst gain, relative to the kinetic energy that the impact could take, by
the law alone and with the limit. Second table: worst gain of kinetic energy of a box, thrown at a rough floor with one corner,
relative to that before.
"""

import argparse

import numpy as np

from physics import Box, Material, Plane, Unsupported, World, set_option, solvers, step
from physics.contact import impact_path
from physics.contact.impact_laws import laws
from physics.contact.impact_path import END

ROUNDING = 1e-9
"""Gains below this share are none."""


def random_impact(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float, float]:
    """(W (3, 3), velocity (3,), mu, e) of a rigid body with any inertia that strikes with any of its points."""
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    square = rng.uniform(0.05, 1.0, 3)                  # of masses on its axes
    inertia = turn @ np.diag(square.sum() - square) @ turn.T
    arm = 2.0 * rng.normal(size=3)
    x, y, z = arm
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    u = rng.normal(size=3)
    u[0] = -abs(u[0])
    return np.eye(3) - cross @ np.linalg.solve(inertia, cross), u, rng.uniform(0.0, 1.5), rng.uniform(0.0, 1.0)


def gains(count: int, kind: int, limited: bool) -> np.ndarray:
    """Work of the impulses of `count` impacts over the energy that they could take."""
    rng, out, end = np.random.default_rng(7), np.empty(count), np.zeros(END)
    for k in range(count):
        W, u, mu, e = random_impact(rng)
        impact_path.solve(W, u, mu, np.zeros(2), e, kind, limited, end)
        out[k] = end[:3] @ (u + 0.5 * W @ end[:3]) / (0.5 * u @ np.linalg.solve(W, u))
    return out


def kinetic(body: np.void) -> float:
    """Kinetic energy of a body in the frame of whose axes its inertia is [J]."""
    turned = body["omega"] @ _matrix(body["quat"])
    return 0.5 * float(body["mass"] * body["vel"] @ body["vel"] + turned @ body["inertia"] @ turned)


def _matrix(q: np.ndarray) -> np.ndarray:
    w, v = q[0], q[1:]
    cross = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


def thrown(solver: str, law: str, count: int) -> float:
    """Worst gain of kinetic energy in `count` impacts of a box with one corner, relative to that before."""
    rng, worst = np.random.default_rng(11), -np.inf
    for _ in range(count):
        half, quat = rng.uniform(0.05, 0.5, 3), rng.normal(size=4)
        quat /= np.linalg.norm(quat)
        low = np.abs(_matrix(quat)[2]) @ half
        material = Material(friction=rng.uniform(0.0, 1.5), restitution=rng.uniform(0.3, 1.0))
        world = World(gravity=(0.0, 0.0, 0.0))
        world.use_solver(solver)
        set_option(world.solver.options, "impact_law", law)
        world.add_body(Plane(), kind="static", material=material)
        velocity = rng.normal(size=3) - (0.0, 0.0, 3.0)
        box = world.add_body(Box(tuple(half)), pos=(0.0, 0.0, low), quat=tuple(quat), vel=tuple(velocity),
                             omega=tuple(rng.normal(size=3)), mass=1.0, material=material)
        before = kinetic(world.bodies[box])
        step(world, 1e-4)
        worst = max(worst, kinetic(world.bodies[box]) / before - 1.0)
    return worst


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--bodies", type=int, default=100)
    asked = parser.parse_args()
    heads = "".join(f"{head:>12}" for head in ("gain alone", "worst", "with limit", "worst"))
    print(f"{asked.count} random impacts of one contact\n{'law':20}{heads}")
    for kind, (name, law) in enumerate(laws().items()):
        free = gains(asked.count, kind, False)
        held = gains(asked.count, kind, law.limited)
        print(f"{name:20}{np.mean(free > ROUNDING):12.2%}{free.max():12.2e}{np.mean(held > ROUNDING):12.2%}{held.max():12.2e}")
    print(f"\n{asked.bodies} boxes on a rough floor: worst gain of kinetic energy\n{'solver':24}"
          + "".join(f"{name:>20}" for name in laws()))
    for solver in solvers.available():
        if hasattr(solvers.available()[solver]().options, "impact_law"):
            try:
                print(f"{solver:24}" + "".join(f"{thrown(solver, name, asked.bodies):20.2e}" for name in laws()))
            except Unsupported:
                print(f"{solver:24}{'has no friction':>20}")


if __name__ == "__main__":
    main()
