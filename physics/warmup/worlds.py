"""Small worlds that together call every kernel with its actual argument types.

Every pair of shapes, every joint and every solver with every choice of its options takes a few steps. `opening` is what the
first picture of a new window needs: a pile of boxes on the ground under the default solver.
"""

import contextlib
import math
from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

import physics
from physics import BadInput, Diverged, World, compiled_joint_step, compiled_step, joints, shapes, solvers
from physics.articulated import kinematics
from physics.complementarity import elimination, judge, lemke, solve_friction
from physics.core import by_address
from physics.dynamics import islands, measure
from physics.observe import quantities
from physics.world import queries

DT = 1.0 / 240.0
ABOVE, DOWN = np.array([0.1, 0.2, 9.0]), np.array([0.0, 0.0, -1.0])
"""A ray."""
WARMUP_STEPS = 3
"""The first step has no previous contacts, the second has; the third is a margin."""


def all_worlds() -> None:
    """Every world, every solver, every query."""
    for world in worlds():
        run_world(world)
        query(world)
    run_sleeping()
    run_lcp()
    run_compiled()


def opening() -> None:
    """What the window's first scene does: boxes lie on the ground, drivers, which divide the steps, move their bench, and one
    falls off and strikes."""
    world = World()
    world.add_body(physics.Plane(), kind="static")
    for k in range(3):
        world.add_body(physics.Box((0.5, 0.5, 0.5)), pos=(0.0, 0.0, 0.5 + k))
    world.records_energy = True
    for _ in range(WARMUP_STEPS):
        physics.step(world, DT)
    world.drivers.append(lambda world: None)
    world.solver.set(substeps=2)
    world.add_body(physics.Box((0.5, 0.5, 0.5)), pos=(2.0, 0.0, 0.55), vel=(0.0, 0.0, -8.0), restitution=0.3)
    for _ in range(WARMUP_STEPS):
        physics.step(world, DT)
    for key in quantities.all_keys(world):
        quantities.find(world, key).read(world)
    islands.find_islands(world.bodies, world.contacts, world.joints)
    measure.copy_motion(world.bodies, np.empty((len(world.bodies), measure.MOTION)))       # of which the window keeps checksums
    queries.CollisionQuery.of(world.bodies.copy(), world.shapes.copy(), world.shape_kinds, world.pool).ray(ABOVE, DOWN)


def run_compiled() -> None:
    """Whole steps in one call."""
    world = World()
    world.add_body(physics.Plane(), kind="static")
    world.add_body(physics.Box((0.5, 0.5, 0.5)), pos=(0.0, 0.0, 0.5))
    for _ in range(WARMUP_STEPS):
        physics.step(world, DT)
    pendulum = World()
    bob = pendulum.add_body(physics.Sphere(0.1), pos=(1.0, 0.0, 0.0))
    pendulum.add_joint("revolute", 0, bob, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    pendulum.use_solver("joint_space")
    for _ in range(WARMUP_STEPS):
        physics.step(pendulum, DT)
    if by_address.AVAILABLE:
        compiled_step.CompiledStep(world).advance(DT, 1)
        compiled_joint_step.CompiledJointStep(pendulum).advance(DT, 1)


def worlds() -> Iterator[World]:
    """A world for every pair of shape kinds, one with extended contacts, one for every joint kind: free, and with friction."""
    yield from _meetings()
    for adhesion in (1.0, 0.0):     # the exact solver has none
        yield _material_world(adhesion)
    yield from _machines()


def _meetings() -> Iterator[World]:
    for a, b in combinations_with_replacement(shapes.kinds(), 2):
        try:
            yield _touching(a, b)
        except BadInput:  # two shapes that cannot collide, like two planes
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
    """A ball that hits a wall within the step, and after the rebound another; one that hits a surface; one on a hinge; two
    adjacent boxes."""
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


def _material_world(adhesion: float) -> World:
    """A body whose material uses every property."""
    material = physics.Material(kinetic_friction=0.3, restitution=0.5, tangential_restitution=0.5, rolling=0.01, torsional=0.01,
                                anisotropy=0.5, surface_velocity=(1.0, 0.0, 0.0), adhesion=adhesion)
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
    """A body attached to the world, and one attached to it."""
    world = World()
    one = world.add_body(physics.Box((0.5, 0.1, 0.1)), pos=(0.5, 0.0, 2.0), omega=(0.1, 0.2, 0.3))
    two = world.add_body(physics.Sphere(0.2), pos=(1.5, 0.0, 2.0))
    coupled = joints.kinds()[kind].couples
    more = {"axis_b": (1.0, 0.0, 0.0)} if coupled and coupled[0] != coupled[1] else {}
    world.add_joint(kind, 0, one, anchor=(0.0, 0.0, 2.0), axis=(0.0, 1.0, 0.0), max_friction=friction, **more)
    world.add_joint(kind, one, two, anchor=(1.0, 0.0, 2.0), axis=(0.0, 1.0, 0.0), max_friction=friction, **more)
    return world


def variants(options: Any) -> Iterator[dict[str, Any]]:
    """The default options, then each choice and each switch once."""
    yield {}
    for field in physics.fields(options):
        choices = field.metadata["choices"] or ((True, False) if isinstance(field.default, bool) else ())
        yield from ({field.name: choice} for choice in choices if choice != field.default)


def run_world(world: World) -> None:
    """Step the world under every solver that supports it, and read all its numbers."""
    start = world.snapshot()
    for name, solver in solvers.available().items():
        if solver().unsupported(world):
            continue
        for changes in variants(solver().options):
            world.restore(start)
            world.use_solver(name)
            for option, value in changes.items():
                physics.set_option(world.solver.options, option, value)
            with contextlib.suppress(BadInput):     # some solvers refuse contacts only when bodies touch
                for _ in range(WARMUP_STEPS):
                    physics.step(world, DT)
    for key in quantities.all_keys(world):
        quantities.find(world, key).read(world)
    islands.find_islands(world.bodies, world.contacts, world.joints)


def query(world: World) -> None:
    """Query the surroundings, and the same in joint coordinates."""
    queries.ray(world, ABOVE, DOWN)
    queries.closest(world, ABOVE)
    queries.overlap(world, physics.Sphere(0.1), ABOVE)
    space = world.joint_space()
    space.forward_dynamics()
    kinematics.advance(space.tree.links, space.qd, DT, space.q)
    kinematics.place(space.tree.links, space.q, space.bodies)
    kinematics.set_velocities(space.tree.links, space.states, space.bodies)


def run_sleeping() -> None:
    """Fall asleep, be touched, wake, diverge; filters and events on the way."""
    world = World()
    world.sleeping.enabled, world.watch.touching = True, True
    for name, value in (("delay", 0.0), ("speed", 1.0), ("spin", 1.0), ("drift", 0.1), ("residual", 1.0)):
        physics.set_option(world.sleeping, name, value)
    world.add_body(physics.Box((2.0, 2.0, 0.5)), kind="static", sensor=True)
    world.add_body(physics.Box((2.0, 2.0, 0.5)), kind="static", pos=(0.0, 0.0, -0.5))
    for i in range(4):
        world.add_body(physics.Sphere(0.2), pos=(0.6 * i, 0.0, 0.2))
    for _ in range(WARMUP_STEPS):
        physics.step(world, DT)
    world.add_body(physics.Sphere(0.2), pos=(0.0, 0.0, 0.55), vel=(2.0, 0.0, 0.0))
    for _ in range(WARMUP_STEPS):
        physics.step(world, DT)
    world.wake()
    world.bodies["vel"][-1] = math.inf
    with contextlib.suppress(Diverged):
        physics.step(world, DT)


def run_lcp() -> None:
    """Complementarity problems, by each algorithm, and their judges."""
    M, q = np.eye(2), np.array([-1.0, 1.0])
    z, w = lemke.solve(M, q)[:2]
    for judged in (judge.natural, judge.fischer_burmeister, judge.gap):
        judged(M, q, z, w)
    order, L = np.empty(2, np.int64), np.empty((2, 2))
    solve_friction(M, q, 0.5, 2)
    rank = elimination.factor(M, 1e-10, order, L)
    elimination.solve(L, order, rank, w)
    elimination.misfit(M, q, order, rank, w, z)
    elimination.schur(L, order, rank, M, np.eye(2), np.empty((2, 2)))
    elimination.carry(M, w, q)
    elimination.recover(M, z, w)
