"""Lessons: complete texts, model answers confirmed by the simulation, reachable conditions."""

import dataclasses
import math

import numpy as np
import pytest

import scenes
from app.analysis.lessons import lesson as checks
from app.analysis.lessons import prediction
from app.analysis.lessons.lesson import LessonProgress, with_values
from app.panels import exercises
from app.session import PanelEntry, Selection, Session
from physics import fields
from scenes import lessons
from tests.helpers import long_run, without_clock
from tests.tools.scene_runs import run_with

LESSONS = lessons.all_lessons()
LONG = {"mf4_trainer", "coupled_discs", "curved_faces", "concave_ramp_events", "bowl", "bar_net", "stewart_platform",
        "watt_linkage", "double_pendulum_wall"}
"""Lessons that take several seconds: played to their end with STICTION_ALL_TESTS=1."""
EXERCISES = [(name, k) for name, lesson in LESSONS.items() for k in range(len(lesson.exercises))]


def run_of(name, parameters, seconds):
    """(world, trace, parameters)"""
    scene = scenes.find(name)
    world, trace = run_with(name, tuple(sorted(parameters.items())), seconds or scene.check_time)
    return world, trace, dataclasses.replace(scene.parameters(), **parameters)


def exercise_of(name, k):
    return LESSONS[name].exercises[k]


def texts(lesson):
    for step in lesson.steps:
        yield step.text
    for exercise in lesson.exercises:
        yield from (exercise.question, exercise.explanation, *exercise.hints, *(m.hint for m in exercise.mistakes))


def test_every_scene_with_a_law_has_a_lesson():
    assert set(LESSONS) == set(scenes.all_scenes()) - {"playground"}


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_is_complete(name):
    lesson, scene = LESSONS[name], scenes.find(name)
    assert 3 <= len(lesson.steps) <= 6 and 1 <= len(lesson.exercises) <= 4
    known = {field.name for field in fields(scene.parameters)}
    assert set(lesson.allowed or ()) <= known
    for text in texts(lesson):
        assert text.count("$") % 2 == 0 and text.count("{") == text.count("}"), text
        assert text.isascii() and (text[0].isupper() or text[0] == "$") and text[-1] in ".?", text
        assert "{" not in "".join(with_values(text, scene.parameters()).split("$")[::2]), text
    for step in lesson.steps:
        if step.action:
            assert step.action.kind in lessons.KINDS
            assert step.action.kind != "set" or step.action.name in known
    for exercise in lesson.exercises:
        assert (exercise.answer is None) != (exercise.reached is None) and exercise.hints
        assert exercise.kind == "reach" or exercise.measure is not None
        assert {*exercise.asked, *exercise.solution} <= known


@pytest.mark.parametrize(("name", "k"), [pytest.param(*pair, marks=long_run) if pair[0] == "mf4_trainer" else pair
                                         for pair in EXERCISES])
def test_the_simulation_confirms_the_model_answers(name, k):
    exercise = exercise_of(name, k)
    if exercise.kind == "reach":
        assert not exercise.reached(*run_of(name, exercise.asked, exercise.seconds)), "it is so without doing anything"
        assert exercise.reached(*run_of(name, exercise.asked | exercise.solution, exercise.seconds))
        return
    world, trace, parameters = run_of(name, exercise.asked, exercise.seconds)
    expected, got = exercise.answer(parameters), exercise.measure(world, trace, parameters)
    assert got is not None, "it was not measured in time"
    assert got == pytest.approx(expected, rel=0.5 * exercise.tolerance, abs=1e-9), "the closed form is not what happens"
    if exercise.kind == "choice":
        assert got == expected and 0 <= got < len(exercise.choices)


def test_steps_of_the_door_are_ticked_one_by_one():
    """The second had the condition of the first, and was ticked before anybody looked at the plot."""
    first, second = LESSONS["door"].steps[:2]
    assert first.done is not None and second.done is None and second.action.name == "plot"


CHECKED_EVERY = 0.2
"""Interval at which the played lessons are looked at [s]."""


class LessonPlayer:
    """Plays a lesson as its panel does, without a window and as fast as it can: presses the buttons of its steps."""

    def __init__(self, name):
        self.session = Session.open(name)
        self.lesson, self.scene, self.state = LESSONS[name], scenes.find(name), exercises.ExercisesState(LessonProgress())
        self.state.begin(self.session, name)
        self.session.post = lambda command, *args, **kwargs: self.session.thread.comparison.apply_command(command, args, kwargs)
        self.session.window.open_panel = self.open
        self.session.simulation.history.budget = 2_000_000
        without_clock(self.session.simulation)
        self.session.simulation.pause()
        self.look()

    def open(self, panel):
        self.session.panels = [*self.session.panels, PanelEntry(panel, panel, True, "", "")]

    def look(self):
        """Take a picture of the simulation, and tick what it shows."""
        self.session.thread.publish()
        self.session.frame = self.session.thread.frame
        exercises.check(self.session, self.state, self.lesson)

    def ticked(self, step):
        return step.text in self.state.progress.of(self.state.scene).ticked

    def press(self, step):
        """Press the button of a step, and let the scene run until the step is ticked."""
        simulation = self.session.simulation
        without_clock(simulation)
        exercises.press(self.session, self.state, step)
        limit = simulation.world.time + 3.0 * self.scene.check_time + 2.0
        while not self.ticked(step) and not simulation.paused and simulation.world.time < limit:
            for _ in range(max(1, round(CHECKED_EVERY / simulation.dt))):
                assert simulation.compute_step(), list(simulation.messages)
            self.look()


@pytest.mark.parametrize("name", LESSONS)
def test_nothing_is_fulfilled_when_the_scene_is_loaded(name):
    """Neither a step nor a task, by what the scene shows and records by itself: "show the forces" was ticked at once where the
    scene shows them."""
    player = LessonPlayer(name)
    player.session.thread.stop()        # it was not started
    seen = player.session.frame.as_world, player.session.traces.table(), player.session.parameters
    assert [step.text for step in player.lesson.steps if (
        checks.shown(step.done, *seen) if step.done else exercises.performed(player.session, step.action))] == []
    assert [one.question for one in player.lesson.exercises if one.reached and checks.shown(one.reached, *seen)] == []


def test_what_was_open_before_the_lesson_is_not_the_students_doing():
    """All instruments have the contact lens open, perhaps behind other tabs: the button brings it to the front."""
    player = LessonPlayer("biped")
    player.session.thread.stop()
    player.open("contact_lens")
    player.state.begin(player.session, "biped")
    step = player.lesson.steps[1]
    assert player.session.simulation.step() and step.action.name == "contact_lens"
    player.look()
    assert not player.ticked(step)
    player.session.panels = []
    player.look()
    player.open("contact_lens")
    player.look()
    assert player.ticked(step), "closed and opened again"
    player.state.progress.reset("biped")
    player.state.begin(player.session, "biped")
    player.press(step)
    assert player.ticked(step), "by its button"


def test_contacts_and_times_of_steps_are_chosen_by_hand():
    """A contact of another table does not count, nor does the present."""
    player = LessonPlayer("table_legs")
    player.session.thread.stop()
    step = player.lesson.steps[1]
    for _ in range(10):
        assert player.session.simulation.step()
    player.look()
    others, own = (exercises.contacts_of(player.session, name) for name in ("three legs", "four legs"))
    assert len(others) == 3 and len(own) == 4
    for contact, ticks in ((-1, False), (others[0], False), (own[2], True)):
        player.session.selection = Selection(contact=contact)
        player.look()
        assert player.ticked(step) == ticks
    back = lessons.Action("Back", "time", "", 0.02)
    assert not exercises.performed(player.session, back)
    exercises.act(player.session, back)
    player.session.simulation.timeline.go_to_goal()     # however slow the machine is
    player.look()
    assert exercises.performed(player.session, back) and player.session.frame.time == pytest.approx(0.02, abs=0.005)


@pytest.mark.parametrize("name", [pytest.param(name, marks=long_run) if name in LONG else name for name in LESSONS])
def test_a_lesson_is_played_to_its_end_by_its_own_buttons(name):
    """No step is ticked before, and each one is by its button, or by the run."""
    player = LessonPlayer(name)
    player.session.thread.stop()        # it was not started
    assert player.session.simulation.step()
    player.look()
    early = [step for step in player.lesson.steps if player.ticked(step)]
    assert not early, [step.text for step in early]
    for step in player.lesson.steps:
        assert step.done or step.action, step.text
        if not player.ticked(step):
            player.press(step)
        assert player.ticked(step), step.text


@pytest.mark.parametrize("name", ["two_ball_drop", "collision_carts", "cradle", "kane_impact"])
def test_a_second_run_is_needed_where_a_lesson_asks_for_it(name):
    """One run ticked "run again, and open the panel", too."""
    player = LessonPlayer(name)
    player.session.thread.stop()
    first, choose, again, panel = player.lesson.steps
    player.press(first)
    assert [player.ticked(step) for step in (first, choose, again, panel)] == [True, False, False, False]
    player.press(choose)
    player.look()
    assert not player.ticked(again) and not player.ticked(panel)
    player.press(again)
    assert player.ticked(again) and not player.ticked(panel)


@pytest.mark.parametrize("name", ["two_ball_drop", "collision_carts", "cradle", "kane_impact"])
def test_a_question_has_the_numbers_that_its_answer_needs(name):
    """Where the answer changes with a parameter, the question says its value, or what its value means."""
    scene, (exercise,) = scenes.find(name), LESSONS[name].exercises
    said_in_words = {"gap", "touching"} if name == "cradle" else set()
    for field in fields(scene.parameters):
        value = field.default
        other = 0.5 * value if isinstance(value, float) else next(one for one in field.metadata["choices"] if one != value)
        changed = dataclasses.replace(scene.parameters(), **{field.name: other})
        if exercise.answer(changed) != pytest.approx(exercise.answer(scene.parameters()), rel=1e-3):
            assert f"{{{field.name}" in exercise.question or field.name in said_in_words, field.name


@pytest.mark.parametrize("name", ["two_ball_drop", "cradle"])
def test_what_a_scene_asks_to_set_is_within_reach_in_class(name):
    assert "Set the gap to 0" in scenes.find(name).look_for and "gap" in LESSONS[name].allowed


def test_another_climber_is_no_steeper_ladder():
    exercise = exercise_of("ladder", 1)
    assert not exercise.reached(*run_of("ladder", {"climber": 10.0}, exercise.seconds))
    assert not exercise.reached(*run_of("ladder", {"angle": 68.0, "climber": 30.0}, exercise.seconds))


@pytest.mark.parametrize(("name", "k"), [pair for pair in EXERCISES if exercise_of(*pair).kind == "number"])
def test_hints_do_not_contain_the_answer_and_mistakes_are_wrong(name, k):
    exercise = exercise_of(name, k)
    parameters = exercise.parameters(scenes.find(name))
    answer = exercise.answer(parameters)
    for hint in (*exercise.hints, *(m.hint for m in exercise.mistakes)):
        assert f"{answer:.3g}" not in hint.split() or answer in (0.0, 1.0, 2.0)
    for mistake in exercise.mistakes:
        value = mistake.value(parameters)
        assert math.isfinite(value) and abs(value - answer) > 2.0 * exercise.tolerance * abs(answer), mistake.hint


LAWS = [name for name, scene in scenes.all_scenes().items() if scene.law_curves]


@pytest.mark.parametrize("name", LAWS)
def test_the_law_over_time_matches_the_simulation(name):
    """Also with other parameters than the scene's own."""
    scene = scenes.find(name)
    other = {"incline": {"angle": 35.0}, "pendulum": {"friction": 0.8}, "slider": {"tilt": 25.0}}.get(name, {})
    for parameters in ({}, other):
        _, trace, chosen = run_of(name, parameters, None)
        for curve in scene.law_curves(chosen):
            off = prediction.deviation(curve, trace["time"], trace[curve.key])
            assert off is not None and off <= curve.tolerance, f"{curve.key}: {off}"
            assert prediction.deviation(curve, trace["time"], trace[curve.key] + 2.0 * curve.tolerance * np.ptp(trace[curve.key])
                                        + 0.1) > curve.tolerance


@pytest.mark.parametrize(("name", "k"), [pair for pair in EXERCISES if exercise_of(*pair).choices or exercise_of(*pair).reached])
def test_no_step_shows_what_an_exercise_asks_to_choose_or_to_reach(name, k):
    exercise = exercise_of(name, k)
    wanted = exercise.solution if exercise.reached else exercise.asked
    for step in LESSONS[name].steps:
        if step.action is not None and step.action.kind == "set":
            assert wanted != {step.action.name: step.action.value}, step.text


def test_the_iterations_of_a_tower_are_as_its_lesson_says():
    """Nearly always the limit in the first third of a second, then mostly one, in about a tenth of the steps the limit again."""
    _, trace, _ = run_of("stack", {"count": 10}, 2.5)
    time, sweeps = trace["time"][1:], trace["solver.iterations"][1:]
    assert (sweeps[time < 1.0 / 3.0] == 50).mean() > 0.95
    later = sweeps[time > 0.5]
    assert np.median(later) == 1 and 0.05 < (later == 50).mean() < 0.15
