"""The checks of kernels' arguments that all tests run with."""

from typing import NamedTuple

import numpy as np

from physics.core.jit import kernel
from tests.tools import argument_checks


class Rows(NamedTuple):
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    d: np.ndarray
    e: np.ndarray
    f: np.ndarray
    g: np.ndarray
    h: np.ndarray


def rows(kind=np.float64):
    return Rows(*(np.full(2, k, kind) for k in range(8)))


def checked_sum():
    @kernel
    def total(tables, factor, row):
        return tables.a[0] + tables.h[1] + factor * row[0]

    total.unchecked = argument_checks.known_types(total)
    return total


def test_known_tuples_and_new_ones_give_the_result_of_the_kernel():
    total, same, row = checked_sum(), rows(), np.ones(1)
    assert [total.unchecked(same, float(k), row) for k in range(3)] == [7.0, 8.0, 9.0]
    same.a[0] = 10.0
    assert total.unchecked(same, 1.0, 2.0 * row) == 19.0
    assert total.unchecked(rows(), 1.0, row) == 8.0 and total.unchecked(same, 1.0, row) == 18.0
    assert len(total.signatures) == 1


def test_other_types_are_not_taken_for_those_of_the_last_call():
    """Each reaches numba, which compiles for it: machine code for float64 would read two float32 as one number."""
    for others in ((rows(np.float32), 1.0, np.ones(1)), (rows(), 1.0, np.ones(1, np.float32)), (rows(), 1, np.ones(1))):
        total = checked_sum()
        for _ in range(2):
            assert total.unchecked(rows(), 1.0, np.ones(1)) == 8.0
        assert total.unchecked(*others) == 8.0 and len(total.signatures) == 2
        assert total.unchecked(rows(), 1.0, np.ones(1)) == 8.0


def test_a_kernel_without_arguments_is_called():
    @kernel
    def one():
        return 1.0

    one.unchecked = argument_checks.known_types(one)
    assert one.unchecked() == one.unchecked() == 1.0
