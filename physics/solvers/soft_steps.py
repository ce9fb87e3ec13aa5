"""Soft steps: many short steps, one sweep each, with constraints that are springs instead of rigid (Box2D 3, "TGS soft").

Contacts are found once. Then n times, with h = dt / n:

    1  V <- V + h M^-1 f                                       external forces
    2  V <- V + sum M^-1 J^T p                                 the last substep's impulses: warm start
    3  one sweep, errors C driven out softly                   eq (1), (2)
    4  X <- X + h V
    5  sweeps without C: what 3 has left in V goes             the relaxation

and at the end the rebounds (_soft_contacts.py).

A spring with the frequency omega and the damping ratio zeta at a constraint, by implicit Euler (E. Catto, Soft constraints, GDC
2011; Box2D 3, b2MakeSoft); the effective mass of the constraint drops out:

    a1 = 2 zeta + h omega,   a2 = h omega a1
    rate = omega / a1,       scale = a2 / (1 + a2)                                                      (1)
    p' = scale (p - K^-1 (J V - target + rate C)),   K = J M^-1 J^T,   rate |C| <= v*                     (2)

In Catto's words: bias rate, mass scale and impulse scale 1 - scale = 1 / (1 + a2). At rest a load of w times the body's own
weight presses a contact in by about w g / omega^2: twice the frequency, a quarter of the depth. Frequencies above a share of
1 / h are not resolved and lowered to it; contacts with what does not move are twice as stiff.

The residual of the report is the natural map of the relaxed velocities, as for every solver. One sweep does not bring it to zero:
what is left of it is carried to the next substep.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from physics import integrate, ledger, measure, ramp
from physics import linkage as linkages
from physics import patches as batches
from physics.core import clock, vec
from physics.core.jit import kernel, routine
from physics.core.records import Kind
from physics.friction import polygon
from physics.linkage import Linkage
from physics.options import Described, option
from physics.parts import substeps_of
from physics.report import NEVER, Report
from physics.solvers import _contact_passes, _contacts, _energy_limit, _ledger, _uncommon
from physics.solvers._advance import lose_energy, warm_start
from physics.solvers._impact import strike
from physics.solvers._iterate import iterate
from physics.solvers._soft_contacts import (
    add_up,
    approaches,
    follow,
    hold_limits,
    limit_strikes,
    press,
    rebounds,
    settle_totals,
)
from physics.solvers._sweep import solve_block

CONTACTS = 0.125
"""Highest frequency of contacts, as a share of the substep rate: with a quarter, piles of twenty shake themselves apart."""

JOINTS = 0.25
"""The same for joints, which bear more."""

GROUND = 2.0
"""How many times stiffer contacts with what does not move are."""

TURNS = 0.01
"""Where a body turns by more than this in a step [rad], contacts get their effective masses anew in each substep: a thin one that
turns changes them by much, and one sweep would overshoot."""

_BOUNCES = 100
"""Most sweeps of the rebounds."""

_BLOWS = 50
"""Most sweeps where the limit of a joint strikes, and joints are rigid then: a blow would tear them open."""

_STILL = 1e-9
"""They end where no velocity changes by more than this [m/s]."""

_DYNAMIC = int(Kind.DYNAMIC)


@dataclass
class Options(Described):
    """Options of soft steps."""

    substeps: int = option(4, lo=1, hi=256, log=True,
                           help="Parts into which a step is cut, each with one sweep and its relaxation. Twice as many make "
                                "stacks stiffer, chains tighter and the step twice as long.")
    contact_hertz: float = option(240.0, unit="Hz", lo=1.0, hi=10_000.0, log=True,
                                  help="Stiffness of contacts, as the frequency of a spring; an eighth of the substep rate at "
                                       "most. Softer contacts are calmer and deeper.")
    contact_damping: float = option(2.0, lo=0.1, hi=100.0, log=True,
                                    help="Damping ratio of contacts: 1 is critical, more drives an overlap out slowly, "
                                         "without a kick.")
    push_speed: float = option(3.0, unit="m/s", lo=0.0, hi=1000.0,
                               help="Largest speed at which an overlap is driven out, so that deep ones do not explode.")
    joint_hertz: float = option(1000.0, unit="Hz", lo=1.0, hi=10_000.0, log=True,
                                help="Stiffness of joints, as the frequency of a spring; a quarter of the substep rate at most.")
    joint_damping: float = option(2.0, lo=0.1, hi=100.0, log=True,
                                  help="Damping ratio of joints: 1 is critical, more closes them slowly.")
    relax_sweeps: int = option(1, lo=0, hi=100,
                               help="Sweeps after each motion that take out of the velocities what drove errors out. With 0 "
                                    "overlaps turn into jumps.")
    cone: str = option("circle", choices=("polygon", "circle"),
                       help="Shape of the friction cone's section: a regular polygon (ST96) or the exact circle.")
    facets: int = option(8, lo=3, hi=64,
                         help="Corners of the polygon. Friction loses up to 1 - cos(pi/k) between two corners.")
    warm_start: bool = option(True, help="Start from the last impulses. Without it one sweep a substep carries no stack.")
    gyroscopic: bool = option(True, help="Torque by which a spinning asymmetric body wobbles (MS16 leaves it out).")
    restitution_threshold: float = option(0.1, unit="m/s", lo=0.0, hi=10.0,
                                          help="Approach speed below which contacts do not bounce.")

    @property
    def polygon_facets(self) -> int:
        """Corners of the cone's section; 0 for the circle."""
        return 0 if self.cone == "circle" else self.facets


class Settings(NamedTuple):
    """What the options say, as numbers. polygon: of the friction cone; h: substep [s]; last_dt: since contacts were seen [s];
    ratio: h over the time of the last impulses; warm: 1 to start from them, else 0; between, ground, joint: (rate [1/s], scale)
    of eq 1 for contacts of two moving bodies, of one with the ground, and for joints; push_speed: v* [m/s]; until, looked: the
    step ends in that substep (1 ..) after so many sweeps, that of 3 among them, and no rebounds, -1: as it begins; until = 0: it
    does not."""

    polygon: np.ndarray
    h: float
    last_dt: float
    substeps: int
    ratio: float
    relax_sweeps: int
    warm: float
    gyroscopic: bool
    restitution_threshold: float
    between: tuple[float, float]
    ground: tuple[float, float]
    joint: tuple[float, float]
    push_speed: float
    until: int
    looked: int


class Rigid(NamedTuple):
    """How the rebounds are solved, as `_iterate.iterate` has it."""

    polygon: np.ndarray
    tolerance: float
    radial: bool
    acceleration: bool


class Blows(NamedTuple):
    """What turns and rebounds of a step need. turns: whether a body turns by more than TURNS; some: whether any may rebound;
    approach (blocks, 2): of `hold_limits`; done: what has been done before; together: the linkage, joints solved together."""

    turns: bool
    some: bool
    approach: np.ndarray
    done: _energy_limit.Before
    together: Linkage


def softness(hertz: float, damping: float, h: float) -> tuple[float, float]:
    """(rate [1/s], scale) of a spring at substeps of h [s], eq 1."""
    omega = 2.0 * math.pi * hertz
    a1 = 2.0 * damping + h * omega
    a2 = h * omega * a1
    return omega / a1, a2 / (1.0 + a2)


class SoftSteps:
    """Substeps with soft constraints."""

    name: ClassVar[str] = "soft steps"
    doc: ClassVar[str] = (
        "Cuts a step into short ones and makes a single pass over all constraints in each, with contacts and joints as stiff, "
        "well damped springs. A fixed cost and calm piles for little work: what games use. It pays with some softness: contacts "
        "sink in under load, joints give way under heavy ends, and what one pass leaves of the laws of friction and impact is "
        "only put right in the next substep.")
    effort: ClassVar[str] = "relax_sweeps"
    frozen = NEVER      # see solvers/__init__.py

    def __init__(self) -> None:
        self.options = Options()

    def unsupported(self, world) -> str:
        if world.materials.pairs["tangential_restitution"].any():
            return "it has no tangential restitution; take that out of the materials"
        return ""

    def strike(self, world, contacts, what) -> tuple[Report, np.ndarray]:
        """The impacts of a moment (_impact.py)."""
        return strike(world, contacts, what, self.options.polygon_facets, self.options.restitution_threshold)

    def step(self, world, contacts, dt: float) -> Report:
        """Advance the world by dt [s]."""
        o, linkage, together = self.options, world.lists.one_by_one, world.lists.linkage
        count = substeps_of(world, o.substeps, dt)
        h = dt / count
        contact_hertz, joint_hertz = min(o.contact_hertz, CONTACTS / h), min(o.joint_hertz, JOINTS / h)
        settings = Settings(polygon(o.polygon_facets), h, world.last_part, count, (world.lag + 0.5 * h) / world.acting,
                            o.relax_sweeps, float(o.warm_start), o.gyroscopic, o.restitution_threshold,
                            softness(contact_hertz, o.contact_damping, h),
                            softness(GROUND * contact_hertz, o.contact_damping, h),
                            softness(joint_hertz, o.joint_damping, h), o.push_speed, *self.frozen)
        columns = ledger.blank(world.keeps_ledger)
        change, residual, integrating, penetration, joint_error = advance(world.bodies, contacts, world.joints, linkage,
                                                                          together, world.materials.pairs, world.gravity,
                                                                          settings, columns)
        return Report(solver=self.name, iterations=count * (1 + o.relax_sweeps), end="fixed", change=change,
                      residual=residual, contacts=len(contacts), rows=len(linkage.rows) + 3 * len(contacts),
                      penetration=penetration, joint_error=joint_error, parts=count, times={"integrate": integrating},
                      ledger=ledger.told(columns))


@kernel
def advance(bodies, contacts, joints, linkage, together, pairs, gravity, settings, columns):
    """A whole step; returns the largest change of a velocity in the last sweep, the residual [m/s], wall time of the integration
    [s], the deepest overlap [m] and the joints' largest error [m] or [rad]. together: the linkage with
    joints that are solved together, for rebounds; pairs: of materials, see `patches.build`; columns: of physics/ledger.py, to be
    written unless they are none."""
    n, section = bodies.shape[0], settings.polygon
    integrate.inertias(bodies)
    _ledger.open(bodies, gravity, columns)
    patches = batches.build(contacts, bodies, pairs, settings.last_dt, settings.gyroscopic)
    velocity, before = np.empty((n, 6)), (np.empty((n, 3)), np.empty((n, 4)))
    integrate.read(bodies, velocity)
    bouncing = approaches(contacts, bodies, velocity, settings.restitution_threshold) or limits_bounce(joints)
    bouncing = bouncing and settings.until == 0
    blows = Blows(turns(bodies, settings.h * settings.substeps), bouncing, np.zeros((linkage.blocks.shape[0], 2)),
                  _energy_limit.room(patches, linkage.rows, linkage.blocks),
                  together)
    marks = _contacts.marks(n, patches.first.shape[0])
    change, integrating = substeps(bodies, contacts, joints, linkage, patches, velocity, before, gravity, settings, blows, marks,
                                   columns)
    if settings.until > 0 and settings.looked < 0:
        return change, 0.0, integrating, 0.0, 0.0
    measure.forget_residuals(contacts, joints, linkage.plan.joints)
    residual = max(measure.tell_residuals(linkage.rows, linkage.blocks, velocity, section, contacts, joints),
                   _contact_passes.store(patches, velocity, section, contacts))
    _ledger.close(bodies, gravity, columns)
    integrate.release(bodies)
    return change, residual, integrating, measure.penetration(contacts), measure.joint_error(joints)


@routine
def substeps(bodies, contacts, joints, linkage, patches, velocity, before, gravity, settings, blows, marks, columns):
    """All substeps, see the head of this file; returns the largest change of a velocity in the last sweep [m/s], and wall time of
    the integration [s].

    before: gets the positions (n, 3) and orientations (n, 4) at the start of the last substep.
    """
    rows, blocks, inverses, jointed = linkage.rows, linkage.blocks, linkage.inverses, linkage.plan.joints.shape[0] > 0
    start = np.empty_like(velocity)
    h, section, change, integrating = settings.h, settings.polygon, 0.0, 0.0
    kick, ticks = _ledger.room(bodies, columns), np.empty(2, np.int64)
    if jointed:
        linkages.straighten(linkage, contacts)
        linkages.clear_sums(linkage)
    given = velocity.copy()
    for k in range(settings.substeps):
        frozen = k == settings.until - 1
        if frozen and settings.looked < 0:
            break
        sweeps = settings.looked if frozen else 1 + settings.relax_sweeps
        ramp.give(bodies, given, (k + 0.5) / settings.substeps)
        integrating += set_out(bodies, joints, linkage, patches, start, velocity, gravity, settings, blows, k)
        if sweeps > 0:
            blow = jointed and not frozen and limit_strikes(linkage, start, h, settings.restitution_threshold)
            change = solve(rows, blocks, inverses, patches, velocity, settings, blow, marks)
            _ledger.kicks(bodies, h, kick)
            mark = clock.now(ticks)
            integrate.poses(bodies, before[0], before[1])
            integrate.place(bodies, before[0], before[1], velocity, h, settings.gyroscopic)
            integrating += clock.now(ticks) - mark
            follow(patches, velocity, h, k * h)
        for _ in range(1, sweeps):
            change = sweep(rows, blocks, inverses, patches, velocity, section, 0.0, 1.0, marks)
        if sweeps > 0 and not frozen:
            integrate.arrive(bodies, before[1], velocity, h, settings.gyroscopic)
        else:
            integrate.keep(bodies, velocity)
        if columns.shape[0] > 0:
            _ledger.enter(bodies, joints, contacts, linkage, patches, start, velocity, kick, gravity, h,
                          settings.restitution_threshold, columns)
        if blows.some:
            _energy_limit.enter(contacts, patches, rows, blocks, start, velocity, blows.done)
        add_up(patches)
        if (blows.some and k == settings.substeps - 1
                and bounce(bodies, contacts, joints, patches, velocity, gravity, settings, blows, marks, columns)):
            integrate.arrive(bodies, before[1], velocity, h, settings.gyroscopic)
        _uncommon.add_up(patches.uncommon)
        if frozen:
            _contact_passes.alone(patches)
            if jointed:
                linkages.clear_sums(linkage)
        if jointed:
            linkages.store(joints, linkage, velocity)
            linkages.add_up(joints, linkage, frozen or k == settings.substeps - 1)
        if frozen:
            break
    ramp.give(bodies, given, 0.5)
    return change, integrating


@routine
def set_out(bodies, joints, linkage, patches, start, velocity, gravity, settings, blows, k):
    """The substep k, 0 .., up to its sweeps: forces, rows, warm start, targets; returns the wall time of the integration [s]."""
    ticks, h, share = np.empty(2, np.int64), settings.h, 1.0 if k > 0 else settings.ratio
    mark = clock.now(ticks)
    integrate.velocities(bodies, gravity, h, start, velocity)
    integrating = clock.now(ticks) - mark
    if linkage.plan.joints.shape[0] > 0:
        linkages.build(joints, linkage, bodies, h, share, True)
    if blows.some:
        hold_limits(joints, linkage, start, blows.approach, h)
    batches.weigh(bodies, patches.mass)
    press(patches, h, k * h, settings.between, settings.ground, settings.push_speed)
    if k > 0 and blows.turns:
        batches.prepare(patches)
    warm_start(linkage.rows, linkage.blocks, velocity, settings.warm * share)
    _uncommon.attract(patches, h)
    _contact_passes.warm_start(patches, velocity, settings.warm * share)
    return integrating


@routine
def bounce(bodies, contacts, joints, patches, velocity, gravity, settings, blows, marks, columns):
    """The rebounds of a step, after its last substep; True if there are any."""
    linkage = blows.together
    rows, blocks, h = linkage.rows, linkage.blocks, settings.h
    for i in range(rows.shape[0]):
        blows.done.row_impulse[i] = rows[i].impulse
    if not rebounds(contacts, patches, bodies, gravity, joints, rows, blocks, velocity, blows.approach, blows.done, h,
                    settings.restitution_threshold):
        return False
    batches.prepare(patches)    # the bodies have turned since the step began, and what is solved to the end must not overshoot
    coming, rigid = velocity.copy(), Rigid(settings.polygon, _STILL, False, True)
    iterate(rows, blocks, linkage.inverses, linkage.factors, patches, velocity, rigid, _BOUNCES, 0.0, marks)
    lose_energy(contacts, linkage, patches, coming, velocity, rigid, h, marks, blows.done)
    if columns.shape[0] > 0:
        _ledger.enter_rebounds(bodies, patches, rows, blocks, blows.done, coming, velocity, columns)
    settle_totals(patches, blows.done.base)
    return True


@routine
def turns(bodies, dt):
    """Whether a body turns by more than TURNS in dt [s]."""
    found = False
    for i in range(bodies.shape[0]):
        found = found or (bodies[i].kind == _DYNAMIC and dt * vec.norm(bodies[i].omega) > TURNS)
    return found


@routine
def limits_bounce(joints):
    """Whether a joint has a limit that throws back."""
    found = False
    for j in range(joints.shape[0]):
        found = found or (joints[j].kind >= 0 and joints[j].limit_restitution > 0.0)
    return found


@routine
def solve(rows, blocks, inverses, patches, velocity, settings, blow, marks):
    """The sweep of 3, or those of a blow in a joint; returns the last one's largest change of a velocity [m/s]."""
    change, (rate, scale) = math.inf, settings.joint
    for _ in range(_BLOWS if blow else 1):
        if change > _STILL:
            change = sweep(rows, blocks, inverses, patches, velocity, settings.polygon, rate, 1.0 if blow else scale, marks)
    return change


@routine
def sweep(rows, blocks, inverses, patches, velocity, polygon, rate, scale, marks):
    """One sweep over everything, joints with that rate and scale; returns the largest change of a velocity [m/s]."""
    work = np.empty(12)
    largest = 0.0
    for k in range(blocks.shape[0]):
        block = blocks[k]
        size = solve_block(block, rows, inverses, velocity[block.a], velocity[block.b], polygon, work, False, rate, scale)
        largest = max(largest, size / (block.rate * block.rate))
    marks.batch[:] = -1
    worst, _ = _contacts.sweep(patches, velocity, polygon, math.inf, marks)
    return math.sqrt(max(largest, worst))


SOLVER = SoftSteps
