"""A ball whose weight is below its middle spins upright: it turns over, and its weight ends up on top.

R: radius, a: distance of the centre of mass from the middle, L: angular momentum, n: the body's axis, from the centre of mass to
the middle. Whatever the friction in the point of contact, which lies at -(R z - a n) from the centre of mass,

    J = L . (R z - a n) = const                                              (J. H. Jellett, 1872)                   (1)

for the friction's moment is perpendicular to the arm, and by the symmetry about n the other terms cancel. Upright
J = I3 w (R - a), turned over J = I3 w' (R + a) with the spin w' about the vertical. So it ends slower, while its centre
of mass rises by 2 a:

    w' / w = (R - a) / (R + a)                                                                                       (2)
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from physics import Compound, Hull, Sphere, World, option
from physics.core.quaternions import rotate
from scenes import Prediction, Scene, Trace, View
from scenes._parts import add, check_predictions, ground, turned

R, MASS = 0.1, 1.0              # [m], [kg]
I1, I3 = 0.4 * MASS * R * R, 0.42 * MASS * R * R        # across and about the axis [kg m^2]
TILT = math.radians(15.0)       # of the axis at the start
CORE, TIMES = 0.55, 2           # radius of the heavy core relative to R; its density relative to the ball's, less 1
SHARE = TIMES * CORE**3 / (1.0 + TIMES * CORE**3)
"""Of the core in the mass."""
CAP, CAP_MASS = 1.013, 1e-5     # radius of the painted half relative to R, its mass [kg]: it hides nothing and weighs nothing
RINGS, AROUND = 8, 30           # of its points


@dataclasses.dataclass
class Parameters:
    spin: float = option(120.0, unit="rad/s", lo=60.0, hi=200.0, help="Spin at the start.")
    offset: float = option(0.1, lo=0.06, hi=0.107, help="Distance of the centre of mass from the middle, relative to the radius.")
    mu: float = option(0.7, lo=0.05, hi=0.8, help="Friction coefficient with the floor.")


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    ground(world, friction=p.mu)
    core = (Sphere(CORE * R), (0.0, 0.0, -p.offset * R / SHARE))        # parts that overlap count twice
    shape = Compound((Sphere(R), (0.0, 0.0, 0.0)), *[core] * TIMES)
    add(world, shape, (0.0, 0.0, R), quat=turned((0.0, 1.0, 0.0), TILT), mass=MASS, inertia=(I1, I1, I3), friction=p.mu,
        omega=(0.0, 0.0, p.spin), name="top")
    paint(world, p)


def paint(world: World, p: Parameters) -> None:
    """Add the upper half's colour: a light cap on the ball that touches nothing."""
    points = [(CAP * R * math.cos(a) * math.cos(b), CAP * R * math.cos(a) * math.sin(b), CAP * R * math.sin(a))
              for a in np.linspace(0.0, 0.5 * math.pi, RINGS, endpoint=False) for b in np.linspace(0.0, math.tau, AROUND, False)]
    cap, turn, top = Hull([*points, (0.0, 0.0, CAP * R)]), turned((0.0, 1.0, 0.0), TILT), world.body("top")
    middle = np.array([0.0, 0.0, R]) + rotate(np.array(turn), cap.centre)
    body = add(world, cap, tuple(middle), group=2, mass=CAP_MASS, mask=0, quat=turn, omega=(0.0, 0.0, p.spin), name="paint",
               vel=tuple(np.cross((0.0, 0.0, p.spin), middle - world.bodies["pos"][top])))
    world.add_joint("fixed", top, body, anchor=tuple(middle), name="coat")


def jellett(axis: np.ndarray, spin: np.ndarray, offset: float) -> float:
    """(1) [kg m^3/s] for the axis n (3,) and the angular velocity (3,) [rad/s]."""
    own = (spin @ axis) * axis
    return float((I3 * own + I1 * (spin - own)) @ (R * np.array([0.0, 0.0, 1.0]) - offset * R * axis))


def start(parameters: Parameters) -> float:
    """J at the start."""
    return jellett(np.array([math.sin(TILT), 0.0, math.cos(TILT)]), np.array([0.0, 0.0, parameters.spin]), parameters.offset)


def predict(parameters: Parameters) -> list[Prediction]:
    p = parameters

    def at_end(key: str, less: float = 0.0) -> Callable[[World, Trace], float | None]:
        """Once the ball has turned over, by 165 degrees or more."""
        return lambda world, trace: (float(trace[key][-1]) - less if trace["body:top.z"][-1] > R * (1.0 + 0.966 * p.offset)
                                     else None)
    return [Prediction("spin when it has turned over", start(p) / (I3 * R * (1.0 + p.offset)), "rad/s", 0.01,
                       at_end("body:top.omega_z"), "body:top.omega_z"),
            Prediction("rise of the centre of mass", p.offset * R * (1.0 + math.cos(TILT)), "m", 0.02,
                       at_end("body:top.z", R * (1.0 - p.offset * math.cos(TILT))))]


def check(world: World, trace: Trace) -> None:
    """It turns over, and (1) holds."""
    p, top = Parameters(), world.bodies[world.body("top")]
    check_predictions(world, trace, predict(p))
    now = jellett(rotate(top["quat"], np.array([0.0, 0.0, 1.0])), top["omega"], p.offset)
    assert abs(now - start(p)) < 5e-4 * start(p), f"Jellett's number changes from {start(p)} to {now}"


SCENE = Scene(
    title="Tippe top",
    category="Rolling and spinning",
    look_for="A ball with a heavy core below its middle spins upright. Any other ball would go on spinning; this one turns "
             "over, until its core is on top, against its weight: watch the green half go down. Friction does it: the point of"
             " contact slips round, and its force turns the axis down. See in the plot how the centre of mass rises while the "
             "spin falls, which pays for it. Without friction nothing happens.",
    law=r"L\cdot(R\,\hat z - a\,\hat n) = \mathrm{const} \;\Rightarrow\; \frac{w'}{w} = \frac{R-a}{R+a}",
    law_text="L . (R z - a n) = const:  w' / w = (R - a) / (R + a)",
    build=build,
    parameters=Parameters,
    live=("mu",),
    view=View(target=(0.0, 0.0, 0.1), distance=0.7, azimuth=14.0, elevation=20.0),
    options={"cone": "circle"},
    plots=("body:top.z", "body:top.omega_z"),
    show=("contacts", "slip"),
    expected_warnings=("body 'paint' is joined to 'top'",),
    predict=predict,
    check_time=2.2,
    check=check,
    unreached={},
)
