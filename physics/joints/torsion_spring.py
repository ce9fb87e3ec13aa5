"""Torsion spring and damper: pulls the rotation of b against a about the axis back to a rest angle; constrains nothing else.

    q = rotation of b about the axis (twist, _parts.write_twist);   torque = -k (q - angle) - c qdot,   |torque| <= max_torque

Used beside a joint that holds the bodies, a hinge or a ball joint.
"""

from typing import Any

import numpy as np

from physics.core.jit import kernel
from physics.core.records import Drive
from physics.joints import Axis, Group, JointKind, Motion, Param
from physics.joints._parts import frames, write_twist


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Write the rows of the listed torsion springs."""
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        frame_a, frame_b = frames(joint, bodies[joint.body_a], bodies[joint.body_b])
        joint.coordinate[0] = write_twist(rows[first[n]], frame_a, frame_b, joint.coordinate[0])


def prepare(record: np.record, a: Any, b: Any) -> None:
    """Write the spring as the motor of the only axis."""
    record["motor_mode"][0] = Drive.SPRING


JOINT = JointKind(
    constraint=0, write=write, prepare=prepare, springs=True, friction=(Group("turn", "N m", (0,)),),
    axes=(Axis("angle", "rad", "Rotation of b about the axis.", Motion.ABOUT_Z, driven=False),),
    params=(Param("stiffness", 10.0, "N m/rad", 0.0, 1e9, "Torque per radian.", "motor_stiffness"),
            Param("damping", 0.0, "N m s/rad", 0.0, 1e9, "Torque per angular velocity.", "motor_damping"),
            Param("angle", 0.0, "rad", -1e3, 1e3, "Rest angle; 0 is the initial pose.", "motor_target"),
            Param("max_torque", 1e9, "N m", 0.0, 1e9, "Maximum torque of spring and damper.", "motor_force")),
    doc="A torsion spring and damper about an axis.")
