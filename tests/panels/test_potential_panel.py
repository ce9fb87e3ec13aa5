"""The panel Potential: what it says follows from the choices, and a click on the map starts the run there."""

import numpy as np
import pytest

from app.panels import potential
from app.panels.potential import PotentialState


@pytest.fixture
def board(person):
    person.forget(PotentialState)
    person.session.window.open_panel("potential")
    person.look(3)
    yield person
    person.forget(PotentialState)


def said(person):
    state = person.session.state(PotentialState)
    return potential.energy_text(state.steps), potential.problem_text(state.steps[state.shown - 1], len(state.solutions))


def choose(person, **choices):
    vars(person.session.state(PotentialState)).update(choices)
    person.look(2)


def test_the_sentences_follow_the_potential_and_the_step(board):
    assert said(board)[0].startswith("Convex: no step gains energy. The run changes it by -")
    assert said(board)[1].startswith("Copositive with smallest eigenvalue 52 N/m")
    choose(board, stiffness=(-6.0, -2.0), start=(1.1, 0.9))
    assert said(board)[0].startswith("Concave: no step loses energy, except at a wall. The run changes it by +")
    choose(board, stiffness=(6.0, -2.0), h=1.2)
    assert said(board)[0].startswith("Neither") and said(board)[1].startswith("Not copositive: z'Mz = -0.611 N/m for z = 1 y.")


def test_a_click_on_the_map_starts_the_run_there(board):
    board.click("potential/step potential")
    state = board.session.state(PotentialState)
    assert state.start != PotentialState.start and state.steps[0].pos == pytest.approx(state.start)
    assert 0.5 < state.start[0] < 2.0 and 0.5 < state.start[1] < 2.5


def test_the_map_is_lowest_where_the_step_ends(board):
    state = board.session.state(PotentialState)
    row, column = np.unravel_index(np.argmin(state.map), state.map.shape)
    cell = potential.EXTENT / potential.CELLS
    assert ((column + 0.5) * cell, (potential.CELLS - row - 0.5) * cell) == pytest.approx(state.steps[1].pos, abs=cell)
    assert "potential of the step" in potential.read(state, 1.0, 1.0)


def test_a_step_without_a_solution_is_drawn_and_said(board):
    choose(board, stiffness=(-20.0, -20.0), h=1.5, velocity=(20.0, 20.0), start=(1.0, 1.0))
    state = board.session.state(PotentialState)
    assert len(state.steps) == 1 and not state.solutions and said(board)[1].endswith("This step has 0 solutions.")
