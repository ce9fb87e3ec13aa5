"""Lessons: complete texts, model answers confirmed by the simulation, reachable conditions."""

import dataclasses
import functools
import math

import numpy as np
import pytest

import scenes
from app.analysis.lessons import prediction
from physics import fields, set_option
from scenes import lessons

LESSONS = lessons.all_lessons()
EXERCISES = [(name, k) for name, lesson in LESSONS.items() for k in range(len(lesson.exercises))]
STEPS = [(name, k) for name, lesson in LESSONS.items() for k, step in enumerate(lesson.steps) if step.done]


@functools.cache
def ran(name, parameters, seconds, options=()):
    """A scene after some time, without a clock: (world, trace)."""
    scene = scenes.find(name)
    chosen = dataclasses.replace(scene.parameters(), **dict(parameters))
    world = scenes.make_world(scene, chosen)
    known = {field.name for field in fields(world.solver.options)}
    for option, value in (("budget", 0.0), *options):
        if option in known:
            set_option(world.solver.options, option, value)
    return scenes.run(scene, chosen, seconds=seconds, world=world)


def run_of(name, parameters, seconds, options=()):
    """(world, trace, parameters)"""
    scene = scenes.find(name)
    world, trace = ran(name, tuple(sorted(parameters.items())), seconds or scene.check_time, options)
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
        assert "{" not in "".join(lessons.filled(text, scene.parameters()).split("$")[::2]), text
    for step in lesson.steps:
        if step.action:
            assert step.action.kind in lessons.KINDS
            assert step.action.kind != "set" or step.action.name in known
    for exercise in lesson.exercises:
        assert (exercise.answer is None) != (exercise.reached is None) and exercise.hints
        assert exercise.kind == "reach" or exercise.measure is not None
        assert {*exercise.asked, *exercise.solution} <= known


@pytest.mark.parametrize(("name", "k"), EXERCISES)
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


@pytest.mark.parametrize(("name", "k"), STEPS)
def test_a_step_is_ticked_only_once_done(name, k):
    step = LESSONS[name].steps[k]
    scene = scenes.find(name)
    assert not step.done(*run_of(name, {}, scene.dt))
    action = step.action
    parameters = {action.name: action.value} if action and action.kind == "set" else {}
    options = ((action.name, action.value),) if action and action.kind == "option" else ()
    assert step.done(*run_of(name, parameters, None, options))


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
