"""The status bar in words: pace and exactness; a failed audit has its sentence, the solver's numbers are behind a click."""

from types import SimpleNamespace

import pytest
from pyglet.window import key

from app.console import console
from app.engine import commands
from app.engine.frame import RealTimePace
from app.engine.simulation import Simulation
from app.gui.controls import style
from app.gui.output.video_recorder import Shown
from app.panels import status
from physics.observe.audit.findings import Audit
from tests.tools.handmade import FINDING, session_of
from tests.tools.person import fresh_spots


def words(session):
    return [text for text, _, _ in status.words(session)]


@pytest.mark.parametrize(("asked", "word"), [
    (1.0, "real time"), (0.25, "slow motion, 0.25\u00d7"), (2.0, "fast motion, 2\u00d7")])
def test_the_pace_is_said_in_words(asked, word):
    assert words(session_of(RealTimePace(asked, asked))) == [word, "exact"]


def test_short_of_time_is_said_when_it_lasts():
    session = session_of(RealTimePace(1.0, 0.5))
    assert words(session)[0] == "real time", "just started"
    session.state(status.StatusState).on_time -= 2.0 * status.MIN_SHORT_TIME
    assert words(session)[0] == "short of time: 0.50 of 1\u00d7"
    session.state(Shown).recording = True
    assert words(session)[0] == "video: 0.50 of 1\u00d7", "the simulation waits for its pictures"
    session.frame.paused = True
    assert words(session)[0] == "paused"


def test_the_first_step_which_loads_its_kernels_is_not_short_of_time():
    session = session_of(RealTimePace(1.0, 0.0))
    session.frame.step = 0
    session.state(status.StatusState).on_time -= 2.0 * status.MIN_SHORT_TIME
    assert words(session)[0] == "real time"


@pytest.mark.parametrize(("told", "word"), [
    ({}, "exact"), ({"end": "fixed"}, "exact"), ({"audit": None}, "exact, not audited"), ({"residual": 0.02}, "not exact"),
    ({"residual": 0.02, "end": "fixed"}, "not exact"), ({"residual": float("nan")}, "not exact")])
def test_exact_means_a_small_residual_and_a_passed_audit(told, word):
    assert words(session_of(**told))[1:] == [word]


def test_exact_is_not_said_while_steps_are_cut_short():
    session = session_of()
    session.frame.energy_totals = SimpleNamespace(**{**vars(session.frame.energy_totals), "budget_ended_steps": 3})
    assert "exact" not in words(session) and any(status.ENDED_BY_CLOCK in text for text in words(session))
    session.state(status.StatusState).ended -= 2.0 * status.WARNING_TIME
    assert "exact" in words(session), "the last steps had their time"


def test_the_auditors_sentence_stands_where_exact_would():
    shown = status.words(session_of(audit=Audit((FINDING,))))
    assert not any("exact" in text for text, _, _ in shown)
    text, colour, help = shown[-1]
    assert text.endswith(FINDING.text) and colour == style.palette().bad and FINDING.text in help


def test_failures_and_warnings_are_of_this_run_and_this_solver(window, person):
    """Another solver, a reset and another scene begin anew; the console keeps all lines."""
    session = person.session
    person.load("pyramid")
    state = session.state(status.StatusState)
    console().add("warning", "an old warning")
    console().lines[-1].wall -= 2.0 * status.RECENT
    person.look(2)
    person.hit(key.R)
    assert person.wait(lambda: state.run[0] == session.frame.setting.build and "status/warnings" not in fresh_spots(person))
    console().add("warning", "a new warning")
    assert "status/warnings" in fresh_spots(person) and state.warned[0] == 1
    console().lines[-1].wall -= 2.0 * status.RECENT
    session.post(commands.use_solver, "soft_steps")
    assert person.wait(lambda: session.frame.solver == "soft steps")
    assert "status/warnings" not in fresh_spots(person) and len(console().lines) >= 2
    totals = session.frame.energy_totals
    shown = session_of()
    shown.scene = None
    shown.frame.energy_totals = SimpleNamespace(**{**vars(shown.frame.energy_totals), "audit_failures": 7})
    assert any("7 steps failed" in text for text in words(shown))
    shown.state(status.StatusState).failed = 7
    assert not any("failed" in text for text in words(shown)) and totals.audit_failures == 0


def test_slow_motion_is_one_click_away_where_the_clock_ends_steps(window, person):
    """It shows while steps are short of time, halves the speed, and goes when they are not."""
    session = person.session
    person.load("pyramid")
    session.post(commands.set_option, "budget", 0.001)
    session.post(Simulation.run)
    assert person.wait(lambda: session.frame.energy_totals.budget_ended_steps > 0 and "status/slow motion" in fresh_spots(person))
    person.click("status/slow motion")
    assert person.wait(lambda: session.simulation.speed == 0.5)
    session.post(commands.set_option, "budget", 0.0)
    session.post(Simulation.set_speed, 0.02)
    assert person.wait(lambda: "status/slow motion" not in fresh_spots(person))
    session.post(Simulation.set_speed, 1.0)
