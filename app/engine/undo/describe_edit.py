"""Describes an edit in words, from its difference alone, whatever command made it."""

import dataclasses
import math
from typing import Any

import numpy as np

from app.i18n.message import message
from app.number_format import rounded
from physics.core.quaternions import rotate
from physics.core.records import Drive, Kind
from physics.world.bodies import KINDS

DESCRIBED_FIELDS = (
    ("bodies", "kind", "kind", ""), ("shapes", "dims", "size", "m"), ("bodies", "mass", "mass", "kg"),
    ("bodies", "pos", "place", "m"), ("bodies", "quat", "orientation", ""),
    ("bodies", "vel", "velocity", "m/s"), ("bodies", "omega", "spin", "rad/s"),
    ("shapes", "kind", "shape", ""), ("shapes", "friction", "friction", ""),
    ("shapes", "restitution", "restitution", ""), ("shapes", "material", "material", ""),
    ("shapes", "category", "category", ""), ("shapes", "ignores", "mask", ""), ("shapes", "group", "group", ""),
    ("shapes", "sensor", "sensor", ""),
    ("joints", "anchor_a", "anchor", "m"), ("joints", "frame_a", "axis", ""), ("joints", "frame_b", "axis", ""),
    ("joints", "anchor_b", "anchor", "m"), ("joints", "max_friction", "friction bound", ""),
    ("joints", "kinetic", "kinetic friction", ""), ("joints", "stribeck", "Stribeck speed", ""),
    ("joints", "viscous", "viscous friction", ""), ("joints", "load_mu", "load friction", ""),
    ("joints", "load_radius", "friction radius", "m"), ("joints", "corners", "friction polygon", ""),
    ("joints", "limit_lo", "lower limit", ""), ("joints", "limit_hi", "upper limit", ""),
    ("joints", "limit_restitution", "restitution of the limits", ""), ("joints", "motor_mode", "motor", ""),
    ("joints", "motor_target", "motor target", ""), ("joints", "motor_force", "motor force", ""),
    ("joints", "motor_speed", "motor speed", ""), ("joints", "motor_stiffness", "motor stiffness", ""),
    ("joints", "motor_damping", "motor damping", ""), ("joints", "break_force", "breaking force", "N"),
    ("joints", "break_torque", "breaking torque", "N m"), ("joints", "param", "parameter", ""),
    ("joints", "collide", "collision", ""),
)
"""(table, field, name, unit) by precedence; the first that changed is described: a new kind or size implies a new mass, too."""

DESCRIBED_SETTINGS = {"dt": ("step size", "ms", 1e3), "world gravity": ("gravity", "m/s\u00b2", 1.0),
                      "drag_stiffness": ("mouse spring", "rad/s", 1.0)}


def describe_edit(change: Any, before: Any, after: Any) -> str:
    """Return one line for the edit list; before, after: states (difference.py)."""
    for things, verb in ((change.added, "added"), (change.removed, "deleted")):
        for table in ("bodies", "joints"):
            if things.get(table):
                names = [thing.name for thing in things[table]]
                return f"{verb} {names[0]}" if len(names) == 1 else f"{verb} {len(names)} {table}"
    if change.names:
        return message("name: {before} -> {after}", before=change.names[0][2], after=change.names[0][3])
    for name, (old, new) in change.values.items():
        if name.startswith("input "):       # difference.py
            return f"{name.removeprefix('input ').replace('_', ' ')} of the scene: {plain_name(old)} -> {plain_name(new)}"
    for name in ("solver", "sleeping", "auditor"):
        if name in change.values:
            return _of_options(name, *change.values[name])
    for name, (title, unit, factor) in DESCRIBED_SETTINGS.items():
        if name in change.values:
            old, new = (_scaled(value, factor) for value in change.values[name])
            return f"{title}: {_difference(old, new)}{f' {unit}' if unit else ''}"
    if "materials" in change.values and (text := _of_pair(*change.values["materials"])):
        return text
    found = {(field.table, field.name): field for field in change.fields}
    for table, name, title, unit in DESCRIBED_FIELDS:
        if (table, name) in found:
            return _describe_field(found[table, name], title, unit, before, after)
    if "materials" in change.values:
        return _of_materials(*change.values["materials"])
    return next((f"{name.replace('_', ' ')}: {plain_name(old)} -> {plain_name(new)}" for name, (old, new) in change.values.items()
                 if name in ("friction", "restitution")), "settings")


def _describe_field(field: Any, title: str, unit: str, before: Any, after: Any) -> str:
    owners = field.slots if field.table != "shapes" else np.unique(before.tables["shapes"]["body"][field.slots])
    names = before.names["joints" if field.table == "joints" else "bodies"]
    among = before.alive["joints" if field.table == "joints" else "bodies"]
    if len(owners) == 1:
        whose = names[owners[0]]
    else:
        most = len(np.unique(before.tables["shapes"]["body"][before.alive["shapes"]])) if field.table == "shapes" else among.sum()
        whose = ("all " if len(owners) == most else f"{len(owners)} ") + ("joints" if field.table == "joints" else "bodies")
    old, new = field.before, field.after
    if not (_alike(old) and _alike(new)):
        return message("{what} of {whole}", what=title,
                       whole=whose) + (f": -> {_value(field, new[0], after)}{_unit(unit)}" if _alike(new) else "")
    return message("{title} of {whose}: {difference}{unit}", title=title, whose=whose,
                   difference=_difference(*_values(field, before, after)), unit=_unit(unit))


def _values(field: Any, before: Any, after: Any) -> tuple[str, str]:
    old, new = field.before[0], field.after[0]
    if field.table == "joints" and np.ndim(old) == 1 and "anchor" not in field.name and "frame" not in field.name:
        k = int(np.argmax(old != new))      # of several axes or groups, the one that changed
        old, new = old[k], new[k]
    return _value(field, old, before), _value(field, new, after)


def _value(field: Any, value: Any, state: Any) -> str:
    if "frame" in field.name:
        return plain_name(np.round(rotate(value, np.array([0.0, 0.0, 1.0])), 12))     # the axis in the body's frame
    if (field.table, field.name) == ("bodies", "kind"):
        return next((title for title, kind in KINDS.items() if kind == value), Kind.name_of(value))
    if field.name == "motor_mode":
        return Drive.name_of(value)
    if field.name == "material":
        return state.values["materials"].items[int(value)].name or "unnamed"
    if field.name in ("sensor", "collide"):
        return "on" if value else "off"
    return plain_name(value)


def _of_options(name: str, old: Any, new: Any) -> str:
    if name == "solver":
        if old[0] != new[0]:
            return message("solver: {old} -> {new}", old=_title(old[0]), new=_title(new[0]))
        old, new = old[1], new[1]
    for field in dataclasses.fields(old) if dataclasses.is_dataclass(old) else ():
        a, b = getattr(old, field.name), getattr(new, field.name)
        if a != b:
            unit = field.metadata.get("unit", "")
            title = f"{'' if name == 'solver' else f'{name}: '}{field.name.replace('_', ' ')}"
            return f"{title}: {plain_name(a)} -> {plain_name(b)}{_unit(unit)}"
    return name


def _of_pair(old: Any, new: Any) -> str:
    """Describe the last pair whose own values changed: those before it were copied with a material."""
    pairs = [pair for pair in {**old.given, **new.given} if old.given.get(pair, {}) != new.given.get(pair, {})]
    if not pairs:
        return ""
    was, now = old.given.get(pairs[-1], {}), new.given.get(pairs[-1], {})
    name = next(name for name in {**was, **now} if was.get(name) != now.get(name))
    titles = " and ".join(new.items[i].name or "plain" for i in pairs[-1])
    values = [plain_name(value[name]) if name in value else "by the rule" for value in (was, now)]
    return message("{name} of {titles}: {difference}", name=name.replace("_", " "), titles=titles,
                   difference=_difference(*values))


def _of_materials(old: Any, new: Any) -> str:
    for a, b in zip(old.items, new.items):
        if a != b:
            name = next(f.name for f in dataclasses.fields(a) if getattr(a, f.name) != getattr(b, f.name))
            return (message("{name} of material {material}: {before} -> {after}", name=name.replace("_", " "), material=b.name,
                            before=plain_name(getattr(a, name)), after=plain_name(getattr(b, name))))
    return "materials"


def _alike(values: np.ndarray) -> bool:
    return bool(np.all(values == values[0]))


def _scaled(value: Any, factor: float) -> str:
    if isinstance(value, tuple):
        return plain_name(-value[2]) if value[:2] == (0.0, 0.0) else plain_name(np.array(value))
    return plain_name(value * factor)


def _difference(old: str, new: str) -> str:
    return f"{old} -> {new}" if old != new else new


def plain_name(value: Any) -> str:
    """Format a value for people."""
    if isinstance(value, bool | np.bool_):
        return "on" if value else "off"
    if isinstance(value, np.ndarray) and value.ndim:
        return "(" + ", ".join(plain_name(v) for v in value) + ")"
    if isinstance(value, int | np.integer):
        return str(value)
    if isinstance(value, float | np.floating):
        return "none" if math.isinf(value) else rounded(float(value) + 0.0, 4)
    return "none" if value is None else str(value)


def _unit(unit: str) -> str:
    return f" {unit}" if unit else ""


def _title(key: str) -> str:
    return key.replace("_", " ")
