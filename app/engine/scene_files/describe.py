"""A world as tables of a scene file: bodies and joints by name, every authored number exactly.

Left out is what is as it would be anyway, so that a file is short; and what steps compute (state.py).
"""

import dataclasses
from typing import Any

import numpy as np

from app.engine.scene_files.text import Path
from app.engine.undo.difference import file_of
from physics import World, shapes
from physics.contact.material import VALUE_LIMITS, Material
from physics.core.options import option_values
from physics.core.records import Kind
from physics.joints import JointKind
from physics.joints._settings import Friction, Motor, friction_of, motor_of
from physics.observe.audit.auditor import AuditOptions
from physics.world.bodies import KINDS
from physics.world.sleep import SleepOptions

NO_ROTATION = [1.0, 0.0, 0.0, 0.0]

KIND_NAMES = {kind: name for name, kind in KINDS.items()}


def world_tables(world: World, dt: float) -> dict[str, Any]:
    """The tables of a world that steps by dt [s]; without what only the window knows."""
    gathered: dict[str, Any] = {
        "world": {"gravity": _list(world.gravity), "margin": float(world.margin), "dt": float(dt), "time": float(world.time),
                  "steps": int(world.steps)},
        "inputs": dict(world.inputs),
        "solver": {"name": file_of(world.solver), "options": option_values(world.solver.options)},
        "sleeping": _changed(world.sleeping, SleepOptions()), "audit": _changed(world.audit.options, AuditOptions()),
        "materials": [_material(item) for item in world.materials.items[1:]],
        "pairs": [{"a": _material_name(world, a), "b": _material_name(world, b), **values}
                  for (a, b), values in world.materials.given.items() if values],
        "bodies": _indexed([_body(world, i) for i in range(1, len(world.bodies)) if world.bodies["kind"][i] != Kind.FREE],
                           np.flatnonzero(world.bodies["kind"][1:] != Kind.FREE) + 1, 1),
        "joints": _indexed([_joint(world, j) for j in range(len(world.joints)) if world.joints["kind"][j] >= 0],
                           np.flatnonzero(world.joints["kind"] >= 0), 0)}
    return {key: value for key, value in gathered.items() if value}


def _changed(options: Any, default: Any) -> dict[str, Any]:
    usual = option_values(default)
    return {name: value for name, value in option_values(options).items() if value != usual[name]}


def _indexed(items: list[dict[str, Any]], slots: np.ndarray, first: int) -> list[dict[str, Any]]:
    """Add its index to an item that does not follow the one before: something was removed there, and drivers count on it."""
    follows = first
    for item, slot in zip(items, slots.tolist(), strict=True):
        if slot != follows:
            item["index"] = slot
        follows = slot + 1
    return items


def _list(values: Any) -> list:
    return np.asarray(values).tolist()


def _material(item: Material) -> dict[str, Any]:
    usual = Material()
    table: dict[str, Any] = {"name": item.name} if item.name else {}
    for name in ("friction", *(name for name in VALUE_LIMITS if name != "friction")):
        value = getattr(item, name)
        if value is not None and (name == "friction" or value != getattr(usual, name)):
            table[name] = value
    for name in ("axis", "surface_velocity"):
        if getattr(item, name) != getattr(usual, name):
            table[name] = list(getattr(item, name))
    return {**table, "mixing": dict(item.mixing)} if item.mixing else table


def _material_name(world: World, index: int) -> str | int:
    return world.materials.items[index].name or index


def _body(world: World, i: int) -> dict[str, Any]:
    b = world.bodies[i]
    table: dict[str, Any] = {"name": world.body_names[i], "kind": KIND_NAMES[int(b["kind"])], "pos": _list(b["pos"])}
    for name, usual in (("quat", NO_ROTATION), ("vel", [0.0] * 3), ("omega", [0.0] * 3)):
        if (value := _list(b[name])) != usual:
            table[name] = value
    if b["kind"] == Kind.DYNAMIC:
        tensor = b["inertia"]
        diagonal = not np.any(tensor - np.diag(np.diag(tensor)))
        table["mass"] = float(b["mass"])
        table["inertia" if diagonal else "inertia_tensor"] = _list(np.diag(tensor) if diagonal else tensor)
    if b["group"]:
        table["group"] = int(b["group"])
    own = np.flatnonzero(world.shapes["body"] == i)
    if len(own):
        table["shapes"] = [_shape(world, world.shapes[s]) for s in own]
    return table


def _shape(world: World, s: np.void) -> dict[str, Any]:
    name = world.shape_kinds[s["kind"]]
    table = {"kind": name, **_sizes(world, name, s)}
    if any(pos := _list(s["local_pos"])):
        table["pos"] = pos
    if (quat := _list(s["local_quat"])) != NO_ROTATION:
        table["quat"] = quat
    if s["material"]:
        table["material"] = _material_name(world, int(s["material"]))
    table["friction"] = float(s["friction"])
    if s["restitution"] or s["material"]:
        table["restitution"] = float(s["restitution"])
    if s["category"] != 1:
        table["category"] = int(s["category"])
    if s["ignores"]:
        table["mask"] = 2**32 - 1 - int(s["ignores"])
    if s["group"]:
        table["group"] = int(s["group"])
    return {**table, "sensor": True} if s["sensor"] else table


def _sizes(world: World, name: str, s: np.void) -> dict[str, Any]:
    """What the class of the shape is made of."""
    if s["geometry"] < 0:
        shape = shapes.kinds()[name].make(s["dims"])
        return {f.name: list(value) if isinstance(value := getattr(shape, f.name), tuple) else value
                for f in dataclasses.fields(shape)}
    own = world.pool.data(int(s["geometry"]))
    if name == "hull":
        rounding = {"rounding": float(s["rounding"])} if s["rounding"] else {}
        return {"points": _list(own.vertices), **rounding}
    if name == "triangle_mesh":
        solid = {"solid": True} if own.integers[0] else {}
        return {"vertices": _list(own.vertices), "triangles": _list(own.triangles), **solid}
    n, m = own.integers.tolist()
    return {"heights": _list(own.numbers[2:].reshape(n, m)), "spacing": _list(own.numbers[:2])}


def _joint(world: World, j: int) -> dict[str, Any]:
    record, known = world.joints[j], world.joint_kind(j)
    table: dict[str, Any] = {
        "name": world.joint_names[j], "kind": world.joint_kinds[record["kind"]],
        "a": world.body_names[record["body_a"]], "b": world.body_names[record["body_b"]]}
    if known.params:
        table["params"] = {p.name: float(record[p.field][p.slot]) for p in known.params}
    laws = {group.name: _friction(record, g, known) for g, group in enumerate(known.friction)}
    if any(law for law in laws.values()):
        table["friction"] = {name: law for name, law in laws.items() if law}
    if record["corner_count"]:
        table["friction_polygon"] = _list(record["corners"][: record["corner_count"]])
    lengths = {p.slot for p in known.params if p.field.startswith("limit_")}     # of ropes: limits that are parameters
    limits = {axis.name: ends for k, axis in enumerate(known.axes) if k not in lengths and (ends := _limits(record, k))}
    motors = {axis.name: _motor(motor) for k, axis in enumerate(known.axes)
              if axis.driven and (motor := motor_of(record, k)) is not None}
    table |= {name: value for name, value in (("limits", limits), ("motors", motors)) if value}
    if record["limit_restitution"]:
        table["restitution"] = float(record["limit_restitution"])
    table |= {name: float(record[name]) for name in ("break_force", "break_torque") if np.isfinite(record[name])}
    if record["collide"]:
        table["collide"] = True
    return {**table, "local": _local(record, known)}


def _local(record: np.void, known: JointKind) -> dict[str, Any]:
    table = {name: _list(record[name]) for name in ("anchor_a", "anchor_b", "frame_a", "frame_b", "rest_a", "rest_b")}
    named = {p.slot for p in known.params if p.field == "param"}
    if any(record["param"][k] for k in range(4) if k not in named):
        table["param"] = _list(record["param"])
    for name in ("coordinate", "start_error"):
        if np.any(record[name]):
            table[name] = _list(record[name])
    return {**table, "ramp": float(record["ramp"])} if record["ramp"] else table


def _friction(record: np.void, group: int, known: JointKind) -> dict[str, float]:
    """What differs from no friction."""
    law, slides = option_values(friction_of(record, group)), known.friction[group].unit == "N"
    if law["kinetic"] == law["static"]:
        del law["kinetic"]
    if slides:
        del law["radius"]
    usual = option_values(Friction())
    return {name: value for name, value in law.items() if value != usual[name]}


def _limits(record: np.void, k: int) -> dict[str, float]:
    ends = {"lower": float(record["limit_lo"][k]), "upper": float(record["limit_hi"][k])}
    return {name: value for name, value in ends.items() if np.isfinite(value)}


def _motor(motor: Motor) -> dict[str, Any]:
    usual = option_values(Motor())
    return {name: value for name, value in option_values(motor).items() if name == "mode" or value != usual[name]}


def first_difference(a: Any, b: Any, path: Path = ()) -> Path | None:
    """Path of the first value in which two descriptions differ by more than rounding; None: in none."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in dict.fromkeys((*a, *b)):
            if key not in a or key not in b:
                return (*path, key)
            if (found := first_difference(a[key], b[key], (*path, key))) is not None:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return path
        return next((found for k, pair in enumerate(zip(a, b, strict=True))
                     if (found := first_difference(*pair, (*path, k))) is not None), None)
    if isinstance(a, float) or isinstance(b, float):
        return None if abs(a - b) <= CENTRE_TOLERANCE * max(1.0, abs(a), abs(b)) else path
    return None if a == b else path


CENTRE_TOLERANCE = 1e-12
"""Relative: the centre of a hull is computed anew from its points."""
