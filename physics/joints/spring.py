"""Spring and damper between two points.

    q = |u|,   u = x_b + r_b - x_a - r_a;    f = -k (q - length) - c qdot,   |f| <= max_force

Implicit (joint_rows.py): stable for any stiffness and step. Its dry friction acts along u, as in a telescope.
"""

from physics.core.jit import kernel
from physics.joints import Axis, Group, JointKind, Motion, Param
from physics.joints._ends import sprung
from physics.joints._parts import write_length


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Write the rows of the listed springs."""
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        joint.coordinate[0] = write_length(rows[first[n]], joint, bodies[joint.body_a], bodies[joint.body_b], dt)


JOINT = JointKind(
    constraint=0, write=write, anchors=2, axis=False, prepare=sprung, springs=True, friction=(Group("slide", "N", (0,)),),
    axes=(Axis("length", "m", "Distance between the two points.", Motion.LENGTH, driven=False),),
    params=(Param("stiffness", 1000.0, "N/m", 0.0, 1e9, "Force per metre of extension.", "motor_stiffness"),
            Param("damping", 0.0, "N s/m", 0.0, 1e9, "Force per rate of extension.", "motor_damping"),
            Param("length", None, "m", 0.0, 1e4, "Rest length; the initial length if not given.", "motor_target"),
            Param("max_force", 1e9, "N", 0.0, 1e9, "Maximum force of spring and damper.", "motor_force")),
    doc="A spring and damper between two points.")
