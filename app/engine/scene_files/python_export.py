"""A world as a Python program: a scene, like those in scenes/, that builds the same world by the interface of physics."""

from pprint import pformat
from typing import Any

from app.engine.scene_files import describe, scene_file
from app.engine.scene_files.build import free_slots
from app.engine.scene_files.scene_file import SceneContext
from physics import World, joints
from physics.core.records import MAX_FRICTION_CORNERS

SHAPE_CLASSES = {
    "box": "Box", "capsule": "Capsule", "cone": "Cone", "cylinder": "Cylinder", "ellipsoid": "Ellipsoid",
    "height_field": "HeightField", "hull": "Hull", "plane": "Plane", "sphere": "Sphere", "triangle_mesh": "TriangleMesh"}
"""Names of the classes of shapes in physics."""

SURFACE_ARGUMENTS = ("friction", "restitution", "material", "category", "mask", "group", "sensor")

LINE_LENGTH = 124

MODULE_HEADER = '''"""A scene made by hand, exported as Python: `stiction view FILE.py`; it may lie in your folder of scenes."""

import numpy as np

from physics import {names}
from physics import joints
from physics.core.frames import inverse
from physics.core.quaternions import product, rotate
from scenes import Scene, View


def exactly(record, **values):
    """Write numbers that would be rounded otherwise."""
    for name, value in values.items():
        record[name] = value


def joint_place(world, a, b, kind, anchor_a, anchor_b, frame_a, frame_b):
    """Arguments of add_joint for a place in the frames of the two bodies."""
    ends = []
    for body, anchor, frame in ((world.bodies[a], anchor_a, frame_a), (world.bodies[b], anchor_b, frame_b)):
        axis = rotate(product(body["quat"], np.array(frame)), np.array([0.0, 0.0, 1.0]))
        ends.append((body["pos"] + rotate(body["quat"], np.array(anchor)), axis))
    more = {{"anchor_b": ends[1][0], "axis_b": ends[1][1]}} if joints.kinds()[kind].anchors == 2 else {{}}
    return {{"anchor": ends[0][0], "axis": ends[0][1], **more}}
'''


def text_of(world: World, dt: float, around: SceneContext) -> str:
    """The program; the functions that drive the world are not in it."""
    plain = scene_file.plain(world)
    free_slots(plain)
    tables = describe.world_tables(plain, dt)
    lines = [f"world.set_gravity({_formatted(tuple(tables['world']['gravity']))})",
             f"world.margin = {tables['world']['margin']!r}"]
    lines += _materials(tables)
    lines += [f"world.set_input({name!r}, {value!r})" for name, value in tables.get("inputs", {}).items()]
    for entry in tables.get("bodies", ()):
        lines += _body(entry)
    for entry in tables.get("joints", ()):
        lines += _joint(entry)
    lines.append(f"world.time, world.steps = {tables['world']['time']!r}, {tables['world']['steps']!r}")
    for name, options in (("sleeping", "world.sleeping"), ("audit", "world.audit.options")):
        lines += [f"set_option({options}, {key!r}, {value!r})" for key, value in tables.get(name, {}).items()]
    code = "\n\n\ndef build(world, parameters):\n" + "\n".join(f"    {line}" for one in lines for line in one.split("\n"))
    names = sorted({name for name in ("Compound", "Friction", "Material", "Motor", "set_option", *SHAPE_CLASSES.values())
                    if f"{name}(" in code})
    return MODULE_HEADER.format(names=", ".join(names) or "World").rstrip() + code + _scene(tables, around)


def _scene(tables: dict[str, Any], around: SceneContext) -> str:
    view = around.view or {"target": [0.0, 0.0, 0.5], "distance": 8.0, "azimuth": 35.0, "elevation": 20.0, "plots": []}
    camera = ", ".join(repr(tuple(view[name]) if name == "target" else view[name])
                       for name in ("target", "distance", "azimuth", "elevation"))
    return (f"\n\n\nSCENE = Scene(title={around.title or 'Exported scene'!r}, category='Own', look_for='', law='', law_text='',\n"
            f"              build=build, dt={tables['world']['dt']!r}, solver={tables['solver']['name']!r},\n"
            f"              options={_formatted(tables['solver']['options'], 22)},\n"
            f"              view=View({camera}), plots={tuple(view['plots'])!r},\n"
            f"              drawn={tuple(view['drawn']) if view.get('drawn') is not None else None!r},\n"
            f"              show={tuple(around.show) if around.show is not None else ('contacts', 'joints')!r})\n")


def _formatted(value: Any, indent: int = 4) -> str:
    text = pformat(_tuples(value), width=LINE_LENGTH - indent, compact=True, sort_dicts=False)
    return text.replace("\n", "\n" + " " * indent)


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _tuples(inner) for key, inner in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _call(name: str, /, *given: str, **named: Any) -> str:
    return f"{name}({', '.join([*given, *(f'{key}={_formatted(value)}' for key, value in named.items())])})"


def _materials(tables: dict[str, Any]) -> list[str]:
    lines = ["materials = {0: Material()}"]
    for k, entry in enumerate(tables.get("materials", ()), 1):
        lines.append(f"materials[{entry.get('name', k)!r}] = {_call('Material', **entry)}")
    for entry in tables.get("pairs", ()):
        values = {key: value for key, value in entry.items() if key not in ("a", "b")}
        lines.append(_call("world.set_pair", f"materials[{entry['a']!r}]", f"materials[{entry['b']!r}]", **values))
    return lines if len(lines) > 1 else []


def _shape(entry: dict[str, Any]) -> str:
    return _call(SHAPE_CLASSES[entry["kind"]], **{key: value for key, value in entry.items()
                                                  if key not in (*SURFACE_ARGUMENTS, "kind", "pos", "quat")})


def _body(entry: dict[str, Any]) -> list[str]:
    parts = entry.get("shapes", [])
    shape = "None"
    if len(parts) == 1 and not {"pos", "quat"} & parts[0].keys():
        shape = _shape(parts[0])
    elif parts:
        shape = "Compound(" + ", ".join(f"({_shape(part)}, {_formatted(part.get('pos', [0.0] * 3))}, "
                                        f"{_formatted(part.get('quat', describe.NO_ROTATION))})" for part in parts) + ")"
    given = {key: entry[key] for key in ("kind", "pos", "quat", "vel", "omega", "mass") if key in entry}
    inertia = entry.get("inertia_tensor", entry.get("inertia"))
    if inertia is not None:
        given["inertia"] = inertia
    lines = [_call("b = world.add_body", shape, **given, name=entry["name"])]
    exact = {key: entry[key] for key in ("pos", "quat", "group") if key in entry}
    if exact:
        lines.append(_call("exactly", "world.bodies[b]", **exact))
    if inertia is not None:
        lines.append("exactly(world.bodies[b], inv_inertia=inverse(world.bodies['inertia'][b]))")
    if parts:
        lines.append("own = [s for s in range(len(world.shapes)) if world.shapes['body'][s] == b]")
    for n, part in enumerate(parts):
        lines += _surface(n, part, entry["kind"] != "dynamic" or inertia is not None)
    return lines


def _surface(n: int, part: dict[str, Any], exact: bool) -> list[str]:
    lines = []
    if "material" in part:
        lines.append(f"world.materials, m = world.materials.add(materials[{part['material']!r}])")
        lines.append(f"exactly(world.shapes[own[{n}]], material=m)")
    values = {key: part[key] for key in ("friction", "restitution", "category", "group", "sensor") if key in part}
    if "mask" in part:
        values["ignores"] = 2**32 - 1 - part["mask"]
    if exact:
        values |= {f"local_{key}": part[key] for key in ("pos", "quat") if key in part}
    return [*lines, _call("exactly", f"world.shapes[own[{n}]]", **values)] if values else lines


def _joint(entry: dict[str, Any]) -> list[str]:
    """The joint at the poses of its bodies; then its place in their frames exactly."""
    local, ends = entry["local"], {}
    lines = [f"a, b = world.body({entry['a']!r}), world.body({entry['b']!r})",
             f"place = joint_place(world, a, b, {entry['kind']!r}, {_formatted(local['anchor_a'])}, "
             f"{_formatted(local['anchor_b'])}, {_formatted(local['frame_a'])}, {_formatted(local['frame_b'])})"]
    for key in ("restitution", "break_force", "break_torque", "collide"):
        if key in entry:
            ends[key] = entry[key]
    if "limits" in entry:
        ends["limits"] = {name: (limit.get("lower"), limit.get("upper")) for name, limit in entry["limits"].items()}
    laws = [f"{key}={{{', '.join(f'{name!r}: {_call(kind, **values)}' for name, values in entry[source].items())}}}"
            for key, source, kind in (("friction", "friction", "Friction"), ("motor", "motors", "Motor")) if source in entry]
    more = [f"{key}={_formatted(value)}" for key, value in {**ends, **entry.get("params", {})}.items()]
    given = [repr(entry["kind"]), "a", "b", *laws, *more, f"name={entry['name']!r}", "**place"]
    lines.append(f"j = world.add_joint({', '.join(given)})")
    param = local.get("param", [0.0] * 4)
    for p in joints.kinds()[entry["kind"]].params:
        if p.field == "param":
            param[p.slot] = entry["params"][p.name]
    corners = entry.get("friction_polygon", [])
    unused = [[0.0, 0.0]] * (MAX_FRICTION_CORNERS - len(corners))
    polygon = {"corners": corners + unused, "corner_count": len(corners)} if corners else {}
    lines.append(_call("exactly", "world.joints[j]", **{**local, "param": param, **polygon}))
    return lines
