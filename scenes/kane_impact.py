"""Kane's puzzle: a double pendulum of two rods strikes a rough floor with its tip; Newton's law alone would gain energy.

Angles a, b of the rods from the vertical, lengths l, masses m, radius r of the tip, without gravity:

    H = m l^2 (4/3, cos(b - a)/2; cos(b - a)/2, 1/3),   H qdd = m l^2 sin(b - a)/2 (b'^2, -a'^2)
    tip   J = l (sin a, sin b; cos a, cos b + r/l),   W = J H^-1 J^T,   the impact: scenes/_planar_impact.py

T. Kane, A dynamics puzzle, Stanford Mechanics Alumni Club Newsletter (1984); T. Kane and D. Levinson, Dynamics (1985).
"""

import dataclasses
import math

import numpy as np

from physics import Capsule, World, option
from physics.articulated.impulse import mobility
from physics.contact import impact_laws
from scenes import PaperLaw, PaperRow, Prediction, Scene, Trace, View, run
from scenes._parts import add, block, ground, turned
from scenes._planar_impact import PlanarImpact, limited

LENGTH, MASS, RADIUS = 1.0, 1.0, 0.03
A, B = math.radians(20.0), math.radians(30.0)
SPEEDS = np.array([-1.0, -2.0])
"""Rates of the angles at the impact [rad/s]."""
BEFORE = 0.25
"""The scene starts that long before the impact [s]."""
PIVOT = LENGTH * (math.cos(A) + math.cos(B)) + RADIUS


@dataclasses.dataclass
class Parameters:
    law: str = option(impact_laws.DEFAULT_LAW, choices=tuple(impact_laws.laws()), help="Law of impact.")
    mu: float = option(0.7, lo=0.0, hi=1.5, help="Friction coefficient of tip and floor. From about 0.62 on friction ends "
                                                 "the slip for good.")
    restitution: float = option(0.5, lo=0.1, hi=0.9, help="Coefficient of restitution of tip and floor.")


def mass_matrix(q: np.ndarray) -> np.ndarray:
    """H [kg m^2]."""
    c = 0.5 * math.cos(q[1] - q[0])
    return MASS * LENGTH**2 * np.array([[4.0 / 3.0, c], [c, 1.0 / 3.0]])


def start() -> tuple[np.ndarray, np.ndarray]:
    """Angles and rates BEFORE the impact, by Runge and Kutta's method backwards."""
    def rate(y: np.ndarray) -> np.ndarray:
        pull = 0.5 * MASS * LENGTH**2 * math.sin(y[1] - y[0])
        return np.concatenate([y[2:], np.linalg.solve(mass_matrix(y[:2]), pull * np.array([y[3] ** 2, -y[2] ** 2]))])

    y, n = np.array([A, B, *SPEEDS]), 500
    h = -BEFORE / n
    for _ in range(n):
        k = rate(y)
        second = rate(y + 0.5 * h * k)
        third = rate(y + 0.5 * h * second)
        y = y + h / 6.0 * (k + 2.0 * second + 2.0 * third + rate(y + h * third))
    return y[:2], y[2:]


def build(world: World, parameters: Parameters) -> None:
    world.set_gravity((0.0, 0.0, 0.0))
    ground(world, friction=parameters.mu, restitution=parameters.restitution)
    block(world, (0.05, 0.05, 0.05), (0.0, 0.2, PIVOT), name="bearing")
    (a, b), (da, db) = start()
    along = np.array([[math.sin(x), 0.0, -math.cos(x)] for x in (a, b)])
    across = np.array([[math.cos(x), 0.0, math.sin(x)] for x in (a, b)])
    knee, pivot = np.array([0.0, 0.0, PIVOT]) + LENGTH * along[0], np.array([0.0, 0.0, PIVOT])
    inertia = (MASS * LENGTH**2 / 12.0, MASS * LENGTH**2 / 12.0, 1e-3)
    rod = Capsule(RADIUS, 0.5 * LENGTH)
    upper = add(world, rod, tuple(pivot + 0.5 * LENGTH * along[0]), group=3, mass=MASS, inertia=inertia,
                quat=turned((0.0, 1.0, 0.0), -a), vel=tuple(0.5 * LENGTH * da * across[0]), omega=(0.0, -da, 0.0),
                name="upper rod")
    lower = add(world, rod, tuple(knee + 0.5 * LENGTH * along[1]), group=1, mass=MASS, inertia=inertia,
                quat=turned((0.0, 1.0, 0.0), -b),
                vel=tuple(LENGTH * da * across[0] + 0.5 * LENGTH * db * across[1]), omega=(0.0, -db, 0.0),
                friction=parameters.mu, restitution=parameters.restitution, name="lower rod")
    world.add_joint("revolute", 0, upper, anchor=tuple(pivot), axis=(0.0, -1.0, 0.0), name="hinge")
    world.add_joint("revolute", upper, lower, anchor=tuple(knee), axis=(0.0, -1.0, 0.0), name="knee")


def impact(parameters: Parameters) -> PlanarImpact:
    """The impact, in closed form."""
    J = LENGTH * np.array([[math.sin(A), math.sin(B)], [math.cos(A), math.cos(B) + RADIUS / LENGTH]])
    W, u = J @ np.linalg.solve(mass_matrix(np.array([A, B])), J.T), J @ SPEEDS
    return limited((W[0, 0], W[0, 1], W[1, 1]), tuple(u), parameters.mu, parameters.restitution, parameters.law)


def ratio(world: World, trace: Trace) -> float | None:
    """Kinetic energy between the first impact and the next, over that before."""
    energy = trace["world.kinetic"]
    after = np.flatnonzero(trace["time"] > BEFORE + 0.02)
    return float(energy[after[0]] / energy[0]) if len(after) else None


def predict(parameters: Parameters) -> list[Prediction]:
    energy = 0.5 * float(SPEEDS @ mass_matrix(np.array([A, B])) @ SPEEDS)
    kept = 1.0 - impact(parameters).lost / energy
    return [Prediction("energy after the impact / before", kept, "", 2e-3, ratio)]


def check(world: World, trace: Trace) -> None:
    prediction = predict(Parameters())[0]
    measured = prediction.measure(world, trace)
    assert abs(measured - prediction.value) < prediction.tolerance * prediction.value, f"{measured:.4f} of the energy is left"


def papers() -> list[PaperRow]:
    """Energies of the laws of impact, and the handle of the lower rod, against the closed forms of this file."""
    rows = []
    for law in impact_laws.laws():
        parameters = Parameters(law=law)
        world, trace = run(SCENE, parameters, seconds=BEFORE + 0.03)
        expected = predict(parameters)[0].value
        rows.append(PaperLaw("F11", "section 11.7", f"energy left by Kane's impact, {law}", expected, ratio(world, trace), "",
                             1e-3, "two rods of 1 m, 20 and 30 degrees, 1 and 2 rad/s, mu = 0.7, e = 0.5"))
    world = World()
    build(world, Parameters())
    angles, _ = start()
    arm = np.array([math.sin(angles[1]), -math.cos(angles[1])]) * 0.5 * LENGTH
    handle = mobility(world.joint_space(), "lower rod")
    tip = np.array([[0.0, arm[1], 0.0, 1.0, 0.0, 0.0], [0.0, -arm[0], 0.0, 0.0, 0.0, 1.0]])
    J = LENGTH * np.array([np.cos(angles), np.sin(angles)])
    expected = np.linalg.inv(J @ np.linalg.solve(mass_matrix(angles), J.T))
    found = np.linalg.inv(tip @ handle @ tip.T)
    return [*rows, PaperLaw("F11", "eq 11.56", "inertia felt at the tip, largest difference", 0.0,
                            float(np.abs(found - expected).max() / np.abs(expected).max()), "", 1e-10,
                            "tip of the lower rod, in the plane; H of the double pendulum by Lagrange")]


SCENE = Scene(
    title="Kane's puzzle: energy from friction?",
    category="Impacts",
    look_for="The tip slips to the left as it strikes, and friction stops the slip during the impact. Newton's law, which "
             "only asks for the rebound speed, would then gain energy: choose 'Newton, unlimited' and see it grow, and the "
             "auditor protest. With the limit of this program e is reduced until nothing is gained. Poisson's and Stronge's laws "
             "lose energy, as they must. Open the panel Impact and its impulse plane to see where each law ends.",
    law=r"\mathrm{Newton:}\ u_n^+ = -e\,u_n^-, \quad \mathrm{Poisson:}\ p_r = e\,p_c, \quad "
        r"\mathrm{Stronge:}\ W_r = -e^2\,W_c",
    law_text="Newton: u_n after = -e u_n before; Poisson: p_r = e p_c; Stronge: W_r = -e^2 W_c",
    build=build,
    parameters=Parameters,
    live=("mu", "restitution"),
    chosen_options=lambda parameters: {"impact_law": parameters.law},
    view=View(target=(0.44, 0.01, 0.95), distance=3.7, azimuth=6.0, elevation=8.0),
    plots=("world.kinetic", "body:lower rod.vx"),
    show=("contacts", "joints", "velocities"),
    predict=predict,
    check_time=0.5,
    check=check,
    papers=papers,
    unreached={"compliant_contact": "impacts of springs and dampers keep other shares of the speeds than the law of impact"},
)
