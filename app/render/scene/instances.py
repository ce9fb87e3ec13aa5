"""Instances of bodies: 16 floats a shape, filled by numpy for all at once. No GL."""

import numpy as np

from app.camera import Camera
from app.engine.frame import Frame
from app.render.scene.theme import Theme, linear
from app.render.scene.transforms import BodyTransforms
from physics.core.records import Kind
from physics.shapes import Mesh

SAGITTA = (0.0048, 0.0192, 0.0761)
"""Depth of the mesh edges of bodies.DETAIL_STRIDES inside the ball, in radii: 1 - cos(pi / slices)."""

ASLEEP = 0.45
"""Share of its colour that a sleeping body keeps."""


def fill(frame: Frame, placed: BodyTransforms, theme: Theme, selected: int | tuple[int, ...], hover: int,
         tints: np.ndarray | None = None) -> np.ndarray:
    """(n, 16) float32: position, flags; quaternion; dims, style; linear colour, 1 for dynamic bodies.

    tints (bodies, 3): colours of bodies by a quantity (colours.py), NaN: their own; None: their own, paler asleep.
    """
    out = np.empty((len(placed.index), 16), np.float32)
    body = placed.body
    out[:, 0:3] = placed.pos
    out[:, 3] = np.isin(body, selected) + 2.0 * (body == hover)
    out[:, 4:8] = placed.quat
    out[:, 8:11] = placed.dims
    out[:, 11] = 0.0
    palette = linear(np.array([*theme.bodies, theme.static])).astype(np.float32)
    group = frame.bodies["group"][body]
    moves = frame.bodies["kind"][body] == Kind.DYNAMIC
    last = len(palette) - 1
    out[:, 12:15] = palette[np.where(moves, np.where(group > 0, group - 1, body) % last, last)]
    if tints is None:
        out[frame.bodies["asleep"][body] != 0, 12:15] *= ASLEEP
    else:
        known = np.isfinite(tints[body, 0])
        out[known, 12:15] = tints[body[known]]
    out[:, 15] = moves
    return out


def levels(placed: BodyTransforms, radii: np.ndarray, camera: Camera, height: int, error: float) -> np.ndarray:
    """Coarsest of bodies.DETAIL_STRIDES for each shape whose outline error is at most `error` [px]."""
    depth = (placed.pos - camera.eye) @ camera.axes()[2]
    pixels = radii / (camera.pixel_size(height) * np.maximum(depth - np.minimum(radii, 1e9), 1e-6))
    return (pixels * SAGITTA[1] < error).astype(int) + (pixels * SAGITTA[2] < error)


def style(name: str, mesh: Mesh) -> float:
    """Shading style: 0 by the normals, 1 a box with rounded edges, from 2 on normals of a stretched shape."""
    if mesh.stretch is None:
        return 1.0 if name == "box" else 0.0
    x, y, z = mesh.stretch
    return 2.0 + x + 3.0 * y + 9.0 * z
