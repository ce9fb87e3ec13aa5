"""A box slides from one support to another of equal height: what lies in the plane on which it slides does not stop it.

x(t) = v t - mu g t^2 / 2 whatever carries it: boxes, hulls, a slab that is free or driven, planks with a gap far shorter than the
box, whose front then overhangs without tipping."""

import pytest

from physics import Box, Hull, Material, Plane, World, step

HALF, THICK = 5.0, 0.1
CORNERS = [(x, y, z) for x in (-HALF, HALF) for y in (-1.0, 1.0) for z in (-THICK, THICK)]
SUPPORTS = {"hulls": (Hull(CORNERS), "static", 0.0), "driven": (Box((HALF, 1.0, THICK)), "kinematic", 0.0),
            "free": (Box((HALF, 1.0, THICK)), "dynamic", 0.0), "gap of 1 mm": (Box((HALF, 1.0, THICK)), "static", 0.001),
            "gap of 2 cm": (Box((HALF, 1.0, THICK)), "static", 0.02)}


@pytest.mark.parametrize("solver", ("sequential_impulses", "stewart_trinkle", "joint_space"))
@pytest.mark.parametrize("rate", (60, 240))
@pytest.mark.parametrize("supports", SUPPORTS)
def test_a_box_slides_over_flush_supports(solver, rate, supports):
    mu, speed, time = 0.2, 2.0, 0.4
    shape, kind, gap = SUPPORTS[supports]
    world, rough = World(), Material(friction=mu, mixing={"friction": "product"})
    world.use_solver(solver)
    world.add_body(Plane(), kind="static", pos=(0.0, 0.0, -2.0 * THICK), friction=0.0)
    mass = {"mass": 1e3} if kind == "dynamic" else {}
    world.add_body(shape, kind=kind, pos=(-HALF, 0.0, -THICK), material=rough, **mass)
    world.add_body(shape, kind="static", pos=(HALF + gap, 0.0, -THICK), material=rough)
    box = world.add_body(Box((0.1, 0.05, 0.05)), pos=(-0.35, 0.0, 0.05), vel=(speed, 0.0, 0.0), mass=1.0, friction=1.0)
    highest = 0.0
    for _ in range(int(time * rate)):
        step(world, 1.0 / rate)
        highest = max(highest, abs(box.pos[2] - 0.05))
    assert box.pos[0] + 0.35 == pytest.approx(speed * time - 0.5 * mu * 9.81 * time * time, abs=5e-3)
    assert highest < 5e-4
