"""A scene run at other parameters, sampled at measured times: what a trajectory fit compares with its data. GL-free."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

import scenes
from app.analysis.friction_fit.coordinates import Coordinate, coordinate, pushed_by
from app.analysis.friction_fit.fit_parameters import FitParameter, apply, scene_parameters
from app.analysis.studies.background_runs import RunCancelled
from app.analysis.studies.sweep_workers import Workers, results
from app.build_scene import Choices, build_chosen
from physics import BadInput, Diverged, World, step
from physics.observe import quantities

MAX_STEPS = 2_000_000
"""Most steps of one run."""


@dataclass(frozen=True, eq=False)
class FittedExperiment:
    """What is run; another process can be given it.

    scene: its name; parameters: changed ones; dt [s]. at: key of the measured coordinate. times (n,): of the samples since the
    first one [s]; keys: of the compared quantities; force (n,): applied along the coordinate, None: none. wanted: what varies.
    """

    scene: str
    parameters: tuple[tuple[str, Any], ...]
    choices: Choices
    dt: float
    at: str
    times: np.ndarray
    keys: tuple[str, ...]
    force: np.ndarray | None = None
    wanted: tuple[FitParameter, ...] = ()

    def world(self, point: np.ndarray) -> tuple[World, Coordinate]:
        """The world at a point, and the coordinate in it."""
        scene = scenes.find(self.scene)
        world = build_chosen(scene, scene_parameters(scene, self.parameters, self.wanted, point), self.choices)
        at = coordinate(world, self.at)
        apply(world, at, self.wanted, point)
        if self.force is not None:
            world.drivers.append(pushed_by(at, self.times, self.force, self._measured(point, "time_offset")))
        return world, at

    def _measured(self, point: np.ndarray, name: str) -> float:
        return next((float(value) for one, value in zip(self.wanted, point) if one.name == name), 0.0)

    @property
    def steps(self) -> int:
        """Steps of a run without time offset."""
        return math.ceil(self.times[-1] / self.dt)

    def finer(self) -> "FittedExperiment":
        """The same with a fourth of the step: a solver that makes substeps may not gain from half of it."""
        return replace(self, dt=0.25 * self.dt)


def simulate(experiment: FittedExperiment, stop: Callable[[], bool], point: np.ndarray) -> np.ndarray:
    """The compared quantities at the measured times, one behind the other (keys * n,); NaN where the world diverges.

    Between two steps they are taken as linear; before the start they are extrapolated from the first step.

    Raises:
        RunCancelled: `stop` returned True.
    """
    delay = experiment._measured(point, "time_offset")
    at = experiment.times - delay
    count = max(1, math.ceil(at[-1] / experiment.dt))
    grid = experiment.dt * np.arange(count + 1)
    left = np.clip(np.searchsorted(grid, at, side="right") - 1, 0, count)
    needed = {0, 1, *left.tolist(), *(left + 1).tolist()}     # reading takes a fifth of a step
    try:
        world, _ = experiment.world(point)
        reads = [quantities.find(world, key).read for key in experiment.keys]
        curves = np.full((len(reads), count + 1), math.nan)
        curves[:, 0] = [read(world) for read in reads]
        for n in range(1, count + 1):
            if stop():
                raise RunCancelled
            step(world, experiment.dt)
            if n in needed:
                curves[:, n] = [read(world) for read in reads]
    except (Diverged, BadInput):
        return np.full(len(experiment.keys) * len(at), math.nan)
    before = np.minimum(at, 0.0) / experiment.dt
    found = [np.interp(at, grid, curve) + before * (curve[1] - curve[0]) for curve in curves]
    found[0] = found[0] + experiment._measured(point, "offset")
    return np.concatenate(found)


def never() -> bool:
    """For `simulate` in another process, which ends with it."""
    return False


@dataclass
class Batch:
    """Runs worlds at several points at once: in other processes, or in this thread where there are none. runs: made so far."""

    workers: Workers | None
    stop: Callable[[], bool] = never
    runs: int = 0

    def run(self, experiment: FittedExperiment, points: Sequence[np.ndarray]) -> list[np.ndarray]:
        """`simulate` at each point.

        Raises:
            RunCancelled: `stop` returned True.
        """
        self.runs += len(points)
        if self.workers is None:
            return [simulate(experiment, self.stop, point) for point in points]
        found: dict[tuple, np.ndarray] = {}
        nothing = np.full(len(experiment.keys) * len(experiment.times), math.nan)
        for place, curve in results(partial(_simulate_there, experiment), lambda point, why: nothing, [tuple(p) for p in points],
                                    self.workers):
            found[place] = curve
            if self.stop():
                raise RunCancelled
        return [found[tuple(point)] for point in points]


def _simulate_there(experiment: FittedExperiment, point: tuple[float, ...]) -> np.ndarray:
    return simulate(experiment, never, np.array(point))
