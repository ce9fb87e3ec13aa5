"""Any number of a world by its key: "body:door.omega_z", "joint:hinge.angle", "world.energy", "solver.iterations".

    body:NAME.FIELD     position, velocity, angles, energy of a body
    joint:NAME.FIELD    angle (or travel), rate, friction, reaction, error of a joint
    world.FIELD         energy, momentum, contacts of everything together
    solver.FIELD        how the last step went

NAME may have dots in it; a body or joint without a name is "#7", its index. Plots, traces and CSV files read numbers
only through this page.
"""

import difflib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from physics import joints, measure
from physics.core import quat
from physics.core.records import Kind
from physics.errors import BadInput

NAN = float("nan")


def _interpreted(function: Any) -> Callable:
    """The function without its compiler: these are single calls with arguments of many types."""
    return getattr(function, "py_func", function)


_conjugate, _product, _rotate = map(_interpreted, (quat.conjugate, quat.multiply, quat.rotate))


@dataclass(frozen=True)
class Quantity:
    """A number of a world.

    key: as given to `find`; label: for people, "door angular speed"; unit: SI, "" for a pure number.
    read: (world) -> float; NaN while the body or joint is gone.
    """

    key: str
    label: str
    unit: str
    read: Callable[[Any], float]

    @property
    def header(self) -> str:
        """Label with unit, as in a CSV header: "door angular speed [rad/s]"."""
        return f"{self.label} [{self.unit}]" if self.unit else self.label


@dataclass(frozen=True)
class Field:
    """One number of a record: label, unit, and how to read it: (world, index) -> float."""

    label: str
    unit: str
    read: Callable[[Any, int], float]


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
"""roll, pitch, yaw: turns about the world's x, then y, then z axis; roll and yaw jump at +-pi."""


# ---- joints


def _relative(world: Any, j: int) -> tuple[float, float, float, float]:
    """Turn of joint frame b seen from joint frame a, (w, x, y, z)."""
    joint = world.joints[j]
    turns = [_product(world.bodies["quat"][body], frame)
             for body, frame in ((joint["body_a"], joint["frame_a"]), (joint["body_b"], joint["frame_b"]))]
    return _product(_conjugate(turns[0]), turns[1])


def _axis(world: Any, j: int) -> np.ndarray:
    """The joint's axis in the world, carried by body a."""
    joint = world.joints[j]
    frame = _product(world.bodies["quat"][joint["body_a"]], joint["frame_a"])
    return np.array(_rotate(frame, (0.0, 0.0, 1.0)))


def _arms(world: Any, j: int) -> tuple[np.ndarray, np.ndarray]:
    """Joint points minus centres of mass, in the world [m]."""
    joint = world.joints[j]
    return tuple(np.array(_rotate(world.bodies["quat"][joint[f"body_{s}"]], joint[f"anchor_{s}"])) for s in "ab")


def _spin(world: Any, j: int) -> np.ndarray:
    """Angular velocity of b against a [rad/s]."""
    joint = world.joints[j]
    return world.bodies["omega"][joint["body_b"]] - world.bodies["omega"][joint["body_a"]]


def _hinge_angle(world: Any, j: int) -> float:
    w, _, _, z = _relative(world, j)
    angle = 2.0 * math.atan2(z, w)
    return angle - 2.0 * math.pi * round(angle / (2.0 * math.pi))


def _hinge_rate(world: Any, j: int) -> float:
    return float(_axis(world, j) @ _spin(world, j))


def _ball_angle(world: Any, j: int) -> float:
    w, x, y, z = _relative(world, j)
    return 2.0 * math.atan2(math.hypot(x, y, z), abs(w))


def _ball_rate(world: Any, j: int) -> float:
    return math.hypot(*_spin(world, j))


def _travel(world: Any, j: int) -> float:
    joint, (r_a, r_b) = world.joints[j], _arms(world, j)
    a, b = world.bodies["pos"][joint["body_a"]], world.bodies["pos"][joint["body_b"]]
    return float(_axis(world, j) @ (b + r_b - a - r_a))


def _travel_rate(world: Any, j: int) -> float:
    """How fast the travel changes: d/dt n.(x_b + r_b - x_a - r_a) with n turning with a."""
    joint, (_, r_b) = world.joints[j], _arms(world, j)
    a, b = world.bodies[joint["body_a"]], world.bodies[joint["body_b"]]
    arm = b["pos"] + r_b - a["pos"]
    velocity = b["vel"] + np.cross(b["omega"], r_b) - a["vel"] - np.cross(a["omega"], arm)
    return float(_axis(world, j) @ velocity)


def _friction(world: Any, j: int) -> float:
    """Size of the friction of the last step, the sign of the single row where there is only one."""
    p = world.joints["friction_impulse"][j]
    value = float(p[0]) if p[1] == 0.0 and p[2] == 0.0 else math.hypot(*p)
    return value / world.last_dt if world.last_dt > 0.0 else 0.0


def _reaction(linear_rows: int) -> Callable[[Any, int], float]:
    def read(world: Any, j: int) -> float:
        force = math.hypot(*world.joints["impulse"][j, :linear_rows])
        return force / world.last_dt if world.last_dt > 0.0 else 0.0
    return read


def _joint_number(field: str) -> Callable[[Any, int], float]:
    return lambda world, j: float(world.joints[field][j])


def _joint_fields(kind: str) -> dict[str, Field]:
    """By what is free: one direction (travel in metres), one turn (signed), or anything else (total angle)."""
    known = joints.kinds()[kind]
    force = known.unit or "N m"
    slider, hinge = known.friction == 1 and force == "N", known.friction == 1 and force == "N m"
    word, unit, rate = ("travel", "m", "m/s") if slider else ("angle", "rad", "rad/s")
    read_angle = _travel if slider else _hinge_angle if hinge else _ball_angle
    read_rate = _travel_rate if slider else _hinge_rate if hinge else _ball_rate
    return {
        "angle": Field(word, unit, read_angle),
        "rate": Field("velocity" if slider else "angular velocity", rate, read_rate),
        "friction": Field("friction", force, _friction),
        "friction_bound": Field("friction bound", force, _joint_number("max_friction")),
        "reaction": Field("reaction", "N", _reaction(2 if slider else min(3, known.constraint))),
        "error": Field("constraint error", "m", _joint_number("error")),
    }


JOINT_FIELDS = ("angle", "rate", "friction", "friction_bound", "reaction", "error")


# ---- the world and its solver


def _energy(world: Any) -> tuple[float, float]:
    return measure.energy(world.bodies, world.gravity)


def _momentum(which: int, k: int) -> Callable[[Any], float]:
    return lambda world: float(measure.momentum(world.bodies)[which][k])


def _report(name: str) -> Callable[[Any], float]:
    return lambda world: float(getattr(world.report, name)) if world.report is not None else NAN


def _solve_time(world: Any) -> float:
    return float(world.report.times["solve"]) if world.report is not None else NAN


_WORLD: dict[str, tuple[str, str, Callable[[Any], float]]] = {
    "kinetic": ("kinetic energy", "J", lambda world: _energy(world)[0]),
    "potential": ("potential energy", "J", lambda world: _energy(world)[1]),
    "energy": ("total energy", "J", lambda world: sum(_energy(world))),
    **{f"momentum_{a}": (f"momentum {a}", "N s", _momentum(0, k)) for k, a in enumerate("xyz")},
    **{f"angular_momentum_{a}": (f"angular momentum {a}", "N m s", _momentum(1, k)) for k, a in enumerate("xyz")},
    "contacts": ("contacts", "", _report("contacts")),
    "penetration": ("penetration", "m", _report("penetration")),
}

_SOLVER: dict[str, tuple[str, str, Callable[[Any], float]]] = {
    "iterations": ("iterations", "", _report("iterations")),
    "residual": ("residual", "m/s", _report("residual")),
    "time": ("solver time", "s", _solve_time),
}

_PLAIN = {**{f"world.{k}": v for k, v in _WORLD.items()}, **{f"solver.{k}": v for k, v in _SOLVER.items()}}


# ---- finding


def find(world: Any, key: str) -> Quantity:
    """The quantity of that key.

    Raises:
        BadInput: there is none; the sentence lists near keys.
    """
    if key in _PLAIN:
        label, unit, read = _PLAIN[key]
        return Quantity(key, label, unit, read)
    table, _, rest = key.partition(":")
    name, _, field = rest.rpartition(".")
    if table == "body" and field in BODY_FIELDS and _index(world, table, name) is not None:
        return _quantity(key, table, name, BODY_FIELDS[field])
    if table == "joint" and field in JOINT_FIELDS and (j := _index(world, table, name)) is not None:
        found = _joint_fields(_kind_name(world, j))[field]
        if field == "angle" and found.read is _hinge_angle:
            found = Field(found.label, found.unit, Unwound())
        return _quantity(key, table, name, found)
    raise BadInput(_unknown(world, key, table, name, field))


class Unwound:
    """A hinge's angle that goes on beyond +-pi: it follows the shortest way from one step to the next.

    It begins at the principal value, and begins again when the world went back in time.
    """

    def __init__(self) -> None:
        self._last = 0.0
        self._steps = -1

    def __call__(self, world: Any, j: int) -> float:
        angle = _hinge_angle(world, j)
        if 0 <= self._steps <= world.steps:
            angle += 2.0 * math.pi * round((self._last - angle) / (2.0 * math.pi))
        self._last, self._steps = angle, world.steps
        return angle


def _quantity(key: str, table: str, name: str, field: Field) -> Quantity:
    """Read a field of the body or joint of that name; its index is looked up again when the world's tables change."""
    known: dict[str, Any] = {"world": None, "revision": -1, "index": None}

    def read(world: Any) -> float:
        if known["world"] is not world or known["revision"] != world.revision:
            known.update(world=world, revision=world.revision, index=_index(world, table, name))
        return NAN if known["index"] is None else field.read(world, known["index"])

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


def _kind_name(world: Any, j: int) -> str:
    return list(joints.kinds())[world.joints["kind"][j]]


def _unknown(world: Any, key: str, table: str, name: str, field: str) -> str:
    fields = {"body": list(BODY_FIELDS), "joint": list(JOINT_FIELDS)}.get(table)
    if fields is None:
        near = difflib.get_close_matches(key, _PLAIN, n=3, cutoff=0.4)
        usual = "keys look like body:NAME.x, joint:NAME.angle, world.energy"
        hint = f"did you mean {', '.join(near)}?" if near else usual
        return f"there is no quantity '{key}'; {hint}"
    if _index(world, table, name) is None:
        names = [n for n in (world.body_names if table == "body" else world.joint_names) if n]
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.4) or names[:3]
        hint = f"did you mean {', '.join(near)}?" if near else f"this world has no named {table}"
        return f"there is no {table} '{name}' for '{key}'; {hint}"
    near = difflib.get_close_matches(field, fields, n=3, cutoff=0.4) or fields
    return f"a {table} has no '{field}' (in '{key}'); did you mean {', '.join(near)}?"


# ---- listing


class Keys(Sequence[str]):
    """All keys of a world, made only when looked at: a picker over 5000 bodies shows twenty of its 80 000 keys.

    Order: world, solver, joints, bodies. It describes the world as it was when made.
    """

    def __init__(self, world: Any) -> None:
        body_names, joint_names = world.body_names, world.joint_names
        self._plain = list(_PLAIN)
        self._groups = [(f"{table}:{names[i] or f'#{i}'}.", fields)
                        for table, names, fields, live in (
                            ("joint", joint_names, JOINT_FIELDS, np.flatnonzero(world.joints["kind"] >= 0)),
                            ("body", body_names, tuple(BODY_FIELDS), np.flatnonzero(world.bodies["kind"] != Kind.FREE)))
                        for i in live.tolist()]
        self._joints = int(np.count_nonzero(world.joints["kind"] >= 0))

    def __len__(self) -> int:
        bodies = len(self._groups) - self._joints
        return len(self._plain) + self._joints * len(JOINT_FIELDS) + bodies * len(BODY_FIELDS)

    def __getitem__(self, i: int) -> str:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        i = i + len(self) if i < 0 else i
        if not 0 <= i < len(self):
            raise IndexError(i)
        if i < len(self._plain):
            return self._plain[i]
        i -= len(self._plain)
        if i < self._joints * len(JOINT_FIELDS):
            group, field = divmod(i, len(JOINT_FIELDS))
        else:
            group, field = divmod(i - self._joints * len(JOINT_FIELDS), len(BODY_FIELDS))
            group += self._joints
        prefix, fields = self._groups[group]
        return prefix + fields[field]

    def matching(self, text: str) -> Iterator[str]:
        """Keys that contain every word of the text, without regard to case, in order."""
        words = text.lower().split()
        return (key for key in self if all(word in key.lower() for word in words))


def all_keys(world: Any) -> Keys:
    """Every key of the world."""
    return Keys(world)


def default_keys(world: Any) -> tuple[str, ...]:
    """What to follow when a scene names nothing: energy, penetration, and the angle of the first three joints."""
    present = np.flatnonzero(world.joints["kind"] >= 0)[:3].tolist()
    names = [world.joint_names[j] or f"#{j}" for j in present]
    return ("world.kinetic", "world.energy", "world.penetration", *(f"joint:{name}.angle" for name in names))
