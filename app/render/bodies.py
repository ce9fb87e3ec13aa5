"""Instances of the bodies: 16 floats a shape, filled by numpy, one mesh a kind of shape. The only loop is over kinds."""

from typing import Any

import numpy as np

from app.camera import Camera
from app.frame import Frame
from app.render.gl import Instanced
from app.render.place import Placed, meshes
from app.render.primitives import thinned
from app.render.theme import Theme, linear
from physics.core.records import Kind

STEPS = (1, 2, 4)
"""Every mesh that can be thinned is kept with all its slices, with every second and with every fourth one."""
SAGITTA = (0.0048, 0.0192, 0.0761)
"""How far the edges of these meshes lie inside the ball, in radii: 1 - cos(pi / slices)."""

ASLEEP = 0.45
"""How much of its colour a sleeping body keeps."""


def fill(frame: Frame, placed: Placed, theme: Theme, selected: int, hover: int) -> np.ndarray:
    """(n, 16) float32: position, flags; quaternion; dims, style; linear colour, 1 if it moves."""
    out = np.empty((len(placed.index), 16), np.float32)
    body = placed.body
    out[:, 0:3] = placed.pos
    out[:, 3] = (body == selected) + 2.0 * (body == hover)
    out[:, 4:8] = placed.quat
    out[:, 8:11] = placed.dims
    out[:, 11] = 0.0
    palette = linear(np.array([*theme.bodies, theme.static])).astype(np.float32)
    group = frame.bodies["group"][body]
    moves = frame.bodies["kind"][body] == Kind.DYNAMIC
    last = len(palette) - 1
    out[:, 12:15] = palette[np.where(moves, np.where(group > 0, group - 1, body) % last, last)]
    out[frame.bodies["asleep"][body] != 0, 12:15] *= ASLEEP
    out[:, 15] = moves
    return out


def levels(placed: Placed, radii: np.ndarray, camera: Camera, height: int, error: float) -> np.ndarray:
    """Which of STEPS is fine enough for each shape, so that its outline is off by at most `error` [px]."""
    depth = (placed.pos - camera.eye) @ camera.axes()[2]
    pixels = radii / (camera.pixel_size(height) * np.maximum(depth - np.minimum(radii, 1e9), 1e-6))
    return (pixels * SAGITTA[1] < error).astype(int) + (pixels * SAGITTA[2] < error)


class Bodies:
    """Instanced meshes for each kind of shape that has one: one for each degree of fineness."""

    def __init__(self) -> None:
        self._meshes: dict[str, list[Instanced]] = {}
        for name, mesh in meshes().items():
            if len(mesh.triangles):
                vertices = np.hstack([mesh.basis.reshape(len(mesh.basis), 9), mesh.normals])
                kept = [triangles for step in STEPS if (triangles := thinned(mesh.triangles, len(vertices), step)) is not None]
                self._meshes[name] = [Instanced(vertices, (3, 3, 3, 3), triangles, 4) for triangles in kept]

    def upload(self, instances: np.ndarray, placed: Placed, levels: np.ndarray, only: int | None = None) -> None:
        """Give each mesh its instances; levels: of `levels`; only: those of one body."""
        for name, fine in self._meshes.items():
            which = placed.of(name)
            if only is not None:
                which = which[placed.body[which] == only]
            part = instances[which]
            part[:, 11] = 1.0 if name == "box" else 0.0
            if len(fine) == 1:
                fine[0].upload(part)
                continue
            level = levels[which]
            for k, mesh in enumerate(fine):
                mesh.upload(part[level == k])

    def draw(self) -> None:
        for fine in self._meshes.values():
            for mesh in fine:
                mesh.draw()

    def delete(self) -> None:
        for fine in self._meshes.values():
            for mesh in fine:
                mesh.delete()


def selected_body(selection: Any) -> int:
    """The chosen body, -1 if none."""
    return int(selection.body) if selection is not None else -1
