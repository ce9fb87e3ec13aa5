"""Thin bricks and grains have contacts with their neighbours, not with those behind: the margin is at most a share of their size.

A harmonic stack stands: brick k from the top hangs out over the next by share L / (2 k) < L / (2 k).
"""

import itertools

import numpy as np
import pytest

from physics import Box, Plane, Sphere, World, step

LENGTH = 0.2


@pytest.mark.parametrize("rate", (60, 240))
@pytest.mark.parametrize("thickness", (0.005, 0.01, 0.05))
def test_a_harmonic_stack_of_thin_bricks_stands(thickness, rate):
    world, outward = World(), np.cumsum([0.99 * LENGTH / (2 * k) for k in range(7, 0, -1)])
    world.add_body(Plane(), kind="static", friction=0.6)
    bricks = [world.add_body(Box((LENGTH / 2, 0.05, thickness / 2)), pos=(x, 0.0, (k + 0.5) * thickness), mass=1.0, friction=0.6)
              for k, x in enumerate((0.0, *outward))]
    start = world.bodies["pos"][bricks]
    reports = [step(world, 1.0 / rate) for _ in range(rate)]
    assert np.abs(world.bodies["pos"][bricks] - start).max() < 1e-3 * thickness
    assert {report.end for report in reports} == {"converged"}
    assert len(world.contacts) <= 72


def test_grains_touch_their_neighbours():
    """A cubic heap: three contacts a grain, and those of all layers with the floor; diagonals are 0.8 mm away."""
    world, r = World(), 1e-3
    world.add_body(Plane(), kind="static", friction=0.5)
    for i, j, k in itertools.product(range(5), range(5), range(4)):
        world.add_body(Sphere(r), pos=(2.0 * r * i, 2.0 * r * j, r * (2.0 * k + 1.0)), mass=1e-5, friction=0.5)
    step(world, 1.0 / 1000.0)
    assert len(world.contacts) < 4 * 100


@pytest.mark.parametrize("rate", (60, 240))
@pytest.mark.parametrize("gap", (0.3, 0.5, 0.8, 1.5))
def test_an_impact_passes_through_a_row_of_grains_within_a_step(gap, rate):
    """Gaps [radii] beyond what contacts are sought in: the next in the row strikes as soon as it was struck."""
    world, r = World(gravity=(0.0, 0.0, 0.0)), 2e-3
    row = [world.add_body(Sphere(r), pos=(k * (2.0 + gap) * r, 0.0, 0.0), mass=1e-4, restitution=1.0, friction=0.0)
           for k in range(5)]
    world.bodies["vel"][row[0]] = 2.0, 0.0, 0.0
    for _ in range(rate // 10):
        step(world, 1.0 / rate)
    assert world.bodies["vel"][row, 0] == pytest.approx((0.0, 0.0, 0.0, 0.0, 2.0), abs=1e-9)
