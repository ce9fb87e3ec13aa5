"""The phase map in the real window: it fills, a click opens that run, edits make it outdated."""

import numpy as np
import pyglet
import pytest

from app.analysis.studies.map_refinement import UNKNOWN
from app.analysis.studies.phase_map import MapRun, is_stale, plan_of, rows
from app.engine import commands, file_kinds
from app.engine.scene_files.document import Document
from app.engine.simulation import Simulation
from app.panels import phase_map
from physics import Box
from scenes.maps import MapAxis
from tests.helpers import SLIDING_BOX
from tests.tools.inline_workers import InlineWorkers
from tests.tools.person import fresh_spots


@pytest.fixture
def mapping(person, monkeypatch):
    """A finished coarse map of the rod, made here."""
    person.load("stack")
    person.window.gui.panels.open("phase_map")
    person.forget(phase_map.MapState)
    monkeypatch.setattr(phase_map.MapRun, "of", lambda made: MapRun(made.scene, made.parameters_at(), made, InlineWorkers))
    state = person.session.state(phase_map.MapState)
    state.name, state.size = "painleve", 16
    person.look(6)
    person.click("phase_map/run map")
    assert person.wait(lambda: state.run is not None and state.run.done)
    person.look(4)
    yield person
    person.forget(phase_map.MapState)


def spot(person, node):
    """Pixel of a point of the map, y up, from the axes' rectangle."""
    from imgui_bundle import implot

    made, found = person.session.state(phase_map.MapState).run.made, []
    draw = phase_map.draw_classes

    def noted(state, run):
        place = implot.plot_to_pixels(*made.values(node))
        found[:] = [round(place.x), round(person.window.get_size()[1] - place.y)]
        draw(state, run)
    phase_map.draw_classes = noted
    person.look(2)
    phase_map.draw_classes = draw
    return found


def test_a_map_fills_and_a_click_opens_that_run(mapping):
    session, state = mapping.session, mapping.session.state(phase_map.MapState)
    run = state.run
    assert not run.problem and run.refinement.count > 81 and (run.refinement.filled() != UNKNOWN).all()
    assert sum(last - first + 1 for _, first, last, _ in state.stretches) == 17 * 17 and state.lines
    for node in ((12, 2), (4, 12)):
        place = spot(mapping, node)
        mapping.press(*place)
        mapping.release(*place)
        x, y = run.made.values(node)
        assert mapping.wait(lambda x=x, y=y: session.frame.scene == "maps.painleve"
                            and (session.parameters.angle, session.parameters.mu) == (x, y))
        session.post(Simulation.pause)
        assert mapping.wait(lambda: session.frame.paused)
        assert not is_stale(run.made, session.frame)
        session.post(Simulation.reset)
        session.post(Simulation.pause)
        session.post(Simulation.single_step)
        assert mapping.wait(lambda: session.frame.paused and session.frame.step == 1)
        outcome = run.made.map.classify(session.frame.as_world, session.parameters)
        assert run.made.map.classes.index(outcome) == run.refinement.filled()[node[1], node[0]]
    assert not mapping.window.gui.panels.all["phase_map"].error


def test_a_map_is_saved_as_points_and_as_a_picture(mapping, tmp_path, monkeypatch):
    run = mapping.session.state(phase_map.MapState).run
    monkeypatch.setattr(phase_map.folders, "documents", lambda: tmp_path)
    mapping.click("phase_map/save map")
    mapping.look(3)
    mapping.click(next(name for name in fresh_spots(mapping) if name.endswith("map csv")))
    assert mapping.wait(lambda: bool(list(tmp_path.glob("*.csv"))))
    mapping.see(scene=False)
    mapping.look(2)
    mapping.window.save_panel_picture(tmp_path / "map.png", "phase_map")
    assert len(next(tmp_path.glob("*.csv")).read_text().splitlines()) == run.refinement.count + 1
    with open(tmp_path / "map.png", "rb") as file:
        pixels = pyglet.image.load("map.png", file=file)
    assert (pixels.width, pixels.height) == (1200, 720)
    colours = np.frombuffer(pixels.get_image_data().get_data("RGB", 3 * 1200), np.uint8).reshape(720, 1200, 3)
    assert len(np.unique(colours[200:500:20, 200:1100:20].reshape(-1, 3), axis=0)) >= 3, "classes and border"


def test_an_edit_marks_the_map_outdated_and_a_click_returns_to_what_it_shows(mapping, monkeypatch):
    session, run = mapping.session, mapping.session.state(phase_map.MapState).run
    phase_map.open_run(session, run.made, (8, 8))
    assert mapping.wait(lambda: session.frame.scene == "maps.painleve")
    session.post(commands.set_gravity, (0.0, 0.0, -3.0))
    session.post(commands.use_solver, "soft_steps")
    assert mapping.wait(lambda: session.frame.gravity[2] == -3.0 and session.frame.solver == "soft steps")
    said = []
    monkeypatch.setattr(phase_map.widgets, "wrapped", lambda text, colour=None: said.append(text))
    mapping.look(2)
    assert is_stale(run.made, session.frame) and any(text.startswith("Outdated") for text in said)
    phase_map.open_run(session, run.made, (2, 3))
    assert mapping.wait(lambda: session.frame.gravity[2] == -9.81 and not is_stale(run.made, session.frame))
    assert (session.parameters.angle, session.parameters.mu) == run.made.values((2, 3))


def test_a_click_leaves_unsaved_work_only_after_an_answer(mapping, monkeypatch):
    session, run = mapping.session, mapping.session.state(phase_map.MapState).run
    mapping.load("stack")
    session.post(commands.spawn, Box((0.2, 0.2, 0.2)), (3.0, 0.0, 1.0), name="crate")
    assert mapping.wait(lambda: session.has_unsaved)
    monkeypatch.setattr(session, "asks_before_leaving", True)
    posts, post = [], session.thread.post
    monkeypatch.setattr(session.thread, "post", lambda command, *a, **k: (posts.append(command), post(command, *a, **k)))
    phase_map.open_run(session, run.made, (2, 3))
    mapping.look(2)
    assert session.leaving is not None and not {commands.use_solver, commands.set_option, Simulation.run} & {*posts}
    mapping.click("unsaved/leave")
    assert mapping.wait(lambda: session.frame.scene == "maps.painleve")
    assert (session.parameters.angle, session.parameters.mu) == run.made.values((2, 3))


def test_the_map_proposed_is_that_of_the_scene(person):
    person.load("maps.wedge")
    person.window.gui.panels.open("phase_map")
    person.forget(phase_map.MapState)
    person.look(4)
    assert person.session.state(phase_map.MapState).name == "wedge"
    assert plan_of("wedge", person.session.frame).x.name == "mu"


def test_axes_belong_to_the_scene_that_is_shown(mapping, monkeypatch):
    session, state = mapping.session, mapping.session.state(phase_map.MapState)
    of = state.of
    monkeypatch.setattr(session.simulation, "document", Document("other.toml"))
    mapping.look(2)
    assert state.of == of == session.frame.scene


def test_stretches_cover_known_points_once():
    plane = np.array([[0, 0, 1], [UNKNOWN, 1, 1], [2, 2, 2]])
    assert phase_map.stretches(plane) == [(0, 0, 1, 0), (0, 2, 2, 1), (1, 1, 2, 1), (2, 0, 2, 2)]
    line = np.array([[0.0, 1.0], [1.0, 2.0], [np.nan, np.nan], [3.0, 1.0], [4.0, 1.0], [5.0, np.nan]])
    assert [len(part) for part in phase_map.unbroken(line)] == [2, 2]


def test_a_map_of_an_own_scene_shows_a_number_and_opens_its_runs(mapping, tmp_path):
    """The way of a sliding box, v^2 / (2 mu g) = 0.0326 m at 0.8 m/s and mu = 1, over two numbers of a scene file."""
    path, session = tmp_path / "own.toml", mapping.session
    path.write_text(SLIDING_BOX)
    session.post(Simulation.load, file_kinds.admit(str(path)))
    assert mapping.wait(lambda: session.shown_name == str(path) and "box" in session.frame.body_names)
    mapping.forget(phase_map.MapState)
    state = session.state(phase_map.MapState)
    state.size = 8
    mapping.look(3)
    assert state.name == phase_map.SCENE_IN_WINDOW
    state.seconds = 0.25
    for label, word, ends in (("x", "vx:box", ("0.2", "0.8")), ("y", "friction", ()), ("colour", "body:box.x:end", ())):
        mapping.click(f"phase_map/{label}")
        mapping.write(word)
        mapping.click(next(name for name in fresh_spots(mapping) if name.endswith(f"{label}={word}")))
        for end, text in zip(("from", "to"), ends):
            mapping.type_into(f"phase_map/{label} {end}", text)
    assert (state.x, state.y, state.asked) == (MapAxis("vx:box", 0.2, 0.8), MapAxis("friction", 0.1, 1.0), "body:box.x:end")
    mapping.click("phase_map/run map")
    assert mapping.wait(lambda: state.run is not None and state.run.done) and not state.run.problem
    known, (lo, hi) = state.run.refinement.known, state.run.refinement.span
    assert known[8, 8] == pytest.approx(0.64 / 19.62, rel=2e-3) and (lo, hi) == (np.nanmin(known), np.nanmax(known))
    assert rows(state.run.made, state.run.refinement)[0] == ["vx:box [m/s]", "friction", "body:box.x:end [m]"]
    mapping.look(2)
    assert any(name.endswith("map scale") for name in fresh_spots(mapping))
    phase_map.open_run(session, state.run.made, (4, 0))
    box = session.frame.body_names.index("box")
    assert mapping.wait(lambda: session.frame.bodies["pos"][box, 0] > 0.1), "0.5 m/s at mu = 0.1: 0.127 m"
    assert session.frame.shapes["friction"][session.frame.shapes["body"] == box] == 0.1
    assert not is_stale(state.run.made, session.frame, session.simulation.document)
