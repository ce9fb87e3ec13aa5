"""A brake that squeals and one that does not: blocks on springs, pressed on the rims of turning wheels. Static friction is above
kinetic friction, or equal to it.

    stick    the block goes with the rim, speed V, until   k x + c V = mu_s N                                        (1)
    slip     m x'' + c x' + k x = mu_k N,  a damped swing about x_k = mu_k N / k                                     (2)
    stick    again when its speed is V once more: from then on with (1)

If damping keeps the swing (2) from ever reaching V again, the block comes to rest at x_k: the brake is quiet. With equal
coefficients it always does. A real brake is a million times stiffer, and does the same some thousand times a second.
"""

import dataclasses
import math

import numpy as np

from physics import Box, Cylinder, Material, World, option
from scenes import Curve, Prediction, Scene, Trace, View, present
from scenes._parts import LYING, G, add, block, check_predictions, ground, push

WHEEL, WIDTH = 0.3, 0.06                        # radius and half width of a wheel [m]
HALF, MASS = (0.17, 0.06, 0.03), 2.0            # of a block [m], m [kg]
STIFFNESS = 200.0                               # k [N/m]
SIDE, REACH = 0.3, 0.5                          # of the wheels from the middle, of the posts from the axles [m]
BRAKES = ("squealing", "quiet")


@dataclasses.dataclass
class Parameters:
    static: float = option(0.5, lo=0.1, hi=0.8, help="Static friction coefficient of the first brake.")
    kinetic: float = option(0.3, lo=0.1, hi=0.8, help="Kinetic friction coefficient of both brakes, and the static one of the "
                                                      "second; in the first limited to the static one.")
    speed: float = option(0.5, unit="rad/s", lo=0.1, hi=4.0, help="Angular velocity of the wheels. Fast ones do not squeal.")
    force: float = option(20.0, unit="N", lo=0.0, hi=60.0, help="Force that presses each block on its wheel, besides its weight.")
    damping: float = option(4.0, unit="N s/m", lo=0.0, hi=20.0, help="Damping of the springs.")


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    ground(world)
    kinetic = min(p.kinetic, p.static)
    surfaces = (Material(friction=p.static, kinetic_friction=kinetic, name="squealing"),
                Material(friction=p.kinetic, kinetic_friction=p.kinetic, name="quiet"))
    for k, (name, surface) in enumerate(zip(BRAKES, surfaces, strict=True)):
        y, z = SIDE * (1 - 2 * k), 2.0 * WHEEL + 0.1
        add(world, Cylinder(WHEEL, WIDTH), (0.0, y, z - WHEEL), kind="kinematic", group=0, quat=LYING, material=surface,
            omega=(0.0, p.speed, 0.0), name=f"{name} wheel")
        at = np.array([0.0, y, z + HALF[2]])
        shoe = add(world, Box(HALF), tuple(at), group=3 - 2 * k, mass=MASS, material=surface, vel=(p.speed * WHEEL, 0.0, 0.0),
                   name=f"{name} block")
        world.add_joint("six_dof", 0, shoe, anchor=tuple(at), limits=dict.fromkeys(("y", "rx", "ry", "rz"), (0.0, 0.0)),
                        name=f"guide {name}")
        world.add_joint("spring", 0, shoe, anchor=(-REACH, y, at[2]), anchor_b=(-HALF[0], y, at[2]), stiffness=STIFFNESS,
                        damping=p.damping, name=f"spring {name}")
        block(world, (0.03, 0.06, 0.5 * at[2] + 0.02), (-REACH - 0.03, y, 0.5 * at[2] + 0.02), name=f"post {name}")
        push(world, shoe, lambda world: (0.0, 0.0, -present(p, world.inputs).force))


def bound(mu: float, p: Parameters) -> float:
    """Of the friction of a block [N]."""
    return mu * (p.force + MASS * G)


@dataclasses.dataclass(frozen=True)
class Slip:
    """The swing (2), from the release (1) until the block sticks again. times: since the release [s]; places: x [m]."""

    times: np.ndarray
    places: np.ndarray
    sticks: bool


def slip(static: float, kinetic: float, p: Parameters) -> Slip:
    """By the closed form of a damped swing, every 1/20000 of its period and at its end."""
    speed, rest = p.speed * WHEEL, bound(kinetic, p) / STIFFNESS
    decay = 0.5 * p.damping / MASS
    omega = math.sqrt(STIFFNESS / MASS - decay**2)
    times = np.linspace(0.0, 2.0 * math.pi / omega, 20001)
    a = (bound(static, p) - p.damping * speed) / STIFFNESS - rest
    b = (speed + decay * a) / omega
    fade, cos, sin = np.exp(-decay * times), np.cos(omega * times), np.sin(omega * times)
    swing = fade * (a * cos + b * sin)
    rates = fade * omega * (b * cos - a * sin) - decay * swing
    back = np.flatnonzero((rates[:-1] < speed) & (rates[1:] >= speed))
    end = int(back[0]) + 2 if len(back) else len(times)
    return Slip(times[:end], rest + swing[:end], bool(len(back)))


def squeal(p: Parameters) -> tuple[Slip, float] | None:
    """The slip of the squealing block and its period [s]; None: it is quiet."""
    if p.static <= p.kinetic or not (found := slip(p.static, p.kinetic, p)).sticks:
        return None
    return found, float((found.places[0] - found.places[-1]) / (p.speed * WHEEL) + found.times[-1])


def turns_back(trace: Trace) -> np.ndarray:
    """Times at which the squealing block turns back [s], between two steps where its speed is zero."""
    time, speed = trace["time"], trace["body:squealing block.vx"]
    at = np.flatnonzero((speed[:-1] > 0.0) & (speed[1:] <= 0.0))
    return time[at] + (time[at + 1] - time[at]) * speed[at] / (speed[at] - speed[at + 1])


def predict(parameters: Parameters) -> list[Prediction]:
    p, found, made = parameters, squeal(parameters), []
    if found is not None:
        def period(world: World, trace: Trace) -> float | None:
            times = turns_back(trace)
            return float(times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else None

        def farthest(world: World, trace: Trace) -> float | None:
            return float(trace["body:squealing block.x"].max()) if len(turns_back(trace)) else None
        made += [Prediction("period of the squeal", found[1], "s", 0.02, period),
                 Prediction("farthest place of the squealing block", float(found[0].places.max()), "m", 0.03, farthest,
                            "body:squealing block.x")]
    if p.damping > 0.0 and not slip(p.kinetic, p.kinetic, p).sticks:
        def resting(world: World, trace: Trace) -> float | None:
            time, x = trace["time"], trace["body:quiet block.x"]
            return float(x[time > time[-1] - 0.5].mean()) if time[-1] > 8.0 * MASS / p.damping else None
        made.append(Prediction("place of the quiet block", bound(p.kinetic, p) / STIFFNESS, "m", 0.02, resting,
                               "body:quiet block.x"))
    return made


def law_curves(parameters: Parameters) -> list[Curve]:
    """Two periods of the squeal, with (1) and (2) in turn."""
    if (found := squeal(parameters)) is None:
        return []
    (swing, _), times, places = found, [0.0], [0.0]
    for _ in range(2):
        release = times[-1] + (swing.places[0] - places[-1]) / (parameters.speed * WHEEL)
        times += [*(release + swing.times[::400]), release + swing.times[-1]]
        places += [*swing.places[::400], swing.places[-1]]
    return [Curve("body:squealing block.x", "law", tuple(map(float, times)), tuple(map(float, places)), 0.06)]


def check(world: World, trace: Trace) -> None:
    """Period and places are those of theory, the one block goes on to squeal, the other one has come to rest."""
    check_predictions(world, trace, predict(Parameters()))
    late = trace["time"] > trace["time"][-1] - 1.0
    assert np.ptp(trace["body:squealing block.x"][late]) > 0.05, "the squeal dies out"
    assert np.ptp(trace["body:quiet block.x"][late]) < 0.002, "the quiet block swings"


SCENE = Scene(
    title="A brake that squeals",
    category="Contact friction",
    look_for="Two wheels turn at the same speed; on the rim of each a block is pressed that a spring holds. The orange one has "
             "more static than kinetic friction: it sticks, goes with the rim until the spring tears it off, swings back and "
             "sticks again. That is the squeal. The other block has one coefficient: it swings a little and comes to rest in "
             "the slip. Turn the wheels faster, or damp the springs more, and the first brake goes quiet, too.",
    law=r"m\ddot x + c\dot x + k x = \mu_k N, \qquad k x + c\,V \leq \mu_s N",
    law_text="slip: m x'' + c x' + k x = mu_k N;  stick, with the speed V: k x + c V <= mu_s N",
    build=build,
    parameters=Parameters,
    live=("static", "kinetic", "speed", "force", "damping"),
    view=View(target=(-0.1, 0.0, 0.45), distance=2.1, azimuth=28.0, elevation=14.0),
    options={"cone": "circle"},
    plots=("body:squealing block.x", "body:quiet block.x", "body:squealing block.vx", "body:quiet block.vx"),
    show=("contacts", "friction_forces", "joints"),
    predict=predict,
    law_curves=law_curves,
    check_time=5.0,
    check=check,
    unreached={},
)
