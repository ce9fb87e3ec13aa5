"""The refinement of a phase map finds what the full grid finds, with fewer points."""

import math

import numpy as np
import pytest

from app.analysis.studies.map_refinement import UNKNOWN, NumberRefinement, Refinement
from app.analysis.studies.phase_map import outcome_of, plan

SHAPES = {
    "straight": lambda x, y: int(y > 0.3 + 0.41 * x),
    "steep": lambda x, y: int(x > 0.501),
    "two bends": lambda x, y: int(y > 0.5 + 0.37 * np.sin(5.0 * x)),
    "three classes": lambda x, y: 2 if x > 0.5 and y > 0.62 else int(y > min(1.2 * x, 0.62)),
    "a bay between corners of the first grid": lambda x, y: int(y > 0.55 or (abs(x - 0.56) < 0.03 and y > 0.28)),
    "one class": lambda x, y: 0}


def refined(of, size=64):
    made = Refinement(size)
    while nodes := made.next_nodes():
        for x, y in nodes:
            assert made.known[y, x] == UNKNOWN, "a point is run twice"
            made.put((x, y), of(x, y))
    return made


@pytest.mark.parametrize("shape", SHAPES)
def test_the_plane_is_that_of_the_full_grid(shape):
    of = SHAPES[shape]
    full = np.array([[of(x / 64, y / 64) for x in range(65)] for y in range(65)])
    made = refined(lambda x, y: full[y, x])
    assert np.array_equal(made.filled(), full)
    assert made.progress == 1.0 and made.count < 0.3 * full.size
    if shape == "one class":
        assert made.count == 81


def test_the_first_points_are_the_coarse_grid():
    nodes = Refinement(64).next_nodes()
    assert len(nodes) == 81 and {x for x, _ in nodes} == {y for _, y in nodes} == set(range(0, 65, 8))


def test_progress_grows_and_is_that_of_finished_cells():
    made, seen = Refinement(16, 4), []
    while nodes := made.next_nodes():
        for x, y in nodes:
            made.put((x, y), int(x > 7))
        seen.append(made.progress)
    assert seen == sorted(seen) and seen[0] == 0.75 and seen[-1] == 1.0


def test_runs_of_a_scene_find_the_border_of_their_full_grid():
    made = plan("painleve", size=16)
    full = np.array([[outcome_of(made, (x, y))[0] for x in range(17)] for y in range(17)])
    found = refined(lambda x, y: full[y, x], 16)
    assert np.array_equal(found.filled(), full) and len(np.unique(full)) == 2 and found.count < full.size


def of_numbers(function):
    """The finished map of a function of the place, 0 .. 1."""
    made = NumberRefinement(64, 8)
    while nodes := made.next_nodes():
        for x, y in nodes:
            made.put((x, y), function(x / 64, y / 64))
    return made


def test_numbers_are_run_where_they_change_much_and_interpolated_between():
    place = np.arange(65) / 64
    plane = of_numbers(lambda x, y: 3.0 * x - y)
    assert plane.count == 81 and plane.progress == 1.0 and plane.span == (-1.0, 3.0)
    assert plane.filled() == pytest.approx(3.0 * place[None, :] - place[:, None], abs=1e-12)
    jump = of_numbers(lambda x, y: float(x > 0.3))
    assert np.array_equal(jump.filled(), np.broadcast_to(place > 0.3, (65, 65))) and jump.count < 65 * 20
    assert of_numbers(lambda x, y: 5.0 + 1e-15 * x).count == 81, "rounding is no range"


def test_numbers_end_where_runs_fail():
    found = of_numbers(lambda x, y: math.inf if x > 0.3 else x)
    assert np.array_equal(np.isinf(found.filled()), np.broadcast_to(np.arange(65) / 64 > 0.3, (65, 65)))
    assert of_numbers(lambda x, y: math.inf).count == 81
