"""A fit as one HTML file with its charts inside, and as JSON. GL-free; the file needs no network."""

import html
import json
import math
from collections.abc import Sequence

import numpy as np

from app.analysis.curves.svg_chart import MARGIN, WIDTH, Scale, ends, grid, polyline
from app.analysis.friction_fit.plan import FitPlan
from app.analysis.friction_fit.sentences import numbers, remarks, sentence
from app.analysis.friction_fit.study import UNKNOWN, FitAnswer, FitCurve, FitResult
from app.i18n import translate
from app.i18n.message import message
from app.number_format import rounded

CHART_HEIGHT = 300
"""Of a chart [px]."""

EN_DASH = "\u2013"

MAX_POINTS = 3000
"""Most points of a chart; longer series are thinned."""

PAGE_STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --dim: #667080; --page: #fff; --data: #8a94a3; --model: #c2410c; --grid:
#8884; } @media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --dim: #98a2b3; --page: #15181c; --model: #fb923c; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 900px; margin: 2em auto;
       padding: 0 1em; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; color: var(--dim); font-weight: normal; }
td, th { padding: .3em .8em .3em 0; border-bottom: 1px solid var(--grid); } td.n { font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; } svg text { fill: var(--dim); font-size: 12px; }
.dim { color: var(--dim); } .data { fill: var(--data); } .grid { stroke: var(--grid); }
.model { stroke: var(--model); fill: none; stroke-width: 1.8; } .dot { fill: var(--model); }
.bar { stroke: var(--model); stroke-width: 3; }
"""


def as_html(made: FitPlan, result: FitResult, title: str, source: str) -> str:
    """The report as an HTML page. title: of the scene; source: name of the data."""
    sentences_shown = [*map(sentence, result.answers), *remarks(result), *made.notes]
    rows = "".join(_row(one, result) for one in result.answers)
    heads = "".join(f"<th>{_text(head)}</th>" for head in ("Parameter", "Value", "From", "To", "Interval"))
    parts = [f"<h1>{_text(title)}</h1>", f'<p class="dim">{_text(circumstances(made, result))} {_text(source)}</p>',
             f"<table><tr>{heads}</tr>{rows}</table>", "<ul>", *(f"<li>{_text(line)}</li>" for line in sentences_shown), "</ul>"]
    for curve, noise in zip(result.curves, result.noise):
        left = FitCurve(message("residual of {curve}", curve=curve.name), curve.unit, curve.x, curve.data - curve.model,
                        np.zeros(len(curve.x)), curve.x_name, curve.x_unit)
        spread = message("Residuals; their standard deviation is {noise} {unit}.", noise=rounded(noise, 3), unit=curve.unit)
        parts += [f"<h2>{_text(curve.name)}</h2>", chart(curve), f"<p>{_text(spread)}</p>",
                  chart(left, 0.6)]
    return ("<!doctype html>\n<html><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
            f"<title>{_text(title)}</title><style>{PAGE_STYLE}</style></head><body>\n" + "\n".join(parts) + "\n</body></html>\n")


def circumstances(made: FitPlan, result: FitResult) -> str:
    """Method, samples and cost in a sentence."""
    if result.method == "regression":
        return message("Law of '{at}' from its motor log: {samples} samples, {counts} equations.", at=made.experiment.at,
                       samples=result.samples, counts=result.counts[0])
    return (message("Motion of '{at}': {samples} samples, {runs} runs of the scene, step {dt} ms.", at=made.experiment.at,
                    samples=result.samples, runs=result.runs, dt=rounded(1e3 * result.dt, 4)))


def _row(one: FitAnswer, result: FitResult) -> str:
    value, lo, hi = numbers(one)
    unit = f" [{one.unit}]" if one.unit else ""
    name = html.escape(one.name + unit) + (f' <span class="dim">{_text("found on the way")}</span>' if one.nuisance else "")
    return f'<tr><td>{name}</td>' + "".join(f'<td class="n">{html.escape(text) or EN_DASH}</td>' for text in (value, lo, hi)) \
        + f"<td>{_bar(one)}</td></tr>"


def _bar(one: FitAnswer) -> str:
    """The interval as a line over a scale with zero; open ends are arrows."""
    if one.kind == UNKNOWN:
        return ""
    lo, hi = span(one)
    top = max(abs(lo), abs(hi)) * 1.25 or 1.0
    left = min(0.0, lo * 1.25)
    x = [8 + 184 * (value - left) / (top - left) for value in (lo, hi, one.value, 0.0)]
    drawn = f'<line class="grid" x1="{x[3]:.1f}" x2="{x[3]:.1f}" y1="2" y2="18"/>'
    drawn += f'<line class="bar" x1="{x[0]:.1f}" x2="{max(x[1], x[0] + 1):.1f}" y1="10" y2="10"/>'
    if one.kind == "value":
        drawn += f'<circle class="dot" cx="{x[2]:.1f}" cy="10" r="4"/>'
    if one.kind == "at least":
        drawn += f'<path class="dot" d="M{x[1]:.1f} 4 l8 6 l-8 6 z"/>'
    return f'<svg viewBox="0 0 200 20" style="width:200px">{drawn}</svg>'


def span(one: FitAnswer) -> tuple[float, float]:
    """Ends of the interval as drawn: an open upper end at one and a half times the lower one."""
    return one.lo, (1.5 * one.lo or 1.0) if one.kind == "at least" else one.hi


def _text(text: str) -> str:
    return html.escape(translate.translate(text))


# ---- charts


def chart(curve: FitCurve, tall: float = 1.0) -> str:
    """Data as dots and the model as a line, as SVG."""
    if not len(curve.x):
        return ""
    height, (left, top, below, right) = round(CHART_HEIGHT * tall), MARGIN
    line_x, line_y = curve.line or (curve.x, curve.model)
    lo_x, hi_x = ends(np.concatenate([curve.x, line_x]), 0.0)
    lo_y, hi_y = ends(np.concatenate([curve.data, line_y]), 0.06)

    across, up = Scale(lo_x, hi_x, left, WIDTH - right), Scale(lo_y, hi_y, height - below, top)
    parts = grid(across, up)
    every = max(1, len(curve.x) // MAX_POINTS)
    parts += [f'<circle class="data" cx="{x:.1f}" cy="{y:.1f}" r="2"/>'
              for x, y in zip(across(curve.x[::every]), up(curve.data[::every]))]
    parts += [polyline(across(part_x), up(part_y)) for part_x, part_y in pieces(line_x, line_y, curve.line is not None)]
    parts.append(f'<text x="{WIDTH - right}" y="{height - 6}" text-anchor="end">{_text(curve.x_name)} [{curve.x_unit}]</text>')
    parts.append(f'<text x="{left + 6}" y="{top + 12}">[{curve.unit}]</text>')
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img">{"".join(parts)}</svg>'


def pieces(x: np.ndarray, y: np.ndarray, jumps: bool) -> Sequence[tuple[np.ndarray, np.ndarray]]:
    """The line, at v = 0 in two where it is a law of friction."""
    if not jumps:
        every = max(1, len(x) // MAX_POINTS)
        return [(x[::every], y[::every])]
    return [(x[x < 0.0], y[x < 0.0]), (x[x > 0.0], y[x > 0.0])]


# ---- JSON


def as_json(made: FitPlan, result: FitResult, source: str) -> str:
    """The answers, remarks and residuals as JSON; what is infinite or no number is null."""
    def finite(value: float) -> float | None:
        return value if math.isfinite(value) else None

    answers = [{"name": one.name, "unit": one.unit, "kind": one.kind, "value": finite(one.value), "lo": finite(one.lo),
                "hi": finite(one.hi), "standard_error": finite(one.error), "nuisance": one.nuisance, "sentence": sentence(one)}
               for one in result.answers]
    curves = [{"quantity": curve.name, "unit": curve.unit, curve.x_name: curve.x.tolist(), "data": curve.data.tolist(),
               "model": curve.model.tolist(), "noise": finite(noise)} for curve, noise in zip(result.curves, result.noise)]
    return json.dumps({"scene": made.experiment.scene, "data": source, "method": result.method, "samples": result.samples,
                       "confidence": 0.95, "parameters": answers, "remarks": [*remarks(result), *made.notes],
                       "residual_correlation": result.rho, "dt": result.dt or None, "runs": result.runs, "curves": curves},
                      indent=1, ensure_ascii=False) + "\n"
