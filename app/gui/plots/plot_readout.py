"""Values read off curves: under the cursor, and over a measured span."""

import time
from collections.abc import Callable

from app.analysis.curves import curve_statistics
from app.analysis.curves.curves import LIVE, CurveLine
from app.gui.controls import style, widgets
from app.gui.controls.values import pretty
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.number_format import rounded

MIN_WIDTH_BESIDE = 760.0
"""Panel width from which the table of a span is placed beside the plots, not below them [px at scale 1]."""

ZERO_BELOW = 1e-12
"""Smaller values, in any unit, are shown as zero."""

MAX_NAME_LENGTH = 28
"""Longest name in the table, in letters; the tooltip has all of it."""

MAX_CURSOR_CURVES = 16
"""Limit of curves listed at the cursor."""

STATISTICS_COLUMNS = (("mean", "Mean value: area divided by "
                               "duration."), ("min", "Smallest value in the span."), ("max", "Largest value in the span."),
                      ("gradient", "Slope of the least-squares line."),
                      ("area", "Area under the curve by linear interpolation; gaps are excluded."))


def cursor(lines: list[CurveLine], at: float, more: Callable[[], None]) -> None:
    """Tooltip with the time, value and gradient of every curve, and what `more` writes."""
    rows = [(line, curve_statistics.value_at(line.times, line.values, at)) for line in lines]
    rows = [(line, value) for line, value in rows if value is not None]
    imgui.begin_tooltip()
    widgets.dim_text(f"t = {at:.4f} s")
    more()
    if rows and imgui.begin_table("values", 3, imgui.TableFlags_.sizing_fixed_fit):
        for line, value in rows[:MAX_CURSOR_CURVES]:
            slope = curve_statistics.gradient_at(line.times, line.values, at)
            imgui.table_next_row()
            imgui.table_next_column()
            widgets.coloured(line.name, _colour(line))
            imgui.table_next_column()
            imgui.text_unformatted(with_unit(value, line.unit))
            imgui.table_next_column()
            widgets.dim_text("" if slope is None else message("slope {slope}", slope=with_unit(slope, per_second(line.unit), 4)))
        imgui.end_table()
    if len(rows) > MAX_CURSOR_CURVES:
        widgets.dim_text(message("and {rows} more", rows=len(rows) - MAX_CURSOR_CURVES))
    imgui.end_tooltip()


def point(line: CurveLine, i: int, x: tuple[str, str]) -> None:
    """Tooltip of a point of a curve over another quantity. x: label and unit of that."""
    imgui.begin_tooltip()
    widgets.dim_text(f"t = {line.times[i]:.4f} s")
    imgui.text_unformatted(f"{x[0]}  {with_unit(float(line.x[i]), x[1])}")
    widgets.coloured(f"{line.name}  {with_unit(float(line.values[i]), line.unit)}", _colour(line))
    imgui.end_tooltip()


def table(spans: curve_statistics.SpanCache, lines: list[CurveLine], span: tuple[float, float], x_units: dict[str, str],
          scroll: bool) -> None:
    """Mean, minimum, maximum, gradient and area of every curve over a span. x_units: by name, of curves over another quantity;
    scroll: limit the table to the space left."""
    start, end = min(span), max(span)
    widgets.dim_text(f"{rounded(start, 4)} \u2026 {rounded(end, 4)} s, {rounded(end - start, 4)} s")
    widgets.register_area("span")
    kind = imgui.TableFlags_
    flags = kind.sizing_fixed_fit | kind.row_bg | (kind.scroll_x | kind.scroll_y if scroll else kind.none)
    imgui.push_style_var(imgui.StyleVar_.cell_padding, imgui.ImVec2(widgets.scaled(5.0), widgets.scaled(2.0)))
    opened = imgui.begin_table("span", 1 + len(STATISTICS_COLUMNS), flags)
    imgui.pop_style_var()
    if not opened:
        return
    if scroll:
        imgui.table_setup_scroll_freeze(1, 1)
    imgui.table_next_row()
    imgui.table_next_column()
    for name, help in STATISTICS_COLUMNS:
        imgui.table_next_column()
        widgets.dim_text(name)
        widgets.tooltip(help)
    for line in lines:
        _row(spans, line, start, end, x_units.get(line.name, ""))
    imgui.end_table()


def _row(spans: curve_statistics.SpanCache, line: CurveLine, start: float, end: float, x_unit: str) -> None:
    found = spans.of((line.name, line.key, line.kind), line.times, line.values, (start, end), time.perf_counter())
    imgui.table_next_row()
    imgui.table_next_column()
    widgets.coloured(line.name if len(line.name) <= MAX_NAME_LENGTH else f"{line.name[:MAX_NAME_LENGTH - 1]}\u2026",
                     _colour(line))
    widgets.tooltip(line.name)
    if found is None:
        return
    area, unit = found.area, times_second(line.unit)
    if line.x is not None:
        inside = (line.times >= start) & (line.times <= end)
        area, unit = curve_statistics.enclosed(line.x[inside], line.values[inside]) or 0.0, f"{line.unit} {x_unit}".strip()
    for number, its in ((found.mean, line.unit), (found.low, line.unit), (found.high, line.unit),
                        (found.gradient, per_second(line.unit)), (area, unit)):
        imgui.table_next_column()
        imgui.text_unformatted(with_unit(number, its, 4))


def with_unit(value: float, unit: str, digits: int = 6) -> str:
    return f"{rounded(value if abs(value) >= ZERO_BELOW else 0.0, digits)} {pretty(unit)}".rstrip()


def per_second(unit: str) -> str:
    """The unit of a gradient."""
    if unit.endswith("/s"):
        return f"{unit}^2"
    return f"{unit or '1'}/s"


def times_second(unit: str) -> str:
    """The unit of an area."""
    return unit.removesuffix("/s") if unit.endswith("/s") else f"{unit} s".strip()


def _colour(line: CurveLine) -> style.RGBA:
    curves = style.palette().curves
    return curves[line.tint % len(curves)] if line.kind == LIVE else (*curves[line.tint % len(curves)][:3], 0.85)
