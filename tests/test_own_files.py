"""A person's own files: found beside ours, careful with what is wrong in them, read again when they are saved."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import scenes
from app import own_files
from app.engine.simulation import Simulation
from physics import BadInput, solvers

ROOT = Path(__file__).resolve().parents[1]
RAMP = '''"""A ball at rest."""

from dataclasses import dataclass

from physics import Plane, Sphere, option
from scenes import Scene


@dataclass
class Parameters:
    height: float = option(0.5, unit="m", help="how high it is", lo=0.1, hi=5.0)


def build(world, parameters):
    world.add_body(Plane(), kind="static")
    world.add_body(Sphere(SIZE), pos=(0.0, 0.0, parameters.height))


SIZE = 0.1
SCENE = Scene(title="My ball", category="Mine", look_for="It falls.", law="", law_text="", build=build, parameters=Parameters)
'''
FREE = '''"""Nothing holds anything."""

from physics.solvers.sequential_impulses import SOLVER as Known


class Solver(Known):
    name = "my own"


SOLVER = Solver
'''


def write(data, name, text):
    """A file of a person's; a time of its own, since clocks of files are coarse."""
    path = data / name
    path.parent.mkdir(parents=True, exist_ok=True)
    write.time = getattr(write, "time", 1_700_000_000) + 10
    path.write_text(text)
    os.utime(path, (write.time, write.time))
    return path


@pytest.fixture
def mine(tmp_path):
    """A folder of a person's files, forgotten afterwards; call it once the files are there."""
    packages = [importlib.import_module(name) for name in ("scenes", "scenes.lessons", "physics.solvers")]
    paths, modules = [list(package.__path__) for package in packages], set(sys.modules)

    def adopt():
        own_files.adopt(tmp_path)
        return tmp_path

    adopt.folder = tmp_path
    yield adopt
    for package, path in zip(packages, paths):
        package.__path__[:] = path
    for name in set(sys.modules) - modules:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            parent, _, own = name.rpartition(".")
            vars(sys.modules[parent]).pop(own, None)
            del sys.modules[name]


def test_a_scene_and_a_solver_of_ones_own(mine):
    write(mine.folder, "scenes/my_ball.py", RAMP)
    write(mine.folder, "solvers/mine.py", FREE)
    mine()
    assert scenes.find("my_ball").title == "My ball" and solvers.available()["mine"].name == "my own"
    simulation = Simulation("my_ball")
    simulation.use_solver("mine")
    simulation.step()
    assert simulation.world.steps == 1
    assert len(scenes.all_scenes()) > 20, "ours are still there"


@pytest.mark.parametrize(("text", "said"), [
    ("SCENE = Scene(", "line 1: "), ("import numpy\n\nSCENE = nothing\n", "line 3: NameError: name 'nothing' is not defined"),
    ("raise SystemError('no')", "line 1: SystemError: no")])
def test_a_file_with_a_mistake_is_told_and_left_out(mine, caplog, text, said):
    path = write(mine.folder, "scenes/wrong.py", text)
    write(mine.folder, "scenes/my_ball.py", RAMP)
    mine()
    assert "my_ball" in scenes.all_scenes() and "wrong" not in scenes.all_scenes()
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 1 and told[0].startswith(f"{path} is left out: {said}"), told


def test_a_name_of_ours_is_not_taken(mine, caplog):
    path = write(mine.folder, "scenes/pyramid.py", RAMP)
    mine()
    assert scenes.find("pyramid").title != "My ball"
    assert [record.getMessage() for record in caplog.records] == [
        f"{path} is left out: there is one of that name already, so give it another"]


def test_without_own_files_nothing_is_touched(tmp_path):
    before = list(scenes.__path__)
    own_files.adopt(tmp_path / "nowhere")
    assert scenes.__path__ == before


def test_the_command_line_finds_them(tmp_path):
    write(tmp_path, "scenes/my_ball.py", RAMP)
    write(tmp_path, "scenes/wrong.py", "1/0")
    done = subprocess.run([sys.executable, "-m", "app", "scenes", "mine"], capture_output=True, text=True, cwd=ROOT,
                          env={**os.environ, "STICTION_DATA_DIR": str(tmp_path)})
    assert done.returncode == 0 and done.stdout.split() == ["my_ball", "Mine", "My", "ball"], done.stderr
    assert "wrong.py is left out: line 1: ZeroDivisionError: division by zero" in done.stderr and "Traceback" not in done.stderr


def test_a_file_that_is_saved_is_read_again(mine):
    write(mine.folder, "scenes/my_ball.py", RAMP)
    mine()
    simulation, watch = Simulation("my_ball"), own_files.Watch()
    simulation.set_parameter("height", 2.0)
    assert not watch.renewed("my_ball", 0.0)
    assert not watch.renewed("my_ball", 1.0), "nothing was saved"
    path = write(mine.folder, "scenes/my_ball.py", RAMP.replace("SIZE = 0.1", "SIZE = 0.3"))
    assert not watch.renewed("my_ball", 1.2), "too soon to look again"
    assert watch.renewed("my_ball", 2.0) and not watch.trouble
    simulation.renew()
    assert simulation.world.shapes["dims"][-1][0] == 0.3 and simulation.parameters.height == 2.0

    write(mine.folder, "scenes/my_ball.py", RAMP.replace("SIZE = 0.1", "SIZE = 1/0"))
    assert not watch.renewed("my_ball", 3.0)
    assert watch.trouble == f"{path} was saved and is not used: line 19: ZeroDivisionError: division by zero"
    assert not watch.renewed("my_ball", 4.0) and not watch.trouble, "said once"
    assert scenes.find("my_ball").build.__globals__["SIZE"] == 0.3, "as it was"

    write(mine.folder, "scenes/my_ball.py", RAMP.replace("Sphere(SIZE)", "Sphere(-SIZE)"))
    assert watch.renewed("my_ball", 5.0)
    world = simulation.world
    with pytest.raises(BadInput, match="cannot be built: line 16: BadInput"):
        simulation.renew()
    assert simulation.world is world


def test_the_scene_in_the_docs_is_one(mine):
    text = (ROOT / "docs" / "laboratory.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    write(mine.folder, "scenes/my_box.py", text)
    mine()
    simulation = Simulation("my_box")
    for _ in range(480):
        simulation.step()
    assert simulation.world.bodies["pos"][-1][0] == pytest.approx(3.0**2 / (2.0 * 0.5 * 9.81), rel=0.01)


def test_in_the_window(person, mine):
    write(mine.folder, "scenes/my_ball.py", RAMP)
    mine()
    person.load("my_ball")
    person.session.post("set_option", "iterations", 33)
    person.wait(lambda: False, 0.6)
    write(mine.folder, "scenes/my_ball.py", RAMP.replace("SIZE = 0.1", "SIZE = 0.3").replace("My ball", "My large ball"))
    assert person.wait(lambda: person.session.frame.shapes["dims"][-1][0] == 0.3, 10.0)
    assert person.session.scene.title == "My large ball" and person.session.simulation.world.solver.options.iterations == 33
    assert person.wait(lambda: any("was saved" in message.text for message in person.session.messages), 5.0)
    person.wait(lambda: False, 0.6)
    write(mine.folder, "scenes/my_ball.py", "SCENE = (")
    assert person.wait(lambda: any("is not used: line 1" in message.text for message in person.session.messages), 10.0)
    assert person.session.frame.scene == "my_ball"
    person.load("pyramid")
