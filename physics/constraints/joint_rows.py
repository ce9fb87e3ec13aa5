"""The joints' part of the row table: blocks of constraints, friction, limits and motors from the rows that the kinds write.

A row J with coordinate q (joints/__init__.py), h the step, T the duration of a kick (integrate.py, 3), b the curvature term of
the row, p its impulse:

    constraint  J V = b                                    any p                                       (MS16 eq 4)
    friction    J V = b if it sticks                       ||p|| <= L T                                (eq 6, 12, 16)
    limits      J V >= b - max(q - lo, 0) / h              p >= 0; -J, hi - q for the upper one
    motor       J V = b + target                           |p| <= F T
    spring      J V + s p = ..., see joints/_parts.py      |p| <= F T

Friction. With v the speed at the start of the step, R = ||reaction of the constraint|| in the last step:

    L = F_k + (F_s - F_k) exp(-(v / v_s)^2) + mu r R       dry bound: static, kinetic, Stribeck, fraction of the load    (1)
    p = -T c w  in addition, w the velocity at the end     viscous, implicit: stable for any c
    w = 0 if ||p|| <= L T;  p = -(L T + T c ||w||) w / ||w||  otherwise                                               (2)

(2) is one law: p minimises a convex function that is 0 inside the disc and (||p|| - L T)^2 / (2 T c) outside, see
solvers/impulses/row_sweeps.py. Without a dry part it is linear, J V + p / (T c) = b, a soft row.
(1) takes the speed at the start: a falling Stribeck curve has several solutions at the end of a step, but only one before.

Limits are speculative like contacts. One that rebounds is struck at its time (stepping/limit_impacts.py); where a step is not
divided there, it has Newton's restitution, -e v, without the energy-exact part.
A joint made with an error C0 removes it in ERROR_RAMP_TIME seconds: C = C0 s^2, s falling linearly from 1 to 0.
"""

import math

from physics.core import vec
from physics.core.elementary import exp_negative
from physics.core.jit import inline, routine
from physics.core.records import Bound, Case, Drive, Owner, Role
from physics.core.row import error_of, fill, velocity_of
from physics.joints._parts import lasting, response, row_speed, soften

_EQUALITY, _ONE_SIDED, _DISC, _INTERVAL = (int(b) for b in (Bound.EQUALITY, Bound.ONE_SIDED, Bound.DISC, Bound.INTERVAL))
_CONSTRAINT, _FRICTION, _LOWER, _UPPER, _MOTOR = Role
_VELOCITY, _POSITION, _SPRING = Drive.VELOCITY, Drive.POSITION, Drive.SPRING
_OPEN, _SLIP = Case.OPEN, Case.SLIP
_JOINT = Owner.JOINT

ERROR_RAMP_TIME = 0.5
"""Time in which a joint made with an error closes [s]."""

SERVO_RATE = 20.0
"""Speed of a position motor over the remaining distance [1/s]; at most half of the distance in a step."""

REST_SPEED = 1e-6
"""Speeds below count as rest in the friction law [m/s] or [rad/s]: the size of a solver's residual."""

LEFT_OPEN = 1e-8
"""Errors below are those that closing leaves; others are closed by its rounds alone, which can be undone [m] or [rad]."""

SAME_LENGTH = 1e-6
"""Substeps count as equally long up to this relative difference."""

UNIT_LENGTH = 1e-9
"""Relative deviation of the square of a unit vector's length."""

MOMENTARY = 1e-6
"""Length of a substep for which rows are written whose curvature terms only tell how fast they turn [s]."""

UNTOUCHED, TOUCHING, REBOUNDING = 0, 1, 2
"""What a joint's mechanism is, see `JointSystem.in_contact`."""

REBOUND_SPEED = 0.1
"""Approach speed below which a limit does not rebound [m/s] or [rad/s]."""


@routine
def blocks(joints, pieces, sources, written, in_contact, bodies, rows, table, dt, ratio, moving):
    """Write the joints' blocks and rows, with the last step's impulses.

    Args:
        pieces, sources: of the layout. written: rows that the kinds wrote.
        in_contact: of JointSystem, REBOUNDING joints have no curvature term. ratio: dt / last dt.
        moving: 0: closing only, no time passes.
    """
    last = -1
    for k in range(pieces.shape[0]):
        piece, block = pieces[k], table[k]
        joint = joints[piece.joint]
        if piece.joint != last and moving:
            _start(joint, dt)
        last = piece.joint
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        curvature = 0.0 if in_contact[piece.place] == REBOUNDING else 1.0
        role, first, slot = piece.role, piece.first, piece.slot
        for i in range(first, first + piece.count):
            _copy(rows[i], written[sources[i]], curvature)
        if role == _CONSTRAINT:
            fill(block, joint.body_a, joint.body_b, first, piece.count, _EQUALITY, _JOINT, piece.joint)
            _constraint(joint, piece, rows, sources, dt, moving)
        elif role == _FRICTION:
            fill(block, joint.body_a, joint.body_b, first, piece.count, _DISC, _JOINT, piece.joint)
            _friction(joint, piece, block, rows, a, b, dt, ratio)
        elif role == _MOTOR:
            fill(block, joint.body_a, joint.body_b, first, 1, _INTERVAL, _JOINT, piece.joint)
            _motor(joint, slot, block, rows[first], a, b, dt)
        else:
            fill(block, joint.body_a, joint.body_b, first, 1, _ONE_SIDED, _JOINT, piece.joint)
            block.limit = _limit(joint, slot, role == _UPPER, rows[first], written[sources[first]].target, a, b, dt)
        block.role = role
        block.first_impulse = slot


@routine
def _start(joint, dt):
    """Advance the error ramp of a joint before its rows are written for a step."""
    joint.ramp = max(0.0, joint.ramp - dt / ERROR_RAMP_TIME)


@routine
def turn_curvature(pieces, sources, written, in_contact, rows, table):
    """Let the targets be those of a substep's end, with -b, where `written` are still the rows of its start; limits that rebound
    have no b."""
    for k in range(pieces.shape[0]):
        piece = pieces[k]
        is_limit = piece.role == _LOWER or piece.role == _UPPER
        if in_contact[piece.place] != REBOUNDING and not (is_limit and table[k].limit > 0.0):
            sign = -1.0 if piece.role == _UPPER else 1.0
            for i in range(piece.first, piece.first + piece.count):
                if written[sources[i]].softness == 0.0 and _turns_rigidly(rows[i]):
                    rows[i].target -= 2.0 * sign * written[sources[i]].target


@routine
def redirect(pieces, sources, written, rows, total, turned):
    """Give the rows that turn rigidly the directions of `written`, and nothing else.

    total: JOINT, to whose reactions is added what impulses along the former directions differ by. turned: ROW, written: those
    impulses, along the former directions less the new ones.
    """
    for k in range(pieces.shape[0]):
        piece = pieces[k]
        for i in range(piece.first, piece.first + piece.count):
            row, left = rows[i], turned[i]
            left.impulse, left.target = 0.0, row.target
            if _turns_rigidly(row):
                _direct(left, row, 1.0)
                _direct(row, written[sources[i]], -1.0 if piece.role == _UPPER else 1.0)
                vec.add_scaled(left.lin_a, row.lin_a, -1.0)
                vec.add_scaled(left.ang_a, row.ang_a, -1.0)
                vec.add_scaled(left.lin_b, row.lin_b, -1.0)
                vec.add_scaled(left.ang_b, row.ang_b, -1.0)
                left.impulse = row.impulse
                _add(total[piece.joint].reaction, left)


@inline
def _turns_rigidly(row):
    """Whether a row is a couple or a force along a unit vector. That of a gear or rack without bearings grows as the line between
    their centres nears an axis: along it, impulses of the start would be taken back too strongly."""
    size = vec.dot(row.lin_b, row.lin_b)
    return size == 0.0 or abs(size - 1.0) < UNIT_LENGTH


@routine
def _direct(row, source, sign):
    vec.assign(row.lin_a, vec.scale(source.lin_a, sign))
    vec.assign(row.ang_a, vec.scale(source.ang_a, sign))
    vec.assign(row.lin_b, vec.scale(source.lin_b, sign))
    vec.assign(row.ang_b, vec.scale(source.ang_b, sign))


@routine
def _copy(row, source, curvature):
    _direct(row, source, 1.0)
    row.target = source.target if source.softness > 0.0 else curvature * source.target
    row.softness = source.softness
    row.position_error = source.position_error
    row.impulse = 0.0


@routine
def _constraint(joint, piece, rows, sources, dt, moving):
    """Set the constraint rows: locked axes are held at their value; an initial error fades."""
    s1 = joint.ramp
    s0 = s1 + dt / ERROR_RAMP_TIME if moving else s1
    for i in range(piece.count):
        row = rows[piece.first + i]
        row.impulse = joint.impulse[i]
        if i >= piece.slot:
            row.position_error -= joint.limit_lo[sources[piece.first + i] - piece.axes]
        elif s1 > 0.0:
            row.position_error -= joint.start_error[i] * s0 * s0
            row.target += joint.start_error[i] * (s1 * s1 - s0 * s0) / dt


@routine
def _friction(joint, piece, block, rows, a, b, dt, ratio):
    """Set the bound (1) and the viscous part of (2)."""
    g, v2 = piece.group, 0.0
    for i in range(piece.count):
        row = rows[piece.first + i]
        row.position_error = 0.0
        row.impulse = joint.friction_impulse[piece.slot + i]
        v = row_speed(row, a, b) - row.target
        v2 += v * v
    bound = joint.max_friction[g]
    if v2 > REST_SPEED * REST_SPEED and joint.kinetic[g] != bound:
        x = v2 / (joint.stribeck[g] * joint.stribeck[g]) if joint.stribeck[g] > 0.0 else math.inf
        bound = joint.kinetic[g] + (bound - joint.kinetic[g]) * exp_negative(x)
    time = lasting(a, b, dt)
    block.limit = bound * time + joint.load_mu[g] * joint.load_radius[g] * joint.load * ratio
    block.viscous = joint.viscous[g] * time
    if block.limit == 0.0 and block.viscous > 0.0:
        for i in range(piece.first, piece.first + piece.count):
            rows[i].softness += 1.0 / block.viscous
        block.limit = math.inf
        block.viscous = 0.0


@routine
def _motor(joint, k, block, row, a, b, dt):
    """Set the row of the motor or spring of axis k."""
    force, time = joint.motor_force[k], lasting(a, b, dt)
    if joint.motor_mode[k] == _VELOCITY:
        row.target += joint.motor_target[k]
    elif joint.motor_mode[k] == _POSITION:
        speed = (joint.motor_target[k] - row.position_error) * min(SERVO_RATE, 0.5 / dt)
        row.target += max(-joint.motor_speed[k], min(joint.motor_speed[k], speed))
    elif joint.motor_stiffness[k] > 0.0 or joint.motor_damping[k] > 0.0:
        soften(row, joint.motor_stiffness[k], joint.motor_damping[k], row.position_error - joint.motor_target[k],
               row_speed(row, a, b), response(row, a, b), dt, time)
    else:
        force = 0.0
    row.position_error = 0.0
    row.impulse = joint.motor_impulse[k]
    block.limit = block.upper = force * time
    block.lower = -block.upper


@routine
def _limit(joint, k, upper, row, curvature, a, b, dt):
    """Set the row of one limit of axis k, with the sign for which its position error is the gap and its impulse positive; returns
    the speed of its rebound. curvature: curvature term of the axis."""
    sign = -1.0 if upper else 1.0
    if upper:
        _direct(row, row, -1.0)
        row.target = -row.target
        row.position_error = joint.limit_hi[k] - row.position_error
    else:
        row.position_error -= joint.limit_lo[k]
    row.impulse = max(0.0, sign * joint.limit_impulse[k])
    row.target -= max(row.position_error, 0.0) / dt
    if joint.limit_restitution > 0.0:
        v = row_speed(row, a, b)
        if row.impulse > 0.0:
            v += turn_of_rate(sign * curvature, max(a.velocity_lag, b.velocity_lag), dt)
        if v < -REBOUND_SPEED and row.position_error + dt * v < 0.0:
            row.target = -joint.limit_restitution * v
            row.impulse = 0.0
            return row.target
    return 0.0


@inline
def turn_of_rate(curvature, lag, dt):
    """What is missing in the rate of a row of velocities that lag behind the poses, as the row has turned since; curvature: its
    curvature term b, for a substep of dt."""
    return 2.0 * lag / dt * curvature


@routine
def errors(joints, index, pieces, rows):
    """Write the largest constraint error of each listed joint, at the poses at the start of the step.

    A limit counts by its violation.
    """
    for n in range(index.shape[0]):
        joints[index[n]].error = 0.0
    for k in range(pieces.shape[0]):
        piece = pieces[k]
        joint = joints[piece.joint]
        for i in range(piece.first, piece.first + piece.count):
            if piece.role == _CONSTRAINT:
                joint.error = max(joint.error, abs(rows[i].position_error))
            elif piece.role == _LOWER or piece.role == _UPPER:
                joint.error = max(joint.error, -rows[i].position_error)


@inline
def _remaining_error(joint, piece, i, sources, written):
    """Error of row i of a constraint, as just written, at the end of a substep, without the fading initial error."""
    source = sources[i]
    if i - piece.first >= piece.slot:
        return written[source].position_error - joint.limit_lo[source - piece.axes]
    return written[source].position_error - (
        joint.start_error[i - piece.first] * joint.ramp * joint.ramp if joint.ramp > 0.0 else 0.0)


@inline
def _remaining_gap(joint, piece, sources, written):
    """Distance to a limit, as just written, at the end of a substep."""
    q = written[sources[piece.first]].position_error
    return joint.limit_hi[piece.slot] - q if piece.role == _UPPER else q - joint.limit_lo[piece.slot]


@inline
def _holds(joint, gap, row):
    """Whether a limit acts as a constraint in this substep: its impulse holds it there, and no rebound leads away from it."""
    return row.impulse > 0.0 and (gap < 0.0 or joint.limit_restitution == 0.0)


@routine
def max_remaining_error(joints, pieces, sources, written, in_contact, rows):
    """Largest error of constraints and limits that hold, of UNTOUCHED joints."""
    largest = 0.0
    for k in range(pieces.shape[0]):
        piece = pieces[k]
        if in_contact[piece.place] != UNTOUCHED:
            continue
        joint = joints[piece.joint]
        if piece.role == _CONSTRAINT:
            for i in range(piece.first, piece.first + piece.count):
                largest = max(largest, abs(_remaining_error(joint, piece, i, sources, written)))
        elif piece.role == _LOWER or piece.role == _UPPER:
            gap = _remaining_gap(joint, piece, sources, written)
            if _holds(joint, gap, rows[piece.first]):
                largest = max(largest, abs(gap))
    return largest


@routine
def aim(joints, pieces, sources, written, in_contact, rows, table, velocity, dt):
    """Set the targets of those constraints and limits to velocities that would have left no errors: joint_system.py, 2."""
    for k in range(pieces.shape[0]):
        piece = pieces[k]
        if in_contact[piece.place] != UNTOUCHED:
            continue
        block, joint = table[k], joints[piece.joint]
        if piece.role == _CONSTRAINT:
            for i in range(piece.first, piece.first + piece.count):
                row = rows[i]
                more = error_of(row, velocity[block.a], velocity[block.b]) - _remaining_error(
                    joint, piece, i, sources, written) / dt
                row.target += more
                joint.closing[0, i - piece.first] += more
        elif piece.role == _LOWER or piece.role == _UPPER:
            row, gap = rows[piece.first], _remaining_gap(joint, piece, sources, written)
            if _holds(joint, gap, row):
                row.target = velocity_of(row, velocity[block.a], velocity[block.b]) - gap / dt


@routine
def extrapolate_targets(joints, pieces, loops, in_contact, rows, dt, ratio):
    """Add to the targets of constraints what `aim` will presumably add: joint_system.py, 3. loops: blocks of closed loops,
    ascending. ratio: dt over the length of the last substep."""
    trend, n = 1.0 if abs(ratio - 1.0) < SAME_LENGTH else 0.0, 0
    for k in range(pieces.shape[0]):
        piece = pieces[k]
        if piece.role == _CONSTRAINT:
            looped = n < loops.shape[0] and loops[n] == k
            n += 1 if looped else 0
            joint, share = joints[piece.joint], 0.0 if looped or in_contact[piece.place] != UNTOUCHED else ratio * ratio
            for i in range(piece.count):
                last, before = share * joint.closing[0, i], share * joint.closing[1, i]
                joint.closing[0, i], joint.closing[1, i] = last + trend * (last - before), last
                row = rows[piece.first + i]
                row.target += joint.closing[0, i]
                if share > 0.0 and abs(row.position_error) < LEFT_OPEN:
                    row.target -= row.position_error / dt


@routine
def add_remaining(joints, pieces, sources, written, in_contact, dt):
    """After the last look at the errors: note what would have closed these, too."""
    for k in range(pieces.shape[0]):
        piece = pieces[k]
        if piece.role == _CONSTRAINT and in_contact[piece.place] == UNTOUCHED:
            joint = joints[piece.joint]
            for i in range(piece.first, piece.first + piece.count):
                joint.closing[0, i - piece.first] -= _remaining_error(joint, piece, i, sources, written) / dt


@inline
def _add(reaction, row):
    for i in range(3):
        reaction[i] += row.lin_b[i] * row.impulse
        reaction[3 + i] += row.ang_b[i] * row.impulse


@routine
def clear_impulses(joints, index):
    """Clear the impulses of the last step, before those of this one are stored."""
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        joint.reaction[:] = 0.0
        joint.limit_impulse[:] = 0.0
        joint.motor_impulse[:] = 0.0
        joint.friction_impulse[:] = 0.0
        joint.slip[:] = 0.0
        joint.load = 0.0
        joint.case = _OPEN


@routine
def store(joint, block, rows, velocity):
    """Write impulses, slip and case of a block back to its joint; call `clear_impulses` before the first block."""
    for i in range(block.first, block.first + block.count):
        _add(joint.reaction, rows[i])
    first, slot = rows[block.first], block.first_impulse
    if block.role == _CONSTRAINT:
        for i in range(block.count):
            joint.impulse[i] = rows[block.first + i].impulse
        r = joint.reaction
        joint.load = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    elif block.role == _FRICTION:
        for i in range(block.count):
            row = rows[block.first + i]
            joint.friction_impulse[slot + i] = row.impulse
            joint.slip[slot + i] = velocity_of(row, velocity[block.a], velocity[block.b]) - row.target
        joint.case = max(joint.case, _SLIP if block.limit == math.inf else block.case)
    elif block.role == _MOTOR:
        joint.motor_impulse[slot] = first.impulse
    elif block.role == _LOWER:
        joint.limit_impulse[slot] += first.impulse
    else:
        joint.limit_impulse[slot] -= first.impulse
