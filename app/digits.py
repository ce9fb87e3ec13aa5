"""Numbers as people write them: few digits, an exponent only where there is no other way. For panels, labels and sentences."""

import math

ROUNDING = 1e-15
"""What is smaller is what rounding left of a zero."""
LEAST_SHARE = 0.5e-4
"""Relative errors below this are told as a bound."""
LARGE = 1e6
"""From here on with an exponent."""


def few(value: float, digits: int = 3) -> str:
    """`digits` significant digits: 1190 and not 1.19e+03, 1e-9 and not 1e-09; "~0" for what rounding left of a zero."""
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
    return f"{mantissa}e{int(exponent)}"


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
