"""State of one joint for the joint lens: its friction against its bound over the last seconds, and against its coordinate.

Of a group of directions with friction p [N s] in the step, speed w and reaction impulse P (physics/constraints/joint_rows.py):

    bound = F + load_mu load_radius P / t                                                                         (1)
    F     = static bound while it sticks; kinetic + (static - kinetic) exp(-(w / stribeck)^2) while it slips        (2)

t is the time for which forces acted in the step. Viscous friction adds to the bound. w is the speed at the end of the step;
the solver uses that at its start.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from app.engine.frame import Frame
from physics import joints
from physics.core.records import Case
from physics.joints import Group, JointKind
from physics.observe import joint_quantities

STICK_SPEED = 1e-6
"""Below this speed a group of directions sticks [m/s] or [rad/s]."""

MAX_SAMPLES = 8192
"""Largest number of samples; beyond it the older half is dropped."""


@dataclass(frozen=True)
class LensAxis:
    """Abscissa of the friction plot: the quantity's name and unit."""

    key: str
    label: str
    unit: str


@dataclass(frozen=True)
class Sample:
    """One group of a joint after a step. friction: signed if the group has one direction, else its magnitude, and bound [N] or
    [N m]; coordinate [rad] or [m]; slips: else it sticks."""

    time: float
    friction: float
    bound: float
    coordinate: float
    slips: bool


SAMPLE_COLUMNS = ("time", "friction", "bound", "coordinate", "slips")
"""Columns of the history, as in Sample."""


@dataclass
class JointFrictionHistory:
    """Recent samples of one group of one joint; restarts with another joint or scene, and when time goes back."""

    of: tuple = ()
    last: Sample | None = None
    count: int = 0
    table: np.ndarray = field(default_factory=lambda: np.zeros((MAX_SAMPLES, len(SAMPLE_COLUMNS))))

    def add_frame(self, frame: Frame, joint: int, group: int) -> Sample:
        """Return the sample of a frame and store it if it is new."""
        of = frame.scene, joint, group, frame.joint_names[joint], int(frame.joints["kind"][joint])
        if of != self.of or self.last is None or frame.time < self.last.time:
            self.of, self.last, self.count = of, None, 0
        if self.last is not None and frame.time == self.last.time:
            return self.last
        if self.count == MAX_SAMPLES:
            self.count = MAX_SAMPLES // 2
            self.table[: self.count] = self.table[MAX_SAMPLES - self.count :].copy()
        self.last = sample(frame, joint, group)
        self.table[self.count] = [getattr(self.last, name) for name in SAMPLE_COLUMNS]
        self.count += 1
        return self.last

    def columns(self, span: float) -> dict[str, np.ndarray]:
        """Copies of the columns over the last `span` seconds, float64."""
        table = self.table[: self.count]
        if self.count:
            table = table[np.searchsorted(table[:, 0], table[-1, 0] - span) :]
        return dict(zip(SAMPLE_COLUMNS, np.array(table.T, order="C")))


@dataclass(frozen=True)
class _World:
    """The part of a world from which joint quantities are read (physics/observe/joint_quantities.py)."""

    frame: Frame

    @property
    def joints(self) -> np.ndarray:
        return self.frame.joints

    @property
    def bodies(self) -> np.ndarray:
        return self.frame.bodies

    @property
    def last_dt(self) -> float:
        return self.frame.dt

    @property
    def impulse_duration(self) -> float:
        return self.frame.impulse_duration

    def joint_kind(self, j: int) -> JointKind:
        return kind_of(self.frame, j)


def kind_of(frame: Frame, j: int) -> JointKind:
    """The kind of a joint of the frame."""
    return _named(frame.joint_kinds[frame.joints["kind"][j]])


@cache
def _named(name: str) -> JointKind:
    """Kind by name, cached: listing the folder of kinds takes as long as everything else here."""
    return joints.kinds()[name]


def joints_with_friction(frame: Frame, without: str) -> Iterator[int]:
    """Joints that can have friction, except those named `without`."""
    for j in np.flatnonzero(frame.joints["kind"] >= 0).tolist():
        if frame.joint_names[j] != without and kind_of(frame, j).friction:
            yield j


def choose(frame: Frame, joint: int, without: str) -> int:
    """Return that joint if it can have friction; else the first that can. -1: none can."""
    if 0 <= joint < len(frame.joints) and frame.joints["kind"][joint] >= 0 and kind_of(frame, joint).friction:
        return joint
    return next(joints_with_friction(frame, without), -1)


def rows_of(kind: JointKind, group: int) -> tuple[int, int]:
    """(first, count) of a group among the friction rows of a kind."""
    return sum(len(g.rows) for g in kind.friction[:group]), len(kind.friction[group].rows)


def axis_of(kind: JointKind, group: int) -> LensAxis:
    """Coordinate of a group's friction: the axis of its only direction, else the joint's total turn or first axis."""
    one: Group = kind.friction[group]
    k = one.rows[0] - kind.constraint
    if len(one.rows) == 1 and 0 <= k < len(kind.axes):
        axis = kind.axes[k]
        return LensAxis("angle" if len(kind.axes) == 1 else axis.name, axis.name, axis.unit)
    found = joint_quantities.fields_of(kind)["angle"]
    return LensAxis("angle", found.label, found.unit)


def friction_now(joint: np.record, start: int, count: int, acting: float) -> tuple[float, bool]:
    """(magnitude of the friction, whether it slips) of some of a joint's friction rows."""
    value = float(np.linalg.norm(joint["friction_impulse"][start : start + count])) / acting
    speed = float(np.linalg.norm(joint["slip"][start : start + count]))
    return value, joint["case"] == Case.SLIP and speed > STICK_SPEED


def bound_now(joint: np.ndarray, group: int, speed: np.ndarray, slips: np.ndarray, acting: float) -> np.ndarray:
    """(1) and (2), for one joint or many."""
    static, kinetic, stribeck = (joint[name][..., group] for name in ("max_friction", "kinetic", "stribeck"))
    over = np.exp(-((speed / np.where(stribeck > 0.0, stribeck, 1.0)) ** 2)) * (stribeck > 0.0)
    bound = np.where(slips, kinetic + (static - kinetic) * over, static)
    load = joint["load_mu"][..., group] * joint["load_radius"][..., group] * joint["load"]
    return bound + load / acting


def sample(frame: Frame, j: int, group: int) -> Sample:
    """Sample of one group of one joint from a frame."""
    joint, kind = frame.joints[j], kind_of(frame, j)
    start, count = rows_of(kind, group)
    size, slips = friction_now(joint, start, count, frame.impulse_duration)
    signed = math.copysign(size, joint["friction_impulse"][start]) if count == 1 else size
    speed = float(np.linalg.norm(joint["slip"][start : start + count]))
    coordinate = joint_quantities.fields_of(kind)[axis_of(kind, group).key].read(_World(frame), j)
    return Sample(frame.time, signed, float(bound_now(joint, group, speed, slips, frame.impulse_duration)), coordinate,
                  bool(slips))
