"""How often the 95 % intervals of `stiction fit` contain the truth, on noisy data from closed forms and an independent
integrator.

    python -m benchmarks.fit_coverage [--runs 100] [--first 0] [CASE ..]

slide     a block on a level rail, x = v t - F t^2 / (2 m) until it stops at m v / F: friction of the rail, unknown speed
bench     a box on a slope, x = a t^2 / 2, a = g (sin theta - mu cos theta): friction coefficient, unknown offset
pendulum  dry friction and viscous friction of a hinge, by an integrator of high order from turn to turn
motor     a motor log of a rail: F_k + (F_s - F_k) exp(-(v / v_s)^2) + c v + m v', noise in velocity and force
log       a torque log of the pendulum, I q'' + m g L sin(q) + M sign(q') + c q', noise in angle, rate and torque
load      a log of a rail whose friction grows with a measured load: F_k + mu N + c v + m v', noise in velocity, force and load
breakaway a rail that is pulled by slow ramps until it lets go: static friction above kinetic one, and what only sticking tells

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


def log(rng: np.random.Generator) -> tuple[Sequence[str], Sequence[np.ndarray]]:
    """A swing of 1 rad at a third of a hertz, 250 samples per second."""
    from physics import Capsule
    from scenes.pendulum import ARM, MASS, RADIUS

    inertia, weight = float(Capsule(RADIUS, ARM).inertia(MASS)[0]) + MASS * ARM**2, MASS * G * ARM
    t = np.arange(0.0, 6.0, 4e-3)
    angle, rate, acceleration = np.sin(2.0 * t), 2.0 * np.cos(2.0 * t), -4.0 * np.sin(2.0 * t)
    torque = inertia * acceleration + weight * np.sin(angle) + 0.7 * np.sign(rate) + 0.2 * rate
    noise = rng.normal(0.0, 2e-4, len(t)), rng.normal(0.0, 4e-3, len(t)), rng.normal(0.0, 0.1, len(t))
    return ("time [s]", "angle [rad]", "rate [rad/s]", "torque [N m]"), (t, angle + noise[0], rate + noise[1], torque + noise[2])


def load(rng: np.random.Generator) -> tuple[Sequence[str], Sequence[np.ndarray]]:
    """The sine of `motor`, while the load swings between 20 and 60 N at its own pace; the load is measured, too."""
    t = np.arange(0.0, 6.0, 2e-3)
    v, a = 0.8 * np.sin(math.pi * t), 0.8 * math.pi * np.cos(math.pi * t)
    normal = 40.0 + 20.0 * np.sin(1.3 * t)
    force = np.sign(v) * (2.0 + 0.15 * normal) + 1.5 * v + 2.0 * a
    noise = rng.normal(0.0, 3e-3, len(t)), rng.normal(0.0, 0.2, len(t)), rng.normal(0.0, 0.5, len(t))
    return ("time [s]", "velocity [m/s]", "force [N]", "load [N]"), (t, v + noise[0], force + noise[1], normal + noise[2])


def breakaway(rng: np.random.Generator) -> tuple[Sequence[str], Sequence[np.ndarray]]:
    """Twelve pulls of 4 N/s on 2 kg at rest: it lets go at 8 N, and slides for 0.4 s under 5 N and 1 N s/m."""
    dt, sticks, slides = 2e-3, 2.0, 0.4
    t = np.arange(0.0, sticks + slides, dt)
    late = np.maximum(t - sticks, 0.0)
    v = np.where(late > 0.0, 4.0 * t - 13.0 + 5.0 * np.exp(-late / 2.0), 0.0)     # 2 v' = 4 t - 5 - v, v(2) = 0
    times = np.concatenate([t + k * (sticks + slides + 1.0) for k in range(12)])
    speeds, forces = np.tile(v, 12), np.tile(4.0 * t, 12)
    return ("time [s]", "velocity [m/s]", "force [N]"), (times, speeds + rng.normal(0.0, 3e-3, len(times)),
                                                         forces + rng.normal(0.0, 0.1, len(times)))


RAIL = (("tilt", 0.0),)
CASES = {
    "slide": CoverageCase("slider", RAIL, {"max_friction": 7.0}, ("start_speed",), slide),
    "bench": CoverageCase("incline", (), {"mu": 0.62}, ("offset",), bench),
    "pendulum": CoverageCase("pendulum", (), {"joint_friction": 0.5, "viscous": 0.12}, (), pendulum),
    "motor": CoverageCase("slider", RAIL, {"static": 7.0, "kinetic": 5.0, "stribeck": 0.1, "viscous": 1.5}, (), motor),
    "log": CoverageCase("pendulum", (), {"joint_friction": 0.7, "viscous": 0.2}, (), log),
    "load": CoverageCase("slider", RAIL, {"joint_friction": 2.0, "load": 0.15, "viscous": 1.5}, (), load),
    "breakaway": CoverageCase("slider", RAIL, {"static": 8.0, "kinetic": 5.0, "viscous": 1.0}, (), breakaway)}


@dataclass(frozen=True)
class Coverage:
    """Of a parameter: how many of the runs' intervals contain the truth; half their median width, and what the scatter of the
    values asks for, 1.96 standard deviations; bias: mean of the values less the truth."""

    count: int
    runs: int
    half_width: float
    asked_for: float
    bias: float


def answers(case: CoverageCase, seed: int, folder: Path) -> dict[str, tuple[float, float, float]]:
    """(value, ends of its interval) of one noisy run by parameter."""
    from app.analysis.friction_fit.measurements import read
    from app.analysis.friction_fit.plan import Asked, plan
    from app.analysis.friction_fit.study import FitRun

    titles, columns = case.data(np.random.default_rng(seed))
    path = folder / "data.csv"
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(titles)
        writer.writerows(np.column_stack(columns).tolist())
    fit = FitRun.of(plan(Asked(case.scene, tuple(case.truth), case.nuisances, case.settings), read(path, True)))
    fit.run()
    if fit.result is None:
        raise RuntimeError(fit.problem)
    return {one.name: (one.value, one.lo, one.hi) for one in fit.result.answers if one.name in case.truth}


def coverage(case: CoverageCase, seeds: Sequence[int]) -> dict[str, Coverage]:
    """How good the intervals of these runs are, by parameter."""
    with tempfile.TemporaryDirectory() as folder:
        found = [answers(case, seed, Path(folder)) for seed in seeds]
    out = {}
    for name, truth in case.truth.items():
        value, lo, hi = np.array([one[name] for one in found]).T
        out[name] = Coverage(int(np.count_nonzero((lo <= truth) & (truth <= hi))), len(found),
                             0.5 * float(np.median(hi - lo)), 1.96 * float(value.std()), float(value.mean()) - truth)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100, metavar="N", help="noisy data sets of each case; default: 100")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first data set; default: 0")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}; default: all")
    given = parser.parse_args()
    for name in given.cases or CASES:
        for parameter, found in coverage(CASES[name], range(given.first, given.first + given.runs)).items():
            error = 100.0 * math.sqrt(0.95 * 0.05 / found.runs)
            print(f"{name:10} {parameter:16} true value in the interval: {found.count} of {found.runs} (95 +- {error:.1f} %); "
                  f"half width {found.half_width:.3g}, 1.96 x scatter of the values {found.asked_for:.3g}, bias {found.bias:.2g}",
                  flush=True)


if __name__ == "__main__":
    main()
