"""A step of mechanisms that nothing touches, in one kernel, where no row of solvers/joint_space.py has an impulse: trees move by
momentum_step.py, links that turn about a fixed point by tops.py, those with one fixed axis by (1) and (3).

So it is of trees whose joints have no friction, limits, drives or locks, on bodies that stand still. It calls the kernels of
solvers/joint_space.py in the same order by their addresses (core/by_address.py), and its results have the same bits.

What it refuses it leaves as it was; solvers/joint_space.py then says why, or makes the step.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from physics.articulated import dynamics, kinematics, mechanism, momentum, momentum_step, tops
from physics.articulated.mechanism import ALLOWED
from physics.articulated.tree import Tree
from physics.constraints import joint_rows, joint_system
from physics.core import by_address
from physics.core.jit import kernel, routine
from physics.core.records import Kind, Role
from physics.dynamics import integrate, measure

OPEN = 1e-6
"""A joint made with a larger error must close first [m] or [rad]: in joint coordinates it would close at once."""

MADE, REFUSED, UNRESOLVED = range(3)
"""What becomes of a step: it is made; it is not of this kind; it is too long for the motion."""

_DYNAMIC, _KINEMATIC = Kind.DYNAMIC, Kind.KINEMATIC

CALLS = by_address.CallTable()
_copy_motion = CALLS.add(measure.copy_motion)
_coordinates = CALLS.add(kinematics.coordinates_of)
_refresh_inertias = CALLS.add(mechanism.refresh_inertias)
_begin = CALLS.add(kinematics.begin)
_follow = CALLS.add(kinematics.follow)
_apart = CALLS.add(mechanism.apart)
_joint_inertia = CALLS.add(dynamics.joint_inertia)
_factorize = CALLS.add(dynamics.factorize)
_rates_from_momenta = CALLS.add(mechanism.rates_from_momenta)
_articulated_inertias = CALLS.add(dynamics.articulated_inertias)
_accelerations = CALLS.add(dynamics.accelerations)
_write_joints = CALLS.add(joint_system.write)
_store_errors = CALLS.add(joint_system.store_errors)
_advance = CALLS.add(kinematics.advance)
_drift = CALLS.add(tops.drift)
_set_velocities = CALLS.add(kinematics.set_velocities)
_lag_velocities = CALLS.add(momentum.lag_velocities)
_move_trees = CALLS.add(momentum_step.move)
_set_tree_velocities = CALLS.add(momentum_step.set_velocities)
_conserve_momentum = CALLS.add(momentum.conserve_momentum)
_write_reactions = CALLS.add(momentum.write_reactions)
_write_constraint_impulses = CALLS.add(momentum.write_constraint_impulses)


class PlainMechanisms(NamedTuple):
    """The mechanisms of a world, and arrays to work in. steady: velocities without C; in_tree (links,): links that
    have no such; held (joints,): joints of the tree. states, after (links,): STATE; q (places,), others (n,) but factor
    (n, n), forces (links, 6), momenta (links, 9), before (bodies, MOTION), pushes (bodies, 6): zeros."""

    links: np.ndarray
    above: np.ndarray
    steady: np.ndarray
    in_tree: np.ndarray
    held: np.ndarray
    system: Any
    states: np.ndarray
    after: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    kick: np.ndarray
    moved: np.ndarray
    none: np.ndarray
    factor: np.ndarray
    forces: np.ndarray
    momenta: np.ndarray
    before: np.ndarray
    pushes: np.ndarray

    @classmethod
    def of(cls, tree: Tree, steady: np.ndarray, in_tree: np.ndarray, held: np.ndarray, world: Any) -> "PlainMechanisms":
        """Those of a world with this tree."""
        links, bodies = tree.links, len(world.bodies)
        return cls(links, tree.above, steady, in_tree, held, world.layout.joint_system,
                   *np.zeros((2, len(links)), kinematics.STATE), np.zeros(tree.places), *np.zeros((4, tree.size)),
                   np.zeros((tree.size, tree.size)), np.zeros((len(links), 6)), np.zeros((len(links), 9)),
                   np.zeros((bodies, measure.MOTION)), np.zeros((bodies, 6)))


def is_plain(tree: Tree, pieces: np.ndarray) -> bool:
    """Whether every link has a joint, none is cut, and their rows are those of constraints alone; pieces: PIECE."""
    rigid = (pieces["role"] == Role.CONSTRAINT) & (pieces["count"] == pieces["slot"])
    return (len(tree.links) > 0 and not len(tree.loops) and bool((tree.links["joint"] >= 0).all())
            and bool((rigid & np.isin(pieces["joint"], tree.links["joint"])).all()))


@kernel
def advance(calls, m, bodies, joints, gravity, dt, duration):
    """Advance bodies and joints by dt [s]; returns MADE or, with all as it was, what else. m: PlainMechanisms; duration: of the
    last impulses [s]."""
    if not _is_allowed(m.links, bodies, joints):
        return REFUSED
    _copy_motion(calls, bodies, m.before)
    if not _read(calls, m, bodies, joints):
        return REFUSED
    m.moved[:] = 0.0
    if m.steady.shape[0] > 0 and not (_read_steady(calls, m, bodies) and _kick_steady(calls, m, bodies, gravity, dt)):
        return REFUSED
    m.system.in_contact[:] = joint_rows.UNTOUCHED
    _write_joints(calls, joints, m.system, bodies, m.system.rows, m.system.blocks, dt, dt / duration, True)
    _advance(calls, m.links, m.moved, dt, m.q)
    _drift(calls, m.links, bodies, m.states, dt, m.q, m.moved)
    if not _move_trees(calls, m.links, m.above, bodies, m.before, m.pushes, gravity, dt, m.in_tree, m.states, m.after, m.q,
                       m.momenta, m.factor, m.qd):
        return UNRESOLVED
    _store_errors(calls, joints, m.system, m.system.rows)
    _finish(calls, m, bodies, joints, gravity, dt)
    return MADE


@routine
def _is_allowed(links, bodies, joints):
    """Whether bodies that carry mechanisms stand still, and no joint closes or has a law of friction of its own."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.kind == _KINEMATIC:
            for k in range(3):
                if b.vel[k] != 0.0 or b.omega[k] != 0.0:
                    return False
            for k in range(6):
                if b.before[k] != 0.0:
                    return False
    for i in range(links.shape[0]):
        joint = joints[links[i].joint]
        if joint.corner_count > 0:
            return False
        if joint.ramp > 0.0:
            for k in range(joint.start_error.shape[0]):
                if abs(joint.start_error[k]) > OPEN:
                    return False
    return True


@routine
def _read(calls, m, bodies, joints):
    """q, states and the velocities that joints allow of the mechanisms (mechanism.Mechanism); whether they are finite."""
    links = m.links
    m.q[:] = 0.0
    for i in range(links.shape[0]):
        link = links[i]
        if link.turns == kinematics.ABOUT_Z:
            m.q[link.place + link.count - 1] = joints[link.joint].coordinate[link.count - 1]
    _coordinates(calls, links, bodies, m.q)
    _refresh_inertias(calls, bodies)
    _begin(calls, links, bodies, m.states, m.qd)
    finite = True
    for k in range(m.qd.shape[0]):
        finite = finite and math.isfinite(m.qd[k])
    return finite


@routine
def _read_steady(calls, m, bodies):
    """qd, by the momenta; False: H is singular."""
    links, lags = m.links, False
    _follow(calls, links, bodies, m.states, m.qd)
    for i in range(links.shape[0]):
        lags = lags or bodies[links[i].body].velocity_lag > integrate.INSTANT_LAG
    if lags or _apart(calls, links, m.states, bodies) > ALLOWED:
        _joint_inertia(calls, links, m.states, m.factor)
        for i in range(m.factor.shape[0]):
            for j in range(i + 1):
                if not math.isfinite(m.factor[i, j]):
                    return False
        _factorize(calls, m.above, m.factor)
        for i in range(m.factor.shape[0]):
            if not (math.isfinite(m.factor[i, i]) and m.factor[i, i] > 0.0):
                return False
        _rates_from_momenta(calls, links, bodies, m.states, m.above, m.factor, m.qd)
    return True


@routine
def _kick_steady(calls, m, bodies, gravity, dt):
    """moved (n,): velocities without C after the forces, 0 of others; whether they are finite. Gyroscopic torque acts in the
    drift."""
    for i in range(m.links.shape[0]):
        body = bodies[m.links[i].body]
        for k in range(3):
            m.forces[i, k], m.forces[i, 3 + k] = body.torque[k], body.force[k]
        for k in range(m.links[i].first, m.links[i].first + m.links[i].count):
            m.kick[k] = integrate.kick_time(body, dt)
    _articulated_inertias(calls, m.links, m.states)
    _follow(calls, m.links, bodies, m.states, m.none)
    _accelerations(calls, m.links, bodies, m.states, gravity, m.forces, m.none, m.moved)
    for i in range(m.links.shape[0]):
        for k in range(m.links[i].first, m.links[i].first + m.links[i].count):
            m.moved[k] = 0.0 if m.in_tree[i] else m.qd[k] + m.kick[k] * m.moved[k]
            if not math.isfinite(m.moved[k]):
                return False
    return True


@routine
def _finish(calls, m, bodies, joints, gravity, dt):
    """Velocities at the end of those that were placed there, and the joints' impulses."""
    links, index = m.links, m.system.layout.joints
    for n in range(index.shape[0]):
        joints[index[n]].residual[:] = 0.0
    joint_rows.clear_impulses(joints, index)
    for i in range(m.system.rows.shape[0]):
        m.system.rows[i].impulse = 0.0
    if m.steady.shape[0] > 0:
        _begin(calls, links, bodies, m.states, m.qd)
        _follow(calls, links, bodies, m.states, m.moved)
        _set_velocities(calls, links, m.states, bodies)
    for i in range(bodies.shape[0]):
        if bodies[i].kind == _DYNAMIC or bodies[i].kind == _KINEMATIC:
            bodies[i].velocity_lag = 0.5 * dt
    if m.steady.shape[0] > 0:
        _lag_velocities(calls, links, bodies, m.states)
    _set_tree_velocities(calls, links, bodies, m.before, dt, m.in_tree, m.momenta)
    _conserve_momentum(calls, links, bodies, m.before, gravity, dt, True, m.pushes)
    _write_reactions(calls, links, bodies, m.before, gravity, dt, m.pushes, joints)
    _write_constraint_impulses(calls, joints, m.system.layout.pieces, m.held, m.system.rows)
    for i in range(bodies.shape[0]):
        for k in range(3):
            bodies[i].force[k] = bodies[i].torque[k] = 0.0
