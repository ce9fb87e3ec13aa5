"""Free bodies and tops: rotation without contacts, or about a fixed point.

    I1 w1' = (I2 - I3) w2 w3, ..          Euler;   energy and L kept                                              (1)
    about the middle axis it flips every 2 K(m) / p;  period of w2 by the arithmetic-geometric mean               (2)
        with L^2 > 2 E I2:  p^2 = (I3 - I2)(L^2 - 2 E I1) / (I1 I2 I3),  m = (I2 - I1)(2 E I3 - L^2) / ((I3 - I2)(L^2 - 2 E I1))
    symmetric top: its axis precesses about L at |L| / I1                                                         (3)
    heavy top, steady:  I1 W^2 cos theta - I3 w3 W + m g l = 0,  w3 = spin about its axis                         (4)
    heavy top released:  I1 = moment about the pivot,  Lz, I3 w3 and E conserved                                  (5)
"""

import functools
import math
from collections.abc import Callable

import numpy as np

from physics import Box, Cylinder, World
from physics.core.quaternions import to_matrix
from scenes import Trace, View
from scenes.truth import Experiment, always, second_order
from scenes.truth._parts import G, add, agm, energy, motion, solve, turned

TOPIC = "Spinning"
MOMENTS = (0.01, 0.02, 0.03)
BODIES = {"motion": motion}


# ---- free bodies

@functools.cache
def free(inertia: tuple[float, float, float], omega: tuple[float, float, float]) -> Callable[[World], None]:
    """A body of 1 kg without gravity."""
    def build(world: World) -> None:
        world.set_gravity((0.0, 0.0, 0.0))
        add(world, Box((0.2, 0.12, 0.05)), (0.0, 0.0, 0.5), mass=1.0, inertia=inertia, omega=omega, name="body")
    return build


TUMBLE = (0.05, 5.0, 0.02)         # about the middle axis, slightly perturbed


def half_turn() -> float:
    """Time between two zeros of the middle component, half its period, by (2)."""
    i = np.array(MOMENTS)
    w = np.array(TUMBLE)
    l2, e2 = float(i**2 @ w**2), float(i @ w**2)
    if l2 > e2 * i[1]:
        p2 = (i[2] - i[1]) * (l2 - e2 * i[0]) / i.prod()
        m = (i[1] - i[0]) * (e2 * i[2] - l2) / ((i[2] - i[1]) * (l2 - e2 * i[0]))
    else:
        p2 = (i[1] - i[0]) * (e2 * i[2] - l2) / i.prod()
        m = (i[2] - i[1]) * (l2 - e2 * i[0]) / ((i[1] - i[0]) * (e2 * i[2] - l2))
    return 2.0 * math.pi / (2.0 * agm(1.0, math.sqrt(1.0 - m))) / math.sqrt(p2)


def turned_over(world: World, trace: Trace) -> float:
    """Mean time between zeros of the spin about the middle axis, body frame [s]."""
    kept, t = trace["motion"][:, 0], trace["time"]
    w = np.einsum("nji,nj->ni", to_matrix(kept[:, 9:13]), kept[:, 6:9])[:, 1]
    at = np.flatnonzero(w[:-1] * w[1:] < 0.0)
    if len(at) < 2:
        return math.nan
    zero = t[at] - w[at] * (t[at + 1] - t[at]) / (w[at + 1] - w[at])
    return float((zero[-1] - zero[0]) / (len(zero) - 1))


def attitude(inertia: tuple[float, float, float], omega: tuple[float, float, float], t: float) -> np.ndarray:
    """Quaternion at time t by (1)."""
    i = np.array(inertia)

    def rate(y: np.ndarray) -> np.ndarray:
        q, w = y[:4], y[4:]
        turn = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
        return np.concatenate([turn, np.cross(i * w, w) / i])

    return solve(rate, (1.0, 0.0, 0.0, 0.0, *omega), (t,))[0, :4]


def off_attitude(inertia: tuple[float, float, float], omega: tuple[float, float, float]) -> Callable[[World, Trace], float]:
    """Angle [rad] from the attitude by (1) at the end."""
    def read(world: World, trace: Trace) -> float:
        wanted = attitude(inertia, omega, float(trace["time"][-1]))
        same = abs(float(wanted @ trace["motion"][-1, 0, 9:13]) / np.linalg.norm(wanted))
        return 2.0 * math.acos(min(1.0, same)) if same < 0.999999 else 2.0 * float(np.linalg.norm(
            trace["motion"][-1, 0, 9:13] * np.sign(wanted @ trace["motion"][-1, 0, 9:13]) - wanted / np.linalg.norm(wanted)))
    return read


def energy_off(world: World, trace: Trace) -> float:
    total = energy(world, trace)
    return float(np.abs(total / total[0] - 1.0).max())


def moment_off(world: World, trace: Trace) -> float:
    spin = trace["motion"][:, 0, 6:9]
    return float(np.linalg.norm(spin - spin[0], axis=1).max() / np.linalg.norm(spin[0]))


# ---- a symmetric top, free

TOP, NUTATES = (0.02, 0.02, 0.035), (1.0, 0.0, 20.0)


def round_l(world: World, trace: Trace) -> float:
    """Precession rate of the axis about L [rad/s], over the run."""
    kept = trace["motion"][:, 0]
    axis, spin = to_matrix(kept[:, 9:13])[:, :, 2], kept[0, 6:9]
    n = spin / np.linalg.norm(spin)
    e1 = axis[0] - n * (axis[0] @ n)
    e1 /= np.linalg.norm(e1)
    angle = np.unwrap(np.arctan2(axis @ np.cross(n, e1), axis @ e1))
    return float(angle[-1] / trace["time"][-1])


# ---- a heavy top on a ball joint

MASS, ARM, THICK, RADIUS = 1.0, 0.2, 0.02, 0.1
I3 = 0.5 * MASS * RADIUS**2
I1 = MASS * (3.0 * RADIUS**2 + (2.0 * THICK) ** 2) / 12.0 + MASS * ARM**2      # about the pivot


def steady(theta: float, spin: float) -> float:
    """The slow precession rate W of (4) [rad/s]; spin: w3 about the axis, W cos theta included."""
    c = math.cos(theta)
    if abs(c) < 1e-12:
        return MASS * G * ARM / (I3 * spin)
    return (I3 * spin - math.sqrt((I3 * spin) ** 2 - 4.0 * I1 * c * MASS * G * ARM)) / (2.0 * I1 * c)


@functools.cache
def top(theta: float, spin: float, going: float) -> Callable[[World], None]:
    """A disc at the end of an arm on a pivot; theta from the vertical, in the plane y = 0, precessing at a rate."""
    def build(world: World) -> None:
        axis = np.array([math.sin(theta), 0.0, math.cos(theta)])
        across = np.array([math.cos(theta), 0.0, -math.sin(theta)])
        omega = spin * axis - going * math.sin(theta) * across
        body = add(world, Cylinder(RADIUS, THICK), tuple(ARM * axis), mass=MASS, quat=turned((0.0, 1.0, 0.0), theta),
                   vel=tuple(np.cross(omega, ARM * axis)), omega=tuple(omega), name="top")
        world.add_joint("spherical", 0, body, anchor=(0.0, 0.0, 0.0), name="pivot")
    return build


PLACE = {"x": "body:top.x", "y": "body:top.y", "z": "body:top.z"}


def azimuth(world: World, trace: Trace) -> float:
    return float(np.unwrap(np.arctan2(trace["y"], trace["x"]))[-1])


def tilt_off(theta: float) -> Callable[[World, Trace], float]:
    """Largest change of the tilt [rad]."""
    return lambda world, trace: float(np.abs(np.arccos(np.clip(trace["z"] / ARM, -1.0, 1.0)) - theta).max())


def lowest(world: World, trace: Trace) -> float:
    """Largest tilt [rad]."""
    return float(np.arccos(np.clip(trace["z"] / ARM, -1.0, 1.0)).max())


LET_GO, FAST = 1.0, 60.0


def nutation() -> float:
    """The other root of the cubic of (5): theta' = 0 again. With u = cos theta and W = 0 at u0:
    I1 theta'^2 / 2 + (I3 w3 (u0 - u))^2 / (2 I1 (1 - u^2)) = m g l (u0 - u)."""
    u0, k = math.cos(LET_GO), (I3 * FAST) ** 2 / (2.0 * I1 * MASS * G * ARM)
    return math.acos(0.5 * (k - math.sqrt(k * k - 4.0 * (k * u0 - 1.0))))      # k (u0 - u) = 1 - u^2


def swung(t: float) -> float:
    """Azimuth of the released top after t, by (5)."""
    u0 = math.cos(LET_GO)

    def rate(y: np.ndarray) -> np.ndarray:
        theta, speed = y[0], y[1]
        s, c = math.sin(theta), math.cos(theta)
        w = I3 * FAST * (u0 - c) / (I1 * s * s)
        return np.array([speed, (I1 * w * w * s * c - I3 * FAST * w * s + MASS * G * ARM * s) / I1, w])

    return float(solve(rate, (LET_GO, 0.0, 0.0), (t,))[0, 2])


# ---- flight

def throw(world: World) -> None:
    add(world, Box((0.1, 0.06, 0.03)), (0.0, 0.0, 5.0), mass=2.0, vel=(3.0, 0.0, 4.0), omega=(3.0, -5.0, 8.0), name="body")


def circle(world: World) -> None:
    """Two bodies of 1 and 2 kg orbit one another on a spring of zero rest length, without gravity."""
    world.set_gravity((0.0, 0.0, 0.0))
    a = add(world, Box((0.05, 0.05, 0.05)), (2.0 / 3.0, 0.0, 0.0), mass=1.0, vel=(0.0, 2.0 / 3.0 * ORBIT, 0.0), name="light")
    b = add(world, Box((0.05, 0.05, 0.05)), (-1.0 / 3.0, 0.0, 0.0), mass=2.0, vel=(0.0, -1.0 / 3.0 * ORBIT, 0.0), group=2,
            name="heavy")
    world.add_joint("spring", a, b, anchor=(2.0 / 3.0, 0.0, 0.0), anchor_b=(-1.0 / 3.0, 0.0, 0.0), stiffness=PULL, length=0.0,
                    name="spring")


PULL = 50.0
ORBIT = math.sqrt(PULL / (2.0 / 3.0))      # sqrt(k / reduced mass) [rad/s]


def distance_off(world: World, trace: Trace) -> float:
    apart = np.linalg.norm(trace["motion"][:, 0, :3] - trace["motion"][:, 1, :3], axis=1)
    return float(np.abs(apart - 1.0).max())


UP = View(target=(0.0, 0.0, 0.0), distance=1.5)
WILD = (8.0, 3.0, 1.0)

EXPERIMENTS = (
    Experiment("dzhanibekov_period", "A body spinning about its intermediate axis flips repeatedly", "time between flips", "s",
               "2 K(m) / p", "Euler; Landau, Lifshitz 37", free(MOMENTS, TUMBLE), 8.0, BODIES, turned_over, half_turn,
               second_order(0.01, 1e-6), quick=True, ordered=True, view=UP),
    Experiment("dzhanibekov_attitude", "Orientation after 5 s", "angle from the reference", "rad", "Euler's equations",
               "own integration, 1e-12", free(MOMENTS, TUMBLE), 5.0, BODIES, off_attitude(MOMENTS, TUMBLE), 0.0,
               second_order(0.05, 1e-6), ordered=True, view=UP),
    Experiment("free_energy", "A tumbling body keeps its energy", "largest change in 5 s, relative", "", "I = 1 : 2 : 3",
               "Euler", free(MOMENTS, WILD), 5.0, BODIES, energy_off, 0.0, second_order((9.0 / 60.0) ** 2 / 24.0, 1e-12),
               quick=True, view=UP),
    Experiment("free_moment", "A tumbling body keeps its angular momentum", "largest change in 5 s, relative", "", "L' = 0",
               "Euler", free(MOMENTS, WILD), 5.0, BODIES, moment_off, 0.0, always(1e-11), quick=True, view=UP),
    Experiment("free_slender", "A slender body spins fast", "change of its energy in 2 s, relative", "",
               "I = 1 : 100 : 100, 300 rad/s", "Euler", free((1e-4, 1e-2, 1e-2), (300.0, 2.0, 0.0)), 2.0, BODIES, energy_off,
               0.0, always(1e-9), view=UP),
    Experiment("top_free", "Precession of a free symmetric top", "rate", "rad/s", "|L| / I1", "Euler",
               free(TOP, NUTATES), 2.0, BODIES, round_l, math.hypot(TOP[0] * NUTATES[0], TOP[2] * NUTATES[2]) / TOP[0],
               second_order(0.05, 1e-6), ordered=True, quick=True, view=UP),
    Experiment("top_steady", "Steady precession of a heavy top", "azimuth after 2 s", "rad", "I1 W^2 cos - I3 w3 W + m g l = 0",
               "Lagrange's top", top(1.0, 120.0, steady(1.0, 120.0)), 2.0, PLACE, azimuth, 2.0 * steady(1.0, 120.0),
               second_order(0.05, 1e-6), ordered=True, view=UP),
    Experiment("top_steady_tilt", "A steadily precessing top does not nutate", "largest change of its tilt in 2 s", "rad",
               "0", "Lagrange's top", top(1.0, 120.0, steady(1.0, 120.0)), 2.0, PLACE, tilt_off(1.0), 0.0,
               second_order(0.02, 1e-6), view=UP),
    Experiment("gyroscope", "A gyroscope with a horizontal "
                            "axis", "azimuth after 2 s", "rad", "m g l t / (I3 w)", "Lagrange's top",
               top(0.5 * math.pi, 100.0, steady(0.5 * math.pi, 100.0)), 2.0, PLACE, azimuth,
               2.0 * MASS * G * ARM / (I3 * 100.0), second_order(0.05, 1e-6), ordered=True, quick=True, view=UP),
    Experiment("top_nods", "Nutation of a released top", "largest tilt", "rad", "k (u0 - u) = 1 - u^2", "Lagrange's top",
               top(LET_GO, FAST, 0.0), 2.0, PLACE, lowest, nutation, second_order(0.02, 1e-6), view=UP),
    Experiment("top_nods_round", "Azimuth of a nutating top", "azimuth after 1 s", "rad", "Lz, L3, E kept",
               "own integration, 1e-12", top(LET_GO, FAST, 0.0), 1.0, PLACE, azimuth, lambda: swung(1.0),
               second_order(0.05, 1e-6), ordered=True, view=UP),
    Experiment("projectile", "A thrown body follows a parabola", "height after 1 s", "m", "z0 + v t - g t^2 / 2", "Galilei",
               throw, 1.0, {"z": "body:body.z"}, lambda world, trace: float(trace["z"][-1]), 5.0 + 4.0 - 0.5 * G, always(1e-9),
               quick=True, view=View(target=(1.5, 0.0, 5.0), distance=12.0)),
    Experiment("spring_orbit", "Two bodies orbit on a spring", "largest change of their distance in 3 s", "m",
               "omega^2 = k (m1 + m2) / (m1 m2)", "Kepler's problem of a spring", circle, 3.0, BODIES, distance_off, 0.0,
               second_order(0.01, 1e-6), ordered=True, view=UP),
)
