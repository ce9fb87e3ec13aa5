"""Picking: against rays solved by closed forms."""

import math

import numpy as np
import pytest

from app.camera import Camera
from app.render.scene.picking import pick, pick_contact, pick_joint
from physics.core.records import Kind
from tests.tools.handmade import frame

D, S = Kind.DYNAMIC, Kind.STATIC
ONE = (1, 0, 0, 0)
FLOOR = ("plane", (0, 0, 0), (0, 0, 0), ONE, S)


def test_sphere_in_front_of_box_in_front_of_floor():
    f = frame([FLOOR, ("box", (0.5, 0.5, 0.5), (0, 3, 0.5), ONE, D), ("sphere", (0.5, 0, 0), (0, 1, 0.5), ONE, D)])
    body, point, distance = pick(f, [0, -2, 0.5], [0, 2, 0])
    assert (body, distance) == (3, pytest.approx(2.5))
    assert point == pytest.approx([0, 0.5, 0.5])
    body, point, distance = pick(f, [0.49999, -2, 0.99], [0, 1, 0])   # passes the ball, meets the box
    assert (body, distance) == (2, pytest.approx(4.5))
    body, point, distance = pick(f, [0, -2, 3.5], [0, 1, -1])
    assert (body, distance) == (3, pytest.approx(3 * math.sqrt(2) - 0.5))
    body, point, distance = pick(f, [5, 0, 2], [0, 0, -1])
    assert (body, distance) == (1, pytest.approx(2.0))


def test_rays_above_the_horizon_and_invalid_rays_hit_nothing():
    f = frame([FLOOR])
    assert pick(f, [0, 0, 1], [0, 1, 0.1]) is None
    assert pick(f, [0, 0, 1], [0, 0, 0]) is None
    assert pick(f, [0, 0, np.nan], [0, 0, -1]) is None
    assert pick(frame([]), [0, 0, 1], [0, 0, -1]) is None


def test_rotated_box_and_capsule():
    half = math.radians(45) / 2
    f = frame([("box", (1, 1, 1), (0, 0, 0), (math.cos(half), 0, 0, math.sin(half)), D)])
    assert pick(f, [-5, 0, 0], [1, 0, 0])[2] == pytest.approx(5 - math.sqrt(2))
    lying = (math.cos(math.pi / 4), 0, math.sin(math.pi / 4), 0)     # axis along x
    f = frame([("capsule", (0.2, 0.7, 0), (0, 0, 0), lying, D)])
    assert pick(f, [-5, 0, 0], [1, 0, 0])[2] == pytest.approx(5 - 0.9)
    assert pick(f, [0.6, 0, 5], [0, 0, -1])[2] == pytest.approx(5 - 0.2)
    assert pick(f, [0.95, 0, 5], [0, 0, -1]) is None


@pytest.mark.parametrize("kind", ["box", "capsule", "cone", "cylinder", "ellipsoid", "sphere"])
def test_a_body_around_the_eye_is_picked_at_once(kind):
    f = frame([("sphere", (0.1, 0, 0), (0.5, 0, 0), ONE, D), (kind, (1, 1, 1), (0, 0, 0), ONE, D)])
    body, point, distance = pick(f, [0.1, 0, 0], [1, 0, 0])
    assert (body, distance) == (2, 0.0) and point == pytest.approx([0.1, 0, 0])


def test_a_floor_seen_from_below_is_not_picked():
    f = frame([FLOOR, ("sphere", (0.5, 0, 0), (0, 0, 3), ONE, D)])
    assert pick(f, [0, 0, -2], [0, 0, 1])[0] == 2
    assert pick(f, [0, 0, -2], [1, 0, 0]) is None and pick(f, [0, 0, -2], [0, 0, -1]) is None
    assert pick(f, [0, 0, 2], [0, 0, -1])[0] == 1


def test_interpolated_bodies_are_picked_where_drawn():
    half = math.cos(math.pi / 4)
    f = frame([("box", (2, 0.1, 0.1), (4, 0, 0), (half, 0, 0, half), D)])
    f.before_pos[1], f.before_quat[1] = (0, 0, 0), (half, 0, 0, half)
    f.bodies["asleep"][1] = 1
    assert pick(f, [2, 1.9, 5], [0, 0, -1], 0.5)[:1] == (1,) and pick(f, [2, 1.9, 5], [0, 0, -1]) is None
    assert pick(f, [4, 1.9, 5], [0, 0, -1])[2] == pytest.approx(4.9) and pick(f, [4, 1.9, 5], [0, 0, -1], 0.5) is None
    assert f.bodies["asleep"][1] == 1 and f.bodies["pos"][1] == pytest.approx([4, 0, 0]), "the frame stays as it is"


def test_shape_off_its_bodys_centre():
    f = frame([("sphere", (0.1, 0, 0), (0, 0, 0), (math.cos(math.pi / 4), 0, 0, math.sin(math.pi / 4)), D)])
    f.shapes["local_pos"][0] = (1, 0, 0)                              # a quarter turn about z takes it to +y
    body, point, _ = pick(f, [0, 1, 5], [0, 0, -1])
    assert body == 1 and point == pytest.approx([0, 1, 0.1])


def test_random_balls_against_brute_force():
    rng = np.random.default_rng(7)
    places = rng.uniform(-5, 5, (300, 3))
    f = frame([("sphere", (0.3, 0, 0), p, ONE, D) for p in places])
    for _ in range(50):
        origin = np.array([0, 0, 20.0])
        direction = rng.uniform(-5, 5, 3) - origin
        direction /= np.linalg.norm(direction)
        along = (places - origin) @ direction
        off2 = ((places - origin) ** 2).sum(axis=1) - along**2
        hit = np.where(off2 < 0.09, along - np.sqrt(np.maximum(0.09 - off2, 0)), np.inf)
        found = pick(f, origin, direction)
        if np.isinf(hit.min()):
            assert found is None
        else:
            assert found[0] == hit.argmin() + 1 and found[2] == pytest.approx(hit.min())


def test_removed_shapes_are_not_picked():
    f = frame([("sphere", (0.5, 0, 0), (0, 0, 0), ONE, D)])
    f.shapes["body"][0] = -1
    assert pick(f, [0, 0, 5], [0, 0, -1]) is None


def test_contacts_and_joints_near_the_cursor():
    camera = Camera()
    f = frame([("sphere", (0.5, 0, 0), (1, 0, 1), ONE, D)], contacts=[{"pos": (0, 0, 0)}, {"pos": (1, 0, 0.5)}],
              joints=[{"kind": 0, "body_b": 1}, {"kind": 2, "body_a": 0, "body_b": 1, "anchor_a": (1, 0, 1.5),
                                                "frame_a": ONE}])
    x, y, _ = camera.project([1, 0, 0.5], 800, 600)[0]
    assert pick_contact(f, camera, x + 5, y - 5, 800, 600) == 1
    assert pick_contact(f, camera, x + 200, y, 800, 600) == -1
    x, y, _ = camera.project([1, 0, 1.5], 800, 600)[0]
    assert pick_joint(f, camera, x, y + 3, 800, 600) == 1
    x, y, _ = camera.project([0, 0, 0], 800, 600)[0]
    assert pick_joint(f, camera, x, y, 800, 600) == -1                # the mouse's own spring is no joint to pick
