"""Charts as SVG: axes with round numbers, lines and points. The same numbers give the same bytes."""

import html
import math
from dataclasses import dataclass

import numpy as np

from app.number_format import rounded
from scenes import DERIVED, PRINTED, PaperFigure, Series

WIDTH, MARGIN = 860, (64, 12, 40, 12)
"""Of a chart, and its margins on the left, top, below, right [px]."""


@dataclass(frozen=True)
class Scale:
    """Where numbers of an axis from lo to hi lie [px], from `start` to `end`; log: by their logarithms."""

    lo: float
    hi: float
    start: float
    end: float
    log: bool = False

    def __call__(self, values: np.ndarray | float) -> np.ndarray:
        lo, hi, given = (np.log10(one) if self.log else np.asarray(one, float) for one in (self.lo, self.hi, values))
        return self.start + (given - lo) / (hi - lo) * (self.end - self.start)

    def marks(self, most: int) -> list[float]:
        """Numbers to be written at the axis."""
        if not self.log:
            return steps(self.lo, self.hi, most)
        powers = range(math.floor(math.log10(self.lo)), math.ceil(math.log10(self.hi)) + 1)
        every = -(-len(powers) // most)
        heads = (1.0,) if len(powers) > 4 else (1.0, 2.0, 5.0)
        return [head * 10.0**p for p in powers[::every] for head in heads if self.lo <= head * 10.0**p <= self.hi]


def steps(lo: float, hi: float, most: int) -> list[float]:
    """Round numbers for the marks of an axis."""
    if not hi > lo:
        lo, hi = lo - 0.5 * (abs(lo) or 1.0), hi + 0.5 * (abs(hi) or 1.0)
    raw = (hi - lo) / most
    power = 10.0 ** math.floor(math.log10(raw))
    width = next(power * one for one in (1.0, 2.0, 5.0, 10.0) if power * one >= raw)
    return [k * width for k in range(math.ceil(lo / width), math.floor(hi / width) + 1)]


def ends(values: np.ndarray, margin: float, log: bool = False) -> tuple[float, float]:
    """Ends of an axis for values. margin: on both sides, relative to their range."""
    if log:
        lo, hi = ends(np.log10(values), max(margin, 0.04))
        return 10.0**lo, 10.0**hi
    lo, hi = float(values.min()), float(values.max())
    room = margin * (hi - lo) if hi > lo else 0.5 * (abs(lo) or 1.0)
    return lo - room, hi + room if hi > lo or margin else hi + (abs(hi) or 1.0)


def grid(across: Scale, up: Scale) -> list[str]:
    """Lines of the grid with their numbers."""
    left, right, below, top = across.start, across.end, up.start, up.end
    parts = [f'<line class="grid" x1="{across(x):.1f}" x2="{across(x):.1f}" y1="{top}" y2="{below}"/>'
             f'<text x="{across(x):.1f}" y="{below + 16}" text-anchor="middle">{rounded(x, 4)}</text>' for x in across.marks(8)]
    return parts + [f'<line class="grid" x1="{left}" x2="{right}" y1="{up(y):.1f}" y2="{up(y):.1f}"/>'
                    f'<text x="{left - 6}" y="{up(y) + 4:.1f}" text-anchor="end">{rounded(y, 4)}</text>' for y in up.marks(5)]


def polyline(x: np.ndarray, y: np.ndarray, style: str = 'class="model"') -> str:
    """A line through points [px]; those that lie on the last one are left out."""
    points = [f"{a:.1f},{b:.1f}" for a, b in zip(x, y)]
    kept = [one for k, one in enumerate(points) if k == 0 or one != points[k - 1]]
    return f'<polyline {style} points="{" ".join(kept)}"/>'


# ---- a figure of a source as a file

CHART_SIZE = (640, 360)
"""Width and height without the legend [px]."""
LEGEND = 20
"""Height of a line of the legend [px]."""
CURVE_COLOURS = ("#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#8c6d00", "#6a3d9a")
"""Of our curves."""
PUBLISHED = "#d55e00"
"""Colour of what a source prints."""
LAW_COLOUR = "#4d4d4d"
"""Colour of what follows from its equations."""
CHART_STYLE = ("text { font-family: system-ui, sans-serif; fill: #444; } .title { fill: #111; } .grid { stroke: #ddd; } "
               "polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round; }")


def figure(shown: PaperFigure) -> str:
    """The figure as an SVG file: points that the source prints, dashes that follow from its equations, lines of our runs."""
    width, height = CHART_SIZE
    left, top, below, right = 70, 34, height - 44, width - 16
    x_ends = ends(np.concatenate([one.x for one in shown.series]), 0.02, shown.log)
    y_ends = ends(np.concatenate([one.y for one in shown.series if len(one.y)]), 0.06, shown.log)
    across, up = Scale(*x_ends, left, right, shown.log), Scale(*y_ends, below, top, shown.log)
    title = html.escape(f"{shown.source} {shown.figure}. {shown.title}" if shown.source else shown.title)
    size = min(15.0, 1150.0 / max(1, len(title)))       # smaller where the picture is too narrow
    parts = [f'<text class="title" x="16" y="20" font-size="{size:.1f}">{title}</text>', *grid(across, up),
             f'<text x="{right}" y="{height - 8}" text-anchor="end">{html.escape(shown.x)}</text>',
             f'<text transform="translate(14 {0.5 * (top + below):.0f}) rotate(-90)" text-anchor="middle">{html.escape(shown.y)}'
             "</text>"]
    colours, legend = iter(CURVE_COLOURS * len(shown.series)), []
    order = sorted(shown.series, key=lambda one: one.provenance == PRINTED)      # printed points lie on top
    for k, one in enumerate(order):
        colour = {PRINTED: PUBLISHED, DERIVED: LAW_COLOUR}.get(one.provenance) or next(colours)
        parts += _drawn(one, colour, across, up)
        y, along = height + LEGEND * k, (left, left + 28) if len(one.y) and not one.points else (left + 14,)
        sample = Series("", along, [0.0] * len(along) if len(one.y) else (), one.provenance, one.points)
        legend += _drawn(sample, colour, Scale(0.0, 1.0, 0.0, 1.0), Scale(0.0, 1.0, y, y - 16.0))
        legend.append(f'<text x="{left + 38}" y="{y + 4}">{html.escape(one.label)}</text>')
    tall = height + LEGEND * len(order)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {tall}" width="{width}" height="{tall}" '
            'font-size="13" role="img">\n'
            f"<title>{title}</title>\n<style>{CHART_STYLE}</style>\n"
            f'<rect width="{width}" height="{tall}" fill="#fff"/>\n' + "\n".join([*parts, *legend]) + "\n</svg>\n")


def _drawn(one: Series, colour: str, across: Scale, up: Scale) -> list[str]:
    """A series: upright lines where it has no y, else points or a line."""
    x = across(np.asarray(one.x, float))
    if not len(one.y):
        return [f'<line x1="{a:.1f}" x2="{a:.1f}" y1="{up.end:.1f}" y2="{up.start:.1f}" stroke="{colour}" '
                'stroke-dasharray="2 3"/>' for a in x]
    y = up(np.asarray(one.y, float))
    if one.points:
        radius, fill = (4, "#fff") if one.provenance == PRINTED else (2.5, colour)
        return [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{radius}" fill="{fill}" stroke="{colour}" stroke-width="1.8"/>'
                for a, b in zip(x, y)]
    dash = ' stroke-dasharray="6 4"' if one.provenance == DERIVED else ""
    return [polyline(x, y, f'stroke="{colour}"{dash}')]
