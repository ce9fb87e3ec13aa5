"""Free-body diagram: closed forms of a box on a slope, joined contacts, views, outlines, and the panel in the real window."""

import math
from dataclasses import replace

import numpy as np
import pytest

import scenes
from app.analysis.forces import force_balance, free_body
from app.engine.simulation import Simulation
from app.panels.free_body import FreeBodyState
from app.render.overlays import free_body as overlay
from app.session import Selection
from physics import Box, Capsule, Cylinder, Hull, Motor, Plane, Sphere, World, step
from physics.core.records import Kind
from scenes._parts import turned
from tests.helpers import MASS, G, frame_of, slope
from tests.tools.person import fresh_spots

DT = 1.0 / 240.0
SOLVERS = ("sequential_impulses", "soft_steps", "stewart_trinkle")


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_box_at_rest_on_a_slope(solver):
    """N = m g cos, F = m g sin up the slope, sum = 0 = m a."""
    angle = math.radians(20.0)
    frame, box = slope(solver, angle, steps=20 if solver == "stewart_trinkle" else 240)
    balance = force_balance.force_balance(frame, box)
    found = {a.source: a for a in free_body.arrows(balance, joined=True)}
    assert set(found) == {"gravity", "normal", "friction"} and found["normal"].parts >= 2
    near = {"rel": 2e-3} if solver == "soft_steps" else {"rel": 1e-6}
    assert found["gravity"].size == pytest.approx(MASS * G, rel=1e-12)
    assert found["normal"].size == pytest.approx(MASS * G * math.cos(angle), **near)
    assert found["friction"].size == pytest.approx(MASS * G * math.sin(angle), **near)
    along = np.array([math.cos(angle), 0.0, -math.sin(angle)])
    assert found["friction"].force @ along == pytest.approx(-found["friction"].size, rel=1e-9)
    verdict = free_body.verdict(balance)
    assert verdict.balanced and "zero" in verdict.text
    # the line of the joined normal force passes the centre at h tan(angle), so that weight and it have no couple
    normal = found["normal"]
    offset = (normal.point - balance.centre) @ along + np.cross(normal.couple, normal.force) @ along / normal.size**2
    assert offset == pytest.approx(0.1 * math.tan(angle), abs=2e-4)
    seen = free_body.side(frame, balance, "chosen")
    assert seen.name == "xz plane" and np.allclose(seen.right, (1, 0, 0)) and np.allclose(seen.up, (0, 0, 1))


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_sliding_box_is_driven_by_gravity_less_friction(solver):
    angle, mu = math.radians(35.0), 0.3
    frame, box = slope(solver, angle, mu, steps=20)
    balance = force_balance.force_balance(frame, box)
    verdict = free_body.verdict(balance)
    wanted = MASS * G * (math.sin(angle) - mu * math.cos(angle))
    assert not verdict.balanced and "m a" in verdict.text and verdict.share < 1e-6
    assert np.linalg.norm(balance.total) == pytest.approx(wanted, rel=5e-3)


def test_joined_contacts_keep_force_and_torque():
    frame, box = slope("sequential_impulses", math.radians(20.0))
    balance = force_balance.force_balance(frame, box)
    for joined in (False, True):
        found = free_body.arrows(balance, joined)
        np.testing.assert_allclose(sum(a.force for a in found), balance.total, atol=1e-9)
        torque = sum(a.couple + np.cross(a.point - balance.centre, a.force) for a in found)
        np.testing.assert_allclose(torque, balance.total_torque, atol=1e-9)
    assert len(free_body.arrows(balance, False)) == 9 and len(free_body.arrows(balance, True)) == 3
    assert sorted(k for a in free_body.arrows(balance, True) if a.source == "normal" for k in a.indices) == [0, 1, 2, 3]


def test_motor_torque_is_a_couple():
    world = World(gravity=(0.0, 0.0, 0.0))
    bar = world.add_body(Box((0.5, 0.05, 0.05)), pos=(0.5, 0.0, 1.0), mass=3.0, name="bar")
    world.add_joint("revolute", 0, bar, anchor=(0.0, 0.0, 1.0), axis=(0.0, 1.0, 0.0), name="hinge",
                    motor=Motor("velocity", target=50.0, force=2.0))
    step(world, DT)     # its kick lasts half a step
    step(world, DT)
    (arrow,) = free_body.arrows(force_balance.force_balance(frame_of(world), bar), True)
    assert arrow.source == "joint" and arrow.indices == (0,)
    np.testing.assert_allclose(arrow.couple, (0.0, 2.0, 0.0), atol=1e-6)


@pytest.mark.parametrize(("push", "name"), [((5.0, 0.0, 0.0), "xz plane"), ((0.0, 5.0, 0.0), "yz plane"),
                                            ((4.0, 4.0, 0.0), "side view")])
def test_the_view_plane_contains_gravity_and_most_forces(push, name):
    world = World()
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 2.0), mass=1.0)
    world.apply_force(ball, push)
    step(world, DT)
    frame = frame_of(world)
    balance = force_balance.force_balance(frame, ball)
    seen = free_body.side(frame, balance, "chosen")
    assert seen.name == name
    assert abs(seen.right @ np.array(push)) == pytest.approx(np.linalg.norm(push)) and np.allclose(seen.up, (0.0, 0.0, 1.0))
    assert np.allclose(np.cross(seen.right, seen.up), seen.towards)
    flat = free_body.side(frame, balance, "x y")
    np.testing.assert_allclose(flat.flat(np.array([1.0, 2.0, 3.0])), (1.0, 2.0))


@pytest.mark.parametrize(("name", "steps"), [("bumpy_road", 43), ("hourglass", 7), ("concave_ramp_events", 29)])
def test_what_a_step_in_parts_leaves_is_explained(name, steps):
    """A driver that pushes with another force in each part, grains whose normals turn, a ball that meets the next facet: what no
    force is named for is told, and what contacts leave out that turned is a force."""
    scene = scenes.find(name)
    world, left, turned = scenes.make_world(scene), [], 0
    for _ in range(steps):
        step(world, scene.dt)
    frame = frame_of(world, scene.dt)
    assert frame.report.substeps > 1
    for body in np.flatnonzero(world.bodies["kind"] == Kind.DYNAMIC).tolist():
        balance = force_balance.force_balance(frame, body)
        found = free_body.verdict(balance)
        assert "not explained" not in found.text
        left += [found.text] if "in which this step was made" in found.text else []
        turned += any(force.source == force_balance.TURNED for force in balance.forces)
    assert left or turned


def test_a_force_that_is_missing_is_not_explained():
    frame, box = slope("sequential_impulses", math.radians(35.0), steps=20)
    balance = force_balance.force_balance(frame, box)
    for parts, rest in ((1, 0.1), (2, 10.0)):
        missing = replace(balance, parts=parts, rest=np.array([rest, 0.0, 0.0]))
        assert "is not explained by these forces" in free_body.verdict(missing).text


def test_outlines_match_the_shapes():
    world = World(gravity=(0.0, 0.0, 0.0))
    corners = np.random.default_rng(2).normal(size=(12, 3))
    quat = turned((0.0, 1.0, 0.0), 0.4)
    shapes = [Box((0.3, 0.2, 0.1)), Sphere(0.25), Capsule(0.1, 0.3), Cylinder(0.2, 0.1), Hull(corners)]
    bodies = [world.add_body(shape, pos=(3.0 * k, 0.0, 0.0), quat=quat) for k, shape in enumerate(shapes)]
    step(world, DT)
    frame = frame_of(world)
    seen = free_body.side(frame, force_balance.force_balance(frame, bodies[0]), "x z")
    for shape, body in zip(shapes, bodies):
        (polygon,) = free_body.outlines(frame, body, seen)
        own = frame.shapes[frame.shapes["body"] == body][0]
        lo, hi = own["lo"] + own["reach"] - frame.step_start.pos[body], own["hi"] - own["reach"] - frame.step_start.pos[body]
        np.testing.assert_allclose(polygon.min(axis=0), lo[[0, 2]], atol=0.01)
        np.testing.assert_allclose(polygon.max(axis=0), hi[[0, 2]], atol=0.01)
        edges = np.roll(polygon, -1, axis=0) - polygon
        turns = edges[:, 0] * np.roll(edges[:, 1], -1) - edges[:, 1] * np.roll(edges[:, 0], -1)
        assert np.all(turns > 0.0), f"{shape.kind} is convex and goes round against the clock"


def test_free_fall_and_a_static_body():
    world = World()
    floor = world.add_body(Plane(), kind="static", name="floor")
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 5.0), mass=1.0)
    step(world, DT)
    step(world, DT)
    frame = frame_of(world)
    assert "m a = 9.81 N" in free_body.verdict(force_balance.force_balance(frame, ball)).text
    assert "does not respond to forces" in free_body.verdict(force_balance.force_balance(frame, floor)).text
    assert free_body.arrows(force_balance.force_balance(frame, floor), True) == ()


# ---- the real window


def test_the_panel_draws_lists_and_highlights_forces(person):
    person.load("incline")
    session = person.session
    session.post(Simulation.single_step, 30)
    assert person.wait(lambda: session.frame.step >= 30)
    body = next(i for i, n in enumerate(session.frame.body_names) if n == "box 5")
    session.window.open_panel("free_body")
    person.look(6)
    assert "free_body/verdict" not in fresh_spots(person), "nothing is selected"
    session.selection = Selection(body=body)
    person.look(4)
    drawn = fresh_spots(person)
    assert {"free_body/diagram", "free_body/plane"} <= set(drawn)
    listed = [name for name in drawn if "/force " in name]
    assert any("gravity" in name for name in listed) and any("normal" in name for name in listed)
    person.click(next(name for name in listed if "normal" in name))
    assert len(session.highlight.contacts) == 4
    person.click("free_body/join contacts")
    assert not session.state(FreeBodyState).joined and len(session.state(FreeBodyState).arrows) == 9
    person.click("free_body/in the scene")
    assert session.view.free_body
    person.click("free_body/plane")
    person.look(3)
    person.click(next(name for name in fresh_spots(person) if name.endswith("plane=camera")))
    assert session.state(FreeBodyState).plane == "camera" and "free_body" not in person.window.gui.panels.all["free_body"].error


def test_overlay_and_panel_show_the_same_forces(person):
    kept = overlay.CachedBalance()
    frame = person.session.frame
    balance = kept.balance_of(frame, 1)
    assert balance is None or kept.balance_of(frame, 1) is balance
