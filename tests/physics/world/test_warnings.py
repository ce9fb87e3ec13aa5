"""Warnings: each sentence once, shown by the app, printed by `stiction run`."""

import sys

import scenes
from app.commands.run import summary
from app.engine.simulation import Simulation
from physics import World
from physics.core.warnings import MAX_WARNINGS, Warnings


def test_a_warning_is_stored_once_and_returned_once():
    said = Warnings()
    said.add("one")
    said.add("two")
    said.add("one")
    assert list(said) == ["one", "two"] and len(said) == 2
    assert said.pop_new() == ["one", "two"] and said.pop_new() == []
    said.add("two")
    said.add("three")
    assert said.pop_new() == ["three"]


def test_the_number_of_warnings_is_limited():
    said = Warnings()
    for n in range(2 * MAX_WARNINGS):
        said.add(f"sentence {n}")
    assert len(said) == MAX_WARNINGS


def test_worlds_do_not_share_warnings():
    one, other = World(), World()
    one.warnings.add("mine")
    assert not list(other.warnings)


def test_the_app_shows_warnings_after_a_step():
    simulation = Simulation("slider")
    simulation.messages.clear()
    simulation.world.warnings.add("the rail is rusty")
    simulation.step()
    simulation.step()
    assert list(simulation.messages) == ["the rail is rusty"]


def test_a_run_prints_warnings(capsys):
    scene = scenes.find("slider")
    world, _ = scenes.run(scene, seconds=0.01)
    world.warnings.add("the rail is rusty")
    summary(scene, scene.parameters(), world, {"time": [0.0], **{key: [0.0] for key in scene.plots}}, sys.stdout)
    assert "warning: the rail is rusty\n" in capsys.readouterr().out
