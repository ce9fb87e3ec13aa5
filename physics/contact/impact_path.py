"""The impact of one contact by Routh's method: slip, stick and reverse slip while the normal impulse grows.

u = (u_n, u_1, u_2), the relative velocity at the contact in its frame (normal, t1, t2), changes with the impulse P = (p, q_1,
q_2) by W = J M^-1 J^T. During an impact the normal impulse p grows, and the friction impulse q with it by Coulomb's law. With the
slip r = u_t - c less its target c (0 without tangential restitution):

    slip             dq/dp = -mu r/|r|                                                                         (1)
    stick, r = 0     dq/dp = f,       f = -W_tt^-1 W_tn,   if |f| <= mu                                        (2)
    else it slips    dq/dp = -mu d,   (mu W_tt + k) d = W_tn,   |d| = 1,   k > 0:   r = k d (p - p_0)          (3)

d of (3) is unique, for |d(k)| falls with k, and it stays: from there on (1) is that straight line. Motion in a plane, and slip
along an axis of W, are straight, too; then the path is exact. Otherwise the slip turns, and with d tau = dp / |r|

    dr/dtau = |r| W_tn - mu W_tt r                                                                              (4)

which is smooth up to the end of the slip, is integrated by Runge and Kutta's method in steps that turn r by at most
MAX_SLIP_TURN. The law (impact_laws) determines where the impact ends; u_n rises at the end of every path, so all laws
end it. The exception is a body that a mechanism leaves one direction, inclined within the cone: it sticks in (2) with W singular,
and no impulse moves it back. It is jammed: the impact ends where it stops, without restitution.

E. Routh, Dynamics of a System of Rigid Bodies, 1905; J. Keller, Impact with friction, J. Appl. Mech. 53 (1986); V. Bhatt and
J. Koechling, Three-dimensional frictional rigid-body impact, J. Appl. Mech. 62 (1995).
"""

import math

from physics.contact.impact_laws import ImpactState, laws
from physics.core import dispatch, stack
from physics.core.jit import inline, kernel, routine

P, Q_1, Q_2, U_N, U_1, U_2, WORK = range(7)
"""A point of the path: impulse along n, t1, t2 [N s], velocity there [m/s], work of the normal impulse [J]."""
POINT = 7

COMPRESSION, COMPRESSION_WORK, RESTITUTION, APPROACH, SLIDES = 7, 8, 9, 10, 11
"""Of an end, after its point: p_c [N s], w_c [J], e that energy allowed, u_n before [m/s], 1 if it ended slipping."""
END = 12

MAX_SLIP_TURN = 0.02
"""Largest turn of the slip in a step of (4) [rad]."""

MAX_SEGMENTS = 20_000
"""Most segments of a path."""

STRAIGHT = 1e-12
"""Share of its rate across the slip below which the slip does not turn."""

STOPPED = 1e-10
"""Share of the first slip below which the slip has stopped."""

SLIP_ROUNDING = 1e-9
"""Share of the first velocity below which a contact does not slip at the end."""

BLOCKED = 1e-11
"""Smallest det W_tt / (tr W_tt)^2 and tr W_tt / W_nn; less: a mechanism cannot move along some direction, and what friction there
would stop is rounding. W_tt^-1 is then the pseudo-inverse W_tt / (tr W_tt)^2."""

JAMMED = 1e-9
"""Share of W_nn by which an impulse must change the normal velocity of a contact that sticks; less: it is jammed."""

BISECTIONS, SETTLED = 60, 1e-15
"""Most trials of a root, and the share of it that rounding leaves unknown."""

WORK_ROUNDING = 1e-12
"""Share of the work of an impact that is rounding."""

excess = routine(dispatch.by_kind("excess", __name__, ("state",), {i: law.excess for i, law in enumerate(laws().values())}))
"""How far an ImpactState is beyond the end of its law."""

_now, _slopes, _segment, _tried = stack.scratch(POINT), stack.scratch(4, POINT), stack.scratch(4), stack.scratch(POINT)
_unseen, _target, _bracketed = stack.scratch(1, POINT), stack.scratch(2), stack.scratch(5)

_SLIP, _LINE = 0.0, 1.0
_MOTION, _G_1, _G_2, _LENGTH = 0, 1, 2, 3       # of a segment: how it moves, dq/dp of a line, its length in tau or p
_LOW, _BELOW, _HIGH, _ABOVE, _SIDE = range(5)   # of a bracket: its ends, the values there, the end that moved last


@inline
def _length(x, y):
    return math.sqrt(x * x + y * y)


@kernel
def follow(W, u, mu, c, e, kind, path, end):
    """Follow the path of an impact to its end by law `kind`.

    W (3, 3) [1/kg]; u (3,): approaching, u_n < 0 [m/s]; c (2,): targets of the slip [m/s]; e: restitution.
    Writes path (m, POINT), as many of its points as fit, and end (END,); returns the number of points.
    """
    now, segment = _now(), _segment()
    now[:] = 0.0
    now[U_N], now[U_1], now[U_2] = u[0], u[1], u[2]
    end[COMPRESSION], end[COMPRESSION_WORK], end[RESTITUTION], end[APPROACH] = 0.0, 0.0, e, u[0]
    first, slides, pressed = _length(u[1] - c[0], u[2] - c[1]), True, False
    count = _note(path, 0, now)
    for _ in range(MAX_SEGMENTS):
        slides = slides and _length(now[U_1] - c[0], now[U_2] - c[1]) > STOPPED * first
        stops = _choose(W, mu, c, now, slides, segment)
        if not slides and _normal_rate(W, segment) <= JAMMED * W[0, 0]:
            end[RESTITUTION] = 0.0
            break
        if segment[_LENGTH] == math.inf:
            segment[_LENGTH] = _bracket(W, mu, c, now, segment, pressed, kind, end)
        if _beyond(W, mu, c, now, segment, segment[_LENGTH], pressed, kind, end) >= 0.0:
            _advance(W, mu, c, now, segment, _crossing(W, mu, c, now, segment, pressed, kind, end), now)
            count = _note(path, count, now)
            if pressed or e == 0.0:
                break
            pressed, now[U_N], end[COMPRESSION], end[COMPRESSION_WORK] = True, 0.0, now[P], now[WORK]
            continue
        _advance(W, mu, c, now, segment, segment[_LENGTH], now)
        if stops or (slides and _length(now[U_1] - c[0], now[U_2] - c[1]) <= STOPPED * first):
            _stop(W, c, now)
            slides = False
        count = _note(path, count, now)
    if not pressed:
        end[COMPRESSION], end[COMPRESSION_WORK], now[U_N] = now[P], now[WORK], 0.0
    for k in range(POINT):
        end[k] = now[k]
    end[SLIDES] = 1.0 if _length(now[U_1] - c[0], now[U_2] - c[1]) > SLIP_ROUNDING * (first - u[0]) else 0.0
    return count


@inline
def _note(path, count, now):
    """Write a point of the path, if there is room."""
    if count < path.shape[0]:
        for k in range(POINT):
            path[count, k] = now[k]
    return min(count + 1, path.shape[0])


@routine
def _choose(W, mu, c, now, slides, segment):
    """Choose how it moves from here on: (1) with slip, (2) or (3) without; True if a line ends where the slip stops."""
    segment[_MOTION], segment[_G_1], segment[_G_2], segment[_LENGTH] = _LINE, 0.0, 0.0, math.inf
    if mu == 0.0:
        return False
    if not slides:
        _leave(W, mu, segment)
        return False
    x, y = now[U_1] - c[0], now[U_2] - c[1]
    r = _length(x, y)
    x, y = x / r, y / r
    a, b = W[1, 0] - mu * (W[1, 1] * x + W[1, 2] * y), W[2, 0] - mu * (W[2, 1] * x + W[2, 2] * y)
    rate = _length(W[1, 0], W[2, 0]) + mu * (W[1, 1] + W[2, 2])
    along = a * x + b * y
    if abs(a * y - b * x) > STRAIGHT * rate:
        segment[_MOTION], segment[_LENGTH] = _SLIP, MAX_SLIP_TURN / rate
        return False
    segment[_G_1], segment[_G_2] = -mu * x, -mu * y
    if along < 0.0:
        segment[_LENGTH] = -r / along
    return along < 0.0


@routine
def _leave(W, mu, segment):
    """Stick (2), or the slip (3) that starts from it."""
    x, y = _stick(W, W[1, 0], W[2, 0])
    if x * x + y * y > mu * mu:
        low, high = 0.0, _length(W[1, 0], W[2, 0])       # |d| = 1 is between them
        for _ in range(BISECTIONS):
            k = 0.5 * (low + high)
            x, y = _solve(W, mu, k)
            if x * x + y * y > 1.0:
                low = k
            else:
                high = k
        length = _length(x, y) / mu
        x, y = x / length, y / length
    segment[_G_1], segment[_G_2] = -x, -y


@inline
def _normal_rate(W, segment):
    """du_n/dp along a line."""
    return W[0, 0] + W[0, 1] * segment[_G_1] + W[0, 2] * segment[_G_2]


@inline
def _solve(W, share, more):
    """x of (share W_tt + more) x = W_tn."""
    a, b, d = share * W[1, 1] + more, share * W[1, 2], share * W[2, 2] + more
    determinant = a * d - b * b
    return (d * W[1, 0] - b * W[2, 0]) / determinant, (a * W[2, 0] - b * W[1, 0]) / determinant


@routine
def _stick(W, x, y):
    """W_tt^-1 (x, y)."""
    trace, determinant = W[1, 1] + W[2, 2], W[1, 1] * W[2, 2] - W[1, 2] * W[2, 1]
    if trace <= BLOCKED * W[0, 0]:
        return 0.0, 0.0
    if determinant <= BLOCKED * trace * trace:
        return (W[1, 1] * x + W[1, 2] * y) / (trace * trace), (W[2, 1] * x + W[2, 2] * y) / (trace * trace)
    return (W[2, 2] * x - W[1, 2] * y) / determinant, (W[1, 1] * y - W[2, 1] * x) / determinant


@routine
def _stop(W, c, now):
    """End the slip: what rounding or the last step of (4) has left of it is removed by friction."""
    q_1, q_2 = _stick(W, c[0] - now[U_1], c[1] - now[U_2])
    now[Q_1] += q_1
    now[Q_2] += q_2
    now[U_N] += W[0, 1] * q_1 + W[0, 2] * q_2
    now[U_1] += W[1, 1] * q_1 + W[1, 2] * q_2
    now[U_2] += W[2, 1] * q_1 + W[2, 2] * q_2


@routine
def _advance(W, mu, c, now, segment, length, out):
    """Write to `out` the point that is `length` further on the segment: tau of (4), or p of a line."""
    if segment[_MOTION] == _SLIP:
        _step(W, mu, c, now, length, out)
        return
    g_1, g_2 = segment[_G_1], segment[_G_2]
    rate, before = _normal_rate(W, segment), now[U_N]
    out[P], out[Q_1], out[Q_2] = now[P] + length, now[Q_1] + length * g_1, now[Q_2] + length * g_2
    out[U_N] = before + length * rate
    out[U_1] = now[U_1] + length * (W[1, 0] + W[1, 1] * g_1 + W[1, 2] * g_2)
    out[U_2] = now[U_2] + length * (W[2, 0] + W[2, 1] * g_1 + W[2, 2] * g_2)
    out[WORK] = now[WORK] + length * (before + 0.5 * length * rate)


@routine
def _step(W, mu, c, now, length, out):
    """One step of (4) by Runge and Kutta's method of order 4."""
    k = _slopes()
    for i in range(4):
        share = 0.0 if i == 0 else length if i == 3 else 0.5 * length
        last = max(i - 1, 0)
        u_n = now[U_N] + (share * k[last, U_N] if i > 0 else 0.0)
        x = now[U_1] - c[0] + (share * k[last, U_1] if i > 0 else 0.0)
        y = now[U_2] - c[1] + (share * k[last, U_2] if i > 0 else 0.0)
        r = _length(x, y)
        k[i, P], k[i, Q_1], k[i, Q_2], k[i, WORK] = r, -mu * x, -mu * y, r * u_n
        for j in range(3):
            k[i, U_N + j] = r * W[j, 0] - mu * (W[j, 1] * x + W[j, 2] * y)
    for j in range(POINT):
        out[j] = now[j] + length / 6.0 * (k[0, j] + 2.0 * k[1, j] + 2.0 * k[2, j] + k[3, j])


@inline
def _state(now, kind, end):
    """The ImpactState of a point in the restitution; the approach is where the compression began."""
    return ImpactState(kind, end[RESTITUTION], end[APPROACH], end[COMPRESSION], end[COMPRESSION_WORK], now[P], now[U_N],
                       now[WORK])


@routine
def _beyond(W, mu, c, now, segment, length, pressed, kind, end):
    """How far the point `length` further on is beyond the end of its phase: u_n in the compression, then the law's excess."""
    there = _tried()
    _advance(W, mu, c, now, segment, length, there)
    return excess(_state(there, kind, end)) if pressed else there[U_N]


@routine
def _bracket(W, mu, c, now, segment, pressed, kind, end):
    """A length of an endless line on which the phase ends."""
    rate = _normal_rate(W, segment)
    length = max(-now[U_N], -end[APPROACH] * end[RESTITUTION] if pressed else 0.0) / rate + now[P]
    for _ in range(BISECTIONS):
        if _beyond(W, mu, c, now, segment, length, pressed, kind, end) >= 0.0:
            break
        length *= 2.0
    return length


@routine
def _crossing(W, mu, c, now, segment, pressed, kind, end):
    """The length at which the phase ends, by false position (Illinois)."""
    bracket = _bracketed()
    bracket[_LOW], bracket[_BELOW] = 0.0, _beyond(W, mu, c, now, segment, 0.0, pressed, kind, end)
    bracket[_HIGH], bracket[_ABOVE] = segment[_LENGTH], _beyond(W, mu, c, now, segment, segment[_LENGTH], pressed, kind, end)
    bracket[_SIDE] = 0.0
    for _ in range(BISECTIONS):
        if _is_settled(bracket):
            break
        at = _false_position(bracket)
        _narrow(bracket, at, _beyond(W, mu, c, now, segment, at, pressed, kind, end))
    return bracket[_LOW] if bracket[_BELOW] >= 0.0 else bracket[_HIGH]


@inline
def _is_settled(bracket):
    """Whether its ends are a root, or as near to one another as rounding allows."""
    return bracket[_BELOW] >= 0.0 or bracket[_ABOVE] == 0.0 or bracket[_HIGH] - bracket[_LOW] <= SETTLED * bracket[_HIGH]


@inline
def _false_position(bracket):
    """Where a straight line between its ends crosses 0."""
    low, below, high, above = bracket[_LOW], bracket[_BELOW], bracket[_HIGH], bracket[_ABOVE]
    return (low * above - high * below) / (above - below)


@routine
def _narrow(bracket, at, value):
    """Make `at` an end; halve the value of an end that stays a second time (Illinois)."""
    if value >= 0.0:
        bracket[_HIGH], bracket[_ABOVE] = at, value
        bracket[_BELOW] *= 0.5 if bracket[_SIDE] > 0.0 else 1.0
        bracket[_SIDE] = 1.0
    else:
        bracket[_LOW], bracket[_BELOW] = at, value
        bracket[_ABOVE] *= 0.5 if bracket[_SIDE] < 0.0 else 1.0
        bracket[_SIDE] = -1.0


@kernel
def solve(W, u, mu, c, e, kind, limited, end):
    """The end (END,) of an impact; limited: its restitution, normal and tangential, is reduced to the largest share for which the
    impulses do no positive work, P.(u + u')/2 <= 0."""
    gain = _gain_of_share(W, u, mu, c, e, kind, 1.0, end)
    if not limited or gain <= 0.0:
        return
    bracket = _bracketed()
    bracket[_HIGH], bracket[_ABOVE], bracket[_SIDE] = 1.0, gain, 0.0
    bracket[_LOW], bracket[_BELOW] = 0.0, _gain_of_share(W, u, mu, c, e, kind, 0.0, end)
    for _ in range(BISECTIONS):
        if _is_settled(bracket):
            break
        at = _false_position(bracket)
        _narrow(bracket, at, _gain_of_share(W, u, mu, c, e, kind, at, end))
    _gain_of_share(W, u, mu, c, e, kind, bracket[_HIGH] if bracket[_ABOVE] == 0.0 else bracket[_LOW], end)


@routine
def _gain_of_share(W, u, mu, c, e, kind, share, end):
    """`_gain` with a share of the restitution; its end is written."""
    target = _target()
    target[0], target[1] = share * c[0], share * c[1]
    follow(W, u, mu, target, share * e, kind, _unseen(), end)
    return _gain(u, end)


@inline
def work_of(u, end):
    """Work of an impact's impulses [J], by their end."""
    return 0.5 * (end[P] * (u[0] + end[U_N]) + end[Q_1] * (u[1] + end[U_1]) + end[Q_2] * (u[2] + end[U_2]))


@inline
def _gain(u, end):
    """Work of the impulses beyond rounding [J]."""
    return work_of(u, end) + WORK_ROUNDING * end[P] * u[0]
