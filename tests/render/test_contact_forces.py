"""Force arrows: sums over pairs of bodies, their scale, and their numbers beside the bodies. Against closed forms."""

import math
from dataclasses import replace

import numpy as np
import pytest

import scenes
from app.camera import Camera
from app.engine.frame import RealTimePace, capture, poses
from app.render import overlays
from app.render.scene.contact_forces import ARROW_SHARE, TypicalForce, TypicalSpeed, typical_force
from app.render.scene.labels import LETTER, LINE, overlaps, place, scale_bar
from app.render.scene.picking import pick_contact
from app.render.view_options import ViewOptions
from physics import step
from physics.core.records import Case
from tests.tools.handmade import FLOOR, ONE, SIGHT, D, context, frame

W, H = SIGHT
DT = 1.0 / 240.0


def corners(*forces, friction=0.0, **more):
    """Contacts under the corners of a box of 1 m, with these forces [N]."""
    return [{"shape_a": 0, "shape_b": 1, "body_a": 1, "body_b": 2, "feature": k, "normal": (0, 0, 1), "tangent": (1, 0, 0),
             "pos": pos, "friction": 0.5, "impulse": DT * force, "friction_impulse": (DT * friction, 0, 0), **more}
            for k, (pos, force) in enumerate(zip([(x, y, 0.0) for x in (-0.5, 0.5) for y in (-0.5, 0.5)], forces))]


def box_with(contacts, **more):
    return frame([FLOOR, ("box", (0.5, 0.5, 0.5), (0, 0, 0.5), ONE, D)], contacts, **more)


def test_the_corners_of_a_pair_are_one_sum_at_the_centre_of_pressure():
    f = box_with(corners(2.0, 8.0, 4.0, 6.0, friction=1.0))
    one = context(f).pressing
    assert one.normal == pytest.approx([20.0]) and one.friction == pytest.approx(np.array([[4.0, 0, 0]]))
    assert one.pos == pytest.approx(np.array([[0.0, 0.2, 0.0]])), "(8 + 6 - 2 - 4) / 20 of the half width"
    assert np.linalg.norm(one.friction[0]) / (one.mu[0] * one.normal[0]) == pytest.approx(0.4), "its use, not that of a corner"
    assert context(f, corners=True).pressing.normal == pytest.approx([2.0, 8.0, 4.0, 6.0])
    assert len(overlays.draw(context(f, normal_forces=True, cones=True)).array("cones")) == 1


def test_forces_that_squeeze_a_body_do_not_cancel():
    """A ball in a groove: two normals at right angles from one pair of bodies."""
    slope = math.sqrt(0.5)
    contacts = [{"body_a": 1, "body_b": 2, "normal": (side * slope, 0, slope), "tangent": (0, 1, 0), "pos": (-side, 0, 0),
                 "impulse": DT * 10.0} for side in (-1.0, 1.0)]
    assert context(box_with(contacts)).pressing.normal == pytest.approx([10.0, 10.0])


def test_a_patch_sticks_while_one_of_its_contacts_does():
    contacts = corners(5.0, 5.0, 5.0, 5.0, case=Case.SLIP)
    contacts[1]["case"] = Case.STICK
    seen = context(box_with(contacts))
    assert seen.pressing.colours == pytest.approx(np.array([seen.theme.case(Case.STICK)]))


@pytest.mark.parametrize("name", ["stack", "curling", "gripper"])
def test_the_typical_force_is_an_arrow_that_can_be_read(name):
    """Forces of 0.8 to 9000 N: the longest arrow is a tenth of the picture's height, or somewhat more."""
    scene = scenes.find(name)
    world = scenes.without_clock(scenes.make_world(scene))
    for _ in range(40):
        step(world, scene.dt)
    f = capture(world, scene=name, dt=scene.dt, paused=True, before=poses(world), pace=RealTimePace())
    camera, view = Camera(), ViewOptions()
    camera.set_view(scene.view)
    view.suit(scene)
    seen = replace(context(f, camera=camera), view=view)
    longest = np.linalg.norm(overlays.draw(seen).array("arrows")[:, 4:7], axis=1).max()
    assert 0.08 < longest / camera.shown_height < 0.3


def test_the_scale_bar_is_as_long_as_an_arrow_of_its_force():
    camera = Camera(target=np.array([0.3, 0.2, 0.1]), distance=5.0)
    seen = context(box_with(corners(2.0, 8.0, 4.0, 6.0)), camera=camera, normal_forces=True)
    bar, right = scale_bar(seen, overlays.draw(seen)), camera.axes()[0]
    ends = camera.project(camera.target + np.outer([0.0, bar.newtons * seen.force_length], right), W, H)
    assert bar.newtons == 20.0 and bar.length == pytest.approx(ends[1, 0] - ends[0, 0])
    assert bar.length == pytest.approx(ARROW_SHARE * H)


def test_the_legend_names_the_arrows_that_are_drawn():
    f = box_with(corners(2.0, 8.0, 4.0, 6.0, friction=1.0))
    drawn = overlays.draw(context(f, normal_forces=True, friction_forces=True, cones=True, reactions=True))
    theme = context(f).theme
    assert drawn.meanings == {"normal force": theme.normal, "friction force": theme.friction, "contact force": theme.force}
    assert scale_bar(context(f, camera=Camera()), drawn).meanings == tuple(drawn.meanings.items())
    smooth = box_with(corners(2.0, 8.0, 4.0, 6.0, friction=1e-9))
    drawn = overlays.draw(context(smooth, camera=Camera(distance=5.0), normal_forces=True, friction_forces=True))
    assert set(drawn.meanings) == {"normal force"}, "the other one is shorter than a pixel"
    assert scale_bar(context(f), overlays.draw(context(box_with([]), normal_forces=True, cones=True))) is None


def test_the_legend_names_velocities_without_a_scale_of_forces():
    f = box_with([])
    f.bodies["vel"][2] = 1.0, 0.0, 0.0
    bar = scale_bar(context(f, camera=Camera()), overlays.draw(context(f, velocities=True)))
    assert bar.newtons == 0.0 and [meaning for meaning, _ in bar.meanings] == ["velocity"]


def pictures(typical, forces, gap=1.0 / 60.0):
    """The typical force after each picture of a box that presses with these forces [N]."""
    return np.array([typical.of(box_with(corners(force), time=k * gap)) for k, force in enumerate(forces)])


def test_arrows_do_not_pump():
    assert np.ptp(pictures(TypicalForce(), 20.0 * (1.0 + 0.4 * np.sin(np.arange(60))))) == 0.0, "vibration"
    impact = np.full(60, 20.0)
    impact[30:33] = 4000.0
    assert np.ptp(pictures(TypicalForce(), impact)) == 0.0, "an impact"
    grown = pictures(TypicalForce(), np.where(np.arange(180) < 20, 20.0, 200.0))
    assert np.all(np.diff(grown) >= 0.0) and grown[19] == 20.0 and grown[-1] == pytest.approx(200.0, rel=0.05)
    assert pictures(TypicalForce(), np.zeros(3))[-1] == 1.0, "nothing has a weight"


def moving_at(speed, time=0.0):
    f = box_with([], time=time)
    f.bodies["vel"][-1] = (speed, 0.0, 0.0)
    return f


def test_velocity_arrows_suit_the_scene_and_show_that_something_slows_down():
    """A fall through a fortieth of the picture is an arrow of the length of a typical force; creeping is seen, too; a box that
    slides to rest has an arrow in proportion all the time."""
    fall = np.sqrt(2.0 * 9.81 * 3.0 / 40.0)
    assert TypicalSpeed().of(moving_at(1.0), 3.0) == pytest.approx(fall)

    def scales(speeds):
        typical = TypicalSpeed()
        return np.array([typical.of(moving_at(speed, time=k / 60.0), 3.0) for k, speed in enumerate(speeds)])
    assert np.ptp(scales(np.linspace(3.0, 0.1, 60))) == 0.0 and np.ptp(scales(np.zeros(60))) == 0.0
    assert scales(np.full(180, 1e-3))[-1] == pytest.approx(1e-3, rel=0.2)
    assert scales(np.full(180, 100.0))[-1] == pytest.approx(100.0, rel=0.2)
    seen = context(moving_at(2.0), camera=Camera(), velocities=True)
    longest = np.linalg.norm(overlays.draw(seen).array("arrows")[:, 4:7], axis=1).max()
    height = seen.camera.shown_height
    assert longest == pytest.approx(2.0 * ARROW_SHARE * height / np.sqrt(0.05 * 9.81 * height))


def test_the_typical_force_ignores_light_contacts():
    contacts = corners(20.0)
    for k in range(30):
        contacts += [{**corners(0.01)[0], "body_a": 3 + k}]
    assert typical_force(box_with(contacts)) == pytest.approx(20.0)


def row_of_balls(radius, count=12):
    """(frame, camera that sees 0.22 m as 20 pixels or more) of balls in a row, each with its weight and a friction force."""
    balls = [("sphere", (radius, 0, 0), (0.6 * k - 3.3, 0, radius), ONE, D) for k in range(count)]
    contacts = [{"body_a": 1, "body_b": 2 + k, "normal": (0, 0, 1), "tangent": (1, 0, 0), "pos": (0.6 * k - 3.3, 0, 0),
                 "impulse": DT * 9.81, "friction_impulse": (DT * 4.0, 0, 0)} for k in range(count)]
    f = frame([FLOOR, *balls], contacts)
    f.shapes["lo"][1:], f.shapes["hi"][1:] = -radius, radius
    return f, Camera(target=np.zeros(3), distance=9.0, azimuth=0.0)


@pytest.mark.parametrize(("radius", "force_scale"), [(0.11, 1.0), (0.25, 0.3)])
def test_numbers_do_not_cover_their_bodies_or_each_other(radius, force_scale):
    """Twelve balls in a row, each with its weight and a friction force; arrows end outside the small ones, inside the others."""
    f, camera = row_of_balls(radius)
    seen = context(f, camera=camera, normal_forces=True, friction_forces=True, force_scale=force_scale)
    labels = place(overlays.draw(seen).words, seen)
    boxes = np.array([(x - LETTER * (len(text) + 1) / 2, y - LINE / 2, x + LETTER * (len(text) + 1) / 2, y + LINE / 2)
                      for x, y, text, *_ in labels])
    bodies = seen.body_boxes[1]
    assert len(labels) >= 12 and len(bodies) == 12
    assert np.count_nonzero(overlaps(boxes, boxes)) == len(boxes), "each meets itself alone"
    hidden = overlaps(boxes, bodies).sum(axis=0) / np.prod(bodies[:, 2:] - bodies[:, :2], axis=1)
    assert hidden.mean() < 0.05, hidden
    assert boxes[:, :2].min() >= 0.0 and np.all(boxes[:, 2:] <= (W, H))


@pytest.mark.parametrize(("radius", "mark", "reach"), [(0.4, 11.0, 8.0), (0.16, 9.2, 5.6), (0.03, 4.5, 3.25)])
def test_marks_of_small_bodies_are_small_and_clicks_beside_them_meet_the_body(radius, mark, reach):
    f, camera = row_of_balls(radius)
    seen = context(f, camera=camera, contacts=True)
    sizes = overlays.draw(seen).array("marks")[:, 3]
    assert sizes[5] == pytest.approx(mark, rel=0.1), "at most 0.3 of the ball's box"
    x, y, _ = camera.project(np.array([-0.3, 0, 0]), W, H)[0]
    assert pick_contact(f, camera, x + 0.85 * reach, y, W, H, 8.0) == 5
    assert pick_contact(f, camera, x + 1.15 * reach, y, W, H, 8.0) == -1
