"""Where an axis has numbers and how they read: few, round, in a unit with a prefix (0.00005 m is 50 µm) or with a power of ten.

ImPlot places lines of its own, at tenths of an interval that it finds from the axis' length; numbers stand at some of them.
"""

import math
import re
from dataclasses import dataclass

from app.digits import few, power

SMALL, TINY, LARGE = 1e-2, 1e-3, 1e5
"""An axis whose largest number is below SMALL or from LARGE on has a prefix; below TINY or from LARGE on a power of ten."""
PREFIXES = {-4: "p", -3: "n", -2: "\u00b5", -1: "m", 1: "k", 2: "M", 3: "G"}
"""By the exponent of 1000."""
TAKES_PREFIX = re.compile(r"(?:m|s|N|J|W|Pa|rad)(?=$|[ /])(?!.* or )")
"""Units that begin with a plain one: m/s becomes mm/s, but m\u00b2 stays."""
NEVER_MANY = ("s", "rad")
"""Of these nobody says thousands."""
PLAIN = -2, 3
"""A logarithmic axis within these powers of ten writes them as 0.01 and 1000."""
ACROSS, UP = 400.0, 300.0
"""Pixels of an interval of ImPlot's, along the axis."""
APART = 3
"""Letters between two numbers side by side."""


@dataclass(frozen=True)
class Ticks:
    """Where the numbers stand, how they read, and the unit that they have."""

    values: tuple[float, ...]
    labels: tuple[str, ...]
    unit: str


def even(lo: float, hi: float, pixels: float, letters: float, unit: str = "", upright: bool = False,
         whole: bool = False) -> Ticks:
    """Of a linear axis. pixels: its length; letters: how many fit along it (lines, if it is upright); whole: it counts."""
    if not (math.isfinite(lo) and math.isfinite(hi) and hi > lo):
        return Ticks((), (), unit)
    exponent, unit, ten = _scale(max(abs(lo), abs(hi)), unit)
    scale, finest = 10.0**exponent, _interval(hi - lo, pixels, upright) / 10.0
    for step in (times * finest for times in (1, 2, 4, 5, 10, 20, 25, 50, 100)):
        if not _round(step):
            continue
        first, last = math.ceil(lo / step - 1e-9), math.floor(hi / step + 1e-9)
        if last - first > letters or (whole and abs(step - round(step)) > 1e-9 * step):
            continue
        decimals = _decimals(step / scale)
        labels = tuple(_label(i * step / scale, decimals, ten) for i in range(first, last + 1))
        if upright or sum(len(label) + APART for label in labels) <= letters + APART:
            return Ticks(tuple(i * step for i in range(first, last + 1)), labels, unit)
    return Ticks((), (), unit)


def decades(lo: float, hi: float, pixels: float, letters: float, upright: bool = False) -> Ticks:
    """Of a logarithmic axis: powers of ten, below two of them other round numbers, too. pixels, letters: as in `even`."""
    if not (0.0 < lo < hi < math.inf):
        return Ticks((), (), "")
    first, last = math.ceil(math.log10(lo) - 1e-9), math.floor(math.log10(hi) + 1e-9)
    exponents = range(first, last + 1)
    if len(exponents) < 2:
        values = [m * 10.0**e for e in range(first - 1, last + 1) for m in (1, 2, 5) if lo <= m * 10.0**e <= hi]
        if len(values) < 2:
            return even(lo, hi, pixels, letters, upright=upright)
        return Ticks(tuple(values), tuple(map(_plainly, values)), "")
    plain = PLAIN[0] <= first and last <= PLAIN[1]
    width = 1 if upright else APART + max(len(few(10.0**e) if plain else power(e)) for e in exponents)
    every = max(1, math.ceil(len(exponents) * width / max(letters, 1.0)))
    shown = [e for e in exponents if e % every == 0]
    return Ticks(tuple(10.0**e for e in shown), tuple(few(10.0**e) if plain or e in (0, 1) else power(e) for e in shown), "")


def _scale(largest: float, unit: str) -> tuple[int, str, str]:
    """(power of ten that the numbers are in, the unit with its prefix, what is written behind each number)."""
    if SMALL <= largest < LARGE or largest == 0.0:
        return 0, unit, ""
    exponent = math.floor(math.log10(largest) + 1e-9)
    thousands = math.floor(exponent / 3)
    if TAKES_PREFIX.match(unit) and thousands in PREFIXES and not (thousands > 0 and unit.startswith(NEVER_MANY)):
        return 3 * thousands, PREFIXES[thousands] + unit, ""
    return (0, unit, "") if TINY <= largest < LARGE else (exponent, unit, f"\u00b7{power(exponent)}")


def _round(step: float) -> bool:
    """Whether it is one, two, four or five of a power of ten."""
    return round(step / 10.0 ** math.floor(math.log10(step) + 1e-9), 6) in (1.0, 2.0, 4.0, 5.0)


def _plainly(value: float) -> str:
    """One digit, with a power of ten from PLAIN on, however small it is."""
    exponent = math.floor(math.log10(value) + 1e-9)
    digit = f"{value / 10.0**exponent:.0f}"
    if PLAIN[0] <= exponent <= PLAIN[1]:
        return few(value)
    return power(exponent) if digit == "1" else f"{digit}\u00b7{power(exponent)}"


def _interval(span: float, pixels: float, upright: bool) -> float:
    """ImPlot's between two strong lines (Locator_Default of implot.cpp)."""
    parts = max(2, math.floor(pixels / (UP if upright else ACROSS) + 0.5))
    return _nice(_nice(0.99 * span, (1.0, 2.0, 5.0)) / (parts - 1), (1.5, 3.0, 7.0))


def _nice(x: float, limits: tuple[float, float, float]) -> float:
    ten = 10.0 ** math.floor(math.log10(x))
    f = x / ten
    if limits[0] == 1.0:
        return ten * (1.0 if f <= 1.0 else 2.0 if f <= 2.0 else 5.0 if f <= 5.0 else 10.0)
    return ten * (1.0 if f < 1.5 else 2.0 if f < 3.0 else 5.0 if f < 7.0 else 10.0)


def _decimals(step: float) -> int:
    """How many a multiple of this step has."""
    needed = max(0, -math.floor(math.log10(step) + 1e-9))
    return needed if abs(step * 10.0**needed - round(step * 10.0**needed)) < 1e-6 else needed + 1


def _label(value: float, decimals: int, ten: str) -> str:
    text = f"{value:.{decimals}f}"
    return "0" if not float(text) else text + ten
