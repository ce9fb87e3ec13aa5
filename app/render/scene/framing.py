"""Automatic framing: a view in which the moving bodies of a frame fill the picture. Floors and what carries others do not count,
nor do bodies that have flown away. No GL."""

import math
from dataclasses import replace

import numpy as np

from app.camera import DISTANCE, Camera
from app.engine.frame import Frame
from app.render.scene.transforms import BodyTransforms, joint_points
from physics.core.records import Kind
from scenes import View

ASPECT = 1.45
"""Width over height of the pictures for which the views of scenes are made; in narrower ones the eye steps back."""
FILLED = 0.72
"""Share of the picture that is filled in its tighter direction."""
OUTLIER = 6.0
"""Bodies farther from the middle of all than this many times the median distance do not count."""
FIT_ITERATIONS = 12
"""Steps in which target and distance approach the fit."""


def framed(view: View, frame: Frame, aspect: float) -> View:
    """The view of a scene; where it states none, or bodies move outside a picture of this aspect, one that fits them."""
    points = points_of_interest(frame)
    if not len(points) or (view != View() and is_within(points, for_aspect(view, aspect), aspect)):
        return view
    return fit(points, view)


def for_aspect(view: View, aspect: float) -> View:
    """The view from farther away, where the picture is narrow, so that it is as wide."""
    return replace(view, distance=view.distance * max(1.0, ASPECT / max(aspect, 0.1)))


def is_within(points: np.ndarray, view: View, aspect: float) -> bool:
    """Whether the points (n, 3) [m] are in the picture."""
    seen = _camera(view).project(points, aspect, 1.0)
    return bool(np.all((seen[:, 2] > 0.0) & (seen[:, :2] > 0.0).all(axis=1) & (seen[:, :2] < (aspect, 1.0)).all(axis=1)))


def fit(points: np.ndarray, view: View) -> View:
    """The view along the same direction in which the points (n, 3) [m] fill FILLED of a picture of ASPECT."""
    middle = tuple(points.mean(axis=0).tolist())
    view = replace(view, target=middle)
    for _ in range(FIT_ITERATIONS):
        camera = _camera(view)
        seen = camera.project(points, ASPECT, 1.0)
        if not np.all(seen[:, 2] > 0.0):
            view = replace(view, target=middle, distance=2.0 * view.distance)
            continue
        lo, hi = seen[:, :2].min(axis=0), seen[:, :2].max(axis=0)
        right, up, _ = camera.axes()
        shift = camera.shown_height * (0.5 * (lo + hi) - (0.5 * ASPECT, 0.5))
        share = max((hi[0] - lo[0]) / ASPECT, hi[1] - lo[1]) / FILLED
        view = replace(view, target=tuple((camera.target + shift[0] * right + shift[1] * up).tolist()),
                       distance=min(DISTANCE[1], max(DISTANCE[0], view.distance * max(share, 0.1))))
    return view


def points_of_interest(frame: Frame) -> np.ndarray:
    """Points (n, 3) [m] that should be in the picture: six around each dynamic body, or each kinematic one where there is none,
    and those of joints; of bodies far from all others none."""
    placed = BodyTransforms(frame)
    radii, kinds = placed.radii(), frame.bodies["kind"][placed.body]
    moving = kinds == Kind.DYNAMIC if (kinds == Kind.DYNAMIC).any() else kinds == Kind.KINEMATIC
    rows = np.flatnonzero(moving & np.isfinite(radii))
    centres, sizes = placed.pos[rows], radii[rows]
    if not len(rows):
        return np.zeros((0, 3))
    away = np.linalg.norm(centres - np.median(centres, axis=0), axis=1)
    near = away <= OUTLIER * max(float(np.median(away)), float(np.median(sizes)))
    around = np.vstack([np.eye(3), -np.eye(3)]) / math.sqrt(2.0)
    points = (centres[near, None] + sizes[near, None, None] * around).reshape(-1, 3)
    return np.vstack([points, joint_points(frame, placed.body_pos, placed.body_quat)[1]])


def _camera(view: View) -> Camera:
    camera = Camera()
    camera.set_view(view)
    return camera
