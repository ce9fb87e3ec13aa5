"""A small share of each goal of reliability that measures for itself; those that are tests elsewhere run there."""

import ast
import re

import pytest

from tests.helpers import ROOT
from tests.reliability import engine, files, mechanics, screen
from tests.reliability.goals import GOALS, Measured
from tests.tools.sources import nodes

HERE = ("R4", "R5", "R6", "R9", "R10", "R11", "R15", "R16", "R24", "R25")
WINDOW = ("R15",)


def test_the_page_lists_all_thirty_goals():
    from tests.reliability.__main__ import rows

    assert sorted(GOALS, key=lambda name: int(name[1:])) == [f"R{n}" for n in range(1, 31)]
    assert all(topic.__doc__ for topic in (engine, files, mechanics, screen))
    assert sorted(rows()) == sorted(GOALS)


def test_the_tests_that_goals_name_exist():
    """pytest says nothing of a word of `-k` that no test has while another word has one."""
    for call in [call for topic in ("engine", "files", "mechanics", "screen") for call in nodes(f"tests/reliability/{topic}.py")]:
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "tested":
            words = [one.value for one in call.args if isinstance(one, ast.Constant)]
            names = [name for word in words if word.endswith(".py")
                     for name in re.findall(r"def (test_\w+)", (ROOT / word).read_text(encoding="utf-8"))]
            for chosen in words[words.index("-k") + 1].split(" and ")[0].split(" or ") if "-k" in words else ():
                assert any(chosen in name for name in names), f"no test of {words[0]} has '{chosen}' in its name"


@pytest.mark.parametrize("name", HERE)
def test_a_small_sample_of_each_goal_holds(name, request, monkeypatch):
    if name in WINDOW:
        request.getfixturevalue("person")
    for module in (engine, files):
        monkeypatch.setattr(module, "tested", lambda *nodes, **environment: Measured("", True))
    assert (measured := GOALS[name].measure(1e-4)).holds, measured.text
