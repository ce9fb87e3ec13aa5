"""A snapshot by value: the physics thread publishes it, everything that draws reads it. Never changed after publishing."""

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.engine.history import Past
from physics import Report, World
from physics.account import Account
from physics.beginning import Beginning
from physics.core.records import copy_of
from physics.geometry import EMPTY, Pool
from scenes import Scene


@dataclass(frozen=True)
class Pace:
    """How the physics thread keeps time.

    asked, reached: simulated seconds per second. late_p50, late_p99: lateness of steps [s]. dropped: simulated
    seconds given up so far because the machine could not hold the rate.
    """

    asked: float = 1.0
    reached: float = 0.0
    late_p50: float = 0.0
    late_p99: float = 0.0
    dropped: float = 0.0


@dataclass(frozen=True)
class Setting:
    """What was built: the scene, None for a world of tests, and its parameters."""

    scene: Scene | None = None
    parameters: Any = None


@dataclass(frozen=True)
class Frame:
    """One published state.

    bodies, shapes, contacts, joints: copies of the world's tables. before_pos (n, 3), before_quat (n, 4): poses one
    step earlier, for drawing between two steps. acting: time for which the forces of the step acted, by which its impulses are
    divided [s]. wall: perf_counter of publishing [s]. pool: geometry of the shapes. account:
    what the steps added up to. past: what can be gone back to. solver: what it is called.
    others: of the same scene under other solvers (app/engine/comparison.py); trouble: why such a one stands still.
    beginning: of the last step. hidden: bodies left out of the shapes for a viewer; none as published. setting: what was built,
    of the same moment as the state.
    """

    scene: str
    revision: int
    step: int
    time: float
    dt: float
    acting: float
    wall: float
    paused: bool
    bodies: np.ndarray
    shapes: np.ndarray
    contacts: np.ndarray
    joints: np.ndarray
    joint_kinds: tuple[str, ...]
    shape_kinds: tuple[str, ...]
    body_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    gravity: tuple[float, float, float]
    before_pos: np.ndarray
    before_quat: np.ndarray
    report: Report | None
    pace: Pace = field(default_factory=Pace)
    pool: Pool = EMPTY
    account: Account = field(default_factory=Account)
    past: Past = field(default_factory=Past)
    solver: str = ""
    trouble: str = ""
    others: tuple["Frame", ...] = ()
    beginning: Beginning | None = None
    hidden: tuple[int, ...] = ()
    setting: Setting = Setting()

    def blend(self, now: float) -> float:
        """How far to draw between the step before (0) and this one (1) at perf_counter `now`."""
        if self.paused or self.pace.asked <= 0.0:
            return 1.0
        return min(1.0, max(0.0, (now - self.wall) * self.pace.asked / self.dt))

    def poses(self, blend: float) -> tuple[np.ndarray, np.ndarray]:
        """(pos (n, 3), quat (n, 4)) between the two steps; quaternions by normalised linear interpolation."""
        pos, quat = self.bodies["pos"], self.bodies["quat"]
        if blend >= 1.0 or len(self.before_pos) != len(pos):
            return pos, quat
        sign = np.where(np.sum(self.before_quat * quat, axis=1, keepdims=True) < 0.0, -1.0, 1.0)
        mixed = (1.0 - blend) * sign * self.before_quat + blend * quat
        norm = np.linalg.norm(mixed, axis=1, keepdims=True)
        norm[norm == 0.0] = 1.0     # slots of deleted bodies
        return (1.0 - blend) * self.before_pos + blend * pos, mixed / norm


def capture(world: World, *, scene: str, dt: float, paused: bool, before: tuple[np.ndarray, np.ndarray],
            pace: Pace, past: Past | None = None, trouble: str = "", others: tuple[Frame, ...] = (),
            setting: Setting = Setting()) -> Frame:
    """Copy what the viewer needs out of the world; called on the physics thread between two steps."""
    return Frame(
        scene=scene, revision=world.revision, step=world.steps, time=world.time, dt=dt, acting=world.acting,
        wall=time.perf_counter(), paused=paused, bodies=copy_of(world.bodies), shapes=copy_of(world.shapes),
        contacts=copy_of(world.contacts), joints=copy_of(world.joints), joint_kinds=world.joint_kinds,
        shape_kinds=world.shape_kinds, body_names=tuple(world.body_names), joint_names=tuple(world.joint_names),
        gravity=tuple(float(g) for g in world.gravity), before_pos=before[0], before_quat=before[1],
        report=world.report, pace=pace, pool=world.pool, account=world.account, past=past or Past(),
        solver=world.solver.name, trouble=trouble, others=others, beginning=world.beginning, setting=setting)
