"""Times of the phases of recent steps: statistics, and the layers of a stacked plot. No ImGui."""

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from app.engine.simulation import MAX_RECENT_REPORTS
from physics import Report

MAX_TIME = 5.0
"""Simulated time kept, if RECENT steps cover it [s]."""

ROUND_NUMBERS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 20.0)
"""Round numbers for the upper end of an axis."""


class StepTiming:
    """Phase times of recent steps.

    names: of the phases, in the order of a step; "rest" is last: the step without the others.
    table (2 + phases, steps): world time [s], the whole step [ms], each phase [ms]. sampled: total number of steps.
    """

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ("rest",)
        self.table = np.zeros((3, 0))
        self.sampled = 0
        self._source: deque | None = None

    def add(self, source: deque[tuple[float, Report]]) -> None:
        """Move new entries out of `Simulation.recent`. Another queue means another world: everything earlier is dropped."""
        if source is not self._source:
            self._source, self.names, self.table, self.sampled = source, ("rest",), np.zeros((3, 0)), 0
        fresh: list[tuple[float, dict[str, float]]] = []
        while source:
            at, report = source.popleft()
            if fresh and at <= fresh[-1][0]:    # the world was restored to an earlier moment
                fresh = [sample for sample in fresh if sample[0] < at]
            fresh.append((at, report.times))
        if not fresh:
            return
        self._add_names(fresh)
        self.sampled += len(fresh)
        kept = self.table[:, : np.searchsorted(self.table[0], fresh[0][0])]
        table = np.concatenate([kept, self._numbers(fresh)], axis=1)
        self.table = table[:, max(table.shape[1] - MAX_RECENT_REPORTS, np.searchsorted(table[0], table[0, -1] - MAX_TIME)):]

    def _add_names(self, fresh: list[tuple[float, dict[str, float]]]) -> None:
        known = dict.fromkeys(self.names[:-1])
        for _, times in fresh:
            known.update(dict.fromkeys(times))
        known.pop("step", None)
        added = len(known) + 1 - len(self.names)
        if added:
            self.names = (*known, "rest")
            self.table = np.insert(self.table, [len(self.table) - 1] * added, 0.0, axis=0)

    def _numbers(self, fresh: list[tuple[float, dict[str, float]]]) -> np.ndarray:
        names = self.names[:-1]
        samples = [(at, times["step"], *(times.get(name, 0.0) for name in names), 0.0) for at, times in fresh]
        out = np.ascontiguousarray(np.array(samples).T)     # plots need contiguous rows
        out[-1] = np.maximum(0.0, out[1] - out[2:-1].sum(axis=0))
        out[1:] *= 1e3
        return out


@dataclass(frozen=True)
class PhaseStatistics:
    """Statistics of one phase: median, 95th percentile and largest of its times [ms], its share of all time (0 .. 1)."""

    name: str
    median: float
    p95: float
    worst: float
    share: float

    def texts(self) -> tuple[str, str, str, str]:
        """The numbers as text."""
        return milliseconds(self.median), milliseconds(self.p95), milliseconds(self.worst), f"{100.0 * self.share:.0f} %"


def milliseconds(value: float) -> str:
    """Format a time, with three decimals where they are significant."""
    return f"{value:.3f}" if value < 10.0 else f"{value:.1f}"


def statistics(phases: StepTiming) -> list[PhaseStatistics]:
    """One row per phase and, last, one for the whole "step"; empty without a step."""
    times = phases.table[1:]
    last = times.shape[1] - 1
    if last < 0:
        return []
    median, p95, worst = np.sort(times, axis=1).T[[last // 2, math.ceil(0.95 * last), last]].tolist()
    sums = times.sum(axis=1)
    share = (sums / max(float(sums[0]), 1e-12)).tolist()
    whole, *parts = (PhaseStatistics(*line) for line in zip(("step", *phases.names), median, p95, worst, share))
    return [*parts, whole]


def ceiling(median: float, p95: float, real: float, before: float) -> float:
    """Upper end of the plot [ms]: round, above typical steps, above the real-time line unless that is far off.

    median, p95: of whole steps [ms]. real: length of a step in real time [ms]. before: the previous end, kept while about right.
    A few outliers (the machine was busy) may leave the plot: the others stay legible, the table has the worst.
    """
    usual = min(p95, 3.0 * median)
    need = 1.25 * (max(usual, real) if usual > 0.4 * real else usual)
    if 0.5 * before < need <= before:
        return before
    power = 10.0 ** math.floor(math.log10(max(need, 1e-3)))
    return power * next(nice for nice in ROUND_NUMBERS if nice * power >= need)


def thin(phases: StepTiming, most: int) -> np.ndarray:
    """Reduce the table to at most about `most` columns: the longest step of each group; groups are stable over time."""
    table, count = phases.table, phases.table.shape[1]
    size = math.ceil(count / most)
    if size <= 1:
        return table
    start = -(phases.sampled - count) % size
    groups = (count - start) // size
    longest = table[1, start: start + groups * size].reshape(groups, size).argmax(axis=1)
    return table.take(np.arange(start, start + groups * size, size) + longest, axis=1)


def layers(table: np.ndarray) -> np.ndarray:
    """Heights (phases + 1, n) [ms]: phase k lies between layers k + 1 and k; the first is on top, the last starts at zero."""
    out = np.zeros((len(table) - 1, table.shape[1]))
    for k in range(len(out) - 2, -1, -1):
        np.add(out[k + 1], table[k + 2], out=out[k])
    return out
