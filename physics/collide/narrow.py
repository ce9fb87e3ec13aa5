"""Narrow phase: contacts of pairs of shapes, by one kernel per pair of kinds (half_space.py or the general convex one where there
is no file), then a kernel that gathers the contacts and matches them with the last step's.

Material of a pair: mu = sqrt(mu_a mu_b), e = max(e_a, e_b). A contact of the last step (if it is `warm_startable`) with the same
pair and feature passes on its impulses; a point without such a predecessor takes those of the nearest unmatched one of the pair,
but not the turn of its normal: from one facet to the next a normal jumps.
Contacts are ordered by (lower shape, higher shape), then as the pair's kernel yields them: the order depends on the present only.

Manifolds of convex pairs that hardly move are kept from one search to the next (convex/keep.py) by those who pass a `Keeping`.

Pairs are processed CHUNK at a time: their manifolds stay in the cache, and memory grows with contacts, not with pairs.
"""

import math
from collections.abc import Callable
from itertools import combinations_with_replacement

import numpy as np

from physics.collide import half_space, surfaces
from physics.collide import pairs as _pairs
from physics.collide.convex import core, keep, manifold
from physics.contact.targets import TOUCH_GAP
from physics.core import vec
from physics.core.check import BadInput
from physics.core.jit import inline, kernel, routine
from physics.core.plugins import modules
from physics.core.records import CONTACT, KEPT, MANIFOLD, copy_of, joined, selected
from physics.shapes import kinds, massless
from physics.shapes._geometry import EMPTY, GeometryArrays

RefineContacts = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]

_NAMES = list(kinds())
_MASSLESS = massless()
_COLLIDERS = {m.KINDS: (m.collide, getattr(m, "GEOMETRY", False)) for m in modules(_pairs).values()}
"""(kernel, whether it takes the geometry) of each pair of kinds."""
for _name, _kind in kinds().items():
    if _kind.convex and (_pair := tuple(sorted((_name, "plane")))) not in _COLLIDERS:
        _COLLIDERS[_pair] = (half_space.collide, False) if _kind.convex.on_plane else (half_space.collide_core, True)
_COLLIDERS |= {pair: (manifold.collide, True) for pair in combinations_with_replacement(core.NAMES, 2) if pair not in _COLLIDERS}
COLLIDERS_BY_CODE = {_NAMES.index(a) * len(_NAMES) + _NAMES.index(b): collider for (a, b), collider in _COLLIDERS.items()
            if a not in surfaces.SURFACES and b not in surfaces.SURFACES}

KEPT_KINDS = np.zeros((len(_NAMES), len(_NAMES)), np.bool_)
"""By kind and kind: whether manifolds of the pair may be kept."""
for _code, (_collide, _) in COLLIDERS_BY_CODE.items():
    KEPT_KINDS.flat[_code] = _collide is manifold.collide

_MANY = 8 * surfaces.MAX_CLUSTERS
"""Largest number of contacts of one pair: its manifolds now, and at an impact within the step."""

SAME_NORMAL = 1.0 - 1e-12
"""Least product of two unit normals that are one, but for rounding."""

CHUNK = 2048
"""Pairs whose manifolds are held at once."""

KEPT_PAIRS = 64
"""Pairs whose buffers are kept between steps."""

MAX_POINTS = MANIFOLD["pos"].shape[0]
"""Most contacts of a manifold."""

MAX_SPARE_SHARE = 60
"""Unused capacity is at most 1 / this of the contacts, or 32."""


def supported(kind_a: str, kind_b: str) -> bool:
    """True if bodies of these two kinds may live in one world: a collider exists, or both are endless and cannot move."""
    if (kind_a in surfaces.SURFACES) != (kind_b in surfaces.SURFACES):
        return (kind_b if kind_a in surfaces.SURFACES else kind_a) in (*surfaces.SHAPES, *_MASSLESS)
    return tuple(sorted((kind_a, kind_b))) in _COLLIDERS or {kind_a, kind_b} <= _MASSLESS


@kernel
def sort_kinds(shapes, pairs, count, ordered, place, first, codes):
    """Group the pairs by kinds (counting sort); returns how many groups there are.

    count: number of kinds of shapes. Writes ordered (the pairs by group, the lower kind first), place (where pair i went),
    first (start of each group, by code: lower kind * count + higher kind) and codes (of the groups that are not empty).
    """
    first[:] = 0
    for i in range(pairs.shape[0]):
        a, b = shapes[pairs[i, 0]].kind, shapes[pairs[i, 1]].kind
        place[i] = min(a, b) * count + max(a, b)
        first[place[i] + 1] += 1
    groups = 0
    for c in range(first.shape[0] - 1):
        if first[c + 1] > 0:
            codes[groups] = c
            groups += 1
        first[c + 1] += first[c]
    for i in range(pairs.shape[0]):
        code = place[i]
        k = first[code]
        first[code] += 1
        swap = shapes[pairs[i, 0]].kind > shapes[pairs[i, 1]].kind
        ordered[k, 0] = pairs[i, 1] if swap else pairs[i, 0]
        ordered[k, 1] = pairs[i, 0] if swap else pairs[i, 1]
        place[i] = k
    for c in range(first.shape[0] - 1, 0, -1):     # each start has advanced to the next one
        first[c] = first[c - 1]
    first[0] = 0
    return groups


@inline
def key_of(a, b):
    """A number for the pair of two shapes: lower shape * 2^32 + higher shape."""
    return (np.int64(min(a, b)) << 32) | np.int64(max(a, b))


@kernel
def keys(contacts, out):
    """Write the pair of each contact to out; returns True if they ascend."""
    ascending = True
    for i in range(contacts.shape[0]):
        out[i] = key_of(contacts[i].shape_a, contacts[i].shape_b)
        ascending = ascending and (i == 0 or out[i - 1] <= out[i])
    return ascending


@routine
def match_impulses(c, old):
    """Copy the state of a matching contact of the last step; its friction impulse and the tangential displacements of its
    patch are projected onto the new tangent plane."""
    c.case = old.case
    c.impulse = old.impulse
    c.pending_rebound = old.pending_rebound
    match_arms(c, old)
    vec.assign(c.spin_impulse, old.spin_impulse)
    along = vec.dot(old.friction_impulse, c.normal)
    vec.assign(c.friction_impulse, vec.madd(old.friction_impulse, c.normal, -along))
    vec.assign(c.patch, _follow(old.patch, old.normal, c.normal))
    vec.assign(c.patch_turn, _follow(old.patch_turn, old.normal, c.normal))


@inline
def _follow(x, old, normal):
    """A displacement about a new normal: its component along the old one stays, the rest is projected."""
    along = vec.dot(x, old)
    sideways = vec.madd(x, old, -along)
    return vec.madd(sideways, normal, along - vec.dot(sideways, normal))


@routine
def match_arms(c, old):
    """Copy a contact's motion over its bodies from the same contact of a step with an impact."""
    vec.assign(c.normal_change, vec.sub(c.normal, old.normal))
    vec.assign(c.arm_a, old.arm_a)
    vec.assign(c.arm_b, old.arm_b)


@inline
def _forget_motion(c, old):
    """A contact of other features may be another point, even where it takes over the impulses of an old one. Where the normal is
    that of another face its arms turn round, so that it is known, but has jumped (contact_batches.py): the way between the two
    points would seem to be the bodies' motion."""
    vec.assign(c.normal_change, (0.0, 0.0, 0.0))
    if vec.dot(c.normal, old.normal) < SAME_NORMAL:
        vec.assign(c.arm_a, vec.scale(c.arm_a, -1.0))
        vec.assign(c.arm_b, vec.scale(c.arm_b, -1.0))


@routine
def match(contacts, first, end, previous, start, stop, reach, taken):
    """Pass on the impulses of one pair: by feature, then by distance within reach. taken: scratch, stop - start <= its size."""
    matched, old = 0, 0
    for j in range(start, stop):
        taken[j - start] = -1 if previous[j].warm_startable == 1 else -2
        old += previous[j].warm_startable
    for i in range(first, end):
        for j in range(start, stop):
            if previous[j].feature != contacts[i].feature:
                continue
            if taken[j - start] == -1:
                match_impulses(contacts[i], previous[j])
                taken[j - start] = i
                matched += 1
                break
            if taken[j - start] == -2 and previous[j].gap <= TOUCH_GAP:
                match_arms(contacts[i], previous[j])
    while matched < min(end - first, old):
        best, at, source = reach * reach, -1, -1
        for i in range(first, end):
            busy = False
            for j in range(start, stop):
                busy = busy or taken[j - start] == i
            if busy:
                continue
            for j in range(start, stop):
                d = vec.sub(contacts[i].pos, previous[j].pos)
                if taken[j - start] == -1 and vec.dot(d, d) < best:
                    best, at, source = vec.dot(d, d), i, j
        if at < 0:
            return
        match_impulses(contacts[at], previous[source])
        _forget_motion(contacts[at], previous[source])
        taken[source - start] = at
        matched += 1


@routine
def append(contacts, n, m, a, b):
    """Write the points of one manifold of the shapes a, b from contacts[n] on; returns the next free index."""
    friction, restitution = math.sqrt(a.friction * b.friction), max(a.restitution, b.restitution)
    tangent, _ = vec.tangents(m.normal)
    for k in range(m.count):
        c = contacts[n + k]
        c.shape_a, c.shape_b, c.body_a, c.body_b = m.shape_a, m.shape_b, a.body, b.body
        c.feature, c.gap, c.friction, c.restitution = m.feature[k], m.gap[k], friction, 0.0 if m.no_rebound else restitution
        c.anisotropy = 1.0
        vec.assign(c.pos, m.pos[k])
        c.no_rebound = m.no_rebound
        vec.assign(c.shift, m.shift)
        vec.assign(c.normal, m.normal)
        vec.assign(c.tangent, tangent)
    return n + m.count


@kernel
def points(manifolds, place):
    """Number of contacts in the manifolds of a chunk of pairs."""
    n = 0
    for p in range(place.shape[0]):
        m = manifolds[place[p]]
        n += m.count
        while m.more > 0:
            m = manifolds[m.more]
            n += m.count
    return n


@kernel
def write_contacts(shapes, manifolds, place, previous, old_keys, contacts, n, old):
    """Write the contacts of a chunk of pairs in the order of `place` from index n on; returns (n, old) of the next chunk.

    previous: contacts of the last step, ascending by pair; those before `old` belong to pairs before this chunk.
    """
    taken = np.empty(_MANY, np.int64)
    for p in range(place.shape[0]):
        m = manifolds[place[p]]
        if m.count == 0 and m.more == 0:
            continue
        a, b = shapes[m.shape_a], shapes[m.shape_b]
        first, n = n, append(contacts, n, m, a, b)
        while m.more > 0:
            m = manifolds[m.more]
            n = append(contacts, n, m, a, b)
        key = key_of(m.shape_a, m.shape_b)
        while old < previous.shape[0] and old_keys[old] < key:
            old += 1
        start = old
        while old < previous.shape[0] and old_keys[old] == key:
            old += 1
        # A slot may have been reused by another body: its history does not apply.
        if start < old and old - start <= _MANY and previous[start].body_a == a.body and previous[start].body_b == b.body:
            match(contacts, first, n, previous, start, old, a.reach + b.reach, taken)
    return n, old


class Keeping:
    """The manifolds kept from the last search for contacts, and those to keep from the next one."""

    def __init__(self, known: np.ndarray) -> None:
        self._known, self._at, self._parts = known, 0, [keep.NONE]

    @property
    def kept(self) -> np.ndarray:
        """KEPT, ascending by pair; never changed."""
        return self._parts[-1] if len(self._parts) < 3 else joined(*self._parts)

    def collide(self, shapes: np.ndarray, ordered: np.ndarray, place: np.ndarray, manifolds: np.ndarray, pool: GeometryArrays,
                count: int) -> None:
        """Write the manifolds of the next chunk's pairs, those of kinds that are kept; count: how many these are."""
        keeps = np.empty(count, KEPT)
        self._at, n = keep.collide.unchecked(shapes, ordered, place, KEPT_KINDS, manifolds, pool, self._known, self._at, keeps, 0)
        self._parts.append(copy_of(keeps[:n]))


class _Buffers:
    """Buffers for the pairs of a chunk and their manifolds."""

    def __init__(self, pairs: int) -> None:
        count = len(_NAMES)
        self.ordered, self.place = np.empty((pairs, 2), np.int32), np.empty(pairs, np.int64)
        self.first, self.codes = np.empty(count * count + 1, np.int64), np.empty(count * count, np.int64)
        self.manifolds = np.empty(pairs, MANIFOLD)

    def collide(self, shapes: np.ndarray, pairs: np.ndarray, pool: GeometryArrays,
                keeping: Keeping | None) -> tuple[np.ndarray, np.ndarray]:
        """(manifolds, place), valid until the next call: see `find_manifolds`."""
        ordered, first = self.ordered, self.first
        place, manifolds = self.place[: len(pairs)], self.manifolds[: len(pairs)]
        groups = sort_kinds.unchecked(shapes, pairs, len(_NAMES), ordered, place, first, self.codes)
        found, kept = [manifolds], 0
        for code in self.codes[:groups].tolist():
            group = slice(first[code], first[code + 1])
            if keeping is not None and KEPT_KINDS.flat[code]:
                kept += group.stop - group.start
                continue
            if code in COLLIDERS_BY_CODE:
                collide, geometric = COLLIDERS_BY_CODE[code]
                collide.unchecked(shapes, ordered[group], manifolds[group], *((pool,) if geometric else ()))
                continue
            a, b = _NAMES[code // len(_NAMES)], _NAMES[code % len(_NAMES)]
            if a not in surfaces.SURFACES and b not in surfaces.SURFACES:
                raise BadInput(f"collisions between {a} and {b} are not supported: physics/collide/pairs has no file for this "
                               "pair")
            found.append(surfaces.find(shapes, ordered[group], manifolds[group], pool, sum(map(len, found))))
        if keeping is not None and kept:
            keeping.collide(shapes, ordered, place, manifolds, pool, kept)
        return joined(*found) if len(found) > 1 else manifolds, place


class NarrowPhase:
    """Contacts of one world. A small world's buffers are kept from step to step: allocating them costs more than their use."""

    def __init__(self) -> None:
        self._room = _Buffers(KEPT_PAIRS)

    def find(self, shapes: np.ndarray, pairs: np.ndarray, previous: np.ndarray, pool: GeometryArrays,
             refine: RefineContacts, keeping: Keeping | None = None) -> np.ndarray:
        """Contacts [CONTACT] of the pairs (int32 (m, 2), sorted, as from `broad.find_pairs`).

        shapes: refreshed by `bounds.update`. previous: contacts of the last step, in any order; those that are `warm_startable`
        pass on their impulses. pool: the geometry of the shapes. refine: (pairs, manifolds, place) -> the manifolds to use
        (physics/collide/continuous/impacts.py). keeping: None: all manifolds are found anew.
        """
        old_keys = np.empty(len(previous), np.int64)
        if not keys.unchecked(previous, old_keys):
            previous = selected(previous, np.argsort(old_keys, kind="stable"))
            keys(previous, old_keys)
        room = self._room if len(pairs) <= KEPT_PAIRS else _Buffers(min(len(pairs), CHUNK))
        contacts = _zeroed(len(previous) + len(previous) // (2 * MAX_SPARE_SHARE) + 16)
        n, old = 0, 0
        for begin in range(0, len(pairs), CHUNK):
            chunk = pairs[begin : begin + CHUNK]
            found, place = room.collide(shapes, chunk, pool, keeping)
            found = refine(chunk, found, place)
            if n + MAX_POINTS * len(found) > len(contacts) and (needed := n + points.unchecked(found, place)) > len(contacts):
                contacts = joined(contacts[:n], _zeroed(needed - n + needed // MAX_SPARE_SHARE))
            n, old = write_contacts.unchecked(shapes, found, place, previous, old_keys, contacts, n, old)
        return contacts[:n] if len(contacts) - n <= max(n // MAX_SPARE_SHARE, 32) else copy_of(contacts[:n])


def _zeroed(count: int) -> np.ndarray:
    """So many contacts without content. numpy's own zeros go through the fields of a record and take several times as long."""
    return np.ndarray(count, CONTACT, bytearray(count * CONTACT.itemsize))


def find_manifolds(shapes: np.ndarray, pairs: np.ndarray, pool: GeometryArrays = EMPTY.arrays,
                   keeping: Keeping | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(manifolds, place): that of pairs[i] is manifolds[place[i]]; MANIFOLD.more links further ones. keeping: None: all are found
    anew."""
    return _Buffers(len(pairs)).collide(shapes, pairs, pool, keeping)


def overlapping(shapes: np.ndarray, pairs: np.ndarray, pool: GeometryArrays = EMPTY.arrays) -> np.ndarray:
    """True for pairs (int32 (m, 2)) that overlap or touch now, bool (m,)."""
    manifolds, place = find_manifolds(shapes, pairs, pool)
    closed = ((manifolds["gap"] <= 0.0) & (np.arange(4) < manifolds["count"][:, None])).any(axis=1)
    touching, further = closed[place], manifolds["more"][place]
    while (further > 0).any():
        touching |= closed[further] & (further > 0)
        further = manifolds["more"][further] * (further > 0)
    return touching


def unrefined(pairs: np.ndarray, manifolds: np.ndarray, place: np.ndarray) -> np.ndarray:
    """A `RefineContacts` that changes nothing."""
    return manifolds


def find_contacts(shapes: np.ndarray, pairs: np.ndarray, previous: np.ndarray, pool: GeometryArrays = EMPTY.arrays,
                  refine: RefineContacts = unrefined) -> np.ndarray:
    """Contacts of the pairs, found from scratch; see `NarrowPhase.find`."""
    return NarrowPhase().find(shapes, pairs, previous, pool, refine)
