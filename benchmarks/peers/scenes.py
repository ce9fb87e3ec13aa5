"""Definitions of the scenes, from which every engine builds the same.

Conventions of all adapters
  * SI units, z up, gravity 9.81 m/s^2.
  * A body's origin is its centre of mass and its axes are principal axes: `inertia` is a diagonal, `pos` and `quat` (w, x, y, z)
    are the pose of that frame, world.
  * Capsules lie along the body's z axis; `half_length` is half of the cylindrical part.
  * One friction coefficient and one restitution per scene: each engine's mixing rule must give exactly these for each pair.
  * `omega` is in the world frame. Bodies joined by a joint do not collide with one another; everything else does.
  * No damping of any kind, no sleeping.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from benchmarks.peers.roots import root
from physics import BadInput

G = 9.81


@dataclass(frozen=True)
class Body:
    """A shape with its mass, inertia and state. mass 0: static."""

    kind: str                                # plane | box | sphere | capsule
    pos: tuple = (0.0, 0.0, 0.0)             # [m]
    quat: tuple = (1.0, 0.0, 0.0, 0.0)
    half: tuple = ()                         # half extents of a box [m]
    radius: float = 0.0                      # of a sphere or capsule [m]
    half_length: float = 0.0                 # of a capsule [m]
    mass: float = 0.0                        # [kg]
    inertia: tuple = (0.0, 0.0, 0.0)         # principal moments [kg m^2]
    vel: tuple = (0.0, 0.0, 0.0)             # [m/s]
    omega: tuple = (0.0, 0.0, 0.0)           # [rad/s]

    @property
    def static(self) -> bool:
        return self.mass == 0.0


@dataclass(frozen=True)
class Joint:
    """A ball joint or a hinge. a, b: bodies, -1 is the world."""

    kind: str                                # ball | hinge
    a: int
    b: int
    anchor: tuple                            # world, at the first pose [m]
    axis: tuple = (0.0, 1.0, 0.0)            # of a hinge, world
    friction: float = 0.0                    # dry friction of a hinge [N m]


@dataclass
class Scene:
    """Bodies, joints and properties of a scene."""

    name: str
    size: int
    bodies: list[Body]
    joints: list[Joint] = field(default_factory=list)
    gravity: tuple = (0.0, 0.0, -G)
    mu: float = 0.5
    e: float = 0.0
    duration: float = 5.0                    # [s]
    collide: bool = True                     # False: no contacts
    facts: dict = field(default_factory=dict)

    @property
    def dynamic(self) -> list[int]:
        return [i for i, body in enumerate(self.bodies) if not body.static]


def plane() -> Body:
    """The ground: the half space z <= 0."""
    return Body("plane")


def box(half, pos, mass, quat=(1.0, 0.0, 0.0, 0.0), vel=(0.0, 0.0, 0.0), omega=(0.0, 0.0, 0.0)) -> Body:
    """A solid box."""
    x, y, z = (2.0 * h for h in half)
    inertia = tuple(mass / 12.0 * s for s in (y * y + z * z, x * x + z * z, x * x + y * y))
    return Body("box", tuple(pos), tuple(quat), half=tuple(half), mass=mass, inertia=inertia, vel=vel, omega=omega)


def sphere(radius, pos, mass, vel=(0.0, 0.0, 0.0)) -> Body:
    """A solid ball."""
    return Body("sphere", tuple(pos), radius=radius, mass=mass, inertia=(0.4 * mass * radius * radius,) * 3, vel=vel)


def capsule(radius, half_length, pos, mass, quat) -> Body:
    """A solid cylinder with two half balls at its ends."""
    r, length = radius, 2.0 * half_length
    cylinder, ball = math.pi * r * r * length, 4.0 / 3.0 * math.pi * r**3
    m_c, m_b = mass * cylinder / (cylinder + ball), mass * ball / (cylinder + ball)
    along = m_c * r * r / 2.0 + 0.4 * m_b * r * r
    across = m_c * (length**2 / 12.0 + r * r / 4.0) + m_b * (0.4 * r * r + length**2 / 4.0 + 3.0 * length * r / 8.0)
    return Body("capsule", tuple(pos), tuple(quat), radius=r, half_length=half_length, mass=mass,
                inertia=(across, across, along))


def pyramid(n: int) -> Scene:
    """One box thick, 1 m, 1 kg boxes, n in the lowest row, side gaps of 0.1 m."""
    bodies = [plane()]
    for level in range(n):
        k = n - level
        bodies += [box((0.5, 0.5, 0.5), ((i - (k - 1) / 2) * 1.1, 0.0, 0.5 + level), 1.0) for i in range(k)]
    return Scene("pyramid", n, bodies, duration=10.0, facts={"top": len(bodies) - 1})


def stacks(n: int) -> Scene:
    """10 x 10 columns of 1 m, 1 kg boxes, n boxes in all (a multiple of 100)."""
    bodies = [plane()] + [box((0.5, 0.5, 0.5), (1.5 * i, 1.5 * j, 0.5 + k), 1.0)
                          for i in range(10) for j in range(10) for k in range(n // 100)]
    return Scene("stacks", n, bodies)


def tower(n: int) -> Scene:
    """One column of n 1 m, 1 kg boxes."""
    bodies = [plane()] + [box((0.5, 0.5, 0.5), (0.0, 0.0, 0.5 + k), 1.0) for k in range(n)]
    return Scene("tower", n, bodies, duration=10.0, facts={"top": n})


def ballpit(n: int) -> Scene:
    """n balls (radius 0.1 m, 1 kg) on a jittered lattice fall into a pit of 2 m x 2 m."""
    half_width, half_height = 1.0, 5.0
    bodies = [plane()]
    for side in (-1, 1):
        bodies.append(Body("box", (side * (half_width + 0.5), 0.0, half_height), half=(0.5, half_width + 1.0, half_height)))
        bodies.append(Body("box", (0.0, side * (half_width + 0.5), half_height), half=(half_width + 1.0, 0.5, half_height)))
    random = np.random.default_rng(7)
    a_row, pitch = 8, 0.235
    for k in range(n):
        i, j, level = k % a_row, (k // a_row) % a_row, k // a_row**2
        jitter = random.uniform(-0.012, 0.012, 3)
        bodies.append(sphere(0.1, ((i - (a_row - 1) / 2) * pitch + jitter[0], (j - (a_row - 1) / 2) * pitch + jitter[1],
                                   0.3 + level * pitch + jitter[2]), 1.0))
    return Scene("ballpit", n, bodies)


def chain(n: int) -> Scene:
    """n capsule links (0.2 m, 0.1 kg) on ball joints, a 10 kg ball at the end, released at 30 degrees."""
    length, radius, end_radius, tilt = 0.2, 0.02, 0.15, math.radians(30.0)
    top = np.array([0.0, 0.0, n * length + 2.0 * end_radius + 1.0])
    along = np.array([math.sin(tilt), 0.0, -math.cos(tilt)])
    quat = (math.cos(-tilt / 2.0), 0.0, math.sin(-tilt / 2.0), 0.0)     # the body's z axis is -along
    bodies, joints = [plane()], []
    for i in range(n):
        bodies.append(capsule(radius, length / 2.0 - radius, top + along * (i + 0.5) * length, 0.1, quat))
        joints.append(Joint("ball", -1 if i == 0 else i, i + 1, tuple(top + along * i * length)))
    bodies.append(sphere(end_radius, top + along * (n * length + end_radius), 10.0))
    joints.append(Joint("ball", n, n + 1, tuple(top + along * n * length)))
    return Scene("chain", n, bodies, joints, facts={"root": tuple(top), "reach": n * length + end_radius, "end": n + 1})


def bridge(n: int) -> Scene:
    """n planks (0.4 x 1 x 0.05 m, 4 kg) on hinges with 0.5 N m of dry friction, both ends anchored.

    It starts on a circular arc of span 0.9 times its length, then settles into its catenary.
    """
    length, width, thickness, mass, friction = 0.4, 1.0, 0.05, 4.0, 0.5
    turn = root(lambda a: math.sin(n * a / 2.0) / (n * math.sin(a / 2.0)) - 0.9, 1e-6, 2.0 * math.pi / n * 0.99)
    slopes = [turn * (i + 0.5) - n * turn / 2.0 for i in range(n)]
    points = [np.array([0.0, 0.0, 8.0])]
    for s in slopes:
        points.append(points[-1] + length * np.array([math.cos(s), 0.0, math.sin(s)]))
    bodies, joints = [plane()], []
    for i, s in enumerate(slopes):
        bodies.append(box((length / 2.0, width / 2.0, thickness / 2.0), (points[i] + points[i + 1]) / 2.0, mass,
                          (math.cos(-s / 2.0), 0.0, math.sin(-s / 2.0), 0.0)))
        joints.append(Joint("hinge", -1 if i == 0 else i, i + 1, tuple(points[i]), friction=friction))
    joints.append(Joint("hinge", n, -1, tuple(points[n]), friction=friction))
    return Scene("bridge", n, bodies, joints, duration=10.0,
                 facts={"span": float(np.linalg.norm(points[n] - points[0])), "length": length, "z": 8.0})


def dominoes(n: int) -> Scene:
    """n dominoes of 0.06 x 0.25 x 0.5 m every 0.2 m; the first is tipped at 1.5 rad/s."""
    t, w, h = 0.06, 0.25, 0.5
    bodies = [plane()]
    for i in range(n):
        tip = 0.0 if i else 1.5
        bodies.append(box((t / 2, w / 2, h / 2), (0.2 * i, 0.0, h / 2), 0.5, vel=(tip * h / 2, 0.0, tip * t / 2),
                          omega=(0.0, tip, 0.0)))
    return Scene("dominoes", n, bodies, mu=0.4, duration=16.0)


def four_balls(_: int = 4) -> Scene:
    """Stewart and Trinkle 1996, section 4: three balls in a row on a table, a fourth is thrown at them."""
    gap = 1e-5
    places = [(0.0, 0.0, 1.0), (1.0, 0.0, 0.1), (1.2 + gap, 0.0, 0.1), (1.4 + 2.0 * gap, 0.0, 0.1)]
    bodies = [plane()] + [sphere(0.1, pos, 1.0, vel=(0.0, 0.0, 0.0) if i else (1.5, 0.1, 0.0)) for i, pos in enumerate(places)]
    return Scene("four_balls", 4, bodies, mu=0.4, duration=1.0)


SCENES: dict[str, tuple[Callable[[int], Scene], tuple[int, ...]]] = {
    "pyramid": (pyramid, (10, 20, 40)),
    "stacks": (stacks, (100, 500, 1000)),
    "ballpit": (ballpit, (500, 1000, 2000)),
    "chain": (chain, (20, 100)),
    "bridge": (bridge, (50,)),
    "dominoes": (dominoes, (200,)),
    "four_balls": (four_balls, (4,)),
    "tower": (tower, (20,)),
}
"""Builder and usual sizes by name."""


def make(name: str, size: int) -> Scene:
    """Build the scene of that name and size.

    Raises:
        BadInput: the size is so small that nothing would move.
    """
    scene = SCENES[name][0](size)
    if not scene.dynamic:
        raise BadInput(f"scene '{name}' of size {size} has nothing that moves; usual sizes: {SCENES[name][1]}")
    return scene
