"""Audit of compliant contacts: the energy in their springs, from the displacements of their patches.

With z = n.patch (CONTACT.patch), x the rest of it and CONTACT.patch_turn, K and K_t the springs of the solver
(Solver.contact_springs), z_H the depth of a Hertzian one:

    E = K z^2 / 2 + K_t x^2 / 2,    or    K z_H^2 (2/5) (|z| / z_H)^(5/2) + K_t x^2 / 2                              (1)

A pair of shapes stores sum E after the step less sum E of its contacts in the step before. A pair that was not in contact begins
with the overlap of its poses, which is the user's. What contacts take from the bodies and do not store is dissipated by dampers
and friction; what bodies and springs together gain comes from nowhere (verdict.py). Legal in such a contact is what is not in a
rigid one: relative motion while it sticks, a spring that drives the motion, and overlap up to half the thickness of a body.
"""

import math

from physics.core import vec
from physics.core.jit import inline, routine
from physics.observe.audit.contacts import pair_key
from physics.observe.audit.sums import STORED, moves, owner


@inline
def _normal_energy(depth, springs):
    stiffness, _, hertz = springs
    if hertz > 0.0:
        return 0.4 * stiffness * hertz * hertz * (depth / hertz) ** 2 * math.sqrt(depth / hertz)
    return 0.5 * stiffness * depth * depth


@inline
def elastic_energy(c, springs):
    """(1) of one contact [J]."""
    z = vec.dot(c.normal, c.patch)
    x = vec.madd(c.patch, c.normal, -z)
    return _normal_energy(abs(z), springs) + 0.5 * springs[1] * (vec.dot(x, x) + vec.dot(c.patch_turn, c.patch_turn))


@routine
def _pair_energy(contacts, first, springs):
    """((1) of all contacts of the pair that begins at `first` [J], index of the next pair)."""
    total, n = 0.0, first
    while n < contacts.shape[0] and pair_key(contacts[n]) == pair_key(contacts[first]):
        total += elastic_energy(contacts[n], springs)
        n += 1
    return total, n


@routine
def enter(contacts, held, springs, bodies, sums):
    """Add the energy that each pair stored in this step to its body. contacts, held: now and in the step before, by pair."""
    if springs[0] == 0.0:
        return
    n, old = 0, 0
    while n < contacts.shape[0]:
        first = n
        c = contacts[first]
        stored, n = _pair_energy(contacts, first, springs)
        while old < held.shape[0] and pair_key(held[old]) < pair_key(c):
            old += 1
        if old < held.shape[0] and pair_key(held[old]) == pair_key(c):
            before, old = _pair_energy(held, old, springs)
            stored -= before
        else:
            for k in range(first, n):
                stored -= _normal_energy(max(0.0, -contacts[k].gap), springs)
        if moves(bodies[c.body_a]) or moves(bodies[c.body_b]):
            sums[owner(bodies, c.body_a, c.body_b), STORED] += stored
