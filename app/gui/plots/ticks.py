"""Ticks of axes: few, round numbers, in a prefixed unit (0.00005 m is 50 µm) or with a power of ten.

ImPlot draws grid lines of its own, at tenths of an interval that it derives from the axis' length; ticks are at some of them.
"""

import math
import re
from dataclasses import dataclass

from app.number_format import power, rounded

SMALL, TINY, LARGE = 1e-2, 1e-3, 1e5
"""An axis whose largest number is below SMALL or from LARGE on has a prefix; below TINY or from LARGE on a power of ten."""
PREFIXES = {-4: "p", -3: "n", -2: "\u00b5", -1: "m", 1: "k", 2: "M", 3: "G"}
"""By the exponent of 1000."""
PREFIXED_UNITS = re.compile(r"(?:m|s|N|J|W|Pa|rad)(?=$|[ /])(?!.* or )")
"""Units that begin with a simple one: m/s becomes mm/s, but m\u00b2 stays."""
UNPREFIXED_UNITS = ("s", "rad")
"""Units without prefixes for thousands."""
PLAIN_EXPONENTS = -2, 3
"""Within these powers of ten a logarithmic axis writes them as 0.01 and 1000."""
ACROSS, UP = 400.0, 300.0
"""Pixels per interval of ImPlot, along horizontal and upright axes."""
MIN_LABEL_GAP = 3
"""Least gap between neighbouring numbers, in letters."""


@dataclass(frozen=True)
class Ticks:
    """Positions and labels of ticks, and the unit of the labels."""

    values: tuple[float, ...]
    labels: tuple[str, ...]
    unit: str


def even(lo: float, hi: float, pixels: float, letters: float, unit: str = "", upright: bool = False,
         whole: bool = False) -> Ticks:
    """Ticks of a linear axis. pixels: its length; letters: how many fit along it (lines, if upright); whole: integers only."""
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
        if upright or sum(len(label) + MIN_LABEL_GAP for label in labels) <= letters + MIN_LABEL_GAP:
            return Ticks(tuple(i * step for i in range(first, last + 1)), labels, unit)
    return Ticks((), (), unit)


def decades(lo: float, hi: float, pixels: float, letters: float, upright: bool = False) -> Ticks:
    """Ticks of a logarithmic axis: powers of ten; with fewer than two also other round numbers. pixels, letters: as `even`."""
    if not (0.0 < lo < hi < math.inf):
        return Ticks((), (), "")
    first, last = math.ceil(math.log10(lo) - 1e-9), math.floor(math.log10(hi) + 1e-9)
    exponents = range(first, last + 1)
    if len(exponents) < 2:
        values = [m * 10.0**e for e in range(first - 1, last + 1) for m in (1, 2, 5) if lo <= m * 10.0**e <= hi]
        if len(values) < 2:
            return even(lo, hi, pixels, letters, upright=upright)
        return Ticks(tuple(values), tuple(map(_plainly, values)), "")
    plain = PLAIN_EXPONENTS[0] <= first and last <= PLAIN_EXPONENTS[1]
    width = 1 if upright else MIN_LABEL_GAP + max(len(rounded(10.0**e) if plain else power(e)) for e in exponents)
    every = max(1, math.ceil(len(exponents) * width / max(letters, 1.0)))
    shown = [e for e in exponents if e % every == 0]
    return Ticks(tuple(10.0**e for e in shown), tuple(rounded(10.0**e) if plain or e in (0, 1) else power(e) for e in shown), "")


def _scale(largest: float, unit: str) -> tuple[int, str, str]:
    """(power of ten of the scale, unit with its prefix, suffix of each number)."""
    if SMALL <= largest < LARGE or largest == 0.0:
        return 0, unit, ""
    exponent = math.floor(math.log10(largest) + 1e-9)
    thousands = math.floor(exponent / 3)
    if PREFIXED_UNITS.match(unit) and thousands in PREFIXES and not (thousands > 0 and unit.startswith(UNPREFIXED_UNITS)):
        return 3 * thousands, PREFIXES[thousands] + unit, ""
    return (0, unit, "") if TINY <= largest < LARGE else (exponent, unit, f"\u00b7{power(exponent)}")


def _round(step: float) -> bool:
    """Whether it is 1, 2, 4 or 5 times a power of ten."""
    return round(step / 10.0 ** math.floor(math.log10(step) + 1e-9), 6) in (1.0, 2.0, 4.0, 5.0)


def _plainly(value: float) -> str:
    """One digit, with a power of ten outside PLAIN_EXPONENTS, however small it is."""
    exponent = math.floor(math.log10(value) + 1e-9)
    digit = f"{value / 10.0**exponent:.0f}"
    if PLAIN_EXPONENTS[0] <= exponent <= PLAIN_EXPONENTS[1]:
        return rounded(value)
    return power(exponent) if digit == "1" else f"{digit}\u00b7{power(exponent)}"


def _interval(span: float, pixels: float, upright: bool) -> float:
    """ImPlot's interval between major grid lines (Locator_Default of implot.cpp)."""
    parts = max(2, math.floor(pixels / (UP if upright else ACROSS) + 0.5))
    return _nice(_nice(0.99 * span, (1.0, 2.0, 5.0)) / (parts - 1), (1.5, 3.0, 7.0))


def _nice(x: float, limits: tuple[float, float, float]) -> float:
    ten = 10.0 ** math.floor(math.log10(x))
    f = x / ten
    if limits[0] == 1.0:
        return ten * (1.0 if f <= 1.0 else 2.0 if f <= 2.0 else 5.0 if f <= 5.0 else 10.0)
    return ten * (1.0 if f < 1.5 else 2.0 if f < 3.0 else 5.0 if f < 7.0 else 10.0)


def _decimals(step: float) -> int:
    """Number of decimals of multiples of this step."""
    needed = max(0, -math.floor(math.log10(step) + 1e-9))
    return needed if abs(step * 10.0**needed - round(step * 10.0**needed)) < 1e-6 else needed + 1


def _label(value: float, decimals: int, ten: str) -> str:
    text = f"{value:.{decimals}f}"
    return "0" if not float(text) else text + ten
