"""The truth bench in the window: stored results of the page, and experiments measured now in the background. GL-free."""

import json
import math
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scenes import truth
from scenes.truth import BenchRow

STORED_RESULTS = Path(__file__).resolve().parents[3] / "assets" / "truth.json"
"""Results of the whole bench, written together with docs/truth.md."""


def as_lines(rows: Iterable[BenchRow]) -> str:
    """Rows as compact text: [experiment, solver, rate, obtained, verdict, order, note], one line each."""
    def finite(number: float) -> float | None:
        return float(f"{number:.8g}") if math.isfinite(number) else None

    lines = (json.dumps([row.experiment, row.solver, row.rate, finite(row.obtained), row.verdict, finite(row.order), row.note])
             for row in rows)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def parsed(text: str) -> list[BenchRow]:
    """Parse such rows; those of removed experiments are skipped."""
    known, found = truth.all_experiments(), []
    for name, solver, rate, obtained, verdict, order, note in json.loads(text):
        if name in known:
            e = known[name]
            found.append(BenchRow(truth.topic_of(name), name, e.title, solver, rate, e.quantity, e.unit, e.wanted,
                                  _number(obtained),
                                  e.allowed(solver, 1.0 / rate), verdict, e.source, _number(order), note))
    return found


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


@dataclass
class BenchRun:
    """Experiments run in a separate thread. rows: by (experiment, solver, rate), as they arrive; now: the running one;
    fresh: rows measured in this session."""

    rows: dict[tuple[str, str, int], BenchRow] = field(default_factory=dict)
    now: str = ""
    fresh: set[tuple[str, str, int]] = field(default_factory=set)
    progress: float = 1.0
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)
    _thread: threading.Thread | None = field(default=None, repr=False)

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    @classmethod
    def of_page(cls) -> "BenchRun":
        """A bench with the stored results, if they exist."""
        text = STORED_RESULTS.read_text(encoding="utf-8") if STORED_RESULTS.is_file() else "[]"
        return cls({(row.experiment, row.solver, row.rate): row for row in parsed(text)})

    def start(self, names: Sequence[str]) -> None:
        """Start these experiments, unless some run already."""
        if self.running:
            return
        self._stop.clear()
        self.progress = 0.0
        self._thread = threading.Thread(target=self.run, args=(tuple(names),), name="truth", daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        self._stop.set()

    def run(self, names: Sequence[str]) -> None:
        """Run all of them in this thread."""
        try:
            for k, name in enumerate(names):
                self.now = name
                for some in truth.bench((name,), go_on=lambda: not self._stop.is_set()):
                    for row in some:
                        key = row.experiment, row.solver, row.rate
                        self.rows[key] = row
                        self.fresh.add(key)
                self.progress = (k + 1) / len(names)
        except truth.Stopped:
            pass
        finally:
            self.now, self.progress = "", 1.0
