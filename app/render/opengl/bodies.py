"""Meshes of bodies on the GPU, one per kind of shape or geometry. Loops over meshes only."""

from typing import Any

import numpy as np

from app.render.opengl.gl import Instanced
from app.render.scene.instances import style
from app.render.scene.primitives import thinned
from app.render.scene.transforms import BodyTransforms
from physics.shapes import Mesh

DETAIL_STRIDES = (1, 2, 4)
"""Levels of detail: meshes that can be thinned are kept with every slice, every second and every fourth."""


class BodyMeshes:
    """Instanced meshes of the kinds of shapes and geometries in use: one for each level of detail."""

    def __init__(self) -> None:
        self._meshes: dict[tuple[str, bytes], list[Instanced]] = {}

    def upload(self, instances: np.ndarray, placed: BodyTransforms, levels: np.ndarray,
               only: tuple[int, ...] | None = None) -> None:
        """Distribute the instances to the meshes, and delete the meshes that no shape has; levels: of `levels`; only: instances
        of some bodies."""
        shown = set()
        for key, mesh, which in placed.groups():
            if only is not None:
                which = which[np.isin(placed.body[which], only)]
            fine = self._fine(key, mesh)
            part = instances[which]
            part[:, 11] = style(key[0], mesh)
            shown.add(key)
            level = levels[which] if len(fine) > 1 else 0
            for k, drawn in enumerate(fine):
                drawn.upload(part[level == k] if len(fine) > 1 else part)
        for key in self._meshes.keys() - shown:
            for unused in self._meshes.pop(key):
                unused.delete()

    def _fine(self, key: tuple[str, bytes], mesh: Mesh) -> list[Instanced]:
        if key not in self._meshes:
            vertices = np.hstack([mesh.basis.reshape(len(mesh.basis), 9), mesh.normals])
            kept = [triangles for step in DETAIL_STRIDES
                    if (triangles := thinned(mesh.triangles, len(vertices), step)) is not None]
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


def selected_bodies(selection: Any, count: int) -> tuple[int, ...]:
    """The selected bodies below `count`; selection: anything with `bodies`, or with one body."""
    chosen = () if selection is None else getattr(selection, "bodies", (selection.body,))
    return tuple(int(i) for i in chosen if 0 <= i < count)
