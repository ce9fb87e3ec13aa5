"""Momentum of all moving bodies, and its change in the last step by cause.

    P1 - P0 = sum of impulses,      P = sum of m v                                                                   (1)
    L = sum of (x - o) x m v + I w      about the world's origin o = 0, or the common centre of mass o = c           (2)

Forces between two moving bodies cancel in (1), so only contacts and joints with static or kinematic bodies count; all others
are internal. The remainder of (1) is `rest`: adhesion, bodies stopped by the tunnelling guard.
"""

from dataclasses import dataclass

import numpy as np

from app.engine.frame import Frame
from physics import joints
from physics.core.records import Kind
from physics.dynamics import measure

GRAVITY, APPLIED, NORMAL, FRICTION, JOINTS, DRAG = "gravity", "applied", "normal", "friction", "joints", "drag"


@dataclass(frozen=True)
class Momentum:
    """Momentum after the last step. linear (3,) [N s]; about_origin, about_centre (3,): angular [N m s]; centre (3,) [m].

    before (3,): linear one step earlier. impulses: name and impulse of the step (3,) [N s], in the order in which they are
    drawn tip to tail. rest (3,): remainder of (1).
    """

    linear: np.ndarray
    about_origin: np.ndarray
    about_centre: np.ndarray
    centre: np.ndarray
    before: np.ndarray
    impulses: tuple[tuple[str, np.ndarray], ...]
    rest: np.ndarray
    dt: float


def momentum_of(frame: Frame) -> Momentum | None:
    """Momentum of a frame; None before the first step, and where nothing moves."""
    bodies, began = frame.bodies, frame.step_start
    moves = bodies["kind"] == Kind.DYNAMIC
    if began is None or frame.report is None or len(began.motion) != len(bodies) or not moves.any():
        return None
    mass = bodies["mass"][moves]
    linear, about_origin = (np.array(v) for v in measure.momentum(bodies))
    centre = mass @ bodies["pos"][moves] / mass.sum()
    awake = moves & (bodies["asleep"] == 0)
    acted = began.dt + began.velocity_lag - bodies["velocity_lag"]
    weight = float((bodies["mass"] * acted)[awake].sum()) * np.array(frame.gravity)
    normal, friction = _contacts(frame, moves)
    joints, drag = _joints(frame, moves)
    applied = (acted[:, None] * began.force)[moves].sum(axis=0)
    impulses = tuple((name, impulse) for name, impulse in (
        (GRAVITY, weight), (APPLIED, applied), (DRAG, drag), (NORMAL, normal), (FRICTION, friction), (JOINTS, joints)))
    before = mass @ began.velocity[moves]
    return Momentum(linear, about_origin, about_origin - np.cross(centre, linear), centre, before, impulses,
                    linear - before - sum(impulse for _, impulse in impulses), began.dt)


def _outer(first: np.ndarray, second: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """Sign of each pair's effect on the moving bodies: 1 where only the second moves, -1 only the first, else 0."""
    return moves[second].astype(float) - moves[first].astype(float)


def _contacts(frame: Frame, moves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    contacts = frame.contacts
    sign = _outer(contacts["body_a"], contacts["body_b"], moves)
    return (sign * contacts["impulse"]) @ contacts["normal"], sign @ contacts["friction_impulse"]


def _joints(frame: Frame, moves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    live = frame.joints[frame.joints["kind"] >= 0]
    impulses = _outer(live["body_a"], live["body_b"], moves)[:, None] * live["reaction"][:, :3]
    pulls = joints.pulled(frame.joint_kinds)[live["kind"]]
    return impulses[~pulls].sum(axis=0), impulses[pulls].sum(axis=0)
