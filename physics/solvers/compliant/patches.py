"""Surface patches of contacts in a substep: the law of F11 11.8 as impulses, exact in the dampers.

Velocities V belong to the middles of drifts, poses to their ends (integrate.py). A kick at the pose of time t acts from t - s, s
the lag of V0, to t + h / 2, tau = s + h / 2. With p = gap (negative: overlap) and u = n.dv, v = t.dv - belt,

    p- = p - s u0,    p+ = p + h/2 u1,    z- = min(0, p-) if they touched, else the state z                         (1)
    P = -(W(z+) - W(z-)) - tau/6 (S(z-) + 4 S(z0) + S(z+)),   z+ = p+,  z0 = min(p, z- relaxed by s)                (2)
    P_n = max(0, P):   if 0, z+ = min(0, p+, z- relaxed by tau)                                     (11.74), (11.75)

(2) is (11.73) integrated over the kick: the damper's impulse follows from the path of the patch alone, so that a contact that
closes within the kick is charged with what it has moved; the spring by Simpson's rule. Both are of second order in h, without
damping (2) is of fourth order (Fox and Goodwin 1949) and stable for h omega < sqrt(6). Along the tangents, as a disc:

    x0 = x- + s v0,   x+ = x0 + h/2 v1,   P_stick = -D_t (x+ - x-) - tau K_t/6 (x- + 4 x0 + x+)                     (11.78)
    P_t = P_stick, scaled to mu P_n if it is longer                                                                 (11.79)
    then x+ = y + (x- - y) left(tau),   y = -P_t / (tau K_t),  left: share of a free displacement                    (11.77)

P depends on u1 through z+ (x+), so a sweep solves each point for its impulse with the other impulses as they are; the coupling
is of the order (h omega)^2, and a few sweeps converge. Patches turn with the mean spin of their bodies about the normal.
"""

import math

import numpy as np

from physics.constraints.contact_batches import (
    APPROACH,
    ARM_A,
    ARM_B,
    BELT_1,
    BELT_2,
    CURVATURE_1,
    CURVATURE_2,
    CURVATURE_N,
    GAP,
    IMPULSE_1,
    IMPULSE_2,
    IMPULSE_N,
    INVERSE_N,
    MASS_SCALE,
    MU,
    RATE,
    STIFFNESS,
    SWEEP_A,
    SWEEP_B,
    SWING,
    TARGET_1,
    TARGET_2,
    TARGET_N,
    TOTAL_N,
)
from physics.core import lanes, vec
from physics.core.jit import inline, routine
from physics.core.records import Case, Kind
from physics.dynamics.energy_ledger import CONTACT, CONTACT_SPRINGS, FRICTION
from physics.solvers.compliant.springs import damper, decay, energy, released, spring

TOUCHES = 0                 # 1: pressed at the end of the last kick
Z, X_1, X_2 = 1, 2, 3       # state at the time of the velocities: z-, x- before, z+, x+ after a kick [m]
Z_POSE = 4                  # z0 [m]
X_POSE_1, X_POSE_2 = 5, 6   # x0 [m]
TAU = 7                     # [s]
CURVATURE = 8                    # curvature term of u1 [m/s]
AIM_1, AIM_2 = 9, 10        # belt of v1, with curvature terms [m/s]
STATE_FIELDS = 11

_DYNAMIC, _KINEMATIC, _OPEN = Kind.DYNAMIC, Kind.KINEMATIC, Case.OPEN


@routine
def begin(contacts, bodies, patches, states):
    """Read the states of all patches from their contacts. states: (points, STATE_FIELDS, 4)."""
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(lanes.WIDTH):
                if patches.contact[p, lane] >= 0:
                    c, state = contacts[patches.contact[p, lane]], states[p]
                    a, b = bodies[c.body_a], bodies[c.body_b]
                    _carry(patches.points[p], patches.frame[k], lane, ARM_A, a, b, -1.0)
                    _carry(patches.points[p], patches.frame[k], lane, ARM_B, b, a, 1.0)
                    patches.points[p, MASS_SCALE, lane] = 0.0
                    state[TOUCHES, lane] = 1.0 if c.case != _OPEN and c.impulse > 0.0 else 0.0
                    state[Z, lane] = vec.dot(c.patch, vec.of_lane(patches.frame[k], 0, lane))
                    state[X_1, lane] = vec.dot(c.patch, vec.of_lane(patches.frame[k], 3, lane))
                    state[X_2, lane] = vec.dot(c.patch, vec.of_lane(patches.frame[k], 6, lane))


@inline
def _carry(point, frame, lane, arm, mover, other, sign):
    """The arm of a kinematic body follows the point of the other one, which it may carry about its centre: (4) of
    contact_batches.py for it."""
    if mover.kind == _KINEMATIC:
        rate = vec.sub(vec.add(other.vel, vec.of_lane(point, SWEEP_A + ARM_B - arm, lane)), mover.vel)
        turning = vec.scale(vec.cross(mover.omega, rate), sign)
        for j in range(3):
            point[SWEEP_A + arm - ARM_A + j, lane] = rate[j]
            point[CURVATURE_N + j, lane] += vec.dot(turning, vec.of_lane(frame, 3 * j, lane))


@inline
def turned(y_1, y_2, n, v_a, v_b, t):
    """A displacement along both tangents after t [s]: it turns with the mean spin of both bodies about the normal."""
    turn = 0.5 * t * vec.dot(n, vec.add(v_a[3:], v_b[3:]))
    cos = (1.0 - 0.25 * turn * turn) / (1.0 + 0.25 * turn * turn)
    sin = turn / (1.0 + 0.25 * turn * turn)
    return cos * y_1 - sin * y_2, sin * y_1 + cos * y_2


@inline
def at(motion, r):
    """Velocity of a point of a body at arm r."""
    return vec.add(motion, vec.cross(motion[3:], r))


@routine
def prepare(bodies, patches, states, start, springs, substep):
    """Gaps, arms and (1) at the pose of a substep. start: velocities before its kick (bodies, 6)."""
    for k in range(patches.first.shape[0]):
        frame = patches.frame[k]
        for lane in range(lanes.WIDTH):
            a, b = patches.a[k, lane], patches.b[k, lane]
            lag = 0.0
            if bodies[a].kind == _DYNAMIC:
                lag = bodies[a].velocity_lag
            if bodies[b].kind == _DYNAMIC:
                lag = max(lag, bodies[b].velocity_lag)
            for p in range(patches.first[k], patches.first[k] + patches.count[k]):
                if patches.contact[p, lane] >= 0:
                    _prepare_point(patches.points[p], states[p], frame, lane, start[a], start[b], lag, springs, substep)


@inline
def _prepare_point(point, state, frame, lane, v_a, v_b, lag, springs, substep):
    if substep.previous > 0.0:
        for j in range(3):
            point[ARM_A + j, lane] += substep.previous * point[SWEEP_A + j, lane]
            point[ARM_B + j, lane] += substep.previous * point[SWEEP_B + j, lane]
    h, state[TAU, lane] = substep.h, lag + 0.5 * substep.h
    n, t1, t2 = vec.of_lane(frame, 0, lane), vec.of_lane(frame, 3, lane), vec.of_lane(frame, 6, lane)
    dv = vec.sub(at(v_b, vec.of_lane(point, ARM_B, lane)), at(v_a, vec.of_lane(point, ARM_A, lane)))
    u = vec.dot(n, dv)
    point[APPROACH, lane] = min(point[APPROACH, lane], u)
    u += (substep.elapsed - lag) * point[SWING, lane] - lag * point[CURVATURE_N, lane]
    point[GAP, lane] += substep.previous * u
    state[CURVATURE, lane] = (substep.elapsed + 0.5 * h) * point[SWING, lane] + 0.5 * h * point[CURVATURE_N, lane]
    gap = point[GAP, lane]
    before = min(0.0, gap - lag * u)
    z = before if state[TOUCHES, lane] > 0.0 else min(state[Z, lane], before)
    state[Z, lane], state[Z_POSE, lane] = z, min(gap, released(z, lag, springs))
    state[X_POSE_1, lane] = state[X_1, lane] + lag * (vec.dot(t1, dv) - point[BELT_1, lane] - lag * point[CURVATURE_1, lane])
    state[X_POSE_2, lane] = state[X_2, lane] + lag * (vec.dot(t2, dv) - point[BELT_2, lane] - lag * point[CURVATURE_2, lane])
    state[AIM_1, lane] = point[BELT_1, lane] - 0.5 * h * point[CURVATURE_1, lane]
    state[AIM_2, lane] = point[BELT_2, lane] - 0.5 * h * point[CURVATURE_2, lane]


@inline
def _law(point, state, lane, u, h, springs):
    """(P of (2) at the velocity u along the normal [N s], -dP/du [kg])."""
    z, tau = state[Z, lane], state[TAU, lane]
    after = point[GAP, lane] + 0.5 * h * (u + state[CURVATURE, lane])
    s, slope = spring(after, springs)
    w, damping = damper(after, springs)
    work = w - damper(z, springs)[0]
    pushed = work + tau / 6.0 * (spring(z, springs)[0] + 4.0 * spring(state[Z_POSE, lane], springs)[0] + s)
    return -pushed, 0.5 * h * (damping + tau / 6.0 * slope)


@inline
def _sticking(state, lane, v_1, v_2, h, springs):
    """(P_stick along both tangents at the velocities v of the surfaces [N s], -dP/dv [kg])."""
    tau = state[TAU, lane]
    x_1, x_2 = state[X_POSE_1, lane] + 0.5 * h * v_1, state[X_POSE_2, lane] + 0.5 * h * v_2
    K, D = tau / 6.0 * springs.K_t, springs.D_t
    p_1 = -D * (x_1 - state[X_1, lane]) - K * (state[X_1, lane] + 4.0 * state[X_POSE_1, lane] + x_1)
    p_2 = -D * (x_2 - state[X_2, lane]) - K * (state[X_2, lane] + 4.0 * state[X_POSE_2, lane] + x_2)
    return p_1, p_2, 0.5 * h * (D + K)


@inline
def _apply(mass, body, velocity, r, impulse):
    """Velocities after an impulse at arm r; mass: see ContactBatches."""
    m, t = mass[body], vec.cross(r, impulse)
    velocity[0] += impulse[0] * m[0]
    velocity[1] += impulse[1] * m[0]
    velocity[2] += impulse[2] * m[0]
    velocity[3] += m[1] * t[0] + m[2] * t[1] + m[3] * t[2]
    velocity[4] += m[2] * t[0] + m[4] * t[1] + m[5] * t[2]
    velocity[5] += m[3] * t[0] + m[5] * t[1] + m[6] * t[2]


@routine
def sweep(patches, states, velocity, h, springs):
    """Solve every point for its impulse once; returns the square of the largest change of a velocity [m/s]."""
    worst = 0.0
    for k in range(patches.first.shape[0]):
        for lane in range(lanes.WIDTH):
            for p in range(patches.first[k], patches.first[k] + patches.count[k]):
                if patches.contact[p, lane] >= 0:
                    change = _solve(patches, k, p, lane, states[p], velocity, h, springs)
                    worst = max(worst, change * patches.points[p, STIFFNESS, lane])
    return worst * worst


@inline
def _solve(patches, k, p, lane, state, velocity, h, springs):
    """Solve one point: normal, then friction; returns the size of the change [N s]."""
    point, frame = patches.points[p], patches.frame[k]
    a, b = patches.a[k, lane], patches.b[k, lane]
    n, r_a, r_b = vec.of_lane(frame, 0, lane), vec.of_lane(point, ARM_A, lane), vec.of_lane(point, ARM_B, lane)
    v_a, v_b = velocity[a], velocity[b]
    old, mobility = point[IMPULSE_N, lane], 1.0 / point[INVERSE_N, lane]
    law, slope = _law(point, state, lane, vec.dot(n, vec.sub(at(v_b, r_b), at(v_a, r_a))), h, springs)
    new = max(0.0, old + (law - old) / (1.0 + slope * mobility))
    if new != old:
        point[IMPULSE_N, lane] = new
        _apply(patches.mass, a, v_a, r_a, vec.scale(n, old - new))
        _apply(patches.mass, b, v_b, r_b, vec.scale(n, new - old))
    x, y, bound = point[IMPULSE_1, lane], point[IMPULSE_2, lane], point[MU, lane] * new
    if bound == 0.0 and x == 0.0 and y == 0.0:
        return abs(new - old)
    t1, t2 = vec.of_lane(frame, 3, lane), vec.of_lane(frame, 6, lane)
    dv = vec.sub(at(v_b, r_b), at(v_a, r_a))
    p_1, p_2, slope = _sticking(state, lane, vec.dot(t1, dv) - state[AIM_1, lane], vec.dot(t2, dv) - state[AIM_2, lane], h,
                                springs)
    share = 1.0 / (1.0 + slope / point[RATE, lane])
    p_1, p_2 = x + share * (p_1 - x), y + share * (p_2 - y)
    size = math.sqrt(p_1 * p_1 + p_2 * p_2)
    if size > bound:
        p_1, p_2 = p_1 * bound / size, p_2 * bound / size
    point[IMPULSE_1, lane], point[IMPULSE_2, lane] = p_1, p_2
    change = vec.madd(vec.scale(t1, p_1 - x), t2, p_2 - y)
    _apply(patches.mass, a, v_a, r_a, vec.scale(change, -1.0))
    _apply(patches.mass, b, v_b, r_b, change)
    return max(abs(new - old), math.sqrt(vec.dot(change, change)))


@routine
def finish(contacts, patches, states, velocity, h, springs, columns, last):
    """The states after a substep; totals of its impulses; the energy in its springs, for the ledger. In the last substep the
    contacts get their patches, and targets at which their impulses obey the law: slip is that of the surface on its patch."""
    for k in range(patches.first.shape[0]):
        for lane in range(lanes.WIDTH):
            for p in range(patches.first[k], patches.first[k] + patches.count[k]):
                if patches.contact[p, lane] >= 0:
                    if last:
                        _aim(patches, k, p, lane, states[p], velocity, h, springs)
                    _finish_point(patches, k, p, lane, states[p], velocity, h, springs, columns)
                    if last:
                        z, x_1, x_2 = states[p, Z, lane], states[p, X_1, lane], states[p, X_2, lane]
                        frame = patches.frame[k]
                        sideways = vec.madd(vec.scale(vec.of_lane(frame, 3, lane), x_1), vec.of_lane(frame, 6, lane), x_2)
                        vec.assign(contacts[patches.contact[p, lane]].patch, vec.madd(sideways, vec.of_lane(frame, 0, lane), z))


@inline
def _aim(patches, k, p, lane, state, velocity, h, springs):
    """Targets of a point."""
    point, frame = patches.points[p], patches.frame[k]
    n, t1, t2 = vec.of_lane(frame, 0, lane), vec.of_lane(frame, 3, lane), vec.of_lane(frame, 6, lane)
    dv = vec.sub(at(velocity[patches.b[k, lane]], vec.of_lane(point, ARM_B, lane)),
                 at(velocity[patches.a[k, lane]], vec.of_lane(point, ARM_A, lane)))
    u, v_1, v_2 = vec.dot(n, dv), vec.dot(t1, dv), vec.dot(t2, dv)
    law, slope = _law(point, state, lane, u, h, springs)
    p_1, p_2, slope_t = _sticking(state, lane, v_1 - state[AIM_1, lane], v_2 - state[AIM_2, lane], h, springs)
    point[TARGET_N, lane] = u - (point[IMPULSE_N, lane] - law) / (slope + point[INVERSE_N, lane])
    point[TARGET_1, lane] = v_1 - (point[IMPULSE_1, lane] - p_1) / slope_t
    point[TARGET_2, lane] = v_2 - (point[IMPULSE_2, lane] - p_2) / slope_t


@inline
def _finish_point(patches, k, p, lane, state, velocity, h, springs, columns):
    point, frame = patches.points[p], patches.frame[k]
    n, t1, t2 = vec.of_lane(frame, 0, lane), vec.of_lane(frame, 3, lane), vec.of_lane(frame, 6, lane)
    v_a, v_b = velocity[patches.a[k, lane]], velocity[patches.b[k, lane]]
    dv = vec.sub(at(v_b, vec.of_lane(point, ARM_B, lane)), at(v_a, vec.of_lane(point, ARM_A, lane)))
    u, v_1, v_2 = vec.dot(n, dv), vec.dot(t1, dv) - state[AIM_1, lane], vec.dot(t2, dv) - state[AIM_2, lane]
    p_n, p_1, p_2, tau = point[IMPULSE_N, lane], point[IMPULSE_1, lane], point[IMPULSE_2, lane], state[TAU, lane]
    z, x_1, x_2 = state[Z, lane], state[X_1, lane], state[X_2, lane]
    after = min(0.0, point[GAP, lane] + 0.5 * h * (u + state[CURVATURE, lane]))
    state[TOUCHES, lane] = 1.0 if p_n > 0.0 else 0.0
    state[Z, lane] = after if p_n > 0.0 else min(after, released(z, tau, springs))
    if p_1 * p_1 + p_2 * p_2 < (1.0 - 1e-12) * (point[MU, lane] * p_n) ** 2:
        y_1, y_2 = state[X_POSE_1, lane] + 0.5 * h * v_1, state[X_POSE_2, lane] + 0.5 * h * v_2
    else:
        left = decay(springs.K_t, springs.D_t, tau, springs.closed)
        y_1, y_2 = -p_1 / (tau * springs.K_t), -p_2 / (tau * springs.K_t)
        y_1, y_2 = y_1 + left * (x_1 - y_1), y_2 + left * (x_2 - y_2)
    state[X_1, lane], state[X_2, lane] = turned(y_1, y_2, n, v_a, v_b, tau)
    for j in range(3):
        point[TOTAL_N + j, lane] += point[IMPULSE_N + j, lane]
    if columns.shape[0] > 0:
        stored = energy(state[Z, lane], springs) - energy(z, springs)
        rubbed = 0.5 * springs.K_t * (y_1 * y_1 + y_2 * y_2 - x_1 * x_1 - x_2 * x_2)
        columns[CONTACT] += stored
        columns[FRICTION] += rubbed
        columns[CONTACT_SPRINGS] -= stored + rubbed


@routine
def room(patches):
    """Allocate the states of all points."""
    return np.zeros((patches.points.shape[0], STATE_FIELDS, lanes.WIDTH))
