"""What numba's functions return is asked once for the same argument types."""

import operator

import numpy as np
import pytest
from numba.core import utils
from numba.core.caching import NullCache
from numba.core.errors import TypingError

from physics.core.jit import kernel


@kernel
def squares(values):
    total = 0.0
    for value in values:
        total = total + value * value + value * value
    return total


@kernel
def products(values):
    return values[0] * values[1]


@kernel
def shifted(value):
    return value + 1.0


@kernel
def absurd(value):
    return value + "metre"


def _compiled(monkeypatch, function, *arguments):
    """(Result, functions whose templates numba asked) of a function compiled anew."""
    asked = []
    order = utils.order_by_target_specificity

    def written_down(target, templates, fnkey=""):
        asked.append(fnkey)
        return order(target, templates, fnkey=fnkey)

    monkeypatch.setattr(utils, "order_by_target_specificity", written_down)
    monkeypatch.setattr(function, "_cache", NullCache())
    return function(*arguments), asked


def test_what_one_function_asked_no_other_asks_again(monkeypatch):
    """Of a type that no kernel has."""
    values = np.array([2, 3], np.uint8)
    assert _compiled(monkeypatch, squares, values)[0] == 26.0
    result, asked = _compiled(monkeypatch, products, values)
    assert result == 6
    assert operator.mul not in asked


def test_answers_of_other_types_do_not_mix(monkeypatch):
    for value in (1, 1.0, np.float32(1.0), True, 1 + 1j):
        assert _compiled(monkeypatch, shifted, value)[0] == shifted.py_func(value)


def test_a_refusal_is_not_remembered(monkeypatch):
    for _ in range(2):
        with pytest.raises(TypingError):
            _compiled(monkeypatch, absurd, 1.0)
