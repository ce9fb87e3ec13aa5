"""Frames: copies of the simulation's state, published by the physics thread and read by everything that draws; never changed.

Contacts are found anew in each step; shapes and feature identify a contact across steps.

Poses are copied, and points mapped from the world into a body's frame and back.
"""

import time
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from app.engine.timeline.history import PastSummary
from app.engine.undo.edit_list import EditList
from app.i18n.message import message
from physics import BadInput, Report, World, joints
from physics.core import former_names
from physics.core.quaternions import conjugate, rotate
from physics.core.records import copy_of
from physics.joints import JointKind
from physics.observe.report import EnergyTotals, StepStart
from physics.shapes._geometry import EMPTY, GeometryPool
from physics.solvers import Solver
from physics.world.materials import Materials
from physics.world.table import find as find_name
from scenes import Scene


@dataclass(frozen=True)
class RealTimePace:
    """Real-time performance of the physics thread.

    asked, reached: simulated seconds per second. late_p50, late_p99: lateness of steps [s]. dropped: simulated
    seconds skipped so far because the machine could not hold the rate.
    """

    asked: float = 1.0
    reached: float = 0.0
    late_p50: float = 0.0
    late_p99: float = 0.0
    dropped: float = 0.0


@dataclass(frozen=True)
class BuiltScene:
    """The scene as built, None for a world made by a test, and its parameters. build: number of the build; a reset builds
    anew. file: path of the file that is shown, "" for a scene of the gallery."""

    scene: Scene | None = None
    parameters: Any = None
    build: int = 0
    file: str = ""


def built_by(simulation: Any) -> BuiltScene:
    """Return the scene that a simulation shows."""
    return BuiltScene(simulation.scene, simulation.parameters, simulation.build, simulation.document.file)


@dataclass(frozen=True)
class Authored:
    """Settings beside the tables. friction, restitution: of all bodies, None: the scene's own. joint_bounds [N m] or
    [N]: by name and group. edits: for undo and redo."""

    friction: float | None = None
    restitution: float | None = None
    joint_bounds: Mapping[tuple[str, str], float] = field(default_factory=dict)
    edits: EditList = field(default_factory=EditList)


def authored_by(simulation: Any) -> Authored:
    """Return the present settings of a simulation."""
    return Authored(simulation.friction, simulation.restitution, dict(simulation.joint_bounds), simulation.edits)


@dataclass(frozen=True)
class FanMember:
    """A world of a fan: what it has other than the main one, and where its bodies are.

    variable, value: its setting (app/engine/variation.py); time: of its last step [s]; pos (n, 3) [m], quat (n, 4), before_pos,
    before_quat: poses after and before that step. stopped_because: as of a frame.
    """

    variable: str
    value: float | str
    time: float
    pos: np.ndarray
    quat: np.ndarray
    before_pos: np.ndarray
    before_quat: np.ndarray
    stopped_because: str = ""

    def poses(self, blend: float) -> tuple[np.ndarray, np.ndarray]:
        """Interpolate, as `Frame.poses`."""
        return blended((self.before_pos, self.before_quat), (self.pos, self.quat), blend)


@former_names.accepts_former
@dataclass(frozen=True)
class Frame:
    """A published state.

    bodies, shapes, contacts, joints: copies of the world's tables. before_pos (n, 3), before_quat (n, 4): poses one
    step earlier, for interpolation. impulse_duration: time for which the forces of the step acted, by which its impulses are
    divided [s]. wall: perf_counter of publishing [s]. pool: geometry of the shapes. account:
    energy totals of the steps. past: extent of the history. solver: its name.
    followers: frames of the same scene under other solvers (app/engine/comparison.py); stopped_because: of a follower.
    fan: worlds that differ in one setting.
    solver_state: a copy of the solver with its options; sleeping, audit_options: copies of these options. materials: of the
    world, never changed in place. authored: settings beside the tables.
    step_start: of the last step. hidden: bodies left out of the shapes for a viewer; none as published. setting: the scene
    as built, consistent with the state. inputs: control inputs of the world.
    """

    scene: str
    revision: int
    step: int
    time: float
    dt: float
    impulse_duration: float
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
    pace: RealTimePace = field(default_factory=RealTimePace)
    pool: GeometryPool = EMPTY
    energy_totals: EnergyTotals = field(default_factory=EnergyTotals)
    past: PastSummary = field(default_factory=PastSummary)
    solver: str = ""
    stopped_because: str = ""
    followers: tuple["Frame", ...] = ()
    step_start: StepStart | None = None
    hidden: tuple[int, ...] = ()
    setting: BuiltScene = BuiltScene()
    solver_state: Solver = field(default_factory=Solver)
    sleeping: Any = None
    audit_options: Any = None
    materials: Materials = field(default_factory=Materials)
    authored: Authored = field(default_factory=Authored)
    fan: tuple[FanMember, ...] = ()
    inputs: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def as_world(self) -> "FrameWorld":
        """Adapt the frame to functions that read a world: quantities, predictions, pairs of surfaces."""
        return FrameWorld(self)

    def blend(self, now: float) -> float:
        """Return the interpolation parameter at perf_counter `now`: 0 the step before, 1 this one."""
        if self.paused or self.pace.asked <= 0.0:
            return 1.0
        return min(1.0, max(0.0, (now - self.wall) * self.pace.asked / self.dt))

    def poses(self, blend: float) -> tuple[np.ndarray, np.ndarray]:
        """Interpolate (pos (n, 3), quat (n, 4)) between the two steps; quaternions by normalised linear interpolation."""
        return blended((self.before_pos, self.before_quat), (self.bodies["pos"], self.bodies["quat"]), blend)


Poses = tuple[np.ndarray, np.ndarray]
"""Positions (n, 3) [m] and orientations (n, 4)."""


def blended(before: Poses, after: Poses, blend: float) -> Poses:
    """Interpolate between two steps, 0: before, 1: after; quaternions by normalised linear interpolation."""
    (pos0, quat0), (pos, quat) = before, after
    if blend >= 1.0 or len(pos0) != len(pos):
        return pos, quat
    sign = np.where(np.sum(quat0 * quat, axis=1, keepdims=True) < 0.0, -1.0, 1.0)
    mixed = (1.0 - blend) * sign * quat0 + blend * quat
    norm = np.linalg.norm(mixed, axis=1, keepdims=True)
    norm[norm == 0.0] = 1.0     # slots of deleted bodies
    return (1.0 - blend) * pos0 + blend * pos, mixed / norm


def capture(world: World, *, scene: str, dt: float, paused: bool, before: tuple[np.ndarray, np.ndarray],
            pace: RealTimePace, past: PastSummary | None = None, stopped_because: str = "", others: tuple[Frame, ...] = (),
            setting: BuiltScene = BuiltScene(), authored: Authored | None = None, fan: tuple[FanMember, ...] = ()) -> Frame:
    """Copy what viewers need out of the world; called on the physics thread between two steps."""
    return Frame(
        scene=scene, revision=world.revision, step=world.steps, time=world.time, dt=dt, impulse_duration=world.impulse_duration,
        wall=time.perf_counter(), paused=paused, bodies=copy_of(world.bodies), shapes=copy_of(world.shapes),
        contacts=copy_of(world.contacts), joints=copy_of(world.joints), joint_kinds=world.joint_kinds,
        shape_kinds=world.shape_kinds, body_names=tuple(world.body_names), joint_names=tuple(world.joint_names),
        gravity=tuple(float(g) for g in world.gravity), before_pos=before[0], before_quat=before[1],
        report=world.report, pace=pace, pool=world.pool, energy_totals=world.energy_totals, past=past or PastSummary(),
        solver=world.solver.name, stopped_because=stopped_because, followers=others, step_start=world.step_start, setting=setting,
        solver_state=_copy_of_solver(world.solver), sleeping=copy(world.sleeping), audit_options=copy(world.audit.options),
        materials=world.materials, authored=authored or Authored(), fan=fan, inputs=world.inputs)


def _copy_of_solver(solver: Solver) -> Solver:
    made = copy(solver)
    made.options = copy(solver.options)
    return made


class FrameWorld:
    """Read-only adapter that offers a frame as a world, by value; it cannot be stepped."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.bodies, self.shapes, self.joints, self.contacts = frame.bodies, frame.shapes, frame.joints, frame.contacts
        self.body_names, self.joint_names = frame.body_names, frame.joint_names
        self.joint_kinds, self.shape_kinds, self.pool = frame.joint_kinds, frame.shape_kinds, frame.pool
        self.time, self.steps, self.revision = frame.time, frame.step, frame.revision
        self.last_dt, self.impulse_duration = frame.dt, frame.impulse_duration
        self.gravity, self.report, self.energy_totals = np.array(frame.gravity), frame.report, frame.energy_totals
        self.materials, self.solver, self.sleeping = frame.materials, frame.solver_state, frame.sleeping
        self.inputs = frame.inputs
        self._joint_kinds = joints.kinds()

    def body(self, name: str) -> int:
        """Return the index of the body of that name; raises as `World.body`."""
        return find_name("body", name, self.body_names)

    def joint(self, name: str) -> int:
        """Return the index of the joint of that name; raises as `World.joint`."""
        return find_name("joint", name, self.joint_names)

    def joint_kind(self, j: int) -> JointKind:
        """Return the kind of a joint.

        Raises:
            BadInput: no such joint.
        """
        if not (0 <= j < len(self.joints) and self.joints["kind"][j] >= 0):
            raise BadInput(message("there is no joint {number}", number=j))
        return self._joint_kinds[self.joint_kinds[self.joints["kind"][j]]]


ContactKey = tuple[int, int, int]
"""Shapes a and b, feature."""

_LASTING = ("shape_a", "shape_b", "feature")


def contact_key(contact: np.void) -> ContactKey:
    """Return the key of a record."""
    return tuple(int(contact[name]) for name in _LASTING)


def contact_keys(contacts: np.ndarray) -> list[ContactKey]:
    """Return the keys of contact records."""
    return list(zip(*(contacts[name].tolist() for name in _LASTING)))


def find_contact(contacts: np.ndarray, key: ContactKey) -> int:
    """Return the index of the contact with that key; -1: there is none."""
    same = np.logical_and.reduce([contacts[name] == value for name, value in zip(_LASTING, key)])
    return int(np.argmax(same)) if same.any() else -1


def same_contact(contacts: np.ndarray, contact: np.void) -> int:
    """Return the index of a contact of another step among these; -1: there is none."""
    return find_contact(contacts, contact_key(contact))


def poses(world: World) -> Poses:
    """Copy positions (n, 3) [m] and orientations (n, 4) of all bodies."""
    return world.bodies["pos"].copy(), world.bodies["quat"].copy()


def to_body(pos: np.ndarray, quat: np.ndarray, point: Any) -> np.ndarray:
    """Map a point (3,) [m, world] into the frame of a body at that pose."""
    return rotate(conjugate(quat), np.asarray(point, float) - pos)


def to_world(pos: np.ndarray, quat: np.ndarray, local: np.ndarray) -> np.ndarray:
    """Map a point (3,) of a body's frame into the world [m]."""
    return pos + rotate(quat, local)
