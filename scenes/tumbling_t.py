"""A T-handle without gravity, spun about its stem: it turns over, again and again (Dzhanibekov; tennis racket theorem).

The handle is a compound of two boxes. With moments I1 < I2 < I3, spun about the axis of I2 with a small disturbance, Euler's
equations have the solution (Landau, Lifshitz, Mechanics, section 37), for L^2 > 2 E I2 (else swap 1 and 3):

    omega_2 ~ sn(w t | m),   w^2 = (I3 - I2)(L^2 - 2 E I1) / (I1 I2 I3)
    m = (I2 - I1)(2 E I3 - L^2) / ((I3 - I2)(L^2 - 2 E I1))
    time from one turn-over to the next = 2 K(m) / w,    K(m) = pi / (2 agm(1, sqrt(1 - m)))
"""

import dataclasses
import math

import numpy as np

from physics import Box, Compound, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import add

BAR, STEM = (0.06, 0.4, 0.06), (0.05, 0.05, 0.2)     # half extents [m]
HANDLE = Compound((Box(BAR), (0.0, 0.0, 0.0)), (Box(STEM), (0.0, 0.0, -BAR[2] - STEM[2])))
MASS = 3.0                                           # [kg]
TIP = 0.02
"""Disturbance: angle between the spin and the stem [rad]."""


@dataclasses.dataclass
class Parameters:
    spin: float = option(8.0, unit="rad/s", lo=0.5, hi=30.0, help="Angular velocity about the stem, apart from a misalignment of "
                                                                  "0.02 rad. Twice the spin, half the time.")


def build(world: World, parameters: Parameters) -> None:
    world.set_gravity((0.0, 0.0, 0.0))
    spin = parameters.spin
    add(world, HANDLE, (0.0, 0.0, 1.2), group=3, mass=MASS, omega=(spin * math.sin(TIP), 0.0, spin * math.cos(TIP)),
        name="handle")


def interval(spin: float) -> float:
    """Time from one turn-over to the next [s]."""
    tensor = HANDLE.inertia(MASS)
    omega = spin * np.array([math.sin(TIP), 0.0, math.cos(TIP)])
    low, middle, high = sorted(np.diag(tensor))
    momentum2, energy2 = float(np.sum((tensor @ omega) ** 2)), float(omega @ tensor @ omega)
    if momentum2 < energy2 * middle:
        low, high = high, low
    rate = math.sqrt((high - middle) * (momentum2 - energy2 * low) / (low * middle * high))
    m = (middle - low) * (energy2 * high - momentum2) / ((high - middle) * (momentum2 - energy2 * low))
    a, b = 1.0, math.sqrt(1.0 - m)
    for _ in range(40):
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return math.pi / a / rate


def turns(trace: Trace) -> np.ndarray:
    """Times when the stem lies level [s]."""
    up = np.cos(trace["body:handle.roll"]) * np.cos(trace["body:handle.pitch"])
    k = np.flatnonzero(up[:-1] * up[1:] < 0.0)
    return trace["time"][k] + (trace["time"][k + 1] - trace["time"][k]) * up[k] / (up[k] - up[k + 1])


def predict(parameters: Parameters) -> list[Prediction]:
    def measured(world: World, trace: Trace) -> float | None:
        times = turns(trace)
        return float((times[-1] - times[0]) / (len(times) - 1)) if len(times) > 1 else None

    return [Prediction("flips every", interval(parameters.spin), "s", 0.01, measured)]


def check(world: World, trace: Trace) -> None:
    """It turns over in time, and keeps energy and angular momentum (velocities are those of the middle of a step)."""
    assert len(turns(trace)) >= 2, "it does not turn over"
    for key in ("world.kinetic", "world.angular_momentum_z"):
        assert np.ptp(trace[key]) < 1e-3 * trace[key][0], f"{key} is not kept"


SCENE = Scene(
    title="Tumbling T",
    category="Motion",
    look_for="A T-handle spins about its stem in weightlessness and flips at regular intervals without external torque: the stem "
             "is the axis of the intermediate moment of inertia. Energy and angular momentum are conserved. The handle is a "
             "compound of two boxes; its moments follow from the parallel axis theorem.",
    law=r"I \dot\omega + \omega \times I \omega = 0",
    law_text="I omega' + omega x (I omega) = 0",
    build=build,
    parameters=Parameters,
    view=View(target=(0.01, 0.01, 1.15), distance=1.8),
    plots=("body:handle.roll", "body:handle.pitch", "world.kinetic", "world.angular_momentum_z"),
    show=(),
    predict=predict,
    check_time=8.0,
    check=check,
    unreached={},
)
