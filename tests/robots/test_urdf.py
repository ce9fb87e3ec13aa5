"""URDF: what a file says is what the world has, and moves as closed forms say."""

import math

import numpy as np
import pytest

import scenes
from app.robots import robot_file
from app.robots.urdf import from_angles
from app.world_files import load
from physics import BadInput, World, step
from physics.core.quaternions import to_matrix
from physics.core.records import Drive, Kind
from physics.joints._settings import friction_of, motor_of

G = 9.81


def link(name, mass=1.0, inertia=0.1, xyz="0 0 0", more=""):
    return (f'<link name="{name}"><inertial><origin xyz="{xyz}"/><mass value="{mass}"/><inertia ixx="{inertia}" iyy="{inertia}" '
            f'izz="{inertia}"/></inertial>{more}</link>\n')


def joint(name, kind, parent, child, more="", xyz="0 0 0"):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="{xyz}"/>{more}'
            f"</joint>\n")


def robot(*parts):
    return '<?xml version="1.0"?>\n<robot name="r">\n' + "".join(parts) + "</robot>\n"


@pytest.fixture
def made(tmp_path):
    def make(*parts, **chosen) -> World:
        path = tmp_path / "r.urdf"
        path.write_text(robot(*parts))
        return load(path, **chosen)
    return make


def test_a_pendulum_swings_with_the_period_of_the_closed_form(made):
    """T = 2 pi sqrt(I / (m g l)) (1 + a^2 / 16), I about the hinge by parallel axes."""
    m, own, length, amplitude = 2.0, 0.05, 0.4, 0.1
    world = made('<link name="base"/>\n', link("bob", m, own, f"0 0 -{length}"),
                 joint("hinge", "continuous", "base", "bob", '<axis xyz="0 1 0"/>', "0 0 1"))
    body = world.body("bob")
    turn = from_angles(np.array([0.0, amplitude, 0.0]))
    world.set_pose(body, (-length * math.sin(amplitude), 0.0, 1.0 - length * math.cos(amplitude)), turn)
    dt, crossings, before = 5e-4, [], -1.0
    while len(crossings) < 3 and world.time < 6.0:
        step(world, dt)
        now = float(world.bodies["pos"][body, 0])
        if before < 0.0 <= now or before >= 0.0 > now:
            crossings.append(world.time - dt * now / (now - before))
        before = now
    period = 2.0 * math.pi * math.sqrt((own + m * length**2) / (m * G * length)) * (1.0 + amplitude**2 / 16.0)
    assert crossings[2] - crossings[0] == pytest.approx(period, rel=1e-3)


def test_a_slider_with_friction_stops_where_its_energy_is_spent(made):
    """s = m v^2 / (2 F)."""
    m, force, speed = 3.0, 6.0, 1.2
    world = made('<link name="rail"/>\n', link("cart", m), joint("slide", "prismatic", "rail", "cart", '<axis xyz="1 0 0"/>'
                 f'<limit lower="-5" upper="5" effort="0" velocity="0"/><dynamics friction="{force}"/>'))
    world.set_velocity(world.body("cart"), (speed, 0.0, 0.0), (0.0, 0.0, 0.0))
    for _ in range(2000):
        step(world, 5e-4)
    assert world.bodies["pos"][world.body("cart"), 0] == pytest.approx(m * speed**2 / (2.0 * force), rel=2e-3)
    assert abs(world.bodies["vel"][world.body("cart"), 0]) < 1e-9


def test_viscous_friction_stops_a_slider_exponentially(made):
    """x = m v / c in the end."""
    world = made('<link name="rail"/>\n', link("cart", 2.0), joint("slide", "prismatic", "rail", "cart", '<axis xyz="0 1 0"/>'
                 '<limit lower="-5" upper="5" effort="0" velocity="0"/><dynamics damping="8"/>'))
    world.set_velocity(world.body("cart"), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0))
    for _ in range(6000):
        step(world, 5e-4)
    assert world.bodies["pos"][world.body("cart"), 1] == pytest.approx(2.0 / 8.0, rel=2e-3)


def test_masses_inertia_and_poses_are_those_of_the_file(made):
    """Frames chained by hand, with rotation matrices; the inertia is turned into the frame of the link."""
    angles, origin = (0.3, -0.5, 0.9), np.array([0.1, 0.2, 0.3])
    inertial = ('<inertial><origin xyz="0.01 0.02 0.03" rpy="0.4 0.1 -0.2"/><mass value="1.5"/><inertia ixx="0.02" ixy="0.001" '
                'ixz="-0.002" iyy="0.03" iyz="0.003" izz="0.04"/></inertial>')
    world = made('<link name="base"/>\n', f'<link name="arm">{inertial}<collision><origin xyz="0 0 0.5"/><geometry><box '
                 'size="0.1 0.2 1"/></geometry></collision></link>\n',
                 '<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0.1 0.2 0.3" rpy="0.3 '
                 '-0.5 0.9"/><axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="7" velocity="3"/><dynamics friction="0.4" '
                 'damping="0.2"/></joint>\n')

    def matrix(roll, pitch, yaw):
        (cr, cp, cy), (sr, sp, sy) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
        return (np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]) @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
                @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]]))

    turn, body = matrix(*angles), world.bodies[world.body("arm")]
    centre = np.array([0.01, 0.02, 0.03])
    assert body["pos"] == pytest.approx(origin + turn @ centre, abs=1e-12)
    assert to_matrix(body["quat"]) == pytest.approx(turn, abs=1e-12)
    assert body["mass"] == 1.5
    own = matrix(0.4, 0.1, -0.2)
    tensor = np.array([[0.02, 0.001, -0.002], [0.001, 0.03, 0.003], [-0.002, 0.003, 0.04]])
    assert body["inertia"] == pytest.approx(own @ tensor @ own.T, abs=1e-12)
    shape = world.shapes[world.shapes["body"] == world.body("arm")][0]
    assert shape["local_pos"] == pytest.approx(np.array([0.0, 0.0, 0.5]) - centre, abs=1e-12)
    assert shape["dims"].tolist() == [0.05, 0.1, 0.5]
    record = world.joints[world.joint("j")]
    assert (record["limit_lo"][0], record["limit_hi"][0]) == (-1.0, 2.0)
    law, motor = friction_of(record, 0), motor_of(record, 0)
    assert (law.static, law.viscous) == (0.4, 0.2) and (motor.mode, motor.force, motor.speed) == ("position", 7.0, 3.0)


def test_a_fixed_joint_needs_no_axis(made):
    """Programs that export from drawings write <axis xyz="0 0 0"/> there."""
    world = made(link("a"), link("b"), link("c"), joint("h", "continuous", "a", "b"),
                 joint("j", "fixed", "b", "c", '<axis xyz="0 0 0"/>', xyz="1 0 2"))
    assert world.bodies["pos"][world.body("c")] == pytest.approx([1.0, 0.0, 2.0])


def test_motors_hold_the_pose_and_can_be_left_out(made):
    parts = ('<link name="base"/>\n', link("arm", 1.0, 0.01, "0.5 0 0"),
             joint("j", "revolute", "base", "arm", '<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="20" velocity="1"/>'))
    held, loose = made(*parts), made(*parts, motors=False)
    assert loose.joints["motor_mode"][0][0] == Drive.OFF
    for world in (held, loose):
        for _ in range(240):
            step(world, 1.0 / 480.0)
    assert held.bodies["pos"][held.body("arm"), 2] == pytest.approx(0.0, abs=1e-6)
    assert loose.bodies["pos"][loose.body("arm"), 2] < -0.3


def test_a_free_robot_falls_by_nothing_onto_its_floor(made):
    """The floor lies under the lowest point: the weight is carried, and it does not move."""
    ball = '<collision><geometry><sphere radius="0.2"/></geometry></collision>'
    world = made(link("base", 2.0, 0.03, more=ball), free=True)
    assert world.bodies["kind"][world.body("base")] == Kind.DYNAMIC
    for _ in range(240):
        step(world, 1.0 / 480.0)
    assert world.bodies["pos"][world.body("base")] == pytest.approx(np.zeros(3), abs=1e-4)
    assert world.contacts["impulse"].sum() == pytest.approx(2.0 * G / 480.0, rel=1e-3)


def test_zero_outside_the_limits_starts_at_the_nearer_one(made):
    world = made('<link name="base"/>\n', link("a", xyz="1 0 0"), link("b", xyz="1 0 0"),
                 joint("j", "revolute", "base", "a", '<axis xyz="0 0 1"/><limit lower="0.5" upper="1" effort="9" velocity="1"/>'),
                 joint("k", "revolute", "a", "b", '<axis xyz="0 0 1"/><limit lower="-1" upper="-0.25" effort="9" velocity="1"/>',
                       "2 0 0"))
    a, b = (world.bodies["pos"][world.body(name)] for name in "ab")
    elbow = 2.0 * np.array([math.cos(0.5), math.sin(0.5), 0.0])
    assert a == pytest.approx(0.5 * elbow) and b == pytest.approx(
        elbow + np.array([math.cos(0.25), math.sin(0.25), 0.0]))
    step(world, 1e-3)
    assert world.joints["coordinate"][:2, 0] == pytest.approx([0.5, -0.25], abs=1e-6)


def test_links_without_mass_are_part_of_what_they_are_fixed_to(made):
    """Their shapes move along, a chain of them too, and the mass of a point is added by parallel axes."""
    ball = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    world = made('<link name="base"/>\n', link("arm", 1.0, 0.1), f'<link name="tool">{ball}</link>\n',
                 '<link name="tip"><inertial><mass value="0.5"/><inertia ixx="0" iyy="0" izz="0"/></inertial></link>\n',
                 joint("j", "continuous", "base", "arm", '<axis xyz="0 1 0"/>'), joint("t", "fixed", "arm", "tool", xyz="0 0 1"),
                 joint("p", "fixed", "tool", "tip", xyz="0 0 1"))
    assert world.body_names == ["world", "base", "arm"]
    arm = world.bodies[world.body("arm")]
    assert arm["mass"] == 1.5 and arm["pos"] == pytest.approx([0.0, 0.0, 2.0 / 3.0])
    assert arm["inertia"] == pytest.approx(np.diag([0.1 + 4.0 / 3.0, 0.1 + 4.0 / 3.0, 0.1]))
    assert world.shapes["local_pos"][0] == pytest.approx([0.0, 0.0, 1.0 / 3.0])


def test_meshes_become_hulls_of_their_vertices(made, tmp_path):
    """A cube as OBJ, as binary and as text STL: the same eight corners, scaled."""
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    (tmp_path / "c.obj").write_text("".join("v {} {} {}\n".format(*c) for c in corners) + "vn 0 0 1\nf 1 2 3\n")
    triples = corners[[(0, 1, 2), (3, 4, 5), (5, 6, 7)]]
    binary = b" " * 80 + np.uint32(3).tobytes() + b"".join(bytes(12) + t.astype("<f4").tobytes() + bytes(2) for t in triples)
    (tmp_path / "c.stl").write_bytes(binary)
    (tmp_path / "t.stl").write_text("solid t\n" + "".join("vertex {} {} {}\n".format(*c) for c in corners) + "endsolid\n")
    for name in ("c.obj", "c.stl", "package://r/t.stl"):
        shape = f'<collision><geometry><mesh filename="{name}" scale="2 1 1"/></geometry></collision>'
        world = made(link("base", more=shape))
        own = world.shapes[0]
        assert own["local_pos"] == pytest.approx([1.0, 0.5, 0.5]), name
        assert np.sort(world.pool.data(own["geometry"]).vertices, axis=0) == pytest.approx(np.sort(
            corners * (2, 1, 1) - (1, 0.5, 0.5), axis=0))


WRONG = {
    "not XML": ("<robot>\n<link", "line 2: this is not XML"),
    "entity bomb": ('<!DOCTYPE r [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>\n<robot name="&b;"/>', "XML entities"),
    "file as entity": ('<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">]>\n<robot name="&a;"/>', "XML entities"),
    "no robot": ("<html/>", "is not the <robot>"),
    "no links": (robot(), "has no links"),
    "missing link": (robot(link("a"), joint("j", "fixed", "a", "b")), "line 4: joint 'j' names the link 'b', which is not"),
    "taken name": (robot(link("a"), link("a")), "line 4: the name 'a' is taken by line 3"),
    "taken joint": (robot(link("a"), link("b"), link("c"), joint("j", "fixed", "a", "b"), joint("j", "fixed", "b", "c")),
                    "line 7: the name 'j'"),
    "two parents": (robot(link("a"), link("b"), joint("j", "fixed", "a", "b"), joint("k", "fixed", "a", "b")), "two parents"),
    "loop": (robot(link("a"), link("b"), joint("j", "fixed", "a", "b"), joint("k", "fixed", "b", "a")), "form a loop"),
    "loop beside a tree": (robot(link("r"), link("a"), link("b"), joint("j", "fixed", "a", "b"), joint("k", "fixed", "b", "a")),
                           "form a loop"),
    "two roots": (robot(link("a"), link("b")), "one root"),
    "no mass": (robot(link("a"), link("b", 0.0), joint("j", "continuous", "a", "b")), "line 4: 'b' has no mass"),
    "negative mass": (robot(link("a", -1.0)), "line 3: the mass of 'a' is -1 kg"),
    "not finite": (robot(link("a", "nan")), "must be 1 finite number"),
    "infinite": (robot(link("a", xyz="0 inf 0")), "must be 3 finite numbers"),
    "words": (robot(link("a", xyz="0 one 0")), "must be 3 finite numbers"),
    "mimic": (robot(link("a"), link("b"), joint("j", "continuous", "a", "b", '<mimic joint="x"/>')), "mimics 'x'"),
    "axis": (robot(link("a"), link("b"), joint("j", "continuous", "a", "b", '<axis xyz="0 0 0"/>')), "zero length"),
    "limits": (robot(link("a"), link("b"), joint("j", "revolute", "a", "b", '<limit lower="1" upper="0"/>')), "wrong way round"),
    "size": (robot(link("a", more='<visual><geometry><box size="1 0 1"/></geometry></visual>')), "not above zero"),
    "xacro": (robot("<xacro:macro/>\n"), "xacro"),
    "deep": ("<robot>" + "<a>" * 300 + "</a>" * 300 + "</robot>", "nested more than"),
    "nothing": ("", "not XML"),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_files_are_refused_in_one_sentence(case, tmp_path):
    text, said = WRONG[case]
    path = tmp_path / "bad.urdf"
    path.write_text(text)
    before = dict(scenes.files)
    with pytest.raises(BadInput) as refused:
        robot_file.admit(str(path))
    assert said in str(refused.value) and "bad.urdf" in str(refused.value) and "\n" not in str(refused.value)
    assert scenes.files == before


def test_a_shape_too_far_away_is_refused_with_the_line_of_its_link(made):
    far = '<collision><origin xyz="99999999999 0 0"/><geometry><box size="1 1 1"/></geometry></collision>'
    with pytest.raises(BadInput, match=r"line 3: part 0 .* pos = \[99999999999.0, 0.0, 0.0\] must be"):
        made(link("a", more=far))


def test_large_files_are_refused_before_they_are_read(tmp_path, monkeypatch):
    from app.robots import xml_tree

    path = tmp_path / "big.urdf"
    path.write_text(robot(link("a")) + " " * 2000)
    monkeypatch.setattr(xml_tree, "MAX_BYTES", 1000)
    with pytest.raises(BadInput, match="exceeds"):
        robot_file.admit(str(path))
    monkeypatch.undo()
    monkeypatch.setattr(xml_tree, "MAX_ELEMENTS", 3)
    with pytest.raises(BadInput, match="too many"):
        robot_file.admit(str(path))


@pytest.mark.parametrize(("name", "said"), [
    ("../secret.stl", "is outside"), ("/etc/secret.stl", "is outside"), ("file:///etc/secret.stl", "is outside"),
    ("package://../secret.stl", "is outside"), ("http://x/secret.stl", "is not read"), ("link.stl", "is not there"),
    ("absent.stl", "is not there"), ("a.ply", "convert it")])
def test_meshes_outside_of_the_folder_are_not_read(name, said, tmp_path):
    """Each is named as skipped, with its line; a link out of the folder leads nowhere."""
    folder = tmp_path / "robot"
    folder.mkdir()
    (tmp_path / "secret.stl").write_text("solid\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\n")
    (folder / "link.stl").symlink_to(tmp_path / "secret.stl")
    (folder / "a.ply").write_text("ply")
    path = folder / "r.urdf"
    path.write_text(robot(link("a", more=f'<collision><geometry><mesh filename="{name}"/></geometry></collision>')))
    found = robot_file.robot_of(path)
    (line, why), = found.skipped
    assert line == 3 and said in why and found.links["a"].geometries == []
    (folder / "beside.stl").write_text((tmp_path / "secret.stl").read_text())
    path.write_text(path.read_text().replace(name, "beside.stl"))
    assert len(robot_file.robot_of(path).links["a"].geometries) == 1


def test_check_tells_all_that_is_skipped(tmp_path, capsys):
    from app.cli import main

    path = tmp_path / "r.urdf"
    path.write_text(robot('<gazebo/>\n<transmission name="t"/>\n', link("a", more="<sensor/>")))
    assert main(["check", str(path)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "valid: a URDF robot" in said[0]
    assert [line.split(": ", 1)[0].rpartition(":")[2] for line in said[1:]] == ["3", "4", "5"]
    path.write_text(robot(link("a", -1)))
    assert main(["check", str(path)]) == 2


@pytest.mark.parametrize(("links", "said"), [(1, "1 moving body of 2 kg, 1 joint"), (3, "3 moving bodies of 6 kg, 3 joints")])
def test_what_it_holds_is_counted_in_good_english(tmp_path, links, said):
    axis = '<axis xyz="0 1 0"/>'
    parts = [joint(f"j{k}", "continuous", f"l{k - 1}" if k else "base", f"l{k}", axis) for k in range(links)]
    (tmp_path / "r.urdf").write_text(robot(link("base"), *(link(f"l{k}", 2.0) for k in range(links)), *parts))
    assert robot_file.checked(tmp_path / "r.urdf") == f"valid: a URDF robot, {said}"
