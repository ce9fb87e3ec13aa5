"""No code outside physics/joints decides by the name of a kind of joint."""

import ast

import pytest

from app import type_hints
from physics import joints
from tests.tools.sources import nodes, text, under

AMBIGUOUS = {"drag": "a column of the energy ledger, and a source of forces", "fixed": "how a report ends",
             "spring": "a mode of motors"}
"""Kinds whose names are words for other things, too: only beside the word `kind` they are kinds."""


def decided_by_name(name: str, known: set[str]) -> list[str]:
    """Lines of a file in which the name of a kind stands, but where one is made (`add_joint`) or in a docstring."""
    found, passed = [], set()
    for item in nodes(name):
        if isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant):
            passed.add(item.value)
        elif isinstance(item, ast.Call) and "add_joint" in (getattr(item.func, "attr", ""), getattr(item.func, "id", "")):
            passed |= set(item.args[:1])
    lines = text(name).splitlines()
    for item in nodes(name):
        if isinstance(item, ast.Constant) and isinstance(item.value, str) and item.value in known and item not in passed:
            line = lines[item.lineno - 1]
            if item.value not in AMBIGUOUS or "kind" in line:
                found.append(f"{name}, line {item.lineno}: {line.strip()}")
    return found


@pytest.mark.parametrize("place", ["physics", "app"])
def test_no_file_besides_its_own_decides_by_the_name_of_a_joint(place):
    known = set(joints.kinds())
    assert set(AMBIGUOUS) <= known
    files = [name for name in under(place) if not name.startswith(("physics/joints/", "app/robots/"))]  # robots: as their files
    assert [line for name in files for line in decided_by_name(name, known)] == []


def test_the_class_found_for_a_kind_of_shape_is_that_which_it_makes():
    assert [kind.__name__ for kind, make in type_hints.SHAPE_EXAMPLES.items() if type(make()) is not kind] == []
