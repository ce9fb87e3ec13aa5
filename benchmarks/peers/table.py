"""Results as Markdown: cost at equal quality, geometric means, each scene with its quality, our phases, settings."""

import json
import math
import statistics
from collections.abc import Iterable, Sequence

from benchmarks.peers.gates import ALSO, GATES, WAVE, PeerRow

OURS = "ours"


def number(value: object) -> str:
    """Format with three digits; "-" for no value."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return str(value)
    if value != 0 and (abs(value) < 1e-3 or abs(value) >= 1e5):
        return f"{value:.0e}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table: first column left-aligned, the others right."""
    marks = "|".join(["---", *["---:"] * (len(head) - 1)])
    return "\n".join([f"| {' | '.join(head)} |", f"|{marks}|", *(f"| {' | '.join(line)} |" for line in lines)]) + "\n"


def places(rows: Iterable[PeerRow]) -> list[tuple[str, int]]:
    """(scene, size) of all rows, in the order of the gates."""
    order = list(GATES)
    return sorted({(row.key.scene, row.key.size) for row in rows}, key=lambda place: (order.index(place[0]), place[1]))


def cheapest(rows: Iterable[PeerRow], gate: str) -> dict[tuple[str, int], dict[str, PeerRow]]:
    """The cheapest passing row of each engine, by (scene, size)."""
    found: dict[tuple[str, int], dict[str, PeerRow]] = {}
    for row in rows:
        if row.cost is not None and row.passes(gate):
            best = found.setdefault((row.key.scene, row.key.size), {})
            if row.key.engine not in best or row.cost < best[row.key.engine].cost:
                best[row.key.engine] = row
    return found


def engines(rows: Iterable[PeerRow]) -> list[str]:
    """Engines of the rows, ours first."""
    return sorted({row.key.engine for row in rows}, key=lambda name: (name != OURS, name))


def gate_table(rows: list[PeerRow], gate: str) -> str:
    """Cost of each engine's cheapest passing setting, with its ratio to ours; else whether some setting was only cut short.

    "-": nothing was measured.
    """
    best, names = cheapest(rows, gate), engines(rows)
    measured = {(row.key.scene, row.key.size, row.key.engine) for row in rows}
    cut = {(row.key.scene, row.key.size, row.key.engine) for row in rows if row.trouble.startswith("cut")}
    lines = []
    for place in places(rows):
        mine = best.get(place, {}).get(OURS)
        line = [f"{place[0]} {place[1]}"]
        for name in names:
            row = best.get(place, {}).get(name)
            if row is None:
                where = (*place, name)
                line.append("cut" if where in cut else "fails" if where in measured else "-")
                continue
            ratio = f" ({row.cost / mine.cost:.2g}x)" if mine and name != OURS else ""
            line.append(f"{number(row.cost)}{ratio} {row.key.config}@{row.key.hz}")
        lines.append(line)
    return markdown(["scene", *names], lines)


def means(rows: list[PeerRow]) -> str:
    """Numbers of passed rows, and geometric means of costs: over each engine's passes, and against ours where both pass."""
    lines = []
    for name in engines(rows):
        line = [name]
        for gate in ("strict", "loose"):
            best = cheapest(rows, gate)
            passed = [place for place in places(rows) if name in best.get(place, {})]
            both = [place for place in passed if OURS in best[place]]
            ratios = [best[place][name].cost / best[place][OURS].cost for place in both]
            ahead = sum(ratio > 1.0 for ratio in ratios)
            line += [f"{len(passed)} of {len(places(rows))}", number(geometric([best[place][name].cost for place in passed])),
                     "-" if name == OURS else f"{number(geometric(ratios))} over {len(both)}",
                     "-" if name == OURS else f"{ahead} of {len(both)}"]
        lines.append(line)
    head = [f"{gate} {what}" for gate in ("strict:", "loose:")
            for what in ("rows passed", "mean ms/s of those", "ratio to ours", "rows where ours is ahead")]
    return markdown(["engine", *head], lines)


def geometric(values: Sequence[float]) -> float | None:
    """The geometric mean; None if empty."""
    return statistics.geometric_mean(values) if values else None


def summary(data: dict, rows: list[PeerRow], slower: float | None = None) -> str:
    """Summary for docs/speed.md: the strict gate with its means, in a few lines."""
    machine, best, names = data["machine"], cheapest(rows, "strict"), engines(rows)
    lines = []
    for place in places(rows):
        found = best.get(place, {})
        least = min((row.cost for row in found.values()), default=None)
        costs = [number(found[name].cost) if name in found else "-" for name in names]
        lines.append([f"{place[0]} {place[1]}", *(f"**{cost}**" if name in found and found[name].cost == least else cost
                                                  for name, cost in zip(names, costs))])
    means_of = [[found[name].cost / found[OURS].cost for found in best.values() if name in found and OURS in found]
                for name in names]
    lines.append(["passed", *(f"{sum(name in best.get(place, {}) for place in places(rows))} of {len(places(rows))}"
                              for name in names)])
    lines.append(["mean ratio to ours", *(number(geometric(ratios)) for ratios in means_of)])
    note = f" ({machine['note']})" if "note" in machine else ""
    star = "" if not any("*" in name for name in names) else (
        "; a star: an earlier run on such a machine, not interleaved"
        + (f", where the same settings cost {1.0 / slower:.2f} times as much" if slower else ""))
    return ("Milliseconds of one core for one simulated second, each engine at its cheapest setting that passes the strict gate; "
            f"bold: the cheapest; -: none passes in time. {machine['cpu']}, {machine['date']}{note}{star}. Sleeping off.\n\n"
            + markdown(["scene", *names], lines))


def scene_table(rows: list[PeerRow], scene: str, size: int) -> str:
    """Every configuration and frame rate of this run, cheapest first, with its metrics and failures."""
    metrics = [*GATES[scene]["loose"], *ALSO[scene]]
    chosen = [row for row in rows if (row.key.scene, row.key.size) == (scene, size) and "*" not in row.key.engine
              and "unsupported" not in row.run]
    lines = []
    for row in sorted(chosen, key=lambda row: row.cost if row.cost is not None else math.inf):
        verdicts = [gate for gate in ("strict", "loose") if row.passes(gate)]
        note = verdicts[0] if verdicts else "fails: " + "; ".join(row.broken("loose"))
        lines.append([row.key.name, str(row.key.hz), number(row.cost), number(row.wall), number(row.run.get("cpu_ms_p95")),
                      number(row.run.get("contacts")), *(number(row.quality.get(m)) for m in metrics), note])
    return markdown(["engine", "Hz", "ms/s", "wall ms/s", "p95 ms/frame", "contacts", *metrics, "passes"], lines)


def phase_table(rows: list[PeerRow]) -> str:
    """Shares of our step by phase."""
    mine = [row for row in rows if row.key.engine == OURS and "phases" in row.run.get("about", {})]
    names = list(dict.fromkeys(name for row in mine for name in row.run["about"]["phases"]))
    lines = []
    for row in mine:
        about = row.run["about"]
        lines.append([f"{row.key.scene} {row.key.size}", row.key.config, str(row.key.hz), number(about["ms_step"]),
                      *(f"{100 * about['phases'].get(name, 0.0):.0f} %" for name in names), number(about["sweeps"]),
                      f"{100 * about['converged']:.0f} %"])
    return markdown(["scene", "config", "Hz", "ms/step", *names, "sweeps", "converged"], lines)


def report(data: dict, rows: list[PeerRow], slower: float | None = None) -> str:
    """The complete page. slower: this run's costs over those of the earlier run from which starred engines come."""
    machine = data["machine"]
    star = "" if not any("*" in row.key.engine for row in rows) else (
        " Engines with a star come from an earlier run on a machine of the same kind, not interleaved with this one"
        + (f"; what both runs measured cost {slower:.2f} times as much in this one." if slower else "."))
    parts = [
        "# Stiction beside its peers\n",
        f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}, Python {machine['python']}, {machine['date']}. "
        "One core an engine, one fresh process a measurement, engines shuffled, sleeping off, physics step only. Cost is "
        "processor time of one core for one simulated second (1000 ms/s is real time), at the cheapest configuration and frame "
        f"rate that passes: `fails` if none does, `cut` if one was stopped for time. Settings without a "
        f"cost failed in an earlier run already and were not run again. Compare rows of one page only.{star}\n",
        "## The strict gate: is right\n", gate_table(rows, "strict"),
        "## The loose gate: looks right\n", gate_table(rows, "loose"),
        "## Over all rows\n\nGeometric means. A ratio above 1 means that ours is cheaper.\n", means(rows),
        f"## Scenes\n\nBounds: {bounds()}. Domino wave taken as right: {WAVE} a second.\n"]
    for scene, size in places(rows):
        parts += [f"### {scene} {size}\n", scene_table(rows, scene, size)]
    if any(row.key.engine == OURS for row in rows):
        parts += ["## Where our time goes\n", phase_table(rows)]
    parts += ["## Settings\n", settings(rows)]
    return "\n".join(parts)


def bounds() -> str:
    """The gates in words."""
    lines = []
    for scene, gate in GATES.items():
        words = [f"{metric} {bound:g} ({gate['loose'][metric]:g})" for metric, bound in gate["strict"].items()]
        lines += [f"{scene} {', '.join(words)}"] if words else []
    return "; ".join(lines) + "; loose ones in brackets"


def settings(rows: list[PeerRow]) -> str:
    """Versions and settings of each configuration."""
    lines = {}
    for row in rows:
        about = row.run.get("about", {})
        if about:
            lines.setdefault(row.key.name, f"- `{row.key.name}` {about.get('version', '')} {about.get('precision', '')}: "
                                           f"{json.dumps(about['settings'])}")
    return "\n".join(lines[name] for name in sorted(lines)) + "\n"
