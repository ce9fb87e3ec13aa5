"""Blocks on a slope with soft tangential springs: one creeps and sticks, one slips (Featherstone 2008, eqs 11.75 to 11.79).

    sticks    x = m g sin(theta) / (n K_t),   plus h phi,  phi = m g sin(theta) h / (n K l^2): it leans on its front corners   (1)
    slips     a = g (sin(theta) - mu cos(theta))                                                                             (2)
"""

import dataclasses
import math

import numpy as np

from physics import Box, World, option
from scenes import Prediction, Scene, Trace, View, present
from scenes._parts import GREY, add, check_predictions, ground, of_body, tilt, tilted, turned

LENGTH, MASS, G = 3.0, 5.0, 9.81
HALF = (0.15, 0.15, 0.08)
STICKS, SLIPS = "creeping block", "slipping block"
K, D = 2e4, 150.0


@dataclasses.dataclass
class Parameters:
    angle: float = option(25.0, unit="deg", lo=5.0, hi=35.0, help="Tilt of the slope.")
    tangential_stiffness: float = option(2000.0, unit="N/m", lo=500.0, hi=20_000.0, log=True,
                                         help="Stiffness K_t of each corner along the slope. A softer one creeps farther before "
                                              "it holds.")
    mu: float = option(0.3, lo=0.0, hi=0.4, help="Friction coefficient of the slipping block; the other one has 1.5.")


def along(angle: float) -> np.ndarray:
    """Unit vector down the slope."""
    return np.array([math.cos(math.radians(angle)), 0.0, -math.sin(math.radians(angle))])


def place(theta: float) -> np.ndarray:
    """Positions of both slopes (2, 3) [m]."""
    x, z = -0.05 * math.sin(theta), 0.5 * LENGTH * math.sin(theta) + 0.1 - 0.05 * math.cos(theta)
    return np.array([(x, -0.3, z), (x, 0.3, z)])


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    theta = math.radians(parameters.angle)
    down, up = along(parameters.angle), np.array([math.sin(theta), 0.0, math.cos(theta)])
    sloping, slopes = turned((0.0, 1.0, 0.0), theta), []
    for at, name, mu in zip(place(theta), (STICKS, SLIPS), (1.5, parameters.mu), strict=True):
        slopes.append(add(world, Box((0.5 * LENGTH, 0.28, 0.05)), tuple(at), kind="kinematic", group=GREY, quat=sloping,
                          friction=mu, name=f"slope of the {name}"))
        start = at - (0.5 * LENGTH - 0.4) * down + (0.05 + HALF[2]) * up
        add(world, Box(HALF), tuple(start), group=1 + (name == SLIPS), quat=sloping, mass=MASS, friction=mu, name=name)
    tilt(world, slopes, (), place, lambda world: math.radians(present(parameters, world.inputs).angle))


def travelled(trace: Trace, name: str, parameters: Parameters) -> np.ndarray:
    """Way down the slope [m]."""
    x, z, down = trace[f"body:{name}.x"], trace[f"body:{name}.z"], along(parameters.angle)
    return (x - x[0]) * down[0] + (z - z[0]) * down[2]


def creep(parameters: Parameters) -> float:
    """(1) [m]."""
    pull = MASS * G * math.sin(math.radians(parameters.angle))
    return pull / (4.0 * parameters.tangential_stiffness) + pull * HALF[2] ** 2 / (4.0 * K * HALF[0] ** 2)


def slipping(parameters: Parameters) -> float:
    """(2) [m/s^2]."""
    theta = math.radians(parameters.angle)
    return max(0.0, G * (math.sin(theta) - parameters.mu * math.cos(theta)))


def predict(parameters: Parameters) -> list[Prediction]:
    def crept(world: World, trace: Trace) -> float | None:
        return float(travelled(trace, STICKS, parameters)[-1]) if trace["time"][-1] > 0.8 else None

    def acceleration(world: World, trace: Trace) -> float | None:
        t, way = trace["time"], travelled(trace, SLIPS, parameters)
        k = np.flatnonzero(t >= 0.3)
        m = np.flatnonzero(t >= 0.9)
        if not len(m):
            return None
        a, b = k[0], m[0]
        v_a, v_b = ((way[i + 1] - way[i - 1]) / (t[i + 1] - t[i - 1]) for i in (a, b - 1))
        return float((v_b - v_a) / (t[b - 1] - t[a]))
    return [Prediction("creep of the block that sticks", creep(parameters), "m", 0.01, crept),
            Prediction("acceleration of the block that slips", slipping(parameters), "m/s^2", 5e-3, acceleration)]


def check(world: World, trace: Trace) -> None:
    """The creep is that of the springs and ends; the other block accelerates by the rigid law."""
    check_predictions(world, trace, predict(Parameters()))
    late = travelled(trace, STICKS, Parameters())[trace["time"] > 0.9]
    assert np.ptp(late) < 1e-3 * creep(Parameters()), f"the block still creeps, by {np.ptp(late):.2e} m"


SCENE = Scene(
    title="Creep and slip on a soft slope",
    category="Contact friction",
    look_for="Surface patches are springs along the slope as well. The first block gives way by a few millimetres and then "
             "holds: its friction is the force of the springs, and the creep is bounded. The second one needs more friction than "
             "the cone allows, so that its patches slip. Soften the tangential stiffness: the creep grows, the acceleration does "
             "not.",
    law=r"x = \frac{m g \sin\theta}{n}\left(\frac{1}{K_t} + \frac{h^2}{K l^2}\right), \qquad a = g\,(\sin\theta - \mu\cos\theta)",
    law_text="sticks at x = m g sin(theta) / n (1 / K_t + h^2 / (K l^2)); slips with a = g (sin(theta) - mu cos(theta))",
    build=build,
    parameters=Parameters,
    live=("angle", "tangential_stiffness", "mu"),
    actual={"angle": of_body(f"slope of the {STICKS}", tilted)},
    solver="compliant_contact",
    options={"stiffness": K, "damping": D, "tangential_damping": 70.0},
    chosen_options=lambda parameters: {"tangential_stiffness": parameters.tangential_stiffness},
    view=View(target=(-0.42, -0.1, 1.12), distance=2.2, azimuth=30.0, elevation=20.0),
    plots=(f"body:{STICKS}.x", f"body:{STICKS}.z", f"body:{SLIPS}.x", f"body:{SLIPS}.z"),
    show=("contacts", "forces", "cones"),
    predict=predict,
    check_time=1.0,
    check=check,
    unreached={**dict.fromkeys(("joint_space", "sequential_impulses", "stewart_trinkle"),
                               "its contacts are rigid along the slope, and the block does not creep"),
               "soft_steps": "its contacts hold more stiffly than the springs of the scene: it creeps by a micrometre"},
)
