"""What was made with earlier versions still opens: recordings, scenes, panels and settings with the names of then."""

import importlib
import io
import subprocess
import sys
import warnings
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import scenes
from app.engine import commands
from app.engine.recording import allowed_types
from app.engine.recording.archive import Archive
from app.engine.recording.codec import from_stored, to_stored
from app.engine.simulation import Simulation
from app.gui.shell import settings
from app.render.scene.overlay_context import OverlayContext
from app.render.scene.theme import DARK
from app.render.scene.transforms import BodyTransforms
from app.session import Session
from physics import BadInput, Material, Report, World, set_option, solvers, step
from physics.core import former_names
from physics.core.records import BODY, CONTACT
from physics.observe.audit.verdict import LIMITS
from physics.observe.report import EnergyTotals
from tests.helpers import ROOT

RECORDINGS = ROOT / "tests" / "recordings"


def test_a_recording_of_an_earlier_version_replays():
    """70 steps of the door, with a drag, a throw, edits: made before the folders of physics had their names of today. Its bits
    are those of joints that closed with other round-off, which the replay says."""
    simulation, compared = Simulation(), 0
    commands.open_recording(simulation, RECORDINGS / "before_rooms.stiction")
    for moment in range(71):
        simulation.timeline.repeat_commands()
        assert moment == 70 or simulation.player.recompute_next()
        kept = simulation.history.moment_after(simulation.world.steps)
        if kept is not None and kept.step == simulation.world.steps:
            was, now = kept.snapshot.tables[0].records, simulation.world.bodies
            for name, most in (("pos", 1e-9), ("vel", 1e-7)):
                assert np.abs(now[name] - was[name]).max() < most, (kept.step, name)
            compared += 1
    assert simulation.world.steps == 70 and len(simulation.history.checks) == 71 and compared > 2
    assert simulation.recorder.divergence.step == 1


@pytest.mark.parametrize(("scene", "low", "high"), [("painleve", "smooth_rod_mu", "rough_rod_mu"),
                                                   ("tipping_or_sliding", "low_push_height", "high_push_height")])
def test_parameters_of_scenes_are_set_by_their_former_names(scene, low, high):
    parameters = scenes.find(scene).parameters()
    with pytest.warns(FutureWarning, match=f"low is .*{low} now"):
        set_option(parameters, "low", 0.6)
    with pytest.warns(FutureWarning):
        set_option(parameters, "high", 0.9)
    assert getattr(parameters, low) == 0.6 and getattr(parameters, high) == 0.9


def test_every_former_module_maps_to_an_existing_one():
    for former, today in former_names.MODULES.items():
        assert former != today and importlib.util.find_spec(today), former
        assert not (ROOT / f"{former.replace('.', '/')}.py").exists(), f"{former} is a module of today"
    for former, today in former_names.MOVED.items():
        assert importlib.util.find_spec(today) and not list((ROOT / former.replace(".", "/")).glob("*.py")), former


def test_a_former_import_warns_once_and_gives_the_present_module():
    code = ("from physics import queries, integrate\nimport physics.queries\nfrom physics.world import queries as today\n"
            "from physics.dynamics import integrate as moved\nassert queries is today and integrate is moved")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("FutureWarning") == 2 and "the module physics.queries is physics.world.queries now" in done.stderr


def test_modules_of_packages_that_moved_are_the_present_ones():
    """Not once more, with classes of their own: `except BadInput` of a user's scene must catch ours."""
    code = ("from physics.basics.check import BadInput\nfrom physics.audit import auditor\nimport physics.auditing.sums\n"
            "import physics, sys\nassert BadInput is physics.BadInput\n"
            "assert auditor is sys.modules['physics.observe.audit.auditor']\n"
            "assert physics.auditing.sums is sys.modules['physics.observe.audit.sums']")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "the module physics.basics.check is physics.core.check now" in done.stderr
    assert former_names.class_today("physics.audit:Options") == "physics.observe.audit.auditor:AuditOptions"
    assert former_names.class_today("physics.audit.findings:Audit") == "physics.observe.audit.findings:Audit"


def test_former_methods_of_a_world_work_and_warn():
    world = World()
    with pytest.warns(FutureWarning, match="World.was_edited is World.refresh_after_edit now"):
        world.was_edited()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = world.nothing


@pytest.mark.parametrize(("solver", "former", "today", "value"), [
    ("sequential_impulses", "push_rate", "position_correction_rate", 0.5),
    ("sequential_impulses", "push_iterations", "position_iterations", 7),
    ("sequential_impulses", "max_push", "max_correction_speed", 2.0), ("soft_steps", "push_speed", "max_correction_speed", 2.0),
    ("stewart_trinkle", "fastest", "max_correction_speed", 2.0), ("stewart_trinkle", "layer", "boundary_layer", 0.5),
    ("stewart_trinkle", "linearise", "linearise_at", "q0 + h v0 (ST96)"),
    ("stewart_trinkle", "half_kick", "half_step_gravity", False), ("sleeping", "on", "enabled", True),
    ("audit", "on", "enabled", False), ("audit", "quiet", "min_speed", 0.5), ("audit", "balance", "body_tolerance", 0.5),
    ("audit", "along", "slip_alignment", 0.5), ("audit", "again", "reject_above", 0.5)])
def test_former_options_are_set_and_read_and_warn(solver, former, today, value):
    world = World()
    if solver in ("sleeping", "audit"):
        options = world.sleeping if solver == "sleeping" else world.audit.options
    else:
        world.use_solver(solver)
        options = world.solver.options
    kind = type(options).__name__
    with pytest.warns(FutureWarning, match=f"{kind}.{former} is {kind}.{today} now"):
        set_option(options, former, value)
    assert getattr(options, today) == value
    with pytest.warns(FutureWarning, match=today):
        assert getattr(options, former) == value
    with pytest.warns(FutureWarning, match=today):
        setattr(options, former, value)
    with pytest.warns(FutureWarning, match=today):
        assert getattr(type(options)(**{former: value}), today) == value
    with warnings.catch_warnings():     # a file may hold the former name
        warnings.simplefilter("error")
        kept = {name: item for name, item in vars(options).items() if name != today} | {former: value}
        assert allowed_types.construct(type(options), kept) == options


def test_a_former_value_of_an_option_is_read():
    world = World()
    set_option(world.solver.options, "joints", "together")
    assert world.solver.options.joints == "direct"
    with pytest.raises(BadInput, match="direct, one by one"):
        set_option(world.solver.options, "joints", "apart")


def test_a_scene_may_set_options_by_their_former_names():
    scene = replace(scenes.find("incline"), options={"push_iterations": 7})
    with pytest.warns(FutureWarning, match="position_iterations"):
        world = scenes.make_world(scene)
    assert world.solver.options.position_iterations == 7
    exact = World()
    exact.use_solver("stewart_trinkle")
    with pytest.warns(FutureWarning, match="position_iterations"):
        scenes.set_options(exact, scene, scene.parameters())        # an option of the scene's own solver alone


@pytest.mark.parametrize(("kind", "given", "former", "today", "value"), [
    (scenes.Prediction, ("d", 1.0, "m", 0.1, None), "offset", "level_offset", 2.0),
    (scenes.PaperRow, ("X", "1", "v", 1.0, 1.0, "m", 0.1, ""), "whose", "provenance", "derived"),
    (scenes.PaperLaw, ("X", "1", "v", 1.0, 1.0, "m", 0.1, ""), "whose", "provenance", "printed"),
    (scenes.Series, ("v", (), ()), "whose", "provenance", "printed"),
    (EnergyTotals, (), "limits", "pivot_limit_endings", 3), (EnergyTotals, (), "short", "budget_ended_steps", 3),
    (Report, ("x", 1, "fixed", 0.0, 0.0, 0, 0, 0.0, 0.0), "parts", "substeps", 3),
    (Report, ("x", 1, "fixed", 0.0, 0.0, 0, 0, 0.0, 0.0), "numerical", "expected_loss", 3.0)])
def test_former_fields_are_accepted_and_read(kind, given, former, today, value):
    with pytest.warns(FutureWarning, match=f"{former} is {kind.__name__}.{today} now"):
        made = kind(*given, **{former: value})
    with pytest.warns(FutureWarning, match=today):
        assert getattr(made, former) == value == getattr(made, today)


def test_every_former_field_maps_to_an_existing_one():
    world = World()
    step(world, 0.01)
    snapshot = world.snapshot()
    objects = [world, snapshot, snapshot.tables[0], world.energy_totals, world.report, world.step_start, world.warnings,
               world.audit, world.audit.options, world.sleeping, Material(), scenes.find("incline"),
               *(kind() for kind in solvers.available().values()), *(kind().options for kind in solvers.available().values())]
    known = {type(one).__name__: one for one in objects}
    for kind, names in former_names.FIELDS.items():
        for former, today in names.items():
            assert former != today and (kind not in known or not today or hasattr(known[kind], today)), (kind, former)


@pytest.mark.parametrize(("kind", "former"), [(BODY, ("calm", "owed", "since")), (CONTACT, ("late", "pending", "turned", "warm")),
                                              (LIMITS, ("quiet", "balance", "along"))])
def test_arrays_with_former_fields_are_read(kind, former):
    then = {former_names.RECORDS[name]: name for name in former}
    old = np.zeros(3, np.dtype({"names": [then.get(name, name) for name in kind.names],
                                "formats": [kind.fields[name][0] for name in kind.names],
                                "offsets": [kind.fields[name][1] for name in kind.names], "itemsize": kind.itemsize}))
    old[former[0]] = 1
    file = io.BytesIO()
    np.savez(file, a0=old)
    (read,) = Archive(file, 10).arrays(1_000_000, (kind,)).values()
    assert from_stored(to_stored(read)).dtype == kind and (read[former_names.RECORDS[former[0]]] == 1).all()


def test_former_names_of_view_toggles_are_read():
    read, wrong = settings.parsed(b"[view]\nechoes = false\n", "settings.toml")
    assert not wrong and read.view == {"solver_ghosts": False}


def test_panels_and_overlays_find_their_state_by_its_former_name():
    session = Session.open("door")      # its thread is not started
    context = OverlayContext(session.frame, BodyTransforms(session.frame), session.view, DARK)
    for owner, today in ((session, "Session.state"), (context, "OverlayContext.state")):
        with pytest.warns(FutureWarning, match=f"use {today}"):
            assert owner.memory(Counter) is owner.state(Counter)
