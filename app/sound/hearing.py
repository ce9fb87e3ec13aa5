"""From where things are heard: left and right as the camera sees them, softer when they are far behind what it looks at."""

import numpy as np

from app.camera import Camera
from app.sound.synthesis import Place

WIDTH = 0.8
"""How far to one side a thing at the edge of sight is heard; 1: on that side alone."""


def from_camera(camera: Camera) -> Place:
    """How loud points are for who looks through it, whichever way it is turned by then. Left and right keep their power."""
    def place(points: np.ndarray) -> np.ndarray:
        right, _, _ = camera.axes()
        way = points - camera.eye
        far = np.sqrt(np.einsum("ij,ij->i", way, way)) / np.linalg.norm(camera.target - camera.eye) + 1e-9   # 1: what it looks at
        side = np.clip(2.0 * (way @ right) / (camera.distance * far), -1.0, 1.0) * WIDTH
        angle = 0.25 * np.pi * (1.0 + side)
        loud = np.minimum(1.0, 1.0 / far)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1) * loud[:, None]
    return place
