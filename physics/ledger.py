"""Where kinetic energy goes: the columns of the ledger, which every solver may fill (Report.ledger), and whose impulse is whose.

An impulse p along a row J does the work p J (v0 + v1) / 2, with v0, v1 the velocities before and after it and all others of the
same (sub)step. With M (v1 - v0) = sum of J'p over everything,

    T1 - T0 = 1/2 v1'M v1 - 1/2 v0'M v0 = (v1 + v0)'M (v1 - v0) / 2 = sum of p J (v0 + v1) / 2                       (1)

exactly. So the work of what is known may be added up row by row, and what (1) leaves is "numerical": positions that were
corrected, the turn of inertia and of rows in a step, rounding. Of two bodies of which b moves by itself (kinematic, a belt),

    p (J_a v_a + J_b v_b)  is friction, impact, contact: what the row takes;  - p J_b v_b  is given by the mover        (2)

Gravity is a force with a potential V, and its column is what that loses where positions are true. For velocities of the middle
of steps (integrate.py), with g its kick and V1 - V0 what all motions of the step have done to V:

    gravity = sum of [g (v0 + v1) / 2 - h m g.v1] - (V1 - V0)                                                       (3)

that is g (v0 + v1) / 2 where x1 = x0 + h v1, and less where a correction has lifted something: that gain is "numerical".
"""

import numpy as np

from physics import joints
from physics.core.jit import inline
from physics.core.records import Bound, Owner, Role

COLUMNS = ("gravity", "applied", "drag", "movers", "joints", "drives", "contact", "friction", "joint friction", "impact",
           "numerical")
"""What the kinetic energy gained in a step by each [J]; they add up to its change. applied: forces from outside; drag: the mouse;
movers: kinematic bodies and belts; joints: reactions of constraints and limits; drives: motors and springs; contact: normal
forces without an impact; friction: of contacts, with rolling and spinning; impact: what impacts took, less what they gave."""

GRAVITY, APPLIED, DRAG, MOVERS, JOINTS, DRIVES, CONTACT, FRICTION, JOINT_FRICTION, IMPACT, NUMERICAL = range(len(COLUMNS))

_CONE, _CONTACT = int(Bound.CONE), int(Owner.CONTACT)
_MOTOR, _FRICTION, _CONSTRAINT = int(Role.MOTOR), int(Role.FRICTION), int(Role.CONSTRAINT)

_DRAG = list(joints.kinds()).index("drag")
"""JOINT.kind of the mouse's spring."""


@inline
def column_of(block, joints, softness):
    """Where the work of a block's impulses belongs, but for impacts; softness: as the kind of joint wrote its first row."""
    if block.owner == _CONTACT:
        return FRICTION if block.bound == _CONE else CONTACT
    if joints[block.index].kind == _DRAG:
        return DRAG
    if block.role == _FRICTION:
        return JOINT_FRICTION
    if block.role == _MOTOR or (block.role == _CONSTRAINT and softness > 0.0):
        return DRIVES
    return JOINTS


def blank(asked: bool) -> np.ndarray:
    """Room for the columns of a step, float64; none if nobody asks for them."""
    return np.zeros(len(COLUMNS) if asked else 0)


def told(columns: np.ndarray) -> dict[str, float]:
    """Columns by name [J], for the report; "numerical" is closed by the step."""
    return dict(zip(COLUMNS, columns.tolist())) if len(columns) else {}


def closed(columns: dict[str, float], gained: float) -> dict[str, float]:
    """The columns with "numerical" such that they add up to the change of the kinetic energy [J]."""
    others = {name: columns[name] for name in COLUMNS[:NUMERICAL]}
    return {**others, COLUMNS[NUMERICAL]: gained - sum(others.values())}
