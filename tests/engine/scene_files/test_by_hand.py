"""Scene files that people write and edit: the documentation's example, comments and order kept, links, the export as Python."""

import re
import runpy
import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scenes
from app.engine import commands
from app.engine.scene_files import describe, python_export, scene_file, text
from app.engine.scene_files.link import LONGEST, contents, link_of
from app.engine.scene_files.scene_file import SceneContext
from app.engine.simulation import Simulation
from app.files.atomic_write import write
from physics import BadInput, step
from tests.helpers import ROOT

EXAMPLE = re.search(r"```toml\n(.*?)```", (ROOT / "docs" / "scene_files.md").read_text(encoding="utf-8"), re.DOTALL).group(1)
VIEW = {"target": [0.0, 0.0, 0.5], "distance": 6.0, "azimuth": 35.0, "elevation": 20.0, "flat": False, "plots": [],
        "breakpoints": [], "solvers": []}


def opened(written):
    found, mistakes = scene_file.examined(written.encode(), "x")
    assert not mistakes, mistakes
    return found


def test_the_example_of_the_documentation_runs():
    world = opened(EXAMPLE).world
    box = 700.0 * 1.0 * 0.1 * 0.1
    assert np.isclose(world.bodies["mass"][world.body("arm")], box, rtol=1e-12) and np.isclose(
        world.bodies["inertia"][world.body("arm")][1, 1], box * (1.0 + 0.1**2) / 12.0, rtol=1e-12)
    for _ in range(240):
        step(world, 1.0 / 240.0)
    assert world.joints["coordinate"][0, 0] > 0.1, "gravity turns the arm down, against 2 N m"
    assert world.bodies["pos"][world.body("wheel"), 0] < 1.9


def test_comments_and_order_stay(tmp_path):
    """A file edited by hand, opened, changed in the window, saved: what did not change is as it was written."""
    written = EXAMPLE.replace("[[bodies]]", "# the floor\n[[bodies]]", 1).replace(
        "pos = [0.5, 0.0, 1.0]", "pos = [0.5, 0.0, 1.0]   # half a metre out").replace(
        "vel = [-1.0, 0.0, 0.0]", "vel = [-1.0, 0.0, 0.0]  # to us")
    (path := tmp_path / "mine.toml").write_text(written)
    simulation = Simulation(str(path))
    world = simulation.world
    commands.save_scene_file(simulation, path, VIEW, ("contacts",), write)
    same = path.read_text()
    assert same.startswith(written.rstrip()) and "[view]" in same
    commands.set_velocity(simulation, world.body("wheel"), (-2.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    commands.set_mass(simulation, world.body("arm"), 9.0)
    commands.remove_joint(simulation, world.joint("hinge"))
    commands.duplicate(simulation, (world.body("wheel"),), (0.0, 2.0, 0.0))
    commands.save_scene_file(simulation, path, VIEW, ("contacts",), write)
    again = path.read_text()
    assert "# the floor" in again and "# half a metre out" in again and "vel = [-2.0, 0.0, 0.0]  # to us" in again
    assert "mass = 9.0" in again and "density" not in again and "hinge" not in again and "# shapes refer" in again
    assert again.index("rubber") < again.index('"floor"') < again.index('"arm"') < again.index('"wheel"')
    found = opened(again)
    assert describe.first_difference(describe.world_tables(found.world, found.dt),
                                     describe.world_tables(simulation.world, simulation.dt)) is None


words = st.text(st.characters(blacklist_categories=("Cs",)), max_size=12)
numbers = st.one_of(st.booleans(), st.integers(-2**62, 2**62), st.floats(allow_nan=False, allow_infinity=False), words)
lists = st.one_of(numbers, st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=40), st.lists(words, max_size=4))
inner = st.dictionaries(words, st.one_of(lists, st.dictionaries(words, lists, max_size=3)), max_size=4)


@given(st.dictionaries(words, st.one_of(lists, inner, st.lists(inner, min_size=1, max_size=3)), max_size=6))
def test_any_tables_come_back(tables):
    """Floats to the last bit, any name, any nesting that files have; each value has a line."""
    made = text.as_toml(tables, "a comment\nof two lines")
    again = tomllib.loads(made)
    assert repr(again) == repr(reordered(tables, again)) and again == tables
    lines = text.lines_of(made)
    for key in tables:
        assert 1 <= text.line_of(lines, (key,)) <= made.count("\n") + 1 and ((key,) in lines or "\n" in key)


def reordered(tables, like):
    """The tables with their outer keys in the order of others: plain values come first in a file."""
    def plain(value):
        if isinstance(value, dict):
            return {key: plain(inner) for key, inner in value.items()}
        return list(map(plain, value)) if isinstance(value, list) else value
    if isinstance(like, dict) and isinstance(tables, dict):
        return {key: reordered(tables[key], value) for key, value in like.items()}
    if isinstance(like, list) and isinstance(tables, list):
        return [reordered(one, other) for one, other in zip(tables, like, strict=True)]
    return plain(tables)


def test_a_text_that_cannot_be_kept_is_written_anew(tmp_path):
    (path := tmp_path / "mine.toml").write_text("this was no scene")
    simulation = Simulation("door")
    commands.save_scene_file(simulation, path, VIEW, (), write)
    assert opened(path.read_text()).origin == "door" and simulation.document.path == str(path)


@pytest.mark.parametrize("name", ["door", "joint_gallery", "belt", "rimless_wheel", "bowl", "playground"])
def test_the_export_builds_the_same_world(name, tmp_path):
    scene = scenes.find(name)
    world = scenes.without_clock(scenes.make_world(scene))
    for _ in range(10):
        step(world, scene.dt)
    (path := tmp_path / "exported.py").write_text(python_export.text_of(world, scene.dt, SceneContext()))
    other = scenes.make_world(runpy.run_path(str(path))["SCENE"])
    assert describe.first_difference(describe.world_tables(other, scene.dt), describe.world_tables(world, scene.dt)) is None
    for one in (world, other):
        one.drivers.clear()
        for _ in range(5):
            step(one, scene.dt)
    assert np.allclose(other.bodies["pos"], world.bodies["pos"], atol=1e-3)


def test_links():
    link = link_of(EXAMPLE)
    assert contents(link).decode() == EXAMPLE and link.isascii() and "\n" not in link and len(link) < 2000
    wrapped = "\n".join(link[at:at + 60] for at in range(0, len(link), 60))
    assert contents(f"  {wrapped}\n").decode() == EXAMPLE
    bomb = link_of("#" * 20_000_000)
    for given_, told in (("hello", "it is no link"), (link[:-9], "damaged"), (link.replace(link[40], "!"), "damaged"),
                       ("stiction:1:" + "A" * LONGEST, "letters; allowed: 30,000"), (bomb, "damaged")):
        with pytest.raises(BadInput, match=told):
            contents(given_)
    with pytest.raises(BadInput, match="Save it and send the file instead"):
        link_of("".join(np.random.default_rng(0).choice(list("abcdefgh0123456789"), 200_000)))


def test_recordings_and_recovery_of_a_file(tmp_path):
    """A recording of a file replays; its scene is the origin."""
    from app.engine.recording import file

    (path := tmp_path / "mine.toml").write_text(EXAMPLE)
    simulation = Simulation(str(path))
    scenes.without_clock(simulation.world)
    for _ in range(20):
        simulation.step()
    piece = file.extract(simulation.scene_name, simulation.parameters, simulation.world, simulation.history, 0)
    tape = file.unpack(file.pack(piece))
    assert tape.scene == "empty" and tape.history.last == 20
    assert tape.history.moments[0].snapshot.names[0][1:] == ("floor", "arm", "wheel")
    simulation.reset()
    assert simulation.world.steps == 0 and "arm" in simulation.world.body_names


def test_view_and_breakpoints_come_back(tmp_path):
    simulation = Simulation("door")
    view = {**VIEW, "plots": ["joint:hinge.angle"], "breakpoints": [["JointStops", {"on": True}]], "solvers": [], "flat": True}
    kinds = {type(one).__name__ for one in simulation.breakpoints.items}
    view["breakpoints"] = [[sorted(kinds)[0], {"on": True, "once": True}]]
    commands.save_scene_file(simulation, tmp_path / "a.toml", view, ("contacts", "names"), write)
    other = Simulation(str(tmp_path / "a.toml"))
    assert other.traces.keys == ("joint:hinge.angle",) and other.scene.show == ("contacts", "names")
    assert [(type(one).__name__, one.on, one.once) for one in other.breakpoints.items] == [(sorted(kinds)[0], True, True)]
    assert other.recorder.view_state.flat and other.scene.view.distance == 6.0 and len(other.world.drivers) == 1
    assert other.scene.drawn is None


def test_which_curves_are_drawn_comes_back(tmp_path):
    simulation, drawn = Simulation("door"), ("joint:hinge.velocity",)
    view = {**VIEW, "plots": ["joint:hinge.angle", *drawn], "drawn": list(drawn), "breakpoints": [], "solvers": []}
    commands.save_scene_file(simulation, tmp_path / "a.toml", view, ("contacts",), write)
    scene = Simulation(str(tmp_path / "a.toml")).scene
    assert scene.plots == ("joint:hinge.angle", *drawn) and scene.drawn == drawn
    commands.export_python(simulation, tmp_path / "a.py", view, ("contacts",), write)
    program = runpy.run_path(str(tmp_path / "a.py"))
    assert program["SCENE"].plots == scene.plots and program["SCENE"].drawn == drawn
