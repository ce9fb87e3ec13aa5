"""Overlays as arrays: against closed forms. No window, no physics."""

import math
from dataclasses import replace

import numpy as np
import pytest

from app.camera import Camera
from app.render import overlays
from app.render.overlays._past import PoseHistory
from app.render.scene.draw_list import ARROW, DISC, HALO, SQUARE, DrawList, TextLabel
from app.render.scene.labels import LETTER, LINE, place
from app.render.scene.overlay_context import Highlight
from app.render.scene.theme import DARK
from app.render.view_options import ViewOptions, toggles
from app.session import Selection
from physics import joints
from physics.core.records import Case
from scenes import Scene
from tests.tools.handmade import FLOOR, ONE, SIGHT, D, S, context, frame

W, H = SIGHT
KINDS = tuple(joints.kinds())


def incline(angle, mass=2.0, case=Case.STICK, dt=1.0 / 240.0):
    """A block at rest on an incline: N = m g cos, friction m g sin along it."""
    turn = (math.cos(angle / 2), 0, math.sin(angle / 2), 0)
    normal, along = (math.sin(angle), 0, math.cos(angle)), (-math.cos(angle), 0, math.sin(angle))
    weight = mass * 9.81 * dt
    contact = {"shape_a": 0, "shape_b": 1, "body_a": 1, "body_b": 2, "normal": normal, "tangent": along, "friction": 1.0,
               "impulse": weight * math.cos(angle), "friction_impulse": tuple(weight * math.sin(angle) * np.array(along)),
               "slip": (0.3, 0, 0), "case": case}
    return frame([("plane", (0, 0, 0), (0, 0, 0), turn, S), ("box", (0.5, 0.5, 0.5), tuple(0.5 * np.array(normal)), turn, D)],
                 [contact], dt=dt)


def test_forces_of_a_block_on_an_incline():
    angle = 0.4
    f = incline(angle)
    for name, newtons in (("normal_forces", 2.0 * 9.81 * math.cos(angle)), ("friction_forces", 2.0 * 9.81 * math.sin(angle))):
        seen = context(f, **{name: True})
        draw_list = overlays.draw(seen)
        assert len(draw_list.array("arrows")) == 1 and draw_list.shows_forces
        assert np.linalg.norm(draw_list.array("arrows")[0, 4:7]) == pytest.approx(seen.force_length * newtons, rel=1e-6)
        assert draw_list.words[0].values == pytest.approx([newtons]) and draw_list.words[0].unit == "N"
    labels = place(draw_list.words, context(f, camera=Camera()))
    assert [label.text for label in labels] == [f"{newtons:.3g} N"]
    assert not overlays.draw(context(f, normal_forces=True, numbers=False)).words


def test_indeterminate_forces_are_drawn_as_bands():
    """A box on four corners without friction: each bears between nothing and half of the weight, the present force between."""
    dt, present = 1.0 / 240.0, (3.0, 7.0, 7.0, 3.0)
    corners = [(x, y, 0.0) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    four = [{"shape_a": 0, "shape_b": 1, "body_a": 1, "body_b": 2, "feature": k, "normal": (0, 0, 1), "tangent": (1, 0, 0),
             "pos": corner, "impulse": dt * force} for k, (corner, force) in enumerate(zip(corners, present))]
    f = frame([FLOOR, ("box", (0.5, 0.5, 0.5), (0, 0, 0.5), ONE, D)], four)
    chosen = {"selection": Selection(contact=0)}
    seen = context(f, chosen, Camera(), force_bounds=True)
    draw_list = overlays.draw(seen)
    assert draw_list.array("lines")[0, [2, 6]] == pytest.approx([0.0, 10.0 * seen.force_length]), "a band along the normal"
    assert draw_list.words[0].values == pytest.approx([0.0, 10.0], abs=1e-6) and draw_list.words[0].unit == "N"
    assert len(overlays.draw(context(f, chosen, Camera())).array("lines")) == 0, "switched off"
    f = frame([FLOOR, ("box", (0.5, 0.5, 0.5), (0, 0, 0.5), ONE, D)], four[:3])
    assert len(overlays.draw(context(f, chosen, Camera(), force_bounds=True)).words) == 0, "three corners leave nothing open"


def test_the_null_space_is_drawn_at_all_corners():
    """A box on four corners: one newton more at one, one more at the opposite one, one less at the others."""
    dt, corners = 1.0 / 240.0, [(x, y, 0.0) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    four = [{"shape_a": 0, "shape_b": 1, "body_a": 1, "body_b": 2, "feature": k, "normal": (0, 0, 1), "tangent": (1, 0, 0),
             "pos": corner, "impulse": 5.0 * dt} for k, corner in enumerate(corners)]
    f, chosen = frame([FLOOR, ("box", (0.5, 0.5, 0.5), (0, 0, 0.5), ONE, D)], four), {"selection": Selection(contact=1)}
    draw_list = overlays.draw(context(f, chosen, Camera(), null_space=True))
    assert draw_list.words[0].values == pytest.approx([-1.0, 1.0, 1.0, -1.0]) and draw_list.words[0].unit == "N/N"
    assert np.sign(draw_list.array("arrows")[:4, 6]).tolist() == [-1.0, 1.0, 1.0, -1.0]
    assert not overlays.draw(context(f, {"selection": Selection()}, Camera(), null_space=True)).words, "nothing is selected"
    f = frame([FLOOR, ("box", (0.5, 0.5, 0.5), (0, 0, 0.5), ONE, D)], four[:3])
    assert not overlays.draw(context(f, chosen, Camera(), null_space=True)).words, "three corners leave nothing open"


def test_marks_and_slip_arrows_follow_the_solvers_case():
    sticking, slipping = (context(incline(0.3, case=case), contacts=True, slip=True, velocity_scale=2.0)
                          for case in (Case.STICK, Case.SLIP))
    stick, slip = overlays.draw(sticking), overlays.draw(slipping)
    assert stick.array("marks")[0, 7] == SQUARE and slip.array("marks")[0, 7] == ARROW
    assert len(stick.array("arrows")) == 0
    assert slip.array("arrows")[0, 4:7] == pytest.approx([0.3 * slipping.velocity_length, 0, 0])
    assert slip.words[0].values == pytest.approx([0.3]) and slip.words[0].unit == "m/s"


def test_contacts_without_friction_have_a_mark_of_their_own():
    """Solvers report that they slip, for their bound of zero is reached: a box at rest on ice had marks of slip."""
    f = incline(0.3, case=Case.SLIP)
    f.contacts["friction"] = 0.0
    seen = context(f, contacts=True)
    assert overlays.draw(seen).array("marks")[0, 7] == DISC
    assert seen.touching.colours == pytest.approx(np.array([seen.theme.open]))
    assert seen.pressing.colours == pytest.approx(np.array([seen.theme.open]))


def joint(kind, lo, hi, now, k=0, **more):
    """A joint between the world and body 1 whose axis k has limits."""
    ranges = {"limit_lo": np.full(6, -np.inf), "limit_hi": np.full(6, np.inf), "coordinate": np.zeros(6)}
    ranges["limit_lo"][k], ranges["limit_hi"][k], ranges["coordinate"][k] = lo, hi, now
    return {"kind": KINDS.index(kind), "body_a": 0, "body_b": 1, "frame_a": ONE, "frame_b": ONE, "used": 1 << k, **ranges, **more}


def jointed(*records, quat=ONE):
    return frame([("box", (0.5, 0.5, 0.5), (0, 0, 0), quat, D)], [], list(records), joint_kinds=KINDS)


def test_a_hinge_shows_its_limits_and_its_angle():
    draw_list = overlays.draw(context(jointed(joint("revolute", -0.5, 1.2, 0.7)), limits=True))
    sector, needle = draw_list.array("sectors")[0], draw_list.array("lines")[0]
    assert sector[12:14] == pytest.approx([-0.5, 1.2]) and sector[4:7] == pytest.approx([1, 0, 0])
    assert sector[8:11] == pytest.approx([0, 0, 1]) and sector[11] == pytest.approx(math.pi / 2)
    way = needle[4:7] - needle[0:3]
    assert math.atan2(way[1], way[0]) == pytest.approx(0.7, abs=1e-6)
    assert sector[16:19] == pytest.approx(DARK.limit)
    reached = overlays.draw(context(jointed(joint("revolute", -0.5, 1.2, 1.19)), limits=True)).array("sectors")[0]
    assert reached[16:19] == pytest.approx(DARK.slip)


def test_the_cone_of_a_ball_joint_has_the_angle_of_its_swing():
    swung = (math.cos(0.15), math.sin(0.15), 0, 0)
    draw_list = overlays.draw(context(jointed(joint("spherical", -np.inf, 0.6, 0.3, k=1), quat=swung), limits=True))
    assert draw_list.array("sectors")[0, 11] == pytest.approx(0.6)
    way = draw_list.array("lines")[0, 4:7] - draw_list.array("lines")[0, 0:3]
    assert math.acos(way[2] / np.linalg.norm(way)) == pytest.approx(0.3, abs=1e-6)


def test_the_second_axis_of_a_universal_joint_follows_the_first():
    """b turned by 0.4 about its x, which is the second pin: the first pin, z of a, is then at -0.4 in b's z, y or as written."""
    turn = (math.cos(0.2), math.sin(0.2), 0, 0)
    # q = atan2(n1 . y_b, n1 . z_b) of universal.py: n1 = z, y_b = (0, cos, sin), z_b = (0, -sin, cos)
    now = math.atan2(math.sin(0.4), math.cos(0.4))
    draw_list = overlays.draw(context(jointed(joint("universal", -1.0, 1.0, now, k=1), quat=turn), limits=True))
    way = draw_list.array("lines")[0, 4:7] - draw_list.array("lines")[0, 0:3]
    assert way / np.linalg.norm(way) == pytest.approx([0, 0, 1], abs=1e-6)


def test_a_slider_bar_spans_its_limits():
    draw_list = overlays.draw(context(jointed(joint("prismatic", -0.2, 0.8, 0.5, anchor_a=(1, 0, 0))), limits=True))
    bar, place_in_it = draw_list.array("lines")[-1], draw_list.array("marks")[-1]
    assert bar[0:3] == pytest.approx([1, 0, -0.2]) and bar[4:7] == pytest.approx([1, 0, 0.8])
    assert place_in_it[0:3] == pytest.approx([1, 0, 0.5])


def test_reactions_are_forces_and_torques_about_the_joints_point():
    dt = 1.0 / 240.0
    force, torque, arm = np.array([0, 0, 30.0]), np.array([0, 2.0, 0]), np.array([0.5, 0, 0])
    record = joint("fixed", -np.inf, np.inf, 0.0, anchor_a=arm, anchor_b=arm,
                   reaction=np.concatenate([force * dt, (torque + np.cross(arm, force)) * dt]))
    seen = context(jointed(record), reactions=True)
    draw_list = overlays.draw(seen)
    assert draw_list.array("arrows")[0, 4:7] == pytest.approx([0, 0, 30.0 * seen.force_length])
    assert draw_list.array("arrows")[1, 4:7] == pytest.approx([0, 2.0 * seen.torque_length, 0])
    assert [(w.values[0], w.unit) for w in draw_list.words] == [(pytest.approx(30.0), "N"), (pytest.approx(2.0), "N m")]


@pytest.mark.parametrize(("used", "case", "slip"), [(0.25, Case.STICK, 0.0), (1.0, Case.SLIP, 0.4)])
def test_a_joint_gauge_shows_friction_over_its_bound(used, case, slip):
    dt, bound = 1.0 / 240.0, 3.0
    record = joint("revolute", -np.inf, np.inf, 0.0, used=0, max_friction=(bound, 0), kinetic=(bound, 0), case=case,
                   friction_impulse=(used * bound * dt, 0, 0, 0, 0, 0), slip=(slip, 0, 0, 0, 0, 0))
    draw_list = overlays.draw(context(jointed(record), joint_friction=True))
    track, filled = draw_list.array("sectors")
    assert filled[13] - filled[12] == pytest.approx(used * (track[13] - track[12]))
    assert filled[16:19] == pytest.approx(DARK.slip if slip else DARK.stick)
    assert draw_list.array("marks")[0, 7] == (ARROW if slip else SQUARE)
    assert draw_list.words[0].values == pytest.approx([used * bound]) and draw_list.words[0].unit == "N m"


def test_velocities_spins_and_the_inertia_of_a_box():
    half = np.array([0.5, 0.3, 0.2])
    f = frame([("box", tuple(half), (0, 0, 1), ONE, D)])
    body = f.bodies[1]
    body["mass"], body["vel"], body["omega"] = 6.0, (0, 2.0, 0), (0, 0, 3.0)
    body["inertia"] = np.diag(6.0 / 3.0 * (np.sum(half**2) - half**2))
    seen = context(f, velocities=True, angular_velocities=True, inertia=True, velocity_scale=0.5, spin_scale=0.1)
    draw_list = overlays.draw(seen)
    spin, velocity = sorted(draw_list.array("arrows")[:, 4:7].tolist())
    assert velocity == pytest.approx([0.0, 2.0 * seen.velocity_length, 0.0])
    assert spin == pytest.approx([0.0, 0.0, 3.0 * seen.spin_length])
    assert seen.spin_length / seen.velocity_length == pytest.approx(0.1 / 0.5 * seen.typical_size), "a rim of that size"
    ends = draw_list.array("lines")[:, 0:3] - (0, 0, 1)
    assert len(ends) == 12 and np.abs(ends) == pytest.approx(np.tile(half, (12, 1)), abs=1e-6)


def test_bounds_exclude_the_speculative_margin():
    f = frame([FLOOR, ("box", (0.5, 0.3, 0.2), (0, 0, 1), ONE, D)])
    f.shapes["lo"][0], f.shapes["hi"][0] = -np.inf, np.inf
    f.shapes["lo"][1], f.shapes["hi"][1], f.shapes["reach"][1] = (-0.6, -0.4, 0.7), (0.6, 0.4, 1.3), 0.1
    f.shapes["pos"][1] = (0, 0, 1)
    lines = overlays.draw(context(f, bounds=True)).array("lines")
    assert len(lines) == 12
    assert lines[:, 0:3].min(axis=0) == pytest.approx([-0.5, -0.3, 0.8])


def moved(f, time, x):
    out = replace(f, time=time, bodies=f.bodies.copy())
    out.bodies["pos"][1] = (x, 0, 0)
    return out


def test_trails_are_bounded_and_cut_when_time_goes_back():
    f, states = frame([("sphere", (0.1, 0, 0), (0, 0, 0), ONE, D)]), {}

    def trail(time, x):
        return overlays.draw(context(moved(f, time, x), {"states": states}, trails=True, trail_seconds=2.0)).array("lines")

    for k in range(1000):
        lines = trail(0.01 * k, 0.03 * k)
    assert 150 < len(lines) <= 241
    assert lines[-1, 4] == pytest.approx(0.03 * 999) and lines[0, 0] >= 0.03 * 999 - 3.0 * 2.0 - 0.1
    assert np.all(np.diff(lines[:, 11]) > 0) and np.allclose(lines[1:, 0:3], lines[:-1, 4:7])
    back = trail(9.0, 27.0)
    assert back[:, [0, 4]].max() == pytest.approx(27.0)
    assert len(trail(0.0, 0.0)) == 0


def test_many_bodies_have_short_trails():
    past = PoseHistory()
    f = frame([])
    for k in range(50):
        past.add_frame(replace(f, time=0.1 * k), np.zeros((3, 3)), 0.1, 8)
    assert len(past.times) == 9 and past.stacked(5).shape == (9, 5, 3)
    assert np.isnan(past.stacked(5)[0, 4]).all()


def test_ghosts_are_at_past_poses():
    f, states = frame([FLOOR, ("sphere", (0.1, 0, 0), (0, 0, 0), ONE, D)]), {}
    for k in range(30):
        now = replace(f, time=0.1 * k, bodies=f.bodies.copy())
        now.bodies["pos"][2] = (0.1 * k, 0, 0)
        draw_list = overlays.draw(context(now, {"states": states}, ghosts=True, ghost_every=0.5, ghosts_kept=3))
    assert draw_list.ghost.placed.pos[:, 0] == pytest.approx([1.5, 2.0, 2.5], abs=1e-5)
    assert np.all(np.diff(draw_list.ghost.instances[:, 3]) > 0)


def test_selected_and_highlighted_items_are_marked():
    f = incline(0.3)
    draw_list = overlays.draw(context(f, {"selection": Selection(contact=0)}))
    assert draw_list.array("marks")[0, 7] == HALO and len(draw_list.array("cones")) == 1
    told = overlays.draw(context(f, {"highlight": Highlight(bodies=(2,), contacts=(0, 99))}))
    assert len(told.array("sectors")) == 4 and len(told.array("marks")) == 1
    f = jointed(joint("fixed", 0, 0, 0, used=0))
    assert len(overlays.draw(context(f, {"selection": Selection(joint=0)})).array("marks")) == 1


def test_labels_are_complete_at_the_border():
    """The force of the mouse's spring stands above the hand: with the hand at the upper border it was cut off."""
    camera = Camera()
    seen = context(incline(0.4), camera=camera)
    origin, direction = (np.array(part) for part in camera.ray(W - 1.0, H - 1.0, W, H))
    corner = TextLabel((origin + 5.0 * direction)[None], (1.0, 1.0, 1.0), np.array([1910.0]), np.ones(1, bool),
                       np.array([1910.0]), "N", lift=22.0)
    label = place([corner], seen)[0]
    assert label.text == "1910 N" and 0.0 < label.y <= H - 8.0 and label.x + 0.5 * 7.5 * len(label.text) <= W


@pytest.mark.parametrize("toward", [(0.0, 0.0, -1.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (-1.0, 0.0, 0.5)])
def test_a_number_does_not_hide_its_arrow(toward):
    """Numbers stand above their points: so they lay on the head of an arrow that points down."""
    camera = Camera(target=np.zeros(3), azimuth=0.0, elevation=0.0)
    seen = context(frame([FLOOR, ("sphere", (0.02, 0, 0), (0, 0, 0), ONE, D)], []), camera=camera)
    draw_list = DrawList(seen)
    draw_list.arrow(np.zeros((1, 3)), np.array([toward]), (1.0, 1.0, 1.0), 2.0, values=np.ones(1), unit="m/s",
                    bodies=np.ones(1, int))
    label = place(draw_list.words, seen)[0]
    (x, y, _), (tip_x, tip_y, _) = camera.project(np.array([(0.0, 0.0, 0.0), draw_list.words[0].points[0]]), W, H)
    share = np.linspace(0.0, 1.0, 200)
    wide, tall = 0.5 * LETTER * (len(label.text) + 1), 0.5 * LINE
    covered = (np.abs(x + share * (tip_x - x) - label.x) < wide) & (np.abs(y + share * (tip_y - y) - label.y) < tall)
    assert not covered.any()


def test_labels_do_not_overlap_and_selected_and_near_ones_come_first():
    count = 400
    rng = np.random.default_rng(2)
    contacts = [{"body_a": 1, "body_b": 2, "pos": (*rng.uniform(-2, 2, 2), 0), "normal": (0, 0, 1), "impulse": 0.001 * (k + 1)}
                for k in range(count)]
    f = frame([FLOOR, ("box", (0.5, 0.5, 0.5), (0, 0, 0.5), ONE, S)], contacts)
    camera = Camera(target=np.zeros(3), elevation=80.0)
    seen = context(f, {"selection": Selection(contact=3)}, camera, normal_forces=True, corners=True, force_scale=10.0)
    labels = place(overlays.draw(seen).words, seen)
    assert 10 < len(labels) <= 40
    assert labels[0].text == f"{0.004 * 240:.3g} N"
    newtons = [float(label.text.split()[0]) for label in labels[1:]]
    assert min(newtons) > 0.5 * 0.4 * 240 * 0.9
    boxes = np.array([(label.x, label.y) for label in labels])
    apart = np.abs(boxes[:, None] - boxes[None]) + np.eye(len(boxes))[..., None] * 1e3
    assert np.all((apart[..., 0] > 25) | (apart[..., 1] > 15))
    points = camera.project(overlays.draw(seen).words[0].points, W, H)[:, :2]
    apart = np.abs(points[:, None] - points[None]).max(axis=-1) + 1e3 * np.eye(count)
    alone = int(np.argmax(apart[:40].min(axis=1)))          # of the small ones, which are not drawn otherwise
    assert f"{0.001 * (alone + 1) * 240:.3g} N" not in [label.text for label in labels]
    seen.cursor = tuple(points[alone])
    assert f"{0.001 * (alone + 1) * 240:.3g} N" in [label.text for label in place(overlays.draw(seen).words, seen)]


def test_scenes_choose_overlays_by_name():
    view = ViewOptions(trails=True, bounds=True, normals=True)
    scene = Scene("t", "c", "l", "", "", lambda world, parameters: None, show=("forces", "limits"))
    view.suit(scene)
    assert view.normal_forces and view.friction_forces and view.limits and view.bounds
    assert not (view.contacts or view.normals or view.trails)


@pytest.mark.parametrize("name", list(toggles()))
def test_every_overlay_handles_an_empty_world(name):
    draw_list = overlays.draw(context(frame([]), camera=Camera(), **{name: True}))
    assert sum(len(draw_list.array(kind)) for kind in ("arrows", "lines", "cones", "sectors")) == 0
