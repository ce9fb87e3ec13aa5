"""How often the 95 % intervals of `stiction fit` contain the truth, on noisy data from closed forms and an independent
integrator.

    python -m benchmarks.fit_coverage [--runs 100] [--first 0] [CASE ..]

slide     a block on a level rail, x = v t - F t^2 / (2 m) until it stops at m v / F: friction of the rail, unknown speed
bench     a box on a slope, x = a t^2 / 2, a = g (sin theta - mu cos theta): friction coefficient, unknown offset
pendulum  dry friction and viscous friction of a hinge, by an integrator of high order from turn to turn
motor     a motor log of a rail: F_k + (F_s - F_k) exp(-(v / v_s)^2) + c v + m v', noise in velocity and force

Every run has other noise; none of the data is made by our engine.
"""

import argparse
import csv
import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

G = 9.81


@dataclass(frozen=True)
class CoverageCase:
    """scene, settings: as of the command; truth: values by parameter; nuisances; data: (generator) -> (titles, columns)."""

    scene: str
    settings: tuple[tuple[str, float], ...]
    truth: dict[str, float]
    nuisances: tuple[str, ...]
    data: Callable[[np.random.Generator], tuple[Sequence[str], Sequence[np.ndarray]]]


def slide(rng: np.random.Generator) -> tuple[Sequence[str], Sequence[np.ndarray]]:
    """Phone video: 60 pictures per second, 2 mm of noise; the block comes to rest within it."""
    t, force, mass, speed = np.arange(0.0, 1.2, 1.0 / 60.0), 7.0, 2.0, 2.6
    moving = np.minimum(t, mass * speed / force)
    x = speed * moving - 0.5 * force / mass * moving**2
    return ("time [s]", "position [mm]"), (t, 1e3 * x + rng.normal(0.0, 2.0, len(t)))


def bench(rng: np.random.Generator) -> tuple[Sequence[str], Sequence[np.ndarray]]:
    """A box slides from rest on a slope of 25 degrees, horizontal position tracked with 1 mm of noise."""
    t, mu, theta = np.arange(0.0, 0.9, 1.0 / 50.0), 0.31, math.radians(25.0)
    x = 0.5 * G * (math.sin(theta) - mu * math.cos(theta)) * t**2 * math.cos(theta)
    return ("time [s]", "box 1 x [m]"), (t, x - 1.3 + rng.normal(0.0, 1e-3, len(t)))


def swing(times: np.ndarray, start: float, dry: float, viscous: float) -> np.ndarray:
    """Angle of the scene's pendulum [rad] from rest, by Runge-Kutta of order 4 in steps of 0.5 ms, cut at each turn."""
    from physics import Capsule
    from scenes.pendulum import ARM, MASS, RADIUS

    inertia, weight = float(Capsule(RADIUS, ARM).inertia(MASS)[0]) + MASS * ARM**2, MASS * G * ARM
    h, angle, rate, way = 5e-4, start, 0.0, -math.copysign(1.0, start)
    found, n = np.empty(len(times)), 0

    def slope(q: float, v: float) -> tuple[float, float]:
        return v, (-weight * math.sin(q) - way * dry - viscous * v) / inertia

    def stepped(q: float, v: float, dt: float) -> tuple[float, float]:
        a = slope(q, v)
        b = slope(q + 0.5 * dt * a[0], v + 0.5 * dt * a[1])
        c = slope(q + 0.5 * dt * b[0], v + 0.5 * dt * b[1])
        d = slope(q + dt * c[0], v + dt * c[1])
        return q + dt * (a[0] + 2.0 * b[0] + 2.0 * c[0] + d[0]) / 6.0, v + dt * (a[1] + 2.0 * b[1] + 2.0 * c[1] + d[1]) / 6.0

    time, rests = 0.0, weight * abs(math.sin(start)) <= dry
    while n < len(times):
        if rests:
            found[n:] = angle
            break
        q, v = stepped(angle, rate, h)
        used = h
        if v * way < 0.0 and time > 0.0:      # the turn: where the speed is zero within the step, by halving
            lo, hi = 0.0, h
            for _ in range(50):
                used = 0.5 * (lo + hi)
                lo, hi = (used, hi) if stepped(angle, rate, used)[1] * way > 0.0 else (lo, used)
            q, v = stepped(angle, rate, used)[0], 0.0
        while n < len(times) and times[n] <= time + used:
            found[n] = stepped(angle, rate, times[n] - time)[0]
            n += 1
        angle, rate, time = q, v, time + used
        if v == 0.0:
            way, rests = -math.copysign(1.0, angle), weight * abs(math.sin(angle)) <= dry
    return found


def pendulum(rng: np.random.Generator) -> tuple[Sequence[str], Sequence[np.ndarray]]:
    """25 samples per second of an encoder with 0.3 degrees of noise, 4 s from 60 degrees."""
    t = np.arange(0.0, 4.0, 0.04)
    angle = np.degrees(swing(t, math.radians(60.0), 0.5, 0.12))
    return ("t [ms]", "angle [deg]"), (1e3 * t, angle + rng.normal(0.0, 0.3, len(t)))


def motor(rng: np.random.Generator) -> tuple[Sequence[str], Sequence[np.ndarray]]:
    """A sine of 0.8 m/s at half a hertz, 2 kg, 500 samples per second."""
    t = np.arange(0.0, 6.0, 2e-3)
    v, a = 0.8 * np.sin(math.pi * t), 0.8 * math.pi * np.cos(math.pi * t)
    force = np.sign(v) * (5.0 + 2.0 * np.exp(-((v / 0.1) ** 2))) + 1.5 * v + 2.0 * a
    noise = rng.normal(0.0, 3e-3, len(t)), rng.normal(0.0, 0.2, len(t))
    return ("time [s]", "velocity [m/s]", "force [N]"), (t, v + noise[0], force + noise[1])


CASES = {
    "slide": CoverageCase("slider", (("tilt", 0.0),), {"max_friction": 7.0}, ("start_speed",), slide),
    "bench": CoverageCase("incline", (), {"mu": 0.62}, ("offset",), bench),
    "pendulum": CoverageCase("pendulum", (), {"joint_friction": 0.5, "viscous": 0.12}, (), pendulum),
    "motor": CoverageCase("slider", (("tilt", 0.0),), {"static": 7.0, "kinetic": 5.0, "stribeck": 0.1, "viscous": 1.5}, (),
                          motor)}


def answers(case: CoverageCase, seed: int, folder: Path) -> dict[str, tuple[float, float]]:
    """Intervals of one noisy run by parameter."""
    from app.analysis.friction_fit.measurements import read
    from app.analysis.friction_fit.plan import Asked, plan
    from app.analysis.friction_fit.study import FitRun

    titles, columns = case.data(np.random.default_rng(seed))
    path = folder / "data.csv"
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(titles)
        writer.writerows(np.column_stack(columns).tolist())
    fit = FitRun.of(plan(Asked(case.scene, tuple(case.truth), case.nuisances, case.settings), read(path)))
    fit.run()
    if fit.result is None:
        raise RuntimeError(fit.problem)
    return {one.name: (one.lo, one.hi) for one in fit.result.answers if one.name in case.truth}


def coverage(case: CoverageCase, seeds: Sequence[int]) -> dict[str, int]:
    """Number of runs whose interval contains the truth, by parameter."""
    with tempfile.TemporaryDirectory() as folder:
        found = [answers(case, seed, Path(folder)) for seed in seeds]
    return {name: sum(one[name][0] <= truth <= one[name][1] for one in found) for name, truth in case.truth.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100, metavar="N", help="noisy data sets of each case; default: 100")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first data set; default: 0")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}; default: all")
    given = parser.parse_args()
    for name in given.cases or CASES:
        for parameter, count in coverage(CASES[name], range(given.first, given.first + given.runs)).items():
            print(f"{name:10} {parameter:16} true value in the interval: {count} of {given.runs}", flush=True)


if __name__ == "__main__":
    main()
