"""Balls on a concave ramp of 4, 8 and 16 kinks, event-driven: the moment of every kink is an event (F11 11.6, figure 11.5 right).

As scenes/concave_ramp.py, (1) there: a ball keeps cos^2 delta of its kinetic energy at a kink of delta, without friction. Here
no step is a compromise: motion between kinks is exact, so that the speed behind the ramp is that of the closed form.
"""

import dataclasses
import functools
import math

import numpy as np

import scenes
from physics import Sphere, World, option
from scenes import PaperLaw, PaperRow, Prediction, Scene, Trace, View
from scenes._parts import add, block, turned
from scenes.concave_ramp import RADIUS, Ramp, end_speed, final_speed, kept_of, of_ball, start_of

KINKS = (4, 8, 16)
LANE, HALF_WIDTH, THICK, LEAD = 0.36, 0.14, 0.05, 0.2      # [m]; LEAD: of the first facet behind the start


@dataclasses.dataclass
class Parameters:
    bend: float = option(60.0, unit="deg", lo=20.0, hi=60.0, help="Slope at the top of the ramp, which ends level.")
    speed: float = option(1.5, unit="m/s", lo=0.5, hi=3.0, help="Initial speed down the ramp.")


def name_of(kinks: int) -> str:
    return f"ball, {kinks} kinks"


def build(world: World, parameters: Parameters) -> None:
    for lane, kinks in enumerate(KINKS):
        ramp, y = Ramp(math.radians(parameters.bend), kinks), (1 - lane) * LANE
        slopes, corners = ramp.angles(), ramp.corners()
        along = np.column_stack([np.cos(slopes), -np.sin(slopes)])
        corners[0] -= LEAD * along[0]
        for n, slope in enumerate(slopes.tolist()):
            middle = 0.5 * (corners[n] + corners[n + 1]) - THICK * np.array([math.sin(slope), math.cos(slope)])
            half = 0.5 * math.dist(corners[n], corners[n + 1]), HALF_WIDTH, THICK
            block(world, half, (float(middle[0]), y, float(middle[1])), quat=turned((0.0, 1.0, 0.0), slope),
                  friction=0.0, name=f"facet {lane + 1}.{n + 1}")
        x, z = start_of(ramp, RADIUS).tolist()
        add(world, Sphere(RADIUS), (x, y, z), group=lane + 1, mass=1.0, friction=0.0, name=name_of(kinks),
            vel=tuple(parameters.speed * np.array([along[0, 0], 0.0, along[0, 1]])))


def speed_behind(kinks: int, parameters: Parameters) -> float:
    """Closed form of the speed on the level facet [m/s]."""
    ramp = Ramp(math.radians(parameters.bend), kinks)
    return final_speed(ramp, True, parameters.speed, of_ball(ramp.kink))


def predict(parameters: Parameters) -> list[Prediction]:
    return [Prediction(f"final speed, ball, {k} kinks", speed_behind(k, parameters), "m/s", 1e-6, end_speed(name_of(k)))
            for k in KINKS]


def check(world: World, trace: Trace) -> None:
    """Each ball has the speed of the closed form, and rolls on the level facet."""
    for prediction in predict(Parameters()):
        measured = prediction.measure(world, trace)
        assert measured is not None and abs(measured - prediction.value) < 1e-6 * prediction.value, \
            f"{prediction.name}: {measured} m/s in place of {prediction.value} m/s"
    for kinks in KINKS:
        z = float(world.bodies["pos"][world.body(name_of(kinks)), 2])
        assert abs(z - RADIUS) < 1e-6, f"the ball of {kinks} kinks is {z} m high"


@functools.cache
def ran() -> tuple[World, Trace]:
    """The scene as it is."""
    return scenes.run(SCENE)


def papers() -> list[PaperRow]:
    how = ("event-driven, balls, arc of 60 degrees and 1.5 m, no friction, e = 0, h = 1/240 s; F11 prints no number, the "
           "reference is cos^2 of each kink's angle")
    usual, found = Parameters(), {k: end_speed(name_of(k))(*ran()) for k in KINKS}
    rows = [PaperLaw("F11", "fig. 11.5 right", f"event-driven, ball, {k} kinks: speed behind the ramp", speed_behind(k, usual),
                     found[k], "m/s", 1e-6, how) for k in KINKS]
    ramp = Ramp(math.radians(usual.bend), KINKS[0])
    return [*rows, PaperLaw("F11", "fig. 11.5 right", "event-driven, ball, 4 kinks: energy kept at a kink", of_ball(ramp.kink),
                            kept_of(ramp, True, usual.speed, found[KINKS[0]]), "", 1e-6, how)]


SCENE = Scene(
    title="Kinks of a concave ramp, event by event",
    category="Geometry of contact",
    look_for="Three balls slide without friction down ramps of 4, 8 and 16 kinks that approximate the same arc. The event-driven "
             "solver stops at the moment at which a ball meets the next facet, applies the impulse there and goes on: the steps "
             "in the plot are upright. Each kink keeps the square of the cosine of its angle, so that twice as many kinks lose "
             "half as much.",
    law=r"\frac{E^+}{E^-} = \cos^2\delta, \qquad \cos^{2n}\frac{\theta}{n} \to e^{-\theta^2/n}",
    law_text="E+ / E- = cos^2 delta;   all n kinks: cos^(2 n) (theta / n) -> exp(-theta^2 / n)",
    build=build,
    parameters=Parameters,
    solver="event_driven",
    view=View(target=(-0.2, 0.0, 0.3), distance=3.2, azimuth=14.0, elevation=18.0),
    plots=(*(f"body:{name_of(k)}.speed" for k in KINKS), *(f"body:{name_of(k)}.x" for k in KINKS)),
    show=("contacts",),
    predict=predict,
    check_time=0.85,
    check=check,
    papers=papers,
    unreached={"compliant_contact": "impacts of springs and dampers keep other shares of the speeds than the law of impact",
               **dict.fromkeys(("joint_space", "sequential_impulses", "soft_steps", "stewart_trinkle"),
                               "a ball meets a kink at the end of a step, not at its own moment")},
)
