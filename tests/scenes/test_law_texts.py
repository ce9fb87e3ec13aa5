"""What a scene's law says in plain letters is what it predicts, evaluated with the scene's numbers."""

import math
import re

import numpy as np
import pytest

from scenes import card_house, compliant_slope, eulers_disc, ladder, spinning_coin, woodpecker
from scenes.truth.discs import moments

FUNCTIONS = {"sin": math.sin, "cos": math.cos, "tan": math.tan}


def value(formula: str, **values: float) -> float:
    """Of a formula in which a space between factors is a product."""
    tokens = re.findall(r"[A-Za-z_]\w*|[\d.]+|\S", formula.replace("^", "@"))
    parts = []
    for before, token in zip(["(", *tokens], tokens):
        ends = before == ")" or (re.match(r"[\w.]", before) and before not in FUNCTIONS)
        parts.append(("*" if ends and re.match(r"[\w.(]", token) else "") + ("**" if token == "@" else token))
    return float(eval("".join(parts), {"__builtins__": {}}, {**FUNCTIONS, **values}))


def sides(text: str, sign: str = " = ") -> list[str]:
    """Both sides of the relation with which a law begins."""
    return text.split(";  ")[0].split(", which")[0].split(",  W <=")[0].split(sign)


def test_a_formula_is_read_as_it_is_meant():
    assert value("2 (a + b) c^2 / (3 d)", a=1.0, b=2.0, c=3.0, d=4.0) == 2.0 * 3.0 * 9.0 / 12.0
    assert value("a sin(b) c", a=2.0, b=0.5, c=3.0) == 6.0 * math.sin(0.5)


def test_ladder():
    p = ladder.Parameters()
    s = value(sides(ladder.SCENE.law_text)[1], mu=p.mu, m=ladder.LADDER, M=p.climber, L=ladder.LONG, r=ladder.THIN,
              theta=math.radians(p.angle))
    assert s == pytest.approx(ladder.predict(p)[0].value, rel=1e-12)


def test_eulers_disc():
    p = eulers_disc.Parameters()
    i1, i3 = moments(p.radius, 0.5 * p.thickness)
    for prediction, degrees in zip(eulers_disc.predict(p), eulers_disc.DISCS.values(), strict=True):
        square = value(sides(eulers_disc.SCENE.law_text)[1], m=1.0, g=9.81, r=p.radius, c=0.5 * p.thickness, I1=i1, I3=i3,
                       alpha=math.radians(degrees))
        assert math.sqrt(square) == pytest.approx(prediction.value, rel=1e-9)


def test_spinning_coin():
    p = spinning_coin.Parameters()
    text = spinning_coin.SCENE.law_text.split("w0^2 = ")[1].split(", which")[0]
    square = value(text, m=1.0, g=9.81, r=p.radius, d=0.25 * p.thickness**2 / p.radius,
                   I1=spinning_coin.moments(p.radius, p.thickness)[0])
    assert math.sqrt(3.0 * square) == pytest.approx(spinning_coin.predict(p)[2].value, rel=1e-9)


def test_compliant_slope():
    p = compliant_slope.Parameters()
    text = compliant_slope.SCENE.law_text.split(";")[0].split("x = ")[1]
    creep = value(text, m=compliant_slope.MASS, g=9.81, theta=math.radians(p.angle), n=4.0, K_t=p.tangential_stiffness,
                  h=compliant_slope.HALF[2], K=compliant_slope.K, l=compliant_slope.HALF[0])
    assert creep == pytest.approx(compliant_slope.predict(p)[0].value, rel=1e-9)


def test_card_house():
    p = card_house.Parameters()
    given = {"mu": p.mu, "W": card_house.W * 9.81, "P": card_house.bearable(p), "l": card_house.L, "r": card_house.R,
             "a": math.radians(p.lean)}
    holds, thrust = (value(side, **given) for side in sides(card_house.SCENE.law_text, " >= "))
    assert holds == pytest.approx(thrust, rel=1e-9)


def test_woodpecker():
    f, (q, pressed) = woodpecker.jammed(), woodpecker.hanging()
    weights = np.array([woodpecker.SLEEVE[0], woodpecker.BIRD[0]]) * 9.81
    given = {"N": pressed, "h": woodpecker.TALL, "b": woodpecker.BORE + woodpecker.CORNER, "f": f, "q": q, "W": weights.sum(),
             "r": woodpecker.POLE, "M": woodpecker.BIRD[0], "g": 9.81, "l": woodpecker.HINGE, "L": woodpecker.BACK}
    left, right = (value(side, **given) for side in sides(woodpecker.SCENE.law_text))
    assert left == pytest.approx(right, rel=1e-9)
    assert pressed == pytest.approx(woodpecker.predict(woodpecker.Parameters())[0].value, rel=1e-12)
