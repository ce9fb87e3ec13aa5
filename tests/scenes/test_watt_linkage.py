"""Watt's linkage against its closed form, Watt's curve, and itself at half the step."""

import math

import numpy as np
import pytest

from scenes import run, watt_linkage
from scenes.watt_linkage import ARM, LINK, PIVOT, ROD_PIVOT, SCENE, Parameters, points


@pytest.mark.parametrize("degrees", [-26.0, -5.0, 0.0, 10.0, 25.0])
def test_the_closed_form_keeps_every_length_and_doubles_the_middle_of_the_link(degrees):
    at = points(math.radians(degrees))
    lengths = {"OB": ARM, "BA": ARM, "BC": LINK, "AD": LINK, "CD": ARM, "PC": ARM}
    assert all(math.hypot(*(at[last] - at[first])) == pytest.approx(length, rel=1e-12)
               for (first, last), length in lengths.items())
    assert at["D"] - PIVOT == pytest.approx(at["B"] + at["C"] - 2.0 * PIVOT)
    assert degrees or at["D"] == pytest.approx(ROD_PIVOT)


def test_errors_fall_at_least_with_the_square_of_the_step():
    """The midpoint rule, against energy in the one coordinate that is left."""
    prediction = watt_linkage.predict(Parameters())[1]
    errors = [abs(prediction.measure(*run(SCENE, dt=h, seconds=1.0)) - prediction.value) for h in (0.02, 0.005)]
    assert errors[0] < 1e-3 * prediction.value and errors[1] < errors[0] / 4.0**2


def test_a_wrong_point_is_off_the_curve():
    middle = np.array([0.5 * (at["B"] + at["C"]) for at in map(points, np.linspace(-0.3, 0.3, 21))])

    def off(shift: float) -> float:
        return watt_linkage.off_curve({"body:back link.x": middle[:, 0] + shift, "body:back link.z": middle[:, 1]})

    assert off(0.0) < 1e-11 and off(1e-6) > 1e-8


def test_the_row_of_the_curve_holds():
    assert all(row.ok for row in watt_linkage.papers())
