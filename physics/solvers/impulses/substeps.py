"""The substeps of a step, once for all solvers that sweep: one loop of verbs, which a solver's module binds to its own.

    choose_substep        its length and its sweeps; the microscope may end the step here                    the solver's
    apply_forces          V <- V + M^-1 p_ext                                            (MS16 eq 10)
    prepare               rows and batches of the constraints, their targets                                 the solver's
    warm_start            V <- V + sum M^-1 J^T p, the last impulses
    sweep                 impulses that satisfy the constraints                          (eq 15 - 17)        the solver's
    must_repeat           whether this was too long and is undone: nothing has moved yet                     the solver's
    integrate_positions   X <- X + h V                                                   (eq 11)             the solver's
    relax                 removes from V what only corrected errors of X                                     the solver's
    enter_energy          the ledger: work of all impulses of the substep
    restitution           rebounds that wait for the end of the step                                         the solver's
    store_joints          impulses of the joints, and in the last substep their residuals
    correct_positions     removes overlaps and the joints' errors from X alone                               the solver's
    store_contacts        in the last substep, with their residuals

A verb takes the step in progress and the substep, and writes what it found into `step.progress`. Whatever a solver does not do is
`nothing`. The wall time of the integration is measured by the verbs that integrate (`add_time`); a step that the microscope ends
within a substep (`Substep.frozen`) holds the impulses of that substep alone.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from physics.constraints import contact_batches, joint_system
from physics.core import clock
from physics.core.jit import inline, routine
from physics.core.records import record
from physics.core.row import apply
from physics.dynamics import integrate, kinematic_velocity, measure
from physics.solvers.impulses import contact_sweeps, energy_columns
from physics.solvers.impulses.iterate import OUT_OF_BUDGET, VelocityProblem

PROGRESS = record([
    ("left", "i8"),                  # substeps that are left, if none is divided
    ("shortest", "f8"),              # length of a substep [s]
    ("longest", "f8"),               # length of a substep [s]
    ("taken", "f8"),                 # length of those left [s]
    ("elapsed", "f8"),               # in the step [s]
    ("count", "i8"),                 # substeps done
    ("held", "f8"),                  # and the next two: Pace of dynamics/stiffness.py
    ("wanted", "f8"),
    ("calm", "i8"),
    ("began", "f8"),                 # wall time at the start of the first substep [s]
    ("length", "f8"),                # of the last substep; at first twice the lag of the velocities [s]
    ("duration", "f8"),              # of the forces of the last kick [s]
    ("sweeps", "i8"),                # of all substeps
    ("done", "i8"),                  # of this substep
    ("end", "i8"),                   # how its sweeps ended (iterate.py)
    ("late", "i8"),                  # 1: some sweeps ended by the clock
    ("stalled", "i8"),               # 1: some sweeps gained nothing (iterate.py)
    ("change", "f8"),                # largest change of a velocity in the last sweep [m/s]
    ("residual", "f8"),              # [m/s]
    ("pushes", "i8"),                # sweeps of position passes
    ("pushed", "i8"),                # 1: the last substep separated bodies
    ("closed", "i8"),                # 1: the velocities of this substep lead to closed joints
    ("strays", "i8"),                # 1: they do not lead there, or the rows alone would not by far
    ("undoable", "i8"),              # 1: this substep may be repeated
    ("moving", "i8"),                # 1: velocities of kinematic bodies change within the step
    ("swing", "f8"),                 # largest swing of loaded joints in a substep [rad]
    ("integrating", "f8"),           # wall time of the integration [s]
])


class Motion(NamedTuple):
    """given (bodies, 6): velocities at the start of the step [m/s, rad/s]; pos (bodies, 3), orientation (bodies, 4): poses at the
    start of a substep; kicks (bodies,): duration of the forces on each body in it [s], or empty."""

    given: np.ndarray
    pos: np.ndarray
    orientation: np.ndarray
    kicks: np.ndarray


class Step(NamedTuple):
    """A step in progress. bodies, joints: tables; gravity [m/s^2]; problem: of the velocities; settings: of the solver, with
    `options`, `last_dt`, `stop_at_substep` and `stop_at_sweep`; work: arrays of the solver's own verbs; columns: of
    physics/dynamics/energy_ledger.py, empty: none are asked for; progress: PROGRESS (1,)."""

    bodies: np.ndarray
    joints: np.ndarray
    gravity: np.ndarray
    problem: VelocityProblem
    motion: Motion
    settings: Any
    work: Any
    columns: np.ndarray
    progress: np.ndarray


class Substep(NamedTuple):
    """h: length [s]; share: duration of its forces over that of the last; previous: length of the one before [s], 0: it is the
    first; elapsed: since contacts were found [s]; middle: of it, as a fraction of the step; swing_rate: of loaded joints
    [rad/s]; sweeps: most, -1: the step ends before its first force; allowed: wall time for them [s], 0: no limit; frozen: the
    step ends in it, before the bodies have its velocities; last: no other follows."""

    h: float
    share: float
    previous: float
    elapsed: float
    middle: float
    swing_rate: float
    sweeps: int
    allowed: float
    frozen: bool
    last: bool


class Result(NamedTuple):
    """Results of a step: sweeps, how the last substep ended, its last change and residual [m/s], sweeps of the push, wall time of
    the integration [s], the deepest overlap [m], the joints' largest error [m] or [rad], substeps, the largest swing of loaded
    joints in one [rad], 1 if the sweeps of one gained nothing, and the fields of Pace."""

    sweeps: int
    end: int
    change: float
    residual: float
    pushes: int
    integrating: float
    penetration: float
    joint_error: float
    parts: int
    swing: float
    stalled: int
    held: float
    wanted: float
    calm: int


class Verbs(NamedTuple):
    """What a solver does in a substep: routines that take (step, substep), the first one the step alone."""

    choose_substep: Callable
    prepare: Callable
    sweep: Callable
    must_repeat: Callable
    integrate_positions: Callable
    relax: Callable
    restitution: Callable
    correct_positions: Callable


@routine
def nothing(step, substep):
    """A verb that a solver does not need."""


@routine
def never(step, substep):
    """No substep is repeated."""
    return False


verbs = Verbs(nothing, nothing, nothing, never, nothing, nothing, nothing, nothing)


def _run_substeps(step):
    """Run all substeps of a step."""
    _begin(step)
    while step.progress[0].left > 0:
        substep = verbs.choose_substep(step)
        if substep.sweeps < 0:
            break
        if substep.frozen:
            joint_system.clear_sums(step.problem.system)
        apply_forces(step, substep)
        verbs.prepare(step, substep)
        warm_start(step, substep)
        verbs.sweep(step, substep)
        if verbs.must_repeat(step, substep):
            continue
        _count(step, substep)
        verbs.integrate_positions(step, substep)
        verbs.relax(step, substep)
        enter_energy(step, substep)
        verbs.restitution(step, substep)
        store_joints(step, substep)
        if not substep.frozen:
            verbs.correct_positions(step, substep)
        if substep.last:
            store_contacts(step, substep)
            break
    _end(step)


def bind(module: str, chosen: Verbs) -> Callable:
    """The loop with the verbs of a solver: a routine `run_substeps` of that module.

    It is the same code over other globals, so that the compiler knows the verbs: they are called directly, and the cache of
    compiled code finds the routine by its name. A loop that got functions as arguments could not be cached.
    """
    loop = FunctionType(_run_substeps.__code__, {**globals(), "verbs": chosen}, "run_substeps")
    loop.__module__, loop.__qualname__, loop.__doc__ = module, "run_substeps", _run_substeps.__doc__
    return routine(loop)


# ---- before the first substep, after the last one


@routine
def set_up(bodies, contacts, system, pairs, settings, sweeps):
    """The velocity problem of a step; pairs: of materials, see `contact_batches.build`; sweeps: SweepSettings."""
    n = bodies.shape[0]
    integrate.inertias(bodies)
    patches = contact_batches.build(contacts, bodies, pairs, settings.last_dt, settings.options.gyroscopic)
    return VelocityProblem(contacts, system, patches, np.empty((n, 6)), np.empty((n, 6)), np.empty((n, 6)),
                           contact_sweeps.marks(n, patches.first.shape[0]), sweeps)


@routine
def room(bodies, columns):
    """Allocate the motion of a step."""
    n = bodies.shape[0]
    return Motion(np.empty((n, 6)), np.empty((n, 3)), np.empty((n, 4)), energy_columns.room(bodies, columns))


@routine
def _begin(step):
    """Clear what the substeps add up, and keep the velocities at the start."""
    bodies, system, progress = step.bodies, step.problem.system, step.progress[0]
    energy_columns.open(bodies, step.gravity, step.columns)
    progress.began = clock.now()
    if system.layout.joints.shape[0] > 0:
        joint_system.mark_contacts(system, step.problem.contacts)
        joint_system.clear_sums(system)
    measure.clear_residuals(step.problem.contacts, step.joints, system.layout.joints)
    integrate.read(bodies, step.motion.given)
    progress.moving = 1 if kinematic_velocity.has_ramp(bodies, step.motion.given) else 0


@inline
def _count(step, substep):
    """Count a substep that is not repeated."""
    progress = step.progress[0]
    progress.left -= 1
    progress.count += 1
    progress.elapsed += substep.h
    progress.length = substep.h
    progress.swing = max(progress.swing, substep.h * substep.swing_rate)
    progress.sweeps += progress.done
    if progress.end == OUT_OF_BUDGET:
        progress.late = 1


@routine
def _end(step):
    """Restore the velocities of kinematic bodies; applied forces have acted."""
    if step.progress[0].moving != 0:
        kinematic_velocity.set_velocity_at(step.bodies, step.motion.given, 0.5)
    energy_columns.close(step.bodies, step.gravity, step.columns)
    integrate.end_applied_forces(step.bodies)


@inline
def result(step):
    """The fields of Result."""
    progress = step.progress[0]
    return (progress.sweeps, OUT_OF_BUDGET if progress.late != 0 else progress.end, progress.change, progress.residual,
            progress.pushes, progress.integrating, measure.penetration(step.problem.contacts), measure.joint_error(step.joints),
            progress.count, progress.swing, progress.stalled, progress.held, progress.wanted, progress.calm)


# ---- verbs that all solvers share


@inline
def is_frozen(step):
    """Whether the step ends in the substep that comes."""
    return step.progress[0].count == step.settings.stop_at_substep - 1


@inline
def add_time(step, began):
    """Add the wall time since `began` [s] to that of the integration."""
    step.progress[0].integrating += clock.now() - began


@routine
def apply_forces(step, substep):
    """Kick: gravity and applied forces; kinematic bodies get their velocities of this substep."""
    bodies, problem = step.bodies, step.problem
    if step.progress[0].moving != 0:
        kinematic_velocity.set_velocity_at(bodies, step.motion.given, substep.middle)
    energy_columns.kicks(bodies, substep.h, step.motion.kicks)
    began = clock.now()
    integrate.velocities(bodies, step.gravity, substep.h, problem.start, problem.velocity)
    integrate.velocities_before(bodies, substep.h, problem.start, problem.velocity, problem.before)
    add_time(step, began)


@routine
def warm_start(step, substep):
    """Start from the last impulses, as long as their forces act now, or from none."""
    problem = step.problem
    share = substep.share if step.settings.options.warm_start else 0.0
    _warm_start_rows(problem.system.rows, problem.system.blocks, problem.velocity, share)
    contact_sweeps.warm_start(problem.patches, problem.velocity, share)


@routine
def _warm_start_rows(rows, blocks, velocity, share):
    """Start the joints from that share of their last impulses."""
    for k in range(blocks.shape[0]):
        block = blocks[k]
        va, vb = velocity[block.a], velocity[block.b]
        for i in range(block.first, block.first + block.count):
            row = rows[i]
            row.impulse *= share
            apply(row, block, va, vb, row.impulse)


@routine
def enter_energy(step, substep):
    """Add the work of the substep's impulses to the ledger, if one is kept."""
    if step.columns.shape[0] > 0:
        energy_columns.enter(step.bodies, step.joints, step.problem, step.motion.kicks, step.gravity, substep.h,
                             step.settings.options.restitution_threshold, step.columns)


@routine
def store_joints(step, substep):
    """Add the substep's impulses to those of the joints; in the last one compute their residuals."""
    joints, problem = step.joints, step.problem
    system = problem.system
    if substep.last:
        step.progress[0].residual = measure.store_residuals(system.rows, system.blocks, problem.velocity,
                                                            problem.settings.polygon, problem.contacts, joints)
    if system.layout.joints.shape[0] > 0:
        joint_system.store(joints, system, problem.velocity)
        joint_system.accumulate(joints, system, substep.last)


@routine
def store_contacts(step, substep):
    """Write impulses, slip and residuals to the contacts."""
    problem, progress = step.problem, step.progress[0]
    if substep.frozen:
        contact_sweeps.use_substep_impulses(problem.patches)
    missed = contact_sweeps.store(problem.patches, problem.velocity, problem.settings.polygon, problem.contacts)
    progress.residual = max(progress.residual, missed)
