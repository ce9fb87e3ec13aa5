"""Two bodies that meet only each other in a step do so where and when it happens, without a cut of the step.

The contact of an impact at a time t within the step belongs to poses that its bodies have not reached yet. With velocities
changed from the start of the step, angular momentum is off by their way until then times the impulse. Two free bodies that meet
nobody else are simply given to the solver later in their flight, for nothing else feels when they live:

    x(t) = x + t v,  q(t): free top from q                     v: velocity with the forces of the step                    (1)
    v1: the solver's step of h from there, with the gaps at t; one that is still open then closes at the speed s
        at which it closes in what is left of the step:        s = gap / (h - t)                                          (2)
    x1 = x(t) + h v1 - t v1,  q1 likewise                                                                                 (3)

In all they fly for t, meet, and move on for h - t. (1) and (3) are drifts (integrate.py): momenta and energy are as (2) leaves
them. Slow bodies have the contacts of their poses (continuous/impacts.py), and t is that of the first of them to close. Where a
solver's substeps come to an impact when it happens, only such slow bodies fly: the arms of other contacts are those of t already.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from physics.contact.targets import TOUCH_GAP
from physics.core import contact_points, mat3, quat, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import Kind
from physics.dynamics import integrate

MIN_REMAINING_SHARE = 1e-3
"""Smallest share of a step that (2) takes as left after an impact."""

NOW = 1e-9
"""A contact whose points are no farther apart than this is no longer one of an impact later in the step [m]."""

OPEN = 1e300
"""Time of a contact that does not close in the step."""

_NOBODY, _SEVERAL = -1, -2
"""Whom a body meets, where it is not one."""

_DYNAMIC, _STATIC = Kind.DYNAMIC, Kind.STATIC
KEPT = 7
"""Values per contact that `advance` keeps for `retreat`: pos, shift, gap."""

LEAD, TIME, WAY = 4, 0, 1
"""Values per body: its time [s], and its way until then [m]."""


@inline
def _free_velocity(b, gravity, dt):
    """Velocity of the centre with which contacts were found for a motion of dt [s]: impacts.free_velocities."""
    if b.kind != _DYNAMIC:
        return vec.copy(b.vel)
    return vec.madd(vec.madd(vec.copy(b.vel), gravity, dt), b.force, dt * b.inv_mass)


@routine
def _speeds(c, a, b, gravity, found):
    """(velocities of both centres, normal velocities of both points) of a contact in the motion for which it was found."""
    v_a, v_b = _free_velocity(a, gravity, found), _free_velocity(b, gravity, found)
    u_a = vec.add(v_a, vec.cross(a.omega, vec.sub(c.pos, a.pos)))
    u_b = vec.add(v_b, vec.cross(b.omega, vec.sub(vec.add(c.pos, c.shift), b.pos)))
    return v_a, v_b, vec.dot(c.normal, u_a), vec.dot(c.normal, u_b)


@routine
def _meetings(contacts, bodies, tied, gravity, found, by_substeps, met, times):
    """Write of each body whom alone it meets in its flight (n,), and when first [s]; returns whether one does. Static ones that
    it neither touches nor comes to are let be."""
    some = False
    for n in range(contacts.shape[0]):
        c = contacts[n]
        a, b = bodies[c.body_a], bodies[c.body_b]
        v_a, v_b, u_a, u_b = _speeds(c, a, b, gravity, found)
        t, way = math.inf, vec.sub(v_a, v_b)
        opens = c.gap > TOUCH_GAP and c.gap + found * (u_b - u_a) > 0.0
        if a.kind == _STATIC or b.kind == _STATIC:
            if opens and not contact_points.comes_later(c):
                continue
        elif contact_points.comes_later(c):
            t = vec.dot(c.shift, way) / vec.dot(way, way) if not by_substeps else math.inf
        elif c.gap > TOUCH_GAP:
            t = OPEN if opens else c.gap / (u_a - u_b)
        some = some or t < OPEN
        for i, other in ((c.body_a, c.body_b), (c.body_b, c.body_a)):
            if bodies[i].kind == _DYNAMIC:
                alone = (met[i] == _NOBODY or met[i] == other) and tied[i] < 0 and t < math.inf
                met[i] = other if alone else _SEVERAL
                times[i] = min(times[i], t)
    return some


@kernel
def advance(contacts, bodies, tied, gravity, found, dt, gyroscopic, by_substeps, lead, kept):
    """(1) for the pairs that meet within dt [s], and their contacts as at that time; returns the number of bodies.

    tied: the group of each body's mechanism, -1 if free. found: contacts were found for a motion of so long [s]. by_substeps: of
    the solver. Writes lead (bodies, LEAD), time 0 for the others; and kept (contacts, KEPT).
    """
    count = bodies.shape[0]
    met, times, flying = np.full(count, _NOBODY), np.full(count, math.inf), 0
    if not _meetings(contacts, bodies, tied, gravity, found, by_substeps, met, times):
        return 0
    for i in range(count):
        other, lead[i, TIME] = met[i], 0.0
        if other >= 0 and met[other] == i and 0.0 < times[i] <= dt:
            lead[i, TIME] = times[i]
            flying += 1
    for n in range(contacts.shape[0] if flying > 0 else 0):
        c = contacts[n]
        lead_a, lead_b = lead[c.body_a, TIME], lead[c.body_b, TIME]
        if max(lead_a, lead_b) > 0.0:
            for k in range(3):
                kept[n, k], kept[n, 3 + k] = c.pos[k], c.shift[k]
            kept[n, 6] = c.gap
            _bring(c, bodies[c.body_a], bodies[c.body_b], gravity, found, lead_a, lead_b)
            if c.gap > 0.0:
                c.gap *= dt / max(dt - max(lead_a, lead_b), MIN_REMAINING_SHARE * dt)
    for i in range(count if flying > 0 else 0):
        if lead[i, TIME] > 0.0:
            _fly(bodies[i], gravity, integrate.kick_time(bodies[i], dt), lead[i], gyroscopic)
    return flying


@routine
def _bring(c, a, b, gravity, found, lead_a, lead_b):
    """A contact as it is with its bodies so much later [s]; its arms stay, but both end at one point if both bodies move."""
    v_a, v_b, u_a, u_b = _speeds(c, a, b, gravity, found)
    way_a, way_b = vec.scale(v_a, lead_a), vec.scale(v_b, lead_b)
    c.gap += lead_b * u_b - lead_a * u_a
    if not contact_points.comes_later(c) and a.kind == _DYNAMIC and b.kind == _DYNAMIC:
        way_a = way_b = vec.scale(vec.add(way_a, way_b), 0.5)
    vec.assign(c.pos, vec.add(c.pos, way_a))
    rest = vec.add(c.shift, vec.sub(way_b, way_a))
    vec.assign(c.shift, rest if vec.dot(rest, rest) > NOW * NOW else (0.0, 0.0, 0.0))


@routine
def _fly(b, gravity, kick, lead, gyroscopic):
    """(1) of a body, whose way is added to its lead; forces act on it for `kick` [s], and are still to do so."""
    t = lead[TIME]
    v = vec.madd(vec.madd(vec.copy(b.vel), gravity, kick), b.force, kick * b.inv_mass)
    turning = quat.rotate(b.quat, mat3.apply(b.inv_inertia, quat.rotate(quat.conjugate(b.quat), b.torque)))
    for k in range(3):
        lead[WAY + k] = t * v[k]
        b.pos[k] += lead[WAY + k]
    _turn(b, vec.madd(vec.copy(b.omega), turning, kick), t, gyroscopic)


@routine
def _turn(b, omega, t, gyroscopic):
    """Turn a body freely for t [s] with omega [rad/s]; its own omega keeps the angular momentum that it has."""
    before = quat.copy(b.quat)
    after = integrate.pose_after_drift(b, before, omega, t, gyroscopic)
    vec.assign(b.omega, integrate.rotate_with_drift(b, before, after, vec.copy(b.omega), t, gyroscopic))
    for k in range(4):
        b.quat[k] = after[k]


@kernel
def retreat(contacts, bodies, gyroscopic, lead, kept):
    """(3), after the solver's step. Contacts are placed as those of an impact within the step, with the arms of it, and others as
    they were."""
    for n in range(contacts.shape[0]):
        c = contacts[n]
        lead_a, lead_b = lead[c.body_a], lead[c.body_b]
        if max(lead_a[TIME], lead_b[TIME]) > 0.0:
            together = lead_a[TIME] == lead_b[TIME]
            for k in range(3):
                c.shift[k] = c.shift[k] + lead_a[WAY + k] - lead_b[WAY + k] if together else kept[n, 3 + k]
                c.pos[k] = c.pos[k] - lead_a[WAY + k] if together else kept[n, k]
            c.gap = kept[n, 6]
    for i in range(bodies.shape[0]):
        if lead[i, TIME] > 0.0:
            vec.add_scaled(bodies[i].pos, bodies[i].vel, -lead[i, TIME])
            _turn(bodies[i], vec.copy(bodies[i].omega), -lead[i, TIME], gyroscopic)


@contextmanager
def alone_to_impact(world: Any, contacts: np.ndarray, found: float, dt: float) -> Iterator[None]:
    """Context of the solver's step of dt [s], in which pairs that fly alone to their impact are at the time of it. found:
    contacts were found for a motion of so long [s]."""
    if not (world.solver.meets_in_flight and len(contacts)):
        yield
        return
    lead, kept = np.zeros((len(world.bodies), LEAD)), np.empty((len(contacts), KEPT))
    gyroscopic = bool(getattr(world.solver.options, "gyroscopic", True))
    flying = advance.unchecked(contacts, world.bodies, world.layout.joints.body_group, world.gravity, found, dt, gyroscopic,
                               world.solver.meets_by_substeps, lead, kept)
    yield
    if flying:
        retreat.unchecked(contacts, world.bodies, gyroscopic, lead, kept)
