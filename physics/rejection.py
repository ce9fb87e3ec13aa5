"""Step rejection: a step that blows up, or in which energy comes from nowhere, is undone and made again in shorter pieces.

The auditor (audit.py) tells how much of what moves in an island came from nowhere in a step. Beyond `audit.options.again`
the step is rejected and tried in FINER times as many pieces, up to MOST; each piece has contacts of its own, as every part of a
step (parts.py). If no number of pieces is good, the step counts as it was tried first, or in the pieces in which it gained less
than half of that, and the auditor's finding stands beside it.

Not rejected is what pushes overlapping bodies apart, which lifts them in pieces as well; what a published scheme gains by its
own rule (`Solver.published`); and what the clock or the microscope ended.

The next step begins with the number of pieces before the one that was good. After steps for which nothing helped some are
made as they come, twice as many each time: a solver that the auditor cannot follow costs a little more and not a hundredfold.
"""

from dataclasses import dataclass, replace
from typing import Any

from physics.auditing.found import Rule
from physics.errors import Diverged
from physics.report import NEVER, SHORT, Report
from physics.time_of_impact import SHARED

FINER = 4
"""Pieces of the next try, for each of the last."""

MOST = 64
"""Most pieces of a step; in crowds SHARED (time_of_impact.py) over the number of shapes."""

LONGEST_REST = 256
"""Most steps in a row that are not judged."""


@dataclass(frozen=True)
class StepControl:
    """What the steps before tell about the next one (`World.step_control`).

    pieces: with how many it begins. rest: so many further steps are made as they come; last_rest: how many there were last time.
    """

    pieces: int = 1
    rest: int = 0
    last_rest: int = 0


ORDINARY = StepControl()
"""In one piece, and judged."""


class Gained(ArithmeticError):
    """Energy came from nowhere in this try of a step."""


class Tries:
    """The tries of one step."""

    def __init__(self, world: Any) -> None:
        self._control, self.pieces = world.step_control, world.step_control.pieces
        self._most = min(MOST, SHARED // len(world.shapes)) if len(world.shapes) else MOST
        self._last = self._control.rest > 0           # whatever comes out counts
        self._gained: dict[int, float] = {}     # share of what moves, of each number of pieces
        self._blown: Diverged | None = None     # the first of those that blew up

    def judge(self, world: Any, reports: list[Report]) -> None:
        """Reject what was just made, or write down what it tells about the next step.

        Raises:
            Gained: it is to be undone.
        """
        gained, control = world.audit.gained, self._control
        if control.rest:
            world.step_control = replace(control, rest=control.rest - 1)
        elif self._last:
            rest = min(LONGEST_REST, max(1, 2 * control.last_rest))
            world.step_control = StepControl(rest=rest, last_rest=rest)
        elif gained > world.audit.options.again and self._most >= FINER and _may_help(world, reports):
            self._gained[self.pieces] = gained
            raise Gained
        elif self.pieces > 1 or control != ORDINARY:
            world.step_control = StepControl(max(1, self.pieces // FINER))

    def next(self, error: Gained | Diverged) -> None:
        """Go over to the next number of pieces after this error.

        Raises:
            Diverged: the step blew up in any number of pieces.
        """
        if isinstance(error, Diverged):
            self._blown = self._blown or error
        if FINER * self.pieces <= self._most:
            self.pieces *= FINER
        elif self._gained and not self._last:
            first = next(iter(self._gained))
            best = min(self._gained, key=lambda pieces: self._gained[pieces])
            self.pieces, self._last = best if self._gained[best] < 0.5 * self._gained[first] else first, True
        else:
            raise self._blown or error


def _may_help(world: Any, reports: list[Report]) -> bool:
    """Whether shorter pieces may gain less."""
    solver = world.solver
    return (Rule.OVERLAP not in world.audit.findings and not getattr(solver, "published", False)
            and getattr(solver, "frozen", NEVER) == NEVER and not any(report.end == SHORT for report in reports))
