"""A fit as a study: runs it and reports what the data determine of each parameter. GL-free; runs in a separate thread.

Trajectory: the step is divided by four until that changes no parameter by more than a share of its interval. Several compared
quantities are weighted by the noise that the fit itself finds in each of them.
"""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import scenes
from app.analysis.friction_fit import law_regression
from app.analysis.friction_fit.fit_parameters import FitParameter, scene_parameters
from app.analysis.friction_fit.gauss_newton import (
    MISFIT,
    Interval,
    LeastSquares,
    Optimum,
    allowed_rise,
    correlation,
    cost_of,
    covariance,
    descend,
    entangled,
    errors,
    interval,
    minimise,
    variance,
)
from app.analysis.friction_fit.plan import FitPlan
from app.analysis.friction_fit.simulated_run import Batch, FittedExperiment
from app.analysis.studies.background_runs import BackgroundRun
from app.analysis.studies.sweep_workers import LocalWorkers, Workers
from app.build_scene import own_file
from physics import BadInput
from physics.core.compile import processor

STEP_SHARE = 0.2
"""Of half the width of an interval: what a fourth of the step may change."""

REFINEMENTS = 2
"""Most times that the step is divided by four."""

REPEATS = 1
"""Times that a better optimum is followed."""

RELATED = 0.95
"""Correlation of two parameters beyond which the data hardly distinguish them."""

VALUE, SET, AT_LEAST, AT_MOST, UNKNOWN = "value", "set", "at least", "at most", "unknown"
"""Kinds of results for a parameter: a value with an interval; a set, all of whose values fit equally well; one whose upper or
lower end they leave open; nothing."""


@dataclass(frozen=True)
class FitAnswer:
    """The result for a parameter. value: the best one, or the middle of a set; lo, hi: interval of 95 %, or the set;
    error: standard error; kind: as above; nuisance: was found on the way."""

    name: str
    unit: str
    value: float
    error: float
    lo: float
    hi: float
    kind: str
    nuisance: bool = False


@dataclass(frozen=True, eq=False)
class FitCurve:
    """Compared numbers. name, unit: of y; x (n,): times [s], or velocities; data, model (n,); line: the model as a line over x,
    None: `model` itself; rest: samples that stick, (x, y)."""

    name: str
    unit: str
    x: np.ndarray
    data: np.ndarray
    model: np.ndarray
    x_name: str = "time"
    x_unit: str = "s"
    line: tuple[np.ndarray, np.ndarray] | None = None


@dataclass(frozen=True, eq=False)
class FitResult:
    """noise: standard deviation of the data about each curve; rho: correlation of successive residuals; dt: step at the end
    [s], 0 without runs; runs: worlds simulated; related: pairs of parameters that the data hardly distinguish, with their
    correlation; tangled: names of parameters that they do not distinguish at all; step_change: by halving the step, in widths of
    the interval; far: residuals beyond five times the noise; bounds: of static friction, by samples that stick."""

    method: str
    answers: tuple[FitAnswer, ...]
    curves: tuple[FitCurve, ...]
    noise: tuple[float, ...]
    rho: float
    samples: int
    dt: float = 0.0
    runs: int = 0
    related: tuple[tuple[str, str, float], ...] = ()
    tangled: tuple[tuple[str, ...], ...] = ()
    step_change: float = 0.0
    far: int = 0
    bounds: tuple[float, float] | None = None
    counts: tuple[int, int] = (0, 0)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Parameters that the data do not determine."""
        return tuple(one.name for one in self.answers if one.kind == UNKNOWN and not one.nuisance)


def processes(count: int, file: str, yields: bool) -> Callable[[], AbstractContextManager[Workers | None]]:
    """Makes as many processes; none for one, whose runs are made in the caller's thread."""
    return lambda: LocalWorkers(count, file, yields) if count > 1 else nullcontext()


@dataclass
class FitRun(BackgroundRun):
    """A fit in work. result: None until `done`, or where it ended early; seconds: wall time so far; rounds: steps so far."""

    made: FitPlan
    workers: Callable[[], AbstractContextManager[Workers | None]] = nullcontext
    result: FitResult | None = None
    seconds: float = 0.0
    rounds: int = 0

    @classmethod
    def of(cls, made: FitPlan, count: int = 1, yields: bool = False) -> "FitRun":
        """The run of a plan, not started; count: processes."""
        scene = scenes.find(made.experiment.scene)
        parameters = scene_parameters(scene, made.experiment.parameters, (), np.empty(0))
        return cls(scene, parameters, made, processes(count, own_file(scene), yields))

    @classmethod
    def beside_the_window(cls, made: FitPlan) -> "FitRun":
        """As `of`, in processes that yield to the window: in this one they would share the interpreter's lock with the
        physics."""
        run = cls.of(made)
        if made.log is None:
            count = max(1, processor.available() - 1)
            run.workers = lambda: LocalWorkers(count, own_file(run.scene), yields=True)
        return run

    def measure(self) -> None:
        """Make the fit."""
        began = time.monotonic()
        try:
            with self.workers() as pool:
                made = regression(self.made, self._count_round) if self.made.log is not None else \
                    trajectory(self.made, Batch(pool, self._stop.is_set), self._count_round)
        except RuntimeError as error:       # the processes end at once, or the program ends
            raise BadInput(str(error)) from None
        finally:
            self.seconds = time.monotonic() - began
        self.result, self.progress = made, 1.0

    def _count_round(self, count: int) -> None:
        self.rounds += 1
        self.progress = 1.0 - 0.85**self.rounds


# ---- trajectory


def trajectory(made: FitPlan, batch: Batch, on_round: Callable[[int], None]) -> FitResult:
    """Fit the scene's motion to the data.

    Raises:
        BadInput: the scene does not run at any tried parameters.
    """
    experiment, n = made.experiment, len(made.experiment.times)
    wanted, point = experiment.wanted, np.array([one.start for one in experiment.wanted])
    weights, change, here = np.ones(len(made.data)), math.inf, None
    for refinement in range(REFINEMENTS + 1):
        for _ in range(1 if len(made.data) == 1 else 2):
            problem = _problem(experiment, made.data, weights, batch, point)
            here = (minimise(problem, on_round) if here is None
                    else descend(problem, point, problem.residuals([point])[0], on_round))
            if not math.isfinite(here.cost):
                raise BadInput("the scene cannot be run with these parameters: start nearer to the data with --set")
            point, parts = here.point, (here.residuals * np.repeat(weights, n)).reshape(len(made.data), n)
            weights = np.maximum(parts.std(axis=1), 1e-9 * np.array([max(np.ptp(one), 1e-12) for one in made.data]))
            weights = weights if len(made.data) > 1 else np.ones(1)
        change, better = _by_finer_step(problem, here, _problem(experiment.finer(), made.data, weights, batch, point))
        misfit = correlation(problem, here.residuals) > MISFIT
        enough = not better if misfit else change <= STEP_SHARE
        if enough or refinement == REFINEMENTS or 4 * experiment.steps > _most_steps(len(wanted)):
            break
        experiment = experiment.finer()
    here, answers = answers_of(problem, here, wanted, made.asked_for)
    model = (here.residuals * np.repeat(weights, n)).reshape(len(made.data), n) + np.array(made.data)
    curves = tuple(FitCurve(key, unit, experiment.times, data, row) for key, unit, data, row in
                   zip(experiment.keys, made.units, made.data, model))
    noise = tuple(float(np.sqrt(np.sum((one.data - one.model) ** 2) / max(1, n - len(wanted)))) for one in curves)
    far = sum(int(np.count_nonzero(np.abs(one.data - one.model) > 5.0 * scale)) for one, scale in zip(curves, noise))
    return FitResult("trajectory", answers, curves, noise, correlation(problem, here.residuals), n, experiment.dt, batch.runs,
                     related(problem, here, answers), tangled(here, wanted), change, far)


def _most_steps(parameters: int) -> int:
    """Steps of a run beyond which the step is not divided: a fit would take too long."""
    return 400_000 // (1 + parameters)


def _problem(experiment: FittedExperiment, data: Sequence[np.ndarray], weights: np.ndarray, batch: Batch,
             point: np.ndarray) -> LeastSquares:
    measured, scale = np.concatenate(data), np.repeat(weights, len(experiment.times))

    def residuals(points: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [(curve - measured) / scale for curve in batch.run(experiment, points)]

    wanted = experiment.wanted
    return LeastSquares(residuals, point, *(np.array([getattr(one, name) for one in wanted]) for name in ("lo", "hi", "size")),
                        len(measured), (len(experiment.times),) * len(data))


def _by_finer_step(problem: LeastSquares, here: Optimum, finer: LeastSquares) -> tuple[float, bool]:
    """(largest change of a parameter that a fourth of the step would make, in half widths of its interval; whether it fits better
    by a tenth), both to first order."""
    residuals = finer.residuals([here.point])[0]
    if not math.isfinite(cost_of(residuals)):
        return 0.0, False
    shift = np.linalg.lstsq(here.jacobian, -residuals, rcond=1e-9)[0]
    widths = math.sqrt(allowed_rise(problem, here) / max(variance(problem, here), 1e-300)) * errors(problem, here)
    change = float(np.max(np.abs(shift) / np.maximum(widths, 1e-5 * problem.size)))
    return change, cost_of(residuals + here.jacobian @ shift) < 0.9 * here.cost


# ---- regression


def regression(made: FitPlan, on_round: Callable[[int], None]) -> FitResult:
    """Fit the law of a joint to its motor log."""
    log, wanted = made.log, made.experiment.wanted
    before = law_regression.law_before(made.experiment)
    rest = law_regression.rest_speed(log.velocity) if made.rest is None else made.rest
    equations = law_regression.equations(log, rest)
    wanted, starts, size = _starts(log, wanted)
    lo = np.where([one.term == "offset" for one in wanted], -1e3 * size, 0.0)
    count, sigma = len(equations.first), max(equations.noise, 1e-9 * float(np.abs(log.net).max()), 1e-12)

    def problem_at(spread: float, at: np.ndarray) -> LeastSquares:
        def residuals(points: Sequence[np.ndarray]) -> list[np.ndarray]:
            return [law_regression.residuals_of(equations, *law_regression.law_at(before, wanted, point), sigma, spread)
                    for point in points]
        return LeastSquares(residuals, at, lo, 1e3 * size, size, count, (count,))

    here = min((minimise(problem_at(sigma, start), on_round) for start in starts), key=lambda found: found.cost)
    spread = math.sqrt(max(variance(problem_at(sigma, here.point), here), 1e-300)) if count > len(wanted) else sigma
    if not len(equations.sticks):
        sigma = max(spread, sigma)
    problem = problem_at(spread, here.point)
    here = minimise(problem, on_round)
    here, answers = answers_of(problem, here, wanted, made.asked_for)
    law, offset = law_regression.law_at(before, wanted, here.point)
    curve = _law_curve(made, equations, law, offset, equations.scatter * here.residuals[:count])
    scale = math.sqrt(variance(problem, here))
    bounds = law_regression.bounds(equations, sigma) if len(equations.sticks) else None
    return FitResult("regression", answers, (curve,), (scale,), correlation(problem, here.residuals), len(log.times),
                     related=related(problem, here, answers), tangled=tangled(here, wanted),
                     far=int(np.count_nonzero(np.abs(here.residuals[:count]) > 5.0 * scale)) if scale > 0.0 else 0,
                     bounds=bounds, counts=(count, len(equations.sticks)))


def _starts(log: law_regression.MotorLog,
            wanted: Sequence[FitParameter]) -> tuple[list[FitParameter], list[np.ndarray], np.ndarray]:
    """(the parameters in units of the log, points to start from: several Stribeck speeds, usual sizes) of a regression."""
    force = max(float(np.median(np.abs(log.net))), 1e-3 * float(np.abs(log.net).max()), 1e-12)
    speed = max(float(np.sqrt(np.mean(log.velocity**2))), 1e-9)
    sizes = {"viscous": force / speed, "stribeck": 0.2 * speed, "load": 0.1}
    size = np.array([sizes.get(one.term, force) for one in wanted])
    terms = [one.term for one in wanted]
    unit = next((one.unit for one in wanted if one.term in ("joint_friction", "static", "kinetic")), "")
    wanted = [replace(one, unit=unit) if one.term == "offset" else one for one in wanted]
    usual = np.array([{"offset": 0.0, "static": 1.5 * force, "viscous": 0.2 * force / speed}.get(term, s)
                      for term, s in zip(terms, size)])
    shares = (0.02, 0.06, 0.2, 0.6) if "stribeck" in terms else (0.2,)
    return wanted, [np.where([term == "stribeck" for term in terms], share * speed, usual) for share in shares], size


def _law_curve(made: FitPlan, equations: law_regression.Equations, law: Any, offset: float, residuals: np.ndarray) -> FitCurve:
    """Measured friction over velocity, block by block, and the law as a line."""
    unit = "rad/s" if "rad" in made.units[0] else "m/s"
    speed = np.add.reduceat(equations.weight * equations.speed, equations.first) if len(equations.first) else np.empty(0)
    top = float(np.abs(speed).max(initial=equations.rest))
    grid = np.concatenate([-np.geomspace(top, 1e-4 * top, 200), np.geomspace(1e-4 * top, top, 200)])
    load = float(np.median(equations.load)) if len(equations.load) else 0.0
    line = law_regression.force_of(law, grid, np.full(len(grid), load)) + offset
    return FitCurve("friction", "N m" if unit == "rad/s" else "N", speed, equations.right, equations.right + residuals,
                    "velocity", unit, (grid, line))


# ---- answers


def answers_of(problem: LeastSquares, here: Optimum, wanted: Sequence[FitParameter],
               asked_for: int) -> tuple[Optimum, tuple[FitAnswer, ...]]:
    """(the optimum, the result for each parameter); intervals of nuisances are by their standard errors. Where the
    search for an end comes upon a better optimum, it is made again from there."""
    for attempt in range(REPEATS + 1):
        intervals, error = [], np.sqrt(np.diag(covariance(problem, here)))
        better, enough = here.residuals, here.cost - 0.05 * allowed_rise(problem, here)
        for k, one in enumerate(wanted):
            if k < asked_for:
                made, profile = interval(problem, here, k, float(error[k]))
                intervals.append(made)
                if attempt < REPEATS and cost_of(profile.best[1]) < min(enough, cost_of(better)):
                    point, better = profile.best
            else:
                lo, hi = (float(np.clip(here.point[k] + sign * 2.0 * error[k], one.lo, one.hi)) for sign in (-1.0, 1.0))
                intervals.append(Interval(lo, hi, lo == one.lo, hi == one.hi, False))
        if better is here.residuals:
            break
        here = descend(problem, point, better)
    return here, tuple(_answer(one, float(here.point[k]), float(error[k]), intervals[k], k >= asked_for)
                       for k, one in enumerate(wanted))


def _answer(one: FitParameter, value: float, error: float, made: Interval, nuisance: bool) -> FitAnswer:
    if made.open_lo and made.open_hi:
        kind = UNKNOWN
    elif made.open_hi:
        kind = AT_LEAST
    elif made.flat:
        kind = AT_MOST if made.open_lo else SET
    else:
        kind = VALUE
    if kind == SET:
        value = 0.5 * (made.lo + made.hi)
    return FitAnswer(one.name, one.unit, value, error, made.lo, made.hi, kind, nuisance)


def related(problem: LeastSquares, here: Optimum, answers: Sequence[FitAnswer]) -> tuple[tuple[str, str, float], ...]:
    """Pairs of parameters that have values, with their correlation, where it is high."""
    matrix = covariance(problem, here)
    error = np.sqrt(np.diag(matrix))
    known = [k for k, one in enumerate(answers) if one.kind == VALUE and math.isfinite(error[k]) and error[k] > 0.0]
    return tuple((answers[j].name, answers[k].name, float(matrix[j, k] / (error[j] * error[k]))) for k in known for j in known
                 if j < k and abs(matrix[j, k]) > RELATED * error[j] * error[k])


def tangled(here: Optimum, wanted: Sequence[FitParameter]) -> tuple[tuple[str, ...], ...]:
    """Names of parameters that change together without a trace in the data."""
    found = (tuple(one.name for one, part in zip(wanted, axis) if abs(part) > 0.2) for axis in entangled(here))
    return tuple(names for names in found if len(names) > 1)

