"""Detects whether a picture equals an earlier one, and which part of it bodies cover. No GL."""

from dataclasses import dataclass

import numpy as np

from app.camera import Camera
from app.engine.frame import Frame
from app.render.opengl.uniforms import MAPS
from app.render.scene.transforms import BodyTransforms

QUICK_CHECK = 64
"""Shapes compared first."""
VISIBLE_ROTATION = 2e-3
"""Smaller rotations count as none [rad]."""


@dataclass
class PictureInputs:
    """Everything that the picture of the scene, without overlays, depends on."""

    frame: Frame
    instances: np.ndarray
    block: np.ndarray
    wireframe: bool

    def is_same_picture(self, other: "PictureInputs | None", metres: float) -> bool:
        """Whether the picture of `other` can be reused: nothing has moved by more than `metres`."""
        if other is None or self.wireframe != other.wireframe or len(self.block) != len(other.block):
            return False
        same = self.block == other.block
        same[MAPS] = True
        return bool(same.all()) and np.array_equal(self.instances[:, 11:], other.instances[:, 11:]) \
            and np.array_equal(self.instances[:, 3], other.instances[:, 3]) and self.has_same_lighting(other, metres)

    def has_same_lighting(self, other: "PictureInputs | None", metres: float) -> bool:
        """Whether the shadow maps of `other` can be reused."""
        if other is None or self.instances.shape != other.instances.shape or self.frame.revision != other.frame.revision:
            return False
        if self.frame.scene != other.frame.scene or np.abs(self.block[MAPS] - other.block[MAPS]).max() > 1e-3:
            return False
        if self._moved(other, metres):
            return False
        gap = np.abs(self.instances[:, :11] - other.instances[:, :11])
        gap[:, 3] = 0.0
        return not len(gap) or bool(gap[:, :3].max() <= metres and gap[:, 4:8].max() <= 0.5 * VISIBLE_ROTATION
                                    and gap[:, 8:].max() == 0.0)

    def _moved(self, other: "PictureInputs", metres: float) -> bool:
        """Whether any of a sample of shapes has moved; avoids comparing all of them."""
        few = slice(None, None, 1 + len(self.instances) // QUICK_CHECK)
        return bool((np.abs(self.instances[few, :3] - other.instances[few, :3]) > metres).any())


def rectangle(placed: BodyTransforms, radii: np.ndarray, bodies: tuple[int, ...], camera: Camera,
              box: tuple[int, int, int, int], margin: int = 8) -> tuple[int, int, int, int]:
    """x, y, width, height [px] in the picture that enclose the bounding balls of bodies; the whole picture when in doubt."""
    width, height = box[2:]
    which = np.flatnonzero(np.isin(placed.body, bodies) & np.isfinite(radii))
    if len(which) == 0:
        return 0, 0, width, height
    seen = camera.project(placed.pos[which], width, height)
    nearest = seen[:, 2] - radii[which]
    if nearest.min() <= 0.05 * radii[which].max():
        return 0, 0, width, height
    reach = 1.3 * radii[which] / (nearest * camera.pixel_size(height)) + margin
    lo = np.clip(np.floor((seen[:, :2] - reach[:, None]).min(axis=0)), 0, (width, height)).astype(int)
    hi = np.clip(np.ceil((seen[:, :2] + reach[:, None]).max(axis=0)), 0, (width, height)).astype(int)
    return int(lo[0]), int(lo[1]), int(hi[0] - lo[0]), int(hi[1] - lo[1])
