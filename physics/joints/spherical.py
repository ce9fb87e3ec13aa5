"""Spherical joint: one point in common, three free rotations (MS16 section 3).

    C    = x_b + r_b - x_a - r_a                                  (3 rows)
    Cdot = v_b + omega_b x r_b - v_a - omega_a x r_a
    J    = [-E  skew(r_a)  E  -skew(r_b)]
    B V  = omega_b - omega_a                                      (3 rows of friction, world axes)

Axes, for limits: with n_a, n_b the joint's axis carried by a and by b,

    twist    rotation of b about the axis: swing-twist decomposition, see _parts.write_twist
    swing    angle of n_b from n_a, the cone:  qdot = omega_rel . (n_a x n_b) / |n_a x n_b|
"""

import math

from physics.core import elementary, quat, vec
from physics.core.jit import kernel, routine
from physics.joints import Axis, Freedom, Group, Holds, JointKind, Motion, Turns
from physics.joints._parts import axis, frames, write_point, write_turn, write_twist


@routine
def write_swing(row, n_a, n_b):
    """Row of the angle between two axes; at 0, where every direction increases it, the row of one across the axis."""
    across = vec.cross(n_a, n_b)
    size = math.sqrt(vec.dot(across, across))
    q = elementary.angle(size, vec.dot(n_a, n_b))
    if size > 1e-9:
        write_turn(row, vec.scale(across, 1.0 / size), q)
    else:
        t1, _ = vec.tangents(n_a)
        write_turn(row, t1, q)
    return q


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Write the rows of the listed spherical joints; twist and swing only where used."""
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        write_point(rows, first[n], joint, a, b, dt)
        if joint.used != 0:
            frame_a, frame_b = frames(joint, a, b)
            joint.coordinate[0] = write_twist(rows[first[n] + 3], frame_a, frame_b, joint.coordinate[0])
            n_a, n_b = quat.rotate(frame_a, (0.0, 0.0, 1.0)), quat.rotate(frame_b, (0.0, 0.0, 1.0))
            joint.coordinate[1] = write_swing(rows[first[n] + 4], n_a, n_b)
        for i in range(3):
            write_turn(rows[first[n] + 5 + i], axis(i), 0.0)


JOINT = JointKind(
    constraint=3, write=write, more=3, axis=False, holds=Holds.POINT, freedom=Freedom(turns=Turns.ALL),
    friction=(Group("turn", "N m", (5, 6, 7), (Motion.WORLD_X, Motion.WORLD_Y, Motion.WORLD_Z)),),
    axes=(Axis("twist", "rad", "Rotation of b about the joint axis.", Motion.ABOUT_Z),
          Axis("swing", "rad", "Angle between the axis in b and the axis in a: the upper limit is a cone.", Motion.SWING,
               driven=False)),
    doc="Ball joint: fixes a point, with friction against all rotation, cone and twist limits.")
