"""A crate pushed over the floor under a polygonal friction cone: which push it holds in which direction.

The regular k-gon inside Coulomb's circle, with a corner along x (ST96 section 3), holds a push at the angle phi up to

    F_k / (mu m g) = cos(pi / k) / cos(phi - phi_s)                                                                  (1)

phi_s: the middle of the polygon's side that phi crosses.
"""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from physics import Box, World, option
from physics.core.records import Kind
from scenes import Scene, View
from scenes._parts import add, ground
from scenes.maps import MapAxis, PhaseMap, line

HALF, MASS, MU, G = (0.3, 0.2, 0.1), 35.0, 0.4, 9.81
SLID = 1e-3


@dataclasses.dataclass
class Parameters:
    angle: float = option(30.0, unit="deg", lo=0.0, hi=90.0, help="Direction of the push from x.")
    push: float = option(0.9, lo=0.1, hi=2.0, help="The push, relative to the friction \u03bc m g of a circular cone.")
    facets: int = option(4, lo=3, hi=32, help="Corners of the polygon.")


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=MU)
    body = add(world, Box(HALF), (0.0, 0.0, HALF[2]), mass=MASS, friction=MU, name="crate")
    phi = math.radians(parameters.angle)
    force = parameters.push * MU * MASS * G * np.array([math.cos(phi), math.sin(phi), 0.0])

    def push(world: World) -> None:
        """At the centre."""
        if body < len(world.bodies) and world.bodies["kind"][body] == Kind.DYNAMIC:
            world.apply_force(body, force)

    world.drivers.append(push)


def options(parameters: Parameters) -> dict[str, Any]:
    return {"cone": "polygon", "facets": parameters.facets}


def classify(world: World, parameters: Parameters) -> str:
    crate = world.bodies["pos"][world.body("crate")]
    return "slides" if math.hypot(crate[0], crate[1]) > SLID else "sticks"


def border(parameters: Parameters, angle: np.ndarray) -> Sequence[np.ndarray]:
    side = 2.0 * math.pi / parameters.facets
    phi = np.radians(angle)
    middle = (np.floor(phi / side) + 0.5) * side
    return (line(angle, math.cos(0.5 * side) / np.cos(phi - middle)),)


SCENE = Scene(
    title="Push on a polygonal cone", category="Contact friction",
    look_for="A crate is pushed with a constant force. Towards a corner of the polygon friction is as strong as the circular "
             "cone's, towards the middle of a side it is weakest.",
    law=r"\frac{F_k}{\mu m g} = \frac{\cos(\pi/k)}{\cos(\varphi - \varphi_s)}",
    law_text="a k-gon holds F_k = mu m g cos(pi / k) / cos(phi - phi_s)", build=build, parameters=Parameters,
    chosen_options=options, view=View(target=(0.0, 0.0, 0.0), distance=3.5, azimuth=30.0, elevation=30.0),
    plots=("body:crate.speed",), show=("contacts", "forces", "cones"), check_time=0.5)

MAP = PhaseMap(
    title="Facets of the cone", scene="maps.cone_facets", x=MapAxis("angle", 0.0, 90.0), y=MapAxis("push", 0.6, 1.1),
    classes=("sticks", "slides"), classify=classify, border=border,
    law=r"\frac{F_k}{\mu m g} = \frac{\cos(\pi/k)}{\cos(\varphi - \varphi_s)}",
    law_text="F_k / (mu m g) = cos(pi / k) / cos(phi - phi_s)", source="ST96 section 3", seconds=0.5)
