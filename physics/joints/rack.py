"""Rack and pinion: the pinion a turns about its axis, the rack b moves along its own, past the pinion's centre.

    d     = axis_b, carried by the rack, across the pinion's axis
    theta = -alpha, alpha the rotation of d in the pinion's frame: _parts.turn_seen;   alphadot = g . (ddot - omega_a x d)
    u     = x_b + r_b - x_a - r_a
    C     = radius theta - (d.u - s_0)                            (1 row; s_0: d.u when the joint is made)
    J     = [d, r_a x d - radius g x d, -d, -(r_b - u) x d + radius g x d]       g x d = -n where d is across the axis n

C depends on a and b alone and does not change when both move as one, so all momenta are conserved, whatever holds the bearings.
The force d at the pinion's centre and the torque about it together are that of the teeth, at the radius; hinge and slider
transmit the rest to their support: the world or a moving body. The rack may be the world itself, for a pinion that climbs it.
"""

from typing import Any

import numpy as np

from physics.core import quat, vec
from physics.core.check import BadInput
from physics.core.jit import inline, kernel
from physics.core.quaternions import conjugate, product, rotate
from physics.joints import JointKind, Motion, Param
from physics.joints._parts import ALONG, arms, axis, carried_curvature, centripetal, frames, spin_of, turn_seen, write_translation


@inline
def seen_from_a(row, lin, ang, other):
    """Swap the bodies of a row with these lin_b, ang_b and ang_a, so that a is the first again."""
    vec.assign(row.lin_a, lin)
    vec.assign(row.ang_a, ang)
    vec.assign(row.lin_b, vec.scale(lin, -1.0))
    vec.assign(row.ang_b, other)


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Write the rows of the listed racks."""
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        row, radius = rows[first[n]], joint.param[0]
        r_a, r_b, u = arms(joint, a, b)
        frame_a, frame_b = frames(joint, a, b)
        d = quat.rotate(frame_b, axis(2))
        alpha, g = turn_seen(d, frame_a, -joint.coordinate[0])
        travel = write_translation(row, frame_b, axis(2), b, a, r_b, r_a, vec.scale(u, -1.0), dt)
        joint.coordinate[0], joint.coordinate[1] = -alpha, -travel - joint.param[1]
        spin = vec.scale(vec.cross(d, g), radius)
        seen_from_a(row, vec.copy(row.lin_b), vec.add(row.ang_b, spin), vec.sub(row.ang_a, spin))
        row.position_error = radius * joint.coordinate[0] - joint.coordinate[1]
        wa, wb = spin_of(a, dt), spin_of(b, dt)
        row.target += 0.5 * dt * radius * carried_curvature(d, vec.cross(wb, d), centripetal(wb, d), g, wa, frame_a)


def prepare(record: np.record, a: Any, b: Any) -> None:
    """Store the rack's initial position; rotate the pinion's frame until its x axis is near the rack."""
    d = rotate(record["rest_b"], np.array([0.0, 0.0, 1.0]))
    record["param"][1] = d @ (b["pos"] + rotate(b["quat"], record["anchor_b"]) - a["pos"] - rotate(a["quat"], record["anchor_a"]))
    x, y, _ = rotate(conjugate(record["rest_a"]), d)
    if np.hypot(x, y) < ALONG:
        raise BadInput("the rack must move perpendicular to the pinion's axis: give an axis_b perpendicular to axis")
    half = 0.5 * np.arctan2(y, x)
    record["frame_a"] = product(record["frame_a"], np.array([np.cos(half), 0.0, 0.0, np.sin(half)]))


JOINT = JointKind(
    constraint=1, write=write, anchors=2, prepare=prepare, across=True, couples=(Motion.ABOUT_Z, Motion.ALONG_Z),
    params=(Param("radius", 0.1, "m", -1e3, 1e3, "Displacement of the rack along axis_b per radian of the pinion."),),
    doc="Rack and pinion: the rack moves by the pinion's radius times its rotation; also needs a revolute and a prismatic joint.")
