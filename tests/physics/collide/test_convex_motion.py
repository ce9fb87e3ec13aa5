"""Round shapes roll without corners and lose nothing; what stands stands still; the same bits in every run."""

import itertools
import math

import numpy as np
import pytest

from physics import Box, Cone, Cylinder, Ellipsoid, Hull, Plane, Sphere, World, set_option, step
from physics.dynamics import measure

DT = 1.0 / 240.0
LYING = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)      # z along -y
CUBE = [(x, y, z) for x in (-0.2, 0.2) for y in (-0.2, 0.2) for z in (-0.2, 0.2)]


def ground(kind):
    world = World()
    set_option(world.solver.options, "budget", 0.0)
    if kind == "plane":
        world.add_body(Plane(), kind="static", friction=0.8)
    else:
        world.add_body(Box((20.0, 20.0, 1.0)), kind="static", pos=(0.0, 0.0, -1.0), friction=0.8)
    return world


@pytest.mark.parametrize("kind", ["plane", "box"])
@pytest.mark.parametrize("name", ["cylinder", "ellipsoid", "sphere"])
def test_rolling_is_smooth(kind, name):
    """Height of the centre constant to 1e-6 of the radius (after it has settled), the speed kept (F11, figure 11.5)."""
    world, r = ground(kind), 0.2
    shape = {"cylinder": Cylinder(r, 0.3), "ellipsoid": Ellipsoid((r, r, 0.35)), "sphere": Sphere(r)}[name]
    body = world.add_body(shape, pos=(0.0, 0.0, r), quat=LYING, vel=(1.0, 0.0, 0.0), omega=(0.0, 1.0 / r, 0.0), friction=0.8)
    heights, speeds = [], []
    for n in range(480):
        step(world, DT)
        if n >= 60:
            heights.append(world.bodies["pos"][body, 2])
            speeds.append(world.bodies["vel"][body, 0])
    assert np.ptp(heights) < 1e-6 * r
    assert np.abs(np.array(speeds) - 1.0).max() < 1e-6
    assert np.abs(world.bodies["pos"][body, 1]) < 1e-6


def test_an_ellipsoid_that_rolls_end_over_end_keeps_its_energy():
    """Without slip nothing is lost but what the integrator loses."""
    world = ground("plane")
    set_option(world.solver.options, "restitution_threshold", 0.0)
    body = world.add_body(Ellipsoid((0.2, 0.2, 0.25)), pos=(0.0, 0.0, 0.25), omega=(0.0, 6.0, 0.0), vel=(1.5, 0.0, 0.0),
                          friction=5.0)
    energies = []
    for _ in range(960):
        step(world, 0.25 * DT)
        energies.append(sum(world.report.energy.values()))
    assert world.bodies["pos"][body, 0] > 1.0
    assert np.ptp(energies[20:]) < 0.02 * energies[20]


STANDING = {"cylinder": (Cylinder(0.2, 0.3), 0.3, 4), "cone": (Cone(0.2, 0.4), 0.1, 4), "hull": (Hull(CUBE), 0.2, 4),
            "prism": (Hull([(0.2 * math.cos(0.25 * math.pi * k), 0.2 * math.sin(0.25 * math.pi * k), z)
                            for k, z in itertools.product(range(8), (-0.3, 0.3))]), 0.3, 4)}


@pytest.mark.parametrize("kind", ["plane", "box"])
@pytest.mark.parametrize("name", STANDING)
def test_resting_bodies_keep_their_contacts_and_do_not_creep(kind, name):
    """3 s: the same number of contacts with the same features throughout, no motion after the first second."""
    world = ground(kind)
    shape, height, count = STANDING[name]
    body = world.add_body(shape, pos=(0.1, 0.2, height), quat=(math.cos(0.2), 0.0, 0.0, math.sin(0.2)), friction=0.5)
    seen, places = set(), []
    for n in range(720):
        step(world, DT)
        seen.add(tuple(world.contacts["feature"].tolist()))
        if n >= 240:
            places.append(world.bodies["pos"][body].copy())
    assert len(seen) == 1 and len(seen.pop()) == count
    assert np.ptp(places, axis=0).max() < 1e-9


def test_hulls_cylinders_and_boxes_stack():
    """A tower of unlike shapes stands for 4 s, and is still after the first."""
    world, z, bodies = ground("box"), 0.0, []
    for shape, half in [(Hull(CUBE), 0.2), (Cylinder(0.2, 0.15), 0.15), (Box((0.2, 0.2, 0.1)), 0.1), (Hull(CUBE), 0.2),
                        (Cylinder(0.15, 0.1), 0.1)]:
        bodies.append(world.add_body(shape, pos=(0.0, 0.0, z + half), friction=0.5))
        z += 2.0 * half
    start = world.bodies["pos"].copy()
    for n in range(960):
        step(world, DT)
        if n == 240:
            settled = world.bodies["pos"].copy()
    assert np.abs(world.bodies["pos"] - start).max() < 2e-3
    assert np.abs(world.bodies["pos"] - settled).max() < 1e-5


def heap():
    world, rng = ground("box"), np.random.default_rng(11)
    kinds = [Cylinder(0.15, 0.2), Cone(0.2, 0.4), Ellipsoid((0.1, 0.2, 0.25)), Hull(rng.normal(size=(14, 3)) * 0.15),
             Hull(CUBE, rounding=0.05), Sphere(0.15), Box((0.15, 0.2, 0.1))]
    for n, (x, y, z) in enumerate(itertools.product(range(2), range(2), range(7))):
        q = rng.normal(size=4)
        world.add_body(kinds[n % 7], pos=(0.5 * x, 0.5 * y, 0.6 + 0.6 * z), quat=q / np.linalg.norm(q))
    return world


def test_a_heap_comes_to_rest_and_is_the_same_in_every_run():
    """28 bodies of all kinds, dropped: bit-identical twice, no deep overlap, little left of the motion after 3 s.

    Round ones roll on: nothing but the impacts and sliding takes their energy.
    """
    runs, dropped = [], sum(measure.energy(heap().bodies, World().gravity))
    for _ in range(2):
        world, deepest = heap(), 0.0
        for n in range(720):
            step(world, DT)
            deepest = max(deepest, world.report.penetration if n > 240 else 0.0)
        runs.append(world.bodies.tobytes())
    assert runs[0] == runs[1]
    assert deepest < 0.02
    kinetic, potential = measure.energy(world.bodies, world.gravity)
    assert kinetic < 0.02 * (dropped - potential)
    assert (world.bodies["pos"][:, 2] > -1.1).all()
