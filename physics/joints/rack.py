"""Rack and pinion: the pinion a turns about its axis, the rack b moves along its own, past the middle of the pinion.

    d     = axis_b, carried by the rack, across the pinion's axis
    theta = -alpha, alpha the turn of d seen from the pinion: _parts.turn_seen;   alphadot = g . (ddot - omega_a x d)
    u     = x_b + r_b - x_a - r_a
    C     = radius theta - (d.u - s_0)                            (1 row; s_0: d.u when the joint is made)
    J     = [d, r_a x d - radius g x d, -d, -(r_b - u) x d + radius g x d]       g x d = -n where d is across the axis n

C depends on a and b alone and does not change when both move as one, so all momenta are kept, whatever holds the bearings. The
force d at the middle of the pinion and the torque about it are together that of the teeth, at the radius; hinge and slider hand
the rest to what holds them: the world or a body that moves. The rack may be the world itself, for a pinion that climbs it.
"""

from typing import Any

import numpy as np

from physics.core import quat, vec
from physics.core.jit import inline, kernel
from physics.errors import BadInput
from physics.frames import product, rotate
from physics.joints import JointKind, Param
from physics.joints._parts import ALONG, arms, axis, bend_seen, centripetal, frames, spin_of, turn_seen, write_translation


@inline
def seen_from_a(row, lin, ang, other):
    """The row whose first body was b and has these lin_b, ang_b and ang_a: that of a is the first again."""
    vec.assign(row.lin_a, lin)
    vec.assign(row.ang_a, ang)
    vec.assign(row.lin_b, vec.scale(lin, -1.0))
    vec.assign(row.ang_b, other)


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Rows of the listed racks."""
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
        row.offset = radius * joint.coordinate[0] - joint.coordinate[1]
        wa, wb = spin_of(a, dt), spin_of(b, dt)
        row.target += 0.5 * dt * radius * bend_seen(d, vec.cross(wb, d), centripetal(wb, d), g, wa, frame_a)


def prepare(record: np.record, a: Any, b: Any) -> None:
    """Where the rack stands at the start; the pinion's frame is turned until its x comes near to the rack."""
    d = rotate(record["rest_b"], np.array([0.0, 0.0, 1.0]))
    record["param"][1] = d @ (b["pos"] + rotate(b["quat"], record["anchor_b"]) - a["pos"] - rotate(a["quat"], record["anchor_a"]))
    x, y, _ = rotate(record["rest_a"] * [1.0, -1.0, -1.0, -1.0], d)
    if np.hypot(x, y) < ALONG:
        raise BadInput("a rack moves across the pinion's axis: give axis_b in a direction across axis")
    half = 0.5 * np.arctan2(y, x)
    record["frame_a"] = product(record["frame_a"], np.array([np.cos(half), 0.0, 0.0, np.sin(half)]))


JOINT = JointKind(
    constraint=1, write=write, anchors=2, prepare=prepare,
    params=(Param("radius", 0.1, "m", -1e3, 1e3, "Way of the rack along axis_b for a radian of the pinion."),),
    doc="Rack and pinion: the rack moves by the radius times the pinion's turn; hinge and slider besides.")
