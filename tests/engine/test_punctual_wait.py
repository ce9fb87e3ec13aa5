"""Waits of the physics thread end on time although each wait of the system ends late."""

import itertools

import numpy as np
import pytest

from app.engine import punctual_wait
from app.engine.punctual_wait import LONGEST_LEAD, TOLERANCE, PunctualWait

PERIOD = 1.0 / 240.0


class Clock:
    """A clock, and an event that nobody sets: its waits end late by the delays given [s]."""

    def __init__(self, delays) -> None:
        self.now, self._delays = 0.0, iter(delays)

    def perf_counter(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        self.now += max(seconds, 0.0) + next(self._delays)
        return False


def lateness(monkeypatch, delays, count: int) -> np.ndarray:
    """Lateness of the starts of so many steps, as the physics thread waits for them [s] (count,)."""
    clock, wait, late = Clock(delays), PunctualWait(), []
    monkeypatch.setattr(punctual_wait, "time", clock)
    for due in PERIOD * np.arange(1, count + 1):
        while clock.now < due - TOLERANCE:
            wait.until(clock, due)
        late.append(clock.now - due)
    return np.array(late)


@pytest.mark.parametrize("delay", [0.0, 5e-5, 1.6e-4, 3.2e-4, LONGEST_LEAD])
def test_steps_are_in_time_whatever_the_delay_of_waits(monkeypatch, delay):
    late = lateness(monkeypatch, itertools.repeat(delay), 300)
    assert np.abs(late[100:]).max() <= 2e-5


def test_rare_long_delays_do_not_make_other_steps_early(monkeypatch):
    delays = np.full(2000, 1e-4)
    delays[::20] = 0.02
    late = lateness(monkeypatch, iter(delays), 900)
    assert np.median(np.abs(late[100:])) <= 3e-5


def test_no_step_starts_earlier_than_tolerated_after_the_delays_end(monkeypatch):
    delays = itertools.chain(itertools.repeat(4e-4, 300), itertools.repeat(0.0))
    late = lateness(monkeypatch, delays, 600)
    assert late.min() >= -TOLERANCE - 1e-12 and np.abs(late[-100:]).max() <= 2e-5
