"""Charts as SVG: where the numbers lie, whose they are, the files of docs/papers."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import scenes
from app.analysis.curves.svg_chart import LAW_COLOUR, PUBLISHED, Scale, figure, grid
from scenes import DERIVED, PRINTED, PaperFigure, Series
from tests.helpers import ROOT, long_run

SVG = "{http://www.w3.org/2000/svg}"
PAGE = ROOT / "docs" / "papers.md"


def read_axes(root: ElementTree.Element) -> tuple[np.ndarray, np.ndarray]:
    """(x, y) lines through the numbers that are written at the axes: coefficients of value = a * pixel + b."""
    marks = [(float(one.get("x")), float(one.get("y")), one.get("text-anchor"), one.text) for one in root.iter(f"{SVG}text")
             if one.get("x") and re.fullmatch(r"-?[\d.]+", one.text or "")]
    across = [(x, float(text)) for x, _, anchor, text in marks if anchor == "middle"]
    up = [(y - 4.0, float(text)) for _, y, anchor, text in marks if anchor == "end"]
    return np.polyfit(*zip(*across), 1), np.polyfit(*zip(*up), 1)


def shown(**changed: object) -> PaperFigure:
    given = {"source": "X1", "figure": "fig. 1", "title": "a < b", "x": "time [s]", "y": "v [m/s]", "conventions": "", "series": (
        Series("printed & done", (1.0, 3.0), (-2.0, 6.0), PRINTED, True), Series("ours", (0.0, 4.0), (-3.0, 7.0)),
        Series("law", (0.0, 4.0), (-3.0, 7.0), DERIVED))}
    return PaperFigure(**(given | changed))


def test_points_lie_where_the_numbers_of_the_axes_say() -> None:
    root = ElementTree.fromstring(figure(shown()))
    across, up = read_axes(root)
    dots = list(root.iter(f"{SVG}circle"))[:2]
    assert np.polyval(across, [float(one.get("cx")) for one in dots]) == pytest.approx([1.0, 3.0], abs=0.02)
    assert np.polyval(up, [float(one.get("cy")) for one in dots]) == pytest.approx([-2.0, 6.0], abs=0.06)
    line = next(one for one in root.iter(f"{SVG}polyline") if not one.get("stroke-dasharray"))
    ends = np.array([[float(value) for value in pair.split(",")] for pair in line.get("points").split()])
    assert np.polyval(across, ends[:, 0]) == pytest.approx([0.0, 4.0], abs=0.02)
    assert np.polyval(up, ends[:, 1]) == pytest.approx([-3.0, 7.0], abs=0.06)


def test_printed_points_are_orange_and_on_top_and_laws_are_dashed() -> None:
    drawn = figure(shown())
    assert drawn.rindex("<polyline", 0, drawn.index("<circle")) > 0 and f'stroke="{PUBLISHED}"' in drawn
    assert [one.get("stroke") for one in ElementTree.fromstring(drawn).iter(f"{SVG}polyline")
            if one.get("stroke-dasharray")] == [LAW_COLOUR] * 2         # the curve and its sample in the legend
    assert "printed &amp; done" in drawn and "X1 fig. 1. a &lt; b" in drawn


def test_the_same_figure_gives_the_same_bytes() -> None:
    assert figure(shown()) == figure(shown())


def test_logarithmic_axes_have_powers_of_ten() -> None:
    scale = Scale(1e-4, 1.0, 0.0, 400.0, log=True)
    assert scale(np.array([1e-4, 1e-2, 1.0])) == pytest.approx([0.0, 200.0, 400.0])
    assert scale.marks(8) == pytest.approx([1e-4, 1e-3, 1e-2, 1e-1, 1.0])
    assert Scale(0.02, 0.9, 0.0, 1.0, log=True).marks(8) == pytest.approx([0.02, 0.05, 0.1, 0.2, 0.5])


def test_upright_lines_mark_times_that_a_source_prints() -> None:
    drawn = figure(shown(series=(Series("stops", (0.5,), (), PRINTED), Series("ours", (0.0, 1.0), (0.0, 1.0)))))
    line = next(one for one in ElementTree.fromstring(drawn).iter(f"{SVG}line") if one.get("stroke") == PUBLISHED)
    across, _ = read_axes(ElementTree.fromstring(drawn))
    assert line.get("x1") == line.get("x2") and np.polyval(across, float(line.get("x1"))) == pytest.approx(0.5, abs=0.01)


def test_the_grid_has_one_line_for_each_number() -> None:
    parts = "".join(grid(Scale(0.0, 4.0, 0.0, 100.0), Scale(-1.0, 1.0, 100.0, 0.0)))
    assert parts.count("<line") == parts.count("<text") == 9 + 5


@pytest.mark.parametrize("name", ["particle_and_wall", "door"])
def test_the_printed_points_of_a_figure_lie_on_our_curve(name: str) -> None:
    """Measured between the samples of our run, in the figure's own units."""
    for one in scenes.find(name).figures():
        ours = [series for series in one.series if series.provenance == scenes.OURS]
        for series in (series for series in one.series if series.provenance == PRINTED and len(series.y)):
            apart = min(np.abs(np.interp(series.x, run.x, run.y) - np.asarray(series.y, float)).max() for run in ours)
            assert apart <= 0.01, f"{one.figure}: {series.label} is {apart} away"


def test_the_page_shows_every_figure_that_its_scenes_draw() -> None:
    text = PAGE.read_text(encoding="utf-8")
    linked = re.findall(r"!\[[^\]]+\]\((papers/[\w-]+\.svg)\)", text)
    assert sorted(linked) == sorted(f"papers/{file.name}" for file in (ROOT / "docs" / "papers").iterdir())
    assert {re.sub(r"papers/(.+)-\d+\.svg", r"\1", link) for link in linked} == {
        name for name, scene in scenes.all_scenes().items() if scene.figures}
    assert {source for source in ("ST96", "MS16", "T08", "F11", "KV") if f"![{source} " not in text} == set()


def test_a_row_with_fitted_parameters_says_so_in_its_name() -> None:
    """Those whose conventions say that something was fitted to their number."""
    rows = [line.split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| fig.")]
    names = [row[1] for row in rows if row[2] in ("0.87", "37.62", "0.383")]
    assert len(names) == 5 and all("consistency check of" in name for name in names)


@long_run
def test_the_figures_of_the_page_are_what_the_scenes_draw_today() -> None:
    """Numbers within a fifth of a pixel: sines of other processors may differ in their last bit."""
    numbers = re.compile(r"-?\d+\.\d+")
    for name, scene in scenes.all_scenes().items():
        for k, one in enumerate(scene.figures() if scene.figures else ()):
            kept, drawn = (ROOT / "docs" / "papers" / f"{name}-{k + 1}.svg").read_text(encoding="utf-8"), figure(one)
            assert numbers.sub("0", kept) == numbers.sub("0", drawn), name
            before, now = ([float(one) for one in numbers.findall(text)] for text in (kept, drawn))
            assert before == pytest.approx(now, abs=0.2)
