"""Runs the measurements: each in a fresh process (worker.py), one at a time, engines shuffled, blocks repeated.

So a busy hour affects all engines alike. A block is one scene at one size and frame rate; results already in the file are not
measured again.
"""

import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.gates import Key

ROOT = Path(__file__).resolve().parents[2]
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "NUMBA_NUM_THREADS")
NOT_REPEATED = 15.0
"""Measurements that take longer than this [s] are not repeated."""


@dataclass(frozen=True)
class Plan:
    """Selection of measurements. limit: stepping time [s] after which a run is cut short. core: to pin to; None: no core."""

    engines: tuple[tuple[str, str], ...]
    scenes: tuple[tuple[str, tuple[int, ...]], ...]
    rates: tuple[int, ...]
    repeats: int = 3
    limit: float = 30.0
    core: int | None = None

    def blocks(self) -> Iterator[list[Key]]:
        """Each scene, size and frame rate with all engines."""
        for scene, sizes in self.scenes:
            for size in sizes:
                for hz in self.rates:
                    yield [Key(engine, config, scene, size, hz) for engine, config in self.engines]


def processor() -> str:
    """The name of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def machine() -> dict:
    """Description of the machine for which the figures hold."""
    return {"cpu": processor(), "cores": os.cpu_count(), "system": platform.system(), "python": platform.python_version(),
            "date": time.strftime("%Y-%m-%d")}


def one(key: Key, plan: Plan) -> dict:
    """Perform one measurement; {"error": ..} if its process failed."""
    job = {"engine": key.engine, "config": key.config, "scene": key.scene, "size": key.size, "hz": key.hz, "limit": plan.limit,
           "core": plan.core}
    environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1"), "PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run([sys.executable, "-P", "-m", "benchmarks.peers.worker", json.dumps(job)], cwd=tempfile.gettempdir(),
                              env=environment, capture_output=True, timeout=10.0 * plan.limit + 240.0)
    except subprocess.TimeoutExpired as late:
        return {"error": f"not done after {late.timeout:g} s"}
    lines = done.stdout.decode(errors="replace").strip().splitlines()
    if lines:
        return json.loads(lines[-1])
    return {"error": f"exit code {done.returncode}: {done.stderr.decode(errors='replace').strip()[-300:]}"}


def measure(plan: Plan, data: dict, show: Callable[[Key, dict, int, int], None], keep: Callable[[dict], None]) -> None:
    """Fill data["runs"]; show(key, result, done, total) and keep(data) are called after each measurement."""
    runs, shuffle = data["runs"], random.Random(1)
    total = plan.repeats * sum(len(block) for block in plan.blocks())
    done = 0
    for block in plan.blocks():
        for repeat in range(plan.repeats):
            order = list(block)
            shuffle.shuffle(order)
            for key in order:
                done += 1
                results = runs.setdefault(str(key), [])
                if len(results) > repeat or (repeat and not worth_repeating(results[0])):
                    continue
                begin = time.perf_counter()
                result = one(key, plan)
                result["took_s"] = round(time.perf_counter() - begin, 2)
                if repeat:
                    result.pop("quality", None)
                    result.pop("about", None)
                results.append(result)
                show(key, result, done, total)
                keep(data)


def worth_repeating(result: dict) -> bool:
    """True for a short run that completed."""
    return "cpu_ms_mean" in result and result["took_s"] <= NOT_REPEATED
