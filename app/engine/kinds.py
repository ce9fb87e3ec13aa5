"""The kinds of objects that a recording may hold, and whether what stands in their fields is of the right kind.

The list is fixed: classes that are named here, and those of the solvers that this window has. A file names one of them by the
module and the name that the class has by itself; nothing is imported or looked up in a module because a file says so.
"""

import dataclasses
import enum
import functools
import math
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from app.engine import edits, undoing
from physics import BadInput, joint_settings, shapes, solvers
from physics.account import Account
from physics.audit import Auditor
from physics.audit import Options as AuditOptions
from physics.auditing.found import Rule
from physics.auditing.told import Audit, Finding
from physics.beginning import Beginning
from physics.check import said
from physics.core.records import BODY
from physics.events import Watch
from physics.geometry import Data, Geometry, Pool
from physics.lcp.stepping import Problem
from physics.material import Material
from physics.materials import Materials
from physics.options import Described, checked
from physics.rejection import StepControl
from physics.report import Report
from physics.shapes.box import Box
from physics.shapes.capsule import Capsule
from physics.shapes.compound import Compound, Part
from physics.shapes.cone import Cone
from physics.shapes.cylinder import Cylinder
from physics.shapes.ellipsoid import Ellipsoid
from physics.shapes.height_field import HeightField
from physics.shapes.hull import Hull
from physics.shapes.plane import Plane
from physics.shapes.sphere import Sphere
from physics.shapes.triangle_mesh import TriangleMesh
from physics.sleeping import Island, Sleep
from physics.sleeping import Options as SleepOptions
from physics.snapshot import Snapshot
from physics.table import Table

SHAPES = (Sphere, Box, Capsule, Cylinder, Cone, Ellipsoid, Hull, Plane, TriangleMesh, HeightField, Compound)

FIXED = (Snapshot, Table, Pool, Geometry, Data, Materials, Material, Watch, Sleep, Island, SleepOptions, Account, Auditor,
         AuditOptions, Audit, Finding, Rule, Beginning, StepControl, Report, Problem, joint_settings.Friction,
         joint_settings.Motor, edits.Change, edits.Field, edits.Thing, undoing.Edit, Part, *SHAPES)

_FRESH: dict[type, Callable[[], Any]] = {
    Table: lambda: Table(BODY, 0), Watch: Watch, Sleep: Sleep, Auditor: Auditor,
    TriangleMesh: lambda: shapes.kinds()["triangle_mesh"].make((1.0, 1.0, 0.0)),
    HeightField: lambda: shapes.kinds()["height_field"].make((1.0, 1.0, 0.0)),
    Compound: lambda: Compound((Sphere(1.0), (0, 0, 0)))}
"""Objects that are no dataclasses: what a new one has is what one in a file may have, of the same kinds."""

_LARGEST = 2**63
"""Whole numbers are smaller in size, or a checksum below twice this."""


def name_of(kind: type) -> str:
    """Of a class, as a recording writes it."""
    return f"{kind.__module__}:{kind.__qualname__}"


def known() -> dict[str, type]:
    """All kinds by name."""
    found = list(FIXED)
    for solver in solvers.available().values():
        found += [item for item in vars(sys.modules[solver.__module__]).values()
                  if isinstance(item, type) and item.__module__ == solver.__module__
                  and (item is solver or dataclasses.is_dataclass(item) or _is_record(item))]
    return {name_of(kind): kind for kind in found}


def made(kind: type, given: dict[str, Any]) -> Any:
    """An object with these fields, without calling its class; a field that came later has its default.

    Raises:
        BadInput: it has other fields, or a value of another kind than stands there.
    """
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind, given)
    fresh = _FRESH[kind]() if kind in _FRESH else kind()
    example = dict(vars(fresh))
    if not given.keys() <= example.keys():
        raise _another(kind)
    for name, value in given.items():
        if not _like(value, example[name]):
            raise _wrong(kind, name, value)
        object.__setattr__(fresh, name, float(value) if isinstance(example[name], float) else value)
    return fresh


def chosen(kind: type, items: list[Any]) -> Any:
    """The member of an enumeration, or a tuple with names; raises as `made`."""
    if issubclass(kind, enum.Enum):
        if len(items) != 1 or not isinstance(items[0], int | str) or items[0] not in [member.value for member in kind]:
            raise BadInput(f"it has a {kind.__name__} that there is not: {said(items)}")
        return kind(items[0])
    if not _is_record(kind) or len(items) != len(kind._fields):
        raise _another(kind)
    return kind._make(_fitting(kind, name, value) for name, value in zip(kind._fields, items, strict=True))


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of the kind that a type hint tells; whole numbers are floats, too."""
    if hint is Any:
        return True
    if hint in (None, types.NoneType):
        return value is None
    if hint is float:
        return isinstance(value, float) or fits(value, int)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool) and -_LARGEST <= value < 2 * _LARGEST
    if hint is shapes.Shape:
        return isinstance(value, SHAPES)
    if hint is Callable or typing.get_origin(hint) is Callable:
        return callable(value) and not isinstance(value, type)
    inner = typing.get_args(hint)
    return _fits_generic(value, typing.get_origin(hint), inner) if inner else isinstance(value, hint)


def _fits_generic(value: Any, origin: Any, inner: tuple) -> bool:
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, one) for one in inner)
    if origin is typing.Callable or origin is Callable:
        return callable(value)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if inner[-1] is Ellipsis:
            return all(fits(item, inner[0]) for item in value)
        return len(value) == len(inner) and all(map(fits, value, inner))
    if origin is Sequence:
        if isinstance(value, np.ndarray):
            return value.dtype.kind in "iuf"
        return isinstance(value, tuple | list) and all(fits(item, inner[0]) for item in value)
    if origin in (dict, Mapping):
        return isinstance(value, dict) and all(fits(k, inner[0]) and fits(v, inner[1]) for k, v in value.items())
    return isinstance(value, origin) and all(fits(item, inner[0]) for item in value)


def _dataclass(kind: type, given: dict[str, Any]) -> Any:
    fields = {f.name: f for f in dataclasses.fields(kind)}
    if not given.keys() <= fields.keys():
        raise _another(kind)
    new = object.__new__(kind)
    for name, field in fields.items():
        if name not in given:       # it has got since
            if field.default is dataclasses.MISSING:
                raise _another(kind)
            value = field.default
        else:
            value = _fitting(kind, name, given[name])
            if issubclass(kind, Described):
                m = field.metadata
                value = checked(name, value, field.default, unit=m["unit"], lo=m["lo"], hi=m["hi"], choices=m["choices"])
        object.__setattr__(new, name, value)
    return new


def _fitting(kind: type, name: str, value: Any) -> Any:
    """A value for a field; a whole number becomes a float where one is asked for, or kernels would be compiled for it."""
    hint = _hints(kind)[name]
    if not fits(value, hint):
        raise _wrong(kind, name, value)
    return float(value) if hint is float else value


def _like(value: Any, example: Any) -> bool:
    """Whether a value is of the kind of another one."""
    if isinstance(example, np.ndarray):
        if not isinstance(value, np.ndarray) or value.ndim != example.ndim:
            return False
        return value.dtype == example.dtype or (example.dtype == BODY and value.dtype.names is not None)
    if isinstance(example, float) and not isinstance(value, bool):
        return fits(value, float) and not math.isnan(value)
    if example is None or isinstance(example, bool | int | str):
        return type(value) is type(example) and (type(example) is not int or fits(value, int))
    return isinstance(value, type(example))


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _is_record(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def _another(kind: type) -> BadInput:
    return BadInput(f"it holds another kind of {kind.__name__} than this version knows")


def _wrong(kind: type, name: str, value: Any) -> BadInput:
    return BadInput(f"'{name}' of a {kind.__name__} in it cannot be {said(value)}")
