"""Golden worlds: the states that a few scenes reach, bit for bit, as hashes. Only a change of physics that is meant changes them.

    python -m tests.golden             which scenes no longer reach the states of golden.json, and after how many steps
    python -m tests.golden --write     the same, and golden.json is brought up to date: do it when the physics was meant to change
    python -m tests.golden --json      the hashes themselves, for the processes that test_determinism.py starts

The first state is rounded to 40 bits, and drivers (which take cosines of the time) are let go: what builds a scene may call libm
and LAPACK, whose last bits differ between machines; what a step computes may not.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import scenes
from physics import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Friction,
    HeightField,
    Hull,
    Material,
    Motor,
    Plane,
    Sphere,
    TriangleMesh,
    World,
    set_option,
    step,
)
from physics.shapes._geometry import GeometryArrays, GeometryPool

TABLE = Path(__file__).with_suffix(".json")

CHECKED = (1, 60, 400)
"""Steps after which the state is compared: a change of the law shows in the first, of a last bit in the last."""

THREADS = 2
"""Scenes that are run at the same time."""

BITS = 40
"""Of the numbers of a first state."""

MOTION = ("pos", "quat", "vel", "omega", "asleep")
CONTACT_STATE = ("body_a", "body_b", "feature", "impulse", "friction_impulse", "spin_impulse", "case")
JOINT_STATE = ("impulse", "friction_impulse", "limit_impulse", "motor_impulse", "coordinate", "case")
SHAPES = (Cylinder(0.15, 0.2), Cone(0.2, 0.4), Ellipsoid((0.1, 0.2, 0.25)), Box((0.15, 0.2, 0.1)), Sphere(0.15),
          Capsule(0.1, 0.15),
          Hull([(0.2, 0, 0), (0, 0.2, 0.1), (-0.2, 0, 0.1), (0, -0.2, 0), (0, 0, 0.25), (0.1, 0.1, -0.2), (-0.1, -0.1, -0.2)]),
          Hull([(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)], rounding=0.05))


@dataclass(frozen=True)
class Golden:
    """A scene of the app, or a `build`, with what is set differently. sleeping: options of sleeping."""

    build: str | Callable[[World], None]
    parameters: dict[str, Any] = field(default_factory=dict)
    solver: str = "sequential_impulses"
    options: dict[str, Any] = field(default_factory=dict)
    sleeping: dict[str, Any] = field(default_factory=dict)
    dt: float = 1.0 / 240.0


def spiral(world: World, count: int, rise: float = 0.4) -> None:
    """Shapes of all kinds, one above the other, each turned differently."""
    for n in range(count):
        quat = np.array([1.0 + n % 3, (7 * n) % 5 - 2.0, (3 * n) % 7 - 3.0, n % 2])
        world.add_body(SHAPES[n % len(SHAPES)], pos=(0.5 * ((n * 5) % 7 - 3) / 3, 0.5 * ((n * 3) % 5 - 2) / 2, 0.9 + rise * n),
                       quat=quat / np.sqrt((quat**2).sum()), vel=(0.1 * (n % 3), 0.0, -1.0), friction=0.2 + 0.1 * (n % 5),
                       restitution=0.1 * (n % 4))


def heap(world: World) -> None:
    """All convex shapes dropped into a box."""
    world.add_body(Box((2.0, 2.0, 0.5)), kind="static", pos=(0.0, 0.0, -0.5))
    for x, y in ((1.1, 0.0), (-1.1, 0.0), (0.0, 1.1), (0.0, -1.1)):
        world.add_body(Box((0.1 if x else 1.2, 0.1 if y else 1.2, 1.0)), kind="static", pos=(x, y, 1.0))
    spiral(world, 24)


def surfaces(world: World) -> None:
    """The same shapes on a height field and a mesh beside it."""
    i, j = np.meshgrid(np.arange(17), np.arange(17), indexing="ij")
    world.add_body(HeightField(((7 * i + 11 * j) % 13) / 64.0 + ((i - 8) ** 2 + (j - 8) ** 2) / 128.0, 0.25), kind="static")
    vertices = np.stack([i.ravel() / 4.0 - 2.0, j.ravel() / 4.0 - 2.0, ((5 * i + 3 * j) % 7).ravel() / 16.0], axis=1)
    a = (17 * i + j)[:-1, :-1].ravel()
    triangles = np.stack([a, a + 17, a + 18, a, a + 18, a + 1], axis=1).reshape(-1, 3)
    world.add_body(TriangleMesh(vertices, triangles), kind="static", pos=(0.3, 0.2, -0.25))
    spiral(world, 16, rise=0.3)


def mechanisms(world: World) -> None:
    """The gallery's joints with friction and motors, whose targets stand still."""
    scene = scenes.find("joint_gallery")
    scene.build(world, scene.parameters(friction=0.4, viscous=0.05))
    world.drivers.clear()
    last = 0
    for n in range(6):
        link = world.add_body(Capsule(0.05, 0.15), pos=(0.2 + 0.4 * n, -2.0, 2.0), quat=(0.5, 0.5, 0.5, 0.5), omega=(0.0, 1.0, n))
        law = Friction(static=0.6, kinetic=0.3, stribeck=0.1 * n, viscous=0.01, load=0.02)
        world.add_joint("spherical" if n % 2 else "revolute", last, link, anchor=(0.4 * n, -2.0, 2.0), axis=(0.0, 1.0, 0.0),
                        friction=law, **({} if n % 2 else {"limits": (-1.0, 1.5), "motor": Motor(target=0.5 * n, force=0.5)}))
        last = link


def coated(world: World) -> None:
    """Materials with everything, thrown onto a belt."""
    belt = Material(friction=0.7, kinetic_friction=0.5, anisotropy=0.5, axis=(1.0, 1.0, 0.0), surface_velocity=(0.3, 0.0, 0.0))
    world.add_body(Plane(), kind="static", material=belt)
    for n in range(14):
        rubber = Material(friction=0.3 + 0.05 * n, kinetic_friction=0.2, restitution=0.06 * n,
                          tangential_restitution=0.1 * (n % 5), rolling=0.002 * (n % 3), torsional=0.003 * (n % 4),
                          adhesion=0.5 * (n % 2), anisotropy=1.0 + 0.2 * (n % 3))
        world.add_body(SHAPES[(3, 4, 5)[n % 3]], pos=(0.6 * (n % 4), 0.6 * (n // 4), 0.4 + 0.1 * n), vel=(1.0, -0.1 * n, 0.0),
                       omega=(n % 5, 3.0, -0.5 * n), material=rubber)


def bullets(world: World) -> None:
    """Fast small bodies among thin walls, and through a stack."""
    for n in range(4):
        world.add_body(Box((0.005, 1.0, 1.0)), kind="static" if n % 2 else "dynamic", pos=(0.5 * n, 0.0, 1.0), restitution=0.6)
    world.add_body(Plane(), kind="static")
    for n in range(6):
        world.add_body(Box((0.2, 0.2, 0.1)), pos=(-1.0, 0.0, 0.1 + 0.2 * n))
    for n in range(10):
        shape = (Sphere(0.01), Box((0.02, 0.01, 0.01)), Capsule(0.01, 0.02))[n % 3]
        world.add_body(shape, pos=(-3.0 - 2.0 * n, 0.05 * (n % 5 - 2), 0.3 + 0.1 * n), vel=(120.0 - 5.0 * n, 0.0, 1.0),
                       omega=(0.0, 30.0, n), density=8000.0, restitution=0.8)


def few(world: World) -> None:
    """A few of the heap's shapes on a plane: a size for the exact solver."""
    world.add_body(Plane(), kind="static")
    spiral(world, 6)


SCENES = {
    "pile of boxes, balls and capsules": Golden("playground"),
    "pile under soft steps": Golden("playground", {"heap": 20}, solver="soft_steps"),
    "pyramid on the exact cone": Golden("pyramid", {"width": 6}, options={"cone": "circle", "iterations": 30}),
    "heap of convex shapes": Golden(heap),
    "height field and mesh": Golden(surfaces),
    "joints with friction and motors": Golden(mechanisms, options={"iterations": 8, "substeps": 4}),
    "joints under soft steps": Golden(mechanisms, solver="soft_steps"),
    "uncommon materials": Golden(coated),
    "dominoes that fall asleep": Golden("domino", {"count": 12}, sleeping={"enabled": True, "delay": 0.1}),
    "exact solver, a few shapes": Golden(few, solver="stewart_trinkle", options={"impact_law": "Poisson"}),
    "exact solver, joints with friction and motors": Golden(mechanisms, solver="stewart_trinkle", options={"facets": 6}),
    "bullets": Golden(bullets, dt=1.0 / 120.0),
}


def make(name: str) -> World:
    """A golden world at its start, without a clock."""
    golden = SCENES[name]
    world = World()
    if isinstance(golden.build, str):
        scene = scenes.find(golden.build)
        scene.build(world, scene.parameters(**golden.parameters))
    else:
        golden.build(world)
    world.use_solver(golden.solver)
    for option, value in golden.options.items():
        set_option(world.solver.options, option, value)
    if hasattr(world.solver.options, "budget"):
        set_option(world.solver.options, "budget", 0.0)
    for option, value in golden.sleeping.items():
        set_option(world.sleeping, option, value)
    round_off(world)
    return world


def round_off(world: World) -> None:
    """The numbers of the tables to BITS bits, those of one vector or matrix to the last bit of its largest."""
    pool = world.pool.arrays
    numbers = rounded(pool.numbers[:, None])[:, 0]
    world.pool = GeometryPool(GeometryArrays(pool.table, rounded(pool.vertices), pool.triangles, pool.integers, numbers,
                                             pool.nodes),
                              world.pool.keys)
    for table in (world.bodies, world.shapes, world.joints):
        for name in table.dtype.names:
            if table[name].dtype == np.float64:
                table[name] = rounded(table[name])


def rounded(numbers: np.ndarray) -> np.ndarray:
    """Every element of the first axis to BITS bits of its largest number; what is not finite stays."""
    size = np.where(np.isfinite(numbers), np.abs(numbers), 0.0)
    largest = size.max(axis=tuple(range(1, numbers.ndim)), keepdims=True, initial=0.0)
    grain = np.ldexp(1.0, np.frexp(largest)[1] - BITS)
    return np.where(np.isfinite(numbers), np.round(numbers / grain) * grain, numbers)


def state(world: World) -> str:
    """Hash of all that moves and all that acts, in the order of the tables."""
    digest = hashlib.sha256()
    for table, fields in ((world.bodies, MOTION), (world.contacts, CONTACT_STATE), (world.joints, JOINT_STATE)):
        digest.update(len(table).to_bytes(8, "little"))
        for name in fields:
            digest.update(np.ascontiguousarray(table[name]).tobytes())
    return digest.hexdigest()[:32]


def states(name: str, last: int = CHECKED[-1]) -> dict[str, str]:
    """The hashes of one scene by the number of steps, up to the last."""
    world, found = make(name), {}
    for n in range(1, last + 1):
        step(world, SCENES[name].dt)
        if n in CHECKED:
            found[str(n)] = state(world)
    return found


def known() -> dict[str, dict[str, str]]:
    """The table as it was last written."""
    return json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, and write if asked to; 1 if something differs from the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="bring golden.json up to date")
    parser.add_argument("--json", action="store_true", help="print the hashes")
    asked = parser.parse_args(arguments)
    with ThreadPoolExecutor(THREADS) as threads:
        before, now = known(), dict(zip(SCENES, threads.map(states, SCENES), strict=True))
    if asked.json:
        print(json.dumps(now))
        return 0
    for name in dict.fromkeys([*now, *before]):
        old, new = before.get(name), now.get(name)
        if old is None or new is None:
            print(f"{name}: {'new' if old is None else 'gone'}")
        elif old != new:
            first = next(n for n in new if new[n] != old.get(n))
            print(f"{name}: differs after {first} steps, {old.get(first)} is now {new[first]}")
    if asked.write:
        TABLE.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
    print("as in golden.json" if now == before else "golden.json is written" if asked.write else
          "if the physics was meant to change: python -m tests.golden --write")
    return int(now != before and not asked.write)


if __name__ == "__main__":
    sys.exit(main())
