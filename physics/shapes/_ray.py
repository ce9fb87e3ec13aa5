"""Where a ray first meets a sphere: shared by the shapes made of spheres."""

import math

import numpy as np


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
    """Distance along the unit direction to an endless cylinder about z, seen from outside; inf if missed or behind."""
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
