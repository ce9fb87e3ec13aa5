"""The same scene at h, h/2, h/4, ..: how fast a quantity converges. GL-free; runs in a thread of its own on a world of its own.

    change(h) = max over times of |q_h(t) - q_h/2(t)|                                                  (1)
    change(h) ~ C h^p,   p: slope of the straight line through (log h, log change), by least squares   (2)

What halving the step changes is of the order of the error, and needs no exact solution (Richardson). All are sampled at the
times of the largest step. p is 1 for semi-implicit Euler with impacts and friction (ST96 section 4), 2
where nothing but smooth forces act.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.insight.runs_beside import LONGEST, RunsBeside

FACTORS = (4.0, 2.0, 1.0, 0.5, 0.25)
"""Steps, as parts of the scene's own; the last is halved once more."""

NOISE = 1e-12
"""Changes below this part of the quantity's range are rounding, and no part of (2)."""


@dataclass(frozen=True)
class Row:
    """What one step size gave: h [s], change by halving it [unit of the quantity]."""

    h: float
    change: float


@dataclass
class Study(RunsBeside):
    """One study. rows: largest step first, complete when `done`; order: p of (2), NaN without two rows."""

    solver: str
    options: Any
    key: str
    seconds: float
    rows: tuple[Row, ...] = ()

    @property
    def order(self) -> float:
        """p of (2)."""
        return order_of(self.rows)

    @property
    def sizes(self) -> tuple[float, ...]:
        """The steps to be taken [s]."""
        own = self.scene.dt
        tried = [f * own for f in FACTORS if f * own <= max(LONGEST, own)]
        return (*tried, 0.5 * tried[-1])

    def measure(self) -> None:
        """All curves, the coarsest first, and what each halving changed."""
        sizes = self.sizes
        samples = max(1, round(self.seconds / sizes[0]))
        total, before, curves = sum(samples * sizes[0] / h for h in sizes), 0.0, []

        def tell(steps: int) -> None:
            self.progress = (before + steps) / total

        for h in sizes:
            curves.append(self.curve(self.world(self.solver, self.options), self.key, h, samples, round(sizes[0] / h), tell))
            before += samples * sizes[0] / h
        reference, rows = curves[-1], []
        for h, curve, finer in zip(sizes[:-1], curves[:-1], curves[1:]):
            both = np.isfinite(curve) & np.isfinite(finer)
            rows.append(Row(h, float(np.abs(curve - finer)[both].max(initial=0.0))))
        size = float(np.ptp(reference[np.isfinite(reference)])) if np.isfinite(reference).any() else 0.0
        self.rows = tuple(r for r in rows if r.change > NOISE * max(size, 1e-300))
        self.progress = 1.0
        if not self.rows:
            self.problem = "the quantity is the same at every step size, but for rounding"


def order_of(rows: tuple[Row, ...]) -> float:
    """p of (2); NaN without two rows."""
    if len(rows) < 2:
        return float("nan")
    h, change = np.log([r.h for r in rows]), np.log([r.change for r in rows])
    return float(np.polyfit(h, change, 1)[0])
