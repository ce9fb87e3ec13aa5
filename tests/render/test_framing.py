"""Views that show what moves: against the closed form of the projection, and in every scene of the gallery."""

import math

import numpy as np
import pytest

import scenes
from app.camera import Camera
from app.engine.frame import RealTimePace, capture, poses
from app.render.scene.framing import ASPECT, FILLED, fit, for_aspect, framed, is_within, points_of_interest
from app.session import Session
from scenes import View
from tests.tools.handmade import FLOOR, ONE, D, S, frame

FAR_PATHS = {"particle_and_wall", "corner_and_large_step", "two_ball_drop"}
"""Scenes whose bodies go through the whole picture, far from where they begin."""


def spans(points, view, aspect=ASPECT):
    camera = Camera()
    camera.set_view(view)
    seen = camera.project(points, aspect, 1.0)[:, :2] / (aspect, 1.0)
    return seen.min(axis=0), seen.max(axis=0)


def balls(*places, radius=0.1):
    return [("sphere", (radius, 0, 0), pos, ONE, D) for pos in places]


def test_what_moves_fills_the_picture_from_the_given_direction():
    rng = np.random.default_rng(4)
    points = rng.uniform(-1.0, 1.0, (40, 3)) * (3.0, 0.3, 0.2) + (5.0, -2.0, 1.0)
    view = fit(points, View(azimuth=20.0, elevation=15.0))
    lo, hi = spans(points, view)
    assert (view.azimuth, view.elevation) == (20.0, 15.0)
    assert max(hi - lo) == pytest.approx(FILLED, rel=0.02) and 0.5 * (lo + hi) == pytest.approx([0.5, 0.5], abs=0.02)


def test_a_narrow_picture_is_as_wide_as_the_view_was_made_for():
    view = View(target=(0.0, 0.0, 0.0), distance=8.0, azimuth=0.0, elevation=0.0)
    side = np.array([[ASPECT * 8.0 * math.tan(math.radians(20.0)), 0.0, 0.0]])
    assert spans(side, view)[0][0] == pytest.approx(1.0), "at the right border"
    assert spans(side, for_aspect(view, 0.7), aspect=0.7)[0][0] == pytest.approx(1.0)
    assert for_aspect(view, 2.0) == view


def test_floors_planks_and_bodies_that_flew_away_do_not_count():
    near = balls((0, 0, 0.1), (0.5, 0, 0.1), (0, 0.5, 0.1))
    some = points_of_interest(frame([FLOOR, *near]))
    plank = ("box", (20.0, 5.0, 0.1), (0, 0, -0.1), ONE, S)
    assert np.array_equal(points_of_interest(frame([FLOOR, *near, plank])), some)
    assert np.array_equal(points_of_interest(frame([FLOOR, *near, *balls((300.0, 0, -900.0))])), some)
    assert len(points_of_interest(frame([FLOOR, plank]))) == 0


def test_a_scene_keeps_its_view_unless_something_moves_outside():
    own = View(target=(0.0, 0.0, 0.5), distance=4.0, azimuth=10.0, elevation=12.0)
    inside, beyond = frame([FLOOR, *balls((0, 0, 0.1))]), frame([FLOOR, *balls((0, 0, 0.1), (3, 0, 0.1))])
    assert framed(own, inside, ASPECT) == own
    wider = framed(own, beyond, ASPECT)
    assert wider.distance > 4.0 and wider.azimuth == 10.0 and is_within(points_of_interest(beyond), wider, ASPECT)
    assert framed(View(), inside, ASPECT).distance < 1.5, "a view that nobody chose"
    assert framed(View(), frame([FLOOR]), ASPECT) == View()


@pytest.mark.parametrize("name", sorted(scenes.all_scenes()))
def test_what_a_scene_is_about_is_in_its_first_picture_and_large(name):
    scene = scenes.find(name)
    world = scenes.make_world(scene)
    points = points_of_interest(capture(world, scene=name, dt=scene.dt, paused=True, before=poses(world), pace=RealTimePace()))
    lo, hi = spans(points, scene.view)
    assert np.all((0.5 * (lo + hi) > 0.1) & (0.5 * (lo + hi) < 0.9))
    assert max(np.minimum(hi, 1.0) - np.maximum(lo, 0.0)) > (0.04 if name in FAR_PATHS else 0.08)


def test_a_view_suits_its_picture_until_somebody_changes_it():
    session = Session.open("incline")
    camera, own = session.camera, session.scene.view
    for aspect, times in ((0.5 * ASPECT, 2.0), (ASPECT, 1.0), (2.0, 1.0), (0.8 * ASPECT, 1.25)):
        session.meet_aspect(aspect)
        assert camera.distance == pytest.approx(times * own.distance)
    camera.zoom(1.0)
    zoomed = camera.distance
    session.meet_aspect(ASPECT)
    assert camera.distance == zoomed
    session.frame_all()
    assert camera.distance == own.distance
