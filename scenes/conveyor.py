"""Parcels are put on two belts of the same speed, one rough, one smooth: how far do they slip, and what is lost?

    the parcel speeds up      v = mu g t until v = V,   t = V / (mu g)
    the belt passes below it  s = V t / 2 = V^2 / (2 mu g)                                                           (1)
    heat                      mu m g s = m V^2 / 2, as much as the parcel gets, whatever mu is                        (2)

So the belt's drive supplies m V^2: half of it moves the parcel, half warms the surfaces.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

from physics import Box, Material, World, option
from scenes import Curve, Prediction, Scene, Trace, View
from scenes._parts import G, add, block, check_predictions, ground

HALF, MASS = (0.15, 0.15, 0.1), 2.0            # of a parcel [m], [kg]
TOP, LONG, PITCH = 0.3, 2.2, 0.6               # height of the belts, half their length, distance of their middles [m]
START = -1.9                                   # of the parcels along x [m]
BELTS = {"rough": 1.0, "smooth": 0.4}
"""Friction relative to the parameter."""


@dataclasses.dataclass
class Parameters:
    speed: float = option(1.5, unit="m/s", lo=0.2, hi=2.0, help="Speed of both belts.")
    mu: float = option(0.5, lo=0.2, hi=1.0, help="Friction coefficient of the rough belt. The smooth one has 0.4 of it.")


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    for k, (name, share) in enumerate(BELTS.items()):
        y, mu = (0.5 - k) * PITCH, share * parameters.mu
        surface = Material(friction=mu, surface_velocity=(parameters.speed, 0.0, 0.0), name=f"{name} belt")
        block(world, (LONG, 0.22, 0.5 * TOP), (0.0, y, 0.5 * TOP), material=surface, name=f"{name} belt")
        add(world, Box(HALF), (START, y, TOP + HALF[2]), group=1 + 2 * k, mass=MASS, friction=mu, name=f"{name} parcel")


def slip(name: str, parameters: Parameters) -> tuple[float, float]:
    """Time of the slip [s], and the length of belt that passes below the parcel [m]: (1)."""
    a = BELTS[name] * parameters.mu * G
    return parameters.speed / a, parameters.speed**2 / (2.0 * a)


def taken_along(name: str, parameters: Parameters, trace: Trace) -> bool:
    return bool(abs(trace[f"body:{name} parcel.vx"][-1] - parameters.speed) < 1e-4)


def slipped(name: str, parameters: Parameters) -> Callable[[World, Trace], float | None]:
    def measure(world: World, trace: Trace) -> float | None:
        if not taken_along(name, parameters, trace):
            return None
        x, t = trace[f"body:{name} parcel.x"], trace["time"]
        return float(parameters.speed * (t[-1] - t[0]) - (x[-1] - x[0]))
    return measure


def heat(name: str, parameters: Parameters) -> Callable[[World, Trace], float | None]:
    """Friction force times slip, over all steps [J]."""
    def measure(world: World, trace: Trace) -> float | None:
        if not taken_along(name, parameters, trace):
            return None
        v = trace[f"body:{name} parcel.vx"]
        return float(MASS * np.sum(np.diff(v) * (parameters.speed - 0.5 * (v[1:] + v[:-1]))))
    return measure


def predict(parameters: Parameters) -> list[Prediction]:
    return [prediction for name in BELTS for prediction in (
        Prediction(f"slip on the {name} belt", slip(name, parameters)[1], "m", 2e-3, slipped(name, parameters)),
        Prediction(f"heat on the {name} belt", 0.5 * MASS * parameters.speed**2, "J", 2e-3, heat(name, parameters)))]


def law_curves(parameters: Parameters) -> list[Curve]:
    return [Curve(f"body:{name} parcel.vx", "mu g t", (0.0, slip(name, parameters)[0], slip(name, parameters)[0] + 0.3),
                  (0.0, parameters.speed, parameters.speed)) for name in BELTS]


def check(world: World, trace: Trace) -> None:
    check_predictions(world, trace, predict(Parameters()))


SCENE = Scene(
    title="Parcels on conveyors",
    category="Contact friction",
    look_for="Two parcels are put down at rest on belts that run equally fast. Both slip at first and then ride along; on the "
             "smooth belt it takes longer. The lost energy is the same on both: less friction force, but a longer slip. It "
             "equals the kinetic energy that the parcel gains, so a conveyor spends twice what it delivers.",
    law=r"s = \frac{V^2}{2 \mu g}, \quad Q = \mu m g\,s = \tfrac{1}{2} m V^2",
    law_text="s = V^2 / (2 mu g);  Q = mu m g s = m V^2 / 2",
    build=build,
    parameters=Parameters,
    live=("speed", "mu"),
    view=View(target=(-1.09, -0.12, 0.42), distance=2.5, azimuth=20.0, elevation=24.0),
    options={"cone": "circle"},
    plots=tuple(f"body:{name} parcel.{key}" for key in ("vx", "x") for name in BELTS),
    show=("contacts", "forces", "velocities"),
    predict=predict,
    law_curves=law_curves,
    check_time=1.0,
    check=check,
    unreached={},
)
