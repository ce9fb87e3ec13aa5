"""Tables with those bodies alone that a step may move, or that these touch, where a world has many more at rest: substeps look at
each body of a table several times.

Bodies of a table do not act on each other but by contacts and joints, so the results are those of the whole table, bit by bit.
"""

import numpy as np

from physics.core.jit import routine
from physics.core.records import BODY, Kind

MANY, FEW = 512, 0.25
"""Tables of at least so many bodies are divided where less than this share of them counts."""

_STATIC = Kind.STATIC


@routine
def number(bodies, contacts, place):
    """Number the bodies of the smaller table in their order, the world's first: `place` (bodies,), -1 for the others, such as
    sleepers, which nothing touches; returns how many there are."""
    place[:] = -1
    place[0] = 0
    for n in range(contacts.shape[0]):
        place[contacts[n].body_a] = place[contacts[n].body_b] = 0
    count = 0
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.asleep != 0:
            continue
        if place[i] == 0 or b.kind != _STATIC or b.force.any() or b.torque.any():
            place[i] = count
            count += 1
    return count


@routine
def gather(bodies, contacts, place, count):
    """The smaller table; contacts are renumbered for it."""
    few = np.empty(count, BODY)
    for i in range(bodies.shape[0]):
        if place[i] >= 0:
            few[place[i]] = bodies[i]
    for n in range(contacts.shape[0]):
        c = contacts[n]
        c.body_a, c.body_b = place[c.body_a], place[c.body_b]
    return few


@routine
def scatter(few, place, bodies, contacts):
    """Write the smaller table back, and number contacts as before."""
    index = np.empty(few.shape[0], np.int32)
    for i in range(bodies.shape[0]):
        if place[i] >= 0:
            index[place[i]] = i
            bodies[i] = few[place[i]]
    for n in range(contacts.shape[0]):
        c = contacts[n]
        c.body_a, c.body_b = index[c.body_a], index[c.body_b]
