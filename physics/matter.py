"""What a body is made of: is this shape allowed here, what does it weigh, what stands in its SHAPE record."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from physics import shapes
from physics.check import number, said
from physics.collide import narrow
from physics.errors import BadInput
from physics.frames import principal_inertia
from physics.geometry import Pool
from physics.warnings import Warnings

IMPLAUSIBLE = 1e6
"""An inertia wrong by this factor is a wrong unit."""


def check(what: str, shape: shapes.Shape, dynamic: bool, known: tuple[str, ...], met: Iterable[str],
          say: Callable[[str], None] = lambda sentence: None) -> None:
    """Raise BadInput unless kind and sizes are allowed, the mass finite if dynamic, and it can touch the kinds `met`.

    say: told what a shape that is allowed has to note.
    """
    if isinstance(shape, type) or not isinstance(getattr(shape, "kind", None), str):
        raise BadInput(f"{what}: its shape is {said(shape)}; give one of {', '.join(known)}, with its sizes, or a Compound")
    if shape.kind not in known:
        raise BadInput(f"{what}: there is no shape '{shape.kind}'; there are: {', '.join(known)}")
    shapes.check_shape(what, shape)
    if dynamic and not math.isfinite(shape.volume()):
        raise BadInput(f"{what}: a {shape.kind} has no finite mass: make the body static or kinematic")
    for kind in met:
        if not narrow.supported(shape.kind, kind):
            raise BadInput(f"{what}: a {shape.kind} cannot collide with a {kind} yet")
    if note := getattr(shape, "note", str)():
        say(f"{what}: {note}")


def mass_properties(what: str, shape: shapes.Shape | None, mass: float | None, density: float,
                    inertia: Any, warnings: Warnings) -> tuple[float, np.ndarray]:
    """(mass [kg], inertia tensor (3, 3) [kg m^2]) from what is given; arguments as in `World.add_body`."""
    if shape is None and (mass is None or inertia is None):
        raise BadInput(f"{what} has no shape: give its mass and inertia")
    if mass is None:
        mass = number(f"{what}: density", density, lo=0.0, hi=1e9, unit="kg/m^3", open_lo=True) * shape.volume()
    mass = number(f"{what}: mass", mass, lo=0.0, hi=1e12, unit="kg", open_lo=True)
    tensor = principal_inertia(what, shape.inertia(mass) if inertia is None else inertia)
    if inertia is not None and shape is not None:
        ratio = np.trace(tensor) / np.trace(principal_inertia(what, shape.inertia(mass)))
        if not 1.0 / IMPLAUSIBLE < ratio < IMPLAUSIBLE:
            warnings.add(f"{what}: its inertia is {ratio:.3g} times that of its shape and mass: is the unit kg m^2? Leave it out "
                         "to have it computed")
    return mass, tensor


def describe(record: np.void, shape: shapes.Shape, kind: int, pool: Pool) -> Pool:
    """Write kind, dims, rounding and geometry of a shape into its SHAPE record; the pool with the geometry in it."""
    record["kind"], record["dims"], record["rounding"] = kind, shape.dims, shapes.rounding_of(shape)
    record["geometry"] = -1
    if (data := shapes.geometry_of(shape)) is not None:
        pool, record["geometry"] = pool.add(data)
    return pool
