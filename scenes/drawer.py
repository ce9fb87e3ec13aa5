"""Two wide drawers between rails, one pulled near its middle, one far from it: it slides, or its own corners jam it.

A pull F at the distance a from the middle turns the drawer until two opposite corners, the length L apart, bear on the rails:

    N L = F a,   friction at both corners 2 mu N,   m x'' = F (1 - 2 mu a / L)                                       (1)

It jams where a > L / (2 mu), however strong the pull.
"""

import dataclasses
from collections.abc import Callable

from physics import Box, Compound, World, option
from scenes import Prediction, Scene, Trace, View, present
from scenes._parts import add, block, ground, push

HALF = (0.15, 0.4, 0.06)        # of a drawer [m]; it moves along x
MASS, PLAY = 2.0, 2e-5          # [kg], gap on each side [m]
CABINET = 1.15                  # distance of the two drawers [m]
DRAWERS = ("near the middle", "far from it")


@dataclasses.dataclass
class Parameters:
    mu: float = option(0.5, lo=0.1, hi=1.0, help="Friction coefficient between drawer and rails.")
    near: float = option(0.15, unit="m", lo=0.0, hi=0.38, help="Distance of the first pull from the middle of its drawer.")
    far: float = option(0.35, unit="m", lo=0.0, hi=0.38, help="Distance of the second pull from the middle of its drawer.")
    force: float = option(5.0, unit="N", lo=1.0, hi=50.0, help="Pull on each drawer. A stronger one does not free a "
                                                                  "jammed drawer.")


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=0.0)
    for k, (name, aside) in enumerate(zip(DRAWERS, (parameters.near, parameters.far), strict=True)):
        y = (0.5 - k) * CABINET
        for side in (-1, 1):
            block(world, (0.45, 0.05, 0.1), (0.25, y + side * (HALF[1] + PLAY + 0.05), 0.1), friction=parameters.mu,
                  name=f"rail {2 * k + (side + 3) // 2}")
        # the corners alone bear: a frictionless floor below
        knobs = ((Box((0.015, 0.015, 0.015)), (HALF[0] + 0.015, side * aside, 0.0)) for side in (-1.0, 1.0))
        drawer = add(world, Compound((Box(HALF), (0.0, 0.0, 0.0)), *knobs), (0.0, y, HALF[2]), group=1 + 2 * k, mass=MASS,
                     friction=parameters.mu, name=name)
        push(world, drawer, lambda world: (present(parameters, world.inputs).force, 0.0, 0.0), handle(drawer, aside))


def handle(drawer: int, aside: float) -> Callable[[World], tuple[float, float, float]]:
    """Where a drawer is pulled (3,) [m]."""
    def at(world: World) -> tuple[float, float, float]:
        x, y, z = world.bodies["pos"][drawer]
        return float(x) + HALF[0], float(y) + aside, float(z)
    return at


def acceleration(aside: float, parameters: Parameters) -> float:
    """x'' of (1) [m/s^2]; 0 for a drawer that jams."""
    return max(0.0, parameters.force * (1.0 - parameters.mu * aside / HALF[0]) / MASS)


def limit(parameters: Parameters) -> float:
    """Distance from the middle beyond which a drawer jams [m]."""
    return HALF[0] / parameters.mu


def gained(name: str) -> Callable[[World, Trace], float | None]:
    """Mean acceleration from rest, in the first half second [m/s^2]."""
    def measure(world: World, trace: Trace) -> float | None:
        t, v = trace["time"], trace[f"body:{name}.vx"]
        used = (t > 0.1) & (t <= 0.5)
        return float((v[used][-1] - v[used][0]) / (t[used][-1] - t[used][0])) if t[-1] >= 0.5 else None
    return measure


def predict(parameters: Parameters) -> list[Prediction]:
    return [Prediction(f"acceleration of the drawer pulled {name}", acceleration(aside, parameters), "m/s^2", 5e-3, gained(name))
            for name, aside in zip(DRAWERS, (parameters.near, parameters.far), strict=True)]


def check(world: World, trace: Trace) -> None:
    """The first accelerates as predicted, the second does not move at all."""
    first, second = (prediction.measure(world, trace) for prediction in predict(Parameters()))
    expected = acceleration(Parameters().near, Parameters())
    assert abs(first - expected) < 5e-3 * expected, f"{first} m/s^2"
    assert abs(second) < 1e-4 and abs(trace[f"body:{DRAWERS[1]}.x"]).max() < 1e-3, "the jammed drawer moves"


SCENE = Scene(
    title="A drawer that jams",
    category="Contact friction",
    look_for="Both drawers are pulled with the same force. The first one slides out, more slowly than without friction. The "
             "second is pulled farther from its middle, turns by a hair, and its opposite corners press on the rails so hard "
             "that their friction outweighs the pull. Pull harder: the friction grows in proportion, and it stays jammed. Long "
             "drawers jam less than wide ones.",
    law=r"m\,\ddot{x} = F \left(1 - \frac{2 \mu a}{L}\right), \quad a > \frac{L}{2\mu} \;\Rightarrow\; \ddot{x} = 0",
    law_text="m x'' = F (1 - 2 mu a / L);  it jams where a > L / (2 mu)",
    build=build,
    parameters=Parameters,
    live=("mu", "force"),
    view=View(target=(0.11, -0.04, 0.11), distance=2.5, azimuth=65.0, elevation=50.0),
    options={"cone": "circle"},
    plots=tuple(f"body:{name}.{axis}" for axis in ("x", "vx") for name in DRAWERS),
    show=("contacts", "forces"),
    predict=predict,
    check_time=0.7,
    check=check,
    unreached={"compliant_contact": "the corners give way, and the jammed drawer creeps"},
)
