"""Joints in maximal coordinates (MS16, section 1). One file each: the equations, and a kernel that writes its rows.

A joint k between bodies a and b has m rows of constraint J V = 0 (MS16 eq 4) and l = 6 - m free directions B V (eq 6) in which
friction acts, ||p|| <= F_max dt (eq 12). A joint file defines `JOINT`, a `JointKind`; its kernel writes, in this order,

    m constraint rows     Jacobian, error C as `offset`
    one row an axis       Jacobian, value q of the coordinate as `offset`: limits, motors and locks act along it
    more friction rows    Jacobian only, where friction does not act along the axes

`joint_rows.py` makes of them what a joint has switched on. A row whose Jacobian turns with the bodies sets its `target` to
-dt/2 Jdot V, the bend (see _parts.py); left at 0 the joint holds but loses energy when it swings.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from physics import joints
from physics.plugins import discover


@dataclass(frozen=True)
class Axis:
    """A free coordinate of a joint.

    name: as in limits={"twist": (-1, 1)} and "joint:x.twist"; unit: "rad" or "m"; doc: what grows with it.
    limited, driven: whether it may have limits or locks, motors.
    """

    name: str
    unit: str
    doc: str
    limited: bool = True
    driven: bool = True


@dataclass(frozen=True)
class Group:
    """Directions with one law of friction. unit of its bound: "N m" or "N"; rows: of those that the kernel writes."""

    name: str
    unit: str
    rows: tuple[int, ...]


@dataclass(frozen=True)
class Param:
    """A number that a kind of joint needs besides.

    default: None means that it is found from the bodies as they stand. field, slot: where in JOINT it is kept.
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
    """What `physics` and the viewer need of a kind of joint.

    constraint: number m of constraint rows. axes, friction, params: see there. more: friction rows besides the axes.
    write: kernel (joints, index, first, bodies, rows, dt): rows of joint index[i] start at first[i].
    doc: one sentence for a person.
    anchors: 2 where the joint ties two points that may be apart. axis: whether its axis means anything without limits and motors.
    prepare: (record, a, b) -> None sets what follows from the bodies as they stand (BODY records); after the parameters.
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

    @property
    def rows(self) -> int:
        """Rows that `write` writes."""
        return self.constraint + len(self.axes) + self.more


def kinds() -> dict[str, JointKind]:
    """All kinds of joints by name, alphabetically: the position in this list is JOINT.kind."""
    return discover(joints, "JOINT")
