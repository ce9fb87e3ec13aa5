"""Objects of the engine as JSON and plain arrays, and back: no pickle, nothing in a file is ever executed.

Numbers, texts, tuples, lists, dicts, sets, numpy arrays, and objects of the classes of this program (fields by name). A class is
looked up in the modules of `ALLOWED` alone and made without calling it. A driver (a function of the scene) is told by its number.
"""

import dataclasses
import enum
import importlib
import math
from typing import Any

import numpy as np

from physics import BadInput
from physics.core.records import BODY, CONTACT, JOINT, SHAPE

ALLOWED = ("physics.", "scenes.", "app.engine.")
"""Where classes may come from."""

SIGNATURE = 4
"""First fields by which a table of a world is known."""


class Encoder:
    """Makes trees for JSON; arrays: those that the trees refer to, by name."""

    def __init__(self, drivers: tuple) -> None:
        self.arrays: dict[str, np.ndarray] = {}
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
        for kind in (tuple, list, set, frozenset):
            if isinstance(value, kind):
                items = sorted(value) if kind in (set, frozenset) else value
                return {kind.__name__: [self.encode(item) for item in items]}
        if isinstance(value, dict):
            return {"dict": [[self.encode(key), self.encode(item)] for key, item in value.items()]}
        if id(value) in self._drivers:
            return {"driver": self._drivers[id(value)]}
        if type(value).__module__.startswith(ALLOWED):
            return self._object(value, None)
        raise BadInput(f"a recording cannot hold {type(value).__name__} '{value}'")

    def _array(self, value: np.ndarray) -> str:
        if value.dtype.hasobject or as_kept(value).dtype != value.dtype:
            raise BadInput(f"a recording cannot hold an array of {value.dtype}")
        if id(value) not in self._names:
            name = f"a{len(self.arrays)}"
            self._names[id(value)], self.arrays[name] = name, value
        return self._names[id(value)]

    def _object(self, value: Any, items: list | None) -> dict:
        tree = {"class": f"{type(value).__module__}:{type(value).__qualname__}"}
        if items is not None:
            return {**tree, "items": [self.encode(item) for item in items]}
        return {**tree, "fields": {name: self.encode(getattr(value, name)) for name in _fields(value)}}


class Decoder:
    """Makes values again. arrays: by name; drivers: those of the scene."""

    def __init__(self, arrays: dict[str, np.ndarray], drivers: tuple) -> None:
        self._arrays, self._drivers = {name: of_today(as_kept(array)) for name, array in arrays.items()}, drivers

    def decode(self, tree: Any) -> Any:
        """The value of a tree; raises BadInput (or KeyError, TypeError, .. of a damaged tree)."""
        if not isinstance(tree, dict):
            return tree
        if "class" in tree:
            return self._object(tree)
        (kind, inner), = tree.items()
        if kind in ("tuple", "list", "set", "frozenset"):
            return {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}[kind](map(self.decode, inner))
        if kind == "array":
            return self._arrays[inner]
        if kind == "record":
            return self._arrays[inner][0].copy()
        if kind == "dict":
            return {self.decode(key): self.decode(item) for key, item in inner}
        if kind == "driver":
            return self._drivers[inner]
        return bytes.fromhex(inner) if kind == "bytes" else float(inner)

    def _object(self, tree: dict) -> Any:
        module, _, name = tree["class"].partition(":")
        if not module.startswith(ALLOWED) or not module.replace(".", "_").isidentifier():
            raise BadInput(f"a recording must not hold {tree['class']!r}")
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = vars(found)[part]
        if not isinstance(found, type):
            raise BadInput(f"a recording must not hold {tree['class']!r}")
        if "items" in tree:
            items = list(map(self.decode, tree["items"]))
            return found(items[0]) if issubclass(found, enum.Enum) else found._make(items)
        made = object.__new__(found)
        given = set(tree["fields"])
        known = {f.name: f for f in dataclasses.fields(found)} if dataclasses.is_dataclass(found) else dict.fromkeys(given)
        if not given <= known.keys() or any(known[field].default is dataclasses.MISSING for field in known.keys() - given):
            raise BadInput(f"it holds another kind of {name} than this version knows")
        for field in known.keys() - given:      # it has got since
            object.__setattr__(made, field, known[field].default)
        for field, inner in tree["fields"].items():
            object.__setattr__(made, field, self.decode(inner))
        return made


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
    for table in (BODY, SHAPE, CONTACT, JOINT):
        if names < set(table.names) and names >= set(table.names[:SIGNATURE]):
            grown = np.zeros(array.shape, table)
            for name in array.dtype.names:
                grown[name] = array[name]
            return grown
    return array


def _fields(value: Any) -> list[str]:
    return [f.name for f in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else list(vars(value))
