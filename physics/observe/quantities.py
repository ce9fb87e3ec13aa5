"""Quantities of a world by key: "body:door.omega_z", "joint:hinge.angle", "world.energy", "solver.iterations".

    body:NAME.FIELD     position, velocity, angles, energy of a body
    joint:NAME.FIELD    angle (or travel), rate, friction, motor, reaction of a joint: physics/observe/joint_quantities.py
    contact:A & B #I/J/F.FIELD, pair:A & B.FIELD    forces, slip, gap of one contact, or of all between two bodies:
                        physics/observe/contact_quantities.py
    world.FIELD         energy, momentum, contacts of the whole world
    solver.FIELD        statistics of the last step
    ledger.FIELD        gain of kinetic energy by cause since the world was made (report.py), of solvers that report it

Those of solver and ledger are NaN before the first step, those of ledger also if the solver does not report them (zero would
mean that nothing was lost). A solver without complementarity problems has 0 unknowns, pivots and rounds.

NAME may contain dots; a body or joint without a name is "#7", its index. Plots, traces and CSV files read quantities only
through this module.
"""

import difflib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from physics.core import quat
from physics.core.check import BadInput
from physics.core.records import Kind
from physics.core.uncompiled import uncompiled
from physics.dynamics import measure
from physics.dynamics.energy_ledger import LEDGER_COLUMNS
from physics.observe import contact_quantities
from physics.observe.joint_quantities import Field, fields_of

MISSING = float("nan")


_conjugate, _rotate = map(uncompiled, (quat.conjugate, quat.rotate))


@dataclass(frozen=True)
class Quantity:
    """A quantity of a world.

    key: as given to `find`; label: for display, "door angular speed"; unit: SI, "" for a pure number.
    read: (world) -> float; NaN while the body or joint does not exist.
    """

    key: str
    label: str
    unit: str
    read: Callable[[Any], float]

    @property
    def header(self) -> str:
        """Label with unit, as in a CSV header: "door angular speed [rad/s]"."""
        return f"{self.label} [{self.unit}]" if self.unit else self.label


# ---- bodies


def _component(field: str, k: int) -> Callable[[Any, int], float]:
    return lambda world, i: float(world.bodies[field][i, k])


def _size(field: str) -> Callable[[Any, int], float]:
    return lambda world, i: math.hypot(*world.bodies[field][i])


def _roll(world: Any, i: int) -> float:
    w, x, y, z = world.bodies["quat"][i]
    return math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))


def _pitch(world: Any, i: int) -> float:
    w, x, y, z = world.bodies["quat"][i]
    return math.asin(min(1.0, max(-1.0, 2.0 * (w * y - z * x))))


def _yaw(world: Any, i: int) -> float:
    w, x, y, z = world.bodies["quat"][i]
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def _kinetic(world: Any, i: int) -> float:
    body = world.bodies[i]
    spin = np.array(_rotate(_conjugate(body["quat"]), body["omega"]))
    return float(0.5 * body["mass"] * body["vel"] @ body["vel"] + 0.5 * spin @ body["inertia"] @ spin)


BODY_FIELDS: dict[str, Field] = {
    **{axis: Field(axis, "m", _component("pos", k)) for k, axis in enumerate("xyz")},
    **{f"v{axis}": Field(f"velocity {axis}", "m/s", _component("vel", k)) for k, axis in enumerate("xyz")},
    "speed": Field("speed", "m/s", _size("vel")),
    **{f"omega_{axis}": Field(f"angular velocity {axis}", "rad/s", _component("omega", k))
       for k, axis in enumerate("xyz")},
    "omega": Field("angular speed", "rad/s", _size("omega")),
    "roll": Field("roll", "rad", _roll),
    "pitch": Field("pitch", "rad", _pitch),
    "yaw": Field("yaw", "rad", _yaw),
    "kinetic": Field("kinetic energy", "J", _kinetic),
}
"""roll, pitch, yaw: rotations about the world's x, then y, then z axis; roll and yaw jump at +-pi."""


# ---- the world and its solver


def _energy(world: Any) -> tuple[float, float]:
    return measure.energy(world.bodies, world.gravity)


def _momentum(which: int, k: int) -> Callable[[Any], float]:
    return lambda world: float(measure.momentum(world.bodies)[which][k])


def _spin(k: int) -> Callable[[Any], float]:
    """About the common centre of mass: L - c x P."""
    def read(world: Any) -> float:
        linear, angular = measure.momentum(world.bodies)
        mass = world.bodies["mass"]
        centre = mass @ world.bodies["pos"] / mass.sum() if mass.any() else np.zeros(3)
        return float(angular[k] - np.cross(centre, linear)[k])
    return read


def _report(name: str) -> Callable[[Any], float]:
    return lambda world: float(getattr(world.report, name)) if world.report is not None else MISSING


def _time(phase: str) -> Callable[[Any], float]:
    return lambda world: float(world.report.times.get(phase, MISSING)) if world.report is not None else MISSING


def _solved(name: str) -> Callable[[Any], float]:
    return lambda world: MISSING if world.report is None else float(getattr(world.report.solved, name, 0))


def _gained(column: str) -> Callable[[Any], float]:
    return lambda world: world.energy_totals.ledger[column] if world.report is not None and world.report.ledger else MISSING


_WORLD: dict[str, tuple[str, str, Callable[[Any], float]]] = {
    "kinetic": ("kinetic energy", "J", lambda world: _energy(world)[0]),
    "potential": ("potential energy", "J", lambda world: _energy(world)[1]),
    "energy": ("total energy", "J", lambda world: sum(_energy(world))),
    **{f"momentum_{a}": (f"momentum {a}", "N s", _momentum(0, k)) for k, a in enumerate("xyz")},
    **{f"angular_momentum_{a}": (f"angular momentum {a}", "N m s", _momentum(1, k)) for k, a in enumerate("xyz")},
    **{f"spin_{a}": (f"angular momentum about the centre of mass {a}", "N m s", _spin(k)) for k, a in enumerate("xyz")},
    "contacts": ("contacts", "", _report("contacts")),
    "penetration": ("penetration", "m", _report("penetration")),
    "impulse_duration": ("time over which forces are means", "s", lambda world: world.impulse_duration),
}

_SOLVER: dict[str, tuple[str, str, Callable[[Any], float]]] = {
    "iterations": ("iterations", "", _report("iterations")),
    "residual": ("residual", "m/s", _report("residual")),
    "penetration": ("penetration", "m", _report("penetration")),
    "change": ("impulse change in the last sweep", "m/s", _report("change")),
    "time": ("solver time", "s", _time("solve")),
    "broad_time": ("broad phase time", "s", _time("broad")),
    "narrow_time": ("narrow phase time", "s", _time("narrow")),
    "step_time": ("step time", "s", _time("step")),
    "unknowns": ("unknowns of the largest problem", "", _solved("largest")),
    "pivots": ("pivots", "", _solved("pivots")),
    "rounds": ("rounds", "", _solved("rounds")),
}

_LEDGER = {column.replace(" ", "_"): (f"kinetic energy gained by {column}", "J", _gained(column)) for column in LEDGER_COLUMNS}

_PLAIN = {f"{table}.{name}": found for table, fields in (("world", _WORLD), ("solver", _SOLVER), ("ledger", _LEDGER))
          for name, found in fields.items()}


def titles(found: Iterable[Quantity]) -> list[str]:
    """Titles of the columns of a table beside "time [s]": their headers, of those that would be equal with the key."""
    found = list(found)
    often = Counter(one.header for one in found) + Counter(["time [s]"])
    return [one.header if often[one.header] == 1 else replace(one, label=f"{one.label} ({one.key})").header for one in found]


# ---- finding


def find(world: Any, key: str) -> Quantity:
    """The quantity of that key.

    Raises:
        BadInput: there is none; the message lists similar keys.
    """
    if key in _PLAIN:
        label, unit, read = _PLAIN[key]
        return Quantity(key, label, unit, read)
    table, _, rest = key.partition(":")
    name, _, field = rest.rpartition(".")
    if table == "body" and field in BODY_FIELDS and _index(world, table, name) is not None:
        return _quantity(key, table, name, BODY_FIELDS[field])
    if table == "joint" and (j := _index(world, table, name)) is not None and field in (fields := fields_of(world.joint_kind(j))):
        return _quantity(key, table, name, fields[field])
    if table in contact_quantities.TABLES:
        label, unit, read = contact_quantities.find(world, key)
        return Quantity(key, label, unit, read)
    raise BadInput(_unknown(world, key, table, name, field))


def _quantity(key: str, table: str, name: str, field: Field) -> Quantity:
    """A field of the body or joint of that name; its index is looked up again when the world's tables change."""
    known: dict[str, Any] = {"world": None, "revision": -1, "index": None}

    def read(world: Any) -> float:
        if known["world"] is not world or known["revision"] != world.revision:
            known.update(world=world, revision=world.revision, index=_index(world, table, name))
        return MISSING if known["index"] is None else field.read(world, known["index"])

    return Quantity(key, f"{name} {field.label}", field.unit, read)


def _index(world: Any, table: str, name: str) -> int | None:
    names = world.body_names if table == "body" else world.joint_names
    if name in names and name:
        return names.index(name)
    if name.startswith("#") and name[1:].isascii() and name[1:].isdigit() and int(name[1:]) < len(names):
        index = int(name[1:])
        return index if _present(world, table, index) else None
    return None


def _present(world: Any, table: str, index: int) -> bool:
    if table == "body":
        return bool(world.bodies["kind"][index] != Kind.FREE)
    return bool(world.joints["kind"][index] >= 0)


def _unknown(world: Any, key: str, table: str, name: str, field: str) -> str:
    if table not in ("body", "joint"):
        near = difflib.get_close_matches(key, _PLAIN, n=3, cutoff=0.4)
        usual = "use keys such as body:NAME.x, joint:NAME.angle, world.energy"
        hint = f"did you mean {', '.join(near)}?" if near else usual
        return f"there is no quantity '{key}'; {hint}"
    if _index(world, table, name) is None:
        names = [n for n in (world.body_names if table == "body" else world.joint_names) if n]
        near = difflib.get_close_matches(name, names, n=3)
        if near:
            hint = f"did you mean {', '.join(near)}?"
        else:
            hint = f"there are: {', '.join(names[:12])}" if names else f"this world has no named {table}"
        return f"there is no {table} '{name}' for '{key}'; {hint}"
    fields = list(BODY_FIELDS if table == "body" else fields_of(world.joint_kind(_index(world, table, name))))
    if near := difflib.get_close_matches(field, fields, n=3):
        return f"a {table} has no '{field}' (in '{key}'); did you mean {', '.join(near)}?"
    return f"a {table} has no '{field}' (in '{key}'); it has: {', '.join(fields)}"


# ---- listing


class Keys(Sequence[str]):
    """All keys of a world, created on access: a picker over 5000 bodies shows twenty of its 80 000 keys.

    Order: world, solver, ledger, joints, bodies, contacts. It describes the world at the time of creation.
    """

    def __init__(self, world: Any) -> None:
        body_names, joint_names = world.body_names, world.joint_names
        self._plain = list(_PLAIN)
        live = np.flatnonzero(world.joints["kind"] >= 0).tolist()
        examples = {int(world.joints["kind"][j]): j for j in live}
        kinds = {k: tuple(fields_of(world.joint_kind(j))) for k, j in examples.items()}
        bodies = tuple(BODY_FIELDS)
        self._groups = [(f"joint:{joint_names[j] or f'#{j}'}.", kinds[int(world.joints["kind"][j])]) for j in live]
        self._groups += [(f"body:{body_names[i] or f'#{i}'}.", bodies)
                         for i in np.flatnonzero(world.bodies["kind"] != Kind.FREE).tolist()]
        self._groups += contact_quantities.groups(world)
        self._ends = np.cumsum([len(fields) for _, fields in self._groups], dtype=np.int64)

    def __len__(self) -> int:
        return len(self._plain) + (int(self._ends[-1]) if len(self._ends) else 0)

    def __getitem__(self, i: int) -> str:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        i = i + len(self) if i < 0 else i
        if not 0 <= i < len(self):
            raise IndexError(i)
        if i < len(self._plain):
            return self._plain[i]
        i -= len(self._plain)
        group = int(np.searchsorted(self._ends, i, side="right"))
        prefix, fields = self._groups[group]
        return prefix + fields[i - int(self._ends[group])]     # counted from the end of the group

    def find_matching(self, text: str) -> Iterator[str]:
        """Keys that contain every word of the text, ignoring case, in order."""
        words = text.lower().split()
        return (key for key in self if all(word in key.lower() for word in words))


def all_keys(world: Any) -> Keys:
    """Every key of the world."""
    return Keys(world)


def default_keys(world: Any) -> tuple[str, ...]:
    """Quantities to follow if a scene names none: energy, penetration, and the angle of the first three joints."""
    present = np.flatnonzero(world.joints["kind"] >= 0)[:3].tolist()
    names = [world.joint_names[j] or f"#{j}" for j in present]
    return ("world.kinetic", "world.energy", "world.penetration", *(f"joint:{name}.angle" for name in names))
