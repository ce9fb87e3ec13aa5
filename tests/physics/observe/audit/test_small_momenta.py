"""Momenta near rounding: what cancels is not lost, what is lost is found."""

import pytest

from physics import Box, Sphere, World, step
from physics.observe.audit.worst_places import Rule


def run(world, seconds, dt):
    """Every rule that was broken in that time."""
    return {finding.rule for _ in range(round(seconds / dt)) for finding in step(world, dt).audit.findings}


@pytest.mark.parametrize("hz", [240, 1000])
@pytest.mark.parametrize("e", [1.0, 0.9])
def test_rounding_of_impulses_that_cancel_is_no_lost_momentum(hz, e):
    """Fifteen balls that touch, struck by a sixteenth: those within are pressed from all sides and hardly turn."""
    world, r = World(gravity=(0.0, 0.0, 0.0)), 0.028
    for i in range(5):
        for j in range(i + 1):
            world.add_body(Sphere(r), pos=(1.0000001 * i * 3.0**0.5 * r, 1.0000001 * (2 * j - i) * r, 0.0), mass=0.17,
                           friction=0.1, restitution=e)
    world.add_body(Sphere(r), pos=(-2.0 * r - 3.2 / hz, 0.0, 0.0), vel=(8.0, 0.0, 0.0), mass=0.17, friction=0.1, restitution=e)
    assert run(world, 0.02, 1.0 / hz) == set()


@pytest.mark.parametrize("loss", [1e-3, 1.0])
def test_momentum_that_slow_bodies_lose_is_found(loss):
    """Two bodies in a joint that creep at 1e-8 m/s, far below what is seen, and lose that share of it."""
    world = World(gravity=(0.0, 0.0, 0.0))
    a = world.add_body(Box((0.2, 0.1, 0.1)), vel=(0.0, 1e-8, 0.0))
    b = world.add_body(Box((0.2, 0.1, 0.1)), pos=(0.4, 0.0, 0.0), vel=(0.0, 1e-8, 0.0))
    world.add_joint("spherical", a, b, anchor=(0.2, 0.0, 0.0))
    assert run(world, 0.1, 0.01) == set()
    solve = world.solver.step

    def fault(w, contacts, dt):
        report = solve(w, contacts, dt)
        w.bodies["vel"][b, 1] -= 2.0 * loss * 1e-8
        w.joints["reaction"][0, 1] -= 2.0 * loss * 1e-8 * w.bodies["mass"][b]
        return report

    world.solver.step = fault
    assert {Rule.MOMENTUM, Rule.SPIN} <= run(world, 0.01, 0.01)
