"""The panel of the fan in the real window: start, ghosts, plotted spread, end."""

import numpy as np
import pytest

from app.analysis.curves.fan_spread import spread_of
from app.engine.comparison import Comparison
from app.engine.simulation import Simulation
from app.gui.controls import style
from app.gui.shell.viewport_layout import ghosts_shown
from app.panels import fan, physics


@pytest.fixture
def fanning(person):
    person.load("incline")
    person.window.gui.panels.open("fan")
    person.forget(fan.FanState)
    person.look(6)
    yield person
    person.session.post(Comparison.end_fan)
    assert person.wait(lambda: not person.session.frame.fan)


def start(person):
    person.click("fan/start fan")
    assert person.wait(lambda: len(person.session.frame.fan) == 5)


def test_a_fan_is_started_and_ended_by_clicks(fanning):
    start(fanning)
    session = fanning.session
    assert {member.variable for member in session.frame.fan} == {"friction"}
    session.post(Simulation.single_step, 60)
    assert fanning.wait(lambda: session.frame.step == 60)
    shown = ghosts_shown(session, 0.0)["ghosts"]
    assert [ghost.colour for ghost in shown] == [colour[:3] for colour in style.ramp(5)]
    box = session.frame.as_world.body("box 3")
    assert np.ptp([ghost.pos[box, 0] for ghost in shown]) > 0.05
    assert not fanning.window.gui.panels.all["fan"].error
    fanning.click("fan/end fan")
    assert fanning.wait(lambda: not session.frame.fan)


def test_the_plotted_spread_is_that_of_the_members(fanning, monkeypatch):
    drawn = []
    monkeypatch.setattr(fan, "_plot", lambda own, members, spread, unit: drawn.append((own, members, spread)))
    start(fanning)
    session = fanning.session
    session.post(Simulation.single_step, 60)
    assert fanning.wait(lambda: session.frame.step == 60 and session.frame.paused)
    fanning.look(3)
    own, members, spread = drawn[-1]
    key = session.state(fan.FanState).key
    rows = np.array([member.simulation.traces.table()[key] for member in session.thread.comparison.members])
    assert spread.lo.tolist() == rows.min(axis=0).tolist() and spread.hi.tolist() == rows.max(axis=0).tolist()
    assert spread.last == np.ptp(rows[:, -1]) > 0.1 and own[1].tolist() == session.traces.table()[key].tolist()
    again = spread_of(members)
    assert again.lo.tolist() == spread.lo.tolist()


def test_the_friction_that_acts_in_the_scene_is_proposed(fanning):
    """A block on a rail has no contacts: another friction coefficient changes nothing there."""
    state = fanning.session.state(fan.FanState)
    assert state.variable == "friction"
    fanning.load("slider")
    fanning.look(3)
    assert state.variable == "joint_friction" and len(set(fan.values_of(fanning.session, state))) == 5
    fanning.load("incline")
    fanning.look(3)
    assert state.variable == "friction"


def test_proposed_values_surround_the_present_one(fanning):
    session, state = fanning.session, fanning.session.state(fan.FanState)
    for variable in ("friction", "restitution", "joint_friction", "dt"):
        state.variable = variable
        fanning.look(2)
        values = fan.values_of(session, state)
        assert len(values) == 5 and values == tuple(sorted(values)), variable
    assert session.frame.dt == pytest.approx(values[2])
    state.variable = "solver"
    fanning.look(2)
    assert "sequential_impulses" in fan.values_of(session, state)


def test_a_solver_that_needs_options_is_left_out_until_it_is_chosen(fanning):
    session, state = fanning.session, fanning.session.state(fan.FanState)
    state.variable = "solver"
    fanning.look(3)
    assert "event_driven" not in fan.values_of(session, state)
    fanning.click("fan/event-driven (Featherstone), friction: left out")
    assert "event_driven" in fan.values_of(session, state)


def test_the_solvers_that_another_scene_needs_options_for_are_known_at_once(fanning, monkeypatch):
    monkeypatch.setattr(physics, "QUERY_INTERVAL", 1e9)
    session = fanning.session
    fanning.load("slider")
    assert not physics.alternatives(session)["event_driven"]
    fanning.load("incline")
    assert physics.alternatives(session)["event_driven"]
