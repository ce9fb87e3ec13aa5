"""Who may touch whom: groups first, then categories and masks (the convention of Box2D: b2Filter).

    same group, not 0      positive: always; negative: never
    otherwise              (category_a & mask_b) != 0  and  (category_b & mask_a) != 0

A record holds the bits that a mask leaves out (`ignores`), and category 0 for the first bit: a record of zeros touches all.
"""

from typing import Any

import numpy as np

from physics.check import flag, said
from physics.core.jit import inline
from physics.errors import BadInput

ALL = 0xFFFFFFFF
"""A mask of all 32 categories."""


@inline
def may_touch(a, b):
    """True if the filters of two records (SHAPE or TAG) let them touch."""
    if a.group == b.group and a.group != 0:
        return a.group > 0
    category_a = a.category if a.category != 0 else np.uint32(1)
    category_b = b.category if b.category != 0 else np.uint32(1)
    return category_a & ~b.ignores != 0 and category_b & ~a.ignores != 0


def fields(what: str, category: Any = None, mask: Any = None, group: Any = None, sensor: Any = None) -> dict[str, int]:
    """Values of SHAPE fields from those of a person; None leaves a field out.

    Raises:
        BadInput: not whole numbers of 32 bits, a category without a bit, a sensor that is neither true nor false.
    """
    found = {}
    if category is not None:
        found["category"] = _whole(f"{what}: category", category, 1, ALL)
    if mask is not None:
        found["ignores"] = ALL ^ _whole(f"{what}: mask", mask, 0, ALL)
    if group is not None:
        found["group"] = _whole(f"{what}: group", group, 1 - 2**31, 2**31 - 1)
    if sensor is not None:
        found["sensor"] = int(flag(f"{what}: sensor", sensor))
    return found


def _whole(what: str, value: Any, lo: int, hi: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not lo <= value <= hi:
        raise BadInput(f"{what} = {said(value)} must be a whole number from {lo} to {hi}")
    return int(value)
