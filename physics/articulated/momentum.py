"""Momenta of mechanisms: what their joints gave them, and what a floating one must have.

Reactions. With P_i, L_i the changes of a link's momentum and angular momentum, less what gravity, applied forces and contacts
gave, its joint gave the rest; from the leaves to the root, r from the parent's centre of mass to that of the child c:

    f_i = P_i + sum_c f_c,   n_i = L_i + sum_c (n_c + r x f_c)                                                           (1)

Of a floating root nothing may be left: its tree moves as one by what is missing, so that momentum is conserved to the last digit.

In leapfrog (dynamics/integrate.py, 3) qd belongs to a time s before the poses, but J(q) to the poses. With fixed qd the momenta p
of the bodies change as J turns. So the bodies do not get those of J(q) qd but those of their time,

    p = p(q, qd) - s dp/dt at qdd = 0,   of a top what it had there (tops.py, 2)                                         (2)

and from p comes the qd with which the next step begins: it is kept, and what is seen from outside is momentum and energy of one
moment. The centre of mass of a floating tree goes straight on with its velocity.
"""

import numpy as np

from physics.articulated import dynamics, kinematics, tops
from physics.articulated.tree import GROUND
from physics.core import mat3, quat, vec
from physics.core.dense import assign
from physics.core.jit import inline, kernel, routine
from physics.core.records import Role
from physics.dynamics.measure import SINCE

_QUAT, _VEL, _OMEGA = 3, 7, 10
"""First columns of measure.copy_motion."""

_CONSTRAINT = Role.CONSTRAINT


@inline
def spin(body, orientation, omega):
    """Angular momentum of a body at an orientation [N m s]."""
    return quat.rotate(orientation, mat3.apply(body.inertia, quat.rotate(quat.conjugate(orientation), omega)))


@inline
def angular_velocity(body, orientation, moment):
    """That of a body at an orientation with an angular momentum [rad/s]."""
    return quat.rotate(orientation, mat3.apply(body.inv_inertia, quat.rotate(quat.conjugate(orientation), moment)))


@routine
def _missing(link, bodies, before, gravity, dt, pushes, out):
    """out (6,): what its joint gave a link, or its tree: impulse, angular impulse about its centre of mass."""
    i = link.body
    b = bodies[i]
    time = dt + before[i, SINCE] - b.velocity_lag
    l0 = spin(b, (before[i, _QUAT], before[i, _QUAT + 1], before[i, _QUAT + 2], before[i, _QUAT + 3]),
               (before[i, _OMEGA], before[i, _OMEGA + 1], before[i, _OMEGA + 2]))
    l1 = spin(b, quat.copy(b.quat), vec.copy(b.omega))
    for k in range(3):
        out[k] = b.mass * (b.vel[k] - before[i, _VEL + k] - time * gravity[k]) - time * b.force[k] - pushes[i, k]
        out[3 + k] = l1[k] - l0[k] - time * b.torque[k] - pushes[i, 3 + k]


@routine
def _add_child(out, f, way):
    """out (6,) += f (6,), moments about points `way` apart."""
    arm = vec.cross(way, (f[0], f[1], f[2]))
    for k in range(3):
        out[k] += f[k]
        out[3 + k] += f[3 + k] + arm[k]


@inline
def _way(link, before):
    """From the centre of mass of the other body to that of the link, before the step."""
    return (before[link.body, 0] - before[link.other, 0], before[link.body, 1] - before[link.other, 1],
            before[link.body, 2] - before[link.other, 2])


@kernel
def push(contacts, pos, pushes):
    """pushes (bodies, 6) += impulses of CONTACT records, moments about the centres of mass pos (bodies, 3)."""
    for m in range(contacts.shape[0]):
        c = contacts[m]
        p = vec.madd(c.friction_impulse, c.normal, c.impulse)
        a, b = c.body_a, c.body_b
        m_b = vec.add(vec.cross(vec.sub(vec.add(c.pos, c.shift), pos[b]), p), c.spin_impulse)
        m_a = vec.add(vec.cross(vec.sub(c.pos, pos[a]), p), c.spin_impulse)
        for k in range(3):
            pushes[b, k] += p[k]
            pushes[b, 3 + k] += m_b[k]
            pushes[a, k] -= p[k]
            pushes[a, 3 + k] -= m_a[k]


@kernel
def push_cut(joints, cut, before, pushes):
    """pushes (bodies, 6) += reactions of the listed joints, moments about the centres of mass of before (measure.copy_motion)."""
    for m in range(cut.shape[0]):
        joint = joints[cut[m]]
        a, b = joint.body_a, joint.body_b
        p = (joint.reaction[0], joint.reaction[1], joint.reaction[2])
        arm = vec.cross((before[b, 0] - before[a, 0], before[b, 1] - before[a, 1], before[b, 2] - before[a, 2]), p)
        for k in range(3):
            pushes[b, k] += p[k]
            pushes[b, 3 + k] += joint.reaction[3 + k]
            pushes[a, k] -= p[k]
            pushes[a, 3 + k] -= joint.reaction[3 + k] + arm[k]


@kernel
def conserve_momentum(links, bodies, before, gravity, dt, kicked, pushes):
    """Give floating trees the momentum that they must have, (1), as a translation of the tree, and the angular momentum about the
    common centre of mass, as a rotation.

    before: measure.copy_motion at the start; dt: [s]; pushes (bodies, 6): impulses of contacts and cut joints, moments about
    centres of mass. kicked: forces and impulses have acted at the start, and the centre of mass goes on from there with its
    velocity; else all the way, and trees with `pushes`, of which the points are not known, keep their rotation.
    """
    n = links.shape[0]
    missing, first = np.empty(6), 0
    while first < n:
        last = _end(links, first)
        if links[first].joint < 0:
            lost, mass, touched = (0.0, 0.0, 0.0), 0.0, False
            for i in range(first, last):
                _missing(links[i], bodies, before, gravity, dt, pushes, missing)
                b = bodies[links[i].body]
                lost, mass = vec.add(lost, (missing[0], missing[1], missing[2])), mass + b.mass
                for k in range(6):
                    touched = touched or pushes[links[i].body, k] != 0.0
            for i in range(first, last):
                vec.add_scaled(bodies[links[i].body].vel, lost, -1.0 / mass)
            if kicked and last > first + 1:
                _conserve_linear(links, first, last, bodies, before, dt)
            if kicked or not touched:
                _conserve_angular(links, first, last, bodies, before, dt, kicked, pushes)
        first = last


@inline
def _end(links, first):
    """The link after the tree that begins with `first`."""
    last = first + 1
    while last < links.shape[0] and links[last].parent != GROUND:
        last += 1
    return last


@routine
def _together(links, first, last, bodies, inertia):
    """(mass, centre of mass, its velocity) of a tree; inertia (3, 3): that about it, written."""
    mass, c, v = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(first, last):
        b = bodies[links[i].body]
        mass, c, v = mass + b.mass, vec.madd(c, b.pos, b.mass), vec.madd(v, b.vel, b.mass)
    c, v = vec.scale(c, 1.0 / mass), vec.scale(v, 1.0 / mass)
    turn, own = np.empty((3, 3)), np.empty((3, 3))
    inertia[:] = 0.0
    for i in range(first, last):
        b = bodies[links[i].body]
        r = vec.sub(b.pos, c)
        quat.to_matrix(turn, b.quat)
        mat3.rotate_tensor(own, turn, b.inertia)
        square = vec.dot(r, r)
        for m in range(3):
            for j in range(3):
                inertia[m, j] += own[m, j] - b.mass * r[m] * r[j]
            inertia[m, m] += b.mass * square
    return mass, c, v


@inline
def _rotation(inertia, moment):
    """Angular velocity by an angular impulse."""
    return mat3.solve(inertia[0, 0], inertia[0, 1], inertia[0, 2], inertia[1, 0], inertia[1, 1], inertia[1, 2], inertia[2, 0],
                      inertia[2, 1], inertia[2, 2], moment)


@routine
def _centre_before(links, first, last, bodies, before, column):
    """Mean of three columns of `before`, weighted by mass: the centre of mass, or its velocity."""
    mass, c = 0.0, (0.0, 0.0, 0.0)
    for i in range(first, last):
        k = links[i].body
        mass += bodies[k].mass
        c = vec.madd(c, (before[k, column], before[k, column + 1], before[k, column + 2]), bodies[k].mass)
    return vec.scale(c, 1.0 / mass)


@routine
def _conserve_linear(links, first, last, bodies, before, dt):
    """Move a tree to where its centre of mass comes with its velocity."""
    _, c, v = _together(links, first, last, bodies, np.empty((3, 3)))
    way = vec.sub(vec.madd(_centre_before(links, first, last, bodies, before, 0), v, dt), c)
    for i in range(first, last):
        vec.add_scaled(bodies[links[i].body].pos, way, 1.0)


@routine
def _conserve_angular(links, first, last, bodies, before, dt, kicked, pushes):
    """Give a tree its angular momentum about its centre of mass: that of before and what forces, torques and, in a kick, `pushes`
    have added."""
    inertia, lost, acting = np.empty((3, 3)), (0.0, 0.0, 0.0), 0.0 if kicked else 0.5
    c0, v0 = _centre_before(links, first, last, bodies, before, 0), _centre_before(links, first, last, bodies, before, _VEL)
    _, c1, v1 = _together(links, first, last, bodies, inertia)
    for i in range(first, last):
        k = links[i].body
        b = bodies[k]
        l0 = spin(b, (before[k, _QUAT], before[k, _QUAT + 1], before[k, _QUAT + 2], before[k, _QUAT + 3]),
                  (before[k, _OMEGA], before[k, _OMEGA + 1], before[k, _OMEGA + 2]))
        r0 = vec.sub((before[k, 0], before[k, 1], before[k, 2]), c0)
        u0 = vec.sub((before[k, _VEL], before[k, _VEL + 1], before[k, _VEL + 2]), v0)
        r1, u1 = vec.sub(b.pos, c1), vec.sub(b.vel, v1)
        arm = vec.madd(vec.scale(r0, 1.0 - acting), r1, acting)
        turning = vec.add(vec.copy(b.torque), vec.cross(arm, vec.copy(b.force)))
        lost = vec.madd(lost, turning, dt + before[k, SINCE] - b.velocity_lag)
        lost = vec.add(lost, vec.sub(l0, spin(b, quat.copy(b.quat), vec.copy(b.omega))))
        lost = vec.madd(lost, vec.sub(vec.cross(r0, u0), vec.cross(r1, u1)), b.mass)
        push = (pushes[k, 0], pushes[k, 1], pushes[k, 2])
        lost = vec.add(lost, vec.add(vec.cross(r0, push), (pushes[k, 3], pushes[k, 4], pushes[k, 5])))
    more = _rotation(inertia, lost)
    for i in range(first, last):
        b = bodies[links[i].body]
        vec.add_scaled(b.omega, more, 1.0)
        vec.add_scaled(b.vel, vec.cross(more, vec.sub(b.pos, c1)), 1.0)


@inline
def _flies(links, i):
    """Whether a link has no joints: it drifts as a free top (dynamics/integrate.py, 4)."""
    return links[i].joint < 0 and _end(links, i) == i + 1


@routine
def momenta_gained(links, bodies, states, gained):
    """gained (links, 6): s dp/dt of (2), linear and angular, where `states` are with their velocities, and bodies with their lag;
    0 of links without joints."""
    motion, still = np.empty((links.shape[0], 6)), (0.0, 0.0, 0.0)
    for i in range(links.shape[0]):
        link, state, a = links[i], states[i], motion[i]
        if link.parent == GROUND:
            dynamics.set_base_acceleration(a, state, bodies[link.other], still)
        else:
            kinematics.shift_motion(a, motion[link.parent], state.r)
        for k in range(6):
            a[k] += state.c[k]
            gained[i, k] = 0.0
        lag = bodies[link.body].velocity_lag
        if tops.is_top(links, bodies, i):
            tops.momentum_gained(link, bodies[link.body], state, lag, gained[i])
            continue
        if _flies(links, i):
            continue
        w, own = vec.copy(state.v[0:3]), state.body_inertia
        vec.assign(gained[i, 0:3], vec.scale(vec.add(vec.copy(a[3:6]), vec.cross(w, state.v[3:6])), lag * state.mass))
        vec.assign(gained[i, 3:6], vec.scale(vec.add(mat3.apply(own, a[0:3]), vec.cross(w, mat3.apply(own, w))), lag))


@kernel
def lag_velocities(links, bodies, states):
    """Give the bodies of `states` their velocities before their poses, (2)."""
    gained = np.empty((links.shape[0], 6))
    momenta_gained(links, bodies, states, gained)
    for i in range(links.shape[0]):
        b, m = bodies[links[i].body], states[i].body_inertia
        vec.add_scaled(b.vel, gained[i, 0:3], -1.0 / states[i].mass)
        vec.add_scaled(b.omega, mat3.solve(m[0, 0], m[0, 1], m[0, 2], m[1, 0], m[1, 1], m[1, 2], m[2, 0], m[2, 1], m[2, 2],
                                           vec.copy(gained[i, 3:6])), -1.0)


@kernel
def write_reactions(links, bodies, before, gravity, dt, pushes, joints):
    """JOINT.reaction, load of the joints of the tree by (3); arguments as of `conserve_momentum`."""
    n = links.shape[0]
    given = np.empty((n, 6))
    for i in range(n):
        _missing(links[i], bodies, before, gravity, dt, pushes, given[i])
    for i in range(n - 1, -1, -1):
        link, f = links[i], given[i]
        if link.parent != GROUND:
            _add_child(given[link.parent], f, _way(link, before))
        if link.joint < 0:
            continue
        joint = joints[link.joint]
        joint.load = vec.norm((f[0], f[1], f[2]))
        if link.sign > 0.0:
            for k in range(6):
                joint.reaction[k] = f[k]
        else:       # it acts on b, which is the other body
            arm = vec.cross(_way(link, before), (f[0], f[1], f[2]))
            for k in range(3):
                joint.reaction[k] = -f[k]
                joint.reaction[3 + k] = -f[3 + k] - arm[k]


@kernel
def write_constraint_impulses(joints, pieces, held, rows):
    """JOINT.impulse and load of the joints of the tree, held (joints,): what the rows of their constraints carry of the reaction
    beside friction, limits and drives. pieces: of the layout; rows: ROW of all of them."""
    wrench, gram, left, x = np.empty((6, 6)), np.empty((6, 6)), np.empty(6), np.empty(6)
    for k in range(pieces.shape[0]):
        piece = pieces[k]
        joint, count = joints[piece.joint], piece.slot
        if piece.role != _CONSTRAINT or count == 0 or not held[piece.joint]:
            continue
        assign(left, joint.reaction)
        others = k
        while others < pieces.shape[0] and pieces[others].joint == piece.joint:
            first = pieces[others].first
            for i in range(first, first + pieces[others].count):
                vec.add_scaled(left[0:3], rows[i].lin_b, -rows[i].impulse)
                vec.add_scaled(left[3:6], rows[i].ang_b, -rows[i].impulse)
            others += 1
        for i in range(count):
            vec.assign(wrench[i, 0:3], rows[piece.first + i].lin_b)
            vec.assign(wrench[i, 3:6], rows[piece.first + i].ang_b)
            x[i] = dynamics.dot6(wrench[i], left)
            for j in range(i + 1):
                gram[i, j] = dynamics.dot6(wrench[i], wrench[j])
        dynamics.factor_small(gram, count)
        dynamics.substitute_forward(gram, x, count)
        dynamics.substitute_back(gram, x, count)
        force = (0.0, 0.0, 0.0)
        for i in range(count):
            joint.impulse[i] = x[i]
            force = vec.madd(force, vec.copy(wrench[i, 0:3]), x[i])
        joint.load = vec.norm(force)
