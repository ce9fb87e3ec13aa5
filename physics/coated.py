"""The materials' side of the world: what surfaces are made of, and what pairs of them do."""

from dataclasses import replace
from typing import Any

import numpy as np

from physics.check import number, said
from physics.core.records import WakeReason
from physics.errors import BadInput
from physics.friction import polygon
from physics.material import LIMITS, STRONG, Material, checked
from physics.materials import Materials
from physics.mixing import mix


class Coated:
    """Materials of the shapes of a world."""

    def __init__(self) -> None:
        self.materials = Materials()
        super().__init__()

    def set_friction(self, mu: float, body: int | None = None) -> None:
        """Static friction coefficient of one body, or of all; the kinetic one changes in the same ratio."""
        body = None if body is None else self._check_body(body)
        self.shapes["friction"][self._shapes_of(body)] = self._friction("friction", mu)
        self._wake(body, WakeReason.MATERIAL)

    def set_restitution(self, e: float, body: int | None = None) -> None:
        """Restitution of one body, or of all."""
        body = None if body is None else self._check_body(body)
        self.shapes["restitution"][self._shapes_of(body)] = number("restitution", e, lo=0.0, hi=1.0)
        self._wake(body, WakeReason.MATERIAL)

    def set_material(self, body: int, material: Material | str) -> None:
        """Make a body of another material, given or by the name of one in use; its friction and restitution go with it."""
        body = self._check_body(body)
        own = self._shapes_of(body)
        self._coat(own, *self._made(material))
        self._wake(body, WakeReason.MATERIAL)

    def change_material(self, name: str, /, **values: Any) -> Material:
        """Change numbers of a named material, and of everything that is made of it; returns the new one.

        Raises:
            BadInput: no such material or number, or a value out of its range. Nothing is changed.
        """
        i = self.materials.index(name)
        unknown = [k for k in values if k not in Material.__dataclass_fields__ or k == "name"]
        if unknown:
            allowed = ", ".join(k for k in Material.__dataclass_fields__ if k != "name")
            raise BadInput(f"material '{name}': {unknown[0]!r} cannot be changed; allowed: {allowed}")
        material = replace(self.materials.items[i], **values)
        self.materials = self.materials.change(i, material)
        own = np.flatnonzero((self.shapes["body"] >= 0) & (self.shapes["material"] == i))
        for quantity in {"friction", "restitution"} & set(values):
            self.shapes[quantity][own] = getattr(material, quantity)
        self._wake(None, WakeReason.MATERIAL)
        return material

    def set_pair(self, a: Material | str, b: Material | str, **values: float | None) -> None:
        """Numbers for contacts between two materials, instead of those that the rules would mix; None takes one back.

        values: friction, kinetic_friction, restitution, tangential_restitution, rolling, torsional, adhesion. Static friction
        alone is kinetic friction, too.

        Raises:
            BadInput: no such material or quantity, or a value out of its range. Nothing is changed.
        """
        materials, indices = self.materials, []
        for material in (a, b):
            if isinstance(material, str):
                indices.append(materials.index(material))
            elif isinstance(material, Material):
                materials, i = materials.add(material)
                indices.append(i)
            else:
                raise BadInput(f"material {said(material)} of a pair must be a Material or the name of one")
        self.materials = materials.with_pair(*indices, values)
        self._wake(None, WakeReason.MATERIAL)

    # ---- inside

    def mix_materials(self, contacts: np.ndarray) -> None:
        """Give the contacts of a step the numbers of their materials; where all are plain the narrow phase has done it."""
        if not self.materials.plain:
            facets = getattr(self.solver.options, "polygon_facets", 0)
            mix(contacts, self.awake_contacts, self.shapes, self.bodies, self.materials.records, self.materials.pairs,
                polygon(facets))
            contacts["restitution"][contacts["late"] == 1] = 0.0

    def _made(self, material: Material | str) -> tuple[Materials, int, Material]:
        """(all materials with this one, its index, itself)."""
        if isinstance(material, str):
            i = self.materials.index(material)
            return self.materials, i, self.materials.items[i]
        if not isinstance(material, Material):
            raise BadInput(f"material = {said(material)} must be a Material or the name of one")
        return *self.materials.add(material), material

    def _surface(self, what: str, material: Material | str | None, friction: float | None, restitution: float | None) -> tuple:
        """(all materials, index, friction, restitution) of a new body; BadInput where something is not allowed."""
        materials, i, own = self._made(Material() if material is None else material)
        mu = self._friction(f"{what}: friction", own.friction if friction is None else friction)
        return materials, i, mu, checked(what, "restitution", own.restitution if restitution is None else restitution)

    def _coat(self, shapes: np.ndarray, materials: Materials, i: int, material: Material) -> None:
        self.materials = materials
        self.shapes["material"][shapes] = i
        self.shapes["friction"][shapes], self.shapes["restitution"][shapes] = material.friction, material.restitution

    def _friction(self, what: str, mu: float) -> float:
        mu = number(what, mu, lo=LIMITS["friction"][0], hi=LIMITS["friction"][1])
        if mu > STRONG:
            self.warnings.add(f"{what} = {mu:g} is more than any pair of solids has: above {STRONG:g} bodies stick as if glued")
        return mu
