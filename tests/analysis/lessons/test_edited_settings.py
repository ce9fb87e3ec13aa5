"""What was edited by hand: of scene files, where the edits of the session are gone."""

import numpy as np
import pytest

from app.analysis.lessons.edited_settings import FileDifferences
from app.engine import commands
from app.engine.scene_files import scene_file
from app.engine.scene_files.scene_file import SceneContext
from app.engine.simulation import Simulation
from app.engine.thread import PhysicsThread
from app.panels.lesson import changed
from app.session import Session


def reopened(simulation, path):
    """A session with the scene saved and opened again."""
    around = SceneContext("Mine", simulation.scene_name, simulation.parameters)
    path.write_text(scene_file.text_of(simulation.world, simulation.dt, around)[0], encoding="utf-8")
    thread = PhysicsThread(Simulation(str(path)))
    return Session(thread, thread.frame)


@pytest.mark.parametrize("steps", [0, 20])
def test_a_mass_that_was_changed_is_told_after_save_and_open(tmp_path, steps):
    simulation = Simulation("pendulum")
    commands.set_mass(simulation, simulation.world.body("rod"), 8.0)
    for _ in range(steps):
        assert simulation.step()
    session = reopened(simulation, tmp_path / "mine.toml")
    assert [str(text) for text in changed(session)] == ["mass of rod"]
    commands.set_parameter(session.simulation, "friction", 0.3)
    session.update(0.0)
    session.frame = PhysicsThread(session.simulation).frame
    assert not changed(session), "another parameter rebuilds the scene without what the file had"


def test_gravity_friction_and_joints_of_a_file_are_told(tmp_path):
    simulation = Simulation("pendulum")
    commands.set_gravity(simulation, (0.0, 0.0, -3.0))
    commands.set_friction(simulation, 0.123)
    simulation.world.remove_joint(int(np.flatnonzero(simulation.world.joints["kind"] >= 0)[0]))
    session = reopened(simulation, tmp_path / "mine.toml")
    texts = [str(text) for text in FileDifferences().of(session.scene, session.parameters)]
    assert {"gravity", "friction of rod", "joints"} <= {*texts}


@pytest.mark.parametrize("name", ["pendulum", "incline", "door", "braking_cars"])
def test_a_scene_saved_as_it_was_or_after_steps_is_not_changed(tmp_path, name):
    simulation = Simulation(name)
    for steps in (0, 30):
        for _ in range(steps):
            assert simulation.step()
        assert not changed(reopened(simulation, tmp_path / "mine.toml"))
