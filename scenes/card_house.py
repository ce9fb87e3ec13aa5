"""A house of cards bears a growing load: when do its feet slip?

A card of weight W leans at the angle a from the vertical against its mirror image; 2 l is the distance of its rounded edges, of
radius r, and P the load on its upper edge. As the tent opens the foot slides out, and the upper edge turns under what it bears:
friction is mu (W + P) at the foot and mu P above, and the cards press on one another with mu W. Moments about the middle of
the lower edge:

    mu W (2 l cos(a) + r) + mu P (2 l cos(a) + 2 r) = (W + 2 P) l sin(a)                                             (1)

Thin cards: mu (W + P) = tan(a) (W / 2 + P). They stand alone for mu > tan(a) / 2, under every load for mu >= tan(a).

Two tents, a card across and a third tent on it, on which the lid is pressed: a card of the upper tent carries half of what is
above it, a card of the lower tents a quarter of more. Whichever comes to (1) first slips.
"""

import dataclasses
import math

import numpy as np

from physics import Box, Capsule, Compound, World, option
from scenes import Scene, Trace, View, present
from scenes._parts import LYING, G, SlipLoad, add, ground, middle, push, turned

L, R, WIDE = 0.3, 0.01, 0.2     # l, r, half width [m]
W, LID = 0.3, 0.3               # masses of a card, of the lid [kg]
FLAT, FALLEN = 0.01, 0.1        # half thickness of the card across, sinking of the lid at which it is pressed no more [m]
CARD = Compound((Box((0.6 * R, WIDE, L)), (0.0, 0.0, 0.0)), *((Capsule(R, WIDE), (0.0, 0.0, z), LYING) for z in (-L, L)))
"""Upright, its edges along y."""


@dataclasses.dataclass
class Parameters:
    mu: float = option(0.37, lo=0.1, hi=1.0, help="Friction coefficient of cards and floor.")
    lean: float = option(25.0, unit="deg", lo=10.0, hi=40.0, help="Angle of the cards from the vertical.")
    rate: float = option(20.0, unit="N/s", lo=1.0, hi=100.0, help="Rate at which the load on top grows.")


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    a = math.radians(p.lean)
    ground(world, friction=p.mu)
    tall = 2.0 * (L * math.cos(a) + R)                          # of a tent
    foot, apart = L * math.sin(a) + R, 2.0 * L * math.sin(a) + R + 0.02        # of a card, of a tent from the middle

    def tent(x: float, z: float, first: int) -> None:
        for k, side in enumerate((-1.0, 1.0)):
            add(world, CARD, (x + side * foot, 0.0, z + 0.5 * tall), group=3 + k, mass=W, friction=p.mu,
                quat=turned((0.0, 1.0, 0.0), -side * a), name=f"card {first + k}")

    tent(-apart, 0.0, 1)
    tent(apart, 0.0, 3)
    add(world, Box((2.0 * apart, WIDE, FLAT)), (0.0, 0.0, tall + FLAT), group=2, mass=W, friction=p.mu, name="card across")
    tent(0.0, tall + 2.0 * FLAT, 5)
    top = 2.0 * (tall + FLAT)
    lid = add(world, Box((0.1, WIDE, FLAT)), (0.0, 0.0, top + FLAT), group=1, mass=LID, friction=p.mu, name="lid")
    world.add_joint("prismatic", 0, lid, anchor=(0.0, 0.0, top + FLAT), axis=(0.0, 0.0, 1.0), name="guide")
    push(world, lid, lambda world: (0.0, 0.0, -present(p, world.inputs).rate * middle(world)
                                    if world.bodies["pos"][lid, 2] > top - FALLEN else 0.0))


def bearable(parameters: Parameters) -> float:
    """Load P of a card at which it slips [N], by (1); inf where none does, 0 where it slips by itself."""
    p, a = parameters, math.radians(parameters.lean)
    s, c = L * math.sin(a), L * math.cos(a)
    if (grows := s - p.mu * (c + R)) <= 0.0:
        return math.inf
    return max(0.0, 0.5 * W * G * (p.mu * (2.0 * c + R) - s) / grows)


def force_at_slip(parameters: Parameters) -> float:
    """On the lid, when a tent slips [N]."""
    load = bearable(parameters)
    return min(2.0 * load - LID * G, 4.0 * load - (3.0 * W + LID) * G)


SLIP = SlipLoad("force on the lid when a tent slips", force_at_slip, lambda p: "lid", "-z", (3e-3, 2e-2))


def check(world: World, trace: Trace) -> None:
    """A tent slips at the predicted force, the upper one, and the house stands before."""
    SLIP.check(world, trace, Parameters())
    assert np.ptp(trace["body:card 1.x"]) < 0.25 * np.ptp(trace["body:card 5.x"]), "a lower tent slips"


SCENE = Scene(
    title="House of cards",
    category="Statics",
    look_for="Cards lean on one another in tents, and the lid presses on them harder and harder. The load makes both the "
             "thrust of the cards and the friction of their feet grow, the thrust faster: so a steep house bears any load, a "
             "flat one none, and this one some. The upper tent slips first, for the lower ones share what they bear. Find the "
             "friction with which it never slips.",
    law=r"\mu\,W\,(2 l\cos\alpha + r) + 2\mu\,P\,(l\cos\alpha + r) \geq (W + 2 P)\,l\sin\alpha",
    law_text="mu W (2 l cos(a) + r) + 2 mu P (l cos(a) + r) >= (W + 2 P) l sin(a)",
    build=build,
    parameters=Parameters,
    live=("rate",),
    view=View(target=(0.0, 0.0, 0.55), distance=2.5, azimuth=14.0, elevation=10.0),
    options={"cone": "circle", "iterations": 200},
    plots=("body:lid.vz", "body:lid.z", "body:card 1.x", "body:card 5.x"),
    show=("contacts", "forces"),
    predict=SLIP.predict,
    check_time=0.5,
    check=check,
    unreached={"compliant_contact": "the feet creep before they slip, and the cards lean more",
               "joint_space": "its friction cones have facets, and leaning cards slip between them, at 4.3 N",
               "soft_steps": "its contacts give way while the load grows",
               "stewart_trinkle": "a step takes minutes from the moment on at which a tent slips"},
)
