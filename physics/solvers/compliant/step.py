"""Compliant contact: the verbs of a substep (impulses/substeps.py). Joints are rigid, as in sequential impulses."""

import math
from typing import NamedTuple

import numpy as np

from physics.constraints import contact_batches, joint_system
from physics.core import clock
from physics.core.jit import kernel, routine
from physics.dynamics import direct_joint_solver, integrate
from physics.solvers.compliant import patch_turns, patches, sliding
from physics.solvers.compliant.springs import Springs
from physics.solvers.impulses import substeps
from physics.solvers.impulses.close_joints import close_joints, lead_to_closed
from physics.solvers.impulses.iterate import CONVERGED, SweepSettings, iterate, sweep_joints, update_factors
from physics.solvers.impulses.step import integrate_positions

_CLOSING_SWEEPS = 20
"""Most sweeps of a round that closes joints."""


class Numbers(NamedTuple):
    """Options that the verbs of all solvers read. restitution_threshold: approach at which joint limits strike [m/s]."""

    iterations: int
    gyroscopic: bool
    warm_start: bool
    restitution_threshold: float


class CompliantSettings(NamedTuple):
    """options; springs: of the contacts; sweeps: of the velocities; h: length of a substep [s]; last_dt: since contacts were last
    found [s]; substeps: their number; ratio: duration of the first kick over that of the last impulses; stop_at_substep,
    stop_at_sweep: the step ends in that substep (1 ..) after so many sweeps, -1: at its start; stop_at_substep = 0: it does
    not."""

    options: Numbers
    springs: Springs
    sweeps: SweepSettings
    h: float
    last_dt: float
    substeps: int
    ratio: float
    stop_at_substep: int
    stop_at_sweep: int


class Work(NamedTuple):
    """push (bodies, 6): pseudo-velocities that close joints [m/s, rad/s]; velocity, impulses: before a round of closing; states:
    of the patches (patches.py); turns: of those that turn (patch_turns.py); laws: of friction (sliding.py)."""

    push: np.ndarray
    velocity: np.ndarray
    impulses: np.ndarray
    states: np.ndarray
    turns: np.ndarray
    laws: np.ndarray


@kernel
def run_step(bodies, contacts, joints, system, surfaces, gravity, settings, columns):
    """Run a whole step; returns the fields of `substeps.Result`. surfaces: SHAPE, MATERIAL, and PAIR of the materials; columns:
    of the energy ledger."""
    n = bodies.shape[0]
    problem = substeps.set_up(bodies, contacts, system, surfaces[2], settings, settings.sweeps)
    work = Work(np.zeros((n, 6)), np.empty((n, 6)), np.empty(system.rows.shape[0]), patches.room(problem.patches),
                patch_turns.begin(contacts, problem.patches), sliding.begin(contacts, surfaces))
    patches.begin(contacts, bodies, problem.patches, work.states)
    step = substeps.Step(bodies, joints, gravity, problem, substeps.room(bodies, columns), settings, work, columns,
                         np.zeros(1, substeps.PROGRESS))
    step.progress[0].left, step.progress[0].length = settings.substeps, 2.0 * integrate.max_velocity_lag(bodies)
    run_substeps(step)
    return substeps.result(step)


# ---- verbs


@routine
def choose_substep(step):
    """All are equally long."""
    settings, progress, frozen = step.settings, step.progress[0], substeps.is_frozen(step)
    h, k = settings.h, progress.count
    return substeps.Substep(h, 1.0 if k > 0 else settings.ratio, h if k > 0 else 0.0, k * h, (k + 0.5) / settings.substeps, 0.0,
                            settings.stop_at_sweep if frozen else settings.options.iterations, 0.0, frozen,
                            frozen or k == settings.substeps - 1)


@routine
def prepare(step, substep):
    """Rows of the joints; patches and gaps of the contacts."""
    problem = step.problem
    if problem.system.layout.joints.shape[0] > 0:
        joint_system.build(step.joints, problem.system, step.bodies, substep.h, substep.share, True)
        joint_system.extrapolate_targets(step.joints, problem.system, substep.h, step.progress[0].length)
    contact_batches.write_masses(step.bodies, problem.patches.mass)
    patches.prepare(step.bodies, problem.patches, step.work.states, problem.start, step.settings.springs, substep)
    sliding.choose(problem.patches, step.work.states, step.work.laws, problem.start, step.settings.springs)
    patch_turns.prepare(problem.patches, step.work.states, step.work.turns, problem.start, substep.h)
    if substep.previous > 0.0:
        contact_batches.prepare(problem.patches)


@routine
def sweep(step, substep):
    """Sweep joints and contacts until converged; without contacts the velocities lead to closed joints."""
    problem, progress = step.problem, step.progress[0]
    system, tolerance = problem.system, problem.settings.tolerance
    progress.closed = 0
    if problem.patches.first.shape[0] == 0:
        progress.done, progress.end, progress.change = iterate(problem, substep.sweeps, 0.0)
        if system.layout.joints.shape[0] > 0 and progress.end == CONVERGED:
            lead_to_closed(step, substep)
        return
    has_joints = system.blocks.shape[0] > 0
    if has_joints:
        direct_joint_solver.begin(system.rows, system.blocks, system.factors)
    progress.done, progress.end, progress.change = 0, 1, 0.0
    for count in range(1, substep.sweeps + 1):
        largest, changed = sweep_joints(problem) if has_joints else (0.0, False)
        largest = max(largest, patches.sweep(problem.patches, step.work.states, problem.velocity, substep.h,
                                             step.settings.springs))
        largest = max(largest, patch_turns.sweep(problem.patches, step.work.turns, problem.velocity, substep.h,
                                                 step.settings.springs))
        progress.done, progress.change = count, math.sqrt(largest)
        if progress.change <= tolerance and not changed:
            progress.end = CONVERGED
            return
        if has_joints:
            update_factors(system, count, changed)


@routine
def finish_patches(step, substep):
    """The patches follow; in the last substep the contacts get their states."""
    problem = step.problem
    patches.finish(problem.contacts, problem.patches, step.work.states, problem.velocity, substep.h, step.settings.springs,
                   step.columns, substep.last)
    patch_turns.finish(problem.contacts, problem.patches, step.work.turns, problem.velocity, substep.h, step.settings.springs,
                       step.columns, substep.last)
    sliding.finish(problem.contacts, problem.patches, step.work.laws, substep.last, substep.frozen)


@routine
def correct_positions(step, substep):
    """Close the joints."""
    problem, progress = step.problem, step.progress[0]
    if problem.system.layout.joints.shape[0] > 0 and progress.closed == 0:
        began = clock.now()
        close_joints(step.bodies, step.joints, problem.system, step.work.push, substep.h, _CLOSING_SWEEPS, problem.marks,
                     step.settings.options.gyroscopic)
        substeps.add_time(step, began)


run_substeps = substeps.bind(__name__, substeps.Verbs(
    choose_substep, prepare, sweep, substeps.never, integrate_positions, relax=substeps.nothing, restitution=finish_patches,
    correct_positions=correct_positions))
