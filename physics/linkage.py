"""What a compiled step needs of the joints, and what it does with them in every substep.

    write       what each kind of joint writes (joints/*.py) becomes blocks of rows (joint_rows.py)
    prepare     effective masses of the blocks (effective_mass.py)
    factor      all constraint blocks together, eliminated, with the friction that sticks (direct.py, sticking.py)
    ...         the solver finds impulses
    ends        errors C of the joints where those would take the bodies; aim takes them out of the velocities    (2)
    store       impulses, slip and cases go back to the joints
    add_up      a step's impulses are the sums over its substeps
    close       the joints' errors C are removed from positions, X <- X + push                          (1)

Closing solves J push = -C at the new poses, not the old ones, in rounds of Newton's method: a link that turned by a radian needs
another push than at the start of the substep. A push that makes the errors larger is taken back, to a quarter each time.

A tree of joints has always a solution. A closed loop, like a taut line of links between two fixed points, may be singular, and
what it asks for may be out of reach: it would be thrown about. So mechanisms with loops are closed with a damping (the method of
Levenberg and Marquardt), a softness of the share DAMPING.

What closing moves, no momentum knows of: energy would leak through it. So the velocities themselves are made such that they lead
to closed joints, with impulses along the rows of the start (SHAKE: J.-P. Ryckaert, G. Ciccotti, H. Berendsen, 1977; with a drift
that is exact for free bodies it is symplectic: Hairer, Lubich, Wanner, Geometric numerical integration, 2006, VII.1.4):

    J(q0) V1 = J(q0) V - C(q1(V)) / h,   again from V = V1                                              (2)
"""

import warnings
from typing import NamedTuple

import numpy as np
from numba import literal_unroll
from numba.core.errors import NumbaExperimentalFeatureWarning

from physics import direct, effective_mass, joint_rows, joints, sticking
from physics.core import vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import BLOCK, JOINT, ROW, Bound, Kind, Role
from physics.direct import Factors
from physics.joint_plan import JointPlan

# numba tells that it unrolls a tuple of functions
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)

WRITERS = tuple(kind.write for kind in joints.kinds().values())
"""Of every kind, in the order of JOINT.kind."""

DAMPING = 1e-4
"""Of closing loops, as a part of the largest eigenvalue of a joint's J M^-1 J^T."""

_EQUALITY, _ONE_SIDED = int(Bound.EQUALITY), int(Bound.ONE_SIDED)


class Linkage(NamedTuple):
    """The joints that do not sleep, and room to work.

    plan: where their rows go. straight: of each joint, whether its bend is left out.
    written, rows, blocks, inverses: rows as the kinds write them, and the table. factors: of the blocks that are solved together.
    loops: constraint blocks of mechanisms with closed loops. total: JOINT of all joints, with the sums of a step's impulses.
    """

    plan: JointPlan
    straight: np.ndarray
    written: np.ndarray
    rows: np.ndarray
    blocks: np.ndarray
    inverses: np.ndarray
    factors: Factors
    loops: np.ndarray
    total: np.ndarray

    @classmethod
    def of(cls, table: np.ndarray, plan: JointPlan, bodies: np.ndarray) -> "Linkage":
        """For a JOINT table and its plan."""
        constraints = np.flatnonzero(plan.pieces["role"] == Role.CONSTRAINT)
        tied = table[plan.pieces["joint"][constraints]]
        order = direct.elimination(tied["body_a"], tied["body_b"], bodies["kind"] == Kind.DYNAMIC)
        loops = in_loops(plan, constraints, tied, bodies["kind"] == Kind.DYNAMIC)
        factors = direct.room(order, constraints, loops, sticking.candidates(plan.pieces, constraints), plan.blocks)
        return cls(plan, np.zeros(len(plan.group), np.uint8), np.empty(plan.written, ROW), np.empty(plan.rows, ROW),
                   np.empty(plan.blocks, BLOCK), np.empty(plan.inverses), factors, constraints[loops],
                   np.zeros(len(table), JOINT))

    def one_by_one(self) -> "Linkage":
        """The same, but no joints are solved together."""
        return self._replace(factors=direct.none(len(self.blocks)))


def in_loops(plan: JointPlan, constraints: np.ndarray, tied: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """Of each constraint block, whether its mechanism has more joints than a tree of its bodies: bool.

    tied: the JOINT records of the blocks; moves: of each body, whether it is dynamic. A tree has as many joints as bodies if one
    of them leads to what does not move, one less if it floats.
    """
    group = plan.group[plan.pieces["place"][constraints]]
    joints_of, bodies_of, held = np.zeros((3, len(plan.body_group) + 1), np.int64)
    np.add.at(joints_of, group, 1)
    np.add.at(bodies_of, plan.body_group, 1)
    held[group[~(moves[tied["body_a"]] & moves[tied["body_b"]])]] = 1
    return (group >= 0) & (joints_of[group] > bodies_of[group] - 1 + held[group])


@kernel
def straighten(linkage, contacts):
    """Mark the joints whose mechanism is in contact or about to rebound: the bend (joints/_parts.py) must be left out.

    Contact rows are straight; a mechanism that a contact locks while it turns could not satisfy both, and the impulses would grow
    without bound. A rebound would take the bend for a part of the approach.
    """
    group, body_group, straight = linkage.plan.group, linkage.plan.body_group, linkage.straight
    touched = np.zeros(body_group.shape[0], np.bool_)
    for n in range(contacts.shape[0]):
        c = contacts[n]
        if c.impulse > 0.0 or (c.restitution > 0.0 and vec.dot(c.shift, c.shift) > 0.0):
            for body in (c.body_a, c.body_b):
                if body_group[body] >= 0:
                    touched[body_group[body]] = True
    for n in range(group.shape[0]):
        straight[n] = 1 if group[n] >= 0 and touched[group[n]] else 0


@kernel
def _write_kinds(joints, linkage, bodies, dt):
    """What each kind of joint writes, as the bodies are now."""
    plan, kind = linkage.plan, 0
    for write_kind in literal_unroll(WRITERS):
        begin, end = plan.ends[kind], plan.ends[kind + 1]
        if end > begin:
            write_kind(joints, plan.of_kind[begin:end], plan.first[begin:end], bodies, linkage.written, dt)
        kind += 1    # noqa: SIM113 - numba unrolls no enumerate


@kernel
def write(joints, linkage, bodies, rows, blocks, dt, ratio, moving):
    """Rows and blocks of the joints as the bodies are now.

    dt: substep [s]; ratio: dt over the time of the last impulses; moving: False for closing only, when no time passes.
    """
    plan = linkage.plan
    _write_kinds(joints, linkage, bodies, dt)
    joint_rows.blocks(joints, plan.pieces, plan.sources, linkage.written, linkage.straight, bodies, rows, blocks, dt, ratio,
                      moving)


@routine
def ends(joints, linkage, bodies, dt):
    """Largest error of the joints that are not `straight`, as the bodies are now, at the end of a substep of dt [s]."""
    _write_kinds(joints, linkage, bodies, dt)
    return joint_rows.largest_left(joints, linkage.plan.pieces, linkage.plan.sources, linkage.written, linkage.straight)


@routine
def aim(joints, linkage, velocity, dt):
    """(2): targets of the table's constraints, from what `ends` has left; velocity (bodies, 6): those that led there."""
    joint_rows.aim(joints, linkage.plan.pieces, linkage.plan.sources, linkage.written, linkage.straight, linkage.rows,
                   linkage.blocks, velocity, dt)


@kernel
def measure_errors(joints, linkage, rows):
    """What the joints tell of their errors, from rows just written."""
    joint_rows.errors(joints, linkage.plan.joints, linkage.plan.pieces, rows)


@routine
def build(joints, linkage, bodies, dt, ratio, moving):
    """Write and prepare; inv_inertia_world must be fresh."""
    rows, blocks = linkage.rows, linkage.blocks
    write(joints, linkage, bodies, rows, blocks, dt, ratio, moving)
    if moving:
        measure_errors(joints, linkage, rows)
    effective_mass.prepare(bodies, rows, blocks, linkage.inverses, linkage.factors.together)


@routine
def store(joints, linkage, velocity):
    """Write impulses, slip and cases of the table back to the joints."""
    blocks = linkage.blocks
    joint_rows.forget(joints, linkage.plan.joints)
    for k in range(blocks.shape[0]):
        joint_rows.store(joints[blocks[k].index], blocks[k], linkage.rows, velocity)


@routine
def clear_sums(linkage):
    """Nothing has been summed yet."""
    index = linkage.plan.joints
    joint_rows.forget(linkage.total, index)
    for n in range(index.shape[0]):
        linkage.total[index[n]].impulse[:] = 0.0


@routine
def add_up(joints, linkage, last):
    """Sum what `store` has left; after the last substep the joints get the sums."""
    index = linkage.plan.joints
    for n in range(index.shape[0]):
        joint, total = joints[index[n]], linkage.total[index[n]]
        _add(total.impulse, joint.impulse, last)
        _add(total.friction_impulse, joint.friction_impulse, last)
        _add(total.reaction, joint.reaction, last)
        _add(total.limit_impulse, joint.limit_impulse, last)
        _add(total.motor_impulse, joint.motor_impulse, last)
        total.load += joint.load
        if last:
            joint.load = total.load


@inline
def _add(total, part, last):
    for i in range(total.shape[0]):
        total[i] += part[i]
        if last:
            part[i] = total[i]


@routine
def aim_to_close(linkage):
    """Turn the table into that of (1); limits are inequalities. Returns the largest error [m] or [rad]."""
    rows, blocks, largest = linkage.rows, linkage.blocks, 0.0
    for n in range(linkage.loops.shape[0]):
        block = blocks[linkage.loops[n]]
        for i in range(block.first, block.first + block.count):
            rows[i].softness = DAMPING / block.rate
    for k in range(blocks.shape[0]):
        block = blocks[k]
        for i in range(block.first, block.first + block.count):
            row = rows[i]
            row.impulse = 0.0
            row.target = -row.offset
            if block.bound == _EQUALITY:
                largest = max(largest, abs(row.offset))
            elif block.bound == _ONE_SIDED:
                largest = max(largest, -row.offset)
    return largest
