"""Stick and slip: an arm on a turntable, held back by a torsion spring. Static friction F_s, kinetic F_k < F_s in its bearing.

    sticks, turning with the table at Omega, until   k theta = F_s            theta_s = F_s / k
    slips: I theta'' = F_k - k theta, a swing about  theta_k = F_k / k,       omega0 = sqrt(k / I)
        theta = theta_k + A cos(phi),   A^2 = (theta_s - theta_k)^2 + (Omega / omega0)^2
        from phi = -alpha to pi + alpha,   tan(alpha) = Omega / (omega0 (theta_s - theta_k))
    sticks again at 2 theta_k - theta_s, where its rate is Omega once more

    period = 2 (F_s - F_k) / (k Omega) + (pi + 2 alpha) / omega0

With a Stribeck speed v_s the friction falls from F_s to F_k over that speed, F_k + (F_s - F_k) exp(-(v / v_s)^2); the swing gets
smaller, and beyond some speed of the table the arm stands still at an angle and slips for good.
"""

import dataclasses
import math

import numpy as np

from physics import Box, Friction, World, option
from scenes import Curve, Prediction, Scene, Trace, View
from scenes._parts import add, block, ground

HALF, MASS = (0.40, 0.05, 0.04), 2.0           # of the arm [m], [kg]
INERTIA = MASS / 3.0 * (HALF[0] ** 2 + HALF[1] ** 2)
STIFFNESS = 2.0                                # of the spring [N m/rad]
HEIGHT = 0.30


@dataclasses.dataclass
class Parameters:
    speed: float = option(0.5, unit="rad/s", lo=0.05, hi=3.0, help="Angular velocity of the turntable. The faster it turns, the "
                                                                   "shorter the arm sticks.")
    static: float = option(1.2, unit="N m", lo=0.0, hi=5.0, help="Static friction bound of the bearing.")
    kinetic: float = option(0.6, unit="N m", lo=0.0, hi=5.0, help="Kinetic friction bound of the bearing; limited to the static "
                                                                  "one.")
    stribeck: float = option(0.0, unit="rad/s", lo=0.0, hi=2.0, help="Speed over which friction drops from the static to the "
                                                                     "kinetic bound. At 0 it drops immediately.")
    viscous: float = option(0.0, unit="N m s", lo=0.0, hi=1.0, help="Viscous friction of the bearing. It damps the oscillation.")


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    block(world, (0.08, 0.08, 0.5 * HEIGHT - 0.04), (0.0, 0.0, 0.5 * HEIGHT - 0.04), name="foot")
    table = add(world, Box((0.5, 0.5, 0.02)), (0.0, 0.0, HEIGHT - 0.02), kind="kinematic", group=0,
                omega=(0.0, 0.0, parameters.speed), name="turntable")
    arm = add(world, Box(HALF), (0.0, 0.0, HEIGHT + 0.06), group=2, mass=MASS, omega=(0.0, 0.0, parameters.speed), name="arm")
    law = Friction(static=parameters.static, kinetic=min(parameters.kinetic, parameters.static), stribeck=parameters.stribeck,
                   viscous=parameters.viscous)
    world.add_joint("revolute", table, arm, anchor=(0.0, 0.0, HEIGHT), axis=(0.0, 0.0, 1.0), friction=law, name="bearing")
    world.add_joint("torsion_spring", 0, arm, anchor=(0.0, 0.0, HEIGHT + 0.5), axis=(0.0, 0.0, 1.0), stiffness=STIFFNESS,
                    name="spring")
    for x in (-0.75, 0.75):
        block(world, (0.03, 0.03, 0.5 * HEIGHT + 0.28), (x, 0.0, 0.5 * HEIGHT + 0.28), name=f"post {x:+g}")
    block(world, (0.78, 0.03, 0.03), (0.0, 0.0, HEIGHT + 0.59), name="beam")


def highest(p: Parameters) -> float:
    """Largest angle of the swing [rad]."""
    omega0 = math.sqrt(STIFFNESS / INERTIA)
    return (p.kinetic + math.hypot(p.static - p.kinetic, STIFFNESS * p.speed / omega0)) / STIFFNESS


def period(p: Parameters) -> float:
    """Time from stick to stick [s]."""
    omega0 = math.sqrt(STIFFNESS / INERTIA)
    alpha = math.atan2(STIFFNESS * p.speed, omega0 * (p.static - p.kinetic))
    return 2.0 * (p.static - p.kinetic) / (STIFFNESS * p.speed) + (math.pi + 2.0 * alpha) / omega0


def peaks(trace: Trace) -> np.ndarray:
    """Times at which the arm turns back [s], between two steps where the rate is zero."""
    t, rate = trace["time"], trace["joint:spring.rate"]
    at = np.flatnonzero((rate[:-1] > 0.0) & (rate[1:] <= 0.0))
    return t[at] + (t[at + 1] - t[at]) * rate[at] / (rate[at] - rate[at + 1])


def predict(p: Parameters) -> list[Prediction]:
    if p.stribeck > 0.0 or p.viscous > 0.0 or p.kinetic >= p.static:
        return []

    def measured_period(world: World, trace: Trace) -> float | None:
        found = peaks(trace)
        return float(found[-1] - found[0]) / (len(found) - 1) if len(found) > 1 else None

    def measured_angle(world: World, trace: Trace) -> float | None:
        return float(np.max(trace["joint:spring.angle"])) if len(peaks(trace)) else None

    return [Prediction("period", period(p), "s", 0.01, measured_period),
            Prediction("largest angle", highest(p), "rad", 0.01, measured_angle, "joint:spring.angle")]


def law_curves(p: Parameters) -> list[Curve]:
    """Angle of the arm: it turns with the table up to theta_s, swings back, sticks again; for two swings.

    It lets go at the end of the step in which the spring wins, so swing after swing comes a step later.
    """
    if not predict(p):
        return []
    omega0 = math.sqrt(STIFFNESS / INERTIA)
    top, middle = p.static / STIFFNESS, p.kinetic / STIFFNESS
    alpha, size = math.atan2(p.speed, omega0 * (top - middle)), highest(p) - middle
    phi = np.linspace(-alpha, math.pi + alpha, 60)
    times, angles = [0.0], [0.0]
    for _ in range(2):
        start = times[-1] + (top - angles[-1]) / p.speed
        times += [start, *(start + (phi + alpha) / omega0)]
        angles += [top, *(middle + size * np.cos(phi))]
    return [Curve("joint:spring.angle", "law", tuple(map(float, times)), tuple(map(float, angles)), 0.05)]


def check(world: World, trace: Trace) -> None:
    """The swing repeats with the period of the closed form; while it sticks the arm turns exactly with the table."""
    p = Parameters()
    found = peaks(trace)
    assert len(found) >= 4, f"{len(found)} swings"
    assert abs(np.ptp(np.diff(found))) < 0.02 * period(p), "the swings differ"
    assert abs(np.diff(found).mean() / period(p) - 1.0) < 0.01, f"period {np.diff(found).mean():.4f} s, not {period(p):.4f} s"
    rate, friction = trace["joint:spring.rate"], trace["joint:bearing.friction"]
    assert np.max(np.abs(friction)) <= p.static * (1.0 + 1e-9), "friction beyond its static bound"
    sticks = np.abs(rate - p.speed) < 1e-9
    assert 0.4 < np.mean(sticks[1:]) < 0.8, f"it sticks {np.mean(sticks):.0%} of the time"


SCENE = Scene(
    title="Stick and slip",
    category="Joint friction",
    look_for="The arm rides on a turntable and is restrained by a spring above it. It sticks to the table while the spring winds "
             "up, until the spring torque exceeds static friction; then the smaller kinetic friction lets the arm swing back, "
             "and it sticks again. Chalk, violins and door hinges squeal this way. Turn the table faster, or add viscous "
             "friction to the bearing, and the oscillation shrinks.",
    law=r"F(v) = F_k + (F_s - F_k)\, e^{-(v/v_s)^2} + c\, v, \qquad"
        r" T = \frac{2\,(F_s - F_k)}{k\,\Omega} + \frac{\pi + 2 \alpha}{\omega_0}",
    law_text="F(v) = F_k + (F_s - F_k) exp(-(v/v_s)^2) + c v; period 2 (F_s - F_k)/(k Omega) + (pi + 2 alpha)/omega0",
    build=build,
    parameters=Parameters,
    live=("speed", "static", "kinetic", "stribeck", "viscous"),
    view=View(target=(0.04, 0.0, 0.37), distance=1.8, azimuth=20.0, elevation=28.0),
    plots=("joint:spring.angle", "joint:spring.rate", "joint:bearing.friction"),
    show=("contacts", "joints"),
    predict=predict,
    law_curves=law_curves,
    check_time=12.0,
    check=check,
    unreached={},
)
