"""Contacts get the numbers of their pair of materials.

    mu     mu_s where the contact sticks, mu_k where it slides: until it sticks again                              (1)
    t1     the direction of the larger friction, mu; along t2 = n x t1 it is anisotropy * mu <= mu
    target tangential: the surfaces move with s_a, s_b against their bodies; no slip is v_b + s_b = v_a + s_a     (2)

State of (1): a contact slides if it did not stick in the last step and its bodies move past one another faster than CREEP.
Of two anisotropic materials the one farther from 1 sets ellipse and axis.
"""

import math

from physics.core import mat3, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import Case

CREEP = 1e-5
"""Slip below this is noise of a solver that was stopped by its budget, not sliding [m/s]."""

_STICK = int(Case.STICK)


@routine
def combine(rule, x, y):
    """Value of a pair; rule: index into RULES (material.py)."""
    if rule == 0:
        return 0.5 * (x + y)
    if rule == 1:
        return math.sqrt(x * y)
    if rule == 2:
        return min(x, y)
    if rule == 3:
        return x * y
    return max(x, y)


@kernel
def combined(rules, x, y, out):
    """out[i] = the value of rule i for x[i], y[i]."""
    for i in range(rules.shape[0]):
        out[i] = combine(rules[i], x[i], y[i])


@inline
def given(value, otherwise):
    """value, unless it is nan."""
    return otherwise if math.isnan(value) else value


@inline
def pair_index(a, b):
    """Where the pair of materials a, b stands in the table of pairs."""
    return max(a, b) * (max(a, b) + 1) // 2 + min(a, b)


@kernel
def mix(contacts, shapes, bodies, materials, pairs):
    """Write friction, restitution, pair, tangent, anisotropy and the tangential targets of all contacts.

    contacts: as the narrow phase left them, case that of the last step. materials: MATERIAL (m,); pairs: PAIR.
    """
    for i in range(contacts.shape[0]):
        c = contacts[i]
        a, b = shapes[c.shape_a], shapes[c.shape_b]
        p, q = materials[a.material], materials[b.material]
        c.pair = pair_index(a.material, b.material)
        pair = pairs[c.pair]
        c.restitution = given(pair.restitution, combine(pair.restitution_rule, a.restitution, b.restitution))
        _steer(c, a, b, p, q)
        static = given(pair.friction, combine(pair.friction_rule, a.friction, b.friction))
        kinetic = given(pair.kinetic_friction,
                        combine(pair.friction_rule, p.kinetic_ratio * a.friction, q.kinetic_ratio * b.friction))
        mu = static
        if kinetic < static and slides(c, bodies):
            mu = kinetic
        if c.anisotropy > 1.0:
            mu *= c.anisotropy
            c.anisotropy = 1.0 / c.anisotropy
            vec.assign(c.tangent, vec.cross(c.normal, c.tangent))
            c.target[1], c.target[2] = c.target[2], -c.target[1]
        c.friction = mu


@routine
def _steer(c, a, b, p, q):
    """Axis and ratio of the friction ellipse, and the tangential targets."""
    turned = max(p.anisotropy, 1.0 / p.anisotropy) >= max(q.anisotropy, 1.0 / q.anisotropy)
    ratio = p.anisotropy if turned else q.anisotropy
    if ratio != 1.0:
        axis = mat3.apply(a.rot, p.axis) if turned else mat3.apply(b.rot, q.axis)
        along = vec.madd(axis, c.normal, -vec.dot(axis, c.normal))
        if vec.norm(along) > 1e-6 * vec.norm(axis):
            vec.assign(c.tangent, vec.unit(along))
            c.anisotropy = ratio
    moving = vec.sub(mat3.apply(a.rot, p.surface_velocity), mat3.apply(b.rot, q.surface_velocity))
    c.target[1] = vec.dot(c.tangent, moving)
    c.target[2] = vec.dot(vec.cross(c.normal, c.tangent), moving)


@routine
def slides(c, bodies):
    """State of (1)."""
    if c.case == _STICK:
        return False
    a, b = bodies[c.body_a], bodies[c.body_b]
    v_a = vec.add(a.vel, vec.cross(a.omega, vec.sub(c.pos, a.pos)))
    v_b = vec.add(b.vel, vec.cross(b.omega, vec.sub(c.pos, b.pos)))
    t2 = vec.cross(c.normal, c.tangent)
    dv = vec.sub(v_b, v_a)
    u, w = vec.dot(c.tangent, dv) - c.target[1], vec.dot(t2, dv) - c.target[2]
    return u * u + w * w > CREEP * CREEP
