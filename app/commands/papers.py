"""`stiction papers`: published figures against ours, computed now."""

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

HELP = "recompute published figures and compare them"
EXAMPLES = """\
  stiction papers
  stiction papers MS16
  stiction papers --json > papers.json

The exit code is 1 if a row fails."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", nargs="?", default="", metavar="SOURCE", help="only this source, for example MS16")
    parser.add_argument("--json", action="store_true", help="print a JSON list of objects instead of a table")


def run(args: argparse.Namespace) -> int:
    """Print all rows; return 1 if one fails."""
    from tqdm import tqdm

    import scenes
    from physics import BadInput

    having = {name: scene for name, scene in scenes.all_scenes().items() if scene.papers}
    rows: list[Any] = []
    for scene in tqdm(having.values(), unit="scene", disable=not sys.stderr.isatty(), file=sys.stderr, leave=False):
        rows += [row for row in scene.papers() if args.source.lower() in ("", row.source.lower())]
    if args.source and not rows:
        raise BadInput(f"no scene compares with '{args.source}'; run `stiction papers` to list all rows")
    print(json.dumps([as_object(row) for row in rows], indent=1) if args.json else as_table(rows))
    return 0 if all(row.ok for row in rows) else 1


def as_object(row: Any) -> dict[str, Any]:
    """Return the row with the keys of the published format, numbers valid in JSON."""
    named = asdict(row)
    conventions = named.pop("conventions")
    named["measured"] = named["measured"] if abs(named["measured"]) < float("inf") else None
    return {**named, "ok": bool(row.ok), "conventions": conventions}


def as_table(rows: list[Any]) -> str:
    """Return a readable table; below it each convention once."""
    head = ("", "source", "figure", "quantity", "published", "measured", "unit", "tolerance")
    cells = [head] + [("ok" if row.ok else "NO", row.source, row.figure, row.quantity, f"{row.published:.6g}",
                       f"{row.measured:.6g}", row.unit, f"{row.tolerance:.2g}") for row in rows]
    widths = [max(len(line[k]) for line in cells) for k in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells]
    good = sum(row.ok for row in rows)
    notes = [f"  {note}" for note in dict.fromkeys(f"{row.source} {row.figure}: {row.conventions}" for row in rows)]
    return "\n".join([*lines, f"{good} of {len(rows)} passed", *notes])
