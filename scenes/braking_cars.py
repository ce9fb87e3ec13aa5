"""Cars brake: with locked wheels, with wheels that still roll, with an anti-lock system. Rolling wheels have static friction,
sliding ones kinetic.

    locked     a = mu_k g                                                                                            (1)
    rolling    each wheel bears f mu_s N, with f < 1:   a = f mu_s g                                                 (2)
               brake torque of a wheel          T = r f mu_s N + I a / r                                             (3)
               loads of the axles               M (g / 2 +- a h / L): braking loads the front axle                   (4)

The second car's brakes are set by (3) and (4), as by a driver who knows the limit. The third driver kicks the pedal. With the
switch on, an anti-lock system looks at the slip of each axle, s = 1 - r w / v, every CYCLE: where it slips it opens the brakes
until the wheels roll again, then closes them with a little less pressure, which grows slowly. Its distance comes from an
integration of the two axles (`anti_lock_distance`):

    of each axle   r F - T = -I a / r (rolls)   or   F = mu_k N,  I w' = r F - T (slips);   M a = sum F              (5)
"""

import dataclasses
import functools
from collections.abc import Callable

import numpy as np

from physics import Box, Compound, Cylinder, Material, Plane, World, option
from scenes import Curve, Prediction, Scene, Thumbnail, Trace, View
from scenes._parts import LYING, G, add, check_predictions, mark, middle

CHASSIS, BODY = (1.9, 0.75, 0.25), 1000.0      # half extents [m], mass [kg]
R, WHEEL, BASE, TRACK = 0.3, 20.0, 2.6, 0.85   # radius, mass of a wheel, wheelbase, half distance of left and right wheels
CENTRE = 0.55                                  # height of the chassis' centre [m]
MASS = BODY + 4.0 * WHEEL
HEIGHT = (BODY * CENTRE + 4.0 * WHEEL * R) / MASS       # h
SIDE = 3.0                                     # distance of the cars [m]
LIMIT = 0.85                                   # f
LOCKS = 1e5                                    # brake torque of a locked wheel [N m]
SURFACES = {"asphalt": (0.9, 0.65), "wet asphalt": (0.6, 0.4), "ice": (0.15, 0.08)}
"""mu_s, mu_k."""
CARS = ("locked", "rolling", "anti-lock")
CYCLE, SLIPS, ROLLS = 1.0 / 120.0, 0.05, 0.02
"""Time between two looks of the anti-lock system [s]; slip beyond which it opens the brakes, and below which it closes them."""
FIRST, RISES, REAPPLIED, GROWS = 0.05, 30.0, 0.85, 0.5
"""Pressure at first, a share of FULL, and its growth until a wheel slips [1/s]; share of the pressure at that moment with which
the brakes are closed again, and its growth from there on [1/s]."""
SLOW = 0.5
"""Speed below which it lets the wheels lock [m/s]."""
FULL = 4000.0
"""Torque of the brake of an axle at full pressure [N m]."""
AXLES = (9, 10)
"""Numbers of the third car's pairs of wheels."""

LOOKS = "anti-lock system looks at"
"""Control input: time of the next look [s]."""


@dataclasses.dataclass(frozen=True)
class Regulated:
    """The brake of an axle under the anti-lock system. pressure: 0 .. 1; limit: pressure at which it slipped last, 0 before."""

    pressure: float = FIRST
    limit: float = 0.0

    def looked(self, slip: float, speed: float) -> "Regulated":
        """After a look at that slip and at the speed of the car [m/s]."""
        if speed < SLOW:
            return Regulated(1.0, self.limit)
        if slip > SLIPS:
            return Regulated(0.0, self.pressure or self.limit)
        if self.limit and not self.pressure:
            return Regulated(REAPPLIED * self.limit if slip < ROLLS else 0.0, self.limit)
        return Regulated(min(1.0, self.pressure * (1.0 + CYCLE * (GROWS if self.limit else RISES))), self.limit)


@dataclasses.dataclass
class Parameters:
    speed: float = option(10.0, unit="m/s", lo=2.0, hi=20.0, help="Speed of the cars at the start.")
    surface: str = option("asphalt", choices=tuple(SURFACES), help="Surface of the road.")
    abs: str = option("on", choices=("on", "off"), help="Anti-lock system of the third car.")


def deceleration(car: str, parameters: Parameters) -> float:
    """(1), (2) [m/s^2]"""
    static, kinetic = SURFACES[parameters.surface]
    return G * (LIMIT * static if car == "rolling" else kinetic)


def torque(front: bool, parameters: Parameters) -> float:
    """Of the brake of one wheel of the car whose wheels roll: (3), (4) [N m]."""
    a = deceleration("rolling", parameters)
    load = 0.5 * MASS * (0.5 * G + (a * HEIGHT / BASE if front else -a * HEIGHT / BASE))
    return R * a / G * load + 0.5 * WHEEL * R * a


def pair() -> Compound:
    """Both wheels of an axle, as one body: so that none can slip before the other."""
    return Compound(*((Cylinder(R, 0.09), (0.0, 0.0, side * TRACK)) for side in (1.0, -1.0)))


def build(world: World, parameters: Parameters) -> None:
    static, kinetic = SURFACES[parameters.surface]
    surface = Material(friction=static, kinetic_friction=kinetic, name="rubber on the road")
    world.add_body(Plane(), kind="static", material=surface, name="ground")
    for n, car in enumerate(CARS):
        y = SIDE * (1 - n)
        chassis = add(world, Box(CHASSIS), (0.0, y, CENTRE), group=1 + 2 * n, mass=BODY, vel=(parameters.speed, 0.0, 0.0),
                      mask=0, name=f"car, {car}")
        for k, side in ((0, 1), (0, -1), (1, 1), (1, -1)) if car != "anti-lock" else ((0, 0), (1, 0)):
            count = len([name for name in world.body_names if name.startswith("wheel")])
            place = (BASE * (0.5 - k), y + TRACK * side, R)
            wheel = add(world, Cylinder(R, 0.09) if side else pair(), place, group=8, quat=LYING, mass=WHEEL * (1 if side else 2),
                        material=surface, vel=(parameters.speed, 0.0, 0.0), name=f"wheel {count + 1}",
                        omega=(0.0, 0.0 if car == "locked" else parameters.speed / R, 0.0))
            brake = {"locked": LOCKS, "rolling": torque(k == 0, parameters),
                     "anti-lock": FULL * (FIRST if parameters.abs == "on" else 1.0)}[car]
            world.add_joint("revolute", chassis, wheel, anchor=place, axis=(0.0, 1.0, 0.0), max_friction=brake,
                            name=f"brake {count + 1}")
        mark(world, CHASSIS[0], y, f"start {n + 1}", 1.2)
    if parameters.abs == "on":
        world.drivers.append(anti_lock)


def anti_lock(world: World) -> None:
    """Driver: the anti-lock system of the third car, for the parts that exist."""
    car = "car, anti-lock"
    if middle(world) < world.inputs.get(LOOKS, 0.0) or car not in world.body_names:
        return
    world.set_input(LOOKS, world.inputs.get(LOOKS, 0.0) + CYCLE)
    speed = float(world.bodies["vel"][world.body(car), 0])
    for k in AXLES:
        if f"wheel {k}" in world.body_names and f"brake {k}" in world.joint_names:
            names = {f"{field.name} of brake {k}": field.default for field in dataclasses.fields(Regulated)}
            before = Regulated(*(world.inputs.get(name, value) for name, value in names.items()))
            now = before.looked(1.0 - R * float(world.bodies["omega"][world.body(f"wheel {k}"), 1]) / max(speed, 1e-9), speed)
            for name, value in zip(names, dataclasses.astuple(now), strict=True):
                world.set_input(name, value)
            if now.pressure != before.pressure:
                world.set_joint_friction(now.pressure * FULL, world.joint(f"brake {k}"))


@functools.cache
def anti_lock_distance(speed: float, surface: str, pieces: int = 20) -> float:
    """Way of the third car until it stands, by (5) in steps of CYCLE / pieces [m]."""
    static, kinetic = SURFACES[surface]
    moment, h = WHEEL * R * R, CYCLE / pieces                                   # of both wheels of an axle
    v, way, rates, brakes = speed, 0.0, [speed / R] * 2, [Regulated()] * 2
    while v > 0.0:
        brakes = [brake.looked(1.0 - R * w / v, v) for brake, w in zip(brakes, rates)]
        for _ in range(pieces):
            torques, rolls = [FULL * brake.pressure for brake in brakes], [R * w >= (1.0 - 1e-9) * v for w in rates]
            while True:
                heavier = MASS * HEIGHT / BASE * np.array([1.0, -1.0])          # load of the axles for each m/s^2
                a = (sum(t / R if roll else kinetic * 0.5 * MASS * G for t, roll in zip(torques, rolls))
                     / (MASS + sum(moment / R**2 if roll else -kinetic * more for roll, more in zip(rolls, heavier))))
                forces = [(t - moment * a / R) / R if roll else kinetic * (0.5 * MASS * G + more * a)
                          for t, roll, more in zip(torques, rolls, heavier)]
                held = [roll and f <= static * (0.5 * MASS * G + more * a) for roll, f, more in zip(rolls, forces, heavier)]
                if held == rolls:
                    break
                rolls = held
            way, v = way + max(v, 0.0) * h, v - a * h
            rates = [v / R if roll else min(max(w + (R * f - t) / moment * h, 0.0), v / R)
                     for roll, w, f, t in zip(rolls, rates, forces, torques)]
    return float(way)


def distance(car: str) -> Callable[[World, Trace], float | None]:
    def measure(world: World, trace: Trace) -> float | None:
        x = trace[f"body:car, {car}.x"]
        return float(x[-1] - x[0]) if abs(trace[f"body:car, {car}.vx"][-1]) < 1e-3 else None
    return measure


def predict(parameters: Parameters) -> list[Prediction]:
    found = [Prediction(f"braking distance with {car} wheels", parameters.speed**2 / (2.0 * deceleration(car, parameters)), "m",
                        0.01, distance(car)) for car in CARS[:2]]
    with_abs = parameters.abs == "on"
    way = anti_lock_distance(parameters.speed, parameters.surface) if with_abs else found[0].value
    return [*found, Prediction(f"braking distance with the anti-lock system {parameters.abs}", way, "m", 0.03, distance(CARS[2]))]


def law_curves(parameters: Parameters) -> list[Curve]:
    return [Curve(f"body:car, {car}.vx", "v - a t", (0.0, parameters.speed / deceleration(car, parameters)),
                  (parameters.speed, 0.0), 0.02) for car in CARS[:2]]


def check(world: World, trace: Trace) -> None:
    """All distances; the wheels of one car roll until it stands, those of the other do not turn at all."""
    check_predictions(world, trace, predict(Parameters()))
    quarter = len(trace["time"]) // 4
    for wheel, car, share in (("wheel 1", "locked", 0.0), ("wheel 5", "rolling", 1.0)):
        v, w = trace[f"body:car, {car}.vx"][quarter], trace[f"body:{wheel}.omega_y"][quarter]
        assert abs(R * w / v - share) < 0.02, f"{wheel} turns at {w} rad/s"


SCENE = Scene(
    title="Brakes: locked, rolling, anti-lock",
    category="Contact friction",
    look_for="Three cars brake from the same speed. The wheels of the first lock and slide on kinetic friction. The brakes of "
             "the second are weaker: its wheels keep rolling just below the limit of static friction, and it stops earlier. The "
             "third driver kicks the pedal, and the anti-lock system opens the brakes whenever the wheels slip: in the plot "
             "their speed dips and recovers. Switch it off, and they lock. On ice all need far longer, and the difference is "
             "larger still.",
    law=r"s = \frac{v^2}{2 a}, \quad a \in \{\mu_k g,\; f \mu_s g\}, \qquad \kappa = 1 - \frac{r \omega}{v}",
    law_text="s = v^2 / (2 a);  a = mu_k g (locked), f mu_s g (rolling);  slip kappa = 1 - r omega / v",
    build=build,
    parameters=Parameters,
    thumbnail=Thumbnail(0.9, View(target=(5.6, 0.0, 0.3), distance=11.0, azimuth=22.0, elevation=24.0)),
    view=View(target=(3.4, 0.0, 0.3), distance=15.0, azimuth=22.0, elevation=26.0),
    options={"cone": "circle"},
    plots=(*(f"body:car, {car}.vx" for car in CARS), *(f"body:car, {car}.x" for car in CARS), "body:wheel 1.omega_y",
           "body:wheel 5.omega_y", "body:wheel 9.omega_y"),
    paths=((("body:wheel 9.omega_y", "body:car, anti-lock.x"), ("body:wheel 1.omega_y", "body:car, locked.x")),),
    show=("contacts", "forces"),
    predict=predict,
    law_curves=law_curves,
    check_time=1.8,
    check=check,
    unreached={"compliant_contact": "the wheels of a car of a tonne sink in by two centimetres",
               "joint_space": "its friction cones have facets: a wheel locks below the limit, and stays locked",
               "soft_steps": "loads swing while contacts settle: a wheel locks below the limit, and stays locked"},
)
