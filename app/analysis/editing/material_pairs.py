"""Surfaces of a scene and their pairs: friction and restitution by mixing rule, or set for the pair."""

from dataclasses import dataclass, field

import numpy as np

from app.engine.frame import Frame
from app.engine.material_library import LIBRARY, tabulated
from app.i18n.message import message
from app.number_format import rounded
from physics.contact.material import RULES, VALUE_LIMITS, Material, rule_of
from physics.contact.mixing import combined
from physics.world.materials import PLAIN_MATERIAL, Materials

FORMULAS = {"arithmetic mean": "({x} + {y}) / 2", "geometric mean": "sqrt({x} \u00d7 {y})", "minimum": "min({x}, {y})",
            "product": "{x} \u00d7 {y}", "maximum": "max({x}, {y})"}
"""Mixing rules in mathematical notation."""

SLIDER_LIMITS = {"friction": 2.0, "kinetic_friction": 2.0, "rolling": 0.1, "torsional": 0.1, "adhesion": 1000.0}
"""Upper ends of sliders."""

BODY_QUANTITIES = ("friction", "restitution")
"""Quantities stored per body: bodies of one material may differ in them."""

MAX_LINES = 4
"""Limit of the pairs listed for one body."""


@dataclass(frozen=True)
class Surface:
    """A material in use, or a named one. bodies: made of it; friction, restitution: smallest and largest of these bodies."""

    index: int
    title: str
    named: bool
    bodies: tuple[int, ...]
    friction: tuple[float, float]
    restitution: tuple[float, float]


@dataclass(frozen=True)
class Number:
    """One quantity of a pair. lo, hi: range of the result over all bodies of the two; own: set for this pair; mixed: the rule's
    result (its smallest); formula: the rule with its numbers."""

    name: str
    lo: float
    hi: float
    own: bool
    mixed: float
    rule: str
    formula: str

    @property
    def several(self) -> str:
        """Range of the values of a pair of materials whose bodies differ; "" if all have one."""
        return "" if self.lo == self.hi else self.text

    @property
    def text(self) -> str:
        """Text of a table cell."""
        return range_text(self.lo, self.hi)


def range_text(lo: float, hi: float) -> str:
    """"0.2\u20130.5", or one number where both read the same."""
    least, most = rounded(lo), rounded(hi)
    return least if least == most else f"{least}\u2013{most}"


@dataclass
class Surfaces:
    """All surfaces of a scene; rebuilt only when a material or a body's surface changes."""

    items: tuple[Surface, ...] = ()
    _of: tuple = ()
    _materials: Materials = field(default_factory=Materials)
    _numbers: dict[tuple, Number] = field(default_factory=dict)

    def update(self, frame: Frame, materials: Materials) -> "Surfaces":
        """Update from a frame and its world's materials (which only edits change)."""
        shapes = frame.shapes
        of = (materials, frame.scene, shapes["body"].tobytes(), shapes["material"].tobytes(),
              *(shapes[name].tobytes() for name in BODY_QUANTITIES))
        if not self._of or self._of[0] is not materials or self._of[1:] != of[1:]:
            self._of, self._materials, self.items = of, materials, tuple(_surfaces(shapes, materials))
            self._numbers.clear()
        return self

    def place(self, material: int) -> int:
        """Position of a material in the list, -1: none."""
        return next((k for k, surface in enumerate(self.items) if surface.index == material), -1)

    def number(self, quantity: str, a: Surface, b: Surface) -> Number:
        """A quantity of the pair of two surfaces."""
        key = quantity, a.index, b.index
        if key not in self._numbers:
            self._numbers[key] = self._number(quantity, a, b)
        return self._numbers[key]

    def of_bodies(self, quantity: str, a: Surface, b: Surface, x: float, y: float) -> Number:
        """Friction or restitution of two bodies of these surfaces whose own values are x and y."""
        return self._number(quantity, a, b, (x, x), (y, y))

    def _number(self, quantity: str, a: Surface, b: Surface, *ranges: tuple[float, float]) -> Number:
        materials = self._materials
        given = materials.given.get((min(a.index, b.index), max(a.index, b.index)), {})
        p, q = (materials.items[surface.index] for surface in (a, b))
        rule = rule_of("friction" if quantity == "kinetic_friction" else quantity, p, q)
        if not ranges:
            ranges = tuple(_range(quantity, surface, material) for surface, material in ((a, p), (b, q)))
        lo, hi = _mixed(rule, *ranges)
        formula = FORMULAS[rule].format(x=_range_text(ranges[0]), y=_range_text(ranges[1]))
        defined_by = "friction" if quantity == "kinetic_friction" and quantity not in given else quantity
        if defined_by in given:
            return Number(quantity, given[defined_by], given[defined_by], quantity in given, lo, rule, formula)
        return Number(quantity, lo, hi, False, lo, rule, formula)

    def is_set(self, a: Surface, b: Surface) -> bool:
        """Whether any quantity is set for this pair."""
        return bool(self._materials.given.get((min(a.index, b.index), max(a.index, b.index))))


def limits(quantity: str) -> tuple[float, float, str]:
    """Lower end, upper end and unit of a quantity's slider."""
    lo, hi, unit = VALUE_LIMITS[quantity]
    return lo, SLIDER_LIMITS.get(quantity, hi), unit


def title_of(material: Material, index: int) -> str:
    """Title of a material, also of an unnamed one."""
    return material.name or ("plain" if material == PLAIN_MATERIAL else message("unnamed {index}", index=index))


def material_of(frame: Frame, body: int) -> int:
    """Index of the material of a body's first shape; -1 without shapes."""
    own = np.flatnonzero(frame.shapes["body"] == body)
    return int(frame.shapes["material"][own[0]]) if len(own) else -1


def pair_lines(frame: Frame, body: int) -> list[str]:
    """Handbook values of the pairs of a body's material with those that it touches, or the mixing rule where there are none; for
    materials of the library, a line each."""
    own = material_of(frame, body)
    name = title_of(frame.materials.items[own], own) if 0 <= own < len(frame.materials.items) else ""
    if name not in LIBRARY:
        return []
    sides = np.stack([frame.shapes["material"][frame.contacts[side]] for side in ("shape_a", "shape_b")], axis=-1)
    met = sides[(frame.contacts["body_a"] == body) | (frame.contacts["body_b"] == body)]
    others = [frame.materials.items[i].name for i in np.unique(met).tolist() if i != own or np.any((met == own).all(axis=1))]
    lines = []
    for other in others[:MAX_LINES]:
        pair = tabulated(name, other) if other else None
        if pair is None:
            lines.append(message("on {other}: no handbook value, mixed by the rule", other=other or "plain"))
        else:
            kinetic = pair.friction if pair.kinetic is None else pair.kinetic
            lines.append(message("on {other}: static {friction}, kinetic {kinetic} ({source})", other=other,
                                 friction=rounded(pair.friction), kinetic=rounded(kinetic), source=pair.source))
    return lines


def touching(frame: Frame, a: int, b: int) -> np.ndarray:
    """Indices of contacts between bodies of two materials."""
    first, second = (frame.shapes["material"][frame.contacts[name]] for name in ("shape_a", "shape_b"))
    return np.flatnonzero(((first == a) & (second == b)) | ((first == b) & (second == a)))


def _surfaces(shapes: np.ndarray, materials: Materials) -> list[Surface]:
    there, found = shapes["body"] >= 0, []
    for i, material in enumerate(materials.items):
        own = np.flatnonzero(there & (shapes["material"] == i))
        if not len(own) and not material.name:
            continue
        spans = [(float(v.min()), float(v.max())) if len(v := shapes[name][own]) else (getattr(material, name),) * 2
                 for name in BODY_QUANTITIES]
        bodies = tuple(dict.fromkeys(shapes["body"][own].tolist()))
        found.append(Surface(i, title_of(material, i), bool(material.name), bodies, *spans))
    return found


def _range(quantity: str, surface: Surface, material: Material) -> tuple[float, float]:
    if quantity in BODY_QUANTITIES:
        return getattr(surface, quantity)
    if quantity == "kinetic_friction":
        return surface.friction[0] * material.kinetic_ratio, surface.friction[1] * material.kinetic_ratio
    value = float(getattr(material, quantity))
    return value, value


def _mixed(rule: str, x: tuple[float, float], y: tuple[float, float]) -> tuple[float, float]:
    """Apply the rule to both lower and both upper values."""
    out = np.empty(2)
    combined(np.full(2, RULES.index(rule)), np.array(x), np.array(y), out)
    return float(out[0]), float(out[1])


def _range_text(span: tuple[float, float]) -> str:
    return rounded(span[0]) if span[0] == span[1] else f"({rounded(span[0])}\u2013{rounded(span[1])})"
