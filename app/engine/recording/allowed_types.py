"""Types of objects that a recording may contain, and checks that their fields have the right types.

The list is fixed: the classes named here, and those of the installed solvers. A file refers to a class by its module and name;
nothing is imported or looked up in a module on a file's request.
"""

import dataclasses
import enum
import functools
import math
import sys
import typing
from collections.abc import Callable
from typing import Any

import numpy as np

from app.engine.undo import difference, edit_list
from app.i18n.message import message
from app.type_hints import SHAPE_EXAMPLES, SHAPE_KINDS, matches_type
from physics import BadInput, solvers
from physics.articulated.event_log import ContactCase, Event, EventKind, EventLog
from physics.contact.material import Material
from physics.core import former_names
from physics.core.check import shown_value
from physics.core.options import Described, checked
from physics.core.records import BODY
from physics.joints import _settings
from physics.observe.audit.auditor import AuditOptions as AuditOptions
from physics.observe.audit.auditor import Auditor
from physics.observe.audit.findings import Audit, Finding
from physics.observe.audit.worst_places import Rule
from physics.observe.report import EnergyTotals, Report, StepStart
from physics.shapes._geometry import GeometryArrays, GeometryPool, ShapeGeometry
from physics.shapes.compound import Part
from physics.solvers.lcp.step import ProblemReport
from physics.stepping.rejection import StepControl
from physics.world.events import ContactTracker
from physics.world.materials import Materials
from physics.world.sleep import Island, SleepState
from physics.world.sleep import SleepOptions as SleepOptions
from physics.world.snapshot import Snapshot
from physics.world.table import Table

FIXED = (Snapshot, Table, GeometryPool, GeometryArrays, ShapeGeometry, Materials, Material, ContactTracker, SleepState, Island,
         SleepOptions, EnergyTotals, Auditor,
         AuditOptions, Audit, Finding, Rule, StepStart, StepControl, Report, ProblemReport, EventLog, Event, EventKind,
         ContactCase, _settings.Friction, _settings.Motor, difference.EditDifference, difference.FieldChange, difference.Item,
         edit_list.Edit, Part, *SHAPE_KINDS)

_TEMPLATES: dict[type, Callable[[], Any]] = {
    Table: lambda: Table(BODY, 0), ContactTracker: ContactTracker, SleepState: SleepState, Auditor: Auditor,
    **{kind: make for kind, make in SHAPE_EXAMPLES.items() if not dataclasses.is_dataclass(kind)}}
"""Objects that are not dataclasses: a new one defines the attributes, with their types, that one in a file may have."""


def name_of(kind: type) -> str:
    """Return the name of a class in recordings."""
    return f"{kind.__module__}:{kind.__qualname__}"


def known() -> dict[str, type]:
    """Return all types by name."""
    found = list(FIXED)
    for solver in solvers.available().values():
        found += [item for item in vars(sys.modules[solver.__module__]).values()
                  if isinstance(item, type) and item.__module__ == solver.__module__
                  and (item is solver or dataclasses.is_dataclass(item) or _is_record(item))]
    return {name_of(kind): kind for kind in found}


def construct(kind: type, given: dict[str, Any]) -> Any:
    """Make an object with these fields without calling its class; fields added in later versions get their defaults.

    Raises:
        BadInput: a field is missing, unknown or of another type.
    """
    given = {today: value for name, value in given.items() if (today := former_names.field_today(kind, name))}
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind, given)
    fresh = _TEMPLATES[kind]() if kind in _TEMPLATES else kind()
    example = dict(vars(fresh))
    if not given.keys() <= example.keys():
        raise _another(kind)
    for name, value in given.items():
        if not _like(value, example[name]):
            raise _wrong(kind, name, value)
        object.__setattr__(fresh, name, float(value) if isinstance(example[name], float) else value)
    return fresh


def construct_member(kind: type, items: list[Any]) -> Any:
    """Make a member of an enumeration, or a named tuple; raises as `construct`."""
    if issubclass(kind, enum.Enum):
        if len(items) != 1 or not isinstance(items[0], int | str) or items[0] not in [member.value for member in kind]:
            raise BadInput(message("unknown {kind}: {items}", kind=kind.__name__, items=shown_value(items)))
        return kind(items[0])
    if not _is_record(kind) or len(items) != len(kind._fields):
        raise _another(kind)
    return kind._make(_fitting(kind, name, value) for name, value in zip(kind._fields, items, strict=True))


def _dataclass(kind: type, given: dict[str, Any]) -> Any:
    fields = {f.name: f for f in dataclasses.fields(kind)}
    if not given.keys() <= fields.keys():
        raise _another(kind)
    new = object.__new__(kind)
    for name, field in fields.items():
        if name not in given:       # added in a later version
            if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
                raise _another(kind)
            value = field.default if field.default is not dataclasses.MISSING else field.default_factory()
        else:
            value = _fitting(kind, name, given[name])
            if issubclass(kind, Described):
                m = field.metadata
                value = former_names.value_today(kind, name, value)
                value = checked(name, value, field.default, unit=m["unit"], lo=m["lo"], hi=m["hi"], choices=m["choices"])
        object.__setattr__(new, name, value)
    return new


def _fitting(kind: type, name: str, value: Any) -> Any:
    """Return the value for a field; whole numbers become floats in a float field, or kernels would be compiled for integers."""
    hint = _hints(kind)[name]
    if not matches_type(value, hint):
        raise _wrong(kind, name, value)
    return float(value) if hint is float else value


def _like(value: Any, example: Any) -> bool:
    """Return whether a value has the type of an example."""
    if isinstance(example, np.ndarray):
        if not isinstance(value, np.ndarray) or value.ndim != example.ndim:
            return False
        return value.dtype == example.dtype or (example.dtype == BODY and value.dtype.names is not None)
    if isinstance(example, float) and not isinstance(value, bool):
        return matches_type(value, float) and not math.isnan(value)
    if example is None or isinstance(example, bool | int | str):
        return type(value) is type(example) and (type(example) is not int or matches_type(value, int))
    return isinstance(value, type(example))


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _is_record(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


class OtherVersion(BadInput):
    """What an earlier or later version wrote, and this one cannot read."""


def _another(kind: type) -> OtherVersion:
    return OtherVersion(message("its format of {kind} is not supported by this version", kind=kind.__name__))


def _wrong(kind: type, name: str, value: Any) -> BadInput:
    return BadInput(message("it has an invalid value: '{name}' of a {kind} cannot be {value}", name=name, kind=kind.__name__,
                            value=shown_value(value)))
