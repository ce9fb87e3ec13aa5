"""Sweeps until convergence: joints together (direct_joint_solver.py), other blocks of joints one by one, contacts four by four.
"""

import math
from typing import NamedTuple

import numpy as np

from physics.constraints.contact_batches import ContactBatches
from physics.constraints.joint_system import JointSystem
from physics.core import clock, stack
from physics.core.jit import inline, routine
from physics.dynamics import direct_joint_solver
from physics.solvers.impulses import contact_sweeps, reduced_problem, reduced_sweeps
from physics.solvers.impulses.reduced_problem import SMALL
from physics.solvers.impulses.row_sweeps import solve_block

CONVERGED, AT_LIMIT, OUT_OF_BUDGET, SLOW, STALLED, IN_VAIN = 0, 1, 2, 3, 4, 5
"""Ends of sweeps: converged, as many as allowed, out of wall-clock budget; more would gain little, or nothing; none did."""


ENOUGH = 1e-7
"""Tolerance of the sweeps of larger problems [m/s]: half a nanometre in a substep."""

FIRST_LOOK = 5
"""Sweeps of a larger problem after which their gain is measured for the first time; then whenever their number has doubled."""

WORTHWHILE, NOTHING = 0.1, 0.7
"""Sweeps are slow if doubling their number left more than the first share of |d|^2, d the change by one sweep, stalled if at
first it left more than the second, and in vain if that is left of the first sweep's. Tall stacks bend like beams: of their
slowest error a sweep removes 1 / n^4. In a heap of balls that still moves, errors go slowly, too, but the first sweep was
worth it."""

AT_REST = 1e-3
"""Stalled sweeps that change no velocity by more than this are in vain, too: shorter substeps calm what hardly moves [m/s]."""

VISIBLE = 0.02
"""Larger changes of a velocity by a sweep than this are not left to the next step, however slow the sweeps are [m/s]."""

SLIGHT, MANY_STUCK = 1e-5, 4
"""Larger changes are not left where sweeps in joint space get stuck [m/s], unless so many of them in a row do. Sticking contacts
of one foot may ask for velocities that no rigid body has, by some um/s: then their impulses drift until one of them slides."""

MIN_JOINT_SWEEPS = 8
"""Sweeps of joints before the budget may end them: a half-solved mechanism comes apart, and gains energy when pulled together."""

FIRST_REDUCED, DENSE_REDUCED, FAST = 8, 8, 0.3
"""Sweeps of mechanisms, or of few free bodies, after which those in joint space (reduced_sweeps.py) may begin, if those since
half as many left more than this share of the change, and at first more than ENOUGH; else whenever their number has doubled. Where
they ran before in this substep, where mechanisms clamp something, and for closed loops that touch nothing, they begin after the
first one. They run again after each of so many sweeps (the second number) from there on, and then whenever their number has
doubled."""

_work = stack.scratch(12)


class SweepSettings(NamedTuple):
    """polygon: of the friction cone; tolerance: largest change of a velocity in the last sweep [m/s]; radial: whether slipping
    joints scale their impulse (MS16 eq 16); acceleration: whether contact impulses are extrapolated between sweeps; early_stop:
    whether the sweeps of many contacts end where they gain little."""

    polygon: np.ndarray
    tolerance: float
    radial: bool
    acceleration: bool
    early_stop: bool


class VelocityProblem(NamedTuple):
    """Velocities that satisfy all constraints, over a substep or in an impact. contacts: CONTACT, as found; system, patches: the
    constraints as the sweeps read them; start, velocity (bodies, 6): before it, and those that the sweeps change [m/s, rad/s];
    before: `start` as it would be half a drift before the poses (integrate.velocities_before), from which rebounds and their
    work count; marks: of what has changed since it was last solved."""

    contacts: np.ndarray
    system: JointSystem
    patches: ContactBatches
    start: np.ndarray
    before: np.ndarray
    velocity: np.ndarray
    marks: contact_sweeps.ChangeTracker
    settings: SweepSettings


@routine
def iterate(problem, limit, budget):
    """Sweep until converged, at the limit, out of wall-clock budget [s] (0: no limit), or until more sweeps would gain little.

    Returns (sweeps, how they ended, largest ||dp|| / rate in the last sweep [m/s]).
    """
    system = problem.system
    direct_joint_solver.begin(system.rows, system.blocks, system.factors)
    return sweep(problem, limit, budget)


@routine
def sweep(problem, limit, budget):
    """The sweeps of `iterate`, with given factors."""
    blocks, factors = problem.system.blocks, problem.system.factors
    patches, velocity, marks, settings = problem.patches, problem.velocity, problem.marks, problem.settings
    begin = clock.now()
    change, before, first = 0.0, 0.0, 0.0
    large = settings.early_stop and blocks.shape[0] == 0 and problem.contacts.shape[0] > SMALL
    polygon, tolerance = settings.polygon, max(settings.tolerance, ENOUGH) if large else settings.tolerance
    mechanisms = factors.blocks.shape[0] > 0 and (
        patches.first.shape[0] > 0 or problem.system.layout.limits > 0 or factors.loops.any())
    reducible = mechanisms or 0 < problem.contacts.shape[0] <= SMALL
    look, at_half, stuck = FIRST_LOOK if large else limit + 1, math.inf, 0
    in_groups = problem.system.layout.body_group
    clamps = mechanisms and problem.contacts.shape[0] <= SMALL and reduced_problem.clamps(patches, in_groups, -1)
    at_once = clamps or factors.barred.any() or (patches.first.shape[0] == 0 and factors.loops.any())
    began, half = 1 if reducible and at_once else 0, math.inf
    given = _impulses(problem, reducible)
    contact_sweeps.reset(marks)
    exact = patches.first.shape[0] == 0 and factors.blocks.shape[0] == blocks.shape[0]
    enough = 1 if factors.bounded.shape[0] == 0 and not factors.loops.any() else 2
    least = MIN_JOINT_SWEEPS if blocks.shape[0] > 0 else 1
    for count in range(1, limit + 1):
        largest, changed = sweep_joints(problem)
        worst, total = contact_sweeps.sweep(patches, velocity, polygon, tolerance, marks)
        largest = max(largest, worst)
        change = math.sqrt(largest)
        if change <= tolerance and not changed:
            return count, CONVERGED, change
        if exact and count == enough:
            return count, CONVERGED, change if enough > 1 else 0.0      # a single solution leaves nothing to change
        if stuck > 0 and change < (SLIGHT if stuck < MANY_STUCK else AT_REST) and settings.early_stop:
            return count, SLOW, change
        if budget > 0.0 and count >= least and clock.now() - begin >= budget:
            return count, OUT_OF_BUDGET, change
        if count == 1:
            first = total
        if count == look:
            if total > WORTHWHILE * at_half and change < VISIBLE:
                if count == 2 * FIRST_LOOK and total > NOTHING * at_half:
                    return count, IN_VAIN if total > NOTHING * first or change < AT_REST else STALLED, change
                return count, SLOW, change
            look, at_half = 2 * look, total
        update_factors(problem.system, count, changed)
        if reducible and began == 0 and 2 * count >= FIRST_REDUCED and _is_power_of_two(count):
            began = count if change > FAST * half and (change > ENOUGH or count > FIRST_REDUCED) else 0
            half = change
        if began > 0 and count < limit and ((mechanisms and count <= began + DENSE_REDUCED) or _is_power_of_two(count)):
            is_stuck, relaxed = reduced_sweeps.relax_mechanisms(problem, given, count == began, stuck > 0)
            if relaxed:
                stuck = stuck + 1 if is_stuck else 0
                contact_sweeps.reset(marks)
                before = 0.0
                if mechanisms and settings.early_stop and patches.first.shape[0] > 0:
                    tolerance = max(tolerance, ENOUGH)
                continue
        if settings.acceleration and count < limit:
            contact_sweeps.extrapolate(patches, velocity, min(1.0, total / before) if 0.0 < total <= before else 0.0, marks)
            before = total
    return limit, AT_LIMIT, change


@routine
def _impulses(problem, wanted):
    """Copy the impulses of a problem, if wanted."""
    if not wanted:
        return reduced_sweeps.Given(np.empty(0), np.empty((0, 3, 4)))
    rows = np.empty(problem.system.rows.shape[0])
    for i in range(rows.shape[0]):
        rows[i] = problem.system.rows[i].impulse
    return reduced_sweeps.Given(rows, contact_sweeps.impulses_of(problem.patches))


@inline
def _is_power_of_two(count):
    return count & (count - 1) == 0


@routine
def sweep_joints(problem):
    """One sweep over the joints: those solved together, then the other blocks one by one.

    Returns the square of the largest ||dp|| / rate [m/s], and whether sticking friction has begun to slip.
    """
    rows, blocks, factors = problem.system.rows, problem.system.blocks, problem.system.factors
    velocity, marks, settings = problem.velocity, problem.marks, problem.settings
    work, tolerance = _work(), settings.tolerance
    largest, changed = solve_joints_directly(rows, blocks, factors, velocity, tolerance, marks)
    for k in range(blocks.shape[0]):
        if factors.together[k]:
            continue
        block = blocks[k]
        va, vb = velocity[block.a], velocity[block.b]
        size = solve_block(block, rows, problem.system.inverses, va, vb, settings.polygon, work, settings.radial, 0.0, 1.0)
        size /= block.gradient_step * block.gradient_step
        if size > tolerance * tolerance:
            contact_sweeps.note_block(block, marks)
        largest = max(largest, size)
    return largest, changed


@routine
def update_factors(system, count, changed):
    """After that many sweeps: friction inside its bound sticks; new factors if that, or a release (`changed`), needs them."""
    if count < direct_joint_solver.MAX_RESTICK_SWEEPS:
        changed |= direct_joint_solver.restick(system.blocks, system.factors)
    if changed:
        direct_joint_solver.factor(system.rows, system.blocks, system.factors)


@routine
def solve_joints_directly(rows, blocks, factors, velocity, tolerance, marks):
    """Solve all joints at once, if the factors are for that.

    Returns the square of the largest velocity error before [m/s], and whether sticking friction has begun to slip.
    """
    if factors.blocks.shape[0] == 0:
        return 0.0, False
    largest = direct_joint_solver.solve_with_limits(rows, blocks, factors, velocity, tolerance)
    slips = direct_joint_solver.release(rows, blocks, factors, velocity)
    if slips or largest > tolerance * tolerance:
        for k in range(factors.blocks.shape[0]):
            contact_sweeps.note_block(blocks[factors.blocks[k]], marks)
    return largest, slips
