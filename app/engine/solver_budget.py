"""The wall time that the solver of a step may use, so that the window keeps its speed.

A step of dt has the wall time dt / speed. A share of it is for finding contacts and for the solver, the rest is the window's.
A solver's own budget takes precedence; single steps and recomputed steps have no limit.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from physics import Report
from physics.core.options import checked
from physics.solvers import Solver

TIME_SHARE = 0.7
"""Share of a step's real time for finding contacts and for the sweeps."""

MIN_SOLVER_SHARE = 0.5
"""Least part of that share for the sweeps: a machine that cannot hold the rate slows time down instead of weakening friction."""


def time_for_sweeps(report: Report | None, period: float, share: float) -> float:
    """Return the wall time for the sweeps of a step of wall time `period` [s]; 0: no limit.

    report: of the last step, from which the time of its other phases is taken.
    """
    if share <= 0.0:
        return 0.0
    times = report.times if report is not None else {}
    besides = times.get("step", 0.0) - times.get("solve", 0.0) - times.get("integrate", 0.0)
    return max(share * period - besides, MIN_SOLVER_SHARE * period)


class SolverBudget:
    """time_share: of the real time of steps, 0: no limit. allowance: wall time for the sweeps of the next step [s], 0: no limit;
    set by the physics thread around each step in real time."""

    def __init__(self) -> None:
        self.time_share = TIME_SHARE
        self.allowance = 0.0

    def set_time_share(self, share: float) -> None:
        """Set the share of a step's real time that a solver without a budget of its own may use; 0: no limit."""
        self.time_share = checked("share of real time", share, 1.0, lo=0.0, hi=1.0)

    @contextmanager
    def applied_to(self, solver: Solver) -> Iterator[None]:
        """Apply the allowance to the solver during a step, without changing the world's state."""
        if not (self.allowance and solver.has_allowance):
            yield
            return
        solver.allowance = self.allowance
        try:
            yield
        finally:
            solver.allowance = 0.0
