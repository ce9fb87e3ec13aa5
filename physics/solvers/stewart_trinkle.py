"""The exact solver: Stewart and Trinkle's implicit time stepping, a linear complementarity problem a step (ST96).

    M (v1 - v0) = n c_n + D beta + h k,    q1 = q0 + h v1                                        (eq 14, 25)
    0 <= beta   _|_  E lambda + D'v1       >= 0                                                  (eq 15, 26)
    0 <= c_n    _|_  n'q1 - alpha_0        >= 0
    0 <= lambda _|_  mu c_n - E'beta       >= 0

Non-penetration holds for positions at the end of the step. Joints are equations and eliminated (physics/lcp/problem.py); their
friction, limits and drives are further unknowns (3.5). Rounds on the true gaps make it the non-linear version (3.6), see
physics/lcp/stepping.py.
Lemke's algorithm solves each island's problem by itself (physics/complementarity/lemke.py).
"""

import math
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics import measure
from physics.complementarity.status import Status
from physics.core.records import copy_of
from physics.errors import BadInput
from physics.lcp import aim, complement, ledger
from physics.lcp.cutting import Cut, judge_joints
from physics.lcp.directions import LEAST, directions
from physics.lcp.stepping import ACTIVE_SET, ALL, LAYER, Problem, Settings, Step
from physics.lcp.store import store
from physics.ledger import COLUMNS, NUMERICAL
from physics.options import Described, option
from physics.report import Report
from physics.solvers._impact import strike
from physics.touching import look_again

START, PREDICTED = "start of the step", "q0 + h v0 (ST96)"
NEWTON, POISSON = "Newton", "Poisson"
POLYGON, CIRCLE = "polygon", "circle"
SEMI_IMPLICIT, EXPLICIT = "semi-implicit", "explicit"

LONG = 0.1
"""A problem that takes longer than this is told of [s]."""

LOOSE = 10.0
"""Joint errors of more than so many tolerances count as residuals."""

UNSETTLED = 1e-6
"""Rounds that still move by more than this in the end are told of [m] or [rad]."""

SHORT_WAY, LONG_WAY = 1e-11, 1e-9
"""Seconds of a problem over the third power of its unknowns, before one was solved: where Lemke's algorithm needs a tenth as
many pivots as there are unknowns, and where it needs several times as many. Nothing tells beforehand which it will be."""

LEARNING = 3e7
"""Third powers of a step's unknowns from which its pace is learned; in smaller ones Python is the cost."""

SURPRISE = 10.0
"""No step changes what is thought of the pace by more than the root of this."""

AGAIN = 10.0
"""A problem that may take this many times as long as any that was told of is told of, too."""


@dataclass
class Options(Described):
    """Options of the exact solver."""

    cone: str = option(POLYGON, choices=(POLYGON, CIRCLE),
                       help="Shape of the friction cone's section: a regular polygon (ST96), or the circle: the polygon is then "
                            "turned until a corner opposes what slips, in a few problems more.")
    facets: int = option(8, lo=LEAST, hi=64,
                         help="Directions of the friction cone's polygon; an even number, since each needs its opposite. The "
                              "paper has 8. Twice as many make the problem twice as large and eight times as long.")
    rounds: int = option(20, lo=1, hi=100,
                         help="Most problems in a row, each about the end of the last one, until the true gaps are zero (the "
                              "non-linear version, ST96 3.6). 1: one problem a step, as for the paper's Table I.")
    tolerance: float = option(1e-9, unit="m", lo=0.0, hi=1e-3, log=True,
                              help="The rounds end when nothing moves by more than this.")
    linearise: str = option(START, choices=(START, PREDICTED),
                            help="Where contacts are looked for in the first round: where bodies are, or where their old "
                                 "velocities take them (the paper's choice; nothing may move farther than its size in a step).")
    contacts: str = option(ACTIVE_SET, choices=(ACTIVE_SET, LAYER, ALL),
                           help="Contacts that take part: those that pressed or would be violated, and what turns out to be "
                                "violated then (ST96 section 4); those nearer than the layer (T08); or all that were found.")
    layer: float = option(0.01, unit="m", lo=0.0, hi=1.0, help="Thickness of the boundary layer.")
    restitution: str = option(NEWTON, choices=(NEWTON, POISSON),
                              help="Newton: a rebound has e times the speed. Poisson: it has e times the impulse, by a second "
                                   "problem. Where friction would make that gain energy, e is smaller, until nothing is "
                                   "gained.")
    restitution_threshold: float = option(0.1, unit="m/s", lo=0.0, hi=10.0,
                                          help="Approach speed below which contacts do not bounce.")
    positions: str = option(SEMI_IMPLICIT, choices=(SEMI_IMPLICIT, EXPLICIT),
                            help="Positions move by the new velocity, or by the old one: contacts then act a step late (T08).")
    half_kick: bool = option(True, help="A body's first step has half a step's gravity, which makes falls exact. The paper has a "
                                        "whole.")
    gyroscopic: bool = option(True, help="Torque by which a spinning asymmetric body wobbles.")
    fastest: float = option(1.0, unit="m/s", lo=0.0, hi=1e6, log=True,
                            help="Overlaps that are there at the start of a step are removed no faster than this.")
    pivots: float = option(5.0, unit="per unknown", lo=0.01, hi=1000.0, log=True,
                           help="Most pivots of one problem, in multiples of its unknowns (of 100 where there are fewer); then a "
                                "softened problem is tried, then sweeps.")

    @property
    def polygon_facets(self) -> int:
        """Corners of the cone's section, an even number; 0 for the circle."""
        return 0 if self.cone == CIRCLE else self.facets + self.facets % 2


@dataclass
class Progress:
    """What a step is busy with, to be read from another thread. unknowns: of its largest problem; estimate: how long that takes
    if it goes well, and if it does not [s]; began: when (time.perf_counter), 0: it is not busy."""

    unknowns: int = 0
    estimate: tuple[float, float] = (0.0, 0.0)
    began: float = 0.0


@dataclass(frozen=True)
class Solved:
    """The problems of one step. rounds, moved: of the non-linear version, and what the last one moved [m]; problems: in order;
    rays, limits: problems that Lemke's algorithm left without a solution, and that sweeps replaced. eased: the least part of a
    restitution that energy allowed (lcp/easing.py)."""

    rounds: int
    moved: float
    problems: tuple[Problem, ...] = ()
    rays: int = 0
    limits: int = 0
    eased: float = 1.0

    @property
    def largest(self) -> int:
        """Unknowns of the largest problem."""
        return max((int(p.sizes[:, 0].max(initial=0)) for p in self.problems), default=0)

    @property
    def pivots(self) -> int:
        return sum(int(p.tally[:, complement.PIVOTS].sum()) for p in self.problems)


class StewartTrinkle:
    """Stewart and Trinkle's time stepping with Lemke's algorithm."""

    name: ClassVar[str] = "exact LCP (Stewart-Trinkle)"
    doc: ClassVar[str] = (
        "Finds all impulses of a step at once, from a linear complementarity problem: no overlap at the end of the step, "
        "friction within its polygon and against the motion, joints exact. What it says is the law itself, so use it to check "
        "others and to study a few dozen contacts; its cost grows with their third power.")

    def __init__(self) -> None:
        self.options = Options()
        self.progress = Progress()
        self.halt = np.zeros(1, np.int32)
        self.pace = [SHORT_WAY, LONG_WAY]       # learned
        self.told = 0.0
        self.witness = None     # called with how each problem was solved (lcp/stepping.py, Seen)

    def unsupported(self, world) -> str:
        pairs = world.materials.pairs
        for number, what in (("tangential_restitution", "tangential restitution"), ("rolling", "rolling friction"),
                             ("torsional", "torsional friction"), ("adhesion", "adhesion")):
            if pairs[number].any():
                return f"it has no {what}; take that out of the materials"
        return ""

    def cancel(self) -> None:
        """Give up the step that is being made; from any thread."""
        self.halt[0] = 1

    @property
    def published(self) -> bool:
        """Whether the options make it the scheme of a paper, step for step."""
        return self.options.rounds == 1 or self.options.positions == EXPLICIT

    @property
    def strike(self):
        """Impacts in no time by Newton's law (_impact.py: sweeps until nothing changes); the schemes of the papers, and Poisson's
        law, have none."""
        o = self.options
        if o.restitution == POISSON or self.published:
            raise AttributeError("impacts are solved within the step")
        return lambda world, contacts, what: strike(world, contacts, what, o.polygon_facets, o.restitution_threshold)

    def step(self, world, contacts, dt: float) -> Report:
        """Advance the world by dt [s].

        Raises:
            BadInput: cancelled, or joints contradict one another.
            Diverged: a joint is torn apart. The caller puts the world back.
        """
        o = self.options
        if reason := self.unsupported(world):
            raise BadInput(f"the exact solver cannot do this scene: {reason}")
        if not o.half_kick:
            world.bodies["since"] = 0.5 * dt
        self.halt[0] = 0
        cut = Cut(world, dt, self.published or not world.lists.joints.blocks)
        before = np.zeros(0)
        while not cut.finished:
            length = cut.length(world)
            if cut.reports:
                contacts = look_again(world, length)
            while (made := self._part(world, contacts, length, cut.may_halve)) is None:
                length = cut.halve()
            report, contacts, errors = made
            before = before if cut.reports else errors
            cut.add(world, report, contacts)
            world.awake_contacts, world.acting = contacts, length
        judge_joints(world, before, dt)
        return cut.report(world)

    def _part(self, world, contacts, dt: float, may_halve: bool) -> tuple[Report, np.ndarray, np.ndarray] | None:
        """(report, contacts, joint errors at its start) of a part of dt [s]; None where its half should be tried."""
        o, begin, bodies = self.options, time.perf_counter(), world.bodies
        kinetic = measure.energy(bodies, world.gravity)[0]
        shapes, joints = copy_of(world.shapes), copy_of(world.joints) if may_halve else None
        step = Step(world, contacts, dt, self._settings(world), self.halt, lambda sizes: self._announce(world, sizes),
                    self.witness)
        try:
            if not step.run(may_halve):
                bodies["pos"], bodies["quat"] = step.pos, step.quat
                world.joints[:] = joints
                return None
            self._learn(step, time.perf_counter() - begin)
        finally:
            world.shapes[:] = shapes
            self.progress.began = 0.0
        index, columns = world.lists.joints.joints, np.empty(len(COLUMNS))
        store(step.contacts, world.joints, index, step.rows, step.blocks, step.velocity, dt, step.signs)
        step.measure_joints()
        numerical = ledger.enter(bodies, world.joints, world.gravity, dt, step.rows, step.blocks, step.contacts, step.of_body,
                                 step.start, step.velocity, o.restitution_threshold, columns)
        aim.keep(bodies, step.quat, step.velocity, dt, o.gyroscopic)
        columns[NUMERICAL] = measure.energy(bodies, world.gravity)[0] - kinetic - columns[: NUMERICAL].sum()
        report = self._report(world, step)
        report.ledger, report.numerical = dict(zip(COLUMNS, columns.tolist())), numerical
        if report.joint_error > LOOSE * o.tolerance:
            report.residual = max(report.residual, report.joint_error / dt)
        return report, step.contacts, step.errors

    def _settings(self, world) -> Settings:
        """The options as numbers; an odd number of facets is rounded up, with a message."""
        o = self.options
        is_round, facets = o.cone == CIRCLE, o.facets + o.facets % 2
        if facets != o.facets:
            world.warnings.add(f"facets = {o.facets}: each direction of friction needs its opposite (ST96 eq 13), so it must be "
                               f"even; {facets} are used")
        return Settings(directions(facets), is_round, o.rounds, o.tolerance, o.linearise == PREDICTED, o.contacts, o.layer,
                        o.restitution == POISSON, o.positions == EXPLICIT, o.gyroscopic, o.restitution_threshold, o.fastest,
                        o.pivots)

    def _announce(self, world, sizes: np.ndarray) -> None:
        """Tell how long the coming problem will take, before it is solved."""
        n = int(sizes[:, 0].max(initial=0))
        quick, slow = (pace * _cubes(sizes) for pace in self.pace)
        self.progress.unknowns, self.progress.estimate, self.progress.began = n, (quick, slow), time.perf_counter()
        typical = math.sqrt(quick * slow)
        if typical > max(LONG, AGAIN * self.told):
            self.told = typical
            world.warnings.add(f"the exact solver has a problem of {n} unknowns: {quick:.1g} to {slow:.1g} s a step; fewer "
                               "bodies that touch, fewer facets or sequential impulses are faster")

    def _learn(self, step: Step, seconds: float) -> None:
        """The pace, from a step that took so long: the nearer of the two comes half way, on a scale of powers."""
        work = sum(_cubes(p.sizes) for p in step.solved)
        if work > LEARNING and step.world.steps > 0:    # the first step loads its kernels, too
            surprises = [seconds / work / pace for pace in self.pace]
            i = int(np.argmin(np.abs(np.log(surprises))))
            self.pace[i] *= math.sqrt(min(SURPRISE, max(1.0 / SURPRISE, surprises[i])))

    def _report(self, world, step: Step) -> Report:
        """What the step tells."""
        o, tallies = self.options, np.concatenate([p.tally for p in step.solved])
        status = tallies[:, complement.STATUS]
        rays, limits = int((status == Status.RAY).sum()), int((status == Status.LIMIT).sum())
        last = step.solved[-1].tally
        gave_way = bool((last[:, complement.SOFT] == complement.GAVE_WAY).any())
        unsolved = last[:, complement.STATUS] != Status.SOLVED
        if rays:
            world.warnings.add("Lemke's algorithm ended on a ray: it found no solution of the problem of a step; projected "
                               "sweeps took its place (the panel Exact counts such steps)")
        if gave_way:
            world.warnings.add("Nothing satisfies all contacts of a step, as where walls close on a body: they give way a little")
        if limits:
            world.warnings.add(f"Lemke's algorithm was not done after {o.pivots:g} pivots per unknown, and projected sweeps took "
                               "its place: raise 'pivots'")
        solved = Solved(step.rounds, step.moved, tuple(step.solved), rays, limits, float(step.eased.min(initial=1.0)))
        done = o.rounds == 1 or step.done
        if not done and step.moved > UNSETTLED:
            world.warnings.add(f"the exact solver's rounds did not settle in a step of {step.dt:g} s: gaps and joints may be off "
                               "by what the last one moved (the panel Exact tells); take smaller steps")
        if (tallies[:, complement.ASKEW] > 0).any():
            world.warnings.add("round friction did not settle against the slip in a step: take smaller steps, or the polygon")
        end = "converged" if done else "iteration limit"
        if unsolved.any():
            end = "gave way" if gave_way else "swept" if last[unsolved, complement.SWEPT].all() else "softened"
        return Report(solver=self.name, iterations=solved.pivots, end=end, change=step.moved / step.dt, residual=step.residual,
                      contacts=len(step.contacts), rows=len(step.rows), penetration=measure.penetration(step.contacts),
                      joint_error=measure.joint_error(world.joints), solved=solved,
                      counted="pivots")


def _cubes(sizes: np.ndarray) -> float:
    """Sum of the third powers of the unknowns."""
    return float((sizes[:, 0].astype(float) ** 3).sum())


SOLVER = StewartTrinkle
