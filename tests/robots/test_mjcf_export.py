"""`stiction export --mjcf`: read back by our own reader it is the same world; MuJoCo, where it is installed, moves it alike."""

import numpy as np
import pytest

import scenes
from app.cli import main
from app.robots import robot_file
from app.robots.mjcf_export import mjcf_of
from physics import Box, Friction, Hull, Material, Motor, Plane, World, step
from physics.core.quaternions import rotate
from physics.core.records import Kind


def world_of(name: str) -> World:
    """A scene's world without what drives it; the door turns."""
    world = scenes.without_clock(scenes.make_world(scenes.find(name)))
    world.drivers = []
    if name == "door":
        door = world.body("door")
        arm = -rotate(world.bodies["quat"][door], world.joints[world.joint("hinge")]["anchor_b"])
        world.set_velocity(door, np.cross((0.0, 0.0, 1.5), arm), (0.0, 0.0, 1.5))
    return world


def read_back(world: World, dt: float, path) -> World:
    path.write_text(mjcf_of(world, "m", dt)[0])
    return scenes.without_clock(scenes.make_world(scenes.find(robot_file.admit(str(path)))))


def dynamic(world: World) -> list[str]:
    return [name for name, body in zip(world.body_names, world.bodies) if body["kind"] == Kind.DYNAMIC]


@pytest.mark.parametrize("name", ["chain", "stack", "door", "pendulum", "slider", "polyhedra_ramp"])
def test_read_back_it_is_the_same_world(name, tmp_path):
    """Masses, inertia, poses, bounds of friction, and the motion of half a second."""
    world, dt = world_of(name), 1e-3
    again = read_back(world, dt, tmp_path / "m.xml")
    assert set(dynamic(again)) == set(dynamic(world))
    for body in dynamic(world):
        one, other = world.bodies[world.body(body)], again.bodies[again.body(body)]
        for field in ("mass", "inertia", "pos"):
            assert other[field] == pytest.approx(one[field], abs=1e-12), f"{body}: {field}"
        again.set_velocity(again.body(body), one["vel"], one["omega"])
    assert sorted(again.joints["max_friction"][:, 0]) == pytest.approx(sorted(world.joints["max_friction"][:, 0]))
    for _ in range(500):
        step(world, dt)
        step(again, dt)
    for body in dynamic(world):
        assert again.bodies["pos"][again.body(body)] == pytest.approx(world.bodies["pos"][world.body(body)], abs=1e-4), body


def test_limits_damping_and_springs_are_in_the_file(tmp_path):
    """Of a joint whose moving body is its first: the axis is turned round, the coordinate stays."""
    world = World()
    base = world.add_body(Box((0.1, 0.1, 0.1)), kind="static", name="base")
    arm = world.add_body(Box((0.1, 0.1, 0.1)), pos=(1.0, 0.0, 0.0), name="arm")
    world.add_joint("revolute", arm, base, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), limits=(-0.5, 1.0), name="j",
                    friction=Friction(static=0.3, viscous=0.2), motor=Motor("spring", 0.25, 50.0, stiffness=20.0, damping=2.0))
    again = read_back(world, 1e-3, tmp_path / "m.xml")
    for one in (world, again):
        for _ in range(1500):
            step(one, 1e-3)
    assert world.bodies["pos"][arm, 1] < -0.1
    assert again.bodies["pos"][again.body("arm")] == pytest.approx(world.bodies["pos"][arm], abs=1e-4)
    record = again.joints[again.joint("j")]
    assert (record["limit_lo"][0], record["limit_hi"][0]) == (-0.5, 1.0)


def test_what_the_file_lacks_is_told(tmp_path, capsys):
    assert main(["export", "joint_gallery", "--mjcf", str(tmp_path / "g.xml")]) == 0
    said = capsys.readouterr().out
    assert "joint 'gear' (gear) has no counterpart" in said and "drives the scene" in said
    assert main(["check", str(tmp_path / "g.xml")]) == 0


def test_a_file_to_write_is_needed(capfd):
    assert main(["export", "stack"]) == 2
    assert "what to write is missing: give --html FILE" in capfd.readouterr().err


def furthest(world: World, dt: float, seconds: float) -> tuple[float, float]:
    """(largest distance of a centre of mass of ours from MuJoCo's at eight times [m], of ours from its start [m])."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(mjcf_of(world, "m", dt)[0])
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    pairs = [(world.body(name), mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)) for name in dynamic(world)]
    start, count, worst, way = world.bodies["pos"].copy(), round(seconds / dt), 0.0, 0.0
    for n in range(1, count + 1):
        step(world, dt)
        mujoco.mj_step(model, data)
        if n % (count // 8) == 0:
            mujoco.mj_kinematics(model, data)
            worst = max(worst, *(np.linalg.norm(data.xipos[k] - world.bodies["pos"][i]) for i, k in pairs))
            way = max(way, *(np.linalg.norm(start[i] - world.bodies["pos"][i]) for i, _ in pairs))
    return worst, way


@pytest.mark.parametrize(("name", "seconds", "way"), [("door", 1.2, 0.15), ("chain", 1.0, 3.0)])
def test_mujoco_moves_alike_the_closer_the_smaller_the_step(name, seconds, way):
    """Both are of first order: a quarter of the step, a quarter of the distance."""
    coarse, far = furthest(world_of(name), 2e-3, seconds)
    fine, _ = furthest(world_of(name), 5e-4, seconds)
    assert far > way and coarse < 5e-3 * max(1.0, far) and fine == pytest.approx(0.25 * coarse, rel=0.2)


def test_mujoco_holds_the_stack():
    worst, way = furthest(world_of("stack"), 1e-3, 1.0)
    assert worst < 1e-3 and way < 1e-4


def test_mujoco_sees_the_same_hulls():
    """A skew tetrahedron, whose frame is not that of its points, lies on its face as ours does."""
    world = World()
    world.add_body(Plane(), kind="static")
    tetrahedron = Hull([(0.0, 0.0, 0.0), (0.6, 0.0, 0.0), (0.1, 0.5, 0.0), (0.2, 0.1, 0.4)])
    world.add_body(tetrahedron, pos=(0.3, 0.1, 0.1), name="hull")
    worst, way = furthest(world, 1e-3, 0.5)
    assert worst < 1e-3 and way < 1e-3


def test_mujoco_slides_a_box_as_far():
    """v^2 / (2 mu g), beside ours."""
    world = World()
    world.add_body(Plane(), kind="static", friction=0.4)
    world.add_body(Box((0.1, 0.1, 0.05)), pos=(0.0, 0.0, 0.05), vel=(2.0, 0.0, 0.0), friction=0.4, name="box")
    worst, way = furthest(world, 5e-4, 0.8)
    assert way == pytest.approx(4.0 / (2.0 * 0.4 * 9.81), rel=2e-3) and worst < 5e-3


# ---- what is not in the file


def notes_of(build) -> list[str]:
    world = World()
    build(world, world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.5, 0.0, 1.0), mass=1.0, name="a", friction=0.5))
    return mjcf_of(world, "m", 1e-3)[1]


def surfaces(**values):
    return lambda world, a: world.add_body(Plane(), kind="static", material=Material(friction=0.5, **values))


def with_pair(world, a):
    for name in ("x", "y"):
        world.add_body(Plane(), kind="static", material=Material(friction=0.5, name=name))
    world.set_pair("x", "y", friction=0.0)


def jointed(kind, **values):
    return lambda world, a: world.add_joint(kind, 0, a, anchor=(0.5, 0.0, 1.0), axis=(0.0, 1.0, 0.0), name="j", **values)


@pytest.mark.parametrize(("build", "said"), [
    (surfaces(surface_velocity=(1.0, 0.0, 0.0)), "surface velocity, as of belts is not in the file"),
    (surfaces(kinetic_friction=0.1), "kinetic friction other than static friction is not in the file"),
    (surfaces(anisotropy=0.1), "friction that depends on the direction (anisotropy) is not in the file"),
    (surfaces(adhesion=5.0), "adhesion is not in the file"), (surfaces(rolling=0.01), "rolling friction is not in the file"),
    (surfaces(torsional=0.01), "torsional friction is not in the file"),
    (with_pair, "what is set for pairs of materials is not in the file: their own friction counts"),
    (jointed("fixed", break_force=5.0), "joint 'j' does not break in MuJoCo"),
    (jointed("planar", friction={"slide": 3.0}), "dry friction of the planar joint 'j' acts on each of its directions by itself"),
    (jointed("revolute", limits=(-1.0, 1.0), restitution=0.5), "limits of 'j' do not rebound in MuJoCo"),
    (lambda world, a: world.add_joint("drag", 0, a, anchor=(0.5, 0.0, 1.0), name="d", mass=1.0, frequency=10.0),
     "joint 'd' (drag) has no counterpart and is left out"), (lambda world, a: None, None)])
def test_what_mujoco_has_no_counterpart_for_is_told(build, said):
    assert notes_of(build) == ([said] if said else [])


def test_what_holds_for_many_joints_is_told_once():
    """A chain of eight links gave eight sentences that differed in a name."""
    world = World()
    for k in range(7):
        body = world.add_body(Box((0.1, 0.1, 0.1)), pos=(float(k), 0.0, 1.0), mass=1.0)
        world.add_joint("fixed", 0, body, anchor=(float(k), 0.0, 1.0), name=f"j{k}", break_force=5.0)
    assert mjcf_of(world, "m", 1e-3)[1] == ["joint 'j0' does not break in MuJoCo; the same holds for 6 more: "
                                            "'j1', 'j2', 'j3', 'j4', ..."]


@pytest.mark.parametrize(("given", "lost"), [
    ({"limits": (-0.1, 0.1)}, "limits"), ({"motor": Motor("spring", 0.0, stiffness=3.0)}, "motors"),
    ({"friction": Friction(static=1.0), "limits": (-0.1, 0.1)}, "friction and limits"), ({}, "")])
def test_what_a_joint_that_closes_a_loop_loses_is_told(given, lost):
    world = World()
    bodies = [world.add_body(Box((0.1, 0.1, 0.1)), pos=(x, 0.0, 1.0), mass=1.0, name=f"b{x}", friction=0.5) for x in (1, 2)]
    ends = [(0, bodies[0], 0.5, {}), (bodies[0], bodies[1], 1.5, {}), (0, bodies[1], 2.5, given)]
    for k, (a, b, x, more) in enumerate(ends):
        world.add_joint("revolute", a, b, anchor=(x, 0.0, 1.0), axis=(0.0, 1.0, 0.0), name=f"j{k}", **more)
    told = mjcf_of(world, "m", 1e-3)[1]
    assert told == ([f"joint 'j2' closes a loop: its {lost} are left out"] if lost else [])
