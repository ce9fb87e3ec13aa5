"""The camera: what is projected is where the ray goes, movements keep what they must, no NaN anywhere."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.camera import Camera, look_at, orthographic, perspective, unit
from tests.tools.handmade import clip

angle = st.floats(-400, 400)
tilt = st.floats(-90, 90)
pixel = st.floats(0, 1)


@given(angle, tilt, st.floats(0.1, 200), pixel, pixel, st.floats(0.2, 20))
def test_a_ray_through_a_pixel_hits_what_is_projected_there(azimuth, elevation, distance, u, v, away):
    camera = Camera(np.array([0.3, -0.2, 0.7]), distance, azimuth, elevation)
    origin, direction = camera.ray(u * 1280, v * 720, 1280, 720)
    point = origin + away * distance * direction
    seen = camera.project(point, 1280, 720)[0]
    assert seen[:2] == pytest.approx([u * 1280, v * 720], abs=1e-6)
    assert seen[2] > 0
    assert clip(camera, point[None], 1280, 720)[0] == pytest.approx(seen[:2], abs=1e-5)


@given(angle, tilt, st.floats(-500, 500), st.floats(-500, 500))
def test_orbit_keeps_target_and_distance(azimuth, elevation, dx, dy):
    camera = Camera(np.array([1.0, 2.0, 3.0]), 5.0, azimuth, elevation)
    camera.orbit(dx, dy)
    assert np.linalg.norm(camera.eye - camera.target) == pytest.approx(5.0)
    assert camera.target == pytest.approx([1, 2, 3])
    assert -90 <= camera.elevation <= 90


@pytest.mark.parametrize("elevation", [90.0, -90.0, 89.999999])
def test_straight_down_and_up_are_finite_rotations(elevation):
    camera = Camera(elevation=elevation)
    view = camera.view_matrix()
    assert np.all(np.isfinite(view))
    assert view[:3, :3] @ view[:3, :3].T == pytest.approx(np.eye(3), abs=1e-9)
    assert camera.project(camera.target, 800, 600)[0, :2] == pytest.approx([400, 300])


def test_azimuth_zero_looks_along_y_and_z_is_up():
    camera = Camera(np.zeros(3), 4.0, 0.0, 0.0)
    assert camera.eye == pytest.approx([0, -4, 0])
    assert camera.project([0, 0, 1], 100, 100)[0, 1] > 50
    assert camera.project([1, 0, 0], 100, 100)[0, 0] > 50


def test_pan_moves_the_target_with_the_cursor():
    camera = Camera(np.array([0.0, 0.0, 1.0]), 6.0, 30.0, 25.0)
    point = camera.target.copy()
    camera.pan(40, -25, 720)
    assert camera.project(point, 1280, 720)[0, :2] == pytest.approx([640 + 40, 360 - 25], abs=1e-6)


@pytest.mark.parametrize("by_ray", [True, False])
def test_zoom_keeps_what_is_under_the_cursor(by_ray):
    camera = Camera(np.array([0.0, 0.0, 1.0]), 6.0, 30.0, 25.0)
    origin, direction = camera.ray(900, 500, 1280, 720)
    point = origin + 6.3 * direction
    camera.zoom(3, (origin, direction) if by_ray else point)
    assert camera.project(point, 1280, 720)[0, :2] == pytest.approx([900, 500], abs=1e-6)
    assert camera.distance < 6.0
    before = camera.distance
    camera.zoom(-1e6)
    assert camera.distance >= before and np.isfinite(camera.distance)


def test_flying_keeps_the_direction():
    camera = Camera()
    forward = camera.axes()[2]
    before = camera.eye
    camera.fly(1, 0, 0, 0.1)
    moved = camera.eye - before
    assert moved / np.linalg.norm(moved) == pytest.approx(forward)


def test_gliding_arrives_and_a_new_scene_jumps():
    camera = Camera()
    assert camera.update(0.016) is False
    camera.orbit(100, 20)
    first = camera.eye
    assert camera.update(0.016) is True
    for _ in range(200):
        camera.update(0.016)
    assert camera.update(0.016) is False
    assert not np.allclose(camera.eye, first)
    assert np.linalg.norm(camera.eye - camera.target) == pytest.approx(camera.distance)
    camera.set_view(SimpleNamespace(target=(1, 1, 1), distance=3.0, azimuth=10.0, elevation=5.0))
    assert camera.shown_target == pytest.approx([1, 1, 1])


def test_a_point_behind_the_eye_has_no_positive_depth():
    camera = Camera()
    behind = camera.eye - 2.0 * camera.axes()[2]
    assert camera.project(behind, 100, 100)[0, 2] < 0
    assert np.all(np.isfinite(camera.project(camera.eye, 100, 100)))


@pytest.mark.parametrize("size", [(0, 0), (1, 0), (3, 5000)])
def test_absurd_sizes_stay_finite(size):
    camera = Camera()
    assert np.all(np.isfinite(camera.projection(size[0] / max(size[1], 1))))
    assert np.all(np.isfinite(camera.ray(0, 0, *size)[1]))


def test_guards_where_pyrr_gives_nan():
    assert unit(np.zeros(3), np.array([0, 0, 1.0])) == pytest.approx([0, 0, 1])
    assert np.all(np.isfinite(look_at(np.zeros(3), np.zeros(3), np.zeros(3))))
    assert np.all(np.isfinite(look_at(np.zeros(3), [0, 0, 1], [0, 0, 2])))
    assert np.all(np.isfinite(perspective(40, float("nan"), 1, 1)))
    assert np.all(np.isfinite(orthographic(0, 0, 1, 1)))
