"""Target velocities of contacts against the parabola of a ball that falls, hits and rises, computed here by hand."""

import numpy as np
import pytest

from physics.contact.targets import TOUCH_GAP, normal_velocity, target_velocity
from physics.core.records import CONTACT


@pytest.mark.parametrize("e", [1.0, 0.8, 0.5])
@pytest.mark.parametrize("dt", [1.0 / 60.0, 1.0 / 240.0])
@pytest.mark.parametrize("share", [0.05, 0.35, 0.9])
def test_the_rebound_rises_to_the_share_of_the_drop(e, dt, share):
    """The discrete heights before the step and after it lie on two parabolas; the second's apex is e^2 (drop - a dt^2 / 8)."""
    a, v = 9.81, 4.0
    u0 = -v + 0.5 * a * dt                          # velocity of the step before: at its middle
    u1 = u0 - a * dt
    gap = -share * dt * u1                          # reached within this step
    drop = gap + (-u0 + 0.5 * a * dt) ** 2 / (2.0 * a)
    target, rebounds, later = target_velocity(gap, u0, u1, e, dt, 0.01, 0.0)
    assert rebounds and later == 0.0
    heights = gap + np.cumsum(dt * (target - a * dt * np.arange(3)))
    rise = np.polynomial.Polynomial.fit(dt * np.arange(1.0, 4.0), heights, 2)
    apex = rise(rise.deriv().roots()[0])
    assert apex == pytest.approx(e * e * (drop - a * dt * dt / 8.0), rel=1e-9)


def test_a_gap_higher_than_the_rebound_is_closed_first():
    gap, u0, dt, a = 2e-3, -0.2, 0.01, 9.81
    u1 = u0 - a * dt
    target, rebounds, later = target_velocity(gap, u0, u1, 0.1, dt, 0.01, 0.0)
    assert (target, rebounds) == (-gap / dt, False)
    assert later == pytest.approx(np.sqrt((-u0 + 0.5 * a * dt) ** 2 + 2.0 * a * gap))
    speed, rebounds, none = target_velocity(0.0, -0.1, -0.1, 0.5, dt, 0.01, 0.3)
    assert rebounds and none == 0.0 and speed == pytest.approx(0.15), "then the speed that was left rebounds"


def test_contacts_that_do_not_rebound():
    dt = 0.01
    assert target_velocity(0.5 * TOUCH_GAP, -1.0, -1.1, 0.0, dt, 0.01, 0.0) == (0.0, False, 0.0)
    assert target_velocity(0.02, -1.0, -1.0, 0.5, dt, 0.01, 0.0) == (-2.0, False, 0.0), "it is not reached in this step"
    assert target_velocity(0.0, -0.005, -0.1, 0.5, dt, 0.01, 0.0) == (0.0, False, 0.0), "slower than the threshold"
    assert target_velocity(0.0, -0.005, -0.005, 1.0, dt, 0.01, 0.0) == (0.0, False, 0.0), "slower than it, and not accelerated"


def test_normal_velocity_is_that_of_the_two_points():
    rng = np.random.default_rng(0)
    for _ in range(20):
        (normal, r_a, r_b), (v_a, v_b) = rng.normal(size=(3, 3)), rng.normal(size=(2, 6))
        contact = np.zeros(1, CONTACT)
        contact["normal"] = normal
        expected = normal @ (v_b[:3] + np.cross(v_b[3:], r_b) - v_a[:3] - np.cross(v_a[3:], r_a))
        assert normal_velocity(contact[0], tuple(r_a), tuple(r_b), v_a, v_b) == pytest.approx(expected, abs=1e-13)
