"""The curves of the plot at one moment: the simulation, compared solvers, kept runs, differences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.analysis.curves.curve_statistics import cut, difference
from app.analysis.curves.saved_runs import SavedRun
from app.engine.observers.trace import Traces
from app.i18n import translate

LIVE, COMPARED, SAVED_RUN, MINUS = "live", "other", "kept", "minus"
"""Kinds of curves: the simulation, a compared solver, a kept run, the simulation minus a kept run."""


@dataclass(frozen=True)
class CurveLine:
    """One curve. name, unit: for display; tint: colour number of its quantity; kind: as above; times [s], values:
    samples, NaN in gaps; x: values of the quantity on the x axis at the same times, None over time; solver: number of the
    compared solver, 0: the simulation."""

    key: str
    name: str
    unit: str
    tint: int
    kind: str
    times: np.ndarray
    values: np.ndarray
    x: np.ndarray | None = None
    solver: int = 0


@dataclass(frozen=True)
class CurveSet:
    """All curves within a time window. names: (label, unit) by key; present: the time that the simulation shows; end: end of
    the record, future included [s]."""

    lines: tuple[CurveLine, ...] = ()
    columns: tuple[tuple[str, int, np.ndarray, dict[str, np.ndarray]], ...] = ()
    names: tuple[tuple[str, tuple[str, str]], ...] = ()
    present: float = 0.0
    end: float = 0.0

    def within(self, start: float, end: float) -> "CurveSet":
        """The same curves between two times [s], plus one sample on each side."""
        lines = []
        for line in self.lines:
            times, values = cut(line.times, line.values, start, end)
            lines.append(replace(line, times=times, values=values))
        columns = tuple((kind, solver, cut(times, times, start, end)[0], {key: cut(times, column, start, end)[1]
                                                                          for key, column in table.items()})
                        for kind, solver, times, table in self.columns)
        return replace(self, lines=tuple(lines), columns=columns)

    def over(self, keys: Sequence[str], x_of: Callable[[str], str]) -> list[CurveLine]:
        """Curves of the given keys, each over the quantity that x_of names, where both were recorded; "": over time."""
        tables = {(kind, solver): table for kind, solver, _, table in self.columns}
        found = []
        for line in [line for line in self.lines if line.key in keys]:
            x, table = x_of(line.key), tables.get((line.kind, line.solver), {})
            if not x:
                found.append(line)
            elif x in table:
                found.append(replace(line, x=table[x]))
        return found


def name_of(traces: Traces, key: str) -> tuple[str, str]:
    """(label in the user's language, unit) of a traced quantity."""
    label, bracket, unit = traces.label(key).rpartition(" [")
    label, unit = (label, unit.rstrip("]")) if bracket else (unit, "")
    owner = key.partition(":")[2].rpartition(".")[0]
    if owner and label.startswith(f"{owner} "):
        return translate.named(owner, label[len(owner) + 1:]), unit
    return translate.translate(label), unit


def collect(traces: Traces, others: Sequence[tuple[str, Traces]], runs: Sequence[SavedRun], minus: str, start: float,
            end: float) -> CurveSet:
    """All curves within start .. end. others: (name, traces) of compared solvers, in order; minus: the kept run to subtract."""
    keys = traces.keys
    times, own, present = traces.window(start, end)
    names = {key: name_of(traces, key) for key in keys}
    lines, columns = [], [(LIVE, 0, times, own)]
    for k, key in enumerate(keys):
        if key in own:
            lines.append(CurveLine(key, *names[key], k, LIVE, times, own[key]))
    for i, (title, other) in enumerate(others, start=1):
        theirs_at, theirs, _ = other.window(start, end)
        columns.append((COMPARED, i, theirs_at, theirs))
        lines += [CurveLine(key, f"{names[key][0]}, {title}", names[key][1], k, COMPARED, theirs_at, theirs[key], solver=i)
                  for k, key in enumerate(keys) if key in theirs]
    for run in runs:
        kept_at, kept = run.window(start, end)
        for k, key in enumerate(keys):
            if key in kept and run.shown:
                lines.append(CurveLine(key, f"{names[key][0]}, {run.name}", names[key][1], k, SAVED_RUN, kept_at, kept[key]))
            if key in kept and key in own and run.name == minus:
                lines.append(CurveLine(key, f"{names[key][0]} \u2212 {run.name}", names[key][1], k, MINUS, times,
                                       difference(times, own[key], kept_at, kept[key])))
    return CurveSet(tuple(lines), tuple(columns), tuple(names.items()), present, traces.end)
