"""Sequential impulses with friction in joints and contacts (MS16, section 2).

One step, from (X0, V0) to (X1, V1):

    1  V <- V0 + M^-1 p_ext                                  external forces                     (eq 10)
    2  V <- V + sum M^-1 J^T p                               last step's impulses: warm start
    3  sweeps over all blocks, see _sweep.py                 until max ||dp|| / rate < eps       (eq 15 - 17)
                                                             or the wall-clock budget is spent
    4  X1 <- X0 + dt (V1 + push)                             push: contacts, on positions alone   (eq 11)
    5  X1 <- X1 + projection on the joints                   removes drift, leaves no velocity

Departures from the paper. Constraints of joints, and their dry friction while it sticks, are solved together in each sweep
(direct.py, sticking.py); one by one is an option. Eq 17 measures ||dp|| by the velocity that it causes, ||dp|| / rate, where
1 / rate bounds the largest eigenvalue of the block's J M^-1 J^T. Contacts (one-sided rows and cones) are blocks like any other.
A slipping block is projected for maximal dissipation (the paper's scaling, eq 16, is an option). Gyroscopic torque is in. Joint
rows aim at the chord of the step (physics/joints/_parts.py).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics import ledger
from physics.friction import polygon
from physics.options import Described, option
from physics.parts import substeps_of
from physics.report import NEVER, SHORT, Report
from physics.solvers._advance import ENDS, Result, Settings, advance
from physics.solvers._impact import strike
from physics.stiffness import CALM, STABLE

RADIAL = "radial (MS16 eq 16)"
TOGETHER = "together"

SHORT_OF_TIME = ("the clock ended a step before its impulses had settled: friction may hold less and stacks may give way; take a "
                 "longer budget, a slower speed, larger steps or fewer bodies")

TOO_FEW = ("so few substeps do not resolve how fast loaded joints swing, and chains come open: set substeps to 0, which takes as "
           "many as they need, or take shorter steps")

DAMPED = ("joints carry so much that their links swing faster than the most substeps resolve, and that swinging is damped: take "
          "shorter steps, or masses that differ less")


@dataclass
class Options(Described):
    """Options of sequential impulses."""

    iterations: int = option(50, lo=1, hi=100_000, log=True,
                             help="Most sweeps over all constraints in one step. More sweeps, less residual.")
    budget: float = option(0.0, unit="ms", lo=0.0, hi=100.0,
                           help="Wall-clock time after which the sweeps stop, whatever the residual: friction may then hold "
                                "less, and no two runs are equal. 0: no limit, but the window's share of real time.")
    tolerance: float = option(1e-9, unit="m/s", lo=0.0, hi=1.0, log=True,
                              help="The sweeps stop when no impulse changes any more than this (MS16 eq 17), measured by "
                                   "the velocity that the change causes, so that light and heavy bodies are equally exact.")
    substeps: int = option(0, lo=0, hi=64,
                           help="Parts into which a step is cut; 0: as many as make them 5 ms or less, and short enough for "
                                "loaded chains. Contacts are found once and followed. Tall stacks gain more from these than "
                                "from sweeps.")
    joints: str = option(TOGETHER, choices=(TOGETHER, "one by one"),
                         help="Joints, with what of their friction sticks, are solved all at once by elimination, exactly even "
                              "in long chains with heavy ends, or one after the other as the paper does.")
    acceleration: bool = option(True, help="Between two sweeps contact impulses go on as they have moved (conjugate "
                                           "gradients): a half to a tenth of the sweeps in piles.")
    cone: str = option("circle", choices=("polygon", "circle"),
                       help="Shape of the friction cone's section: a regular polygon (ST96) or the exact circle.")
    facets: int = option(8, lo=3, hi=64,
                         help="Corners of the polygon. Friction loses up to 1 - cos(pi/k) between two corners.")
    joint_friction: str = option("maximal dissipation", choices=("maximal dissipation", RADIAL),
                                 help="How a slipping joint's impulse is found: exactly against the relative motion, "
                                      "or by scaling the sticking impulse as the paper prints it.")
    warm_start: bool = option(True, help="Start from last step's impulses. Without it stacks need many more sweeps.")
    gyroscopic: bool = option(True, help="Torque by which a spinning asymmetric body wobbles (MS16 leaves it out).")
    restitution_threshold: float = option(0.1, unit="m/s", lo=0.0, hi=10.0,
                                          help="Approach speed below which contacts do not bounce.")
    push_rate: float = option(0.3, lo=0.0, hi=1.0,
                              help="Share of an overlap that one step removes (no velocity is left).")
    push_iterations: int = option(20, lo=0, hi=1000, help="Most sweeps of each position pass; no more than the velocities had.")
    slop: float = option(0.0002, unit="m", lo=0.0, hi=0.1, help="Overlap that is left alone, so that contacts stay.")
    max_push: float = option(3.0, unit="m/s", lo=0.0, hi=1000.0,
                             help="Speed limit of the push between contacts, so that deep overlaps do not explode.")

    @property
    def polygon_facets(self) -> int:
        """Corners of the cone's section; 0 for the circle."""
        return 0 if self.cone == "circle" else self.facets


class SequentialImpulses:
    """Sequential impulses under a wall-clock budget."""

    name: ClassVar[str] = "sequential impulses"
    doc: ClassVar[str] = (
        "Visits joints and contacts one after the other and corrects each impulse within its bound, again and again, "
        "until nothing changes or the time budget is spent; joints all at once. Fast, always gives an answer, good for large "
        "scenes and long chains; tall stacks need many sweeps.")
    effort: ClassVar[str] = "iterations"
    frozen = NEVER      # see solvers/__init__.py

    def __init__(self) -> None:
        self.options = Options()
        self.patient = False    # the clock ends no step: one that it did not end before is made again
        self.allowance = 0.0    # wall time for the next step where the options have no budget [s], 0: no limit; the caller's

    def unsupported(self, world) -> str:
        return ""

    def strike(self, world, contacts, what) -> tuple[Report, np.ndarray]:
        """The impacts of a moment (_impact.py)."""
        return strike(world, contacts, what, self.options.polygon_facets, self.options.restitution_threshold)

    def step(self, world, contacts, dt: float) -> Report:
        """Advance the world by dt [s] in substeps, each: velocities, then positions."""
        o, lists = self.options, world.lists
        linkage = lists.linkage if o.joints == TOGETHER else lists.one_by_one
        budget = 0.0 if self.patient else (1e-3 * o.budget or self.allowance) * dt / world.step_length
        substeps = substeps_of(world, o.substeps, dt) if o.substeps > 0 else 0
        settings = Settings(polygon(o.polygon_facets), dt, world.last_part, world.acting, substeps, o.iterations, budget,
                            o.tolerance, o.gyroscopic, o.warm_start, o.joint_friction == RADIAL, o.acceleration,
                            o.restitution_threshold, o.push_rate, o.slop, o.max_push, o.push_iterations, *self.frozen)
        columns = ledger.blank(world.keeps_ledger)
        r = Result(*advance(world.bodies, contacts, world.joints, linkage, world.materials.pairs, world.gravity, settings,
                            columns))
        if ENDS[r.end] == SHORT:
            world.warnings.add(SHORT_OF_TIME)
        if o.substeps > 0 and r.swing > STABLE:
            world.warnings.add(TOO_FEW)
        if o.substeps == 0 and r.swing > CALM:
            world.warnings.add(DAMPED)
        return Report(solver=self.name, iterations=r.sweeps, end=ENDS[r.end], change=r.change, residual=r.residual,
                      contacts=len(contacts), rows=lists.joints.rows + 3 * len(contacts), penetration=r.penetration,
                      joint_error=r.joint_error, parts=r.parts, position_iterations=r.pushes, budget=budget,
                      times={"integrate": r.integrating}, ledger=ledger.told(columns))


SOLVER = SequentialImpulses
