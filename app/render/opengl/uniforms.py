"""Packs the uniforms of a picture in the layout of assets/shaders/scene.glsl; projections of the maps."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from app.camera import Camera, look_at, orthographic
from app.render.scene.theme import Theme, linear
from app.render.scene.transforms import BodyTransforms

SUN = np.array([-0.42, -0.60, 0.98]) / math.sqrt(0.42**2 + 0.60**2 + 0.98**2)
"""Unit vector towards the sun."""
OCCLUSION_RADIUS = 1.6, 0.1
"""Radius of the ambient occlusion between bodies, in typical radii; upper limit, in camera distances."""
PATTERN = 4.0
"""Side of the pixel squares within which sampling directions of the occlusion vary."""
HALF = np.array([[0.5, 0, 0, 0.5], [0, 0.5, 0, 0.5], [0, 0, 0.5, 0.5], [0, 0, 0, 1.0]])
"""Clip space to 0 .. 1."""


@dataclass(frozen=True)
class Quality:
    """texels: sizes of the sun's map, the height map and the floor's occlusion map. taps: samples of shadows (search, edge), of
    the floor's occlusion, of occlusion between bodies."""

    texels: tuple[int, int, int]
    taps: tuple[int, int, int, int]


@dataclass(frozen=True)
class Fit:
    """A ball that holds the shadow casters: centre [m], radius [m]; typical_radius: a usual radius of a shape [m]."""

    centre: np.ndarray
    radius: float
    typical_radius: float


@dataclass(frozen=True)
class Floor:
    """The plane nearest to the camera's target: unit normal, and offset along it."""

    normal: np.ndarray
    offset: float


def fit(placed: BodyTransforms, radii: np.ndarray, camera: Camera) -> Fit:
    """Enclose the shapes near enough to the target to matter; quantised, so that shadows do not flicker."""
    target, reach = camera.shown_target, 4.0 * camera.shown_distance + 1.0
    bounded, typical_radius = placed.build.bounded, placed.build.typical_radius
    pos, radius = np.ascontiguousarray(placed.pos.T).take(bounded, axis=1), radii.take(bounded)
    away = pos - target[:, None]
    near = np.einsum("ij,ij->j", away, away) < reach**2
    if not near.all():
        pos, radius = pos[:, near], radius[near]
    radius = np.minimum(radius, reach)
    if len(radius) == 0:
        return Fit(target, 1.0, typical_radius)
    lo, hi = (pos - radius).min(axis=1), (pos + radius).max(axis=1)
    size = max(float(np.linalg.norm(hi - lo)) / 2.0, 0.05)
    return Fit((lo + hi) / 2.0, 1.15 ** math.ceil(math.log(size, 1.15)), typical_radius)


def nearest_floor(placed: BodyTransforms, target: np.ndarray) -> Floor | None:
    """The plane whose surface is nearest to the target, level ones preferred; None if there is none."""
    normals, offsets = placed.planes
    if len(offsets) == 0:
        return None
    away = np.abs(normals @ target - offsets) + 3.0 * (1.0 - normals[:, 2])
    best = int(np.argmin(away))
    return Floor(normals[best], float(offsets[best]))


def _looking(along: np.ndarray, centre: np.ndarray, radius: float, texels: int, near: float, far: float) -> np.ndarray:
    """World to 0 .. 1 of a square map that looks along a direction; its centre is snapped to whole texels."""
    rotation = look_at(np.zeros(3), along, np.array([0.0, 1.0, 0.0]))
    view = rotation @ np.append(centre, 1.0)
    texel = 2.0 * radius / texels
    view[:2] = np.round(view[:2] / texel) * texel
    shift = np.eye(4)
    shift[:3, 3] = -view[:3]
    return HALF @ orthographic(radius, radius, near, far) @ shift @ rotation


def sun_map(held: Fit, texels: int) -> tuple[np.ndarray, float]:
    """(world to map, depth range [m])."""
    radius = 1.04 * held.radius
    near, far = -1.2 * radius, 4.0 * radius
    return _looking(-SUN, held.centre, radius, texels, near, far), far - near


def floor_map(floor: Floor, held: Fit, texels: int) -> tuple[np.ndarray, float, float, float]:
    """(world to map, radius of the occlusion [m], range of heights [m], width of the map [m]); looks up from the floor.

    Depth 0.0909 is the surface, 1 the top of the range.
    """
    reach = 0.9 * held.typical_radius
    span = 3.0 * reach
    foot = held.centre - floor.normal * (floor.normal @ held.centre - floor.offset)
    radius = 1.02 * held.radius + reach
    return _looking(floor.normal, foot, radius, texels, -0.1 * span, span), reach, span, 2.0 * radius


@cache
def _colours(theme: Theme) -> list[tuple[float, ...]]:
    """The theme's share of the block."""
    return [(*theme.sun, 0.0), (*theme.sky_light, 0.0), (*theme.bounce, 0.0),
            *((*linear(colour).tolist(), 0.0)
              for colour in (theme.zenith, theme.horizon, theme.ground, theme.line, theme.outline)),
            (*theme.contour, 1.0 if theme.is_dark else 0.0)]


def pack(camera: Camera, theme: Theme, width: int, height: int, held: Fit, floor: Floor | None, shadows: bool,
         fine: Quality) -> np.ndarray:
    """All floats of the block."""
    view, aspect = camera.view_matrix(), width / max(height, 1)
    right, up, forward = camera.axes()
    projection = camera.projection(aspect)
    tangent = 0.5 * camera.pixel_size(height) * height
    sun_matrix, depth = sun_map(held, fine.texels[0])
    floor_light, floor_plane, floor_matrix = np.zeros(4), np.zeros(4), np.eye(4)
    if floor is not None:
        floor_matrix, reach, span, across = floor_map(floor, held, fine.texels[1])
        floor_light = np.array([reach, span, reach / across, 1.0 if shadows else 0.0])
        floor_plane = np.append(floor.normal, floor.offset)
    texel = 2.08 * held.radius / fine.texels[0]
    distance = camera.shown_distance
    level = math.log10(max(distance, 1e-6) / 6.0)
    cell = 10.0 ** math.floor(level)
    vectors = [
        (*camera.eye, camera.pixel_size(height)), (tangent * aspect, tangent, width, height),
        (*right, 0.0), (*up, 0.0), (*forward, 0.0), (*camera.shown_target, 7.0 * distance + 2.0 * held.radius),
        floor_plane, floor_light, (1.0 / fine.texels[0], texel, theme.shadow, 1.0 if shadows else 0.0), (*SUN, depth),
        *_colours(theme), (cell, 1.0 - (level - math.floor(level)), float(camera.flat), distance),
        (*fine.taps[:3], fine.taps[3] if shadows else 0.0),
        (projection[2, 2], projection[2, 3], float(camera.flat),
         min(OCCLUSION_RADIUS[0] * held.typical_radius, OCCLUSION_RADIUS[1] * distance)),
        (1.0, PATTERN, 0.0, 0.0)]
    matrices = [projection @ view, view, sun_matrix, floor_matrix]
    return np.concatenate([np.concatenate([m.T.ravel() for m in matrices]), np.array(vectors, float).ravel()])


MAPS = slice(32, 64)
"""Matrices of the two maps within the block."""
EYE_PIXEL, LENS_SIZE = 67, slice(70, 72)
OCCLUSION_TAPS, DRAWN, CORNER = -9, -4, slice(-2, None)
SHADOWS = 64 + 4 * 8 + 3
"""1 if the sun casts shadows."""


def resized(block: np.ndarray, width: int, height: int, shown: int, corner: tuple[int, int], near: bool) -> np.ndarray:
    """The block for the same picture at another resolution; shown: its height on the screen; corner: its lower left corner [px];
    near: whether occlusion between bodies is computed."""
    out = block.copy()
    out[EYE_PIXEL] *= out[LENS_SIZE][1] / height
    out[LENS_SIZE] = width, height
    out[DRAWN], out[CORNER] = height / shown, corner
    out[OCCLUSION_TAPS] *= near
    return out


def floors(placed: BodyTransforms, camera: Camera, main: Floor | None) -> tuple[np.ndarray, bool]:
    """Instances (n, 12) of floor.vert for all planes, and whether the camera sees one of them from below."""
    planes = placed.of("plane")
    out = np.zeros((len(planes), 12), np.float32)
    pos, quat = placed.pos[planes], placed.quat[planes]
    out[:, 0:3], out[:, 4:8] = pos, quat
    out[:, 8] = 150.0 * camera.shown_distance + 150.0
    if main is None:
        return out, False
    normals, offsets = placed.planes
    out[:, 9] = (normals @ main.normal > 1.0 - 1e-5) & (np.abs(offsets - main.offset) < 1e-5 * (1.0 + abs(main.offset)))
    return out, bool(np.any(normals @ camera.eye <= offsets))
