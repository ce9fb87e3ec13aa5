"""Rolling: from slip to roll, on slopes, with rolling and torsional friction, in all directions alike.

    slip to roll    v1 = (5 v0 + 2 r omega0) / 7,   after t = 2 |v0 - r omega0| / (7 mu g)                        (1)
    path until then 12 v0^2 / (49 mu g)   from omega0 = 0                                                        (2)
    on a slope      a = g sin theta / (1 + I / (m r^2))     while tan theta <= mu (1 + m r^2 / I)                 (3)
                    else a = g (sin theta - mu cos theta)
    rolling friction, moment c N:     a = c g / (r (1 + I / (m r^2)))                                            (4)
    torsional friction, moment c N:   omega' = -c m g / I                                                        (5)
"""

import math
from collections.abc import Callable

import numpy as np

from physics import Box, Cylinder, Material, Sphere, World
from scenes import Trace, View
from scenes.truth import Experiment, always, first_order, second_order
from scenes.truth._parts import G, add, ground, slab, tilted, turned

TOPIC = "Rolling"
R, MU = 0.1, 0.2
SIM = "SimBenchmark (Kang, Hwangbo 2018), rolling"
X = {"x": "body:ball.x"}


def ball(vel: float, omega: float = 0.0, mu: float = MU) -> Callable[[World], None]:
    def build(world: World) -> None:
        ground(world, friction=mu)
        add(world, Sphere(R), (0.0, 0.0, R), mass=1.0, friction=mu, vel=(vel, 0.0, 0.0), omega=(0.0, omega, 0.0), name="ball")
    return build


def last(world: World, trace: Trace) -> float:
    return float(trace["x"][-1])


def final(world: World, trace: Trace) -> float:
    """Mean speed of the last quarter of a second [m/s]."""
    n = round(0.25 / trace["time"][1])
    return float((trace["x"][-1] - trace["x"][-1 - n]) / (trace["time"][-1] - trace["time"][-1 - n]))


def slope(shape: object, mu: float, angle: float, quat: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)) -> Callable[[World], None]:
    def build(world: World) -> None:
        tilted(world, angle)
        ground(world, friction=mu)
        add(world, shape, (0.0, 0.0, R), mass=1.0, friction=mu, quat=quat, name="ball")
    return build


def way(share: float, angle: float, t: float = 1.0) -> float:
    """(3) with I / (m r^2) = share."""
    return 0.5 * G * math.sin(angle) / (1.0 + share) * t * t


LYING = turned((1.0, 0.0, 0.0), 0.5 * math.pi)
MANY = (0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0)


def race(world: World) -> None:
    """Balls and boxes of SimBenchmark's rolling test, thrown in several directions: balls end up rolling, boxes stop."""
    ground(world, friction=0.4)
    for k, angle in enumerate(MANY):
        a = math.radians(angle)
        add(world, Sphere(R), (0.0, 4.0 * k, R), mass=1.0, friction=0.4, vel=(2.0 * math.cos(a), 2.0 * math.sin(a), 0.0), group=k,
            name=f"ball {k}")


RACE = {f"{axis}{k}": f"body:ball {k}.{axis}" for axis in ("vx", "vy") for k in range(len(MANY))}


def race_off(world: World, trace: Trace) -> float:
    """Largest error of a ball's final velocity against 5/7 of its initial one [m/s]."""
    return max(math.hypot(trace[f"vx{k}"][-1] - 10.0 / 7.0 * math.cos(math.radians(a)),
                          trace[f"vy{k}"][-1] - 10.0 / 7.0 * math.sin(math.radians(a))) for k, a in enumerate(MANY))


def resisted(material: Material, vel: float, omega: tuple[float, float, float]) -> Callable[[World], None]:
    def build(world: World) -> None:
        world.add_body(Box((20.0, 5.0, 0.1)), kind="static", pos=(0.0, 0.0, -0.1), material=material, name="table")
        add(world, Sphere(R), (0.0, 0.0, R), mass=1.0, material=material, vel=(vel, 0.0, 0.0), omega=omega, name="ball")
    return build


ROLLS = 0.002       # lever of the rolling and torsional friction [m]
SLOW = ROLLS * G / (R * 1.4)


def yo_yo(world: World) -> None:
    """A rolling cylinder, pulled at its centre with 3 N."""
    slab(world, friction=0.5)
    body = add(world, Cylinder(R, 0.2), (0.0, 0.0, R), mass=1.0, friction=0.5, quat=LYING, name="ball")
    world.drivers.append(lambda world: world.apply_force(body, (3.0, 0.0, 0.0)))


def straight(world: World) -> None:
    """A rolling rod, across its path; it must not yaw."""
    ground(world, friction=0.5)
    add(world, Cylinder(0.05, 0.5), (0.0, 0.0, 0.05), mass=1.0, friction=0.5, quat=LYING, vel=(1.0, 0.0, 0.0),
        omega=(0.0, 20.0, 0.0), name="ball")


def turned_aside(world: World, trace: Trace) -> float:
    return float(np.abs(trace["y"]).max())


EXPERIMENTS = (
    Experiment("slip_to_roll", "A thrown ball slides, then rolls at 5/7 of its speed", "final speed", "m/s", "5 v0 / 7",
               "Coulomb; rigid-body dynamics", ball(3.0), 1.5, X, final, 15.0 / 7.0, second_order(0.01), quick=True,
               ordered=True),
    Experiment("slip_to_roll_way", "Distance of a thrown ball after 1.5 "
                                   "s", "distance", "m", "12 v0^2 / (49 mu g) + 5/7 v0 (t - t1)",
               "Coulomb; rigid-body dynamics", ball(3.0), 1.5, X, last,
               12.0 * 9.0 / (49.0 * MU * G) + 15.0 / 7.0 * (1.5 - 6.0 / (7.0 * MU * G)), first_order(0.01), ordered=True),
    Experiment("backspin", "A ball with backspin comes back", "final velocity", "m/s", "(5 v0 + 2 r omega0) / 7",
               "Coulomb; rigid-body dynamics", ball(1.0, -60.0), 2.5, X, final, (5.0 - 2.0 * R * 60.0) / 7.0,
               second_order(0.01)),
    Experiment("roll_slope", "A ball rolls down a slope of 20 degrees", "distance after 1 "
                                                                        "s", "m", "(5/7) g sin(theta) t^2 / 2", SIM,
               slope(Sphere(R), 0.5, math.radians(20.0)), 1.0, X, last, way(0.4, math.radians(20.0)), second_order(1e-3, 1e-6),
               quick=True, ordered=True),
    Experiment("slip_slope", "A ball slips down a slope too steep for rolling", "distance after 1 s", "m",
               "g (sin - mu cos) t^2 / 2", SIM, slope(Sphere(R), 0.1, math.radians(30.0)), 1.0, X, last,
               0.5 * G * (0.5 - 0.1 * math.cos(math.radians(30.0))), second_order(1e-3, 1e-6), ordered=True),
    Experiment("box_slope", "A box slides down the same slope", "distance after 1 s", "m", "g (sin - mu cos) t^2 / 2", SIM,
               slope(Box((R, R, R)), 0.4, math.radians(30.0)), 1.0, X, last,
               0.5 * G * (0.5 - 0.4 * math.cos(math.radians(30.0))), second_order(1e-3, 1e-6), ordered=True),
    Experiment("cylinder_slope", "A cylinder rolls down a slope of 20 degrees", "distance after 1 s", "m",
               "(2/3) g sin(theta) t^2 / 2", "rigid-body dynamics", slope(Cylinder(R, 0.2), 0.5, math.radians(20.0), LYING),
               1.0, X, last, way(0.5, math.radians(20.0)), second_order(1e-3, 1e-6), ordered=True),
    Experiment("roll_all_directions", "Balls thrown in seven directions roll alike", "largest error of the velocity", "m/s",
               "5 v0 / 7 along the throw", SIM, race, 1.0, RACE, race_off, 0.0, second_order(0.01, 1e-6),
               options={"stewart_trinkle": {"facets": 32}},
               tolerances={"stewart_trinkle": (second_order(0.01, 0.1), "32 facets: half a facet aside at most")},
               view=View(target=(1.0, 12.0, 0.0), distance=25.0, elevation=40.0)),
    Experiment("cylinder_pulled", "A cylinder is pulled at its centre", "distance after 1 s", "m", "a = 2 F / (3 m)",
               "rigid-body dynamics", yo_yo, 1.0, X, last, 1.0, second_order(2e-3, 1e-6), ordered=True),
    Experiment("rolls_straight", "A rod rolls straight", "lateral deviation in 3 "
                                                                                   "s", "m", "0", "symmetry",
               straight, 3.0, {"y": "body:ball.y"}, turned_aside, 0.0, always(1e-6), quick=True),
    Experiment("rolling_friction", "Rolling friction stops a ball", "distance", "m", "v^2 r (1 + 2/5) / (2 c g)", "moment c N",
               resisted(Material(friction=0.5, rolling=ROLLS), 0.5, (0.0, 0.5 / R, 0.0)), 5.0, X, last, 0.25 / (2.0 * SLOW),
               first_order(1e-3, 1e-6), ordered=True),
    Experiment("torsional_friction", "Torsional friction slows a spinning ball", "angular velocity after 0.5 s", "rad/s",
               "omega0 - c m g t / I", "moment c N", resisted(Material(friction=0.5, torsional=ROLLS), 0.0, (0.0, 0.0, 20.0)),
               0.5, {"w": "body:ball.omega_z"}, lambda world, trace: float(trace["w"][-1]),
               20.0 - ROLLS * G * 0.5 / (0.4 * R * R), first_order(ROLLS * G / (0.4 * R * R) / 60.0)),
)
