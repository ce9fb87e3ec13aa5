"""Self-describing options: the GUI makes a control of each field, the CLI an argument, and both check values here."""

import dataclasses
import functools
import math
from collections import namedtuple
from collections.abc import Callable
from numbers import Real
from operator import attrgetter
from typing import Any

import numpy as np

from physics.core import former_names
from physics.core.check import BadInput, name_hint, shown_value


def option(default: Any, *, unit: str = "", lo: float | None = None, hi: float | None = None,
           choices: tuple[str, ...] = (), log: bool = False, help: str) -> Any:
    """A dataclass field with its unit, its range (or choices) and its effect on the physics.

    Args:
        default: value of a new object and after a reset.
        unit: SI unit as text, "" for a pure number.
        lo, hi: inclusive range of a number.
        choices: allowed texts.
        log: use a logarithmic scale.
        help: one or two sentences: its effect on the physics.
    """
    return dataclasses.field(default=default, metadata={
        "unit": unit, "lo": lo, "hi": hi, "choices": choices, "log": log, "help": help, "option": True})


def fields(options: Any) -> list[dataclasses.Field]:
    """Fields made with `option` of an options object or class, in order; unit, range and help are in their metadata."""
    return [f for f in dataclasses.fields(options) if f.metadata.get("option")]


def option_values(options: Any) -> dict[str, Any]:
    """The values of all options by name."""
    return {field.name: getattr(options, field.name) for field in fields(options)}


def numbers_type(options: type, name: str) -> type:
    """A named tuple type of the options that are numbers, for compiled code. name: the global name that it gets in the module
    of the options."""
    return namedtuple(name, [f.name for f in fields(options) if not f.metadata["choices"]], module=options.__module__)


def as_numbers(options: Any, kind: type) -> Any:
    """The values of an options object in a `numbers_type`."""
    return kind._make(_reader(kind)(options))


@functools.cache
def _reader(kind: type) -> Callable[[Any], tuple]:
    return attrgetter(*kind._fields)


class Described:
    """Base of dataclasses whose options are checked whenever set: by attribute, by keyword, by `set_option`.

    Raises:
        BadInput: unknown name, wrong type, not finite, out of range. The object is unchanged.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        known = _described(type(self))
        if name not in known:
            name = former_names.field_today(type(self), name, True)
        if name not in known:
            raise BadInput(f"unknown option '{name}'{name_hint(name, known)}")
        value = former_names.value_today(type(self), name, value)
        object.__setattr__(self, name, checked(name, value, known[name].default, **allowed_range(known[name])))


@functools.cache
def _described(kind: type) -> dict[str, dataclasses.Field]:
    return {f.name: f for f in fields(kind)}


def set_option(options: Any, name: str, value: Any) -> None:
    """Set one option after checking it.

    Raises:
        BadInput: unknown name, wrong type, not finite, out of range. The object is unchanged.
    """
    by_name = {f.name: f for f in fields(options)}
    if isinstance(name, str) and name not in by_name:
        name = former_names.field_today(type(options), name, True)
    if not isinstance(name, str) or name not in by_name:
        raise BadInput(f"unknown option '{name}'{name_hint(name, by_name)}")
    value = former_names.value_today(type(options), name, value)
    setattr(options, name, checked(name, value, by_name[name].default, **allowed_range(by_name[name])))


def checked(name: str, value: Any, default: Any, *, unit: str = "", lo: float | None = None,
            hi: float | None = None, choices: tuple[str, ...] = ()) -> Any:
    """`value` converted to the type of `default`, or BadInput with one sentence."""
    if choices:
        if not isinstance(value, str) or value not in choices:
            raise BadInput(f"{name} = {shown_value(value)} is not one of: {', '.join(choices)}")
        return value
    if (type(value) is type(default) is float and (lo is None or lo < value) and (hi is None or value < hi)
            and abs(value) < math.inf):
        return value        # nearly always: what follows takes ten times as long
    if isinstance(default, bool):
        if not isinstance(value, bool | np.bool_):
            raise BadInput(f"{name} = {shown_value(value)} must be true or false")
        return bool(value)
    if isinstance(value, bool) or not isinstance(value, Real):
        raise BadInput(f"{name} = {shown_value(value)} must be a number{_allowed(lo, hi, unit)}")
    if not abs(value) < math.inf or (lo is not None and value < lo) or (hi is not None and value > hi):
        raise BadInput(f"{name} = {shown_value(value)} is out of range{_allowed(lo, hi, unit)}")
    if isinstance(default, int):
        if value != int(value):
            raise BadInput(f"{name} = {shown_value(value)} must be an integer{_allowed(lo, hi, unit)}")
        return int(value)
    return float(value)


def allowed_range(field: dataclasses.Field) -> dict[str, Any]:
    """What `checked` takes of a field made with `option`."""
    return {key: field.metadata[key] for key in ("unit", "lo", "hi", "choices")}


def _allowed(lo: float | None, hi: float | None, unit: str) -> str:
    if lo is None and hi is None:
        return ""
    low = "-inf" if lo is None else f"{lo:g}"
    high = "inf" if hi is None else f"{hi:g}"
    return f"; allowed: {low} .. {high}{' ' + unit if unit else ''}"
