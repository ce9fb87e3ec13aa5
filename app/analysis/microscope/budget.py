"""Effect of a larger budget: the same step repeated with the sweeps it had, and with ten times as many.

    here = step(state, n sweeps),   there = step(state, 10 n sweeps)                                    (1)

from the same state, so the difference is the cost of the budget: velocities, poses, residual, energy. n: the sweeps of one
substep, rounded up.
"""

import copy
import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.engine.commands.observation import ExportedState
from app.i18n.message import message
from physics import BadInput, Diverged, Report, World, step
from physics.core.quaternions import conjugate, product
from physics.core.records import Kind

ENDED_BY_CLOCK = "time budget exceeded: friction may be too weak"
"""Note on a step that the clock ended."""

BUDGET_FACTORS = 10
"""Factor on the number of sweeps."""


@dataclass(frozen=True)
class StepOutcome:
    """One of the two steps. sweeps: limit in each substep; pos (n, 3), quat (n, 4), velocity (n, 6): of the body slots at its
    end; bodies: number of movable ones."""

    sweeps: int
    report: Report
    pos: np.ndarray
    quat: np.ndarray
    velocity: np.ndarray
    bodies: int

    @property
    def energy(self) -> float:
        """Energy at the end [J]."""
        return sum(self.report.energy.values())


@dataclass(frozen=True)
class Difference:
    """there - here. speed, turn: largest difference of velocity [m/s], angular velocity [rad/s]; way: of position [m]; body: the
    one with that speed; energy: here - there [J]; moved: (n,) bool, bodies whose pose differs at all, out of the movable ones."""

    speed: float
    turn: float
    distance: float
    body: int
    energy: float
    moved: np.ndarray
    bodies: int


@dataclass
class BudgetComparison:
    """The two steps of (1), computed in a separate thread, and some between. curve: (sweeps, residual [m/s]) of 1, 2, 4, ..
    sweeps and of these two; problem: reason why there is no result."""

    state: ExportedState
    sweeps: int
    here: StepOutcome | None = None
    there: StepOutcome | None = None
    difference: Difference | None = None
    curve: tuple[tuple[int, float], ...] = ()
    problem: str = ""
    done: bool = False

    def start(self) -> None:
        """Start the computation in a separate thread."""
        threading.Thread(target=self.run, name="budget", daemon=True).start()

    def run(self) -> None:
        """Compute both steps in this thread."""
        try:
            self.here = outcome(self.state, self.sweeps)
            self.there = outcome(self.state, BUDGET_FACTORS * self.sweeps)
            self.difference = difference(self.here, self.there)
            few = [2**i for i in range((BUDGET_FACTORS * self.sweeps).bit_length()) if 2**i != self.sweeps
                   and 2**i < BUDGET_FACTORS * self.sweeps]
            found = [(o.sweeps, o.report.residual) for o in (self.here, self.there, *(outcome(self.state, k) for k in few))]
            self.curve = tuple(sorted(found))
        except (BadInput, Diverged) as error:
            self.problem = str(error)
        finally:
            self.done = True


def outcome(state: ExportedState, sweeps: int) -> StepOutcome:
    """The next step from that state with at most `sweeps` sweeps in each substep, without wall-clock limit.

    Raises:
        BadInput: the solver makes no sweeps, or what a step may raise. Diverged.
    """
    world = state.world()
    name = world.solver.sweep_option
    if not name:
        raise BadInput(message("{solver} has no sweeps: a time budget does not change its result", solver=world.solver.name))
    options: Any = copy.copy(world.solver.options)
    object.__setattr__(options, name, sweeps)       # may exceed the limit for users
    world.solver.options = options
    report = step(world, state.dt)
    return _outcome(world, report, sweeps)


def _outcome(world: World, report: Report, sweeps: int) -> StepOutcome:
    bodies = world.bodies
    return StepOutcome(sweeps, report, bodies["pos"].copy(), bodies["quat"].copy(),
                       np.concatenate([bodies["vel"], bodies["omega"]], axis=1) * (bodies["kind"] != Kind.FREE)[:, None],
                       int(np.count_nonzero(bodies["kind"] == Kind.DYNAMIC)))


def difference(here: StepOutcome, there: StepOutcome) -> Difference:
    """Effect of the larger number of sweeps."""
    apart = there.velocity - here.velocity
    speeds, turns = np.linalg.norm(apart[:, :3], axis=1), np.linalg.norm(apart[:, 3:], axis=1)
    ways = np.linalg.norm(there.pos - here.pos, axis=1)
    moved = (ways > 0.0) | np.any(there.quat != here.quat, axis=1)
    return Difference(float(speeds.max(initial=0.0)), float(turns.max(initial=0.0)), float(ways.max(initial=0.0)),
                      int(np.argmax(speeds)) if len(speeds) else -1, here.energy - there.energy, moved, here.bodies)


def ended(report: Report) -> str:
    """Why the sweeps ended, in words: never "converged" alone where the auditor reported a failure."""
    end = "as set" if report.end == "fixed" else report.end
    return message("{end}, but the audit fails", end=end) if fails(report) else end


def fails(report: Report) -> bool:
    """Whether the auditor reported a failure in the step."""
    return report.audit is not None and not report.audit.ok


def cut_short(short: int) -> str:
    """Number of steps of a run that the clock ended, in words."""
    return (message("Steps of this run cut short by the time budget before convergence: {short}. Reduce the playback speed or "
                    "the number of bodies, or increase the budget or the step size; single steps have no limit.", short=short))


def magnification(apart: Difference, room: float) -> float:
    """Power of ten that magnifies the largest difference of position to a visible part of `room` [m]; at least 1."""
    if not apart.distance > 0.0:
        return 1.0
    return float(np.clip(10.0 ** math.floor(math.log10(0.08 * room / apart.distance)), 1.0, 1e12))


def displaced(here: StepOutcome, there: StepOutcome, times: float, pos: np.ndarray,
              quat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Poses (n, 3), (n, 4) moved by what the larger number of sweeps changes, so many times; turns by at most half a radian."""
    turned = product(there.quat, conjugate(here.quat))
    vector = 2.0 * times * turned[:, 1:] * np.where(turned[:, :1] < 0.0, -1.0, 1.0)
    angle = np.linalg.norm(vector, axis=1, keepdims=True)
    unit = vector / np.maximum(angle, 1e-300)
    half = 0.5 * np.minimum(angle, 0.5)
    turn = np.hstack([np.cos(half), np.sin(half) * unit])
    return pos + times * (there.pos - here.pos), product(turn, quat)


def sweeps_reached(report: Report | None) -> int:
    """Sweeps of each substep of a step, rounded up; 1 before the first."""
    if report is None or report.iteration_unit != "sweeps":
        return 1
    return max(1, -(-report.iterations // max(1, report.substeps)))
