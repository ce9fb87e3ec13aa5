"""Axes of all plots: limits, name, and tick labels (ticks.py) in place of ImPlot's."""

from app.gui.controls.values import pretty
from app.gui.plots import ticks
from app.i18n.imgui_translated import imgui, implot

NUMBER_LINES = 1.4
"""Height reserved for a number of an upright axis, in lines of text."""
BELOW = 2.4
"""Height of the axis below, in lines of text."""


def even(axis: int, name: str, unit: str, lo: float, hi: float, length: float, flags: int = 0, *,
         cond: int = imgui.Cond_.always, shown: tuple[float, float] | None = None, whole: bool = False) -> None:
    """A linear axis. length: approximate [px]; shown: its present limits, if the user may move them; whole: integers only."""
    upright = axis >= implot.ImAxis_.y1
    found = ticks.even(*(shown or (lo, hi)), length, _letters(length, upright), pretty(unit), upright, whole)
    _finish(axis, name, found, flags, length)
    implot.setup_axis_limits(axis, lo, hi, cond)


def decades(axis: int, name: str, unit: str, lo: float, hi: float, length: float, flags: int = 0) -> None:
    """A logarithmic axis. length: approximate [px]."""
    upright = axis >= implot.ImAxis_.y1
    found = ticks.decades(lo, hi, length, _letters(length, upright), upright)
    _finish(axis, name, ticks.Ticks(found.values, found.labels, pretty(unit)), flags, length)
    implot.setup_axis_scale(axis, implot.Scale_.log10)
    implot.setup_axis_limits(axis, lo, hi, imgui.Cond_.always)


def limits(axis: int) -> tuple[float, float]:
    """Limits of an axis of the current plot."""
    if axis >= implot.ImAxis_.y1:
        found = implot.get_plot_limits(implot.ImAxis_.x1, axis).y
    else:
        found = implot.get_plot_limits(axis, implot.ImAxis_.y1).x
    return found.min, found.max


def _letters(length: float, upright: bool) -> float:
    line = imgui.get_text_line_height()
    return (length - BELOW * line) / (NUMBER_LINES * line) if upright else length / imgui.calc_text_size("0").x


def _finish(axis: int, name: str, found: ticks.Ticks, flags: int, length: float) -> None:
    whole = f"{name} [{found.unit}]" if name and found.unit else name or found.unit
    if axis >= implot.ImAxis_.y1:
        room = length - BELOW * imgui.get_text_line_height()    # beyond it a title covers what is above the plot
        whole = next((text for text in (whole, found.unit) if imgui.calc_text_size(text).x <= room), "")
    implot.setup_axis(axis, whole, flags)
    implot.setup_axis_format(axis, " ")     # keep the grid lines, replace the labels
    if found.values:
        implot.setup_axis_ticks(axis, found.values, found.labels, True)
