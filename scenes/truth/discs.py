"""Bodies that roll and spin on the floor: Euler's disc, coins, wheels, a rattleback, a tippe top.

    disc of radius r, half thickness c, tilted by alpha (0: flat), precessing at W about the vertical; n along its axis, e towards
    the contact, w1 = -W sin(alpha) along e, w3 along n; rolling, its centre at distance X from the centre of its circle:
        W X = w1 c - (w3 r + 2 w1 c) = -(w3 r + w1 c)                                                                        (1)
        W (I3 w3 sin + I1 w1 cos) = -m g (r cos - c sin) + m W^2 X (r sin + c cos)                                           (2)
    X = 0 is Euler's disc: W^2 = m g (r cos - c sin) / (sin (I1 cos - I3 (c / r) sin)), thin: 4 g / (r sin)                  (3)
    rolling without slip conserves energy; slip only dissipates it                                                           (4)
"""

import functools
import math
from collections.abc import Callable

import numpy as np

from physics import Compound, Cylinder, Ellipsoid, Sphere, World
from physics.basics.quaternions import to_matrix
from scenes import Trace, View
from scenes.truth import Experiment, always, first_order, second_order
from scenes.truth._parts import G, add, energy, gained, ground, motion, solve, turned

TOPIC = "Discs and tops"
BODIES = {"motion": motion}
ROUGH = 5.0


def moments(r: float, c: float) -> tuple[float, float]:
    """(I1, I3) of 1 kg."""
    return (3.0 * r * r + 4.0 * c * c) / 12.0, 0.5 * r * r


def eulers(r: float, c: float, tilt: float) -> float:
    """W of (3) [rad/s]."""
    i1, i3 = moments(r, c)
    s, k = math.sin(tilt), math.cos(tilt)
    return math.sqrt(G * (r * k - c * s) / (s * (i1 * k - i3 * c / r * s)))


def wheel_spin(r: float, c: float, tilt: float, going: float) -> float:
    """w3 of (2), which is linear in it, with X by (1)."""
    i1, i3 = moments(r, c)
    s, k, w1 = math.sin(tilt), math.cos(tilt), -going * math.sin(tilt)
    lever = r * s + c * k
    return (-G * (r * k - c * s) - going * w1 * c * lever - going * i1 * w1 * k) / (going * (i3 * s + r * lever))


def add_disc(world: World, size: tuple[float, float], tilt: float, going: float, spin: float,
             centre: tuple[float, float] = (0.0, 0.0), name: str = "disc") -> int:
    """Add a disc of 1 kg that rolls round a centre (x, y), its lowest point towards +x; size: (r, c), going: W, spin: w3."""
    r, c = size
    n = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
    e = np.array([math.cos(tilt), 0.0, -math.sin(tilt)])
    omega = spin * n - going * math.sin(tilt) * e
    way = -(spin * r - going * math.sin(tilt) * c) / going               # X of (1)
    return add(world, Cylinder(r, c), (centre[0] + way, centre[1], r * math.sin(tilt) + c * math.cos(tilt)), mass=1.0,
               friction=ROUGH, quat=turned((0.0, 1.0, 0.0), tilt), vel=(0.0, going * way, 0.0), omega=tuple(omega), name=name)


@functools.cache
def disc(r: float, c: float, tilt: float, going: float, spin: float) -> Callable[[World], None]:
    """A disc of 1 kg whose lowest point is on the x axis; going: W, spin: w3 [rad/s]."""
    def build(world: World) -> None:
        ground(world, friction=ROUGH)
        add_disc(world, (r, c), tilt, going, spin)
    return build


def steady(r: float, c: float, tilt: float) -> Callable[[World], None]:
    """Euler's disc: its centre is at rest."""
    going = eulers(r, c, tilt)
    return disc(r, c, tilt, going, going * math.sin(tilt) * c / r)


def tilts(trace: Trace) -> np.ndarray:
    """Angle of the axis from the vertical [degrees]."""
    return np.degrees(np.arccos(np.clip(np.abs(to_matrix(trace["motion"][:, 0, 9:13])[:, 2, 2]), 0.0, 1.0)))


def tilt(world: World, trace: Trace) -> float:
    """Mean tilt of the last tenth [degrees]."""
    return float(tilts(trace)[-len(trace["time"]) // 10:].mean())


def energy_off(world: World, trace: Trace) -> float:
    """Change of the energy from the first to the last tenth, relative to that of the start."""
    total = energy(world, trace, smooth=False)
    part = max(1, len(total) // 10)
    return float(total[-part:].mean() / total[:part].mean() - 1.0)


def energy_grown(world: World, trace: Trace) -> float:
    return gained(world, trace, float(energy(world, trace, smooth=False)[0]))


def circle_off(world: World, trace: Trace) -> float:
    """Largest change of the distance from the centre of the circle [m]."""
    away = np.linalg.norm(trace["motion"][:, 0, :2], axis=1)
    return float(np.abs(away - away[0]).max())


WHEEL, THIN, LEAN, ROUND = 0.3, 0.01, math.radians(60.0), 2.0


def rolling_wheel() -> Callable[[World], None]:
    """A wheel that leans by 30 degrees and rolls in a circle, one turn in half pi seconds."""
    return disc(WHEEL, THIN, LEAN, ROUND, wheel_spin(WHEEL, THIN, LEAN, ROUND))


TURN = (1.0, 0.0, 0.0, 0.0)

# ---- a rattleback, a tippe top

LONG = (0.2, 0.05, 0.04)            # half axes [m]


def rattleback(world: World) -> None:
    """Half axes rotated from the axes of inertia by 0.1 rad; spun on a floor without slip."""
    ground(world, friction=ROUGH)
    inertia = np.diag([(0.05**2 + 0.04**2) / 5.0, (0.2**2 + 0.04**2) / 5.0, (0.2**2 + 0.05**2) / 5.0])
    c, s = math.cos(0.1), math.sin(0.1)
    askew = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    add(world, Ellipsoid(LONG), (0.0, 0.0, LONG[2]), mass=1.0, friction=ROUGH, inertia=askew @ inertia @ askew.T,
        omega=(0.3, 0.1, -8.0), name="disc")


def tippe_top(world: World) -> None:
    """A ball of 3 cm with a weight below its centre, spun at 150 rad/s about an axis 0.1 rad off the vertical."""
    ground(world, friction=0.3)
    lean = turned((0.0, 1.0, 0.0), 0.1)
    body = add(world, Compound((Sphere(0.03), (0.0, 0.0, 0.0), TURN), (Sphere(0.01), (0.0, 0.0, -0.015), TURN)),
               (0.0, 0.0, 0.03), friction=0.3, quat=lean, omega=(150.0 * math.sin(0.1), 0.0, 150.0 * math.cos(0.1)), name="disc",
               mass=0.05)
    world.bodies["pos"][body, 2] += 1e-4


def egg(world: World) -> None:
    """An ellipsoid rolls end over end without slipping."""
    ground(world, friction=ROUGH)
    add(world, Ellipsoid((0.1, 0.3, 0.15)), (0.0, 0.0, 0.15), mass=1.0, friction=ROUGH, vel=(1.5, 0.0, 0.0),
        omega=(0.0, 10.0, 0.0), name="disc")


def egg_turn(seconds: float = 1.0) -> float:
    """Rotation of the egg after that time: it rolls in the x z plane, E = m (r^2 + I) w^2 / 2 + m g z kept, r: from centre to
    contact. With the support function p(a) = sqrt(A^2 sin^2 a + C^2 cos^2 a), z = p, the contact is offset by dp/da."""
    big, small, inertia = 0.1, 0.15, (0.1**2 + 0.15**2) / 5.0

    def height(a: float) -> tuple[float, float]:
        p = math.sqrt((big * math.sin(a)) ** 2 + (small * math.cos(a)) ** 2)
        return p, (big**2 - small**2) * math.sin(a) * math.cos(a) / p

    def arm(a: float) -> float:
        p, aside = height(a)
        return inertia + p * p + aside * aside

    total = 0.5 * arm(0.0) * 10.0**2 + G * small
    return float(solve(lambda y: np.array([math.sqrt(2.0 * (total - G * height(y[0])[0]) / arm(y[0]))]), (0.0,), (seconds,),
                       1e-10)[0, 0])


def turn_of(world: World, trace: Trace) -> float:
    """Rotation about the y axis [rad]."""
    q = trace["motion"][:, 0, 9:13]
    return float(np.unwrap(2.0 * np.arctan2(q[:, 2], q[:, 0]), period=2.0 * math.pi)[-1])


NEAR_VIEW, CLOSE_VIEW = View(target=(0.0, 0.0, 0.1), distance=2.0), View(target=(0.0, 0.0, 0.02), distance=0.4)
BIG, COIN = (0.3, 0.005, math.radians(20.0)), (0.012, 0.001, math.radians(30.0))
HALFWAY = steady(*BIG)
SMALL = steady(*COIN)
WHEELING = rolling_wheel()

EXPERIMENTS = (
    Experiment("eulers_disc_tilt", "Euler's disc of 0.3 m without loss", "tilt after 1 s", "degrees",
               "as at first, W^2 = 4 g / (r sin)", "Moffatt 2000; McDonald 2000", HALFWAY, 1.0, BODIES, tilt, 20.0,
               first_order(4.0), quick=True, view=NEAR_VIEW),
    Experiment("eulers_disc_energy", "Euler's disc of 0.3 m without loss: energy", "energy gained or lost in 1 s, relative", "",
               "kept", "energy", HALFWAY, 1.0, BODIES, energy_off, 0.0, second_order(0.05, 1e-4), ordered=True, view=NEAR_VIEW),
    Experiment("coin_tilt", "A spinning coin of 12 mm without loss", "tilt after 0.5 s", "degrees", "as at first",
               "Moffatt 2000; McDonald 2000", SMALL, 0.5, BODIES, tilt, 30.0, first_order(4.0), view=CLOSE_VIEW),
    Experiment("coin_energy", "A coin of 12 mm spins: energy", "energy gained or lost in 0.5 s, relative", "", "kept", "energy",
               SMALL, 0.5, BODIES, energy_off, 0.0, second_order(0.05, 1e-4), view=CLOSE_VIEW),
    Experiment("wheel_tilt", "A leaning wheel rolls in a circle: its lean", "tilt after 1.5 s", "degrees", "steady rolling",
               "Routh; O'Reilly 1996", WHEELING, 1.5, BODIES, tilt, math.degrees(LEAN), second_order(2.0, 0.01), quick=True,
               ordered=True, view=NEAR_VIEW),
    Experiment("wheel_circle", "A leaning wheel rolls in a circle: its radius", "largest change of the circle's radius", "m",
               "steady rolling", "Routh; O'Reilly 1996", WHEELING, 1.5, BODIES, circle_off, 0.0, second_order(0.05, 1e-4),
               ordered=True, view=NEAR_VIEW),
    Experiment("egg_rolls", "An egg rolls end over end", "rotation after 1 "
                                                         "s", "rad", "energy of rolling", "own integration, 1e-10",
               egg, 1.0, BODIES, turn_of, egg_turn, second_order(0.1, 1e-4), ordered=True, view=NEAR_VIEW),
    Experiment("egg_energy", "An egg rolls end over end: energy", "energy gained or lost in 1 s, relative", "", "kept",
               "energy", egg, 1.0, BODIES, energy_off, 0.0, second_order(0.02, 1e-5), ordered=True, view=NEAR_VIEW),
    Experiment("rattleback", "A rattleback without slip", "energy gained or lost in 2 s, relative", "", "kept",
               "Garcia, Hubbard 1988", rattleback, 2.0, BODIES, energy_off, 0.0, second_order(0.05, 1e-4), ordered=True,
               view=NEAR_VIEW),
    Experiment("tippe_top", "A tippe top with slip", "energy gained", "", "friction only takes", "Cohen 1977", tippe_top, 2.0,
               BODIES, energy_grown, 0.0, always(1e-3), view=CLOSE_VIEW),
)
