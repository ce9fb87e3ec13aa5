"""Gear: b turns `ratio` times as far as a, each about its own axis, both relative to the frame that holds their bearings.

    u     = x_b + r_b - x_a - r_a, from the centre of one wheel to that of the other: at rest in that frame wherever it moves
    theta = -alpha, alpha the rotation of u in the frame of the wheel: _parts.turn_seen                             (1)
    C     = ratio theta_a - theta_b = alpha_b - ratio alpha_a                                  (1 row)              (2)
    alphadot = g . (udot - omega x u)                                                                               (3)
    J     = [-G, -(r_a x G) - ratio g_a x u, G, r_b x G + g_b x u],   G = g_b - ratio g_a                           (4)

(2) depends on a and b alone and does not change when both move as one, so all momenta are conserved without a third body in the
row. Its force, along G at the centres of the wheels, is that of the teeth; the bearings transmit the rest to their support. With
theta and omega relative to the world (2) is Willis' equation: ratio = (omega_b - omega_c) / (omega_a - omega_c), c the carrier.

ratio = -r_a / r_b for two external gears, r_a / r_b for a belt or an internal gear; axes at an angle make bevel gears. Each wheel
needs a bearing (a hinge) of its own, which has the friction; anchor and anchor_b are the wheels' centres, on their axes.

Where u is parallel to an axis (anchor_b is not given, or the wheels share a shaft) the rotation of the frame is unknown and taken
to be that of the world: theta is the rotation about the axis from the wheel's initial pose, J = [0, ratio n_a, 0, -n_b], and the
world takes the difference of the torques.
"""

from typing import Any

import numpy as np

from physics.core import quat, vec
from physics.core.jit import kernel, routine
from physics.core.quaternions import conjugate, product, rotate
from physics.joints import Holds, JointKind, Motion, Param
from physics.joints._parts import ALONG, arms, carried_curvature, centripetal, frames, spin_of, turn_seen, write_row, write_twist


@routine
def write_carried(row, joint, a, b, dt):
    """(2), (4) and its curvature term."""
    ratio = joint.param[0]
    r_a, r_b, u = arms(joint, a, b)
    frame_a, frame_b = frames(joint, a, b)
    turn_a, g_a = turn_seen(u, frame_a, -joint.coordinate[0])
    turn_b, g_b = turn_seen(u, frame_b, -joint.coordinate[1])
    joint.coordinate[0], joint.coordinate[1] = -turn_a, -turn_b
    g = vec.madd(g_b, g_a, -ratio)
    write_row(row, g, vec.madd(vec.cross(g, r_a), vec.cross(g_a, u), -ratio), vec.add(vec.cross(r_b, g), vec.cross(g_b, u)),
              turn_b - ratio * turn_a)
    wa, wb = spin_of(a, dt), spin_of(b, dt)
    udot = vec.sub(vec.add(b.vel, vec.cross(wb, r_b)), vec.add(a.vel, vec.cross(wa, r_a)))
    bent = vec.sub(centripetal(wb, r_b), centripetal(wa, r_a))
    row.target = -0.5 * dt * (carried_curvature(u, udot, bent, g_b, wb, frame_b) - ratio
                              * carried_curvature(u, udot, bent, g_a, wa, frame_a))


@routine
def write_grounded(row, joint, a, b):
    """Row relative to the world."""
    frame_a, frame_b = frames(joint, a, b)
    ratio = joint.param[0]
    joint.coordinate[0] = write_twist(row, quat.copy(joint.rest_a), frame_a, joint.coordinate[0])
    turn_a = vec.scale(row.ang_b, ratio)
    joint.coordinate[1] = write_twist(row, quat.copy(joint.rest_b), frame_b, joint.coordinate[1])
    vec.assign(row.ang_a, turn_a)
    vec.assign(row.ang_b, vec.scale(row.ang_b, -1.0))
    row.position_error = ratio * joint.coordinate[0] - joint.coordinate[1]


@kernel
def write(joints, index, first, bodies, rows, dt):
    """Write the rows of the listed gears."""
    for n in range(index.shape[0]):
        joint = joints[index[n]]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        if joint.param[1] > 0.0:
            write_grounded(rows[first[n]], joint, a, b)
        else:
            write_carried(rows[first[n]], joint, a, b, dt)


def prepare(record: np.record, a: Any, b: Any) -> None:
    """Rotate the joint frames until alpha is 0, or set param[1] = 1 where u is parallel to an axis."""
    u = b["pos"] + rotate(b["quat"], record["anchor_b"]) - a["pos"] - rotate(a["quat"], record["anchor_a"])
    headings = [rotate(conjugate(record[f"rest_{side}"]), u) for side in "ab"]
    across = min(np.hypot(h[0], h[1]) for h in headings)
    record["param"][1] = across < max(1e-6, ALONG * np.linalg.norm(u))
    if not record["param"][1]:
        for side, h in zip("ab", headings):
            half = 0.5 * np.arctan2(h[1], h[0])
            about = np.array([np.cos(half), 0.0, 0.0, np.sin(half)])
            record[f"frame_{side}"] = product(record[f"frame_{side}"], about)


JOINT = JointKind(
    constraint=1, write=write, anchors=2, prepare=prepare, holds=Holds.WORLD, across=True,
    couples=(Motion.ABOUT_Z, Motion.ABOUT_Z),
    params=(Param("ratio", -1.0, "", -1e4, 1e4, "Gear ratio: rotation of b per rotation of a; negative for opposite "
                                                "directions."),),
    doc="Gear pair: couples the rotations of two bodies at a fixed ratio; each also needs a revolute joint.")
