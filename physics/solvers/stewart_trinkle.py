"""Exact solver: Stewart and Trinkle's implicit time stepping, a linear complementarity problem per step (ST96).

    M (v1 - v0) = n c_n + D beta + h k,    q1 = q0 + h v1                                        (eq 14, 25)
    0 <= beta   _|_  E lambda + D'v1       >= 0                                                  (eq 15, 26)
    0 <= c_n    _|_  n'q1 - alpha_0        >= 0
    0 <= lambda _|_  mu c_n - E'beta       >= 0

Non-penetration holds for positions at the end of the step. Joints are equations and are eliminated
(physics/solvers/lcp/assemble.py); their friction, limits and drives are further unknowns (3.5). Rounds on the true gaps make it
the non-linear version (3.6), see physics/solvers/lcp/step.py.
Lemke's algorithm solves each island's problem separately (physics/complementarity/lemke.py).
"""

import math
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.collide.bounds import refresh_contacts
from physics.complementarity.problem import Status
from physics.contact import impact_laws
from physics.core import former_names
from physics.core.options import Described, option
from physics.core.records import copy_of
from physics.dynamics import measure
from physics.dynamics.energy_ledger import LEDGER_COLUMNS, NUMERICAL
from physics.observe.report import Report
from physics.solvers import Solver
from physics.solvers.impulses.impact import strike
from physics.solvers.lcp import energy_ledger, fallbacks
from physics.solvers.lcp import linearise as aim
from physics.solvers.lcp.assemble import MIN_FACETS, directions, even
from physics.solvers.lcp.step import (
    ACTIVE_SET,
    ALL,
    ASKEW_CONE,
    CIRCLE,
    LAYER,
    POLYGON,
    LcpSettings,
    LcpStep,
    ProblemReport,
    unsupported_surface,
)
from physics.solvers.lcp.store import store
from physics.solvers.lcp.substeps import SubstepPlan, judge_joints

START, PREDICTED, MIDPOINT = "start of the step", "q0 + h v0 (ST96)", "(q0 + q1) / 2 (ST96)"
SEMI_IMPLICIT, EXPLICIT, BACKWARD = "semi-implicit", "explicit", "backward Euler (T08)"

LONG_SOLVE = 0.1
"""A problem that takes longer than this gives a warning [s]."""

JOINT_ERROR_FACTOR = 10.0
"""Joint errors above this many tolerances count as residuals."""

UNSETTLED = 1e-6
"""Warn if the last round still moves by more than this [m] or [rad]."""

SHORT_WAY, LONG_WAY = 1e-11, 1e-9
"""Initial estimates of a problem's seconds over the cube of its unknowns: where Lemke's algorithm needs a tenth as many pivots as
unknowns, and where it needs several times as many. Which one applies is not known beforehand."""

MIN_LEARNING_WORK = 3e7
"""Sum of cubed unknowns from which a step updates the pace; in smaller steps Python dominates."""

MAX_PACE_CHANGE = 10.0
"""Each step changes the estimated pace by at most the square root of this factor."""

WARN_FACTOR = 10.0
"""Factor by which an estimate must exceed the last one reported to give another warning."""


@former_names.accepts_former
@dataclass
class LcpOptions(Described):
    """Options of the exact solver."""

    cone: str = option(POLYGON, choices=(POLYGON, CIRCLE),
                       help="Cross-section of the friction cone: a regular polygon (ST96), or the circle, for which the polygon "
                            "is rotated in a few extra problems until a corner opposes the slip.")
    facets: int = option(8, lo=MIN_FACETS, hi=64,
                         help="Number of directions of the friction polygon; even, since each needs its opposite. The paper uses "
                              "8. Doubling it doubles the size of the problem and takes about eight times as long.")
    rounds: int = option(20, lo=1, hi=100,
                         help="Maximum number of problems per step, each linearised at the solution of the previous one, until "
                              "the true gaps are zero (non-linear version, ST96 3.6). 1: one problem per step, as in the paper's "
                              "Table I.")
    tolerance: float = option(1e-9, unit="m", lo=0.0, hi=1e-3, log=True,
                              help="The rounds end when no body moves by more than this.")
    linearise_at: str = option(START, choices=(START, PREDICTED, MIDPOINT),
                               help="Configuration in which the first round finds contacts: the current positions, or those "
                                    "predicted from the old velocities (as in the paper; no body may move farther than its size "
                                    "in a step). At the midpoint, the later rounds use gaps, normals and friction directions of "
                                    "the middle of the step (ST96 section 3, aspect 4): motion along a curve loses half as much "
                                    "energy, and gaps close to the second order of the step.")
    contacts: str = option(ACTIVE_SET, choices=(ACTIVE_SET, LAYER, ALL),
                           help="Contacts in the problem: those that were active or would be violated, plus any violated by the "
                                "solution (ST96 section 4); those within the boundary layer (T08); or all contacts found.")
    boundary_layer: float = option(0.01, unit="m", lo=0.0, hi=1.0, help="Thickness of the boundary layer.")
    impact_law: str = option(impact_laws.DEFAULT_LAW, choices=tuple(impact_laws.laws()), help=impact_laws.HELP)
    multiple_impacts: str = option(impact_laws.SIMULTANEOUS, choices=(impact_laws.SIMULTANEOUS, impact_laws.SEQUENTIAL),
                                   help=impact_laws.MULTIPLE_HELP)
    restitution_threshold: float = option(0.1, unit="m/s", lo=0.0, hi=10.0,
                                          help="Approach speed below which contacts do not rebound.")
    positions: str = option(SEMI_IMPLICIT, choices=(SEMI_IMPLICIT, EXPLICIT, BACKWARD),
                            help="Update positions with the new velocity, or with the old one, in which case contacts act one "
                                 "step late (T08). Backward Euler also takes springs and the directions of joints where the "
                                 "step ends (with 2 rounds or more): stable with any step, of first order, and vibrations die "
                                 "out.")
    half_step_gravity: bool = option(True, help="Apply half a step of gravity in a body's first step, which makes free fall "
                                                "exact. The paper applies a whole step.")
    gyroscopic: bool = option(True, help="Gyroscopic torque, which makes a spinning asymmetric body wobble.")
    max_correction_speed: float = option(1.0, unit="m/s", lo=0.0, hi=1e6, log=True,
                                         help="Maximum speed at which penetration present at the start of a step is resolved.")
    pivots: float = option(5.0, unit="per unknown", lo=0.01, hi=1000.0, log=True,
                           help="Maximum number of pivots per problem, as a multiple of its unknowns (of 100 if it has fewer). "
                                "Beyond it, a regularised problem is tried, then projected sweeps.")

    @property
    def polygon_facets(self) -> int:
        """Corners of the cone's section, an even number; 0 for the circle."""
        return 0 if self.cone == CIRCLE else even(self.facets)


@dataclass
class Progress:
    """Progress of the current step, to be read from another thread. unknowns: of its largest problem; estimate: how long that
    takes at best and at worst [s]; began: when (time.perf_counter), 0: idle."""

    unknowns: int = 0
    estimate: tuple[float, float] = (0.0, 0.0)
    began: float = 0.0


@dataclass(frozen=True)
class Solved:
    """The problems of one step. rounds, moved: of the non-linear version, and the last one's motion [m]; problems: in order;
    rays, limits: problems that Lemke's algorithm left unsolved and that sweeps solved instead. eased: the smallest share of a
    restitution that energy allowed (lcp/energy_limit.py)."""

    rounds: int
    moved: float
    problems: tuple[ProblemReport, ...] = ()
    rays: int = 0
    limits: int = 0
    eased: float = 1.0

    @property
    def largest(self) -> int:
        """Unknowns of the largest problem."""
        return max((int(p.sizes[:, 0].max(initial=0)) for p in self.problems), default=0)

    @property
    def pivots(self) -> int:
        return sum(int(p.tally[:, fallbacks.PIVOTS].sum()) for p in self.problems)


class StewartTrinkle(Solver):
    """Stewart and Trinkle's time stepping with Lemke's algorithm."""

    name: ClassVar[str] = "exact LCP (Stewart-Trinkle)"
    doc: ClassVar[str] = (
        "Solves one linear complementarity problem for all impulses of a step with Lemke's algorithm: no penetration at the end "
        "of the step, friction within its polygon and opposed to the slip, joints exact. Use it as a reference for other solvers "
        "and to study scenes of a few dozen contacts; the cost grows with the cube of their number.")

    cancellable: ClassVar[bool] = True
    has_pivots: ClassVar[bool] = True
    joint_polygons: ClassVar[bool] = True

    def __init__(self) -> None:
        self.options = LcpOptions()
        self.progress = Progress()
        self.halt = np.zeros(1, np.int32)
        self.pace = [SHORT_WAY, LONG_WAY]       # learned
        self.warned_seconds = 0.0
        self.pivot_observer = None

    def unsupported(self, world) -> str:
        return super().unsupported(world) or unsupported_surface(world)

    def cancel(self) -> None:
        """Cancel the current step; from any thread."""
        self.halt[0] = 1

    @property
    def starts_at_middle(self) -> bool:
        return not self.options.half_step_gravity or self.options.positions == BACKWARD

    @property
    def is_published_scheme(self) -> bool:
        """Whether the options make it the scheme of a paper, step for step."""
        return self.options.rounds == 1 or self.options.positions != SEMI_IMPLICIT

    @property
    def solves_impacts(self) -> bool:
        """The schemes of the papers solve impacts within the step."""
        return not self.is_published_scheme

    @property
    def max_part_rotation(self) -> float:
        """The schemes of the papers do not divide a step."""
        return math.inf if self.is_published_scheme else super().max_part_rotation

    def strike(self, world, contacts, what) -> tuple[Report, np.ndarray]:
        """The impacts of a moment (impact.py: sweeps until nothing changes)."""
        return strike(world, contacts, what, self.options.polygon_facets, True)

    def step(self, world, contacts, dt: float) -> Report:
        """Advance the world by dt [s].

        Raises:
            BadInput: cancelled, or joints contradict one another.
            Diverged: a joint is torn apart. The caller restores the world.
        """
        self.require_support(world)
        self.halt[0] = 0
        cut = SubstepPlan(world, dt, self.is_published_scheme or not world.layout.joints.blocks)
        before = np.zeros(0)
        while not cut.finished:
            index = world.layout.joints.joints
            length = cut.length(aim.swing(world.joints, index, index, world.bodies, world.impulse_duration))
            if cut.reports:
                contacts = refresh_contacts(world, length)
            while (made := self._part(world, contacts, length, cut)) is None:
                length = cut.halve()
            report, contacts, errors = made
            before = before if cut.reports else errors
            cut.add(world, report, contacts)
        judge_joints(world, before, dt)
        return cut.report(world)

    def _part(self, world, contacts, dt: float, cut: SubstepPlan) -> tuple[Report, np.ndarray, np.ndarray] | None:
        """(report, contacts, joint errors at its start) of a part of dt [s]; None where its half should be tried."""
        may_halve = cut.may_halve
        o, begin, bodies = self.options, time.perf_counter(), world.bodies
        if self.starts_at_middle:
            bodies["velocity_lag"] = 0.5 * dt
        kinetic = measure.energy(bodies, world.gravity)[0]
        shapes, joints = copy_of(world.shapes), copy_of(world.joints) if may_halve else None
        step = LcpStep(world, contacts, dt, self._settings(world), self.halt, lambda sizes: self._warn_long_solve(world, sizes),
                       self.pivot_observer)
        try:
            if not step.run(may_halve, cut.has_given_up):
                bodies["pos"], bodies["quat"] = step.pos, step.quat
                world.joints[:] = joints
                return None
            self._update_estimate(step, time.perf_counter() - begin)
        finally:
            world.shapes[:] = shapes
            self.progress.began = 0.0
        index, columns = world.layout.joints.joints, np.empty(len(LEDGER_COLUMNS))
        store(step.contacts, world.joints, index, step.rows, step.blocks, step.velocity, dt, step.signs)
        step.contacts["gap"] += step.opened
        step.measure_joints()
        numerical = energy_ledger.enter(bodies, world.joints, world.gravity, dt, step.rows, step.turned, step.blocks,
                                        step.contacts, step.of_body, step.start, step.velocity, o.restitution_threshold, columns)
        aim.finish_step(bodies, step.quat, step.velocity, dt, o.gyroscopic)
        columns[NUMERICAL] = measure.energy(bodies, world.gravity)[0] - kinetic - columns[: NUMERICAL].sum()
        report = self._report(world, step)
        report.ledger, report.expected_loss = dict(zip(LEDGER_COLUMNS, columns.tolist())), numerical
        if report.joint_error > JOINT_ERROR_FACTOR * o.tolerance:
            report.residual = max(report.residual, report.joint_error / dt)
        return report, step.contacts, step.errors

    def _settings(self, world) -> LcpSettings:
        """The options as numbers; an odd number of facets is rounded up, with a message."""
        o = self.options
        is_round, facets = o.cone == CIRCLE, even(o.facets)
        if facets != o.facets:
            world.warnings.add(f"facets = {o.facets} must be even, since each friction direction needs its opposite (ST96 eq "
                               f"13); {facets} are used")
        return LcpSettings(directions(facets), is_round, o.rounds, o.tolerance, o.linearise_at == PREDICTED,
                           o.linearise_at == MIDPOINT, o.contacts, o.boundary_layer,
                           list(impact_laws.laws()).index(o.impact_law), o.positions == EXPLICIT,
                           self.is_published_scheme or o.linearise_at == MIDPOINT,
                           o.positions == BACKWARD, o.gyroscopic, o.restitution_threshold, o.max_correction_speed, o.pivots)

    def _warn_long_solve(self, world, sizes: np.ndarray) -> None:
        """Warn before solving the coming problem if it will take long."""
        n = int(sizes[:, 0].max(initial=0))
        quick, slow = (pace * _cubes(sizes) for pace in self.pace)
        self.progress.unknowns, self.progress.estimate, self.progress.began = n, (quick, slow), time.perf_counter()
        typical = math.sqrt(quick * slow)
        if typical > max(LONG_SOLVE, WARN_FACTOR * self.warned_seconds):
            self.warned_seconds = typical
            world.warnings.add(f"the exact solver has a problem of {n} unknowns: {quick:.1g} to {slow:.1g} s per step; to speed "
                               "it up, reduce the touching bodies or the facets, or use sequential impulses")

    def _update_estimate(self, step: LcpStep, seconds: float) -> None:
        """Update the pace from a step's duration: the nearer estimate moves half way, on a logarithmic scale."""
        work = sum(_cubes(p.sizes) for p in step.solved)
        if work > MIN_LEARNING_WORK and step.world.steps > 0:    # the first step also loads its kernels
            surprises = [seconds / work / pace for pace in self.pace]
            i = int(np.argmin(np.abs(np.log(surprises))))
            self.pace[i] *= math.sqrt(min(MAX_PACE_CHANGE, max(1.0 / MAX_PACE_CHANGE, surprises[i])))

    def _report(self, world, step: LcpStep) -> Report:
        """Assemble the report of the step."""
        o, tallies = self.options, np.concatenate([p.tally for p in step.solved])
        status = tallies[:, fallbacks.STATUS]
        rays, limits = int((status == Status.RAY).sum()), int((status == Status.LIMIT).sum())
        last = step.solved[-1].tally
        gave_way = bool((last[:, fallbacks.SOFT] == fallbacks.CONTACTS_YIELDED).any())
        unsolved = last[:, fallbacks.STATUS] != Status.SOLVED
        if rays:
            world.warnings.add("Lemke's algorithm ended on a ray without a solution; projected sweeps were used instead (the "
                               "Exact panel counts such steps)")
        if gave_way:
            world.warnings.add("No solution satisfies all contacts of a step, for example between walls that close on a body: "
                               "contacts are relaxed slightly")
        if limits:
            world.warnings.add(f"Lemke's algorithm reached the limit of {o.pivots:g} pivots per unknown; projected sweeps were "
                               "used instead: increase 'pivots'")
        solved = Solved(step.rounds, step.moved, tuple(step.solved), rays, limits, float(step.eased.min(initial=1.0)))
        done = o.rounds == 1 or step.done
        if not done and step.moved > UNSETTLED:
            world.warnings.add(f"the rounds of the exact solver did not converge in a step of {step.dt:g} s: gaps and joints may "
                               "be off by the motion in the last round (see the Exact panel); reduce the step size")
        if (tallies[:, fallbacks.ASKEW] > 0).any():
            world.warnings.add(ASKEW_CONE)
        end = "converged" if done else "iteration limit"
        if unsolved.any():
            end = "gave way" if gave_way else "swept" if last[unsolved, fallbacks.SWEPT].all() else "softened"
        return Report(solver=self.name, iterations=solved.pivots, end=end, change=step.moved / step.dt, residual=step.residual,
                      contacts=len(step.contacts), rows=len(step.rows), penetration=measure.penetration(step.contacts),
                      joint_error=measure.joint_error(world.joints), solved=solved,
                      iteration_unit="pivots")


def _cubes(sizes: np.ndarray) -> float:
    """Sum of the cubes of the unknowns."""
    return float((sizes[:, 0].astype(float) ** 3).sum())


SOLVER = StewartTrinkle
