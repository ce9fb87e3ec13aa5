"""Grids of triangles and worlds with a floor, for the tests of surfaces."""

import numpy as np

from physics import World, set_option, step

DT = 1.0 / 240.0


def grid(n, half, height=lambda x, y: 0.0 * x, turn=0.0):
    """Return (vertices, triangles) of a square of n x n points, turned about z."""
    line = np.linspace(-half, half, n)
    x, y = np.meshgrid(line, line, indexing="ij")
    c, s = np.cos(turn), np.sin(turn)
    vertices = np.column_stack([(c * x - s * y).ravel(), (s * x + c * y).ravel(), height(x, y).ravel()])
    i, j = np.meshgrid(np.arange(n - 1), np.arange(n - 1), indexing="ij")
    a = (i * n + j).ravel()
    return vertices, np.stack([a, a + n, a + n + 1, a, a + n + 1, a + 1], -1).reshape(-1, 3)


def closed(vertices, triangles, depth=2.0):
    """Return (vertices, triangles) of a surface with a rim as the top of a solid that narrows to a point below its middle."""
    edges = {(int(a), int(b)) for t in triangles for a, b in zip(t, np.roll(t, -1))}
    tip = len(vertices)
    sides = [(b, a, tip) for a, b in sorted(edges) if (b, a) not in edges]
    below = vertices.mean(axis=0) * (1.0, 1.0, 0.0) - (0.0, 0.0, depth)
    return np.vstack([vertices, below]), np.vstack([triangles, sides])


def crowd(seed, count, size=0.3):
    """Return random triangles without connectivity."""
    rng = np.random.default_rng(seed)
    return (rng.uniform(-1, 1, (count, 1, 3)) + size * rng.normal(size=(count, 3, 3))).reshape(-1, 3), np.arange(
        3 * count).reshape(-1, 3)


def floor_world(floor, shape, *, gravity=(0.0, 0.0, -9.81), friction=0.5, restitution=0.0, **placed):
    """Return (world, body): a shape over a static floor, without a time budget."""
    world = World(gravity=gravity)
    set_option(world.solver.options, "budget", 0.0)
    world.add_body(floor, kind="static", friction=friction)
    return world, world.add_body(shape, friction=friction, restitution=restitution, **placed)


def path(floor, shape, steps, dt=DT, **more):
    """Return position, velocity and angular velocity of a shape over a floor after each step (steps, 9)."""
    world, body = floor_world(floor, shape, **more)
    out = np.empty((steps, 9))
    for n in range(steps):
        step(world, dt)
        b = world.bodies[body]
        out[n] = [*b["pos"], *b["vel"], *b["omega"]]
    return out


def nearest_on_triangle(p, a, b, c):
    """Return the point of a triangle nearest to p, by trying the face, the edges and the corners."""
    best, at = np.inf, None
    n = np.cross(b - a, c - a)
    q = p - n * (n @ (p - a)) / (n @ n)
    if all(np.cross(v - u, q - u) @ n >= 0 for u, v in ((a, b), (b, c), (c, a))):
        return q
    for u, v in ((a, b), (b, c), (c, a)):
        t = np.clip((p - u) @ (v - u) / ((v - u) @ (v - u)), 0, 1)
        q = u + t * (v - u)
        if np.linalg.norm(p - q) < best:
            best, at = np.linalg.norm(p - q), q
    return at
