"""What a file says that was set and done: settings of a moment and commands, looked at before they reach a simulation.

Commands check most of what they are given; here is looked at what they rely on: that there is such a command, that its arguments
bind and are of the kinds that it tells, and what an edit writes into tables that kernels read.
"""

import functools
import inspect
import math
import typing
from typing import Any

import numpy as np

from app.engine import edits
from app.engine.history import Deed
from app.engine.kinds import fits
from app.engine.rewinding import SETTINGS
from app.engine.undoing import Edit
from physics import BadInput, TriangleMesh, valid_geometry
from physics.check import number, said
from physics.core.records import BODY, JOINT, SHAPE
from physics.materials import PAIRED
from physics.shapes import check_shape
from physics.shapes.compound import Compound
from physics.shapes.height_field import HeightField

DT_RANGE = (1e-4, 1.0)
"""Step sizes that a person may choose [s]; the longest is that of T08's integers."""

_TABLES = {"bodies": BODY, "shapes": SHAPE, "joints": JOINT}

_VALUES = (*edits.SETTINGS, "world gravity", "materials", "sleeping", "auditor", "solver")
"""What an edit may change beside tables."""


def check_settings(settings: dict[str, Any], joints: int) -> None:
    """What belongs to a moment beside its world, by name; joints: slots of its table.

    Raises:
        BadInput: something that there is not, of another kind or out of range.
    """
    for name, value in settings.items():
        if name not in SETTINGS or name == "edits":
            raise BadInput(f"there is no setting {said(name)}")
        if name == "dt":
            number("step size", value, lo=DT_RANGE[0], hi=DT_RANGE[1], unit="s")
            if not isinstance(value, float):        # kernels would be compiled for another type
                raise BadInput(f"step size = {value} must have a point")
        elif name == "drag_stiffness":
            number("stiffness of the mouse", value, lo=0.0, hi=1e6, unit="rad/s", open_lo=True)
        elif name in ("friction", "restitution"):
            if value is not None:
                number(name, value, lo=0.0, hi=100.0 if name == "friction" else 1.0)
        elif name in ("dragged", "_thrown"):
            if type(value) is not int or not -1 <= value < (joints if name == "dragged" else 2**31):
                raise BadInput(f"{name.strip('_')} = {said(value)} is no number of the moment's")
        elif name == "gravity":
            if value is not None and not (fits(value, tuple[float, float, float]) and all(map(math.isfinite, value))):
                raise BadInput(f"gravity = {said(value)} must be three finite numbers")
        elif name == "joint_bounds":
            if not fits(value, dict[tuple[str, str], float]) or not all(0.0 <= bound < math.inf for bound in value.values()):
                raise BadInput(f"the friction of joints = {said(value)} must be bounds by name and group")
        elif not _are_pairs(value):
            raise BadInput(f"what is set for pairs = {said(value)} must be numbers of pairs of surfaces")


def _are_pairs(value: Any) -> bool:
    if not fits(value, dict[tuple[str, int | str, int | str], dict[str, float | None]]):
        return False
    names = {name for numbers in value.values() for name in numbers}
    return names <= set(PAIRED) and all(pair[0] in ("materials", "bodies") for pair in value)


def check_deed(deed: Deed, commands: type) -> None:
    """Whether it is a command of that class that changes something, and its arguments are of the kinds that it asks for.

    Raises:
        BadInput: it is not; with its step.
    """
    what = f"what was done after step {deed.step}, '{deed.command}',"
    method = getattr(getattr(commands, deed.command, None), "__wrapped__", None)
    if method is None or deed.command.startswith("_"):
        raise BadInput(f"it holds {said(deed.command)}, which nobody can do in a scene")
    signature, hints = _told(method)
    try:
        bound = signature.bind(None, *deed.args, **deed.kwargs)
    except TypeError as error:
        raise BadInput(f"{what} has other arguments than it takes: {error}") from None
    for name, value in list(bound.arguments.items())[1:]:
        kind = signature.parameters[name].kind
        given = {inspect.Parameter.VAR_KEYWORD: dict.values, inspect.Parameter.VAR_POSITIONAL: tuple}.get(kind, lambda one: [one])
        for one in given(value):
            if name in hints and not fits(one, hints[name]):
                raise BadInput(f"{what} cannot have {name} = {said(one)}")
            check_value(f"{what} {name}", one)


@functools.cache
def _told(method: Any) -> tuple[inspect.Signature, dict[str, Any]]:
    return inspect.signature(inspect.unwrap(method)), typing.get_type_hints(inspect.unwrap(method))


def check_value(what: str, value: Any) -> None:
    """What commands do not look at by themselves: shapes that bring arrays, and edits.

    Raises:
        BadInput: they are none that there can be; starts with `what`.
    """
    if isinstance(value, Edit):
        _check_change(what, value.change)
    elif isinstance(value, Compound):
        for part in value.parts:
            check_value(what, part[0])
            for numbers, size in zip(part[1:], (3, 4), strict=True):
                if numbers.shape != (size,) or not np.all(np.abs(numbers) <= 1e5):
                    raise BadInput(f"{what}: a part of the compound stands at {said(numbers.tolist())}")
    elif isinstance(value, TriangleMesh | HeightField):
        valid_geometry.check_arrays(what, value._data)
        valid_geometry.check(what, value.kind, value._data)
        if value.middle.shape != (3,) or not fits(value.dims, tuple[float, float, float]) or not np.isfinite(value.middle).all() \
                or not all(0.0 <= size <= 1e6 for size in value.dims):
            raise BadInput(f"{what}: its {value.kind.replace('_', ' ')} has sizes that it cannot have")
    elif hasattr(type(value), "kind"):
        check_shape(what, value)


def _check_change(what: str, change: edits.Change) -> None:
    for field in change.fields:
        allowed = edits.AUTHORED.get(field.table, ())
        if field.name not in allowed:
            raise BadInput(f"{what}: nobody edits {said(field.name)} of {said(field.table)}")
        kind = _TABLES[field.table][field.name]
        for values in (field.before, field.after):
            if values.dtype != kind.base or values.shape != (*field.slots.shape, *kind.shape):
                raise BadInput(f"{what}: {field.name} of {field.table} is of another type")
        if field.slots.dtype != np.int64 or field.slots.ndim != 1 or np.any(field.slots < 0):
            raise BadInput(f"{what}: it names rows of {field.table} that cannot be")
    for table, things in (*change.came.items(), *change.went.items()):
        for thing in things:
            _check_thing(what, table, thing)
    for table, slot, before, after in change.names:
        if table not in ("bodies", "joints") or slot < 0 or not before or not after:
            raise BadInput(f"{what}: it renames row {slot} of {said(table)}")
    for name, pair in change.values.items():
        if name not in _VALUES:
            raise BadInput(f"{what}: nobody edits {said(name)}")
        if name in edits.SETTINGS:
            for value in pair:
                check_settings({name: value}, 0)


def _check_thing(what: str, table: str, thing: edits.Thing) -> None:
    if table not in ("bodies", "joints") or thing.record.dtype != _TABLES[table] or thing.slot < 0 or not thing.name:
        raise BadInput(f"{what}: what came or went is no body and no joint")
    if table == "bodies" and (thing.slots is None or thing.shapes is None or thing.slots.dtype != np.int64
                              or thing.shapes.dtype != SHAPE or thing.slots.ndim != 1 or thing.slots.shape != thing.shapes.shape
                              or np.any(thing.slots < 0) or np.any(thing.shapes["body"] != thing.slot)):
        raise BadInput(f"{what}: the shapes of the body '{thing.name}' are not its own")
