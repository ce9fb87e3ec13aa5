"""Energy panel: layers close, in synthetic models and in the real window; momentum tip to tail."""

import itertools
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import scenes
from app.analysis.energy import energy, momentum
from app.engine import commands
from app.engine.simulation import Simulation
from app.gui.controls import style
from app.panels import _momentum
from app.panels import energy as panel
from physics import Box, Plane, World, step
from physics.dynamics.energy_ledger import LEDGER_COLUMNS
from tests.helpers import frame_of
from tests.tools.person import fresh_spots

DT = 1.0 / 240.0


def sliding() -> World:
    world = World()
    world.add_body(Plane(), kind="static", friction=0.3)
    world.add_body(Box((0.2, 0.2, 0.05)), pos=(0.0, 0.0, 0.3), vel=(2.0, 0.0, 0.0), mass=2.0, friction=0.3)
    world.solver.options.budget = 0.0
    world.records_energy = True
    return world


def watched(world: World, steps: int, history: energy.EnergyHistory | None = None) -> energy.EnergyHistory:
    history = history or energy.EnergyHistory()
    for _ in range(steps):
        step(world, DT)
        assert history.add_frame(frame_of(world))
    return history


def test_the_layers_close_except_for_numerical_energy():
    world = sliding()
    history = watched(world, 120)
    shown = history.layers(1000)
    assert {"kinetic", "potential", "friction", "impact"} <= set(shown.names)
    np.testing.assert_allclose(shown.numerical, history.column("numerical"), atol=1e-9)
    assert np.all(np.diff(shown.heights, axis=0) >= 0.0), "layers lie on one another"
    np.testing.assert_allclose(shown.put_in, shown.put_in[0], rtol=1e-12), "nothing puts energy in"
    assert len(history.layers(40).time) <= 42 and history.layers(40).time[-1] == shown.time[-1]
    rows = {row.name: row for row in history.rows()}
    assert rows["friction"].total == world.energy_totals.ledger["friction"]
    assert rows["kinetic"].total == world.report.energy["kinetic"]
    assert rows["friction"].step == world.report.ledger["friction"]
    assert rows["potential"].total == world.report.energy["potential"], "from z = 0, as in every other place"


def test_steps_in_one_burst_are_in_the_sums():
    """A picture may come after many steps: the account begins before the first of them, also for the last second."""
    world, watched_all = sliding(), watched(sliding(), 60)
    for _ in range(60):
        step(world, DT)
    history = energy.EnergyHistory()
    assert history.add_frame(frame_of(world)) and history.count == 2
    assert history.column("time")[0] == pytest.approx(0.0, abs=1e-12) and len(history.layers(100).time) == 2
    assert history.column("height")[0] == pytest.approx(2.0 * 9.81 * 0.3, rel=1e-3)
    for row, known in zip(history.rows(), watched_all.rows(), strict=True):
        assert (row.name, row.second, row.total) == (known.name, pytest.approx(known.second, abs=1e-9), known.total)
    np.testing.assert_allclose(history.layers(100).numerical, history.column("numerical"), atol=1e-9)


def test_drivers_add_to_the_energy_put_in():
    world = sliding()
    world.drivers.append(lambda world: world.apply_force(2, (40.0, 0.0, 0.0)))
    shown = watched(world, 60).layers(100)
    assert shown.lines == ("applied",) and shown.put_in[-1] > shown.put_in[0] + 1.0


def test_velocities_set_by_the_user_are_manual_changes():
    world = sliding()
    history = watched(world, 10)
    world.set_velocity(2, (5.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    watched(world, 5, history)
    rows = {row.name: row for row in history.rows()}
    assert rows["by hand"].total > 10.0
    shown = history.layers(100)
    np.testing.assert_allclose(shown.numerical, history.column("numerical"), atol=1e-9)


@pytest.mark.parametrize("height", [1.0, 1000.0])
def test_rounding_at_rest_is_not_numerical_energy(height):
    """Potential energies from z = 0 are subtracted in each step: their rounding grows with them, and nothing else is there."""
    world = World()
    world.add_body(Box((1.0, 1.0, height)), kind="static", pos=(0.0, 0.0, height), friction=0.3)
    world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 2.0 * height + 0.1), mass=50.0, friction=0.3)
    world.records_energy = True
    history = watched(world, 300)
    assert history.scale < 1e-3 and history.rounding < 1e-6
    history.column("numerical")[-1] = 0.5 * history.rounding
    assert not history.suspicious
    history.column("numerical")[-1] = 0.1
    assert history.suspicious


def test_a_table_at_rest_has_no_numerical_energy():
    world = scenes.make_world(scenes.find("table_legs"))
    world.records_energy = True
    history = watched(world, 960)
    assert not history.suspicious and abs(history.column("numerical")[-1]) < history.rounding


def test_the_account_goes_on_while_nobody_looks():
    world = sliding()
    history = watched(world, 10)
    for _ in range(10):
        step(world, DT)
    watched(world, 5, history)
    assert history.count == 16 and history.column("gravity")[-1] == world.energy_totals.ledger["gravity"]


def test_going_back_cuts_the_samples_and_a_solver_change_is_marked():
    world = sliding()
    history = watched(world, 10)
    kept = world.snapshot()
    watched(world, 10, history)
    assert history.count == 21
    world.restore(kept)
    assert history.add_frame(frame_of(world)) and history.count == 11 and not history.add_frame(frame_of(world))
    world.use_solver("soft_steps")
    watched(world, 5, history)
    assert history.count == 16 and [mark.solver for mark in history.marks] == ["soft steps"]
    world.restore(kept)
    history.add_frame(frame_of(world))
    assert history.count == 11 and history.marks == []


def test_a_gap_in_the_reports_or_another_scene_restarts_the_account():
    world = sliding()
    history = watched(world, 10)
    world.records_energy = False
    for _ in range(3):
        step(world, DT)
        assert not history.add_frame(frame_of(world))
    world.records_energy = True
    watched(world, 4, history)
    assert history.count == 4
    watched(sliding(), 2, history)
    assert history.count == 3


def test_a_long_run_is_thinned_and_keeps_its_ends(monkeypatch):
    monkeypatch.setattr(energy, "MAX_SAMPLES", 64)
    history = watched(sliding(), 100)
    assert history.count <= 64 and history.column("time")[0] == 0.0 and history.column("time")[-1] > 100 * DT - 1e-9
    assert np.all(np.diff(history.column("time")) > 0.0)


def test_table_of_all_samples():
    lines = watched(sliding(), 5).as_csv().decode().split("\r\n")
    assert lines[0].startswith("time [s],kinetic [J],potential [J],gravity [J]") and len(lines) == 8
    assert len(lines[1].split(",")) == len(lines[0].split(","))


def test_the_simulation_keeps_a_ledger_on_request():
    made = Simulation("pendulum")
    made.step()
    assert not made.world.report.ledger
    commands.follow(made, "ledger.gravity")
    made.step()
    assert tuple(made.world.report.ledger) == LEDGER_COLUMNS
    commands.unfollow(made, "ledger.gravity")
    commands.record_energy(made)
    made.reset()
    made.step()
    assert made.world.report.ledger


def test_momentum_is_the_sum_of_its_impulses():
    world = scenes.make_world(scenes.find("bowl"))
    world.solver.options.budget = 0.0
    for _ in range(20):
        step(world, DT)
        seen = momentum.momentum_of(frame_of(world))
        np.testing.assert_allclose(seen.rest, 0.0, atol=1e-9 * max(1.0, float(np.abs(seen.linear).max())))
    np.testing.assert_allclose(seen.about_origin, seen.about_centre + np.cross(seen.centre, seen.linear), atol=1e-9)
    arrows = _momentum.chain(seen, (0, 2))
    assert all(np.array_equal(one[2], other[1]) for one, other in itertools.pairwise(arrows))
    np.testing.assert_allclose(arrows[-1][2], (seen.linear - seen.before)[[0, 2]], atol=1e-9)


def test_neighbouring_layers_differ_for_colour_blind_users():
    """By lightness alone, which all kinds of colour blindness leave: kinetic and potential, and each from the panel."""
    def light(colour):
        r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3])
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    for name, palette in (("dark", style.DARK), ("light", style.LIGHT)):
        colours = panel.LAYER_COLOURS[name]
        for one, other in (("kinetic", "potential"), ("friction", "joint friction"), ("friction", "impact")):
            hi, lo = sorted((light(colours[one]), light(colours[other])), reverse=True)
            assert (hi + 0.05) / (lo + 0.05) > 1.25, (name, one, other)
        for cause, colour in colours.items():
            hi, lo = sorted((light(colour), light(palette.panel)), reverse=True)
            assert (hi + 0.05) / (lo + 0.05) > 1.5, (name, cause)


# ---- the panel


@pytest.fixture
def seeing(person):
    """With the panel in front."""
    person.window.gui.panels.show("energy")
    person.look(6)
    yield person
    person.session.state(panel.EnergyState).view = "energy"


def drawn(person):
    return {name.removeprefix("energy/") for name in fresh_spots(person) if name.startswith("energy/")}


def test_the_panel_shows_layers_table_and_momentum(seeing):
    seeing.load("incline")
    seeing.look(4)
    seeing.session.post(Simulation.single_step, 30)
    assert seeing.wait(lambda: seeing.session.frame.step >= 30)
    seeing.look(4)
    state = seeing.session.state(panel.EnergyState)
    spots = set(widgets_of(seeing))
    assert {"plot", "row friction", "row numerical", "row kinetic", "numerical", "energy csv"} <= spots
    assert state.history.count and state.rows
    seeing.session.post(Simulation.reset)
    seeing.session.post(Simulation.pause)
    assert seeing.wait(lambda: seeing.session.frame.step == 0)
    seeing.look(4)
    assert state.history.count == 0 and not seeing.window.gui.panels.all["energy"].error
    seeing.session.post(Simulation.single_step, 5)
    assert seeing.wait(lambda: seeing.session.frame.step >= 5)
    seeing.click("energy/momentum")
    assert {"arrows", "row gravity", "row normal", "row change", "row spin, centre"} <= set(widgets_of(seeing))
    assert not seeing.window.gui.panels.all["energy"].error


def test_the_table_of_a_paused_scene_is_that_of_its_last_step(seeing):
    """The last sample comes while it runs; the frame that says that it is paused has none."""
    seeing.load("pendulum")
    session, state = seeing.session, panel.EnergyState()
    session.post(commands.record_energy)
    session.post(Simulation.single_step, 3)
    assert seeing.wait(lambda: session.frame.paused and session.frame.step == 3)
    moving = replace(session.frame, paused=False)
    shown = SimpleNamespace(frame=moving)
    state.rows, state.refreshed = ["former"], time.perf_counter()
    panel.update(shown, state)
    assert state.rows == ["former"] and state.layers is not None
    shown.frame = replace(moving, paused=True)
    panel.update(shown, state)
    assert state.rows == state.history.rows()


def widgets_of(person):
    """What is drawn in the panel and in the children of it."""
    return [name.split("/", 1)[1] for name in fresh_spots(person)]


def test_an_empty_panel_says_why(person):
    person.load("pyramid")
    assert panel.why_empty(person.session.frame) == "No step yet. Run the scene."
    person.session.post(Simulation.single_step)
    assert person.wait(lambda: person.session.frame.step > 0)
    assert panel.why_empty(person.session.frame) == "No step since this panel was opened. Run the scene."
