"""Formats numbers for panels, labels and sentences: few digits, powers of ten only where nothing else fits."""

import math
import re

ZERO_BELOW = 1e-15
"""Smaller values are rounding errors of zero."""
ROUNDING_SHARE = 1e-10
"""Values below this share of what they are a part or a remainder of are rounding errors, too."""
MIN_RELATIVE_ERROR = 0.5e-4
"""Relative errors below this are shown as a bound."""
POWER_FROM = 1e6
"""Numbers from here on use a power of ten."""

SUPERSCRIPTS = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b"
"""Superscript digits and minus sign."""
_UP, _DOWN = str.maketrans("0123456789-", SUPERSCRIPTS), str.maketrans(SUPERSCRIPTS, "0123456789-")
_POWER = re.compile(rf"([-+]?)(?:([\d.]+)\u00b7)?10([{SUPERSCRIPTS}]+)")


def power(exponent: int) -> str:
    """A power of ten with a superscript exponent."""
    return f"10{str(exponent).translate(_UP)}"


def read(text: str) -> float:
    """Parse a number that was typed, or copied from the output of this file.

    Raises:
        ValueError: it is no number.
    """
    text = text.strip().replace(",", ".")
    if (match := _POWER.fullmatch(text)):
        text = f"{match[1]}{match[2] or 1}e{match[3].translate(_DOWN)}"
    return float(text)


def rounded(value: float, digits: int = 3, of: float = 0.0) -> str:
    """`digits` significant digits: 1190 rather than 1.19e+03, a power of ten rather than 1e-09; "~0" for rounding errors.
    of: size of what the value is a part or a remainder of."""
    value = float(value)
    if not math.isfinite(value):
        return f"{value:g}"
    if abs(value) < max(ZERO_BELOW, ROUNDING_SHARE * abs(of)):
        return "~0" if value else "0"
    text = f"{value:.{digits}g}"
    if "e" not in text:
        return text
    if 1.0 <= abs(float(text)) < POWER_FROM:
        return f"{float(text):.0f}"
    mantissa, exponent = text.split("e")
    before = {"1": "", "-1": "-"}.get(mantissa, f"{mantissa}\u00b7")
    return f"{before}{power(int(exponent))}"


def signed(value: float, digits: int = 3, of: float = 0.0) -> str:
    """As `rounded`, with a plus sign for positive numbers."""
    text = rounded(value, digits, of)
    return f"+{text}" if value > 0.0 and not text.startswith("~") else text


def percent(share: float) -> str:
    """A relative error as signed percents: never an exponent; "< 0.01 %" for negligible errors."""
    if not math.isfinite(share):
        return f"{share:g}"
    if abs(share) < MIN_RELATIVE_ERROR:
        return "< 0.01 %"
    sign = "-" if share < 0.0 else "+"
    return f"{sign}{rounded(100.0 * abs(share), 2)} %"
