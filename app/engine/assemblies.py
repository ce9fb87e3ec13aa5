"""Things of several bodies and joints that the add menu offers, each built upright on a point: wall, ladder, pulley, cart, spring
scale. Sizes are for scale 1 [m].

    pulley         two weights on guides, coupled to the wheel as by a rope that does not slip:
                   a = g (m_b - m_a) / (m_a + m_b + I / r^2)
    spring scale   the pan hangs on a spring, whose reaction is the weight of pan and load
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.engine.frame import Frame
from app.i18n.message import message
from physics import BadInput, Box, Capsule, Compound, Cylinder, World
from physics.core.check import number, vector
from physics.core.records import copy_of
from physics.shapes import Shape
from physics.world.queries import CollisionQuery

SCALE_RANGE = (0.02, 50.0)
"""Smallest and largest scale."""
X, Y, Z = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ACROSS = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
"""Quaternion that turns the axis z of a cylinder to -y."""
LADDER_ANGLE = math.radians(70.0)
HEIGHT = 4.0
"""More than the height of any of them at scale 1 [m]."""
TOUCH = 1e-3
"""Overlap at scale 1 that counts as touching [m]."""
MAX_LIFTS = 20
"""Limit of obstacles above each other over which something is lifted."""


@dataclass
class Site:
    """Where something is built: its foot `at` (3,) [m]; names are made unique. parts: shape, place, orientation of each body."""

    world: World
    at: np.ndarray
    scale: float
    parts: list[tuple[Shape, np.ndarray, Sequence[float]]] = field(default_factory=list)

    def body(self, name: str, shape: object, pos: Sequence[float], **more: Any) -> int:
        """Add a body; its place [m] in scale 1, from the foot."""
        self.parts.append((shape, np.array(self.place(pos)), more.get("quat", (1.0, 0.0, 0.0, 0.0))))
        return int(self.world.add_body(shape, pos=self.place(pos), name=_free(name, self.world.body_names), **more))

    def add_joint(self, kind: str, name: str, a: int, b: int, anchor: Sequence[float], **more: Any) -> None:
        """Add a joint; its points [m] in scale 1, from the foot."""
        if "anchor_b" in more:
            more["anchor_b"] = self.place(more["anchor_b"])
        self.world.add_joint(kind, a, b, anchor=self.place(anchor), name=_free(name, self.world.joint_names), **more)

    def place(self, pos: Sequence[float]) -> tuple[float, ...]:
        return tuple((self.at + self.scale * np.asarray(pos, float)).tolist())

    def box(self, *half: float) -> Box:
        return Box(tuple(self.scale * h for h in half))


def _free(name: str, taken: Sequence[str]) -> str:
    return next(title for n in range(1, len(taken) + 3) if (title := name if n == 1 else f"{name} {n}") not in taken)


def wall(site: Site) -> None:
    site.body("wall", site.box(1.0, 0.06, 0.5), (0.0, 0.0, 0.5), kind="static")


def ladder(site: Site) -> None:
    length, thin, s = 2.0, 0.025, site.scale
    site.body("wall", site.box(0.06, 0.6, 1.1), (0.06, 0.0, 1.1), kind="static")
    rails = [(Capsule(s * thin, 0.5 * s * length), (0.0, side * 0.2 * s, 0.0)) for side in (-1.0, 1.0)]
    rungs = [(Capsule(0.7 * s * thin, 0.2 * s), (0.0, 0.0, s * z), ACROSS) for z in np.linspace(-0.85, 0.85, 7).tolist()]
    up = np.array([math.cos(LADDER_ANGLE), 0.0, math.sin(LADDER_ANGLE)])
    lean = 0.5 * (0.5 * math.pi - LADDER_ANGLE)
    middle = np.array([-thin, 0.0, thin]) + (0.5 * up - (math.cos(LADDER_ANGLE), 0.0, 0.0)) * length
    site.body("ladder", Compound(*rails, *rungs), middle, quat=(math.cos(lean), 0.0, math.sin(lean), 0.0),
              density=500.0)


def pulley(site: Site) -> None:
    radius, height, hang = 0.25, 1.4, 0.8
    site.body("pulley post", site.box(0.05, 0.05, 0.75), (0.0, 0.2, 0.75), kind="static")
    wheel = site.body("pulley wheel", Cylinder(site.scale * radius, site.scale * 0.04), (0.0, 0.0, height), quat=ACROSS)
    site.add_joint("revolute", "pulley axle", 0, wheel, (0.0, 0.0, height), axis=Y)
    for name, guide, rope, side, density in (("lighter weight", "lighter guide", "lighter rope", -1.0, 1000.0),
                                             ("heavier weight", "heavier guide", "heavier rope", 1.0, 1250.0)):
        weight = site.body(name, site.box(0.1, 0.1, 0.1), (side * radius, 0.0, hang), density=density)
        site.add_joint("prismatic", guide, 0, weight, (side * radius, 0.0, hang), axis=Z,
                       limits=(-0.65 * site.scale, 0.3 * site.scale))
        site.add_joint("rack", rope, wheel, weight, (0.0, 0.0, height), anchor_b=(side * radius, 0.0, hang),
                       axis=Y, axis_b=tuple(-side * c for c in Z), radius=site.scale * radius)


def cart(site: Site) -> None:
    body = site.body("cart", site.box(0.4, 0.2, 0.06), (0.0, 0.0, 0.2))
    for k, (x, y) in enumerate([(x, y) for x in (-0.26, 0.26) for y in (-0.25, 0.25)], start=1):
        place = (x, y, 0.12)
        wheel = site.body(f"cart wheel {k}", Cylinder(0.12 * site.scale, 0.03 * site.scale), place, quat=ACROSS, friction=0.8)
        site.add_joint("revolute", f"cart axle {k}", body, wheel, place, axis=Y)


def spring_scale(site: Site) -> None:
    s, top, low = site.scale, 1.3, 0.6
    site.body("scale post", Compound((site.box(0.05, 0.05, 0.7), (0.0, 0.35 * s, 0.7 * s)),
                                     (site.box(0.05, 0.2, 0.03), (0.0, 0.15 * s, 1.37 * s))), (0.0, 0.0, 0.0), kind="static")
    pan = site.body("scale pan", site.box(0.2, 0.2, 0.015), (0.0, 0.0, low))
    mass, stiffness, gravity = float(site.world.bodies["mass"][pan]), 600.0 * s**2, -float(site.world.gravity[2])
    site.add_joint("prismatic", "scale guide", 0, pan, (0.0, 0.0, low), axis=Z, limits=(-0.5 * s, 0.5 * s))
    site.add_joint("spring", "scale spring", 0, pan, (0.0, 0.0, top), anchor_b=(0.0, 0.0, low), stiffness=stiffness,
                   damping=math.sqrt(mass * stiffness), length=(top - low) * s - mass * gravity / stiffness)


@dataclass(frozen=True)
class Assembly:
    """build: adds it to a site; help: one sentence."""

    build: Callable[[Site], None]
    help: str


ASSEMBLIES = {
    "wall": Assembly(wall, "A fixed wall."),
    "ladder": Assembly(ladder, "A ladder that leans against a wall without being fastened."),
    "pulley": Assembly(pulley, "Two unequal weights over a wheel."),
    "cart": Assembly(cart, "A box on four wheels."),
    "spring scale": Assembly(spring_scale, "A pan on a spring: the reaction of the spring is the weight on it.")}


def assemble(world: World, what: str, pos: Sequence[float], scale: float = 1.0) -> None:
    """Build one of ASSEMBLIES on a point.

    Raises:
        BadInput: there is none of that name, or a number out of range. Nothing is added.
    """
    if what not in ASSEMBLIES:
        raise BadInput(message("'{what}' cannot be added; there are: {known}", what=what, known=", ".join(ASSEMBLIES)))
    site = Site(world, vector("place", pos), number("scale", scale, lo=SCALE_RANGE[0], hi=SCALE_RANGE[1]))
    ASSEMBLIES[what].build(site)


def free_place(frame: Frame, what: str, pos: Sequence[float], scale: float = 1.0) -> np.ndarray:
    """The point nearest above `pos`, or `pos` itself, on which one of ASSEMBLIES meets no body that is there."""
    site = Site(World(gravity=frame.gravity), np.array(pos, float), scale)
    ASSEMBLIES[what].build(site)
    bodies, shapes = copy_of(frame.bodies), copy_of(frame.shapes)
    bodies["asleep"] = 0
    shapes["body"][shapes["sensor"] == 1] = -1
    query, up = CollisionQuery.of(bodies, shapes, frame.shape_kinds, frame.pool), np.zeros(3)
    for _ in range(MAX_LIFTS):
        lifts = [_lift(query, shapes, part, up, scale) for part in site.parts]
        if not max(lifts):
            break
        up[2] += max(lifts)
    return site.at + up


def _lift(query: CollisionQuery, shapes: np.ndarray, part: tuple[Shape, np.ndarray, Sequence[float]], up: np.ndarray,
          scale: float) -> float:
    """How far a part, raised by `up` already, has to be raised further to be above what it overlaps there [m]."""
    shape, pos, quat = part
    pos, touch = pos + up, TOUCH * scale * np.array(Z)
    met = query.overlap(shape, pos + touch, quat)
    if not len(met):
        return 0.0
    own, top = np.unique(shapes["body"][met]), float(shapes["hi"][met, 2].max())
    if not math.isfinite(top):      # a slope without end
        hit = query.closest_to(shape, pos + touch, quat, bodies=own)
        return float(touch[2] - hit.distance[0] / max(0.1, hit.normal[0, 2]))
    rise = top - pos[2] + HEIGHT * scale
    fall = query.shape_cast(shape, pos + rise * np.array(Z), quat, -rise * np.array(Z), own)
    return max(touch[2], rise - float(fall.distance[0]))
