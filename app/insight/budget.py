"""What a larger budget would give: the same step again with as many sweeps as it had, and with ten times as many.

    here = step(state, n sweeps),   there = step(state, 10 n sweeps)                                    (1)

from the same state, so what differs is what the budget costs: velocities, poses, the residual, the energy. n: the sweeps of one
substep, rounded up.
"""

import copy
import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.engine.handing import State
from app.insight.sweeps import effort_of
from app.render.place import multiply
from physics import BadInput, Diverged, Report, World, step
from physics.core.records import Kind

SHORT_OF_TIME = "short of time: friction may hold less"
"""Beside the numbers of a step that the clock ended."""

TIMES = 10
"""How many times the sweeps."""


@dataclass(frozen=True)
class Outcome:
    """One of the two steps. sweeps: at most, in each substep; pos (n, 3), quat (n, 4), velocity (n, 6): of the
    slots of bodies at its end; bodies: how many can move."""

    sweeps: int
    report: Report
    pos: np.ndarray
    quat: np.ndarray
    velocity: np.ndarray
    bodies: int

    @property
    def energy(self) -> float:
        """[J]"""
        return sum(self.report.energy.values())


@dataclass(frozen=True)
class Difference:
    """there - here. speed, turn: largest difference of velocity [m/s], angular velocity [rad/s]; way: of position [m]; body: the
    one with that speed; energy: here - there [J]; moved: (n,) bool, bodies whose pose differs at all,
    of how many that can move."""

    speed: float
    turn: float
    way: float
    body: int
    energy: float
    moved: np.ndarray
    bodies: int


@dataclass
class Comparison:
    """The two steps of (1), made in a thread of their own, and some between. curve: (sweeps, residual [m/s]) of 1, 2, 4, ..
    sweeps and of these two; problem: why there is nothing."""

    state: State
    sweeps: int
    here: Outcome | None = None
    there: Outcome | None = None
    difference: Difference | None = None
    curve: tuple[tuple[int, float], ...] = ()
    problem: str = ""
    done: bool = False

    def start(self) -> None:
        """Begin, in a thread of its own."""
        threading.Thread(target=self.run, name="budget", daemon=True).start()

    def run(self) -> None:
        """Both steps, in this thread."""
        try:
            self.here = outcome(self.state, self.sweeps)
            self.there = outcome(self.state, TIMES * self.sweeps)
            self.difference = difference(self.here, self.there)
            few = [2**i for i in range((TIMES * self.sweeps).bit_length()) if 2**i != self.sweeps and 2**i < TIMES * self.sweeps]
            found = [(o.sweeps, o.report.residual) for o in (self.here, self.there, *(outcome(self.state, k) for k in few))]
            self.curve = tuple(sorted(found))
        except (BadInput, Diverged) as error:
            self.problem = str(error)
        finally:
            self.done = True


def outcome(state: State, sweeps: int) -> Outcome:
    """The next step from that state with at most so many sweeps in each substep, whatever the clock says.

    Raises:
        BadInput: the solver makes no sweeps, or what a step may raise. Diverged.
    """
    world = state.world()
    name = effort_of(world.solver)
    if not name:
        raise BadInput(f"{world.solver.name} makes no sweeps: a budget does not change what it finds")
    options: Any = copy.copy(world.solver.options)
    object.__setattr__(options, name, sweeps)       # also more than a person may ask for
    world.solver.options = options
    report = step(world, state.dt)
    return _outcome(world, report, sweeps)


def _outcome(world: World, report: Report, sweeps: int) -> Outcome:
    bodies = world.bodies
    return Outcome(sweeps, report, bodies["pos"].copy(), bodies["quat"].copy(),
                   np.concatenate([bodies["vel"], bodies["omega"]], axis=1) * (bodies["kind"] != Kind.FREE)[:, None],
                   int(np.count_nonzero(bodies["kind"] == Kind.DYNAMIC)))


def difference(here: Outcome, there: Outcome) -> Difference:
    """What the larger number of sweeps changes."""
    apart = there.velocity - here.velocity
    speeds, turns = np.linalg.norm(apart[:, :3], axis=1), np.linalg.norm(apart[:, 3:], axis=1)
    ways = np.linalg.norm(there.pos - here.pos, axis=1)
    moved = (ways > 0.0) | np.any(there.quat != here.quat, axis=1)
    return Difference(float(speeds.max(initial=0.0)), float(turns.max(initial=0.0)), float(ways.max(initial=0.0)),
                      int(np.argmax(speeds)) if len(speeds) else -1, here.energy - there.energy, moved, here.bodies)


def ended(report: Report) -> str:
    """Why they ended, in words: nowhere "converged" alone where the auditor found something."""
    end = "as set" if report.end == "fixed" else report.end
    return f"{end}, but the audit fails" if fails(report) else end


def fails(report: Report) -> bool:
    """Whether the auditor found something in the step."""
    return report.audit is not None and not report.audit.ok


def cut_short(short: int) -> str:
    """How many steps of a run the clock has ended, in words."""
    return (f"Steps of this run that the clock ended before their impulses had settled: {short}. A slower speed, a longer "
            "budget, larger steps or fewer bodies leave more time; steps made one by one have no limit.")


def magnification(apart: Difference, room: float) -> float:
    """The power of ten by which the largest difference of a position becomes a visible part of `room` [m]; 1 at least."""
    if not apart.way > 0.0:
        return 1.0
    return float(np.clip(10.0 ** math.floor(math.log10(0.08 * room / apart.way)), 1.0, 1e12))


def displaced(here: Outcome, there: Outcome, times: float, pos: np.ndarray, quat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Poses (n, 3), (n, 4) moved by what the larger number of sweeps changes, so many times; turns by at most half a radian."""
    turned = multiply(there.quat, here.quat * np.array([1.0, -1.0, -1.0, -1.0]))
    vector = 2.0 * times * turned[:, 1:] * np.where(turned[:, :1] < 0.0, -1.0, 1.0)
    angle = np.linalg.norm(vector, axis=1, keepdims=True)
    unit = vector / np.maximum(angle, 1e-300)
    half = 0.5 * np.minimum(angle, 0.5)
    turn = np.hstack([np.cos(half), np.sin(half) * unit])
    return pos + times * (there.pos - here.pos), multiply(turn, quat)


def reached(report: Report | None) -> int:
    """Sweeps that each substep of a step had, rounded up; 1 before the first."""
    return max(1, -(-report.iterations // max(1, report.parts))) if report is not None and report.counted == "sweeps" else 1
