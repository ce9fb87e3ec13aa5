"""What is saved can be opened again; what could not be is refused before the old file is replaced."""

import pytest

from app.engine.scene_files import scene_file, schema
from app.world_files import load, save
from physics import BadInput, Material, Sphere, World
from physics.core.check import MAX_NAME

BAD_NAMES = ["left\tfoot", "a\nb", "a\n", "a\x7fb", "\ud800", " ", "x" * (MAX_NAME + 1)]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_names_that_no_scene_file_can_hold_are_refused_by_the_world(name):
    world = World()
    ball = world.add_body(Sphere(0.1), name="ball")
    hinge = world.add_joint("spherical", "world", ball, anchor=(0.0, 0.0, 0.0), name="hinge")
    before = world.snapshot()
    for attempt in (lambda: world.add_body(Sphere(0.1), name=name), lambda: world.rename_body(ball, f"a\t{name}b"),
                    lambda: world.add_body(Sphere(0.1), material=Material(name=name)), lambda: world.set_input(name, 1.0),
                    lambda: world.add_joint("spherical", "world", ball, anchor=(0.0, 0.0, 0.0), name=name),
                    lambda: world.rename_joint(hinge, f"a\t{name}b"), lambda: world.copy_body(ball, (1.0, 0.0, 0.0), name)):
        with pytest.raises(BadInput, match="must have up to 200 letters") as refused:
            attempt()
        assert "\n" not in str(refused.value)
    assert len(world.bodies) == 2 and not world.inputs and world.snapshot().names == before.names


def test_a_robot_with_such_a_name_is_refused_with_its_line(tmp_path):
    text = ('<robot name="r">\n<link name="base"/>\n<link name="a&#10;b"><inertial><mass value="1"/>'
            '<inertia ixx="1" iyy="1" izz="1"/></inertial></link>\n'
            '<joint name="j" type="continuous"><parent link="base"/><child link="a&#10;b"/></joint></robot>')
    (tmp_path / "r.urdf").write_text(text)
    with pytest.raises(BadInput, match=r"r\.urdf, line 3: its name = 'a\\nb' must have"):
        load(tmp_path / "r.urdf")


def saved(tmp_path):
    path = tmp_path / "mine.toml"
    world = World()
    world.add_body(Sphere(0.1), name="ball")
    save(world, path)
    return path, path.read_bytes()


def test_more_bodies_than_readers_take_do_not_replace_a_file(tmp_path, monkeypatch):
    """20,001 of them did; the text is the same for three, which the model is told to allow two of."""
    path, before = saved(tmp_path)
    monkeypatch.setattr(schema, "MAX_BODIES", 2)
    schema.model.cache_clear()
    try:
        world = World()
        for k in range(3):
            world.add_body(Sphere(0.1), pos=(float(k), 0.0, 0.0))
        with pytest.raises(BadInput, match=r"was not saved, for the file could not be opened again: bodies .* most 2 elements"):
            save(world, path)
    finally:
        monkeypatch.undo()
        schema.model.cache_clear()
    assert path.read_bytes() == before


def test_a_name_of_an_old_recording_does_not_replace_a_file(tmp_path):
    """Worlds are restored with names that were allowed once."""
    path, before = saved(tmp_path)
    world = World()
    world.add_body(Sphere(0.1), name="ball")
    world.body_names[1] = "left\tfoot"
    with pytest.raises(BadInput, match=r"was not saved, .*: bodies\.0\.name = 'left\\tfoot'"):
        save(world, path)
    assert path.read_bytes() == before


def test_a_state_that_readers_find_too_long_is_refused(monkeypatch):
    world = World()
    world.add_body(Sphere(0.1), vel=(1.0, 0.0, 0.0))
    world.bodies["velocity_lag"][1] = 0.01
    assert "[state]" in scene_file.text_of(world, 0.01, scene_file.SceneContext())[0]
    monkeypatch.setattr(schema, "MAX_STATE", 10)
    with pytest.raises(BadInput, match="Save a recording instead"):
        scene_file.text_of(world, 0.01, scene_file.SceneContext())
