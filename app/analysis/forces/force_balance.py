"""Force balance of a body: all forces of the last step by source, their sum against m a, largest residuals.

    m (v1 - v0) / T = sum of f,      (I1 w1 - I0 w0) / T = sum of t                                              (1)

f are means over the time T for which the forces of the step acted, `World.impulse_duration`, as in all other instruments:
impulses over T. Torques are about the centre of mass. Contacts act at their detected points, at the start of the step; the exact
solver tells the arms at which they acted. The remainder of (1) is `rest`: adhesion, and bodies stopped by
physics/collide/continuous/tunnelling_guard.py; in its second part also the rotation of a body during a step. Of a step in several
parts contacts hold sums along their last normals, at their last points; what that leaves out is a force of its own, TURNED. Of
the forces of drivers only means are known; what changed from part to part leaves a remainder.

    reaction on a joint's first body:   f_a = -f_b,   t_a = -t_b - (x_b - x_a) x f_b,   x at the middle of the step     (2)
"""

from dataclasses import dataclass

import numpy as np

from app.engine.frame import Frame
from app.i18n.message import message
from physics import joints
from physics.core.quaternions import conjugate, rotate
from physics.core.records import Kind

GRAVITY, APPLIED, NORMAL, FRICTION, ROLLING, TURNED, JOINT, DRAG = (
    "gravity", "applied", "normal", "friction", "rolling", "turned normals", "joint", "drag")
"""Sources of forces, as in Force.source. joint: all forces of one joint, with friction, limits and motors."""

ROUNDING_SHARE = 1e-6
"""Below this share of the largest value a value counts as rounding."""


@dataclass(frozen=True)
class Force:
    """One force on the body. other: the body it comes from, -1: none; index: of the contact or joint, -1: none.

    point (3,): where it acts, world frame [m]; force, torque (3,): [N], [N m] about the centre of mass; power: delivered
    to the body [W], by the mean of the velocities before and after the step.
    """

    source: str
    name: str
    other: int
    index: int
    point: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    power: float


@dataclass(frozen=True)
class LawViolation:
    """Error and residual of one contact or joint of the body.

    joint: else it is a contact. error: overlap, or constraint error [m] or [rad]; residual: left by the solver in the last
    substep [m/s] or [rad/s].
    """

    name: str
    joint: bool
    index: int
    error: float
    residual: float


@dataclass(frozen=True)
class ForceBalance:
    """The forces on a body in the last step. moves: it is dynamic; else `wanted` is zero, since nothing accelerates it.

    duration: T of (1) [s]. centre (3,): of mass at the start of the step [m]. total, total_torque: sums of the forces. wanted,
    wanted_torque: m a and the change of angular momentum, as measured. rest, rest_torque: remainder of (1). driving: index of the
    force with the largest component along the total; turning: the same for the torque; -1: none. working: index of the force with
    the largest power; -1: none positive. parts: in which the step was made. violations: of all its contacts and joints, the
    largest error first.
    """

    body: int
    duration: float
    moves: bool
    centre: np.ndarray
    forces: tuple[Force, ...]
    total: np.ndarray
    total_torque: np.ndarray
    wanted: np.ndarray
    wanted_torque: np.ndarray
    rest: np.ndarray
    rest_torque: np.ndarray
    driving: int
    turning: int
    working: int
    parts: int
    violations: tuple[LawViolation, ...]

    @property
    def worst_error(self) -> LawViolation | None:
        """The contact or joint with the largest overlap or error."""
        return self.violations[0] if self.violations else None

    @property
    def worst_residual(self) -> LawViolation | None:
        """The contact or joint with the largest residual."""
        return max(self.violations, key=lambda fault: fault.residual, default=None)


def force_balance(frame: Frame, body: int) -> ForceBalance | None:
    """Force balance of a body; None before its first step, and for a missing body."""
    began = frame.step_start
    if began is None or not 0 <= body < min(len(frame.bodies), len(began.motion)):
        return None
    now = frame.bodies[body]
    if now["kind"] == Kind.FREE or (now["kind"] == Kind.DYNAMIC and now["velocity_lag"] == 0.0):
        return None
    moves = bool(now["kind"] == Kind.DYNAMIC)
    forces = (*_outside(frame, body, moves), *_contacts(frame, body), *_joints(frame, body))
    total = sum((f.force for f in forces), np.zeros(3))
    total_torque = sum((f.torque for f in forces), np.zeros(3))
    wanted, wanted_torque = _change(frame, body) if moves else (np.zeros(3), np.zeros(3))
    return ForceBalance(
        body=body, duration=frame.impulse_duration, moves=moves, centre=began.pos[body], forces=forces, total=total,
        total_torque=total_torque, wanted=wanted, wanted_torque=wanted_torque, rest=wanted - total if moves else np.zeros(3),
        rest_torque=wanted_torque - total_torque if moves else np.zeros(3),
        driving=_most([float(f.force @ total) for f in forces]),
        turning=_most([float(f.torque @ total_torque) for f in forces]),
        working=_most([f.power for f in forces]), parts=frame.report.substeps if frame.report is not None else 1,
        violations=_violations(frame, body))


def _most(shares: list[float]) -> int:
    """Index of the largest positive number, unless it is negligible beside the others; -1: none."""
    best = int(np.argmax(shares)) if shares else -1
    return best if best >= 0 and shares[best] > ROUNDING_SHARE * float(np.abs(shares).max()) else -1


def _change(frame: Frame, body: int) -> tuple[np.ndarray, np.ndarray]:
    """Left sides of (1)."""
    began, now = frame.step_start, frame.bodies[body]
    turned = (angular_momentum(now["inertia"], now["quat"], now["omega"])
              - angular_momentum(now["inertia"], began.quat[body], began.omega[body]))
    return now["mass"] * (now["vel"] - began.velocity[body]) / frame.impulse_duration, turned / frame.impulse_duration


def angular_momentum(inertia: np.ndarray, quat: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """About the centre of mass, world frame [N m s]; inertia: body frame."""
    return rotate(quat, inertia @ rotate(conjugate(quat), omega))


FROM = {"normal": "normal from {body}", "friction": "friction from {body}"}
"""Names of forces of a contact."""


def _force(frame: Frame, body: int, source: str, other: int, index: int, point: np.ndarray, force: np.ndarray,
           torque: np.ndarray) -> Force:
    began, now = frame.step_start, frame.bodies[body]
    velocity, omega = 0.5 * (began.velocity[body] + now["vel"]), 0.5 * (began.omega[body] + now["omega"])
    name = source
    if source in (JOINT, DRAG):
        name = frame.joint_names[index]
    elif other >= 0:
        name = message(FROM.get(source, "{source} from {body}"), source=source, body=frame.body_names[other])
    return Force(source, name, other, index, point, force, torque, float(force @ velocity + torque @ omega))


def _outside(frame: Frame, body: int, moves: bool) -> list[Force]:
    """Gravity and forces applied by scripts or drivers."""
    began, centre, none = frame.step_start, frame.step_start.pos[body], np.zeros(3)
    lag = float(began.velocity_lag[body] - frame.bodies["velocity_lag"][body])
    share = (began.dt + lag) / frame.impulse_duration       # not 1 for one that was given a velocity, or a pose
    found = []
    if moves and any(frame.gravity):
        weight = share * float(frame.bodies["mass"][body]) * np.array(frame.gravity)
        found.append(_force(frame, body, GRAVITY, -1, -1, centre, weight, none))
    if moves and (began.force[body].any() or began.torque[body].any()):
        found.append(_force(frame, body, APPLIED, -1, -1, centre, share * began.force[body],
                            share * began.torque[body]))
    return found


def contacts_of(frame: Frame, body: int) -> list[int]:
    """Contacts of the body, by index."""
    return np.flatnonzero((frame.contacts["body_a"] == body) | (frame.contacts["body_b"] == body)).tolist()


def _contacts(frame: Frame, body: int) -> list[Force]:
    began, found = frame.step_start, []
    exact = frame.report is not None and frame.report.solved is not None
    for i in contacts_of(frame, body):
        c = frame.contacts[i]
        first = c["body_a"] == body
        rate = (-1.0 if first else 1.0) / frame.impulse_duration
        point = c["pos"] if first else c["pos"] + c["shift"]
        arm = c["arm_a" if first else "arm_b"] if exact else point - began.pos[body]
        other = int(c["body_b"] if first else c["body_a"])
        for source, impulse in ((NORMAL, c["impulse"] * c["normal"]), (FRICTION, c["friction_impulse"])):
            if impulse.any():
                force = rate * impulse
                found.append(_force(frame, body, source, other, i, point, force, np.cross(arm, force)))
        if c["spin_impulse"].any():
            found.append(_force(frame, body, ROLLING, other, i, point, np.zeros(3), rate * c["spin_impulse"]))
    if began.contact_impulse is not None and body < len(began.contact_impulse):
        told = sum((np.append(f.force, f.torque) for f in found), np.zeros(6))
        missing = began.contact_impulse[body] / frame.impulse_duration - told
        if np.abs(missing).max() > ROUNDING_SHARE * max((np.abs(f.force).max() for f in found), default=0.0):
            found.append(_force(frame, body, TURNED, -1, -1, began.pos[body], missing[:3], missing[3:]))
    return found


def joints_of(frame: Frame, body: int) -> list[int]:
    """Joints of the body, by index."""
    joints = frame.joints
    return np.flatnonzero((joints["kind"] >= 0) & ((joints["body_a"] == body) | (joints["body_b"] == body))).tolist()


def _joints(frame: Frame, body: int) -> list[Force]:
    """(2) where the body is the joint's first one."""
    began, found = frame.step_start, []
    for j in joints_of(frame, body):
        joint = frame.joints[j]
        a, b = int(joint["body_a"]), int(joint["body_b"])
        force, torque = joint["reaction"][:3] / frame.impulse_duration, joint["reaction"][3:] / frame.impulse_duration
        if max(a, b) >= len(began.motion) or not (force.any() or torque.any()):
            continue
        source = DRAG if joints.pulled(frame.joint_kinds)[joint["kind"]] else JOINT
        if a == body:
            arm = 0.5 * (began.pos[b] + frame.bodies["pos"][b] - began.pos[a] - frame.bodies["pos"][a])
            force, torque = -force, -torque - np.cross(arm, force)
        side, other = ("a", b) if a == body else ("b", a)
        point = began.pos[body] + rotate(began.quat[body], joint[f"anchor_{side}"])
        found.append(_force(frame, body, source, other, j, point, force, torque))
    return found


def _violations(frame: Frame, body: int) -> tuple[LawViolation, ...]:
    found = []
    for i in contacts_of(frame, body):
        c = frame.contacts[i]
        other = frame.body_names[c["body_b"] if c["body_a"] == body else c["body_a"]]
        found.append(LawViolation(message("contact with {other}", other=other), False, i, max(0.0, -float(c["gap"])),
                                  float(c["residual"].max())))
    for j in joints_of(frame, body):
        joint = frame.joints[j]
        found.append(LawViolation(frame.joint_names[j], True, j, float(joint["error"]), float(joint["residual"].max())))
    return tuple(sorted(found, key=lambda fault: -fault.error))
