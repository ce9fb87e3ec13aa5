"""Joints in maximal coordinates (MS16, section 1). One file each: the equations, and a kernel that writes its rows.

A joint k between bodies a and b has m rows of constraint J V = 0 (MS16 eq 4) and l = 6 - m free directions B V (eq 6) in which
friction acts, ||p|| <= F_max dt (eq 12). A joint file defines `JOINT`, a `JointKind`; its kernel writes, in this order,

    m constraint rows     Jacobian, error C as `position_error`
    one row an axis       Jacobian, value q of the coordinate as `position_error`: limits, motors and locks act along it
    more friction rows    Jacobian only, where friction does not act along the axes

`joint_rows.py` turns them into the rows of the joint's active features. A row whose Jacobian turns with the bodies sets its
`target` to -dt/2 Jdot V, the curvature term (see _parts.py); with 0 the joint holds but loses energy when it swings.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any

import numpy as np

from physics import joints
from physics.core.plugins import discover


class Motion(IntEnum):
    """Motion of b against a that an axis measures, by the frames of the joint: for the auditor's rates and the drawn limits.

    The auditor knows the rates of those up to `KNOWN`; it accepts the work of limits and motors on others as given.
    """

    OTHER = 0          # drawn along or about z of the frame in a
    ALONG_X = 1        # of the frame in a
    ALONG_Y = 2
    ALONG_Z = 3
    ABOUT_Z = 4        # twist of the frame in b against that in a
    ABOUT_Z_A = 5      # of x of the frame in b, about z of the frame in a
    ABOUT_X_B = 6      # of the frame in b, against z of the frame in a
    LENGTH = 7         # from the point on a to that on b
    WORLD_X = 8        # rotation about an axis of the world
    WORLD_Y = 9
    WORLD_Z = 10
    END_A_1 = 11       # of the line between both points against a, about the two tangents across it
    END_A_2 = 12
    END_B_1 = 13       # of b against that line
    END_B_2 = 14
    KNOWN = 14
    VECTOR_X = 15      # x of the rotation vector
    VECTOR_Y = 16
    SWING = 17         # angle between the z axes


class Holds(IntFlag):
    """What a joint holds, for the auditor, which computes the errors from anchors and frames alone (its joints.py, 1 and 2)."""

    NOTHING = 0
    POINT = 1          # the two points together
    LINE = 2           # the point of b on the axis
    PLANE = 4          # the point of b in the plane across the axis
    PARALLEL = 8       # the axes
    WELD = 16          # the orientation
    CROSS = 32         # the axis in a across x of the frame in b
    DISTANCE = 64      # the points param[0] apart
    REACH = 128        # the points at most limit_hi[0] apart
    THREAD = 256       # the way along the axis to the rotation: param[0] a turn
    LOCKS = 512        # the locked ways along the axes of the frame in a
    WORLD = 1024       # where param[1] is set: the world carries part of its moment


class Turns(IntEnum):
    """Free rotations of b against a, in joint coordinates."""

    NONE = 0
    ABOUT_Z = 1        # about the common z axis
    PINS = 2           # about z of the frame in a, then about x of the frame in b
    ALL = 3            # quaternion; its velocity is omega_b - omega_a along the axes of the frame in b


@dataclass(frozen=True)
class Freedom:
    """Motion of b against a that the joint leaves free, as joint coordinates: first the translations, then the rotations.

    slides: axes of the frame in a along which the point of b moves, of "xyz". turns: the rotations, about the point of b.
    thread: whether it advances along z by param[0] for each turn.
    """

    slides: str = ""
    turns: Turns = Turns.NONE
    thread: bool = False


@dataclass(frozen=True)
class Axis:
    """A free coordinate of a joint.

    name: as in limits={"twist": (-1, 1)} and "joint:x.twist"; unit: "rad" or "m"; doc: the direction in which it grows.
    motion: what it measures. limited, driven: whether it may have limits or locks, motors.
    """

    name: str
    unit: str
    doc: str
    motion: Motion = Motion.OTHER
    limited: bool = True
    driven: bool = True


@dataclass(frozen=True)
class Group:
    """Directions that share one friction law. unit of its bound: "N m" or "N"; rows: which of the kernel's rows; motions: what
    these measure if they are not those of the joint's axes."""

    name: str
    unit: str
    rows: tuple[int, ...]
    motions: tuple[Motion, ...] = ()


@dataclass(frozen=True)
class Param:
    """An additional number that a kind of joint needs.

    default: None means that it is computed from the bodies' poses. field, slot: its place in JOINT.
    """

    name: str
    default: float | None
    unit: str
    lo: float
    hi: float
    help: str
    field: str = "param"
    slot: int = 0


@dataclass(frozen=True)
class JointKind:
    """Description of a kind of joint for `physics` and the viewer.

    constraint: number m of constraint rows. axes, friction, params: see their classes. more: friction rows besides the axes.
    write: kernel (joints, index, first, bodies, rows, dt): rows of joint index[i] start at first[i]; with dt = 0 their targets
        are not asked for, and nothing may be divided by it.
    doc: one sentence for the user.
    anchors: 2 where the joint ties two points that may be apart. axis: whether its axis has an effect without limits and motors.
    prepare: (record, a, b) -> None sets what follows from the bodies' poses (BODY records); after the parameters.
    holds: what the auditor judges. across: a new one's axis is level, across the line of the bodies, not along it.
    freedom: its joint coordinates, for articulated trees; None: it is no joint of a tree, and holds as a constraint.
    couples: motions of a and b, on joints of their own, that it couples. springs: whether it may give back energy that it stored.
    pulled: whether it is the mouse's: not offered, not drawn as a joint, its work in a column of its own.
    """

    constraint: int
    write: Callable
    doc: str
    axes: tuple[Axis, ...] = ()
    friction: tuple[Group, ...] = ()
    more: int = 0
    params: tuple[Param, ...] = ()
    anchors: int = 1
    axis: bool = True
    prepare: Callable[[np.record, Any, Any], None] | None = None
    holds: Holds = Holds.NOTHING
    across: bool = False
    freedom: Freedom | None = None
    couples: tuple[Motion, Motion] | None = None
    springs: bool = False
    pulled: bool = False

    @property
    def rows(self) -> int:
        """Number of rows that `write` writes."""
        return self.constraint + len(self.axes) + self.more

    def bears(self, motion: Motion) -> bool:
        """Whether it leaves this motion free on an axis that it holds, as the bearing of a wheel or the rail of a slider."""
        return bool(self.holds & (Holds.POINT | Holds.LINE) and self.holds & (Holds.PARALLEL | Holds.WELD)
                    and any(axis.motion == motion for axis in self.axes))


@functools.cache
def kinds() -> dict[str, JointKind]:
    """All kinds of joints by name, alphabetically: the position in this list is JOINT.kind. The same one in every call."""
    return discover(joints, "JOINT")


@functools.cache
def marked(mark: str) -> np.ndarray:
    """Of all kinds, by JOINT.kind: a field of numbers or of truths (n,)."""
    found = np.array([getattr(kind, mark) for kind in kinds().values()])
    found.flags.writeable = False
    return found


@functools.cache
def pulled(names: tuple[str, ...]) -> np.ndarray:
    """Of the kinds of these names, which are the mouse's (n,)."""
    known = kinds()
    return np.array([known[name].pulled for name in names])
