"""Pendulums, chains and loops of rods against minimal coordinates.

    pendulum            period = 2 pi / (omega0 agm(1, cos(theta0 / 2)))                                          (1)
    chain of n rods, theta_i from the vertical, c_ki: arm of angle i at the middle of rod k:
        A = c^T m c,  sum_j (A_ij cos(theta_i - theta_j) + I delta_ij) theta_j''
                      = - sum_j A_ij sin(theta_i - theta_j) theta_j'^2 - g sum_k m_k c_ki sin theta_i               (2)
    one-degree-of-freedom loop without gravity:  J(theta) theta'^2 = constant                                       (3)
"""

import functools
import math
from collections.abc import Callable

import numpy as np

from physics import Box, Plane, Sphere, World
from scenes import Trace, View
from scenes.truth import Experiment, always, second_order
from scenes.truth._parts import G, add, agm, drift, ground, motion, period_of, solve, turned

TOPIC = "Pendulums, chains and loops"
BODIES = {"motion": motion}
PIN = (0.0, 1.0, 0.0)


# ---- pendulums

@functools.cache
def pendulum(lift: float) -> Callable[[World], None]:
    """A ball of 1 kg at 1 m, released at that angle from the vertical [rad]."""
    def build(world: World) -> None:
        ball = add(world, Sphere(0.1), (math.sin(lift), 0.0, -math.cos(lift)), mass=1.0, name="ball")
        world.add_joint("revolute", 0, ball, anchor=(0.0, 0.0, 0.0), axis=PIN, name="pin")
    return build


def on_block(world: World) -> None:
    """The same pendulum, its pin on a block of 5 kg that stands on a rough floor 2 m below; 60 degrees."""
    world.add_body(Plane(), kind="static", pos=(0.0, 0.0, -2.0), friction=1.0, name="ground")
    block = add(world, Box((0.6, 0.6, 0.6)), (0.0, 0.0, -1.4), mass=5.0, friction=1.0, group=2, name="block")
    ball = add(world, Sphere(0.1), (math.sin(math.pi / 3.0), 0.0, -0.5), mass=1.0, mask=0, name="ball")
    world.add_joint("revolute", block, ball, anchor=(0.0, 0.0, 0.0), axis=PIN, name="pin")


ON_TABLE, FLAT = 6.0, 0.05      # angular velocity of the first rod [rad/s], half of its thickness [m]


def on_table(world: World) -> None:
    """Two rods of 1 m, hinged to each other and to the ground, on a frictionless table; the first one turns."""
    ground(world, friction=0.0)
    inner = add(world, Box((0.5, FLAT, FLAT)), (0.5, 0.0, FLAT), mass=1.0, friction=0.0, omega=(0.0, 0.0, ON_TABLE),
                vel=(0.0, 0.5 * ON_TABLE, 0.0), name="inner")
    outer = add(world, Box((FLAT, 0.5, FLAT)), (1.0, 0.5, FLAT), mass=1.0, friction=0.0, vel=(0.0, ON_TABLE, 0.0), group=2,
                name="outer")
    world.add_joint("revolute", 0, inner, anchor=(0.0, 0.0, FLAT), axis=(0.0, 0.0, 1.0), name="pin")
    world.add_joint("revolute", inner, outer, anchor=(1.0, 0.0, FLAT), axis=(0.0, 0.0, 1.0), name="hinge")


SPUN = 0.5 * (1.0 + 0.25 + (1.0 + 0.01) / 12.0) * ON_TABLE**2        # its energy: of two centres, and of one that turns [J]


ARM = {"x": "body:ball.x", "z": "body:ball.z"}
OMEGA0 = math.sqrt(G / (1.0 + 0.4 * 0.01))


def swing_period(world: World, trace: Trace) -> float:
    return period_of(trace["time"], trace["x"])


def amplitude(world: World, trace: Trace) -> float:
    """Largest angle of the last two seconds [rad]."""
    late = trace["time"] > trace["time"][-1] - 2.5
    return float(np.arccos(np.clip(-trace["z"][late], -1.0, 1.0)).max())


CONE, ROD_I1, ROD_I3 = 0.6, 1.0 / 3.0, 1e-4
GOES = math.sqrt(0.5 * G / ((ROD_I1 - ROD_I3) * math.cos(CONE)))


def conical(world: World) -> None:
    """A rod of 1 m on a ball joint circles the vertical."""
    down = np.array([math.sin(CONE), 0.0, -math.cos(CONE)])
    rod = add(world, Box((0.01, 0.01, 0.5)), tuple(0.5 * down), mass=1.0, inertia=(1.0 / 12.0, 1.0 / 12.0, ROD_I3), name="ball",
              quat=turned((0.0, 1.0, 0.0), -CONE), vel=(0.0, 0.5 * GOES * math.sin(CONE), 0.0), omega=(0.0, 0.0, GOES))
    world.add_joint("spherical", 0, rod, anchor=(0.0, 0.0, 0.0), name="pivot")


# ---- chains

@functools.cache
def chain(angles: tuple[float, ...], length: float = 0.5, mass: float = 1.0, inertia: float | None = None, end: float = 0.0
          ) -> Callable[[World], None]:
    """Rods hung from the origin at angles from the vertical; end: mass of a ball at the last one [kg]."""
    def build(world: World) -> None:
        at, last = np.zeros(3), 0
        for k, a in enumerate(angles):
            along = length * np.array([math.sin(a), 0.0, -math.cos(a)])
            moment = mass * length**2 / 12.0 if inertia is None else inertia
            rod = add(world, Box((0.02, 0.02, 0.5 * length)), tuple(at + 0.5 * along), mass=mass, mask=0, group=1 + k % 8,
                      inertia=(moment, moment, min(moment, 1e-3 * mass)), quat=turned((0.0, 1.0, 0.0), -a), name=f"rod {k}")
            world.add_joint("revolute", last, rod, anchor=tuple(at), axis=PIN, name=f"pin {k}")
            at, last = at + along, rod
        if end:
            ball = add(world, Sphere(0.1), tuple(at), mass=end, mask=0, name="ball")
            world.add_joint("fixed", last, ball, anchor=tuple(at), name="weld")
    return build


def hang(angles: tuple[float, ...], t: float, length: float = 0.5, mass: float = 1.0, inertia: float | None = None) -> np.ndarray:
    """Angles after t by (2)."""
    n = len(angles)
    arms = length * (np.tri(n, k=-1) + 0.5 * np.eye(n))
    products, weights = mass * arms.T @ arms, G * mass * arms.sum(axis=0)
    moment = np.eye(n) * (mass * length**2 / 12.0 if inertia is None else inertia)

    def rate(y: np.ndarray) -> np.ndarray:
        apart = y[:n, None] - y[None, :n]
        force = -(products * np.sin(apart)) @ y[n:] ** 2 - weights * np.sin(y[:n])
        return np.concatenate([y[n:], np.linalg.solve(products * np.cos(apart) + moment, force)])

    return solve(rate, (*angles, *np.zeros(n)), (t,), 1e-10)[0, :n]


def off_chain(angles: tuple[float, ...], length: float = 0.5, inertia: float | None = None) -> Callable[[World, Trace], float]:
    """Distance of the last rod's centre from the reference at the end [m]."""
    def read(world: World, trace: Trace) -> float:
        a = hang(angles, float(trace["time"][-1]), length, inertia=inertia)
        arms = length * np.array([*np.ones(len(a) - 1), 0.5])
        x, _, z = trace["motion"][-1, -1, :3]
        return math.hypot(float(arms @ np.sin(a)) - x, float(-arms @ np.cos(a)) - z)
    return read


def torn(world: World) -> float:
    return float(world.joints["error"].max())


def widest(length: float) -> Callable[[World, Trace], float]:
    return lambda world, trace: float(trace["torn"].max() / length)


LEVEL = 0.5 * math.pi
TWO, FOUR, TEN = (1.0, 1.6), (LEVEL,) * 4, (0.9,) * 10
HEAVY = (1.0,) * 6


# ---- loops

CRANK, ROD, ROCKER, BASE, SPIN = 0.2, 0.6, 0.5, 0.7, 6.0


def linkage(crank: float, rod: float, rocker: float, base: float, start: float) -> tuple[np.ndarray, np.ndarray]:
    """Ends (2, 2) of the crank and of the rocker in the x z plane, for the crank's angle."""
    a = crank * np.array([math.cos(start), math.sin(start)])
    to = np.array([base, 0.0]) - a
    d = float(np.linalg.norm(to))
    along = (rod**2 - rocker**2 + d * d) / (2.0 * d)
    up = math.sqrt(max(0.0, rod**2 - along**2))
    return a, a + along * to / d + up * np.array([-to[1], to[0]]) / d


def bar(world: World, name: str, p: np.ndarray, q: np.ndarray, group: int, vel: tuple = (0.0, 0.0, 0.0),
        spin: float = 0.0) -> int:
    """Add a rod of 1 kg between two points of the x z plane."""
    way = q - p
    half = 0.5 * float(np.linalg.norm(way))
    return add(world, Box((half, 0.02, 0.02)), (0.5 * (p + q)[0], 0.0, 0.5 * (p + q)[1]), mass=1.0, mask=0, group=group,
               name=name,
               inertia=(1e-3, half**2 / 3.0, half**2 / 3.0), vel=vel, omega=(0.0, spin, 0.0),
               quat=turned((0.0, 1.0, 0.0), -math.atan2(way[1], way[0])))


def places(theta: float, lengths: tuple[float, float, float, float]) -> np.ndarray:
    """(x, z, angle) of the centres of crank, rod, rocker."""
    a, b = linkage(*lengths, theta)
    base, found = np.array([lengths[3], 0.0]), []
    for p, q in ((np.zeros(2), a), (a, b), (base, b)):
        found.append([*(0.5 * (p + q)), math.atan2(*(q - p)[::-1])])
    return np.array(found)


def rates(theta: float, lengths: tuple[float, float, float, float]) -> np.ndarray:
    """d(places) / d(theta), by central differences of 4th order."""
    e = 1e-3
    one, two = (places(theta + k * e, lengths) - places(theta - k * e, lengths) for k in (1, 2))
    for d in (one, two):
        d[:, 2] = (d[:, 2] + math.pi) % (2.0 * math.pi) - math.pi
    return (8.0 * one - two) / (12.0 * e)


def inertia_of(theta: float, lengths: tuple[float, float, float, float]) -> float:
    """J of (3)."""
    r, halves = rates(theta, lengths), 0.5 * np.array(lengths[:3])
    return float((r[:, :2] ** 2).sum() + (halves**2 / 3.0) @ r[:, 2] ** 2)


@functools.cache
def loop(lengths: tuple[float, float, float, float], start: float) -> Callable[[World], None]:
    """Crank, rod and rocker on hinges, no gravity, initial speed SPIN of the crank."""
    def build(world: World) -> None:
        world.set_gravity((0.0, 0.0, 0.0))
        a, b = linkage(*lengths, start)
        base, speed = np.array([lengths[3], 0.0]), SPIN * rates(start, lengths)
        ends = ((np.zeros(2), a), (a, b), (base, b))
        made = [bar(world, name, p, q, k + 1, (v[0], 0.0, v[1]), -v[2])
                for k, (name, (p, q), v) in enumerate(zip(("crank", "rod", "rocker"), ends, speed))]
        for name, i, j, at in (("base", 0, made[0], np.zeros(2)), ("knee", made[0], made[1], a), ("elbow", made[1], made[2], b),
                               ("far", 0, made[2], base)):
            world.add_joint("revolute", i, j, anchor=(at[0], 0.0, at[1]), axis=PIN, name=name)
    return build


def crank_off(world: World, trace: Trace) -> float:
    """Angle [rad] between the crank and the reference by (3) at the end."""
    lengths = (CRANK, ROD, ROCKER, BASE)
    first = SPIN * math.sqrt(inertia_of(1.0, lengths))
    wanted = solve(lambda y: np.array([first / math.sqrt(inertia_of(y[0], lengths))]), (1.0,), (float(trace["time"][-1]),),
                   1e-9)[0, 0]
    kept = trace["motion"][-1, 0]
    return abs((math.atan2(kept[2], kept[0]) - wanted + math.pi) % (2.0 * math.pi) - math.pi)


ROUND = (0.2, 0.7, 0.2, 0.7)        # a parallelogram: both arms are collinear with the base twice a turn
TURNING = 0.5 * SPIN**2 * inertia_of(1.0, ROUND)


SIDE, TURNS = View(target=(0.0, 0.0, -1.0), distance=6.0, elevation=5.0), View(target=(0.0, 0.0, 0.0), distance=2.5)
LONG = View(target=(0.0, 0.0, -2.0), distance=12.0, elevation=5.0)

EXPERIMENTS = (
    Experiment("pendulum_period", "A pendulum released at 120 degrees", "period", "s", "2 pi / (omega0 agm(1, cos(theta0 / 2)))",
               "elliptic integral", pendulum(math.radians(120.0)), 6.5, ARM, swing_period,
               2.0 * math.pi / (OMEGA0 * agm(1.0, 0.5)), second_order(0.02, 1e-6), quick=True, ordered=True, view=SIDE),
    Experiment("pendulum_amplitude", "A frictionless pendulum after 10 s", "amplitude", "rad", "as at first", "energy",
               pendulum(1.0), 10.0, ARM, amplitude, 1.0, second_order(0.02, 1e-5), ordered=True, view=SIDE),
    Experiment("conical", "A rod in conical motion", "azimuth after 2 s", "rad", "W^2 = m g l / ((I1 - I3) cos)", "Euler",
               conical, 2.0, {"x": "body:ball.x", "y": "body:ball.y"},
               lambda world, trace: float(np.unwrap(np.arctan2(trace["y"], trace["x"]))[-1]), 2.0 * GOES,
               second_order(0.05, 1e-6), ordered=True, view=SIDE),
    Experiment("double_pendulum", "A double pendulum of rods after 1.5 s", "distance from the reference", "m",
               "Lagrange, minimal coordinates", "own integration, 1e-10", chain(TWO), 1.5, BODIES, off_chain(TWO), 0.0,
               second_order(0.05, 1e-6), quick=True, ordered=True, view=SIDE),
    Experiment("chain_10", "A chain of ten rods after 1 s", "distance from the reference", "m", "Lagrange, minimal coordinates",
               "own integration, 1e-10", chain(TEN), 1.0, BODIES, off_chain(TEN), 0.0, second_order(0.1, 1e-6), ordered=True,
               view=LONG),
    Experiment("chain_energy", "Four rods swing without friction for 10 s", "energy gained or lost", "", "kept", "energy",
               chain(FOUR), 10.0, BODIES, lambda world, trace: drift(world, trace, 8.0 * G), 0.0, always(0.01), view=LONG),
    Experiment("chain_1000", "Six rods of 0.1 kg carry a ball of 100 kg: energy", "energy gained or lost", "", "kept", "energy",
               chain(HEAVY, mass=0.1, end=100.0), 5.0, BODIES,
               lambda world, trace: drift(world, trace, 100.0 * G * 3.0 * (1.0 - math.cos(1.0))), 0.0, always(0.01), view=LONG),
    Experiment("chain_1000_holds", "Six rods of 0.1 kg carry a ball of 100 kg: joints", "largest joint error relative to a rod's "
                                                                                        "length",
               "", "0", "constraint", chain(HEAVY, mass=0.1, end=100.0), 5.0, {"torn": torn}, widest(0.5), 0.0, always(1e-4),
               view=LONG),
    Experiment("chain_light", "A double pendulum of rods with almost no inertia", "distance from the reference", "m",
               "Lagrange, I = 1e-8 kg m^2", "own integration, 1e-10", chain(TWO, inertia=1e-8), 1.0, BODIES,
               off_chain(TWO, inertia=1e-8), 0.0, second_order(0.05, 1e-6), ordered=True, view=SIDE),
    Experiment("pendulum_on_block", "A pendulum on a block that stands on the floor, after 10 s", "amplitude", "rad",
               "as at first", "energy", on_block, 10.0, ARM, amplitude, math.pi / 3.0, second_order(0.02, 1e-4), quick=True,
               ordered=True, view=SIDE),
    Experiment("chain_on_table", "Two rods turn on a frictionless table for 3 s", "energy gained or lost", "", "kept", "energy",
               on_table, 3.0, BODIES, lambda world, trace: drift(world, trace, SPUN), 0.0, always(2e-3), view=TURNS),
    Experiment("four_bar", "A four-bar linkage turns by itself", "angle from the reference after 2 s", "rad",
               "J(theta) theta'^2 = constant", "own integration", loop((CRANK, ROD, ROCKER, BASE), 1.0), 2.0, BODIES, crank_off,
               0.0, second_order(0.05, 1e-6), ordered=True, view=TURNS),
    Experiment("four_bar_singular", "A parallelogram linkage passes through its flat "
                                    "positions", "energy gained or lost", "", "kept",
               "energy", loop(ROUND, 1.0), 5.0, BODIES, lambda world, trace: drift(world, trace, TURNING), 0.0, always(0.01),
               view=TURNS),
)
