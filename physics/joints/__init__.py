"""Joints in maximal coordinates (MS16, section 1). One file each: the equations, and a kernel that writes its rows.

A joint k between bodies a and b has m rows of constraint J V = 0 (MS16 eq 4) and l = 6 - m free directions B V (eq 6) in which
dry friction acts, ||p|| <= F_max dt (eq 12). A joint file defines `JOINT`, a `JointKind`; its kernel writes first the m
constraint rows (Jacobian and error C, the `offset`), then the friction rows (Jacobian only). A row whose Jacobian turns with the
bodies sets its `target` to -dt/2 Jdot V, the bend (see _parts.py); left at 0 the joint holds but loses energy when it swings.
"""

from collections.abc import Callable
from dataclasses import dataclass

from physics import joints
from physics.plugins import discover


@dataclass(frozen=True)
class JointKind:
    """What `physics` and the viewer need of a kind of joint.

    constraint, friction: number of rows m and number of friction rows.
    unit: of the friction bound, "N m" or "N"; "" where there is no friction.
    write: kernel (joints, index, first, bodies, rows, dt): rows of joint index[i] start at first[i].
    params: names and defaults of what JOINT.param holds, at most four.
    doc: one sentence for a person.
    """

    constraint: int
    friction: int
    unit: str
    write: Callable
    doc: str
    params: tuple[tuple[str, float], ...] = ()

    @property
    def rows(self) -> int:
        return self.constraint + self.friction


def kinds() -> dict[str, JointKind]:
    """All kinds of joints by name, alphabetically: the position in this list is JOINT.kind."""
    return discover(joints, "JOINT")
