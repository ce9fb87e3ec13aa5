"""`stiction papers`: published figures against ours, computed now."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app.commands import _scene_arguments

HELP = "recompute published figures and compare them"
EXAMPLES = """\
  stiction papers
  stiction papers MS16
  stiction papers --json > papers.json
  stiction papers --write docs/papers.md        the table as a page, the figures in the folder beside it (docs/papers)

The exit code is 1 if a row fails."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", nargs="?", default="", metavar="SOURCE", help="only this source, for example MS16")
    parser.add_argument("--json", action="store_true", help="print a JSON list of objects instead of a table")
    parser.add_argument("--write", metavar="FILE", help="write the table as a Markdown page")


def run(args: argparse.Namespace) -> int:
    """Print all rows; return 1 if one fails."""
    from tqdm import tqdm

    import scenes
    from app.files.atomic_write import write
    from physics import BadInput

    _scene_arguments.target("--write", args.write)
    having = {name: scene for name, scene in scenes.all_scenes().items() if scene.papers}
    by_scene: dict[str, list[Any]] = {}
    for name, scene in tqdm(having.items(), unit="scene", disable=not sys.stderr.isatty(), file=sys.stderr, leave=False):
        by_scene[name] = [row for row in scene.papers() if args.source.lower() in ("", row.source.lower())]
    rows = [row for found in by_scene.values() for row in found]
    if args.source and not rows:
        raise BadInput(f"no scene compares with '{args.source}'; run `stiction papers` to list all rows")
    if args.write:
        pictures = draw_figures(having, args.source, Path(args.write))
        write(args.write, as_page(by_scene, pictures).encode())
    print(json.dumps([as_object(row) for row in rows], indent=1) if args.json else as_table(rows))
    return 0 if all(row.ok for row in rows) else 1


def draw_figures(having: dict[str, Any], source: str, page: Path) -> dict[str, list[tuple[str, Any]]]:
    """Draw the figures of a source, or of all, into the folder beside the page; (link, figure) of each by scene."""
    from app.analysis.curves.svg_chart import figure
    from app.files.atomic_write import write

    links: dict[str, list[tuple[str, Any]]] = {}
    for name, scene in having.items():
        for k, shown in enumerate(scene.figures() if scene.figures else ()):
            if source.lower() in ("", shown.source.lower()):
                file = page.with_suffix("") / f"{name}-{k + 1}.svg"
                write(file, figure(shown).encode())
                links.setdefault(name, []).append((f"{file.parent.name}/{file.name}", shown))
    return links


def as_object(row: Any) -> dict[str, Any]:
    """Return the row with the keys of the published format, numbers valid in JSON."""
    named = asdict(row)
    conventions = named.pop("conventions")
    named["measured"] = named["measured"] if abs(named["measured"]) < float("inf") else None
    return {**named, "ok": bool(row.ok), "conventions": conventions}


def as_table(rows: list[Any]) -> str:
    """Return a readable table; below it each convention once."""
    head = ("", "source", "figure", "quantity", "published", "provenance", "measured", "unit", "tolerance")
    cells = [head] + [("ok" if row.ok else "NO", row.source, row.figure, row.quantity, f"{row.published:.6g}", row.provenance,
                       f"{row.measured:.6g}", row.unit, f"{row.tolerance:.2g}") for row in rows]
    widths = [max(len(line[k]) for line in cells) for k in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells]
    good = sum(row.ok for row in rows)
    notes = [f"  {note}" for note in dict.fromkeys(f"{row.source} {row.figure}: {row.conventions}" for row in rows)]
    return "\n".join([*lines, f"{good} of {len(rows)} passed", *notes])


SOURCE_TITLES = {
    "ST96": "D. E. Stewart, J. C. Trinkle: An implicit time-stepping scheme for rigid body dynamics with inelastic collisions "
            "and Coulomb friction. IJNME 39 (1996), 2673-2691",
    "F11": "R. Featherstone: Rigid Body Dynamics Algorithms (2008), chapter 11, Contact and Impact",
    "MS16": "M. V. Mikhailyuk, E. V. Strashnov: Simulating dynamics of the system of articulated rigid bodies with joint "
            "friction. Science & Education of the Bauman MSTU (2016) no. 01, 108-124",
    "T08": "J. C. Trinkle: lecture notes Discrete Dynamics (2008)",
    "KV": "R. Kasper, D. Vlasenko: Method for distributed forward dynamic simulation of constrained mechanical systems",
    "Watt": "J. Watt's linkage (1784); the equation of its curve",
}
"""Titles of the sources."""


def as_page(by_scene: dict[str, list[Any]], pictures: dict[str, list[tuple[str, Any]]]) -> str:
    """Return the rows as a Markdown page, by source and scene, with the figures (link, figure) of each scene."""
    rows = [row for found in by_scene.values() for row in found]
    lines = ["# Published figures, recomputed", "",
             f"{sum(row.ok for row in rows)} of {len(rows)} rows hold.",
             "Written by `python3 start.py papers --write docs/papers.md`; every measured number is computed.",
             "A row holds if |measured - published| <= tolerance; where a source leaves something open, its convention is below "
             "the table. The published number is *printed* by the source, or *derived*: it follows from the source's equations, "
             "for an example of ours. In the figures orange is what the source prints, grey what is derived, and the other "
             "colours are our runs. A row whose parameters were fitted to the published number calls itself a consistency check.",
             ""]
    for source in dict.fromkeys(row.source for row in rows):
        lines += [f"## {source}", "", SOURCE_TITLES.get(source, ""), ""]
        for name, found in by_scene.items():
            mine = [row for row in found if row.source == source]
            if mine:
                lines += [f"### `{name}`", "", "| figure | quantity | published | provenance | measured | unit | tolerance | |",
                          "| --- | --- | --- | --- | --- | --- | --- | --- |", *map(_line, mine), ""]
                lines += [*(f"- {note}" for note in dict.fromkeys(_cell(row.conventions) for row in mine)), ""]
            for link, shown in pictures.get(name, ()):
                if shown.source == source:
                    lines += [f"![{shown.source} {shown.figure}: {shown.title}]({link})", "", shown.conventions, ""]
    return "\n".join(lines)


def _line(row: Any) -> str:
    verdict = "" if row.ok else "**off**"
    return (f"| {_cell(row.figure)} | {_cell(row.quantity)} | {row.published:.6g} | {row.provenance} | {row.measured:.6g} | "
            f"{row.unit} | {row.tolerance:.2g} | {verdict} |")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
