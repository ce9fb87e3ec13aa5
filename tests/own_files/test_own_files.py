"""Own files of a user: found beside ours, errors contained, reloaded when saved."""

import os
import subprocess
import sys

import pytest

import scenes
from app.engine import commands
from app.engine.simulation import Simulation
from app.own_files import discover, trust
from physics import BadInput, solvers
from tests.helpers import RAMP, ROOT, write_own

FREE = '''"""Nothing holds anything."""

from physics.solvers.sequential_impulses import SOLVER as Known


class Solver(Known):
    name = "my own"


SOLVER = Solver
'''


def test_an_own_scene_and_an_own_solver(mine):
    write_own(mine.folder, "scenes/my_ball.py", RAMP)
    write_own(mine.folder, "solvers/mine.py", FREE)
    mine()
    assert scenes.find("my_ball").title == "My ball" and solvers.available()["mine"].name == "my own"
    simulation = Simulation("my_ball")
    commands.use_solver(simulation, "mine")
    simulation.step()
    assert simulation.world.steps == 1
    assert len(scenes.all_scenes()) > 20, "ours are still there"


@pytest.mark.parametrize(("text", "said"), [
    ("SCENE = Scene(", "line 1: "), ("import numpy\n\nSCENE = nothing\n", "line 3: NameError: name 'nothing' is not defined"),
    ("raise SystemError('no')", "line 1: SystemError: no")])
def test_a_file_with_an_error_is_reported_and_left_out(mine, caplog, text, said):
    path = write_own(mine.folder, "scenes/wrong.py", text)
    write_own(mine.folder, "scenes/my_ball.py", RAMP)
    mine()
    assert "my_ball" in scenes.all_scenes() and "wrong" not in scenes.all_scenes()
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 1 and told[0].startswith(f"{path} is skipped: {said}"), told


def test_own_files_cannot_replace_ours(mine, caplog):
    path = write_own(mine.folder, "scenes/pyramid.py", RAMP)
    mine()
    assert scenes.find("pyramid").title != "My ball"
    assert [record.getMessage() for record in caplog.records] == [
        f"{path} is skipped: the name is already used: rename it"]


def test_without_own_files_nothing_changes(tmp_path):
    before = list(scenes.__path__)
    discover.adopt(tmp_path / "nowhere")
    assert scenes.__path__ == before


def test_the_command_line_finds_own_files(tmp_path):
    write_own(tmp_path, "scenes/my_ball.py", RAMP)
    write_own(tmp_path, "scenes/wrong.py", "1/0")
    answers = trust.TrustStore(tmp_path / "state" / trust.FILE_NAME)
    for path in tmp_path.glob("scenes/*.py"):
        answers.remember(path, True)
    done = subprocess.run([sys.executable, "-m", "app", "scenes", "mine"], capture_output=True, text=True, cwd=ROOT,
                          env={**os.environ, "STICTION_DATA_DIR": str(tmp_path), "STICTION_STATE_DIR": str(tmp_path / "state")})
    assert done.returncode == 0 and done.stdout.split() == ["my_ball", "Mine", "My", "ball"], done.stderr
    assert "wrong.py is skipped: line 1: ZeroDivisionError: division by zero" in done.stderr and "Traceback" not in done.stderr


def test_a_saved_file_is_reloaded(mine):
    write_own(mine.folder, "scenes/my_ball.py", RAMP)
    mine()
    simulation, watch = Simulation("my_ball"), discover.FileWatcher()
    commands.set_parameter(simulation, "height", 2.0)
    assert not watch.renewed("my_ball", 0.0)
    assert not watch.renewed("my_ball", 1.0), "nothing was saved"
    path = write_own(mine.folder, "scenes/my_ball.py", RAMP.replace("SIZE = 0.1", "SIZE = 0.3"))
    assert not watch.renewed("my_ball", 1.2), "too soon to look again"
    assert watch.renewed("my_ball", 2.0) == ("scenes.my_ball",)
    commands.rebuild_changed_scene(simulation, ("scenes.my_ball",))
    assert simulation.world.shapes["dims"][-1][0] == 0.3 and simulation.parameters.height == 2.0

    write_own(mine.folder, "scenes/my_ball.py", RAMP.replace("SIZE = 0.1", "SIZE = 1/0"))
    saved = watch.renewed("my_ball", 3.0)
    with pytest.raises(BadInput) as refused:
        commands.rebuild_changed_scene(simulation, saved)
    assert str(refused.value) == f"{path} was saved but is not used: line 19: ZeroDivisionError: division by zero"
    assert not watch.renewed("my_ball", 4.0), "said once"
    assert scenes.find("my_ball").build.__globals__["SIZE"] == 0.3, "as it was"

    write_own(mine.folder, "scenes/my_ball.py", RAMP.replace("Sphere(SIZE)", "Sphere(-SIZE)"))
    saved, world = watch.renewed("my_ball", 5.0), simulation.world
    with pytest.raises(BadInput, match=r"my_ball\.py cannot be built: line 16: BadInput"):
        commands.rebuild_changed_scene(simulation, saved)
    assert simulation.world is world


def test_the_scene_in_the_documents_is_valid(mine):
    text = (ROOT / "docs" / "laboratory.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    write_own(mine.folder, "scenes/my_box.py", text)
    mine()
    simulation = Simulation("my_box")
    for _ in range(480):
        simulation.step()
    assert simulation.world.bodies["pos"][-1][0] == pytest.approx(3.0**2 / (2.0 * 0.5 * 9.81), rel=0.01)


def test_own_files_in_the_window(person, mine):
    write_own(mine.folder, "scenes/my_ball.py", RAMP)
    mine()
    person.load("my_ball")
    person.session.post(commands.set_option, "iterations", 33)
    person.wait(lambda: False, 0.6)
    write_own(mine.folder, "scenes/my_ball.py", RAMP.replace("SIZE = 0.1", "SIZE = 0.3").replace("My ball", "My large ball"))
    assert person.wait(lambda: person.session.frame.shapes["dims"][-1][0] == 0.3, 10.0)
    assert person.session.scene.title == "My large ball" and person.session.simulation.world.solver.options.iterations == 33
    assert person.wait(lambda: any("was saved" in message.text for message in person.session.messages), 5.0)
    person.wait(lambda: False, 0.6)
    write_own(mine.folder, "scenes/my_ball.py", "SCENE = (")
    assert person.wait(lambda: any("is not used: line 1" in message.text for message in person.session.messages), 10.0)
    assert person.session.frame.scene == "my_ball"
    person.load("pyramid")
