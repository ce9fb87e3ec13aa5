"""What numba's functions return is asked once for the same argument types."""

import operator

import numpy as np
import pytest
from numba import types
from numba.core.caching import NullCache
from numba.core.errors import TypingError

from physics.core.compile import call_types
from physics.core.jit import kernel


@kernel
def squares(values):
    total = 0.0
    for value in values:
        total = total + value * value + value * value
    return total


@kernel
def shifted(value):
    return value + 1.0


@kernel
def absurd(value):
    return value + "metre"


def _asked(monkeypatch, function, *arguments):
    """The questions that reach numba's templates while a function is compiled."""
    questions = []
    ask = call_types._ask_templates

    def written_down(called, context, types_of_arguments, by_name):
        questions.append((called.typing_key, tuple(types_of_arguments)))
        return ask(called, context, types_of_arguments, by_name)

    monkeypatch.setattr(call_types, "_ask_templates", written_down)
    monkeypatch.setattr(function, "_cache", NullCache())
    result = function(*arguments)
    return result, questions


def test_a_question_is_asked_once(monkeypatch):
    monkeypatch.setattr(call_types, "_answers", {})
    result, questions = _asked(monkeypatch, squares, np.array([1.0, 2.0]))
    assert result == 10.0
    assert questions.count((operator.mul, (types.float64, types.float64))) == 1


def test_answers_of_other_types_do_not_mix(monkeypatch):
    for value in (1, 1.0, np.float32(1.0), True, 1 + 1j):
        assert _asked(monkeypatch, shifted, value)[0] == shifted.py_func(value)


def test_a_refusal_is_not_remembered(monkeypatch):
    for _ in range(2):
        with pytest.raises(TypingError):
            _asked(monkeypatch, absurd, 1.0)
