"""Objects of the engine as JSON and plain arrays, and back: no pickle, nothing in a file is ever executed.

Numbers, texts, tuples, lists, dicts, sets, numpy arrays, and objects of the kinds in `kinds.py` (fields by name), which are made
without calling their classes and whose fields are checked. A driver (a function of the scene) is told by its number.
"""

import dataclasses
import enum
import math
from typing import Any

import numpy as np

from app.engine import kinds
from physics import BadInput
from physics.auditing.verdict import LIMITS
from physics.check import said
from physics.core.records import BODY, CONTACT, GEOMETRY, JOINT, NODE, SHAPE
from physics.events import EVENT
from physics.rest import REST

TABLES = (BODY, SHAPE, CONTACT, JOINT)
"""Records that may get fields from version to version."""

SIGNATURE = 4
"""First fields by which a table of a world is known."""

RECORDS = (*TABLES, GEOMETRY, NODE, EVENT, REST, LIMITS)
"""Types of records that a recording has."""

_GROUPS = {kind.__name__: kind for kind in (tuple, list, set, frozenset)}


class Encoder:
    """Makes trees for JSON; arrays: those that the trees refer to, by name."""

    def __init__(self, drivers: tuple) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self._kinds = kinds.known()
        self._names: dict[int, str] = {}
        self._drivers = {id(drive): k for k, drive in enumerate(drivers)}

    def encode(self, value: Any) -> Any:
        """The tree of a value; raises BadInput where it has something that no file can hold."""
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
        if value.dtype.hasobject or as_kept(value).dtype != value.dtype:
            raise BadInput(f"a recording cannot hold an array of {value.dtype}")
        if id(value) not in self._names:
            name = f"a{len(self.arrays)}"
            self._names[id(value)], self.arrays[name] = name, value
        return self._names[id(value)]

    def _object(self, value: Any, items: list | None) -> dict:
        tree = {"class": kinds.name_of(type(value))}
        if self._kinds.get(tree["class"]) is not type(value):
            raise BadInput(f"a recording cannot hold {type(value).__name__} {said(value)}")
        if items is not None:
            return {**tree, "items": [self.encode(item) for item in items]}
        return {**tree, "fields": {name: self.encode(getattr(value, name)) for name in _fields(value)}}


class Decoder:
    """Makes values again. arrays: by name; drivers: those of the scene."""

    def __init__(self, arrays: dict[str, np.ndarray], drivers: tuple) -> None:
        self._arrays, self._drivers = {name: of_today(as_kept(array)) for name, array in arrays.items()}, drivers
        self._kinds = kinds.known()

    def decode(self, tree: Any) -> Any:
        """The value of a tree.

        Raises:
            BadInput: it is none that `Encoder` makes.
        """
        if tree is None or isinstance(tree, bool | int | float | str):
            return tree
        if not isinstance(tree, dict):
            raise BadInput(f"it holds {said(tree)}, which is no value")
        if "class" in tree:
            return self._object(tree)
        if len(tree) != 1:
            raise BadInput(f"it holds {said(tree)}, which is no value")
        (kind, inner), = tree.items()
        try:
            return self._of_kind(kind, inner)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
            if isinstance(error, BadInput):
                raise
            raise BadInput(f"it holds {said(tree)}, which is no value") from None

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
            kind = self._kinds.get(name)
        if kind is None or len(tree) != 2:
            raise BadInput(f"a recording must not hold {said(name)}")
        if "items" in tree:
            return kinds.chosen(kind, list(map(self.decode, _list(tree["items"]))))
        fields = tree.get("fields")
        if not isinstance(fields, dict) or issubclass(kind, tuple | enum.Enum):
            raise BadInput(f"it holds another kind of {kind.__name__} than this version knows")
        return kinds.made(kind, {field: self.decode(inner) for field, inner in fields.items()})


def _list(inner: Any) -> list:
    if not isinstance(inner, list):
        raise TypeError("no list")
    return inner


def as_kept(array: np.ndarray) -> np.ndarray:
    """Records as the engine has them (physics/core/records.py): a file keeps their fields alone."""
    if array.dtype.names is None:
        return array
    fields = [array.dtype.fields[name] for name in array.dtype.names]
    layout = {"names": array.dtype.names, "formats": [field[0] for field in fields], "offsets": [field[1] for field in fields],
              "itemsize": array.dtype.itemsize}
    return array.view(np.dtype((np.record, np.dtype(layout, align=True))))


def of_today(array: np.ndarray) -> np.ndarray:
    """Records of a world's table with the fields that it has got since they were written, which are zero."""
    names = set(array.dtype.names or ())
    for table in TABLES:
        if names < set(table.names) and names >= set(table.names[:SIGNATURE]):
            grown = np.zeros(array.shape, table)
            for name in array.dtype.names:
                grown[name] = array[name]
            return grown
    return array


def _fields(value: Any) -> list[str]:
    return [f.name for f in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else list(vars(value))
