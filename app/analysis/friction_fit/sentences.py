"""What a fit found, in sentences. GL-free."""

import math

from app.analysis.friction_fit.study import AT_LEAST, AT_MOST, SET, STEP_SHARE, UNKNOWN, FitAnswer, FitResult
from app.i18n.message import message
from app.number_format import rounded


def figures(value: float, width: float) -> str:
    """A value with as many digits as its uncertainty leaves: two of the uncertainty are shown."""
    if not (math.isfinite(width) and width > 0.0 and math.isfinite(value)) or value == 0.0:
        return rounded(value, 4)
    digits = max(2, min(8, 2 + math.floor(math.log10(abs(value))) - math.floor(math.log10(width))))
    return rounded(value, digits)


def numbers(one: FitAnswer) -> tuple[str, str, str]:
    """(value, lower end, upper end) of an answer as texts, "" where there is none."""
    width = 0.5 * (one.hi - one.lo)
    value = "" if one.kind in (UNKNOWN, AT_LEAST, AT_MOST, SET) else figures(one.value, width)
    width = one.lo if one.kind == AT_LEAST else width
    return value, "" if one.kind in (UNKNOWN, AT_MOST) else figures(one.lo, width), \
        "" if one.kind in (UNKNOWN, AT_LEAST) else figures(one.hi, width)


def sentence(one: FitAnswer) -> str:
    """The result for a parameter, as a sentence."""
    value, lo, hi = (f"{text} {one.unit}".rstrip() for text in numbers(one))
    if one.kind == UNKNOWN:
        return message("The data do not determine {name}: every value fits equally well.", name=one.name)
    if one.kind == AT_LEAST:
        return message("{name} is at least {lo}: the data set no upper limit.", name=one.name, lo=lo)
    if one.kind == AT_MOST:
        return message("{name} is at most {hi}: the data set no lower limit.", name=one.name, hi=hi)
    if one.kind == SET:
        return message("The data only bound {name}: all values from {lo} to {hi} fit equally well.", name=one.name, lo=lo, hi=hi)
    return message("{name} is {value}, from {lo} to {hi} with 95 % confidence.", name=one.name, value=value, lo=lo, hi=hi)


def remarks(result: FitResult) -> list[str]:
    """What limits the answers."""
    notes = []
    for names in result.tangled:
        notes.append(message("The data do not distinguish {names}: only a combination of them has an effect.",
                             names=", ".join(names)))
    for one, other, value in result.related:
        notes.append(message("The data hardly distinguish {one} from {other}: their correlation is {value:.3f}.", one=one,
                             other=other, value=value))
    if result.bounds is not None:
        (least, most), sticking = result.bounds, result.counts[1]
        if math.isfinite(most):
            notes.append(message("{sticking} samples stick: they and the moments of breaking loose only show that static "
                                 "friction is from {least} to {most}.", sticking=sticking,
                                 least=rounded(least, 4), most=rounded(most, 4)))
        else:
            notes.append(message("{sticking} samples stick and only show that static friction is at least {least}.",
                                 sticking=sticking, least=rounded(least, 4)))
    if result.rho > 0.0:
        notes.append(message("Successive residuals are correlated ({rho:.2f}): the motion differs from the data by more than "
                             "noise. The intervals are widened for it.", rho=result.rho))
    if result.far:
        notes.append(message("{far} samples are farther from the curve than five standard deviations.", far=result.far))
    if result.step_change > STEP_SHARE:
        notes.append(message("A fourth of the time step would change a parameter by {step_change:.0f} % of its interval: use a "
                             "smaller step.", step_change=50.0 * result.step_change))
    return notes
