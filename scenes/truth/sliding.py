"""Dry friction of blocks: stopping distances, break-away, holding on moving supports.

    slides        v' = -mu_k g v / |v|              stops after v^2 / (2 mu g)                                    (1)
    on a slope    a = g (sin theta -+ mu cos theta),    holds while tan theta <= mu                               (2)
    holds         |F| <= mu_s N, in every step from the first on; on a turntable while omega^2 r <= mu g          (3)
    on a belt of speed V, held by a spring k, omega0 = sqrt(k / m), A = (F_s - F_k) / k:
        period = 2 A / V + (pi + 2 alpha) / omega0,   tan(alpha) = V / (omega0 A)                                 (4)
        amplitude = sqrt(A^2 + (V / omega0)^2)                                                                    (5)
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from physics import Box, Cylinder, Material, Plane, Sphere, World
from scenes import Trace, View
from scenes.truth import Experiment, always, first_order, second_order
from scenes.truth._parts import G, add, block, ground, middle, slab, tilted, turned

TOPIC = "Sliding friction"
HALF = (0.1, 0.1, 0.05)
COULOMB = "Coulomb's law"
ROUND = {"stewart_trinkle": {"facets": 32}}
"""A polygon of 32 corners deviates from the circle by at most 0.5 %."""


# ---- the cone is round

ANGLES, SPEED, MU = (0.0, 11.25, 22.5, 33.75, 45.0), 2.0, 0.4


def throw(world: World) -> None:
    ground(world, friction=MU)
    for k, angle in enumerate(ANGLES):
        a = math.radians(angle)
        add(world, Box(HALF), (0.0, 3.0 * k, HALF[2]), mass=1.0, friction=MU, group=1 + k, quat=turned((0.0, 0.0, 1.0), a),
            vel=(SPEED * math.cos(a), SPEED * math.sin(a), 0.0), name=f"block {k}")


def farthest_off(world: World, trace: Trace) -> float:
    """Stopping distance of the block that is farthest from (1)."""
    way = [math.hypot(trace[f"x{k}"][-1], trace[f"y{k}"][-1] - 3.0 * k) for k in range(len(ANGLES))]
    return max(way, key=lambda s: abs(s - SPEED**2 / (2.0 * MU * G)))


def sideways(world: World, trace: Trace) -> float:
    """Largest angle between the displacement of a block and its initial velocity [rad]."""
    return max(abs(math.atan2(trace[f"y{k}"][-1] - 3.0 * k, trace[f"x{k}"][-1]) - math.radians(a)) for k, a in enumerate(ANGLES))


THROWN = {f"{axis}{k}": f"body:block {k}.{axis}" for axis in "xy" for k in range(len(ANGLES))}


# ---- slopes

@functools.cache
def lay(slope: float, mu: float, vel: float = 0.0) -> Callable[..., Any]:
    """A block on a slope of that angle, with an uphill speed."""
    def build(world: World) -> None:
        tilted(world, slope)
        ground(world, friction=mu)
        add(world, Box(HALF), (0.0, 0.0, HALF[2]), mass=1.0, friction=mu, vel=(-vel, 0.0, 0.0), name="block")
    return build


def last(world: World, trace: Trace) -> float:
    return float(trace["x"][-1])


def farthest(world: World, trace: Trace) -> float:
    return float(np.abs(trace["x"] - trace["x"][0]).max())


X = {"x": "body:block.x"}
STEEP = math.atan(0.55)
SLIDE = 0.5 * G * (math.sin(STEEP) - 0.5 * math.cos(STEEP)) * 1.5**2


def up_and_back() -> float:
    """Position after 1.5 s by (2): up with 2 m/s, and down again."""
    s, c, t, mu = math.sin(0.5), math.cos(0.5), 1.5, 0.2
    up, down = G * (s + mu * c), G * (s - mu * c)
    return 0.5 * down * (t - 2.0 / up) ** 2 - 2.0**2 / (2.0 * up)


# ---- pushed

def pushed(force: float, material: Material) -> Callable[..., Any]:
    """A block of 1 kg, pushed by a constant force from the first step on."""
    def build(world: World) -> None:
        world.add_body(Box((5.0, 5.0, 0.1)), kind="static", pos=(0.0, 0.0, -0.1), material=material, name="table")
        body = add(world, Box(HALF), (0.0, 0.0, HALF[2]), mass=1.0, material=material, name="block")
        world.drivers.append(lambda world: world.apply_force(body, (force, 0.0, 0.0)))
    return build


FROM, GROWS = 2.5, 1.0      # start and rate of the ramp [N], [N/s]
SLIPPERY = Material(friction=0.6, kinetic_friction=0.3)


def ramp(world: World) -> None:
    slab(world, friction=0.6, kinetic_friction=0.3)
    body = add(world, Box(HALF), (0.0, 0.0, HALF[2]), mass=1.0, material=SLIPPERY, name="block")
    world.drivers.append(lambda world: world.apply_force(body, (FROM + GROWS * middle(world), 0.0, 0.0)))


def let_go(world: World, trace: Trace) -> float:
    """Force [N] at the first step after which the block moves: with mu_k it gains 3 m/s in every second from there on."""
    moving = np.flatnonzero(trace["vx"] > 1e-3)
    h = trace["time"][1]
    return FROM + GROWS * (trace["time"][moving[0]] - 0.5 * h) if len(moving) else math.nan


# ---- stick and slip

STIFF, BELT, MU_S, MU_K = 100.0, 0.1, 0.6, 0.4
WAY = (MU_S - MU_K) * G / STIFF
RATE = math.sqrt(STIFF)


def ride(world: World) -> None:
    world.add_body(Box((3.0, 0.5, 0.1)), kind="static", pos=(0.0, 0.0, -0.1), name="belt",
                   material=Material(friction=MU_S, kinetic_friction=MU_K, surface_velocity=(BELT, 0.0, 0.0)))
    body = add(world, Box(HALF), (0.0, 0.0, HALF[2]), mass=1.0, material=Material(friction=MU_S, kinetic_friction=MU_K),
               name="block")
    world.drivers.append(lambda world: world.apply_force(body, (-STIFF * world.bodies["pos"][body, 0], 0.0, 0.0)))


def cycle(world: World, trace: Trace) -> float:
    """Mean time between largest stretches after the first, from parabolas through three samples."""
    t, x = trace["time"], trace["x"]
    top = 1 + np.flatnonzero((x[1:-1] > x[:-2]) & (x[1:-1] >= x[2:]) & (x[1:-1] > 0.8 * x.max()))
    if len(top) < 3:
        return math.nan
    bend = x[top - 1] - 2.0 * x[top] + x[top + 1]
    times = t[top] + 0.5 * (t[1] - t[0]) * (x[top - 1] - x[top + 1]) / np.where(bend == 0.0, 1.0, bend)
    return float((times[-1] - times[1]) / (len(times) - 2))


def swing(world: World, trace: Trace) -> float:
    late = trace["x"][trace["time"] > 2.0]
    return float(0.5 * np.ptp(late))


# ---- moving supports

@functools.cache
def carried(speed: Callable[..., Any], size: float = 5.0) -> Callable[..., Any]:
    """A block on a kinematic plate of mu = 0.5 that moves with speed(t) [m/s] along x."""
    def build(world: World) -> None:
        plate = world.add_body(Box((size, 1.0, 0.1)), kind="kinematic", pos=(0.0, 0.0, -0.1), friction=0.5, name="plate",
                               vel=(speed(0.0), 0.0, 0.0))
        add(world, Box(HALF), (0.0, 0.0, HALF[2]), mass=1.0, friction=0.5, vel=(speed(0.0), 0.0, 0.0), name="block")
        world.drivers.append(lambda world: world.set_velocity(plate, (speed(middle(world)), 0.0, 0.0), (0.0, 0.0, 0.0)))
    return build


def slipped(world: World, trace: Trace) -> float:
    """Largest displacement of the block on the plate [m]."""
    return float(np.abs(trace["x"] - trace["plate"]).max())


def at_the_end(world: World, trace: Trace) -> float:
    return float(trace["plate"][-1] - trace["x"][-1])


BOTH = {"x": "body:block.x", "plate": "body:plate.x"}
GRIP = 0.5 * G
SHAKE = 2.0 * math.pi * 3.0


def shaken(t: float) -> float:
    """Speed of a shaker of 3 Hz whose acceleration reaches 0.8 mu g."""
    return 0.8 * GRIP / SHAKE * math.cos(SHAKE * t)


def truck(share: float, until: float) -> Callable[..., Any]:
    """Speed of a support that accelerates at that share of mu g for a time [s], then stays constant."""
    return lambda t: share * GRIP * min(t, until)


def dropped(world: World) -> None:
    world.add_body(Box((3.0, 0.5, 0.1)), kind="static", pos=(0.0, 0.0, -0.1), name="belt",
                   material=Material(friction=0.5, surface_velocity=(1.0, 0.0, 0.0)))
    add(world, Box(HALF), (0.0, 0.0, HALF[2]), mass=1.0, friction=0.5, name="block")


# ---- a groove, a drawer

def groove(world: World) -> None:
    """A bar on its edge between two planes at 45 degrees: friction is sqrt(2) times larger."""
    for side in (-1.0, 1.0):
        world.add_body(Plane(), kind="static", quat=turned((1.0, 0.0, 0.0), side * 0.25 * math.pi), friction=0.3,
                       name=f"wall {int(side)}")
    add(world, Box((0.2, 0.1, 0.1)), (0.0, 0.0, 0.1 * math.sqrt(2.0)), mass=1.0, friction=0.3, vel=(2.0, 0.0, 0.0), name="block",
        quat=turned((1.0, 0.0, 0.0), 0.25 * math.pi))


DEEP, WIDE, PLAY, PUSH = 0.2, 0.1, 2e-5, 10.0     # half length and half width of a drawer, play on each side [m], force [N]


def drawer(share: float) -> Callable[..., Any]:
    """A drawer pushed off its centre; at 1 / (2 mu) of its length it jams: share of that offset."""
    def build(world: World) -> None:
        world.set_gravity((0.0, 0.0, 0.0))
        for side in (-1.0, 1.0):
            block(world, (2.0, 0.1, 0.1), (0.0, side * (WIDE + PLAY + 0.1), 0.0), friction=0.5, name=f"wall {int(side)}")
        aside = share * 2.0 * DEEP / (2.0 * 0.5)
        body = add(world, Box((DEEP, WIDE, 0.05)), (0.0, 0.0, 0.0), mass=1.0, friction=0.5, name="block")

        def push(world: World) -> None:
            world.apply_force(body, (PUSH, 0.0, 0.0))
            world.apply_torque(body, (0.0, 0.0, -PUSH * aside))

        world.drivers.append(push)
    return build


FAR_VIEW = View(target=(0.5, 6.0, 0.0), distance=16.0, elevation=40.0)
"""View of many blocks."""

OUT, RIDES, SHARE = 0.5, 0.5, 0.5       # radius [m], mu, and share of mu g that the circle needs
ROUNDS = math.sqrt(SHARE * RIDES * G / OUT)
"""Angular velocity of the turntable [rad/s]."""


def turntable(world: World) -> None:
    world.add_body(Cylinder(1.0, 0.1), kind="kinematic", pos=(0.0, 0.0, -0.1), omega=(0.0, 0.0, ROUNDS), friction=RIDES,
                   name="table")
    add(world, Box((0.05, 0.05, 0.025)), (OUT, 0.0, 0.025), mass=1.0, friction=RIDES, vel=(0.0, ROUNDS * OUT, 0.0),
        omega=(0.0, 0.0, ROUNDS), name="block")


ON_DISC, CENTRE = np.array([0.4, 0.1, 0.05]), np.array([0.0, 0.1, 0.0])     # where a ball starts, and about what it circles [m]


def rolls_round(world: World) -> None:
    """A ball rolls on a turntable of 3 rad/s: in a circle at 2/7 of its rate."""
    world.add_body(Cylinder(1.0, 0.1), kind="kinematic", pos=(0.0, 0.0, -0.1), omega=(0.0, 0.0, 3.0), friction=1.0, name="table")
    vel = np.cross((0.0, 0.0, 6.0 / 7.0), ON_DISC - CENTRE)
    over = np.cross((0.0, 0.0, 3.0), ON_DISC) - vel
    add(world, Sphere(0.05), tuple(ON_DISC), mass=1.0, friction=1.0, vel=tuple(vel), omega=(20.0 * over[1], -20.0 * over[0], 0.0),
        name="block")


def out_by(centre: np.ndarray) -> Callable[[World, Trace], float]:
    """Last distance from a vertical axis, relative to the first."""
    def read(world: World, trace: Trace) -> float:
        distance = np.hypot(trace["x"] - centre[0], trace["y"] - centre[1])
        return float(distance[-1] / distance[0])
    return read


EXPERIMENTS = (
    Experiment("turntable_block", "A block rides on a turntable by half of its friction", "radius after 3 s, relative", "", "1",
               COULOMB, turntable, 3.0, {"x": "body:block.x", "y": "body:block.y"}, out_by(np.zeros(3)), 1.0,
               second_order(5e-3, 1e-4), quick=True, ordered=True),
    Experiment("turntable_ball", "A ball rolls on a turntable: one circle at 2/7 of its rate", "radius after it, relative", "",
               "1", "Weltner, Am. J. Phys. 47 (1979)", rolls_round, 7.0 * math.pi / 3.0,
               {"x": "body:block.x", "y": "body:block.y"}, out_by(CENTRE), 1.0, second_order(5e-3, 1e-4), ordered=True),
    Experiment("stop_round_cone", "Blocks thrown in five directions stop after the same distance", "distance with the largest "
                                                                                              "error", "m",
               "s = v^2 / (2 mu g) at 0, 11.25, 22.5, 33.75, 45 degrees", COULOMB, throw, 0.7, THROWN, farthest_off,
               SPEED**2 / (2.0 * MU * G), second_order(1e-3, 1e-5), options=ROUND, quick=True, view=FAR_VIEW,
               tolerances={"stewart_trinkle": (second_order(1e-3, 0.005 * SPEED**2 / (2.0 * MU * G)),
                                               "32 facets: 0.5 % at most")}),
    Experiment("stop_direction", "Friction does not deflect a block", "deflection "
                                                                  "angle", "rad", "the way is along the throw", COULOMB,
               throw, 0.7, THROWN, sideways, 0.0, always(1e-3), options=ROUND, view=FAR_VIEW,
               tolerances={"stewart_trinkle": (always(math.pi / 32), "32 facets: half a facet at most")}),
    Experiment("slope_holds", "A block on a slope of 0.99 mu stays at rest", "creep in 5 s", "m", "tan theta = 0.99 mu", COULOMB,
               lay(math.atan(0.495), 0.5), 5.0, X, farthest, 0.0, always(1e-6), quick=True),
    Experiment("slope_slides", "A block on a slope of 1.1 mu slides", "distance after 1.5 s", "m", "s = g (sin - mu cos) t^2 / 2",
               COULOMB, lay(STEEP, 0.5), 1.5, X, last, SLIDE, second_order(1e-3, 1e-6), quick=True, ordered=True),
    Experiment("slope_up_and_back", "A block launched up a slope comes back", "position after 1.5 s", "m",
               "up at g (sin + mu cos), down at g (sin - mu cos)", COULOMB, lay(0.5, 0.2, 2.0), 1.5, X, last, up_and_back,
               first_order(0.03), ordered=True),
    Experiment("first_step_holds", "A block pushed with 0.8 mu m g from the first step on", "creep in 1 s", "m",
               "0.8 < 1: it stays", COULOMB, pushed(0.8 * 0.5 * G, Material(friction=0.5)), 1.0, X, farthest, 0.0, always(1e-6),
               quick=True),
    Experiment("break_away", "A growing force breaks a block away at mu_s", "force", "N", "F = mu_s m g, mu_k = mu_s / 2",
               COULOMB, ramp, 4.0, {"vx": "body:block.vx"}, let_go, 0.6 * G, first_order(0.004 * 0.6 * G), quick=True),
    Experiment("stick_slip_period", "Stick-slip on a belt: period", "period", "s",
               "2 A / V + (pi + 2 alpha) / omega0, A = (F_s - F_k) / k", "stick-slip of one mass, phase plane", ride, 6.0, X,
               cycle, 2.0 * WAY / BELT + (math.pi + 2.0 * math.atan(BELT / (RATE * WAY))) / RATE, first_order(2.0 / 60.0)),
    Experiment("stick_slip_amplitude", "Stick-slip on a belt: amplitude", "amplitude", "m",
               "sqrt(A^2 + (V / omega0)^2)", "stick-slip of one mass, phase plane", ride, 6.0, X, swing,
               math.hypot(WAY, BELT / RATE), first_order(BELT / 60.0)),
    Experiment("shaken_holds", "A support shaken at 0.8 mu g carries its block along", "creep in 3 s", "m", "3 Hz, 0.8 mu g",
               COULOMB, carried(shaken), 3.0, BOTH, slipped, 0.0, always(1e-5), quick=True),
    Experiment("truck_holds", "A truck that accelerates at 0.8 mu g carries its load", "slip", "m", "0.8 mu g for 0.5 s",
               COULOMB, carried(truck(0.8, 0.5)), 1.0, BOTH, slipped, 0.0, always(1e-5)),
    Experiment("truck_slips", "A truck that accelerates at 1.5 mu g: slip of the load", "slip", "m", "0.375 mu g t^2, t = 0.5 s",
               COULOMB, carried(truck(1.5, 0.5)), 1.5, BOTH, at_the_end, 0.375 * GRIP * 0.25, first_order(5e-3)),
    Experiment("belt_takes_along", "A block placed on a belt slips until it moves with "
                                   "it", "slip", "m", "V^2 / (2 mu g)", COULOMB,
               dropped, 0.8, {"x": "body:block.x"}, lambda world, trace: 1.0 * trace["time"][-1] - trace["x"][-1],
               1.0 / (2.0 * GRIP), first_order(2e-3)),
    Experiment("groove", "A bar slides in a groove of 45 degrees", "distance", "m", "v^2 / (2 sqrt(2) mu g)", COULOMB, groove,
               1.0, X, last, 4.0 / (2.0 * math.sqrt(2.0) * 0.3 * G), first_order(5e-3)),
    Experiment("drawer_jams", "A drawer pushed too far off centre jams", "distance in 1 s", "m", "aside 1.05 L / (2 mu)",
               "statics: two corners at their cones", drawer(1.05), 1.0, X, farthest, 0.0, always(1e-4), options=ROUND),
    Experiment("drawer_slides", "A drawer pushed closer to its centre slides", "distance in 0.5 s", "m",
               "F (1 - 0.8) t^2 / (2 m): aside 0.8 L / (2 mu)", "statics: two corners at their cones", drawer(0.8), 0.5, X,
               farthest, 0.5 * PUSH * 0.2 * 0.25, first_order(0.02, 2e-3), options=ROUND),
)
