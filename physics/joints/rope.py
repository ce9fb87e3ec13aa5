"""Rope: two points are never farther apart than its length; a slack rope does nothing.

    q = |u| <= length,   u = x_b + r_b - x_a - r_a                (an upper limit, one-sided)

The rope has no mass; its pull is the joint's reaction. It has no friction: it bends at no cost, so no moment comes through it.
"""

from physics.core.jit import kernel
from physics.joints import Axis, Holds, JointKind, Motion, Param
from physics.joints._ends import distance
from physics.joints._parts import write_length


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Rows of the listed ropes."""
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        joint.coordinate[0] = write_length(rows[first[n]], joint, bodies[joint.body_a], bodies[joint.body_b], dt)


JOINT = JointKind(
    constraint=0, write=write, anchors=2, axis=False, prepare=distance("limit_hi"), holds=Holds.REACH,
    axes=(Axis("length", "m", "Distance between the two points.", Motion.LENGTH),),
    params=(Param("length", None, "m", 1e-3, 1e4, "Length of the rope; the initial distance of the points if not given.",
                  field="limit_hi"),),
    doc="A rope between two points: pulls when taut, exerts no force when slack.")
