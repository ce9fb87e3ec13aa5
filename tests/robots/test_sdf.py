"""SDF: what a file says is what the world has; the same robot as URDF is the same world."""

import numpy as np
import pytest

import scenes
from app.cli import main
from app.robots import robot_file
from app.world_files import load
from physics import BadInput, World, step
from physics.core.quaternions import to_matrix
from physics.joints._settings import friction_of, motor_of


def sdf(*parts, version="1.7"):
    return f'<?xml version="1.0"?>\n<sdf version="{version}">\n' + "".join(parts) + "</sdf>\n"


def model(*parts, name="m", more=""):
    return f'<model name="{name}">{more}\n' + "".join(parts) + "</model>\n"


def link(name, mass=1.0, pose="0 0 0 0 0 0", more="", relative=""):
    frame = f' relative_to="{relative}"' if relative else ""
    return (f'<link name="{name}"><pose{frame}>{pose}</pose><inertial><mass>{mass}</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy>'
            f"<izz>0.1</izz></inertia></inertial>{more}</link>\n")


def joint(name, kind, parent, child, axis="", pose=""):
    return (f'<joint name="{name}" type="{kind}">{pose and f"<pose>{pose}</pose>"}<parent>{parent}</parent><child>{child}</child>'
            f"{axis and f'<axis>{axis}</axis>'}</joint>\n")


def shape(inner, mu=None, tag="collision"):
    surface = "" if mu is None else f"<surface><friction><ode><mu>{mu}</mu></ode></friction></surface>"
    return f'<{tag} name="c"><geometry>{inner}</geometry>{surface}</{tag}>'


@pytest.fixture
def made(tmp_path):
    def make(text, **chosen) -> World:
        path = tmp_path / "r.sdf"
        path.write_text(text)
        return load(path, **chosen)
    return make


URDF = """<robot name="m"><link name="base"/><link name="arm"><inertial><origin xyz="0.1 0.2 0.3" rpy="0.4 0.1 -0.2"/>
<mass value="1.5"/><inertia ixx="0.02" ixy="0.001" ixz="-0.002" iyy="0.03" iyz="0.003" izz="0.04"/></inertial>
<collision><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.1" length="1"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="1 2 3" rpy="0.3 -0.5 0.9"/>
<axis xyz="0 0.6 0.8"/><limit lower="0.5" upper="2" effort="0" velocity="0"/><dynamics friction="0.4" damping="0.2"/></joint>
</robot>"""

SAME = sdf(model(
    '<link name="arm"><pose>1 2 3 0.3 -0.5 0.9</pose><inertial><pose>0.1 0.2 0.3 0.4 0.1 -0.2</pose><mass>1.5</mass><inertia>'
    "<ixx>0.02</ixx><ixy>0.001</ixy><ixz>-0.002</ixz><iyy>0.03</iyy><iyz>0.003</iyz><izz>0.04</izz></inertia></inertial>"
    '<collision name="c"><pose>0 0 0.5 0 0 0</pose><geometry><cylinder><radius>0.1</radius><length>1</length></cylinder>'
    "</geometry></collision></link>",
    joint("j", "revolute", "world", "arm", "<xyz>0 0.6 0.8</xyz><limit><lower>0.5</lower><upper>2</upper></limit>"
          "<dynamics><friction>0.4</friction><damping>0.2</damping></dynamics>")))


def test_the_same_robot_as_urdf_is_the_same_world(made, tmp_path):
    """Poses, mass, inertia, start in the limits, friction, damping; and the motion."""
    path = tmp_path / "m.urdf"
    path.write_text(URDF)
    one, other = load(path), made(SAME, floor=False)
    records = [world.joints[world.joint("j")] for world in (one, other)]
    assert friction_of(records[0], 0) == friction_of(records[1], 0)
    assert [(r["limit_lo"][0], r["limit_hi"][0]) for r in records] == [(0.5, 2.0)] * 2
    for _ in range(2):
        bodies = [world.bodies[world.body("arm")] for world in (one, other)]
        for field in ("mass", "inertia", "pos", "quat"):
            assert bodies[1][field] == pytest.approx(bodies[0][field], abs=1e-9), field
        for _ in range(200):
            step(one, 2e-3)
            step(other, 2e-3)
    assert np.linalg.norm(bodies[0]["vel"]) > 1e-3


def test_poses_are_relative_to_frames(made):
    """A link in the frame of a joint in the frame of a link in a frame of a model that is turned itself."""
    quarter = np.pi / 2.0
    world = made(sdf(model(
        f'<frame name="f"><pose>1 0 0 0 0 {quarter}</pose></frame>',
        link("a", pose="1 0 0 0 0 0", relative="f"), link("b", pose="0 0 1 0 0 0", relative="a"),
        '<link name="c"><pose relative_to="j" degrees="true">0 1 0 90 0 0</pose></link>',
        joint("j", "revolute", "a", "b", '<xyz expressed_in="f">1 0 0</xyz>', pose="1 0 0 0 0 0"),
        joint("k", "ball", "b", "c"), more=f"<pose>0 0 10 0 0 {quarter}</pose>")), floor=False)
    assert world.bodies["pos"][world.body("a")] == pytest.approx([-1.0, 1.0, 10.0])
    assert world.bodies["pos"][world.body("b")] == pytest.approx([-1.0, 1.0, 11.0])
    j = world.joints[world.joint("j")]
    a, b = world.bodies[world.body("a")], world.bodies[world.body("b")]
    assert to_matrix(b["quat"]) @ j["anchor_b"] + b["pos"] == pytest.approx([-2.0, 1.0, 11.0])
    assert (to_matrix(a["quat"]) @ to_matrix(j["frame_a"]))[:, 2] == pytest.approx([-1.0, 0.0, 0.0], abs=1e-12)
    c = world.bodies[world.body("c")]
    assert c["pos"] == pytest.approx([-2.0, 0.0, 11.0]) and c["mass"] == 1.0
    assert to_matrix(c["quat"])[:, 1] == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)


def test_axes_of_old_files_are_those_of_the_model(made):
    for version, way in (("1.4", (1.0, 0.0, 0.0)), ("1.7", (0.0, 1.0, 0.0))):
        world = made(sdf(model(link("a"), link("b", pose=f"0 0 0 0 0 {np.pi / 2}"),
                               joint("j", "prismatic", "a", "b", "<xyz>1 0 0</xyz>")), version=version))
        j, a = world.joints[world.joint("j")], world.bodies[world.body("a")]
        assert (to_matrix(a["quat"]) @ to_matrix(j["frame_a"]))[:, 2] == pytest.approx(way, abs=1e-12), version


def test_a_box_slides_as_far_as_the_smaller_friction_lets_it(made):
    """v^2 / (2 mu g) on a plane of another model, with the gravity of the file; links of one model pass one another."""
    box = shape("<box><size>0.2 0.2 0.2</size></box>", 0.3)
    world = made(sdf('<world name="w"><gravity>0 0 -5</gravity><physics><max_step_size>0.002</max_step_size></physics>',
                     model('<link name="l">' + shape("<plane><normal>0 0 1</normal></plane>", 0.9) + "</link>", name="ground",
                           more="<static>true</static>"),
                     model(link("a", pose="0 0 0.1 0 0 0", more=box), link("b", pose="0.1 0 0.1 0 0 0", more=box), name="m"),
                     "<light/><include><uri>model://x</uri></include></world>"))
    assert world.gravity == pytest.approx((0.0, 0.0, -5.0)) and "floor" not in world.body_names
    world.set_velocity(world.body("m::a"), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for _ in range(600):
        step(world, 0.002)
    assert world.bodies["pos"][world.body("m::a"), 0] == pytest.approx(1.0 / (2.0 * 0.3 * 5.0), rel=5e-3)
    assert world.bodies["pos"][world.body("m::b"), 0] == pytest.approx(0.1, abs=1e-6)


def test_self_collision_springs_and_automatic_inertia(made):
    ball = shape("<sphere><radius>0.5</radius></sphere>")
    world = made(sdf(model(link("a", more=ball), link("b", pose="0.8 0 0 0 0 0", more=ball),
                           more="<self_collide>true</self_collide>")), floor=False)
    step(world, 1e-3)
    assert len(world.contacts) == 1
    seen = '<link name="c"><inertial auto="true"><density>10</density></inertial>' + shape(
        "<box><size>1 2 3</size></box>") + "</link>"
    world = made(sdf(model(seen, joint("s", "prismatic", "world", "c", "<xyz>0 0 1</xyz><dynamics><spring_stiffness>300"
                                       "</spring_stiffness><spring_reference>0.2</spring_reference></dynamics>"))))
    body = world.bodies[world.body("c")]
    assert body["mass"] == 60.0 and body["inertia"] == pytest.approx(np.diag([65.0, 50.0, 25.0]))
    motor = motor_of(world.joints[world.joint("s")], 0)
    assert (motor.mode, motor.target, motor.stiffness) == ("spring", 0.2, 300.0)


def test_a_loop_is_closed(made):
    """A parallelogram of four bars stays one: what hangs on it stays upright while it swings."""
    pin = "<xyz>0 1 0</xyz>"
    world = made(sdf(model(
        link("left", pose="0 0 -0.5 0 0 0"), link("right", pose="1 0 -0.5 0 0 0"), link("bar", pose="0.5 0 -1 0 0 0"),
        joint("a", "revolute", "world", "left", pin, "0 0 0.5 0 0 0"),
        joint("c", "revolute", "left", "bar", pin, "-0.5 0 0 0 0 0"),
        joint("b", "revolute", "world", "right", pin, "0 0 0.5 0 0 0"),
        joint("d", "revolute", "right", "bar", pin, "0.5 0 0 0 0 0"))), floor=False)
    assert (world.joints["kind"] >= 0).sum() == 4
    world.set_velocity(world.body("bar"), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for _ in range(300):
        step(world, 1e-3)
    bar = world.bodies[world.body("bar")]
    assert bar["pos"][0] > 0.55 and bar["quat"] == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-3)


def parallelogram(size, limits, last="ball"):
    """Two bars that hang from the world and one that joins their ends, all as long. limits: of the left and the right one."""
    pin, a = "<xyz>0 1 0</xyz>", size
    left, right = (f"<limit><lower>{lo}</lower><upper>{hi}</upper></limit>" for lo, hi in limits)
    return sdf(model(
        link("left", pose=f"0 0 {-0.5 * a} 0 0 0"), link("right", pose=f"{a} 0 {-0.5 * a} 0 0 0"),
        link("bar", pose=f"{0.5 * a} 0 {-a} 0 0 0"),
        joint("a", "revolute", "world", "left", pin + left, f"0 0 {0.5 * a} 0 0 0"),
        joint("c", "revolute", "left", "bar", pin, f"{-0.5 * a} 0 0 0 0 0"),
        joint("b", "revolute", "world", "right", pin + right, f"0 0 {0.5 * a} 0 0 0"),
        joint("d", last, "right", "bar", pin if last == "revolute" else "", f"{0.5 * a} 0 0 0 0 0")))


@pytest.mark.parametrize("last", ["ball", "revolute"])
@pytest.mark.parametrize("size", [1.0, 0.1])
@pytest.mark.parametrize("angle", [-0.2, 0.7])
def test_a_loop_starts_closed_where_a_range_moves_one_of_its_joints(made, tmp_path, capsys, size, angle, last):
    """The left bar of a parallelogram starts near the end of its range: the right one is parallel to it, the bar stays level."""
    ends = (-1.0, angle) if angle < 0.0 else (angle, 1.0)
    world = made(parallelogram(size, (ends, (-2.0, 2.0)), last), floor=False)
    turns = [to_matrix(world.bodies["quat"][world.body(name)]) for name in ("left", "right", "bar")]
    left, right, bar = (np.arctan2(turn[0, 2], turn[0, 0]) for turn in turns)
    assert ends[0] - 1e-9 <= left <= ends[1] + 1e-9 and left == pytest.approx(angle, abs=0.1)
    assert (right, bar) == (pytest.approx(left, abs=1e-6), pytest.approx(0.0, abs=1e-6))
    down = size * np.array([-np.sin(left), 0.0, -np.cos(left)])
    for name, share, x in (("left", 0.5, 0.0), ("right", 0.5, size), ("bar", 1.0, 0.5 * size)):
        expected = share * down + np.array([x, 0.0, 0.0])
        assert world.bodies["pos"][world.body(name)] == pytest.approx(expected, abs=1e-6 * size)
    assert not any("apart" in told for told in world.warnings.pop_new())
    assert len(step(world, 1e-3).audit.findings) == 0
    assert main(["check", str(tmp_path / "r.sdf")]) == 0 and "skipped" not in capsys.readouterr().out


def test_a_loop_that_no_range_closes_is_told_with_joint_and_line(made, tmp_path, capsys):
    """Bars at least 0.2 rad to the one and to the other side: their ends are 2 sin(0.2) further apart than the bar is long."""
    world = made(parallelogram(1.0, ((0.2, 1.0), (-1.0, -0.2))), floor=False)
    assert main(["check", str(tmp_path / "r.sdf")]) == 0
    said = capsys.readouterr().out
    assert f":10: skipped: the loop that joint 'd' closes is open by {2e3 * np.sin(0.2):.3g} mm and 0 rad, and cannot be" in said
    assert any("joint 'd': its anchors are" in told for told in world.warnings.pop_new())


def test_models_inside_of_models_keep_their_frames_and_names(made):
    """Joints and poses name what is in them as inner::name; a model's or frame's own link is the first one."""
    inner = model(link("b", pose="1 0 0 0 0 0"), '<frame name="f"><pose>0 0 1 0 0 0</pose></frame>',
                  '<link name="c"><pose relative_to="b">1 0 0 0 0 0</pose></link>', joint("k", "fixed", "b", "c"), name="n",
                  more=f"<pose>0 0 2 0 0 {np.pi / 2.0}</pose>")
    world = made(sdf(model(link("a"), inner, joint("j", "revolute", "a", "n::f", "<xyz>0 0 1</xyz>"),
                           '<link name="d"><pose relative_to="n::f">0 0 0 0 0 0</pose></link>', joint("l", "fixed", "n", "d"))))
    places = {name: world.bodies["pos"][world.body(name)].tolist() for name in ("a", "n::b", "n::c", "d")}
    assert places == {"a": [0, 0, 0], "n::b": pytest.approx([0, 1, 2]), "n::c": pytest.approx([0, 2, 2]),
                      "d": pytest.approx([0, 0, 3])}
    pairs = [(world.body_names[one["body_a"]], world.body_names[one["body_b"]]) for one in world.joints[:3]]
    assert sorted(pairs) == [("a", "n::b"), ("n::b", "d"), ("n::b", "n::c")]


def test_what_programs_write_is_read(made):
    """A limit of the largest number is none; comments with --; sizes left out are 1 m; a cone is given at half its height."""
    world = made(sdf(model("<!-- a -- b\n-->", link("a", pose="0 0 1 0 0 0", more=shape("<cone><radius>1</radius></cone>", 0.2)),
                           joint("j", "revolute", "world", "a", "<xyz>0 0 1</xyz><limit><lower>-1.79769e+308</lower><upper>inf"
                                 "</upper></limit>"))))
    assert np.isinf(world.joints["limit_lo"][0][0]) and np.isinf(world.joints["limit_hi"][0][0])
    assert world.shapes["local_pos"][0].tolist() == [0.0, 0.0, -0.25]
    assert world.bodies["pos"][world.body("floor"), 2] == pytest.approx(0.5)


def test_hundreds_of_single_bodies_touch_one_another(made):
    """Only models of several links need classes of their own."""
    ball = shape("<sphere><radius>0.5</radius></sphere>")
    models = [model(link("l", pose=f"{0.9 * k} 0 5 0 0 0", more=ball), name=f"m{k}") for k in range(200)]
    world = made(sdf('<world name="w">', *models, "</world>"), floor=False)
    step(world, 1e-4)
    assert len(world.contacts) == 199
    several = [model(link("l"), link("k"), name=f"m{k}") for k in range(40)]
    with pytest.raises(BadInput, match="models of several links are too many"):
        made(sdf('<world name="w">', *several, "</world>"))


def test_check_tells_all_that_is_skipped(tmp_path, capsys):
    path = tmp_path / "r.sdf"
    path.write_text(sdf(model('<plugin name="p"/>\n', link("a", more='<sensor name="s"/>\n' + shape("<polyline/>") + "\n" + shape(
        "<mesh><uri>model://../x.stl</uri></mesh>")))))
    assert main(["check", str(path)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "valid: an SDF robot" in said[0]
    assert [line.split(": ", 1)[0].rpartition(":")[2] for line in said[1:]] == ["4", "5", "6", "7"]


ONE = link("a")
WRONG = {
    "not XML": ("<sdf>\n<model", "line 2: this is not XML"),
    "entity": ('<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">]>\n<sdf version="1.7">&a;</sdf>', "XML entities"),
    "no sdf": ("<robot/>", "is not the <sdf>"), "no version": ("<sdf/>", "no attribute 'version'"),
    "newer": (sdf(model(ONE), version="2.0"), "only versions 1.x"), "words": (sdf(model(ONE), version="new"), "only versions"),
    "nothing": (sdf(), "there is no <model>"), "no links": (sdf(model()), "have no links"),
    "taken name": (sdf(model(ONE, ONE)), "line 5: the name 'a' is taken by line 4"),
    "missing link": (sdf(model(ONE, joint("j", "fixed", "a", "b"))), "line 5: there is no link 'b'"),
    "missing frame": (sdf(model(link("a", relative="f"))), "there is no frame 'f'"),
    "loop of frames": (sdf(model(link("a", relative="b"), link("b", relative="a"))), "is relative to itself"),
    "attached to itself": (sdf(model(ONE, '<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>', joint(
        "j", "fixed", "a", "f"))), "attached to no link"),
    "no mass": (sdf(model(link("a", 0.0))), "line 4: 'a' has no mass"),
    "negative mass": (sdf(model(link("a", -1.0))), "-1 kg"), "not finite": (sdf(model(link("a", "nan"))), "1 finite number"),
    "pose": (sdf(model(link("a", pose="0 0 0"))), "must be 6 finite numbers"),
    "type": (sdf(model(ONE, link("b"), joint("j", "screw", "a", "b"))), "has the type 'screw'; allowed"),
    "no axis": (sdf(model(ONE, link("b"), joint("j", "revolute", "a", "b"))), "has no <axis>"),
    "axis": (sdf(model(ONE, link("b"), joint("j", "revolute", "a", "b", "<xyz>0 0 0</xyz>"))), "zero length"),
    "limits": (sdf(model(ONE, link("b"), joint("j", "revolute", "a", "b", "<xyz>0 0 1</xyz><limit><lower>1</lower>"
                                               "<upper>0</upper></limit>"))), "wrong way round"),
    "mimic": (sdf(model(ONE, link("b"), joint("j", "revolute", "a", "b", '<xyz>0 0 1</xyz><mimic joint="x"/>'))), "mimics"),
    "child": (sdf(model(ONE, joint("j", "fixed", "a", "world"))), "not the world"),
    "size": (sdf(model(link("a", more=shape("<sphere><radius>0</radius></sphere>")))), "not above zero"),
    "endless size": (sdf(model(link("a", more=shape("<sphere><radius>inf</radius></sphere>")))), "1 finite number"),
    "include": (sdf('<world name="w"><include><uri>model://x</uri></include></world>'), "copy what is included into the folder"),
    "inner link": (sdf(model(ONE, model(link("b"), name="n"), joint("j", "fixed", "a", "n::c"))), "there is no link 'n::c'"),
    "empty model": (sdf(model(ONE, model(name="n"), joint("j", "fixed", "a", "n"))), "there is no link 'no link'"),
    "mu": (sdf(model(link("a", more=shape("<sphere><radius>1</radius></sphere>", -1)))), "mu = -1"),
    "friction": (sdf(model(ONE, link("b"), joint("j", "revolute", "a", "b", "<xyz>0 0 1</xyz><dynamics><friction>-1</friction>"
                                                 "</dynamics>"))), "friction = -1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_files_are_refused_in_one_sentence(case, tmp_path):
    text, said = WRONG[case]
    path, before = tmp_path / "bad.sdf", dict(scenes.files)
    path.write_text(text)
    with pytest.raises(BadInput) as refused:
        robot_file.admit(str(path))
    assert said in str(refused.value) and "bad.sdf" in str(refused.value) and "\n" not in str(refused.value)
    assert scenes.files == before


def test_much_text_between_tags_is_not_kept(tmp_path):
    """Of a file that is one long text of lines; it is read in time."""
    path = tmp_path / "long.sdf"
    path.write_text('<sdf version="1.7">' + "\n" * 1_000_000 + "</sdf>")
    with pytest.raises(BadInput, match="there is no <model>"):
        robot_file.admit(str(path))


def told(made_path) -> list[str]:
    return [str(why) for _, why in robot_file.robot_of(made_path).skipped]


def test_models_of_a_world_are_relative_to_one_another_and_placed_by_their_frames(made):
    """b over a, which stands turned in a frame of the world; l of c stands where the model is put."""
    world = made(sdf('<world name="w">', f'<frame name="f"><pose>0 0 10 0 0 {np.pi / 2}</pose></frame>',
                     model(link("l"), name="a", more='<pose relative_to="f">1 2 3 0 0 0</pose>'),
                     model(link("l"), name="b", more='<pose relative_to="a">1 0 1 0 0 0</pose>'),
                     '<model name="c" placement_frame="l"><pose>0 0 5 0 0 0</pose>', link("l", pose=f"1 0 0 0 0 {np.pi / 2}"),
                     "</model>", model(link("l"), name="d", more='<pose relative_to="c::l">0 0 1 0 0 0</pose>'),
                     model(link("l"), name="e", more='<pose relative_to="c">0 0 1 0 0 0</pose>'), "</world>"), floor=False)
    assert world.bodies["pos"][1:4] == pytest.approx(np.array([[-2.0, 1.0, 13.0], [-2.0, 2.0, 14.0], [0.0, 0.0, 5.0]]))
    assert world.bodies["pos"][4:6] == pytest.approx(np.array([[0.0, 0.0, 6.0], [0.0, 1.0, 6.0]]))      # c turns its x to -y
    assert world.bodies["quat"][3] == pytest.approx([1.0, 0.0, 0.0, 0.0])
    for name in ("x", "a"):
        with pytest.raises(BadInput, match=f"the frame '{name}' that <model> is relative to"):
            made(sdf('<world name="w">', model(link("l"), name="a", more=f'<pose relative_to="{name}">0 0 0 0 0 0</pose>'),
                     "</world>"))


def test_what_weighs_by_itself_has_the_density_of_its_collisions(made, tmp_path):
    """0.8 kg at 0 and 2.4 kg at x = 1; a mass scales both; what is only seen weighs nothing."""
    box = "<geometry><box><size>.2 .2 .2</size></box></geometry>"
    both = (f'<collision name="c"><density>100</density>{box}</collision><collision name="d"><pose>1 0 0 0 0 0</pose><density>300'
            f'</density>{box}</collision><visual name="v">{box}</visual>')
    for given, mass in (("", 3.2), ("<mass>8</mass>", 8.0)):
        world = made(sdf(model(f'<link name="l"><inertial auto="true">{given}</inertial>{both}</link>')), floor=False)
        body = world.bodies[world.body("l")]
        assert body["mass"] == pytest.approx(mass) and body["pos"] == pytest.approx([0.75, 0.0, 0.0])
        assert body["inertia"][1, 1] == pytest.approx(mass * (0.04 / 6.0 + 0.75 * 0.25))
    world = made(sdf(model(f'<link name="l"><inertial auto="1"/><visual name="v">{box}</visual></link>')))
    step(world, 1e-3)
    assert world.body("l").mass == 1.0 and len(world.contacts) == 0
    assert told(tmp_path / "r.sdf") == ["<inertial> auto of 'l' has no collisions to weigh: it has 1 kg and 1 kg m^2"]


def test_meshes_that_weigh_by_themselves_have_the_mass_of_their_surface(made, tmp_path):
    """A tetrahedron of 1 m; without one of its sides it is told."""
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    text = sdf(model('<link name="l"><inertial auto="true"/>' + shape("<mesh><uri>t.obj</uri><scale>1 1 2</scale></mesh>")
                     + "</link>"))
    opened = "<mesh> 't.obj' is not a closed surface: its mass is that of its hull"
    for last, said in (("f 2 3 4\n", []), ("", [opened])):
        (tmp_path / "t.obj").write_text(corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\n" + last)
        world = made(text, floor=False)
        assert world.body("l").mass == pytest.approx(2000.0 / 6.0) and told(tmp_path / "r.sdf") == said
        assert world.body("l").pos == pytest.approx([0.25, 0.25, 0.5])


def test_inner_models_are_static_by_themselves(made):
    world = made(sdf(model(model(link("l"), name="i", more="<static>true</static>"), link("m"))), floor=False)
    assert [world.body(name).kind for name in ("i::l", "m")] == ["static", "dynamic"]


@pytest.mark.parametrize(("inner", "said"), [
    ("<bounce><restitution_coefficient>.7</restitution_coefficient></bounce><friction><ode><mu>.3</mu><slip1>.1</slip1></ode>"
     "<torsional><coefficient>1</coefficient></torsional></friction><contact><collide_bitmask>0x02</collide_bitmask></contact>",
     "<surface> bounce/restitution_coefficient, friction/ode/slip1, friction/torsional/coefficient, contact/collide_bitmask are "
     "not used"),
    ("<friction><bullet><friction>.3</friction></bullet></friction>", "<surface> friction/bullet/friction is not used"),
    ("<contact><ode><kp>1e5</kp><kd>3</kd></ode></contact>",
     "<kp> and the like are not used: contacts and limits are rigid here, not soft"),
    ("<bounce><restitution_coefficient>0</restitution_coefficient></bounce><contact><collide_bitmask>65535</collide_bitmask>"
     "</contact>", None)])
def test_settings_of_surfaces_are_used_or_told(made, tmp_path, inner, said):
    ball = "<geometry><sphere><radius>1</radius></sphere></geometry>"
    made(sdf(model(f'<link name="l"><collision name="c">{ball}<surface>{inner}</surface></collision></link>')))
    assert told(tmp_path / "r.sdf") == ([said] if said else [])


def test_settings_of_axes_and_meshes_are_used_or_told(made, tmp_path):
    limit = "<limit><lower>-1</lower><effort>{0}</effort><velocity>{0}</velocity></limit>"
    for effort, said in (("3", ["<axis> initial_position, limit/effort, limit/velocity are not used"]), ("-1", [])):
        start = "<initial_position>.5</initial_position>" if said else ""
        made(sdf(model(link("l"), joint("j", "revolute", "world", "l", f"{start}<xyz>1 0 0</xyz>{limit.format(effort)}"))))
        assert told(tmp_path / "r.sdf") == said
    (tmp_path / "t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n")
    made(sdf(model(link("l", more=shape("<mesh><uri>t.obj</uri><submesh><name>A</name></submesh></mesh>")))))
    assert told(tmp_path / "r.sdf") == ["<mesh> submesh/name is not used"]


def test_models_beside_the_file_are_included(tmp_path):
    """A wall from a folder with its own mesh, twice an arm on a rail, one of them held still; nothing from elsewhere."""
    folder = tmp_path / "wall"
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "cube.obj").write_text("".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 2)))
    (folder / "model.sdf").write_text(sdf(model(
        link("brick", more=shape("<mesh><uri>meshes/cube.obj</uri></mesh>")), name="wall", more="<static>true</static>")))
    (tmp_path / "arm.sdf").write_text(sdf(model(link("base"), link("tip", pose="1 0 0 0 0 0"),
                                                joint("j", "revolute", "base", "tip", "<xyz>0 1 0</xyz>"), name="arm")))
    (tmp_path.parent / "secret.sdf").write_text(sdf(model(link("x"), name="secret")))
    path = tmp_path / "world.sdf"
    path.write_text(sdf('<world name="w">', "<include><uri>model://wall</uri><pose>5 0 0 0 0 0</pose></include>",
                        "<include><uri>arm.sdf</uri><name>left</name><pose>0 2 0 0 0 0</pose></include>",
                        "<include><uri>file://arm.sdf</uri><name>right</name><static>1</static></include>",
                        "<include><uri>../secret.sdf</uri></include>", "<include><uri>model://sun</uri></include>", "</world>"))
    world = load(path)
    assert [name for name in world.body_names if "::" in name] == ["wall::brick", "left::base", "left::tip", "right::base",
                                                                   "right::tip"]
    assert world.body("left::tip").pos == pytest.approx((1.0, 2.0, 0.0)) and world.body("right::tip").kind == "static"
    wall = world.shapes[world.shapes["body"] == world.body("wall::brick")]
    assert len(wall) == 1 and world.joint_names == ["left::j"]
    skipped = [why for _, why in robot_file.robot_of(path).skipped]
    assert [why.split("'")[1] for why in skipped] == ["../secret.sdf", "model://sun"]


def test_models_that_include_one_another_are_refused(tmp_path):
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.sdf").write_text(sdf(model(link("x"), f"<include><uri>{other}.sdf</uri></include>", name=name)))
    with pytest.raises(BadInput, match=r"a.sdf, line \d+: 'b.sdf' includes itself|b.sdf, line \d+: 'a.sdf' includes itself"):
        load(tmp_path / "a.sdf")
