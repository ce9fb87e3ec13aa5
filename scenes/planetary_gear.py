"""A planetary gear: a sun with teeth z_s, planets on a carrier, a ring with z_r = z_s + 2 z_p teeth inside.

Seen from the carrier sun and ring are a plain train of wheels (R. Willis, Principles of Mechanism, 1841):

    (omega_s - omega_c) / (omega_r - omega_c) = -z_r / z_s,     omega_c = (z_s omega_s + z_r omega_r) / (z_s + z_r)

No torque is lost, so sun, ring and carrier bear torques as z_s : z_r : -(z_s + z_r).
"""

import dataclasses
import math

import numpy as np

from physics import Box, Compound, Cylinder, Motor, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import add, block, ground, turned

MODULE = 0.05                                 # of the teeth: a wheel's diameter over their number [m]
SUN, PLANET = 16, 12                          # teeth
RING = SUN + 2 * PLANET
PLANETS = 4                                   # SUN + RING must be a multiple of it, or they cannot be put in
MIDDLE = np.array((0.0, 0.0, 1.15))
WIDTH = 0.05                                  # half of a wheel's width [m]
Y = (0.0, 1.0, 0.0)
UPRIGHT = turned((1.0, 0.0, 0.0), 0.5 * math.pi)
FRICTION = 0.02                               # of the bearings [N m]


@dataclasses.dataclass
class Parameters:
    sun: float = option(6.0, unit="rad/s", lo=-12.0, hi=12.0, help="Angular velocity of the sun gear.")
    ring: float = option(0.0, unit="rad/s", lo=-4.0, hi=4.0, help="Angular velocity of the ring gear; 0 for a reduction gear.")


def radius(teeth: int) -> float:
    return 0.5 * MODULE * teeth


def tooth(distance: float, angle: float, half: tuple[float, float, float]) -> tuple:
    """A part of a compound: a block at a distance from the axis y."""
    return (Box(half), (distance * math.cos(angle), 0.0, distance * math.sin(angle)), turned(Y, -angle))


def wheel(teeth: int, first: float) -> Compound:
    """A disc with a tooth at the angle `first`."""
    r, step = radius(teeth), 2.0 * math.pi / teeth
    return Compound((Cylinder(r - 0.45 * MODULE, WIDTH), (0.0, 0.0, 0.0), UPRIGHT),
                    *(tooth(r, first + k * step, (0.45 * MODULE, WIDTH, 0.3 * MODULE)) for k in range(teeth)))


def ring() -> Compound:
    """Teeth that point inwards on a rim of plates."""
    r, step = radius(RING), 2.0 * math.pi / RING
    return Compound(*(tooth(r, k * step, (0.45 * MODULE, WIDTH, 0.3 * MODULE)) for k in range(RING)),
                    *(tooth(r + MODULE, k * step, (0.6 * MODULE, WIDTH, 0.6 * step * r)) for k in range(RING)))


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    block(world, (0.06, 0.06, 0.5 * MIDDLE[2]), (0.0, 0.35, 0.5 * MIDDLE[2]), name="post")
    arms = [tooth(0.5 * radius(SUN + PLANET), math.tau * k / PLANETS, (0.5 * radius(SUN + PLANET), 0.02, 0.04))
            for k in range(PLANETS)]
    driven = {"sun": (wheel(SUN, 0.0), 1, 0.0, parameters.sun), "ring": (ring(), 2, 0.0, parameters.ring),
              "carrier": (Compound(*arms), 3, 0.12, None)}
    bodies = {}
    for name, (shape, group, back, speed) in driven.items():
        bodies[name] = add(world, shape, (0.0, back, MIDDLE[2]), group=group, density=500.0, name=name)
        world.add_joint("revolute", 0, bodies[name], anchor=MIDDLE, axis=Y, max_friction=FRICTION, name=name,
                        motor=None if speed is None else Motor(target=speed))
    for k in range(PLANETS):
        angle = math.tau * k / PLANETS
        at = MIDDLE + radius(SUN + PLANET) * np.array((math.cos(angle), 0.0, math.sin(angle)))
        planet = add(world, wheel(PLANET, math.pi / PLANET), tuple(at), group=4, density=500.0, name=f"planet {k}")
        bodies[f"planet {k}"] = planet
        world.add_joint("revolute", bodies["carrier"], planet, anchor=at, axis=Y, max_friction=FRICTION, name=f"bearing {k}")
        for name, ratio in (("sun", -SUN / PLANET), ("ring", RING / PLANET)):
            world.add_joint("gear", bodies[name], planet, anchor=MIDDLE, anchor_b=at, axis=Y, ratio=ratio, name=f"{name} {k}")
    for body in bodies.values():
        world.set_filter(body, group=-1)


def carrier_speed(parameters: Parameters) -> float:
    return (SUN * parameters.sun + RING * parameters.ring) / (SUN + RING)


def measured(trace: Trace) -> float | None:
    """Mean speed of the carrier after the start [rad/s]."""
    later = trace["time"] > 0.5
    return float(trace["joint:carrier.rate"][later].mean()) if later.any() else None


def predict(parameters: Parameters) -> list[Prediction]:
    return [Prediction("speed of the carrier", carrier_speed(parameters), "rad/s", 1e-4, lambda world, trace: measured(trace),
                       "joint:carrier.rate")]


def check(world: World, trace: Trace) -> None:
    """Willis' equation, in speeds and in angles over the whole run."""
    got = measured(trace)
    assert got is not None and abs(got - carrier_speed(Parameters())) < 1e-4, f"{got} rad/s"
    sun, carrier, outer = (trace[f"joint:{name}.angle"][-1] for name in ("sun", "carrier", "ring"))
    missed = SUN * (sun - carrier) + RING * (outer - carrier)
    assert abs(missed) < 1e-5, f"the angles miss Willis' equation by {missed:.1e}"


SCENE = Scene(
    title="Planetary gear",
    category="Joints",
    look_for="The sun gear is driven, the ring gear is fixed, and the carrier with four planets turns in the same direction as "
             "the sun, 3.5 times slower and with 3.5 times the torque. Each gear pair is a single constraint row; the rotation "
             "of the carrier enters through the line of centres. Turn the ring backwards: the carrier slows down, stops and "
             "reverses.",
    law=r"\omega_c = \frac{z_s\,\omega_s + z_r\,\omega_r}{z_s + z_r}, \quad z_r = z_s + 2 z_p",
    law_text="omega_c = (z_s omega_s + z_r omega_r) / (z_s + z_r);  z_r = z_s + 2 z_p",
    build=build,
    parameters=Parameters,
    live=("sun", "ring"),
    view=View(target=(0.0, 0.0, 1.05), distance=4.2, azimuth=12.0, elevation=10.0),
    plots=("joint:sun.rate", "joint:carrier.rate", "joint:ring.rate", "joint:sun.angle", "joint:carrier.angle",
           "joint:ring.angle"),
    show=(),
    predict=predict,
    check_time=3.0,
    check=check,
    expected_warnings=("joints 'sun', 'ring', 'carrier', 'bearing 0', 'sun 0' and others form a closed loop with 3 redundant "
                       "constraints",),
    unreached={},
)
