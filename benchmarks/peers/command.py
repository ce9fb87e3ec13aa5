"""Command line of the comparison. Imports are late: --help must be fast and work before anything is installed."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that choose measurements and outputs."""
    add = parser.add_argument
    add("--engines", default="all", help="names, or name:config, or name:config+key=value, separated by commas")
    add("--scenes", default="all", help="names in benchmarks/peers/scenes.py, separated by commas")
    add("--sizes", default="", help="instead of the scenes' own; several scenes: 10,20 / 100,500 in their order")
    add("--hz", default="60,240", help="frames a simulated second (60,240)")
    add("--repeats", type=int, default=1, help="medians over this many runs (1)")
    add("--limit", type=float, default=30.0, help="stepping time [s] after which a run is cut short and passes nothing (30)")
    add("--core", type=int, default=(os.cpu_count() or 1) - 1, help="core to pin to; -1: none (the last)")
    add("--out", help="write OUT.json as it goes and OUT.md at the end; measurements in OUT.json are not made again")
    add("--beside", metavar="FILE", help="an earlier results file: engines that only it has are shown with a star")
    add("--known", metavar="FILE", help="an earlier results file: peers' settings that fail even the loose gate in it are taken "
                                        "from it, without a cost, and not run again")
    add("--page", action="store_true", help="put the strict gate into docs/speed.md, too")
    add("--full", action="store_true", help="print the whole page, not only the costs")


def chosen_engines(text: str) -> list[tuple[str, str]]:
    """(engine, configuration) of the installed ones; reports missing ones."""
    from benchmarks.peers import adapters
    from physics import BadInput

    known, pairs = adapters.names(), []
    for word in known if text == "all" else text.split(","):
        name, _, config = word.partition(":")
        if name not in known:
            raise BadInput(f"there is no engine '{name}'; there are: {', '.join(known)}")
        if not adapters.installed(name):
            print(f"{name} is not installed and left out ({adapters.load(name).remedy})", file=sys.stderr)
            continue
        engine = adapters.load(name)
        pairs += [(name, each) for each in ([config] if config else engine.configs)]
        if config:
            engine(config)
    return pairs


def chosen_scenes(names: str, sizes: str) -> list[tuple[str, tuple[int, ...]]]:
    """(scene, sizes)."""
    from benchmarks.peers import scenes
    from physics import BadInput

    chosen = list(scenes.SCENES) if names == "all" else names.split(",")
    if unknown := set(chosen) - set(scenes.SCENES):
        raise BadInput(f"there is no scene '{min(unknown)}'; there are: {', '.join(scenes.SCENES)}")
    if not sizes:
        return [(name, scenes.SCENES[name][1]) for name in chosen]
    groups = [whole_numbers("--sizes", group) for group in sizes.split("/")]
    if len(groups) not in (1, len(chosen)):
        raise BadInput(f"--sizes has {len(groups)} groups for {len(chosen)} scenes; give one, or one for each scene")
    return list(zip(chosen, groups * len(chosen) if len(groups) == 1 else groups))


def as_lines(data: dict) -> str:
    """JSON with one line per row, in order: compact, with readable diffs."""
    rows = ",\n".join(f"{json.dumps(key)}: {json.dumps(data['runs'][key], sort_keys=True)}" for key in sorted(data["runs"]))
    return f'{{"machine": {json.dumps(data["machine"])},\n"runs": {{\n{rows}\n}}}}\n'


def show_in_page(path: Path, text: str) -> None:
    """Insert the text between the two marks."""
    begin, end = "<!-- figures: begin -->\n", "<!-- figures: end -->"
    before, rest = path.read_text(encoding="utf-8").split(begin)
    path.write_text(f"{before}{begin}{text}{end}{rest.split(end)[1]}", encoding="utf-8")


def whole_numbers(name: str, text: str) -> tuple[int, ...]:
    """Parse "60,240" as numbers, each above zero."""
    from physics import BadInput

    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) > 0 for part in parts):
        raise BadInput(f"{name} {text} must be whole numbers above zero, separated by commas")
    return tuple(map(int, parts))


def show(key: Any, result: dict, done: int, total: int) -> None:
    """Print one line per measurement."""
    from benchmarks.peers import gates

    if "unsupported" in result:
        return
    row = gates.PeerRow(str(key), [result])
    verdict = "; ".join(f"{gate} {'pass' if row.passes(gate) else 'FAIL ' + ', '.join(row.broken(gate))}"
                        for gate in ("strict", "loose")) if "quality" in result or row.trouble else "repeated"
    speed = f"{row.cost:9.1f} ms/s (wall {row.wall:.1f})" if row.cost is not None else " " * 9 + "-"
    about = result.get("about", {})
    sweeps = f"  {about['sweeps']:.0f} sweeps, {100 * about['converged']:.0f} % converged" if "sweeps" in about else ""
    print(f"[{done}/{total}] {key.scene} {key.size} @{key.hz} {key.name:24}{speed}  {verdict}{sweeps}", flush=True)


def run(args: argparse.Namespace) -> int:
    """Measure, print, write; return 1 if an engine's run failed."""
    from app.files.atomic_write import write
    from benchmarks.peers import gates, measure, table

    out = Path(args.out) if args.out else None
    raw = out.with_name(out.name + ".json") if out else None
    data = json.loads(raw.read_text(encoding="utf-8")) if raw and raw.exists() else {"machine": measure.machine(), "runs": {}}

    def keep(data: dict) -> None:
        if raw:
            write(raw, as_lines(data).encode())

    plan = measure.Plan(tuple(chosen_engines(args.engines)), tuple(chosen_scenes(args.scenes, args.sizes)),
                        whole_numbers("--hz", args.hz), *whole_numbers("--repeats", str(args.repeats)), args.limit,
                        args.core if args.core >= 0 else None)
    if args.known:
        known = gates.hopeless(json.loads(Path(args.known).read_text(encoding="utf-8")))
        planned = {str(key) for block in plan.blocks() for key in block if key.engine != table.OURS}
        data["runs"] |= {key: runs for key, runs in known.items() if key in planned and key not in data["runs"]}
    measure.measure(plan, data, show, keep)
    rows, slower = gates.rows(data), None
    failed = any("error" in row.run for row in rows)
    if args.beside:
        others, slower = gates.earlier(rows, json.loads(Path(args.beside).read_text(encoding="utf-8")))
        rows += others
    page = table.report(data, rows, slower)
    if out:
        write(out.with_name(out.name + ".md"), page.encode())
    if args.page:
        show_in_page(measure.ROOT / "docs" / "speed.md", table.summary(data, rows, slower))
    print()
    print(page if args.full else "\n".join(["ms of one core per simulated second, strict gate:", table.gate_table(rows, "strict"),
                                             "loose gate:", table.gate_table(rows, "loose"), table.means(rows)]))
    return 1 if failed else 0
