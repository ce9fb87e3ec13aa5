"""Quality gates, plausible (loose) and correct (strict), and whether a measured run passes them.

A gate bounds absolute values of a run's metrics. A run that crashed, diverged or was cut short passes none. The reference speed
of the domino wave is that of an exact-Coulomb nonsmooth solver (DART's NSGS, 40 dominoes) at 240 and at 480 Hz; PhysX converges
to 13.07.
"""

import statistics
from dataclasses import dataclass, replace

WAVE = 13.09
"""Speed of the domino wave [dominoes a second]."""

GATES: dict[str, dict[str, dict[str, float]]] = {
    "pyramid": {"loose": {"pen_late_mm": 5, "moved_max_mm": 40}, "strict": {"pen_late_mm": 0.3, "moved_max_mm": 3}},
    "tower": {"loose": {"pen_late_mm": 15, "moved_max_mm": 150}, "strict": {"pen_late_mm": 0.3, "moved_max_mm": 3}},
    "stacks": {"loose": {"pen_late_mm": 5, "moved_max_mm": 40}, "strict": {"pen_late_mm": 0.3, "moved_max_mm": 3}},
    "ballpit": {"loose": {"pen_late_mm": 20, "escaped": 0}, "strict": {"pen_late_mm": 2, "escaped": 0}},
    "chain": {"loose": {"gap_max_mm": 20, "end_err_mm_2s": 400}, "strict": {"gap_max_mm": 1, "end_err_mm_2s": 10}},
    "bridge": {"loose": {"gap_max_mm": 20, "mid_err_mm": 100}, "strict": {"gap_max_mm": 1, "mid_err_mm": 10}},
    "dominoes": {"loose": {"wave_err_pct": 10}, "strict": {"wave_err_pct": 1}},
    "four_balls": {"loose": {}, "strict": {}},
}

ALSO = {"pyramid": ("top_sink_mm", "kinetic_late"), "tower": ("top_sink_mm", "kinetic_late"), "stacks": ("kinetic_late",),
        "ballpit": ("pen_late_mean_mm", "kinetic_late", "height_mean"), "chain": ("end_err_mm_5s", "energy_left_mm"),
        "bridge": ("energy_left_mm", "kinetic_late"), "dominoes": ("wave_per_s", "pen_late_mm", "fallen"), "four_balls": ()}
"""Metrics shown in addition to those of the gates."""


@dataclass(frozen=True)
class Key:
    """Identity of a measurement."""

    engine: str
    config: str
    scene: str
    size: int
    hz: int

    @classmethod
    def parse(cls, text: str) -> "Key":
        engine, config, scene, size, hz = text.split("|")
        return cls(engine, config, scene, int(size), int(hz))

    def __str__(self) -> str:
        return f"{self.engine}|{self.config}|{self.scene}|{self.size}|{self.hz}"

    @property
    def name(self) -> str:
        return f"{self.engine}:{self.config}"


class PeerRow:
    """One engine, configuration, scene, size and frame rate: medians of its repeats, quality of the first.

    cost: milliseconds of one core (its own processor time) per simulated second. trouble: "" or the failure.
    """

    def __init__(self, key: str, runs: list[dict]) -> None:
        self.key = Key.parse(key)
        self.run = runs[0]
        timed = [run for run in runs if "cpu_ms_mean" in run]
        self.quality = quality(self.run)
        self.trouble = trouble(self.run, self.quality)
        self.cost = self.key.hz * statistics.median(run["cpu_ms_mean"] for run in timed) if timed else None
        self.wall = self.key.hz * statistics.median(run["ms_mean"] for run in timed) if timed else None

    def broken(self, gate: str) -> list[str]:
        """Reasons why the run fails the gate: [] if it passes."""
        if self.trouble:
            return [self.trouble]
        lines = []
        for metric, bound in GATES[self.key.scene][gate].items():
            value = self.quality.get(metric)
            if value is None:
                lines.append(f"{metric} unknown")
            elif abs(value) > bound:
                lines.append(f"{metric} {value:.3g} > {bound:g}")
        return lines

    def passes(self, gate: str) -> bool:
        return not self.broken(gate)


def quality(run: dict) -> dict:
    """The run's metrics, with the speed of the domino wave between the 15th and the 175th."""
    found = dict(run.get("quality", {}))
    inside = [(time, count) for time, count in found.pop("fallen_at", ()) if 15 <= count <= 175]
    if len(inside) > 2:
        (t0, n0), (t1, n1) = inside[0], inside[-1]
        found["wave_per_s"] = (n1 - n0) / (t1 - t0)
        found["wave_err_pct"] = 100.0 * (found["wave_per_s"] / WAVE - 1.0)
    return found


def trouble(run: dict, found: dict) -> str:
    """Why a run is invalid whatever its metrics; "" if valid."""
    for reason in ("error", "unsupported"):
        if reason in run:
            return f"{reason}: {run[reason]}"
    blew_up = (found.get("finite") is False or found.get("diverged") or "crashed" in run
               or ("kinetic_late" in found and found["kinetic_late"] is None)
               or (found.get("kinetic_late") or 0.0) > 1e5 or (found.get("energy_gain_mm") or 0.0) > 1e4)
    if blew_up:
        return "blew up"
    if found.get("stands") is False:
        return "falls"
    if run["steps"] < run["steps_wanted"]:
        return f"cut at {run['sim_time']:.1f} s"
    return ""


def rows(data: dict) -> list[PeerRow]:
    """All rows of a results file."""
    return [PeerRow(key, runs) for key, runs in data["runs"].items() if runs]


def hopeless(data: dict) -> dict[str, list[dict]]:
    """By key: runs of another results file that fail even the loose gate, without their times."""
    timing = ("cpu_ms_mean", "cpu_ms_median", "cpu_ms_p95", "ms_mean", "ms_median", "ms_max")
    return {str(row.key): [{key: value for key, value in row.run.items() if key not in timing}]
            for row in rows(data) if not row.passes("loose")}


def earlier(fresh: list[PeerRow], data: dict) -> tuple[list[PeerRow], float | None]:
    """Rows of engines that only another results file has, at the scenes, sizes and rates of the fresh rows, and the slowdown of
    this run's machine: the geometric mean of fresh over earlier costs of common measurements; None without any.

    The engines' names get a star: they were not measured in the same run.
    """
    places = {(row.key.scene, row.key.size, row.key.hz) for row in fresh}
    engines = {row.key.engine for row in fresh}
    costs = {str(row.key): row.cost for row in fresh if row.cost}
    found, ratios = [], []
    for row in rows(data):
        if (row.key.scene, row.key.size, row.key.hz) not in places:
            continue
        if row.key.engine not in engines:
            row.key = replace(row.key, engine=f"{row.key.engine}*")
            found.append(row)
        elif row.cost and str(row.key) in costs:
            ratios.append(costs[str(row.key)] / row.cost)
    return found, statistics.geometric_mean(ratios) if ratios else None
