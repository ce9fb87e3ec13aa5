"""The camera: orbits a target, pans, zooms to the cursor, flies. No GL.

The public fields are the goal. If `update(dt)` is called for every picture, the view glides there; otherwise every movement is
immediate.

In parallel projection (flat) the eye is so far behind the target that directions to it are those of the rays. A pixel is then as
wide everywhere as at the target in perspective, so switching keeps the apparent size of the target.

This is the only importer of pyrr, with guards where pyrr gives NaN. pyrr's matrices act on row vectors; ours act on columns
(clip = P @ V @ point), so each is transposed here and nowhere else.
"""

import math
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # pyrr's docstrings have invalid escapes, which Python reports on compilation
    from pyrr import matrix44

if TYPE_CHECKING:
    from scenes import View

TINY = 1e-12
DEGREES_PER_PIXEL = 0.3
ZOOM_PER_STEP = 0.88
GLIDE_TIME = 0.055
"""Time constant of the glide [s]."""
DISTANCE = (0.02, 2000.0)
"""Nearest and farthest distance of eye and target [m]."""
PARALLEL_EYE_DISTANCE = 1000.0
"""Distance of the eye from the target in parallel projection, in distances; used for light and sizes only."""
PARALLEL_DEPTH = (30.0, 30.0)
"""Depth range of parallel projection on each side of the target's plane, in distances and in metres (added)."""


@dataclass
class Camera:
    """target [m], distance of the eye from it [m]; azimuth and elevation [degrees], azimuth 0 looks along +y;
    fov: vertical angle of view [degrees]; flat: parallel projection instead. z is up."""

    target: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 0.5]))
    distance: float = 8.0
    azimuth: float = 35.0
    elevation: float = 20.0
    fov: float = 40.0
    flat: bool = False
    _shown: np.ndarray | None = field(default=None, repr=False)

    # ---- movement

    def set_view(self, view: "View", glide: bool = False) -> None:
        """Go to a scene's own view, at once or gliding."""
        self.target = np.array(view.target, float)
        self.distance = float(np.clip(view.distance, *DISTANCE))
        turns = round((self.azimuth - view.azimuth) / 360.0)
        self.azimuth = float(view.azimuth) + 360.0 * turns
        self.elevation = float(np.clip(view.elevation, -90.0, 90.0))
        if not glide and self._shown is not None:
            self._shown = self._goal()

    def is_at(self, view: "View") -> bool:
        """Whether it is as `look` to this view left it."""
        turns = (self.azimuth - view.azimuth) / 360.0
        return bool(np.array_equal(self.target, view.target)) and turns == round(turns) and (
            self.distance, self.elevation) == (float(np.clip(view.distance, *DISTANCE)), view.elevation)

    def carry(self, way: np.ndarray) -> None:
        """Move the view along with something that moves by (3,) [m]: at once, without disturbing a glide."""
        self.target = self.target + way
        if self._shown is not None:
            self._shown = self._shown + np.append(way, np.zeros(len(self._shown) - 3))

    def orbit(self, dx: float, dy: float) -> None:
        """Orbit the target as if the scene were dragged by (dx, dy) pixels; y upwards."""
        self.azimuth -= DEGREES_PER_PIXEL * dx
        self.elevation = float(np.clip(self.elevation - DEGREES_PER_PIXEL * dy, -90.0, 90.0))

    def pan(self, dx: float, dy: float, height_px: float) -> None:
        """Shift so that the point at the target follows the cursor by (dx, dy) pixels; y upwards."""
        right, up, _ = self._axes(self.azimuth, self.elevation)
        metres = 2.0 * self.distance * math.tan(math.radians(self.fov) / 2.0) / max(height_px, 1.0)
        self.target = self.target - metres * (dx * right + dy * up)

    def zoom(self, steps: float, toward: np.ndarray | tuple[np.ndarray, np.ndarray] | None = None) -> None:
        """Zoom in (steps > 0) or out.

        toward: what keeps its place in the picture: a world point (3,) [m], or a ray (origin, direction) as `ray` gives it,
        or None for the target.
        """
        before = self.distance
        self.distance = float(np.clip(before * ZOOM_PER_STEP ** float(np.clip(steps, -200, 200)), *DISTANCE))
        if toward is None:
            return
        if isinstance(toward, tuple):
            origin, direction = (np.asarray(v, float) for v in toward)
            forward = self._axes(self.azimuth, self.elevation)[2]
            along = float(direction @ forward)
            if along < 1e-3:
                return
            toward = origin + direction * (float((self.target - origin) @ forward) / along)
        ratio = self.distance / before
        self.target = np.asarray(toward, float) * (1.0 - ratio) + self.target * ratio

    def show(self, point: np.ndarray, width: float, height: float) -> bool:
        """Make a world point (3,) [m] the target if it is outside the picture; True if it was."""
        x, y, depth = self.project(point, width, height)[0]
        out = not (depth > 0.0 and 0.0 <= x <= width and 0.0 <= y <= height)
        if out:
            self.target = np.array(point, float)
        return out

    def fly(self, forward: float, right: float, up: float, dt: float) -> None:
        """Move eye and target together; -1 .. 1 on each axis, dt [s]. The speed grows with the distance."""
        side, _, ahead = self._axes(self.azimuth, self.elevation)
        pace = 0.9 * max(self.distance, 0.5) * dt
        self.target = self.target + pace * (forward * ahead + right * side + up * np.array([0.0, 0.0, 1.0]))

    def update(self, dt: float) -> bool:
        """Glide towards the fields for dt [s]; True while still moving."""
        goal = self._goal()
        if self._shown is None:
            self._shown = goal
            return False
        gap = goal - self._shown
        moving = bool(np.max(np.abs(gap)) > 1e-4)
        self._shown = self._shown + gap * (1.0 - math.exp(-max(dt, 0.0) / GLIDE_TIME)) if moving else goal
        return moving

    # ---- current view

    @property
    def eye(self) -> np.ndarray:
        """Position of the eye, shape (3,) [m]."""
        s = self._state()
        return s[:3] - self._behind() * self._axes(s[4], s[5])[2]

    @property
    def shown_target(self) -> np.ndarray:
        """The point in the middle of the picture, shape (3,) [m]."""
        return self._state()[:3].copy()

    @property
    def shown_distance(self) -> float:
        """Distance from the eye to that point [m]; in parallel projection, that of the perspective with the same scale."""
        return math.exp(self._state()[3])

    @property
    def shown_height(self) -> float:
        """Height of the picture at the target [m]."""
        return 2.0 * self._tangent() * self.shown_distance

    def axes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Unit vectors (right, up, forward) of the picture, world frame."""
        s = self._state()
        return self._axes(s[4], s[5])

    def view_matrix(self) -> np.ndarray:
        """World to camera (4, 4), for column vectors. OpenGL and ImGuizmo take its transpose."""
        _, up, forward = self.axes()
        eye = self.shown_target - self.shown_distance * forward
        return look_at(eye, eye + forward, up)

    def projection(self, aspect: float) -> np.ndarray:
        """Camera to clip space (4, 4), for column vectors; aspect = width / height."""
        distance = self.shown_distance
        if self.flat:
            tall, deep = distance * self._tangent(), PARALLEL_DEPTH[0] * distance + PARALLEL_DEPTH[1]
            return orthographic(tall * aspect, tall, distance - deep, distance + deep)
        return perspective(self._state()[6], aspect, 0.01 * distance, 100.0 * distance + 100.0)

    def ray(self, x: float, y: float, width: float, height: float) -> tuple[np.ndarray, np.ndarray]:
        """(origin (3,), unit direction (3,)) through a pixel; the picture's origin is bottom left.

        The origin is the eye; in parallel projection it lies `ray_lead` metres behind the plane through the perspective eye.
        """
        right, up, forward = self.axes()
        tangent = self._tangent()
        width, height = max(width, 1.0), max(height, 1.0)
        across = (2.0 * x / width - 1.0) * tangent * width / height
        upward = (2.0 * y / height - 1.0) * tangent
        if self.flat:
            distance = self.shown_distance
            return self.shown_target + distance * (across * right + upward * up) - (distance + self.ray_lead) * forward, forward
        return self.eye, unit(forward + across * right + upward * up, forward)

    def project(self, points: np.ndarray, width: float, height: float) -> np.ndarray:
        """Pixels and depth (n, 3) of world points (n, 3): x, y from bottom left; depth along the view [m], <= 0 behind."""
        points = np.atleast_2d(np.asarray(points, float))
        right, up, forward = self.axes()
        offset = points - self.eye
        depth = offset @ forward
        scale = max(height, 1.0) / (2.0 * self._tangent())
        safe = np.where(np.abs(depth) < 1e-9, 1e-9, depth) if not self.flat else self.shown_distance
        return np.stack([width / 2.0 + scale * (offset @ right) / safe,
                         height / 2.0 + scale * (offset @ up) / safe, depth], axis=-1)

    def pixel_size(self, height: float) -> float:
        """Width of one pixel at one metre of depth [m / m]; nearly constant in parallel projection."""
        return 2.0 * self._tangent() * self.shown_distance / self._behind() / max(height, 1.0)

    @property
    def ray_lead(self) -> float:
        """Distance from the plane of the perspective eye back to the origin of rays [m]."""
        return PARALLEL_DEPTH[0] * self.shown_distance + PARALLEL_DEPTH[1] - self.shown_distance if self.flat else 0.0

    # ---- internal

    def _behind(self) -> float:
        """Distance from the eye to the target [m]."""
        return self.shown_distance * (PARALLEL_EYE_DISTANCE if self.flat else 1.0)

    def _tangent(self) -> float:
        return math.tan(math.radians(self._state()[6]) / 2.0)

    def _goal(self) -> np.ndarray:
        return np.array([*self.target, math.log(self.distance), self.azimuth, self.elevation, self.fov])

    def _state(self) -> np.ndarray:
        return self._goal() if self._shown is None else self._shown

    @staticmethod
    def _axes(azimuth: float, elevation: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        a, e = math.radians(azimuth), math.radians(elevation)
        right = np.array([math.cos(a), math.sin(a), 0.0])
        forward = np.array([-math.sin(a) * math.cos(e), math.cos(a) * math.cos(e), -math.sin(e)])
        up = np.array([-math.sin(a) * math.sin(e), math.cos(a) * math.sin(e), math.cos(e)])
        return right, up, forward


# ---- matrices


def unit(vector: np.ndarray, fallback: np.ndarray) -> np.ndarray:
    """`vector` with length 1; `fallback` if it has no usable length. Shapes (3,)."""
    vector = np.asarray(vector, float)
    length = float(np.linalg.norm(vector))
    if not math.isfinite(length) or length < TINY:
        return np.asarray(fallback, float)
    return vector / length


def look_at(eye: np.ndarray, target: np.ndarray, up: np.ndarray) -> np.ndarray:
    """World to camera, shape (4, 4), for column vectors; x right, y up, -z forward.

    Eye at the target looks along +y; an `up` parallel to the view is replaced by another axis.
    """
    eye = np.asarray(eye, float)
    forward = unit(np.asarray(target, float) - eye, np.array([0.0, 1.0, 0.0]))
    up = unit(up, np.array([0.0, 0.0, 1.0]))
    right = cross(forward, up)
    if math.hypot(*right) < 1e-6:
        right = cross(forward, np.eye(3)[int(np.argmin(np.abs(forward)))])
    right = unit(right, np.array([1.0, 0.0, 0.0]))
    out = np.eye(4)
    out[:3, :3] = right, cross(right, forward), -forward
    out[:3, 3] = -out[:3, :3] @ eye
    return out


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross product of two vectors (3,); numpy's own takes longer than the rest of the camera."""
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def perspective(fov: float, aspect: float, near: float, far: float) -> np.ndarray:
    """OpenGL clip matrix, shape (4, 4), for column vectors. fov: vertical [degrees]; near, far [m]."""
    fov = min(max(fov, 1.0), 170.0)
    aspect = aspect if math.isfinite(aspect) and aspect > 1e-3 else 1.0
    near = max(near, 1e-6)
    far = max(far, near * 1.01)
    return np.asarray(matrix44.create_perspective_projection(fov, aspect, near, far), float).T


def orthographic(half_width: float, half_height: float, near: float, far: float) -> np.ndarray:
    """OpenGL clip matrix of a box about the view axis, shape (4, 4), for column vectors [m]."""
    half_width, half_height = max(half_width, 1e-6), max(half_height, 1e-6)
    far = far if far - near > 1e-6 else near + 1e-6
    return np.asarray(matrix44.create_orthogonal_projection(
        -half_width, half_width, -half_height, half_height, near, far), float).T
