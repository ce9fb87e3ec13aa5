"""Light links between a heavy body and the floor: sweeps in joint space (physics/solvers/impulses/reduced_sweeps.py)."""

import numpy as np
import pytest

from physics import set_option, step
from physics.core.records import Kind
from tests.tools.each_value import each_value
from tests.tools.light_feet import HEIGHT, PUSH, REACH, on_light_feet


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
