"""A small share of each goal of reliability that measures for itself; those that are tests elsewhere run there."""

import pytest

from tests.reliability import engine, files, mechanics, screen
from tests.reliability.goals import GOALS, Measured

HERE = ("R5", "R6", "R9", "R10", "R11", "R15", "R16", "R24")
WINDOW = ("R15",)


def test_the_page_lists_all_thirty_goals():
    from tests.reliability.__main__ import rows

    assert sorted(GOALS, key=lambda name: int(name[1:])) == [f"R{n}" for n in range(1, 31)]
    assert all(topic.__doc__ for topic in (engine, files, mechanics, screen))
    assert sorted(rows()) == sorted(GOALS)


@pytest.mark.parametrize("name", HERE)
def test_a_small_sample_of_each_goal_holds(name, request, monkeypatch):
    if name in WINDOW:
        request.getfixturevalue("person")
    for module in (engine, files):
        monkeypatch.setattr(module, "tested", lambda *nodes, **environment: Measured("", True))
    assert (measured := GOALS[name].measure(1e-4)).holds, measured.text
