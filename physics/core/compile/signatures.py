"""numba types as JSON and back: numbers, records and our own types by name, arrays, tuples.

    "float64", "physics.core.records:BODY", ["array", of, dimensions, layout], ["field", of, shape], ["tuple", ..],
    ["physics.constraints.joint_system:JointSystem", ..]
"""

import functools
import importlib
import sys
from typing import Any

import numba
import numpy as np
from numba.core import types


def spell(kind: types.Type) -> Any:
    """A type as JSON.

    Raises:
        ValueError: it has no spelling.
    """
    if isinstance(kind, types.Float | types.Integer | types.Boolean):
        return str(kind)
    if isinstance(kind, types.NestedArray):
        return ["field", spell(kind.dtype), list(kind.shape)]
    if isinstance(kind, types.Array) and kind.aligned:
        return ["array" if kind.mutable else "constant", spell(kind.dtype), kind.ndim, kind.layout]
    if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
        made = kind.instance_class
        return [f"{made.__module__}:{made.__qualname__}", *map(spell, kind)]
    if isinstance(kind, types.Tuple | types.UniTuple):
        return ["tuple", *map(spell, kind)]
    package = f"{__name__.partition('.')[0]}."
    if kind not in (names := _names(tuple(sorted(name for name in sys.modules if name.startswith(package))))):
        raise ValueError(f"{kind} has no spelling")
    return names[kind]


def read(text: Any) -> types.Type:
    """The type that `spell` wrote."""
    if isinstance(text, str):
        found = _named(text) if ":" in text else getattr(types, text)
        return numba.from_dtype(found) if isinstance(found, np.dtype) else found
    word, *rest = text
    if word in ("array", "constant"):
        return types.Array(read(rest[0]), rest[1], rest[2], readonly=word == "constant")
    if word == "field":
        return types.NestedArray(read(rest[0]), tuple(rest[1]))
    inner = tuple(map(read, rest))
    return types.BaseTuple.from_types(inner) if word == "tuple" else types.BaseTuple.from_types(inner, _named(word))


def _named(text: str) -> Any:
    module, _, name = text.partition(":")
    return getattr(importlib.import_module(module), name)


@functools.cache
def _names(modules: tuple[str, ...]) -> dict[types.Type, str]:
    """Names of the records and of our own numba types in these modules."""
    found: dict[types.Type, str] = {}
    for module in modules:
        for name, value in vars(sys.modules[module]).items():
            if isinstance(value, np.dtype) and value.names:
                found.setdefault(numba.from_dtype(value), f"{module}:{name}")
            elif isinstance(value, types.Type):
                found.setdefault(value, f"{module}:{name}")
    return found
