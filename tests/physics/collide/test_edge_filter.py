"""Internal edges: flush static boxes act as one floor, and real edges stay edges."""

import math

import numpy as np
import pytest

from physics import Box, Capsule, Cylinder, Hull, Sphere, World, set_option, step
from physics.collide.edge_filter import EdgeFilter
from physics.core.quaternions import product
from tests.tools.each_value import each_value

RATES = [240, 60]
ROOT = math.sqrt(0.5)
LYING = (ROOT, ROOT, 0.0, 0.0)
MOVERS = {"box": (Box((0.25, 0.25, 0.25)), (1, 0, 0, 0), 0.25), "low box": (Box((0.3, 0.2, 0.05)), (1, 0, 0, 0), 0.05),
          "ball": (Sphere(0.25), (1, 0, 0, 0), 0.25), "small ball": (Sphere(0.03), (1, 0, 0, 0), 0.03),
          "capsule": (Capsule(0.1, 0.25), LYING, 0.1), "cylinder": (Cylinder(0.25, 0.25), (1, 0, 0, 0), 0.25),
          "lying cylinder": (Cylinder(0.25, 0.25), LYING, 0.25),
          "hull": (Hull([(x, y, z) for x in (-0.2, 0.2) for y in (-0.3, 0.3) for z in (-0.1, 0.1)]), (1, 0, 0, 0), 0.1)}


def empty(gravity=(0.0, 0.0, -9.81)):
    """A world as it is by default, without its clock."""
    world = World(gravity=gravity)
    set_option(world.solver.options, "budget", 0.0)
    return world


def lay_tiles(world, heights=lambda i, j: 0.0):
    """A floor of 10 by 5 tiles of 1 m, their tops at those heights, of several thicknesses and some turned by right angles."""
    for i in range(-1, 9):
        for j in range(-2, 3):
            half, thick = np.array([0.5, 0.5, 0.5]), 0.1 + 0.05 * ((3 * i + j) % 5)
            axis = (i + j) % 3
            half[axis] = thick
            standing = {0: (ROOT, 0.0, ROOT, 0.0), 1: LYING, 2: (1, 0, 0, 0)}[axis]
            world.add_body(Box(tuple(half)), kind="static", pos=(i, j, heights(i, j) - thick), quat=standing, friction=0.0)


def slide(world, mover, rate, speed, yaw=0.3):
    """A body on its way of 6 m: (velocity at the start, at the end, largest vertical velocity, height above the floor)."""
    shape, quat, height = MOVERS[mover]
    velocity = speed * np.array([math.cos(0.13), math.sin(0.13), 0.0])
    quat = product(np.array([math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)]), np.array(quat, float))
    body = world.add_body(shape, pos=(0, 0, height), quat=quat, vel=velocity, friction=0.0)
    fastest, highest = 0.0, 0.0
    for _ in range(int(rate * 6.0 / speed)):
        step(world, 1.0 / rate)
        fastest = max(fastest, abs(world.bodies["vel"][body][2]))
        highest = max(highest, world.bodies["pos"][body][2] - height)
    return velocity, world.bodies["vel"][body], fastest, highest


@each_value()
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("mover", MOVERS)
@pytest.mark.parametrize("speed", [2.0, 5.0])
def test_sliding_over_tiles_keeps_the_velocity(rate, mover, speed):
    """Frictionless and flush: as on one plate. Without the rule a box of half a metre loses half of its speed in 6 m.

    The sharp round rim of a lying cylinder has normals that are a few degrees off where it just touches a rim.
    """
    slack = 20.0 if mover == "lying cylinder" else 1.0
    world = empty()
    lay_tiles(world)
    before, after, fastest, highest = slide(world, mover, rate, speed)
    assert after == pytest.approx(before, abs=1e-4 * slack * speed)
    assert fastest < 2e-3 * slack
    assert highest < 1e-5 * slack


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("mover", MOVERS)
def test_tiles_a_tenth_of_a_millimetre_off_are_flush(rate, mover):
    world = empty()
    lay_tiles(world, heights=lambda i, j: 1e-4 * ((i * 7 + j * 3) % 3 - 1))
    before, after, fastest, highest = slide(world, mover, rate, 5.0)
    assert np.linalg.norm(after[:2]) == pytest.approx(np.linalg.norm(before), rel=1e-3)
    assert fastest < 0.1
    assert highest < 3e-4


@pytest.mark.parametrize("mover", MOVERS)
def test_a_step_of_five_centimetres_is_an_edge(mover):
    """It stops the same body that a single box stops, and throws it as far: how far depends on where its rim strikes, so that a
    gap of some millimetres before the box tells."""
    ends = []
    for gap in (0.0, 0.001, 0.002, 0.005):      # none: the boxes are tiles of one floor
        world = empty()
        world.add_body(Box((2.0, 2.0, 0.5)), kind="static", pos=(0.0, 0.0, -0.5), friction=0.0)
        world.add_body(Box((2.0, 2.0, 0.5)), kind="static", pos=(4.0 + gap, 0.0, -0.45), friction=0.0)
        _, after, _, _ = slide(world, mover, 240, 2.0, yaw=0.0)
        ends.append(after)
    tiled, boxes = ends[0], np.array(ends[1:])
    assert np.all(tiled > boxes.min(axis=0) - 0.1) and np.all(tiled < boxes.max(axis=0) + 0.1)
    assert tiled[0] < 1.99


@each_value()
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("seed", range(4))
def test_nothing_falls_through_a_room_of_tiles(rate, seed):
    """Bodies thrown at 20 m/s into the corners between walls and floor, all of tiles."""
    rng, world, size = np.random.default_rng(seed), empty(), 0.5
    middles = (np.arange(6) - 2.5) * size
    for x in middles:
        for y in middles:
            world.add_body(Box((size / 2, size / 2, 0.1)), kind="static", pos=(x, y, -0.1))
            for axis in (0, 1):
                for side in (-1.0, 1.0):
                    half, pos = np.full(3, size / 2), np.array([x, x, y - middles[0] + size / 2])
                    half[axis], pos[axis] = 0.1, side * (3 * size + 0.1)
                    world.add_body(Box(tuple(half)), kind="static", pos=pos)
    bodies = [world.add_body(MOVERS[name][0], pos=(*rng.uniform(-1.0, 1.0, 2), 0.4 + 0.05 * k), quat=(0.5, -0.5, 0.5, 0.5),
                             vel=rng.normal(size=3) * (15, 15, 0) - (0, 0, 20), omega=5.0 * rng.normal(size=3))
              for k, name in enumerate(MOVERS)]
    for _ in range(2 * rate):
        step(world, 1.0 / rate)
        x = world.bodies["pos"][bodies]
        inside = x[:, 2] < 2.9
        assert (x[:, 2] > 0.0).all() and (np.abs(x[inside, :2]) < 1.5).all()


def test_a_body_on_a_seam_rests():
    """A ball on the middle of a gap of a third of a millimetre, and a box on the corner of four tiles."""
    world = empty()
    lay_tiles(world)
    ball = world.add_body(Sphere(0.1), pos=(0.5, 0.0, 0.1))
    box = world.add_body(Box((0.1, 0.1, 0.1)), pos=(2.5, 0.5, 0.1))
    world.bodies["pos"][1:51, 0] *= 1.0003
    for _ in range(240):
        step(world, 1.0 / 240.0)
    assert world.bodies["pos"][ball] == pytest.approx([0.5, 0.0, 0.1], abs=1e-3)
    assert world.bodies["pos"][box] == pytest.approx([2.5, 0.5, 0.1], abs=1e-6)
    assert np.abs(world.bodies["vel"][[ball, box]]).max() < 1e-3


def test_a_tile_that_was_moved_away_leaves_an_edge():
    world = empty(gravity=(0.0, 0.0, 0.0))
    near = world.add_body(Box((1.0, 1.0, 0.1)), kind="static", pos=(0.0, 0.0, -0.1))
    far = world.add_body(Box((1.0, 1.0, 0.1)), kind="static", pos=(2.0, 0.0, -0.1))
    ball = world.add_body(Sphere(0.1), pos=(1.3, 0.0, -0.05), vel=(-1.0, 0.0, 0.0), friction=0.0, restitution=1.0)
    world.set_pose(far, (9.0, 0.0, 0.0), (1, 0, 0, 0))
    for _ in range(240):
        step(world, 1.0 / 240.0)
    assert near != far
    assert world.bodies["vel"][ball] == pytest.approx([1.0, 0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("case", ["apart", "turned", "ramp", "no boxes", "filtered"])
def test_worlds_without_flush_boxes_have_no_seams(case):
    world = empty()
    first = Box((1.0, 1.0, 0.1)) if case != "no boxes" else Cylinder(1.0, 0.1)
    world.add_body(first, kind="static", **({"category": 2} if case == "filtered" else {}))
    turns = {"turned": (math.cos(0.01), 0, 0, math.sin(0.01)), "ramp": (math.cos(0.2), 0, math.sin(0.2), 0)}
    world.add_body(Box((1.0, 1.0, 0.1)), kind="static", pos=(2.001 if case == "apart" else 2.0, 0, 0),
                   quat=turns.get(case, (1, 0, 0, 0)))
    world.add_body(Box((1.0, 1.0, 0.1)), pos=(4.0, 0.0, 0.0))
    step(world, 1.0 / 240.0)
    assert len(EdgeFilter().adjacent_boxes(world.bodies, world.shapes, 1)[1]) == 0


def test_a_wedge_at_the_foot_of_a_wall_rests_on_the_floor():
    """Pressed into the wall by a hair its edge lies under it, where the wall covers the floor; but no rim is near."""
    world = empty(gravity=(9.0, 0.0, -9.81))
    world.add_body(Box((1.0, 1.0, 0.1)), kind="static", pos=(0.0, 0.0, -0.1))
    world.add_body(Box((0.1, 1.0, 0.5)), kind="static", pos=(0.1, 0.0, 0.5))
    wedge = Hull([(x, y, z) for y in (-0.2, 0.2) for x, z in ((0.0, 0.0), (0.0, 0.4), (-0.3, 0.4))])
    body = world.add_body(wedge, pos=np.add(wedge.centre, (1e-4, 0.0, 0.0)))
    for _ in range(480):
        step(world, 1.0 / 240.0)
    assert world.bodies["pos"][body] == pytest.approx(wedge.centre, abs=1e-3)
