"""Extended contacts, whose materials need more than Coulomb's law: a list beside the patches, empty in most worlds.

With the contact's normal impulse p_n, its relative angular velocity dw = omega_b - omega_a and lengths c from the materials:

    torsional friction    |m_n| <= c_t p_n,      m_n = - c_t p_n sign(n.dw) if it spins           [N m s]          (1)
    rolling friction      ||m_t|| <= c_r p_n,    m_t = - c_r p_n dw_t / ||dw_t|| if it rolls                       (2)
    tangential rebound    t.dv = -e_t (t.dv before), in an impact that rebounds, inside the friction cone          (3)
    torsional rebound     n.dw = -e_r (n.dw before), in an impact that rebounds, within torsional friction        (3')
    adhesion              while touching, a pull f dt along the normal: p_n is the pressing impulse, p_n - f dt the
                          net one; friction grows with p_n (Derjaguin, Muller and Toporov's law)                   (4)

K of (1), (2) is I_a^-1 + I_b^-1, in the frame (n, t1, t2).
"""

import numpy as np

from physics.core import vec
from physics.core.jit import routine
from physics.core.records import record

ADHESION_RANGE = 1e-4
"""Contacts closer than this are pulled by adhesion [m]."""

EXTENDED_CONTACT = record([
    ("contact", "i4"),
    ("batch", "i4"),                 # its location in the patches
    ("point", "i4"),
    ("lane", "i4"),
    ("a", "i4"),                     # bodies
    ("b", "i4"),
    ("moved_a", "i4"),               # the same; 0 if the body cannot move
    ("moved_b", "i4"),
    ("tangential_restitution", "f8"),
    ("torsional_restitution", "f8"),
    ("rolling", "f8"),               # [m]
    ("torsional", "f8"),             # [m]
    ("adhesion", "f8"),              # this contact's share of the pull of its pair [N]
    ("pull", "f8"),                  # impulse of the adhesion in this substep [N s]
    ("target", "f8", 3),             # dw along the frame: n.dw of (3'), 0 without a rebound; t.dw of a compliant contact [rad/s]
    ("frame", "f8", (3, 3)),         # n, t1, t2: unit
    ("inverse_n", "f8"),             # 1 / K_nn [kg m^2]
    ("inverse", "f8", 3),            # inverse of the tangential 2 x 2 block of K: 11, 12, 22
    ("gradient_step", "f8"),         # 1 / (bound of its largest eigenvalue)
    ("impulse", "f8", 3),            # m along the frame, of this substep, on b [N m s]
    ("total", "f8", 3),              # of all substeps
])


@routine
def allocate(contacts, pairs):
    """EXTENDED_CONTACT (n,), zeroed, for the contacts with an extended pair; pairs: PAIR, indexed by CONTACT.pair."""
    some = False
    for k in range(pairs.shape[0]):
        some = some or pairs[k].extended != 0
    n = 0
    if some:
        for i in range(contacts.shape[0]):
            n += pairs[contacts[i].pair].extended
    return np.zeros(n, EXTENDED_CONTACT)


@routine
def fill(contacts, pairs, patches):
    """Write the table patches.extended, in the order of the batches."""
    n = 0
    for k in range(patches.first.shape[0] if patches.extended.shape[0] > 0 else 0):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                i = patches.contact[p, lane]
                if i >= 0 and pairs[contacts[i].pair].extended != 0:
                    u = patches.extended[n]
                    n += 1
                    u.contact, u.batch, u.point, u.lane = i, k, p, lane
                    u.a, u.b = patches.a[k, lane], patches.b[k, lane]
                    u.moved_a, u.moved_b = patches.moved_a[k, lane], patches.moved_b[k, lane]
                    _describe(u, contacts, pairs, patches.mass)


@routine
def _describe(u, contacts, pairs, mass):
    """Write the coefficients, frame and impulses of a contact."""
    c = contacts[u.contact]
    pair = pairs[c.pair]
    u.tangential_restitution, u.torsional_restitution = pair.tangential_restitution, pair.torsional_restitution
    u.rolling, u.torsional = pair.rolling, pair.torsional
    u.adhesion = pair.adhesion / _contacts_of_pair(contacts, u.contact) if pair.adhesion > 0.0 else 0.0
    vec.assign(u.frame[0], c.normal)
    vec.assign(u.frame[1], c.tangent)
    vec.assign(u.frame[2], vec.cross(c.normal, c.tangent))
    for j in range(3):
        u.impulse[j] = vec.dot(c.spin_impulse, u.frame[j])
    _weigh(u, mass)


@routine
def _contacts_of_pair(contacts, i):
    """Number of touching contacts of the same pair of shapes, at least one."""
    shape_a, shape_b = contacts[i].shape_a, contacts[i].shape_b
    begin = i
    while begin > 0 and contacts[begin - 1].shape_a == shape_a and contacts[begin - 1].shape_b == shape_b:
        begin -= 1
    n = 0
    while begin < contacts.shape[0] and contacts[begin].shape_a == shape_a and contacts[begin].shape_b == shape_b:
        n += 1 if contacts[begin].gap <= ADHESION_RANGE else 0
        begin += 1
    return max(n, 1)


@routine
def _weigh(u, mass):
    """Write the inverses of K."""
    m = (mass[u.a, 1] + mass[u.b, 1], mass[u.a, 2] + mass[u.b, 2], mass[u.a, 3] + mass[u.b, 3],
         mass[u.a, 4] + mass[u.b, 4], mass[u.a, 5] + mass[u.b, 5], mass[u.a, 6] + mass[u.b, 6])
    kn, k1, k2 = _turn(m, u.frame[0]), _turn(m, u.frame[1]), _turn(m, u.frame[2])
    k_11, k_12, k_22 = vec.dot(u.frame[1], k1), vec.dot(u.frame[1], k2), vec.dot(u.frame[2], k2)
    determinant = k_11 * k_22 - k_12 * k_12
    u.inverse_n = 1.0 / vec.dot(u.frame[0], kn)
    u.inverse[0], u.inverse[1], u.inverse[2] = k_22 / determinant, -k_12 / determinant, k_11 / determinant
    u.gradient_step = 1.0 / (max(k_11, k_22) + abs(k_12))


@routine
def _turn(m, t):
    """A symmetric matrix (xx, xy, xz, yy, yz, zz) times t."""
    return (m[0] * t[0] + m[1] * t[1] + m[2] * t[2], m[1] * t[0] + m[3] * t[1] + m[4] * t[2],
            m[2] * t[0] + m[4] * t[1] + m[5] * t[2])
