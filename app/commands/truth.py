"""`stiction truth`: experiments with closed forms and published numbers, run now under every solver."""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scenes.truth import Row

HELP = "run experiments whose numbers are known, under every solver at 60, 240 and 1000 Hz, and compare"
EXAMPLES = """\
  stiction truth --quick                         a part, in less than a minute
  stiction truth                                 all of them, some minutes
  stiction truth zeno_08 billiard_throw          these alone; a topic's name takes all of it: stiction truth Rolling
  stiction truth --solver soft_steps --rate 240  one solver, one step size
  stiction truth --list                          what there is: law and source of each experiment
  stiction truth --json > truth.json
  stiction truth --write docs/truth.md --write assets/truth.json     the table as a page, and as the window shows it

A row holds if |obtained - expected| <= tolerance. The tolerance says what the law of the experiment leaves to a step of that
size: nothing where the scheme keeps a quantity, a part that shrinks with the step where something begins within one. An order p
means that the error went with the step as h^p over the rates that ran. "not supported": a solver says so of itself beforehand.

The exit code is 1 if a row does not hold."""

QUICK_RATES = (60, 240)

NAMES = {"sequential_impulses": "impulses", "soft_steps": "soft", "stewart_trinkle": "exact"}
"""Solvers in narrow columns."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("experiment", nargs="*", metavar="EXPERIMENT", help="names or topics; without any: all")
    parser.add_argument("--solver", action="append", default=[], help="only this solver; may be given again")
    parser.add_argument("--rate", action="append", type=int, default=[], metavar="HZ",
                        help="only steps of 1 / HZ; may be given again")
    parser.add_argument("--quick", action="store_true", help="a part of the experiments, at 60 and 240 Hz")
    parser.add_argument("--list", action="store_true", help="only tell what there is")
    parser.add_argument("--json", action="store_true", help="one list of objects instead of a table")
    parser.add_argument("--write", action="append", default=[], metavar="FILE",
                        help="write the table into a file, too: a page of Markdown, or what the window shows (.json)")


def run(args: argparse.Namespace) -> int:
    """Run what was asked for; 1 if a row does not hold."""
    from tqdm import tqdm

    from app.insight.truth import as_kept
    from app.whole_files import write
    from physics import BadInput, solvers
    from scenes import truth

    names = chosen(args.experiment, args.quick)
    if args.list:
        print(listed(names))
        return 0
    known = tuple(solvers.available())
    for name in args.solver:
        if name not in known:
            raise BadInput(f"there is no solver '{name}'; there are: {', '.join(known)}")
    if any(not 1 <= rate <= 100_000 for rate in args.rate):
        raise BadInput("--rate must be between 1 and 100000 steps a second")
    rates = tuple(sorted(set(args.rate))) or (QUICK_RATES if args.quick else truth.RATES)
    total = len(names) * len(args.solver or known)
    rows: list[Any] = []
    bench = truth.bench(names, tuple(args.solver), rates)
    for some in tqdm(bench, total=total, unit="run", disable=not sys.stderr.isatty(), file=sys.stderr, leave=False):
        rows += some
    print(json.dumps([as_object(row) for row in rows], indent=1) if args.json else as_table(rows))
    for file in args.write:
        write(file, (as_kept(rows) if file.endswith(".json") else as_page(rows)).encode())
    return 0 if all(row.holds for row in rows) else 1


def chosen(words: list[str], quick: bool) -> tuple[str, ...]:
    """Names of the experiments: those of the words, which are names or topics, or all."""
    from scenes import truth

    topics, names = {topic.lower(): group for topic, group in truth.topics().items()}, []
    for word in words:
        names += [e.name for e in topics[word.lower()]] if word.lower() in topics else [truth.find(word).name]
    known = truth.all_experiments()
    return tuple(name for name in names or known if known[name].quick or not quick)


def listed(names: tuple[str, ...]) -> str:
    """Every experiment with its law and source, by topic."""
    from scenes import truth

    lines = []
    for topic, group in truth.topics().items():
        told = [e for e in group if e.name in names]
        lines += [topic] if told else []
        for e in told:
            wanted = e.wanted()
            lines.append(f"  {e.name:24s} {e.title}: {e.quantity} = {wanted:.6g} {e.unit}".rstrip())
            lines.append(f"  {'':24s} {e.law}; {e.source}")
    return "\n".join(lines)


def as_object(row: "Row") -> dict[str, Any]:
    """The row as JSON knows it: keys as those of `papers --json`, numbers that are none as null."""
    def finite(number: float) -> float | None:
        return number if math.isfinite(number) else None

    return {"topic": row.topic, "experiment": row.experiment, "title": row.title, "source": row.source, "solver": row.solver,
            "rate": row.rate, "quantity": row.quantity, "expected": row.expected, "obtained": finite(row.obtained),
            "error": finite(row.error), "unit": row.unit, "tolerance": row.tolerance, "ok": row.verdict == "ok",
            "verdict": row.verdict, "order": finite(row.order), "note": row.note}


def as_table(rows: "Sequence[Row]") -> str:
    """Columns for people, below them what the notes say and how many hold."""
    head = ("", "experiment", "solver", "Hz", "quantity", "expected", "obtained", "unit", "error", "tolerance", "order")
    cells = [head] + [(row.verdict, row.experiment, NAMES.get(row.solver, row.solver), str(row.rate), row.quantity,
                       f"{row.expected:.6g}",
                       told(row.obtained), row.unit, short(row.error), short(row.tolerance), power(row.order)) for row in rows]
    widths = [max(len(line[k]) for line in cells) for k in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells]
    notes = dict.fromkeys(f"  {row.experiment}, {NAMES.get(row.solver, row.solver)}: {row.note}" for row in rows if row.note)
    return "\n".join([*lines, *notes, *counted(rows)])


def told(number: float) -> str:
    return f"{number:.6g}" if math.isfinite(number) else "-"


def short(number: float) -> str:
    return f"{number:.1e}" if math.isfinite(number) else "-"


def power(order: float) -> str:
    return f"{order:.1f}" if math.isfinite(order) else ""


def counts(rows: "Sequence[Row]") -> dict[tuple[str, int], dict[str, int]]:
    """How many of each verdict by solver and rate."""
    from scenes.truth import FAIL, NOT_RUN, OK, UNSUPPORTED

    found: dict[tuple[str, int], dict[str, int]] = {}
    for row in rows:
        of = found.setdefault((row.solver, row.rate), dict.fromkeys((OK, FAIL, UNSUPPORTED, NOT_RUN), 0))
        of[row.verdict] += 1
    return found


def counted(rows: "Sequence[Row]") -> list[str]:
    """The same as lines."""
    found = counts(rows)
    return [f"{solver} at {rate} Hz: {hold} hold, {fail} do not, {unsupported} not supported, {not_run} not run"
            for (solver, rate), (hold, fail, unsupported, not_run) in [(key, found[key].values()) for key in sorted(found)]]


# ---- the page, for the repository

HEAD = """\
# The bench of truth

Experiments whose numbers are known: closed forms, published values, and integrations in minimal coordinates that share nothing
with the engine. Written by `python3 start.py truth --write docs/truth.md --write assets/truth.json`; nothing in it is typed in.
They are declared in `scenes/truth/`, one file a topic; in the window the panel *Bench of truth* lists them, and a click runs one
as a scene.

A number holds if |obtained - expected| <= tolerance. The tolerance follows from the experiment, not from what came out: the same
at every step where the scheme ought to keep a quantity exactly, shrinks with the step where something begins or ends within
one, and with its square where forces are smooth. Errors that do not hold are **bold**. The order p says that the error went as
h^p. Solvers have their own defaults and no clock; where an experiment sets an option, its declaration says so. An empty cell was
not run. Sequential impulses cut steps into parts of 5 ms or less, so 60 and 240 Hz are often the same to them, and orders small.

"""


def as_page(rows: "Sequence[Row]") -> str:
    """The whole table as Markdown."""
    rates = sorted({row.rate for row in rows})
    lines = [HEAD, "| solver | rate | hold | do not | not supported | not run |\n| --- | --- | --- | --- | --- | --- |\n"]
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
    return "".join(lines)


def page_line(rows: "list[Row]", name: str, solver: str, rates: Sequence[int]) -> str:
    """One experiment under one solver."""
    from scenes.truth import FAIL, OK

    by_rate = {row.rate: row for row in rows}
    first = rows[0]
    cells = []
    for rate in rates:
        row = by_rate.get(rate)
        if row is None:
            cells.append("")
        elif row.verdict == OK:
            cells.append(short(row.error))
        elif row.verdict == FAIL:
            cells.append(f"**{short(row.error) if math.isfinite(row.error) else 'no number'}** (> {short(row.tolerance)})")
        else:
            cells.append(row.verdict)
    unit = f" [{first.unit}]" if first.unit else ""
    return (f"| `{name}` | {first.quantity}{unit} | {first.expected:.6g} | {NAMES.get(solver, solver)} | " + " | ".join(cells)
            + f" | {power(first.order)} |\n")
