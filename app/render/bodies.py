"""Instances of the bodies: 16 floats a shape, filled by numpy, one mesh a kind or a geometry. The only loop is over meshes."""

from typing import Any

import numpy as np

from app.camera import Camera
from app.engine.frame import Frame
from app.render.gl import Instanced
from app.render.place import Placed
from app.render.primitives import thinned
from app.render.theme import Theme, linear
from physics.core.records import Kind
from physics.shapes import Mesh

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


def style(name: str, mesh: Mesh) -> float:
    """How the shaders light it: 0 by its normals, 1 as a box with rounded edges, from 2 on by normals of a stretched shape."""
    if mesh.stretch is None:
        return 1.0 if name == "box" else 0.0
    x, y, z = mesh.stretch
    return 2.0 + x + 3.0 * y + 9.0 * z


class Bodies:
    """Instanced meshes for each kind of shape, and each geometry, that has one: one for each degree of fineness."""

    def __init__(self) -> None:
        self._meshes: dict[tuple[str, bytes], list[Instanced]] = {}

    def upload(self, instances: np.ndarray, placed: Placed, levels: np.ndarray, only: int | None = None) -> None:
        """Give each mesh its instances; levels: of `levels`; only: those of one body."""
        shown = set()
        for key, mesh, which in placed.groups():
            if only is not None:
                which = which[placed.body[which] == only]
            fine = self._fine(key, mesh)
            part = instances[which]
            part[:, 11] = style(key[0], mesh)
            shown.add(key)
            level = levels[which] if len(fine) > 1 else 0
            for k, drawn in enumerate(fine):
                drawn.upload(part[level == k] if len(fine) > 1 else part)
        for key, fine in self._meshes.items():
            if key not in shown:
                for drawn in fine:
                    drawn.upload(instances[:0])

    def _fine(self, key: tuple[str, bytes], mesh: Mesh) -> list[Instanced]:
        if key not in self._meshes:
            vertices = np.hstack([mesh.basis.reshape(len(mesh.basis), 9), mesh.normals])
            kept = [triangles for step in STEPS if (triangles := thinned(mesh.triangles, len(vertices), step)) is not None]
            self._meshes[key] = [Instanced(vertices, (3, 3, 3, 3), triangles, 4) for triangles in kept]
        return self._meshes[key]

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
