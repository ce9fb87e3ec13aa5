"""Where bodies are: copies of their poses, and points from the world into a body's own frame and out again."""

from typing import Any

import numpy as np

from physics import World
from physics.frames import rotate

_CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])


def poses(world: World) -> tuple[np.ndarray, np.ndarray]:
    """Copies of positions (n, 3) [m] and orientations (n, 4) of all bodies."""
    return world.bodies["pos"].copy(), world.bodies["quat"].copy()


def back(quat: np.ndarray) -> np.ndarray:
    """The turn that takes a unit quaternion's turn back."""
    return quat * _CONJUGATE


def inside(pos: np.ndarray, quat: np.ndarray, point: Any) -> np.ndarray:
    """A point (3,) [m, world] in the frame of the body that is there."""
    return rotate(back(quat), np.asarray(point, float) - pos)


def outside(pos: np.ndarray, quat: np.ndarray, local: np.ndarray) -> np.ndarray:
    """The point (3,) [m, world] that a point of the body's frame is at."""
    return pos + rotate(quat, local)
