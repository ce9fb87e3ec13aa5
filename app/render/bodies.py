"""Instances of the bodies: 16 floats a shape, filled by numpy, one mesh a kind of shape. The only loop is over kinds."""

from typing import Any

import numpy as np

from app.frame import Frame
from app.render.gl import Instanced
from app.render.place import Placed, meshes
from app.render.theme import Theme, linear
from physics.core.records import Kind


def fill(frame: Frame, placed: Placed, theme: Theme, selected: int, hover: int) -> np.ndarray:
    """(n, 16) float32: position, flags; quaternion; dims, style; linear colour, 1 if it moves."""
    out = np.empty((len(placed.index), 16), np.float32)
    body = placed.body
    out[:, 0:3] = placed.pos
    out[:, 3] = (body == selected) + 2.0 * (body == hover)
    out[:, 4:8] = placed.quat
    out[:, 8:11] = placed.dims
    out[:, 11] = 0.0
    palette = linear(np.array(theme.bodies))
    group = frame.bodies["group"][body]
    out[:, 12:15] = palette[np.where(group > 0, group - 1, body) % len(palette)]
    moves = frame.bodies["kind"][body] == Kind.DYNAMIC
    out[~moves, 12:15] = linear(np.array(theme.static))
    out[:, 15] = moves
    return out


class Bodies:
    """One instanced mesh for each kind of shape that has one."""

    def __init__(self) -> None:
        self._meshes: dict[str, Instanced] = {}
        self._flat: dict[str, float] = {}
        for name, mesh in meshes().items():
            if len(mesh.triangles):
                vertices = np.hstack([mesh.basis.reshape(len(mesh.basis), 9), mesh.normals])
                self._meshes[name] = Instanced(vertices, (3, 3, 3, 3), mesh.triangles, 4)
                self._flat[name] = 1.0 if name == "box" else 0.0

    def upload(self, instances: np.ndarray, placed: Placed, only: int | None = None) -> None:
        """Give each kind its instances; `only`: those of one body."""
        for name, mesh in self._meshes.items():
            which = placed.of(name)
            if only is not None:
                which = which[placed.body[which] == only]
            part = instances[which]
            part[:, 11] = self._flat[name]
            mesh.upload(part)

    def draw(self) -> None:
        for mesh in self._meshes.values():
            mesh.draw()

    def delete(self) -> None:
        for mesh in self._meshes.values():
            mesh.delete()


def selected_body(selection: Any) -> int:
    """The chosen body, -1 if none."""
    return int(selection.body) if selection is not None else -1
