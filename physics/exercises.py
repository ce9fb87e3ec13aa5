"""Small worlds that between them call every kernel with the types it really gets.

Every two shapes, every joint and every solver with every choice of its options take a few steps. `opening` is what the first
picture of a new window needs: a pile of boxes on the ground under the default solver.
"""

import contextlib
import math
from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

import physics
from physics import BadInput, Diverged, World, islands, joints, quantities, queries, rows, shapes, solvers
from physics.complementarity import elimination, gauss_seidel, judge, lemke, principal, solve_friction

DT = 1.0 / 240.0
ABOVE, DOWN = np.array([0.1, 0.2, 9.0]), np.array([0.0, 0.0, -1.0])
"""A ray."""
STEPS = 3
"""The first step has no contacts to inherit, the second has; the third is for good measure."""


def everything() -> None:
    """Every world, every solver, all that is asked of a world."""
    for world in worlds():
        exercise(world)
        look(world)
    doze()
    complement()


def opening() -> None:
    """Boxes on the ground, as the window shows them first."""
    world = World()
    world.add_body(physics.Plane(), kind="static")
    for k in range(3):
        world.add_body(physics.Box((0.5, 0.5, 0.5)), pos=(0.0, 0.0, 0.5 + k))
    world.keeps_ledger = True
    for _ in range(STEPS):
        physics.step(world, DT)
    for key in quantities.all_keys(world):
        quantities.find(world, key).read(world)
    islands.find(world.bodies, world.contacts, world.joints)
    _pick(world)


def worlds() -> Iterator[World]:
    """A world for every pair of shape kinds, one with uncommon materials, one for every joint kind: free, and with friction."""
    yield from _meetings()
    yield _coated()
    yield from _machines()


def _meetings() -> Iterator[World]:
    for a, b in combinations_with_replacement(shapes.kinds(), 2):
        try:
            yield _touching(a, b)
        except BadInput:  # two shapes that cannot meet, like two planes
            continue
    yield _fast()


def _machines() -> Iterator[World]:
    for kind in joints.kinds():
        for friction in (0.0, 0.1):
            try:
                yield _joined(kind, friction)
            except BadInput:  # a joint without friction
                continue


def _fast() -> World:
    """A ball that meets a wall within the step, and thrown back another; one that meets a surface; one on a hinge; two boxes
    side by side."""
    world = World()
    for x in (-0.1, 0.1):
        world.add_body(physics.Box((0.01, 1.0, 1.0)), kind="static", pos=(x, 0.0, 0.0), restitution=1.0)
    world.add_body(physics.HeightField(np.zeros((3, 3)), 0.2), kind="static", pos=(5.0, 0.0, 0.0))
    world.add_body(physics.Sphere(0.01), vel=(100.0, 0.0, 0.0))
    world.add_body(physics.Sphere(0.01), pos=(5.0, 0.05, 0.2), vel=(0.0, 0.0, -100.0))
    for x in (0.0, 0.2):
        world.add_body(physics.Box((0.1, 0.1, 0.1)), kind="static", pos=(x, -5.0, 0.0))
    ball = world.add_body(physics.Sphere(0.01), pos=(0.0, 5.0, 0.0), vel=(0.0, 0.0, 100.0), omega=(0.0, -100.0, 0.0))
    world.add_joint("revolute", 0, ball, anchor=(-1.0, 5.0, 0.0), axis=(0.0, 1.0, 0.0))
    return world


def _coated() -> World:
    """A body whose material has everything."""
    material = physics.Material(kinetic_friction=0.3, restitution=0.5, tangential_restitution=0.5, rolling=0.01, torsional=0.01,
                                anisotropy=0.5, surface_velocity=(1.0, 0.0, 0.0), adhesion=1.0)
    world = World()
    world.add_body(physics.Plane(), kind="static")
    world.add_body(physics.Sphere(0.5), pos=(0.0, 0.0, 0.5), vel=(1.0, 0.0, -1.0), material=material)
    return world


def _touching(a: str, b: str) -> World:
    """Two bodies in contact; the order does not matter."""
    world = World()
    for kind, z in ((a, 0.0), (b, 0.9)):
        shape = shapes.kinds()[kind].make((0.5, 0.5, 0.5))
        moves = shape.volume() < float("inf")
        world.add_body(shape, kind="dynamic" if moves else "static", pos=(0.0, 0.0, z if moves else -0.4),
                       vel=(1.0 if moves else 0.0, 0.0, 0.0), restitution=0.3)
    return world


def _joined(kind: str, friction: float) -> World:
    """A body that hangs on the world, and one that hangs on it."""
    world = World()
    one = world.add_body(physics.Box((0.5, 0.1, 0.1)), pos=(0.5, 0.0, 2.0), omega=(0.1, 0.2, 0.3))
    two = world.add_body(physics.Sphere(0.2), pos=(1.5, 0.0, 2.0))
    more = {"axis_b": (1.0, 0.0, 0.0)} if kind == "rack" else {}
    world.add_joint(kind, 0, one, anchor=(0.0, 0.0, 2.0), axis=(0.0, 1.0, 0.0), max_friction=friction, **more)
    world.add_joint(kind, one, two, anchor=(1.0, 0.0, 2.0), axis=(0.0, 1.0, 0.0), max_friction=friction, **more)
    return world


def variants(options: Any) -> Iterator[dict[str, Any]]:
    """The default options, then each choice and each switch once."""
    yield {}
    for field in physics.fields(options):
        choices = field.metadata["choices"] or ((True, False) if isinstance(field.default, bool) else ())
        yield from ({field.name: choice} for choice in choices if choice != field.default)


def exercise(world: World) -> None:
    """Step the world under every solver that can do it, and read all its numbers."""
    start = world.snapshot()
    for name, solver in solvers.available().items():
        if solver().unsupported(world):
            continue
        for changes in variants(solver().options):
            world.restore(start)
            world.use_solver(name)
            for option, value in changes.items():
                physics.set_option(world.solver.options, option, value)
            for _ in range(STEPS):
                physics.step(world, DT)
    _tabulate(world)
    for key in quantities.all_keys(world):
        quantities.find(world, key).read(world)
    islands.find(world.bodies, world.contacts, world.joints)


def look(world: World) -> None:
    """Send a ray through every shape; ask what is near."""
    _pick(world)
    queries.ray(world, ABOVE, DOWN)
    queries.closest(world, ABOVE)
    queries.overlap(world, physics.Sphere(0.1), ABOVE)


def _pick(world: World) -> None:
    """Send a ray through every shape, as the viewer does."""
    for s in world.shapes:
        kind = shapes.kinds()[world.shape_kinds[s["kind"]]]
        own = [world.pool.data(int(s["geometry"]))] if kind.geometric else []
        kind.ray(s["dims"], ABOVE, DOWN, *own)


def _tabulate(world: World) -> None:
    """The table of all rows, for the solvers that read it whole."""
    velocity = np.zeros((len(world.bodies), 6))
    rows.build(world, world.contacts, velocity, velocity, DT, 0.1)


def doze() -> None:
    """Fall asleep, be touched, wake, blow up; filters and events on the way."""
    world = World()
    world.sleeping.on, world.watch.touching = True, True
    for name, value in (("delay", 0.0), ("speed", 1.0), ("spin", 1.0), ("drift", 0.1), ("residual", 1.0)):
        physics.set_option(world.sleeping, name, value)
    world.add_body(physics.Box((2.0, 2.0, 0.5)), kind="static", sensor=True)
    world.add_body(physics.Box((2.0, 2.0, 0.5)), kind="static", pos=(0.0, 0.0, -0.5))
    for i in range(4):
        world.add_body(physics.Sphere(0.2), pos=(0.6 * i, 0.0, 0.2))
    for _ in range(STEPS):
        physics.step(world, DT)
    world.add_body(physics.Sphere(0.2), pos=(0.0, 0.0, 0.55), vel=(2.0, 0.0, 0.0))
    for _ in range(STEPS):
        physics.step(world, DT)
    world.wake()
    world.bodies["vel"][-1] = math.inf
    with contextlib.suppress(Diverged):
        physics.step(world, DT)


def complement() -> None:
    """Complementarity problems, by each algorithm, and their judges."""
    M, q = np.eye(2), np.array([-1.0, 1.0])
    z, w = lemke.solve(M, q)[:2]
    for judged in (judge.natural, judge.fischer_burmeister, judge.gap):
        judged(M, q, z, w)
    go, order, L = np.zeros(1, np.int32), np.empty(2, np.int64), np.empty((2, 2))
    principal.principal(M, q, 9, go, z)
    solve_friction(M, q, 0.5, 2)
    gauss_seidel.gauss_seidel(M, q, 1.0, 9, 1e-9, go, z, w)
    rank = elimination.factor(M, 1e-10, order, L)
    elimination.solve(L, order, rank, w)
    elimination.misfit(M, q, order, rank, w, z)
    elimination.schur(L, order, rank, M, np.eye(2), np.empty((2, 2)))
    elimination.carry(M, w, q)
    elimination.recover(M, z, w)
