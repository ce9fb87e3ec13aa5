"""MJCF: what a file says is what the world has."""

import math

import numpy as np
import pytest

import scenes
from app.robots import robot_file
from physics import BadInput, World, step
from physics.core.quaternions import rotate
from physics.core.records import Kind
from physics.joints._settings import friction_of, motor_of


@pytest.fixture
def made(tmp_path):
    def make(inner: str, top: str = "", **files: str) -> World:
        for name, text in files.items():
            (tmp_path / f"{name}.xml").write_text(text)
        path = tmp_path / "r.xml"
        path.write_text(f'<mujoco model="m">{top}<worldbody>{inner}</worldbody></mujoco>')
        return scenes.without_clock(scenes.make_world(scenes.find(robot_file.admit(str(path)))))
    return make


def test_masses_and_inertia_come_from_the_geoms(made):
    """Two boxes of one body, by parallel axes; density and mass."""
    world = made('<body name="b" pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3" density="500"/>'
                 '<geom type="sphere" size=".1" pos="0 0 .5" mass="2"/></body>')
    body, box = world.bodies[world.body("b")], 500.0 * 8 * 0.1 * 0.2 * 0.3
    assert body["mass"] == pytest.approx(box + 2.0)
    c = 2.0 * 0.5 / (box + 2.0)
    assert body["pos"] == pytest.approx([0.0, 0.0, 1.0 + c])
    around = box / 3.0 * (0.2**2 + 0.3**2) + box * c**2 + 0.4 * 2.0 * 0.1**2 + 2.0 * (0.5 - c) ** 2
    assert body["inertia"][0, 0] == pytest.approx(around)
    assert body["inertia"][2, 2] == pytest.approx(box / 3.0 * (0.1**2 + 0.2**2) + 0.4 * 2.0 * 0.1**2)


def test_joints_with_classes_degrees_and_friction(made):
    world = made('<body name="b" childclass="c"><joint name="j" range="-90 45"/><geom size=".1"/></body>',
                 '<default><default class="c"><joint axis="0 2 0" frictionloss=".3" damping=".2" stiffness="4" springref="30"/>'
                 "</default></default>")
    record = world.joints[world.joint("j")]
    assert record["limit_lo"][0] == pytest.approx(-math.pi / 2) and record["limit_hi"][0] == pytest.approx(math.pi / 4)
    law, motor = friction_of(record, 0), motor_of(record, 0)
    assert (law.static, law.viscous) == (0.3, 0.2)
    assert (motor.mode, motor.stiffness) == ("spring", 4.0) and motor.target == pytest.approx(math.pi / 6)
    assert rotate(record["frame_a"], np.eye(3)[2]) == pytest.approx([0.0, 1.0, 0.0])


def test_the_class_of_an_element_is_inherited_and_overridden(made):
    world = made('<body><freejoint/><geom class="d" size=".2"/></body><body pos="1 0 0"><freejoint/><geom/></body>',
                 '<default><geom type="box" size=".3 .2 .1" friction=".7"/><default class="d"><geom type="sphere"/></default>'
                 "</default>")
    kinds = [world.shape_kinds[s["kind"]] for s in world.shapes]
    assert kinds == ["sphere", "box"] and world.shapes["friction"].tolist() == [0.7, 0.7]
    assert world.shapes["dims"][0][0] == 0.2 and world.shapes["dims"][1].tolist() == [0.3, 0.2, 0.1]


def test_capsules_between_two_points(made):
    world = made('<body name="b"><freejoint/><geom type="capsule" size=".1" fromto="1 0 0 1 0.6 0"/></body>')
    shape = world.shapes[0]
    assert world.bodies["pos"][world.body("b")] == pytest.approx([1.0, 0.3, 0.0])
    assert shape["dims"][:2] == pytest.approx([0.1, 0.3])
    assert np.abs(rotate(shape["local_quat"], np.eye(3)[2])) == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)


@pytest.mark.parametrize(("given", "ahead"), [
    ('euler="0 0 90"', (0, 1, 0)), ('axisangle="0 0 1 90"', (0, 1, 0)), ('quat="1 0 0 1"', (0, 1, 0)),
    ('xyaxes="0 1 0 -1 0 0"', (0, 1, 0)), ('zaxis="1 0 0"', (0, 0, -1))])
def test_orientations(made, given, ahead):
    world = made(f'<body name="b" {given}><freejoint/><geom size=".1"/></body>')
    assert rotate(world.bodies["quat"][world.body("b")], np.eye(3)[0]) == pytest.approx(np.array(ahead, float), abs=1e-12)


def test_euler_angles_turn_about_the_axes_of_the_body(made):
    """x then the new y: by rotation matrices."""
    world = made('<body name="b" euler="0.5 0.7 0"><freejoint/><geom size=".1"/></body>', '<compiler angle="radian"/>')
    (c, s), (d, t) = (math.cos(0.5), math.sin(0.5)), (math.cos(0.7), math.sin(0.7))
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ np.array([[d, 0, t], [0, 1, 0], [-t, 0, d]])
    for axis in np.eye(3):
        assert rotate(world.bodies["quat"][world.body("b")], axis) == pytest.approx(turn @ axis)


def test_a_servo_settles_where_its_spring_carries_the_weight(made):
    """position: kp (0 - q) = m g, so q = -m g / kp on a vertical slide."""
    world = made('<body name="b"><joint name="j" type="slide" axis="0 0 1"/><geom size=".1" mass="2"/></body>',
                 '<actuator><position joint="j" kp="400" kv="60"/></actuator><option timestep="0.001"/>')
    for _ in range(3000):
        step(world, 1e-3)
    assert world.bodies["pos"][world.body("b"), 2] == pytest.approx(-2.0 * 9.81 / 400.0, rel=1e-3)


def test_the_larger_friction_of_a_pair_counts(made):
    """Bodies of 0.2 on a floor of 0.6 decelerate with 0.6 g."""
    world = made('<geom type="plane" size="1 1 1" friction="0.6"/><body name="b" pos="0 0 .1"><freejoint/><geom type="box" '
                 'size=".1 .1 .1" friction="0.2"/></body>')
    world.set_velocity(world.body("b"), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for _ in range(400):
        step(world, 1e-3)
    assert world.bodies["pos"][world.body("b"), 0] == pytest.approx(1.0 / (2.0 * 0.6 * 9.81), rel=1e-2)


def touching(world: World) -> set[tuple[str, str]]:
    step(world, 1e-3)
    return {tuple(sorted((world.body_names[c["body_a"]], world.body_names[c["body_b"]]))) for c in world.contacts}


def test_contype_conaffinity_and_exclude_say_who_touches(made):
    """One direction suffices; exclude overrides; the flag switches all off."""
    bodies = "".join(f'<body name="{name}" pos="{x} 0 0"><freejoint/><geom size=".1" {given}/></body>' for name, x, given in (
        ("a", 0, ""), ("b", 0.19, 'contype="0"'), ("c", 0.38, 'contype="0"'), ("d", 0.57, 'contype="2" conaffinity="2"'),
        ("e", 0.76, 'contype="4" conaffinity="2"')))
    assert touching(made(bodies)) == {("a", "b"), ("d", "e")}
    assert touching(made(bodies, '<contact><exclude body1="a" body2="b"/></contact>')) == {("d", "e")}
    assert touching(made(bodies, '<option><flag contact="disable"/></option>')) == set()


def test_several_joints_of_a_body_are_one(made):
    """Two slides and a hinge across them: planar; two hinges at right angles: universal."""
    world = made('<body name="b"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>'
                 '<joint name="y" axis="0 1 0"/><geom size=".1"/><body name="c"><joint name="p" axis="1 0 0"/><joint '
                 'axis="0 1 0"/><geom size=".1"/></body></body>')
    assert [world.joint_kinds[joint["kind"]] for joint in world.joints] == ["planar", "universal"]
    for _ in range(100):
        step(world, 1e-3)
    b = world.bodies[world.body("b")]
    assert b["pos"][2] == pytest.approx(-0.5 * 9.81 * 0.1**2, rel=0.02) and abs(b["pos"][1]) < 1e-9


def test_bodies_without_joints_are_static_or_welded(made):
    world = made('<body name="s"><geom size=".1"/></body><body name="f"><freejoint/><geom size=".1"/><body name="w" pos="0 0 1">'
                 '<geom size=".1"/></body></body>')
    assert world.bodies["kind"][world.body("s")] == Kind.STATIC
    assert [world.joint_kinds[joint["kind"]] for joint in world.joints] == ["fixed"]


def test_included_files_are_read_from_the_same_folder(made):
    world = made('<include file="part.xml"/>', part='<mujocoinclude><body name="b"><freejoint/><geom size=".1"/></body>'
                                                    "</mujocoinclude>")
    assert "b" in world.body_names


def test_option_sets_gravity_and_step(made, tmp_path):
    world = made('<body><freejoint/><geom size=".1"/></body>', '<option gravity="0 0 -1.6" timestep="0.004"/>')
    assert world.gravity.tolist() == [0.0, 0.0, -1.6]
    assert scenes.files[str(tmp_path / "r.xml")].dt == 0.004


BODY = '<body name="b">{}<geom size=".1"/></body>'

WRONG = {
    "class": ('<body><geom size=".1" class="no"/></body>', "", "no default class 'no'"),
    "size": ('<body><freejoint/><geom type="box" size=".1"/></body>', "", "size of a box must be 3 numbers"),
    "joint": (BODY.format('<joint type="screw"/>'), "", "none of hinge"),
    "range": (BODY.format('<joint range="2 1"/>'), "", "wrong way round"),
    "axis": (BODY.format('<joint axis="0 0 0"/>'), "", "zero length"),
    "body": ("", "", "there are no bodies"),
    "taken": (BODY.format("") * 2, "", "is taken by line 1"),
    "mass": ('<body><freejoint/></body>', "", "has no mass"),
    "inertial": ('<body><freejoint/><inertial mass="0" diaginertia="1 1 1"/></body>', "", "must be above zero"),
    "exclude": (BODY.format(""), '<contact><exclude body1="b" body2="c"/></contact>', "there is no body 'c'"),
    "actuator": (BODY.format(""), '<actuator><motor joint="k"/></actuator>', "names the joint 'k'"),
    "include out": ('<include file="../x.xml"/>', "", "outside of the folder"),
    "include itself": ('<include file="r.xml"/>', "", "includes itself"),
    "timestep": (BODY.format(""), '<option timestep="3"/>', "must be 1e-6 .. 0.1"),
    "gravity": (BODY.format(""), '<option gravity="0 0 99999999999"/>', "must be within -10000 .. 10000"),
    "mesh": ('<body><geom type="mesh" mesh="m"/></body>', "", "no mesh 'm'"),
    "joints": (BODY.format('<joint type="slide"/><joint axis="1 0 0"/>'), "", "have no counterpart"),
    "friction": ('<body><freejoint/><geom size=".1" friction="-1"/></body>', "", "must be 0 .. 100"),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_files_are_refused_in_one_sentence(case, made):
    inner, top, said = WRONG[case]
    with pytest.raises(BadInput) as refused:
        made(inner, top)
    assert said in str(refused.value) and str(refused.value).startswith("r.xml, line 1:")


def test_what_has_no_counterpart_is_listed_with_its_line(tmp_path):
    path = tmp_path / "r.xml"
    path.write_text('<mujoco>\n<worldbody>\n<body name="b">\n<joint name="j" armature="1"/>\n<geom size=".1"/>\n</body>\n'
                    '</worldbody>\n<actuator>\n<motor joint="j"/>\n<muscle joint="j"/>\n</actuator>\n'
                    "<tendon>\n<fixed/>\n</tendon>\n<equality>\n<weld/>\n</equality>\n</mujoco>\n")
    assert sorted(line for line, _ in robot_file.robot_of(path).skipped) == [4, 9, 10, 13, 16]
