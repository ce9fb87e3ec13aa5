"""Numerical energy of the gallery's scenes is small, or the scene gives the reason."""

import pytest

import scenes
from benchmarks.numerical_energy import ALLOWED, CREEP, measure, row
from physics import Sphere, World, step

QUICK = ("anisotropic_skate", "belt", "bouncing_balls", "diagonal_push", "door", "incline", "pendulum", "planetary_gear",
         "pyramid", "rolling_shapes", "slider", "spinning_ball_joint", "stack", "star_burst", "tumbling_t", "particle_and_wall")
"""Scenes of which three seconds take less than one."""


@pytest.mark.parametrize("name", QUICK)
def test_scenes_keep_their_energy_or_give_a_reason(name):
    found = row(name, 3.0)
    assert found.share <= ALLOWED or scenes.find(name).numerical, found.text()
    assert found.failed == 0, found.text()


def test_work_of_motors_that_hold_their_speed_is_in_the_ledger():
    """Legs lift a plate against gravity under the solver of subsystems."""
    found = row("stewart_platform", 0.1)
    assert found.share <= ALLOWED, found.text()


def test_unexplained_energy_is_measured():
    """A ball that gets a hundredth of its speed in every step; the column takes what no cause has given."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(Sphere(0.1), mass=2.0, vel=(1.0, 0.0, 0.0))
    scenes.without_clock(world)
    make = world.solver.step

    def generous(w, contacts, dt):
        report = make(w, contacts, dt)
        w.bodies["vel"][1] *= 1.01
        return report

    world.solver.step = generous
    numerical, moves = measure(world, 0.1, 0.01)
    assert numerical == pytest.approx(1.01**20 - 1.0) and moves == pytest.approx(1.01**20)
    assert world.energy_totals.audit_failures == 10


def test_rest_has_no_numerical_energy():
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(Sphere(0.1), mass=2.0)
    step(world, 0.01)
    assert measure(world, 0.1, 0.01) == (0.0, pytest.approx(CREEP**2))
