"""Which dry friction of joints sticks, and is solved together with the constraints, and which slips.

The law of a friction block with impulse p, velocity error w and bound L (joint_rows.py, 1): w = 0 and ||p|| <= L, or w is not 0
and p = -L w / ||w||. What sticks is an equation like a constraint's, so a mechanism whose friction sticks everywhere is solved at
once, however long (direct.py). The choice is the active set of the law:

    a block sticks     at first, if its warm start is inside the bound, ||p|| < L                                   (1)
    it lets go         when the solution of the equations has ||p|| > L: p <- L p / ||p||, and sweeps go on with it  (2)
    it sticks again    when a sweep finds it inside its bound                                                       (3)

(3) ends after CHOICES sweeps, so that the set cannot go round in circles: then sweeps alone decide, as for all that is not here.
Joints with a motor are left to the sweeps: a motor may pull along the direction that friction holds.
"""

import math

import numpy as np

from physics.core.jit import routine
from physics.core.records import Case, Role
from physics.core.row import apply

_STICK, _SLIP = int(Case.STICK), int(Case.SLIP)

CHOICES = 30
"""Sweeps of a substep in which a slipping block may stick again."""

MOST_ROWS = 6
"""Constraint and friction rows of one joint; more would hold a direction twice."""


def candidates(pieces: np.ndarray, constraints: np.ndarray) -> list[list[int]]:
    """For each of the constraint blocks (indices into a plan's PIECE table), the friction blocks that may join it."""
    found = []
    for index in constraints.tolist():
        mine = np.flatnonzero(pieces["joint"] == pieces["joint"][index])
        friction = mine[pieces["role"][mine] == Role.FRICTION].tolist()
        rows = int(pieces["count"][index] + pieces["count"][friction].sum())
        driven = (pieces["role"][mine] == Role.MOTOR).any()
        found.append([] if driven or rows > MOST_ROWS else friction)
    return found


@routine
def begin(rows, blocks, factors):
    """(1), from the warm start."""
    for f in range(factors.friction.shape[0]):
        block = blocks[factors.friction[f]]
        factors.sticks[f] = 1 if _size(rows, block) < block.limit else 0


@routine
def let_all_go(factors):
    """No friction is among the equations; True if that changes anything."""
    changed = False
    for f in range(factors.sticks.shape[0]):
        changed = changed or factors.sticks[f] == 1
        factors.sticks[f] = 0
    return changed


@routine
def let_go(rows, blocks, factors, velocity):
    """(2); True if the set has changed."""
    changed = False
    for f in range(factors.friction.shape[0]):
        if factors.sticks[f] == 0:
            continue
        block = blocks[factors.friction[f]]
        block.case = _STICK
        size = _size(rows, block)
        if size > block.limit:
            for i in range(block.first, block.first + block.count):
                change = rows[i].impulse * (block.limit / size - 1.0)
                rows[i].impulse += change
                apply(rows[i], block, velocity[block.a], velocity[block.b], change)
            block.case = _SLIP
            factors.sticks[f], changed = 0, True
    return changed


@routine
def stick_again(blocks, factors):
    """(3); True if the set has changed."""
    changed = False
    for f in range(factors.friction.shape[0]):
        block = blocks[factors.friction[f]]
        if factors.sticks[f] == 0 and block.case == _STICK and block.limit > 0.0:
            factors.sticks[f], changed = 1, True
    return changed


@routine
def _size(rows, block):
    """||p||."""
    square = 0.0
    for i in range(block.first, block.first + block.count):
        square += rows[i].impulse * rows[i].impulse
    return math.sqrt(square)
