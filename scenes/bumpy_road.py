"""Three carts on springs over a wavy road, each twice as fast as the one before: below, at and above resonance.

The axles are one wave apart, so that a cart heaves and does not nod. Its wheels follow the road, of the amplitude Y and the
wave L; on springs k and dampers c the chassis, of mass M, is shaken at its base:

    w0 = sqrt(k / M),   D = c / (2 M w0),   r = w / w0,   w = 2 pi v / L                                             (1)
    T = (1 + 2 i D r) / (1 - r^2 + 2 i D r),   amplitude |T| Y,   largest near  v = L w0 / (2 pi)                    (2)

The middle of a wheel of radius R moves on the curve at the distance R from the road, whose fundamental counts in place of Y.
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from physics import Box, Cylinder, Motor, World, option
from scenes import Prediction, Scene, Trace, View, present
from scenes._parts import LYING, G, add, check_predictions, ground, of_body, push, strip

WAVE, END, BASE = 0.6, 5.0, 0.05        # L, end of the road, its mean height [m]
R = 0.08                                # radius of a wheel [m]
BODY, AXLE, WHEEL = 10.0, 0.2, 0.3      # M, mass of an axle and of a wheel [kg]
HALF = (0.4, 0.14, 0.05)                # of a chassis [m]
HIGH = 0.16                             # of its middle over its axles [m]
RESONANCE = 2.0                         # w0 / (2 pi) [Hz]
APART = 0.42                            # of the lanes [m]
GAIN = 400.0                            # of the drive that keeps the speed [N s/m]
CARTS = {"slow": 0.5, "resonant": 1.0, "fast": 2.0}
"""Speeds relative to the parameter, by name."""


@dataclasses.dataclass
class Parameters:
    speed: float = option(WAVE * RESONANCE, unit="m/s", lo=0.3, hi=2.0, help="Speed of the cart in the middle. The others go "
                                                                           "half as fast and twice as fast.")
    damping: float = option(0.2, lo=0.1, hi=1.0, help="Damping ratio of the suspensions; 1: critical damping.")
    height: float = option(0.01, unit="m", lo=0.002, hi=0.015, help="Amplitude of the waves of the road.")


def road(x: np.ndarray, height: float) -> np.ndarray:
    """Of the surface [m]."""
    return BASE + height * np.sin(math.tau * x / WAVE)


def centre(x: float, height: float) -> float:
    """Height of the middle of a wheel at x that touches the road [m]."""
    under = np.linspace(-0.99 * R, 0.99 * R, 801)
    return float(np.max(road(x + under, height) + np.sqrt(R * R - under * under)))


def fundamental(height: float) -> complex:
    """C of the path C exp(i 2 pi x / L), whose imaginary part is that of a wheel's middle [m]."""
    x = np.arange(64) * WAVE / 64
    path = np.array([centre(at, height) for at in x])
    return complex(2j * np.mean(path * np.exp(-1j * math.tau * x / WAVE)))


def shaken(speed: float, parameters: Parameters) -> complex:
    """The same of a chassis: by (2) [m]."""
    r, d = speed / (WAVE * RESONANCE), parameters.damping
    return fundamental(parameters.height) * (1.0 + 2j * d * r) / (1.0 - r * r + 2j * d * r)


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    x = np.arange(-1.2, END, 0.03)
    world.add_body(strip(x, road(x, parameters.height), 0.62), kind="static", friction=0.8, name="road")
    for k, (name, share) in enumerate(CARTS.items()):
        cart(world, name, k, share, parameters)


def cart(world: World, name: str, k: int, share: float, parameters: Parameters) -> None:
    """Add a cart at rest on its springs, as on a level road, and put it into its steady motion on this one."""
    p, y, speed, low = parameters, APART * (1 - k), share * parameters.speed, BASE + R
    w0 = math.tau * RESONANCE
    chassis = add(world, Box(HALF), (0.0, y, low + HIGH), group=1 + k, mass=BODY, mask=0, name=f"{name} cart")
    world.add_joint("planar", 0, chassis, anchor=(0.0, y, low + HIGH), axis=(0.0, 1.0, 0.0), name=f"lane {k + 1}")
    stiff, damp = 0.5 * BODY * w0 * w0, BODY * p.damping * w0               # of one axle
    suspension = Motor(mode="spring", target=-0.5 * BODY * G / stiff, stiffness=stiff, damping=damp)
    for n, x in enumerate((-0.5 * WAVE, 0.5 * WAVE), 2 * k + 1):
        place = (x, y, low)
        axle = add(world, Box((0.03, 0.1, 0.02)), place, group=8, mass=AXLE, mask=0, name=f"axle {n}")
        wheel = add(world, Cylinder(R, 0.05), place, group=7, quat=LYING, mass=WHEEL, friction=0.8, name=f"wheel {n}")
        world.add_joint("prismatic", chassis, axle, anchor=place, axis=(0.0, 0.0, 1.0), motor=suspension, name=f"suspension {n}")
        world.add_joint("revolute", axle, wheel, anchor=place, axis=(0.0, 1.0, 0.0), name=f"bearing {n}")
        z, ahead = centre(x, p.height), centre(x + 1e-3, p.height)
        for body in (axle, wheel):
            world.set_pose(body, (x, y, z), world.bodies["quat"][body])
            world.set_velocity(body, (speed, 0.0, speed * (ahead - z) / 1e-3), (0.0, speed / R if body == wheel else 0.0, 0.0))
    heave = -shaken(speed, p)           # half a wave from its axles
    world.set_pose(chassis, (0.0, y, low + HIGH + heave.imag), (1.0, 0.0, 0.0, 0.0))
    world.set_velocity(chassis, (speed, 0.0, math.tau * speed / WAVE * heave.real), (0.0, 0.0, 0.0))

    def drive(world: World) -> tuple[float, float, float]:
        wanted = share * present(p, world.inputs).speed if world.bodies["pos"][chassis, 0] < END - 1.0 else 0.0
        return GAIN * (wanted - float(world.bodies["vel"][chassis, 0])), 0.0, 0.0

    push(world, chassis, drive)


def amplitude(name: str, speed: float) -> Callable[[World, Trace], float | None]:
    """Of the chassis over the last two waves [m]."""
    def measure(world: World, trace: Trace) -> float | None:
        waves = trace["time"] * speed / WAVE
        if waves[-1] - waves[0] < 1.0:
            return None
        last = waves > waves[-1] - min(2, int(waves[-1] - waves[0]))
        turns = math.tau * waves[last]
        fit = np.column_stack([np.ones(len(turns)), *(f(n * turns) for n in (1, 2) for f in (np.cos, np.sin))])
        return float(math.hypot(*np.linalg.lstsq(fit, trace[f"body:{name} cart.z"][last], rcond=None)[0][1:3]))
    return measure


def predict(parameters: Parameters) -> list[Prediction]:
    speeds = {name: share * parameters.speed for name, share in CARTS.items()}
    return [Prediction(f"amplitude of the {name} cart", abs(shaken(speed, parameters)), "m", 0.03, amplitude(name, speed),
                       follows=True) for name, speed in speeds.items()]


def check(world: World, trace: Trace) -> None:
    """Three amplitudes, and every chassis stays over its springs."""
    check_predictions(world, trace, predict(Parameters()))
    for name in CARTS:
        assert abs(trace[f"body:{name} cart.z"] - BASE - R - HIGH).max() < 0.04, f"the {name} cart leaves the road"


SCENE = Scene(
    title="Bumpy road",
    category="Mechanisms",
    look_for="One road, three speeds. The slow cart rides up and down with every wave. The cart in the middle meets the waves in "
             "the rhythm of its springs: it heaves nearly three times as much as the road. The fast one meets them twice as "
             "often and hardly moves, for the springs give way before the chassis does. See the three amplitudes in the plot. "
             "More damping calms the resonance and makes the fast ride rougher.",
    law=r"|T| = \sqrt{\frac{1+(2Dr)^2}{(1-r^2)^2+(2Dr)^2}},\qquad r = \frac{v}{\lambda f_0}",
    law_text="|T| = sqrt((1 + (2 D r)^2) / ((1 - r^2)^2 + (2 D r)^2)),  r = v / (lambda f0)",
    build=build,
    parameters=Parameters,
    live=("speed", "damping"),
    actual={"speed": of_body("resonant cart", lambda body: body["vel"][0])},
    view=View(target=(1.5, 0.0, 0.15), distance=4.3, azimuth=-38.0, elevation=18.0),
    options={"cone": "circle"},
    plots=tuple(f"body:{name} cart.z" for name in CARTS),
    show=("contacts",),
    predict=predict,
    check_time=1.2,
    check=check,
    unreached={},
)
