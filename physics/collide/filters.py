"""Who may touch whom: groups first, then categories and masks (the convention of Box2D: b2Filter).

    same group, not 0      positive: always; negative: never
    otherwise              (category_a & mask_b) != 0  and  (category_b & mask_a) != 0

A record holds the bits that a mask leaves out (`ignores`), and category 0 for the first bit: a record of zeros touches all.
"""

from typing import Any

import numpy as np

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


def bits(what: str, value: Any, lowest: int) -> int:
    """`value` as a whole number of up to 32 bits, or BadInput."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not lowest <= value <= ALL:
        raise BadInput(f"{what} = {value!r} must be a whole number from {lowest} to {ALL}: one bit for each of 32 categories")
    return int(value)


def whole(what: str, value: Any) -> int:
    """`value` as a whole number that an int32 holds, or BadInput."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or abs(value) >= 2**31:
        raise BadInput(f"{what} = {value!r} must be a whole number of up to 31 bits; 0 for no group")
    return int(value)


def write(shapes: np.ndarray, what: str, category: Any = None, mask: Any = None, group: Any = None) -> None:
    """Check what is given and write it into SHAPE records; None leaves a value as it is."""
    category = None if category is None else bits(f"{what}: category", category, 1)
    mask = None if mask is None else bits(f"{what}: mask", mask, 0)
    group = None if group is None else whole(f"{what}: group", group)
    if category is not None:
        shapes["category"] = category
    if mask is not None:
        shapes["ignores"] = ALL ^ mask
    if group is not None:
        shapes["group"] = group
