"""Methods of F11 beside one another: joint space against maximal coordinates, compliant against rigid contact.

    python -m benchmarks.solvers_compared [--seconds 2] [--forms 200]

First line: largest difference of the accelerations by LCP, QP and Gauss (F11 11.42 to 11.44) on random contact problems.
First table: largest distance of a body's positions under joint_space and sequential_impulses after the same time, and the order
of its fall from step to step; where a driver pushes, both cut steps of more than 5 ms, and where loaded links swing fast
joint_space divides a step. Second table: a box under compliant contact, at rest and sliding to rest, beside rigid laws.
"""

import argparse
import math

import numpy as np

import scenes
from physics import Box, Plane, World, set_option, step
from physics.articulated import contact

SCENES = ("chain", "door", "three_link_arm")
ROUNDING = 1e-12
"""Distances below this have no order [m]."""

STEPS = (60, 240, 960)
"""Steps per second."""

WHOLE_STEPS = {"joint_space": {"longest_part": 1.0},
               "sequential_impulses": {"substeps": 1, "budget": 0.0, "iterations": 10_000, "tolerance": 1e-12}}
"""Options by solver with which no step is divided for its length alone, solved to rounding."""

STIFFNESSES = (1e4, 1e5, 1e6, 1e7, 1e8)
"""Of a contact point [N/m]."""

G, MU, SPEED, MASS = 9.81, 0.5, 2.0, 1.0


def difference_of_forms(count: int) -> tuple[float, int]:
    """(Largest difference of accelerations relative to the largest one, number of problems with a solution)."""
    rng, worst, solved = np.random.default_rng(5), 0.0, 0
    for _ in range(count):
        n, m = int(rng.integers(2, 12)), int(rng.integers(1, 9))
        L, T = np.tril(rng.normal(size=(n, n)), -1) + np.diag(rng.uniform(0.5, 2.0, n)), rng.normal(size=(n, m))
        half, free = np.linalg.solve(L.T, T), rng.normal(size=n)
        turning = rng.normal(size=m)
        problem = contact.ContactProblem(T, half.T @ half, T.T @ free + turning, L, free, turning, np.linalg.solve(L, half))
        by_lcp, by_qp, by_gauss = contact.solve_lcp(problem), contact.solve_qp(problem), contact.solve_gauss(problem)
        if by_lcp is None or by_qp is None or by_gauss is None:
            continue
        answer, solved = problem.acceleration(by_lcp), solved + 1
        size = max(1.0, float(np.abs(answer).max()))
        worst = max(worst, *(float(np.abs(other - answer).max()) / size for other in (problem.acceleration(by_qp), by_gauss)))
    return worst, solved


def positions(scene: str, solver: str, seconds: float, rate: int) -> np.ndarray:
    """Positions of all bodies (n, 3) [m]."""
    world = scenes.make_world(scenes.find(scene))
    world.use_solver(solver)
    for name, value in WHOLE_STEPS[solver].items():
        set_option(world.solver.options, name, value)
    for _ in range(round(seconds * rate)):
        step(world, 1.0 / rate)
    return world.bodies["pos"].copy()


def compliant_box(stiffness: float, speed: float) -> tuple[float, float]:
    """(Depth after 2 s [m], way [m]) of a box on a floor."""
    world = World()
    world.use_solver("compliant_contact")
    set_option(world.solver.options, "stiffness", stiffness)
    world.add_body(Plane(), kind="static", friction=MU)
    box = world.add_body(Box((0.2, 0.2, 0.05)), pos=(0.0, 0.0, 0.05), vel=(speed, 0.0, 0.0), mass=MASS, friction=MU)
    for _ in range(480):
        step(world, 1.0 / 240.0)
    x, _, z = world.bodies["pos"][box]
    return 0.05 - float(z), float(x)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--forms", type=int, default=200)
    asked = parser.parse_args()
    worst, solved = difference_of_forms(asked.forms)
    print(f"LCP, QP and Gauss: largest relative difference {worst:.1e} in the {solved} of {asked.forms} problems with a solution")
    print(f"\nJoint space against maximal coordinates after {asked.seconds:g} s [m]\n{'scene':16}"
          + f"{'order':>8}".join(f"{f'h = 1/{rate} s':>14}" for rate in STEPS))
    for scene in SCENES:
        before, line = 0.0, f"{scene:16}"
        for k, rate in enumerate(STEPS):
            apart = float(np.abs(positions(scene, "joint_space", asked.seconds, rate)
                                 - positions(scene, "sequential_impulses", asked.seconds, rate)).max())
            order = f"{math.log(before / apart) / math.log(rate / STEPS[k - 1]):8.2f}" if k and apart > ROUNDING else ""
            order = order or (" " * 8 if k else "")
            line, before = f"{line}{order}{apart:14.2e}", apart
        print(line, flush=True)
    rigid = SPEED**2 / (2.0 * MU * G)
    print(f"\nCompliant box, {MASS:g} kg, on four points\n{'K [N/m]':>10}{'depth [m]':>14}{'m g / 4 K':>14}{'slides [m]':>14}"
          f"{'less rigid':>14}")
    for stiffness in STIFFNESSES:
        depth, way = compliant_box(stiffness, 0.0)[0], compliant_box(stiffness, SPEED)[1]
        print(f"{stiffness:10.0e}{depth:14.4e}{MASS * G / 4.0 / stiffness:14.4e}{way:14.6f}{way - rigid:14.2e}", flush=True)


if __name__ == "__main__":
    main()
