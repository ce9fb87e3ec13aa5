"""Predictions before the run and laws over time: the models behind plot and panel."""

import dataclasses

import numpy as np
import pytest

import scenes
from app.analysis.lessons.prediction import Laws, PersonalPrediction, dashes, deviation, score, verdict
from scenes import Curve

LINE = Curve("world.kinetic", "law", (0.0, 2.0), (0.0, 4.0))


def test_deviation_is_relative_to_the_range_of_the_law():
    times = np.linspace(0.0, 3.0, 31)
    assert deviation(LINE, times, 2.0 * times) == pytest.approx(0.0, abs=1e-12)
    assert deviation(LINE, times, 2.0 * times + 0.4) == pytest.approx(0.1)
    late = np.where(times > 2.05, 100.0, 2.0 * times)
    assert deviation(LINE, times, late) == pytest.approx(0.0, abs=1e-12), "beyond its end the law says nothing"


def test_no_deviation_before_the_run_and_one_for_constant_laws():
    assert deviation(LINE, np.zeros(1), np.zeros(1)) is None
    assert deviation(LINE, np.zeros(0), np.zeros(0)) is None
    assert deviation(LINE, np.ones(3), np.full(3, np.nan)) is None
    constant = Curve("x", "law", (0.0, 1.0), (5.0, 5.0))
    assert deviation(constant, np.array([0.5]), np.array([5.5])) == pytest.approx(0.1)
    nothing = Curve("x", "law", (0.0, 1.0), (0.0, 0.0))
    assert deviation(nothing, np.array([0.5]), np.array([0.3])) == pytest.approx(0.3)


def test_dashes_lie_on_the_law_and_within_it():
    times, values = dashes(LINE, -1.0, 5.0, 10)
    assert len(times) == 20 and times[0] == 0.0 and times[-1] == 2.0
    assert np.allclose(values, 2.0 * times)
    times, _ = dashes(LINE, 3.0, 5.0, 10)
    assert np.all(times == times[0]), "behind its end there is nothing to draw"


@pytest.mark.parametrize(("guess", "points", "words"), [(2.0, 100, "very good"), (2.2, 50, "near"), (2.1, 71, "good"),
                                                        (4.0, 0, "review the law")])
def test_the_score_falls_with_the_error(guess, points, words):
    assert score(guess, 2.0) == pytest.approx(points, abs=1)
    assert verdict(guess * (1.0 - 1e-9), 2.0)[1] == words or words == "near"


def test_a_zero_law_is_scored():
    assert score(0.0, 0.0) == 100 and score(1.0, 0.0) == 0 and score(float("inf"), 1.0) == 0


def test_the_law_is_hidden_until_the_prediction():
    laws, scene = Laws(), scenes.find("incline")
    parameters = scene.parameters()
    first = laws.of(scene, parameters)
    assert len(first) == 5 and laws.of(scene, parameters) is first, "made once"
    steeper = laws.of(scene, dataclasses.replace(parameters, angle=40.0))
    assert steeper[0].values[1] / steeper[0].times[1] > first[0].values[1] / first[0].times[1]
    laws.hidden = True
    assert laws.of(scene, parameters) == ()
    assert Laws().of(None, None) == () and Laws().of(scenes.find("pyramid"), None) == ()


def test_a_question_can_be_restarted():
    guess = PersonalPrediction(on=True, submitted=True, values={"a": 1.0})
    assert not guess.waiting
    guess.begin(True)
    assert guess.waiting and not guess.values
    guess.begin(False)
    assert not guess.waiting
