"""Newton's cradle: five balls on hinges, with gaps or touching, under each law of impact.

    with gaps    impacts follow one another:    v5 = v ((1 + e)/2)^4                                            (1)
    touching     simultaneous, by any law:      v1 = v (1 - 4/5 (1 + e)),   v2 = .. = v5 = v (1 + e)/5          (2)
                 sequential:                    as with gaps

The pendulums rise by v^2 / 2 g, so that 1 - cos(angle) is in the ratio of v^2.
"""

import dataclasses
import math

import numpy as np

from physics import Sphere, World, option
from physics.contact import impact_laws
from scenes import Prediction, Scene, Thumbnail, Trace, View
from scenes._parts import add, block, ground, turned

COUNT, RADIUS, LENGTH, HEIGHT = 5, 0.1, 1.0, 1.3


@dataclasses.dataclass
class Parameters:
    law: str = option(impact_laws.DEFAULT_LAW, choices=tuple(impact_laws.laws()), help="Law of impact.")
    gap: float = option(0.5, unit="mm", lo=0.0, hi=5.0, help="Gap between the balls. 0: they touch.")
    touching: str = option(impact_laws.SIMULTANEOUS, choices=(impact_laws.SIMULTANEOUS, impact_laws.SEQUENTIAL),
                           help="Impacts of balls that touch: all at once, or from ball to ball.")
    angle: float = option(30.0, unit="deg", lo=5.0, hi=60.0, help="Angle from which the first ball is released.")
    restitution: float = option(1.0, lo=0.0, hi=1.0, help="Coefficient of restitution of the balls.")


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    block(world, (0.7, 0.03, 0.03), (0.4, 0.0, HEIGHT + 0.03), name="beam")
    apart = 2.0 * RADIUS + 1e-3 * parameters.gap
    for k in range(COUNT):
        x, angle = k * apart, math.radians(parameters.angle) if k == 0 else 0.0
        ball = add(world, Sphere(RADIUS), (x, 0.0, HEIGHT - LENGTH), group=1 + k, mass=1.0, friction=0.0,
                   restitution=parameters.restitution, name=f"ball {k + 1}")
        world.add_joint("revolute", 0, ball, anchor=(x, 0.0, HEIGHT), axis=(0.0, -1.0, 0.0), name=f"hinge {k + 1}")
        world.set_pose(ball, (x - LENGTH * math.sin(angle), 0.0, HEIGHT - LENGTH * math.cos(angle)),
                       turned((0.0, 1.0, 0.0), angle))


def share(parameters: Parameters) -> float:
    """Speed of the last ball over that of the first before, (1) or (2)."""
    e = parameters.restitution
    at_once = parameters.gap <= 0.01 and parameters.touching == impact_laws.SIMULTANEOUS
    return (1.0 + e) / COUNT if at_once else (0.5 * (1.0 + e)) ** (COUNT - 1)


def swing(world: World, trace: Trace) -> float | None:
    """Largest angle of the last ball in its first swing [deg]."""
    angle = np.abs(trace[f"joint:hinge {COUNT}.angle"])
    fallen = np.flatnonzero((np.diff(angle) < 0.0) & (angle[:-1] > 0.01))
    return math.degrees(float(angle[: fallen[0] + 1].max())) if len(fallen) else None


def predict(parameters: Parameters) -> list[Prediction]:
    drop = share(parameters) ** 2 * (1.0 - math.cos(math.radians(parameters.angle)))
    return [Prediction("swing of the last ball", math.degrees(math.acos(1.0 - drop)), "deg", 0.02, swing)]


def check(world: World, trace: Trace) -> None:
    prediction = predict(Parameters())[0]
    measured = prediction.measure(world, trace)
    assert measured is not None and abs(measured - prediction.value) < prediction.tolerance * prediction.value, f"{measured} deg"


SCENE = Scene(
    title="Newton's cradle",
    category="Impacts",
    look_for="With small gaps the impacts follow one another, and the last ball leaves with nearly the speed of the first. Set "
             "the gap to 0: in a simultaneous impact the first ball bounces back, and the other four leave together, under each "
             "law of impact. Sequential impacts travel from ball to ball. Momentum and energy are kept in both cases: rigid "
             "bodies that touch leave the outcome open, and the elastic waves of real balls, which act like gaps, decide it.",
    law=r"v_5 = v \left(\frac{1+e}{2}\right)^4 \; (t_1 < t_2 < t_3 < t_4), \qquad "
        r"v_5 = \frac{1+e}{5}\,v \; (t_1 = t_2 = t_3 = t_4)",
    law_text="impacts one after another: v5 = v ((1 + e)/2)^4; simultaneous: v5 = v (1 + e)/5",
    build=build,
    parameters=Parameters,
    live=("restitution",),
    chosen_options=lambda parameters: {"impact_law": parameters.law, "multiple_impacts": parameters.touching},
    thumbnail=Thumbnail(0.0, View(target=(0.35, 0.0, 0.75), distance=2.3, azimuth=10.0, elevation=8.0), joints=True),
    view=View(target=(0.43, 0.01, 0.73), distance=2.9, azimuth=6.0, elevation=8.0),
    plots=("joint:hinge 1.angle", f"joint:hinge {COUNT}.angle"),
    show=("contacts", "joints", "velocities"),
    predict=predict,
    check_time=1.6,
    check=check,
    unreached={"compliant_contact": "impacts of springs and dampers keep other shares of the speeds than the law of impact"},
)
