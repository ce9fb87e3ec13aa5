"""A ball, a cylinder and a hoop are thrown along the floor without spin: they slide, then roll.

    sliding    v = v0 - mu g t,   r omega = mu g t / k,   k = I / (m r^2)
    rolls from t = v0 k / (mu g (1 + k)) on, with v = v0 / (1 + k): 5/7, 2/3, 1/2 of v0

The angular momentum about a point of the floor is kept, for friction has no lever arm there: m r v0 = (m r^2 + I) omega. So the
final speed does not depend on the friction; it only sets how soon it is reached.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

from physics import Cylinder, Sphere, World, option
from scenes import Curve, Prediction, Scene, Thumbnail, Trace, View
from scenes._parts import LYING, G, add, ground, mark

R, PITCH = 0.15, 0.7            # radius, distance of the lanes [m]
BODIES = {"ball": 0.4, "cylinder": 0.5, "hoop": 1.0}
"""k by name."""


@dataclasses.dataclass
class Parameters:
    speed: float = option(3.0, unit="m/s", lo=0.5, hi=6.0, help="Initial speed, without spin.")
    mu: float = option(0.25, lo=0.05, hi=1.0, help="Friction coefficient with the floor.")


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=parameters.mu)
    for k, (name, share) in enumerate(BODIES.items()):
        y = PITCH * (1 - k)
        about = share * R * R
        more = {"quat": LYING, "inertia": (0.5 * about, 0.5 * about, about)} if name != "ball" else {}
        add(world, Sphere(R) if name == "ball" else Cylinder(R, 0.08 if name == "hoop" else 0.2), (0.0, y, R), group=1 + k,
            mass=1.0, friction=parameters.mu, vel=(parameters.speed, 0.0, 0.0), name=name, **more)
        mark(world, 0.0, y, f"start {k + 1}", 0.3)


def rolls(name: str, parameters: Parameters) -> tuple[float, float]:
    """(time [s] at which it begins to roll, its speed from then on [m/s])"""
    k = BODIES[name]
    return parameters.speed * k / (parameters.mu * G * (1.0 + k)), parameters.speed / (1.0 + k)


def final(name: str) -> Callable[[World, Trace], float | None]:
    """Speed once it rolls [m/s]; None while it slides."""
    def measure(world: World, trace: Trace) -> float | None:
        v, w = trace[f"body:{name}.vx"][-1], trace[f"body:{name}.omega_y"][-1]
        return float(v) if abs(v - R * w) < 1e-3 * abs(v) else None
    return measure


def predict(parameters: Parameters) -> list[Prediction]:
    return [Prediction(f"final speed of the {name}", rolls(name, parameters)[1], "m/s", 2e-3, final(name), f"body:{name}.vx")
            for name in BODIES]


def law_curves(parameters: Parameters) -> list[Curve]:
    found = []
    for name in BODIES:
        t, v = rolls(name, parameters)
        found.append(Curve(f"body:{name}.vx", "v0 - mu g t, then v0 / (1 + k)", (0.0, t, t + 0.5), (parameters.speed, v, v)))
    return found


def check(world: World, trace: Trace) -> None:
    """Final speeds, and the times at which the slip ends."""
    p = Parameters()
    for name in BODIES:
        t, v = rolls(name, p)
        got = final(name)(world, trace)
        assert got is not None and abs(got - v) < 2e-3 * v, f"the {name} ends with {got} m/s"
        slides = trace[f"body:{name}.vx"] - R * trace[f"body:{name}.omega_y"] > 1e-2
        ended = trace["time"][np.flatnonzero(slides)[-1]]
        assert abs(ended - t) < 0.02, f"the {name} slides for {ended} s"


SCENE = Scene(
    title="From sliding to rolling",
    category="Rolling and spinning",
    look_for="All three are thrown alike and slide at first: friction slows them down and spins them up until the contact "
             "point is at rest. The ball, whose mass is closest to its axis, rolls first and keeps five sevenths of its speed; "
             "the hoop slides longest and keeps one half. Change the friction: they roll earlier or later, but end with the "
             "same speeds.",
    law=r"v = \frac{v_0}{1+k}, \quad t = \frac{v_0}{\mu g}\,\frac{k}{1+k}, \quad k = \frac{I}{m r^2}",
    law_text="v = v0 / (1 + k) from t = v0 k / (mu g (1 + k)) on;  k = I / (m r^2)",
    build=build,
    parameters=Parameters,
    live=("mu",),
    thumbnail=Thumbnail(0.9, View(target=(2.1, 0.0, 0.1), distance=3.6, azimuth=14.0, elevation=30.0)),
    view=View(target=(1.5, 0.0, 0.1), distance=5.0, azimuth=14.0, elevation=30.0),
    options={"cone": "circle"},
    plots=tuple(f"body:{name}.{key}" for key in ("vx", "omega_y") for name in BODIES),
    show=("contacts", "forces", "velocities"),
    predict=predict,
    law_curves=law_curves,
    check_time=1.2,
    check=check,
    unreached={},
)
