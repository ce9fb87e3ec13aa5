"""Materials by name, with the friction and restitution of their pairs from handbooks: all the data, and how a body gets one.

A pair that no source tabulates is mixed by the rules of physics/contact/material.py from the materials' own values, which are
those of the material on itself.
"""

from dataclasses import dataclass

from app.i18n.message import message
from physics import BadInput, Material, World

OPENSTAX = "OpenStax, University Physics 1, table 6.1"
YOUNG = "Young and Freedman, University Physics, table 5.1"
MARKS_HANDBOOK = "Marks' Standard Handbook for Mechanical Engineers, table 3.2.1"
ACI = "ACI 318, shear friction, surface not roughened"
NEWTON = "Newton, Principia, scholium to the laws of motion"


@dataclass(frozen=True)
class Substance:
    """A material of the library. density [kg/m^3]; friction, kinetic, restitution: on itself, for mixing."""

    density: float
    friction: float
    kinetic: float
    restitution: float = 0.0


@dataclass(frozen=True)
class TabulatedPair:
    """Values of a pair and where they are from. kinetic, restitution: None where the source has none."""

    friction: float
    kinetic: float | None
    source: str
    restitution: float | None = None
    restitution_source: str = ""


LIBRARY = {
    "wood": Substance(700.0, 0.5, 0.3),
    "steel": Substance(7850.0, 0.74, 0.57, 0.55),
    "aluminium": Substance(2700.0, 0.6, 0.45),
    "cast iron": Substance(7200.0, 1.1, 0.15),
    "glass": Substance(2500.0, 0.94, 0.4, 0.94),
    "rubber": Substance(1100.0, 1.0, 0.8, 0.7),
    "concrete": Substance(2400.0, 0.6, 0.6),
    "ice": Substance(917.0, 0.1, 0.03),
    "teflon": Substance(2200.0, 0.04, 0.04)}
"""Materials by name. Those of aluminium and rubber on themselves are estimates: sources spread, or do not have them."""

PAIR_FRICTION = {
    ("steel", "steel"): TabulatedPair(0.74, 0.57, YOUNG, 0.55, NEWTON),
    ("aluminium", "steel"): TabulatedPair(0.61, 0.47, YOUNG),
    ("glass", "glass"): TabulatedPair(0.94, 0.40, YOUNG, 15.0 / 16.0, NEWTON),
    ("teflon", "teflon"): TabulatedPair(0.04, 0.04, YOUNG),
    ("steel", "teflon"): TabulatedPair(0.04, 0.04, YOUNG),
    ("cast iron", "cast iron"): TabulatedPair(1.10, 0.15, MARKS_HANDBOOK),
    ("wood", "wood"): TabulatedPair(0.5, 0.3, OPENSTAX),
    ("steel", "wood"): TabulatedPair(0.5, 0.3, OPENSTAX),
    ("aluminium", "wood"): TabulatedPair(0.5, 0.3, OPENSTAX),
    ("cast iron", "wood"): TabulatedPair(0.5, 0.3, OPENSTAX),
    ("ice", "ice"): TabulatedPair(0.1, 0.03, OPENSTAX),
    ("ice", "steel"): TabulatedPair(0.4, 0.02, OPENSTAX),
    ("concrete", "rubber"): TabulatedPair(1.0, 0.7, OPENSTAX),
    ("concrete", "concrete"): TabulatedPair(0.6, None, ACI)}
"""Dry pairs, both names in the order of the alphabet. "Metal on wood" counts for each metal."""


def tabulated(a: str, b: str) -> TabulatedPair | None:
    """The values of a pair of materials by their names, None where no source has them."""
    return PAIR_FRICTION.get((min(a, b), max(a, b)))


def source_of(a: str, b: str, quantity: str, value: float) -> str | None:
    """Source of a pair's value of a quantity of Material; "": not tabulated; None: not of the library, or changed since."""
    if a not in LIBRARY or b not in LIBRARY:
        return None
    pair = tabulated(a, b)
    if pair is None:
        return ""
    own, source = {"friction": (pair.friction, pair.source), "kinetic_friction": (pair.kinetic, pair.source),
                   "restitution": (pair.restitution, pair.restitution_source)}.get(quantity, (None, ""))
    if own is None:
        return ""
    return source if value == own else None


def assign(world: World, body: int, name: str) -> None:
    """Make a body of a material of the library, and set the values of its pairs with those in use.

    Raises:
        BadInput: no such body or material, or another material of that name. Nothing is changed.
    """
    if name not in LIBRARY:
        raise BadInput(message("the library has no material '{name}'; it has {known}", name=name, known=", ".join(LIBRARY)))
    own, used = LIBRARY[name], [material.name for material in world.materials.items]
    made = Material(friction=own.friction, kinetic_friction=own.kinetic, restitution=own.restitution, name=name)
    world.set_material(body, name if name in used else made)
    for other in {*used, name} & LIBRARY.keys():
        pair, places = tabulated(name, other), sorted(world.materials.index(title) for title in (name, other))
        if pair is not None and not world.materials.given.get(tuple(places)):
            values = {"friction": pair.friction, "kinetic_friction": pair.kinetic, "restitution": pair.restitution}
            world.set_pair(name, other, **{key: value for key, value in values.items() if value is not None})
