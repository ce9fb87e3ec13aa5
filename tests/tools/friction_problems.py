"""Friction problems in local form, W = J M^-1 J^T and q, computed in numpy from worlds of the engine; for tests and benchmarks.

For contact i with axes n, t1, t2 at the arms x_a, x_b of its bodies, u_i = J_i V is the velocity of b relative to a along these:

    W_ij = sum over common bodies c:  s_i s_j A_i (1/m_c  +  [x_i]^T I_c^-1 [x_j]) A_j^T         s: -1 for a, +1 for b
    q_i  = J_i (V + dt (g, I^-1 (-omega x I omega))) + (e J_i V along n, where it approaches)   Moreau's time stepping, Newton's e
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse

from physics import Box, Capsule, Hull, Plane, Sphere, World, step
from physics.core.records import Kind


@dataclass(frozen=True)
class FrictionProblem:
    """W scipy-sparse (n dim, n dim), q (n dim,), mu (n,)."""

    name: str
    W: scipy.sparse.csr_matrix
    q: np.ndarray
    mu: np.ndarray
    dim: int = 3


def of_world(name: str, world: World, dt: float = 1 / 240, restitution: float = 0.0) -> FrictionProblem:
    """Return the problem of the world's contacts, as the last step found them, and of its velocities."""
    bodies, contacts, n = world.bodies, world.contacts, len(world.contacts)
    moving = np.flatnonzero(bodies["kind"] == Kind.DYNAMIC)
    slot = np.full(len(bodies), -1)
    slot[moving] = np.arange(len(moving))
    axes = np.stack([contacts["normal"], contacts["tangent"], np.cross(contacts["normal"], contacts["tangent"])], axis=1)
    J = scipy.sparse.lil_matrix((3 * n, 6 * len(moving)))
    for sign, which, end in ((-1.0, "body_a", contacts["pos"]), (1.0, "body_b", contacts["pos"] + contacts["shift"])):
        for i in range(n):
            body = contacts[which][i]
            if slot[body] >= 0:
                first = 6 * slot[body]
                J[3 * i:3 * i + 3, first:first + 3] = sign * axes[i]
                J[3 * i:3 * i + 3, first + 3:first + 6] = sign * np.cross(end[i] - bodies["pos"][body], axes[i])
    J = scipy.sparse.csr_matrix(J)
    turn = _rotations(bodies["quat"][moving])
    light = np.zeros((len(moving), 6, 6))
    light[:, [0, 1, 2], [0, 1, 2]] = bodies["inv_mass"][moving][:, None]
    light[:, 3:, 3:] = turn @ bodies["inv_inertia"][moving] @ turn.transpose(0, 2, 1)
    inertia = turn @ bodies["inertia"][moving] @ turn.transpose(0, 2, 1)
    before = np.column_stack([bodies["vel"][moving], bodies["omega"][moving]])
    spin = np.einsum("nij,nj->ni", inertia, before[:, 3:])
    free = before.copy()
    free[:, :3] += dt * np.asarray(world.gravity)
    free[:, 3:] -= dt * np.einsum("nij,nj->ni", light[:, 3:, 3:], np.cross(before[:, 3:], spin))
    q, was = J @ free.ravel(), J @ before.ravel()
    q[::3] += restitution * np.minimum(was[::3], 0.0)
    W = scipy.sparse.csr_matrix(J @ scipy.sparse.block_diag(list(light)) @ J.T)
    return FrictionProblem(name, W, q, contacts["friction"].copy())


def _rotations(quat: np.ndarray) -> np.ndarray:
    """Return the matrices (n, 3, 3) of quaternions (n, 4): w, x, y, z."""
    w, v = quat[:, 0], quat[:, 1:]
    cross = np.zeros((len(quat), 3, 3))
    cross[:, [2, 0, 1], [1, 2, 0]], cross[:, [1, 2, 0], [2, 0, 1]] = v, -v
    return np.eye(3) + 2.0 * (w[:, None, None] * cross + cross @ cross)


def _floor(world: World, mu: float) -> None:
    world.add_body(Plane(), kind="static", friction=mu)


def _ran(world: World, steps: int, dt: float = 1 / 240) -> World:
    for _ in range(steps):
        step(world, dt)
    return world


def _kick(world: World, random: np.random.Generator, speed: float) -> World:
    """Give every body a random velocity; the contacts are those of the last step."""
    for body in np.flatnonzero(world.bodies["kind"] == Kind.DYNAMIC):
        world.set_velocity(int(body), speed * random.normal(size=3), speed * random.normal(size=3))
    return world


def stack(height: int, mu: float = 0.5, ratio: float = 1.0, kick: float = 0.0) -> World:
    """Build a stack of boxes, the last `ratio` times as heavy as the first."""
    world = World()
    _floor(world, mu)
    for k in range(height):
        world.add_body(Box((0.2, 0.2, 0.2)), pos=(0.0, 0.0, 0.2 + 0.4 * k), mass=ratio ** (k / max(1, height - 1)), friction=mu)
    return _kick(_ran(world, 2), np.random.default_rng(height), kick) if kick else _ran(world, 2)


def pyramid(width: int, mu: float = 0.5, kick: float = 0.0) -> World:
    world = World()
    _floor(world, mu)
    for row in range(width):
        for i in range(width - row):
            world.add_body(Box((0.2, 0.2, 0.2)), pos=((i - 0.5 * (width - row - 1)) * 0.44, 0.0, 0.2 + 0.4 * row), friction=mu)
    return _kick(_ran(world, 2), np.random.default_rng(width), kick) if kick else _ran(world, 2)


def wall(columns: int, rows: int, mu: float = 0.7, kick: float = 0.0) -> World:
    """Build a wall of bricks in running bond without gaps."""
    world = World()
    _floor(world, mu)
    for row in range(rows):
        for i in range(columns):
            world.add_body(Box((0.2, 0.1, 0.1)), pos=(0.4 * i + 0.2 * (row % 2), 0.0, 0.1 + 0.2 * row), friction=mu)
    return _kick(_ran(world, 2), np.random.default_rng(rows), kick) if kick else _ran(world, 2)


def heap(bodies: int, mu: float = 0.5, seed: int = 0, spread: float = 0.0, steps: int = 160) -> World:
    """Drop boxes, balls and capsules onto a heap; masses over `spread` powers of ten."""
    random, world = np.random.default_rng(seed), World()
    _floor(world, mu)
    for k in range(bodies):
        shape = (Box(tuple(random.uniform(0.08, 0.2, 3))), Sphere(random.uniform(0.08, 0.2)), Capsule(0.1, 0.15))[k % 3]
        turn = random.normal(size=4)
        world.add_body(shape, pos=(*random.uniform(-0.5, 0.5, 2), 0.3 + 0.25 * k), quat=turn / np.linalg.norm(turn),
                       mass=10.0 ** random.uniform(-0.5 * spread, 0.5 * spread), friction=mu)
    return _ran(world, steps)


def wedges(count: int, mu: float) -> World:
    """Press balls between leaning walls, one on another."""
    world = World()
    for side in (-1.0, 1.0):
        c, s = np.cos(0.15), side * np.sin(0.15)
        world.add_body(Box((0.05, 1.0, 4.0)), kind="static", pos=(side * 0.45, 0.0, 4.0), quat=(c, 0.0, s, 0.0), friction=mu)
    for k in range(count):
        world.add_body(Sphere(0.25), pos=(0.02 * (-1) ** k, 0.0, 2.2 + 0.52 * k), friction=mu)
    return _ran(world, 150)


def cards(pairs: int, mu: float = 0.9) -> World:
    """Build a row of leaning pairs of cards."""
    world = World()
    _floor(world, mu)
    for k in range(pairs):
        for side in (-1.0, 1.0):
            lean = 0.35 * side
            world.add_body(Box((0.004, 0.1, 0.2)), pos=(0.2 * k + side * 0.2 * np.sin(0.35), 0.0, 0.2 * np.cos(0.35) + 0.002),
                           quat=(np.cos(0.5 * lean), 0.0, -np.sin(0.5 * lean), 0.0), friction=mu)
    return _ran(world, 3)


def arch(stones: int, mu: float = 0.8, thickness: float = 0.25) -> World:
    """Build a half circle of voussoirs on two static springers."""
    world, edge = World(margin=0.01), np.pi / stones
    _floor(world, mu)
    for k in range(stones):
        angles = (k * edge, (k + 1) * edge)
        corners = [(r * np.cos(a), y, r * np.sin(a)) for a in angles for r in (1.0, 1.0 + thickness) for y in (-0.2, 0.2)]
        centre = np.mean(corners, axis=0)
        world.add_body(Hull(np.array(corners) - centre), pos=tuple(centre), friction=mu)
    return _ran(world, 2)


def gripper(layers: int, mu: float) -> World:
    """Hold boxes side by side between two static jaws that approach each other."""
    world = World()
    for side in (-1.0, 1.0):
        world.add_body(Box((0.1, 0.3, 0.3)), kind="kinematic", pos=(side * (0.2 * layers + 0.1), 0.0, 1.0),
                       vel=(-side * 0.05, 0.0, 0.0), friction=mu)
    for k in range(layers):
        world.add_body(Box((0.2, 0.2, 0.2)), pos=(0.4 * k - 0.2 * (layers - 1), 0.0, 1.0), friction=mu)
    return _ran(world, 2)


def in_plane(problem: FrictionProblem) -> FrictionProblem:
    """Return the problem without the second tangents."""
    kept = np.arange(len(problem.q)).reshape(-1, 3)[:, :2].ravel()
    return FrictionProblem(f"{problem.name}, plane", problem.W[kept][:, kept], problem.q[kept], problem.mu, 2)


def families(largest: int = 570) -> Iterator[tuple[str, Callable[[], list[FrictionProblem]]]]:
    """Yield (family, function that makes its problems), each problem with up to `largest` contacts."""
    def some(name: str, *makers: Callable[[], World], restitution: float = 0.0) -> tuple[str, Callable[[],
                                                                                                       list[FrictionProblem]]]:
        def make() -> list[FrictionProblem]:
            found = [of_world(name, maker(), restitution=restitution) for maker in makers]
            return [p for p in found if 0 < len(p.mu) <= largest]
        return name, make

    yield some("stacks", *(lambda h=h: stack(h) for h in (1, 3, 10, 40)))
    yield some("stacks, 1 : 10,000", *(lambda h=h, r=r: stack(h, ratio=r) for h in (3, 10, 20) for r in (1e4, 1e-4)))
    yield some("stacks, kicked", *(lambda h=h: stack(h, 0.3, kick=1.0) for h in (3, 10, 40)))
    yield some("pyramids", *(lambda w=w: pyramid(w) for w in (3, 6, 10, 11)))
    yield some("pyramids, kicked", *(lambda w=w, m=m: pyramid(w, m, kick=0.5) for w, m in ((3, 0.3), (6, 1.0), (10, 0.5))))
    yield some("walls", *(lambda c=c, r=r: wall(c, r) for c, r in ((3, 3), (5, 6), (6, 10))))
    yield some("walls, kicked", *(lambda c=c, r=r: wall(c, r, kick=0.5) for c, r in ((3, 3), (5, 6), (6, 10))))
    yield some("heaps", *(lambda n=n, m=m: heap(n, m, n) for n, m in ((10, 0.5), (30, 0.8), (60, 0.3), (100, 1.0), (60, 0.5))))
    yield some("heaps, 1 : 10,000", *(lambda n=n: heap(n, 0.5, n, spread=4.0) for n in (10, 30, 60)))
    yield some("heaps, rebounding", *(lambda n=n: heap(n, 0.6, n, steps=100) for n in (20, 60)), restitution=0.5)
    yield some("wedges", *(lambda n=n, m=m: wedges(n, m) for n in (1, 4, 8) for m in (0.05, 0.3, 1.5)))
    yield some("cards", *(lambda n=n, m=m: cards(n, m) for n in (1, 4, 12) for m in (0.2, 0.9)))
    yield some("arches", *(lambda n=n, m=m: arch(n, m) for n in (5, 11, 25) for m in (0.2, 0.8)))
    yield some("grippers", *(lambda n=n, m=m: gripper(n, m) for n in (1, 4, 10) for m in (0.1, 1.0)))
    yield "planes", lambda: [in_plane(of_world("planes", w)) for w in (stack(10), pyramid(8), wall(4, 5), pyramid(6, 0.3, 0.5))]
