"""Soft steps: many short substeps, one sweep each, with contacts as springs instead of rigid (Box2D 3, "TGS soft").

Contacts are found once. Then n times, with h = dt / n:

    1  V <- V + h M^-1 f                                       external forces
    2  V <- V + sum M^-1 J^T p                                 the last substep's impulses: warm start
    3  one sweep, errors C corrected softly                    eq (1), (2)
    4  X <- X + h V
    5  sweeps without C: removes velocities left by 3          the relaxation, along rows and arms as they are after 4

and finally the rebounds (soft_contacts.py).

A spring with the frequency omega and the damping ratio zeta at a constraint, by implicit Euler (E. Catto, Soft constraints, GDC
2011; Box2D 3, b2MakeSoft); the effective mass of the constraint drops out:

    a1 = 2 zeta + h omega,   a2 = h omega a1
    rate = omega / a1,       scale = a2 / (1 + a2)                                                      (1)
    p' = scale (p - K^-1 (J V - target + rate C)),   K = J M^-1 J^T,   rate |C| <= v*                     (2)

In Catto's words: bias rate, mass scale and impulse scale 1 - scale = 1 / (1 + a2). At rest a load of w times the body's own
weight presses a contact in by about w g / omega^2: twice the frequency, a quarter of the depth. Frequencies above a share of
1 / h are not resolved and are lowered to it; contacts with bodies that do not move are twice as stiff.

Joints of chains and trees are rigid, and solved together (direct_joint_solver.py): only the rate of (1) is used, to remove their
errors. One by one, as springs, they opened by a millimetre under a chain of twenty. Joints of closed loops remain springs, as
their equations need not have one solution. Where bodies with joints land, one sweep over joints and contacts leaves the joints
torn open: then there are more.

The reported residual is the natural map of the relaxed velocities, as for every solver. One sweep does not bring it to zero; the
rest is carried to the next substep.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from physics.constraints import contact_batches, joint_system
from physics.constraints.joint_system import JointSystem
from physics.constraints.layout import WorldLayout
from physics.contact import impact_laws
from physics.contact.friction_cone import polygon
from physics.core import clock, former_names, stack, vec
from physics.core.jit import inline, kernel, routine
from physics.core.options import Described, as_numbers, numbers_type, option
from physics.core.records import ROW, Bound, Kind
from physics.dynamics import direct_joint_solver, energy_ledger, integrate
from physics.observe.report import Report
from physics.solvers import Solver
from physics.solvers.impulses import contact_sweeps, energy_columns, energy_limit, extended_contacts, substeps
from physics.solvers.impulses.impact import strike
from physics.solvers.impulses.iterate import (
    SMALL,
    SweepSettings,
    VelocityProblem,
    iterate,
    solve_joints_directly,
    update_factors,
)
from physics.solvers.impulses.row_sweeps import solve_block
from physics.solvers.impulses.soft_contacts import (
    accumulate,
    approaches,
    bias_targets,
    enforce_limits,
    follow,
    limit_strikes,
    rebounds,
    settle_totals,
)
from physics.solvers.impulses.substeps import Result
from physics.solvers.impulses.torn_joints import raise_if_torn
from physics.stepping.drivers import substeps_of

CONTACT_FREQUENCY = 0.125
"""Highest frequency of contacts, as a share of the substep rate: with a quarter, piles of twenty shake themselves apart."""

JOINTS = 0.25
"""The same for joints, which tolerate more."""

MIN_SUBSTEPS, MAX_SUBSTEP_LENGTH = 4, 1.0 / 960.0
"""Least number of substeps of a step, and longest substep [s], if their number is automatic: at 60 Hz four substeps let a band
slip around a capstan at two thirds of its load, and a heavy box sink into a light one."""

GROUND_STIFFNESS = 2.0
"""Factor of the stiffness of contacts with bodies that do not move."""

REFRESH_ANGLE = 0.01
"""Rotation of a body in a step [rad] beyond which contacts recompute their effective masses in each substep: those of a thin
rotating body change a lot, and one sweep would overshoot."""

_MAX_REBOUND_SWEEPS = 100
"""Most sweeps for the rebounds."""

_MAX_IMPACT_SWEEPS = 50
"""Most sweeps where a joint's limit strikes or a body lands."""

LANDING, LANDED = 0.01, 1e-4
"""Where bodies with joints touch others, sweeps that change a velocity by more than the first are followed by more, until none
changes one by more than the second [m/s]."""

STRIKING, STRUCK = 0.1, 0.01
"""The same where few bodies without joints touch one another. After one sweep a block of ten times the mass of the box that it
fell on came up twice as fast as it had come."""

SETTLED_SPEED = 1e-9
"""Sweeps end when no velocity changes by more than this [m/s]."""

_DYNAMIC, _EQUALITY, _ONE_SIDED = Kind.DYNAMIC, Bound.EQUALITY, Bound.ONE_SIDED

_work = stack.scratch(12)


@former_names.accepts_former
@dataclass
class SoftOptions(Described):
    """Options of soft steps."""

    substeps: int = option(0, lo=0, hi=256,
                           help="Substeps per step, each with one sweep and its relaxation; 0: four, more where they would be "
                                "longer than 1/960 s. Twice as many make stacks stiffer and double the cost.")
    contact_hertz: float = option(240.0, unit="Hz", lo=1.0, hi=10_000.0, log=True,
                                  help="Contact stiffness as the frequency of a spring, at most an eighth of the substep rate. "
                                       "Softer contacts are calmer but penetrate deeper.")
    contact_damping: float = option(2.0, lo=0.1, hi=100.0, log=True,
                                    help="Damping ratio of contacts. 1 is critical; larger values resolve penetration slowly, "
                                         "without adding velocity.")
    max_correction_speed: float = option(3.0, unit="m/s", lo=0.0, hi=1000.0,
                                         help="Maximum speed at which penetration is resolved, so that deep penetration is not "
                                              "resolved explosively.")
    joint_hertz: float = option(1000.0, unit="Hz", lo=1.0, hi=10_000.0, log=True,
                                help="Stiffness of joints in closed loops as the frequency of a spring, at most a quarter of "
                                          "the substep rate; elsewhere joints are rigid, and it only closes their errors faster.")
    joint_damping: float = option(2.0, lo=0.1, hi=100.0, log=True,
                                  help="Damping ratio of joints in closed loops. 1 is critical; larger values close the "
                                           "errors of all joints slowly.")
    relax_sweeps: int = option(1, lo=0, hi=100,
                               help="Relaxation sweeps after each position update, which remove the velocity added by position "
                                    "correction. With 0, penetration causes bodies to jump.")
    cone: str = option("circle", choices=("polygon", "circle"),
                       help="Cross-section of the friction cone: a regular polygon (ST96) or the exact circle.")
    facets: int = option(8, lo=3, hi=64,
                         help="Number of polygon corners. Between two corners friction is too weak by up to 1 - cos(pi/k).")
    warm_start: bool = option(True, help="Start from the last impulses. Without warm starting, one sweep per substep cannot "
                                         "support a stack.")
    gyroscopic: bool = option(True, help="Gyroscopic torque, which makes a spinning asymmetric body wobble (omitted in MS16).")
    restitution_threshold: float = option(0.1, unit="m/s", lo=0.0, hi=10.0,
                                          help="Approach speed below which contacts do not rebound.")
    impact_law: str = option(impact_laws.DEFAULT_LAW, choices=tuple(impact_laws.laws()), help=impact_laws.HELP)
    multiple_impacts: str = option(impact_laws.SIMULTANEOUS, choices=(impact_laws.SIMULTANEOUS, impact_laws.SEQUENTIAL),
                                   help=impact_laws.MULTIPLE_HELP)

    @property
    def polygon_facets(self) -> int:
        """Corners of the cone's section; 0 for the circle."""
        return 0 if self.cone == "circle" else self.facets


SoftNumbers = numbers_type(SoftOptions, "SoftNumbers")


class SoftSettings(NamedTuple):
    """options: those that are numbers; sweeps: of the rebounds; h: substep [s]; last_dt: since contacts were last found [s];
    substeps: their number; ratio: h over the time of the last impulses; between, ground, joint: (rate [1/s], scale) of eq 1 for
    contacts of two moving bodies, of one with the ground, and for joints; stop_at_substep, stop_at_sweep: the step ends in that
    substep (1 ..) after so many sweeps, including that of 3, without rebounds, -1: at its start; stop_at_substep = 0: it does
    not."""

    options: SoftNumbers
    sweeps: SweepSettings
    h: float
    last_dt: float
    substeps: int
    ratio: float
    between: tuple[float, float]
    ground: tuple[float, float]
    joint: tuple[float, float]
    stop_at_substep: int
    stop_at_sweep: int


class Work(NamedTuple):
    """turns: whether a body turns by more than REFRESH_ANGLE; bounces: whether any may rebound; approach (blocks, 2): of
    `enforce_limits`; soft (blocks,): whether a joint is a spring, as in closed loops; before: work before the rebounds; together:
    the joint system with all joints solved together; turned (rows,) ROW: of joint_rows.redirect."""

    turns: bool
    bounces: bool
    approach: np.ndarray
    soft: np.ndarray
    before: energy_limit.StateBefore
    together: JointSystem
    turned: np.ndarray


def softness(hertz: float, damping: float, h: float) -> tuple[float, float]:
    """(rate [1/s], scale) of a spring at substeps of h [s], eq 1."""
    omega = 2.0 * math.pi * hertz
    a1 = 2.0 * damping + h * omega
    a2 = h * omega * a1
    return omega / a1, a2 / (1.0 + a2)


class SoftSteps(Solver):
    """Substeps with soft constraints."""

    name: ClassVar[str] = "soft steps"
    doc: ClassVar[str] = (
        "Small substeps with a single sweep each (soft constraints): contacts and joints of closed loops act as stiff, "
        "well-damped springs. Constant cost and calm piles for little work, as in game engines. The price is compliance: "
        "contacts penetrate under load, and the residual of one sweep is only corrected in the next substep.")
    sweep_option: ClassVar[str] = "relax_sweeps"
    ramps_kinematic: ClassVar[bool] = True
    solves_impacts = True
    meets_in_flight = True
    meets_by_substeps = True
    max_part_rotation: float = 0.02
    turns_arms: ClassVar[bool] = False

    def __init__(self) -> None:
        self.options = SoftOptions()

    def substep_count(self, dt: float) -> int:
        """Substeps of a step of dt [s]."""
        return self.options.substeps or max(MIN_SUBSTEPS, math.ceil(dt / MAX_SUBSTEP_LENGTH - 1e-9))

    def system(self, layout: WorldLayout) -> JointSystem:
        return layout.trees_together

    def strike(self, world, contacts, what) -> tuple[Report, np.ndarray]:
        """Apply the impacts of one moment (impact.py)."""
        return strike(world, contacts, what, self.options.polygon_facets)

    def step(self, world, contacts, dt: float) -> Report:
        """Advance the world by dt [s].

        Raises:
            Diverged: a joint is torn apart. The caller restores the world.
        """
        o, layout = self.options, world.layout
        count = substeps_of(world, self.substep_count(world.current_dt if world.drivers else dt), dt)
        h = dt / count
        contact_hertz, joint_hertz = min(o.contact_hertz, CONTACT_FREQUENCY / h), min(o.joint_hertz, JOINTS / h)
        rigid = SweepSettings(polygon(o.polygon_facets), SETTLED_SPEED, False, True, False)
        settings = SoftSettings(as_numbers(o, SoftNumbers), rigid, h, world.last_part_dt, count,
                                (world.velocity_lag + 0.5 * h) / world.impulse_duration,
                                softness(contact_hertz, o.contact_damping, h),
                                softness(GROUND_STIFFNESS * contact_hertz, o.contact_damping, h),
                                softness(joint_hertz, o.joint_damping, h), *self.stop_at)
        columns, before = energy_ledger.empty_columns(world.records_energy), world.joints["error"].copy()
        r = Result(*run_step.unchecked(world.bodies, contacts, world.joints, (self.system(layout), layout.joint_system),
                                       world.materials.pairs, world.gravity, settings, columns))
        if layout.joints.blocks:
            raise_if_torn(world, before, lambda name, error: (
                f"joint '{name}' separates by {error:.2g} in a step of {dt:g} s: soft steps cannot hold it; the state before the "
                "step is restored. Reduce the step size or use sequential impulses"))
        return Report(solver=self.name, iterations=r.sweeps, end="fixed", change=r.change,
                      residual=r.residual, contacts=len(contacts), rows=layout.joints.rows + 3 * len(contacts),
                      penetration=r.penetration, joint_error=r.joint_error, substeps=count, times={"integrate": r.integrating},
                      ledger=energy_ledger.as_dict(columns))


@kernel
def run_step(bodies, contacts, joints, systems, pairs, gravity, settings, columns):
    """Run a whole step; returns the fields of `substeps.Result`. systems: with the joints of trees solved together, and, for
    rebounds, all; pairs: of materials; columns: of the energy ledger."""
    system, together = systems
    problem = substeps.set_up(bodies, contacts, system, pairs, settings, settings.sweeps)
    integrate.read(bodies, problem.velocity)
    threshold = settings.options.restitution_threshold
    bounces = approaches(contacts, bodies, problem.velocity, threshold) or limits_bounce(joints)
    work = Work(turns(bodies, settings.h * settings.substeps), bounces and settings.stop_at_substep == 0,
                np.zeros((system.blocks.shape[0], 2)), soft_blocks(system),
                energy_limit.room(problem.patches, system.rows, system.blocks), together,
                np.empty(system.rows.shape[0], ROW))
    step = substeps.Step(bodies, joints, gravity, problem, substeps.room(bodies, columns), settings, work, columns,
                         np.zeros(1, substeps.PROGRESS))
    step.progress[0].left = settings.substeps
    run_substeps(step)
    return substeps.result(step)


@routine
def turns(bodies, dt):
    """True if a body turns by more than REFRESH_ANGLE in dt [s]."""
    found = False
    for i in range(bodies.shape[0]):
        found = found or (bodies[i].kind == _DYNAMIC and dt * vec.norm(bodies[i].omega) > REFRESH_ANGLE)
    return found


@routine
def soft_blocks(system):
    """Whether each block belongs to a mechanism with closed loops, whose equations need not have one solution."""
    pieces, groups = system.layout.pieces, system.layout.group
    loops, soft = np.zeros(system.layout.body_group.shape[0] + 1, np.bool_), np.zeros(pieces.shape[0], np.bool_)
    for n in range(system.loops.shape[0]):
        loops[groups[pieces[system.loops[n]].place]] = True
    for k in range(soft.shape[0]):
        soft[k] = loops[groups[pieces[k].place]]
    return soft


@routine
def limits_bounce(joints):
    """True if a joint has a limit with restitution."""
    found = False
    for j in range(joints.shape[0]):
        found = found or (joints[j].kind >= 0 and joints[j].limit_restitution > 0.0)
    return found


# ---- verbs


@routine
def choose_substep(step):
    """All are equally long."""
    settings, progress, frozen = step.settings, step.progress[0], substeps.is_frozen(step)
    h, k = settings.h, progress.count
    return substeps.Substep(h, 1.0 if k > 0 else settings.ratio, h if k > 0 else 0.0, k * h, (k + 0.5) / settings.substeps, 0.0,
                            settings.stop_at_sweep if frozen else 1 + settings.options.relax_sweeps, 0.0, frozen,
                            frozen or k == settings.substeps - 1)


@routine
def prepare(step, substep):
    """Rows of the joints, whose limits only stop until the end of the step; targets of the contacts as springs."""
    bodies, joints, problem, settings, work = step.bodies, step.joints, step.problem, step.settings, step.work
    system, patches, h = problem.system, problem.patches, substep.h
    if system.layout.joints.shape[0] > 0:
        joint_system.build(joints, system, bodies, h, substep.share, True)
        enforce_limits(joints, system, problem.start, work.approach, h)
        aim_at_closed(system, work.soft, settings.joint[0])
    contact_batches.write_masses(bodies, patches.mass)
    bias_targets(problem.contacts, patches, bodies, h, substep.elapsed, settings.between, settings.ground,
                 settings.options.max_correction_speed)
    if substep.previous > 0.0 and work.turns:
        contact_batches.prepare(patches)
    extended_contacts.apply_adhesion(patches, h)


@routine
def aim_at_closed(system, soft, rate):
    """Let the targets of the joints that are not soft remove their errors at that rate [1/s]; with its negative again not."""
    rows, blocks = system.rows, system.blocks
    for k in range(blocks.shape[0]):
        block = blocks[k]
        if not soft[k] and (block.bound == _EQUALITY or block.bound == _ONE_SIDED):
            for i in range(block.first, block.first + block.count):
                error = rows[i].position_error
                rows[i].target -= rate * (error if block.bound == _EQUALITY else min(error, 0.0))


@routine
def sweep(step, substep):
    """The sweep of 3, or those of an impact in a joint."""
    if substep.sweeps == 0:
        return
    problem, (rate, scale), progress = step.problem, step.settings.joint, step.progress[0]
    system = problem.system
    direct_joint_solver.begin(system.rows, system.blocks, system.factors)
    strikes = not substep.frozen and limit_strikes(system, problem.start, substep.h, step.settings.options.restitution_threshold)
    progress.done, progress.change = sweep_until_landed(step, substep, 1, rate, 1.0 if strikes else scale, strikes)


@routine
def sweep_until_landed(step, substep, least, rate, scale, strikes):
    """So many sweeps at least, and more where limits strike or bodies land; returns (their number, the largest change of a
    velocity in the last one [m/s])."""
    problem, change, count = step.problem, 0.0, 0
    has_joints, touching = problem.system.blocks.shape[0] > 0, problem.contacts.shape[0]
    may_land = touching > 0 and (has_joints or touching <= SMALL) and not substep.frozen
    lands, unsolved = False, False
    landing, landed = (LANDING, LANDED) if has_joints else (STRIKING, STRUCK)
    while count < least or (unsolved and count < _MAX_IMPACT_SWEEPS):
        count += 1
        change, slips = sweep_once(problem, step.work.soft, count, rate, scale)
        lands = lands or (may_land and change > landing)
        unsolved = (strikes and change > SETTLED_SPEED) or (has_joints and slips) or (lands and change > landed)
    return count, change


@routine
def sweep_once(problem, soft, count, rate, scale):
    """Sweep over all joints, soft ones with that rate and scale, and contacts. count: sweeps of this pass, with this one.
    Returns the largest change of a velocity [m/s], and whether the friction of a joint began to slip."""
    system, velocity, polygon = problem.system, problem.velocity, problem.settings.polygon
    rows, blocks, work = system.rows, system.blocks, _work()
    largest, changed = solve_joints_directly(rows, blocks, system.factors, velocity, problem.settings.tolerance, problem.marks)
    for k in range(blocks.shape[0]):
        block = blocks[k]
        if system.factors.together[k] == 0:
            r, s = (rate, scale) if soft[k] else (0.0, 1.0)
            size = solve_block(block, rows, system.inverses, velocity[block.a], velocity[block.b], polygon, work, False, r, s)
            largest = max(largest, size / (block.gradient_step * block.gradient_step))
    problem.marks.batch[:] = -1
    worst, _ = contact_sweeps.sweep(problem.patches, velocity, polygon, math.inf, problem.marks)
    update_factors(system, count, changed)
    return math.sqrt(max(largest, worst)), changed


@routine
def integrate_positions(step, substep):
    """Drift; the bodies keep their velocities until these have relaxed."""
    if substep.sweeps > 0:
        began, motion = clock.now(), step.motion
        integrate.poses(step.bodies, motion.pos, motion.orientation)
        integrate.place(step.bodies, motion.pos, motion.orientation, step.problem.velocity, substep.h,
                        step.settings.options.gyroscopic)
        substeps.add_time(step, began)


@inline
def _turns_joints(system, substep):
    """Whether the relaxation takes joints along other rows than the sweeps before it."""
    return system.layout.joints.shape[0] > 0 and substep.sweeps > 1


@routine
def relax(step, substep):
    """The sweeps of 5; then the bodies get their velocities."""
    problem = step.problem
    if substep.sweeps > 0:
        follow(problem.contacts, problem.patches, step.bodies, problem.velocity, substep.h, substep.elapsed)
        aim_at_closed(problem.system, step.work.soft, -step.settings.joint[0])
        if _turns_joints(problem.system, substep):
            joint_system.follow(step.joints, problem.system, step.bodies, step.work.turned)
    if substep.sweeps > 1:
        more, step.progress[0].change = sweep_until_landed(step, substep, substep.sweeps - 1, 0.0, 1.0, False)
        step.progress[0].sweeps += more
    if substep.frozen:
        integrate.set_velocities(step.bodies, problem.velocity)
    else:
        finish_drift(step, substep)


@routine
def finish_drift(step, substep):
    """Write the velocities at the end of the drift to the bodies."""
    integrate.finish_drift(step.bodies, step.motion.orientation, step.problem.velocity, substep.h,
                           step.settings.options.gyroscopic)


@routine
def restitution(step, substep):
    """Add the substep to what the rebounds need to know; after the last one, apply them."""
    problem, work = step.problem, step.work
    system, patches = problem.system, problem.patches
    if step.columns.shape[0] > 0 and _turns_joints(system, substep):
        energy_columns.enter_turned(step.bodies, step.joints, problem, work.turned,
                                    step.settings.options.restitution_threshold, step.columns)
    if work.bounces:
        energy_limit.enter(problem.contacts, patches, system.rows, system.blocks, problem.start, problem.velocity, work.before)
    accumulate(patches)
    if work.bounces and substep.last and apply_restitution(step, substep):
        finish_drift(step, substep)
    extended_contacts.add_up(patches.extended)


@routine
def apply_restitution(step, substep):
    """Apply the rebounds of a step, after its last substep; True if there are any."""
    problem, work, patches, velocity, h = step.problem, step.work, step.problem.patches, step.problem.velocity, substep.h
    rows, blocks = work.together.rows, work.together.blocks
    for i in range(rows.shape[0]):
        work.before.row_impulse[i] = rows[i].impulse
    if not rebounds(problem.contacts, patches, step.bodies, step.gravity, step.joints, rows, blocks, velocity, work.approach,
                    work.before, h, step.settings.options.restitution_threshold):
        return False
    extended_contacts.set_targets(problem.contacts, patches, step.motion.given, h)
    contact_batches.prepare(patches)    # bodies have turned since the step began, and a converged solution must not overshoot
    coming = velocity.copy()
    rigid = VelocityProblem(problem.contacts, work.together, patches, coming, coming, velocity, problem.marks, problem.settings)
    iterate(rigid, _MAX_REBOUND_SWEEPS, 0.0)
    energy_limit.limit_energy(rigid, h, work.before)
    if step.columns.shape[0] > 0:
        energy_columns.enter_rebounds(step.bodies, patches, rows, blocks, work.before, coming, velocity, step.columns)
    settle_totals(patches, work.before.base)
    return True


run_substeps = substeps.bind(__name__, substeps.Verbs(
    choose_substep, prepare, sweep, substeps.never, integrate_positions, relax, restitution,
    correct_positions=substeps.nothing))

SOLVER = SoftSteps
