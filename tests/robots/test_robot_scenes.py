"""A robot's file where scenes are: command line, window's simulation, recordings, sweeps, scene files."""

import math

import numpy as np
import pytest

import scenes
from app.cli import main
from app.engine import commands
from app.engine.simulation import Simulation
from app.files.atomic_write import write
from app.render.scene import framing
from app.robots import robot_file
from app.robots.model import IDENTITY, Geometry, Link, Pose, Robot, extents
from physics import BadInput, Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere, World, step
from physics.collide.bounds import update_shapes

ARM = """<robot name="arm">
<link name="base"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
<collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="50" velocity="1"/><dynamics friction="0.1"/></joint>
</robot>"""


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return str(path)


def test_a_run_writes_the_joint(arm, tmp_path, capsys):
    """Without its motor it falls: (m g l - F) t^2 / (2 I) at first; with it, it stays."""
    for motors, angle in (("true", 0.0), ("false", (9.81 * 0.5 - 0.1) * 0.1**2 / (2.0 * 0.26))):
        table = tmp_path / f"{motors}.csv"
        assert main(["run", arm, "--seconds", "0.1", "--set", f"motors={motors}", "--csv", str(table)]) == 0
        lines = table.read_text().splitlines()
        column = lines[0].split(",").index("hinge angle [rad]")
        assert float(lines[-1].split(",")[column]) == pytest.approx(angle, rel=0.03, abs=1e-9)


def test_a_run_writes_the_travel_of_a_slide(arm, tmp_path):
    """As it falls along its rail: g t^2 / 2."""
    (slide := tmp_path / "slide.urdf").write_text(ARM.replace("revolute", "prismatic").replace('xyz="0 1 0"', 'xyz="0 0 -1"')
                                                  .replace(' friction="0.1"', ""))
    table = tmp_path / "slide.csv"
    assert main(["run", str(slide), "--seconds", "0.1", "--set", "motors=false", "--csv", str(table)]) == 0
    lines = table.read_text().splitlines()
    column = lines[0].split(",").index("hinge travel [m]")
    assert float(lines[-1].split(",")[column]) == pytest.approx(0.5 * 9.81 * 0.1**2, rel=0.03)


def chain_of_limits(links=5, limit=0.3):
    """An arm whose links of 0.1 m lose two fifths of their mass each, with limits on every joint."""
    parts = ['<link name="l0"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>']
    for k in range(1, links + 1):
        mass, axis = 0.3 * 0.6**k, "0 1 0" if k % 3 else "1 0 0"
        across = mass * 0.1**2 / 12.0
        parts.append(f'''<link name="l{k}"><inertial><origin xyz="0.05 0 0"/><mass value="{mass}"/>
<inertia ixx="{0.1 * across}" iyy="{across}" izz="{across}"/></inertial></link>
<joint name="j{k}" type="revolute"><parent link="l{k - 1}"/><child link="l{k}"/><origin xyz="{0.1 if k > 1 else 0.0} 0 0"/>
<axis xyz="{axis}"/><limit lower="{-limit}" upper="{limit}" effort="5" velocity="5"/></joint>''')
    return f'<robot name="chain">{"".join(parts)}</robot>'


@pytest.mark.parametrize("divisor", [1, 2])
def test_an_arm_that_falls_onto_all_of_its_limits_gains_no_energy(tmp_path, divisor):
    """With a robot's iterations the impulses of its limits converge; with 60 they threw the arm up by half a joule."""
    (path := tmp_path / "chain.urdf").write_text(chain_of_limits())
    scene = scenes.find(robot_file.admit(path))
    world = scenes.without_clock(scenes.make_world(scene, scene.parameters(motors=False)))
    least, gained = math.inf, 0.0
    for _ in range(480 * divisor):
        energy = sum(step(world, scene.dt / divisor).energy.values())
        least = min(least, energy)
        gained = max(gained, energy - least)
    assert gained < 1e-3 and not world.energy_totals.failures_by_rule


def test_a_robot_of_which_nothing_is_seen_says_so(tmp_path):
    """Its meshes are of a kind that is not read."""
    begin, end = ARM.index("<geometry>"), ARM.index("</geometry>")
    (path := tmp_path / "arm.urdf").write_text(ARM[:begin] + '<geometry><mesh filename="arm.dae"/>' + ARM[end:])
    (seen := tmp_path / "seen.urdf").write_text(ARM)
    told = [Simulation(str(one)).world.warnings for one in (path, seen)]
    assert any("No link of arm.urdf has a shape" in sentence for sentence in told[0])
    assert not any("has a shape" in sentence for sentence in told[1])


def test_a_file_that_is_refused_leaves_what_runs(arm, tmp_path):
    simulation = Simulation(arm)
    assert simulation.scene.title == "arm" and "hinge" in simulation.world.joint_names
    before, bad = simulation.world, tmp_path / "bad.urdf"
    bad.write_text(ARM.replace('value="1"', 'value="-1"'))
    with pytest.raises(BadInput, match=r"bad\.urdf, line 3"):
        simulation.load(str(bad))
    assert simulation.world is before and simulation.scene.title == "arm"


def test_reset_and_parameters_build_the_robot_again(arm):
    simulation = Simulation(arm)
    commands.set_parameter(simulation, "free", True)
    assert "floor" in simulation.world.body_names
    simulation.reset()
    assert "floor" in simulation.world.body_names


def test_a_recording_of_a_robot_is_read_where_its_file_is(arm, tmp_path, monkeypatch):
    from app.engine.recording import file

    assert main(["record", arm, "--seconds", "0.2", "--out", str(tmp_path / "a.stiction")]) == 0
    scenes.files.clear()        # as in another process
    assert file.read(tmp_path / "a.stiction", commands.COMMANDS).scene == arm
    scenes.files.clear()
    (tmp_path / "arm.urdf").unlink()
    with pytest.raises(BadInput, match=r"arm\.urdf"):
        file.read(tmp_path / "a.stiction", commands.COMMANDS)


def test_saved_as_a_scene_file_it_needs_the_robot_no_more(arm, tmp_path):
    simulation = Simulation(arm)
    kept = tmp_path / "kept.toml"
    view = {"target": [0.0, 0.0, 0.0], "distance": 3.0, "azimuth": 0.0, "elevation": 0.0, "flat": False, "plots": [],
            "breakpoints": [], "solvers": []}
    assert simulation.document.path == ""       # so that Save never writes over the robot's file
    commands.save_scene_file(simulation, str(kept), view, (), write)
    scenes.files.clear()
    (tmp_path / "arm.urdf").unlink()
    again = Simulation(str(kept))
    assert again.world.joint_names == ["hinge"] and again.world.bodies["mass"].max() == 1.0
    assert again.scene.title == "arm"


def test_export_of_a_robot_can_be_read_again(arm, tmp_path):
    out = str(tmp_path / "arm.xml")
    assert main(["export", arm, "--mjcf", out, "--set", "motors=false"]) == 0
    again = Simulation(out)
    joint = again.world.joints[again.world.joint("hinge")]
    assert joint["max_friction"][0] == 0.1 and np.isclose(joint["limit_hi"][0], 2.0)


def test_the_camera_sees_the_shapes_of_a_robot_with_a_single_link(arm):
    """All eight corners of its box, which the middle of its mass alone does not tell, and not from far away."""
    scene = scenes.find(robot_file.admit(arm))
    corners = np.array([(x, y, z) for x in (0.0, 1.0) for y in (-0.05, 0.05) for z in (-0.05, 0.05)])
    assert framing.is_within(corners, scene.view, framing.ASPECT)
    assert scene.view.distance < 2.0 * framing.fit(corners, scene.view).distance


@pytest.mark.parametrize("shape", [Box((0.3, 0.2, 0.1)), Sphere(0.2), Capsule(0.1, 0.3), Cylinder(0.2, 0.3), Cone(0.2, 0.5),
                                   Ellipsoid((0.3, 0.2, 0.1))], ids=lambda shape: shape.kind)
def test_extents_are_those_of_the_engine(shape):
    """Of a tilted shape: as the boxes of the broad phase, without their reach."""
    pose = Pose(np.array([0.3, -0.2, 1.0]), np.array([0.8, 0.2, 0.4, 0.4]))
    robot = Robot("r", "r.urdf", "urdf", {"a": Link("a", None, pose, 1.0, np.zeros(3), np.eye(3), [Geometry(shape, IDENTITY)])})
    world = World()
    world.add_body(shape, pos=pose.pos, quat=pose.quat)
    update_shapes(world, 0.0)
    s = world.shapes[world.shapes["body"] > 0][0]
    lo, hi = extents(robot)
    assert lo == pytest.approx(s["lo"] + s["reach"], abs=1e-9) and hi == pytest.approx(s["hi"] - s["reach"], abs=1e-9)
