"""How much wall time the solver of a step may have, so that the window keeps its speed: what `Simulation` inherits.

A step of dt has the wall time dt / speed. A share of it is for finding contacts and for the solver, the rest is the window's.
Where a person gives the solver a budget of its own that counts instead; steps made by hand or made again have no limit.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from physics import Report
from physics.options import checked

TIME_SHARE = 0.7
"""Share of the real time that a step has for finding contacts and for the sweeps."""

LEAST = 0.5
"""Share of it that the sweeps have at least: a machine that cannot keep the rate slows time down, and not friction."""


def time_for_sweeps(report: Report | None, period: float, share: float) -> float:
    """Wall time for the sweeps of a step that has the wall time `period` in all [s]; 0: no limit.

    report: of the last step, which tells what else a step takes.
    """
    if share <= 0.0:
        return 0.0
    times = report.times if report is not None else {}
    besides = times.get("step", 0.0) - times.get("solve", 0.0) - times.get("integrate", 0.0)
    return max(share * period - besides, LEAST * period)


class Paced:
    """time_share: of the real time of steps, 0: no limit. allowance: wall time for the sweeps of the next step [s], 0: no limit;
    set by the physics thread around each step that is due."""

    world: Any

    def __init__(self) -> None:
        super().__init__()
        self.time_share = TIME_SHARE
        self.allowance = 0.0

    def set_time_share(self, share: float) -> None:
        """Share of the real time that a step has which its solver may use where it has no budget of its own; 0: no limit."""
        self.time_share = checked("share of real time", share, 1.0, lo=0.0, hi=1.0)

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        """A step within its allowance, of which no state of the world knows."""
        solver = self.world.solver
        if not (self.allowance and hasattr(solver, "allowance")):
            yield
            return
        solver.allowance = self.allowance
        try:
            yield
        finally:
            solver.allowance = 0.0
