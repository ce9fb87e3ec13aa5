"""Pictures of synthetic frames drawn without a window, checked as numbers."""

import ctypes
import math
import struct
import subprocess
import sys
import time
import zlib
from dataclasses import replace

import numpy as np
import pytest

from app import cli
from app.analysis.forces import contact_lens as lens
from app.engine.frame import RealTimePace, capture
from app.render import overlays
from app.render.overlays.bounds import EDGES
from app.render.scene import primitives
from app.render.scene.contact_forces import ARROW_SHARE
from app.render.scene.labels import place
from app.render.scene.overlay_context import OverlayContext
from app.render.scene.theme import DARK, LIGHT, linear
from app.render.scene.transforms import BodyTransforms
from app.render.view_options import ViewOptions, toggles
from app.session import Selection
from physics import Hull, World
from physics.core.records import Case
from physics.observe.report import StepStart
from tests.helpers import ROOT
from tests.tools.handmade import FLOOR, ONE, D, H, S, W, at, camera, frame, shoot


def over(f, cam=None, placed=None, size=(W, H), **view):
    """What is drawn over a frame; without a camera nothing is too small."""
    seen = {"camera": cam, "width": size[0], "height": size[1]} if cam is not None else {}
    context = OverlayContext(f, placed or BodyTransforms(f), ViewOptions(**view), DARK, **seen)
    return overlays.draw(context), context


def hue(rgb):
    rgb = np.asarray(rgb, float)
    return (rgb - rgb.min()) / max(np.ptp(rgb), 1e-9)


def scene():
    return frame([FLOOR, ("box", (0.5, 0.5, 0.5), (-1.2, 0, 0.5), ONE, D), ("sphere", (0.5, 0, 0), (0.2, 0, 0.5), ONE, D),
                  ("capsule", (0.3, 0.4, 0), (1.4, 0, 0.7), ONE, D), ("box", (0.3, 0.3, 0.3), (0, 2.5, 0.3), ONE, S)])


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_bodies_are_where_they_are_projected_in_their_colours(stage, theme):
    f, cam = scene(), camera()
    pixels = shoot(stage, f, cam, theme=theme.name)
    for body in (2, 3, 4):
        seen = at(pixels, cam, f.bodies["pos"][body])
        assert hue(seen) == pytest.approx(hue(theme.bodies[body % len(theme.bodies)]), abs=0.3)
    assert np.ptp(at(pixels, cam, (0, 2.5, 0.5))) < 45                   # static bodies are grey
    assert pixels.reshape(-1, 3).mean() > 150 if theme is LIGHT else pixels.reshape(-1, 3).mean() < 90


def test_a_shadow_darkens_the_floor(stage):
    from app.render.opengl.uniforms import SUN
    f = frame([FLOOR, ("sphere", (0.4, 0, 0), (0, 0, 1.5), ONE, D)])
    cam = camera(elevation=40.0)
    below = np.array([0, 0, 1.5]) - SUN * 1.5 / SUN[2]
    lit = at(shoot(stage, f, cam, shadows=False, theme="light"), cam, below).mean()
    dark = at(shoot(stage, f, cam, shadows=True, theme="light"), cam, below).mean()
    assert dark < 0.85 * lit
    far = (2.3, -1.7, 0)
    assert at(shoot(stage, f, cam, theme="light"), cam, far).mean() > 1.1 * dark


def test_the_floor_is_darker_right_beside_a_body(stage):
    from app.render.opengl.uniforms import SUN
    f = frame([FLOOR, ("box", (0.5, 0.5, 0.5), (0, 0, 0.5), ONE, D)])
    cam = camera(elevation=50.0, azimuth=0.0)
    side = SUN[:2] / np.linalg.norm(SUN[:2])                             # the sunny side: no shadow there
    pixels = shoot(stage, f, cam, theme="light")
    plain = shoot(stage, f, cam, theme="light", shadows=False)
    near, away = (*(side * 0.66), 0.0), (*(side * 2.2), 0.0)
    assert at(pixels, cam, near).mean() < at(plain, cam, near).mean() - 4
    assert abs(at(pixels, cam, away).mean() - at(plain, cam, away).mean()) < 3


def test_planes_may_lie_anywhere_and_hide_what_is_behind(stage):
    tilt = (math.cos(0.3), 0, math.sin(0.3), 0)
    f = frame([("plane", (0, 0, 0), (0, 0, 0), tilt, S), ("sphere", (0.3, 0, 0), (0, 0, 1), ONE, D)])
    hidden = replace(f, bodies=f.bodies.copy())
    hidden.bodies["pos"][2] = (-3, 0, -0.5)
    cam = camera(azimuth=90.0)
    seen = at(shoot(stage, f, cam), cam, (0, 0, 1))
    assert hue(seen) == pytest.approx(hue(DARK.bodies[2]), abs=0.3)
    assert np.all(np.isfinite(shoot(stage, hidden, cam)))
    below = camera(elevation=-30.0)
    assert hue(at(shoot(stage, f, below), below, (0, 0, 1)))[0] >= 0      # from below nothing breaks


def contact(case=Case.STICK, b=2, **more):
    return {"shape_a": 0, "shape_b": 1, "body_a": 1, "body_b": b, "pos": (-1.2, -0.5, 0),
            "normal": (0, 0, 1), "tangent": (1, 0, 0), "impulse": 0.2, "friction_impulse": (0.05, 0, 0),
            "friction": 0.5, "slip": (1, 0, 0), "case": case, **more}


def crowded():
    plain = scene()
    joint = {"kind": 1, "body_a": 0, "body_b": 4, "anchor_a": (1.4, -0.3, 1.4), "frame_a": ONE}
    drag = {"kind": 0, "body_a": 0, "body_b": 3, "anchor_a": (0.8, -1, 1.8), "anchor_b": (0, -0.4, 0.3),
            "friction_impulse": (0.1, 0, 0, 0, 0, 0)}
    bodies = plain.bodies.copy()
    bodies["vel"][3] = (5, 0, 3)
    full = frame([FLOOR], [contact(), contact(Case.SLIP, pos=(-0.7, -0.5, 0)),
                           contact(Case.OPEN, impulse=0.0, pos=(0.2, -0.5, 0.3))],
                 [joint, drag])
    return replace(full, bodies=bodies, before_pos=bodies["pos"].copy(), before_quat=bodies["quat"].copy(),
                   shapes=plain.shapes, body_names=("world", "floor", "box", "ball", "capsule", "wall"))


@pytest.mark.parametrize("name", ["contacts", "normals", "normal_forces", "friction_forces", "cones", "slip", "joints",
                                  "velocities", "mass_centres", "wireframe"])
def test_every_overlay_changes_the_picture(stage, name):
    f = crowded()
    off = shoot(stage, f, more={"facets": 8})
    on = shoot(stage, f, more={"facets": 8}, **{name: True})
    assert np.count_nonzero(np.abs(on - off).max(axis=2) > 25) > 20


def test_selection_hover_and_drag_change_the_picture(stage):
    f = crowded()
    without = replace(f, joints=f.joints[:1])
    plain = shoot(stage, f)
    for other in (shoot(stage, f, more={"selection": Selection(body=2)}), shoot(stage, f, more={"hover": 2}),
                  shoot(stage, f, more={"selection": Selection(contact=0)}), shoot(stage, without)):
        assert np.count_nonzero(np.abs(other - plain).max(axis=2) > 4) > 50


def test_the_outline_is_around_the_body_in_its_own_colour(stage):
    f, cam = scene(), camera()
    pixels = shoot(stage, f, cam, more={"selection": Selection(body=3)})
    outline = np.array(DARK.outline) * 255
    near = np.abs(pixels - outline).max(axis=2) < 60
    rows, columns = np.nonzero(near)
    x, y, _ = cam.project(f.bodies["pos"][3], W, H)[0]
    away = np.hypot(columns - x, (H - 1 - rows) - y)
    radius = np.hypot(*(cam.project(f.bodies["pos"][3] + 0.5 * cam.axes()[0], W, H)[0, :2] - (x, y)))
    assert len(away) > 60
    assert np.median(away) == pytest.approx(radius + 1.5, abs=2.0)


@pytest.mark.parametrize("facets", [3, 4, 8])
def test_a_cone_has_as_many_edges_as_the_solver_says(stage, facets):
    height = 1.0
    turned = math.cos(0.2), math.sin(0.2), 0.0
    c = contact(impulse=height / 240.0, friction_impulse=(0, 0, 0), friction=1.0, pos=(0, 0, 0), tangent=turned)
    f = frame([("sphere", (1e-3, 0, 0), (0, 0, -5), ONE, D), ("sphere", (1e-3, 0, 0), (0, 0, -5), ONE, D)], [c], scene="one cone")
    cam = camera(target=np.zeros(3), elevation=90.0, azimuth=0.0, distance=6.0)
    pixels = shoot(stage, f, cam, cones=True, force_scale=height / (ARROW_SHARE * cam.shown_height), more={"facets": facets})
    plain = shoot(stage, f, cam)
    strength = np.abs(pixels - plain).sum(axis=2)
    # Walk half way out from the apex around it: the edges stand out from the faces, first one along the tangent.
    angle = np.arange(720) * math.pi / 360.0
    ring = np.stack([0.3 * np.cos(angle), 0.3 * np.sin(angle), np.full(720, 0.6)], axis=-1)
    seen = cam.project(ring, W, H)
    walk = strength[H - 1 - np.floor(seen[:, 1]).astype(int), np.floor(seen[:, 0]).astype(int)]
    high = walk > 0.5 * (walk.max() + np.median(walk))
    assert np.count_nonzero(high & ~np.roll(high, 1)) == facets
    centre = angle[high & (np.abs(angle - 0.2) < 0.3)]
    assert centre.mean() == pytest.approx(0.2, abs=0.08)


def test_cone_meshes():
    for facets in (3, 5, 16):
        vertices, sizes, triangles = primitives.cone(facets)
        assert len(triangles) == facets and vertices.shape[1] == sum(sizes)
        assert vertices[1, :2] == pytest.approx([1, 0])
    assert len(primitives.cone(0)[2]) == primitives.CONE_FACETS


def test_the_force_is_inside_its_cone_and_scaled():
    f = frame([FLOOR, ("box", (0.5, 0.5, 0.5), (0, 0, 0.5), ONE, D)], [contact()])
    made, seen = over(f, cones=True)
    cones, arrows = made.array("cones"), made.array("arrows")
    newtons = 0.2 * 240 * seen.force_length
    assert cones[0, 3] == pytest.approx(newtons) and cones[0, 7] == pytest.approx(0.5 * newtons)
    assert arrows[0, 4:7] == pytest.approx([0.25 * newtons, 0, newtons])
    assert cones[0, 4:7] == pytest.approx([0, 0, 1])


def test_forces_are_drawn_as_the_moving_body_feels_them():
    f = frame([("box", (0.5, 0.5, 0.5), (0, 0, 0.5), ONE, D), FLOOR], [contact(body_a=1, b=2, normal=(0, 0, -1))])
    made, _ = over(f, cones=True)
    cones, arrows = made.array("cones"), made.array("arrows")
    assert cones[0, 4:7] == pytest.approx([0, 0, 1])
    assert arrows[0, 4] < 0


def test_sizes_may_change_from_picture_to_picture(stage):
    from app.render.opengl.offscreen import Offscreen
    f, cam = scene(), camera()
    for size in ((W, H), (301, 207), (1, 1), (64, 500)):
        with Offscreen(*size, samples=2) as picture:
            pixels = shoot((picture, stage[1]), f, cam, size)
            assert pixels.shape == (size[1], size[0], 3)
            if min(size) > 100:
                assert hue(at(pixels, cam, f.bodies["pos"][3], size)) == pytest.approx(hue(DARK.bodies[3]), abs=0.3)
    stage[1].draw(f, cam, ViewOptions(), 0, 100, 0.0)                    # nothing to draw into: nothing happens


def test_meshes_of_shapes_that_are_gone_are_deleted(stage):
    """Each scene with other geometries, and each change of a terrain, left its meshes on the graphics card."""
    from pyglet import gl

    def drawn(width: float) -> tuple[np.ndarray, int]:
        world = World()
        world.add_body(Hull([(0.0, 0.0, 0.0), (width, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]))
        before = world.bodies["pos"].copy(), world.bodies["quat"].copy()
        f = capture(world, scene="", dt=0.01, paused=True, before=before, pace=RealTimePace())
        return shoot(stage, f), sum(bool(gl.glIsBuffer(ctypes.c_uint(name))) for name in range(1, 500))

    first, buffers = drawn(1.0)
    assert [drawn(1.0 + 0.1 * k)[1] for k in range(1, 6)] == [buffers] * 5
    shoot(stage, scene())
    again, count = drawn(1.0)
    assert count == buffers and np.array_equal(again, first), "a shape that is back has its mesh again"


def test_draw_calls_do_not_grow_with_the_number_of_bodies(stage, record_property):
    from app.render.opengl import gl
    calls = {}
    for count in (30, 5000):
        rng = np.random.default_rng(1)
        kinds = [("box", (0.05, 0.05, 0.05)), ("sphere", (0.05, 0, 0)), ("capsule", (0.04, 0.05, 0))]
        f = frame([FLOOR] + [(*kinds[i % 3], rng.uniform(0, 3, 3), ONE, D) for i in range(count)])
        f = replace(f, paused=False, before_pos=f.before_pos.copy(), wall=1e9)
        before = gl.draw_calls
        shoot(stage, f)
        calls[count] = gl.draw_calls - before
        best = min(_python_time(f) for _ in range(5))
        record_property(f"python_ms_{count}", 1e3 * best)
        print(f"{count} bodies: {calls[count]} draw calls, {1e3 * best:.2f} ms of Python for instances and overlays")
    assert calls[30] == calls[5000] <= 24           # three meshes: in the maps of sun and floor, the depths, the picture


def test_draw_calls_do_not_grow_with_contacts_and_overlays_hold_no_more_than_can_be_seen(stage):
    from app.render.opengl import gl
    from app.render.scene import contact_culling
    calls, everything = [], dict.fromkeys(toggles(), True)
    for count in (40, 4000):
        places = np.random.default_rng(2).uniform(-3, 3, (count, 3))
        f = frame([FLOOR] + [("box", (0.05, 0.05, 0.05), place, ONE, D) for place in places],
                  [contact(pos=place, b=2 + k) for k, place in enumerate(places)])
        f.bodies["mass"][2:], f.bodies["inertia"][2:] = 1.0, np.eye(3)
        before = gl.draw_calls
        shoot(stage, f, **everything)
        calls.append(gl.draw_calls - before)
        draw_list, _ = over(f, camera(), **everything)
    assert calls[0] == calls[1] <= 36
    boxes = 2 * len(EDGES) * contact_culling.MAX_BOXES
    assert len(draw_list.array("cones")) <= contact_culling.MAX_CONTACTS and boxes / 4 < len(draw_list.array("lines")) <= boxes
    assert len(draw_list.array("arrows")) <= 4 * contact_culling.MAX_CONTACTS             # cones, normals, both parts of forces


def _python_time(f):
    from app.render.opengl import uniforms
    from app.render.opengl.renderer import QUALITY
    from app.render.scene.instances import fill
    begin = time.perf_counter()
    placed = BodyTransforms(f, f.blend(0.0))
    cam = camera()
    held = uniforms.fit(placed, placed.radii(), cam)
    floor = uniforms.nearest_floor(placed, cam.shown_target)
    uniforms.pack(cam, DARK, W, H, held, floor, True, QUALITY["high"])
    fill(f, placed, DARK, -1, -1)
    draw_list, context = over(f, cam, placed)
    place(draw_list.words, context)
    return time.perf_counter() - begin


def test_poses_between_two_steps_are_drawn():
    f = scene()
    f = replace(f, paused=False, wall=100.0, before_pos=f.bodies["pos"] - (0, 0, 1.0))
    placed = BodyTransforms(f, f.blend(100.0 + 0.5 * f.dt))
    assert placed.pos[1, 2] == pytest.approx(0.0)


def test_no_gl_error_and_no_state_left_behind(stage):
    from pyglet import gl
    shoot(stage, crowded(), cones=True, more={"facets": 4, "selection": Selection(body=2)})
    assert gl.glGetError() == 0
    for name in (gl.GL_CURRENT_PROGRAM, gl.GL_VERTEX_ARRAY_BINDING, gl.GL_SAMPLER_BINDING):
        value = (gl.GLint * 1)(7)
        gl.glGetIntegerv(name, value)
        assert value[0] == 0
    assert not ctypes.c_ubyte(gl.glIsEnabled(gl.GL_DEPTH_TEST)).value


def test_making_a_renderer_leaves_the_framebuffer_bound(stage):
    from pyglet import gl

    from app.render.opengl.renderer import Renderer
    stage[0].begin()
    before = (gl.GLint * 1)()
    after = (gl.GLint * 1)()
    gl.glGetIntegerv(gl.GL_DRAW_FRAMEBUFFER_BINDING, before)
    other = Renderer()
    gl.glGetIntegerv(gl.GL_DRAW_FRAMEBUFFER_BINDING, after)
    other.delete()
    assert before[0] == after[0] != 0


def test_labels_name_bodies_and_what_the_mouse_pulls():
    f, cam = crowded(), camera()

    def words(**view):
        draw_list, context = over(f, cam, **view)
        return place(draw_list.words, context)

    found = {label.text: label for label in words(names=True)}
    assert {"box", "ball", "capsule"} < set(found) and "world" not in found and "wall" not in found
    x, y, _ = cam.project(f.bodies["pos"][3], W, H)[0]
    assert found["ball"].x == pytest.approx(x, abs=3) and found["ball"].y > y
    length = np.linalg.norm(np.array((0.8, -1.0, 1.8)) - (f.bodies["pos"][3] + (0.0, -0.4, 0.3)))      # the ball is not turned
    assert f"24 N, {length:.3g} m" in found
    assert [label.text for label in words()] == [f"24 N, {length:.3g} m"]


def test_marks_grow_with_the_density_of_the_screen(stage):
    f = crowded()
    plain, small, large = (shoot(stage, f, more={"density": density}, contacts=on)
                           for density, on in ((1.0, False), (1.0, True), (2.0, True)))
    areas = [np.count_nonzero(np.abs(p - plain).max(axis=2) > 25) for p in (small, large)]
    assert areas[1] > 2 * areas[0]


def test_cases_can_be_told_apart_without_colour_vision():
    """Distances after simulated red-green blindness (Vienot 1999), and of lightness."""
    protan = np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]])
    for theme in (DARK, LIGHT):
        colours = linear(np.array([theme.case(case) for case in range(3)])) @ protan.T
        for i in range(3):
            for j in range(i):
                assert np.linalg.norm(colours[i] - colours[j]) > 0.12


def test_facets_of_solver_options():
    class LensOptions:
        cone, facets = "polygon", 6
    assert lens.cone_facets(LensOptions) == 6
    LensOptions.cone = "circle"
    assert lens.cone_facets(LensOptions) == 0
    assert lens.cone_facets(object()) == 0


def test_png_is_what_was_drawn(tmp_path):
    from app.render.opengl.offscreen import write_png
    pixels = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    write_png(tmp_path / "a.png", pixels)
    data = (tmp_path / "a.png").read_bytes()
    assert struct.unpack(">II", data[16:24]) == (7, 5)
    start = data.index(b"IDAT") + 4
    raw = zlib.decompress(data[start : start + struct.unpack(">I", data[start - 8 : start - 4])[0]])
    assert np.array_equal(np.frombuffer(raw, np.uint8).reshape(5, 22)[:, 1:], pixels.reshape(5, 21))
    assert [p.name for p in tmp_path.iterdir()] == ["a.png"]


def test_the_command_draws_a_scene(tmp_path):
    words = ["pendulum", "--png", str(tmp_path / "p.png"), "--size", "320x200", "--theme", "light", "--cones"]
    done = subprocess.run([sys.executable, "-m", "app", "render", *words], cwd=ROOT, capture_output=True, text=True, timeout=280)
    if done.returncode == 3:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    assert struct.unpack(">II", (tmp_path / "p.png").read_bytes()[16:24]) == (320, 200)


@pytest.mark.parametrize("words", [("pendulum", "--size", "0x5"), ("pendulum", "--elevation", "91"), ("pendulum", "--at", "nan"),
                                   ("pendulum", "--target", "1,2"), ("nowhere",), ("pendulum", "--select", "nobody")])
def test_bad_arguments_are_answered_in_one_sentence(tmp_path, words, capsys):
    assert cli.main(["render", *words, "--png", str(tmp_path / "x.png")]) == 2
    out, err = capsys.readouterr()
    assert err.count("\n") == 1 and err.startswith("stiction: ") and not out and not (tmp_path / "x.png").exists()


# ---- where the processor draws


@pytest.fixture
def coarse(stage):
    """The same picture with a renderer of low quality."""
    from app.render.opengl.renderer import Renderer
    stage[0].begin()
    renderer = Renderer("low")
    yield stage[0], renderer
    renderer.delete()


def turning(stage, f, count, **more):
    """Pictures of a camera that turns: the last one."""
    for k in range(count):
        pixels = shoot(stage, f, camera(azimuth=20.0 + 0.5 * (k + 1 - count)), **more)
    return pixels


@pytest.mark.parametrize(("level", "differs"), [(0, 0.2), (1, 2.0), (2, 2.7), (3, 3.3), (4, 4.0), (5, 4.8)])
def test_low_quality_is_nearly_the_same_picture(stage, coarse, monkeypatch, level, differs):
    """At each level of detail, whatever the machine's speed would choose: the mean difference of 255 steps of colour; but for
    nearness, which low quality leaves out while things move."""
    from app.render.opengl import quality_policy
    monkeypatch.setattr(stage[1], "fine", replace(stage[1].fine, taps=(*stage[1].fine.taps[:3], 0)))
    monkeypatch.setattr(quality_policy, "PICTURE_TIME", 1e9)
    coarse[1].detail.level = level
    f = crowded()
    fine, rough = shoot(stage, f, contacts=True), turning(coarse, f, 6, contacts=True)
    assert coarse[1].detail.shown == quality_policy.RESOLUTIONS[level]
    assert np.abs(fine - rough).mean() < differs


def test_a_picture_at_rest_is_refined_and_then_reused(stage, coarse, monkeypatch):
    from app.render.opengl import gl, quality_policy
    monkeypatch.setattr(quality_policy, "MAX_FINEST_TIME", 1e9)
    monkeypatch.setattr(quality_policy, "PICTURE_TIME", 1e-6)
    f = scene()
    rough = turning(coarse, f, 12)
    for _ in range(quality_policy.FINEST_PICTURES + 1):
        rested = shoot(coarse, f)
    fine = shoot(stage, f)
    assert coarse[1].detail.shown == quality_policy.FINEST
    wrong = [np.count_nonzero(np.abs(other - fine).max(axis=2) > 40) for other in (rough, rested)]
    assert wrong[1] < 0.35 * wrong[0]
    before = gl.draw_calls
    assert np.array_equal(shoot(coarse, f), rested)
    assert gl.draw_calls - before == 1


def test_waiting_for_the_physics_is_not_rest(coarse):
    from app.render.opengl import quality_policy
    f = replace(scene(), paused=False, wall=-1.0)
    turning(coarse, f, 6)
    coarse[1].detail.level = len(quality_policy.RESOLUTIONS) - 1
    for _ in range(quality_policy.FULL_SCALE_PICTURES + 5):
        shoot(coarse, f, camera(azimuth=30.0))
    assert coarse[1].detail.shown < 1.0
    for k in range(quality_policy.FULL_SCALE_PICTURES + 1):
        shoot(coarse, replace(f, step=k), camera(azimuth=30.0))
    assert coarse[1].detail.shown >= 1.0


@pytest.mark.parametrize("change", ["move", "camera", "hover", "selection", "theme", "shadows", "size", "wireframe"])
def test_changes_are_redrawn(stage, coarse, change):
    f = scene()
    for _ in range(6):
        before = shoot(coarse, f)
    more, cam, view, size = {}, None, {}, (W, H)
    if change == "move":
        f = replace(f, bodies=f.bodies.copy())
        f.bodies["pos"][3, 2] += 0.05
    elif change == "camera":
        cam = camera(azimuth=23.0)
    elif change in ("theme", "shadows", "wireframe"):
        view = {"theme": "light"} if change == "theme" else {change: change == "wireframe"}
    elif change == "size":
        size = (W - 40, H - 20)
    else:
        more = {"hover": 3} if change == "hover" else {"selection": Selection(body=3)}
    after = shoot(coarse, f, cam, size, more, **view)
    assert np.count_nonzero(np.abs(after - before).max(axis=2) > 4) > 50
    for _ in range(4):
        after = shoot(coarse, f, cam, size, more, **view)
    assert np.abs(after - shoot(stage, f, cam, size, more, **view))[H - size[1]:, :size[0]].mean() < 4.0


def test_shadows_are_drawn_again_only_when_something_moves(stage):
    from app.render.opengl import gl
    counts = []
    f = scene()
    moved = replace(f, bodies=f.bodies.copy())
    moved.bodies["pos"][2, 2] += 0.1
    for g, azimuth in ((moved, 0.0), (f, 1.0), (f, 5.0), (moved, 5.0)):
        before = gl.draw_calls
        shoot(stage, g, camera(azimuth=azimuth))
        counts.append(gl.draw_calls - before)
    assert counts[1] == counts[3] > counts[2]


def test_marks_are_hidden_by_bodies_at_any_resolution(coarse):
    """Depths are spread with the colours: a mark behind a box is faint, one in front of it is not."""
    f, cam = scene(), camera(azimuth=0.0, elevation=0.0)
    changes = []
    for y in (0.6, -0.6):
        marked = replace(f, contacts=frame([FLOOR], [contact(pos=(-1.2, y, 0.5))]).contacts)
        plain = shoot(coarse, f, cam)
        change = np.abs(at(shoot(coarse, marked, cam, contacts=True), cam, (-1.2, y, 0.5)) - at(plain, cam, (-1.2, y, 0.5)))
        changes.append(change.sum())
    assert 0 < changes[0] < 0.5 * changes[1]


def test_own_samples_give_the_picture_of_a_window_with_samples(stage):
    from app.render.opengl.offscreen import Offscreen
    from app.render.opengl.renderer import Renderer
    with Offscreen(W, H, samples=0) as picture:
        picture.begin()
        renderer = Renderer("high", samples=4)
        own = shoot((picture, renderer), crowded(), contacts=True, more={"selection": Selection(body=2)})
        renderer.delete()
    theirs = shoot(stage, crowded(), contacts=True, more={"selection": Selection(body=2)})
    assert np.abs(own - theirs).max() <= 1


def test_render_scale_follows_the_drawing_time_without_oscillation():
    from app.render.opengl import quality_policy
    governor, seen = quality_policy.QualityPolicy(), []
    for _ in range(200):
        scale = governor.choose(same=False)
        if governor.timed():
            governor.record_time(0.05 * scale**2)
        seen.append(scale)
    assert 0.05 * seen[-1] ** 2 <= 1.25 * quality_policy.PICTURE_TIME and len(set(seen[20:])) == 1
    for _ in range(400):
        if governor.choose(same=False) and governor.timed():
            governor.record_time(0.001)
    assert governor.shown == 1.0


def test_slow_motion_is_drawn_finely():
    from app.render.opengl import quality_policy
    governor = quality_policy.QualityPolicy()
    governor.level = len(quality_policy.RESOLUTIONS) - 1
    for _ in range(20):
        governor.choose(same=False)
    assert governor.shown == quality_policy.RESOLUTIONS[-1]
    shown = []
    for k in range(60):
        governor.choose(same=k % 8 != 7)
        shown.append(governor.shown)
    assert min(shown[5:]) == 1.0


@pytest.mark.parametrize("step", [1, 2, 4])
def test_thinned_meshes_are_closed_and_round(step):
    from app.render.scene.shape_cache import meshes
    mesh = meshes()["sphere"]
    triangles = primitives.thinned(mesh.triangles, len(mesh.normals), step)
    points = np.round(mesh.normals, 9)
    volume = np.abs(np.einsum("ij,ij->i", points[triangles[:, 0]], np.cross(points[triangles[:, 1]],
                                                                           points[triangles[:, 2]]))).sum() / 6.0
    assert volume == pytest.approx(4.18879, rel=(0.02, 0.07, 0.25)[(1, 2, 4).index(step)])
    assert len(triangles) <= 1.2 * len(mesh.triangles) / step**2
    assert primitives.thinned(mesh.triangles[:5], len(mesh.normals), 2) is None


def test_an_arrow_is_never_longer_than_a_third_of_the_picture(stage):
    push = contact(pos=(0, 0, 0), impulse=1e4, friction_impulse=(0, 0, 0))
    f = frame([FLOOR, ("sphere", (1e-3, 0, 0), (0, 0, -5), ONE, D)], [push])
    cam = camera(target=np.array([0.0, 0.0, 1.0]), elevation=0.0, azimuth=0.0)
    change = np.abs(shoot(stage, f, cam, normal_forces=True) - shoot(stage, f, cam)).max(axis=2) > 25
    rows = np.flatnonzero(change.any(axis=1))
    assert np.ptp(rows) == pytest.approx(H / 3, abs=4)
    gaps = np.diff(np.flatnonzero(change[:, np.flatnonzero(change.any(axis=0))].any(axis=1)))
    assert np.count_nonzero(gaps > 1) == 2                               # the break before the head


def test_many_marks_are_drawn_smaller():
    f = frame([FLOOR, ("box", (0.5, 0.5, 0.5), (0, 0, 0.5), ONE, D)], [contact(pos=(0.001 * k, 0, 0)) for k in range(600)])
    cam = camera()
    made = [over(replace(f, contacts=f.contacts[:n]), cam)[0].array("marks") for n in (100, 600)]
    assert made[1][0, 3] < made[0][0, 3] == 11 and made[1][0, 11] < 1.0 == made[0][0, 11]
    away = camera(target=np.array([500.0, 0, 0]))                        # only what is in the picture counts
    few = replace(f, contacts=f.contacts[:100])
    assert over(f, away)[0].array("marks")[0, 3] == over(few, away)[0].array("marks")[0, 3]


def test_contacts_follow_their_interpolated_bodies():
    turn = (math.cos(0.1), 0, 0, math.sin(0.1))
    f = frame([FLOOR, ("box", (0.5, 0.5, 0.5), (0, 0, 0.5), turn, D)], [contact(pos=(0.5, 0, 0))])
    f = replace(f, paused=False, wall=100.0, before_pos=f.bodies["pos"] - (0, 1.0, 0))
    f.before_quat[:] = ONE
    motion = np.zeros((len(f.bodies), 13))
    motion[:, :3], motion[:, 3:7] = f.before_pos, f.before_quat
    f = replace(f, contacts=frame([FLOOR], [contact(pos=(0.5, -1.0, 0))]).contacts,
                step_start=StepStart(motion, np.zeros((len(motion), 3)), np.zeros((len(motion), 3)), f.dt))
    for blend, expected in ((0.0, (0.5, -1.0, 0)), (1.0, (0.5 * math.cos(0.2), 0.5 * math.sin(0.2), 0))):
        placed = BodyTransforms(f, f.blend(100.0 + blend * f.dt))
        made, _ = over(f, placed=placed)
        assert made.array("marks")[0, 0:3] == pytest.approx(expected, abs=1e-6)
