"""What accuracy costs: the same scene under every solver, with few sweeps and many, with long steps and short ones. GL-free.

    error = max over times of |q(t) - q*(t)|                                                           (1)
    cost  = processor time of all steps of a run / simulated time                                      (2)

q* is the scene's law where it has one for the quantity; else what the scene's own solver gives with a step of h/16 and four times
the sweeps. All are sampled at the times of the largest step. A solver is better where its points lie further to the lower left.
"""

import time
from dataclasses import dataclass, fields

import numpy as np

from app.digits import few
from app.insight.runs_beside import LONGEST, RunsBeside, TooLong
from physics import BadInput, Diverged, World, set_option, solvers, step

KNOBS = {"iterations": (1, 3, 10, 30, 100, 300), "substeps": (1, 2, 4, 8, 16), "rounds": (1, 2, 5, 20)}
"""Options that buy accuracy with time, and what is tried of them; a solver's first that is among them."""

FACTORS = (4.0, 2.0, 1.0, 0.5, 0.25)
"""Steps, as parts of the scene's own."""

FINEST, MORE = 16, 4
"""Of the reference, where there is no law: how much shorter its step, how many times the sweeps."""

PATIENCE = 10.0
"""No run may take longer [s]: the rest of its family costs more. The reference may take three times as long."""


@dataclass(frozen=True)
class Point:
    """One run. solver: its file; knob, value: what was set ("step" [s] or an option); cost of (2) [s/s]; error of (1)."""

    solver: str
    knob: str
    value: float
    cost: float
    error: float


def name_of(solver: str) -> str:
    """As people read it."""
    return solvers.available()[solver].name


def said(knob: str, value: float) -> str:
    """What was set, in words."""
    words = {"iterations": "sweeps", "substeps": "substeps", "rounds": "rounds"}
    return f"a step of {few(1e3 * value)} ms" if knob == "step" else f"{value:.0f} {words[knob]}"


@dataclass
class Accuracy(RunsBeside):
    """All runs. points: those made so far; left_out: why a solver, or a run of it, is missing; against: what q* is."""

    key: str
    seconds: float
    points: tuple[Point, ...] = ()
    left_out: tuple[str, ...] = ()
    against: str = ""

    def measure(self) -> None:
        """The reference, then every solver's family of runs, the cheapest first."""
        times, reference = self._reference()
        families = [(solver, knob, values) for solver in solvers.available() for knob, values in self._family(solver)]
        total = max(1, len(families))
        for count, (solver, knob, values) in enumerate(families):
            try:
                for value in values:
                    self._point(solver, knob, value, times, reference)
            except TooLong:
                self._leave_out(f"{name_of(solver)}: a run with {said(knob, value)} would take more than {PATIENCE:g} s")
            self.progress = (count + 1) / total

    @property
    def sizes(self) -> tuple[float, ...]:
        """The steps that are tried, the longest first [s]."""
        own = self.scene.dt
        return tuple(f * own for f in FACTORS if f * own <= max(LONGEST, own))

    def _family(self, solver: str) -> list[tuple[str, tuple[float, ...]]]:
        """What is varied of a solver, one thing at a time; nothing of one that cannot do this scene."""
        try:
            world = self.world(solver)
        except BadInput as error:
            self._leave_out(str(error))
            return []
        known = {field.name for field in fields(world.solver.options)}
        knob = next((name for name in KNOBS if name in known), "")
        return [*([(knob, KNOBS[knob])] if knob else []), ("step", self.sizes)]

    def _point(self, solver: str, knob: str, value: float, times: np.ndarray, reference: np.ndarray) -> None:
        """One run; TooLong as `curve`."""
        h = value if knob == "step" else self.scene.dt
        world = self._ready(solver, knob, value, h)
        between, samples = round(self.sizes[0] / h), len(times) - 1
        before = time.thread_time()
        try:
            curve = self.curve(world, self.key, h, samples, between, limit=PATIENCE)
        except Diverged as error:
            self._leave_out(f"{name_of(solver)} with {said(knob, value)}: {error}")
            return
        spent = time.thread_time() - before
        both = np.isfinite(curve) & np.isfinite(reference)
        error = float(np.abs(curve - reference)[both].max(initial=0.0))
        self.points = (*self.points, Point(solver, knob, value, spent / (samples * self.sizes[0]), error))

    def _ready(self, solver: str, knob: str, value: float, h: float) -> World:
        """A world at its begin; kernels are loaded by another one before, that they cost nothing here."""
        worlds = [self.world(solver), self.world(solver)]
        for world in worlds:
            if knob != "step":
                set_option(world.solver.options, knob, int(value))
        for _ in range(3):
            step(worlds[0], h)
        return worlds[1]

    def _reference(self) -> tuple[np.ndarray, np.ndarray]:
        """Times of the samples, and q* then; not a number where the law says nothing."""
        largest = self.sizes[0]
        samples = max(1, round(self.seconds / largest))
        times = largest * np.arange(samples + 1)
        laws = self.scene.law_curves(self.parameters) if self.scene.law_curves else ()
        law = next((curve for curve in laws if curve.key == self.key), None)
        if law is not None:
            self.against = f"the law ({law.label})"
            return times, np.interp(times, law.times, law.values, left=np.nan, right=np.nan)
        world, h = self.world(self.scene.solver), self.scene.dt / FINEST
        if hasattr(world.solver.options, "iterations"):
            set_option(world.solver.options, "iterations", MORE * world.solver.options.iterations)
        self.against = f"{name_of(self.scene.solver)} with a step of {1e3 * h:.3g} ms"
        try:
            return times, self.curve(world, self.key, h, samples, round(largest / h), limit=3.0 * PATIENCE)
        except TooLong:
            raise BadInput(f"the reference, {self.against}, takes too long: ask for less than {self.seconds:g} s") from None

    def _leave_out(self, sentence: str) -> None:
        self.left_out = (*self.left_out, sentence)
