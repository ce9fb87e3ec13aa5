"""What holds itself: the harder it is pulled, the harder it presses. Sweeps build up such loads by a few per cent each."""

import math

import numpy as np
import pytest

from physics import Box, Cylinder, Plane, World, step
from tests.tools.each_value import each_value

MU = 0.3
LIES_ALONG_Y = (math.cos(math.pi / 4), math.sin(math.pi / 4), 0.0, 0.0)
SOLVERS = ["sequential_impulses", "stewart_trinkle", "joint_space"]


def roller_clutch(solver, slope, rate, size=1.0, mass=1.0, plates=1):
    """A roller between plates on a smooth floor, of which the upper one is pulled, and a wall with that slope [rad]: the roller
    holds them if tan(slope / 2) < mu. Returns the pulled plate after 0.5 s, and how many steps did not converge."""
    world, radius, half, pull = World(), 0.1 * size, 0.02 * size, 50.0 * mass * size
    world.use_solver(solver)
    world.add_body(Plane(), kind="static", friction=0.0)
    for k in range(plates):
        plate = world.add_body(Box((2.0 * size, 0.2 * size, half)), pos=(0, 0, (2 * k + 1) * half), mass=mass, friction=MU)
    top = 2 * plates * half
    world.add_body(Cylinder(radius, 0.05 * size), pos=(0, 0, top + radius), quat=LIES_ALONG_Y, mass=0.5 * mass, friction=MU)
    away = np.array([math.sin(slope), 0.0, math.cos(slope)])
    world.add_body(Box((0.06 * size, 0.3 * size, half)), pos=(0, 0, top + radius) + (radius + half) * away, kind="static",
                   quat=(math.cos(slope / 2), 0, math.sin(slope / 2), 0), friction=MU)
    world.drivers.append(lambda w: plate.apply_force((pull * min(1.0, w.time / 0.2), 0, 0)))
    ended_early = 0
    for _ in range(round(0.5 * rate)):
        ended_early += step(world, 1 / rate).end != "converged"
    return plate, ended_early


@each_value()
@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize(("size", "mass", "plates"), [(1.0, 1.0, 1), (1.0, 50.0, 1), (0.01, 1e-3, 1), (1.0, 1.0, 3)])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_roller_clutch_holds_up_to_its_angle(solver, size, mass, plates, rate):
    limit = 2.0 * math.atan(MU)
    for share in (0.6, 0.96):
        plate, ended_early = roller_clutch(solver, share * limit, rate, size, mass, plates)
        assert np.abs(plate.pos[:2]).max() < 1e-4 * size and abs(plate.quat[3]) < 1e-4
        assert ended_early <= (1 if solver != "sequential_impulses" else 0)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_roller_clutch_slips_beyond_its_angle(solver):
    plate, _ = roller_clutch(solver, 1.04 * 2.0 * math.atan(MU), 60)
    assert plate.vel[0] > 10.0 and abs(plate.quat[3]) < 1e-4


@pytest.mark.parametrize("rate", [60, 240, 1000])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_cam_holds_a_plate_with_both_ends_of_its_line(solver, rate):
    """Hinged above the plate, just on the holding side; the floor below is smooth, so nothing else keeps it from turning."""
    world, radius, half, mu = World(), 0.1, 0.02, 0.5
    world.use_solver(solver)
    world.add_body(Plane(), kind="static", friction=0.0)
    plate = world.add_body(Box((2.0, 0.2, half)), pos=(0, 0, half), mass=1.0, friction=mu)
    cam = world.add_body(Cylinder(radius, 0.05), pos=(0, 0, 2 * half + radius), quat=LIES_ALONG_Y, mass=0.5, friction=mu)
    height = 1.2 * radius
    world.add_joint("revolute", 0, cam, anchor=(0.95 * mu * height, 0, 2 * half + height), axis=(0, 1, 0))
    world.drivers.append(lambda w: plate.apply_force((50.0 * min(1.0, w.time / 0.2), 0, 0)))
    for _ in range(round(0.5 * rate)):
        assert step(world, 1 / rate).end == "converged"
    loads = [c["impulse"] * rate for c in world.contacts if int(cam) in (c["body_a"], c["body_b"])]
    assert loads == pytest.approx([55.08, 55.08], rel=3e-3)
    assert np.abs(plate.pos[:2]).max() < 1e-6 and abs(plate.quat[3]) < 1e-6


@each_value(2)
@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize("journal", [0.0, 0.002])
@pytest.mark.parametrize("push", [20.0, 100.0])
@pytest.mark.parametrize(("plate", "length", "mass"), [((2.0, 0.2, 0.02), 0.05, 1.0), ((0.5, 0.1, 0.01), 0.05, 1.0),
                                                       ((2.0, 0.2, 0.02), 0.2, 1.0), ((2.0, 0.2, 0.02), 0.05, 100.0)])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_cam_holds_a_plate_that_is_pushed_at_once(solver, plate, length, mass, push, journal, rate):
    """Near its limit (0.142 of mu 0.16) load builds up slowly; sweeps held more with one end, and the other slid."""
    world, radius, mu, push = World(), 0.1, 0.16, push * mass
    top, height = 2.0 * plate[2], 1.2 * radius
    world.use_solver(solver)
    world.add_body(Plane(), kind="static", friction=0.0)
    body = world.add_body(Box(plate), pos=(0, 0, plate[2]), mass=mass, friction=mu)
    cam = world.add_body(Cylinder(radius, length), pos=(0, 0, top + radius), quat=LIES_ALONG_Y, mass=0.5, friction=mu)
    world.add_joint("revolute", 0, cam, anchor=(0.142 * height, 0, top + height), axis=(0, 1, 0), max_friction=journal)
    world.drivers.append(lambda w: body.apply_force((push, 0, 0)))
    for _ in range(round(0.3 * rate)):
        step(world, 1 / rate)
    loads = [c["impulse"] * rate for c in world.contacts if int(cam) in (c["body_a"], c["body_b"])]
    assert len(loads) >= 2 and max(loads) == pytest.approx(0.5 * sum(loads), rel=0.05)
    assert np.abs(body.pos[:2]).max() < 2e-5 and abs(body.quat[3]) < 2e-5


@each_value(2)
@pytest.mark.parametrize("rate", [60, 240, 960])
@pytest.mark.parametrize(("mu", "share"), [(0.1, 0.9), (0.3, 1.2), (0.5, 0.5), (0.8, 1.5), (0.8, 0.97)])
@pytest.mark.parametrize(("half", "mass"), [(0.1, 1.0), (0.01, 1e-3), (1.0, 1e3)])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_block_slides_straight_between_a_wall_and_a_plate_that_presses(solver, half, mass, mu, share, rate):
    """At g minus 2 mu P / m. Pressed by a few of its corners more than by others it spun, and fell with little more than half."""
    world, g = World(), 9.81
    world.use_solver(solver)
    wall, press = Box((half / 2, 3 * half, 30 * half)), share * mass * g / (2 * mu)
    world.add_body(wall, kind="static", pos=(-1.5 * half, 0, -20 * half), friction=mu)
    plate = world.add_body(wall, pos=(1.5 * half, 0, -20 * half), mass=mass / 2, friction=mu)
    world.add_joint("prismatic", "world", plate, anchor=(1.5 * half, 0, 0), axis=(1, 0, 0))
    block = world.add_body(Box((half, half, half / 2)), vel=(0, 0, -10.0 * math.sqrt(half)), mass=mass, friction=mu)
    for k in range(rate // 10):
        world.apply_force(plate, (-press, 0, 0))
        assert step(world, 1 / rate).end == "converged"
        if k == 0:
            first = float(block.vel[2])
    fallen = (float(block.vel[2]) - first) * rate / (rate // 10 - 1)
    assert fallen == pytest.approx((share - 1.0) * g, abs=2e-3 * g)
    assert np.abs(block.omega).max() < 1e-4 / half and abs(block.vel[1]) < 1e-5


def test_a_stack_elsewhere_does_not_change_how_a_mechanism_is_solved():
    """Its lower box is touched from above and from below, but neither it nor what touches it belongs to the mechanism."""
    def loads(boxes):
        world = World()
        world.add_body(Plane(), kind="static", friction=0.5)
        foot = world.add_body(Box((0.5, 0.05, 0.05)), pos=(0.5, 0, 0.05), mass=2.0, friction=0.5)
        world.add_joint("prismatic", "world", foot, anchor=(0.1, 0, 0.05), axis=(0, 0, 1))
        for k in range(boxes):
            world.add_body(Box((0.2, 0.2, 0.2)), pos=(0, 30, 0.2 + 0.4 * k), friction=0.5)
        for _ in range(5):
            step(world, 1 / 60)
        return [c["impulse"] for c in world.contacts if int(foot) in (c["body_a"], c["body_b"])]

    assert loads(2) == pytest.approx(loads(1), rel=0.01)


@pytest.mark.parametrize("rate", [60, 240])
def test_a_drawer_that_slides_does_not_begin_to_rattle(rate):
    """Four corners share what two must carry: of many solutions the one that goes on as it was."""
    world, play, push, mu, deep, wide = World(gravity=(0.0, 0.0, 0.0)), 2e-5, 10.0, 0.5, 0.2, 0.1
    for side in (-1.0, 1.0):
        world.add_body(Box((2.0, 0.1, 0.1)), pos=(0.0, side * (wide + play + 0.1), 0.0), kind="static", friction=mu)
    drawer, share = world.add_body(Box((deep, wide, 0.05)), mass=1.0, friction=mu), 0.8
    world.drivers.append(lambda w: w.apply_force(drawer, (push, 0.0, 0.0)))
    world.drivers.append(lambda w: w.apply_torque(drawer, (0.0, 0.0, -push * share * deep / mu)))
    for _ in range(rate // 2):
        step(world, 1 / rate)
        assert abs(drawer.vel[2]) < 1e-4
    assert drawer.pos[0] == pytest.approx(0.5 * push * (1.0 - share) * 0.25, rel=4e-3)
