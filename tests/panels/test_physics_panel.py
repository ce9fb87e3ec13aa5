"""The Physics panel: what it says of the last step."""

import math

import pytest

from app.engine.frame import RealTimePace, capture
from app.panels.physics import substeps_line
from physics import Plane, Sphere, World, step


@pytest.mark.parametrize("dt", [1.0 / 60.0, 1.0 / 240.0])
def test_the_substeps_that_a_stiff_contact_needs_are_told(dt):
    """Their length is a share of the period of the contact's own vibration."""
    shown = {}
    for stiffness in (1e4, 1e6):
        world = World()
        world.add_body(Plane(), kind="static")
        world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1), mass=1.0)
        world.use_solver("compliant_contact", stiffness=stiffness)
        report = step(world, dt)
        frame = capture(world, scene="", dt=dt, paused=True, before=(world.bodies["pos"], world.bodies["quat"]),
                        pace=RealTimePace())
        line = str(substeps_line(frame))
        shown[stiffness] = float(line.split()[-2])
        assert f"{report.substeps} substeps" in line and shown[stiffness] == pytest.approx(1e3 * dt / report.substeps, rel=1e-2)
        assert 1e-3 * shown[stiffness] < 2.0 * math.pi * math.sqrt(1.0 / stiffness) / 4.0
    assert shown[1e6] < 0.5 * shown[1e4]
