"""Numbers as people write them: few digits, a power of ten only where there is no other way. For panels, labels and sentences."""

import math
import re

ROUNDING = 1e-15
"""What is smaller is what rounding left of a zero."""
LEAST_SHARE = 0.5e-4
"""Relative errors below this are told as a bound."""
LARGE = 1e6
"""From here on with a power of ten."""

RAISED = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b"
"""Digits and minus of an exponent."""
_UP, _DOWN = str.maketrans("0123456789-", RAISED), str.maketrans(RAISED, "0123456789-")
_POWER = re.compile(rf"([-+]?)(?:([\d.]+)\u00b7)?10([{RAISED}]+)")


def power(exponent: int) -> str:
    """A power of ten, with its exponent raised."""
    return f"10{str(exponent).translate(_UP)}"


def read(text: str) -> float:
    """The number that a person typed, or took from where it had been written here.

    Raises:
        ValueError: it is none.
    """
    text = text.strip().replace(",", ".")
    if (match := _POWER.fullmatch(text)):
        text = f"{match[1]}{match[2] or 1}e{match[3].translate(_DOWN)}"
    return float(text)


def few(value: float, digits: int = 3) -> str:
    """`digits` significant digits: 1190 and not 1.19e+03, a power of ten and not 1e-09; "~0" for what rounding left of a zero."""
    value = float(value)
    if not math.isfinite(value):
        return f"{value:g}"
    if abs(value) < ROUNDING:
        return "~0" if value else "0"
    text = f"{value:.{digits}g}"
    if "e" not in text:
        return text
    if 1.0 <= abs(float(text)) < LARGE:
        return f"{float(text):.0f}"
    mantissa, exponent = text.split("e")
    before = {"1": "", "-1": "-"}.get(mantissa, f"{mantissa}\u00b7")
    return f"{before}{power(int(exponent))}"


def signed(value: float, digits: int = 3) -> str:
    """As `few`, with a plus before what is above zero."""
    return f"{'+' if value > 0.0 else ''}{few(value, digits)}"


def percent(share: float) -> str:
    """A relative error as signed percents: never an exponent, and "< 0.01 %" for what nobody would call an error."""
    if not math.isfinite(share):
        return f"{share:g}"
    if abs(share) < LEAST_SHARE:
        return "< 0.01 %"
    sign = "-" if share < 0.0 else "+"
    return f"{sign}{few(100.0 * abs(share), 2)} %"
