"""NamedTuples of arrays in compiled code: the same values as in Python, no reference lost or kept, and none carried over."""

import sys
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from physics.core.compile import by_reference
from physics.core.jit import kernel, routine


class Pair(NamedTuple):
    first: np.ndarray
    second: np.ndarray


class Numbers(NamedTuple):
    ratio: float
    flag: bool
    count: int


class Tables(NamedTuple):
    pair: Pair
    numbers: Numbers
    column: np.ndarray
    count: int
    flag: bool
    more: tuple


@pytest.fixture(autouse=True)
def ours(monkeypatch):
    """Classes of this file count as the project's own."""
    monkeypatch.setattr(by_reference, "_OURS", "")


def _tables() -> Tables:
    return Tables(Pair(np.arange(3.0), np.arange(3.0) + 1.0), Numbers(1.5, True, 3), np.full(3, 7.0), 4, True,
                  (np.arange(3.0) * 10.0, np.arange(4.0) * 100.0))


@routine
def _sum(tables, pair):
    total = tables.pair.first[0] + tables.pair.second[1] + tables.numbers.ratio + tables.count
    if tables.flag:
        total += tables.more[0][1] + tables.more[1][-1]
    return total + pair.first[0] if tables.numbers.flag else total


@routine
def _made(n):
    return Pair(np.full(n, 2.0), np.full(n, 3.0))


@routine
def _sum_of_fresh(tables, n):
    total = 0.0
    for i in range(n):
        fresh = Pair(np.full(3, 1.0 * i), tables.column)
        total += _sum(Tables(fresh, tables.numbers, tables.column, i, i % 2 == 0, tables.more), fresh)
    return total


@kernel
def _all_sums(tables, n):
    made = _made(4)
    first, second = made
    chosen = tables.pair if n > 2 else made
    return _sum(tables, made), _sum_of_fresh(tables, n), first[1] + second[1] + made[0][2] + made[-1][0], chosen.first[1]


@kernel
def _next(tables):
    return Tables(tables.pair, tables.numbers, tables.column, tables.count + 1, not tables.flag, tables.more)


@kernel
def _carries_over(tables, n):
    last, total = Pair(tables.column, tables.column), 0.0
    for i in range(n):
        fresh = Pair(np.full(3, 1.0 * i), last.first)
        total += last.first[0]
        last = fresh
    return total


def test_compiled_tuples_of_arrays_have_the_values_of_python():
    tables = _tables()
    sums = _all_sums(tables, 5)
    assert sums[0] == 0.0 + 2.0 + 1.5 + 4.0 + 10.0 + 300.0 + 2.0
    assert sums[1] == sum(i + 7.0 + 1.5 + i + (310.0 if i % 2 == 0 else 0.0) + i for i in range(5))
    assert sums[2:] == (10.0, 1.0) and _all_sums(tables, 1)[3] == 2.0


def test_a_returned_tuple_of_arrays_is_whole():
    tables = _tables()
    after = _next(tables)
    assert type(after) is Tables and (after.count, after.flag, after.numbers) == (5, False, Numbers(1.5, True, 3))
    assert all(np.array_equal(a, b) for a, b in zip(after.pair + after.more, tables.pair + tables.more, strict=True))


def test_no_reference_is_lost_or_kept():
    tables = _tables()
    arrays = [*tables.pair, tables.column, *tables.more]
    before = [sys.getrefcount(array) for array in arrays]
    for _ in range(1000):
        _all_sums(tables, 5)
        _next(tables)
    assert [sys.getrefcount(array) for array in arrays] == before


def test_a_tuple_made_in_a_loop_and_carried_over_is_refused():
    with pytest.raises(TypingError, match="'last' is set twice"):
        _carries_over(_tables(), 3)
