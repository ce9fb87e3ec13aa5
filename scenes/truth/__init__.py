"""The truth bench: experiments with a closed form, a published number or an independent integration, run under every solver.

One file per topic, with TOPIC and EXPERIMENTS; an experiment is one `Experiment(...)`. Expected numbers come from physics alone.

    error = | obtained - expected |,   it holds if   error <= tolerance(h)                                       (1)
    tolerance(h) = least + at_60 (60 h)^order                                                                    (2)
    observed order p:  error ~ h^p, least squares over the rates                                                 (3)

(2) is what the method can be expected to achieve: order 1 where something begins or ends within a step (an impact, a stop, a
break-away), 2 where forces are smooth, 0 where the scheme conserves the quantity at any step size. It is never fitted to results.
"""

import functools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import scenes.truth
from physics import BadInput, Diverged, Unsupported, World, solvers, step
from physics.core.plugins import modules
from physics.observe import quantities
from scenes import Prediction, Scene, Trace, View
from scenes.truth._known_limits import KNOWN

RATES = (60, 240, 1000)
"""Step rates [Hz]."""

LIMIT = 120.0
"""Processor time [s] after which `bench` cuts a run off: some solvers need an hour for what others do in seconds."""

OK, KNOWN_LIMIT, FAIL, UNSUPPORTED, NOT_RUN = "ok", "known limit", "FAIL", "not supported", "not run"
"""Verdicts. Known limit: the number is wrong, and `_known_limits.py` states why and, of the default solver, what to do instead.
Not supported: the solver rejects the world before the first step. Not run: it would take minutes."""

NOISE = 1e-13
"""Errors below this share of the expected number (or of 1) are rounding and excluded from (3)."""

Read = str | Callable[[World], Any]
"""Key of a quantity, or a function of the world that returns numbers or an array; sampled after every step."""


class Stopped(Exception):
    """The caller cancelled the run."""


@dataclass(frozen=True)
class Tolerance:
    """Equation (2): error allowed at 60 Hz in addition to `least`, and the power of the step with which it shrinks."""

    at_60: float
    order: int
    least: float = 0.0

    def at(self, h: float) -> float:
        return self.least + self.at_60 * (60.0 * h) ** self.order


def always(error: float) -> Tolerance:
    """A tolerance independent of the step size."""
    return Tolerance(0.0, 0, error)


def first_order(at_60: float, least: float = 0.0) -> Tolerance:
    return Tolerance(at_60, 1, least)


def second_order(at_60: float, least: float = 0.0) -> Tolerance:
    return Tolerance(at_60, 2, least)


@dataclass(frozen=True)
class Experiment:
    """One known number, and the run that should reproduce it.

    title: for display; quantity, unit: of the number; law: the closed form as plain text; source: its reference.
    build: adds bodies, joints and drivers to an empty world. seconds: duration.
    reads: samples taken at the start and after each step, by name. measure: (world at the end, trace) -> the number.
    expected: the number, or a function that computes it (when needed).
    ordered: whether the error is smooth enough in h for an observed order.
    options: by solver, where its defaults do not suit the experiment. tolerances: by solver, with the reason.
    not_run: (solver, rate) -> why it is left out. quick: part of `--quick` and of the tests.
    """

    name: str
    title: str
    quantity: str
    unit: str
    law: str
    source: str
    build: Callable[[World], None]
    seconds: float
    reads: Mapping[str, Read]
    measure: Callable[[World, Trace], float]
    expected: float | Callable[[], float]
    tolerance: Tolerance
    ordered: bool = False
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tolerances: Mapping[str, tuple[Tolerance, str]] = field(default_factory=dict)
    not_run: Mapping[tuple[str, int], str] = field(default_factory=dict)
    quick: bool = False
    view: View = field(default_factory=View)

    @functools.cached_property
    def wanted(self) -> float:
        """The expected number; some are integrations that take a while."""
        return float(self.expected() if callable(self.expected) else self.expected)

    def allowed(self, solver: str, h: float) -> float:
        """The largest allowed error."""
        tolerance, _ = self.tolerances.get(solver, (self.tolerance, ""))
        return tolerance.at(h)

    def known_limit(self, solver: str) -> str:
        """Why a solver does not reach the number at all rates, and what to do instead; "": it should."""
        return KNOWN.get((self.name, solver), "")

    def world(self, solver: str) -> World:
        """The world at its start, under a solver without wall-clock budget.

        Raises:
            BadInput: the solver does not support it.
        """
        world = World()
        self.build(world)
        world.use_solver(solver, **self.options.get(solver, {}))
        return scenes.without_clock(world)

    def run(self, world: World, h: float, go_on: Callable[[], bool] = lambda: True) -> dict[Read, np.ndarray]:
        """Steps of h [s] to the end; the samples of all experiments that share the run. go_on: polled before each step.

        Raises:
            Stopped: go_on returned False. BadInput, Diverged: as in a step.
        """
        world.last_dt = h        # drivers need the step size from the first step on
        wanted = dict.fromkeys(key for e in together(self) for key in e.reads.values())
        read = {key: quantities.find(world, key).read if isinstance(key, str) else key for key in wanted}
        kept: dict[Read, list[Any]] = {key: [] for key in ("time", *read)}
        for n in range(round(self.seconds / h) + 1):
            if n > 0:
                if not go_on():
                    raise Stopped
                step(world, h)
            kept["time"].append(world.time)
            for key, number in read.items():
                kept[key].append(number(world))
        return {key: np.array(values) for key, values in kept.items()}

    def named(self, kept: Mapping[Read, np.ndarray]) -> Trace:
        """The experiment's samples, by its own names."""
        return {"time": kept["time"], **{name: kept[key] for name, key in self.reads.items()}}

    def as_scene(self) -> Scene:
        """The experiment as a scene for the window."""
        keys = {name: key for name, key in self.reads.items() if isinstance(key, str)}

        def measured(world: World, trace: Trace) -> float | None:
            if trace["time"][-1] < self.seconds - 1e-9:
                return None
            end = np.searchsorted(trace["time"], self.seconds + 1e-9)
            return self.measure(world, {"time": trace["time"][:end], **{name: trace[key][:end] for name, key in keys.items()}})

        def predict(parameters: Any) -> list[Prediction]:
            wanted = self.wanted
            return [Prediction(self.quantity, wanted, self.unit, self.tolerance.at(1.0 / 240.0) / (abs(wanted) or 1.0), measured)]

        whole = len(keys) == len(self.reads) and self.expected != 0.0
        return Scene(title=self.title, category="Bench of truth", look_for=self.title, law="", law_text=self.law,
                     build=lambda world, parameters: self.build(world), view=self.view, plots=tuple(keys.values()),
                     predict=predict if whole else None, check_time=self.seconds)


@dataclass(frozen=True)
class BenchRow:
    """Result of one experiment under one solver at one rate, as `stiction truth` prints it.

    order: observed over all rates of the solver, NaN if undefined. note: reason of the verdict, or a remark.
    """

    topic: str
    experiment: str
    title: str
    solver: str
    rate: int
    quantity: str
    unit: str
    expected: float
    obtained: float
    tolerance: float
    verdict: str
    source: str
    order: float = math.nan
    note: str = ""
    seconds: float = 0.0

    @property
    def error(self) -> float:
        return abs(self.obtained - self.expected)

    @property
    def holds(self) -> bool:
        """False only where the number is wrong or missing for no known reason."""
        return self.verdict != FAIL


def together(experiment: Experiment) -> list[Experiment]:
    """Experiments that measure the same run."""
    return [experiment, *(e for e in all_experiments().values() if e.build is experiment.build and e.seconds == experiment.seconds
                          and e.options == experiment.options and e is not experiment)]


@functools.cache
def topics() -> dict[str, tuple[Experiment, ...]]:
    """All experiments by topic, in the order of the files."""
    found = [m for m in modules(scenes.truth).values() if hasattr(m, "EXPERIMENTS")]
    return {m.TOPIC: tuple(m.EXPERIMENTS) for m in found}


@functools.cache
def all_experiments() -> dict[str, Experiment]:
    """All experiments by name."""
    return {e.name: e for group in topics().values() for e in group}


def topic_of(name: str) -> str:
    return next(topic for topic, group in topics().items() if any(e.name == name for e in group))


Runs = dict[tuple[Any, ...], tuple[World, dict[Read, np.ndarray]] | Exception]
"""Results of runs by their settings, for experiments that share them."""


def _ran(experiment: Experiment, solver: str, rate: int, go_on: Callable[[], bool], runs: Runs) -> tuple[World, Trace]:
    """Run the experiment, or return the stored run."""
    key = (experiment.build, experiment.seconds, str(experiment.options), solver, rate)
    if key not in runs:
        for other in [k for k in runs if k[0] is not experiment.build]:
            del runs[other]
        try:
            world = experiment.world(solver)
            runs[key] = world, experiment.run(world, 1.0 / rate, go_on)
        except (BadInput, Diverged, Stopped) as error:
            runs[key] = error
    if isinstance(runs[key], Exception):
        raise runs[key]
    world, kept = runs[key]
    return world, experiment.named(kept)


def measure(experiment: Experiment, solver: str, rate: int, go_on: Callable[[], bool] = lambda: True,
            runs: Runs | None = None, limit: float = math.inf) -> BenchRow:
    """Run one experiment and judge it. runs: cache for experiments that share runs; None: no cache. limit: processor time of this
    thread [s] after which the run is cut off, as not run.

    Raises:
        Stopped: go_on returned False.
    """
    if not go_on():
        raise Stopped
    h, began, obtained, note = 1.0 / rate, time.perf_counter(), math.nan, ""
    ends = time.thread_time() + limit
    if reason := experiment.not_run.get((solver, rate)):
        verdict, note = NOT_RUN, reason
    else:
        try:
            obtained = float(experiment.measure(*_ran(
                experiment, solver, rate, lambda: go_on() and time.thread_time() < ends, {} if runs is None else runs)))
        except Unsupported as error:
            verdict, note = UNSUPPORTED, str(error).partition(": ")[2]
        except Stopped:
            if not go_on():
                raise
            verdict, note = NOT_RUN, f"takes more than {limit:g} s of the processor"
        except (Diverged, BadInput) as error:
            verdict, note = FAIL, str(error)
        else:
            right = math.isfinite(obtained) and abs(obtained - experiment.wanted) <= experiment.allowed(solver, h)
            verdict, note = OK if right else FAIL, experiment.tolerances.get(solver, (None, ""))[1]
    if verdict == FAIL and (reason := experiment.known_limit(solver)):
        verdict, note = KNOWN_LIMIT, f"{reason} ({note})" if note else reason
    return BenchRow(topic_of(experiment.name), experiment.name, experiment.title, solver, rate, experiment.quantity,
                    experiment.unit,
                    experiment.wanted, obtained, experiment.allowed(solver, h), verdict, experiment.source, note=note,
                    seconds=time.perf_counter() - began)


def order_of(rows: Sequence[BenchRow]) -> float:
    """p of (3); NaN without two errors above rounding, or where a rate gave no number."""
    if len(rows) < 2 or not all(math.isfinite(row.obtained) for row in rows):
        return math.nan
    usable = [(row.rate, row.error) for row in rows if row.error > NOISE * max(1.0, abs(row.expected))]
    if len(usable) < 2:
        return math.nan
    rate, error = np.array(usable).T
    return float(np.polyfit(np.log(1.0 / rate), np.log(error), 1)[0])


def bench(names: Sequence[str] = (), chosen: Sequence[str] = (), rates: Sequence[int] = RATES,
          go_on: Callable[[], bool] = lambda: True, limit: float = LIMIT) -> Iterator[list[BenchRow]]:
    """Rows of the named experiments (all), under the chosen solvers (all), one experiment and solver at a time.

    limit: processor time [s] after which a run is cut off.
    """
    runs: Runs = {}
    for name in names or tuple(all_experiments()):
        experiment = find(name)
        for solver in chosen or tuple(solvers.available()):
            rows = [measure(experiment, solver, rate, go_on, runs, limit) for rate in rates]
            order = order_of(rows) if experiment.ordered else math.nan
            yield [BenchRow(**{**vars(row), "order": order}) for row in rows]


def find(name: str) -> Experiment:
    """Find an experiment by name, as such or as a scene.

    Raises:
        BadInput: there is none; the message lists similar names.
    """
    import difflib

    known, name = all_experiments(), name.removeprefix(scenes.TRUTH)
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.3)
    raise BadInput(f"unknown experiment '{name}'{'; did you mean ' + ', '.join(near) + '?' if near else ''} (run `stiction truth "
                   "--list` to list all)")


@functools.cache
def scene(name: str) -> Scene:
    """The experiment of that name as a scene.

    Raises:
        BadInput: there is none.
    """
    return find(name).as_scene()
