"""Light links between a heavy body and the floor: sweeps in joint space (physics/solvers/impulses/reduced_sweeps.py)."""

import numpy as np
import pytest

from physics import Box, Plane, World, set_option, step
from physics.core.records import Kind
from tests.tools.each_value import each_value

PUSH, HEIGHT, REACH = 20.0, 0.3, 0.2


def on_light_feet(light: float, friction: float) -> tuple[World, int, list[int]]:
    """A trunk of 10 kg on two legs with feet of mass `light` each [kg], hinged above and below; its hips give way by 0.01 rad."""
    world, feet = World(), []
    world.add_body(Plane(), kind="static", friction=0.4)
    trunk = world.add_body(Box((0.25, 0.05, 0.1)), pos=(0.0, 0.0, HEIGHT), mass=10.0)
    for x in (-REACH, REACH):
        foot = world.add_body(Box((0.05, 0.05, 0.005)), pos=(x, 0.0, 0.005), mass=light, friction=0.4)
        leg = world.add_body(Box((0.005, 0.005, 0.0949)), pos=(x, 0.0, 0.105), mass=light)
        world.add_joint("revolute", foot, leg, anchor=(x, 0.0, 0.01), axis=(0.0, 1.0, 0.0), max_friction=friction)
        world.add_joint("revolute", leg, trunk, anchor=(x, 0.0, 0.2), axis=(0.0, 1.0, 0.0), limits=(-0.01, 0.01),
                        max_friction=friction)
        feet.append(foot)
    return world, trunk, feet


@each_value(2)
@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize("friction", [0.0, 0.05])
@pytest.mark.parametrize("light", [1.0, 0.1, 0.01])
def test_light_feet_carry_a_heavy_trunk(light, friction, rate):
    """Pushed sideways, the feet press as the lever rule says, and no law is broken. A sweep over bodies sees 10 g where the
    floor feels 5 kg: without those in joint space 400 sweeps a substep were too few."""
    world, trunk, feet = on_light_feet(light, friction)
    set_option(world.solver.options, "iterations", 400)
    sweeps, found = [], []
    for n in range(rate):
        if n > rate // 2:
            world.apply_force(trunk, (PUSH, 0.0, 0.0))
        report = step(world, 1.0 / rate)
        sweeps.append(report.iterations / report.substeps)
        found += report.audit.findings
    assert not found
    assert np.mean(sweeps) < 40
    pressing = np.array([sum(c["impulse"] for c in world.contacts if foot in (c["body_a"], c["body_b"])) for foot in feet]) * rate
    weight = 9.81 * world.bodies["mass"][world.bodies["kind"] == Kind.DYNAMIC].sum()
    assert pressing.sum() == pytest.approx(weight, rel=1e-6)
    # the hips give way, so the trunk moves by up to 2 mm
    assert pressing[1] - pressing[0] == pytest.approx(PUSH * HEIGHT / REACH, abs=2.0 * 0.002 * weight / REACH)
