"""Step timing: phases from the queue of reports, statistics against NumPy, layers of the plot."""

from collections import deque
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.analysis.energy.step_timing import StepTiming, ceiling, layers, milliseconds, statistics, thin
from app.engine.simulation import MAX_RECENT_REPORTS, Simulation

DT = 1.0 / 240.0


def queue(steps, start=1, **phases):
    """Reports of `steps` steps; each phase takes what it is given [s], the step 1 ms more than all of them."""
    return deque(((start + k) * DT, SimpleNamespace(times={**phases, "step": sum(phases.values()) + 1e-3})) for k in range(steps))


def taken(*queues):
    """Phases after one queue that was filled again and again."""
    made, source = StepTiming(), deque()
    for more in queues:
        source.extend(more)
        made.add(source)
        assert not source
    return made


def test_every_phase_has_a_row_and_rest_is_the_remainder():
    got = taken(queue(3, broad=1e-3, narrow=2e-3), queue(2, start=4, broad=1e-3, narrow=2e-3))
    assert got.names == ("broad", "narrow", "rest") and got.table.shape == (5, 5)
    assert np.allclose(got.table[0], DT * np.arange(1, 6))
    assert np.allclose(got.table[1:].T, (4.0, 1.0, 2.0, 1.0))


def test_a_new_phase_is_zero_in_earlier_steps():
    got = taken(queue(2, broad=1e-3), queue(2, start=3, broad=1e-3, integrate=5e-3))
    assert got.names == ("broad", "integrate", "rest")
    assert np.allclose(got.table[3], (0.0, 0.0, 5.0, 5.0)) and np.allclose(got.table[4], 1.0)


def test_the_past_is_bounded_by_steps_and_by_time():
    got = taken(queue(MAX_RECENT_REPORTS, broad=1e-3), queue(50, start=MAX_RECENT_REPORTS + 1, broad=2e-3))
    assert got.table.shape[1] == MAX_RECENT_REPORTS and got.sampled == MAX_RECENT_REPORTS + 50
    assert np.allclose(got.table[2, -50:], 2.0) and np.allclose(got.table[2, :-50], 1.0)
    slow = deque((k / 16.0, report) for k, (_, report) in enumerate(queue(400, broad=1e-3)))
    made = StepTiming()
    made.add(slow)
    assert made.table.shape[1] == 81, "five seconds at 16 steps a second, both ends"


def test_restoring_a_world_drops_later_steps():
    got = taken(queue(10, broad=1e-3), queue(3, start=6, broad=7e-3))
    assert np.allclose(got.table[0] / DT, range(1, 9)) and np.allclose(got.table[2], [1.0] * 5 + [7.0] * 3)
    both = queue(10, broad=1e-3)
    both.extend(queue(3, start=6, broad=7e-3))
    assert np.allclose(taken(both).table, got.table), "whether it was seen at once or in two parts"


def test_another_world_restarts_the_timing():
    made = taken(queue(10, broad=1e-3))
    made.add(queue(2, start=100, solve=1e-3))
    assert made.names == ("solve", "rest") and made.table.shape[1] == 2 and made.sampled == 2


def test_statistics_match_numpy():
    source = deque((k * DT, SimpleNamespace(times={"broad": 1e-3 * k, "solve": 3e-3, "step": 1e-3 * k + 4e-3}))
                   for k in range(1, 102))
    made = StepTiming()
    made.add(source)
    broad, solve, rest, whole = statistics(made)
    assert [line.name for line in (broad, solve, rest, whole)] == ["broad", "solve", "rest", "step"]
    assert (broad.median, broad.p95, broad.worst) == pytest.approx((51.0, 96.0, 101.0))
    assert (whole.median, whole.p95, whole.worst) == pytest.approx((55.0, 100.0, 105.0))
    assert (solve.median, rest.worst) == pytest.approx((3.0, 1.0))
    assert broad.share == pytest.approx(51.0 / 55.0) and whole.share == pytest.approx(1.0)
    assert broad.share + solve.share + rest.share == pytest.approx(1.0)
    assert statistics(StepTiming()) == []


@pytest.mark.parametrize(("value", "text"), [(0.0, "0.000"), (0.0344, "0.034"), (9.9994, "9.999"), (12.34, "12.3")])
def test_number_formats(value, text):
    assert milliseconds(value) == text


@given(st.integers(1, 900), st.integers(1, 40), st.integers(0, 1000))
def test_thinning_keeps_the_longest_step_of_each_group(count, most, before):
    made = StepTiming()
    made.table = np.stack([np.arange(count) * DT, *np.random.default_rng(count).random((3, count))])
    made.sampled = before + count
    got = thin(made, most)
    assert got.shape[1] <= most and np.all(np.diff(got[0]) > 0.0)
    size = -(-count // most)
    start = -before % size
    whole = made.table[1, start: start + (count - start) // size * size]
    assert np.array_equal(got[1], whole.reshape(-1, size).max(axis=1)) if size > 1 else got is made.table
    for row in got:
        assert row.flags.c_contiguous, "the plot library takes nothing else"


def test_layers_are_stacked():
    made = taken(queue(7, broad=1e-3, narrow=2e-3, solve=4e-3))
    got = layers(made.table)
    assert got.shape == (5, 7)
    assert np.allclose(got[:, 0], (8.0, 7.0, 5.0, 1.0, 0.0)), "the first phase on top, the rest on zero"
    assert np.allclose(got[0], made.table[1])


def test_axis_limit_is_round_and_stable_and_includes_real_time_if_near():
    assert ceiling(0.30, 0.40, 4.0, 0.0) == pytest.approx(0.5), "a line ten times higher would flatten the steps"
    assert ceiling(3.0, 3.2, 4.0, 0.0) == pytest.approx(5.0), "now it is worth seeing"
    assert ceiling(0.30, 50.0, 4.0, 0.0) == pytest.approx(1.5), "a few late steps leave the plot"
    assert ceiling(0.31, 0.41, 4.0, 0.6) == 0.6 and ceiling(0.2, 0.2, 4.0, 0.6) == pytest.approx(0.3)
    assert ceiling(0.0, 0.0, 4.0, 0.0) > 0.0
    for value in np.geomspace(1e-4, 1e4, 400):
        assert 1.25 * value <= ceiling(value, value, 0.0, 0.0) * (1 + 1e-12) <= 2.6 * max(value, 8e-4)


def test_a_simulation_keeps_the_reports_of_its_newest_steps():
    simulation = Simulation("pyramid")
    simulation.single_step(4)
    first = simulation.recent
    assert [round(at / simulation.dt) for at, _ in first] == [1, 2, 3, 4]
    assert first[-1][1] is simulation.world.report and first.maxlen == MAX_RECENT_REPORTS
    made = StepTiming()
    made.add(first)
    assert {"broad", "narrow", "solve", "integrate", "rest"} == set(made.names)
    assert np.all(made.table[1:] >= 0.0) and np.allclose(made.table[2:].sum(axis=0), made.table[1])
    simulation.reset()
    assert simulation.recent is not first and not simulation.recent


def test_phase_colours_are_distinct_for_colour_blind_users():
    from itertools import combinations

    from app.gui.controls.style import DARK, LIGHT
    from app.panels.cost import PHASE_COLOURS, WORDS

    eyes = (np.eye(3),                                                                              # Machado et al. 2009
            np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
            np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
            np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]))

    def light(colour):
        c = np.array(colour[:3])
        return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)

    def lab(rgb):
        xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ np.clip(rgb, 0.0, 1.0)
        f = np.cbrt(xyz / (0.9505, 1.0, 1.089))
        return np.array([116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])])

    assert len(PHASE_COLOURS["dark"]) == len(PHASE_COLOURS["light"]) == len([name for name in WORDS if name != "step"])
    for palette, colours in ((DARK, PHASE_COLOURS["dark"]), (LIGHT, PHASE_COLOURS["light"])):
        panel = float(light(palette.panel) @ (0.2126, 0.7152, 0.0722))
        for colour in colours:
            a, b = sorted((float(light(colour) @ (0.2126, 0.7152, 0.0722)), panel), reverse=True)
            assert (a + 0.05) / (b + 0.05) >= 3.0
        for eye in eyes:
            assert min(np.linalg.norm(lab(eye @ light(a)) - lab(eye @ light(b))) for a, b in combinations(colours, 2)) > 20.0
