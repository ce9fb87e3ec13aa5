"""No fast or spinning body sinks through a floor, for all shapes and solvers."""

import numpy as np
import pytest

from physics import Box, Capsule, Compound, Cone, Cylinder, Ellipsoid, Hull, Plane, Sphere, TriangleMesh, World, step
from physics.core.quaternions import rotate
from scenes.reuleaux import profile
from tests.tools.each_value import each_value

CLOUD = np.random.default_rng(5).normal(size=(14, 3)) * 0.15
SHAPES = {"sphere": Sphere(0.1), "box": Box((0.1, 0.15, 0.2)), "plate": Box((0.3, 0.2, 0.01)), "capsule": Capsule(0.05, 0.3),
          "cylinder": Cylinder(0.2, 0.05), "coin": Cylinder(0.1, 0.003), "cone": Cone(0.15, 0.3), "flat cone": Cone(0.3, 0.1),
          "ellipsoid": Ellipsoid((0.098, 0.161, 0.2065)), "lens": Ellipsoid((0.2, 0.2, 0.03)), "hull": Hull(CLOUD),
          "splinter": Hull(CLOUD @ np.diag((1.0, 0.3, 0.1)) @ np.linalg.qr(CLOUD[:3])[0], rounding=0.004),
          "dumb-bell": Compound((Sphere(0.1), (-0.2, 0, 0)), (Sphere(0.1), (0.2, 0, 0)), (Box((0.2, 0.02, 0.02)), (0, 0, 0)))}
SLOP = 2e-4


@each_value()
@pytest.mark.parametrize("solver", ["sequential_impulses", "soft_steps", "stewart_trinkle"])
@pytest.mark.parametrize("name", SHAPES)
def test_a_fast_body_does_not_sink_below_a_floor(name, solver):
    """At 60 Hz, 3 to 100 m/s, turned and spinning at random, floors with and without friction and rebound."""
    draw = np.random.default_rng(sum(name.encode()))
    for speed in (3.0, 10.0, 30.0, 60.0, 100.0):
        for _ in range(4 if solver == "sequential_impulses" else 2):
            world = World()
            world.use_solver(solver)
            world.add_body(Plane(), kind="static", friction=float(draw.choice([0.0, 0.5])))
            body = world.add_body(SHAPES[name], pos=(0.0, 0.0, 1.0 + draw.random()), quat=draw.normal(size=4),
                                  vel=(0.3 * speed * draw.normal(), 0.0, -speed), omega=10.0 * draw.normal(size=3),
                                  restitution=float(draw.choice([0.0, 0.5])))
            for k in range(30):
                step(world, 1.0 / 60.0)
                assert world.bodies["pos"][body, 2] > -SLOP, f"{speed} m/s, step {k}"


@pytest.mark.parametrize("name", SHAPES)
def test_fast_sliding_on_a_floor_is_not_slowed(name):
    """30 m/s along a floor without friction, lying on its flattest side: it goes on, and does not hop."""
    world = World()
    world.add_body(Plane(), kind="static", friction=0.0)
    body = world.add_body(SHAPES[name], pos=(0.0, 0.0, 0.5), friction=0.0)
    for _ in range(300):
        step(world, 1.0 / 240.0)
    world.set_velocity(body, (30.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    start = world.bodies["pos"][body].copy()
    for _ in range(60):
        step(world, 1.0 / 60.0)
    way = world.bodies["pos"][body] - start
    assert way[0] == pytest.approx(30.0, rel=2e-3) and abs(way[1]) < 0.1


FLOORS = {"plane": (Plane(), 0.0), "box": (Box((1.0, 1.0, 0.5)), -0.5),
          "mesh": (TriangleMesh([(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)], [(0, 1, 2), (0, 2, 3)]), 0.0),
          "hull": (Hull([(x, y, z) for x in (-1.0, 1.0) for y in (-1.2, 1.0) for z in (-0.5, 0.5)]), -0.5)}


@each_value(3)
@pytest.mark.parametrize("hz", [60, 240])
@pytest.mark.parametrize("solver", ["sequential_impulses", "joint_space", "stewart_trinkle"])
@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("seed", range(5))
def test_a_hull_rests_on_corners_that_are_nearly_in_one_plane(seed, floor, solver, hz):
    """Eight lowest corners up to 0.1 mm apart: it may settle on another three of them, but does not rock for ever."""
    angle = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
    ring = np.column_stack([0.2 * np.cos(angle), 0.15 * np.sin(angle), np.random.default_rng(seed).uniform(0.0, 1e-4, 8)])
    hull = Hull(np.vstack([ring, ring * (1.0, 1.0, 0.0) + (0.0, 0.0, 0.1)]))
    world = World()
    world.use_solver(solver)
    bodies = [(FLOORS[floor][0], {"kind": "static", "pos": (0.0, 0.0, FLOORS[floor][1])}),
              (hull, {"mass": 6.0, "pos": (0.0, 0.0, float(hull.centre[2]))})]
    for shape, values in bodies[::-1] if seed % 2 else bodies:      # a pair of a kind is in the order of its bodies
        world.add_body(shape, friction=0.5, **values)
    for k in range(3 * hz // 2):
        report = step(world, 1.0 / hz)
        assert k < hz or (report.energy["kinetic"] < 1e-12 and report.penetration < SLOP + 1e-6)
        assert not report.audit.findings


@each_value()
@pytest.mark.parametrize("hz", [240, 1000])
@pytest.mark.parametrize("floor", FLOORS)
def test_a_hull_rolls_from_one_edge_to_the_next(floor, hz):
    """Not round, so that the edge on which it rolls is not below its centre: both of its ends press, and the next one as well
    when it comes down."""
    corners = np.array([(x, y, z) for x, z in profile(0.3) for y in (-0.12, 0.12)])
    spin, high = 3.0, 0.3 * (1.0 - 1.0 / np.sqrt(3.0))
    world = World()
    world.add_body(FLOORS[floor][0], kind="static", pos=(0.0, 0.0, FLOORS[floor][1]), friction=0.9)
    body = world.add_body(Hull(corners), mass=20.0, pos=(0.0, 0.0, high), vel=(spin * high, 0.0, 0.0), omega=(0.0, spin, 0.0),
                          friction=0.9)
    for _ in range(2 * hz // 5):
        report = step(world, 1.0 / hz)
        b, c = world.bodies[body], world.contacts
        depths = b["pos"][2] + np.array([rotate(b["quat"], corner)[2] for corner in corners])
        assert depths.min() > -1e-4 and not report.audit.findings
        pressed = c["impulse"] > 0.0
        assert not pressed.any() or np.ptp(c["pos"][pressed, 1]) > 0.23
    assert abs(b["omega"][[0, 2]]).max() < 1e-6


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("floor", FLOORS)
def test_the_next_corner_of_a_hull_that_tumbles_down_does_not_sink(floor, seed):
    """At 60 Hz it turns by some 10 degrees a step, and falls from corner to corner."""
    draw = np.random.default_rng(seed)
    corners = draw.normal(size=(14, 3))
    corners *= np.array([0.3, 0.25, 0.1]) / np.linalg.norm(corners, axis=1)[:, None]
    hull, quat = Hull(corners), draw.normal(size=4)
    world = World()
    world.add_body(FLOORS[floor][0], kind="static", pos=(0.0, 0.0, FLOORS[floor][1]), friction=0.0)
    body = world.add_body(hull, mass=5.0, pos=(0.0, 0.0, 0.35), quat=quat / np.linalg.norm(quat), omega=5.0 * draw.normal(size=3),
                          friction=0.0)
    found = 0
    for _ in range(90):
        found += len(step(world, 1.0 / 60.0).audit.findings)
        b = world.bodies[body]
        assert b["pos"][2] + min(rotate(b["quat"], corner - hull.centre)[2] for corner in corners) > -2.5e-3
    assert found == 0
