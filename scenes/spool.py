"""Three spools are pulled by their threads, at different angles: one comes, one stays, one rolls away.

Outer radius R, the thread leaves the core of radius r below the axle and is pulled at an angle phi to the floor:

    moments about the line of contact    F (R cos(phi) - r) = (m R^2 + I) a / R
    a = F (cos(phi) - r / R) / (m (1 + k)),   k = I / (m R^2)                                                        (1)

At cos(phi) = r / R the thread points at the contact with the floor, and its pull has no moment about it: the spool stays.
"""

import dataclasses
import math
from collections.abc import Callable

from physics import Compound, Cylinder, World, option
from scenes import Curve, Prediction, Scene, Trace, View, present
from scenes._parts import LYING, add, block, ground, mark, push, turned

OUTER, CORE, MASS = 0.25, 0.12, 4.0            # R, r [m], [kg]
PITCH = 0.8                                    # of the lanes [m]
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
SHAPE = Compound((Cylinder(OUTER, 0.02), (0.0, 0.0, 0.12), UPRIGHT), (Cylinder(OUTER, 0.02), (0.0, 0.0, -0.12), UPRIGHT),
                 (Cylinder(CORE, 0.1), (0.0, 0.0, 0.0), UPRIGHT))
LANES = ("flat pull", "balanced pull", "steep pull")


@dataclasses.dataclass
class Parameters:
    force: float = option(3.0, unit="N", lo=0.5, hi=8.0, help="Pull on each thread.")
    flat: float = option(15.0, unit="deg", lo=0.0, hi=50.0, help="Angle of the first thread to the floor.")
    steep: float = option(85.0, unit="deg", lo=65.0, hi=90.0, help="Angle of the last thread to the floor.")


def angle(name: str, parameters: Parameters) -> float:
    """Of a thread [rad]."""
    return {"flat pull": math.radians(parameters.flat), "balanced pull": math.acos(CORE / OUTER),
            "steep pull": math.radians(parameters.steep)}[name]


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=0.8)
    for k, name in enumerate(LANES):
        y, phi = PITCH * (1 - k), angle(name, parameters)
        way = (math.cos(phi), 0.0, math.sin(phi))
        body = add(world, SHAPE, (0.0, y, OUTER), group=1 + k, quat=LYING, mass=MASS, friction=0.8, name=name)
        # the thread leaves the core where its radius is across the pull, on the side of the floor
        leaves = (CORE * math.sin(phi), -CORE * math.cos(phi))
        push(world, body, lambda world, way=way: tuple(present(parameters, world.inputs).force * w for w in way),
             at(body, leaves))
        mark(world, 0.0, y, f"start {k + 1}", 0.3)
        block(world, (0.3, 0.006, 0.006), (leaves[0] + 0.32 * way[0], y, OUTER + leaves[1] + 0.32 * way[2]), mask=0,
              quat=turned((0.0, 1.0, 0.0), -phi), name=f"direction of the {name}")


def at(body: int, leaves: tuple[float, float]) -> Callable[[World], tuple[float, float, float]]:
    """Where the thread leaves the core [m]."""
    def place(world: World) -> tuple[float, float, float]:
        x, y, z = world.bodies["pos"][body]
        return float(x) + leaves[0], float(y), float(z) + leaves[1]
    return place


def acceleration(name: str, parameters: Parameters) -> float:
    """(1) [m/s^2]"""
    share = float(SHAPE.inertia(MASS)[2, 2]) / (MASS * OUTER**2)
    return parameters.force * (math.cos(angle(name, parameters)) - CORE / OUTER) / (MASS * (1.0 + share))


def gained(name: str) -> Callable[[World, Trace], float | None]:
    """Mean acceleration of the first second [m/s^2]."""
    def measure(world: World, trace: Trace) -> float | None:
        t, v = trace["time"], trace[f"body:{name}.vx"]
        used = (t > 0.0) & (t <= 1.0)
        return float((v[used][-1] - v[used][0]) / (t[used][-1] - t[used][0])) if t[-1] >= 1.0 else None
    return measure


def predict(parameters: Parameters) -> list[Prediction]:
    return [Prediction(f"acceleration of the spool with the {name}", acceleration(name, parameters), "m/s^2", 5e-3, gained(name))
            for name in LANES]


def law_curves(parameters: Parameters) -> list[Curve]:
    return [Curve(f"body:{name}.vx", "a t", (0.0, 1.0), (0.0, acceleration(name, parameters)))
            for name in LANES if name != "balanced pull"]


def check(world: World, trace: Trace) -> None:
    for prediction in predict(Parameters()):
        got = prediction.measure(world, trace)
        assert abs(got - prediction.value) < prediction.tolerance * abs(prediction.value) + 1e-4, f"{prediction.name}: {got}"


SCENE = Scene(
    title="The obedient spool",
    category="Paradoxes",
    look_for="Each spool is pulled to the right by a thread that leaves its core below, in the direction of the grey bar. Does "
             "it roll to the right, because it is pulled there, or to the left, because the thread unwinds? The flat pull "
             "makes it come, the steep one sends it away. In between the thread points exactly at the line where the spool "
             "touches the floor, and it stays.",
    law=r"a = \frac{F}{m\,(1+k)} \left(\cos\varphi - \frac{r}{R}\right)",
    law_text="a = F (cos(phi) - r / R) / (m (1 + k));  k = I / (m R^2)",
    build=build,
    parameters=Parameters,
    live=("force",),
    view=View(target=(-0.07, -0.17, 0.16), distance=2.4, azimuth=35.0, elevation=24.0),
    options={"cone": "circle"},
    plots=tuple(f"body:{name}.{key}" for key in ("vx", "x") for name in LANES),
    show=("contacts", "forces"),
    predict=predict,
    law_curves=law_curves,
    check_time=1.2,
    check=check,
    unreached={"compliant_contact": "its contacts give way, and the balanced spool rocks on them"},
)
