"""One measurement in a fresh process: the job (JSON) is the argument, the result (JSON) goes to standard output.

Each frame is timed by wall time and by this process's processor time, which other programs disturb less. The first ten
frames (of a long run) are excluded from all figures.
"""

import gc
import json
import math
import os
import sys
import time
from typing import Any

try:
    import resource
except ImportError:          # Windows
    resource = None

SNAPSHOTS = 20


def calibrate() -> float:
    """Time of a fixed amount of work [ms]: shows how busy the machine is."""
    best = math.inf
    for _ in range(3):
        begin = time.perf_counter()
        sum(i * i & 7 for i in range(200_000))
        best = min(best, time.perf_counter() - begin)
    return 1e3 * best


def peak_memory() -> float | None:
    """Peak memory of this process so far [MB]."""
    if resource is None:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1024**2


def measure(job: dict) -> dict[str, Any]:
    """Build the scene, run it frame by frame under both clocks, judge it."""
    from benchmarks.peers import adapters, scenes

    begin = time.perf_counter()
    engine = adapters.load(job["engine"])(job["config"])
    __import__(engine.module)
    imported = time.perf_counter()
    scene, dt = scenes.make(job["scene"], job["size"]), 1.0 / job["hz"]
    if len(scene.dynamic) > engine.max_bodies:
        raise adapters.Unsupported(f"more than {engine.max_bodies} bodies, left out for time")
    engine.warm_up(scene, dt)
    gc.freeze()         # what was imported is never garbage: to search it takes as long as a hundred steps
    rehearsed = time.perf_counter()
    engine.build(scene, dt)
    built = time.perf_counter()
    result = {"bodies": len(scene.dynamic), "import_s": imported - begin, "rehearse_s": rehearsed - imported,
              "build_s": built - rehearsed}
    run(engine, scene, dt, job, result)
    return result


def run(engine: Any, scene: Any, dt: float, job: dict, result: dict) -> None:
    """Run and time the frames."""
    import numpy as np

    count = round((job.get("seconds") or scene.duration) / dt)
    stops = {round(count * (k + 1) / SNAPSHOTS) for k in range(SNAPSHOTS)}
    wall, cpu = np.zeros(count), np.zeros(count)
    first, states, done = engine.state(), [], 0
    for frame in range(count):
        wall_begin, cpu_begin = time.perf_counter_ns(), time.process_time_ns()
        try:
            engine.step()
        except Exception as error:  # noqa: BLE001  (an engine's failure is a result)
            result["crashed"] = f"{type(error).__name__}: {error}"[:200]
            break
        cpu[frame] = 1e-6 * (time.process_time_ns() - cpu_begin)
        wall[frame] = 1e-6 * (time.perf_counter_ns() - wall_begin)
        done = frame + 1
        engine.observe()
        if done in stops:
            states.append((done * dt, engine.state()))
            if not np.isfinite(states[-1][1][0]).all():
                break
        if 1e-3 * cpu[:done].sum() > job["limit"]:
            break
    if not states or states[-1][0] < done * dt - 1e-9:
        states.append((done * dt, engine.state()))
    counted = slice(min(10, count // 10, max(done - 1, 0)), max(done, 1))
    result.update(
        steps=done, steps_wanted=count, sim_time=done * dt, first_step_s=1e-3 * wall[0], ms_median=np.median(wall[counted]),
        ms_mean=wall[counted].mean(), ms_max=wall[counted].max(), cpu_ms_median=np.median(cpu[counted]),
        cpu_ms_mean=cpu[counted].mean(), cpu_ms_p95=np.percentile(cpu[counted], 95), memory_mb=peak_memory(),
        contacts=engine.contacts(), about={**engine.about(), "settings": engine.settings},
        quality=judge(engine, scene, first, states))


def judge(engine: Any, scene: Any, first: Any, states: list) -> dict:
    """Metrics of the run from its snapshots."""
    from benchmarks.peers import metrics, reference

    found = metrics.summary(scene, [metrics.snapshot(scene, t, state) for t, state in states], first, states[-1][1])
    found["diverged"] = engine.diverged()
    if scene.name == "dominoes":
        found["fallen_at"] = [[round(t, 3), metrics.fallen(scene, state)] for t, state in states]
    if scene.joints:
        found.update(reference.compare(scene, states))
    return found


def plain(value: Any) -> Any:
    """Convert to JSON values: six digits, null for non-finite numbers."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def main() -> None:
    """Measure on one core; output of engines goes to standard error."""
    from benchmarks.peers.adapters import Unsupported

    job = json.loads(sys.argv[1])
    if job["core"] is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {job["core"]})
    answer = os.dup(1)
    os.dup2(2, 1)
    before = calibrate()
    try:
        result = measure(job)
    except Unsupported as error:
        result = {"unsupported": str(error)}
    except Exception as error:  # noqa: BLE001  (reported in the table)
        import traceback

        traceback.print_exc()
        result = {"error": f"{type(error).__name__}: {error}"[:300]}
    result["calibration_ms"] = [before, calibrate()]
    os.write(answer, (json.dumps(plain(result)) + "\n").encode())
    os.close(answer)


if __name__ == "__main__":
    main()
