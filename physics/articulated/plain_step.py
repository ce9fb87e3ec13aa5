"""A step of mechanisms that nothing touches, in one kernel: (1) and (3) of solvers/joint_space.py where no row has an impulse.

So it is of trees whose joints have no friction, limits, drives or locks, on bodies that stand still. It calls the kernels of
solvers/joint_space.py in the same order by their addresses (core/by_address.py), and its results have the same bits. Inertias of
the articulated bodies depend on poses alone: the rounds in which C is found at the mean velocity share them.

What it refuses it leaves as it was; solvers/joint_space.py then says why, or makes the step.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from physics.articulated import dynamics, kinematics, mechanism, momentum, tops
from physics.articulated.mechanism import ALLOWED
from physics.articulated.tree import Tree
from physics.constraints import joint_rows, joint_system
from physics.core import by_address
from physics.core.dense import assign
from physics.core.jit import kernel, routine
from physics.core.records import Kind, Role
from physics.dynamics import integrate, measure

ROUNDS = 3
"""Evaluations of C at the mean velocity: each gains the factor h |dC/dqd|."""

SETTLED = 1e-9
"""With the velocity of the last round C changes it: by more, and the change is added, again and again [m/s], [rad/s]."""

MAX_ROUNDS = 16
"""Most further rounds. In a whip each leaves up to a half; while three had to do, a pendulum lost 12 times as much energy."""

OPEN = 1e-6
"""A joint made with a larger error must close first [m] or [rad]: in joint coordinates it would close at once."""

_DYNAMIC, _KINEMATIC = int(Kind.DYNAMIC), int(Kind.KINEMATIC)

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
_place = CALLS.add(kinematics.place)
_set_velocities = CALLS.add(kinematics.set_velocities)
_lag_velocities = CALLS.add(momentum.lag_velocities)
_conserve_momentum = CALLS.add(momentum.conserve_momentum)
_write_reactions = CALLS.add(momentum.write_reactions)
_write_constraint_impulses = CALLS.add(momentum.write_constraint_impulses)


class PlainMechanisms(NamedTuple):
    """The mechanisms of a world, and arrays to work in. turns: rotations of tops among the velocities; held (joints,): joints of
    the tree. q (places,), others (n,) but factor (n, n), forces (links, 6), before (bodies, MOTION), pushes (bodies, 6):
    zeros."""

    links: np.ndarray
    above: np.ndarray
    turns: np.ndarray
    held: np.ndarray
    system: Any
    states: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    kick: np.ndarray
    mean: np.ndarray
    moved: np.ndarray
    again: np.ndarray
    none: np.ndarray
    factor: np.ndarray
    forces: np.ndarray
    before: np.ndarray
    pushes: np.ndarray

    @classmethod
    def of(cls, tree: Tree, turns: np.ndarray, held: np.ndarray, world: Any) -> "PlainMechanisms":
        """Those of a world with this tree."""
        links, bodies = tree.links, len(world.bodies)
        return cls(links, tree.above, turns, held, world.layout.joint_system, np.zeros(len(links), kinematics.STATE),
                   np.zeros(tree.places), *np.zeros((6, tree.size)), np.zeros((tree.size, tree.size)), np.zeros((len(links), 6)),
                   np.zeros((bodies, measure.MOTION)), np.zeros((bodies, 6)))


def is_plain(tree: Tree, pieces: np.ndarray) -> bool:
    """Whether every link has a joint, none is cut, and their rows are those of constraints alone; pieces: PIECE."""
    rigid = (pieces["role"] == Role.CONSTRAINT) & (pieces["count"] == pieces["slot"])
    return (len(tree.links) > 0 and not len(tree.loops) and bool((tree.links["joint"] >= 0).all())
            and bool((rigid & np.isin(pieces["joint"], tree.links["joint"])).all()))


@kernel
def advance(calls, m, bodies, joints, gravity, dt, duration):
    """Advance bodies and joints by dt [s], or return False. m: PlainMechanisms; duration: of the last impulses [s]."""
    if not _is_allowed(m.links, bodies, joints):
        return False
    _copy_motion(calls, bodies, m.before)
    if not _read(calls, m, bodies, joints):
        return False
    _kick(calls, m, bodies, gravity, dt)
    for k in range(m.moved.shape[0]):
        if not math.isfinite(m.moved[k]):
            return False
    m.system.without_curvature[:] = 0
    _write_joints(calls, joints, m.system, bodies, m.system.rows, m.system.blocks, dt, dt / duration, True)
    _store_errors(calls, joints, m.system, m.system.rows)
    _settle(calls, m, bodies, gravity)
    _move(calls, m, bodies, joints, gravity, dt)
    return True


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
    """q, qd and states of the mechanisms (mechanism.Mechanism); False: H is singular."""
    links, lags = m.links, False
    m.q[:] = 0.0
    for i in range(links.shape[0]):
        link = links[i]
        lags = lags or bodies[link.body].velocity_lag > integrate.INSTANT_LAG
        if link.turns == kinematics.ABOUT_Z:
            m.q[link.place + link.count - 1] = joints[link.joint].coordinate[link.count - 1]
        for k in range(3):
            m.forces[i, k], m.forces[i, 3 + k] = bodies[link.body].torque[k], bodies[link.body].force[k]
    _coordinates(calls, links, bodies, m.q)
    _refresh_inertias(calls, bodies)
    _begin(calls, links, bodies, m.states, m.qd)
    _follow(calls, links, bodies, m.states, m.qd)
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
def _kick(calls, m, bodies, gravity, dt):
    """moved (n,): velocities after the forces."""
    for i in range(m.links.shape[0]):
        link = m.links[i]
        for k in range(link.first, link.first + link.count):
            m.kick[k] = bodies[link.body].velocity_lag + 0.5 * dt
    _articulated_inertias(calls, m.links, m.states)
    assign(m.moved, m.qd)
    for _ in range(ROUNDS):
        _free(calls, m, bodies, gravity, m.moved)


@routine
def _free(calls, m, bodies, gravity, out):
    """out (n,): velocities after the forces, with C for the mean of qd and `moved`."""
    for k in range(m.mean.shape[0]):
        m.mean[k] = 0.5 * (m.qd[k] + m.moved[k])
    for i in range(m.turns.shape[0]):
        for k in range(m.turns.shape[1]):
            m.mean[m.turns[i, k]] = 0.0
    _follow(calls, m.links, bodies, m.states, m.mean)
    _accelerations(calls, m.links, bodies, m.states, gravity, m.forces, m.none, out)
    for k in range(out.shape[0]):
        out[k] = m.qd[k] + m.kick[k] * out[k]


@routine
def _settle(calls, m, bodies, gravity):
    """Further rounds, while they change more than SETTLED."""
    for _ in range(MAX_ROUNDS):
        _free(calls, m, bodies, gravity, m.again)
        largest = 0.0
        for k in range(m.again.shape[0]):
            largest = max(largest, abs(m.again[k] - m.moved[k]))
        if largest <= SETTLED:
            return
        for k in range(m.again.shape[0]):
            m.moved[k] += m.again[k] - m.moved[k]


@routine
def _move(calls, m, bodies, joints, gravity, dt):
    """Poses and velocities at the end; `moved` are then those of tops there, too. The joints' impulses."""
    links, index = m.links, m.system.layout.joints
    for n in range(index.shape[0]):
        joints[index[n]].residual[:] = 0.0
    joint_rows.clear_impulses(joints, index)
    for i in range(m.system.rows.shape[0]):
        m.system.rows[i].impulse = 0.0
    _advance(calls, links, m.moved, dt, m.q)
    _drift(calls, links, bodies, m.states, dt, m.q, m.moved)
    _place(calls, links, m.q, bodies)
    _begin(calls, links, bodies, m.states, m.mean)
    _follow(calls, links, bodies, m.states, m.moved)
    _set_velocities(calls, links, m.states, bodies)
    for i in range(bodies.shape[0]):
        if bodies[i].kind == _DYNAMIC or bodies[i].kind == _KINEMATIC:
            bodies[i].velocity_lag = 0.5 * dt
    _lag_velocities(calls, links, bodies, m.states)
    _conserve_momentum(calls, links, bodies, m.before, gravity, dt, True, m.pushes)
    _write_reactions(calls, links, bodies, m.before, gravity, dt, m.pushes, joints)
    _write_constraint_impulses(calls, joints, m.system.layout.pieces, m.held, m.system.rows)
    for i in range(bodies.shape[0]):
        for k in range(3):
            bodies[i].force[k] = bodies[i].torque[k] = 0.0
