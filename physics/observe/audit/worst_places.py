"""Table of findings: for each rule the worst place in a step, and the number of violations."""

from enum import IntEnum

import numpy as np

from physics.core.jit import inline


class Rule(IntEnum):
    """Rules that the auditor checks."""

    GAINED = 0      # unexplained gain of energy
    LOST = 1        # unexplained loss of energy
    BALANCE = 2     # change of a body's momentum that no impulse explains
    MOMENTUM = 3    # momentum of an isolated island
    SPIN = 4        # its angular momentum
    JOINT = 5       # a joint's parts came apart
    PULLS = 6       # a contact pulls
    ACROSS = 7      # a contact pushes across a gap
    CONE = 8        # friction beyond its bound
    STICKS = 9      # slips with less than full friction
    DRIVES = 10     # friction along the slip
    OVERLAP = 11    # bodies overlap


RATIO, VALUE, BODY, OTHER_BODY, CONTACT, JOINT, COUNT = range(7)
"""Columns of the table: value over its threshold, value, and location; -1: none."""


def room() -> np.ndarray:
    """An empty table, (rules, columns)."""
    return np.full((len(Rule), 7), -1.0)


@inline
def clear(found):
    """Clear the table."""
    for k in range(found.shape[0]):
        for i in range(found.shape[1]):
            found[k, i] = -1.0


@inline
def record_worst(found, rule, ratio, value, body, other, contact, joint):
    """Count a value beyond its threshold and keep the worst; ratio: value over threshold."""
    if ratio > 1.0:
        found[rule, COUNT] = max(found[rule, COUNT], 0.0) + 1.0
    if ratio > found[rule, RATIO]:
        found[rule, RATIO], found[rule, VALUE] = ratio, value
        found[rule, BODY], found[rule, OTHER_BODY] = body, other
        found[rule, CONTACT], found[rule, JOINT] = contact, joint
