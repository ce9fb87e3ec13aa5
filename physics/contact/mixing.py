"""Surface properties of contacts from their pairs of materials.

    mu     mu_s while the contact sticks, mu_k while it slides, until it sticks again                              (1)
    t1     the direction of the larger friction, mu; along t2 = n x t1 it is anisotropy * mu <= mu
    target tangential: surfaces move with s_a, s_b relative to their bodies; no slip is v_b + s_b = v_a + s_a     (2)

State of (1). Sliding begins within a step, as soon as static friction does not hold (solvers/impulses/break_away.py); where a
solver does not look for that, in the next step. Compliant contact has a state of its own (solvers/compliant/sliding.py). Two
bodies break loose as a whole: while one corner of a block sticks, the others cannot slip, and apparent slip of saturated corners
is the solver's residual. So a contact slides if it did not stick in the last step, if its bodies move there faster than MIN_SLIP,
and if the pair of bodies slid. With slips u of its contacts and their
impulses p of the last step, sigma the support function of the cone's section (friction_cone.py), in coordinates in which it is a
disc or k-gon:

    the pair slid if    sum -p_t.u > (1 - NEARLY) sum mu p_n sigma(u)          friction dissipates the maximum           (3)
    or if               sum |u| / n > FAST sum mu p_n (1/m_a + 1/m_b)          more than friction changes in a step      (4)

(3) detects at once that a slowly loaded block breaks loose, since its limit is a force and not a speed of creep; (4) is for
bodies that turn while sliding, whose impulses have several directions.
Of two anisotropic materials the one farther from 1 sets ellipse and axis.
"""

import math

import numpy as np

from physics.contact.friction_cone import support
from physics.core import mat3, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import Case, Kind

MIN_SLIP = 1e-6
"""Slip below this counts as rest [m/s]."""

NEARLY = 1e-3
"""Fraction of the limit that may be missing: the solvers' residual."""

FAST = 0.5
"""Fraction of the velocity change by friction in a step."""

_DYNAMIC = Kind.DYNAMIC
_STICK = Case.STICK


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
def value_or(value, otherwise):
    """value, unless it is nan."""
    return otherwise if math.isnan(value) else value


@inline
def pair_index(a, b):
    """Index of the pair of materials a, b in the table of pairs."""
    return max(a, b) * (max(a, b) + 1) // 2 + min(a, b)


@kernel
def mix_contacts(contacts, last, shapes, bodies, materials, pairs, polygon):
    """Write friction, restitution, pair, tangent, anisotropy and the tangential targets of all contacts.

    contacts: from the narrow phase, with the case of the last step; last: contacts of that step. materials: MATERIAL (m,);
    pairs: PAIR; polygon: of the friction cone.
    """
    head, partners = np.full(bodies.shape[0], -1, np.int64), np.empty((last.shape[0], 2), np.int64)
    sums = np.zeros((last.shape[0], 5))
    _sum_up(last, bodies, polygon, head, partners, sums)
    for i in range(contacts.shape[0]):
        c = contacts[i]
        a, b = shapes[c.shape_a], shapes[c.shape_b]
        p, q = materials[a.material], materials[b.material]
        c.pair = pair_index(a.material, b.material)
        pair = pairs[c.pair]
        c.restitution = value_or(pair.restitution, combine(pair.restitution_rule, a.restitution, b.restitution))
        _friction_axis(c, a, b, p, q)
        static, kinetic = _coefficients(a, b, p, q, pair)
        mu = static
        if kinetic < static and is_sliding(c, bodies, head, partners, sums):
            mu = kinetic
        if c.anisotropy > 1.0:
            mu *= c.anisotropy
            c.anisotropy = 1.0 / c.anisotropy
            vec.assign(c.tangent, vec.cross(c.normal, c.tangent))
            c.target[1], c.target[2] = c.target[2], -c.target[1]
        c.friction = mu


@inline
def _coefficients(a, b, p, q, pair):
    """(mu_s, mu_k) of two shapes with materials p, q."""
    return (value_or(pair.friction, combine(pair.friction_rule, a.friction, b.friction)),
            value_or(pair.kinetic_friction,
                     combine(pair.friction_rule, p.kinetic_ratio * a.friction, q.kinetic_ratio * b.friction)))


@routine
def kinetic_shares(contacts, shapes, materials, pairs):
    """mu_k / mu_s of each contact that has mu_s, else 1: what its friction falls to if it breaks loose within the step; empty if
    that is 1 everywhere. Anisotropic contacts, whose friction is scaled, break loose between steps alone."""
    shares, some = np.ones(contacts.shape[0]), False
    for i in range(contacts.shape[0]):
        c = contacts[i]
        a, b = shapes[c.shape_a], shapes[c.shape_b]
        static, kinetic = _coefficients(a, b, materials[a.material], materials[b.material], pairs[c.pair])
        if kinetic < static and c.friction == static and c.anisotropy == 1.0:
            shares[i], some = kinetic / static, True
    return shares if some else np.empty(0)


@routine
def frictions(contacts, shapes, materials, pairs):
    """(mu_s, mu_k) of each contact (contacts, 2); empty if they are the same everywhere."""
    both, differ = np.empty((contacts.shape[0], 2)), False
    for i in range(contacts.shape[0]):
        c = contacts[i]
        a, b = shapes[c.shape_a], shapes[c.shape_b]
        both[i, 0], both[i, 1] = _coefficients(a, b, materials[a.material], materials[b.material], pairs[c.pair])
        differ = differ or both[i, 1] < both[i, 0]
    return both if differ else np.empty((0, 2))


@routine
def _friction_axis(c, a, b, p, q):
    """Write axis and ratio of the friction ellipse, and the tangential targets."""
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
def find_pair(a, b, head, partners):
    """Index of the sums of two bodies; -1: none. head (bodies,): first pair in which the body is the larger index; partners:
    (smaller body, next pair) of each."""
    k = head[max(a, b)]
    while k >= 0 and partners[k, 0] != min(a, b):
        k = partners[k, 1]
    return k


@routine
def _sum_up(last, bodies, polygon, head, partners, sums):
    """The sums of (3) and (4) of each pair of bodies: dissipation, its maximum, slip, contacts, change of velocity."""
    count = 0
    for i in range(last.shape[0]):
        c = last[i]
        if c.impulse <= 0.0:
            continue
        a, b = c.body_a, c.body_b
        k = find_pair(a, b, head, partners)
        if k < 0:
            k, count = count, count + 1
            partners[k, 0], partners[k, 1], head[max(a, b)] = min(a, b), head[max(a, b)], k
        u, w = vec.dot(c.tangent, c.slip), c.anisotropy * vec.dot(vec.cross(c.normal, c.tangent), c.slip)
        most = c.friction * c.impulse
        sums[k, 0] -= vec.dot(c.friction_impulse, c.slip)
        sums[k, 1] += most * support(polygon, u, w)
        sums[k, 2] += math.sqrt(u * u + w * w)
        sums[k, 3] += 1.0
        sums[k, 4] += most * (_mobility(bodies[a]) + _mobility(bodies[b]))


@inline
def _mobility(body):
    return body.inv_mass if body.kind == _DYNAMIC else 0.0


@routine
def is_sliding(c, bodies, head, partners, sums):
    """Whether a contact slides, the state of (1)."""
    if c.case == _STICK:
        return False
    a, b = bodies[c.body_a], bodies[c.body_b]
    v_a = vec.add(a.vel, vec.cross(a.omega, vec.sub(c.pos, a.pos)))
    v_b = vec.add(b.vel, vec.cross(b.omega, vec.sub(c.pos, b.pos)))
    t2 = vec.cross(c.normal, c.tangent)
    dv = vec.sub(v_b, v_a)
    u, w = vec.dot(c.tangent, dv) - c.target[1], vec.dot(t2, dv) - c.target[2]
    if u * u + w * w <= MIN_SLIP * MIN_SLIP:
        return False
    k = find_pair(c.body_a, c.body_b, head, partners)
    if k < 0:
        return True
    pair = sums[k]
    return pair[0] > (1.0 - NEARLY) * pair[1] or pair[2] > FAST * pair[3] * pair[4]
