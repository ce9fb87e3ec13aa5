"""The impulse plane of an impact: its lines, path and ends against closed forms, and the panel that draws it."""

import math

import numpy as np
import pytest

from app.analysis.forces import impulse_plane
from app.engine.simulation import Simulation
from app.panels import _impulse_plane
from app.panels.impact import ImpactPanelState
from physics.contact.impact_laws import laws
from physics.observe.impacts import IMPACT
from scenes._planar_impact import UNLIMITED, limited
from tests.tools.person import fresh_spots


def record(w, u, mu, e, law="Newton", target=(0.0, 0.0)):
    """An IMPACT record in a plane: w (W_nn, W_nt, W_tt), u (u_n, u_t), of a contact whose slip has any direction."""
    one, angle = np.zeros(1, IMPACT), 0.7
    t = np.array([math.cos(angle), math.sin(angle)])
    W = np.zeros((3, 3))
    W[0, 0], W[0, 1:], W[1:, 0] = w[0], w[1] * t, w[1] * t
    W[1:, 1:] = w[2] * np.outer(t, t) + 2.0 * (np.eye(2) - np.outer(t, t))
    one["response"], one["before"], one["friction"], one["meant"], one["alone"] = W, (u[0], *(u[1] * t)), mu, e, 1
    one["law"], one["slip_target"] = list(laws()).index(law), target
    end = impulse_plane.solved(one[0], W, np.array(one["before"][0]), int(one["law"][0]), laws()[law].limited)
    one["impulse"], one["restitution"] = end[:3], end[impulse_plane.RESTITUTION]
    return one[0]


ROD = (2.2, -1.1, 1.9), (-1.0, 1.4), 0.8, 0.9
"""An end of a rod that slips and then sticks."""


def test_ends_are_the_closed_forms_and_newtons_gain_is_told():
    seen = impulse_plane.plane(record(*ROD))
    assert [end.law for end in seen.ends] == list(laws()) and seen.planar
    for end in seen.ends:
        expected = limited(*ROD, end.law)
        sign = 1.0 if seen.u[1] > 0.0 else -1.0
        assert end.impulse == pytest.approx((expected.impulse[0], sign * expected.impulse[1]), rel=1e-9)
        assert end.lost == pytest.approx(expected.lost, abs=1e-9) and end.normal == pytest.approx(expected.after[0])
        assert end.slip[0] == pytest.approx(expected.after[1], abs=1e-9) and end.slip[1] == pytest.approx(0.0, abs=1e-12)
        assert end.chosen == (end.law == "Newton")


def test_the_path_turns_on_the_line_of_sticking_and_crosses_that_of_compression():
    seen = impulse_plane.plane(record(*ROD))
    p_n, p_t = seen.path.T
    corner = p_n[np.argmin(np.abs(seen.sticking(p_n) - p_t) + (p_n == 0.0))]
    assert 0.0 < corner < p_n[-1]
    assert np.abs(p_t) == pytest.approx(np.minimum(seen.friction * p_n, np.abs(p_t)), abs=1e-12)
    after = p_n >= corner
    assert p_t[after] == pytest.approx(seen.sticking(p_n[after]), abs=1e-9)
    at = np.interp(seen.compression, p_n, p_t)
    assert seen.compressed(np.array(at)) == pytest.approx(seen.compression, rel=1e-9)


def test_central_impacts_agree_and_say_so():
    seen = impulse_plane.plane(record((0.5, 0.0, 1.75), (-2.0, 1.0), 0.2, 0.6))
    assert len({round(end.impulse[0], 9) for end in seen.ends}) == 1
    assert _impulse_plane.verdict(seen).startswith("All laws agree")


def test_kanes_gain_is_said():
    w, u = (1.00956, 1.52131, 2.44034), (-1.34202, -2.67174)
    seen = impulse_plane.plane(record(w, u, 0.7, 0.5))
    gain = -next(end.lost for end in seen.ends if end.law == UNLIMITED)
    assert gain > 0.0 and "would gain" in _impulse_plane.verdict(seen)
    assert min(end.lost for end in seen.ends if end.law != UNLIMITED) > -1e-9


def test_a_slip_that_turns_is_told_and_company_has_no_plane():
    one = record(*ROD)
    W = np.array([[1.0, 0.3, -0.5], [0.3, 2.0, 0.4], [-0.5, 0.4, 1.0]])
    one["response"], one["before"] = W, (-1.0, 2.0, 0.0)
    seen = impulse_plane.plane(one)
    assert not seen.planar and seen.reach >= max(end.impulse[0] for end in seen.ends)
    one["alone"] = 0
    assert impulse_plane.plane(one) is None


# ---- the panel


def test_the_panel_draws_the_plane_of_kanes_impact(person):
    person.load("kane_impact")
    person.window.gui.panels.open("impact")
    person.look(6)
    person.session.post(Simulation.single_step, 66)
    assert person.wait(lambda: person.session.frame.step == 66)
    assert person.wait(lambda: "impact/Impulse plane" in fresh_spots(person), 10.0)
    person.click("impact/Impulse plane")
    try:
        assert person.wait(lambda: person.session.state(ImpactPanelState).plane is not None, 10.0)
        assert person.session.state(ImpactPanelState).plane.planar, "Kane's pendulum cannot move aside"
        assert person.wait(lambda: any(name.endswith("/impulse plane") for name in fresh_spots(person)), 10.0)
        spots = fresh_spots(person)
        assert sum("/law " in name for name in spots) == len(laws())
        right = next(area[2] for name, area in spots.items() if name.endswith("/impulse plane"))
        assert right <= min(area[0] for name, area in spots.items() if "/law " in name), "its right end is not cut off"
        assert not person.window.gui.panels.all["impact"].error
    finally:
        person.forget(ImpactPanelState)
        person.window.gui.panels.all["impact"].open = False
