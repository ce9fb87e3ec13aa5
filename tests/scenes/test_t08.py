"""Trinkle's notes (T08) in whole numbers, through the normal step."""

import itertools

import numpy as np
import pytest

import scenes
from app.engine import commands
from app.engine.recording.validate_commands import DT_RANGE
from app.engine.simulation import Simulation
from app.session import Session
from physics import set_option, step
from physics.complementarity import lemke
from physics.complementarity.problem import Status
from physics.contact import friction_cone
from scenes import friction_cases as cases_scene
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
def test_the_tables_are_reproduced_exactly(case):
    assert {name: tuple(values) for name, values in particle.table(case).items()} == particle.TABLES[case]


@pytest.mark.parametrize(("case", "speed"), [(particle.WALL, 0), (particle.MOVING, -1)])
def test_the_wall_tables_follow_the_equations(case, speed):
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


def test_a_bouncy_wall_is_struck_at_its_time_and_thrown_back_by_its_law():
    """Adaptive step, then v+ = -e v-: the parabolas to rounding, and its row of the paper; the integers come back afterwards."""
    row, = (row for row in particle.papers() if row.figure == particle.BOUNCY)
    assert row.ok and row.measured < 1e-12
    simulation = Simulation("particle_and_wall")
    commands.set_parameter(simulation, "case", particle.BOUNCY)
    simulation.single_step(7)
    body = simulation.world.bodies[simulation.world.body("particle")]
    assert body["pos"][0] == pytest.approx(11.0 - 0.5 * 22.0**0.5 * (7.0 - 22.0**0.5) + 0.5 * (7.0 - 22.0**0.5) ** 2, abs=1e-12)
    commands.set_parameter(simulation, "case", particle.WALL)
    simulation.single_step(6)
    assert simulation.world.bodies["pos"][simulation.world.body("particle"), 0] == 11.0
    assert simulation.world.solver.options.rounds == 1


def test_a_parameter_bound_to_an_option_sets_only_that_option():
    simulation = Simulation("particle_and_wall")
    commands.set_option(simulation, "facets", 4)
    commands.set_parameter(simulation, "case", particle.EXPLICIT)
    options = simulation.world.solver.options
    assert options.positions == "explicit" and options.facets == 4 and not options.half_step_gravity
    simulation.single_step(5)
    assert simulation.world.bodies["pos"][simulation.world.body("particle"), 0] == 10.0
    commands.set_option(simulation, "half_step_gravity", True)
    simulation.reset()
    assert simulation.world.solver.options.half_step_gravity and simulation.world.solver.options.positions == "explicit"
    commands.use_solver(simulation, "sequential_impulses")
    commands.set_parameter(simulation, "case", particle.MOVING)
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
def test_another_solver_takes_over_only_shared_options(name):
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


# ---- the eight cases of friction in a plane


def one_contact(mu, sideways, closing):
    """(M, q) of a particle of 1 kg on the ground: z = (l_f1, l_f2, l_n, s); sideways, closing: free velocities [m/s]."""
    M = np.array([[1.0, -1.0, 0.0, 1.0], [-1.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0], [-1.0, -1.0, mu, 0.0]])
    return M, np.array([sideways, -sideways, -closing, 0.0])


WORKED = {
    2: (0.5, -0.2, 1.0, (0.3, 0.1, 1.0, 0.0)),
    3: (0.5, -2.0, 1.0, (0.5, 0.0, 1.0, 1.5)),
    4: (0.5, -0.2, 1.0, (0.2, 0.0, 1.0, 0.0)),
    5: (0.5, 2.0, 1.0, (0.0, 0.5, 1.0, 1.5)),
    6: (0.5, 0.2, 1.0, (0.0, 0.2, 1.0, 0.0)),
    7: (0.5, 0.2, -1.0, (0.0, 0.0, 0.0, 0.2)),
    8: (0.5, 0.0, 1.0, (0.0, 0.0, 1.0, 0.0)),
}
"""By hand, by sign case: mu, sideways, closing, and z. In the second l_f1 - l_f2 alone is told, 0.3 - 0.1 as well as 0.2 - 0."""


@pytest.mark.parametrize("case", WORKED)
def test_the_sign_cases_by_hand_solve_the_problem(case):
    mu, sideways, closing, z = WORKED[case]
    M, q = one_contact(mu, sideways, closing)
    w = q + M @ z
    assert w.min() > -1e-15 and np.abs(w * z).max() < 1e-15
    assert friction_cone.sign_case(z[0], z[1], z[3]) == case
    v = sideways + z[0] - z[1]
    sliding = {3: -z[3], 5: z[3]}.get(case)
    assert v == pytest.approx(0.0 if case in (2, 4, 6, 8) else sliding if sliding is not None else sideways)


@pytest.mark.parametrize("case", [case for case in WORKED if case != 2])
def test_lemkes_algorithm_finds_the_sign_cases(case):
    mu, sideways, closing, z = WORKED[case]
    found = lemke.solve(*one_contact(mu, sideways, closing))
    assert found.status == Status.SOLVED and found.z == pytest.approx(z, abs=1e-15)
    assert friction_cone.sign_case(found.z[0], found.z[1], found.z[3]) == case


def solutions(M, q):
    """Every basic solution: z with z_a = -M_aa^-1 q_a >= 0 and w >= 0, over all sets a for which M_aa has an inverse."""
    for size in range(len(q) + 1):
        for chosen in map(list, itertools.combinations(range(len(q)), size)):
            z, part = np.zeros(len(q)), M[np.ix_(chosen, chosen)]
            if size and abs(np.linalg.det(part)) < 1e-12:
                continue
            z[chosen] = np.linalg.solve(part, -q[chosen])
            z[np.abs(z) < 1e-14] = 0.0
            if z.min() >= 0.0 and (q + M @ z).min() >= -1e-14:
                yield z


def test_case_1_is_empty_and_case_2_is_degenerate():
    """Of all basic solutions of a grid of problems: where l_f1 and l_f2 are positive both are tight, v_t = s = -s, so that s = 0;
    and less of both does the same. Lemke's algorithm finds the less."""
    seen, found = set(), set()
    for mu, sideways, closing in itertools.product((0.0, 0.25, 1.0), np.linspace(-2.0, 2.0, 9), (-1.0, 0.0, 0.5, 1.0)):
        M, q = one_contact(mu, sideways, closing)
        by_case = {friction_cone.sign_case(z[0], z[1], z[3]): z for z in solutions(M, q)}
        if 2 in by_case:
            twin = next(by_case[k] for k in (4, 6, 8) if k in by_case)
            assert by_case[2][0] - by_case[2][1] == pytest.approx(twin[0] - twin[1]) and by_case[2][2] == twin[2]
        seen |= set(by_case)
        z = lemke.solve(M, q).z
        case = friction_cone.sign_case(z[0], z[1], z[3])
        assert z == pytest.approx(by_case[case], abs=1e-14) or case == 7
        found.add(case)
    assert seen == {2, 3, 4, 5, 6, 7, 8} and found == {3, 4, 5, 6, 7, 8}


@pytest.mark.parametrize("case", WORKED)
def test_a_sign_case_is_in_its_planar_case(case):
    """(1) of physics/contact/friction_cone.py told from the numbers: sums that are positive or zero, and which way it slides."""
    mu, sideways, _, (f1, f2, normal, _) = WORKED[case]
    first, second, v = mu * normal + f1 - f2, mu * normal - f1 + f2, sideways + f1 - f2
    told = 4 if first == second == 0.0 else 1 if first > 0.0 and second > 0.0 else 2 if second == 0.0 else 3
    assert told == (1 if case == 8 else friction_cone.planar_case(case))       # with a load, the eighth sticks at no force
    assert {1: v == pytest.approx(0.0), 2: v < 0.0, 3: v > 0.0, 4: True}[told]


def test_the_scene_shows_each_in_its_case_and_a_kick_changes_it():
    world = scenes.make_world(scenes.find("friction_cases"))
    for _ in range(20):
        step(world, 1 / 240)
    found = cases_scene.cases(world)
    assert found == {name: (lane.state, lane.sign_case, lane.planar_case) for name, lane in cases_scene.LANES.items()}
    assert {lane.sign_case for lane in cases_scene.LANES.values()} == {3, 4, 5, 6, 7, 8}
    assert {lane.state for lane in cases_scene.LANES.values()} == {"open", "stick", "slide", "degenerate"}
    world.set_velocity(world.body("at rest"), (-1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    step(world, 1 / 240)
    assert cases_scene.cases(world)["at rest"] == ("slide", 3, 2) and world.report.residual < 1e-12
