"""Contacts shown among many: against brute force. No window, no physics."""

import numpy as np
import pytest

from app.camera import Camera
from app.render import overlays
from app.render.overlays import names
from app.render.scene import contact_culling
from app.session import Selection
from tests.tools.handmade import FLOOR, ONE, SIGHT, D, S, context, frame

W, H = SIGHT
POINTS = np.random.default_rng(5).uniform(-6.0, 6.0, (9000, 3)).astype(np.float32)


@pytest.mark.parametrize("flat", [False, True])
def test_of_many_contacts_the_nearest_in_view_are_shown(flat):
    camera = Camera(np.zeros(3), 8.0, flat=flat)
    index, opacity = contact_culling.nearest(POINTS, camera, W, H)
    x, y, depth = camera.project(POINTS, W, H).T
    beside = contact_culling.SCREEN_MARGIN
    within = (depth > 0.0) & (np.abs(x - W / 2) < beside * W / 2) & (np.abs(y - H / 2) < beside * H / 2)
    nearest = np.flatnonzero(within)[np.argsort(depth[within])[: contact_culling.MAX_CONTACTS]]
    assert np.count_nonzero(within) > contact_culling.MAX_CONTACTS == len(index)
    assert len(np.setxor1d(index, nearest)) <= 2     # single precision
    assert np.all(np.diff(index) > 0) and opacity.max() == 1.0
    assert opacity[np.argmax(depth[index])] == pytest.approx(0.0, abs=1e-3)


def test_contacts_fade_when_the_camera_turns():
    camera, shown = Camera(np.zeros(3), 8.0), []
    for azimuth in (20.0, 20.2):
        camera.azimuth = azimuth
        shown.append(dict(zip(*(array.tolist() for array in contact_culling.nearest(POINTS, camera, W, H)))))
    for some, others in (shown, shown[::-1]):
        gone = [k for k in some if k not in others]
        x, y, _ = camera.project(POINTS[gone], W, H).T
        inside = (np.abs(x - W / 2) < 0.48 * W) & (np.abs(y - H / 2) < 0.48 * H)
        assert gone and max(some[k] for k, seen in zip(gone, inside) if seen) < 0.1


def test_few_contacts_and_selected_ones_are_always_shown():
    camera = Camera(np.zeros(3), 60.0)
    index, opacity = contact_culling.nearest(POINTS[:100], camera, W, H)
    assert index.tolist() == list(range(100)) and np.all(opacity == 1.0)
    camera = Camera(np.array([500.0, 0.0, 0.0]), 8.0)
    index, opacity = contact_culling.shown(POINTS, camera, W, H, np.array([-1, 7, 3, 7, 10**6]))
    assert index.tolist() == [3, 7] and opacity.tolist() == [1.0, 1.0]


def test_a_selected_contact_among_many_keeps_halo_and_cone():
    count = contact_culling.MAX_CONTACTS + 500
    at = np.random.default_rng(3).uniform(-6.0, 6.0, (count, 2))
    contacts = [{"body_a": 1, "body_b": 2, "pos": (*at[k], 0.0), "normal": (0, 0, 1), "impulse": 0.01} for k in range(count)]
    f = frame([FLOOR, ("box", (0.5, 0.5, 0.5), (0, 0, 0.5), ONE, S)], contacts)
    camera = Camera(np.zeros(3), 18.0, elevation=60.0)
    hidden = np.setdiff1d(np.arange(count), context(f, None, camera).touching.index)
    chosen = int(hidden[-1])
    seen = context(f, {"selection": Selection(contact=chosen)}, camera, contacts=True)
    draw_list = overlays.draw(seen)
    marks = draw_list.array("marks")
    assert len(marks) == contact_culling.MAX_CONTACTS + 2 and len(draw_list.array("cones")) == 1
    assert marks[-1, :3] == pytest.approx([*at[chosen], 0.0], abs=1e-5)
    own = np.argmax(marks[:-1, 3])
    assert marks[own, :3] == pytest.approx([*at[chosen], 0.0], abs=1e-5)
    assert len(overlays.draw(context(f, contacts=True)).array("marks")) == count     # no camera: nothing is left out


def test_of_many_bodies_the_nearest_and_selected_get_boxes_and_names():
    places = np.random.default_rng(4).uniform(-6.0, 6.0, (3 * contact_culling.MAX_BOXES, 3))
    f = frame([("box", (0.1, 0.1, 0.1), place, ONE, D) for place in places])
    f.bodies["mass"][1:], f.bodies["inertia"][1:] = 1.0, np.eye(3)
    f.shapes["pos"], f.shapes["lo"], f.shapes["hi"] = places, places - 0.1, places + 0.1
    away = Camera(np.array([0.0, 500.0, 0.0]), 8.0, azimuth=0.0)
    chosen = {"selection": Selection(body=7)}
    for name in ("bounds", "inertia"):
        draw_list = overlays.draw(context(f, chosen, Camera(np.zeros(3), 30.0), **{name: True}))
        assert 12 * contact_culling.MAX_BOXES <= len(draw_list.array("lines")) <= 12 * (contact_culling.MAX_BOXES + 1)
        draw_list = overlays.draw(context(f, chosen, away, **{name: True}))
        ends = draw_list.array("lines")[:, [0, 1, 2, 4, 5, 6]].reshape(-1, 3)
        assert len(ends) == 24 and ends.mean(axis=0) == pytest.approx(places[6], abs=1e-5)
        assert len(overlays.draw(context(f, {}, None, **{name: True})).array("lines")) == 12 * len(places)
    words = overlays.draw(context(f, chosen, Camera(np.zeros(3), 30.0), names=True)).words[0]
    assert names.MAX_NAMES <= len(words.points) <= names.MAX_NAMES + 1 and "body 7" in words.texts
