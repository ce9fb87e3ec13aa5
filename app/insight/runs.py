"""Runs kept to compare with: their samples, under a name that tells scene, solver and what was set; bounded memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.digits import few
from app.engine.trace import Traces
from physics import fields

MOST = 6
"""Runs kept at once; the oldest one goes."""

SAMPLES = 20_000
"""Of a run; a longer one is thinned."""


@dataclass
class Run:
    """name: short; told: scene, solver, settings; table: samples by key and "time" [s]; shown: drawn behind the live curves."""

    name: str
    told: str
    table: dict[str, np.ndarray]
    shown: bool = True

    def window(self, start: float, end: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """(times, values by key) between two times, and one sample more on each side."""
        times = self.table["time"]
        a, b = max(0, int(np.searchsorted(times, start)) - 1), int(np.searchsorted(times, end, side="right")) + 1
        return times[a:b], {key: column[a:b] for key, column in self.table.items() if key != "time"}


@dataclass
class Runs:
    """At most MOST, oldest first."""

    kept: list[Run] = field(default_factory=list)
    _count: int = 0

    def keep(self, traces: Traces, told: str) -> Run | None:
        """The samples up to now as a run; None where there are none."""
        table = traces.table()
        if len(table["time"]) < 2:
            return None
        step = -(-len(table["time"]) // SAMPLES)
        self._count += 1
        run = Run(f"run {self._count}", told, {key: column[::step].copy() for key, column in table.items()})
        self.kept = [*self.kept, run][-MOST:]
        return run

    def drop(self, name: str) -> None:
        self.kept = [run for run in self.kept if run.name != name]

    @property
    def names(self) -> Sequence[str]:
        return [run.name for run in self.kept]


def told(title: str, world: Any, dt: float, parameters: Any, own: Any) -> str:
    """Scene, solver, step and what differs from the scene's own parameters and the solver's own options."""
    parts = [title, world.solver.name, f"h = {few(1e3 * dt, 4)} ms"]
    parts += _changed(parameters, own) + _changed(world.solver.options, type(world.solver.options)())
    return ", ".join(parts)


def _changed(options: Any, own: Any) -> list[str]:
    if options is None or own is None:
        return []
    found = []
    for item in fields(options):
        value = getattr(options, item.name)
        if value != getattr(own, item.name, value):
            text = few(value, 4) if isinstance(value, float) else str(value)
            unit = item.metadata.get("unit", "")
            found.append(f"{item.name.replace('_', ' ')} = {text}{' ' + unit if unit else ''}")
    return found
