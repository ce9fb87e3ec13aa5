"""Over the tables: which bodies have come to rest, which islands may sleep, who wakes whom. See sleeping.py."""


from physics.core import vec
from physics.core.jit import kernel, routine
from physics.core.records import Kind, SleepReason, WakeReason, record

_STATIC, _DYNAMIC, _KINEMATIC = int(Kind.STATIC), int(Kind.DYNAMIC), int(Kind.KINEMATIC)
_FAST, _DRIFTS, _WAITS = int(SleepReason.FAST), int(SleepReason.DRIFTS), int(SleepReason.WAITS)
_TIED, _ASLEEP = int(SleepReason.ISLAND), int(SleepReason.ASLEEP)
_ISLAND, _TOUCHED, _MOVER = int(WakeReason.ISLAND), int(WakeReason.TOUCHED), int(WakeReason.MOVER)
_FORCE, _VELOCITY, _POSE = int(WakeReason.FORCE), int(WakeReason.VELOCITY), int(WakeReason.POSE)

REST = record([
    ("pos", "f8", 3),      # awake: where the body became calm; asleep: where it sleeps [m]
    ("quat", "f8", 4),
])


@routine
def _rest_here(r, b):
    vec.assign(r.pos, b.pos)
    for k in range(4):
        r.quat[k] = b.quat[k]


@kernel
def watch_calm(bodies, rest, dt, speed, spin, drift):
    """Go on with the time for which each awake body has been calm; returns the longest [s]."""
    longest = 0.0
    for i in range(bodies.shape[0]):
        b, r = bodies[i], rest[i]
        if b.kind != _DYNAMIC or b.asleep != 0:
            continue
        away = vec.sub(b.pos, r.pos)
        turned, opposite = 0.0, 0.0          # quaternions q and -q are the same; half an angle each
        for k in range(4):
            turned += (b.quat[k] - r.quat[k]) * (b.quat[k] - r.quat[k])
            opposite += (b.quat[k] + r.quat[k]) * (b.quat[k] + r.quat[k])
        fast = vec.dot(b.vel, b.vel) > speed * speed or vec.dot(b.omega, b.omega) > spin * spin
        if fast or vec.dot(away, away) > drift * drift or 4.0 * min(turned, opposite) > drift * drift:
            b.calm = 0.0
            b.sleep_reason = _FAST if fast else _DRIFTS
            _rest_here(r, b)
        else:
            b.calm += dt
            b.sleep_reason = _WAITS
            longest = max(longest, b.calm)
    return longest


@kernel
def choose(bodies, shapes, contacts, of_body, delay, lowest):
    """lowest[island]: its lowest body if it may fall asleep, else 0; returns how many may."""
    lowest[:] = -1
    for i in range(bodies.shape[0] - 1, -1, -1):
        if of_body[i] >= 0:
            if bodies[i].calm < delay or lowest[of_body[i]] == 0:
                lowest[of_body[i]] = 0
            else:
                lowest[of_body[i]] = i
    for n in range(contacts.shape[0]):
        c = contacts[n]
        moved = ((bodies[c.body_a].kind != _DYNAMIC and shapes[c.shape_a].active == 1)
                 or (bodies[c.body_b].kind != _DYNAMIC and shapes[c.shape_b].active == 1))
        if moved and max(of_body[c.body_a], of_body[c.body_b]) >= 0:
            lowest[max(of_body[c.body_a], of_body[c.body_b])] = 0
    count = 0
    for k in range(lowest.shape[0]):
        count += lowest[k] > 0
    return count


@kernel
def fall_asleep(bodies, rest, of_body, delay, lowest):
    """Put the chosen islands to sleep; returns the number of bodies."""
    count = 0
    for i in range(bodies.shape[0]):
        if of_body[i] < 0:
            continue
        b = bodies[i]
        if lowest[of_body[i]] > 0:
            b.asleep, b.sleep_reason = lowest[of_body[i]], _ASLEEP
            vec.assign(b.vel, (0.0, 0.0, 0.0))
            vec.assign(b.omega, (0.0, 0.0, 0.0))
            _rest_here(rest[i], b)
            count += 1
        elif b.calm >= delay:
            b.sleep_reason = _TIED
    return count


@routine
def _mark(bodies, marks, i, reason, cause):
    """Note that body i wakes its island, unless another was first."""
    k = bodies[i].asleep
    if k != 0 and marks[k] < 0:
        marks[k] = i
        bodies[i].wake_reason, bodies[i].wake_cause = reason, cause


@kernel
def mark_changed(bodies, rest, marks):
    """Mark the sleepers that were given a velocity, another pose or a force since they fell asleep."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.asleep == 0:
            continue
        r, reason, moved = rest[i], 0, False
        for k in range(3):
            moved = moved or b.pos[k] != r.pos[k]
        for k in range(4):
            moved = moved or b.quat[k] != r.quat[k]
        if not (vec.dot(b.vel, b.vel) == 0.0 and vec.dot(b.omega, b.omega) == 0.0):
            reason = _VELOCITY
        elif moved:
            reason = _POSE
        elif not (vec.dot(b.force, b.force) == 0.0 and vec.dot(b.torque, b.torque) == 0.0):
            reason = _FORCE
        if reason != 0:
            _mark(bodies, marks, i, reason, i)


@kernel
def mark_touched(bodies, contacts, marks):
    """Mark the sleepers in contacts: what touches them is awake or was moved."""
    for n in range(contacts.shape[0]):
        a, b = contacts[n].body_a, contacts[n].body_b
        if bodies[a].asleep != 0:
            _mark(bodies, marks, a, _TOUCHED if bodies[b].kind == _DYNAMIC else _MOVER, b)
        if bodies[b].asleep != 0:
            _mark(bodies, marks, b, _TOUCHED if bodies[a].kind == _DYNAMIC else _MOVER, a)


@kernel
def mark_given(bodies, given, reason, cause, marks):
    """Mark the sleepers among the given bodies."""
    for i in given:
        _mark(bodies, marks, i, reason, cause)


@kernel
def spread(bodies, marks):
    """Wake the islands marked; returns the number of bodies."""
    count = 0
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.asleep == 0 or marks[b.asleep] < 0:
            continue
        if marks[b.asleep] != i:
            b.wake_reason, b.wake_cause = _ISLAND, marks[b.asleep]
        b.asleep, b.calm, b.sleep_reason = 0, 0.0, _WAITS
        count += 1
    return count


@kernel
def hide(bodies, hidden):
    """Let sleepers be static for a solver, or dynamic again."""
    for i in range(bodies.shape[0]):
        if bodies[i].asleep != 0:
            bodies[i].kind = _STATIC if hidden else _DYNAMIC
