"""Kapitza's pendulum: upside down on a pivot that vibrates up and down fast, it stands, and swings about the top.

The pivot moves by a cos(w t), w far above the swing. For a rod of length 2 c the reduced length is l = 4 c / 3. Averaged over the
vibration, small angles from the top obey

    theta'' = -(a^2 w^2 / (2 l^2) - g / l) theta,   stable where  a w > sqrt(2 g l)                                  (1)

P. L. Kapitza, Dynamic stability of a pendulum with an oscillating point of suspension, JETP 21 (1951).
"""

import dataclasses
import math

import numpy as np

from physics import Box, Motor, World, option
from scenes import Prediction, Scene, Thumbnail, Trace, View, present
from scenes._parts import G, add, block, ground, move, turned, turns

C, HEIGHT, SIDE = 0.3, 0.5, 0.45               # c, height of the pivots, half their distance [m]
L = 4.0 * C / 3.0                              # reduced length [m]
Y = (0.0, 1.0, 0.0)


@dataclasses.dataclass
class Parameters:
    amplitude: float = option(0.02, unit="m", lo=0.005, hi=0.03, help="Amplitude of the pivot.")
    frequency: float = option(40.0, unit="Hz", lo=10.0, hi=40.0, help="Frequency of the pivot. At 2 cm the pendulum stands "
                                                                      "from 22 Hz on.")
    tilt: float = option(8.0, unit="deg", lo=1.0, hi=20.0, help="Angle from the vertical at the start.")


def shake(parameters: Parameters) -> float:
    """w [rad/s]"""
    return math.tau * parameters.frequency


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    p, tilt = parameters, math.radians(parameters.tilt)
    for k, name in enumerate(("shaken pendulum", "still pendulum")):
        x = SIDE * (2 * k - 1)
        raised = p.amplitude * (1 - k)         # cos(w t) = 1 at first
        pivot = np.array([x, 0.0, HEIGHT + raised])
        block(world, (0.1, 0.1, 0.15), (x, 0.0, 0.15), mask=0, name=f"post {k + 1}")
        carriage = add(world, Box((0.06, 0.06, 0.04)), tuple(pivot), group=4, mass=5.0, mask=0, name=f"carriage {k + 1}")
        slide = world.add_joint("prismatic", 0, carriage, anchor=tuple(pivot), axis=(0.0, 0.0, 1.0), motor=Motor(),
                                name=f"slide {k + 1}")
        if k == 0:
            move(world, slide, lambda world, t: pivot_speed(present(parameters, world.inputs), world, t))
        rod = add(world, Box((0.015, 0.015, C)), tuple(pivot + C * np.array([math.sin(tilt), 0.0, math.cos(tilt)])),
                  group=1 + 2 * k, mass=0.5, mask=0, quat=turned(Y, tilt), inertia=(0.5 * C * C / 3.0, 0.5 * C * C / 3.0, 1e-4),
                  name=name)
        world.add_joint("revolute", carriage, rod, anchor=tuple(pivot), axis=Y, name=f"pivot {k + 1}")


def pivot_speed(p: Parameters, world: World, t: float) -> float:
    """Of the shaken pivot [m/s]."""
    return -p.amplitude * shake(p) * math.sin(math.tau * turns(world, p.frequency, t))


def stiffness(p: Parameters) -> float:
    """Square of the rate of the swing about the top [1/s^2]: (1); below 0 it falls."""
    return 0.5 * (p.amplitude * shake(p) / L) ** 2 - G / L


def swing(p: Parameters, trace: Trace) -> float | None:
    """Period [s] from two or more passes through the top, of the angle averaged over a period of the vibration."""
    t, pitch = trace["time"], trace["body:shaken pendulum.pitch"]
    if len(t) < 3:
        return None
    count = max(1, round(1.0 / (p.frequency * (t[1] - t[0]))))
    if len(t) < 2 * count:
        return None
    mean = np.convolve(pitch, np.full(count, 1.0 / count), "valid")
    at = np.flatnonzero(mean[:-1] * mean[1:] < 0.0)
    if len(at) < 2:
        return None
    times = t[at] + (t[1] - t[0]) * mean[at] / (mean[at] - mean[at + 1])
    return float(2.0 * (times[-1] - times[0]) / (len(times) - 1))


def predict(parameters: Parameters) -> list[Prediction]:
    k = stiffness(parameters)
    if k < 20.0 or parameters.tilt > 10.0:
        return []
    return [Prediction("period of the swing about the top", math.tau / math.sqrt(k), "s", 0.02,
                       lambda world, trace: swing(parameters, trace))]


def check(world: World, trace: Trace) -> None:
    """One swings about the top with the predicted period, the other falls."""
    got, expected = swing(Parameters(), trace), math.tau / math.sqrt(stiffness(Parameters()))
    assert got is not None and abs(got - expected) < 0.02 * expected, f"{got} s"
    assert abs(trace["body:shaken pendulum.pitch"]).max() < math.radians(1.3 * Parameters().tilt), "it does not stand"
    assert trace["body:still pendulum.z"].min() < HEIGHT - 0.5 * C, "the still one does not fall"


SCENE = Scene(
    title="Kapitza's pendulum",
    category="Paradoxes",
    look_for="Two pendulums start upside down, slightly tilted. The one on the still pivot falls at once. The pivot of the "
             "other vibrates up and down, forty times a second, by two centimetres: it stands, and swings slowly about its "
             "upper position as if held by a spring. Lower the frequency below 22 Hz and it falls as well. No control is "
             "involved.",
    law=r"\Omega^2 = \frac{a^2 w^2}{2 l^2} - \frac{g}{l} > 0",
    law_text="Omega^2 = a^2 w^2 / (2 l^2) - g / l > 0",
    build=build,
    parameters=Parameters,
    live=("amplitude", "frequency"),
    dt=1.0 / 480.0,
    thumbnail=Thumbnail(0.35, View(target=(0.13, 0.0, 0.62), distance=1.9, azimuth=10.0, elevation=10.0)),
    view=View(target=(0.13, 0.01, 0.54), distance=2.4, azimuth=10.0, elevation=10.0),
    plots=("body:shaken pendulum.pitch", "body:still pendulum.pitch", "body:still pendulum.z", "joint:slide 1.angle"),
    show=("joints",),
    predict=predict,
    check_time=0.8,
    check=check,
    unreached={},
)
