"""Exact solver taking over a scene at rest from another solver: nearly redundant contacts.

Gaps of 1e-6 m and turns of 1e-7 make problems whose pivots must be chosen with care (complementarity/lemke.py, eqs 5 and 6). A
lost path shows as thousands of pivots, softened problems and sweeps.
"""

import pytest

import scenes
from physics import World, step
from physics.complementarity.problem import Status
from physics.solvers.lcp import fallbacks
from tests.helpers import long_run

REST = 240
"""Steps under sequential impulses."""


def joined(name: str, **parameters: int) -> tuple[World, float]:
    """A scene that has stood for a while, and now has the exact solver; its step."""
    scene = scenes.find(name)
    world = scenes.without_clock(scenes.make_world(scene, scene.parameters(**parameters)))
    for _ in range(REST):
        step(world, scene.dt)
    world.use_solver("stewart_trinkle")
    return world, scene.dt


def tallies(report) -> list[list[int]]:
    """Rows of all problems of a step."""
    return [row for problem in report.solved.problems for row in problem.tally.tolist()]


@pytest.mark.parametrize(("name", "parameters"), [("stack", {}), ("pyramid", {"width": 3})])
def test_every_problem_is_solved_with_few_pivots(name: str, parameters: dict[str, int]) -> None:
    world, dt = joined(name, **parameters)
    for _ in range(12):
        report = step(world, dt)
        assert report.end == "converged" and report.residual < 1e-10 and report.penetration < 1e-9
        for row in tallies(report):
            assert row[fallbacks.STATUS] == Status.SOLVED and row[fallbacks.SOFT] == row[fallbacks.SWEPT] == 0
            assert row[fallbacks.PIVOTS] <= 6 * row[fallbacks.UNKNOWNS]   # a softer problem first (lcp/complement.py)


@long_run
def test_a_path_that_repeats_a_basis_is_abandoned() -> None:
    """In the first step of a pyramid of 5 the path of a round would go round for ever in six pivots (Lemke's z_0 at 3e-6)."""
    world, dt = joined("pyramid", width=5)
    report = step(world, dt)
    assert report.end == "converged" and report.residual < 1e-10
    for row in tallies(report):
        assert row[fallbacks.STATUS] == Status.SOLVED and row[fallbacks.SOFT] <= 1 and row[fallbacks.SWEPT] == 0
        assert row[fallbacks.PIVOTS] <= 12 * row[fallbacks.UNKNOWNS]      # several paths, the first of a softer problem
