"""Step rejection: a step that blows up, or in which energy comes from nowhere, is undone and made again in shorter pieces.

The auditor (audit.py) tells how much of what moves in an island came from nowhere in a step. Beyond `audit.options.reject_above`
the step is rejected and tried in PIECE_FACTOR times as many pieces, up to MAX_PIECES; each piece has contacts of its own, as
every part of a step (parts.py), and sweeps begin without the last impulses. After an impact these are far too large: a light
box between the floor and a heavy one that was stopped is held by both, and where sweeps end before they have taken that back,
they throw both up. If no number of pieces is good, the step counts as it was tried first, or in the pieces in which it gained
less than half of that, and the auditor's finding stands beside it.

Not rejected is what pushes overlapping bodies apart, which lifts them in pieces as well; what a published scheme gains by its
own rule (`Solver.is_published_scheme`); and what the microscope ended. Where the clock ended a try, the step counts as ended by
the clock: what is made again without it may take another way.

The next step begins with the number of pieces before the one that was good. After steps for which nothing helped some are
made as they come, twice as many each time: a solver that the auditor cannot follow costs a little more and not a hundredfold.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from physics.core.check import Diverged
from physics.observe.audit.worst_places import Rule
from physics.observe.report import BUDGET_SPENT, RUN_TO_END, Report
from physics.stepping.time_of_impact import SHARED

PIECE_FACTOR = 4
"""Pieces of the next try, for each of the last."""

MAX_PIECES = 64
"""Most pieces of a step; in crowds SHARED (time_of_impact.py) over the number of shapes."""

MAX_UNCHECKED_STEPS = 256
"""Most steps in a row that are not judged."""


@dataclass(frozen=True)
class StepControl:
    """What the steps before tell about the next one (`World.step_control`).

    pieces: with how many it begins. rest: so many further steps are made as they come; last_rest: how many there were last time.
    """

    pieces: int = 1
    rest: int = 0
    last_rest: int = 0


DEFAULT_CONTROL = StepControl()
"""In one piece, and judged."""


class EnergyGained(ArithmeticError):
    """Energy came from nowhere in this try of a step."""


class StepAttempts:
    """The tries of one step."""

    def __init__(self, world: Any) -> None:
        self._world, self._control, self.pieces = world, world.step_control, world.step_control.pieces
        self._last = self._control.rest > 0           # whatever comes out counts
        self._gained: dict[int, float] = {}     # share of what moves, of each number of pieces
        self._blown: Diverged | None = None     # the first of those that blew up
        self._short_of_time = False     # whether the clock ended, or may have ended, one of those rejected

    @property
    def _most(self) -> int:
        """Most pieces."""
        return min(MAX_PIECES, SHARED // max(1, len(self._world.shapes)))

    def begin_part(self, contacts: np.ndarray) -> None:
        """Take the last impulses from the contacts of a part, if the step was rejected with them."""
        if self.pieces > self._control.pieces:
            for name in ("impulse", "friction_impulse", "spin_impulse"):
                contacts[name] = 0.0

    def judge(self, world: Any, reports: list[Report]) -> None:
        """Reject what was just made, or write down what it tells about the next step.

        Raises:
            Gained: it is to be undone.
        """
        gained, control = world.audit.gained, self._control
        if control.rest:
            world.step_control = replace(control, rest=control.rest - 1)
        elif self._last:
            rest = min(MAX_UNCHECKED_STEPS, max(1, 2 * control.last_rest))
            world.step_control = StepControl(rest=rest, last_rest=rest)
        elif gained > world.audit.options.reject_above and self._most >= PIECE_FACTOR and _may_help(world):
            self._gained[self.pieces] = gained
            self._short_of_time |= any(report.end == BUDGET_SPENT for report in reports)
            raise EnergyGained
        elif self.pieces > 1 or control != DEFAULT_CONTROL:
            world.step_control = StepControl(max(1, self.pieces // PIECE_FACTOR))
        if self._short_of_time:
            reports[-1].end = BUDGET_SPENT

    def next(self, error: EnergyGained | Diverged) -> None:
        """Go over to the next number of pieces after this error.

        Raises:
            Diverged: the step blew up in any number of pieces.
        """
        if isinstance(error, Diverged):
            self._blown = self._blown or error
            self._short_of_time |= self._world.solver.time_limit > 0.0
        if PIECE_FACTOR * self.pieces <= self._most:
            self.pieces *= PIECE_FACTOR
        elif self._gained and not self._last:
            first = next(iter(self._gained))
            best = min(self._gained, key=lambda pieces: self._gained[pieces])
            self.pieces, self._last = best if self._gained[best] < 0.5 * self._gained[first] else first, True
        else:
            raise self._blown or error


def _may_help(world: Any) -> bool:
    """Whether shorter pieces may gain less."""
    solver = world.solver
    return (Rule.OVERLAP not in world.audit.findings and not solver.is_published_scheme and not solver.gains_by_choice
            and solver.stop_at == RUN_TO_END)
