"""A measured run: the columns of a CSV file, "name [unit]", time first, in SI units. GL-free.

Numbers may use a decimal comma where columns are separated by semicolons or tabs. Lines that begin with # are comments.
"""

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.files import safe_read
from app.files.printable import printable
from app.i18n.message import message
from physics.core.check import BadInput

MAX_SIZE = 64_000_000
"""Largest file [bytes]."""

MIN_SAMPLES = 8
"""Fewest samples of a run."""

MAX_GAP = 10.0
"""Longest time between two samples, in units of the usual one."""

SPIKE = 20.0
"""A sample that is farther from both its neighbours than so many of their own steps, and returns, is no motion."""

TIME_NAMES = ("t", "time")

COLUMN_UNITS: dict[str, tuple[str, float]] = {
    "s": ("s", 1.0), "sec": ("s", 1.0), "ms": ("s", 1e-3), "us": ("s", 1e-6), "min": ("s", 60.0),
    "m": ("m", 1.0), "dm": ("m", 0.1), "cm": ("m", 0.01), "mm": ("m", 1e-3), "um": ("m", 1e-6),
    "rad": ("rad", 1.0), "mrad": ("rad", 1e-3), "deg": ("rad", math.pi / 180.0), "°": ("rad", math.pi / 180.0),
    "rev": ("rad", 2.0 * math.pi),
    "m/s": ("m/s", 1.0), "cm/s": ("m/s", 0.01), "mm/s": ("m/s", 1e-3), "km/h": ("m/s", 1.0 / 3.6),
    "rad/s": ("rad/s", 1.0), "deg/s": ("rad/s", math.pi / 180.0), "°/s": ("rad/s", math.pi / 180.0),
    "rpm": ("rad/s", math.pi / 30.0), "rev/s": ("rad/s", 2.0 * math.pi),
    "N": ("N", 1.0), "mN": ("N", 1e-3), "kN": ("N", 1e3),
    "N m": ("N m", 1.0), "mN m": ("N m", 1e-3), "kN m": ("N m", 1e3), "N cm": ("N m", 0.01), "N mm": ("N m", 1e-3)}
"""SI unit and factor of each unit that a column may have."""

_SAME = {"Nm": "N m", "N·m": "N m", "N*m": "N m", "N.m": "N m", "mNm": "mN m", "Ncm": "N cm", "Nmm": "N mm", "µs": "us",
         "µm": "um", "degrees": "deg", "degree": "deg", "radians": "rad", "seconds": "s", "grad/s": "deg/s"}
_TITLE = re.compile(r"\s*(.*?)\s*(?:[\[(]\s*(.*?)\s*[\])])?\s*")


@dataclass(frozen=True)
class DataColumn:
    """A column in SI units. name: as in the file; unit: SI, "" for none or an unknown one; given: unit as in the file."""

    name: str
    unit: str
    given: str
    values: np.ndarray


@dataclass(frozen=True)
class Measurements:
    """times (n,): since the first sample [s], increasing; columns: all others."""

    path: str
    times: np.ndarray
    columns: tuple[DataColumn, ...]

    def until(self, seconds: float | None) -> "Measurements":
        """The samples up to a time [s]; None: all.

        Raises:
            BadInput: too few are left.
        """
        if seconds is None or seconds >= self.times[-1]:
            return self
        count = int(np.searchsorted(self.times, seconds, side="right"))
        if count < MIN_SAMPLES:
            raise BadInput(message("{path}: only {count} samples lie within {seconds:g} s, at least {min_samples} are needed",
                                   path=self.path, count=count, seconds=seconds, min_samples=MIN_SAMPLES))
        return Measurements(self.path, self.times[:count], tuple(
            DataColumn(one.name, one.unit, one.given, one.values[:count]) for one in self.columns))

    @property
    def interval(self) -> float:
        """Usual time between two samples [s]."""
        return float(np.median(np.diff(self.times)))


def read(path: str | Path, gaps: bool = False) -> Measurements:
    """Read a measured run. gaps: allow missing stretches of time.

    Raises:
        BadInput: the file cannot be read, has no header or no time first, too few samples, an empty cell, a number that is not
            finite, time that does not increase, a gap, or a sample far from both of its neighbours.
    """
    rows = _rows(path)
    titles = [_titled(cell) for cell in rows[0][1]]
    _check_header(path, titles)
    body = rows[1:]
    if len(body) < MIN_SAMPLES:
        raise BadInput(message("{path} has {body} samples, at least {min_samples} are needed", path=path, body=len(body),
                               min_samples=MIN_SAMPLES))
    table = _numbers(path, titles, body)
    times = table[:, 0] * COLUMN_UNITS[titles[0][1]][1]
    lines = [line for line, _ in body]
    _check_times(path, times, lines, gaps)
    columns = []
    for k, (name, given) in enumerate(titles[1:], start=1):
        unit, factor = COLUMN_UNITS.get(given, ("", 1.0))
        if unit:
            _check_spikes(path, name, table[:, k], lines)
        columns.append(DataColumn(name, unit, given, table[:, k] * factor))
    return Measurements(str(path), times - times[0], tuple(columns))


def _rows(path: str | Path) -> list[tuple[int, list[str]]]:
    """(number of the line, cells) of all lines that are not empty and no comments, the header first."""
    try:
        text = safe_read.read(path, MAX_SIZE).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(message("{path} is not a text file in UTF-8: save it as CSV", path=path)) from None
    lines = [(k, line) for k, line in enumerate(text.splitlines(), start=1) if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        raise BadInput(message("{path} is empty", path=path))
    head = lines[0][1]
    mark = next((mark for mark in ("\t", ";") if mark in head), ",")
    try:
        cells = list(csv.reader([line for _, line in lines], delimiter=mark))
    except csv.Error as error:
        raise BadInput(message("{path} is no table: {error}", path=path, error=error)) from None
    if mark != ",":
        cells[1:] = [[cell.replace(",", ".") for cell in row] for row in cells[1:]]
    return [(line, [cell.strip() for cell in row]) for (line, _), row in zip(lines, cells)]


def _titled(cell: str) -> tuple[str, str]:
    """(name, unit as in COLUMN_UNITS if it is known) of a title."""
    name, unit = _TITLE.fullmatch(printable(cell)).groups()
    return name, _SAME.get(unit or "", unit or "")


def _check_header(path: str | Path, titles: Sequence[tuple[str, str]]) -> None:
    if all(_is_number(name) for name, _ in titles):
        raise BadInput(message("{path} has no header: its first line must name the columns with units, for example time "
                               "[s],angle [deg]", path=path))
    name, unit = titles[0]
    if name.lower() not in TIME_NAMES:
        raise BadInput(message("{path}: the first column is '{name}', not time: put a column 'time [s]' first", path=path,
                               name=name))
    if COLUMN_UNITS.get(unit, ("", 0.0))[0] != "s":
        found = message("unknown, '{unit}'", unit=unit) if unit else "missing"
        raise BadInput(message("{path}: the unit of time is {unit}: write 'time [s]' or 'time [ms]'", path=path, unit=found))
    if len(titles) < 2:
        raise BadInput(message("{path} has no column except time", path=path))


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _numbers(path: str | Path, titles: Sequence[tuple[str, str]], body: Sequence[tuple[int, list[str]]]) -> np.ndarray:
    """Cells as numbers (samples, columns); those of columns without a known unit may be anything, and become NaN."""
    table = np.full((len(body), len(titles)), math.nan)
    for n, (line, cells) in enumerate(body):
        if len(cells) != len(titles):
            raise BadInput(message("{path}, line {line} has {cells} cells, the header has {titles}", path=path, line=line,
                                   cells=len(cells), titles=len(titles)))
        for k, (cell, (name, unit)) in enumerate(zip(cells, titles)):
            try:
                table[n, k] = float(cell)
            except ValueError:
                if unit not in COLUMN_UNITS:
                    continue
                what = message("'{cell}' is no number", cell=cell[:40]) if cell else "there is no number"
                raise BadInput(message("{path}, line {line}: {what} in column '{name}': fill the gap or remove the line",
                                       path=path, line=line, what=what, name=name)) from None
            if unit in COLUMN_UNITS and not math.isfinite(table[n, k]):
                raise BadInput(message("{path}, line {line}: {cell} in column '{name}' is not finite: remove the line", path=path,
                                       line=line, cell=cell, name=name))
    return table


def _check_times(path: str | Path, times: np.ndarray, lines: Sequence[int], gaps: bool) -> None:
    steps = np.diff(times)
    back = np.flatnonzero(steps <= 0.0)
    if len(back):
        raise BadInput(message("{path}, line {line}: time does not increase, from {before:.6g} s to {after:.6g} s: sort the "
                               "lines and remove doubled ones", path=path, line=lines[back[0] + 1], before=times[back[0]],
                               after=times[back[0] + 1]))
    usual = float(np.median(steps))
    wide = np.flatnonzero(steps > MAX_GAP * usual)
    if len(wide) and not gaps:
        raise BadInput(message("{path}, line {lines}: time jumps by {steps:.3g} s where samples are {usual:.3g} s apart: cut "
                               "the file there; `stiction fit --gaps` allows gaps", path=path, lines=lines[wide[0] + 1],
                               steps=steps[wide[0]], usual=usual))


def _check_spikes(path: str | Path, name: str, x: np.ndarray, lines: Sequence[int]) -> None:
    """Reject a single sample that leaps away and back; noise and impacts are none."""
    steps, bend = np.diff(x), x[1:-1] - 0.5 * (x[2:] + x[:-2])
    before, after = np.abs(np.concatenate([[steps[1]], steps[:-2]])), np.abs(np.concatenate([steps[2:], [steps[-2]]]))
    beside = np.maximum(np.maximum(before, after), np.abs(x[2:] - x[:-2]))
    usual = float(np.median(np.abs(bend)))
    off = np.abs(bend) - SPIKE * (beside + usual)
    at = int(np.argmax(off))
    if off[at] > 1e-6 * float(np.ptp(x)) and abs(bend[at]) > SPIKE * float(np.quantile(np.abs(bend), 0.6)):
        raise BadInput(message("{path}, line {line}: '{name}' leaps to {value:.4g} and back, {distance:.3g} from both its "
                               "neighbours: correct or remove the line", path=path, line=lines[at + 1], name=name,
                               value=x[at + 1], distance=abs(bend[at])))
