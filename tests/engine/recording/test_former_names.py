"""What was made with earlier versions still opens: recordings, scenes, panels and settings with the names of then."""

import importlib
import subprocess
import sys
from collections import Counter

import pytest

from app.engine import commands
from app.engine.simulation import Simulation
from app.gui.shell import settings
from app.render.scene.overlay_context import OverlayContext
from app.render.scene.theme import DARK
from app.render.scene.transforms import BodyTransforms
from app.session import Session
from physics import World
from physics.basics import former_names
from tests.helpers import ROOT

RECORDINGS = ROOT / "tests" / "recordings"


def test_a_recording_of_an_earlier_version_replays_bit_for_bit():
    """70 steps of the door, with a drag, a throw, edits: made before the folders of physics had their names of today."""
    simulation = Simulation()
    commands.open_recording(simulation, RECORDINGS / "before_rooms.stiction")
    for step in range(71):
        simulation.timeline.repeat_commands()
        assert step == 70 or simulation.player.recompute_next()
    assert simulation.world.steps == 70 and simulation.recorder.divergence is None and len(simulation.history.checks) == 71


def test_every_former_module_is_one_of_today():
    for former, today in former_names.MODULES.items():
        assert former != today and importlib.util.find_spec(today), former
        assert not (ROOT / f"{former.replace('.', '/')}.py").exists(), f"{former} is a module of today"


def test_a_former_import_warns_once_and_gives_the_module_of_today():
    code = ("from physics import queries, integrate\nimport physics.queries\nfrom physics.world import queries as today\n"
            "from physics.dynamics import integrate as moved\nassert queries is today and integrate is moved")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("FutureWarning") == 2 and "the module physics.queries is physics.world.queries now" in done.stderr


def test_former_methods_of_a_world_work_and_warn():
    world = World()
    with pytest.warns(FutureWarning, match="World.was_edited is World.refresh_after_edit now"):
        world.was_edited()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = world.nothing


def test_switches_of_the_view_have_their_names_of_then():
    read, wrong = settings.parsed(b"[view]\nechoes = false\n", "settings.toml")
    assert not wrong and read.view == {"solver_ghosts": False}


def test_panels_and_overlays_find_their_state_by_its_former_name():
    session = Session.open("door")      # its thread is not started
    sight = OverlayContext(session.frame, BodyTransforms(session.frame), session.view, DARK)
    for owner, today in ((session, "Session.state"), (sight, "OverlayContext.state")):
        with pytest.warns(FutureWarning, match=f"use {today}"):
            assert owner.memory(Counter) is owner.state(Counter)
