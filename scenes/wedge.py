"""Two wedges under loads that are guided vertically: the flat one holds, the steep one is squeezed out.

Mass m, angle alpha, load M, friction phi = atan(mu) on both faces. Squeezed out with the acceleration a the wedge lets the load
fall by a tan(alpha), and is pressed by a force R inclined by alpha - phi:

    M (g - a tan(alpha)) = R cos(alpha - phi),   m a = R sin(alpha - phi) - mu (m g + R cos(alpha - phi))
    a = g (M (T - mu) - mu m) / (m + M tan(alpha) (T - mu)),   T = tan(alpha - phi)                                  (1)

It holds where (1) is not positive: T <= mu (1 + m / M) (scenes/maps/wedge.py), alpha <= 2 phi for a light wedge.
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from physics import World, option
from scenes import Curve, Prediction, Scene, Trace, View
from scenes._parts import G, add, ground
from scenes.maps import wedge as wedge_map
from scenes.maps.wedge import LOAD, MASS, places, prism

SIDES = {"flat wedge": 0.3, "steep wedge": -0.3}


@dataclasses.dataclass
class Parameters:
    mu: float = option(0.2, lo=0.05, hi=0.4, help="Friction coefficient of both faces of the wedges.")
    flat: float = option(18.0, unit="deg", lo=10.0, hi=40.0, help="Angle of the first wedge.")
    steep: float = option(30.0, unit="deg", lo=10.0, hi=40.0, help="Angle of the second wedge.")


def angle(name: str, parameters: Parameters) -> float:
    """[deg]"""
    return parameters.flat if name == "flat wedge" else parameters.steep


def build(world: World, parameters: Parameters) -> None:
    # of a pair counts the root of both coefficients
    ground(world, friction=parameters.mu**2)
    for k, (name, y) in enumerate(SIDES.items()):
        corners = places(wedge_map.Parameters(parameters.mu, angle(name, parameters)))
        (wedge, (x, _, z)), (load, (over, _, top)) = map(prism, corners)
        add(world, wedge, (x, y, z), group=1 + 2 * k, mass=MASS, friction=1.0, name=name)
        body = add(world, load, (over, y, top), group=2, mass=LOAD, friction=parameters.mu**2, name=f"load {k + 1}")
        world.add_joint("prismatic", 0, body, anchor=(over, y, top), axis=(0.0, 0.0, 1.0), name=f"guide {k + 1}")


def acceleration(name: str, parameters: Parameters) -> float:
    """(1) [m/s^2]; 0 where it holds."""
    alpha, mu = math.radians(angle(name, parameters)), parameters.mu
    more = math.tan(alpha - math.atan(mu)) - mu
    return max(0.0, G * (LOAD * more - mu * MASS) / (MASS + LOAD * math.tan(alpha) * more))


def gained(name: str) -> Callable[[World, Trace], float | None]:
    """Mean acceleration on the first 10 cm, or of 0.3 s if it does not get so far [m/s^2]; later the load meets the floor."""
    def measure(world: World, trace: Trace) -> float | None:
        if trace["time"][-1] < 0.3:
            return None
        t, v, x = trace["time"], trace[f"body:{name}.speed"], trace[f"body:{name}.x"]
        used = (t > 0.01) & (t <= 0.3) & (np.abs(x - x[0]) < 0.1)
        return float(abs(v[used][-1] - v[used][0]) / (t[used][-1] - t[used][0]))
    return measure


def predict(parameters: Parameters) -> list[Prediction]:
    return [Prediction(f"acceleration of the {name}", acceleration(name, parameters), "m/s^2", 0.01, gained(name))
            for name in SIDES]


def law_curves(parameters: Parameters) -> list[Curve]:
    a = acceleration("steep wedge", parameters)
    if a < 1e-3:
        return []
    return [Curve("body:steep wedge.speed", "a t", (0.0, math.sqrt(0.2 / a)), (0.0, math.sqrt(0.2 * a)), 0.02)]


def check(world: World, trace: Trace) -> None:
    """One holds without creeping, the other accelerates as predicted."""
    steep = gained("steep wedge")(world, trace)
    expected = acceleration("steep wedge", Parameters())
    assert abs(steep - expected) < 0.01 * expected, f"{steep} m/s^2"
    assert np.ptp(trace["body:flat wedge.x"]) < 1e-3, "the flat wedge moves"


SCENE = Scene(
    title="Wedges: self-locking or not",
    category="Statics",
    look_for="Two loads, guided vertically, press on wedges. The flat one holds, and would hold any load: a larger one presses "
             "harder, but friction grows in the same proportion. The steep one is squeezed out. The border is twice the angle "
             "of friction, slightly more for a heavy wedge. Doorstops, screws and axes live on the safe side of it.",
    law=r"\tan(\alpha-\varphi) \leq \mu\,(1 + m/M), \quad \varphi = \arctan\mu",
    law_text="it holds where tan(alpha - phi) <= mu (1 + m / M);  phi = atan(mu)",
    build=build,
    parameters=Parameters,
    live=("mu",),
    view=View(target=(0.23, 0.01, 0.12), distance=2.4, azimuth=-25.0, elevation=26.0),
    options={"cone": "circle"},
    plots=("body:flat wedge.speed", "body:steep wedge.speed", "body:flat wedge.x", "body:steep wedge.x", "body:load 2.z"),
    show=("contacts", "forces", "joints"),
    predict=predict,
    law_curves=law_curves,
    check_time=0.4,
    check=check,
    unreached={"compliant_contact": "contacts give way before they slip, and the flat wedge creeps",
               "soft_steps": "friction creeps where contacts are soft"},
)
