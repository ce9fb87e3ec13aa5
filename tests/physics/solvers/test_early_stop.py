"""Sweeps over many contacts end where they gain little, and substeps take over where they gain nothing."""

import numpy as np
import pytest

from physics import Box, Plane, Sphere, World, set_option, step
from physics.solvers.impulses.iterate import SMALL


def tower(boxes: int, **options: object) -> World:
    """A column of 1 m boxes of 1 kg, four contacts between two."""
    world = World()
    world.add_body(Plane(), kind="static")
    for k in range(boxes):
        world.add_body(Box((0.5, 0.5, 0.5)), pos=(0.0, 0.0, 0.5 + k), mass=1.0)
    for name, value in options.items():
        set_option(world.solver.options, name, value)
    return world


def sway(world: World, hz: int, seconds: float) -> tuple[float, int]:
    """(largest distance of a box from its place [m] within that time, sweeps in all)."""
    start, worst, sweeps = world.bodies["pos"].copy(), 0.0, 0
    for _ in range(round(hz * seconds)):
        sweeps += step(world, 1 / hz).iterations
        worst = max(worst, float(np.linalg.norm(world.bodies["pos"] - start, axis=1).max()))
    return worst, sweeps


@pytest.mark.parametrize("boxes", [20, 30])
def test_a_tall_tower_stands_straighter_with_fewer_sweeps(boxes):
    early, fewer = sway(tower(boxes), 60, 3.0)
    late, more = sway(tower(boxes, early_stop=False), 60, 3.0)
    assert fewer < more and early < 0.5 * late


@pytest.mark.parametrize("hz", [120, 240])
def test_where_no_substep_follows_a_stalled_one_is_swept_to_its_limit(hz):
    """One substep a step: sweeps are all that can be added."""
    world = tower(20, substeps=1)
    for _ in range(20):
        report = step(world, 1 / hz)
    assert world.sweeps_stalled and report.iterations == world.solver.options.iterations


@pytest.mark.parametrize("boxes", [1, 4, SMALL // 4])
def test_few_contacts_are_always_swept_to_the_tolerance(boxes):
    worlds = [tower(boxes, early_stop=early) for early in (True, False)]
    reports = [[step(world, 1 / 60) for _ in range(5)] for world in worlds]
    assert len(worlds[0].awake_contacts) == 4 * boxes
    assert [r.iterations for r in reports[0]] == [r.iterations for r in reports[1]]
    assert worlds[0].bodies.tobytes() == worlds[1].bodies.tobytes()


def test_a_report_says_that_the_sweeps_were_slow():
    """But not in the first step, in which the load builds up."""
    world = tower(20)
    assert [step(world, 1 / 60).end for _ in range(2)] == ["iteration limit", "slow"]
    assert step(tower(20, iterations=3), 1 / 60).end == "iteration limit"


@pytest.mark.parametrize("mass", [1.0, 50.0])
def test_a_settled_heap_of_like_balls_takes_no_shorter_substeps(mass):
    """Its lowest balls bear twenty times their weight, and sweeps gain slowly; a tower, where they gain nothing, takes 16."""
    world = World()
    world.add_body(Plane(), kind="static")
    for x, y in ((0.4, 0.0), (-0.4, 0.0), (0.0, 0.4), (0.0, -0.4)):
        world.add_body(Box((0.1, 0.5, 3.0) if x else (0.5, 0.1, 3.0)), kind="static", pos=(x, y, 3.0))
    for k in range(225):
        world.add_body(Sphere(0.09), pos=(0.19 * (k % 3 - 1), 0.19 * (k // 3 % 3 - 1), 0.1 + 0.182 * (k // 9)), mass=mass)
    reports = [step(world, 1 / 60) for _ in range(90)][60:]
    load = world.awake_contacts["impulse"].max() * 60.0 / (9.81 * mass)
    assert load > 12.0 and np.median([r.substeps for r in reports]) == 4
