"""Validates the settings and commands of a file before they reach a simulation.

Commands check most of their arguments; checked here is what they rely on: that the command exists, that its arguments bind and
have the annotated types, and what an edit writes into tables that kernels read.
"""

import functools
import inspect
import math
import typing
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from app.engine.command import is_undoable
from app.engine.timeline.history import KEYFRAME_SETTINGS, CommandRecord
from app.engine.undo import difference
from app.engine.undo.edit_list import Edit
from app.i18n.message import message
from app.type_hints import matches_type
from physics import BadInput, TriangleMesh
from physics.core.check import number, shown_value
from physics.core.records import BODY, JOINT, SHAPE
from physics.shapes import check_shape
from physics.shapes.compound import Compound
from physics.shapes.height_field import HeightField
from physics.world import validate_geometry
from physics.world.materials import PAIRED

DT_RANGE = (1e-4, 1.0)
"""Range of step sizes [s]; the longest is that of T08's integers."""

_TABLES = {"bodies": BODY, "shapes": SHAPE, "joints": JOINT}

_VALUES = (*difference.AUTHORED_SETTINGS, "world gravity", "materials", "sleeping", "auditor", "solver")
"""Values outside the tables that an edit may change."""


def check_settings(settings: dict[str, Any], joints: int) -> None:
    """Check the settings of a keyframe, by name; joints: slots of the joint table.

    Raises:
        BadInput: an unknown setting, another type or out of range.
    """
    for name, value in settings.items():
        if name not in KEYFRAME_SETTINGS or name == "edits":
            raise BadInput(message("unknown setting {name}", name=shown_value(name)))
        if name == "dt":
            number("step size", value, lo=DT_RANGE[0], hi=DT_RANGE[1], unit="s")
            if not isinstance(value, float):        # kernels would be compiled for another type
                raise BadInput(message("step size = {value} must be a decimal number", value=value))
        elif name == "drag_stiffness":
            number("stiffness of the mouse", value, lo=0.0, hi=1e6, unit="rad/s", open_lo=True)
        elif name in ("friction", "restitution"):
            if value is not None:
                number(name, value, lo=0.0, hi=100.0 if name == "friction" else 1.0)
        elif name in ("dragged", "_thrown"):
            if type(value) is not int or not -1 <= value < (joints if name == "dragged" else 2**31):
                raise BadInput(message("{name} = {value} is not a valid value", name=name.strip("_"), value=shown_value(value)))
        elif name == "gravity":
            if value is not None and not (matches_type(value, tuple[float, float, float]) and all(map(math.isfinite, value))):
                raise BadInput(message("gravity = {value} must be three finite numbers", value=shown_value(value)))
        elif name == "joint_bounds":
            if not matches_type(value,
                                dict[tuple[str, str], float]) or not all(0.0 <= bound < math.inf for bound in value.values()):
                raise BadInput(message("joint friction = {value} must be bounds by name and group", value=shown_value(value)))
        elif not _are_pairs(value):
            raise BadInput(message("values for pairs = {value} must be numbers for pairs of materials", value=shown_value(value)))


def _are_pairs(value: Any) -> bool:
    if not matches_type(value, dict[tuple[str, int | str, int | str], dict[str, float | None]]):
        return False
    names = {name for numbers in value.values() for name in numbers}
    return names <= set(PAIRED) and all(pair[0] in ("materials", "bodies") for pair in value)


def check_command(command: CommandRecord, commands: Mapping[str, Callable]) -> None:
    """Check that a command is known, changes something, and has arguments of the annotated types.

    Raises:
        BadInput: it does not; the text names its step.
    """
    what = message("the command after step {step}, '{command}',", step=command.step, command=command.command)
    function = commands.get(command.command)
    if function is None or not is_undoable(function):
        raise BadInput(message("it contains {command}, which is not a command", command=shown_value(command.command)))
    signature, hints = _signature(function)
    try:
        bound = signature.bind(None, *command.args, **command.kwargs)
    except TypeError as error:
        raise BadInput(message("{what} has unexpected arguments: {error}", what=what, error=error)) from None
    for name, value in list(bound.arguments.items())[1:]:
        kind = signature.parameters[name].kind
        given = {inspect.Parameter.VAR_KEYWORD: dict.values, inspect.Parameter.VAR_POSITIONAL: tuple}.get(kind, lambda one: [one])
        for one in given(value):
            if name in hints and not matches_type(one, hints[name]):
                raise BadInput(message("{what} does not allow {name} = {value}", what=what, name=name, value=shown_value(one)))
            check_value(f"{what} {name}", one)


@functools.cache
def _signature(function: Callable) -> tuple[inspect.Signature, dict[str, Any]]:
    return inspect.signature(inspect.unwrap(function)), typing.get_type_hints(inspect.unwrap(function))


def check_value(what: str, value: Any) -> None:
    """Check arguments that commands do not check themselves: shapes with arrays, and edits.

    Raises:
        BadInput: they are invalid; the text starts with `what`.
    """
    if isinstance(value, Edit):
        _check_change(what, value.change)
    elif isinstance(value, Compound):
        for part in value.parts:
            check_value(what, part[0])
            for numbers, size in zip(part[1:], (3, 4), strict=True):
                if numbers.shape != (size,) or not np.all(np.abs(numbers) <= 1e5):
                    raise BadInput(message("{what}: a part of the compound is at {numbers}", what=what,
                                           numbers=shown_value(numbers.tolist())))
    elif isinstance(value, TriangleMesh | HeightField):
        validate_geometry.check_arrays(what, value._data)
        validate_geometry.check(what, value.kind, value._data)
        if value.middle.shape != (3,) or not matches_type(value.dims,
                                                          tuple[float, float, float]) or not np.isfinite(value.middle).all() \
                or not all(0.0 <= size <= 1e6 for size in value.dims):
            raise BadInput(message("{what}: its {kind} has invalid dimensions", what=what, kind=value.kind.replace("_", " ")))
    elif hasattr(type(value), "kind"):
        check_shape(what, value)


def _check_change(what: str, change: difference.EditDifference) -> None:
    for field in change.fields:
        allowed = difference.AUTHORED_FIELDS.get(field.table, ())
        if field.name not in allowed:
            raise BadInput(message("{what}: {field} of {table} cannot be edited", what=what, field=shown_value(field.name),
                                   table=shown_value(field.table)))
        kind = _TABLES[field.table][field.name]
        for values in (field.before, field.after):
            if values.dtype != kind.base or values.shape != (*field.slots.shape, *kind.shape):
                raise BadInput(message("{what}: {field} of {table} has the wrong type", what=what, field=field.name,
                                       table=field.table))
        if field.slots.dtype != np.int64 or field.slots.ndim != 1 or np.any(field.slots < 0):
            raise BadInput(message("{what}: it refers to invalid rows of {table}", what=what, table=field.table))
    for table, things in (*change.added.items(), *change.removed.items()):
        for thing in things:
            _check_thing(what, table, thing)
    for table, slot, before, after in change.names:
        if table not in ("bodies", "joints") or slot < 0 or not before or not after:
            raise BadInput(message("{what}: it renames row {slot} of {table}", what=what, slot=slot, table=shown_value(table)))
    for name, pair in change.values.items():
        if name.startswith(difference.INPUT):
            for value in pair:
                number(f"{what}: control input {shown_value(name.removeprefix(difference.INPUT))}", value)
        elif name not in _VALUES:
            raise BadInput(message("{what}: {name} cannot be edited", what=what, name=shown_value(name)))
        if name in difference.AUTHORED_SETTINGS:
            for value in pair:
                check_settings({name: value}, 0)


def _check_thing(what: str, table: str, thing: difference.Item) -> None:
    if table not in ("bodies", "joints") or thing.record.dtype != _TABLES[table] or thing.slot < 0 or not thing.name:
        raise BadInput(message("{what}: the added or removed item is neither a body nor a joint", what=what))
    if table == "bodies" and (thing.slots is None or thing.shapes is None or thing.slots.dtype != np.int64
                              or thing.shapes.dtype != SHAPE or thing.slots.ndim != 1 or thing.slots.shape != thing.shapes.shape
                              or np.any(thing.slots < 0) or np.any(thing.shapes["body"] != thing.slot)):
        raise BadInput(message("{what}: the shapes of body '{thing}' belong to another body", what=what, thing=thing.name))
