"""The step of a particle in a potential (ST96 eq 20): the problem of two unknowns by finite differences, grids and iteration."""

import numpy as np
import pytest

from app.analysis.energy.potential_step import CENTRE, Curvature, PotentialStep, run
from physics.complementarity.copositive import Verdict

RNG = np.random.default_rng(20)


def problem(stiffness, h=0.2, pos=(1.6, 1.3), vel=(0.5, -1.0), mass=1.7):
    return PotentialStep(np.array(stiffness, float), h, np.array(pos), np.array(vel), mass)


def some(low, high, count=30):
    """Random problems with stiffnesses between two bounds [N/m], whose Phi is strictly convex."""
    return [problem(RNG.uniform(low, high, 2), RNG.uniform(0.05, 0.3), RNG.uniform(0.1, 2.0, 2), RNG.uniform(-4.0, 4.0, 2))
            for _ in range(count)]


def energy(one, pos, vel):
    """Kinetic and potential energy [J], by loops."""
    return sum(0.5 * one.mass * v * v + 0.5 * k * (x - c) ** 2 for k, x, v, c in zip(one.stiffness, pos, vel, CENTRE))


def iterated(one):
    """(q1, v1) of (20) without walls, by repeated insertion in the paper's two equations."""
    pos, vel = one.pos.copy(), one.vel.copy()
    for _ in range(500):
        vel = one.vel - one.h / one.mass * one.stiffness * (pos - CENTRE)
        pos = one.pos + 0.5 * one.h * (one.vel + vel)
    return pos, vel


@pytest.mark.parametrize("stiffness", [(4.0, 9.0), (-3.0, -8.0), (5.0, -5.0)])
def test_the_problem_is_the_gradient_of_its_potential(stiffness):
    one, d = problem(stiffness), 1e-5
    for at in RNG.uniform(0.0, 3.0, (20, 2)):
        slope = [(one.step_potential(at + d * e) - one.step_potential(at - d * e)) / (2.0 * d) for e in np.eye(2)]
        assert one.matrix @ at + one.vector == pytest.approx(slope, abs=1e-6)


def test_lemkes_algorithm_finds_the_lowest_place_of_a_grid():
    at_walls = 0
    for one in some(-15.0, 20.0):
        found, centre, width = one.solve(), np.array([2.0, 2.0]), 4.0
        for _ in range(12):                         # a grid of 81 x 81, then finer ones about its lowest place
            axes = [np.maximum(0.0, np.linspace(c - 0.5 * width, c + 0.5 * width, 81)) for c in centre]
            grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
            centre, width = grid[np.argmin(one.step_potential(grid))], 0.2 * width
        assert found == pytest.approx(centre, abs=1e-5)
        assert len(one.solutions()) == 1 and one.solutions()[0] == pytest.approx(found, abs=1e-12)
        at_walls += (found == 0.0).any()
    assert 0 < at_walls < 30, "some steps end at a wall, some do not"


def test_away_from_the_walls_a_step_is_that_of_the_paper():
    for one in some(-15.0, 20.0):
        pos, vel = iterated(one)
        if (pos > 0.0).all():
            end = one.solve()
            assert end == pytest.approx(pos, rel=1e-12) and one.next(end).vel == pytest.approx(vel, rel=1e-9)
            assert energy(one, pos, vel) - energy(one, one.pos, one.vel) == pytest.approx(-one.bregman(end), abs=1e-11)


def test_the_energy_of_a_step_is_accounted_for_at_walls_too():
    for one in some(-15.0, 20.0):
        end = one.solve()
        after = one.next(end)
        assert after.energy == pytest.approx(energy(one, after.pos, after.vel))
        assert after.energy - one.energy == pytest.approx(-one.bregman(end) - one.wall_loss(end), abs=1e-10)
        assert one.wall_loss(end) >= -1e-12


@pytest.mark.parametrize(("low", "high", "curvature", "sign"), [(0.5, 20.0, Curvature.CONVEX, -1.0),
                                                                (-15.0, -0.5, Curvature.CONCAVE, 1.0)])
def test_convex_potentials_take_energy_and_concave_ones_give_it(low, high, curvature, sign):
    for one in some(low, high):
        assert one.curvature is curvature
        pos, vel = iterated(one)
        assert sign * (energy(one, pos, vel) - energy(one, one.pos, one.vel)) > 0.0


def test_in_a_saddle_it_depends_on_the_step():
    along_x, along_y = (problem((8.0, -8.0), vel=vel).solve() for vel in ((2.0, 0.0), (0.0, 2.0)))
    assert problem((8.0, -8.0)).curvature is Curvature.NEITHER
    assert problem((8.0, -8.0), vel=(2.0, 0.0)).bregman(along_x) > 0.0 > problem((8.0, -8.0), vel=(0.0, 2.0)).bregman(along_y)


def test_a_long_step_in_a_concave_potential_has_no_copositive_matrix():
    """Beyond h = sqrt(2 m / |k|) Phi bends down: two solutions, or none, and the witness is the axis of that direction."""
    limit = np.sqrt(2.0 * 1.7 / 8.0)
    short, long = problem((4.0, -8.0), 0.99 * limit), problem((4.0, -8.0), 1.01 * limit)
    assert short.copositivity().verdict is Verdict.COPOSITIVE
    found = long.copositivity()
    assert found.verdict is Verdict.NOT and found.witness == pytest.approx([0.0, 1.0])
    assert found.value == pytest.approx(long.matrix[1, 1]) and found.value < 0.0
    up, down = problem((4.0, -8.0), 1.2 * limit, vel=(0.0, 3.0)), problem((4.0, -8.0), 1.2 * limit, vel=(0.0, -6.0))
    assert {len(up.solutions()), len(down.solutions())} == {0, 2}
    assert (up.solve() is None) == (not up.solutions()) and (down.solve() is None) == (not down.solutions())


def test_a_run_ends_where_the_particle_leaves():
    steps = run(problem((-4.0, -4.0)), 500)
    assert len(steps) < 500 and steps[-1].pos.max() > 2.5 and all(one.pos.max() <= 2.5 for one in steps[:-1])
    assert len(run(problem((4.0, 4.0)), 50)) == 51
