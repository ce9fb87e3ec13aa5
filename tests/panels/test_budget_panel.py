"""Budget panel in the real window: its numbers are whole."""

import dataclasses

import pytest

from app.engine import commands
from app.engine.simulation import Simulation
from app.gui.controls import widgets
from app.gui.text.chinese_lines import ELLIPSIS
from app.panels.budget import BudgetState


@pytest.fixture
def large(person):
    """A window of usual size."""
    before = person.window.get_size()
    person.window.set_size(1600, 1000)
    yield person
    person.window.set_size(*before)
    person.window.gui.panels.all["budget"].open = False
    person.look(3)


def test_no_number_is_cut_at_the_usual_size(large, monkeypatch):
    """Labels had half of the width, and a residual with its exponent had too little."""
    person = large
    person.load("domino")
    person.session.post(commands.set_time_share, 0.0)
    person.session.window.open_panel("budget")
    state, shown, cut = person.session.state(BudgetState), [], widgets.cut
    person.session.post(Simulation.single_step, 60)
    assert person.wait(lambda: person.session.frame.paused and state.shown is not None and state.shown.difference is not None)
    for run in ("here", "there"):
        part = getattr(state.shown, run)
        monkeypatch.setattr(state.shown, run, dataclasses.replace(part, report=dataclasses.replace(part.report, residual=3.3e-8)))
    monkeypatch.setattr(widgets, "cut", lambda text, room=None: (shown.append(cut(text, room)), shown[-1])[1])
    person.look(4)
    numbers = [text for text in shown if "\u2192" in text]
    assert len(numbers) >= 2 and not [text for text in numbers if text.endswith(ELLIPSIS)], numbers
