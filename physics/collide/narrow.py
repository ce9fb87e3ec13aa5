"""From pairs of shapes to contacts: one kernel per pair of kinds, then one that gathers and matches.

Material of a pair: mu = sqrt(mu_a mu_b), e = max(e_a, e_b). A contact of the last step with the same pair and feature hands over
its impulses (warm starting); a point without such a predecessor takes those of the nearest point left over of the same pair.
Contacts are ordered by (lower shape, higher shape), then as the pair's kernel gives them: the order depends on the present only.
"""

import math

import numpy as np

from physics.collide import pairs as _pairs
from physics.core import vec
from physics.core.jit import kernel, routine
from physics.core.records import CONTACT, MANIFOLD
from physics.errors import BadInput
from physics.geometry import EMPTY, Geometry
from physics.plugins import modules
from physics.shapes import kinds

_NAMES = list(kinds())
_ENDLESS = {name for name, kind in kinds().items() if math.isinf(kind.make((1.0, 1.0, 1.0)).volume())}
_COLLIDERS = {m.KINDS: (m.collide, getattr(m, "GEOMETRY", False)) for m in modules(_pairs).values()}
"""(kernel, whether it takes the geometry) of each pair of kinds."""
_BY_CODE = {_NAMES.index(a) * len(_NAMES) + _NAMES.index(b): collider for (a, b), collider in _COLLIDERS.items()}


def supported(kind_a: str, kind_b: str) -> bool:
    """True if bodies of these two kinds may live in one world: a collider exists, or both are endless and cannot move."""
    return tuple(sorted((kind_a, kind_b))) in _COLLIDERS or {kind_a, kind_b} <= _ENDLESS


@kernel
def sort_kinds(shapes, pairs, count, ordered, place, first):
    """Group the pairs by kinds (counting sort).

    count: number of kinds of shapes. Writes ordered (the pairs by group, the lower kind first), place (where pair i went) and
    first (start of each group, by code: lower kind * count + higher kind).
    """
    first[:] = 0
    for i in range(pairs.shape[0]):
        a, b = shapes[pairs[i, 0]].kind, shapes[pairs[i, 1]].kind
        place[i] = min(a, b) * count + max(a, b)
        first[place[i] + 1] += 1
    for c in range(first.shape[0] - 1):
        first[c + 1] += first[c]
    cursor = first.copy()
    for i in range(pairs.shape[0]):
        code = place[i]
        k = cursor[code]
        cursor[code] += 1
        swap = shapes[pairs[i, 0]].kind > shapes[pairs[i, 1]].kind
        ordered[k, 0] = pairs[i, 1] if swap else pairs[i, 0]
        ordered[k, 1] = pairs[i, 0] if swap else pairs[i, 1]
        place[i] = k


@kernel
def keys(contacts, out):
    """out: lower shape * 2^32 + higher shape, of each contact."""
    for i in range(contacts.shape[0]):
        a, b = contacts[i].shape_a, contacts[i].shape_b
        out[i] = (np.int64(min(a, b)) << 32) | np.int64(max(a, b))


@routine
def inherit(c, old):
    """Take over the impulses of a contact of the last step; friction is projected on the new tangent plane."""
    c.impulse = old.impulse
    along = vec.dot(old.friction_impulse, c.normal)
    vec.assign(c.friction_impulse, vec.madd(old.friction_impulse, c.normal, -along))


@routine
def match(contacts, first, end, previous, order, start, stop, reach, taken):
    """Hand the impulses of one pair on: by feature, then by nearness within reach. taken: scratch, stop - start <= its size."""
    matched = 0
    taken[:] = -1
    for i in range(first, end):
        for j in range(start, stop):
            if taken[j - start] < 0 and previous[order[j]].feature == contacts[i].feature:
                inherit(contacts[i], previous[order[j]])
                taken[j - start] = i
                matched += 1
                break
    while matched < min(end - first, stop - start):
        best, at, source = reach * reach, -1, -1
        for i in range(first, end):
            busy = False
            for j in range(start, stop):
                busy = busy or taken[j - start] == i
            if busy:
                continue
            for j in range(start, stop):
                d = vec.sub(contacts[i].pos, previous[order[j]].pos)
                if taken[j - start] < 0 and vec.dot(d, d) < best:
                    best, at, source = vec.dot(d, d), i, j
        if at < 0:
            return
        inherit(contacts[at], previous[order[source]])
        taken[source - start] = at
        matched += 1


@kernel
def gather(shapes, manifolds, place, previous, order, old_keys, contacts):
    """Write the contacts of all pairs in the order of `place`, merging with `previous`, sorted by `order`."""
    taken = np.empty(4, np.int64)
    n, old = 0, 0
    for p in range(place.shape[0]):
        m = manifolds[place[p]]
        if m.count == 0:
            continue
        a, b = shapes[m.shape_a], shapes[m.shape_b]
        friction, restitution = math.sqrt(a.friction * b.friction), max(a.restitution, b.restitution)
        tangent, _ = vec.tangents(m.normal)
        first = n
        for k in range(m.count):
            c = contacts[n]
            n += 1
            c.shape_a, c.shape_b, c.body_a, c.body_b = m.shape_a, m.shape_b, a.body, b.body
            c.feature, c.gap, c.friction, c.restitution = m.feature[k], m.gap[k], friction, restitution
            c.anisotropy = 1.0
            vec.assign(c.pos, m.pos[k])
            vec.assign(c.normal, m.normal)
            vec.assign(c.tangent, tangent)
        key = (np.int64(min(m.shape_a, m.shape_b)) << 32) | np.int64(max(m.shape_a, m.shape_b))
        while old < order.shape[0] and old_keys[order[old]] < key:
            old += 1
        start = old
        while old < order.shape[0] and old_keys[order[old]] == key:
            old += 1
        # A slot may have passed to another body since: its history is not ours.
        if start < old and old - start <= 4 and previous[order[start]].body_a == a.body and (
                previous[order[start]].body_b == b.body):
            match(contacts, first, n, previous, order, start, old, a.reach + b.reach, taken)


def find_manifolds(shapes: np.ndarray, pairs: np.ndarray, pool: Geometry = EMPTY.arrays) -> tuple[np.ndarray, np.ndarray]:
    """(manifolds grouped by kinds, place): the manifold of pairs[i] is manifolds[place[i]]."""
    count = len(_NAMES)
    ordered, place = np.empty((len(pairs), 2), np.int32), np.empty(len(pairs), np.int64)
    first = np.empty(count * count + 1, np.int64)
    sort_kinds(shapes, pairs, count, ordered, place, first)
    manifolds = np.zeros(len(pairs), MANIFOLD)
    for code in np.flatnonzero(np.diff(first)).tolist():
        if code not in _BY_CODE:
            a, b = _NAMES[code // count], _NAMES[code % count]
            raise BadInput(f"a {a} cannot touch a {b}: physics/collide/pairs has no file for the two")
        group = slice(first[code], first[code + 1])
        collide, geometric = _BY_CODE[code]
        collide(shapes, ordered[group], manifolds[group], *([pool] if geometric else []))
    return manifolds, place


def find_contacts(shapes: np.ndarray, pairs: np.ndarray, previous: np.ndarray, pool: Geometry = EMPTY.arrays) -> np.ndarray:
    """Contacts [CONTACT] of the pairs (int32 (m, 2), sorted, as from `broad.find_pairs`).

    shapes: refreshed by `bounds.update`. previous: contacts of the last step, in any order; their impulses are handed on.
    pool: the geometry of the shapes.
    """
    manifolds, place = find_manifolds(shapes, pairs, pool)
    contacts = np.zeros(int(manifolds["count"].sum()), CONTACT)
    old = np.empty(len(previous), np.int64)
    keys(previous, old)
    order = np.argsort(old, kind="stable")      # linear on what is sorted already
    gather(shapes, manifolds, place, previous, order, old, contacts)
    return contacts
