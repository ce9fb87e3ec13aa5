"""Fixed joint: no relative motion.

    C    = (x_b + r_b - x_a - r_a,  2 vec(q_rel))                 (6 rows)
"""

from physics.core.jit import kernel
from physics.joints import Freedom, Holds, JointKind
from physics.joints._parts import frames, write_point, write_rotation


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Write the rows of the listed fixed joints."""
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        write_point(rows, first[n], joint, a, b, dt)
        frame_a, frame_b = frames(joint, a, b)
        write_rotation(rows, first[n] + 3, frame_a, frame_b)


JOINT = JointKind(constraint=6, write=write, axis=False, holds=Holds.POINT | Holds.WELD, freedom=Freedom(),
                  doc="Fixed joint (weld): the two bodies move as one.")
