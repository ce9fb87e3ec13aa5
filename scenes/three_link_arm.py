"""A three-link arm that leans with its tip on the floor: the contact bears a share of its weight, its drives the rest.

Elbow and wrist are held by drives, the shoulder turns freely, the floor has no friction. With the weights m g at x_i from the
shoulder and the tip at x_t, the shoulder's coordinate and the drives' say (H qdd + C = tau + T lambda at rest):

    lambda = sum m g x_i / x_t,   tau_k = lambda (x_t - x_k) - sum of outer m g (x_i - x_k),   about the hinge k at x_k
"""

import dataclasses
import math

import numpy as np

from physics import Capsule, Motor, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import add, block, ground, turned

LENGTH, RADIUS, G = 0.5, 0.04, 9.81
"""Of a link between the middles of its ends, and of its ends [m]; [m/s^2]."""

RISE = math.radians(20.0)
"""Rise of the upper arm above the level [rad]."""

HINGES = "shoulder", "elbow", "wrist"


@dataclasses.dataclass
class Parameters:
    mass: float = option(2.0, unit="kg", lo=0.1, hi=50.0, log=True, help="Mass of each link.")
    elbow: float = option(50.0, unit="deg", lo=30.0, hi=80.0, help="Bend of the elbow.")
    wrist: float = option(40.0, unit="deg", lo=0.0, hi=80.0, help="Bend of the wrist.")


def places(parameters: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """(x, z) of shoulder, elbow, wrist, tip (4, 2), above the height of the tip, and angles of the links below the level (3,)."""
    angles = np.cumsum([-RISE, math.radians(parameters.elbow), math.radians(parameters.wrist)])
    ways = LENGTH * np.column_stack([np.cos(angles), -np.sin(angles)])
    found = np.vstack([np.zeros(2), np.cumsum(ways, axis=0)])
    return found - (0.0, found[3, 1] - RADIUS), angles


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=0.0)
    points, angles = places(parameters)
    last = 0
    for k, (name, hinge, angle) in enumerate(zip(("upper arm", "forearm", "hand"), HINGES, angles)):
        middle = 0.5 * (points[k] + points[k + 1])
        link = add(world, Capsule(RADIUS, 0.5 * LENGTH), (float(middle[0]), 0.0, float(middle[1])), group=2 + k,
                   quat=turned((0.0, 1.0, 0.0), 0.5 * math.pi + float(angle)), mass=parameters.mass, friction=0.0, name=name)
        drive = {} if k == 0 else {"motor": Motor("position", 0.0, 1e4)}
        world.add_joint("revolute", last, link, anchor=(float(points[k, 0]), 0.0, float(points[k, 1])), axis=(0.0, 1.0, 0.0),
                        name=hinge, **drive)
        last = link
    height = float(points[0, 1])
    block(world, (0.05, 0.05, 0.5 * height), (0.0, 0.15, 0.5 * height), name="stand")


def loads(parameters: Parameters) -> tuple[float, float, float]:
    """(force of the floor on the tip [N], torques of the drives of elbow and wrist [N m])."""
    x = places(parameters)[0][:, 0]
    centres, weight = 0.5 * (x[:-1] + x[1:]), parameters.mass * G
    force = weight * centres.sum() / (x[3] - x[0])
    elbow, wrist = (force * (x[3] - x[k]) - weight * (centres[k:] - x[k]).sum() for k in (1, 2))
    return float(force), float(elbow), float(wrist)


def predict(parameters: Parameters) -> list[Prediction]:
    force, elbow, wrist = loads(parameters)

    def on_tip(world: World, trace: Trace) -> float:
        return float(world.contacts["impulse"].sum() / world.impulse_duration)

    def of_drive(name: str) -> object:
        return lambda world, trace: float(abs(world.joints["motor_impulse"][world.joint(name), 0]) / world.impulse_duration)
    return [Prediction("force of the floor on the tip", force, "N", 1e-3, on_tip),
            Prediction("torque of the elbow's drive", abs(elbow), "N m", 1e-3, of_drive("elbow")),
            Prediction("torque of the wrist's drive", abs(wrist), "N m", 1e-3, of_drive("wrist"))]


def check(world: World, trace: Trace) -> None:
    for prediction in predict(Parameters()):
        got = prediction.measure(world, trace)
        assert abs(got - prediction.value) < 1e-3 * prediction.value, f"{prediction.name}: {got}, not {prediction.value}"
    assert np.abs(world.bodies["vel"]).max() < 1e-6, "it moves"


SCENE = Scene(
    title="Three-link arm on the floor",
    category="Statics",
    look_for="The arm leans on its tip. The floor bears the share of its weight that the levers ask for, and the drives of elbow "
             "and wrist bear the moments of the rest. Bend it more: the tip comes closer to the shoulder and bears more. In "
             "joint space the hinges are exact, and only the tip's contact is left to be solved.",
    law=r"\lambda = \frac{\sum m g\,x_i}{x_t}, \quad \tau_k = \lambda (x_t - x_k) - \sum m g\,(x_i - x_k)",
    law_text="lambda = sum m g x_i / x_t; tau_k = lambda (x_t - x_k) - sum m g (x_i - x_k)",
    build=build,
    parameters=Parameters,
    live=("mass",),
    solver="joint_space",
    view=View(target=(0.64, 0.05, 0.49), distance=1.9, azimuth=-80.0, elevation=14.0),
    plots=("joint:elbow.angle", "world.contacts"),
    predict=predict,
    check_time=0.5,
    check=check,
    unreached={},
)
