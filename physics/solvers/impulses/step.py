"""Sequential impulses: the verbs of a substep (substeps.py), each substep swept until its velocities satisfy all constraints."""

import math
from typing import Any, NamedTuple

import numpy as np

from physics.constraints import contact_batches, joint_system
from physics.contact.mixing import kinetic_shares
from physics.core import clock
from physics.core.dense import assign
from physics.core.jit import kernel, routine
from physics.dynamics import direct_joint_solver, integrate
from physics.dynamics.stiffness import (
    DAMPED_ABOVE,
    FORCE_GROWTH,
    RESOLVED_ANGLE,
    Pace,
    damp_unresolved,
    hold,
    inertia_rate,
    swing_frequency,
    turn_rate,
)
from physics.observe.report import BUDGET_SPENT
from physics.solvers.impulses import contact_sweeps, energy_limit, few_bodies, substeps
from physics.solvers.impulses.break_away import break_loose
from physics.solvers.impulses.close_joints import close_joints, lead_to_closed, presses, push_apart, set_push_targets, strays
from physics.solvers.impulses.iterate import CONVERGED, FIRST_REDUCED, IN_VAIN, STALLED, SweepSettings, iterate
from physics.solvers.impulses.iterate import sweep as sweep_on
from physics.solvers.impulses.substep_count import (
    MAX_SUBSTEP_LENGTH,
    STALLED_SUBSTEP,
    bounds,
    halved,
    has_force_jump,
    number_of,
    substeps_for_load,
)

_FEW = 4
"""Least number of sweeps of a position pass. Otherwise it has as many as the velocities had, so the budget bounds it, too, and a
replay needs only the velocities' sweeps."""

TOUCHING_GAP = 1e-3
"""Gap up to which bodies count as touching where a load builds up [m]."""

END_NAMES = ("converged", "iteration limit", BUDGET_SPENT, "slow", "slow", "slow")


class Work(NamedTuple):
    """push (bodies, 6): pseudo-velocities of a position pass [m/s, rad/s]; velocity, impulses: before a round of closing;
    squares, stiffness: scratch of stiffness.py; ramps, contacts, points, extended: how far the errors of joints had faded before
    the substep, and contacts and their patches then, for one that may be repeated; shares: of `mixing.kinetic_shares`; bounces:
    whether something may rebound."""

    push: np.ndarray
    velocity: np.ndarray
    impulses: np.ndarray
    squares: np.ndarray
    stiffness: np.ndarray
    ramps: np.ndarray
    contacts: np.ndarray
    points: np.ndarray
    extended: np.ndarray
    shares: np.ndarray
    bounces: bool


class ImpulseSettings(NamedTuple):
    """options: those that are numbers; sweeps: of the velocities; dt, last_dt: this step and the last [s]; impulse_duration: of
    the forces of the last impulses [s]; stalled: whether sweeps of the last step gained nothing; pace: of its substeps; substeps:
    their number, 0: automatic; budget: wall time for the sweeps of all substeps [s], 0: no limit;
    stop_at_substep, stop_at_sweep: the step ends in that substep (1 ..) after so many sweeps, -1: at its start; stop_at_substep =
    0: it does not."""

    options: Any
    sweeps: SweepSettings
    dt: float
    last_dt: float
    impulse_duration: float
    stalled: bool
    pace: Pace
    substeps: int
    budget: float
    stop_at_substep: int
    stop_at_sweep: int


AFTER_SET = 0.51
"""A kick shorter than this share of its substep began without a lag of velocities."""


@kernel
def run_step(bodies, contacts, joints, system, surfaces, gravity, settings, columns):
    """Run a whole step; returns the fields of `substeps.Result`. surfaces: SHAPE, MATERIAL, and PAIR of the materials; columns:
    of the energy ledger."""
    n = bodies.shape[0]
    if n >= few_bodies.MANY and columns.shape[0] == 0 and system.layout.joints.shape[0] == 0:
        place = np.empty(n, np.int32)
        count = few_bodies.number(bodies, contacts, place)
        if count < few_bodies.FEW * n:
            few = few_bodies.gather(bodies, contacts, place, count)
            result = _run_all(few, contacts, joints, system, surfaces, gravity, settings, columns)
            few_bodies.scatter(few, place, bodies, contacts)
            return result
    return _run_all(bodies, contacts, joints, system, surfaces, gravity, settings, columns)


@routine
def _run_all(bodies, contacts, joints, system, surfaces, gravity, settings, columns):
    """`run_step` of all bodies of the table."""
    n, (shapes, materials, pairs) = bodies.shape[0], surfaces
    sweeps = settings.sweeps
    sweeps = SweepSettings(sweeps.polygon, sweeps.tolerance, sweeps.radial, sweeps.acceleration,
                           sweeps.early_stop and (system.blocks.shape[0] > 0 or bear_load(contacts)))
    problem = substeps.set_up(bodies, contacts, system, pairs, settings, sweeps)
    count, patches = contacts.shape[0] if system.layout.joints.shape[0] > 0 else 0, problem.patches
    work = Work(np.zeros((n, 6)), np.empty((n, 6)), np.empty(system.rows.shape[0]), np.empty((n, 3)), np.empty((n, 3, 3)),
                np.empty(system.layout.joints.shape[0]), contacts[:count].copy(), patches.points[:count].copy(),
                patches.extended[:count].copy(), kinetic_shares(contacts, shapes, materials, pairs),
                any_restitution(contacts, joints))
    step = substeps.Step(bodies, joints, gravity, problem, substeps.room(bodies, columns), settings, work, columns,
                         np.zeros(1, substeps.PROGRESS))
    divide(step)
    run_substeps(step)
    return substeps.result(step)


@routine
def bear_load(contacts):
    """True if most of those that touch pressed in the last step: a load that builds up from nothing needs all sweeps."""
    pressed, touching = 0, 0
    for i in range(contacts.shape[0]):
        pressed += contacts[i].impulse > 0.0
        touching += contacts[i].impulse > 0.0 or contacts[i].gap <= TOUCHING_GAP
    return 2 * pressed > touching


@routine
def any_restitution(contacts, joints):
    """True if a contact or a joint's limit may rebound."""
    found = False
    for i in range(contacts.shape[0]):
        found = found or contacts[i].restitution > 0.0
    for j in range(joints.shape[0]):
        found = found or (joints[j].kind >= 0 and joints[j].limit_restitution > 0.0)
    return found


@routine
def divide(step):
    """Divide the step into substeps, for light bodies under heavy ones and where the sweeps of the last step gained nothing."""
    progress, settings = step.progress[0], step.settings
    load = substeps_for_load(step.problem.contacts, step.bodies, step.gravity, settings.last_dt,
                             step.problem.system.layout.joints.shape[0] > 0)
    progress.longest, progress.shortest = bounds(settings, load)
    progress.held, progress.wanted, progress.calm = settings.pace
    if settings.stalled and settings.substeps == 0:
        progress.longest = halved(progress.longest, STALLED_SUBSTEP, progress.shortest)
    progress.left = number_of(settings.dt, progress.longest)
    progress.taken = settings.dt / progress.left
    progress.duration, progress.length = settings.impulse_duration, 2.0 * integrate.max_velocity_lag(step.bodies)


# ---- verbs


@routine
def choose_substep(step):
    """As long as the swing of loaded joints and the budget allow.

    Reactions to a kick that began with velocities just set, or with an impact, are no lasting forces: no swing is damped after
    it.
    """
    bodies, joints, settings, progress = step.bodies, step.joints, step.settings, step.progress[0]
    index, squares, dt = step.problem.system.layout.joints, step.work.squares, settings.dt
    frozen, has_joints = substeps.is_frozen(step), index.shape[0] > 0
    swing = swing_frequency(joints, index, bodies, progress.duration, squares) if has_joints else 0.0
    turning = max(turn_rate(joints, index, bodies), inertia_rate(joints, index, bodies, progress.duration)) if has_joints else 0.0
    rate = FORCE_GROWTH * max(swing, turning)
    resolved = RESOLVED_ANGLE / rate if rate > 0.0 else math.inf
    if has_joints and settings.substeps == 0 and not step.problem.system.in_contact.any():
        pace = Pace(progress.held, progress.wanted, progress.calm)
        progress.held, progress.wanted, progress.calm = hold(resolved, pace, MAX_SUBSTEP_LENGTH)
        resolved = progress.held if progress.held > 0.0 else math.inf
    longest = max(min(progress.longest, resolved), progress.shortest)
    if longest < progress.taken:
        left = progress.left * progress.taken
        progress.left = number_of(left, longest)
        progress.taken = left / progress.left
    h, last_duration = progress.taken, progress.duration
    if last_duration < AFTER_SET * progress.length:
        swing = 0.0
    progress.duration = 0.5 * (progress.length + h)
    for n in range(index.shape[0]):
        step.work.ramps[n] = joints[index[n]].ramp
    allowed = 0.0
    if settings.budget > 0.0:
        allowed = max(1e-9, (settings.budget - (clock.now() - progress.began)) / progress.left)
    return substeps.Substep(h, progress.duration / last_duration, progress.length if progress.count > 0 else 0.0,
                            progress.elapsed, (progress.elapsed + 0.5 * h) / dt, swing,
                            settings.stop_at_sweep if frozen else settings.options.iterations, allowed, frozen,
                            frozen or progress.left == 1)


@routine
def prepare(step, substep):
    """Rows of the joints, damped where no substep resolves them; targets of the contacts."""
    bodies, joints, problem, work, progress = step.bodies, step.joints, step.problem, step.work, step.progress[0]
    system, h = problem.system, substep.h
    progress.undoable = 0
    if system.layout.joints.shape[0] > 0:
        if h * substep.swing_rate > DAMPED_ABOVE:
            damp_unresolved(joints, system.layout.joints, bodies, h / substep.share, h, work.squares, work.stiffness,
                            problem.velocity)
        joint_system.build(joints, system, bodies, h, substep.share, True)
        joint_system.extrapolate_targets(joints, system, h, progress.length)
        if not presses(system, problem.patches):
            _copy(problem.contacts, problem.patches.points, problem.patches.extended, work.contacts, work.points, work.extended)
            progress.undoable = 1
    contact_batches.write_masses(bodies, problem.patches.mass)
    contact_sweeps.set_targets(problem, bodies, work.push, progress.pushed != 0, h, step.settings.options.restitution_threshold,
                               substep.previous, substep.elapsed)


@routine
def sweep(step, substep):
    """Sweep until converged; what no static friction holds slides, impacts gain no energy, and the velocities lead to closed
    joints."""
    progress, problem = step.progress[0], step.problem
    began = clock.now()
    progress.done, progress.end, progress.change = iterate(problem, substep.sweeps, substep.allowed)
    if progress.end >= STALLED:
        _gain_by_substeps(step, substep, began)
    # a run that the clock ended is repeated with that many sweeps before what follows
    if step.work.shares.shape[0] > 0 and not substep.frozen:
        more, end = break_loose(problem, step.work.shares, substep.sweeps, progress.change)
        if progress.end == CONVERGED:
            progress.done, progress.end = progress.done + more, end
    if step.work.bounces and substep.sweeps > 0:
        more = energy_limit.limit_energy(problem, substep.h, energy_limit.nothing())
        progress.done += more if progress.end == CONVERGED else 0
    progress.closed = progress.strays = 0
    if problem.system.layout.joints.shape[0] > 0 and not substep.frozen:
        lead_to_closed(step, substep)


@routine
def _gain_by_substeps(step, substep, began):
    """Where all sweeps were in vain: let shorter substeps follow, in the next step, too. Where they gain nothing at the end of a
    step of long substeps, all that is left are more sweeps."""
    progress, settings = step.progress[0], step.settings
    if progress.end == IN_VAIN:
        progress.stalled = 1
    if substep.h <= STALLED_SUBSTEP:
        return
    if settings.substeps == 0 and progress.left > 1:
        if progress.end == IN_VAIN:
            progress.longest = halved(progress.longest, STALLED_SUBSTEP, progress.shortest)
        return
    while progress.end >= STALLED and progress.done < substep.sweeps:
        allowed = max(1e-9, substep.allowed - (clock.now() - began)) if substep.allowed > 0.0 else 0.0
        more, progress.end, progress.change = sweep_on(step.problem, substep.sweeps - progress.done, allowed)
        progress.done += more


@routine
def must_repeat(step, substep):
    """True if the substep does not resolve the swing by its own impulses, or does not lead to closed joints; the fading of joint
    errors is undone, and what the substep did to the contacts. Not where a mechanism presses on one, which its forces follow."""
    problem, progress, joints, work = step.problem, step.progress[0], step.joints, step.work
    if progress.undoable == 0 or progress.taken <= progress.shortest or presses(problem.system, problem.patches):
        return False
    if strays(step):
        progress.longest = max(0.5 * progress.taken, progress.shortest)
    elif not has_force_jump(joints, problem.system, problem.velocity, step.bodies, substep.h, progress.duration, work.squares):
        return False
    index = problem.system.layout.joints
    for n in range(index.shape[0]):
        joints[index[n]].ramp = work.ramps[n]
    _copy(work.contacts, work.points, work.extended, problem.contacts, problem.patches.points, problem.patches.extended)
    return True


@routine
def _copy(contacts, points, extended, to_contacts, to_points, to_extended):
    """Copy contacts and what the substeps change of their patches."""
    for i in range(contacts.shape[0]):
        to_contacts[i] = contacts[i]
    assign(to_points, points)
    for k in range(extended.shape[0]):
        to_extended[k] = extended[k]


@routine
def integrate_positions(step, substep):
    """Drift; bodies of a frozen substep get its velocities alone."""
    if substep.frozen:
        integrate.set_velocities(step.bodies, step.problem.velocity)
        return
    began = clock.now()
    integrate.positions(step.bodies, step.problem.velocity, substep.h, step.settings.options.gyroscopic)
    substeps.add_time(step, began)


@routine
def correct_positions(step, substep):
    """Push overlapping bodies apart, then close the joints."""
    problem, progress, options, push, h = step.problem, step.progress[0], step.settings.options, step.work.push, substep.h
    system, patches, marks = problem.system, problem.patches, problem.marks
    push[:] = 0.0
    most = position_sweeps(progress.done, options.position_iterations, system.blocks.shape[0] > 0)
    pushed = contact_sweeps.push_targets(patches, problem.velocity, h, substep.elapsed, options.position_correction_rate,
                                         options.slop, options.max_correction_speed)
    progress.pushed = 1 if pushed else 0
    if pushed:
        set_push_targets(system.rows, system.blocks)
        if direct_joint_solver.release_all(system.factors):
            direct_joint_solver.factor(system.rows, system.blocks, system.factors)
        progress.pushes += push_apart(system, patches, push, most, marks)
        integrate.shift_poses(step.bodies, push, h, options.gyroscopic)
    if system.layout.joints.shape[0] > 0 and (pushed or progress.closed == 0):
        began = clock.now()
        close_joints(step.bodies, step.joints, system, push, h, most, marks, options.gyroscopic)
        substeps.add_time(step, began)


@routine
def position_sweeps(sweeps, limit, has_joints):
    """Most sweeps of a position pass after that many of the velocities; has_joints: those in joint space were worth many more."""
    return limit if has_joints and sweeps > FIRST_REDUCED else min(max(_FEW, sweeps), limit)


run_substeps = substeps.bind(__name__, substeps.Verbs(
    choose_substep, prepare, sweep, must_repeat, integrate_positions, relax=substeps.nothing, restitution=substeps.nothing,
    correct_positions=correct_positions))
