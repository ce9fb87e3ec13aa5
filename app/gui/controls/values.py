"""Numbers of controls: validation, parsing, formatting, position on a slider. No ImGui."""

import math
import re
from collections.abc import Mapping
from typing import Any

from app.i18n import translate
from app.i18n.message import message
from app.number_format import read, rounded


def accept(value: Any, lo: float | None, hi: float | None, old: Any) -> Any:
    """The number that may reach the physics: `value` clamped to lo .. hi; `old` if it is no finite number."""
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
    """(accepted value, "" or the reason why the typed one is refused)."""
    try:
        typed = read(text)
    except ValueError:
        return old, message("'{text}' is not a number", text=text.strip()[:30])
    if not math.isfinite(typed):
        return old, message("{typed} is not allowed{allowed}", typed=typed, allowed=range_text(lo, hi))
    if (lo is not None and typed < lo) or (hi is not None and typed > hi):
        return old, message("{typed} is out of range{allowed}", typed=rounded(typed, 6), allowed=range_text(lo, hi))
    return accept(typed, lo, hi, old), ""


def log_floor(lo: float | None, hi: float | None, default: Any) -> float | None:
    """Start of a logarithmic slider (below it there is only zero): its lower end, or far below its default."""
    if hi is None or hi <= 0.0:
        return None
    if lo is not None and lo > 0.0:
        return float(lo)
    return 1e-3 * float(default) if default else 1e-6 * hi


def to_fraction(value: float, lo: float, hi: float, floor: float | None) -> float:
    """Position of a value between lo (0) and hi (1); logarithmic from `floor` on, if given."""
    if not hi > lo or not math.isfinite(value):
        return 0.0
    value = min(hi, max(lo, value))
    if floor is None or floor >= hi:
        return (value - lo) / (hi - lo)
    return max(0.0, math.log(value / floor) / math.log(hi / floor)) if value > 0.0 else 0.0


def from_fraction(fraction: float, lo: float, hi: float, floor: float | None) -> float:
    """The inverse of `to_fraction`; fraction 0 gives lo itself."""
    if floor is None or floor >= hi:
        return lo + fraction * (hi - lo)
    return lo if fraction <= 0.0 else floor * (hi / floor) ** fraction


VALUE_LABELS = {"mu": "friction \u03bc", "split": "convex parts", "dents": "largest dent", "free": "floating base"}
"""Labels of names that would have to be guessed."""


ZEROS = {"budget": "automatic", "substeps": "automatic"}
"""Options with a special meaning of zero."""


_WORDS = re.compile(r"\b(or|per)\b")


def title(name: str) -> str:
    """The label of an option or a parameter."""
    return VALUE_LABELS.get(name) or name.replace("_", " ")


def symbols(unit: str) -> str:
    """The unit with superscripts; for a message, which translates its words when it is drawn."""
    return unit.replace("^2", "\u00b2").replace("^3", "\u00b3")


def pretty(unit: str) -> str:
    """The unit with superscripts, and with words beside symbols translated."""
    return symbols(translate.translate(unit) if _WORDS.search(unit) else unit)


def range_text(lo: float | None, hi: float | None) -> str:
    if lo is None and hi is None:
        return ""
    if lo is None:
        return message("; allowed: up to {hi}", hi=rounded(hi, 6))
    if hi is None:
        return message("; allowed: {lo} or more", lo=rounded(lo, 6))
    return message("; allowed: {lo} .. {hi}", lo=rounded(lo, 6), hi=rounded(hi, 6))


SPEEDS = (1.0 / 64.0, 4.0)
"""Range of the simulation speed [simulated s per s]."""

THROWS = (0.5, 500.0)
"""Range of the speed of throws [m/s]."""


def slower(speed: float) -> float:
    """The next lower power of two."""
    return max(SPEEDS[0], 2.0 ** math.ceil(math.log2(speed) - 1.0 - 1e-9))


def faster(speed: float) -> float:
    """The next higher power of two."""
    return min(SPEEDS[1], 2.0 ** math.floor(math.log2(speed) + 1.0 + 1e-9))


def solver_title(name: str, options: Mapping[str, Any]) -> str:
    """The name of a solver that is chosen with these options."""
    for option, value in options.items():
        name = message("{solver}, {option}: {value}", solver=name, option=option.replace("_", " "), value=value)
    return name
