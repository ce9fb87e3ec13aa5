"""Solvers agree: the exact one and sequential impulses from the same snapshot where the solution is unique, all with a law."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from benchmarks import solver_comparison, solvers_compared
from physics import Box, World, solvers, step
from tests.tools.each_value import each_value


@pytest.mark.parametrize("name, options", [("incline", {}), ("pyramid of 3", {}), ("four balls, touching", {}),
                                           ("chain", {"joints": "one by one"}), ("chain", {"joints": "direct"})])
def test_sequential_impulses_converge_to_the_solution_of_the_lcp(name: str, options: dict) -> None:
    rows = solver_comparison.curve(name, **options)
    assert rows[-1][1] < 1e-9, "not the LCP's velocities in the end"
    assert rows[0][1] > 1e-3, "nothing had to converge"


def test_where_friction_leaves_several_solutions_both_find_one() -> None:
    """A pyramid of 3, kicked: velocities differ, and neither has a residual."""
    rows = solver_comparison.curve("pyramid of 3", kicked=True)
    assert rows[-1][2] < 1e-12 and rows[-1][1] > 1e-3


@pytest.mark.parametrize("name, pos, vel", [("incline", 1e-12, 1e-11), ("pyramid of 3", 1e-12, 1e-11), ("door", 2e-5, 1e-11),
                                            ("four balls", 5e-3, 0.1)])
def test_states_after_a_second_agree(name: str, pos: float, vel: float) -> None:
    """Balls in an impact are told apart by gaps of 1e-5 m, which sequential impulses count as touching."""
    exact, converged, default = solver_comparison.states(name)
    assert np.abs(exact["pos"] - converged["pos"]).max() < pos and np.abs(exact["vel"] - converged["vel"]).max() < vel
    assert exact["residual"] < 1e-9 and exact["penetration"] < 1e-9
    assert default["energy"] == pytest.approx(exact["energy"], abs=3e-3)
    assert default["penetration"] < 1e-5


def test_the_benchmark_of_joint_space_and_soft_contact_measures_them():
    """Its box rests at m g / 4 K and slides to v^2 / (2 mu g); its three forms of one law agree."""
    worst, solved = solvers_compared.difference_of_forms(20)
    assert worst < 1e-9 and solved > 10
    assert solvers_compared.compliant_box(1e6, 0.0)[0] == pytest.approx(9.81 / 4e6, rel=1e-3)
    assert solvers_compared.compliant_box(1e6, 2.0)[1] == pytest.approx(4.0 / 9.81, rel=1e-3)


@each_value()
@pytest.mark.parametrize("hertz, mass", [(60, 20.0), (240, 1.0)])
@pytest.mark.parametrize("solver", solvers.available())
def test_a_pendulum_feels_the_acceleration_of_its_trolley(solver, hertz, mass):
    """x = A (1 - cos w t): (I + m l^2) q'' = -m l (g sin q + A w^2 cos(w t) cos q). A solver in joint coordinates must not hand
    the trolley's change of velocity to the bob."""
    world, arm, inertia, top, rate = World(), 0.5, 1.0 / 150.0, 0.64, 2.0 * math.pi
    trolley = world.add_body(Box((1.0, 0.5, 0.05)), kind="kinematic", mask=0, friction=0.0)
    bob = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, -arm), mass=mass, mask=0, friction=0.0)
    world.add_joint("revolute", trolley, bob, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    world.drivers.append(lambda w: w.set_velocity(trolley, (top * math.sin(rate * w.time), 0.0, 0.0), (0.0, 0.0, 0.0)))
    world.use_solver(solver)

    def swing(t, y):
        pull = 9.81 * math.sin(y[0]) + top * rate * math.cos(rate * t) * math.cos(y[0])
        return y[1], -arm * pull / (inertia + arm * arm)

    law = solve_ivp(swing, (0.0, 2.0), (0.0, 0.0), rtol=1e-10, atol=1e-12, dense_output=True)
    for n in range(1, 2 * hertz + 1):
        step(world, 1.0 / hertz)
        x, _, z = world.bodies["pos"][bob] - world.bodies["pos"][trolley]
        assert math.atan2(x, -z) == pytest.approx(law.sol(n / hertz)[0], abs=0.02)
    assert not list(world.warnings.pop_new()), "the auditor has nothing to tell"


@pytest.mark.parametrize("solver", solvers.available())
def test_a_free_pair_of_bodies_gets_the_angular_momentum_of_what_turns_it(solver):
    """Two bodies on a hinge, a constant torque on one and a force beside the common centre of mass: about that point."""
    world, turn, push = World(gravity=(0.0, 0.0, 0.0)), np.array([0.3, 0.2, 0.25]), np.array([1.0, -2.0, 1.5])
    for x, mass in ((0.0, 3.0), (0.4, 1.0)):
        world.add_body(Box((0.15, 0.06, 0.04)), pos=(x, 0.0, 0.0), mass=mass, mask=0, friction=0.0, omega=(0.3, 0.5, 0.2))
    world.add_joint("revolute", 1, 2, anchor=(0.2, 0.0, 0.0), axis=(0.3, 1.0, 0.2))
    world.use_solver(solver)
    world.drivers.append(lambda w: (w.apply_torque(1, turn), w.apply_force(2, push)))
    for _ in range(120):
        report = step(world, 1.0 / 240.0)
        assert report.audit.ok
    assert world.bodies["mass"][1:] @ world.bodies["vel"][1:] == pytest.approx(0.5 * push, abs=0.01)


@each_value()
@pytest.mark.parametrize("hertz, mass", [(60, 0.2), (240, 5.0)])
@pytest.mark.parametrize("solver", ["joint_space", "event_driven", "subsystems"])
def test_a_screw_in_joint_coordinates_counts_its_turns(solver, hertz, mass):
    """(I + m p^2) q'' = tau, p = lead / 2 pi, over several turns; the nut goes p q."""
    world, size, pitch, torque = World(gravity=(0.0, 0.0, 0.0)), 0.1, 0.3 / (2.0 * math.pi), 0.05 * mass
    nut = world.add_body(Box((size, size, size)), mass=mass, mask=0, friction=0.0)
    world.add_joint("screw", 0, nut, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), lead=0.3, name="nut")
    world.use_solver(solver)
    for _ in range(2 * hertz):
        world.apply_torque(nut, (0.0, 0.0, torque))
        step(world, 1.0 / hertz)
    turned = 0.5 * torque * 2.0**2 / (mass * (2.0 / 3.0 * size**2 + pitch**2))
    assert turned > 2.0 * math.pi
    assert world.bodies["pos"][nut, 2] == pytest.approx(pitch * turned, rel=0.02)


@pytest.mark.parametrize("hertz", [60, 240])
def test_a_pushed_pair_moves_event_driven_as_by_subsystems(hertz):
    """Two Runge-Kutta methods of different origin; forces act all along the way of their points, not at its start."""
    ends = []
    for solver in ("event_driven", "subsystems"):
        world = World(gravity=(0.0, 0.0, 0.0))
        for x, mass in ((0.0, 3.0), (0.4, 1.0)):
            world.add_body(Box((0.15, 0.06, 0.04)), pos=(x, 0.0, 0.0), mass=mass, mask=0, friction=0.0, omega=(0.3, 0.5, 0.2))
        world.add_joint("revolute", 1, 2, anchor=(0.2, 0.0, 0.0), axis=(0.3, 1.0, 0.2))
        world.use_solver(solver)
        for _ in range(hertz // 2):
            world.apply_force(2, (3.0, -6.0, 4.5))
            step(world, 1.0 / hertz)
        ends.append(world.bodies["pos"].copy())
    assert np.abs(ends[0] - ends[1]).max() < 1.0 / hertz**2


@each_value()
@pytest.mark.parametrize("hertz, mass", [(60, 0.2), (240, 5.0)])
@pytest.mark.parametrize("solver", ["joint_space", "event_driven", "subsystems"])
def test_a_bead_feels_the_angular_acceleration_of_its_wheel(solver, hertz, mass):
    """A wheel turns about z at 2.4 sin 4 t; without gravity a bead on its line y = 0.4:  x'' = w^2 x + w' 0.4."""
    world = World(gravity=(0.0, 0.0, 0.0))
    wheel = world.add_body(Box((0.3, 0.3, 0.1)), kind="kinematic", mask=0, friction=0.0)
    bead = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.4, 0.0), mass=mass, mask=0, friction=0.0)
    world.add_joint("prismatic", wheel, bead, anchor=(0.0, 0.4, 0.0), axis=(1.0, 0.0, 0.0))
    world.drivers.append(lambda w: w.set_velocity(wheel, (0.0, 0.0, 0.0), (0.0, 0.0, 2.4 * math.sin(4.0 * w.time))))
    world.use_solver(solver)

    def slide(t, y):
        return y[1], (2.4 * math.sin(4.0 * t)) ** 2 * y[0] + 9.6 * math.cos(4.0 * t) * 0.4

    law = solve_ivp(slide, (0.0, 1.0), (0.0, 0.0), rtol=1e-10, atol=1e-12)
    for _ in range(hertz):
        step(world, 1.0 / hertz)
    assert np.linalg.norm(world.bodies["pos"][bead]) == pytest.approx(math.hypot(law.y[0, -1], 0.4), abs=1.0 / hertz)
