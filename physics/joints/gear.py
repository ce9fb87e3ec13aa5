"""Gear: b turns `ratio` times as far as a, each about its own axis, against the world.

    C    = ratio theta_a - theta_b                                (1 row)
    theta = turn of a body's joint frame against where it stood when the joint was made, about the axis
    J    = [0, ratio n_a, 0, -n_b]                                where the bodies turn about their axes only

ratio = -r_a / r_b for two wheels in outer mesh, r_a / r_b for a belt or an inner mesh; axes at an angle are bevel gears. Each
wheel needs a bearing (a hinge) of its own, and the frame that holds the bearings must not turn: the torques on a and b need not
balance, the rest is carried by the world. Friction belongs to the bearings.
"""

from physics.core import quat, vec
from physics.core.jit import kernel
from physics.joints import JointKind, Param
from physics.joints._parts import frames, write_twist


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Rows of the listed gears."""
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        frame_a, frame_b = frames(joint, bodies[joint.body_a], bodies[joint.body_b])
        row, ratio = rows[first[n]], joint.param[0]
        joint.coordinate[0] = write_twist(row, quat.copy(joint.rest_a), frame_a, joint.coordinate[0])
        turn_a = vec.scale(row.ang_b, ratio)
        joint.coordinate[1] = write_twist(row, quat.copy(joint.rest_b), frame_b, joint.coordinate[1])
        vec.assign(row.ang_a, turn_a)
        vec.assign(row.ang_b, vec.scale(row.ang_b, -1.0))
        row.offset = ratio * joint.coordinate[0] - joint.coordinate[1]


JOINT = JointKind(
    constraint=1, write=write, anchors=2, grounded=True,
    params=(Param("ratio", -1.0, "", -1e4, 1e4, "Turns of b for one turn of a; negative where they turn against each other."),),
    doc="Gear wheels: the second turns a fixed number of times as far as the first; each needs a hinge besides.")
