"""Numbers between a person and the physics: what is accepted, how it is typed, where it lies on a slider. No ImGui."""

import math
from typing import Any

from app import language
from app.digits import few, read


def accept(value: Any, lo: float | None, hi: float | None, old: Any) -> Any:
    """The number that may reach the physics: `value` moved into lo .. hi; `old` if it is no finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return old
    try:
        if not math.isfinite(value):
            return old
    except OverflowError:
        return old
    if lo is not None and value < lo:
        return type(old)(lo)
    if hi is not None and value > hi:
        return type(old)(hi)
    return type(old)(round(value) if isinstance(old, int) else value)


def parse(text: str, lo: float | None, hi: float | None, old: Any) -> tuple[Any, str]:
    """(accepted value, "" or the reason why it is not what was typed)."""
    try:
        typed = read(text)
    except ValueError:
        return old, f"'{text.strip()[:30]}' is not a number"
    if not math.isfinite(typed):
        return old, f"{typed} is not allowed{range_text(lo, hi)}"
    if (lo is not None and typed < lo) or (hi is not None and typed > hi):
        return old, f"{few(typed, 6)} is out of range{range_text(lo, hi)}"
    return accept(typed, lo, hi, old), ""


def log_floor(lo: float | None, hi: float | None, default: Any) -> float | None:
    """Where a logarithmic slider starts (below it there is only zero): its lower end, or far below its default."""
    if hi is None or hi <= 0.0:
        return None
    if lo is not None and lo > 0.0:
        return float(lo)
    return 1e-3 * float(default) if default else 1e-6 * hi


def to_fraction(value: float, lo: float, hi: float, floor: float | None) -> float:
    """Where a value lies between lo (0) and hi (1); logarithmic from `floor` on, if given."""
    if not hi > lo or not math.isfinite(value):
        return 0.0
    value = min(hi, max(lo, value))
    if floor is None or floor >= hi:
        return (value - lo) / (hi - lo)
    return max(0.0, math.log(value / floor) / math.log(hi / floor)) if value > 0.0 else 0.0


def from_fraction(fraction: float, lo: float, hi: float, floor: float | None) -> float:
    """The inverse of `to_fraction`; the lower end gives lo itself."""
    if floor is None or floor >= hi:
        return lo + fraction * (hi - lo)
    return lo if fraction <= 0.0 else floor * (hi / floor) ** fraction


TITLES = {"mu": "friction \u03bc"}
"""Names that a person should not have to guess, in words."""


ZEROS = {"budget": "automatic", "substeps": "automatic"}
"""Options of which zero is no number of anything, and what it means."""


def title(name: str) -> str:
    """The name of an option or a parameter as a label."""
    return TITLES.get(name) or name.replace("_", " ")


def pretty(unit: str) -> str:
    """m/s^2 with a raised 2, and what is between two units in the language."""
    return (language.text(unit) if " or " in unit else unit).replace("^2", "\u00b2").replace("^3", "\u00b3")


def range_text(lo: float | None, hi: float | None) -> str:
    if lo is None and hi is None:
        return ""
    if lo is None:
        return f"; allowed: up to {few(hi, 6)}"
    if hi is None:
        return f"; allowed: {few(lo, 6)} or more"
    return f"; allowed: {few(lo, 6)} .. {few(hi, 6)}"


SPEEDS = (1.0 / 64.0, 4.0)
"""Simulated seconds per second that a person may ask for."""

THROWS = (0.5, 500.0)
"""Speeds with which a person may throw [m/s]."""


def slower(speed: float) -> float:
    """The next lower power of two."""
    return max(SPEEDS[0], 2.0 ** math.ceil(math.log2(speed) - 1.0 - 1e-9))


def faster(speed: float) -> float:
    """The next higher power of two."""
    return min(SPEEDS[1], 2.0 ** math.floor(math.log2(speed) + 1.0 + 1e-9))
