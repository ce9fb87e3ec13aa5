"""Two cars brake: one with locked wheels, one whose wheels still roll. Rolling wheels have static friction, sliding ones kinetic.

    locked     a = mu_k g                                                                                            (1)
    rolling    each wheel bears f mu_s N, with f < 1:   a = f mu_s g                                                 (2)
               brake torque of a wheel          T = r f mu_s N + I a / r                                             (3)
               loads of the axles               M (g / 2 +- a h / L): braking loads the front axle                   (4)

The second car's brakes are set by (3) and (4), as by an anti-lock system that holds all wheels just below the limit.
"""

import dataclasses
from collections.abc import Callable

from physics import Box, Cylinder, Material, Plane, World, option
from scenes import Curve, Prediction, Scene, Trace, View
from scenes._parts import LYING, G, add, mark

CHASSIS, BODY = (1.9, 0.75, 0.25), 1000.0      # half extents [m], mass [kg]
R, WHEEL, BASE, TRACK = 0.3, 20.0, 2.6, 0.85   # radius, mass of a wheel, wheelbase, half distance of left and right wheels
CENTRE = 0.55                                  # height of the chassis' centre [m]
MASS = BODY + 4.0 * WHEEL
HEIGHT = (BODY * CENTRE + 4.0 * WHEEL * R) / MASS       # h
SIDE = 1.5                                     # half distance of the cars [m]
LIMIT = 0.85                                   # f
LOCKS = 1e5                                    # brake torque of a locked wheel [N m]
SURFACES = {"asphalt": (0.9, 0.65), "wet asphalt": (0.6, 0.4), "ice": (0.15, 0.08)}
"""mu_s, mu_k."""
CARS = ("locked", "rolling")


@dataclasses.dataclass
class Parameters:
    speed: float = option(10.0, unit="m/s", lo=2.0, hi=20.0, help="Speed of both cars at the start.")
    surface: str = option("asphalt", choices=tuple(SURFACES), help="Surface of the road.")


def deceleration(car: str, parameters: Parameters) -> float:
    """(1), (2) [m/s^2]"""
    static, kinetic = SURFACES[parameters.surface]
    return G * (kinetic if car == "locked" else LIMIT * static)


def torque(front: bool, parameters: Parameters) -> float:
    """Of the brake of one wheel of the car whose wheels roll: (3), (4) [N m]."""
    a = deceleration("rolling", parameters)
    load = 0.5 * MASS * (0.5 * G + (a * HEIGHT / BASE if front else -a * HEIGHT / BASE))
    return R * a / G * load + 0.5 * WHEEL * R * a


def build(world: World, parameters: Parameters) -> None:
    static, kinetic = SURFACES[parameters.surface]
    surface = Material(friction=static, kinetic_friction=kinetic, name="rubber on the road")
    world.add_body(Plane(), kind="static", material=surface, name="ground")
    for n, car in enumerate(CARS):
        locked = car == "locked"
        turns = 0.0 if locked else parameters.speed / R
        y = SIDE * (0.5 - n) * 2.0
        chassis = add(world, Box(CHASSIS), (0.0, y, CENTRE), group=1 + 2 * n, mass=BODY, vel=(parameters.speed, 0.0, 0.0),
                      mask=0, name=f"car, {car}")
        for k in range(4):
            front = k < 2
            place = (0.5 * BASE if front else -0.5 * BASE, y + TRACK * (1 - 2 * (k % 2)), R)
            wheel = add(world, Cylinder(R, 0.09), place, group=8, quat=LYING, mass=WHEEL, material=surface,
                        vel=(parameters.speed, 0.0, 0.0), omega=(0.0, turns, 0.0), name=f"wheel {4 * n + k + 1}")
            brake = LOCKS if locked else torque(front, parameters)
            world.add_joint("revolute", chassis, wheel, anchor=place, axis=(0.0, 1.0, 0.0), max_friction=brake,
                            name=f"brake {4 * n + k + 1}")
        mark(world, CHASSIS[0], y, f"start {n + 1}", 1.2)


def distance(car: str) -> Callable[[World, Trace], float | None]:
    def measure(world: World, trace: Trace) -> float | None:
        x = trace[f"body:car, {car}.x"]
        return float(x[-1] - x[0]) if abs(trace[f"body:car, {car}.vx"][-1]) < 1e-3 else None
    return measure


def predict(parameters: Parameters) -> list[Prediction]:
    return [Prediction(f"braking distance with {car} wheels", parameters.speed**2 / (2.0 * deceleration(car, parameters)), "m",
                       0.01, distance(car)) for car in CARS]


def law_curves(parameters: Parameters) -> list[Curve]:
    return [Curve(f"body:car, {car}.vx", "v - a t", (0.0, parameters.speed / deceleration(car, parameters)),
                  (parameters.speed, 0.0), 0.02) for car in CARS]


def check(world: World, trace: Trace) -> None:
    """Both distances; the wheels of one car roll until it stands, those of the other do not turn at all."""
    for prediction in predict(Parameters()):
        got = prediction.measure(world, trace)
        assert got is not None and abs(got - prediction.value) < 0.01 * prediction.value, f"{prediction.name}: {got}"
    quarter = len(trace["time"]) // 4
    for wheel, car, share in (("wheel 1", "locked", 0.0), ("wheel 5", "rolling", 1.0)):
        v, w = trace[f"body:car, {car}.vx"][quarter], trace[f"body:{wheel}.omega_y"][quarter]
        assert abs(R * w / v - share) < 0.02, f"{wheel} turns at {w} rad/s"


SCENE = Scene(
    title="Brakes: locked or rolling",
    category="Contact friction",
    look_for="Both cars brake from the same speed. The wheels of the first lock and slide on kinetic friction. The brakes of "
             "the second are weaker: its wheels keep rolling just below the limit of static friction, and it stops earlier. On "
             "ice both need far longer, and the difference is larger still. The front wheels carry more of the weight while "
             "braking, so their brakes are the stronger ones.",
    law=r"s = \frac{v^2}{2 a}, \quad a = \mu_k g \;\;\mathrm{or}\;\; f \mu_s g",
    law_text="s = v^2 / (2 a);  a = mu_k g (locked), f mu_s g (rolling)",
    build=build,
    parameters=Parameters,
    view=View(target=(4.0, 0.0, 0.4), distance=15.0, azimuth=18.0, elevation=24.0),
    options={"cone": "circle"},
    plots=(*(f"body:car, {car}.vx" for car in CARS), *(f"body:car, {car}.x" for car in CARS), "body:wheel 1.omega_y",
           "body:wheel 5.omega_y"),
    show=("contacts", "forces", "velocities"),
    predict=predict,
    law_curves=law_curves,
    check_time=1.8,
    check=check,
    unreached={"compliant_contact": "the wheels of a car of a tonne sink in by two centimetres",
               "joint_space": "its friction cones have facets: a wheel locks below the limit, and stays locked",
               "soft_steps": "loads swing while contacts settle: a wheel locks below the limit, and stays locked"},
)
