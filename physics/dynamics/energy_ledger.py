"""Energy ledger: kinetic energy by cause, in columns that a solver may fill (Report.ledger), and the column of each impulse.

An impulse p along a row J does the work p J (v0 + v1) / 2, with v0, v1 the velocities before and after all impulses of the
(sub)step. With M (v1 - v0) = sum of J'p over everything,

    T1 - T0 = 1/2 v1'M v1 - 1/2 v0'M v0 = (v1 + v0)'M (v1 - v0) / 2 = sum of p J (v0 + v1) / 2                       (1)

exactly. So the work of known causes is summed row by row, and the remainder of (1) is "numerical": position correction, rotation
of inertia and of rows in a step, rounding. For two bodies of which b is driven (kinematic, a belt),

    p (J_a v_a + J_b v_b)  is friction, impact, contact: dissipated by the row;  - p J_b v_b  is supplied by the mover  (2)

Gravity has a potential V, and its column is the loss of V without position errors. For velocities at the middle of steps
(integrate.py), with g its kick and V1 - V0 the change of V by all motions of the step:

    gravity = sum of [g (v0 + v1) / 2 - h m g.v1] - (V1 - V0)                                                       (3)

that is g (v0 + v1) / 2 if x1 = x0 + h v1, and less if a correction has lifted something: that gain is "numerical".
"""

import numpy as np

from physics.core.jit import inline, kernel
from physics.core.records import Bound, Owner, Role
from physics.joints import marked

LEDGER_COLUMNS = ("gravity", "applied", "drag", "movers", "joints", "drives", "contact", "contact springs", "friction",
                  "joint friction", "impact", "numerical")
"""Gain of kinetic energy in a step by cause [J]; they add up to its change. applied: external forces; drag: the mouse; movers:
kinematic bodies and belts; joints: reactions of constraints and limits; drives: motors and springs; contact: normal forces
without an impact; contact springs: energy returned by compliant contacts, less that stored in them; friction: of
contacts, with rolling and spinning; impact: net loss by impacts."""

(GRAVITY, APPLIED, DRAG, MOVERS, JOINTS, DRIVES, CONTACT, CONTACT_SPRINGS, FRICTION, JOINT_FRICTION, IMPACT,
 NUMERICAL) = range(len(LEDGER_COLUMNS))

_CONE, _CONTACT = Bound.CONE, Owner.CONTACT
_MOTOR, _FRICTION, _CONSTRAINT = Role.MOTOR, Role.FRICTION, Role.CONSTRAINT

_PULLED = marked("pulled")
"""Whether a kind of joint is the mouse's."""


@inline
def column_of(block, joints, softness):
    """Column of the work of a block's impulses, except for impacts; softness: of its first row as written by the joint kind."""
    if block.owner == _CONTACT:
        return FRICTION if block.bound == _CONE else CONTACT
    if _PULLED[joints[block.index].kind]:
        return DRAG
    if block.role == _FRICTION:
        return JOINT_FRICTION
    if block.role == _MOTOR or (block.role == _CONSTRAINT and softness > 0.0):
        return DRIVES
    return JOINTS


@kernel
def columns_of(blocks, joints, rows, column):
    """Write `column_of` of every block to column (blocks,). rows: ROW as written, of which each block lists its first."""
    for k in range(blocks.shape[0]):
        column[k] = column_of(blocks[k], joints, rows[blocks[k].first].softness)


def empty_columns(asked: bool) -> np.ndarray:
    """Zeroed columns of a step, float64; empty if not asked for."""
    return np.zeros(len(LEDGER_COLUMNS) if asked else 0)


def as_dict(columns: np.ndarray) -> dict[str, float]:
    """Columns by name [J], for the report; the step fills in "numerical"."""
    return dict(zip(LEDGER_COLUMNS, columns.tolist())) if len(columns) else {}


def with_numerical(columns: dict[str, float], gained: float) -> dict[str, float]:
    """The columns with "numerical" set so that they add up to the change of kinetic energy [J]."""
    others = {name: columns[name] for name in LEDGER_COLUMNS[:NUMERICAL]}
    return {**others, LEDGER_COLUMNS[NUMERICAL]: gained - sum(others.values())}
