"""Checks whether a value, from a file or a user's program, has the type of a type hint."""

import functools
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from physics import shapes
from physics.core import plugins
from physics.shapes.compound import Compound
from physics.shapes.sphere import Sphere


def _class_of(name: str) -> type:
    """The class of a kind of shape. None is made for it: the first triangle mesh loads kernels, which delays the window."""
    return next(one for one in vars(plugins.modules(shapes)[name]).values()
                if isinstance(one, type) and getattr(one, "kind", "") == name)


SHAPE_EXAMPLES: dict[type, Callable[[], Any]] = {
    Compound: lambda: Compound((Sphere(1.0), (0, 0, 0))),
    **{_class_of(name): functools.partial(kind.make, (1.0, 1.0, 1.0)) for name, kind in shapes.kinds().items()}}
"""Makers of a shape of each class."""

SHAPE_KINDS = tuple(SHAPE_EXAMPLES)

_LARGEST = 2**63
"""Exclusive bound of the size of whole numbers; checksums may be twice as large."""


def matches_type(value: Any, hint: Any) -> bool:
    """Return whether a value has the type of a type hint; whole numbers count as floats."""
    if hint is Any:
        return True
    if hint in (None, types.NoneType):
        return value is None
    if hint is float:
        return isinstance(value, float) or matches_type(value, int)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool) and -_LARGEST <= value < 2 * _LARGEST
    if hint is shapes.Shape:
        return isinstance(value, SHAPE_KINDS)
    if hint is Callable or typing.get_origin(hint) is Callable:
        return callable(value) and not isinstance(value, type)
    inner = typing.get_args(hint)
    return _fits_generic(value, typing.get_origin(hint), inner) if inner else isinstance(value, hint)


def _fits_generic(value: Any, origin: Any, inner: tuple) -> bool:
    if origin in (typing.Union, types.UnionType):
        return any(matches_type(value, one) for one in inner)
    if origin is typing.Callable or origin is Callable:
        return callable(value)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if inner[-1] is Ellipsis:
            return all(matches_type(item, inner[0]) for item in value)
        return len(value) == len(inner) and all(map(matches_type, value, inner))
    if origin is Sequence:
        if isinstance(value, np.ndarray):
            return value.dtype.kind in "iuf"
        return isinstance(value, tuple | list) and all(matches_type(item, inner[0]) for item in value)
    if origin in (dict, Mapping):
        return isinstance(value, dict) and all(matches_type(k, inner[0]) and matches_type(v, inner[1]) for k, v in value.items())
    return isinstance(value, origin) and all(matches_type(item, inner[0]) for item in value)
