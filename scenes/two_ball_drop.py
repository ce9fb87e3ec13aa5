"""A small ball on a big one, dropped together: the big one rebounds first, and throws the small one up.

    with a gap   V = e v,   v' = v ((1 + e)^2 M / (M + m) - 1),   height (v' / v)^2 h                           (1)
    touching     one impact of both: they leave together, v' = e v, height e^2 h                                (2)

W. Harter and others, Velocity amplification in collision experiments involving superballs, Am. J. Phys. 39 (1971).
"""

import dataclasses

import numpy as np

from physics import Sphere, World, option
from physics.contact import impact_laws
from scenes import Prediction, Scene, Thumbnail, Trace, View
from scenes._parts import add, ground

BIG, SMALL = 0.15, 0.06


@dataclasses.dataclass
class Parameters:
    law: str = option(impact_laws.DEFAULT_LAW, choices=tuple(impact_laws.laws()), help="Law of impact.")
    gap: float = option(0.005, unit="m", lo=0.0, hi=0.05, help="Gap between the balls. 0: they touch, and both impacts are one.")
    height: float = option(1.0, unit="m", lo=0.2, hi=3.0, help="Height of the fall.")
    ratio: float = option(20.0, lo=1.0, hi=100.0, log=True, help="Mass of the big ball over that of the small one.")
    restitution: float = option(0.8, lo=0.0, hi=1.0, help="Coefficient of restitution of all.")


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    ground(world, friction=0.0, restitution=p.restitution)
    add(world, Sphere(BIG), (0.0, 0.0, BIG + p.height), group=3, mass=0.1 * p.ratio, friction=0.0, restitution=p.restitution,
        name="big ball")
    add(world, Sphere(SMALL), (0.0, 0.0, 2.0 * BIG + SMALL + p.gap + p.height), group=1, mass=0.1, friction=0.0,
        restitution=p.restitution, name="small ball")


def thrown(parameters: Parameters) -> float:
    """Speed of the small ball after the impacts, over that before: (1), (2)."""
    e = parameters.restitution
    return (1.0 + e) ** 2 * parameters.ratio / (1.0 + parameters.ratio) - 1.0 if parameters.gap > 1e-5 else e


def rise(world: World, trace: Trace) -> float | None:
    """Greatest height of the small ball over where it was struck [m]."""
    z = trace["body:small ball.z"]
    low = int(np.argmin(z[: 1 + np.argmax(np.diff(z) > 0.0) + 1])) if (np.diff(z) > 0.0).any() else -1
    return float(z[low:].max() - z[low]) if low >= 0 and np.diff(z)[-1] < 0.0 else None


def predict(parameters: Parameters) -> list[Prediction]:
    reached = thrown(parameters)
    if reached <= 0.0:
        return []
    return [Prediction("rise of the small ball", reached**2 * parameters.height, "m", 0.03, rise)]


def check(world: World, trace: Trace) -> None:
    prediction = predict(Parameters())[0]
    measured = prediction.measure(world, trace)
    assert measured is not None and abs(measured - prediction.value) < prediction.tolerance * prediction.value, f"{measured} m"


SCENE = Scene(
    title="Two-ball drop",
    category="Impacts",
    look_for="Both balls fall together. The big one hits the floor, rebounds, and meets the small one, which is still falling: "
             "it is thrown up to several times the height of the fall, in the limit nine times. Set the gap to 0: now both "
             "impacts are one, and every law of impact sends the balls up together. Rigid bodies that touch cannot tell which "
             "impact comes first.",
    law=r"v' = v \left( (1+e)^2 \frac{M}{M+m} - 1 \right)",
    law_text="v' = v ((1 + e)^2 M / (M + m) - 1)",
    build=build,
    parameters=Parameters,
    live=("restitution",),
    chosen_options=lambda parameters: {"impact_law": parameters.law},
    thumbnail=Thumbnail(0.51, View(target=(0.0, 0.0, 0.5), distance=2.2, azimuth=6.0, elevation=8.0)),
    view=View(target=(0.0, 0.0, 1.6), distance=7.0, azimuth=6.0, elevation=6.0),
    plots=("body:small ball.z", "body:big ball.z"),
    show=("contacts", "velocities"),
    predict=predict,
    check_time=1.7,
    check=check,
    unreached={"compliant_contact": "impacts of springs and dampers keep other shares of the speeds than the law of impact"},
)
