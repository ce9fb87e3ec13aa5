"""Tasks of a new user take no more than docs/tasks.md states."""

import re
from collections import Counter

import pytest

from app.engine import commands
from app.engine.comparison import Comparison
from app.engine.simulation import Simulation
from tests.helpers import long_run
from tests.usability import ENGINEER, PAGE, STUDENT, TASKS, TEACHER, perform

ROWS = {cells[0]: (int(cells[2]), int(cells[3]))
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 6 and re.fullmatch(r"\d+", cells[2])
        and cells[1]}


@pytest.fixture
def afterwards(person):
    size = person.window.get_size()
    yield person
    person.session.post(Comparison.stop_comparing)
    person.session.post(Simulation.set_speed, 1.0)
    for index in range(len(person.session.simulation.breakpoints.items)):
        person.session.post(commands.set_breakpoint, index, "on", False)
    person.window.gui.close_popup()
    person.window.set_size(*size)
    person.session.window.reset_layout()
    person.look(6)


OFTEN = (0, 1, 2, 3, 5, 21, 22, 23, 24, 25, 26, 27)
"""Tasks that every run of the tests does, by number: of each kind of way one. STICTION_ALL_TESTS does all."""


@pytest.mark.parametrize("task", [pytest.param(task, id=task.do.__name__, marks=() if k in OFTEN else long_run)
                                  for k, task in enumerate(TASKS)])
def test_a_task_takes_no_more_than_documented(afterwards, task):
    done = perform(afterwards.window, afterwards.session, task)
    assert (done.clicks, done.keys) == ROWS[task.wish]
    assert not any(panel.error for panel in done.window.gui.panels.all.values())


def test_there_are_twelve_tasks_of_each_user():
    assert set(ROWS) == {task.wish for task in TASKS}
    assert Counter(task.who for task in TASKS) == {STUDENT: 12, TEACHER: 12, ENGINEER: 12}
