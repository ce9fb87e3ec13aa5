"""Kept runs for comparison: their samples, named by scene, solver and settings; bounded memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.engine.observers.trace import Traces
from app.i18n.message import message
from app.number_format import rounded
from physics import fields

MAX_RUNS = 6
"""Largest number of kept runs; the oldest one is dropped."""

MAX_SAMPLES = 20_000
"""Largest number of samples of a run; a longer one is thinned."""


@dataclass
class SavedRun:
    """description: scene, solver, settings; table: samples by key and "time" [s]; shown: drawn behind the live curves."""

    name: str
    description: str
    table: dict[str, np.ndarray]
    shown: bool = True

    def window(self, start: float, end: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """(times, values by key) between two times, plus one sample on each side."""
        times = self.table["time"]
        a, b = max(0, int(np.searchsorted(times, start)) - 1), int(np.searchsorted(times, end, side="right")) + 1
        return times[a:b], {key: column[a:b] for key, column in self.table.items() if key != "time"}


@dataclass
class SavedRuns:
    """At most MAX_RUNS runs, oldest first."""

    saved: list[SavedRun] = field(default_factory=list)
    _count: int = 0

    def save(self, traces: Traces, description: str) -> SavedRun | None:
        """Keep the samples up to now as a run; None without samples."""
        table = traces.table()
        if len(table["time"]) < 2:
            return None
        step = -(-len(table["time"]) // MAX_SAMPLES)
        self._count += 1
        run = SavedRun(message("run {count}", count=self._count), description,
                       {key: column[::step].copy() for key, column in table.items()})
        self.saved = [*self.saved, run][-MAX_RUNS:]
        return run

    def drop(self, name: str) -> None:
        self.saved = [run for run in self.saved if run.name != name]

    @property
    def names(self) -> Sequence[str]:
        return [run.name for run in self.saved]


def describe_run(title: str, world: Any, dt: float, parameters: Any, own: Any) -> str:
    """Describe scene, solver, step and what differs from the scene's parameters and the solver's options."""
    parts = [title, world.solver.name, message("h = {h} ms", h=rounded(1e3 * dt, 4))]
    parts += _changed(parameters, own) + _changed(world.solver.options, type(world.solver.options)())
    return ", ".join(parts)


def _changed(options: Any, own: Any) -> list[str]:
    if options is None or own is None:
        return []
    found = []
    for item in fields(options):
        value = getattr(options, item.name)
        if value != getattr(own, item.name, value):
            text = rounded(value, 4) if isinstance(value, float) else str(value)
            unit = item.metadata.get("unit", "")
            found.append(f"{item.name.replace('_', ' ')} = {text}{' ' + unit if unit else ''}")
    return found
