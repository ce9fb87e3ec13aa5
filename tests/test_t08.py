"""Trinkle's notes (T08) in whole numbers, through the normal step."""

import numpy as np
import pytest

import scenes
from app.session import Session
from app.simulation import DT_RANGE, Simulation
from physics import set_option, step
from scenes import particle_and_wall as particle

# x, v and lambda by hand from v1 = v0 + 1 - lambda, x1 = x0 + v1, and the wall's psi


def by_hand(wall, speed, steps):
    """(x, v, psi, lambda) by (1), (2) in Python's integers: the wall starts at `wall` and moves at `speed`."""
    x, v, lines = 0, 0, [(0, 0, wall, 0)]
    for n in range(1, steps):
        free = wall + speed * n - (x + v + 1)
        impulse = max(0, -free)
        v += 1 - impulse
        x += v
        lines.append((x, v, wall + speed * n - x, impulse))
    return lines


@pytest.mark.parametrize("case", particle.TABLES)
def test_the_tables_come_out_exactly(case):
    assert {name: tuple(values) for name, values in particle.table(case).items()} == particle.TABLES[case]


@pytest.mark.parametrize(("case", "speed"), [(particle.WALL, 0), (particle.MOVING, -1)])
def test_the_walls_tables_are_those_of_the_equations(case, speed):
    known = particle.TABLES[case]
    assert list(zip(*known.values())) == by_hand(11, speed, len(known["x"]))


def test_an_impact_takes_two_steps_then_the_wall_bears_the_force():
    found = particle.table(particle.WALL)
    assert found["lambda"][-3:] == [4, 2, 1] and found["v"][4:7] == [4, 1, 0] and found["psi"][-3:] == [0, 0, 0]


@pytest.mark.parametrize("case", particle.TABLES)
def test_rows_of_the_paper_hold(case):
    rows = [row for row in particle.papers() if row.figure == case]
    assert len(rows) == len(particle.TABLES[case])
    assert all(row.ok and row.source == "T08" and row.measured == 0.0 and row.conventions for row in rows)


def test_a_parameter_that_stands_for_an_option_sets_it_and_leaves_the_others():
    simulation = Simulation("particle_and_wall")
    simulation.set_option("facets", 4)
    simulation.set_parameter("case", particle.EXPLICIT)
    options = simulation.world.solver.options
    assert options.positions == "explicit" and options.facets == 4 and not options.half_kick
    simulation.single_step(5)
    assert simulation.world.bodies["pos"][simulation.world.body("particle"), 0] == 10.0
    simulation.set_option("half_kick", True)
    simulation.reset()
    assert simulation.world.solver.options.half_kick and simulation.world.solver.options.positions == "explicit"
    simulation.use_solver("sequential_impulses")
    simulation.set_parameter("case", particle.MOVING)
    simulation.single_step(9)
    assert simulation.world.report.solver == "sequential impulses" and np.isfinite(simulation.world.bodies["pos"]).all()
    simulation.load("particle_and_wall")
    assert simulation.world.solver.options.positions == "semi-implicit" and simulation.dt == 1.0


def test_a_scene_of_one_step_a_second_is_allowed_and_a_session_shows_it():
    session = Session.open("particle_and_wall")
    assert session.simulation.dt == DT_RANGE[1] == 1.0
    session.simulation.single_step(6)
    times, values = session.simulation.traces.read("body:particle.x")
    assert times.tolist() == [0, 1, 2, 3, 4, 5, 6] and values.tolist() == [0, 1, 3, 6, 10, 11, 11]
    assert not session.simulation.messages


@pytest.mark.parametrize("name", [n for n, s in scenes.all_scenes().items() if s.solver != "sequential_impulses"])
def test_another_solver_takes_only_options_that_mean_the_same(name):
    """Of a scene's options for the exact solver."""
    scene = scenes.find(name)
    world = scenes.make_world(scene)
    assert all(getattr(world.solver.options, key) == value for key, value in scene.options_of(scene.parameters()).items())
    for other in ("sequential_impulses", "soft_steps"):
        world.use_solver(other)
        scenes.set_options(world, scene, scene.parameters())
        if hasattr(world.solver.options, "budget"):
            set_option(world.solver.options, "budget", 0.0)
        for _ in range(5):
            step(world, scene.dt)
        assert np.isfinite(world.bodies["pos"]).all()
