"""Encodes objects of the engine as JSON and plain arrays, and decodes them: no pickle, nothing in a file is ever executed.

Supported are numbers, texts, tuples, lists, dicts, sets, numpy arrays, and objects of the types in `allowed_types.py` (fields by
name), which are made without calling their classes and whose fields are checked. A driver (a function of the scene) is stored
as its number.
"""

import dataclasses
import enum
import math
from typing import Any

import numpy as np

from app.engine.recording import allowed_types
from app.i18n.message import message
from physics import BadInput
from physics.core import former_names
from physics.core.check import shown_value
from physics.core.records import BODY, CONTACT, GEOMETRY, JOINT, KEPT, NODE, SHAPE
from physics.observe.audit.verdict import LIMITS
from physics.observe.impacts import IMPACT
from physics.solvers import Solver
from physics.world.events import EVENT
from physics.world.sleep import REST_RECORD

TABLE_RECORDS = (BODY, SHAPE, CONTACT, JOINT)
"""Records that may gain fields from version to version."""

SIGNATURE = 4
"""Number of leading fields that identify a table of a world."""

RECORD_TYPES = (*TABLE_RECORDS, GEOMETRY, NODE, KEPT, EVENT, REST_RECORD, LIMITS, IMPACT)
"""Record types that occur in recordings."""

_GROUPS = {kind.__name__: kind for kind in (tuple, list, set, frozenset)}


class Encoder:
    """Encodes values as JSON trees; arrays: those that the trees refer to, by name."""

    def __init__(self, drivers: tuple) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self._kinds = allowed_types.known()
        self._names: dict[int, str] = {}
        self._drivers = {id(drive): k for k, drive in enumerate(drivers)}

    def encode(self, value: Any) -> Any:
        """Return the tree of a value; raises BadInput for what a file cannot hold."""
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, enum.Enum):
            return self._object(value, [value.value])
        if isinstance(value, int | np.integer):
            return int(value)
        if isinstance(value, float | np.floating):
            return float(value) if math.isfinite(value) else {"float": str(float(value))}
        if isinstance(value, bytes):
            return {"bytes": value.hex()}
        if isinstance(value, np.void):
            return {"record": self._array(value.reshape(1) if value.shape else np.array([value], value.dtype))}
        if isinstance(value, np.ndarray):
            return {"array": self._array(value)}
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return self._object(value, list(value))
        for name, kind in _GROUPS.items():
            if isinstance(value, kind):
                items = sorted(value) if kind in (set, frozenset) else value
                return {name: [self.encode(item) for item in items]}
        if isinstance(value, dict):
            return {"dict": [[self.encode(key), self.encode(item)] for key, item in value.items()]}
        if id(value) in self._drivers:
            return {"driver": self._drivers[id(value)]}
        return self._object(value, None)

    def _array(self, value: np.ndarray) -> str:
        if value.dtype.hasobject or to_stored(value).dtype != value.dtype:
            raise BadInput(message("a recording cannot hold an array of {dtype}", dtype=value.dtype))
        if id(value) not in self._names:
            name = f"a{len(self.arrays)}"
            self._names[id(value)], self.arrays[name] = name, value
        return self._names[id(value)]

    def _object(self, value: Any, items: list | None) -> dict:
        tree = {"class": allowed_types.name_of(type(value))}
        if self._kinds.get(tree["class"]) is not type(value):
            raise BadInput(message("a recording cannot hold {value_type} {value}", value_type=type(value).__name__,
                                   value=shown_value(value)))
        if items is not None:
            return {**tree, "items": [self.encode(item) for item in items]}
        return {**tree, "fields": {name: self.encode(getattr(value, name)) for name in _fields(value)}}


class Decoder:
    """Decodes trees. arrays: by name; drivers: those of the scene."""

    def __init__(self, arrays: dict[str, np.ndarray], drivers: tuple) -> None:
        self._arrays, self._drivers = {name: from_stored(to_stored(array)) for name, array in arrays.items()}, drivers
        self._kinds = allowed_types.known()

    def decode(self, tree: Any) -> Any:
        """Return the value of a tree.

        Raises:
            BadInput: it is not a tree of `Encoder`.
        """
        if tree is None or isinstance(tree, bool | int | float | str):
            return tree
        if not isinstance(tree, dict):
            raise BadInput(message("it contains {tree}, which is not a value", tree=shown_value(tree)))
        if "class" in tree:
            return self._object(tree)
        if len(tree) != 1:
            raise BadInput(message("it contains {tree}, which is not a value", tree=shown_value(tree)))
        (kind, inner), = tree.items()
        try:
            return self._of_kind(kind, inner)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
            if isinstance(error, BadInput):
                raise
            raise BadInput(message("it contains {tree}, which is not a value", tree=shown_value(tree))) from None

    def _of_kind(self, kind: str, inner: Any) -> Any:
        if kind in _GROUPS:
            return _GROUPS[kind](map(self.decode, _list(inner)))
        if kind == "array":
            return self._arrays[inner]
        if kind == "record":
            (record,) = self._arrays[inner]
            return record.copy()
        if kind == "dict":
            return {self.decode(key): self.decode(item) for key, item in _list(inner)}
        if kind == "driver" and type(inner) is int and inner >= 0:
            return self._drivers[inner]
        if kind == "float" and inner in ("nan", "inf", "-inf"):
            return float(inner)
        if kind == "bytes":
            return bytes.fromhex(inner)
        raise ValueError(kind)

    def _object(self, tree: dict) -> Any:
        name, kind = tree["class"], None
        if isinstance(name, str):
            kind = self._kinds.get(former_names.class_today(name))
        if kind is None or len(tree) != 2:
            raise BadInput(message("a recording must not hold {name}", name=shown_value(name)))
        if "items" in tree:
            return allowed_types.construct_member(kind, list(map(self.decode, _list(tree["items"]))))
        fields = tree.get("fields")
        if not isinstance(fields, dict) or issubclass(kind, tuple | enum.Enum):
            raise allowed_types.OtherVersion(message("its format of {kind} is not supported by this version", kind=kind.__name__))
        return allowed_types.construct(kind, {field: self.decode(inner) for field, inner in fields.items()})


def _list(inner: Any) -> list:
    if not isinstance(inner, list):
        raise TypeError("no list")
    return inner


def to_stored(array: np.ndarray) -> np.ndarray:
    """View structured arrays as the engine's aligned records (physics/core/records.py); a file stores only their fields."""
    if array.dtype.names is None:
        return array
    fields = [array.dtype.fields[name] for name in array.dtype.names]
    layout = {"names": array.dtype.names, "formats": [field[0] for field in fields], "offsets": [field[1] for field in fields],
              "itemsize": array.dtype.itemsize}
    return array.view(np.dtype((np.record, np.dtype(layout, align=True))))


def from_stored(array: np.ndarray) -> np.ndarray:
    """Extend stored records of a world's table by the fields added since, which are zero."""
    names = set(array.dtype.names or ())
    for table in TABLE_RECORDS:
        if names < set(table.names) and names >= set(table.names[:SIGNATURE]):
            grown = np.zeros(array.shape, table)
            for name in array.dtype.names:
                grown[name] = array[name]
            return grown
    return array


def _fields(value: Any) -> list[str]:
    if dataclasses.is_dataclass(value):
        return [f.name for f in dataclasses.fields(value)]
    caches = isinstance(value, Solver)      # what a solver keeps for itself follows from the tables and is made anew
    return [name for name in vars(value) if not (caches and name.startswith("_"))]
