"""The joints' data for compiled steps, and the operations on them in every substep.

    write       the rows that each kind of joint writes (joints/*.py) become blocks (joint_rows.py)
    build       write, then effective masses of the blocks (effective_mass.py)
    factor      all constraint blocks are eliminated together, with sticking friction (direct_joint_solver.py)
    ...         the solver finds impulses
    end_errors  joint errors C at the poses these lead to; set_targets removes them by velocities       (2)
    store       impulses, slip and cases are written back to the joints
    accumulate  a step's impulses are the sums over its substeps
    closing     the joints' errors C are removed from positions, X <- X + push                          (1)

Closing solves J push = -C at the new poses, not the old ones, by Newton iterations: a link that turned by a radian needs a
different push than at the start of the substep. A push that increases the errors is reduced to a quarter, repeatedly.

A tree of joints always has a solution. A closed loop, like a taut line of links between two fixed points, may be singular and
have no solution; undamped steps would throw it about. So mechanisms with loops are closed with damping (Levenberg-Marquardt), a
softness of the fraction DAMPING.

Closing moves bodies without momentum, so energy would leak through it. Therefore the velocities themselves are chosen to lead to
closed joints, with impulses along the rows at the start (SHAKE: J.-P. Ryckaert, G. Ciccotti, H. Berendsen, 1977; with a drift
that is exact for free bodies it is symplectic: Hairer, Lubich, Wanner, Geometric numerical integration, 2006, VII.1.4):

    J(q0) V1 = J(q0) V - C(q1(V)) / h,   again from V = V1                                              (2)

What (2) adds to the right-hand sides, d, changes slowly from one substep to the next, so that the rounds begin with

    J(q0) V1 = b + d - C(q0) / h,   d = 2 d1 - d2 from the last two substeps of the length h, b the curvature term     (3)

but for loops, whose equations may contradict one another: then d would grow.
"""

import warnings
from typing import NamedTuple

import numpy as np
from numba import literal_unroll
from numba.core.errors import NumbaExperimentalFeatureWarning

from physics import joints
from physics.constraints import effective_mass, joint_rows
from physics.constraints.joint_layout import JointLayout
from physics.constraints.joint_rows import REBOUNDING, TOUCHING, UNTOUCHED
from physics.core import contact_points
from physics.core.jit import inline, kernel, routine
from physics.core.records import BLOCK, JOINT, ROW, Bound, Kind, Role
from physics.dynamics import direct_joint_solver
from physics.dynamics.direct_joint_solver import Factors

# numba warns when it unrolls a tuple of functions
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)

WRITERS = tuple(kind.write for kind in joints.kinds().values())
"""Row writer of every kind, in the order of JOINT.kind."""

DAMPING = 1e-4
"""Damping when closing loops, as a fraction of the largest eigenvalue of a joint's J M^-1 J^T."""

MAX_RATIO = 4.0
"""Longer substeps, relative to the last one, do not profit from what that one found, nor does the first of a motion."""

_EQUALITY, _ONE_SIDED = Bound.EQUALITY, Bound.ONE_SIDED


class JointSystem(NamedTuple):
    """The joints that do not sleep, with work arrays.

    layout: of their rows. in_contact: of each joint, whether its mechanism is UNTOUCHED, TOUCHING, and so closed by (1) alone, or
    REBOUNDING, and so without curvature terms (joints/_parts.py), too.
    written, rows, blocks, inverses: rows as the kinds write them, and the table. factors: of the blocks solved together.
    loops: constraint blocks of mechanisms with closed loops. total: JOINT of all joints, with the sums of a step's impulses.
    """

    layout: JointLayout
    in_contact: np.ndarray
    written: np.ndarray
    rows: np.ndarray
    blocks: np.ndarray
    inverses: np.ndarray
    factors: Factors
    loops: np.ndarray
    total: np.ndarray

    @classmethod
    def of(cls, table: np.ndarray, layout: JointLayout, bodies: np.ndarray) -> "JointSystem":
        """The joint system of a JOINT table and its layout."""
        constraints = np.flatnonzero(layout.pieces["role"] == Role.CONSTRAINT)
        moves = bodies["kind"] == Kind.DYNAMIC
        loops = find_loops(layout, constraints, table[layout.pieces["joint"][constraints]], moves)
        return cls(layout, np.zeros(len(layout.group), np.uint8), np.empty(layout.written, ROW), np.empty(layout.rows, ROW),
                   np.empty(layout.blocks, BLOCK), np.empty(layout.inverses),
                   _factors_of(table, layout, moves, constraints, loops), constraints[loops], np.zeros(len(table), JOINT))

    def one_by_one(self) -> "JointSystem":
        """The same, with no joints solved together."""
        return self._replace(factors=direct_joint_solver.empty_factors(len(self.blocks)))

    def trees_together(self, table: np.ndarray, bodies: np.ndarray) -> "JointSystem":
        """The same, with the joints of mechanisms with closed loops one by one."""
        if not len(self.loops):
            return self
        trees = np.setdiff1d(np.flatnonzero(self.layout.pieces["role"] == Role.CONSTRAINT), self.loops)
        return self._replace(factors=_factors_of(table, self.layout, bodies["kind"] == Kind.DYNAMIC, trees,
                                                 np.zeros(len(trees), bool)))


def _factors_of(table: np.ndarray, layout: JointLayout, moves: np.ndarray, constraints: np.ndarray, loops: np.ndarray) -> Factors:
    """Factors of these constraint blocks; loops: whether the mechanism of each has closed loops; moves: as in `find_loops`."""
    tied = table[layout.pieces["joint"][constraints]]
    order = direct_joint_solver.elimination(tied["body_a"], tied["body_b"], moves)
    candidates = direct_joint_solver.candidates_of(layout.pieces, constraints, loops)
    return direct_joint_solver.allocate(order, constraints, loops, candidates, layout.blocks)


def find_loops(layout: JointLayout, constraints: np.ndarray, tied: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """Of each constraint block, whether its mechanism has more joints than a tree of its bodies: bool.

    tied: the JOINT records of the blocks; moves: of each body, whether it is dynamic. A tree has as many joints as bodies if it
    is attached to a body that does not move, one less if it floats.
    """
    group = layout.group[layout.pieces["place"][constraints]]
    joints_of, bodies_of, held = np.zeros((3, len(layout.body_group) + 1), np.int64)
    np.add.at(joints_of, group, 1)
    np.add.at(bodies_of, layout.body_group, 1)
    held[group[~(moves[tied["body_a"]] & moves[tied["body_b"]])]] = 1
    return (group >= 0) & (joints_of[group] > bodies_of[group] - 1 + held[group])


@kernel
def mark_contacts(system, contacts):
    """Write `in_contact` of the joints.

    A mechanism that presses on a contact may be held by it: d of (3) would grow as in a closed loop, and friction that sticks
    would keep what it adds (a gripper let go at 27.5 and 31.5 N, at 240 and 1000 Hz, of 27.0). A rebound would treat the
    curvature term as part of the approach velocity.
    """
    group, body_group, in_contact = system.layout.group, system.layout.body_group, system.in_contact
    touched = np.full(body_group.shape[0], UNTOUCHED, np.uint8)
    for n in range(contacts.shape[0]):
        c = contacts[n]
        rebounds = c.restitution > 0.0 and contact_points.comes_later(c)
        if rebounds or c.impulse > 0.0:
            for body in (c.body_a, c.body_b):
                if body_group[body] >= 0:
                    touched[body_group[body]] = max(touched[body_group[body]], REBOUNDING if rebounds else TOUCHING)
    for n in range(group.shape[0]):
        in_contact[n] = touched[group[n]] if group[n] >= 0 else UNTOUCHED


@kernel
def _write_kinds(joints, system, bodies, dt):
    """Write the rows of each kind of joint at the present state of the bodies; dt = 0: only their errors and directions."""
    layout, kind = system.layout, 0
    for write_kind in literal_unroll(WRITERS):
        begin, end = layout.ends[kind], layout.ends[kind + 1]
        if end > begin:
            write_kind(joints, layout.of_kind[begin:end], layout.first[begin:end], bodies, system.written, dt)
        kind += 1    # noqa: SIM113 - numba unrolls no enumerate


@kernel
def write(joints, system, bodies, rows, blocks, dt, ratio, moving):
    """Write rows and blocks of the joints at the present state of the bodies.

    dt: substep [s]; ratio: dt over the time of the last impulses; moving: False for closing only, when no time passes.
    """
    layout = system.layout
    _write_kinds(joints, system, bodies, dt)
    joint_rows.blocks(joints, layout.pieces, layout.sources, system.written, system.in_contact, bodies, rows, blocks, dt,
                      ratio, moving)


@routine
def end_errors(joints, system, bodies):
    """Largest error of the joints that are UNTOUCHED, at the present poses."""
    _write_kinds(joints, system, bodies, 0.0)
    return joint_rows.max_remaining_error(joints, system.layout.pieces, system.layout.sources, system.written,
                                          system.in_contact, system.rows)


@routine
def set_targets(joints, system, velocity, dt):
    """(2): targets of the table's constraints, from the errors of `end_errors`; velocity (bodies, 6): those that led there."""
    joint_rows.aim(joints, system.layout.pieces, system.layout.sources, system.written, system.in_contact, system.rows,
                   system.blocks, velocity, dt)


@routine
def extrapolate_targets(joints, system, dt, last):
    """(3), after `build`, for a substep of dt [s]; last: length of the one before [s]. After another length d = d1 dt^2 / last^2.
    """
    ratio = dt / last if dt < MAX_RATIO * last else 0.0
    joint_rows.extrapolate_targets(joints, system.layout.pieces, system.loops, system.in_contact, system.rows, dt, ratio)


@routine
def forget_closing(joints, system):
    """Let (3) begin anew after rounds that went wrong."""
    index = system.layout.joints
    for n in range(index.shape[0]):
        joints[index[n]].closing[:] = 0.0


@routine
def add_remaining(joints, system, dt):
    """Let `extrapolate_targets` know of the errors that the last `end_errors` of a substep of dt [s] found."""
    joint_rows.add_remaining(joints, system.layout.pieces, system.layout.sources, system.written, system.in_contact, dt)


@kernel
def store_errors(joints, system, rows):
    """Write the joints' constraint errors, from rows just written."""
    joint_rows.errors(joints, system.layout.joints, system.layout.pieces, rows)


@routine
def build(joints, system, bodies, dt, ratio, moving):
    """Write and prepare; inv_inertia_world must be fresh."""
    rows, blocks = system.rows, system.blocks
    write(joints, system, bodies, rows, blocks, dt, ratio, moving)
    if moving:
        store_errors(joints, system, rows)
    effective_mass.write_effective_masses(bodies, rows, blocks, system.inverses, system.factors.together)


@routine
def follow(joints, system, bodies, turned):
    """Turn the rows with bodies that have moved to the end of a substep; impulses and bounds stay. turned: of `redirect`."""
    layout, rows, blocks = system.layout, system.rows, system.blocks
    joint_rows.turn_curvature(layout.pieces, layout.sources, system.written, system.in_contact, rows, blocks)
    _write_kinds(joints, system, bodies, 0.0)
    joint_rows.redirect(layout.pieces, layout.sources, system.written, rows, system.total, turned)
    effective_mass.write_effective_masses(bodies, rows, blocks, system.inverses, system.factors.together)
    direct_joint_solver.begin(rows, blocks, system.factors)


@routine
def store(joints, system, velocity):
    """Write impulses, slip and cases of the table back to the joints."""
    blocks = system.blocks
    joint_rows.clear_impulses(joints, system.layout.joints)
    for k in range(blocks.shape[0]):
        joint_rows.store(joints[blocks[k].index], blocks[k], system.rows, velocity)


@routine
def clear_sums(system):
    """Clear the sums of a step's impulses."""
    index = system.layout.joints
    joint_rows.clear_impulses(system.total, index)
    for n in range(index.shape[0]):
        system.total[index[n]].impulse[:] = 0.0


@routine
def accumulate(joints, system, last):
    """Add the impulses written by `store`; after the last substep write the sums to the joints."""
    index = system.layout.joints
    for n in range(index.shape[0]):
        joint, total = joints[index[n]], system.total[index[n]]
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
def set_closing_targets(system):
    """Turn the table into that of (1); limits are inequalities. Returns the largest error [m] or [rad]."""
    rows, blocks, largest = system.rows, system.blocks, 0.0
    for n in range(system.loops.shape[0]):
        block = blocks[system.loops[n]]
        for i in range(block.first, block.first + block.count):
            rows[i].softness = DAMPING / block.gradient_step
    for k in range(blocks.shape[0]):
        block = blocks[k]
        for i in range(block.first, block.first + block.count):
            row = rows[i]
            row.impulse = 0.0
            row.target = -row.position_error
            if block.bound == _EQUALITY:
                largest = max(largest, abs(row.position_error))
            elif block.bound == _ONE_SIDED:
                largest = max(largest, -row.position_error)
    return largest
