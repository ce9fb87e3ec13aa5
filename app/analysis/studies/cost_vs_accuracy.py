"""Cost against accuracy: the same scene under every solver, over numbers of sweeps and step sizes. GL-free.

    error = max over times of |q(t) - q*(t)|                                                           (1)
    cost  = processor time of all steps of a run / simulated time                                      (2)

q* is the scene's law if it has one for the quantity; else the result of the scene's own solver with a step of h/16 and four times
the sweeps. All are sampled at the times of the largest step. A solver is better the lower and further left its points lie.
"""

import time
from dataclasses import dataclass, fields

import numpy as np

from app.analysis.studies.background_runs import MAX_STEP_SIZE, BackgroundRun, TooLong
from app.i18n.message import message
from app.number_format import rounded
from physics import BadInput, Diverged, World, set_option, solvers, step

ACCURACY_OPTIONS = {"iterations": (1, 3, 10, 30, 100, 300), "substeps": (1, 2, 4, 8, 16), "rounds": (1, 2, 5, 20)}
"""Options that trade time for accuracy, and the values tried; a solver's first option listed here is used."""

FACTORS = (4.0, 2.0, 1.0, 0.5, 0.25)
"""Step sizes relative to the scene's own."""

FINEST, MORE = 16, 4
"""Reference where there is no law: divisor of the step size, factor on the number of sweeps."""

MAX_RUN_TIME = 10.0
"""Largest time of a run [s]: a longer one ends its family, as the rest costs more. The reference may take three times as long."""


@dataclass(frozen=True)
class Point:
    """One run. solver: its file; knob, value: the setting ("step" [s] or an option); cost of (2) [s/s]; error of (1)."""

    solver: str
    knob: str
    value: float
    cost: float
    error: float


def name_of(solver: str) -> str:
    """Display name of a solver."""
    return solvers.available()[solver].name


def label(knob: str, value: float) -> str:
    """The setting in words."""
    words = {"iterations": "sweeps", "substeps": "substeps", "rounds": "rounds"}
    return message("a step of {value} ms", value=rounded(1e3 * value)) if knob == "step" else f"{value:.0f} {words[knob]}"


@dataclass
class Accuracy(BackgroundRun):
    """All runs. points: so far; left_out: why a solver, or one of its runs, is missing; against: description of q*."""

    key: str
    seconds: float
    points: tuple[Point, ...] = ()
    left_out: tuple[str, ...] = ()
    against: str = ""

    def measure(self) -> None:
        """Compute the reference, then every solver's family of runs, the cheapest first."""
        times, reference = self._reference()
        families = [(solver, knob, values) for solver in solvers.available() for knob, values in self._family(solver)]
        total = max(1, len(families))
        for count, (solver, knob, values) in enumerate(families):
            try:
                for value in values:
                    self._point(solver, knob, value, times, reference)
            except TooLong:
                self._leave_out(message("{solver}: a run with {knob} would take more than {max_run_time:g} s",
                                        solver=name_of(solver), knob=label(knob, value), max_run_time=MAX_RUN_TIME))
            except BadInput as error:       # some solvers refuse a scene only once bodies touch
                self._leave_out(f"{name_of(solver)}: {error}")
            self.progress = (count + 1) / total

    @property
    def sizes(self) -> tuple[float, ...]:
        """Step sizes that are tried, the longest first [s]."""
        own = self.scene.dt
        return tuple(f * own for f in FACTORS if f * own <= max(MAX_STEP_SIZE, own))

    def _family(self, solver: str) -> list[tuple[str, tuple[float, ...]]]:
        """Settings to vary for a solver, one at a time; empty for one that cannot run this scene."""
        try:
            world = self.world(solver)
        except BadInput as error:
            self._leave_out(str(error))
            return []
        known = {field.name for field in fields(world.solver.options)}
        knob = next((name for name in ACCURACY_OPTIONS if name in known), "")
        return [*([(knob, ACCURACY_OPTIONS[knob])] if knob else []), ("step", self.sizes)]

    def _point(self, solver: str, knob: str, value: float, times: np.ndarray, reference: np.ndarray) -> None:
        """Perform one run; TooLong as in `curve`."""
        h = value if knob == "step" else self.scene.dt
        world = self._ready(solver, knob, value, h)
        between, samples = round(self.sizes[0] / h), len(times) - 1
        before = time.thread_time()
        try:
            curve = self.curve(world, self.key, h, samples, between, limit=MAX_RUN_TIME)
        except Diverged as error:
            self._leave_out(message("{solver} with {knob}: {error}", solver=name_of(solver), knob=label(knob, value),
                                    error=error))
            return
        spent = time.thread_time() - before
        both = np.isfinite(curve) & np.isfinite(reference)
        error = float(np.abs(curve - reference)[both].max(initial=0.0))
        self.points = (*self.points, Point(solver, knob, value, spent / (samples * self.sizes[0]), error))

    def _ready(self, solver: str, knob: str, value: float, h: float) -> World:
        """A world at its start; another world loads the kernels first, to keep that out of the cost."""
        worlds = [self.world(solver), self.world(solver)]
        for world in worlds:
            if knob != "step":
                set_option(world.solver.options, knob, int(value))
        for _ in range(3):
            step(worlds[0], h)
        return worlds[1]

    def _reference(self) -> tuple[np.ndarray, np.ndarray]:
        """Times of the samples, and q* there; NaN where the law is undefined."""
        largest = self.sizes[0]
        samples = max(1, round(self.seconds / largest))
        times = largest * np.arange(samples + 1)
        laws = self.scene.law_curves(self.parameters) if self.scene.law_curves else ()
        law = next((curve for curve in laws if curve.key == self.key), None)
        if law is not None:
            self.against = message("the law ({law})", law=law.label)
            return times, np.interp(times, law.times, law.values, left=np.nan, right=np.nan)
        world, h = self.world(self.scene.solver), self.scene.dt / FINEST
        if hasattr(world.solver.options, "iterations"):
            set_option(world.solver.options, "iterations", MORE * world.solver.options.iterations)
        self.against = message("{solver} with a step of {h:.3g} ms", solver=name_of(self.scene.solver), h=1e3 * h)
        try:
            return times, self.curve(world, self.key, h, samples, round(largest / h), limit=3.0 * MAX_RUN_TIME)
        except TooLong:
            raise BadInput(message("the reference, {against}, takes too long: choose less than {seconds:g} s",
                                   against=self.against, seconds=self.seconds)) from None

    def _leave_out(self, sentence: str) -> None:
        self.left_out = (*self.left_out, sentence)
