"""Torsional and rolling friction of compliant contacts: surface patches that turn, in extended contacts.

A body that turns at w against a patch drags it at lever r by x. The spring and damper are those along the surface (F11 11.77 to
11.79 with r w for v and a moment for the force), for torsion about the normal, and for rolling about both tangents, as a disc:

    m_stick = r (-K_t x - D_t r w),   m = m_stick, clamped to c p_n;   x_dot = -(K_t x + m / r) / D_t                   (1)

The lever is the radius of gyration of the pair, so that a contact holds against turning as it does against sliding: a body that
sticks oscillates at sqrt(K_t / m) with the same damping ratio in both. That is within what (6) of springs.py resolves, whatever
the size of the body,

    r^2 = I / m,   1 / I = n.(I_a^-1 + I_b^-1) n,   1 / m = 1 / m_a + 1 / m_b                                           (2)

and for rolling 1 / I is the bound of the largest eigenvalue across n. A spring at the lever c itself would be that of a patch of
the size which friction tells, but a ball of 1 kg on a patch of 2 mm would swing at 7 rad/s for 40 s before it rests. x is a
length, not an angle, so that the energy K_t x^2 / 2 does not change where r does: on a body that tumbles.

Impulses of a kick and states follow as in patches.py, with its times.
"""

import math

import numpy as np

from physics.constraints.contact_batches import IMPULSE_N
from physics.core import vec
from physics.core.jit import inline, routine
from physics.core.records import record
from physics.dynamics.energy_ledger import CONTACT_SPRINGS, FRICTION
from physics.solvers.compliant.patches import TAU, turned
from physics.solvers.compliant.springs import decay
from physics.solvers.impulses import extended_contacts

PATCH_TURN = record([
    ("x", "f8", 3),                  # of (1) about n, t1, t2 at the time of the velocities: before, after a kick [m]
    ("at_pose", "f8", 3),            # at the pose [m]
    ("lever", "f8", 3),              # r of (2) [m]
    ("tau", "f8"),                   # duration of the kick [s]
])


@routine
def begin(contacts, patches):
    """PATCH_TURN (u,) of the extended contacts, read from CONTACT.patch_turn."""
    turns = np.zeros(patches.extended.shape[0], PATCH_TURN)
    for k in range(turns.shape[0]):
        u, turn = patches.extended[k], turns[k]
        light = patches.mass[u.a, 0] + patches.mass[u.b, 0]
        turn.lever[0] = math.sqrt(u.inverse_n * light)
        turn.lever[1] = turn.lever[2] = math.sqrt(u.gradient_step * light)
        for j in range(3):
            turn.x[j] = vec.dot(contacts[u.contact].patch_turn, u.frame[j])
    return turns


@inline
def _spin(u, velocity):
    return vec.sub(velocity[u.b, 3:], velocity[u.a, 3:])


@routine
def prepare(patches, states, turns, start, h):
    """x at the pose of a substep, after that of the points. start: velocities before its kick (bodies, 6)."""
    for k in range(turns.shape[0]):
        u, turn = patches.extended[k], turns[k]
        turn.tau = states[u.point, TAU, u.lane]
        dw = _spin(u, start)
        for j in range(3):
            turn.at_pose[j] = turn.x[j] + (turn.tau - 0.5 * h) * turn.lever[j] * vec.dot(u.frame[j], dw)


@inline
def _sticking(turn, j, w, h, springs):
    """(m_stick of (1) over a kick at the angular velocity w about an axis [N m s], -dm/dw [kg m^2])."""
    r, before, middle = turn.lever[j], turn.x[j], turn.at_pose[j]
    after = middle + 0.5 * h * r * w
    K, D = turn.tau / 6.0 * springs.K_t, springs.D_t
    return -r * (D * (after - before) + K * (before + 4.0 * middle + after)), 0.5 * h * r * r * (D + K)


@routine
def sweep(patches, turns, velocity, h, springs):
    """Solve every extended contact for its moments once; returns the square of the largest change of r w [m/s]."""
    worst = 0.0
    for k in range(turns.shape[0]):
        u, turn = patches.extended[k], turns[k]
        if u.torsional == 0.0 and u.rolling == 0.0:
            continue
        p_n = patches.points[u.point, IMPULSE_N, u.lane]
        stick, slope = _sticking(turn, 0, vec.dot(u.frame[0], _spin(u, velocity)), h, springs)
        m = u.impulse[0] + (stick - u.impulse[0]) / (1.0 + slope / u.inverse_n)
        m = min(max(m, -u.torsional * p_n), u.torsional * p_n)
        d = m - u.impulse[0]
        u.impulse[0] = m
        extended_contacts.turn(u, patches.mass, velocity, vec.scale(u.frame[0], d))
        rolled = _roll(u, turn, patches.mass, velocity, u.rolling * p_n, h, springs)
        worst = max(worst, abs(d) / u.inverse_n * turn.lever[0], rolled)
    return worst * worst


@inline
def _roll(u, turn, mass, velocity, bound, h, springs):
    """Solve one contact for its moment of rolling friction, up to that bound [N m s]; returns the size of the change of r w."""
    x, y = u.impulse[1], u.impulse[2]
    if bound == 0.0 and x == 0.0 and y == 0.0:
        return 0.0
    dw = _spin(u, velocity)
    m_1, slope = _sticking(turn, 1, vec.dot(u.frame[1], dw), h, springs)
    m_2, slope = _sticking(turn, 2, vec.dot(u.frame[2], dw), h, springs)
    share = 1.0 / (1.0 + slope / u.gradient_step)
    m_1, m_2 = x + share * (m_1 - x), y + share * (m_2 - y)
    size = math.sqrt(m_1 * m_1 + m_2 * m_2)
    if size > bound:
        m_1, m_2 = m_1 * bound / size, m_2 * bound / size
    u.impulse[1], u.impulse[2] = m_1, m_2
    extended_contacts.turn(u, mass, velocity, vec.madd(vec.scale(u.frame[1], m_1 - x), u.frame[2], m_2 - y))
    return math.sqrt((m_1 - x) * (m_1 - x) + (m_2 - y) * (m_2 - y)) / u.gradient_step * turn.lever[1]


@routine
def finish(contacts, patches, turns, velocity, h, springs, columns, last):
    """The states after a substep; totals of its moments; the energy in the springs, for the ledger. In the last substep the
    contacts get their states, and targets at which their moments obey the law."""
    for k in range(turns.shape[0]):
        u, turn = patches.extended[k], turns[k]
        if last:
            _aim(u, turn, velocity, h, springs)
        _finish(u, turn, patches.points[u.point, IMPULSE_N, u.lane], velocity, h, springs, columns)
        if last:
            x = vec.madd(vec.scale(u.frame[0], turn.x[0]), u.frame[1], turn.x[1])
            vec.assign(contacts[u.contact].patch_turn, vec.madd(x, u.frame[2], turn.x[2]))
    extended_contacts.add_up(patches.extended)


@inline
def _aim(u, turn, velocity, h, springs):
    """Targets of a contact."""
    dw = _spin(u, velocity)
    for j in range(3):
        w = vec.dot(u.frame[j], dw)
        stick, slope = _sticking(turn, j, w, h, springs)
        u.target[j] = w - (u.impulse[j] - stick) / slope


@inline
def _finish(u, turn, p_n, velocity, h, springs, columns):
    dw, before = _spin(u, velocity), vec.dot(turn.x, turn.x)
    holds = abs(u.impulse[0]) < (1.0 - 1e-12) * u.torsional * p_n
    rolled = u.impulse[1] * u.impulse[1] + u.impulse[2] * u.impulse[2]
    sticks = rolled < (1.0 - 1e-12) * (u.rolling * p_n) ** 2
    left = decay(springs.K_t, springs.D_t, turn.tau, springs.closed)
    for j in range(3):
        if holds if j == 0 else sticks:
            turn.x[j] = turn.at_pose[j] + 0.5 * h * turn.lever[j] * vec.dot(u.frame[j], dw)
        else:
            y = -u.impulse[j] / (turn.lever[j] * turn.tau * springs.K_t)
            turn.x[j] = y + left * (turn.x[j] - y)
    turn.x[1], turn.x[2] = turned(turn.x[1], turn.x[2], u.frame[0], velocity[u.a], velocity[u.b], turn.tau)
    if columns.shape[0] > 0:
        rubbed = 0.5 * springs.K_t * (vec.dot(turn.x, turn.x) - before)
        columns[FRICTION] += rubbed
        columns[CONTACT_SPRINGS] -= rubbed
