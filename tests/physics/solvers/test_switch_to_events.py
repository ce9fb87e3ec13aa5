"""Event-driven simulation of what another solver moved before: piles rest on, storms of events are handed to time stepping."""

import math

import numpy as np
import pytest

from physics import Box, Plane, Sphere, World, step
from physics.articulated.event_log import EventKind
from physics.articulated.smooth_motion import first_fall
from physics.dynamics import measure
from tests.tools.each_value import each_value

HALF = 0.25


def pile(rows: list[int], density: float) -> World:
    """Rows of boxes on a floor, each row on the one before it."""
    world = World()
    world.add_body(Plane(), kind="static", friction=0.5, name="floor")
    for level, count in enumerate(rows):
        for i in range(count):
            world.add_body(Box((HALF, HALF, HALF)), pos=(0.55 * (i - 0.5 * (count - 1)), 0.0, HALF * (2 * level + 1)),
                           density=density, friction=0.5)
    return world


def heap(restitution: float) -> World:
    """Twenty balls that fall into a box without a lid."""
    world, rng = World(), np.random.default_rng(20)
    world.add_body(Plane(), kind="static", friction=0.5, restitution=restitution)
    for side in (-0.4, 0.4):
        world.add_body(Box((0.05, 0.6, 0.5)), kind="static", pos=(side, 0.0, 0.5), friction=0.5, restitution=restitution)
        world.add_body(Box((0.6, 0.05, 0.5)), kind="static", pos=(0.0, side, 0.5), friction=0.5, restitution=restitution)
    for k in range(20):
        x, y = 0.11 * (2 * (k % 2) - 1), 0.11 * (2 * (k // 2 % 2) - 1)
        world.add_body(Sphere(0.1), pos=(x + rng.uniform(-0.02, 0.02), y + rng.uniform(-0.02, 0.02), 0.15 + 0.21 * (k // 4)),
                       friction=0.5, restitution=restitution)
    return world


def energy(world: World) -> float:
    return sum(measure.energy(world.bodies, world.gravity))


def moments(world: World) -> int:
    return len({event.time for event in world.report.events.events})


@each_value()
@pytest.mark.parametrize(("rows", "density"), [([1] * 3, 1000.0), ([1] * 10, 10.0), ([2, 1], 1000.0), ([4, 3, 2, 1], 7800.0)])
@pytest.mark.parametrize("hz", [60.0, 240.0])
@pytest.mark.parametrize("steps", [1, 10, 60])
def test_a_pile_at_rest_has_no_events_after_a_switch(rows, density, hz, steps):
    """Sequential impulses leave gaps and overlaps of micrometres, of which each was an impact of its own."""
    world = pile(rows, density)
    for _ in range(steps):
        step(world, 1.0 / hz)
    world.use_solver("event_driven", friction="left out")
    before, weight = energy(world), 9.81 * world.bodies["mass"][1:].sum()
    places = world.bodies["pos"].copy()
    for _ in range(3):
        report = step(world, 1.0 / hz)
        assert not report.events.events and not report.audit.findings
    assert energy(world) - before < 1e-5 * weight        # at most what lifts everything by the gap that counts as touching
    assert np.abs(world.bodies["pos"] - places)[:, 2].max() < 1e-5 and report.energy["kinetic"] < 1e-5 * weight
    assert sum(world.awake_contacts["impulse"][: 4 * rows[0]]) == pytest.approx(weight / hz, rel=1e-6)


@each_value()
@pytest.mark.parametrize("restitution", [0.0, 0.3])
@pytest.mark.parametrize(("hz", "steps"), [(60.0, 60), (240.0, 200)])
def test_a_storm_of_events_is_handed_to_time_stepping(restitution, hz, steps):
    """A heap without friction falls apart in ever more tiny impacts."""
    world, stepped = heap(restitution), 0
    for _ in range(steps):
        step(world, 1.0 / hz)
    world.use_solver("event_driven", friction="left out")
    step(world, 1.0 / hz)
    for _ in range(3):
        before = energy(world)
        report = step(world, 1.0 / hz)
        assert moments(world) < 40 and energy(world) < before + 1e-9 * abs(before)
        stepped += any(event.kind == EventKind.STEPPED for event in report.events.events)
    if restitution > 0.0 or hz < 100.0:
        assert stepped and any("without end; time stepping takes over" in warning for warning in world.warnings)


def test_bodies_in_flight_are_not_moved_together():
    """Two balls that fly side by side, five micrometres apart: no contact presses, and their angular momentum stays."""
    world = World(gravity=(0.0, 0.0, 0.0))
    for x, speed in ((0.0, 0.1), (0.200005, -0.1)):
        world.add_body(Sphere(0.1), pos=(x, 0.0, 0.0), vel=(0.0, speed, 0.0), friction=0.0)
    step(world, 1e-4)
    bodies = world.bodies
    own = (np.cross(bodies["pos"], bodies["mass"][:, None] * bodies["vel"])).sum(axis=0)
    world.use_solver("event_driven")
    report = step(world, 1e-4)
    after = (np.cross(bodies["pos"], bodies["mass"][:, None] * bodies["vel"])).sum(axis=0)
    assert not report.audit.findings
    assert np.abs(after - own).max() < 1e-13 * np.abs(own).max()


@pytest.mark.parametrize("depth", [1e-8, 1e-6, 1e-4])
def test_an_overlap_is_held_and_not_lifted(depth):
    world = World()
    world.add_body(Plane(), kind="static", friction=0.0)
    box = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.1 - depth), vel=(0.3, 0.0, 0.0), friction=0.0)
    world.use_solver("event_driven")
    for _ in range(50):
        step(world, 0.01)
    assert world.bodies["pos"][box, 2] == pytest.approx(0.1 - depth, abs=1e-13)


@pytest.mark.parametrize("flat", [1e-12, 1e-9, 1e-6])
@pytest.mark.parametrize("place", [0.3, 0.77, 0.05])
def test_the_fall_of_a_least_gap_is_found_in_few_steps(flat, place):
    """A contact that rests at a tiny gap, and one that closes: regula falsi alone crawls along the first."""
    asked = []

    def gaps(delta: float) -> float:
        asked.append(delta)
        return min(flat * (1.0 + 0.1 * delta), (place - delta) * (1.0 + delta) * 2e-4)

    assert math.isclose(first_fall(gaps, 0.0, 1.0, 2e-12), place, abs_tol=2e-12)
    assert len(asked) < 50
