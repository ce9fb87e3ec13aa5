"""A ragdoll is thrown: its limbs flail at joints with dry friction, but its centre of mass flies like a stone.

All forces in the joints come in pairs; so, until it touches something, with M the mass and c the centre of mass of all parts

    c(t) = c_0 + v_0 t + g t^2 / 2,   highest at v_z^2 / (2 |g|) above the start                                     (1)
    L = sum (m_i (x_i - c) x v_i + I_i w_i) = const                                                                  (2)

while the friction of the joints takes energy from the flailing alone.
"""

import dataclasses

import numpy as np

from physics import Box, Capsule, Sphere, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import LYING, G, add, check_predictions, ground

HIGH = 1.1                      # of the torso's middle at the start [m]
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
Place = tuple[float, float, float]


@dataclasses.dataclass(frozen=True)
class Held:
    """The joint of a part: a ball joint with a cone of half angle `limit` [rad], or a hinge about y from 0 to it. by: the part
    that holds it; point: from the torso's middle [m]."""

    by: str
    name: str
    point: Place
    limit: float
    hinge: bool = False


@dataclasses.dataclass(frozen=True)
class Segment:
    """name, shape, mass [kg], place from the torso's middle [m], orientation, and its joint."""

    name: str
    shape: object
    mass: float
    place: Place
    quat: tuple[float, float, float, float] = UPRIGHT
    held: Held | None = None


def parts() -> list[Segment]:
    """All parts, each after the one that holds it."""
    found = [Segment(name="torso", shape=Box((0.09, 0.14, 0.24)), mass=20.0, place=(0.0, 0.0, 0.0)),
             Segment(name="head", shape=Sphere(0.11), mass=4.0, place=(0.0, 0.0, 0.38),
                     held=Held(by="torso", name="neck", point=(0.0, 0.0, 0.25), limit=0.7))]
    for side, s in (("left", 1.0), ("right", -1.0)):
        arm = Segment(name=f"{side} upper arm", shape=Capsule(0.045, 0.1), mass=2.0, place=(0.0, s * 0.31, 0.18), quat=LYING,
                      held=Held(by="torso", name=f"{side} shoulder", point=(0.0, s * 0.17, 0.18), limit=1.4))
        thigh = Segment(name=f"{side} thigh", shape=Capsule(0.065, 0.13), mass=6.0, place=(0.0, s * 0.09, -0.46),
                        held=Held(by="torso", name=f"{side} hip", point=(0.0, s * 0.09, -0.26), limit=1.0))
        found += [
            arm, thigh,
            Segment(name=f"{side} forearm", shape=Capsule(0.035, 0.11), mass=1.5, place=(0.0, s * 0.6, 0.18), quat=LYING,
                    held=Held(by=arm.name, name=f"{side} elbow", point=(0.0, s * 0.45, 0.18), limit=1.2)),
            Segment(name=f"{side} shank", shape=Capsule(0.05, 0.15), mass=4.0, place=(0.0, s * 0.09, -0.86),
                    held=Held(by=thigh.name, name=f"{side} knee", point=(0.0, s * 0.09, -0.66), limit=2.2, hinge=True))]
    return found


PARTS = parts()
MASSES = np.array([part.mass for part in PARTS])
UP = np.array([0.0, 0.0, HIGH])
START = MASSES @ np.array([part.place for part in PARTS]) / MASSES.sum() + UP
"""c_0 (3,) [m]"""


@dataclasses.dataclass
class Parameters:
    up: float = option(4.5, unit="m/s", lo=1.0, hi=8.0, help="Speed upwards at the start.")
    ahead: float = option(2.0, unit="m/s", lo=0.0, hi=6.0, help="Speed ahead at the start.")
    spin: float = option(5.0, unit="rad/s", lo=-10.0, hi=10.0, help="Somersaults: the whole doll's spin at the start.")
    friction: float = option(3.0, unit="N m", lo=0.0, hi=20.0, help="Bound of the dry friction in every joint.")


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    ground(world, friction=0.8)
    for k, part in enumerate(PARTS):
        place = np.array(part.place) + UP
        speed = np.array([p.ahead, 0.0, p.up]) + np.cross([0.0, p.spin, 0.0], place - START)
        body = add(world, part.shape, tuple(place), group=1 + (k + 1) // 2 % 5, mass=part.mass, quat=part.quat, friction=0.8,
                   vel=tuple(speed), omega=(0.0, p.spin, 0.0), category=2, mask=1, name=part.name)
        if (held := part.held) is not None:
            point = np.array(held.point) + UP
            along = (place - point) / np.linalg.norm(place - point)
            world.add_joint("revolute" if held.hinge else "spherical", world.body(held.by), body, anchor=tuple(point),
                            axis=(0.0, 1.0, 0.0) if held.hinge else tuple(along), max_friction=p.friction, name=held.name,
                            limits=(0.0, held.limit) if held.hinge else {"swing": (None, held.limit)})


def centre(trace: Trace, axis: str) -> np.ndarray:
    """Of mass, along an axis (n,) [m]."""
    return MASSES @ np.array([trace[f"body:{part.name}.{axis}"] for part in PARTS]) / MASSES.sum()


def angular_momentum(bodies: np.ndarray) -> np.ndarray:
    """(2) (3,) [kg m^2/s] of all moving bodies."""
    moving = bodies[bodies["inv_mass"] > 0.0]
    m = moving["mass"][:, None]
    arms = moving["pos"] - (m * moving["pos"]).sum(axis=0) / m.sum()
    spins = np.linalg.solve(moving["inv_inertia_world"], moving["omega"][:, :, None])[:, :, 0]
    return (np.cross(arms, m * moving["vel"]) + spins).sum(axis=0)


def thrown(parameters: Parameters) -> float:
    """(2) about y at the start [kg m^2/s]: of the doll as one rigid body."""
    total = 0.0
    for part in PARTS:
        x, _, z = np.array(part.place) + UP - START
        about = part.shape.inertia(part.mass)
        total += (about[2] if part.quat == LYING else about[1]) + part.mass * (x * x + z * z)
    return parameters.spin * float(total)


def predict(parameters: Parameters) -> list[Prediction]:
    p = parameters

    def highest(world: World, trace: Trace) -> float | None:
        z = centre(trace, "z")
        k = int(np.argmax(z))
        return float(z[k] - z[0]) if 0 < k < len(z) - 1 else None

    def spin(world: World, trace: Trace) -> float | None:
        flying = world.time > 0.5 * p.up / G and not world.contacts["impulse"].any()
        return float(angular_momentum(world.bodies)[1]) if flying else None
    return [Prediction("rise of the centre of mass", p.up**2 / (2.0 * G), "m", 5e-3, highest),
            Prediction("angular momentum in flight", thrown(p), "kg m^2/s", 5e-3, spin)]


def check(world: World, trace: Trace) -> None:
    """The predictions, the parabola all the way, and joints that take energy."""
    p, t = Parameters(), trace["time"]
    check_predictions(world, trace, predict(p))
    assert np.abs(centre(trace, "x") - START[0] - p.ahead * t).max() < 1e-3, "the centre of mass does not fly straight"
    assert np.abs(centre(trace, "z") - START[2] - p.up * t + 0.5 * G * t * t).max() < 5e-3, "it does not fly along the parabola"
    energy = trace["world.energy"]
    assert energy[-1] < energy[0] - 1.0, "friction takes nothing"


SCENE = Scene(
    title="Ragdoll",
    category="Joint friction",
    look_for="A doll of ten parts is thrown, spinning, and its limbs flail at joints with dry friction. However they swing, the "
             "centre of mass flies along the parabola of a stone, and the angular momentum stays: forces in joints come in "
             "pairs, friction included. It only takes energy from the flailing. With stiff joints the doll turns as one "
             "body. Then it lands, and all of that ends.",
    law=r"c(t) = c_0 + v_0 t + \tfrac12 g t^2, \quad L = \mathrm{const}",
    law_text="c(t) = c0 + v0 t + g t^2 / 2;  L = const",
    build=build,
    parameters=Parameters,
    live=("friction",),
    view=View(target=(0.6, 0.0, 1.3), distance=4.2, azimuth=24.0, elevation=6.0),
    plots=("world.energy", *(f"body:{part.name}.{axis}" for axis in "zx" for part in PARTS)),
    show=("joints",),
    predict=predict,
    check_time=0.75,
    check=check,
    unreached={},
)
