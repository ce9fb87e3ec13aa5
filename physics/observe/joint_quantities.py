"""Quantities of joints of each kind, read through the rows that the kind writes.

    angle, rate               of the axis of that name, of the only or first axis; else the total rotation of b relative to a;
                              rates are those at the time of the velocities (dynamics/integrate.py)
    AXIS, AXIS_rate           of each axis of a joint that has several
    friction, friction_bound  of the first group of directions; GROUP_friction, GROUP_friction_bound of each if there are two
    motor, limit              force or torque on all axes, with its sign if there is one axis
    AXIS_motor, AXIS_limit    of each axis of a joint that has several
    reaction, torque          force of the constraint (of a rope, spring: of the joint), torque about the joint point
    error                     largest constraint error
    residual                  residual of the joint's laws in the last substep

Forces are means over the last step, on b, torques about the joint's point as it was when they acted.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from physics.constraints.joint_rows import MOMENTARY
from physics.core.quaternions import conjugate, product, rotate
from physics.core.records import ROW, copy_of
from physics.joints import Axis, JointKind


@dataclass(frozen=True)
class Field:
    """One quantity of a record: label, unit, and its reader (world, index) -> float."""

    label: str
    unit: str
    read: Callable[[Any, int], float]


@functools.cache
def fields_of(kind: JointKind) -> dict[str, Field]:
    """The quantities of a joint kind by name."""
    axes, groups = kind.axes, kind.friction
    main = next((k for k, axis in enumerate(axes) if axis.name == "angle"), 0)
    total = not axes or (len(groups) == 1 and len(groups[0].rows) > len(axes))
    if total:
        found = {"angle": Field("angle", "rad", _total_angle), "rate": Field("angular velocity", "rad/s", _total_rate)}
    else:
        found = {"angle": _coordinate(axes[main], main), "rate": _rate(axes[main], main)}
    if len(axes) > 1:
        for k, axis in enumerate(axes):
            found |= {axis.name: _coordinate(axis, k), f"{axis.name}_rate": _rate(axis, k)}
    for g, group in enumerate(groups):
        name = "friction" if g == 0 else f"{group.name}_friction"
        start = sum(len(other.rows) for other in groups[:g])
        label = "friction" if len(groups) == 1 else f"{group.name} friction"
        found |= {name: Field(label, group.unit, _friction(start, len(group.rows))),
                  f"{name}_bound": Field(f"{label} bound", group.unit, _bound(g))}
    for field in ("motor", "limit") if axes else ():
        for k, axis in enumerate(axes):
            name = field if len(axes) == 1 else f"{axis.name}_{field}"
            found[name] = Field(name.replace("_", " "), _force(axis.unit), _impulse(f"{field}_impulse", k))
    return found | {"reaction": Field("reaction", "N", _load if kind.constraint else reaction_force),
                    "torque": Field("reaction torque", "N m", reaction_torque),
                    "error": Field("constraint error", "m", lambda world, j: float(world.joints["error"][j])),
                    "residual": Field("residual", "m/s", lambda world, j: float(world.joints["residual"][j].max()))}


def _force(unit: str) -> str:
    return "N" if unit == "m" else "N m"


# ---- coordinates


def written(world: Any, j: int, bodies: np.ndarray | None = None) -> tuple[np.ndarray, JointKind]:
    """The rows of a joint at the present poses, or at those of other BODY records, written for a MOMENTARY substep; the world is
    unchanged."""
    kind = world.joint_kind(j)
    joint = copy_of(world.joints[j : j + 1])
    joint["used"][0] = -1
    rows = np.zeros(kind.rows, ROW)
    kind.write.unchecked(joint, np.array([0]), np.array([0]), world.bodies if bodies is None else bodies, rows, MOMENTARY)
    return rows, kind


def _coordinate(axis: Axis, k: int) -> Field:
    def read(world: Any, j: int) -> float:
        rows, kind = written(world, j)
        return float(rows["position_error"][kind.constraint + k])
    return Field(axis.name, axis.unit, read)


def _rate(axis: Axis, k: int) -> Field:
    def read(world: Any, j: int) -> float:
        rows, kind = written(world, j)
        bodies, row, rate, lag = world.bodies, kind.constraint + k, 0.0, 0.0
        for side in "ab":
            i = world.joints[f"body_{side}"][j]
            rate += rows[f"lin_{side}"][row] @ bodies["vel"][i] + rows[f"ang_{side}"][row] @ bodies["omega"][i]
            lag = max(lag, bodies["velocity_lag"][i])
        return float(rate + 2.0 * lag / MOMENTARY * rows["target"][row])       # joint_rows.turn_of_rate
    plain = {"angle": "angular velocity", "travel": "velocity"}
    return Field(plain.get(axis.name, f"{axis.name} rate"), f"{axis.unit}/s", read)


def _total_angle(world: Any, j: int) -> float:
    joint = world.joints[j]
    turns = [product(world.bodies["quat"][joint[f"body_{s}"]], joint[f"frame_{s}"]) for s in "ab"]
    w, x, y, z = product(conjugate(turns[0]), turns[1])
    return 2.0 * math.atan2(math.hypot(x, y, z), abs(w))


def _total_rate(world: Any, j: int) -> float:
    joint = world.joints[j]
    return math.hypot(*(world.bodies["omega"][joint["body_b"]] - world.bodies["omega"][joint["body_a"]]))


# ---- forces


def _mean(world: Any, impulse: float) -> float:
    """Mean force of an impulse of the last step, over the time for which forces acted in it."""
    return float(impulse) / world.impulse_duration if world.impulse_duration > 0.0 else 0.0


def _friction(start: int, count: int) -> Callable[[Any, int], float]:
    """Size of the friction of a group, with the sign of its row if there is only one."""
    def read(world: Any, j: int) -> float:
        p = world.joints["friction_impulse"][j, start : start + count]
        return _mean(world, p[0] if count == 1 else math.hypot(*p))
    return read


def _bound(g: int) -> Callable[[Any, int], float]:
    return lambda world, j: float(world.joints["max_friction"][j, g])


def _impulse(field: str, k: int) -> Callable[[Any, int], float]:
    return lambda world, j: _mean(world, world.joints[field][j, k])


def _load(world: Any, j: int) -> float:
    return _mean(world, world.joints["load"][j])


def reaction_force(world: Any, j: int) -> float:
    """Size of the force transmitted by a joint, including friction, motors and limits [N]."""
    return _mean(world, math.hypot(*world.joints["reaction"][j, :3]))


def reaction_torque(world: Any, j: int) -> float:
    """Size of the torque transmitted by a joint, about b's joint point [N m]."""
    return _mean(world, math.hypot(*point_impulse(world, j)[1]))


def point_impulse(world: Any, j: int) -> tuple[np.ndarray, np.ndarray]:
    """(impulse (3,) [N s], its moment (3,) [N m s] about the joint's point) of a joint on b in the last step, world frame."""
    joint = world.joints[j]
    arm = rotate(acted_at(world, joint["body_b"]), joint["anchor_b"])
    return joint["reaction"][:3].copy(), joint["reaction"][3:] - np.cross(arm, joint["reaction"][:3])


def acted_at(world: Any, body: int) -> np.ndarray:
    """Quaternion of a body where impulses of the last step acted, on average: at the start of each substep. At the end of the
    step a body that turns has gone on, and a free rotor would seem to be held by a torque of the first order in the step."""
    now, began, report = world.bodies["quat"][body], world.step_start, world.report
    if began is None or report is None or body >= len(began.motion):
        return now
    before, duration = began.motion[body, 3:7], world.impulse_duration or began.dt      # the first kick may be half of one
    share = (0.5 - 0.5 / max(1, report.substeps)) * began.dt / duration
    mean = (1.0 - share) * before + share * math.copysign(1.0, before @ now) * now
    return mean / np.linalg.norm(mean)
