"""Stereo panning by the camera: left and right as seen; softer when far behind the camera's target."""

import numpy as np

from app.camera import Camera
from app.sound.synthesis import Place

WIDTH = 0.8
"""Panning of a source at the edge of the view; 1 is hard left or right."""


def pan_from_camera(camera: Camera) -> Place:
    """Gains of points as seen by the camera, following its motion. Panning preserves power."""
    def place(points: np.ndarray) -> np.ndarray:
        right, _, _ = camera.axes()
        way = points - camera.eye
        far = np.sqrt(np.einsum("ij,ij->i", way, way)) / np.linalg.norm(camera.target - camera.eye) + 1e-9   # 1 at the target
        side = np.clip(2.0 * (way @ right) / (camera.distance * far), -1.0, 1.0) * WIDTH
        angle = 0.25 * np.pi * (1.0 + side)
        loud = np.minimum(1.0, 1.0 / far)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1) * loud[:, None]
    return place
