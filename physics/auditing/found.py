"""What was found: for each rule the worst place of a step, and how many broke it."""

from enum import IntEnum

import numpy as np

from physics.core.jit import inline


class Rule(IntEnum):
    """What is judged."""

    GAINED = 0      # energy came from nowhere
    LOST = 1        # energy went nowhere
    BALANCE = 2     # a body's momentum changed by what no impulse explains
    MOMENTUM = 3    # momentum of an island that nothing touches
    SPIN = 4        # its angular momentum
    JOINT = 5       # a joint's parts came apart
    PULLS = 6       # a contact pulls
    ACROSS = 7      # a contact pushes across a gap
    CONE = 8        # friction beyond its bound
    STICKS = 9      # slips, and has not all its friction
    DRIVES = 10     # friction along the slip
    OVERLAP = 11    # bodies in one another


RATIO, VALUE, BODY, OTHER, CONTACT, JOINT, COUNT = range(7)
"""Columns of what was found: value over its threshold, value, and where; -1: none."""


def room() -> np.ndarray:
    """For what a step may find, (rules, columns)."""
    return np.full((len(Rule), 7), -1.0)


@inline
def clear(found):
    """Nothing found yet."""
    for k in range(found.shape[0]):
        for i in range(found.shape[1]):
            found[k, i] = -1.0


@inline
def note(found, rule, ratio, value, body, other, contact, joint):
    """Count what is beyond its threshold and keep the worst; ratio: value over threshold."""
    if ratio > 1.0:
        found[rule, COUNT] = max(found[rule, COUNT], 0.0) + 1.0
    if ratio > found[rule, RATIO]:
        found[rule, RATIO], found[rule, VALUE] = ratio, value
        found[rule, BODY], found[rule, OTHER] = body, other
        found[rule, CONTACT], found[rule, JOINT] = contact, joint
