"""Bodies that roll, rock or wobble on a surface with restitution: rolling is no series of impacts.

The point of contact moves over a body that rolls, so the velocity of that point, with the arm of the next instant, has a part
along the normal that grows with the step. It is not an approach.
"""

import math

import numpy as np
import pytest

from physics import Cone, Cylinder, Ellipsoid, Plane, World, step
from physics.core.records import Kind
from physics.dynamics import measure
from tests.tools.each_value import each_value

SOLVERS = ("sequential_impulses", "soft_steps")


def rolling_coin(e: float, solver: str = "sequential_impulses") -> World:
    """A coin, as thick as its radius, that rolls on its rim, tilted by 60 degrees, in a wide circle."""
    world, tilt, radius, half = World(), math.radians(60.0), 0.3, 0.15
    world.use_solver(solver)
    world.add_body(Plane(), kind="static")
    axis = np.array([0.0, -math.sin(tilt), math.cos(tilt)])
    down = axis * axis[2] - (0.0, 0.0, 1.0)
    rim = radius * down / np.linalg.norm(down) - half * axis
    omega = 6.0 * axis + (0.0, 0.0, 1.0)
    world.add_body(Cylinder(radius, half), pos=(0.0, 0.0, -rim[2]), quat=(math.cos(tilt / 2), math.sin(tilt / 2), 0.0, 0.0),
                   vel=-np.cross(omega, rim), omega=omega, restitution=e)
    return world


@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_coin_rolls_the_same_whatever_its_restitution(solver, rate):
    dull, elastic = rolling_coin(0.0, solver), rolling_coin(0.5, solver)
    for _ in range(rate):
        step(dull, 1.0 / rate)
        assert step(elastic, 1.0 / rate).impacts == 0
    assert np.array_equal(dull.bodies["pos"], elastic.bodies["pos"])
    assert np.array_equal(dull.bodies["omega"], elastic.bodies["omega"])


def tumbling(name: str, solver: str, e: float = 0.3) -> World:
    """A body thrown onto a floor: it bounces a few times, then rolls."""
    world = World()
    world.use_solver(solver)
    shape, friction, quat, vel, omega = {
        "cylinder": (Cylinder(0.32, 0.15), 2.0, (0.6, -0.5, 0.4, 0.3), (0.5, -1.0, 0.0), (2.0, 1.0, -2.0)),
        "cone": (Cone(0.3, 0.25), 2.0, (0.5, 0.6, -0.2, 0.4), (1.0, 0.5, -1.0), (-2.0, 3.0, 1.0)),
        "coin": (Cylinder(0.3, 0.02), 0.5, (0.4, 0.3, 0.7, -0.4), (-1.0, 0.5, 0.5), (3.0, 1.0, 2.0)),
        "ellipsoid": (Ellipsoid((0.22, 0.26, 0.06)), 2.0, (0.4, 0.3, 0.7, -0.4), (-1.0, 0.5, 0.5), (3.0, 1.0, 2.0))}[name]
    world.add_body(Plane(), kind="static", friction=friction)
    world.add_body(shape, pos=(0.0, 0.0, 1.0), quat=np.array(quat) / np.linalg.norm(quat), vel=vel, omega=omega, restitution=e)
    return world


def energy_after(world: World, seconds: int, rate: int) -> tuple[float, int]:
    """(Energy [J], impacts in the last second)."""
    impacts = 0
    for n in range(seconds * rate):
        report = step(world, 1.0 / rate)
        impacts += report.impacts if n >= (seconds - 1) * rate else 0
        assert not any(finding.rule.name in ("GAINED", "LOST") for finding in report.audit.findings)
    return sum(report.energy.values()), impacts


@each_value()
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ["cylinder", "cone", "ellipsoid"])
def test_a_body_bounces_then_rolls_as_with_a_finer_step(name, solver):
    """Ten or so impacts dissipate two thirds of the energy; what is lost after them is of second order."""
    energy, impacts = energy_after(tumbling(name, solver), 4, 240)
    assert impacts <= 3
    finer, _ = energy_after(tumbling(name, solver), 4, 960)
    assert energy == pytest.approx(finer, rel=0.03)


def energy_of_middle(world: World) -> float:
    """Kinetic energy and that of height at the time to which velocities belong [J]."""
    moving = world.bodies[world.bodies["kind"] == Kind.DYNAMIC]
    middle = moving["pos"] - moving["velocity_lag"][:, None] * moving["vel"]
    return measure.energy(world.bodies, world.gravity)[0] - float(moving["mass"] @ (middle @ world.gravity))


@pytest.mark.parametrize(("name", "e", "rate"), [("cone", 0.3, 60), ("ellipsoid", 0.0, 60), ("coin", 0.0, 240)])
def test_no_energy_comes_from_rocking_in_joint_space(name, e, rate):
    """All gains together stay below a thousandth of what it was thrown with: with tangents at the start of a step, and overlaps
    removed by velocities, it is up to 15 times as much."""
    world = tumbling(name, "joint_space", e)
    energies = [energy_of_middle(world)]
    for _ in range(rate * 3 // 2):
        step(world, 1.0 / rate)
        assert not any(finding.rule.name == "GAINED" for finding in world.report.audit.findings)
        energies.append(energy_of_middle(world))
    assert np.maximum(np.diff(energies), 0.0).sum() < 1e-3 * energies[0]
