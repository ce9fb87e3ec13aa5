"""What a fit found, in sentences. GL-free."""

import math

from app.analysis.friction_fit.study import AT_LEAST, AT_MOST, SET, STEP_SHARE, UNKNOWN, Answer, FitResult
from app.number_format import rounded


def figures(value: float, width: float) -> str:
    """A value with as many digits as its uncertainty leaves: two of the uncertainty are shown."""
    if not (math.isfinite(width) and width > 0.0 and math.isfinite(value)) or value == 0.0:
        return rounded(value, 4)
    digits = max(2, min(8, 2 + math.floor(math.log10(abs(value))) - math.floor(math.log10(width))))
    return rounded(value, digits)


def numbers(one: Answer) -> tuple[str, str, str]:
    """(value, lower end, upper end) of an answer as texts, "" where there is none."""
    width = 0.5 * (one.hi - one.lo)
    value = "" if one.kind in (UNKNOWN, AT_LEAST, AT_MOST, SET) else figures(one.value, width)
    width = one.lo if one.kind == AT_LEAST else width
    return value, "" if one.kind in (UNKNOWN, AT_MOST) else figures(one.lo, width), \
        "" if one.kind in (UNKNOWN, AT_LEAST) else figures(one.hi, width)


def sentence(one: Answer) -> str:
    """What the data tell of a parameter."""
    value, lo, hi = (f"{text} {one.unit}".rstrip() for text in numbers(one))
    if one.kind == UNKNOWN:
        return f"The data tell nothing about {one.name}: every value fits equally well."
    if one.kind == AT_LEAST:
        return f"{one.name} is at least {lo}: the data set no upper limit."
    if one.kind == AT_MOST:
        return f"{one.name} is at most {hi}: the data set no lower limit."
    if one.kind == SET:
        return f"The data only bound {one.name}: all values from {lo} to {hi} fit equally well."
    return f"{one.name} is {value}, from {lo} to {hi} with 95 % confidence."


def remarks(result: FitResult) -> list[str]:
    """What limits the answers."""
    said = []
    for names in result.tangled:
        said.append(f"The data do not tell {', '.join(names)} apart: only a combination of them matters there.")
    for one, other, value in result.related:
        said.append(f"The data hardly tell {one} and {other} apart: their correlation is {value:.3f}.")
    if result.bounds is not None:
        (least, most), sticking = result.bounds, result.counts[1]
        if math.isfinite(most):
            said.append(f"{sticking} samples stick: they and the moments when they let go only say that static friction is from "
                        f"{rounded(least, 4)} to {rounded(most, 4)}.")
        else:
            said.append(f"{sticking} samples stick and only say that static friction is at least {rounded(least, 4)}.")
    if result.rho > 0.0:
        said.append(f"Successive residuals are correlated ({result.rho:.2f}): the motion differs from the data by more than "
                    "noise. The intervals are widened for it.")
    if result.far:
        said.append(f"{result.far} samples are farther from the curve than five standard deviations.")
    if result.step_change > STEP_SHARE:
        said.append(f"A fourth of the time step would change a parameter by {50.0 * result.step_change:.0f} % of its interval: "
                    "use a smaller step.")
    return said
