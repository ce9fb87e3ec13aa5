"""Three coins spin upright on their edges, at different rates: which of them fall?

A coin of radius r, its edge rounded with the small radius d across, moments I1 about a diameter, I3 about its axis, spins at w
about the vertical and rolls without slip. It leans by the small angle u. The edge rolls as the coin leans, at the rate s about
the coin's axis beyond that of (0, 0, w):

    I3' s = -w (I3' + m r (r - d)) u,   I3' = I3 + m r^2                      as angular momentum about the contact is kept   (1)
    (I1 + m r^2) (u" + w^2 u) = m g (r - d) u
    u" = -(w^2 - w0^2) u,   w0^2 = m g (r - d) / (I1 + m r^2);  thin: 4 g / (5 r)                                            (2)

So it stays up, and wobbles at sqrt(w^2 - w0^2), or falls like cosh(sqrt(w0^2 - w^2) t). E. J. Routh, Advanced Rigid Dynamics.
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from physics import Ellipsoid, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import G, add, check_predictions, ground, turned

COINS = {"slow": 0.8, "quick": 1.2, "fast": 2.0}
"""Spins at the start, relative to w0."""
LEAN, LEANING = math.radians(1.0), math.radians(8.0)
"""At the start; up to here a fall is measured."""
ROUGH = 5.0                     # friction coefficient: no slip


@dataclasses.dataclass
class Parameters:
    radius: float = option(0.25, unit="m", lo=0.1, hi=0.35, help="Radius of the coins. A larger one may spin more slowly.")
    thickness: float = option(0.06, unit="m", lo=0.02, hi=0.08, help="Thickness in the middle; the coins are lenses.")


def moments(radius: float, thickness: float) -> tuple[float, float]:
    """(I1, I3) of 1 kg [kg m^2]."""
    return 0.2 * (radius**2 + 0.25 * thickness**2), 0.4 * radius**2


def least_spin(parameters: Parameters) -> float:
    """w0 of (2) [rad/s]."""
    r, d = parameters.radius, 0.25 * parameters.thickness**2 / parameters.radius
    return math.sqrt(G * (r - d) / (moments(r, parameters.thickness)[0] + r * r))


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=ROUGH)
    r, c = parameters.radius, 0.5 * parameters.thickness
    i3 = moments(r, parameters.thickness)[1] + r * r
    s, k = math.sin(LEAN), math.cos(LEAN)
    axis, up = np.array([0.0, k, s]), np.array([0.0, -s, k])                 # of the coin; in its plane
    high = math.hypot(r * k, c * s)
    arm = -(r * r * k * up + c * c * s * axis) / high                        # from the centre to the point of contact
    for n, (name, times) in enumerate(COINS.items()):
        w = times * least_spin(parameters)
        omega = w * up - w * (r * r - c * c) / i3 * LEAN * axis              # (1)
        add(world, Ellipsoid((r, c, r)), (3.0 * r * (n - 1), 0.0, high), group=1 + n, mass=1.0, friction=ROUGH,
            quat=turned((1.0, 0.0, 0.0), LEAN), omega=tuple(omega), vel=tuple(-np.cross(omega, arm)), name=name)


def leaning(name: str, trace: Trace) -> np.ndarray:
    """Angle of a coin's axis over the floor (n,) [rad]."""
    return np.arcsin(np.cos(trace[f"body:{name}.pitch"]) * np.sin(trace[f"body:{name}.roll"]))


def measured(name: str) -> Callable[[World, Trace], float | None]:
    """Rate of the wobble from its changes of side [rad/s], or of the fall [1/s]."""
    def measure(world: World, trace: Trace) -> float | None:
        t, lean = trace["time"], leaning(name, trace)
        if COINS[name] < 1.0:
            fallen = np.flatnonzero(np.abs(lean) > LEANING)
            n = int(fallen[0]) if len(fallen) else 0
            return math.acosh(abs(float(lean[n])) / LEAN) / float(t[n]) if n else None
        n = np.flatnonzero(lean[:-1] * lean[1:] < 0.0)
        through = t[n] + (t[n + 1] - t[n]) * lean[n] / (lean[n] - lean[n + 1])
        return math.pi * (len(n) - 1) / float(through[-1] - through[0]) if len(n) > 1 else None
    return measure


def predict(parameters: Parameters) -> list[Prediction]:
    least = least_spin(parameters)
    rates = {name: least * math.sqrt(abs(times * times - 1.0)) for name, times in COINS.items()}
    return [Prediction(f"rate of the {name} coin", rate, "1/s" if COINS[name] < 1.0 else "rad/s", 0.01, measured(name))
            for name, rate in rates.items()]


def check(world: World, trace: Trace) -> None:
    """(2), and who spins fast enough stays up."""
    check_predictions(world, trace, predict(Parameters()))
    for name, times in COINS.items():
        assert (np.abs(leaning(name, trace)).max() < 1.05 * LEAN) == (times > 1.0), f"the {name} coin"


SCENE = Scene(
    title="Spinning coin",
    category="Rolling and spinning",
    look_for="Three coins spin upright on their edges and lean by one degree. The two that spin fast enough stay up and only "
             "wobble, the slow one falls over, for all three pull themselves upright as a bicycle does: who leans rolls round "
             "underneath. The limit is sharp. Real coins lose spin, until they cross it, and end as Euler's disc.",
    law=r"\ddot u = -(w^2 - w_0^2)\,u,\qquad w_0^2 = \frac{m g\,(r - d)}{I_1 + m r^2} \to \frac{4 g}{5 r} \;\; (d \to 0)",
    law_text="u'' = -(w^2 - w0^2) u,  w0^2 = m g (r - d) / (I1 + m r^2), which tends to 4 g / (5 r) as the edge's radius d goes "
             "to 0",
    build=build,
    parameters=Parameters,
    dt=1.0 / 480.0,
    view=View(target=(0.0, 0.0, 0.22), distance=2.2, azimuth=20.0, elevation=16.0),
    options={"cone": "circle"},
    plots=tuple(f"body:{name}.{key}" for key in ("roll", "pitch") for name in COINS),
    show=("contacts",),
    predict=predict,
    check_time=1.5,
    check=check,
)
