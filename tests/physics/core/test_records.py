"""Tables of records chosen from, joined and written as whole elements."""

import numpy as np
import pytest

from physics.core.records import CONTACT, JOINT, MANIFOLD, Case, copy_of, joined, put, selected


def table_of(kind, count, seed):
    """A table of that type with random bytes."""
    return np.frombuffer(bytearray(np.random.default_rng(seed).bytes(count * kind.itemsize)), kind)


def values_of(table):
    """All fields; numpy leaves out the bytes between them."""
    return [table[name].tobytes() for name in table.dtype.names]


@pytest.mark.parametrize("kind", [CONTACT, JOINT, MANIFOLD])
@pytest.mark.parametrize("count", [0, 1, 7, 300])
def test_all_is_as_with_the_array_itself(kind, count):
    table, other = table_of(kind, count, 1), table_of(kind, 5, 2)
    mask = np.arange(count) % 3 == 0
    for which in (mask, np.flatnonzero(mask)[::-1]):
        found = selected(table, which)
        assert found.dtype == kind and values_of(found) == values_of(table[which])
        assert not np.shares_memory(found, table)
    both = joined(table, other, table)
    assert both.dtype == kind and both.tobytes() == table.tobytes() + other.tobytes() + table.tobytes()
    new, expected = table_of(kind, int(mask.sum()), 3), copy_of(table)
    expected[mask] = new
    put(table, mask, new)
    assert values_of(table) == values_of(expected)


def test_a_code_is_an_integer_that_may_have_a_name():
    assert Case(2) == Case.SLIP == 2 and Case(np.uint8(2)).name == "SLIP" and isinstance(Case(0), int)
    with pytest.raises(ValueError, match=r"^7 is no Case; allowed are 0 \(open\), 1 \(stick\), 2 \(slip\)$"):
        Case(7)
