"""The same scene at h, h/2, h/4, ..: how fast a quantity converges. GL-free; runs in a thread of its own on a world of its own.

    change(h) = max over times of |q_h(t) - q_h/2(t)|                                                  (1)
    change(h) ~ C h^p,   p: slope of the straight line through (log h, log change), by least squares   (2)

What halving the step changes is of the order of the error, and needs no exact solution (Richardson). All are sampled at the
times of the largest step. p is 1 for semi-implicit Euler with impacts and friction (ST96 section 4), 2
where nothing but smooth forces act.
"""

import copy
import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import scenes
from physics import BadInput, Diverged, World, quantities, step

FACTORS = (4.0, 2.0, 1.0, 0.5, 0.25)
"""Steps, as parts of the scene's own; the last is halved once more."""

LONGEST = 1.0 / 15.0
"""No larger step is tried [s], unless the scene's own is larger."""

NOISE = 1e-12
"""Changes below this part of the quantity's range are rounding, and no part of (2)."""


@dataclass(frozen=True)
class Row:
    """What one step size gave: h [s], change by halving it [unit of the quantity]."""

    h: float
    change: float


@dataclass
class Study:
    """One study. rows: largest step first, complete when `done`; order: p of (2), NaN without two rows; problem: why it ended
    early.

    Read it from any thread; `cancel` ends it soon.
    """

    scene: scenes.Scene
    parameters: Any
    solver: str
    options: Any
    key: str
    seconds: float
    rows: tuple[Row, ...] = ()
    progress: float = 0.0
    done: bool = False
    problem: str = ""
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)

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

    def start(self) -> None:
        """Begin, in a thread of its own."""
        threading.Thread(target=self.run, name="convergence", daemon=True).start()

    def cancel(self) -> None:
        self._stop.set()

    def run(self) -> None:
        """The whole study, in this thread."""
        try:
            self._measure()
        except (BadInput, Diverged) as error:
            self.problem = str(error)
        finally:
            self.done = True

    def _measure(self) -> None:
        sizes = self.sizes
        samples = max(1, round(self.seconds / sizes[0]))
        total, before, curves = sum(samples * sizes[0] / h for h in sizes), 0.0, []
        for h in sizes:
            curve = self._curve(h, samples, round(sizes[0] / h), before, total)
            if curve is None:
                return
            curves.append(curve)
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

    def _curve(self, h: float, samples: int, between: int, before: float, total: float) -> np.ndarray | None:
        """The quantity at the times of the largest step; None if it was cancelled."""
        world = self._world()
        read = quantities.find(world, self.key).read
        curve = np.empty(samples + 1)
        curve[0] = read(world)
        for n in range(samples):
            for _ in range(between):
                if self._stop.is_set():
                    self.problem = "cancelled"
                    return None
                step(world, h)
            curve[n + 1] = read(world)
            self.progress = (before + (n + 1) * between) / total
        return curve

    def _world(self) -> World:
        world = scenes.make_world(self.scene, self.parameters)
        world.use_solver(self.solver)
        world.solver.options = copy.copy(self.options)
        return scenes.without_clock(world)


def order_of(rows: tuple[Row, ...]) -> float:
    """p of (2); NaN without two rows."""
    if len(rows) < 2:
        return float("nan")
    h, change = np.log([r.h for r in rows]), np.log([r.change for r in rows])
    return float(np.polyfit(h, change, 1)[0])
