"""Reference counts: omitted in functions that own no array, kept elsewhere; stack arrays are scratch."""

import gc
import sys

import numpy as np
import pytest
from numba import types
from numba.core.caching import NullCache

from physics.core import clock, stack
from physics.core.compile.compiling import Kernel
from physics.core.jit import kernel, routine
from physics.dynamics.measure import energy
from physics.solvers.impulses.step import run_step

_square = stack.scratch(2, 2)


@routine
def _row(table, i):
    """A view that its caller goes on with."""
    return table[i]


@routine
def _copied(row):
    return row.copy()


@kernel
def sum_of(table):
    total = 0.0
    for i in range(table.shape[0]):
        row = _row(table, i)
        for k in range(row.shape[0]):
            total += row[k]
    return total


@kernel
def sum_of_copies(table):
    total = 0.0
    for i in range(table.shape[0]):
        copy = _copied(table[i])
        total += copy[0]
    return total


@kernel
def total_of(table):
    total = 0.0
    for i in range(table.shape[0]):
        for k in range(table.shape[1]):
            total += table[i, k]
    return total


@kernel
def product(angle):
    """a b, 2 x 2, with two pieces of scratch that must not be one."""
    a, b = _square(), _square()
    a[0, 0], a[0, 1], a[1, 0], a[1, 1] = 1.0, angle, 0.0, 1.0
    b[0, 0], b[0, 1], b[1, 0], b[1, 1] = 1.0, 0.0, angle, 1.0
    return a[0, 0] * b[0, 0] + a[0, 1] * b[1, 0], a[0, 0] * b[0, 1] + a[0, 1] * b[1, 1]


def _counts(function) -> bool:
    """Compiled anew, for code that was read from the cache shows no LLVM text."""
    compiled = Kernel(function.py_func)
    compiled._cache = NullCache()
    compiled.compile(function.signatures[0])
    return any("NRT_incref" in text or "NRT_decref" in text for text in compiled.inspect_llvm().values())


def test_a_function_that_owns_no_array_counts_nothing():
    table = np.ones((50, 3))
    assert total_of(table) == sum_of(table) == 150.0 and sum_of_copies(table) == 50.0
    assert not _counts(total_of)
    assert _counts(sum_of_copies)


def test_returned_arrays_are_reference_counted_by_the_caller():
    """A routine that returns an array owns it: a caller that did not count it would free it too soon, or never."""
    table, before = np.ones((50, 3)), []
    for function in (sum_of, sum_of_copies, total_of):
        function(table)
        for _ in range(2000):
            function(table)
        before.append(sys.getrefcount(table))
    assert before == [sys.getrefcount(table)] * 3
    assert table.sum() == 150.0


def test_scratch_arrays_do_not_overlap():
    assert product(3.0) == (10.0, 3.0)
    assert not _counts(product)


def test_the_clock_of_compiled_code_runs():
    @kernel
    def twice():
        return clock.now(), clock.now()

    first, second = twice()
    later = twice()[0]
    assert 0.0 < first <= second <= later < first + 60.0


@pytest.mark.parametrize("function", [energy, run_step], ids=["energy", "advance"])
def test_calls_in_a_step_find_the_compiled_function_itself(function, monkeypatch):
    from physics import World, shapes, step

    monkeypatch.setattr(Kernel, "checks", False)
    monkeypatch.setattr(function, "unchecked", function._first_call)
    world = World()
    world.add_body(shapes.kinds()["sphere"].make((1.0, 1.0, 1.0)))
    for _ in range(2):
        step(world, 0.01)
    assert function.unchecked is next(iter(function.overloads.values())).entry_point
    gc.collect()
    assert world.bodies["pos"][1, 2] == pytest.approx(-0.5 * 9.81 * 0.02**2, rel=1e-9)


def test_signatures_are_fixed_after_the_first_compilation(monkeypatch):
    monkeypatch.setattr(Kernel, "checks", False)

    @kernel
    def twice(x):
        return 2.0 * x[0]

    assert twice.unchecked(np.ones(1)) == 2.0
    assert twice.signatures == [(types.float64[::1],)]
    with pytest.raises(TypeError, match="unbox"):
        twice.unchecked(np.ones(1, np.float32))
