"""MJCF: what changes mass or motion is imported, or told; numbers are closed forms, which MuJoCo 4.0 confirmed once."""

import math
import sys

import numpy as np
import pytest

import scenes
from app.robots import robot_file
from physics import World, step
from physics.joints._settings import friction_of, motor_of

ARM = ('<body name="a" pos="0 0 1" {body}><joint name="j" axis="0 1 0" {joint}/><geom type="box" size=".3 .05 .02" pos=".3 0 0" '
       "{geom}/></body>")


def arm(body="", joint="", geom=""):
    return ARM.format(body=body, joint=joint, geom=geom)


@pytest.fixture
def read(tmp_path):
    def make(inner: str, top: str = "", **files: str) -> tuple[World, list[str]]:
        for name, text in files.items():
            (tmp_path / f"{name}.obj").write_text(text)
        path = tmp_path / "r.xml"
        path.write_text(f"<mujoco>{top}<worldbody>{inner}</worldbody></mujoco>")
        world = scenes.without_clock(scenes.make_world(scenes.find(robot_file.admit(str(path)))))
        return world, [str(why) for _, why in robot_file.robot_of(path).skipped]
    return make


def motor(found: tuple[World, list[str]]):
    """The motor of the only joint."""
    return motor_of(found[0].joints[0], 0)


# ---- actuators


def actuator(inner: str, top: str = "") -> str:
    return f"{top}<actuator>{inner}</actuator>"


@pytest.mark.parametrize(("joint", "given", "target"), [
    ('ref="30"', "", -math.pi / 6), ("", 'ctrlrange=".5 1"', 0.5), ("", 'ctrlrange=".5 1" gear="2"', 0.25),
    ("", 'ctrlrange=".5 1" ctrllimited="false"', 0.0), ('ref="30"', 'ctrlrange="-1 -.5"', -math.pi / 6 - 0.5)])
def test_a_servo_holds_its_nearest_control_and_counts_from_the_zero_of_the_file(read, joint, given, target):
    found = motor(read(arm(joint=joint), actuator(f'<position joint="j" kp="200" kv="20" {given}/>')))
    assert found.target == pytest.approx(target)


def test_the_damping_ratio_is_that_of_the_inertia_at_zero(read):
    """kv = 2 r sqrt(kp I), I = m / 3 (a^2 + c^2) + m a^2 of the box of half length a about its end, and the armature."""
    mass = 1000.0 * 8 * 0.3 * 0.05 * 0.02
    inertia = mass / 3.0 * (0.3**2 + 0.02**2) + mass * 0.3**2
    for more, carried in (("", inertia), ('armature="0.5"', inertia + 0.5)):
        for gear in (1.0, 3.0):
            found = motor(read(arm(joint=more), actuator(f'<position joint="j" kp="20" dampratio="0.7" gear="{gear}"/>')))
            assert found.damping == pytest.approx(2.0 * 0.7 * gear * math.sqrt(20.0 * carried))


def test_actuators_of_all_kinds_share_the_defaults_of_a_class(read):
    default = '<default><general forcerange="-2 2" gainprm="7" biasprm="3 -5 -2" biastype="affine"/></default>'
    found = motor(read(arm(), actuator('<position joint="j"/>', default)))
    assert (found.force, found.stiffness, found.damping, found.target) == (2.0, 7.0, 2.0, 0.0)
    found = motor(read(arm(), actuator('<general joint="j"/>', '<default><position kp="9" kv="3"/></default>')))
    assert (found.stiffness, found.damping) == (9.0, 3.0)
    found = motor(read(arm(), actuator('<position joint="j"/>', '<default><position kp="9"/><velocity kv="2"/></default>')))
    assert (found.stiffness, found.damping) == (1.0, 0.0)


def test_a_bound_of_one_direction_is_told_and_the_larger_one_counts(read):
    found = read(arm(), actuator('<position joint="j" kp="200" forcerange="-100 1"/>'))
    assert motor(found).force == 100.0 and found[1] == [
        "<position> forcerange = -100 1 for 'j': here the bound is 100 in both directions"]
    assert motor(read(arm(joint='actuatorfrcrange="-3 3"'), actuator('<position joint="j"/>'))).force == 3.0


def test_the_springs_of_a_joint_and_of_its_actuator_are_one(read):
    """k1 (t1 - q) + k2 (t2 - q) = (k1 + k2) (t - q)."""
    found = motor(read(arm(joint='stiffness="10" springref="60"'), actuator('<position joint="j" kp="30" kv="2"/>')))
    assert (found.stiffness, found.damping) == (40.0, 2.0) and found.target == pytest.approx(0.25 * math.pi / 3)


def test_what_pushes_without_a_control_is_told(read):
    told = read(arm(), actuator('<general joint="j" biastype="affine" biasprm="5 0 0" gainprm="0"/>'))[1]
    assert told == ["<general> 'general' pushes with 5 N or N m at a control of zero, which is not used"]
    told = read(arm(), actuator('<motor name="m" joint="j" ctrlrange="1 2" gear="3"/>'))[1]
    assert told == ["<motor> 'm' pushes with 3 N or N m at a control of zero, which is not used"]


# ---- flags


def test_flags_switch_limits_friction_springs_and_actuators_off(read):
    given, servo = 'range="-5 5" damping="2" frictionloss="3" stiffness="4"', '<actuator><position joint="j" kp="7"/></actuator>'
    for flag, off in (("limit", {"limit"}), ("damper", {"viscous"}), ("frictionloss", {"static"}), ("spring", {"spring"}),
                      ("actuation", {"servo"}), ("passive", {"viscous", "spring"}), ("constraint", {"limit", "static"})):
        world, _ = read(arm(joint=given), servo + f'<option><flag {flag}="disable"/></option>')
        joint = world.joints[0]
        law, drive = friction_of(joint, 0), motor_of(joint, 0)
        stiffness = 0.0 if drive is None else drive.stiffness
        found = {"limit": np.isinf(joint["limit_lo"][0]), "viscous": law.viscous == 0.0, "static": law.static == 0.0,
                 "spring": stiffness in (0.0, 7.0), "servo": stiffness in (0.0, 4.0)}
        assert {name for name, gone in found.items() if gone} == off, flag
    world, told = read(arm(), '<option actuatorgroupdisable="1"/>' + servo.replace("kp", 'group="1" kp'))
    assert motor_of(world.joints[0], 0) is None and told == ["<position> 'position' is disabled in the file"]


@pytest.mark.parametrize(("inner", "top", "said"), [
    (arm(body='gravcomp="1"'), "", "<body> gravcomp of 'a' is not used"),
    (arm(joint='damping="1 2 3"'), "", "<joint> damping of 'j': only its first number is used, not those of higher powers"),
    (arm(joint='stiffness="1 2"'), "", "<joint> stiffness of 'j': only its first number is used, not those of higher powers"),
    (arm(geom='shellinertia="true" priority="1"'), "", "<geom> priority, shellinertia of 'a' are not used"),
    (arm(joint='solreflimit=".1 1"', geom='solref=".1 1"'), "",
     "<geom> solref, solreflimit: contacts, limits and friction are rigid here, not soft"),
    (arm(joint='new="1"'), "", "<joint> new of 'j' is not used"),
    (arm(), '<option new="1"/>', "<option> new is not used"),
    ('<body name="a"><joint type="free" damping="5"/><geom size=".1"/></body>', "", "<joint> damping of 'a' is not used"),
    ('<body name="a"><joint name="j" type="ball" range="0 20"/><geom size=".1"/></body>', "",
     "<joint> range of 'j' limits swing and twist by themselves, not the whole turn"),
    (arm(), actuator('<position joint="j" timeconst="1"/>'), "<position> timeconst of 'position' is not used")])
def test_attributes_that_are_not_used_are_told_in_one_sentence(read, inner, top, said):
    assert read(inner, top)[1] == [said]


def test_attributes_that_change_nothing_are_not_told(read):
    assert read(arm(body='gravcomp="0"', joint='armature="0" user="1"', geom='rgba="1 0 0 1" margin="0" priority="0"'),
                '<option integrator="RK4" iterations="5"/>')[1] == []


# ---- several joints of a body


def body(*joints: str) -> str:
    return f'<body name="a">{"".join(f"<joint {one}/>" for one in joints)}<geom type="box" size=".3 .05 .02"/></body>'


def test_limits_springs_and_friction_of_several_joints_go_along(read):
    """Ends of ranges turn round where our axis points the other way."""
    world, told = read(body('type="slide" axis="1 0 0" damping="5" range="-1 2"',
                            'type="slide" axis="0 0 1" damping="5" stiffness="7"',
                            'axis="0 1 0" damping="3" range="-30 60"'))
    joint = world.joints[0]
    assert told == [] and world.joint_kinds[joint["kind"]] == "planar"
    assert joint["limit_lo"][:3] == pytest.approx([-1.0, -math.inf, -math.pi / 3])
    assert joint["limit_hi"][:3] == pytest.approx([2.0, math.inf, math.pi / 6])
    assert (friction_of(joint, 0).viscous, friction_of(joint, 1).viscous, motor_of(joint, 1).stiffness) == (5.0, 3.0, 7.0)
    world, told = read(body('type="slide" axis="0 0 1" damping="50"', 'axis="0 0 -1" damping="2" range="-30 60"'))
    joint = world.joints[0]
    assert told == [] and [friction_of(joint, k).viscous for k in (0, 1)] == [50.0, 2.0]
    assert joint["limit_lo"][1] == pytest.approx(-math.pi / 3) and joint["limit_hi"][1] == pytest.approx(math.pi / 6)


def test_three_slides_turn_nowhere_and_keep_their_springs(read):
    """A spring k without friction: half a period, pi sqrt(m / k), swings to -2 m g / k."""
    slides = 'type="slide" axis="1 0 0"', 'type="slide" axis="0 1 0"', 'type="slide" axis="0 0 1" stiffness="240"'
    world, told = read(body(*slides), '<option timestep=".001"/>')
    mass = world.body("a").mass
    half = round(math.pi * math.sqrt(mass / 240.0) * 1e3)
    for _ in range(half):
        step(world, 1e-3)
    assert told == [] and world.body("a").pos[2] == pytest.approx(-2.0 * mass * 9.81 / 240.0, rel=0.01)
    assert world.joint_kinds[world.joints[0]["kind"]] == "six_dof"
    assert world.bodies["omega"][1] == pytest.approx(np.zeros(3), abs=1e-9)


def test_two_hinges_at_right_angles_keep_their_limits(read):
    world, told = read(body('axis="1 0 0" range="-10 20"', 'axis="0 1 0" damping="2" range="-30 40"'))
    joint = world.joints[0]
    assert told == [] and world.joint_kinds[joint["kind"]] == "universal"
    assert np.degrees(joint["limit_lo"][:2]) == pytest.approx([-10.0, -30.0])
    assert np.degrees(joint["limit_hi"][:2]) == pytest.approx([20.0, 40.0])
    assert [friction_of(joint, k).viscous for k in (0, 1)] == [0.0, 2.0]


def test_what_is_lost_of_several_joints_is_told(read):
    told = read(body('axis="1 0 0" stiffness="5"', 'axis="0 1 0" pos="0 0 .5" damping="3"', 'axis="0 0 1" range="0 1"'))[1]
    assert told == ["<joint> hinge and hinge and hinge of 'a' are one ball joint, without limits and springs and the distances "
                    "of their axes", "<joint> damping or frictionloss of hinge and hinge and hinge differ: the largest acts in "
                    "all their directions"]


# ---- pairs


def touching(world: World) -> set[tuple[str, str]]:
    step(world, 1e-5)
    return {tuple(sorted((world.body_names[c["body_a"]], world.body_names[c["body_b"]]))) for c in world.contacts}


BALL = '<geom size=".3"/>'


@pytest.mark.parametrize(("inner", "top", "pairs"), [
    (f'<body name="s">{BALL}<body name="a" pos=".2 0 0"><joint axis="0 1 0"/>{BALL}</body></body>', "", {("a", "s")}),
    (f'<body name="a"><joint axis="0 1 0"/>{BALL}<body name="b" pos=".2 0 0">{BALL}<body name="c" pos=".2 0 0">'
     f'<joint axis="0 1 0"/>{BALL}</body></body></body>', "", set()),
    (f'<body name="a"><joint axis="0 1 0"/>{BALL}<body name="b" pos=".2 0 0">{BALL}</body><body name="c" pos="-.2 0 0">{BALL}'
     "</body></body>", "", set()),
    (f'<body name="a"><joint axis="0 1 0"/>{BALL}<body name="b" pos=".2 0 0"><joint axis="0 1 0"/>{BALL}</body></body>',
     '<option><flag filterparent="disable"/></option>', {("a", "b")}),
    (f'<body name="a"><joint axis="0 1 0"/>{BALL}<body name="b" pos=".1 0 0"><joint axis="0 1 0"/>{BALL}'
     f'<body name="c" pos=".1 0 0"><joint axis="0 1 0"/>{BALL}</body></body></body>', "", {("a", "c")})])
def test_welded_bodies_count_as_one_and_a_static_parent_is_the_world(read, inner, top, pairs):
    assert touching(read(inner, top)[0]) == pairs


def test_bodies_that_keep_from_the_same_others_share_a_class(read):
    """40 arms of three welded bodies each: three classes would not do for each of them."""
    tips = "".join(f'<body pos="{0.2 * k} 0 .1">{BALL}</body>' for k in (1, 2))
    one = '<body pos="0 {} 0"><freejoint/>' + BALL + tips + "</body>"
    world, _ = read("".join(one.format(5 * k) for k in range(25)))
    assert not world.warnings and touching(world) == set()


# ---- masses


def profile() -> tuple[np.ndarray, list[tuple[int, int, int]]]:
    """A bar of an L profile, 1 m by 1 m, 0.2 m thick, 0.3 m long: 0.108 m^3, its middle at (0.58 / 1.8, 0.58 / 1.8, 0.15)."""
    corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.2), (0.2, 0.2), (0.2, 1.0), (0.0, 1.0)]
    faces = [face for i in range(6) for face in ((i, (i + 1) % 6, 6 + (i + 1) % 6), (i, 6 + (i + 1) % 6, 6 + i))]
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces += [(a, c, b) for a, b, c in caps] + [(6 + a, 6 + b, 6 + c) for a, b, c in caps]
    return np.array([(x, y, z) for z in (0.0, 0.3) for x, y in corners]), faces


def obj(points, faces) -> str:
    return "".join(f"v {x} {y} {z}\n" for x, y, z in points) + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in faces)


MESH = '<body name="a"><joint axis="0 1 0"/><geom type="mesh" mesh="m" {}/></body>'


def test_a_mesh_weighs_what_its_closed_surface_holds(read):
    points, faces = profile()
    for how, told in (("exact", 0), ("legacy", 1)):
        world, said = read(MESH.format(""), f'<asset><mesh name="m" file="l.obj" inertia="{how}"/></asset>', l=obj(points, faces))
        assert world.body("a").mass == pytest.approx(108.0) and len(said) == told
        assert world.body("a").pos == pytest.approx([0.58 / 1.8, 0.58 / 1.8, 0.15])
    world, said = read(MESH.format('mass="5"'), '<asset><mesh name="m" file="l.obj" inertia="convex"/></asset>',
                       l=obj(points, faces))
    assert world.body("a").mass == 5.0 and said == []
    area = 2 * 0.36 + 4.0 * 0.3
    world, said = read(MESH.format(""), '<asset><mesh name="m" file="l.obj" inertia="shell"/></asset>', l=obj(points, faces))
    assert world.body("a").mass == pytest.approx(1000.0 * area)
    world, said = read(MESH.format(""), '<asset><mesh name="m" file="l.obj"/></asset>', l=obj(points, faces[:-1]))
    assert said == ["<geom> mesh 'm' is not a closed surface: its mass is that of its hull"]


def test_a_round_mesh_of_many_corners_keeps_its_volume(read, monkeypatch):
    """A cylinder of 600 sides: n / 2 r^2 sin(2 pi / n) h, where the hull of its outermost corners has a tenth less."""
    n, r, h = 600, 0.5, 1.0
    angles = 2.0 * np.pi * np.arange(n) / n
    points = [(r * math.cos(t), r * math.sin(t), z) for z in (0.0, h) for t in angles]
    faces = [face for i in range(n) for face in ((i, (i + 1) % n, n + (i + 1) % n), (i, n + (i + 1) % n, n + i))]
    faces += [(0, i + 1, i) for i in range(1, n - 1)] + [(n, n + i, n + i + 1) for i in range(1, n - 1)]
    world, told = read(MESH.format(""), '<asset><mesh name="m" file="c.obj"/></asset>', c=obj(points, faces))
    mass = 1000.0 * 0.5 * n * r * r * math.sin(2.0 * math.pi / n) * h
    assert world.body("a").mass == pytest.approx(mass, rel=1e-9) and told == []
    asset = '<asset><mesh name="m" file="c.obj" inertia="convex"/></asset>'
    world, told = read(MESH.format(""), asset, c=obj(points, faces))
    assert world.body("a").mass == pytest.approx(mass, rel=1e-9) and told == []
    monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    world, told = read(MESH.format(""), asset, c=obj(points, faces))
    assert world.body("a").mass == pytest.approx(mass, rel=0.1) and "install scipy" in told[0]


def test_reference_and_groups_of_masses(read):
    """A tetrahedron of corners 0, e_k / 10: moved by refpos, turned by the opposite of refquat, then scaled; a geom of another
    group weighs nothing."""
    text = ('<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale=".1 .1 .1" refpos="1 0 0" refquat="1 0 0 1"/></asset>')
    world, _ = read(MESH.format('pos="0 0 2"'), text)
    assert world.body("a").mass == pytest.approx(1.0 / 6.0)
    middle = 0.1 * (np.full(3, 0.25) - (1.0, 0.0, 0.0))          # turned by -90 degrees about z: (x, y) -> (y, -x)
    assert world.body("a").pos == pytest.approx([middle[1], -middle[0], middle[2] + 2.0])
    world, _ = read('<body name="a"><joint/><geom size=".1" mass="2" group="1"/><geom size=".1" mass="3" group="2"/></body>',
                    '<compiler inertiagrouprange="1 1"/>')
    assert world.body("a").mass == 2.0 and world.body("a").pos == pytest.approx([0.0, 0.0, 0.0])
