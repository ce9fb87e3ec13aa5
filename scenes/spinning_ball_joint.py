"""An asymmetric body on a spherical joint with dry friction: what opposes a rotation, omega or I omega?

Coulomb's law with the bound ||tau|| <= F_max (MS16 eq 8) and maximal dissipation gives tau = -F_max omega / ||omega||,
power F_max ||omega||. The paper's update (eq 16) scales the impulse that would stop the body, which is along I omega.
For a brick, whose moments of inertia differ, that is another direction, and the power is less:
F_max (I omega . omega) / ||I omega||.
"""

import dataclasses

import numpy as np

from physics import Box, Sphere, World, option
from scenes import Curve, Prediction, Scene, Trace, View
from scenes._parts import GREY, add, block, ground

HALF = (0.45, 0.22, 0.08)
CENTRE = (0.0, 0.0, 1.0)
MASS = 20.0


@dataclasses.dataclass
class Parameters:
    friction: float = option(2.0, unit="N m", lo=0.0, hi=50.0, help="Bound of the dry friction torque in the joint.")
    spin: float = option(8.0, unit="rad/s", lo=0.0, hi=30.0, help="Initial angular speed, about an axis that is not a principal "
                                                                  "axis.")


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    omega = parameters.spin * np.array([1.0, 1.0, 1.0]) / np.sqrt(3.0)
    brick = add(world, Box(HALF), CENTRE, group=5, mass=MASS, omega=tuple(omega), name="brick")
    stand = block(world, (0.03, 0.03, 0.18), (0.0, 0.0, 0.18), name="stand")
    add(world, Sphere(0.05), (0.0, 0.0, 0.36), kind="static", group=GREY, name="tip")
    block(world, (0.3, 0.3, 0.02), (0.0, 0.0, 0.02), name="foot")
    world.add_joint("spherical", stand, brick, anchor=CENTRE, max_friction=parameters.friction, name="socket")


def energy(parameters: Parameters) -> float:
    """Kinetic energy at the start [J]."""
    spin = parameters.spin / np.sqrt(3.0)
    return float(0.5 * spin**2 * np.sum(Box(HALF).inertia(MASS)))


def dissipated(trace: Trace, friction: float) -> float:
    """Integral of F_max ||omega|| over the run [J], each step with the mean of its ends."""
    rate, time = trace["joint:socket.rate"], trace["time"]
    return float(np.sum(0.5 * (rate[1:] + rate[:-1]) * np.diff(time)) * friction)


def predict(parameters: Parameters) -> list[Prediction]:
    """All of the energy goes into F_max times the angle turned."""
    if parameters.friction <= 0.0:
        return []

    def measure(world: World, trace: Trace) -> float | None:
        at_rest = trace["world.kinetic"][-1] < 1e-9
        return dissipated(trace, parameters.friction) / parameters.friction if at_rest else None

    return [Prediction("angle turned until it stops", energy(parameters) / parameters.friction, "rad", 0.01, measure)]


def law_curves(parameters: Parameters) -> list[Curve]:
    """Angular speed by Euler's equations with the friction, I omega' = -omega x I omega - F omega / |omega|, body axes (RK4)."""
    if parameters.friction <= 0.0 or parameters.spin <= 0.0:
        return []
    inertia = np.array(Box(HALF).inertia(MASS))
    omega, h = np.full(3, parameters.spin / np.sqrt(3.0)), 0.002
    end = 2.0 * energy(parameters) / (parameters.friction * parameters.spin)

    def change(w: np.ndarray) -> np.ndarray:
        return -(np.cross(w, inertia * w) + parameters.friction * w / max(1e-9, float(np.linalg.norm(w)))) / inertia

    times, rates = [0.0], [parameters.spin]
    while rates[-1] > 3.0 * h * parameters.friction / inertia.min() and times[-1] < min(20.0, 2.0 * end):
        k1 = change(omega)
        k2 = change(omega + 0.5 * h * k1)
        k3 = change(omega + 0.5 * h * k2)
        omega = omega + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + change(omega + h * k3))
        times.append(times[-1] + h)
        rates.append(float(np.linalg.norm(omega)))
    return [Curve("joint:socket.rate", "law", tuple(times), tuple(rates), 0.02)]


def check(world: World, trace: Trace) -> None:
    """Work of friction F_max times the angle turned; kinetic energy only falls; it stops and stays."""
    p = Parameters()
    kinetic = trace["world.kinetic"]
    assert np.all(np.diff(kinetic) <= 1e-9 * kinetic[0]), "a step gained energy"
    assert kinetic[-1] < 1e-9, f"still turning with {kinetic[-1]:.3g} J"
    ratio = dissipated(trace, p.friction) / energy(p)
    assert abs(ratio - 1.0) < 0.01, f"friction took {ratio:.4f} of the energy"


SCENE = Scene(
    title="Brick on a ball joint",
    category="Joint friction",
    look_for="The brick tumbles and slows down: friction in the ball joint has the same maximum torque about any axis. Compare "
             "the option 'joint friction': with maximal dissipation the torque opposes the angular velocity exactly; with the "
             "paper's radial scaling it opposes I omega, dissipates less power, and the brick turns further.",
    law=r"\tau = -F_{max}\,\frac{\omega}{\|\omega\|}, \qquad \dot E = -F_{max}\,\|\omega\|",
    law_text="tau = -F_max omega / |omega|; the energy falls at the rate F_max |omega|",
    build=build,
    parameters=Parameters,
    live=("friction",),
    view=View(target=(0.0, 0.06, 0.86), distance=2.4, azimuth=30.0, elevation=18.0),
    plots=("joint:socket.rate", "world.kinetic", "joint:socket.friction"),
    show=("joints",),
    predict=predict,
    law_curves=law_curves,
    check_time=6.0,
    check=check,
    unreached=dict.fromkeys(("joint_space", "stewart_trinkle"),
                             "friction of the ball joint is bound by facets, and is weaker between them"),
)
