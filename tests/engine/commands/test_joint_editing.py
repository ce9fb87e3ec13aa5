"""Editing anchors and axes of joints: joints stay closed, bodies are not pulled, undo is exact."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import commands
from app.engine.commands.joints import JOINT_AXIS, has_axis
from app.engine.simulation import Simulation
from app.engine.undo import edit_list
from app.session import Selection
from physics import BadInput
from physics.core import quaternions
from physics.core.quaternions import product, rotate
from physics.core.records import ROW


def gallery():
    """Every kind of joint, in motion."""
    simulation = Simulation("joint_gallery")
    commands.set_option(simulation, "budget", 0.0)
    for _ in range(60):
        simulation.step()
    simulation.edits = edit_list.EditList()
    return simulation


GALLERY = gallery()
JOINTS = {}
for number, found in enumerate(GALLERY.world.joints):
    if found["kind"] >= 0:
        JOINTS.setdefault(GALLERY.world.joint_kinds[found["kind"]], number)


def told(world, j):
    """(constraint errors, coordinates) of a joint as the bodies stand, by its own equations."""
    known, joints = world.joint_kind(j), world.joints.copy()
    rows = np.zeros(known.rows, ROW)
    known.write(joints, np.array([j]), np.array([0]), world.bodies, rows, 1e-3)
    return rows["position_error"][: known.constraint].copy(), joints["coordinate"][j].copy()


def axis_of(world, j, side):
    joint = world.joints[j]
    return rotate(product(world.bodies["quat"][joint[f"body_{side}"]], joint[f"frame_{side}"]), JOINT_AXIS)


def point_of(world, j, side):
    joint = world.joints[j]
    body = world.bodies[joint[f"body_{side}"]]
    return body["pos"] + rotate(body["quat"], joint[f"anchor_{side}"])


def test_the_joint_gallery_has_every_kind():
    assert set(JOINTS) >= set(GALLERY.world.joint_kinds) - {"drag"}


@pytest.mark.parametrize("kind", sorted(JOINTS))
@pytest.mark.parametrize("side", ["a", "b"])
def test_a_moved_anchor_keeps_the_joint_closed(kind, side):
    j, world = JOINTS[kind], GALLERY.world
    before, record = told(world, j), world.joints[j].tobytes()
    other = "b" if side == "a" else "a"
    apart = point_of(world, j, other) - point_of(world, j, side)
    known, wanted = world.joint_kind(j), world.joints[f"anchor_{side}"][j] + (0.3, -0.2, 0.15)
    commands.set_joint_anchor(GALLERY, j, side, tuple(wanted))
    try:
        errors, coordinates = told(world, j)
        assert np.allclose(world.joints[f"anchor_{side}"][j], wanted, atol=1e-12)
        if known.anchors == 1:
            assert np.allclose(point_of(world, j, other) - point_of(world, j, side), apart, atol=1e-12)
            assert np.allclose(errors, before[0], atol=1e-9) and np.allclose(coordinates, before[1], atol=1e-9)
        else:
            assert np.allclose(errors, 0.0, atol=1e-9), "as it stands now is how it is meant"
        assert GALLERY.edits.done[-1].text.startswith(("anchor of", "axis of"))
    finally:
        commands.undo(GALLERY)
    assert {name: world.joints[j][name].tobytes() for name in ("anchor_a", "anchor_b", "frame_a", "frame_b", "rest_a", "param",
                                                               "limit_hi", "motor_target")} == {
        name: np.frombuffer(record, world.joints.dtype)[0][name].tobytes() for name in (
            "anchor_a", "anchor_b", "frame_a", "frame_b", "rest_a", "param", "limit_hi", "motor_target")}


@pytest.mark.parametrize("kind", [kind for kind in sorted(JOINTS) if has_axis(GALLERY.world.joint_kind(JOINTS[kind]))])
def test_a_turned_axis_keeps_the_joint_closed(kind):
    j, world = JOINTS[kind], GALLERY.world
    known, before = world.joint_kind(j), told(world, j)
    axis = np.array([0.2, 0.5, -0.9]) if kind != "rack" else np.cross(axis_of(world, j, "b"), (0.3, 0.5, -0.9))
    commands.set_joint_axis(GALLERY, j, tuple(axis))
    try:
        errors, coordinates = told(world, j)
        assert np.allclose(axis_of(world, j, "a"), axis / np.linalg.norm(axis), atol=1e-12)
        if known.anchors == 1:
            assert np.allclose(errors, before[0], atol=1e-9) and np.allclose(coordinates, before[1], atol=1e-9)
        else:
            assert np.allclose(errors, 0.0, atol=1e-9)
        assert GALLERY.edits.done[-1].text.startswith("axis of") and "->" in GALLERY.edits.done[-1].text
    finally:
        commands.undo(GALLERY)


def test_gears_restart_their_count_after_an_edit():
    j, world = JOINTS["gear"], GALLERY.world
    world.joints["coordinate"][j, :2] = 2.0 * math.pi * np.array([7.0, -4.0])
    assert np.abs(told(world, j)[0]).max() > 1.0, "they do not fit"
    commands.set_joint_anchor(GALLERY, j, "b", (0.1, 0.0, 0.05))
    errors, coordinates = told(world, j)
    commands.undo(GALLERY)
    assert np.allclose(errors, 0.0, atol=1e-9) and np.abs(coordinates).max() < 1e-9


def test_rod_and_rope_lengths_follow_their_anchors():
    world = GALLERY.world
    for kind, field in (("rod", "param"), ("rope", "limit_hi")):
        j = JOINTS[kind]
        length = float(world.joints[field][j, 0])
        away = point_of(world, j, "b") - point_of(world, j, "a")
        outward = rotate(world.bodies["quat"][world.joints["body_b"][j]] * (1.0, -1.0, -1.0, -1.0), away / np.linalg.norm(away))
        for way in (2.0, -0.2):
            commands.set_joint_anchor(GALLERY, j, "b", tuple(world.joints["anchor_b"][j] + way * outward))
            far = float(np.linalg.norm(point_of(world, j, "b") - point_of(world, j, "a")))
            assert world.joints[field][j, 0] == pytest.approx(far if kind == "rod" or way > 0.0 else length), (kind, way)
            commands.undo(GALLERY)


def test_invalid_anchors_and_axes_are_refused_and_change_nothing():
    world = GALLERY.world
    before, count = world.joints.tobytes(), len(GALLERY.edits.done)
    for do, words in ((lambda: commands.set_joint_axis(GALLERY, JOINTS["revolute"], (0.0, 0.0, 0.0)), "has zero length"),
                      (lambda: commands.set_joint_axis(GALLERY, JOINTS["fixed"], (1.0, 0.0, 0.0)), "no adjustable axis"),
                      (lambda: commands.set_joint_anchor(GALLERY, JOINTS["revolute"], "c", (1.0, 0.0, 0.0)), "unknown side 'c'"),
                      (lambda: commands.set_joint_anchor(GALLERY, JOINTS["revolute"], "a", (math.nan, 0.0, 0.0)), "anchor in a"),
                      (lambda: commands.set_joint_axis(GALLERY, JOINTS["rack"],
                                                       tuple(axis_of(world, JOINTS["rack"], "b"))), "perpendicular")):
        with pytest.raises(BadInput, match=words):
            do()
        assert world.joints.tobytes() == before and len(GALLERY.edits.done) == count


VECTORS = st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda v: np.linalg.norm(v) > 1e-3)


@settings(max_examples=60)
@given(VECTORS, VECTORS, st.booleans())
def test_shortest_arc(start, end, opposite):
    start = np.array(start) / np.linalg.norm(start)
    end = -start if opposite else np.array(end) / np.linalg.norm(end)
    turn = quaternions.shortest_arc(start, end)
    assert np.linalg.norm(turn) == pytest.approx(1.0) and np.allclose(rotate(turn, start), end, atol=1e-9)
    assert 2.0 * math.acos(min(1.0, abs(turn[0]))) == pytest.approx(math.acos(np.clip(start @ end, -1.0, 1.0)), abs=1e-6)


def test_the_inspector_moves_a_hinge_and_turns_it(person):
    person.load("door")
    session = person.session
    session.post(commands.step_back)
    hinge = session.frame.joint_names.index("hinge")
    session.selection = Selection(joint=hinge)
    session.window.show_panel("inspector")
    person.look(8)
    person.click("inspector/Points and axis")
    x, y = person.spot("inspector/anchor in a x")
    person.move(x, y)
    person.send("on_mouse_scroll", x, y, 0, -2)
    person.look(30)
    before = session.frame.joints[hinge].copy()
    person.type_into("inspector/anchor in b x", "-0.25")
    assert person.wait(lambda: session.frame.joints["anchor_b"][hinge][0] == -0.25)
    shift = session.frame.joints["anchor_a"][hinge] - before["anchor_a"]
    assert np.linalg.norm(shift) == pytest.approx(abs(-0.25 - before["anchor_b"][0]))
    person.click("inspector/axis along y")
    assert person.wait(lambda: "axis of hinge" in session.simulation.edits.done[-1].text)
    assert person.wait(lambda: np.allclose(axis_of(session.simulation.world, hinge, "a"), (0.0, 1.0, 0.0), atol=1e-9))
    session.post(commands.undo, 2)
    assert person.wait(lambda: np.array_equal(session.frame.joints["anchor_a"][hinge], before["anchor_a"])
                       and np.array_equal(session.frame.joints["frame_a"][hinge], before["frame_a"]))
