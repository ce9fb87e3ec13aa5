"""Parallel projection, axis views, saved views, following: drawing, picking and labels agree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyglet.window import key

from app.camera import Camera
from app.engine import commands
from app.gui.viewport import camera_commands, compass
from app.gui.viewport.transform_tools import Tool
from app.render.opengl.offscreen import Offscreen
from app.render.opengl.picture_changed import rectangle
from app.render.scene.draw_list import TextLabel
from app.render.scene.labels import place
from app.render.scene.overlay_context import OverlayContext
from app.render.scene.picking import pick, pick_contact
from app.render.scene.theme import DARK
from app.render.scene.transforms import BodyTransforms
from app.render.view_options import ViewOptions, toggles
from app.session import Selection
from physics.core.records import Case, Kind
from tests.tools.handmade import clip, frame
from tests.tools.person import drag_handle, fresh_spots, some_body

ONE, D, S = (1, 0, 0, 0), Kind.DYNAMIC, Kind.STATIC
SIZE = (1280, 720)
pixel, angle, tilt = st.floats(0, 1), st.floats(-400, 400), st.floats(-90, 90)


def flat(azimuth=0.0, elevation=0.0, distance=8.0, target=(0.3, -0.2, 0.7)):
    return Camera(np.array(target), distance, azimuth, elevation, flat=True)


@given(angle, tilt, st.floats(0.1, 200), pixel, pixel, st.floats(-5, 5))
def test_rays_projections_and_matrices_agree(azimuth, elevation, distance, u, v, away):
    camera = flat(azimuth, elevation, distance)
    origin, direction = camera.ray(u * SIZE[0], v * SIZE[1], *SIZE)
    assert direction == pytest.approx(camera.axes()[2])
    point = origin + (camera.ray_lead + distance + away * distance) * direction
    seen = camera.project(point, *SIZE)[0]
    assert seen[:2] == pytest.approx([u * SIZE[0], v * SIZE[1]], abs=1e-6) and seen[2] > 0
    assert clip(camera, point[None], *SIZE)[0] == pytest.approx(seen[:2], abs=1e-5)


@given(angle, tilt, st.floats(-3, 3), st.floats(-3, 3))
def test_parallel_projection_keeps_lengths(azimuth, elevation, near, far):
    camera = flat(azimuth, elevation)
    right, _, forward = camera.axes()
    lengths = [np.diff(camera.project(camera.target + along * forward + np.outer([0, 1], right), *SIZE)[:, 0])[0]
               for along in (near, far)]
    assert lengths[0] == pytest.approx(lengths[1], rel=1e-9)
    spread = OverlayContext(frame([]), BodyTransforms(frame([])), ViewOptions(), DARK, camera=camera, width=SIZE[0],
                            height=SIZE[1])
    pixels = spread.pixel(camera.target + np.outer([near, far], forward))
    assert pixels == pytest.approx(1.0 / lengths[0], rel=5e-3)


def test_switching_keeps_the_size_of_the_target():
    camera = Camera()
    right = camera.axes()[0]
    ends = camera.target + np.outer([-0.5, 0.5], right)
    before = camera.project(ends, *SIZE)[:, :2]
    camera.flat = True
    assert camera.project(ends, *SIZE)[:, :2] == pytest.approx(before)


def test_zoom_and_pan_keep_what_is_under_the_cursor():
    camera = flat(30, 20)
    ray = camera.ray(900, 500, *SIZE)
    point = ray[0] + (camera.ray_lead + 9.0) * ray[1]
    camera.zoom(3, ray)
    assert camera.project(point, *SIZE)[0, :2] == pytest.approx([900, 500], abs=1e-6)
    at = camera.project(point, *SIZE)[0]
    camera.pan(40, -25, SIZE[1])
    assert camera.project(point, *SIZE)[0, :2] - at[:2] == pytest.approx([40, -25], abs=1e-6)


def test_parallel_views_pick_bodies_behind_the_perspective_eye():
    f = frame([("sphere", (0.5, 0, 0), (0, 2, 0), ONE, D), ("sphere", (0.5, 0, 0), (0, -20, 0), ONE, D)])
    camera = flat(target=(0, 0, 0))
    assert pick(f, *camera.ray(SIZE[0] / 2, SIZE[1] / 2, *SIZE))[0] == 2
    camera.flat = False
    assert pick(f, *camera.ray(SIZE[0] / 2, SIZE[1] / 2, *SIZE))[0] == 1


def test_labels_contacts_and_outline_match_the_drawn_bodies():
    """Two balls, one far behind the other: equally large in the picture, each where it is projected and picked."""
    contact = {"shape_a": 0, "shape_b": 1, "body_a": 1, "body_b": 2, "pos": (1.0, -1.5, 0.5), "normal": (0, -1, 0),
               "impulse": 1.0, "tangent": (1, 0, 0), "friction": 0.5, "case": Case.STICK}
    f = frame([("sphere", (0.5, 0, 0), (-1, 6, 0.5), ONE, D), ("sphere", (0.5, 0, 0), (1, -1, 0.5), ONE, D)], [contact])
    camera, (w, h) = flat(target=(0, 0, 0.5), distance=6.0), (640, 400)
    view = ViewOptions(**dict.fromkeys(toggles(), False))
    with Offscreen(w, h, 4) as picture:
        from app.render.opengl.renderer import Renderer
        renderer, drawn = Renderer("high"), {}
        for name in ("bodies", "marks"):
            view.contacts = name == "marks"
            picture.begin()
            renderer.draw(f, camera, view, w, h, f.wall)
            drawn[name] = picture.pixels().astype(int)
        renderer.delete()
    bodies = drawn["bodies"]
    for number, pos in ((1, (-1, 6, 0.5)), (2, (1, -1, 0.5))):
        x, y, _ = camera.project(pos, w, h)[0]
        half = slice(0, w // 2) if number == 1 else slice(w // 2, w)
        sky = bodies[:, [2]].mean(axis=(0, 1))
        ball = np.argwhere(np.abs(bodies[:, half] - sky).sum(axis=2) > 40)
        centre, wide = (ball.max(axis=0) + ball.min(axis=0)) / 2.0, np.ptp(ball, axis=0) + 1
        assert centre[::-1] + np.array([half.start, 0]) == pytest.approx([x - 0.5, h - y - 0.5], abs=1.6)
        assert wide == pytest.approx(1.0 / (2.0 * 6.0 * np.tan(np.radians(20.0)) / h), abs=3.0)
        assert pick(f, *camera.ray(x, y, w, h))[0] == number
        placed = BodyTransforms(f)
        left, low, across, up = rectangle(placed, placed.radii(), number, camera, (0, 0, w, h))
        assert left <= x - wide[0] / 2 and x + wide[0] / 2 <= left + across
        assert low <= y - wide[1] / 2 and y + wide[1] / 2 <= low + up
    x, y, _ = camera.project(contact["pos"], w, h)[0]
    changed = np.argwhere(np.abs(drawn["marks"] - bodies).sum(axis=2) > 60)
    assert changed.mean(axis=0)[::-1] == pytest.approx([x - 0.5, h - y - 0.5], abs=1.0), "the mark is over its ball"
    assert 6 <= np.ptp(changed, axis=0)[0] <= 20
    assert pick_contact(f, camera, x + 3, y, w, h) == 0
    words = TextLabel(np.array([(1.0, -1.0, 0.5)]), (1, 1, 1), np.ones(1), np.zeros(1, bool), texts=["ball"])
    label = place([words], OverlayContext(f, BodyTransforms(f), view, DARK, camera=camera, width=w, height=h))[0]
    assert (label.x, label.y) == pytest.approx(tuple(camera.project((1, -1, 0.5), w, h)[0, :2]))


@pytest.mark.parametrize(("symbol", "held", "forward", "up"), [
    (key.NUM_1, 0, (0, 1, 0), (0, 0, 1)), (key.NUM_1, key.MOD_CTRL, (0, -1, 0), (0, 0, 1)),
    (key.NUM_3, 0, (-1, 0, 0), (0, 0, 1)), (key.NUM_3, key.MOD_CTRL, (1, 0, 0), (0, 0, 1)),
    (key.NUM_7, 0, (0, 0, -1), (0, 1, 0)), (key.NUM_7, key.MOD_CTRL, (0, 0, 1), (0, -1, 0))])
def test_views_along_the_axes(person, symbol, held, forward, up):
    person.load("pyramid")
    target = person.session.camera.target.copy()
    person.hit(symbol, held)
    person.look(90)
    axes = person.session.camera.axes()
    assert axes[2] == pytest.approx(forward, abs=1e-9) and axes[1] == pytest.approx(up, abs=1e-9)
    assert person.session.camera.shown_target == pytest.approx(target)
    person.hit(key.F)


def test_saved_views_belong_to_their_scene(person):
    person.load("pyramid")
    camera = person.session.camera
    camera.orbit(70, -30)
    camera.flat = True
    kept = (camera.azimuth, camera.elevation, camera.distance)
    person.hit(key._4, key.MOD_CTRL)
    camera.flat = False
    person.hit(key.F)
    assert camera.azimuth != kept[0]
    person.hit(key._4)
    assert (camera.azimuth, camera.elevation, camera.distance) == pytest.approx(kept) and camera.flat
    person.hit(key._5)
    assert "no view 5" in person.session.messages[-1].text
    person.load("stack")
    assert not camera_commands.has_view(person.session, 4)
    camera.flat = False


def test_the_camera_follows_a_body_and_keeps_its_direction(person):
    person.load("pyramid")
    session, body = person.session, some_body(person.session)
    person.hit(key.F, key.MOD_SHIFT)
    assert "select a body" in session.messages[-1].text and not camera_commands.follows(session)
    session.selection = Selection(body=body)
    person.hit(key.F, key.MOD_SHIFT)
    person.look(90)
    session.camera.orbit(50, 0)
    azimuth = session.camera.azimuth
    session.post(commands.set_pose, body, (3.0, 1.0, 4.0), ONE)
    assert person.wait(lambda: session.frame.bodies["pos"][body, 0] == 3.0)
    person.look(1)
    assert session.camera.shown_target == pytest.approx([3.0, 1.0, 4.0], abs=1e-3) and session.camera.azimuth == azimuth
    person.hit(key.F, key.MOD_SHIFT)
    session.post(commands.set_pose, body, (0.0, 0.0, 9.0), ONE)
    assert person.wait(lambda: session.frame.bodies["pos"][body, 2] == 9.0)
    assert session.camera.target == pytest.approx([3.0, 1.0, 4.0], abs=1e-3)
    session.selection = Selection(body=body)
    person.hit(key.F, key.MOD_SHIFT)
    session.post(commands.remove_body, body)
    assert person.wait(lambda: not camera_commands.follows(session))


def test_handles_and_throws_in_parallel_projection(person):
    person.load("pyramid")
    person.hit(key.F)
    person.look(90)
    session, body = person.session, some_body(person.session)
    session.selection, tool = Selection(body=body), session.state(Tool)
    person.hit(key.NUM_5)
    assert session.camera.flat
    try:
        tool.mode = "move"
        before = session.frame.bodies["pos"][body].copy()
        x, y = drag_handle(person, body, (1, 0, 0), 60)
        person.release(x, y)
        size = person.window.gui.panels.centre[2:]

        def went():
            ends = session.camera.project(np.array([before, session.frame.bodies["pos"][body]]), *size)[:, :2]
            return float(np.linalg.norm(ends[1] - ends[0]))

        assert person.wait(lambda: went() == pytest.approx(60.0, abs=3.0), 10.0), went()
        assert session.frame.bodies["pos"][body][1:] == pytest.approx(before[1:], abs=1e-4)
    finally:
        tool.mode = ""
    count = len(session.frame.bodies)
    person.move(*person.body_at(body))
    person.hit(key.B)
    assert person.wait(lambda: len(session.frame.bodies) == count + 1)
    thrown = session.frame.bodies["pos"][-1] - session.camera.target
    assert np.linalg.norm(thrown) < 1.5 * session.camera.distance, "from where the eye would be with perspective"
    person.hit(key.NUM_5)
    assert not session.camera.flat



# ---- the compass


@pytest.mark.parametrize(("end", "azimuth", "elevation"), [("top", 0.0, 90.0), ("right", 90.0, 0.0), ("front", 0.0, 0.0)])
def test_a_click_on_an_end_of_the_compass_looks_from_there(person, end, azimuth, elevation):
    person.load("pyramid")
    person.click(f"compass/{end}")
    camera = person.session.camera
    assert person.wait(lambda: not camera.update(0.1), 10.0)
    assert camera.azimuth == pytest.approx(azimuth) and camera.elevation == pytest.approx(elevation, abs=1.0)
    from_there = camera.eye - camera.shown_target
    axis, side, _ = next(found for found in compass.ENDS if found[2] == end)
    assert side * from_there[axis] > 0.99 * np.linalg.norm(from_there), "the eye is on that side"


def test_the_compass_can_be_hidden(person):
    person.load("pyramid")
    assert "compass/top" in fresh_spots(person)
    person.session.view.compass = False
    assert "compass/top" not in fresh_spots(person)
    person.session.view.compass = True
