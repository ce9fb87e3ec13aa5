"""Audit of a step: bodies, contacts, joints, then the gain or loss of each island.

Velocities lag behind poses by s (leapfrog: half of the last motion; 0 if just set). Over a step of h a force acts from one
velocity time to the next, and a body's energy is taken at the time of its velocity:

    k = h + s0 - s1                                                                                       (1)
    m (v1 - v0) = P + k (m g + F),         L1 - L0 = M + k T                          of each body        (2)
    E = m v^2 / 2 + omega.L / 2 - m g.(x - s v)                                                           (3)

(3) is constant in free fall and for a free top, whatever the step; between falling and resting it jumps by at most
m (g h)^2 / 8. For an island (all bodies connected by joints and contacts with an impulse) that nothing else touches:

    sum of m (v1 - v0 - k g) - k F = 0
    sum of (x1 - c1) x m v1 - (x0 - c0) x m v0 + L1 - L0 - k T - r x k F = 0                                      (4)

about its centres of mass c0 before and c1 after the step, so uniform gravity drops out. Each of `parts` substeps kicks first,
then drifts, so forces act on average at r = x0 - c0 + (1 - 1 / parts) / 2 times the displacement relative to c. Its energy
balance is

    R = sum of (E1 - E0) + stored - given - min(0, taken + stored)                                         (5)

an unexplained gain (> 0) or loss (< 0); stored: in the springs of compliant contacts (compliance.py). R is distributed over the
island's bodies by their kinetic energy and stored with them for about `window` seconds, like the largest moving energy, so that
islands may split and merge. (5) is judged as a fraction of that energy, not step by step: a method may borrow energy within a
swing if it returns it.
"""

import math

import numpy as np

from physics.core import mat3, quat, vec
from physics.core.jit import kernel, routine
from physics.core.records import record
from physics.observe.audit import compliance
from physics.observe.audit import contacts as touched
from physics.observe.audit import joints as joint_sums
from physics.observe.audit.sums import (
    FASTEST,
    GIVEN,
    HAS_IMPACT,
    HELD,
    IMPACT_WORK_TOLERANCE,
    IMPULSE_SIZE,
    IMPULSE_TOLERANCE,
    KICKED,
    MOMENT,
    MOMENT_TOLERANCE,
    OMEGA,
    POS,
    PULSE,
    PUSHED,
    QUAT,
    SINCE,
    SIZE,
    STORED,
    SUM_COLUMNS,
    SWEEP,
    TAKEN,
    UNEXPLAINED_WORK,
    VEL,
    WHERE,
    WORST,
    begin,
    driven_velocities,
    duration,
    four,
    length,
    momentum_of_spin,
    moves,
    three,
)
from physics.observe.audit.worst_places import RATIO, Rule, clear, record_worst

ACCOUNT, MOVED, UNSURE = 0, 1, 2
"""Columns of the memory: R, the largest moving energy, and the possible error of R [J]."""

_GAINED, _LOST, _BALANCE, _MOMENTUM, _SPIN = (
    int(rule) for rule in (Rule.GAINED, Rule.LOST, Rule.BALANCE, Rule.MOMENTUM, Rule.SPIN))

GAIN, KINETIC, MASS, CX, P0, L0, SIZE_P, SIZE_L, TOUCHED = 0, 1, 2, 3, 6, 9, 12, 13, 14
GIVEN_ALL, TAKEN_ALL, ACCOUNT_ALL, MOVED_ALL, BLAMED, PLACE, LARGEST, BODY_OF, LOOSE_L = 15, 16, 17, 18, 19, 20, 21, 22, 23
PART_UNCERTAINTY, UNSURE_ALL, LEFT_ALL, STRUCK, MISSING, WENT, STORED_ALL = 24, 25, 26, 27, 28, 29, 32
ISLAND = 33
"""Columns of an island's sums: energy gained and present, mass, centre, missing momentum and angular momentum with their sizes,
whether something touches it, given, taken, memory, the main contributor, its share of (5) in this part of a step, the
displacement of its centre times its mass, and the energy stored in compliant contacts. LOOSE_L: possible error of the missing
angular momentum."""

NAMED_SHARE = 0.5
"""Share of the energy that an island gained or lost which a contact or joint would contribute within the window, if all steps
were as this one, to be named as its place: others tell nothing of what happened earlier."""

VELOCITY_ROUNDING = 1e-12
"""Changes of a velocity below this are rounding, whatever the impulses [m/s]."""

_ROUNDING = 1e-9
"""Rounding of a position or an impulse, as a fraction of it, over that accepted for a momentum."""

LIMITS = record([(name, "f8") for name in (
    "window", "energy", "min_speed", "body_tolerance", "momentum", "joint", "joint_angle", "cone", "slip", "slip_alignment",
    "gap", "overlap", "least_overlap")])
"""Record of the options (physics/observe/audit/auditor.py); passed as an array of one."""


@kernel
def examine(bodies, before, force, torque, contacts, ended, held, since, parts, joints, pairs, springs, gravity, dt, whole,
            limit, driven, ramps, memory, found):
    """Judge a part of dt [s] of a step of `whole` [s]; returns the number of broken rules, and the largest unexplained gain of an
    island in this part alone, as a fraction of its moving energy.

    before: motion before it (measure.copy_motion). force, torque: applied (bodies, 3). ended: contacts are those at the end.
    held: contacts of the part before, `since` [s] earlier. parts: number of parts of the step. pairs: PAIR, of the materials.
    springs: of compliant contacts, see ContactSprings; stiffness 0: rigid. limit: LIMITS (1,). driven: velocities of kinematic
    bodies in the two parts before (bodies, 12), empty if there are none; ramps: the solver changes them within a part. memory:
    see (5), updated. found: (rules, columns), written.
    """
    n = bodies.shape[0]
    sums, parent = np.empty((n, SUM_COLUMNS)), np.empty(n, np.int64)
    clear(found)
    limits = limit[0]
    if dt == 0.0:
        _synchronise(bodies, before, force, torque, gravity)
    begin(bodies, before, dt, parts, sums, parent)
    compliance.enter(contacts, held, springs, bodies, sums)
    movers = driven_velocities(bodies, driven if dt > 0.0 and driven.shape[0] == n else driven[:0], parts if ramps else 1)
    soft = springs[0] > 0.0 and contacts.shape[0] + held.shape[0] > 0       # without contacts there are only rigid joints
    touched.enter(contacts, ended, held, since, parts, pairs, soft, bodies, before, movers, gravity, dt, limits, sums, parent,
                  found)
    joint_sums.enter(joints, soft, bodies, before, movers, dt, parts, limits, sums, parent, found)
    islands = np.empty((n, ISLAND))
    for i in range(n):      # a parent's index is never higher than its child's
        if parent[i] >= 0:
            parent[i] = parent[parent[i]]
        if parent[i] == i:
            for k in range(ISLAND):
                islands[i, k] = 0.0
    _add_bodies(bodies, before, force, torque, gravity, dt, parts, limits, sums, parent, islands, found)
    _missing(bodies, before, force, torque, gravity, dt, parts, sums, parent, islands)
    _share(bodies, dt, limits, sums, parent, islands, memory)
    gained = 0.0
    for i in range(n):
        if parent[i] == i:
            gained = max(gained, _judge(i, islands, gravity, whole, limits, found))
    broken = 0
    for k in range(found.shape[0]):
        broken += found[k, RATIO] > 1.0
    return broken, gained


@routine
def _synchronise(bodies, before, force, torque, gravity):
    """Advance velocities to the time of the poses, where instantaneous impacts begin: (1), with the forces until then."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if moves(b) and b.velocity_lag < before[i, SINCE]:
            time = before[i, SINCE] - b.velocity_lag
            turning = quat.rotate(quat.conjugate(b.quat), three(torque, i, 0))
            turning = quat.rotate(b.quat, mat3.apply(b.inv_inertia, turning))
            for k in range(3):
                before[i, VEL + k] += time * (gravity[k] + force[i, k] * b.inv_mass)
                before[i, OMEGA + k] += time * turning[k]
            before[i, SINCE] = b.velocity_lag


@routine
def _add_bodies(bodies, before, force, torque, gravity, dt, parts, limits, sums, parent, islands, found):
    """Judge (2), evaluate (3) of every body, and add its terms to its island. Each of `parts` may add its own error to (2)."""
    tolerance = limits.body_tolerance * max(1, parts)
    for i in range(bodies.shape[0]):
        k = parent[i]
        if k < 0:
            continue
        b = bodies[i]
        x0, q0, v0, w0 = three(before, i, POS), four(before, i, QUAT), three(before, i, VEL), three(before, i, OMEGA)
        time = duration(b, before, i, dt)
        pull, twist = three(force, i, 0), three(torque, i, 0)
        l0, l1 = momentum_of_spin(b, q0, w0), momentum_of_spin(b, b.quat, b.omega)
        t0 = 0.5 * (b.mass * vec.dot(v0, v0) + vec.dot(w0, l0))
        t1 = 0.5 * (b.mass * vec.dot(b.vel, b.vel) + vec.dot(b.omega, l1))
        way = vec.madd(vec.madd(vec.sub(b.pos, x0), b.vel, -b.velocity_lag), v0, before[i, SINCE])
        islands[k, GAIN] += t1 - t0 - b.mass * vec.dot(gravity, way)
        sums[i, FASTEST] = max(t0, t1)
        islands[k, KINETIC] += max(t0, t1)
        islands[k, MASS] += b.mass
        for n in range(3):
            islands[k, CX + n] += b.mass * x0[n]
            islands[k, WENT + n] += b.mass * (b.pos[n] - x0[n])
        islands[k, TOUCHED] = max(islands[k, TOUCHED], sums[i, HELD])
        islands[k, GIVEN_ALL] += sums[i, GIVEN] + 0.5 * time * (
            vec.dot(pull, vec.add(v0, b.vel)) + vec.dot(twist, vec.add(w0, three(sums, i, KICKED))))
        islands[k, TAKEN_ALL] += sums[i, TAKEN]
        islands[k, PART_UNCERTAINTY] += sums[i, IMPACT_WORK_TOLERANCE]
        islands[k, LEFT_ALL] += sums[i, UNEXPLAINED_WORK]
        islands[k, STORED_ALL] += sums[i, STORED]
        islands[k, STRUCK] = max(islands[k, STRUCK], sums[i, HAS_IMPACT])
        if sums[i, WORST] > islands[k, BLAMED]:
            islands[k, BLAMED], islands[k, PLACE] = sums[i, WORST], sums[i, WHERE]
        outer = vec.scale(vec.madd(pull, gravity, b.mass), time)
        gained = vec.scale(vec.sub(b.vel, v0), b.mass)
        missing = length(vec.sub(vec.sub(gained, outer), three(sums, i, PULSE)))
        size = b.mass * (length(v0) + length(b.vel)) + sums[i, IMPULSE_SIZE] + length(outer)
        if missing > tolerance * size + VELOCITY_ROUNDING * b.mass:
            record_worst(found, _BALANCE, missing / (tolerance * size + sums[i, IMPULSE_TOLERANCE]), missing,
                         i, -1, -1, -1)
        spun = length(vec.sub(vec.madd(vec.sub(l1, l0), twist, -time), three(sums, i, MOMENT)))
        big = length(l0) + length(l1) + sums[i, SWEEP] + time * length(twist)
        if spun > tolerance * big + VELOCITY_ROUNDING * b.mass * math.sqrt(sums[i, SIZE]):
            big += math.sqrt(sums[i, SIZE]) * size
            allowed = tolerance * big + sums[i, MOMENT_TOLERANCE] + sums[i, PUSHED] * big
            record_worst(found, _BALANCE, spun / allowed, spun, i, -1, -1, -1)


@routine
def _missing(bodies, before, force, torque, gravity, dt, parts, sums, parent, islands):
    """Missing momenta of the islands, (4)."""
    kicked = 0.5 * (1.0 - 1.0 / max(1, parts))
    for i in range(bodies.shape[0]):
        k = parent[i]
        if k < 0 or islands[k, TOUCHED] > 0.0:
            continue
        b = bodies[i]
        x0, q0, v0, w0 = three(before, i, POS), four(before, i, QUAT), three(before, i, VEL), three(before, i, OMEGA)
        r = vec.madd(x0, three(islands, k, CX), -1.0 / islands[k, MASS])
        way = vec.madd(vec.sub(b.pos, x0), three(islands, k, WENT), -1.0 / islands[k, MASS])
        time = duration(b, before, i, dt)
        outer = vec.scale(vec.madd(three(force, i, 0), gravity, b.mass), time)
        gained = vec.sub(vec.scale(vec.sub(b.vel, v0), b.mass), outer)
        carried = vec.madd(vec.scale(b.vel, b.mass), outer, -kicked)
        l0, l1 = momentum_of_spin(b, q0, w0), momentum_of_spin(b, b.quat, b.omega)
        turned = vec.madd(vec.sub(l1, l0), three(torque, i, 0), -time)
        turned = vec.add(turned, vec.add(vec.cross(r, gained), vec.cross(way, carried)))
        for n in range(3):
            islands[k, P0 + n] += gained[n]
            islands[k, L0 + n] += turned[n]
        size = b.mass * (vec.norm(v0) + vec.norm(b.vel)) + vec.norm(outer)
        moved = size + sums[i, IMPULSE_SIZE]        # impulses may cancel, their rounding does not
        islands[k, SIZE_P] += size + _ROUNDING * moved
        spin, extent = vec.norm(l0) + vec.norm(l1), math.sqrt(sums[i, SIZE])
        islands[k, SIZE_L] += spin + (vec.norm(r) + vec.norm(way)) * size + _ROUNDING * (vec.norm(x0) + extent) * moved
        islands[k, LOOSE_L] += (sums[i, PUSHED] * (spin + size * vec.norm(r))
                                + VELOCITY_ROUNDING * b.mass * (vec.norm(r) + extent))


@routine
def _share(bodies, dt, limits, sums, parent, islands, memory):
    """Add (5) to the memories of the bodies, and those to their islands."""
    kept = max(0.0, 1.0 - dt / limits.window)
    for i in range(bodies.shape[0]):
        k = parent[i]
        if k < 0:
            memory[i, ACCOUNT] = memory[i, MOVED] = memory[i, UNSURE] = 0.0
            continue
        b = bodies[i]
        t = sums[i, FASTEST]
        share = t / islands[k, KINETIC] if islands[k, KINETIC] > 0.0 else b.mass / islands[k, MASS]
        stored = islands[k, STORED_ALL]
        taken = islands[k, TAKEN_ALL] + stored + (islands[k, LEFT_ALL] if islands[k, STRUCK] > 0.0 else 0.0)
        missing = islands[k, GAIN] + stored - islands[k, GIVEN_ALL] - min(0.0, taken)
        islands[k, MISSING] = missing
        memory[i, ACCOUNT] = kept * memory[i, ACCOUNT] + share * missing
        memory[i, MOVED] = max(kept * memory[i, MOVED], t)
        memory[i, UNSURE] = kept * memory[i, UNSURE] + share * islands[k, PART_UNCERTAINTY]
        islands[k, ACCOUNT_ALL] += memory[i, ACCOUNT]
        islands[k, UNSURE_ALL] += memory[i, UNSURE]
        islands[k, MOVED_ALL] += memory[i, MOVED]
        if abs(memory[i, ACCOUNT]) > islands[k, LARGEST]:
            islands[k, LARGEST], islands[k, BODY_OF] = abs(memory[i, ACCOUNT]), i


@routine
def _judge(i, islands, gravity, dt, limits, found):
    """Judge an island as a whole; returns its unexplained gain in this part as a fraction of its moving energy."""
    pace = dt * vec.norm(gravity)
    quiet = 0.5 * islands[i, MASS] * (limits.min_speed * limits.min_speed + pace * pace)
    off = islands[i, ACCOUNT_ALL] / (limits.energy * islands[i, MOVED_ALL] + quiet + islands[i, UNSURE_ALL])
    named = islands[i, BLAMED] * limits.window > NAMED_SHARE * dt * abs(islands[i, ACCOUNT_ALL])
    place = int(islands[i, PLACE]) if named else 0
    contact, joint = max(place, 0) - 1, max(-place, 0) - 1
    body = int(islands[i, BODY_OF])
    record_worst(found, _GAINED, off, islands[i, ACCOUNT_ALL], body, -1, contact, joint)
    record_worst(found, _LOST, -off, islands[i, ACCOUNT_ALL], body, -1, contact, joint)
    gained = islands[i, MISSING] / (islands[i, MOVED_ALL] + (quiet + islands[i, PART_UNCERTAINTY]) / limits.energy)
    if islands[i, TOUCHED] > 0.0:
        return gained
    lost = vec.norm((islands[i, P0], islands[i, P0 + 1], islands[i, P0 + 2]))
    allowed = limits.momentum * islands[i, SIZE_P] + VELOCITY_ROUNDING * islands[i, MASS]
    record_worst(found, _MOMENTUM, lost / allowed, lost, i, -1, contact, joint)
    lost = vec.norm((islands[i, L0], islands[i, L0 + 1], islands[i, L0 + 2]))
    allowed = limits.momentum * islands[i, SIZE_L] + islands[i, LOOSE_L]
    record_worst(found, _SPIN, lost / allowed, lost, i, -1, contact, joint)
    return gained
