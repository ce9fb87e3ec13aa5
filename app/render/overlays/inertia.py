"""Boxes of uniform density with the body's mass and inertia: half sizes a = sqrt(3/2 (I_y + I_z - I_x) / m) and cyclic."""

from dataclasses import dataclass

import numpy as np

from app.render.overlays import Overlay
from app.render.overlays.bounds import UNIT_CUBE_CORNERS, edges
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext
from physics.core.quaternions import rotate


@dataclass
class Principal:
    """Cached half sizes (n, 3) [m] and axes (n, 3, 3) of the bodies' inertias; columns in the body's frame."""

    inertia: np.ndarray | None = None
    half: np.ndarray | None = None
    axes: np.ndarray | None = None

    def of(self, inertia: np.ndarray, mass: np.ndarray) -> None:
        """Recompute them if the inertias have changed."""
        if self.inertia is not None and np.array_equal(self.inertia, inertia):
            return
        self.inertia = inertia.copy()
        moments, self.axes = np.linalg.eigh(inertia)
        share = moments.sum(axis=1, keepdims=True) - 2.0 * moments
        self.half = np.sqrt(np.maximum(1.5 * share / mass[:, None], 0.0))


def draw(context: OverlayContext, draw_list: DrawList) -> None:
    bodies = context.frame.bodies
    which = np.flatnonzero(bodies["mass"] > 0.0)
    found = context.state(Principal)
    found.of(bodies["inertia"][which], bodies["mass"][which])
    near, opacity = context.near(context.placed.body_pos[which], which == context.chosen("body"))
    which = which[near]
    local = np.einsum("nij,nkj->nki", found.axes[near], (2.0 * UNIT_CUBE_CORNERS - 1.0) * found.half[near, None])
    quat = np.repeat(context.placed.body_quat[which], 8, axis=0)
    corners = rotate(quat, local.reshape(-1, 3)).reshape(-1, 8, 3) + context.placed.body_pos[which, None]
    edges(draw_list, corners, context.theme.spin, 1.6, opacity)


OVERLAY = Overlay("Inertia of each body: the homogeneous box with the same mass and moments.", "bodies", draw)
