"""Sequential impulses with friction in joints and contacts (MS16, section 2).

One step, from (X0, V0) to (X1, V1):

    1  V <- V0 + M^-1 p_ext                                  external forces                     (eq 10)
    2  V <- V + sum M^-1 J^T p                               last step's impulses: warm start
    3  sweeps over all blocks, see row_sweeps.py                 until max ||dp|| / rate < eps       (eq 15 - 17)
                                                             or the wall-clock budget is spent
    4  X1 <- X0 + dt (V1 + push)                             push: contacts, positions only       (eq 11)
    5  X1 <- X1 + projection on the joints                   removes drift, leaves no velocity

Departures from the paper. Constraints of joints, and their dry friction while it sticks, are solved together in each sweep
(direct_joint_solver.py); one by one is an option. Eq 17 measures ||dp|| by the velocity change ||dp|| / rate, where 1 / rate
bounds the largest eigenvalue of the block's J M^-1 J^T. Contacts (one-sided rows and cones) are blocks like any other; where
sweeps of a mechanism are slow, its joints are eliminated (impulses/reduced_sweeps.py). A slipping block is projected for maximal
dissipation (the paper's scaling, eq 16, is an option). Gyroscopic torque is included. Joint rows are satisfied along the chord of
the step (physics/joints/_parts.py).
"""

from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from physics.constraints.contact_batches import JUMP
from physics.constraints.joint_system import JointSystem
from physics.constraints.layout import WorldLayout
from physics.contact import impact_laws
from physics.contact.friction_cone import polygon
from physics.core import former_names
from physics.core.options import Described, as_numbers, fields, numbers_type, option
from physics.core.records import Kind
from physics.dynamics import energy_ledger
from physics.dynamics.stiffness import DAMPED_ABOVE, STABILITY_LIMIT, Pace
from physics.observe.report import BUDGET_SPENT, Report
from physics.solvers import Solver
from physics.solvers.impulses.impact import strike
from physics.solvers.impulses.iterate import SweepSettings
from physics.solvers.impulses.step import END_NAMES, ImpulseSettings, run_step
from physics.solvers.impulses.substeps import Result
from physics.stepping.drivers import substeps_of

DEFAULT_TOLERANCE = 1e-9
"""Of the sweeps [m/s]."""

RADIAL = "radial (MS16 eq 16)"
DIRECT = "direct"

SHORT_OF_TIME = ("the time budget ended a step before the impulses converged: friction may be too weak and stacks may collapse; "
                 "increase the budget or the step size, or reduce the playback speed or the number of bodies")

TOO_FEW = ("too few substeps to resolve the oscillation of loaded joints, so chains separate: set substeps to 0 (automatic) or "
           "reduce the step size")

DAMPED = ("loaded joints oscillate faster than the maximum number of substeps resolves, and the oscillation is damped: reduce "
          "the step size or the mass ratio")


@former_names.accepts_former
@dataclass
class ImpulseOptions(Described):
    """Options of sequential impulses."""

    iterations: int = option(50, lo=1, hi=100_000, log=True,
                             help="Maximum number of sweeps over all constraints per step. More sweeps reduce the residual.")
    budget: float = option(0.0, unit="ms", lo=0.0, hi=100.0,
                           help="Wall-clock time after which the sweeps stop, whatever the residual. Friction may then be too "
                                "weak, and runs are not reproducible. 0: no limit except the window's share of real time.")
    tolerance: float = option(DEFAULT_TOLERANCE, unit="m/s", lo=0.0, hi=1.0, log=True,
                              help="Convergence tolerance: the sweeps stop when no impulse changes by more than this (MS16 eq "
                                   "17), measured as the velocity change it causes, so that light and heavy bodies are equally "
                                   "accurate.")
    substeps: int = option(0, lo=0, hi=64,
                           help="Substeps per step; 0: as many as keep them at 5 ms or less, and short enough for loaded chains. "
                                "Contacts are found once and updated. Tall stacks profit more from substeps than from sweeps.")
    joints: str = option(DIRECT, choices=(DIRECT, "one by one"),
                         help="Solve all joints and their sticking friction simultaneously by elimination, exact even for long "
                              "chains with heavy ends; or one after the other, as in the paper.")
    acceleration: bool = option(True, help="Accelerate the sweeps over contact impulses by conjugate gradients: 2 to 10 times "
                                           "fewer sweeps for piles.")
    early_stop: bool = option(True, help="With more than 64 contacts and no joints: stop the sweeps at 1e-7 m/s, or where twice "
                                         "as many would gain little; where sweeps gain nothing, as in tall stacks, take shorter "
                                         "substeps instead. A smaller tolerance than the default turns this off.")
    cone: str = option("circle", choices=("polygon", "circle"),
                       help="Cross-section of the friction cone: a regular polygon (ST96) or the exact circle.")
    facets: int = option(8, lo=3, hi=64,
                         help="Number of polygon corners. Between two corners friction is too weak by up to 1 - cos(pi/k).")
    joint_friction: str = option("maximal dissipation", choices=("maximal dissipation", RADIAL),
                                 help="Impulse of a slipping joint: exactly opposite to the relative motion, or the sticking "
                                      "impulse scaled as printed in the paper.")
    warm_start: bool = option(True, help="Start from the impulses of the last step. Without warm starting, stacks need many more "
                                         "sweeps.")
    gyroscopic: bool = option(True, help="Gyroscopic torque, which makes a spinning asymmetric body wobble (omitted in MS16).")
    restitution_threshold: float = option(0.1, unit="m/s", lo=0.0, hi=10.0,
                                          help="Approach speed below which contacts do not rebound.")
    impact_law: str = option(impact_laws.DEFAULT_LAW, choices=tuple(impact_laws.laws()), help=impact_laws.HELP)
    multiple_impacts: str = option(impact_laws.SIMULTANEOUS, choices=(impact_laws.SIMULTANEOUS, impact_laws.SEQUENTIAL),
                                   help=impact_laws.MULTIPLE_HELP)
    position_correction_rate: float = option(0.3, lo=0.0, hi=1.0, help="Fraction of the penetration corrected per step (adds no "
                                                                       "velocity).")
    position_iterations: int = option(20, lo=0, hi=1000, help="Maximum number of sweeps of each position correction, limited by "
                                                              "the number of velocity sweeps.")
    slop: float = option(0.0002, unit="m", lo=0.0, hi=0.1, help="Penetration that is not corrected, so that contacts persist.")
    max_correction_speed: float = option(3.0, unit="m/s", lo=0.0, hi=1000.0,
                                         help="Maximum speed of position correction at contacts, so that deep penetration is "
                                              "not resolved explosively.")

    @property
    def polygon_facets(self) -> int:
        """Corners of the cone's section; 0 for the circle."""
        return 0 if self.cone == "circle" else self.facets


ImpulseNumbers = numbers_type(ImpulseOptions, "ImpulseNumbers")

_values_of = attrgetter(*(field.name for field in fields(ImpulseOptions)))


def compiled_options(options: ImpulseOptions) -> tuple[Any, SweepSettings]:
    """Options as compiled code takes them; the same object for equal ones."""
    return _compiled(_values_of(options))


@lru_cache(maxsize=256)
def _compiled(values: tuple) -> tuple[Any, SweepSettings]:
    o = ImpulseOptions(*values)
    return (as_numbers(o, ImpulseNumbers),
            SweepSettings(polygon(o.polygon_facets), o.tolerance, o.joint_friction == RADIAL, o.acceleration,
                          o.early_stop and o.tolerance >= DEFAULT_TOLERANCE))


class SequentialImpulses(Solver):
    """Sequential impulses under a wall-clock budget."""

    name: ClassVar[str] = "sequential impulses"
    doc: ClassVar[str] = (
        "Projected Gauss-Seidel with warm starting: corrects the impulse of one constraint after the other within its bound "
        "until convergence or until the time budget is spent; joints are solved simultaneously. Fast, always returns a result, "
        "suited to large scenes and long chains; tall stacks need many sweeps.")
    sweep_option: ClassVar[str] = "iterations"
    has_allowance: ClassVar[bool] = True
    ramps_kinematic: ClassVar[bool] = True
    solves_impacts = True
    meets_in_flight = True

    def __init__(self) -> None:
        self.options = ImpulseOptions()
        self.allowance = 0.0

    def strike(self, world, contacts, what) -> tuple[Report, np.ndarray]:
        """Apply the impacts of one moment (impact.py)."""
        return strike(world, contacts, what, self.options.polygon_facets)

    def step(self, world, contacts, dt: float) -> Report:
        """Advance the world by dt [s] in substeps, each: velocities, then positions."""
        o = self.options
        budget = self.time_limit * dt / world.current_dt
        given = o.substeps > 0 and not (o.substeps > 1 and spins(contacts, world.bodies, dt))
        substeps = substeps_of(world, o.substeps, dt) if given else 0
        numbers, sweeps = compiled_options(o)
        settings = ImpulseSettings(numbers, sweeps, dt, world.last_part_dt, world.impulse_duration,
                                   world.sweeps_stalled and sweeps.early_stop, world.pace, substeps, budget, *self.stop_at)
        columns, surfaces = energy_ledger.empty_columns(world.records_energy), (world.shapes, world.materials.records,
                                                                                world.materials.pairs)
        r = Result._make(run_step.unchecked(world.bodies, contacts, world.joints, self.system(world.layout), surfaces,
                                            world.gravity, settings, columns))
        return self.report(world, r, len(contacts), given, budget, energy_ledger.as_dict(columns))

    def system(self, layout: WorldLayout) -> JointSystem:
        return layout.joint_system if self.options.joints == DIRECT else layout.one_by_one

    def report(self, world, r: Result, contacts: int, given: bool, budget: float, ledger: dict[str, float]) -> Report:
        """The report of a step; warns of what it tells. given: the number of substeps was; budget: wall time for it [s]."""
        self.remember(world, r, given)
        return written(r, contacts, world.layout.joints.rows, budget, ledger)

    def remember(self, world, r: Result, given: bool) -> None:
        """Leave to the world what the next step needs, and warn."""
        world.sweeps_stalled, world.pace = r.stalled != 0, Pace(r.held, r.wanted, r.calm)
        if END_NAMES[r.end] == BUDGET_SPENT:
            world.warnings.add(SHORT_OF_TIME)
        if given and r.swing > STABILITY_LIMIT:
            world.warnings.add(TOO_FEW)
        if not given and r.swing > DAMPED_ABOVE:
            world.warnings.add(DAMPED)


def written(r: Result, contacts: int, rows: int, budget: float, ledger: dict[str, float]) -> Report:
    """The report of a step. rows: of the joints; budget: wall time for it [s]."""
    return Report(SequentialImpulses.name, r.sweeps, END_NAMES[r.end], r.change, r.residual, contacts, rows + 3 * contacts,
                  r.penetration, r.joint_error, position_iterations=r.pushes, budget=budget, times={"integrate": r.integrating},
                  ledger=ledger, substeps=r.parts)


def spins(contacts: np.ndarray, bodies: np.ndarray, dt: float) -> bool:
    """Whether a body in contact turns by more than JUMP in dt [s]: the arms of its contacts then turn unpredictably from substep
    to substep, so that their number is not the user's (stepping/time_of_impact.py)."""
    touching = np.concatenate([contacts["body_a"], contacts["body_b"]])
    omega = bodies["omega"][touching[bodies["kind"][touching] == Kind.DYNAMIC]]
    return bool(((omega * omega).sum(axis=1) > (JUMP / dt) ** 2).any())


SOLVER = SequentialImpulses
