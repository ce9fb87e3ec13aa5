"""Impacts of one body: heights, times, angles, energy.

    rebound            v' = -e v;   heights e^2 h0;   the n-th time  t0 (1 + 2 e + .. + 2 e^n),  t0 = sqrt(2 h0 / g)  (1)
    ball with friction, v along the floor:  slides through if |s| > 3.5 mu (1 + e) v_n:  v' = v - mu (1 + e) v_n    (2)
                       else it sticks:      v' = (5 v + 2 r omega) / 7                                              (3)
    superball          v' = v - 4/7 s,   omega' = omega + 10/7 s / r,   s = v - r omega                             (4)
    rod at an angle, smooth floor:  impulse P = (1 + e) v_n / (1/m + x^2 / I),   x: from the tip to the centre      (5)
    and sliding:       1/m + x^2 / I becomes  1/m + x (x -+ mu y) / I,   Newton's and Poisson's laws agree          (6)
    rocking block      omega' = omega (1 - 3/2 sin^2 alpha)            Housner 1963                                 (7)
"""

import functools
import math
from collections.abc import Callable

import numpy as np

from physics import Box, Capsule, Material, Sphere, World
from scenes import Trace, View
from scenes.truth import Experiment, always, first_order, second_order
from scenes.truth._parts import G, add, gained, ground, lost, motion, solve, turned

TOPIC = "Impacts"
R = 0.1
SIM = "SimBenchmark (Kang, Hwangbo 2018), bouncing"
GARWIN = "Garwin, Am. J. Phys. 37 (1969)"
BODIES = {"motion": motion}


# ---- balls that bounce

SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def drop_many(world: World) -> None:
    ground(world, restitution=0.0)
    for k, e in enumerate(SHARES):
        add(world, Sphere(R), (0.5 * k, 0.0, R + 1.0), mass=1.0, restitution=e, group=1 + k, name=f"ball {k}")


def apex_off(world: World, trace: Trace) -> float:
    """Largest error of the first apex against e^2 [m]."""
    worst = float(trace["z0"][trace["time"] > 0.5].max()) - R
    for k, e in enumerate(SHARES[1:], 1):
        measured = flights(trace["time"], trace[f"z{k}"])
        worst = max(worst, abs(measured[1][2] - e * e) if len(measured) > 1 else math.inf)
    return worst


@functools.cache
def drop(e: float, height: float = 1.0) -> Callable[[World], None]:
    def build(world: World) -> None:
        ground(world, restitution=e)
        add(world, Sphere(R), (0.0, 0.0, R + height), mass=1.0, restitution=e, name="ball")
    return build


def flights(t: np.ndarray, z: np.ndarray) -> list[tuple[float, float, float]]:
    """(begin, end, apex) [s, s, m] of each flight, from parabolas of -g through samples well inside it."""
    h, found = t[1], []
    free = np.abs(z[2:] - 2.0 * z[1:-1] + z[:-2] + G * h * h) < 1e-6 * G * h * h + 1e-13
    edges = np.flatnonzero(np.diff(np.concatenate([[0], free.astype(int), [0]])))
    for a, b in zip(edges[::2], edges[1::2]):
        if b - a < 2:
            continue
        i, j = a, b + 1                                    # first and last sample of the flight
        v = (z[j] - z[i]) / (t[j] - t[i]) + 0.5 * G * (t[j] - t[i])
        top = z[i] + 0.5 * v * v / G
        fall = math.sqrt(max(0.0, 2.0 * (top - R) / G))
        found.append((t[i] + v / G - fall, t[i] + v / G + fall, top - R))
    return found


NO_REBOUND = 0.11      # slightly above the solvers' restitution threshold [m/s]


def zeno(e: float) -> Callable[[World, Trace], float]:
    """Largest error [s] of the times of impacts, while flights are longer than eight steps and impacts rebound."""
    def read(world: World, trace: Trace) -> float:
        t, first, worst, at = trace["time"], math.sqrt(2.0 / G), 0.0, math.sqrt(2.0 / G)
        measured = flights(t, trace["z"])
        for n in range(1, 60):
            if 2.0 * first * e**n < 8.0 * t[1] or at + 2.0 * first * e**n > t[-1] or G * first * e ** (n - 1) < NO_REBOUND:
                break
            if len(measured) <= n:
                return math.inf
            worst = max(worst, abs(measured[n][0] - at))
            at += 2.0 * first * e**n
        return worst
    return read


def fifth(world: World, trace: Trace) -> float:
    """Apex after the fifth impact [m]."""
    measured = flights(trace["time"], trace["z"])
    return measured[5][2] if len(measured) > 5 else math.nan


Z = {"z": "body:ball.z"}


# ---- balls with friction

def throw(vel: tuple[float, float], omega: float, material: Material, fall: float = 0.35) -> Callable[[World], None]:
    """A ball without gravity, thrown at the floor with (along, down) speeds from a height at which no step ends."""
    def build(world: World) -> None:
        world.set_gravity((0.0, 0.0, 0.0))
        world.add_body(Box((5.0, 5.0, 0.1)), kind="static", pos=(0.0, 0.0, -0.1), material=material, name="floor")
        add(world, Sphere(R), (0.0, 0.0, R + fall), vel=(vel[0], 0.0, -vel[1]), omega=(0.0, omega, 0.0), mass=1.0,
            material=material,
            name="ball")
    return build


THROWN = {"vx": "body:ball.vx", "w": "body:ball.omega_y"}


def along(world: World, trace: Trace) -> float:
    return float(trace["vx"][-1])


def moment_kept(world: World, trace: Trace) -> float:
    """Change of the angular momentum about the floor, m (2/5 r^2 omega + r v), relative to that before."""
    about = 0.4 * R * R * trace["w"] + R * trace["vx"]
    return float(np.abs(about - about[0]).max() / abs(about[0]))


# ---- rods

HALF, THIN = 0.5, 0.01
INERTIA = ((2.0 * HALF) ** 2) / 12.0        # of 1 kg about its centre


@functools.cache
def rod(angle: float, mu: float, e: float, vel: tuple[float, float] = (0.0, 1.0), gap: float = 0.0573) -> Callable[[World], None]:
    """A rod without gravity at an angle to the floor [rad], its lower end leading, to the left; (along, down) speeds."""
    def build(world: World) -> None:
        world.set_gravity((0.0, 0.0, 0.0))
        material = Material(friction=mu, restitution=e)
        world.add_body(Box((5.0, 5.0, 0.1)), kind="static", pos=(0.0, 0.0, -0.1), material=material, name="floor")
        add(world, Capsule(THIN, HALF), (0.0, 0.0, THIN + HALF * math.sin(angle) + gap), mass=1.0, vel=(vel[0], 0.0, -vel[1]),
            inertia=(INERTIA, INERTIA, 1e-4), quat=turned((0.0, 1.0, 0.0), 0.5 * math.pi - angle), material=material, name="rod")
    return build


def rod_spin(angle: float, mu: float, e: float, vel: tuple[float, float] = (0.0, 1.0)) -> float:
    """omega_y after (6); the tip is at (-x, -y) from the centre and slides against its speed along the floor."""
    x, y = HALF * math.cos(angle), HALF * math.sin(angle) + THIN
    slide = -math.copysign(mu, vel[0]) if vel[0] else 0.0
    # moment of (slide P, P) at (-x, -y) about +y:  z-part * -(-x) ... = (-y) slide P - (-x) P
    lever = -y * slide + x
    normal = 1.0 + x * lever / INERTIA
    return (1.0 + e) * vel[1] / normal * lever / INERTIA


def spun(world: World, trace: Trace) -> float:
    return float(trace["w"][-1])


def grown(world: World, trace: Trace) -> float:
    """Gain of kinetic energy, relative to that before."""
    return float(max(0.0, trace["kinetic"].max() / trace["kinetic"][0] - 1.0))


ROD = {"w": "body:rod.omega_y"}


def dropped_spinning(world: World) -> None:
    """A thin rod spinning about its axis at 300 rad/s falls on a smooth floor, tilted by 0.1."""
    ground(world, friction=0.0)
    a = 0.5 * math.pi - 0.1
    add(world, Capsule(0.005, 0.5), (0.0, 0.0, 0.3), mass=1.0, friction=0.0, quat=turned((0.0, 1.0, 0.0), a), name="rod",
        omega=(300.0 * math.sin(a), 0.0, 300.0 * math.cos(a)))


@functools.cache
def rub(mu: float) -> Callable[[World], None]:
    """A capsule of 1 m x 5 mm lies on the floor and spins about its axis at 300 rad/s."""
    def build(world: World) -> None:
        ground(world, friction=mu)
        add(world, Capsule(0.005, 0.5), (0.0, 0.0, 0.005), mass=1.0, friction=mu, name="rod", omega=(300.0, 0.0, 0.0),
            quat=turned((0.0, 1.0, 0.0), 0.5 * math.pi))
    return build


def moving(world: World) -> float:
    """Energy of the spin and of the fall [J]."""
    return 0.5 * 300.0**2 * world.bodies["inertia"][world.body("rod"), 2, 2] + 0.3 * G


def energy_gained(world: World, trace: Trace) -> float:
    return gained(world, trace, moving(world))


def energy_changed(world: World, trace: Trace) -> float:
    return lost(world, trace, moving(world))


# ---- a block that rocks

WIDE, TALL = 0.1, 0.4
ALPHA = math.atan(WIDE / TALL)
TURNS = (1.0 + 1.0 / 3.0) * (WIDE**2 + TALL**2)    # moment of inertia about an edge, of 1 kg


def rock(world: World) -> None:
    """A tall block is released, tilted by 0.6 alpha about its lower edge."""
    ground(world, friction=5.0)
    tilt, reach = 0.6 * ALPHA, math.hypot(WIDE, TALL)
    add(world, Box((WIDE, 0.2, TALL)), (-reach * math.sin(ALPHA - tilt), 0.0, reach * math.cos(ALPHA - tilt)), mass=1.0,
        friction=5.0,
        quat=turned((0.0, 1.0, 0.0), tilt), name="block")


def rocked(world: World, trace: Trace) -> float:
    """Rotational energy just after the first impact over that just before, by the largest tilts (energy is kept between)."""
    tilt = trace["tilt"]
    flat = np.flatnonzero(tilt < 0.0)
    if not len(flat):
        return math.nan
    other = float(-tilt.min())
    height = [math.cos(ALPHA - a) - math.cos(ALPHA) for a in (0.6 * ALPHA, other)]
    return math.sqrt(height[1] / height[0])


def topple(world: World) -> None:
    """The same block falls, released slightly beyond its balance."""
    ground(world, friction=5.0)
    tilt, reach = 1.2 * ALPHA, math.hypot(WIDE, TALL)
    add(world, Box((WIDE, 0.2, TALL)), (reach * math.sin(tilt - ALPHA), 0.0, reach * math.cos(tilt - ALPHA)), mass=1.0,
        friction=5.0,
        quat=turned((0.0, 1.0, 0.0), tilt), name="block")


def toppled() -> float:
    """Tilt after 0.5 s by I tilt'' = m g reach sin(tilt - alpha)."""
    reach = math.hypot(WIDE, TALL)
    return float(solve(lambda y: np.array([y[1], G * reach * math.sin(y[0] - ALPHA) / TURNS]), (1.2 * ALPHA, 0.0), (0.5,))[0, 0])


RUBBER, SMOOTH = Material(friction=5.0, restitution=1.0, tangential_restitution=1.0), Material(friction=0.1, restitution=0.5)
BALLS = View(target=(1.2, 0.0, 0.6), distance=5.0)
STEEP, GRIP = math.radians(60.0), math.radians(75.0)

EXPERIMENTS = (
    Experiment("bounce_heights", "Balls of e = 0, 0.2, .. 1 rise to e^2 of their drop", "largest error of the first apex", "m",
               "e^2 h", SIM, drop_many, 1.2, {f"z{k}": f"body:ball {k}.z" for k in range(len(SHARES))}, apex_off, 0.0,
               second_order(G / 8.0 / 3600.0, 1e-6), quick=True, view=BALLS),
    Experiment("bounce_fifth", "Five bounces of e = 0.9", "fifth apex", "m", "e^10 h", SIM, drop(0.9), 4.5, Z, fifth, 0.9**10,
               always(1e-3)),
    Experiment("bounce_elastic", "A ball of e = 1 keeps bouncing", "fifth apex", "m", "h", SIM, drop(1.0), 6.0, Z, fifth, 1.0,
               always(1e-3)),
    Experiment("zeno_08", "A ball bounces to rest, e = 0.8: impact times", "largest error of a time", "s",
               "t0 (1 + 2 e + .. + 2 e^n)", "Zeno's ball", drop(0.8), 4.2, Z, zeno(0.8), 0.0, first_order(0.1 / 60.0),
               quick=True),
    Experiment("zeno_09", "A ball bounces to rest, e = 0.9: impact times", "largest error of a time", "s",
               "t0 (1 + 2 e + .. + 2 e^n)", "Zeno's ball", drop(0.9), 6.0, Z, zeno(0.9), 0.0, first_order(0.1 / 60.0)),
    Experiment("oblique_slides", "A ball hits a floor and slides through the impact", "tangential speed after", "m/s",
               "v - mu (1 + e) v_n", "Coulomb, Newton", throw((2.0, 2.0), 0.0, SMOOTH), 0.4, THROWN, along,
               2.0 - 0.1 * 1.5 * 2.0, always(1e-9), quick=True),
    Experiment("oblique_sticks", "A ball hits a rough floor and sticks in the impact", "tangential speed after", "m/s",
               "(5 v + 2 r omega) / 7", "Coulomb, Newton", throw((1.0, 2.0), 5.0, Material(friction=0.8, restitution=0.5)), 0.4,
               THROWN, along, (5.0 + 2.0 * R * 5.0) / 7.0, always(1e-9), quick=True),
    Experiment("superball", "A superball reverses its slip", "tangential speed after", "m/s", "v - 4/7 (v - r omega)", GARWIN,
               throw((1.0, 2.0), -30.0, RUBBER), 0.4, THROWN, along, 1.0 - 4.0 / 7.0 * 4.0, always(1e-9)),
    Experiment("impact_moment", "Angular momentum about the floor at an impact", "change", "",
               "kept: the impulse acts on the floor", "Euler",
               throw((1.0, 2.0), -30.0, Material(friction=0.8, restitution=0.5)), 0.4, THROWN, moment_kept, 0.0, always(1e-12),
               quick=True),
    Experiment("rod_smooth", "A rod hits a smooth floor with its end", "angular velocity after", "rad/s",
               "(1 + e) v x / (x^2 + I / m)", "Newton, Euler", rod(0.7, 0.0, 0.6), 0.2, ROD, spun,
               lambda: rod_spin(0.7, 0.0, 0.6), always(1e-6), quick=True),
    Experiment("rod_slides", "A rod hits a rough floor and slides through the impact", "angular velocity after", "rad/s",
               "(1 + e) v lever / I / (1 / m + x lever / I)", "Newton and Poisson agree", rod(0.7, 0.2, 0.6, (3.0, 1.0)), 0.2,
               ROD, spun, lambda: rod_spin(0.7, 0.2, 0.6, (3.0, 1.0)), always(1e-6)),
    Experiment("rebound_gains_nothing", "A rod of e = 1 hits a rough floor and sticks", "kinetic energy gained", "",
               "E' <= E", "Kane, Levinson 1985; Stronge 1990", rod(STEEP, 0.5, 1.0, (1.0, 1.0)), 0.2,
               {"kinetic": "world.kinetic"}, grown, 0.0, always(1e-9), quick=True),
    Experiment("rebound_backward", "The same with the opposite initial velocity", "kinetic energy gained", "", "E' <= E",
               "Kane, Levinson 1985; Stronge 1990", rod(GRIP, 1.0, 1.0, (-2.0, 1.0)), 0.2, {"kinetic": "world.kinetic"}, grown,
               0.0, always(1e-9)),
    Experiment("spinning_rod_lands", "A thin rod lands while spinning at 300 rad/s", "energy gained", "",
               "smooth floor, e = 0: E falls", "energy", dropped_spinning, 1.0, BODIES, energy_gained, 0.0, always(1e-3)),
    Experiment("fast_spin_smooth", "A rod of 5 mm spins at 300 rad/s on a smooth floor", "energy changed", "",
               "nothing works on it", "energy", rub(0.0), 1.0, BODIES, energy_changed, 0.0, always(1e-3), quick=True),
    Experiment("fast_spin_rough", "A rod of 5 mm spins at 300 rad/s on a rough floor", "energy gained", "",
               "friction only takes", "energy", rub(0.3), 1.0, BODIES, energy_gained, 0.0, always(1e-3)),
    Experiment("rocking_block", "A rocking block loses speed at each impact", "ratio of angular velocities", "",
               "1 - 3/2 sin^2(alpha)", "Housner 1963", rock, 1.2, {"tilt": "body:block.pitch"}, rocked,
               1.0 - 1.5 * math.sin(ALPHA) ** 2, first_order(0.05)),
    Experiment("toppling_block", "A tall block falls over its edge", "tilt after 0.5 s", "rad",
               "I tilt'' = m g r sin(tilt - alpha)", "own integration", topple, 0.5, {"tilt": "body:block.pitch"},
               lambda world, trace: float(trace["tilt"][-1]), toppled, second_order(0.02, 1e-5), ordered=True),
)
