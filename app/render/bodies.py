"""Meshes of bodies on the graphics processor, one a kind or a geometry. The only loop is over meshes."""

from typing import Any

import numpy as np

from app.render.gl import Instanced
from app.render.instances import style
from app.render.place import Placed
from app.render.primitives import thinned
from physics.shapes import Mesh

STEPS = (1, 2, 4)
"""Every mesh that can be thinned is kept with all its slices, with every second and with every fourth one."""


class Bodies:
    """Instanced meshes for each kind of shape, and each geometry, that has one: one for each degree of fineness."""

    def __init__(self) -> None:
        self._meshes: dict[tuple[str, bytes], list[Instanced]] = {}

    def upload(self, instances: np.ndarray, placed: Placed, levels: np.ndarray,
               only: tuple[int, ...] | None = None) -> None:
        """Give each mesh its instances; levels: of `levels`; only: those of some bodies."""
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


def selected_bodies(selection: Any, count: int) -> tuple[int, ...]:
    """The chosen bodies among so many; anything with `bodies`, or with one body."""
    chosen = () if selection is None else getattr(selection, "bodies", (selection.body,))
    return tuple(int(i) for i in chosen if 0 <= i < count)
