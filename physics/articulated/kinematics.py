"""Poses and velocities of links (RBDA chapters 3 and 4): motion subspaces, joint coordinates, Jacobians.

The velocity of b against a, with slides along axes e of the frame in a and turns about axes n through the point p_b of b:

    v_b = X v_a + sum_k S_k qd_k,   S_k = (0, e) or (n, n x (x - p_b) + pitch n)                                 (1)

x the centre of mass of the link, which is b or, with the sign reversed, a. S_k is fixed in a for slides and the first pin of a
universal joint, else in b. So, with u the velocity of the body in which S_k is fixed:

    a_b = X a_a + sum_k S_k qdd_k + c,   c = sum_k u x S_k qd_k                                                  (2)

Position coordinates: the way along each slide, the angle of each turn, the quaternion of b in the frame of a where turns is ALL:

    p_b = p_a + R_a sum_k q_k e_k,   R_b = R_a Rz(q), R_a Rz(q1) Rx(q2), or R_a R(q)                             (3)
"""

import math

import numpy as np

from physics.articulated.tree import GROUND
from physics.core import elementary, mat3, quat, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import record
from physics.joints import Turns
from physics.joints._parts import axis

NO_TURN, ABOUT_Z, PINS, ALL_TURNS = (int(turns) for turns in (Turns.NONE, Turns.ABOUT_Z, Turns.PINS, Turns.ALL))

STATE = record([                     # of a link; spatial vectors in world axes about its centre of mass
    ("pos", "f8", 3),                # centre of mass [m]
    ("quat", "f8", 4),               # body to world
    ("r", "f8", 3),                  # from the parent's (or base's) centre of mass to this one [m]
    ("fixed_in_a", "i4"),            # number of the first columns of S that are fixed in a
    ("s", "f8", (6, 6)),             # s[k]: column S_k of (1), with the sign of the link
    ("v", "f8", 6),                  # velocity
    ("c", "f8", 6),                  # velocity-product acceleration (2)
    ("carried", "f8", 6),            # acceleration of the kinematic body under a link without parent, angular and linear
    ("mass", "f8"),                  # of the body [kg]
    ("body_inertia", "f8", (3, 3)),  # about the centre of mass, world axes [kg m^2]
    ("inertia", "f8", (6, 6)),       # of the link; composite or articulated during the algorithms
    ("p", "f8", 6),                  # bias force
    ("a", "f8", 6),                  # acceleration
    ("u", "f8", (6, 6)),             # u[k] = I^A S_k
    ("d", "f8", (6, 6)),             # Cholesky factor of S^T I^A S, reciprocals of its diagonal
    ("e", "f8", 6),                  # tau - S^T p^A
])


@inline
def shift_motion(out, m, r):
    """out = X m."""
    vec.assign(out[0:3], m[0:3])
    vec.assign(out[3:6], vec.add(m[3:6], vec.cross(m[0:3], r)))


@inline
def add_force_back(out, f, r):
    """out += X^T f."""
    vec.add_scaled(out[0:3], vec.add(f[0:3], vec.cross(r, f[3:6])), 1.0)
    vec.add_scaled(out[3:6], f[3:6], 1.0)


@inline
def add_cross_motion(out, v, m, size):
    """out += size v x m."""
    vec.add_scaled(out[0:3], vec.cross(v[0:3], m[0:3]), size)
    vec.add_scaled(out[3:6], vec.add(vec.cross(v[0:3], m[3:6]), vec.cross(v[3:6], m[0:3])), size)


@inline
def end_frames(link, x_a, q_a, x_b, q_b):
    """(p_a, f_a, p_b, f_b): joint points and frames of bodies at these poses."""
    return (vec.add(x_a, quat.rotate(q_a, link.anchor_a)), quat.multiply(q_a, link.frame_a),
            vec.add(x_b, quat.rotate(q_b, link.anchor_b)), quat.multiply(q_b, link.frame_b))


@inline
def write_turn_column(column, n, arm, pitch, sign):
    vec.assign(column[0:3], vec.scale(n, sign))
    vec.assign(column[3:6], vec.scale(vec.madd(vec.cross(n, arm), n, pitch), sign))


@routine
def write_subspace(link, state, p_b, f_a, f_b):
    """Columns S_k of (1)."""
    k, arm = 0, vec.sub(state.pos, p_b)
    for i in range(3):
        if (link.slides >> i) & 1:
            e = quat.rotate(f_a, axis(i))
            vec.assign(state.s[k, 0:3], (0.0, 0.0, 0.0))
            vec.assign(state.s[k, 3:6], vec.scale(e, link.sign))
            k += 1
    state.fixed_in_a = k
    if link.turns == ABOUT_Z:
        write_turn_column(state.s[k], quat.rotate(f_b, axis(2)), arm, link.pitch, link.sign)
    elif link.turns == PINS:
        state.fixed_in_a = k + 1
        write_turn_column(state.s[k], quat.rotate(f_a, axis(2)), arm, 0.0, link.sign)
        write_turn_column(state.s[k + 1], quat.rotate(f_b, axis(0)), arm, 0.0, link.sign)
    elif link.turns == ALL_TURNS:
        for i in range(3):
            write_turn_column(state.s[k + i], quat.rotate(f_b, axis(i)), arm, 0.0, link.sign)


@inline
def set_velocity(v, body):
    vec.assign(v[0:3], body.omega)
    vec.assign(v[3:6], body.vel)


@routine
def write_place(link, base, own, coordinates):
    """Position coordinates (3) of a joint from the poses of its bodies; angles continue from those that are there."""
    p_a, f_a, p_b, f_b = (end_frames(link, base.pos, base.quat, own.pos, own.quat) if link.sign > 0.0
                          else end_frames(link, own.pos, own.quat, base.pos, base.quat))
    k, gap = link.place, vec.sub(p_b, p_a)
    for i in range(3):
        if (link.slides >> i) & 1:
            coordinates[k] = vec.dot(quat.rotate(f_a, axis(i)), gap)
            k += 1
    q = quat.multiply(quat.conjugate(f_a), f_b)
    if link.turns == ABOUT_Z:
        coordinates[k] = elementary.unwrap_angle(2.0 * elementary.angle(q[3], q[0]), coordinates[k])
    elif link.turns == PINS:
        x = quat.rotate(q, axis(0))
        coordinates[k] = elementary.unwrap_angle(elementary.angle(x[1], x[0]), coordinates[k])
        z = quat.rotate(quat.conjugate(q), axis(2))
        coordinates[k + 1] = elementary.unwrap_angle(elementary.angle(z[1], z[2]), coordinates[k + 1])
    elif link.turns == ALL_TURNS:
        for i in range(4):
            coordinates[k + i] = q[i]


@kernel
def coordinates_of(links, bodies, coordinates):
    """Position coordinates of all links from the poses of bodies."""
    for i in range(links.shape[0]):
        link = links[i]
        write_place(link, bodies[link.other], bodies[link.body], coordinates)


@inline
def about(k, angle):
    """Quaternion of a rotation about axis k; of a full turn more it has the other sign or the same."""
    half = 0.5 * angle
    half -= math.pi * math.floor(half / math.pi + 0.5)
    s, e = half * quat.sinc(half * half), axis(k)
    return (quat.cosine(half * half), e[0] * s, e[1] * s, e[2] * s)


@routine
def relative_pose(link, coordinates):
    """(way, turn): of the frame in b, in the frame in a, by (3)."""
    k = link.place
    way = (0.0, 0.0, 0.0)
    for i in range(3):
        if (link.slides >> i) & 1:
            way = vec.madd(way, axis(i), coordinates[k])
            k += 1
    turn = (1.0, 0.0, 0.0, 0.0)
    if link.turns == ABOUT_Z:
        turn = about(2, coordinates[k])
        way = vec.madd(way, axis(2), link.pitch * coordinates[k])
    elif link.turns == PINS:
        turn = quat.multiply(about(2, coordinates[k]), about(0, coordinates[k + 1]))
    elif link.turns == ALL_TURNS:
        turn = (coordinates[k], coordinates[k + 1], coordinates[k + 2], coordinates[k + 3])
    return way, turn


@kernel
def place(links, coordinates, bodies):
    """Forward kinematics: poses of bodies from position coordinates; static and kinematic bodies stay."""
    for i in range(links.shape[0]):
        link = links[i]
        base, own = bodies[link.other], bodies[link.body]
        way, turn = relative_pose(link, coordinates)
        if link.sign > 0.0:
            f_a = quat.multiply(base.quat, link.frame_a)
            p_b = vec.add(vec.add(base.pos, quat.rotate(base.quat, link.anchor_a)), quat.rotate(f_a, way))
            q = quat.multiply(quat.multiply(f_a, turn), quat.conjugate(link.frame_b))
            x = vec.sub(p_b, quat.rotate(q, link.anchor_b))
        else:
            p_b = vec.add(base.pos, quat.rotate(base.quat, link.anchor_b))
            f_a = quat.multiply(quat.multiply(base.quat, link.frame_b), quat.conjugate(turn))
            q = quat.multiply(f_a, quat.conjugate(link.frame_a))
            x = vec.sub(vec.sub(p_b, quat.rotate(f_a, way)), quat.rotate(q, link.anchor_a))
        size = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
        vec.assign(own.pos, x)
        for k in range(4):
            own.quat[k] = size * q[k]


@kernel
def advance(links, velocities, dt, coordinates):
    """coordinates += dt * velocities; quaternions turn about the axes of the frame in b."""
    for i in range(links.shape[0]):
        link = links[i]
        turns = 3 if link.turns == ALL_TURNS else 0
        for k in range(link.count - turns):
            coordinates[link.place + k] += dt * velocities[link.first + k]
        if turns != 0:
            at, of = link.place + link.count - 3, link.first + link.count - 3
            q = (coordinates[at], coordinates[at + 1], coordinates[at + 2], coordinates[at + 3])
            w = quat.rotate(q, (velocities[of], velocities[of + 1], velocities[of + 2]))
            q = quat.turn(q, dt * w[0], dt * w[1], dt * w[2])
            for k in range(4):
                coordinates[at + k] = q[k]


@routine
def joint_velocity(link, state, relative, velocities):
    """Velocity coordinates with S qd = the relative velocity, by its parts along the columns."""
    turns = 1 if link.turns == ABOUT_Z else (2 if link.turns == PINS else (3 if link.turns == ALL_TURNS else 0))
    slides = link.count - turns
    rest = (relative[3], relative[4], relative[5])
    for k in range(slides, link.count):
        rate = vec.dot(state.s[k, 0:3], relative[0:3])
        velocities[link.first + k] = rate
        rest = vec.madd(rest, state.s[k, 3:6], -rate)
    for k in range(slides):
        velocities[link.first + k] = vec.dot(state.s[k, 3:6], rest)


@kernel
def begin(links, bodies, states, velocities):
    """Poses, subspaces, inertias and velocity coordinates of all links from the poses and velocities of bodies."""
    relative, turn = np.empty(6), np.empty((3, 3))
    for i in range(links.shape[0]):
        link, state = links[i], states[i]
        base, own = bodies[link.other], bodies[link.body]
        state.mass = own.mass
        quat.to_matrix(turn, own.quat)
        mat3.rotate_tensor(state.body_inertia, turn, own.inertia)
        vec.assign(state.pos, own.pos)
        for k in range(4):
            state.quat[k] = own.quat[k]
        vec.assign(state.r, vec.sub(own.pos, base.pos))
        _, f_a, p_b, f_b = (end_frames(link, base.pos, base.quat, own.pos, own.quat) if link.sign > 0.0
                            else end_frames(link, own.pos, own.quat, base.pos, base.quat))
        write_subspace(link, state, p_b, f_a, f_b)
        set_velocity(state.v, own)
        set_velocity(relative, base)
        shift_motion(state.a, relative, state.r)
        for k in range(6):
            relative[k] = state.v[k] - state.a[k]
        joint_velocity(link, state, relative, velocities)


@kernel
def follow(links, bodies, states, velocities):
    """Velocities of links from velocity coordinates (RBDA table 5.1, first pass), with c of (2)."""
    base_v, moved = np.empty(6), np.empty(6)
    for i in range(links.shape[0]):
        link, state = links[i], states[i]
        if link.parent == GROUND:
            set_velocity(base_v, bodies[link.other])
            shift_motion(moved, base_v, state.r)
        else:
            shift_motion(moved, states[link.parent].v, state.r)
        for m in range(6):
            state.v[m], state.c[m] = moved[m], 0.0
        for k in range(link.count):
            for m in range(6):
                state.v[m] += state.s[k, m] * velocities[link.first + k]
        for k in range(link.count):
            if (k < state.fixed_in_a) == (link.sign < 0.0):
                add_cross_motion(state.c, state.v, state.s[k], velocities[link.first + k])
            else:
                add_cross_motion(state.c, moved, state.s[k], velocities[link.first + k])


@kernel
def set_velocities(links, states, bodies):
    """Velocities of bodies from those of links."""
    for i in range(links.shape[0]):
        own, state = bodies[links[i].body], states[i]
        vec.assign(own.omega, state.v[0:3])
        vec.assign(own.vel, state.v[3:6])


@kernel
def jacobian(links, states, link, out):
    """out (6, n): spatial velocity of a link about its centre of mass, per velocity coordinate (RBDA 4.27)."""
    out[:] = 0.0
    at = states[link].pos
    i = link
    while i != GROUND:
        r = vec.sub(at, states[i].pos)
        for k in range(links[i].count):
            column = states[i].s[k]
            lin = vec.add(column[3:6], vec.cross(column[0:3], r))
            for m in range(3):
                out[m, links[i].first + k], out[3 + m, links[i].first + k] = column[m], lin[m]
        i = links[i].parent
