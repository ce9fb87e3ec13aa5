"""Closed forms of rays against single shapes, from outside, in the shape's frame: references for the queries of a world.

Surfaces are tested triangle by triangle.
"""

import math

import numpy as np

from physics import shapes
from physics.shapes._geometry import ShapeGeometry


def sphere_hit(origin: np.ndarray, direction: np.ndarray, radius: float) -> float:
    """Distance along the unit direction to a sphere about the origin of the frame; inf if missed or behind."""
    b = float(np.dot(origin, direction))
    disc = b * b - float(np.dot(origin, origin)) + radius * radius
    if disc < 0.0:
        return math.inf
    near, far = -b - math.sqrt(disc), -b + math.sqrt(disc)
    if near >= 0.0:
        return near
    return far if far >= 0.0 else math.inf


def cylinder_side(origin: np.ndarray, direction: np.ndarray, radius: float) -> float:
    """Distance along the unit direction to an infinite cylinder about z, from outside; inf if missed or behind."""
    a = direction[0] ** 2 + direction[1] ** 2
    if a == 0.0:
        return math.inf
    b = origin[0] * direction[0] + origin[1] * direction[1]
    disc = b * b - a * (origin[0] ** 2 + origin[1] ** 2 - radius * radius)
    if disc < 0.0:
        return math.inf
    t = (-b - math.sqrt(disc)) / a
    return float(t) if t >= 0.0 else math.inf


def disc_hit(origin: np.ndarray, direction: np.ndarray, radius: float, z: float) -> float:
    """Distance to a disc about the z axis at the height z; inf if missed or behind."""
    if direction[2] == 0.0:
        return math.inf
    t = (z - origin[2]) / direction[2]
    x, y = origin[0] + t * direction[0], origin[1] + t * direction[1]
    return float(t) if t >= 0.0 and x * x + y * y <= radius * radius else math.inf


def box(dims: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Distance to the box (slab method), inf if missed; 0 from inside."""
    near, far = 0.0, math.inf
    for o, d, h in zip(origin, direction, dims):
        if d == 0.0:
            if abs(o) > h:
                return math.inf
            continue
        t0, t1 = sorted(((-h - o) / d, (h - o) / d))
        near, far = max(near, t0), min(far, t1)
    return near if near <= far else math.inf


def capsule(dims: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Distance to the capsule, inf if missed."""
    radius, half_length = dims[0], dims[1]
    best = math.inf
    for z in (-half_length, half_length):
        best = min(best, sphere_hit(origin - np.array([0.0, 0.0, z]), direction, radius))
    a = direction[0] ** 2 + direction[1] ** 2
    if a > 0.0:
        b = origin[0] * direction[0] + origin[1] * direction[1]
        disc = b * b - a * (origin[0] ** 2 + origin[1] ** 2 - radius * radius)
        if disc >= 0.0:
            t = (-b - math.sqrt(disc)) / a
            if t >= 0.0 and abs(origin[2] + t * direction[2]) <= half_length:
                best = min(best, t)
    return best


def cone(dims: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Distance to the cone, inf if missed; 0 from inside. The side: x^2 + y^2 = k^2 u^2, u the depth below the apex."""
    radius, height = dims[0], dims[1]
    k2, u = (radius / height) ** 2, 0.75 * height - origin[2]
    if 0.0 <= u <= height and origin[0] ** 2 + origin[1] ** 2 <= k2 * u * u:
        return 0.0
    best = disc_hit(origin, direction, radius, -0.25 * height)
    a = direction[0] ** 2 + direction[1] ** 2 - k2 * direction[2] ** 2
    b = origin[0] * direction[0] + origin[1] * direction[1] + k2 * u * direction[2]
    c = origin[0] ** 2 + origin[1] ** 2 - k2 * u * u
    roots = []
    if abs(a) > 1e-12:
        if (disc2 := b * b - a * c) >= 0.0:
            roots = [(-b - math.sqrt(disc2)) / a, (-b + math.sqrt(disc2)) / a]
    elif b != 0.0:
        roots = [-0.5 * c / b]
    for t in roots:
        if 0.0 <= t < best and 0.0 <= u - t * direction[2] <= height:
            best = t
    return float(best)


def cylinder(dims: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Distance to the cylinder, inf if missed; 0 from inside."""
    radius, half_length = dims[0], dims[1]
    if math.hypot(origin[0], origin[1]) <= radius and abs(origin[2]) <= half_length:
        return 0.0
    best = min(disc_hit(origin, direction, radius, z) for z in (-half_length, half_length))
    t = cylinder_side(origin, direction, radius)
    return min(best, t) if abs(origin[2] + t * direction[2]) <= half_length else best


def ellipsoid(dims: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Distance to the ellipsoid, inf if missed: a ray to the unit ball, in coordinates divided by the half axes."""
    along = direction / dims
    size = float(np.linalg.norm(along))
    return sphere_hit(origin / dims, along / size, 1.0) / size


def hull(dims: np.ndarray, origin: np.ndarray, direction: np.ndarray, own: ShapeGeometry) -> float:
    """Distance to the hull, inf if missed; 0 from inside (planes as slabs: Kay and Kajiya 1986). Rounded edges count as sharp."""
    planes, rounding = own.numbers.reshape(-1, 4), dims[0] - np.abs(own.vertices[:, 0]).max()
    speed, ahead = planes[:, :3] @ direction, planes[:, 3] + rounding - planes[:, :3] @ origin
    if np.any((speed == 0.0) & (ahead < 0.0)):
        return np.inf
    with np.errstate(divide="ignore", invalid="ignore"):
        t = ahead / speed
    near, far = max(0.0, np.max(t[speed < 0.0], initial=0.0)), np.min(t[speed > 0.0], initial=np.inf)
    return float(near) if near <= far else np.inf


def plane(dims: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Distance to the surface from above, inf if missed."""
    if direction[2] >= 0.0 or origin[2] < 0.0:
        return math.inf
    return float(-origin[2] / direction[2])


def sphere(dims: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Distance to the ball, inf if missed."""
    return sphere_hit(origin, direction, dims[0])


def brute_ray(vertices: np.ndarray, triangles: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Distance to the nearest triangle, from either side; inf if missed."""
    best = math.inf
    for a, b, c in vertices[triangles]:
        try:
            t, u, v = np.linalg.solve(np.column_stack([-direction, b - a, c - a]), origin - a)
        except np.linalg.LinAlgError:
            continue
        if u >= 0 and v >= 0 and u + v <= 1 and t >= 0:
            best = min(best, t)
    return best


SOLIDS = {"box": box, "capsule": capsule, "cone": cone, "cylinder": cylinder, "ellipsoid": ellipsoid, "plane": plane,
          "sphere": sphere}


def distance(kind: str, dims: np.ndarray, origin: np.ndarray, direction: np.ndarray, own: ShapeGeometry | None = None) -> float:
    """Distance along the unit direction to a shape of that kind, inf if missed; own: its geometry."""
    if kind in SOLIDS:
        return SOLIDS[kind](dims, origin, direction)
    if kind == "hull":
        return hull(dims, origin, direction, own)
    drawn = shapes.kinds()[kind].mesh(own)
    return brute_ray(drawn.basis @ dims, drawn.triangles, origin, direction)
