"""Euler's disc: three discs roll round on their rims without slipping, tilted differently. The flatter, the faster.

Its centre at rest, tilted by alpha (0: flat), a disc of radius r and half thickness c goes round at

    W^2 = m g (r cos - c sin) / (sin (I1 cos - I3 (c / r) sin)),   thin: W^2 = 4 g / (r sin(alpha))                  (1)

(scenes/truth/discs.py, 3). As a real disc loses energy alpha falls, and the rate grows without bound.
H. K. Moffatt, Euler's disk and its finite-time singularity, Nature 404 (2000).
"""

import dataclasses
import math
from collections.abc import Callable

from physics import World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import axis_of, check_predictions, ground, turning_rate
from scenes.truth.discs import ROUGH, add_disc, eulers

PITCH = 0.75                    # between the discs [m]
DISCS = {"steep": 60.0, "middle": 30.0, "flat": 12.0}
"""Tilts at the start [deg]."""


@dataclasses.dataclass
class Parameters:
    radius: float = option(0.25, unit="m", lo=0.1, hi=0.35, help="Radius of the discs. A larger one goes round more slowly.")
    thickness: float = option(0.02, unit="m", lo=0.01, hi=0.04, help="Thickness of the discs.")


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=ROUGH)
    r, c = parameters.radius, 0.5 * parameters.thickness
    for k, (name, degrees) in enumerate(DISCS.items()):
        tilt = math.radians(degrees)
        going = eulers(r, c, tilt)
        body = add_disc(world, (r, c), tilt, going, going * math.sin(tilt) * c / r, centre=(PITCH * (k - 1), 0.0), name=name)
        world.bodies["group"][body] = 1 + k


def measured(name: str) -> Callable[[World, Trace], float | None]:
    """Mean rate at which the axis goes round [rad/s], of half a second or more."""
    def measure(world: World, trace: Trace) -> float | None:
        if trace["time"][-1] < 0.5:
            return None
        axis = axis_of(trace, name)
        return turning_rate(trace["time"], axis[:, 0], axis[:, 1])
    return measure


def predict(parameters: Parameters) -> list[Prediction]:
    r, c = parameters.radius, 0.5 * parameters.thickness
    return [Prediction(f"rate of the {name} disc ({degrees:g} degrees)", eulers(r, c, math.radians(degrees)), "rad/s", 0.02,
                       measured(name)) for name, degrees in DISCS.items()]


def check(world: World, trace: Trace) -> None:
    """The predicted rates, and centres that stay."""
    check_predictions(world, trace, predict(Parameters()))
    for k, name in enumerate(DISCS):
        assert abs(trace[f"body:{name}.x"] - PITCH * (k - 1)).max() < 0.02, f"the {name} disc wanders off"


SCENE = Scene(
    title="Euler's disc",
    category="Rolling and spinning",
    look_for="Three equal discs roll round on their rims, as a coin does before it comes to rest; their centres stay where "
             "they are. The flatter a disc lies, the faster its point of contact runs round, while the disc itself hardly "
             "turns: watch the edges. Rolling without slip loses nothing, so they go on. In reality the tilt falls, and the "
             "rattle becomes a whirr.",
    law=r"W^2 = \frac{m g\,(r\cos\alpha - c\sin\alpha)}{\sin\alpha\,(I_1\cos\alpha - I_3\,(c/r)\sin\alpha)} "
        r"\to \frac{4 g}{r \sin\alpha} \;\; (c \to 0)",
    law_text="W^2 = m g (r cos(alpha) - c sin(alpha)) / (sin(alpha) (I1 cos(alpha) - I3 (c / r) sin(alpha))), which tends to "
             "4 g / (r sin(alpha)) as half the thickness, c, goes to 0",
    build=build,
    parameters=Parameters,
    dt=1.0 / 960.0,
    view=View(target=(0.0, 0.0, 0.1), distance=2.1, azimuth=10.0, elevation=28.0),
    options={"cone": "circle"},
    plots=tuple(f"body:{name}.{key}" for key in ("pitch", "z", "x", "roll", "yaw") for name in DISCS),
    show=("contacts",),
    predict=predict,
    check_time=1.5,
    check=check,
)
