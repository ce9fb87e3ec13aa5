"""Lanes: four numbers in a register give the same bits as four scalars."""

import numpy as np

from physics.core import lanes
from physics.core.jit import kernel


@kernel
def arithmetic(a, out):
    """A bit of everything, on the fields 0 and 1 of a (1, 2, 4)."""
    x, y = lanes.load(a, 0, 0), lanes.load(a, 0, 1)
    lanes.store(out, 0, 0, x + y * x)
    lanes.store(out, 0, 1, (x - y) / y)
    lanes.store(out, 0, 2, lanes.sqrt(lanes.greater(x, y, x, y)))
    return lanes.any_greater(x, y)


@kernel
def move(table, rows, out):
    """Gather a column of four rows, add it to itself, scatter it."""
    four = (rows[0], rows[1], rows[2], rows[3])
    x = lanes.gather(table, four, 1)
    lanes.scatter(out, four, 0, x + lanes.fill(1.0))


def test_arithmetic_has_the_bits_of_scalars():
    a = np.random.default_rng(1).uniform(0.1, 3.0, (1, 2, 4))
    out = np.empty((1, 3, 4))
    assert arithmetic(a, out) == bool((a[0, 0] > a[0, 1]).any())
    for i in range(4):
        x, y = float(a[0, 0, i]), float(a[0, 1, i])
        assert (out[0, 0, i], out[0, 1, i], out[0, 2, i]) == (x + y * x, (x - y) / y, np.sqrt(max(x, y)))
    a[0, 0] = a[0, 1] - 1.0
    assert not arithmetic(a, out)


@kernel
def move_rows(table, rows, out):
    """Gather four columns of four rows, double the first, scatter all."""
    four = (rows[0], rows[1], rows[2], rows[3])
    a, b, c, d = lanes.gather4(table, four, 1)
    lanes.scatter4(out, four, 2, (a + a, b, c, d))


def test_gather_and_scatter_of_four_neighbouring_fields():
    """Column for column what `gather` and `scatter` would move, and nothing beside it."""
    table, out, rows = np.arange(70.0).reshape(10, 7), np.zeros((10, 6)), np.array([7, 2, 5, 0])
    move_rows(table, rows, out)
    wanted = np.zeros((10, 6))
    wanted[rows, 2:] = table[rows, 1:5] * (2.0, 1.0, 1.0, 1.0)
    assert (out == wanted).all()


def test_gather_and_scatter():
    table, out = np.arange(20.0).reshape(10, 2), np.zeros((10, 1))
    move(table, np.array([7, 2, 5, 0]), out)
    assert out[[7, 2, 5, 0], 0].tolist() == [16.0, 6.0, 12.0, 2.0]
    assert out[[1, 3, 4, 6, 8, 9], 0].tolist() == [0.0] * 6


@kernel
def move_neighbours(x, out):
    """Double four neighbours; returns the largest of what they were."""
    four = lanes.load4(x, 3)
    lanes.store4(out, 1, four + four)
    return lanes.highest(four)


def test_neighbours_in_a_row_of_numbers():
    """Wherever the largest of them stands, and nothing beside them is touched."""
    for place in range(4):
        x, out = np.arange(10.0), np.zeros(7)
        x[3 + place] = 20.0
        assert move_neighbours(x, out) == 20.0
        assert out.tolist() == [0.0, *(2.0 * x[3:7]), 0.0, 0.0]
    x = -np.arange(10.0)
    assert move_neighbours(x, out) == -3.0
