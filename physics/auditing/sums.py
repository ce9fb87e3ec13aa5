"""What the reported impulses of a step should have done to each body, and whom they tie together.

With p an impulse on b at arm r_b, -p on a at arm r_a, and the joints' reactions (p, m about the centre of b):

    P_b += p,   M_b += r_b x p + m;      P_a -= p,   M_a -= r_a x p                                   contacts           (1)
    P_b += p,   M_b += m;                P_a -= p,   M_a -= m + (x_b - x_a) x p                       joints             (2)

Arms are those of the start of the step. A body that turns by x radians within it has turned its arms: a moment that is read
this way may be off by |r| |p| x, which goes into `LOOSE`.
"""

import math

from physics.core import quat
from physics.core.jit import inline, routine
from physics.core.records import Kind

PULSE, MOMENT = 0, 3        # sums of (1), (2) [N s], [N m s]
PRESSED = 6                 # sum of |p| [N s]
LOOSE = 7                   # by how much the moment may be off [N m s]
SIZE, THIN = 8, 9           # squares of half the longest and half the shortest way through the body, from its inertia [m^2]
TURN = 10                   # how far it turned at most [rad]
WAY = 11                    # how far it went at most [m]
GIVEN = 12                  # work of what moves by itself: motors, movers, the hand, applied forces [J]
TAKEN = 13                  # work of what may take energy: friction that slips, impacts, dampers; < 0 [J]
HELD = 14                   # > 0: something that does not follow forces touches it
WORST = 15                  # the largest work that nothing explains, by a contact or joint [J]; -1: none
WHERE = 16                  # that contact + 1, or -(that joint + 1)
GIVE = 17                   # by how much the impulse may be off: adhesion, which nobody reports [N s]
SWEEP = 18                  # sum of the sizes of all moments, which may cancel [N m s]
PUSHED = 19                 # by how much it may have been turned out of an overlap [rad]
FASTEST = 20                # the larger of its kinetic energies before and after [J]
DOUBT = 21                  # by how much the works of blows may be off, in a step of several parts [J]
BLOW = 22                   # > 0: a contact comes together
LEFT = 23                   # work of contacts that do not, and that nothing explains [J]
COLUMNS = 24

POS, QUAT, VEL, OMEGA, SINCE = 0, 3, 7, 10, 13
"""Columns of the motion before the step (measure.keep_motion)."""

_DYNAMIC, _KINEMATIC = int(Kind.DYNAMIC), int(Kind.KINEMATIC)


@inline
def three(table, i, column):
    """A vector out of a table."""
    return (table[i, column], table[i, column + 1], table[i, column + 2])


@inline
def four(table, i, column):
    """A quaternion out of a table."""
    return (table[i, column], table[i, column + 1], table[i, column + 2], table[i, column + 3])


@inline
def length(v):
    """A length where no more is needed than its size: |x| + |y| + |z|, which is cheap."""
    return abs(v[0]) + abs(v[1]) + abs(v[2])


@inline
def moves(body):
    """Whether forces move it in this step."""
    return body.kind == _DYNAMIC and body.asleep == 0


@inline
def momentum_of_spin(body, q, omega):
    """I omega in the world [kg m^2/s], with the body turned by q."""
    if omega[0] == 0.0 and omega[1] == 0.0 and omega[2] == 0.0:
        return (0.0, 0.0, 0.0)
    w = quat.rotate(quat.conjugate(q), omega)
    i = body.inertia
    return quat.rotate(q, (i[0, 0] * w[0] + i[0, 1] * w[1] + i[0, 2] * w[2], i[1, 0] * w[0] + i[1, 1] * w[1] + i[1, 2] * w[2],
                           i[2, 0] * w[0] + i[2, 1] * w[1] + i[2, 2] * w[2]))


@routine
def begin(bodies, before, dt, sums, parent):
    """Sizes, into sums that are empty, and every body that moves in an island of its own."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        parent[i] = -1
        sums[i, SIZE] = sums[i, THIN] = math.inf
        if moves(b):
            parent[i] = i
            x, y, z = b.inertia[0, 0], b.inertia[1, 1], b.inertia[2, 2]
            sums[i, SIZE] = 1.5 * (x + y + z) * b.inv_mass
            sums[i, THIN] = 1.5 * max(0.0, x + y + z - 2.0 * max(x, y, z)) * b.inv_mass
        if parent[i] == i or b.kind == _KINEMATIC:
            sums[i, TURN] = dt * max(length(b.omega), length(three(before, i, OMEGA)))
            sums[i, WAY] = dt * max(length(b.vel), length(three(before, i, VEL)))


@routine
def root(parent, i):
    """The lowest body of the island of i; -1: it does not move."""
    if parent[i] < 0:
        return -1
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@routine
def tie(parent, a, b):
    """a and b are of one island."""
    a, b = root(parent, a), root(parent, b)
    if a >= 0 and b >= 0 and a != b:
        parent[max(a, b)] = min(a, b)


@inline
def push(sums, i, sign, p, m, size, swept, loose):
    """An impulse and its moment about the centre of body i, with the sizes of both (of the moment: of its parts) and what the
    moment may be off."""
    for k in range(3):
        sums[i, PULSE + k] += sign * p[k]
        sums[i, MOMENT + k] += sign * m[k]
    sums[i, PRESSED] += size
    sums[i, SWEEP] += swept
    sums[i, LOOSE] += loose


@inline
def still(body):
    """Whether it has no velocity that means anything: static, or asleep."""
    return body.kind != _KINEMATIC and not moves(body)


@inline
def owner(bodies, a, b):
    """Whose account takes what happens between two bodies: one that moves by forces."""
    return b if moves(bodies[b]) else a


@inline
def blame(sums, i, work, where):
    """Remember the largest work that nothing explains."""
    if abs(work) > sums[i, WORST]:
        sums[i, WORST], sums[i, WHERE] = abs(work), where
