"""The woodpecker toy: a bird on a spring pecks its way down a pole. Its sleeve jams, slips, jams again. The other hangs still.

The sleeve, of mass m, has some play on the pole and tilts by f < 0 until its rounded corner, h below its middle and b beside it,
touches the pole at the distance r from its axis. The bird, of mass M, sits on a torsion spring c at the distance l from the
sleeve's middle, its centre L behind that, at the angle q. At rest, moments of the bird about the spring and of both about the
sleeve's middle, with the weight W = (M + m) g held by friction:

    c (f - q) = M g L cos(q)                                                                                         (1)
    N (h cos(f) - b sin(f)) + W r = M g (l cos(f) + L cos(q)),   it holds where  W <= mu N                            (2)

While the bird swings up, N falls and the sleeve slips; when the beak strikes the pole, it is thrown back and jams the sleeve.
Ten times as long, a hundred times as heavy as in R. Leine, C. Glocker, D. van Campen, Nonlinear Dynamics of the Woodpecker Toy,
DETC 2001.
"""

import dataclasses
import math

import numpy as np

from physics import Box, Capsule, Compound, Ellipsoid, Sphere, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import G, add, block, check_predictions, ground, turned

SLEEVE, BIRD = (0.03, 5e-5), (0.45, 7e-3)       # masses [kg], moments of inertia [kg m^2]
POLE, BORE, TALL = 0.025, 0.031, 0.058          # r, b, h [m]
HINGE, BACK = 0.1, 0.15                         # l, L [m]
BEAK = (-0.201, 0.2)            # tip, from the bird's centre along and across its arm [m]
SPRING, BOUNCE = 5.6, 0.5       # c [N m/rad], restitution of the beak
CORNER = 0.004                  # radius of the sleeve's corners [m]
APART, TOP = 0.45, 1.6          # of the poles from the middle, height of the sleeves at the start [m]
PECKING = (0.0, -0.2788, -1.0786, -2.3585)
"""Of the pecking bird at the start: further tilt of the sleeve, q [rad], speed of the sleeve [m/s], rate of q [rad/s]."""


@dataclasses.dataclass
class Parameters:
    mu: float = option(0.32, lo=0.25, hi=0.5, help="Friction coefficient of sleeves, beaks and poles.")


def jammed() -> float:
    """f at which the lower corner, on the bird's side, touches the pole [rad]."""
    reach = math.hypot(BORE + CORNER, TALL)
    return math.asin((POLE + CORNER) / reach) - math.asin((BORE + CORNER) / reach)


def hanging() -> tuple[float, float]:
    """q of (1) [rad] and N of (2) [N] at rest."""
    f, q, (m, _), (heavy, _) = jammed(), 0.0, SLEEVE, BIRD
    for _ in range(50):
        q = f - heavy * G * BACK * math.cos(q) / SPRING
    arm = heavy * G * (HINGE * math.cos(f) + BACK * math.cos(q)) - (heavy + m) * G * POLE
    return q, arm / (TALL * math.cos(f) - (BORE + CORNER) * math.sin(f))


def rotated(angle: float, x: float, z: float) -> np.ndarray:
    """(x, 0, z) rotated by an angle [rad] from x to z."""
    return np.array([math.cos(angle) * x - math.sin(angle) * z, 0.0, math.sin(angle) * x + math.cos(angle) * z])


def toy(world: World, at: float, name: str, motion: tuple[float, float, float, float], mu: float) -> None:
    """Add a pole at x [m] and a toy on it; motion: as PECKING."""
    block(world, (0.0215, 0.025, 0.5 * TOP + 0.1), (at + 0.0035, 0.0, 0.5 * TOP + 0.1), friction=mu, name=f"pole {name}")
    f, (_, q, falls, swings) = jammed() + motion[0], motion
    middle = np.array([at, 0.0, TOP])
    hinge = middle + rotated(f, HINGE, 0.0)
    centre = hinge + rotated(q, BACK, 0.0)
    shape = Compound(*((Sphere(CORNER), (side * (BORE + CORNER), 0.0, z)) for side in (1.0, -1.0) for z in (TALL, -TALL)),
                     *((Box((0.045, 0.004, 0.065)), (0.0, y, 0.0)) for y in (0.036, -0.036)))
    sleeve = add(world, shape, tuple(middle), group=3, mass=SLEEVE[0], inertia=(SLEEVE[1],) * 3, friction=mu,
                 quat=turned((0.0, 1.0, 0.0), -f), vel=(0.0, 0.0, falls), name=f"sleeve {name}")
    parts = ((Capsule(0.01, 0.03), (BEAK[0] + 0.04, 0.0, BEAK[1]), turned((0.0, 1.0, 0.0), 0.5 * math.pi)),
             (Sphere(0.045), (-0.11, 0.0, 0.19)), (Capsule(0.03, 0.09), (-0.04, 0.0, 0.065), turned((0.0, 1.0, 0.0), -0.54)),
             (Capsule(0.006, 0.07), (-0.08, 0.0, 0.0), turned((0.0, 1.0, 0.0), 0.5 * math.pi)))
    belly = Ellipsoid((0.05, 0.05, 0.12))
    balanced = -sum(part[0].volume() * np.array(part[1]) for part in parts) / belly.volume()
    omega = np.array([0.0, -swings, 0.0])
    bird = add(world, Compound(*parts, (belly, tuple(balanced))), tuple(centre), group=2, mass=BIRD[0], inertia=(BIRD[1],) * 3,
               friction=mu, restitution=BOUNCE, quat=turned((0.0, 1.0, 0.0), -q), omega=tuple(omega),
               vel=tuple(np.array([0.0, 0.0, falls]) + np.cross(omega, centre - hinge)), name=f"bird {name}")
    world.add_joint("six_dof", 0, sleeve, anchor=tuple(middle), limits=dict.fromkeys(("x", "y", "rx", "rz"), (0.0, 0.0)),
                    name=f"guide {name}")
    world.add_joint("revolute", sleeve, bird, anchor=tuple(hinge), axis=(0.0, 1.0, 0.0), name=f"hinge {name}")
    world.add_joint("torsion_spring", sleeve, bird, anchor=tuple(hinge), axis=(0.0, 1.0, 0.0), stiffness=SPRING, angle=q - f,
                    name=f"spring {name}")


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    toy(world, -APART, "1", PECKING, parameters.mu)
    toy(world, APART, "2", (0.0, hanging()[0], 0.0, 0.0), parameters.mu)


def predict(parameters: Parameters) -> list[Prediction]:
    if sum((SLEEVE[0], BIRD[0])) * G > parameters.mu * hanging()[1]:
        return []                                               # it slides

    def pressed(world: World, trace: Trace) -> float | None:
        return float(trace["joint:guide 2.reaction"][-1]) if trace["time"][-1] > 0.5 else None
    return [Prediction("force of the hanging sleeve on its pole", hanging()[1], "N", 0.01, pressed, "joint:guide 2.reaction")]


def check(world: World, trace: Trace) -> None:
    """The hanging toy holds with the predicted force, the pecking one has come down by steps."""
    check_predictions(world, trace, predict(Parameters()))
    assert np.ptp(trace["body:sleeve 2.z"]) < 1e-3, "the hanging toy slides"
    down, time = TOP - trace["body:sleeve 1.z"], trace["time"]
    assert 0.2 * time[-1] < down[-1] < time[-1], f"it comes down by {down[-1]} m"
    assert (np.abs(np.diff(down)) < 1e-5).sum() > 0.2 * len(time), "it never jams"


SCENE = Scene(
    title="Woodpecker toy",
    category="Mechanisms",
    look_for="Both birds sit on springs, on sleeves with some play on their poles. The one on the right hangs still: the weight "
             "tilts its sleeve, the corner presses on the pole, and friction holds. The other one pecks: when it swings up the "
             "sleeve is released and slips, until the beak strikes the pole and the bird, thrown back, jams the sleeve again. "
             "See in the plot how it comes down in steps.",
    law=r"N\,(h\cos f - b\sin f) + W r = M g\,(l\cos f + L\cos q),\qquad W \leq \mu N",
    law_text="N (h cos(f) - b sin(f)) + W r = M g (l cos(f) + L cos(q)),  W <= mu N",
    build=build,
    parameters=Parameters,
    dt=1.0 / 960.0,
    view=View(target=(0.08, 0.0, 1.4), distance=2.2, azimuth=6.0, elevation=6.0),
    options={"cone": "circle"},
    plots=("body:sleeve 1.z", "body:sleeve 2.z", "joint:guide 1.reaction", "joint:guide 2.reaction", "joint:hinge 1.angle"),
    show=("contacts", "friction_forces"),
    predict=predict,
    check_time=1.5,
    check=check,
    unreached={},
)
