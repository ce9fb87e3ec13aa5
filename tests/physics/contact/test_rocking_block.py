"""A slender block that rocks from edge to edge (Housner, 1963): each impact leaves the energy share (1 - 3/2 sin^2 alpha)^2.

Its corners come down slower than the threshold below which nothing rebounds, the impulse on the old pivot is zero, and between
impacts it turns about an edge without loss: with rows of the end of a step it gained as much as an impact takes.
"""

import math
from itertools import pairwise

import numpy as np
import pytest

from physics import Box, Plane, World, step
from tests.tools.each_value import each_value

SOLVERS = ("sequential_impulses", "soft_steps", "stewart_trinkle", "joint_space")


def shares(half: tuple[float, float], tilt: float, solver: str, rate: int, impacts: int) -> tuple[float, list[float]]:
    """(expected share, shares that the first impacts leave), by the largest angles before and after each."""
    b, h = half
    size, alpha = math.hypot(b, h), math.atan2(b, h)
    world = World()
    world.use_solver(solver)
    world.add_body(Plane(), kind="static", friction=2.0)
    block = world.add_body(Box((b, b, h)), mass=5.0, friction=2.0, quat=(math.cos(tilt / 2), 0.0, math.sin(tilt / 2), 0.0),
                           pos=(b - size * math.sin(alpha - tilt), 0.0, size * math.cos(alpha - tilt)))
    angles, peaks, side, largest = [], [tilt], 1.0, 0.0
    while len(peaks) <= impacts:
        report = step(world, 1.0 / rate)
        assert report.audit.ok
        angle = side * 2.0 * math.atan2(block.quat[2], block.quat[0])
        if angle < 0.0:
            peaks += [largest] if angles and largest > 0.0 and len(angles) > 1 else []
            side, angle, largest = -side, -angle, 0.0
        angles.append(angle)
        if len(angles) > 2 and angles[-2] >= max(angles[-1], angles[-3]) and len(angles) > rate // 20:
            before, middle, after = angles[-3:]
            bend = 2.0 * middle - before - after
            largest = max(largest, middle + ((after - before) ** 2 / (8.0 * bend) if bend > 0.0 else 0.0))
    heights = [math.cos(alpha - peak) - math.cos(alpha) for peak in peaks]
    return (1.0 - 1.5 * math.sin(alpha) ** 2) ** 2, [after / before for before, after in pairwise(heights)]


@each_value()
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize(("half", "tilt"), [((0.05, 0.4), 0.08), ((0.1, 0.4), 0.15), ((0.05, 0.1), 0.2)])
def test_each_impact_leaves_its_share(half, tilt, solver, rate):
    expected, found = shares(half, tilt, solver, rate, 2)
    assert np.array(found) == pytest.approx(expected, abs=0.01)
