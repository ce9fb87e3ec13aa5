"""`stiction truth`: experiments with closed forms and published numbers, run now under every solver."""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from app.commands import _scene_arguments

if TYPE_CHECKING:
    from scenes.truth import BenchRow

HELP = "run experiments with known results under every solver at 60, 240 and 1000 Hz and compare"
EXAMPLES = """\
  stiction truth --quick                         a selection, in less than a minute
  stiction truth                                 all experiments: hours, most of them for the solvers of chains at 1000 Hz
  stiction truth zeno_08 billiard_throw          selected experiments; or a whole topic: stiction truth Rolling
  stiction truth --solver soft_steps --rate 240  one solver, one step size
  stiction truth --list                          list the experiments with law and source
  stiction truth --json > truth.json
  stiction truth --write docs/truth.md --write assets/truth.json     the table as a page, and as data of the window

A row passes if |obtained - expected| <= tolerance. The tolerance follows from the law and the step size: none where the scheme
conserves a quantity, proportional to the step where an event falls within one. The order p means that the error is proportional
to h^p over the rates that ran. "not supported": the solver does not support the scene;
"not run": it takes longer than --limit; "known limit": it fails by a limit of the method, which is stated below the table.

The exit code is 1 if a row fails for no known reason."""

QUICK_RATES = (60, 240)

SHORT_SOLVER_NAMES = {"sequential_impulses": "impulses", "soft_steps": "soft", "stewart_trinkle": "exact"}
"""Short solver names for narrow columns."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("experiment", nargs="*", metavar="EXPERIMENT", help="experiments or topics; default: all")
    parser.add_argument("--solver", action="append", default=[], help="only this solver; repeatable")
    parser.add_argument("--rate", action="append", type=int, default=[], metavar="HZ",
                        help="only a step size of 1 / HZ; repeatable")
    parser.add_argument("--quick", action="store_true", help="a selection of experiments, at 60 and 240 Hz")
    parser.add_argument("--limit", type=float, default=120.0, metavar="SECONDS",
                        help="cut a run off after SECONDS of processor time, as not run (%(default)g)")
    parser.add_argument("--list", action="store_true", help="list the experiments")
    parser.add_argument("--json", action="store_true", help="print a JSON list of objects instead of a table")
    parser.add_argument("--write", action="append", default=[], metavar="FILE",
                        help="also write the table to a file: a Markdown page, or the data of the window (.json)")


def run(args: argparse.Namespace) -> int:
    """Run the requested experiments; return 1 if a row fails."""
    from tqdm import tqdm

    from app.analysis.studies.truth_bench import as_lines
    from app.files.atomic_write import write
    from physics import BadInput, solvers
    from scenes import truth

    for path in args.write:
        _scene_arguments.target("--write", path)
    names = chosen(args.experiment, args.quick)
    if args.list:
        print(listed(names))
        return 0
    known = tuple(solvers.available())
    for name in args.solver:
        if name not in known:
            raise BadInput(f"unknown solver '{name}'; available: {', '.join(known)}")
    if any(not 1 <= rate <= 100_000 for rate in args.rate):
        raise BadInput("--rate must be between 1 and 100000 steps per second")
    if not args.limit > 0.0:
        raise BadInput("--limit must be positive: the processor time [s] that a run may take")
    rates = tuple(sorted(set(args.rate))) or (QUICK_RATES if args.quick else truth.RATES)
    total = len(names) * len(args.solver or known)
    rows: list[Any] = []
    bench = truth.bench(names, tuple(args.solver), rates, limit=args.limit)
    for some in tqdm(bench, total=total, unit="run", disable=not sys.stderr.isatty(), file=sys.stderr, leave=False):
        rows += some
    print(json.dumps([as_object(row) for row in rows], indent=1) if args.json else as_table(rows))
    for file in args.write:
        write(file, (as_lines(rows) if file.endswith(".json") else as_page(rows)).encode())
    return 0 if all(row.holds for row in rows) else 1


def chosen(words: list[str], quick: bool) -> tuple[str, ...]:
    """Names of the experiments selected by words, which are names or topics; without words all."""
    from scenes import truth

    topics, names = {topic.lower(): group for topic, group in truth.topics().items()}, []
    for word in words:
        names += [e.name for e in topics[word.lower()]] if word.lower() in topics else [truth.find(word).name]
    known = truth.all_experiments()
    return tuple(name for name in names or known if known[name].quick or not quick)


def listed(names: tuple[str, ...]) -> str:
    """List every experiment with its law and source, by topic."""
    from scenes import truth

    lines = []
    for topic, group in truth.topics().items():
        listed = [e for e in group if e.name in names]
        lines += [topic] if listed else []
        for e in listed:
            wanted = e.wanted
            lines.append(f"  {e.name:24s} {e.title}: {e.quantity} = {wanted:.6g} {e.unit}".rstrip())
            lines.append(f"  {'':24s} {e.law}; {e.source}")
    return "\n".join(lines)


def as_object(row: "BenchRow") -> dict[str, Any]:
    """Return the row for JSON: keys as in `papers --json`, non-finite numbers as null."""
    def finite(number: float) -> float | None:
        return number if math.isfinite(number) else None

    return {"topic": row.topic, "experiment": row.experiment, "title": row.title, "source": row.source, "solver": row.solver,
            "rate": row.rate, "quantity": row.quantity, "expected": row.expected, "obtained": finite(row.obtained),
            "error": finite(row.error), "unit": row.unit, "tolerance": row.tolerance, "ok": row.verdict == "ok",
            "verdict": row.verdict, "order": finite(row.order), "note": row.note}


def as_table(rows: "Sequence[BenchRow]") -> str:
    """Return a readable table, with the notes and the numbers of verdicts below."""
    head = ("", "experiment", "solver", "Hz", "quantity", "expected", "obtained", "unit", "error", "tolerance", "order")
    cells = [head] + [(row.verdict, row.experiment, SHORT_SOLVER_NAMES.get(row.solver, row.solver), str(row.rate), row.quantity,
                       f"{row.expected:.6g}",
                       summary(row.obtained), row.unit, short(row.error), short(row.tolerance), power(row.order)) for row in rows]
    widths = [max(len(line[k]) for line in cells) for k in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells]
    notes = dict.fromkeys(f"  {row.experiment}, {SHORT_SOLVER_NAMES.get(row.solver, row.solver)}: {row.note}"
                          for row in rows if row.note)
    return "\n".join([*lines, *notes, *counted(rows)])


def summary(number: float) -> str:
    return f"{number:.6g}" if math.isfinite(number) else "-"


def short(number: float) -> str:
    return f"{number:.1e}" if math.isfinite(number) else "-"


def power(order: float) -> str:
    return f"{order:.1f}" if math.isfinite(order) else ""


def counts(rows: "Sequence[BenchRow]") -> dict[tuple[str, int], dict[str, int]]:
    """Count the verdicts by solver and rate."""
    from scenes.truth import FAIL, KNOWN_LIMIT, NOT_RUN, OK, UNSUPPORTED

    found: dict[tuple[str, int], dict[str, int]] = {}
    for row in rows:
        of = found.setdefault((row.solver, row.rate), dict.fromkeys((OK, KNOWN_LIMIT, FAIL, UNSUPPORTED, NOT_RUN), 0))
        of[row.verdict] += 1
    return found


def counted(rows: "Sequence[BenchRow]") -> list[str]:
    """Return the counts as lines."""
    found = counts(rows)
    lines = []
    for solver, rate in sorted(found):
        hold, limits, fail, unsupported, not_run = found[solver, rate].values()
        lines.append(f"{solver} at {rate} Hz: {hold} passed, {limits} known limits, {fail} failed, {unsupported} not supported, "
                     f"{not_run} not run")
    return lines


# ---- the page of the repository

PAGE_HEADER = """\
# The bench of truth

Experiments with known results: closed forms, published values, and integrations in minimal coordinates that share nothing
with the engine. Written by `python3 start.py truth --write docs/truth.md --write assets/truth.json`; every number is computed.
They are declared in `scenes/truth/`, one file per topic; the *Bench of truth* panel lists them, and a click runs one as a scene.

A result passes if |obtained - expected| <= tolerance. The tolerance follows from the experiment, not from the result: independent
of the step where the scheme conserves a quantity exactly, proportional to the step where an event falls within one, and to its
square where forces are smooth. Errors that fail are **bold**; where a limit of the method is the known reason, they are *in
italics*, and the reason stands below the table. The order p means that the error is proportional to h^p. Solvers use their
defaults without a time budget; where an experiment sets an option, its declaration says so. An empty cell was not run; "not
run": it takes more than --limit of processor time.
Sequential impulses use substeps of 5 ms or less, so 60 and 240 Hz are often equal for them, and the orders small.

"""


def as_page(rows: "Sequence[BenchRow]") -> str:
    """Return the whole table as Markdown."""
    rates = sorted({row.rate for row in rows})
    lines = [PAGE_HEADER,
             "| solver | rate | passed | known limits | failed | not supported | not run |\n" + "| --- " * 7 + "|\n"]
    lines += [f"| {solver} | {rate} Hz | {' | '.join(map(str, n.values()))} |\n"
              for (solver, rate), n in sorted(counts(rows).items(), key=lambda item: item[0])]
    from scenes import truth

    known = truth.all_experiments()
    for topic, group in groupby(rows, key=lambda row: row.topic):
        lines.append(f"\n## {topic}\n\n| experiment | quantity | expected | solver | "
                     + " | ".join(f"error at {rate} Hz" for rate in rates) + " | order |\n")
        lines.append("| --- " * (5 + len(rates)) + "|\n")
        of_topic = list(group)
        for (name, solver), some in groupby(of_topic, key=lambda row: (row.experiment, row.solver)):
            lines.append(page_line(list(some), name, solver, rates))
        lines.append("\n")
        for name in dict.fromkeys(row.experiment for row in of_topic):
            e = known[name]
            lines.append(f"- `{name}`: {e.title}. {e.law}. {e.source}.\n")
        lines += known_limits(of_topic)
    return "".join(lines)


def known_limits(rows: "Sequence[BenchRow]") -> list[str]:
    """Lines that state the known limits of these rows, each once."""
    from scenes.truth import KNOWN_LIMIT

    found: dict[str, list[str]] = {}
    for row in rows:
        where = f"`{row.experiment}` ({SHORT_SOLVER_NAMES.get(row.solver, row.solver)})"
        if row.verdict == KNOWN_LIMIT and where not in found.setdefault(row.note, []):
            found[row.note].append(where)
    return ["\nKnown limits:\n\n", *(f"- {', '.join(where)}: {note}.\n" for note, where in found.items())] if found else []


def page_line(rows: "list[BenchRow]", name: str, solver: str, rates: Sequence[int]) -> str:
    """Return the line of one experiment under one solver."""
    from scenes.truth import FAIL, KNOWN_LIMIT, OK

    by_rate = {row.rate: row for row in rows}
    first = rows[0]
    cells = []
    for rate in rates:
        row = by_rate.get(rate)
        if row is None:
            cells.append("")
        elif row.verdict == OK:
            cells.append(short(row.error))
        elif row.verdict in (FAIL, KNOWN_LIMIT):
            mark = "**" if row.verdict == FAIL else "*"
            error = short(row.error) if math.isfinite(row.error) else "no number"
            cells.append(f"{mark}{error}{mark} (> {short(row.tolerance)})")
        else:
            cells.append(row.verdict)
    unit = f" [{first.unit}]" if first.unit else ""
    return (f"| `{name}` | {first.quantity}{unit} | {first.expected:.6g} | {SHORT_SOLVER_NAMES.get(solver, solver)} | "
            + " | ".join(cells) + f" | {power(first.order)} |\n")
