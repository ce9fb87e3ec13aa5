"""Sums of the reported impulses of a step for each body, and the islands they connect.

With p an impulse on b at arm r_b, -p on a at arm r_a, and the joints' reactions (p, m about the centre of b):

    P_b += p,   M_b += r_b x p + m;      P_a -= p,   M_a -= r_a x p                                   contacts           (1)
    P_b += p,   M_b += m;                P_a -= p,   M_a -= m + (x_b - x_a) x p                       joints             (2)

Arms are those of the start of the step. If a body turns by x radians within it, so do its arms: the moment may be off by
|r| |p| x, which is added to `MOMENT_TOLERANCE`.

Torques and moments of joints change omega at the orientation q0 before the drift, which then changes it further: omega precesses
about the constant L1. Their work is done from omega0 to that before the drift of the last of n parts,

    omega' = omega1 + (I(q0)^-1 L1 - omega1) / n                                                                      (3)
"""

import math

import numpy as np

from physics.core import mat3, quat, vec
from physics.core.jit import inline, routine
from physics.core.records import Kind

PULSE, MOMENT = 0, 3        # sums of (1), (2) [N s], [N m s]
IMPULSE_SIZE = 6                 # sum of |p| [N s]
MOMENT_TOLERANCE = 7                   # possible error of the moment [N m s]
SIZE, THIN = 8, 9           # squares of half the longest and half the shortest extent of the body, from its inertia [m^2]
MAX_TURN = 10                   # largest possible rotation [rad]
MAX_DISTANCE = 11                    # largest possible displacement [m]
GIVEN = 12                  # work of active causes: motors, movers, the mouse, applied forces [J]
TAKEN = 13                  # work of legitimate losses: slipping friction, impacts, dampers; < 0 [J]
HELD = 14                   # > 0: in contact with something not moved by forces
WORST = 15                  # largest unexplained work of a contact or joint [J]; -1: none
WHERE = 16                  # that contact + 1, or -(that joint + 1)
IMPULSE_TOLERANCE = 17                   # possible error of the impulse: adhesion, which is not reported [N s]
SWEEP = 18                  # sum of the sizes of all moments, which may cancel [N m s]
PUSHED = 19                 # possible rotation by correction of an overlap [rad]
FASTEST = 20                # the larger of its kinetic energies before and after [J]
IMPACT_WORK_TOLERANCE = 21                  # possible error of the work of impacts, in a step of several parts [J]
HAS_IMPACT = 22                   # > 0: a contact closes
UNEXPLAINED_WORK = 23                   # unexplained work of contacts that do not close [J]
STORED = 24                 # energy stored in the springs of its compliant contacts: compliance.py [J]
KICKED = 25                 # (3) [rad/s]
SUM_COLUMNS = 28

MIN_TURN = 1e-4
"""Below this rotation in a step, precession within it is negligible [rad]."""

POS, QUAT, VEL, OMEGA, SINCE, LOST = 0, 3, 7, 10, 13, 14
"""Columns of the motion before the step (measure.copy_motion), and the time that the guard against tunnelling took from it [s]:
that column is there only where it ran."""

_DYNAMIC, _KINEMATIC = Kind.DYNAMIC, Kind.KINEMATIC


@inline
def three(table, i, column):
    """A 3-vector from a table row."""
    return (table[i, column], table[i, column + 1], table[i, column + 2])


@inline
def four(table, i, column):
    """A quaternion from a table row."""
    return (table[i, column], table[i, column + 1], table[i, column + 2], table[i, column + 3])


@inline
def duration(b, before, i, dt):
    """Time from the velocity before a part to that after it [s]."""
    return dt + before[i, SINCE] - (before[i, LOST] if before.shape[1] > LOST else 0.0) - b.velocity_lag


@inline
def length(v):
    """A cheap upper bound of the length: |x| + |y| + |z|."""
    return abs(v[0]) + abs(v[1]) + abs(v[2])


@inline
def max_norm(v):
    """A cheap lower bound of the length: the largest of |x|, |y|, |z|."""
    return max(abs(v[0]), abs(v[1]), abs(v[2]))


@inline
def moves(body):
    """Whether forces move it in this step."""
    return body.kind == _DYNAMIC and body.asleep == 0


@inline
def momentum_of_spin(body, q, omega):
    """I omega in the world frame [kg m^2/s], of the body at orientation q."""
    if omega[0] == 0.0 and omega[1] == 0.0 and omega[2] == 0.0:
        return (0.0, 0.0, 0.0)
    w = quat.rotate(quat.conjugate(q), omega)
    i = body.inertia
    return quat.rotate(q, (i[0, 0] * w[0] + i[0, 1] * w[1] + i[0, 2] * w[2], i[1, 0] * w[0] + i[1, 1] * w[1] + i[1, 2] * w[2],
                           i[2, 0] * w[0] + i[2, 1] * w[1] + i[2, 2] * w[2]))


@routine
def _kicked(b, q0, parts):
    """(3) of a body."""
    momentum = momentum_of_spin(b, quat.copy(b.quat), vec.copy(b.omega))
    w = quat.rotate(q0, mat3.apply(b.inv_inertia, quat.rotate(quat.conjugate(q0), momentum)))
    return vec.madd(vec.copy(b.omega), vec.sub(w, vec.copy(b.omega)), 1.0 / max(1, parts))


@routine
def begin(bodies, before, dt, parts, sums, parent):
    """Initialise the sums (given empty) of awake bodies with sizes, and put every body that moves in an island of its own."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        parent[i] = -1
        if b.asleep != 0:       # nothing touches it: memory that is not written is not fetched
            continue
        for k in range(SUM_COLUMNS):
            sums[i, k] = 0.0
        sums[i, SIZE] = sums[i, THIN] = math.inf
        if moves(b):
            parent[i] = i
            x, y, z = b.inertia[0, 0], b.inertia[1, 1], b.inertia[2, 2]
            sums[i, SIZE] = 1.5 * (x + y + z) * b.inv_mass
            sums[i, THIN] = 1.5 * max(0.0, x + y + z - 2.0 * max(x, y, z)) * b.inv_mass
        if parent[i] == i or b.kind == _KINEMATIC:
            sums[i, MAX_TURN] = dt * max(length(b.omega), length(three(before, i, OMEGA)))
            sums[i, MAX_DISTANCE] = dt * max(length(b.vel), length(three(before, i, VEL)))
            w = _kicked(b, four(before, i, QUAT), parts) if parent[i] == i and sums[i, MAX_TURN] > MIN_TURN else vec.copy(b.omega)
            sums[i, KICKED], sums[i, KICKED + 1], sums[i, KICKED + 2] = w[0], w[1], w[2]


@routine
def driven_velocities(bodies, driven, parts):
    """Velocities of kinematic bodies from and to which the impulses of a part change them (bodies, 12), those of the last of its
    `parts` substeps and of the last one before it; empty if `driven` is. A body that rests on one accelerates with it.

    driven (bodies, 12): the given velocities v1, v2 of the two parts before. Within a part they change by the smaller of two
    changes, if these have the same sign: v is their mean.
    """
    movers, share = np.zeros(driven.shape), 0.5 - 0.5 / max(1, parts)
    for i in range(driven.shape[0]):
        if bodies[i].kind == _KINEMATIC:
            for k in range(6):
                v = bodies[i].vel[k] if k < 3 else bodies[i].omega[k - 3]
                new, old = v - driven[i, k], driven[i, k] - driven[i, 6 + k]
                slope = 0.0
                if new * old > 0.0:
                    slope = new if abs(new) < abs(old) else old
                movers[i, k], movers[i, 6 + k] = driven[i, k] + share * slope, v + share * slope
    return movers


@routine
def root(parent, i):
    """The lowest body of i's island; -1: i does not move."""
    if parent[i] < 0:
        return -1
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@routine
def union(parent, a, b):
    """Merge the islands of a and b."""
    a, b = root(parent, a), root(parent, b)
    if a >= 0 and b >= 0 and a != b:
        parent[max(a, b)] = min(a, b)


@inline
def push(sums, i, sign, p, m, size, swept, loose):
    """Add an impulse and its moment about the centre of body i, with the sizes of both (of the moment: of its parts) and the
    possible error of the moment."""
    for k in range(3):
        sums[i, PULSE + k] += sign * p[k]
        sums[i, MOMENT + k] += sign * m[k]
    sums[i, IMPULSE_SIZE] += size
    sums[i, SWEEP] += swept
    sums[i, MOMENT_TOLERANCE] += loose


@inline
def still(body):
    """Whether its velocity is meaningless: static, or asleep."""
    return body.kind != _KINEMATIC and not moves(body)


@inline
def owner(bodies, a, b):
    """The body that is charged with the work between two bodies: one that is moved by forces."""
    return b if moves(bodies[b]) else a


@inline
def note_worst_work(sums, i, work, where):
    """Store the largest unexplained work."""
    if abs(work) > sums[i, WORST]:
        sums[i, WORST], sums[i, WHERE] = abs(work), where
