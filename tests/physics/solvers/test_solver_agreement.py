"""The exact solver and sequential impulses agree from the same snapshot where the solution is unique."""

import numpy as np
import pytest

from benchmarks import solver_comparison, solvers_compared


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
