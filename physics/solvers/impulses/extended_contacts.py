"""Sequential impulses for extended contacts, beside the sweeps over the patches; equations in
physics/constraints/extended_contacts.py.

    w = n.dw - target,   m_n' = m_n - w / K_nn, projected to |m_n| <= c_t p_n
    w = dw_t,      m_t* = m_t - K_tt^-1 w sticks if ||m_t*|| <= c_r p_n, else m_t' = projection of m_t - rate w
"""

from physics.constraints.contact_batches import ARM_A, ARM_B, GAP, IMPULSE_N, MASS_SCALE, REBOUND, REBOUNDS, TARGET_1, TARGET_2
from physics.constraints.extended_contacts import ADHESION_RANGE
from physics.contact.laws import circle, friction_residual, friction_update, interval_residual, interval_update
from physics.core import vec
from physics.core.jit import routine


@routine
def set_targets(contacts, patches, start, dt):
    """Set tangential and torsional targets of rebounds (3), (3'), after all others, and adhesion; start: velocities before the
    free motion."""
    apply_adhesion(patches, dt)
    points = patches.points
    for k in range(patches.extended.shape[0]):
        u = patches.extended[k]
        c, point = contacts[u.contact], points[u.point]
        v_a, v_b, rebounds = start[u.a], start[u.b], point[REBOUND, u.lane] == REBOUNDS and c.restitution > 0.0
        e = u.tangential_restitution if rebounds else 0.0
        u.target[0] = 0.0
        if rebounds:
            u.target[0] = -u.torsional_restitution * vec.dot(u.frame[0], vec.sub(v_b[3:], v_a[3:]))
        if e == 0.0:
            continue
        dv = vec.sub(vec.add(v_b, vec.cross(v_b[3:], vec.of_lane(point, ARM_B, u.lane))),
                     vec.add(v_a, vec.cross(v_a[3:], vec.of_lane(point, ARM_A, u.lane))))
        point[TARGET_1, u.lane] = c.target[1] - e * (vec.dot(u.frame[1], dv) - c.target[1])
        point[TARGET_2, u.lane] = c.anisotropy * (c.target[2] - e * (vec.dot(u.frame[2], dv) - c.target[2]))


@routine
def apply_adhesion(patches, dt):
    """Set adhesion (4) for a substep of dt [s]."""
    for k in range(patches.extended.shape[0]):
        u = patches.extended[k]
        u.pull = u.adhesion * dt if patches.points[u.point, GAP, u.lane] <= ADHESION_RANGE else 0.0


@routine
def warm_start(patches, velocity, ratio):
    """Start from ratio times the last moments, and adhesion."""
    for k in range(patches.extended.shape[0]):
        u = patches.extended[k]
        point = patches.points[u.point]
        pull = vec.scale(u.frame[0], -u.pull)
        moment = (0.0, 0.0, 0.0)
        for j in range(3):
            u.impulse[j] *= ratio
            moment = vec.madd(moment, u.frame[j], u.impulse[j])
        if u.moved_a > 0:
            vec.add_scaled(velocity[u.a], pull, -patches.mass[u.a, 0])
        if u.moved_b > 0:
            vec.add_scaled(velocity[u.b], pull, patches.mass[u.b, 0])
        turn(u, patches.mass, velocity, moment)
        _turn_side(u.moved_a, patches.mass, velocity, vec.cross(vec.of_lane(point, ARM_A, u.lane), pull), -1.0)
        _turn_side(u.moved_b, patches.mass, velocity, vec.cross(vec.of_lane(point, ARM_B, u.lane), pull), 1.0)


@routine
def sweep(patches, velocity, tolerance, marks):
    """One sweep over torsional and rolling friction; returns the square of the largest change of angular velocity [rad/s]."""
    worst = 0.0
    for k in range(patches.extended.shape[0]):
        u = patches.extended[k]
        if u.rolling == 0.0 and u.torsional == 0.0:
            continue
        p_n = patches.points[u.point, IMPULSE_N, u.lane]
        dw = vec.sub(velocity[u.b, 3:], velocity[u.a, 3:])
        limit = u.torsional * p_n
        m = interval_update(u.impulse[0], vec.dot(u.frame[0], dw) - u.target[0], u.inverse_n, -limit, limit)
        d = m - u.impulse[0]
        u.impulse[0] = m
        turn(u, patches.mass, velocity, vec.scale(u.frame[0], d))
        size = (d / u.inverse_n) * (d / u.inverse_n)
        dw = vec.sub(velocity[u.b, 3:], velocity[u.a, 3:])
        w_1, w_2 = vec.dot(u.frame[1], dw), vec.dot(u.frame[2], dw)
        stick = (u.impulse[1] - u.inverse[0] * w_1 - u.inverse[1] * w_2, u.impulse[2] - u.inverse[1] * w_1 - u.inverse[2] * w_2)
        slide = (u.impulse[1] - u.gradient_step * w_1, u.impulse[2] - u.gradient_step * w_2)
        x, y, _ = friction_update(circle(), u.rolling * p_n, stick, slide)
        d_1, d_2 = x - u.impulse[1], y - u.impulse[2]
        u.impulse[1], u.impulse[2] = x, y
        turn(u, patches.mass, velocity, vec.madd(vec.scale(u.frame[1], d_1), u.frame[2], d_2))
        size = max(size, (d_1 * d_1 + d_2 * d_2) / (u.gradient_step * u.gradient_step))
        if size > tolerance * tolerance:
            marks.clock[0] += 1
            marks.body[u.moved_a] = marks.clock[0]
            marks.body[u.moved_b] = marks.clock[0]
            marks.body[0] = 0
        worst = max(worst, size)
    return worst


@routine
def turn(u, mass, velocity, moment):
    """Apply a moment [N m s] to b and its opposite to a."""
    _turn_side(u.moved_a, mass, velocity, moment, -1.0)
    _turn_side(u.moved_b, mass, velocity, moment, 1.0)


@routine
def _turn_side(i, mass, velocity, moment, sign):
    """Apply sign times a moment [N m s] to body i; none where it is 0."""
    if i > 0:
        x, y, z = sign * moment[0], sign * moment[1], sign * moment[2]
        velocity[i, 3] += mass[i, 1] * x + mass[i, 2] * y + mass[i, 3] * z
        velocity[i, 4] += mass[i, 2] * x + mass[i, 4] * y + mass[i, 5] * z
        velocity[i, 5] += mass[i, 3] * x + mass[i, 5] * y + mass[i, 6] * z


@routine
def add_up(extended):
    """Add the moments of this substep to the totals."""
    for k in range(extended.shape[0]):
        vec.add_scaled(extended[k].total, extended[k].impulse, 1.0)


@routine
def store(patches, velocity, contacts):
    """Write the moments to the contacts, their slip less the target of (3), and the natural-map residual of the moments; returns
    the largest residual [rad/s]."""
    worst = 0.0
    for k in range(patches.extended.shape[0]):
        u = patches.extended[k]
        c, point = contacts[u.contact], patches.points[u.point]
        moment = (0.0, 0.0, 0.0)
        for j in range(3):
            moment = vec.madd(moment, u.frame[j], u.total[j])
        vec.assign(c.spin_impulse, moment)
        if point[MASS_SCALE, u.lane] > 0.0:     # the target of a compliant contact is the velocity of its patch
            vec.add_scaled(c.slip, u.frame[1], point[TARGET_1, u.lane] - c.target[1])
            vec.add_scaled(c.slip, u.frame[2], point[TARGET_2, u.lane] / c.anisotropy - c.target[2])
        p_n = point[IMPULSE_N, u.lane]
        dw = vec.sub(velocity[u.b, 3:], velocity[u.a, 3:])
        limit = u.torsional * p_n
        spins = interval_residual(u.impulse[0], vec.dot(u.frame[0], dw) - u.target[0], u.inverse_n, -limit, limit)
        rolls = friction_residual(circle(), u.rolling * p_n, (u.impulse[1], u.impulse[2]),
                                  (vec.dot(u.frame[1], dw) - u.target[1], vec.dot(u.frame[2], dw) - u.target[2]), u.gradient_step)
        c.residual[2] = max(spins, rolls)
        worst = max(worst, c.residual[2])
    return worst
