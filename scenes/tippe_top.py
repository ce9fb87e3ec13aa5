"""A ball whose weight is below its middle spins upright: it turns over, and its weight ends up on top.

R: radius, a: distance of the centre of mass from the middle, L: angular momentum, n: the body's axis, from the centre of mass to
the middle. Whatever the friction in the point of contact, which lies at -(R z - a n) from the centre of mass,

    J = L . (R z - a n) = const                                              (J. H. Jellett, 1872)                   (1)

for the friction's moment is perpendicular to the arm, and by the symmetry about n the other terms cancel. Upright J = I3 w (R - a),
turned over J = I3 w' (R + a) with the spin w' about the vertical. So it ends slower, while its centre of mass rises by 2 a:

    w' / w = (R - a) / (R + a)                                                                                       (2)
"""

import dataclasses
import math

import numpy as np

from physics import Compound, Sphere, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import add, axis_of, check_predictions, ground, turned

R, MASS = 0.1, 1.0              # [m], [kg]
I1, I3 = 0.4 * MASS * R * R, 0.42 * MASS * R * R        # across and about the axis [kg m^2]
TILT = math.radians(15.0)       # of the axis at the start
CORE, TIMES = 0.55, 2           # radius of the heavy core relative to R; its density relative to the ball's, less 1
SHARE = TIMES * CORE**3 / (1.0 + TIMES * CORE**3)
"""Of the core in the mass."""


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


def jellett(axis: np.ndarray, spin: np.ndarray, offset: float) -> np.ndarray:
    """(1) [kg m^3/s] from samples of the axis (n, 3) and the angular velocity (n, 3) [rad/s]."""
    own = np.einsum("ij,ij->i", spin, axis)[:, None] * axis
    return np.einsum("ij,ij->i", I3 * own + I1 * (spin - own), R * np.array([0.0, 0.0, 1.0]) - offset * R * axis)


def samples(trace: Trace) -> tuple[np.ndarray, np.ndarray]:
    """(axis, angular velocity) (n, 3)."""
    return axis_of(trace, "top"), np.column_stack([trace[f"body:top.omega_{key}"] for key in "xyz"])


def final_spin(parameters: Parameters) -> float:
    """w' [rad/s], by (1) from the tilted start."""
    axis = np.array([[math.sin(TILT), 0.0, math.cos(TILT)]])
    return float(jellett(axis, np.array([[0.0, 0.0, parameters.spin]]), parameters.offset)[0]) / (I3 * R * (1.0 + parameters.offset))


def predict(parameters: Parameters) -> list[Prediction]:
    p = parameters

    def turned_over(trace: Trace) -> bool:
        return bool(samples(trace)[0][-1, 2] < -0.97)
    return [Prediction("spin when it has turned over", final_spin(p), "rad/s", 0.01,
                       lambda world, trace: float(trace["body:top.omega_z"][-1]) if turned_over(trace) else None),
            Prediction("rise of the centre of mass", p.offset * R * (1.0 + math.cos(TILT)), "m", 0.02,
                       lambda world, trace: float(trace["body:top.z"][-1] - trace["body:top.z"][0]) if turned_over(trace)
                       else None)]


def check(world: World, trace: Trace) -> None:
    """It turns over, and (1) holds all the way."""
    p = Parameters()
    check_predictions(world, trace, predict(p))
    constant = jellett(*samples(trace), p.offset)
    assert np.ptp(constant) < 0.01 * constant[0], f"Jellett's number changes by {np.ptp(constant) / constant[0]}"


SCENE = Scene(
    title="Tippe top",
    category="Rolling and spinning",
    look_for="A ball with a heavy core below its middle spins upright. Any other ball would go on spinning; this one turns over, "
             "until its core is on top, against its weight. Friction does it: the point of contact slips round, and its force "
             "turns the axis down. The energy to rise comes from the spin, which falls. Without friction nothing happens.",
    law=r"L\cdot(R\,\hat z - a\,\hat n) = const \;\Rightarrow\; \frac{w'}{w} = \frac{R-a}{R+a}",
    law_text="L . (R z - a n) = const:  w' / w = (R - a) / (R + a)",
    build=build,
    parameters=Parameters,
    live=("mu",),
    dt=1.0 / 480.0,
    view=View(target=(0.0, 0.0, 0.1), distance=1.0, azimuth=14.0, elevation=20.0),
    options={"cone": "circle"},
    plots=("body:top.z", "body:top.omega_z", "body:top.omega_x", "body:top.omega_y", "body:top.roll", "body:top.pitch",
           "body:top.yaw"),
    show=("contacts", "velocities"),
    predict=predict,
    check_time=2.2,
    check=check,
    unreached={},
)
