"""Rod: a massless rigid link between two points, free to turn at both ends.

    C    = |u| - length,   u = x_b + r_b - x_a - r_a              (1 row)
    Cdot = e . udot,   e = u / |u|

It has no friction: whatever turned a massless rod at one end would have to turn it against the other.
"""

from physics.core.jit import kernel
from physics.joints import JointKind, Param
from physics.joints._ends import distance
from physics.joints._parts import write_length


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Rows of the listed rods."""
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        row = rows[first[n]]
        write_length(row, joint, bodies[joint.body_a], bodies[joint.body_b], dt)
        row.offset -= joint.param[0]


JOINT = JointKind(
    constraint=1, write=write, anchors=2, axis=False, prepare=distance("param"),
    params=(Param("length", None, "m", 1e-3, 1e4, "Distance that the two points keep; as they are where it is not given."),),
    doc="A rigid massless link between two points.")
