"""The materials of a world and of pairs of surfaces.

All materials of a world and the table of their pairs; what a pair has, in words.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from physics.contact.friction_cone import polygon
from physics.contact.material import DEFAULT_RULES, RULES, STRONG, VALUE_LIMITS, Material, checked, rule_of
from physics.contact.mixing import combined, mix_contacts
from physics.core.check import BadInput, number, shown_value
from physics.core.records import MATERIAL, PAIR, WakeReason
from physics.world import contact_callbacks
from physics.world.sleep import wake_changed
from physics.world.table import body_index, shape_indices

if TYPE_CHECKING:
    from physics.world.world import World

MAX_MATERIALS = 200
"""Different materials of a world; friction and restitution do not make a difference, each shape has its own."""

DEFAULT_MATERIAL = Material()
"""Of a body for which none is given."""

PLAIN_MATERIAL = DEFAULT_MATERIAL.without_coefficients()
"""Material 0: bodies with friction and restitution alone."""

EXTRA = ("tangential_restitution", "torsional_restitution", "rolling", "torsional", "adhesion")
"""Quantities that only some pairs have: the solver gives their contacts more than Coulomb's law (extended_contacts.py)."""

PAIRED = tuple(name for name in VALUE_LIMITS if name != "anisotropy")
"""What `World.set_pair` can set."""


@dataclass(frozen=True)
class Materials:
    """The materials of a world by index, as SHAPE.material, and what was set for pairs. Changing them gives new ones."""

    items: tuple[Material, ...] = (PLAIN_MATERIAL,)
    given: Mapping[tuple[int, int], Mapping[str, float]] = field(default_factory=dict)

    def add(self, material: Material) -> tuple["Materials", int]:
        """(materials with this one, its index); the same ones if it is there already.

        Raises:
            BadInput: another material has that name, or there are too many.
        """
        item = material.without_coefficients()
        if item in self.items:
            return self, self.items.index(item)
        if material.name and any(m.name == material.name for m in self.items):
            raise BadInput(f"material '{material.name}' already exists with other values: use another name, or change it with "
                           "World.change_material")
        if len(self.items) >= MAX_MATERIALS:
            raise BadInput(f"a world can have at most {MAX_MATERIALS} materials: share them between bodies")
        return replace(self, items=(*self.items, item)), len(self.items)

    def index(self, name: str) -> int:
        """Index of the material of that name.

        Raises:
            BadInput: there is none.
        """
        names = [m.name for m in self.items]
        if not isinstance(name, str) or not name or name not in names:
            known = ", ".join(repr(n) for n in names if n) or "none"
            raise BadInput(f"there is no material {shown_value(name)}; there are: {known}")
        return names.index(name)

    def change(self, i: int, material: Material) -> "Materials":
        """A copy with another material in place of number i."""
        made = replace(self, items=(*self.items[:i], material.without_coefficients(), *self.items[i + 1:]))
        if "pairs" in vars(self) and all(getattr(material, name) == getattr(self.items[i], name) for name in (*EXTRA, "mixing")):
            vars(made)["pairs"] = self.pairs        # belts change their speed in every step, and the table is slow to make
        return made

    def with_pair(self, a: int, b: int, values: Mapping[str, float | None]) -> "Materials":
        """Materials with values of a pair set; None takes a value back.

        Raises:
            BadInput: no such quantity, a value out of its range, kinetic friction above the static one.
        """
        what = f"pair of {_title(self.items[a])} and {_title(self.items[b])}"
        key = (min(a, b), max(a, b))
        now = dict(self.given.get(key, {}))
        for name, value in values.items():
            if name not in PAIRED:
                raise BadInput(f"{what}: {name!r} cannot be set; allowed: {', '.join(PAIRED)}")
            now.pop(name, None)
            if value is not None:
                now[name] = checked(what, name, value)
        if now.get("kinetic_friction", 0.0) > now.get("friction", math.inf):
            raise BadInput(f"{what}: kinetic_friction = {now['kinetic_friction']:g} exceeds the static coefficient "
                           f"{now['friction']:g}")
        return replace(self, given={**self.given, key: now})

    @property
    def plain(self) -> bool:
        """True if every contact has friction and restitution by the default rules and nothing else."""
        return len(self.items) == 1 and not any(self.given.values())

    @cached_property
    def records(self) -> np.ndarray:
        """MATERIAL (m,)."""
        table = np.zeros(len(self.items), MATERIAL)
        for record, m in zip(table, self.items, strict=True):
            record["kinetic_ratio"], record["anisotropy"] = m.kinetic_ratio, m.anisotropy
            record["axis"], record["surface_velocity"] = m.axis, m.surface_velocity
        return table

    @cached_property
    def pairs(self) -> np.ndarray:
        """PAIR (m (m + 1) / 2,), in the order of `pair_index` (mixing.py)."""
        keys = [(a, b) for b in range(len(self.items)) for a in range(b + 1)]
        table = np.zeros(len(keys), PAIR)
        for record, key in zip(table, keys, strict=True):
            self._fill(record, *key)
        return table

    def _fill(self, record: np.void, a: int, b: int) -> None:
        p, q, given = self.items[a], self.items[b], self.given.get((a, b), {})
        record["friction_rule"] = RULES.index(rule_of("friction", p, q))
        record["restitution_rule"] = RULES.index(rule_of("restitution", p, q))
        record["friction"] = given.get("friction", math.nan)
        record["kinetic_friction"] = given.get("kinetic_friction", given.get("friction", math.nan))
        record["restitution"] = given.get("restitution", math.nan)
        for name in EXTRA:
            record[name] = given.get(name, _combine(rule_of(name, p, q), getattr(p, name), getattr(q, name)))
        record["extended"] = any(record[name] != 0.0 for name in EXTRA)

    def value(self, quantity: str, a: np.void, b: np.void) -> tuple[float, str]:
        """(value of a quantity for two SHAPE records, where it comes from, in words)."""
        i, j = int(a["material"]), int(b["material"])
        given = self.given.get((min(i, j), max(i, j)), {})
        if quantity in given:
            return given[quantity], "set for this pair"
        if quantity == "kinetic_friction" and "friction" in given:
            return given["friction"], "as static"
        x, y = (self._own(quantity, shape) for shape in (a, b))
        rule = rule_of("friction" if quantity == "kinetic_friction" else quantity, self.items[i], self.items[j])
        return _combine(rule, x, y), f"{rule} of {x:g} and {y:g}"

    def _own(self, quantity: str, shape: np.void) -> float:
        """A shape's own value."""
        if quantity in ("friction", "restitution"):
            return float(shape[quantity])
        material = self.items[int(shape["material"])]
        if quantity == "kinetic_friction":
            return float(shape["friction"]) * material.kinetic_ratio
        return getattr(material, quantity)


def describe_pair(world: Any, a: int | str, b: int | str) -> str:
    """Describe the surface values between two bodies: a line for each quantity, with its rule.

    a, b: indices or names of bodies; of a compound, its first shape.

    Raises:
        BadInput: no such body, or one without a shape.
    """
    first, second = (_shape(world, body) for body in (a, b))
    materials = world.materials
    titles = [_title(materials.items[int(s["material"])]) for s in (first, second)]
    lines = [f"{world.body_names[int(first['body'])]} ({titles[0]}) and {world.body_names[int(second['body'])]} ({titles[1]})"]
    for quantity in ("friction", "kinetic_friction", *(q for q in DEFAULT_RULES if q != "friction")):
        value, origin = materials.value(quantity, first, second)
        if quantity in ("friction", "restitution") or (quantity == "kinetic_friction"
                                                       and value != materials.value("friction", first, second)[0]):
            lines.append(f"{_words(quantity)} {value:.4g}: {origin}")
        elif quantity in EXTRA and value != 0.0:
            unit = f" {VALUE_LIMITS[quantity][2]}" if VALUE_LIMITS[quantity][2] else ""
            lines.append(f"{_words(quantity)} {value:.4g}{unit}: {origin}")
    for shape in (first, second):
        material, name = materials.items[int(shape["material"])], world.body_names[int(shape["body"])]
        if material.anisotropy != 1.0:
            lines.append(f"friction across the axis {material.axis} of {name}: {material.anisotropy:g} times that along the axis")
        if any(material.surface_velocity):
            lines.append(f"surface of {name} moves at {material.surface_velocity} m/s in its own frame")
    return "\n".join(lines)


def _shape(world: Any, body: int | str) -> np.void:
    i = world.body(body) if isinstance(body, str) else body
    own = np.flatnonzero(world.shapes["body"] == i)
    if len(own) == 0:
        raise BadInput(f"body {body!r} has no shape, so it has no contacts: choose another body")
    return world.shapes[own[0]]


def _combine(rule: str, x: float, y: float) -> float:
    out = np.empty(1)
    combined(np.array([RULES.index(rule)]), np.array([x]), np.array([y]), out)
    return float(out[0])


def _title(material: Material) -> str:
    return material.name or ("plain" if material == PLAIN_MATERIAL else "unnamed material")


def _words(quantity: str) -> str:
    return {"friction": "static friction", "rolling": "rolling friction", "torsional": "torsional friction"}.get(
        quantity, quantity.replace("_", " "))


def set_friction(world: "World", mu: float, body: int | None = None) -> None:
    """Set the static friction coefficient mu of one body, or of all; the kinetic one changes in the same ratio.

    Raises:
        BadInput: no such body, or mu out of 0 .. 100.
    """
    body = None if body is None else body_index(world, body)
    world.shapes["friction"][shape_indices(world, body)] = _checked_friction(world, "friction", mu)
    wake_changed(world, body, WakeReason.MATERIAL)


def set_restitution(world: "World", e: float, body: int | None = None) -> None:
    """Set the restitution e of one body, or of all.

    Raises:
        BadInput: no such body, or e out of 0 .. 1.
    """
    body = None if body is None else body_index(world, body)
    world.shapes["restitution"][shape_indices(world, body)] = number("restitution", e, lo=0.0, hi=1.0)
    wake_changed(world, body, WakeReason.MATERIAL)


def set_material(world: "World", body: int, material: Material | str) -> None:
    """Make a body of another material, given or by the name of one in use, with its friction and restitution.

    Raises:
        BadInput: no such body or material, or another material of that name.
    """
    body = body_index(world, body)
    world.materials, i, made = _with_material(world, material)
    own = shape_indices(world, body)
    world.shapes["material"][own] = i
    world.shapes["friction"][own], world.shapes["restitution"][own] = made.friction, made.restitution
    wake_changed(world, body, WakeReason.MATERIAL)


def change_material(world: "World", name: str, /, **values: Any) -> Material:
    """Change numbers of a named material, and of everything that is made of it; returns the new one.

    Raises:
        BadInput: no such material or number, or a value out of its range. Nothing is changed.
    """
    i = world.materials.index(name)
    unknown = [k for k in values if k not in Material.__dataclass_fields__ or k == "name"]
    if unknown:
        allowed = ", ".join(k for k in Material.__dataclass_fields__ if k != "name")
        raise BadInput(f"material '{name}': {unknown[0]!r} cannot be changed; allowed: {allowed}")
    material = replace(world.materials.items[i], **values)
    world.materials = world.materials.change(i, material)
    own = np.flatnonzero((world.shapes["body"] >= 0) & (world.shapes["material"] == i))
    for quantity in {"friction", "restitution"} & set(values):
        world.shapes[quantity][own] = getattr(material, quantity)
    wake_changed(world, None, WakeReason.MATERIAL)
    return material


def set_pair(world: "World", /, a: Material | str, b: Material | str, **values: float | None) -> None:
    """Set values for contacts between two materials, overriding the mixing rules; None removes one.

    values: friction, kinetic_friction, restitution, tangential_restitution, rolling, torsional, adhesion. Static friction
    alone is kinetic friction, too.

    Raises:
        BadInput: no such material or quantity, or a value out of its range. Nothing is changed.
    """
    materials, indices = world.materials, []
    for material in (a, b):
        if isinstance(material, str):
            indices.append(materials.index(material))
        elif isinstance(material, Material):
            materials, i = materials.add(material)
            indices.append(i)
        else:
            raise BadInput(f"material {shown_value(material)} of a pair must be a Material or a material name")
    world.materials = materials.with_pair(*indices, values)
    wake_changed(world, None, WakeReason.MATERIAL)


def mix_materials(world: "World", contacts: np.ndarray) -> None:
    """Write the values of their pairs into the contacts of a step; plain ones have them from the narrow phase. A program's
    callbacks change them."""
    if not world.materials.plain:
        facets = getattr(world.solver.options, "polygon_facets", 0)
        mix_contacts(contacts, world.awake_contacts, world.shapes, world.bodies, world.materials.records, world.materials.pairs,
                     polygon(facets))
        contacts["restitution"][contacts["no_rebound"] == 1] = 0.0
    if world.contact_callbacks and len(contacts):
        contact_callbacks.call(world, contacts)


def checked_surface(world: "World", what: str, material: Material | str | None, friction: float | None,
                    restitution: float | None) -> tuple:
    """(all materials, index, friction, restitution) of a new body; BadInput where something is not allowed."""
    materials, i, own = (world.materials, 0, DEFAULT_MATERIAL) if material is None else _with_material(world, material)
    mu = _checked_friction(world, f"{what}: friction", own.friction if friction is None else friction)
    return materials, i, mu, checked(what, "restitution", own.restitution if restitution is None else restitution)


def _with_material(world: "World", material: Material | str) -> tuple[Materials, int, Material]:
    """(all materials with this one, its index, itself)."""
    if isinstance(material, str):
        i = world.materials.index(material)
        return world.materials, i, world.materials.items[i]
    if not isinstance(material, Material):
        raise BadInput(f"material = {shown_value(material)} must be a Material or a material name")
    return *world.materials.add(material), material


def _checked_friction(world: "World", what: str, mu: float) -> float:
    mu = number(what, mu, lo=VALUE_LIMITS["friction"][0], hi=VALUE_LIMITS["friction"][1])
    if mu > STRONG:
        world.warnings.add(f"{what} = {mu:g} exceeds the physical range of solids: above {STRONG:g} bodies stick as if glued")
    return mu
