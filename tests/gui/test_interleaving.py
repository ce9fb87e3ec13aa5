"""Changes of the simulation between any two lines of drawing code close no panel; a sample of tests/interleaving.py."""

import inspect
import random

import pytest

from app.engine.simulation import Simulation
from app.gui.plots import plot_toolbar
from tests.interleaving import held_physics, tries


@pytest.fixture(scope="module")
def held():
    with held_physics() as made:
        yield made


def test_a_curve_may_be_removed_while_its_name_is_drawn(held):
    held.panels.open("plot")
    held.go_to_goal()
    held.person.look(4)
    source, first = inspect.getsourcelines(plot_toolbar.draw_chip)
    chip = range(first, first + len(source))
    places = [place for place in held.new_lines() if place[0] == plot_toolbar.__file__ and place[1] in chip]
    assert len(places) > 4
    for place in places:
        held.go_to_goal()
        assert held.clash(place, (Simulation.load, "pendulum")) is None


@pytest.mark.parametrize("panel", ["inspector", "contact_lens", "compare", "exercises", "lesson", "why", "contacts", "materials"])
def test_the_scene_may_change_between_two_lines(held, panel):
    """In what this panel adds to the picture, whichever of the others were tried before it."""
    held.go_to_goal()
    held.person.look(4)
    held.new_lines()
    assert not list(tries(held, panel, 25, random.Random(7)))
