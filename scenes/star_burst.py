"""Flat boxes thrown outwards from a ring on level ground: the shape of the friction cone, drawn by where they stop.

With Coulomb's circular cone every box is slowed by mu g against its motion and stops v^2/(2 mu g) further out: on a
circle. With the regular k-gon instead (ST96 section 3) friction dissipates as much as its k vertices allow: the work
per metre along the unit vector u is mu m g max_i(d_i . u), where the -d_i are the vertices. A box loses 1/2 m v^2 in
all and stays within the sector of two neighbouring d_i, so max_i(d_i . displacement) = v^2/(2 mu g): the boxes stop on
a regular k-gon around that circle, whose sides face the d_i.
"""

import dataclasses
import math

import numpy as np

from physics import Box, World, option
from physics.core.records import Kind
from scenes import Curve, PredictedPath, Prediction, Scene, Thumbnail, Trace, View
from scenes._parts import add, ground, turned

HALF = (0.12, 0.12, 0.03)
G = 9.81


@dataclasses.dataclass
class Parameters:
    count: int = option(24, lo=3, hi=96, help="Number of boxes on the ring.")
    speed: float = option(3.5, unit="m/s", lo=0.5, hi=10.0, help="Initial speed, radially outwards, equal for all.")
    mu: float = option(0.4, lo=0.05, hi=1.5, help="Friction coefficient between the boxes and the ground.")


def ring(count: int) -> float:
    """Radius on which the boxes start, wide enough for all of them [m]."""
    return max(0.6, count * 0.3 / (2.0 * math.pi))


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=parameters.mu)
    radius = ring(parameters.count)
    for i in range(parameters.count):
        phi = 2.0 * math.pi * i / parameters.count
        c, s = math.cos(phi), math.sin(phi)
        add(world, Box(HALF), (radius * c, radius * s, HALF[2]), group=1 + i % 8, friction=parameters.mu,
            quat=turned((0.0, 0.0, 1.0), phi), vel=(parameters.speed * c, parameters.speed * s, 0.0), name=f"ray {i}")


def displacements(world: World) -> np.ndarray:
    """How far every box went, shape (count, 2) [m]."""
    rays = [i for i, name in enumerate(world.body_names) if name.startswith("ray ")]
    radius = ring(len(rays))
    phi = 2.0 * np.pi * np.arange(len(rays)) / len(rays)
    return world.bodies["pos"][rays][:, :2] - radius * np.column_stack([np.cos(phi), np.sin(phi)])


def facets(world: World) -> int:
    """Corners of the friction cone, 0 for the circle."""
    return int(getattr(world.solver.options, "polygon_facets", 0))


def reach(world: World) -> np.ndarray:
    """max_i(d_i . displacement) of every box [m]; with the circle its length."""
    moved, k = displacements(world), facets(world)
    if k == 0 or len(world.contacts) == 0:
        return np.hypot(moved[:, 0], moved[:, 1])
    contact = world.contacts[0]
    # friction on the box is along +vertex if it is body b of the contact, along -vertex if it is body a
    side = -1.0 if world.bodies["kind"][contact["body_a"]] == Kind.STATIC else 1.0
    first = side * contact["tangent"]
    angle = np.arctan2(first[1], first[0]) + 2.0 * np.pi * np.arange(k) / k
    return np.max(moved @ np.array([np.cos(angle), np.sin(angle)]), axis=1)


def distance(parameters: Parameters) -> float:
    """v^2 / (2 mu g) [m]."""
    return parameters.speed**2 / (2.0 * parameters.mu * G)


def predict(parameters: Parameters) -> list[Prediction]:
    def measure(world: World, trace: Trace) -> float | None:
        return float(np.mean(reach(world))) if trace["world.kinetic"][-1] < 1e-9 else None

    def first(world: World, trace: Trace) -> float | None:
        return float(np.hypot(*displacements(world)[0])) if trace["world.kinetic"][-1] < 1e-9 else None

    # the way must not tell the answer: always as long, and longer than any
    ends = np.array([0.0, 120.0])
    points = np.array([(ring(parameters.count), 0.0, 0.0)]) + ends[:, None] * (1.0, 0.0, 0.0)
    way = PredictedPath("ray 0", points, ends, (0.0, 0.0, -HALF[2]))
    return [Prediction("mean stopping distance", distance(parameters), "m", 0.01, measure),
            Prediction("stopping distance of 'ray 0'", distance(parameters), "m", 0.01, first, place=way)]


def law_curves(parameters: Parameters) -> list[Curve]:
    """Kinetic energy of all boxes under a circular cone: every speed falls by mu g a second."""
    stop = parameters.speed / (parameters.mu * G)
    t = np.linspace(0.0, stop, 60)
    mass = 8000.0 * HALF[0] * HALF[1] * HALF[2]
    energy = 0.5 * parameters.count * mass * (parameters.speed - parameters.mu * G * t) ** 2
    return [Curve("world.kinetic", "law", (*t, stop + 0.5), (*energy, 0.0))]


def check(world: World, trace: Trace) -> None:
    """All stop within 1 % of the same distance, and none turns or tips."""
    assert trace["world.kinetic"][-1] < 1e-9, "still moving"
    error = np.max(np.abs(reach(world) / distance(Parameters()) - 1.0))
    assert error < 0.01, f"stopping distances off by {error:.2%}"
    height = world.bodies["pos"][[n.startswith("ray ") for n in world.body_names], 2]
    assert np.max(np.abs(height - HALF[2])) < 1e-3, "a box tipped"


SCENE = Scene(
    title="Star burst: the friction cone on the floor",
    category="Contact friction",
    look_for="Identical boxes slide outwards with equal speed, so they all stop at the same distance, on a circle. Now set the "
             "solver's cone to polygon, its facets to 3, 4 or 8, and reset: they stop on a triangle, a square, an octagon. The "
             "friction law is the same for all; only the cross-section of its cone has changed. With few facets the paths curve, "
             "too.",
    law=r"s = \frac{v^2}{2\,\mu\,g}",
    law_text="stopping distance s = v^2 / (2 mu g), the same in every direction",
    build=build,
    parameters=Parameters,
    live=("mu",),
    thumbnail=Thumbnail(0.8, View(target=(0.0, -0.1, -0.1), distance=8.0, azimuth=20.0, elevation=50.0)),
    view=View(target=(0.08, -0.23, -0.2), distance=9.4, azimuth=20.0, elevation=50.0),
    options={"cone": "circle"},
    plots=("world.kinetic",),
    show=(),
    predict=predict,
    law_curves=law_curves,
    check_time=1.5,
    check=check,
    unreached={},
)
