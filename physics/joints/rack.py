"""Rack and pinion: the pinion a turns about its axis, the rack b moves along its own; against the world.

    C    = radius theta_a - (s_b - s_0),   s_b = d . (x_b + r_b)  (1 row; d = axis_b, fixed in the world)
    J    = [0, radius n_a, -d, -(r_b x d)]                        where a turns about its axis only

theta_a as for gears. Pinion and rack need a hinge and a slider of their own, whose frame must not move.
"""

from typing import Any

import numpy as np

from physics.core import quat, vec
from physics.core.jit import kernel
from physics.frames import rotate
from physics.joints import JointKind, Param
from physics.joints._parts import arms, centripetal, frames, spin_of, write_twist


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Rows of the listed racks."""
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        frame_a, _ = frames(joint, a, b)
        _, r_b, _ = arms(joint, a, b)
        row, radius = rows[first[n]], joint.param[0]
        d = quat.rotate(joint.rest_b, (0.0, 0.0, 1.0))
        joint.coordinate[0] = write_twist(row, quat.copy(joint.rest_a), frame_a, joint.coordinate[0])
        joint.coordinate[1] = vec.dot(d, vec.add(b.pos, r_b)) - joint.param[1]
        vec.assign(row.ang_a, vec.scale(row.ang_b, radius))
        vec.assign(row.lin_b, vec.scale(d, -1.0))
        vec.assign(row.ang_b, vec.cross(d, r_b))
        row.offset = radius * joint.coordinate[0] - joint.coordinate[1]
        row.target = 0.5 * dt * vec.dot(d, centripetal(spin_of(b, dt), r_b))


def prepare(record: np.record, a: Any, b: Any) -> None:
    """Where the rack stands at the start."""
    d = rotate(record["rest_b"], np.array([0.0, 0.0, 1.0]))
    record["param"][1] = d @ (b["pos"] + rotate(b["quat"], record["anchor_b"]))


JOINT = JointKind(
    constraint=1, write=write, anchors=2, grounded=True, prepare=prepare,
    params=(Param("radius", 0.1, "m", -1e3, 1e3, "Way of the rack along axis_b for a radian of the pinion."),),
    doc="Rack and pinion: the rack moves by the radius times the pinion's turn; hinge and slider besides.")
