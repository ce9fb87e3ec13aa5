"""Predicted places marked in the scene: clicks, laws, flags, outcome."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
from pyglet.window import key

import scenes
from app.analysis.lessons.classroom_lock import Lock
from app.analysis.lessons.prediction import Laws, PersonalPrediction, PredictedCurve, measured, pointed, prediction_error
from app.camera import Camera
from app.engine import commands
from app.engine.frame import to_world
from app.engine.simulation import Simulation
from app.gui.plots.published_marks import references
from app.gui.viewport import mark_prediction
from app.render import overlays
from app.render.scene.overlay_context import Flag, Highlight
from physics import step
from physics.observe import quantities
from scenes import PredictedPath
from tests.tools.handmade import context, frame

PLACED = [(name, k) for name, scene in scenes.all_scenes().items() if scene.predict
          for k, p in enumerate(scene.predict(scene.parameters())) if p.place is not None]


def test_scenes_with_a_predicted_place():
    assert {name for name, _ in PLACED} >= {"slider", "door", "star_burst", "pendulum", "belt", "particle_and_wall"}


@pytest.mark.parametrize(("name", "k"), PLACED)
def test_the_predicted_path_follows_the_body(name, k):
    """As soon as the number is measured, the body's point is at its place; from the start on it is on the way."""
    scene = scenes.find(name)
    prediction = scene.predict(scene.parameters())[k]
    world, place = scenes.without_clock(scenes.make_world(scene)), prediction.place
    read = {q: quantities.find(world, q).read for q in scene.plots}
    trace = {q: [] for q in ("time", *read)}
    body, found = world.body(place.body), None
    for _ in range(round(scene.check_time / scene.dt) + 1):
        trace["time"].append(world.time)
        for q, number in read.items():
            trace[q].append(number(world))
        here = to_world(world.bodies["pos"][body], world.bodies["quat"][body], np.array(place.local))
        segments = np.diff(place.points, axis=0)
        share = np.clip(np.sum((here - place.points[:-1]) * segments, axis=1) / np.sum(segments**2, axis=1), 0.0, 1.0)
        off = np.linalg.norm(place.points[:-1] + share[:, None] * segments - here, axis=1).min()
        assert off < 0.01, f"{off:.3f} m beside its way at {world.time:.2f} s"
        found = measured(prediction, world, {q: np.array(values) for q, values in trace.items()})
        if found is not None and (world.time > 0.3 or name == "particle_and_wall"):
            break
        step(world, scene.dt)
    assert found is not None
    slow = 0.15 if name == "belt" else 0.01       # what is measured of a box that goes on is known a little later
    assert np.linalg.norm(place.at(found) - here) < slow


@pytest.mark.parametrize(("name", "changes"), [
    ("slider", {"speed": 1.0, "max_friction": 20.0}), ("belt", {"mu": 0.1, "speed": 0.5}),
    ("star_burst", {"speed": 1.0, "mu": 1.0}), ("door", {"push": 120.0})])
def test_the_path_does_not_reveal_the_answer(name, changes):
    scene = scenes.find(name)
    one, other = (scene.predict(dataclasses.replace(scene.parameters(), **c)) for c in ({}, changes))
    for a, b in zip(one, other, strict=True):
        if a.place is not None:
            assert a.value != b.value
            np.testing.assert_array_equal(a.place.points, b.place.points)
            np.testing.assert_array_equal(a.place.values, b.place.values)
            assert a.place.values[0] <= a.value <= a.place.values[-1]


def arc():
    turns = np.linspace(0.0, 2.0, 50)
    return PredictedPath("a", np.column_stack([np.cos(turns), np.sin(turns), 0.0 * turns]), turns)


@pytest.mark.parametrize("value", [0.0, 0.013, 0.5, 1.7, 2.0])
@pytest.mark.parametrize("eye", [(3.0, -4.0, 2.0), (0.0, 0.0, 5.0), (-2.0, 1.0, 0.4)])
def test_pointing_at_a_place_selects_it(value, eye):
    place, eye = arc(), np.array(eye)
    there = place.at(value)
    found, point = pointed(place, eye, 3.0 * (there - eye))
    assert found == pytest.approx(value, abs=1e-3) and np.linalg.norm(point - there) < 1e-3


def test_pointing_beside_the_path_selects_the_nearest_place():
    line = PredictedPath("a", np.array([(0.0, 0.0, 0.0), (10.0, 0.0, 0.0)]), np.array([5.0, 25.0]))
    eye = np.array([2.0, -3.0, 0.0])
    found, point = pointed(line, eye, np.array([0.0, 1.0, 0.2]))
    assert found == pytest.approx(9.0) and point == pytest.approx((2.0, 0.0, 0.0)), "straight below what is pointed at"
    assert pointed(line, eye, np.array([-9.0, 1.0, 0.0]))[0] == 5.0, "beyond the end is the end"
    behind = PredictedPath("a", np.array([(2.0, -9.0, 0.0), (2.0, -5.0, 0.0), (5.0, -5.0, 0.0), (3.0, 4.0, 0.0)]), np.arange(4.0))
    assert pointed(behind, eye, np.array([0.0, 1.0, 0.0]))[0] == 3.0, "what is behind the eye is not meant"


def test_the_error_is_the_distance_between_places():
    prediction = SimpleNamespace(place=arc())
    assert prediction_error(prediction, 0.0, np.pi / 3) == pytest.approx(1.0, abs=1e-3)      # a chord
    assert prediction_error(prediction, 0.4, 0.4) == 0.0


def test_flags_have_all_parts_and_are_upright_in_every_view():
    f = frame([("sphere", (0.1, 0, 0), (0, 0, 1), (1, 0, 0, 0), 2)], [])
    at, path = np.array([1.0, 2.0, 0.0]), np.array([(0.0, 0.0, 0.0), (1.0, 2.0, 0.0), (2.0, 2.0, 0.0)])
    for elevation in (10.0, 85.0):
        camera = Camera()
        camera.set_view(scenes.View(target=(1.0, 2.0, 0.0), distance=6.0, elevation=elevation))
        camera.update(10.0)
        flags = (Flag(at, "you", (1.0, 0.5, 0.0)), Flag(None, "", (1.0, 0.5, 0.0), 0.5, path))
        draw_list = overlays.draw(context(f, {"highlight": Highlight(flags=flags)}, camera))
        lines, marks = draw_list.array("lines"), draw_list.array("marks")
        pole = lines[np.all(np.isclose(lines[:, 0:3], at), axis=1)][0]
        ends = camera.project(np.array([pole[0:3], pole[4:7]]), 800, 600)
        tall = ends[1, 1] - ends[0, 1]
        assert 20.0 < tall <= 47.0 and abs(ends[1, 0] - ends[0, 0]) < 2.0, "upright in the picture"
        assert np.sum(np.all(np.isclose(lines[:, 0:3], path[0]), axis=1)) == 1 and len(marks) == 1
        assert [words.texts for words in draw_list.words] == [["you"]]
    assert not overlays.draw(context(f, {"highlight": Highlight()})).words


# ---- at the window


@pytest.fixture
def asking(person):
    """Someone at the slider who is asked first."""
    person.load("slider")
    session = person.session
    session.post(commands.set_time_share, 0.0)
    person.window.gui.panels.show("lesson")
    person.look(4)
    session.state(PersonalPrediction).begin(True)
    session.state(PersonalPrediction).name = "stops after"
    person.look(8)
    yield person
    session.state(PersonalPrediction).begin(False)
    lock = session.state(Lock)
    lock.on, lock.code = False, ""
    person.look(4)


def pixel_of(person, value):
    place = mark_prediction.open_question(person.session).place
    left, top, width, height = person.window.gui.panels.centre
    x, y, _ = person.session.camera.project(place.at(value)[None], width, height)[0]
    return round(left + x), round(person.window.get_size()[1] - top - height + y)


def click_at(person, x, y):
    person.press(x, y)
    person.release(x, y)
    person.look(3)


@pytest.mark.parametrize("locked", [False, True])
def test_a_marked_prediction_is_compared_with_the_outcome(asking, locked):
    person, session = asking, asking.session
    guess = session.state(PersonalPrediction)
    if locked:
        session.state(Lock).close("1234")
        person.look(4)
    before = session.selection
    assert [flag.at is None for flag in session.highlight.flags] == [True], "a line to click on, and no flag"
    x, y = pixel_of(person, 1.2)
    click_at(person, x, y - 5)
    assert guess.values["stops after"] == pytest.approx(1.2, abs=0.03) and session.selection == before
    click_at(person, *pixel_of(person, 1.0))
    submitted = guess.values["stops after"]
    assert submitted == pytest.approx(1.0, abs=0.02), "another click moves it"
    mine = session.highlight.flags[-1]
    law = mark_prediction.open_question(session)
    assert mine.text == "you" and np.allclose(mine.at, law.place.at(submitted)) and session.state(Laws).hidden
    session.post(Simulation.run)
    assert person.wait(lambda: session.frame.time > 0.8)
    assert all("stopped here" not in flag.text for flag in session.highlight.flags), "not before it is said for good"

    person.click("lesson/run and see")
    assert person.wait(lambda: any("it stopped here" in flag.text for flag in session.highlight.flags))
    session.post(Simulation.pause)
    assert person.wait(lambda: session.frame.paused)
    stopped = session.frame.bodies["pos"][session.frame.body_names.index("carriage")]
    off = float(np.linalg.norm(law.place.at(submitted) - stopped))
    assert session.highlight.flags[-1].text == f"it stopped here, {off:.3g} m away"
    assert off == pytest.approx(submitted - law.value, abs=0.01)
    assert np.allclose(session.highlight.flags[-1].at, stopped, atol=1e-3) and not session.state(Laws).hidden
    x, y = pixel_of(person, 0.3)
    click_at(person, x, y)
    assert guess.values["stops after"] == submitted, "what was said stays"


def test_clicks_elsewhere_select_and_other_questions_have_no_place(asking):
    person, session = asking, asking.session
    left, top, width, height = person.window.gui.panels.centre
    click_at(person, round(left + 0.5 * width), round(person.window.get_size()[1] - top - height + 15))
    assert "stops after" not in session.state(PersonalPrediction).values and session.selection.body >= 0
    person.hit(key.ESCAPE)
    person.load("door")
    person.look(8)
    session.state(PersonalPrediction).name = "stops at"
    person.look(2)
    assert mark_prediction.open_question(session) is None and session.highlight.flags == ()
    assert not references(session, "joint:hinge.angle"), "the published curve is the answer, too"
    session.state(PersonalPrediction).submitted = True
    person.look(2)
    assert references(session, "joint:hinge.angle")
    session.state(PersonalPrediction).begin(False)
    person.look(2)
    assert session.highlight.flags == () and session.state(PredictedCurve).predictions
