"""Six degrees of freedom, each free, limited or locked, each optionally with a motor or spring.

    q    = (e_i . u,  theta_i)      i over the axes of frame a;  u = x_b + r_b - x_a - r_a
    theta = rotation vector of frame b against frame a, axes of a, |theta| <= pi
    thetadot = L(theta) omega_rel,   L = E - theta x / 2 + (1 - x/2 cot(x/2)) / x^2 (theta x)(theta x),  x = |theta|

L is regular below a full turn and the same for all three axes; a single free rotation is a hinge and turns without end (its
coordinate jumps from pi to -pi). A limit beyond pi cannot be reached. Locked axes (equal limits) become constraint rows.

Curvature: omega_rel . (omega_a x j) for the rows j of L carried by a, and the change of L itself, taken half a step ahead.
"""

import math

from physics.core import elementary, quat, vec
from physics.core.jit import inline, kernel, routine
from physics.joints import Axis, Freedom, Group, Holds, JointKind, Motion, Turns
from physics.joints._parts import arms, axis, frames, spin_of, write_translation, write_turn


@routine
def rotation_vector(frame_a, frame_b):
    """Rotation vector of frame b against frame a, axes of a [rad]."""
    q = quat.multiply(quat.conjugate(frame_a), frame_b)
    s = 1.0 if q[0] >= 0.0 else -1.0
    size = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    scale = 2.0 * s
    if size > 1e-8:
        scale = s * 2.0 * elementary.angle(size, s * q[0]) / size
    return (scale * q[1], scale * q[2], scale * q[3])


@inline
def row_of(theta, e):
    """Row of L: L^T e = e + theta x e / 2 + (1 - x/2 cot(x/2)) / x^2 theta x (theta x e)."""
    x2 = vec.dot(theta, theta)
    # 1/12 + x^2/720 below a tenth: error x^4/30240 < 4e-9
    c = 1.0 / 12.0 + x2 / 720.0 + x2 * x2 / 30240.0
    if x2 > 0.01:
        h = 0.5 * math.sqrt(x2)
        c = (1.0 - h * quat.cosine(h * h) / (h * quat.sinc(h * h))) / x2
    across = vec.cross(theta, e)
    return vec.add(vec.madd(e, across, 0.5), vec.scale(vec.cross(theta, across), c))


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Write the rows of the listed joints."""
    for n in range(index.shape[0]):
        joint, r = joints[index[n]], first[n]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        r_a, r_b, u = arms(joint, a, b)
        frame_a, frame_b = frames(joint, a, b)
        theta = rotation_vector(frame_a, frame_b)
        wa = spin_of(a, dt)
        relative = vec.sub(spin_of(b, dt), wa)
        inside = quat.rotate(quat.conjugate(frame_a), relative)
        rate = (vec.dot(row_of(theta, axis(0)), inside), vec.dot(row_of(theta, axis(1)), inside),
                vec.dot(row_of(theta, axis(2)), inside))
        ahead = vec.madd(theta, rate, 0.5 * dt)
        for i in range(3):
            e = axis(i)
            joint.coordinate[i] = write_translation(rows[r + i], frame_a, e, a, b, r_a, r_b, u, dt)
            row, j = rows[r + 3 + i], row_of(theta, e)
            ang = quat.rotate(frame_a, j)
            write_turn(row, ang, theta[i])
            row.target = -(0.5 * dt * vec.dot(relative, vec.cross(wa, ang))
                           + vec.dot(inside, vec.sub(row_of(ahead, e), j)))
            joint.coordinate[3 + i] = theta[i]


JOINT = JointKind(
    constraint=0, write=write, holds=Holds.LOCKS, freedom=Freedom("xyz", Turns.ALL),
    friction=(Group("slide", "N", (0, 1, 2)), Group("turn", "N m", (3, 4, 5))),
    axes=(*(Axis(name, "m", f"Displacement of b along {name} of the joint frame.", Motion[f"ALONG_{name.upper()}"])
            for name in "xyz"),
          *(Axis(f"r{name}", "rad", f"Rotation of b about {name} of the joint frame.", motion)
            for name, motion in zip("xyz", (Motion.VECTOR_X, Motion.VECTOR_Y, Motion.OTHER)))),
    doc="Generic joint with six axes, each free, limited, locked, motorised or sprung; z is the axis.")
