"""Crash recovery in the real window: the offered session, its picture and time, and the choices."""

import argparse
import os
import signal
import subprocess
import sys
import time
from unittest.mock import create_autospec

import pytest
from imgui_bundle import imgui

from app.commands import view
from app.engine import commands
from app.engine.comparison import Comparison
from app.engine.recording.journal import abandoned
from app.engine.recording.journal_file import glance
from app.engine.simulation import Simulation
from app.files import folders
from app.gui.controls import widgets
from app.gui.output import crash_recovery
from app.gui.output.crash_recovery import RecoveryOffer, ThumbnailWriter, describe_session
from app.gui.shell.settings import Settings
from app.requests import RequestHandler
from physics import BadInput
from tests.helpers import begun


@pytest.fixture
def left(person, tmp_path, monkeypatch):
    """Two sessions that were killed, the newer one a pendulum with an edit; both are offered."""
    monkeypatch.setattr(folders, "state", lambda: tmp_path)
    for scene in ("incline", "pendulum"):
        simulation = Simulation(scene)
        made = begun(crash_recovery.folder(), simulation)
        for _ in range(20):
            assert simulation.step()
        commands.set_gravity(simulation, (0.0, 0.0, -3.0))
        made.close(ended=False)
    offer = person.session.state(RecoveryOffer)
    offer.find()
    person.session.window.open_panel("restore")
    person.look(3)
    yield offer
    offer.postpone()
    person.window.gui.panels.all["restore"].open = False


def spots(person):
    widgets.clickable_areas.clear()
    person.look(2)
    return set(widgets.clickable_areas)


def test_without_a_lost_session_the_panel_is_as_wide_as_its_sentence_needs(person, monkeypatch):
    monkeypatch.setattr(person.session.state(RecoveryOffer), "left", [])
    person.session.window.open_panel("restore")
    person.look(4)
    panel = person.window.gui.panels.all["restore"]
    shown = imgui.internal.find_window_by_name(panel.window)
    panel.open = False
    assert shown.size.x > 300.0 > shown.size.y


def test_restore_recovers_scene_edits_and_time(person, left):
    session = person.session
    assert "'Pendulum with dry friction', 1 edit)" in describe_session(left.left[0])
    person.click("restore/restore")
    assert person.wait(lambda: session.frame.scene == "pendulum" and session.frame.step == 20 and session.frame.paused)
    assert session.frame.gravity[2] == -3.0 and [edit.command for edit in session.simulation.edits.done] == ["set_gravity"]
    person.look(3)
    assert "restore/restore" not in spots(person)
    session.post(commands.undo)
    assert person.wait(lambda: session.frame.gravity[2] < -9.0)
    (other,) = abandoned(crash_recovery.folder())
    assert other.summary.scene == "incline", "the restored one is gone, the other one stays for later"
    other.release()


def test_restore_recovers_camera_and_comparison(person, tmp_path, monkeypatch):
    session = person.session
    monkeypatch.setattr(folders, "state", lambda: tmp_path)
    person.load("pyramid")
    session.start_journal(crash_recovery.folder())
    made = session.thread.journal
    session.camera.azimuth, session.camera.distance = 77.0, 5.5
    session.post(Comparison.compare_with, "soft_steps")
    session.post(Simulation.single_step)
    assert person.wait(lambda: session.frame.step == 1 and len(session.frame.followers) == 1)
    person.wait(lambda: False, 1.5)
    session.thread.journal = session.simulation.history.listener = None
    made.close(ended=False)
    session.post(Comparison.stop_comparing)
    session.post(Simulation.load, "incline")
    assert person.wait(lambda: session.frame.scene == "incline" and not session.frame.followers)
    offer = person.session.state(RecoveryOffer)
    offer.find()
    offer.restore(session)
    assert person.wait(lambda: session.frame.scene == "pyramid" and len(session.frame.followers) == 1)
    person.look(3)
    assert (session.camera.azimuth % 360.0, session.camera.distance) == (77.0, 5.5)
    session.post(Comparison.stop_comparing)
    person.load("pyramid")


def test_discard_offers_the_previous_journal_then_none(person, left):
    person.click("restore/discard")
    assert left.left[0].summary.scene == "incline" and "restore/discard" in spots(person)
    person.click("restore/discard")
    assert "restore/discard" not in spots(person) and not person.window.gui.panels.all["restore"].open
    assert list(crash_recovery.folder().iterdir()) == []


def test_later_asks_again_next_time(person, left):
    person.click("restore/later")
    person.look(2)
    assert not person.window.gui.panels.all["restore"].open
    found = abandoned(crash_recovery.folder())
    assert [one.summary.scene for one in found] == ["pendulum", "incline"]
    for one in found:
        one.release()


def test_a_thumbnail_is_saved_at_intervals_after_changes(person, tmp_path, monkeypatch):
    session, camera = person.session, ThumbnailWriter()
    session.thread.journal = journal = begun(tmp_path, session.simulation)
    try:
        camera.update(person.window, 100.0)
        assert journal.wait() and journal.path.with_suffix(".png").stat().st_size > 200
        journal.path.with_suffix(".png").unlink()
        camera.update(person.window, 105.0)
        camera.update(person.window, 120.0)
        assert journal.wait() and not journal.path.with_suffix(".png").exists(), "too soon, and nothing has changed"
        session.post(Simulation.single_step)
        assert person.wait(lambda: session.frame.step == session.simulation.world.steps > 0)
        camera.update(person.window, 121.0)
        assert journal.wait() and journal.path.with_suffix(".png").exists()
    finally:
        session.thread.journal = session.simulation.history.listener = None
        journal.close()


def arguments(*words):
    parser = argparse.ArgumentParser()
    view.arguments(parser)
    return parser.parse_args(words)


def test_restoring_from_the_command_line(left, capsys):
    left.postpone()
    locked = view.guarded_session(arguments("--locked"), Settings())
    assert "'Pendulum with dry friction'" in capsys.readouterr().err and not locked.state(RecoveryOffer).left
    locked.thread.stop()
    asked = view.guarded_session(arguments(), Settings())
    handler = create_autospec(RequestHandler, instance=True)
    asked.window.handle(handler)
    assert len(asked.state(RecoveryOffer).left) == 2
    handler.open_panel.assert_called_once_with("restore")
    asked.state(RecoveryOffer).postpone()
    asked.thread.stop()
    restored = view.guarded_session(arguments("--restore"), Settings())
    restored.thread.start()
    end = time.perf_counter() + 30.0
    while (restored.thread.frame.scene, restored.thread.frame.step) != ("pendulum", 20):
        assert time.perf_counter() < end
        time.sleep(0.01)
    restored.thread.stop()
    (other,) = abandoned(crash_recovery.folder())
    other.remove()
    with pytest.raises(BadInput, match="no unexpectedly ended session"):
        view.guarded_session(arguments("--restore"), Settings())


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.usefixtures("window")      # where none opens there is nothing to close
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_signals_close_the_window_in_order(tmp_path, number, code):
    surroundings = {**os.environ, **{f"STICTION_{kind}_DIR": str(tmp_path / kind) for kind in ("STATE", "CONFIG", "DATA")}}
    command = [sys.executable, "-m", "app", "view", "pendulum", "--size", "400x300"]
    journals, end = tmp_path / "STATE" / "journal", time.perf_counter() + 60.0
    with subprocess.Popen(command, env=surroundings) as process:
        try:
            while not any(not glance(path).is_untouched for path in journals.glob("*.journal")):
                assert process.poll() is None and time.perf_counter() < end, "it does not open"
                time.sleep(0.02)
            process.send_signal(number)
            process.wait(60.0)
        finally:
            process.kill()      # one that does not open, or does not end
    assert process.returncode == code
    found = abandoned(journals)
    assert len(found) == (1 if number == signal.SIGKILL else 0)
    for one in found:
        one.remove()
