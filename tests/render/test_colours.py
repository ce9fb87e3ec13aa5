"""Colouring of bodies: against the quantities of the engine and closed forms."""

import math

import numpy as np
import pytest

from app.render.scene.colours import BODY_COLOURS, BodyPainter, ColourRange, rounded, scale
from app.render.scene.instances import fill
from app.render.scene.theme import DARK, LIGHT, linear
from app.render.scene.transforms import BodyTransforms
from app.render.view_options import ViewOptions
from physics.core.records import Kind, SleepReason
from physics.observe.quantities import BODY_FIELDS
from tests.tools.handmade import frame

D, S = Kind.DYNAMIC, Kind.STATIC
ONE = (1, 0, 0, 0)


def pile():
    """A floor, two balls that touch, one alone."""
    f = frame([("plane", (0, 0, 0), (0, 0, 0), ONE, S), *(("sphere", (0.5, 0, 0), (x, 0, 0.5), (1, 0.2, 0.1, 0), D)
                                                         for x in (0, 1, 5))],
              [{"body_a": 1, "body_b": 2, "impulse": 0.3, "friction": 0.5, "friction_impulse": (0.12, 0, 0), "gap": -0.002,
                "case": 1, "slip": (1e-3, 0, 0)}, {"body_a": 2, "body_b": 3, "impulse": 0.1, "case": 1}])
    rng = np.random.default_rng(3)
    f.bodies["vel"][2:], f.bodies["omega"][2:] = rng.normal(size=(2, 3, 3))
    f.bodies["mass"][2:] = 1.0, 2.0, 3.0
    f.bodies["inertia"][2:] = np.diag([0.1, 0.2, 0.3])
    return f


@pytest.mark.parametrize(("name", "field"), [("speed", "speed"), ("angular speed", "omega"), ("kinetic energy", "kinetic"),
                                             *((axis, axis) for axis in ("x", "y", "z", "vx", "vy", "vz", "omega_x", "omega_z"))])
def test_colour_values_match_the_quantities(name, field):
    f = pile()
    values = BODY_COLOURS[name].values(f)
    assert values[2:] == pytest.approx([BODY_FIELDS[field].read(f, i) for i in (2, 3, 4)])
    assert np.isnan(values[:2]).all()
    assert BODY_COLOURS[name].unit == BODY_FIELDS[field].unit


def test_contacts_are_gathered_at_both_bodies():
    f = pile()
    assert BODY_COLOURS["normal load"].values(f)[2:] == pytest.approx([0.4 * 240, 0.1 * 240, 0])
    assert BODY_COLOURS["penetration"].values(f)[2:] == pytest.approx([0.002, 0, 0])
    assert BODY_COLOURS["friction used"].values(f)[2:] == pytest.approx([0.8, 0, 0])
    assert BODY_COLOURS["contact impulse"].values(f)[2:] == pytest.approx([math.hypot(0.3, 0.12) + 0.1, 0.1, 0])
    assert BODY_COLOURS["creep"].values(f)[2:] == pytest.approx([1e-3, 0, 0])


def test_classes_by_kind_island_and_sleep():
    f = pile()
    assert BODY_COLOURS["body kind"].values(f).tolist() == [0, 0, 2, 2, 2]
    island = BODY_COLOURS["island"].values(f)
    assert island[2] == island[3] == 2 and island[4] == 4 and np.isnan(island[:2]).all()
    f.bodies["sleep_reason"][2] = SleepReason.ASLEEP
    view = ViewOptions(colour="sleep")
    painted, legend = BodyPainter().paint(f, view, DARK)
    assert [name for name, _ in legend.classes] == ["not monitored", "asleep"]
    assert np.isnan(painted[0]).all() and painted[2] == pytest.approx(linear(np.array(legend.classes[1][1])))


def test_the_colour_scale_is_perceptually_even():
    light = linear(scale(np.linspace(0, 1, 60))) @ (0.2126, 0.7152, 0.0722)
    steps = np.diff(np.cbrt(light))
    assert np.all(steps > 0) and steps.max() < 2.5 * np.median(steps)
    protan = np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]])
    seen = np.cbrt(np.maximum(linear(scale(np.linspace(0, 1, 8))) @ protan.T, 0)) @ (0.2126, 0.7152, 0.0722)
    assert np.all(np.diff(seen) > 0.03)


def test_a_range_grows_at_once_and_shrinks_late():
    seen = ColourRange()
    assert seen.update(("speed",), np.array([0.0, 3.7, np.nan])) == pytest.approx((0.0, 4.0))
    assert seen.update(("speed",), np.array([0.0, 2.3])) == pytest.approx((0.0, 4.0))
    assert seen.update(("speed",), np.array([0.0, 4.1])) == pytest.approx((0.0, 5.0))
    assert seen.update(("speed",), np.array([0.0, 1.9])) == pytest.approx((0.0, 2.0))
    assert seen.update(("mass",), np.array([7.0, 7.0]))[0] <= 7.0
    assert ColourRange().update((), np.array([np.nan])) == (0.0, 1.0)
    for lo, hi in ((0.0, 0.0), (1e-9, 3e4), (-2.0, 2.0), (5.0, 5.0)):
        a, b = rounded(lo, hi)
        assert (a <= lo and b >= hi and b > a) or lo == hi


def test_a_typed_range_is_kept_and_bodies_get_their_colours():
    f = pile()
    view = ViewOptions(colour="mass", colour_auto=False, colour_lo=1.0, colour_hi=3.0)
    tints, legend = BodyPainter().paint(f, view, DARK)
    assert (legend.lo, legend.hi, legend.unit) == (1.0, 3.0, "kg")
    out = fill(f, BodyTransforms(f), DARK, -1, -1, tints)
    assert out[1:, 12:15] == pytest.approx(linear(scale(np.array([0.0, 0.5, 1.0]))), abs=1e-6)
    assert out[0, 12:15] == pytest.approx(linear(DARK.static), abs=1e-6)          # what does not move keeps its own
    view.colour_hi = 1.0
    assert np.isfinite(BodyPainter().paint(f, view, DARK)[0][2:]).all()               # an empty range is no error


@pytest.mark.parametrize("name", list(BODY_COLOURS))
def test_every_colouring_handles_empty_and_full_worlds(name):
    for f in (frame([]), pile()):
        tints, _ = BodyPainter().paint(f, ViewOptions(colour=name), LIGHT)
        assert tints is None or tints.shape == (len(f.bodies), 3)
