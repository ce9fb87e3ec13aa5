"""Tools for tests of collision: small worlds as record arrays, reference geometry in NumPy and coal."""

import coal
import numpy as np

from physics import Hull
from physics.collide import bounds, narrow
from physics.collide.convex import core
from physics.core.records import BODY, MANIFOLD, SHAPE, Kind
from physics.shapes import _geometry, kinds

NAMES = list(kinds())
SIMPLE = ("box", "capsule", "plane", "sphere")
PAIRS = sorted(pair for pair in narrow._COLLIDERS if set(pair) <= set(SIMPLE))
"""Pairs with a closed form."""
CONVEX = sorted(pair for pair in narrow._COLLIDERS if not set(pair) <= set(SIMPLE) and set(pair) <= {*core.NAMES, "plane"})
HULLS = [Hull(np.random.default_rng(n).normal(size=(12 + 20 * n, 3)) * (0.5, 0.4, 0.3)) for n in range(3)]
_pool, _indices = _geometry.EMPTY, {}
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
NO_KEYS = np.empty(0, np.int64)


def hull_index(dims):
    """Return the index in the pool of the hull of that size: one of HULLS, scaled."""
    global _pool
    if dims not in _indices:
        ratios = [np.array(dims) / hull.dims for hull in HULLS]
        which = int(np.argmin([np.ptp(ratio) for ratio in ratios]))
        assert np.ptp(ratios[which]) < 1e-9
        _pool, _indices[dims] = _pool.add(Hull(HULLS[which].hull.points * ratios[which][0]).geometry())
    return _indices[dims]


def pool():
    """Return the geometry of all hulls made so far."""
    return _pool.arrays


def own_data(s):
    """Return the geometry of a hull."""
    return _pool.data(s["geometry"])


def world(items):
    """Return (bodies, shapes) of items (kind of body, kind of shape, dims, pos, quat), one shape per body."""
    bodies, shapes = np.zeros(len(items), BODY), np.zeros(len(items), SHAPE)
    for i, (kind, name, dims, pos, quat) in enumerate(items):
        bodies[i].kind = kind
        bodies[i].pos[:] = pos
        bodies[i].quat[:] = quat
        shapes[i].body = i
        shapes[i].kind = NAMES.index(name)
        shapes[i].dims[:] = dims
        shapes[i].geometry = hull_index(tuple(dims)) if name == "hull" else -1
        shapes[i].friction = 0.5
        shapes[i].local_quat[:] = UPRIGHT
    return bodies, shapes


def lists(shapes):
    return {n: np.flatnonzero((shapes["kind"] == k) & (shapes["body"] >= 0)).astype(np.int32)
            for k, n in enumerate(NAMES)}


def refresh(bodies, shapes, margin=0.02, dt=1 / 60, gravity=(0.0, 0.0, -9.81)):
    bounds.update(bodies, shapes, lists(shapes), margin, dt, np.array(gravity), pool())


def random_quat(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def small_quat(rng, angle):
    r = rng.normal(size=3)
    r *= 0.5 * angle / np.linalg.norm(r)
    q = np.array([1.0, *r])
    return q / np.linalg.norm(q)


def multiply(p, q):
    w, v = p[0] * q[0] - p[1:] @ q[1:], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.array([w, *v])


def matrix(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def random_dims(rng, name):
    if name == "box":
        return tuple(np.exp(rng.uniform(-1.2, 0.5, 3)))
    if name == "ellipsoid":
        return tuple(rng.uniform(0.2, 1.0, 3))
    if name == "hull":
        return HULLS[rng.integers(len(HULLS))].dims
    if name in ("cone", "cylinder"):
        return (rng.uniform(0.2, 0.8), rng.uniform(0.2, 1.0), 0.0)
    if name == "capsule":
        return (rng.uniform(0.1, 0.6), rng.uniform(0.1, 1.5), 0.0)
    return (rng.uniform(0.1, 1.0), 0.0, 0.0) if name == "sphere" else (0.0, 0.0, 0.0)


def random_pairs(rng, kinds_ab, count, spread=2.0):
    """Return random shapes; 2 k and 2 k + 1 are a pair of the given kinds near one another."""
    items = []
    for _ in range(count):
        for name in kinds_ab:
            kind = Kind.STATIC if name == "plane" else Kind.DYNAMIC
            items.append((kind, name, random_dims(rng, name), rng.uniform(-1, 1, 3) * spread / 2, random_quat(rng)))
    bodies, shapes = world(items)
    refresh(bodies, shapes)
    return bodies, shapes, np.arange(2 * count, dtype=np.int32).reshape(-1, 2)


def manifolds(shapes, pairs):
    """Return the manifolds in the order of pairs."""
    found, place = narrow.find_manifolds(shapes, pairs, pool())
    assert found.dtype == MANIFOLD
    return found[place]


def coal_hull(own):
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for p in own.vertices:
        points.append(p)
    for t in own.triangles:
        triangles.append(coal.Triangle(*(int(i) for i in t)))
    return coal.Convex(points, triangles)


def reference(shapes, a, b):
    """Return (signed distance, normal a to b) from coal."""
    made, frames = [], []
    for s in (shapes[a], shapes[b]):
        name = NAMES[s["kind"]]
        d = [float(x) for x in s["dims"]]
        made.append({"box": lambda d=d: coal.Box(*(2 * x for x in d)), "sphere": lambda d=d: coal.Sphere(d[0]),
                     "capsule": lambda d=d: coal.Capsule(d[0], 2 * d[1]),
                     "cylinder": lambda d=d: coal.Cylinder(d[0], 2 * d[1]), "cone": lambda d=d: coal.Cone(d[0], d[1]),
                     "ellipsoid": lambda d=d: coal.Ellipsoid(*d), "hull": lambda s=s: coal_hull(own_data(s)),
                     "plane": lambda: coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)}[name]())
        middle = np.array([0.0, 0.0, 0.25 * d[1] if name == "cone" else 0.0])     # coal's cones have their origin at half height
        frames.append(coal.Transform3s(np.array(s["rot"]), s["pos"] + s["rot"] @ middle))
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = 1e-9
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    distance = coal.distance(made[0], frames[0], made[1], frames[1], request, result)
    return distance, np.array(result.normal)


def support(s, n):
    """Return max n . x over the shape; inf for most directions of a plane."""
    name, d, q = NAMES[s["kind"]], s["dims"], s["rot"].T @ n
    if name == "box":
        far = np.abs(q) @ d
    elif name == "capsule":
        far = d[0] + abs(q[2]) * d[1]
    elif name == "sphere":
        far = d[0]
    elif name == "ellipsoid":
        far = np.linalg.norm(d * q)
    elif name == "cylinder":
        far = d[0] * np.hypot(q[0], q[1]) + abs(q[2]) * d[1]
    elif name == "cone":
        far = max(0.75 * d[1] * q[2], d[0] * np.hypot(q[0], q[1]) - 0.25 * d[1] * q[2])
    elif name == "hull":
        far = (own_data(s).vertices @ q).max()
    else:
        far = 0.0 if q[2] > 1 - 1e-12 else np.inf
    return n @ s["pos"] + far


def surface_distance(s, x):
    """Return the signed distance of a point from the surface, negative inside; a lower bound outside of cones and hulls."""
    name, d, q = NAMES[s["kind"]], s["dims"], s["rot"].T @ (x - s["pos"])
    if name == "hull":
        planes = own_data(s).numbers.reshape(-1, 4)
        return (planes[:, :3] @ q - planes[:, 3]).max()
    if name == "cone":
        slant = np.hypot(d[0], d[1])
        return max(-0.25 * d[1] - q[2], ((q[2] - 0.75 * d[1]) * d[0] + np.hypot(q[0], q[1]) * d[1]) / slant)
    if name == "cylinder":
        e = np.array([np.hypot(q[0], q[1]) - d[0], abs(q[2]) - d[1]])
        return np.linalg.norm(np.maximum(e, 0.0)) + min(e.max(), 0.0)
    if name == "ellipsoid":      # first order: exact on the surface
        return (np.linalg.norm(q / d) - 1.0) * np.linalg.norm(q / d) / np.linalg.norm(q / d**2)
    if name == "box":
        e = np.abs(q) - d
        return np.linalg.norm(np.maximum(e, 0.0)) + min(e.max(), 0.0)
    if name == "capsule":
        return np.linalg.norm(q - [0, 0, np.clip(q[2], -d[1], d[1])]) - d[0]
    return np.linalg.norm(q) - d[0] if name == "sphere" else q[2]
