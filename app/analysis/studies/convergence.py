"""Convergence study: the same scene at h, h/2, h/4, .. GL-free; runs in a separate thread on a separate world.

    change(h) = max over times of |q_h(t) - q_h/2(t)|                                                  (1)
    change(h) ~ C h^p,   p: slope of the straight line through (log h, log change), by least squares   (2)

The change by halving the step is of the order of the error, and needs no exact solution (Richardson). All runs are sampled at
the times of the largest step. p is 1 for semi-implicit Euler with impacts and friction (ST96 section 4), 2
where all forces are smooth.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.analysis.studies.background_runs import MAX_STEP_SIZE, BackgroundRun

FACTORS = (4.0, 2.0, 1.0, 0.5, 0.25)
"""Step sizes relative to the scene's own; the last is halved once more."""

ROUNDING_SHARE = 1e-12
"""Changes below this share of the quantity's range are rounding and excluded from (2)."""


@dataclass(frozen=True)
class ConvergenceRow:
    """Result of one step size: h [s], change by halving it [unit of the quantity]."""

    h: float
    change: float


@dataclass
class Study(BackgroundRun):
    """One study. rows: largest step first, complete when `done`; order: p of (2), NaN without two rows."""

    solver: str
    options: Any
    key: str
    seconds: float
    rows: tuple[ConvergenceRow, ...] = ()

    @property
    def order(self) -> float:
        """p of (2)."""
        return order_of(self.rows)

    @property
    def sizes(self) -> tuple[float, ...]:
        """Step sizes to run [s]."""
        own = self.scene.dt
        tried = [f * own for f in FACTORS if f * own <= max(MAX_STEP_SIZE, own)]
        return (*tried, 0.5 * tried[-1])

    def measure(self) -> None:
        """Compute all curves, the coarsest first, and the change by each halving."""
        sizes = self.sizes
        samples = max(1, round(self.seconds / sizes[0]))
        total, before, curves = sum(samples * sizes[0] / h for h in sizes), 0.0, []

        def report(steps: int) -> None:
            self.progress = (before + steps) / total

        for h in sizes:
            curves.append(self.curve(self.world(self.solver, self.options), self.key, h, samples, round(sizes[0] / h), report))
            before += samples * sizes[0] / h
        reference, rows = curves[-1], []
        for h, curve, finer in zip(sizes[:-1], curves[:-1], curves[1:]):
            both = np.isfinite(curve) & np.isfinite(finer)
            rows.append(ConvergenceRow(h, float(np.abs(curve - finer)[both].max(initial=0.0))))
        size = float(np.ptp(reference[np.isfinite(reference)])) if np.isfinite(reference).any() else 0.0
        self.rows = tuple(r for r in rows if r.change > ROUNDING_SHARE * max(size, 1e-300))
        self.progress = 1.0
        if not any(np.isfinite(curve).any() for curve in curves):
            self.problem = "the quantity has no value in these runs, as that of a contact that is not there: choose another"
        elif not self.rows:
            self.problem = "the quantity is equal at every step size, except for rounding"


def order_of(rows: tuple[ConvergenceRow, ...]) -> float:
    """p of (2); NaN without two rows."""
    if len(rows) < 2:
        return float("nan")
    h, change = np.log([r.h for r in rows]), np.log([r.change for r in rows])
    return float(np.polyfit(h, change, 1)[0])
