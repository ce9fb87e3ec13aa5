"""Convergence study: known orders, cases without an order, and the panel in the real window."""

import math
import time

import pytest

import scenes
from app.analysis.studies.convergence import ConvergenceRow, Study, order_of
from app.panels.convergence import ConvergenceState
from tests.tools.person import fresh_spots


def study(name: str, key: str = "", seconds: float = 0.6, solver: str = "", **options: object) -> Study:
    """Run one in this thread."""
    scene = scenes.find(name)
    world = scenes.make_world(scene)
    if solver:
        world.use_solver(solver)
    made = Study(scene, scene.parameters(), solver or scene.solver, world.solver.options, key or scene.plots[0], seconds)
    made.run()
    return made


def test_the_order_is_the_slope_of_the_logarithms() -> None:
    assert order_of(tuple(ConvergenceRow(h, 3.0 * h**1.5) for h in (0.1, 0.05, 0.025))) == pytest.approx(1.5)
    assert math.isnan(order_of((ConvergenceRow(0.1, 1.0),)))


def test_four_balls_converge_with_first_order() -> None:
    """ST96 Table I."""
    made = study("four_balls", "body:ball 1.z", 1.0)
    assert made.problem == "" and len(made.rows) == 5 and made.progress == 1.0
    assert made.order == pytest.approx(1.0, abs=0.15)
    assert [r.h for r in made.rows] == sorted((r.h for r in made.rows), reverse=True)


def test_a_frictionless_pendulum_converges_with_second_order() -> None:
    scene = scenes.find("pendulum")
    parameters = scene.parameters(friction=0.0)
    world = scenes.make_world(scene, parameters)
    world.solver.options.substeps = 1
    made = Study(scene, parameters, scene.solver, world.solver.options, "joint:hinge.angle", 0.5)
    made.run()
    assert made.problem == "" and made.order == pytest.approx(2.0, abs=0.2)


def test_a_quantity_that_does_not_change_has_no_order() -> None:
    made = study("pyramid", "body:world.x", 0.05)
    assert "equal at every step size" in made.problem and made.rows == () and made.done


def test_a_quantity_without_a_value_is_not_equal_at_every_step_size() -> None:
    made = study("pyramid", "contact:box 0.0 & box 5.0 #1/20/7.gap", 0.02)
    assert "has no value" in made.problem and made.rows == () and made.done


def test_an_unknown_quantity_ends_the_convergence_study() -> None:
    made = study("door", "body:nobody.x")
    assert made.done and "nobody" in made.problem


def test_the_study_can_be_cancelled() -> None:
    scene = scenes.find("playground")
    world = scenes.make_world(scene)
    made = Study(scene, scene.parameters(), scene.solver, world.solver.options, "world.energy", 20.0)
    made.start()
    while made.progress == 0.0:
        time.sleep(0.01)
    made.cancel()
    begin = time.perf_counter()
    while not made.done:
        time.sleep(0.01)
    assert made.problem == "cancelled" and time.perf_counter() - begin < 10.0


# ---- the panel


def show(person) -> None:
    person.window.gui.panels.open("convergence")
    person.look(6)


def test_the_panel_runs_a_study_and_shows_its_slope(person) -> None:
    person.load("door")
    show(person)
    person.click("convergence/run study")
    state = person.session.state(ConvergenceState)
    assert state.study is not None
    assert person.wait(lambda: state.study.done, 60.0)
    person.look(4)
    assert state.study.problem == "" and len(state.study.rows) > 2
    assert not person.window.gui.panels.all["convergence"].error
    assert "convergence/run study" in fresh_spots(person)
    person.load("pyramid")
    show(person)
    assert state.study is None, "another scene, another study"


def test_a_scene_that_is_opened_and_not_yet_shown_keeps_the_study(person, monkeypatch) -> None:
    person.load("door")
    show(person)
    state = person.session.state(ConvergenceState)
    monkeypatch.setattr(person.session.simulation, "scene_name", "other")
    person.look(2)
    assert (state.scene, state.key) == ("door", person.session.scene.plots[0])


def test_the_panel_cancels(person) -> None:
    person.load("playground")
    show(person)
    person.session.state(ConvergenceState).seconds = 20.0
    person.click("convergence/run study")
    person.click("convergence/cancel study")
    assert person.wait(lambda: person.session.state(ConvergenceState).study.done, 20.0)
    assert person.session.state(ConvergenceState).study.problem == "cancelled"
