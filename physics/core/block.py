"""A block of constraint rows, filled in one place so that no field is left to what was in memory."""

from physics.core.jit import routine
from physics.core.records import Case

_OPEN = int(Case.OPEN)


@routine
def fill(block, a, b, first, count, bound, owner, index):
    """A block of rows first .. first + count - 1 between bodies a and b; the rest of it is neutral."""
    block.a = a
    block.b = b
    block.first = first
    block.count = count
    block.bound = bound
    block.normal = -1
    block.owner = owner
    block.index = index
    block.case = _OPEN
    block.role = -1
    block.slot = 0
    block.limit = 0.0
    block.viscous = 0.0
    block.lower = 0.0
    block.upper = 0.0
    block.mu = 0.0
