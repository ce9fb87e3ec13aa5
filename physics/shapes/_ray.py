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
