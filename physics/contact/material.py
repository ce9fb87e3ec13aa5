"""Materials of surfaces, and the rules that mix the quantities of two materials.

A quantity of a pair is mixed from those of its materials x, y by a rule:

    arithmetic mean   (x + y) / 2
    geometric mean    sqrt(x y)
    minimum, product, maximum

Each quantity has a default rule (`DEFAULT_RULES`). A material may set another; if two materials set different ones, the later in
`RULES` wins. A value given for a pair overrides all rules.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from physics.core import former_names
from physics.core.check import BadInput, number, plain_name, shown_value, vector

RULES = ("arithmetic mean", "geometric mean", "minimum", "product", "maximum")

DEFAULT_RULES = {
    "friction": "geometric mean",
    "restitution": "maximum",
    "tangential_restitution": "maximum",
    "torsional_restitution": "maximum",
    "rolling": "maximum",
    "torsional": "maximum",
    "adhesion": "maximum",
}
"""Default rule of each quantity. kinetic_friction uses that of friction."""

SIGNED = ("tangential_restitution", "torsional_restitution")

STRONG = 10.0
"""Friction coefficients above this are allowed but probably unintended."""

VALUE_LIMITS = {                            # minimum, maximum, unit
    "friction": (0.0, 100.0, ""),
    "kinetic_friction": (0.0, 100.0, ""),
    "restitution": (0.0, 1.0, ""),
    "tangential_restitution": (-1.0, 1.0, ""),
    "torsional_restitution": (-1.0, 1.0, ""),
    "rolling": (0.0, 100.0, "m"),
    "torsional": (0.0, 100.0, "m"),
    "adhesion": (0.0, 1e9, "N"),
    "anisotropy": (0.01, 100.0, ""),
}


def checked(what: str, name: str, value: object) -> float:
    """The value of a quantity, finite and within its limits; else BadInput."""
    lo, hi, unit = VALUE_LIMITS[name]
    return number(f"{what}: {name}", value, lo=lo, hi=hi, unit=unit)


@former_names.accepts_former
@dataclass(frozen=True)
class Material:
    """The surface of a body. Directions are in the frame of the shape.

    friction: mu_s, of a contact that sticks. kinetic_friction: mu_k <= mu_s, of one that slides; None: the same.
    restitution: e, ratio of normal rebound speed to approach speed.
    tangential_restitution: fraction of the tangential speed that is reversed in a rebounding impact, -1 .. 1, as far as
        friction allows: 1 is a superball, 0 sticks, -1 is as without friction.
    torsional_restitution: the same for the spin about the normal, as far as torsional friction allows.
    rolling, torsional: lengths c [m]; the moment against rolling (spinning about the normal) is c times the normal force.
    anisotropy: friction across the axis over friction along it; axis: of the friction ellipse.
    surface_velocity: of the surface relative to its body, as of a conveyor belt [m/s].
    adhesion: pull between two touching shapes [N], whatever their area.
    mixing: quantity -> rule, see `RULES`. name: unique in a world; "" for a material that is used by value.

    Raises:
        BadInput: a number out of its range, kinetic friction above the static one, no such rule.
    """

    friction: float = 0.5
    kinetic_friction: float | None = None
    restitution: float = 0.0
    tangential_restitution: float = 0.0
    torsional_restitution: float = 0.0
    rolling: float = 0.0
    torsional: float = 0.0
    anisotropy: float = 1.0
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    surface_velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    adhesion: float = 0.0
    mixing: Mapping[str, str] = field(default_factory=dict)
    name: str = ""

    def __post_init__(self) -> None:
        what = f"material '{self.name}'" if plain_name("the material: its name", self.name) else "the material"
        for name in VALUE_LIMITS:
            value = getattr(self, name)
            if value is not None or name != "kinetic_friction":
                object.__setattr__(self, name, checked(what, name, value))
        if self.kinetic_friction is not None and self.kinetic_friction > self.friction:
            raise BadInput(f"{what}: kinetic_friction = {self.kinetic_friction:g} exceeds the static coefficient "
                           f"{self.friction:g}: increase friction or reduce kinetic_friction")
        for name in ("axis", "surface_velocity"):
            object.__setattr__(self, name, tuple(map(float, vector(f"{what}: {name}", getattr(self, name)))))
        if self.axis[0] ** 2 + self.axis[1] ** 2 + self.axis[2] ** 2 < 1e-12:
            raise BadInput(f"{what}: axis = {self.axis!r} has zero length: give a non-zero vector")
        if not isinstance(self.mixing, Mapping):
            raise BadInput(f"{what}: mixing = {shown_value(self.mixing)} must map quantities to rules, for example {{'friction': "
                           "'minimum'}")
        for quantity, rule in self.mixing.items():
            if quantity not in DEFAULT_RULES:
                raise BadInput(f"{what}: {shown_value(quantity)} has no mixing rule; allowed: {', '.join(DEFAULT_RULES)}")
            if rule not in RULES or (quantity in SIGNED and rule == "geometric mean"):
                allowed = [r for r in RULES if quantity not in SIGNED or r != "geometric mean"]
                raise BadInput(f"{what}: mixing rule {shown_value(rule)} of {quantity} is not one of: {', '.join(allowed)}")
        object.__setattr__(self, "mixing", dict(self.mixing))

    @property
    def kinetic_ratio(self) -> float:
        """mu_k / mu_s; 1 where there is no friction."""
        return 1.0 if self.kinetic_friction is None or self.friction == 0.0 else self.kinetic_friction / self.friction

    def without_coefficients(self) -> "Material":
        """The material without friction and restitution, which each shape stores itself; a named material is returned as is."""
        if self.name:
            return self
        return replace(self, friction=1.0, kinetic_friction=self.kinetic_ratio, restitution=0.0)


def rule_of(quantity: str, a: Material, b: Material) -> str:
    """The rule by which a quantity of two materials is mixed."""
    asked = [m.mixing[quantity] for m in (a, b) if quantity in m.mixing]
    return max(asked, key=RULES.index) if asked else DEFAULT_RULES[quantity]
