"""A polygonal cone holds a diagonal push by equation (1) of the scene, under two solvers."""

import math

import pytest

import scenes
from physics import set_option, step
from scenes import diagonal_push


def run(facets):
    world = scenes.make_world(diagonal_push.SCENE)
    for name, value in {"budget": 0.0, "cone": "polygon", "facets": facets}.items():
        set_option(world.solver.options, name, value)
    return scenes.run(diagonal_push.SCENE, world=world)


@pytest.mark.parametrize("facets", [4, 6, 8])
def test_a_polygon_slips_first_towards_its_sides(facets):
    parameters = diagonal_push.Parameters()
    world, trace = run(facets)
    half = math.pi / facets
    for angle in diagonal_push.ANGLES:
        off = (math.radians(angle) % (2.0 * half)) - half       # from the middle of the side
        law = diagonal_push.bound(parameters) * math.cos(half) / math.cos(off)
        force = diagonal_push.slips_at(angle, parameters, world, trace)
        assert force == pytest.approx(law, rel=0.01), angle
        way = world.bodies["vel"][world.body(diagonal_push.title(angle))]
        if abs(abs(off) - half) > 1e-9:
            assert math.atan2(way[1], way[0]) == pytest.approx(math.radians(angle) - off, abs=0.02), "along the side's middle"


def test_a_held_push_has_no_predicted_motion():
    held = diagonal_push.Parameters(push=130.0)
    assert not diagonal_push.predict(held)
    assert max(value for curve in diagonal_push.law_curves(held) for value in curve.values) == 0.0


def test_the_lanes_never_collide():
    """All go on as the law says: paths that crossed would end it after some seconds."""
    scene = diagonal_push.SCENE
    world = scenes.make_world(scene)
    set_option(world.solver.options, "budget", 0.0)
    parameters, steps = diagonal_push.Parameters(), round(9.0 / scene.dt)
    speeds = []
    for k in range(steps):
        step(world, scene.dt)
        if k + 1 in (steps // 3, steps):
            speeds.append([float(math.hypot(*world.bodies["vel"][world.body(diagonal_push.title(angle))][:2]))
                           for angle in diagonal_push.ANGLES])
    gained = (parameters.push - diagonal_push.bound(parameters)) / parameters.mass * 6.0
    assert [late - early for early, late in zip(*speeds)] == pytest.approx([gained] * len(diagonal_push.ANGLES), rel=1e-5)
