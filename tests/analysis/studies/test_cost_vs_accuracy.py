"""Cost against accuracy: errors against laws and references, families of runs, skipped runs, and the panel."""

import numpy as np
import pytest

import scenes
from app.analysis.studies import cost_vs_accuracy
from app.analysis.studies.cost_vs_accuracy import Accuracy
from app.panels.accuracy import AccuracyState
from physics import solvers
from tests.tools.person import fresh_spots


def made(name, key="", seconds=0.3, start=True):
    scene = scenes.find(name)
    study = Accuracy(scene, scene.parameters(), key or scene.plots[0], seconds)
    if start:
        study.run()
    return study


def family(study, solver, knob):
    return [point for point in study.points if (point.solver, point.knob) == (solver, knob)]


def test_every_solver_is_first_order_against_the_law():
    """A box that slides down: v is exact but for where the step begins, so the error of the way is C h."""
    study = made("incline", seconds=0.2)
    assert study.problem == "" and study.against.startswith("the law") and study.done and study.progress == 1.0
    refused = [name for name, kind in solvers.available().items() if any(kind.name in sentence for sentence in study.left_out)]
    assert {"subsystems", "event_driven"} >= set(refused), "those that have no contacts, or no friction"
    for solver in sorted(solvers.available().keys() - {*refused, "compliant_contact"}):      # its springs have another motion
        steps = family(study, solver, "step")
        sizes, errors = np.array([point.value for point in steps]), np.array([point.error for point in steps])
        assert len(steps) == 5, solver
        assert np.polyfit(np.log(sizes[-3:]), np.log(errors[-3:]), 1)[0] == pytest.approx(1.0, abs=0.1), solver
        assert steps[-1].cost > steps[0].cost > 0.0


def test_more_sweeps_converge_to_the_exact_solver(monkeypatch):
    chosen = {name: solvers.available()[name] for name in ("sequential_impulses", "stewart_trinkle")}
    monkeypatch.setattr(cost_vs_accuracy.solvers, "available", lambda: chosen)
    study = made("stack", "world.kinetic", 0.2)
    sweeps = [point.error for point in family(study, "sequential_impulses", "iterations")]
    assert sweeps[0] > 100.0 * sweeps[3] > 1e4 * sweeps[5]
    assert all(point.error < 1e-9 for point in family(study, "stewart_trinkle", "rounds"))
    assert study.against == "sequential impulses with a step of 0.26 ms"


def test_unsupported_runs_are_listed_as_left_out(monkeypatch):
    kind = solvers.available()["soft_steps"]
    monkeypatch.setattr(kind, "unsupported", lambda self, world: "it is closed today")
    monkeypatch.setattr(cost_vs_accuracy, "MAX_RUN_TIME", 0.01)
    study = made("incline", seconds=1.0)
    assert any("it is closed today" in said for said in study.left_out) and study.done
    assert not [point for point in study.points if point.solver == "soft_steps"]
    assert any("would take more than 0.01 s" in said for said in study.left_out)
    assert made("stack", seconds=2.0).problem.startswith("the reference, "), "it has no law, and its reference takes longer"


def test_an_unknown_quantity_ends_the_study():
    assert "nobody" in made("door", "body:nobody.x").problem


def test_the_panel(person):
    person.load("door")
    person.window.gui.panels.open("accuracy")
    person.look(6)
    state = person.session.state(AccuracyState)
    state.seconds = 0.05
    person.click("accuracy/run accuracy")
    assert person.wait(lambda: state.study.done, 60.0)
    person.look(4)
    assert state.study.problem == "" and len(state.study.points) > 20
    assert not person.window.gui.panels.all["accuracy"].error and "accuracy/run accuracy" in fresh_spots(person)
    state.seconds = 20.0
    person.click("accuracy/run accuracy")
    person.click("accuracy/cancel accuracy")
    assert person.wait(lambda: state.study.done, 20.0) and state.study.problem == "cancelled"
    person.load("pyramid")
    person.look(4)
    assert state.study is None, "another scene, another study"
    person.window.gui.panels.all["accuracy"].open = False
