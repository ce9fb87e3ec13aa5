"""Tasks of a new user take no more than docs/tasks.md states."""

import re

import pytest

from app.engine import commands
from app.engine.comparison import Comparison
from tests.usability import PAGE, TASKS, perform

ROWS = {cells[0]: (int(cells[2]), int(cells[3]))
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 6 and re.fullmatch(r"\d+", cells[2])}


@pytest.fixture
def afterwards(person):
    size = person.window.get_size()
    yield person
    person.session.post(Comparison.stop_comparing)
    for index in range(len(person.session.simulation.breakpoints.items)):
        person.session.post(commands.set_breakpoint, index, "on", False)
    person.window.gui.close_popup()
    person.window.set_size(*size)
    person.session.window.reset_layout()
    person.look(6)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.do.__name__)
def test_a_task_takes_no_more_than_documented(afterwards, task):
    done = perform(afterwards.window, afterwards.session, task)
    assert (done.clicks, done.keys) == ROWS[task.wish]
    assert not any(panel.error for panel in done.window.gui.panels.all.values())


def test_there_are_ten_tasks():
    assert set(ROWS) == {task.wish for task in TASKS}
