"""`load` and `save` of app/world_files.py, for programs."""

import numpy as np
import pytest

import scenes
from app.world_files import load, save
from physics import BadInput, Box, Hull, Sphere, World, step


def test_a_scene_file_holds_all_of_a_world(tmp_path):
    """The same bits after 300 steps more, of a scene with joints and friction."""
    world = scenes.without_clock(scenes.make_world(scenes.find("chain")))
    for _ in range(50):
        step(world, 1.0 / 240.0)
    assert save(world, tmp_path / "w.toml", title="A chain") == []
    again = load(tmp_path / "w.toml")
    for _ in range(300):
        step(world, 1.0 / 240.0)
        step(again, 1.0 / 240.0)
    assert again.bodies.tobytes() == world.bodies.tobytes() and again.contacts.tobytes() == world.contacts.tobytes()


@pytest.mark.parametrize("name", ["r.urdf", "r.xml", "r.toml"])
def test_a_world_goes_through_each_format(name, tmp_path):
    world = World()
    world.add_body(Box((0.1, 0.2, 0.3)), pos=(1.0, 2.0, 3.0), mass=2.0, name="box")
    save(world, tmp_path / name)
    again = load(str(tmp_path / name))
    assert again.body("box").mass == 2.0 and again.body("box").pos == pytest.approx([1.0, 2.0, 3.0])


def test_parameters_of_the_file_are_taken_by_name(tmp_path):
    ball = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="a">{ball}</link></robot>')
    assert [load(tmp_path / "r.urdf", free=free).body("a").kind for free in (False, True)] == ["static", "dynamic"]
    with pytest.raises(BadInput, match="speed"):
        load(tmp_path / "r.urdf", speed=1.0)


def test_what_cannot_be_loaded_or_saved_is_a_sentence(tmp_path):
    world, program = World(), tmp_path / "p.py"
    program.write_text("raise SystemExit")
    for path in (program, tmp_path / "w.fbx"):
        with pytest.raises(BadInput, match="formats: "):
            load(path)
        with pytest.raises(BadInput, match="formats: "):
            save(world, path)
    with pytest.raises(BadInput, match="no moving bodies"):
        save(world, tmp_path / "w.urdf")
    world.add_body(Sphere(0.1))
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        save(world, tmp_path / "file" / "w.urdf")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "p.py"]


def test_names_with_parts_of_paths_stay_inside_the_folder(tmp_path):
    world = World()
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], float)
    for name in ("../../up", "/etc/hull", "a\\b", ".."):
        world.add_body(Hull(corners), name=name)
    save(world, tmp_path / "r.urdf")
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "a_b_2.obj", "body_3.obj", "etc_hull_1.obj", "r.urdf", "r_meshes", "up_0.obj"]
    assert {"../../up", "/etc/hull", ".."} <= set(load(tmp_path / "r.urdf").body_names)


@pytest.mark.parametrize("name", ["r.urdf", "r.xml"])
def test_names_with_spaces_around_them_read_back(name, tmp_path):
    """Readers of XML take names without them; two that differ by them alone stay apart."""
    world = World()
    first, second = (world.add_body(Sphere(0.1), pos=(x, 0.0, 0.0), name="arm" + " " * x) for x in (1, 2))
    world.add_joint("revolute", first, second, anchor=(1.5, 0.0, 0.0), name=" pin ")
    save(world, tmp_path / name)
    again = load(tmp_path / name)
    assert len({"arm", *again.body_names}) == len(again.body_names) and (again.joints["kind"] >= 0).sum() == 1
    assert "pin" in again.joint_names


def test_a_world_warns_of_what_of_its_file_is_not_used(tmp_path):
    """The first five by their lines, and how many more."""
    for count in (1, 7):
        bodies = "".join('\n<body gravcomp="1"><freejoint/><geom size=".1"/></body>' for _ in range(count))
        (tmp_path / "r.xml").write_text(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
        told = [str(sentence) for sentence in load(tmp_path / "r.xml").warnings]
        assert told[0] == "r.xml, line 2: <body> gravcomp of 'body 1 (line 2)' is not used" and len(told) == min(count, 6)
    assert told[-1] == "r.xml: 2 more are skipped"
