"""Tables of a scene file as a world, through the checks that a program meets; every mistake with its path.

Numbers that the checks would round (a quaternion of length 1 is normalised again) are then written exactly as in the file.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.engine.scene_files.text import Path
from app.i18n.message import message
from physics import BadInput, Compound, World, set_option, shapes, solvers
from physics.collide.broad import ALL_CATEGORIES
from physics.contact.material import Material
from physics.core.frames import inverse
from physics.core.quaternions import product, rotate
from physics.core.records import Kind
from physics.joints import kinds as joint_kinds
from physics.joints._settings import Friction, Motor, write_corners
from physics.shapes.height_field import HeightField
from physics.shapes.hull import Hull
from physics.shapes.triangle_mesh import TriangleMesh
from physics.world.materials import PAIRED, PLAIN_MATERIAL, Materials

NO_ROTATION = np.array([1.0, 0.0, 0.0, 0.0])

UNIT_TOLERANCE = 1e-9
"""A quaternion whose length differs from 1 by less is taken as it is."""

GEOMETRY_MAKERS: dict[str, Callable[[dict[str, Any]], shapes.Shape]] = {
    "hull": lambda entry: Hull(entry["points"], entry.get("rounding", 0.0)),
    "triangle_mesh": lambda entry: TriangleMesh(entry["vertices"], entry["triangles"], entry.get("solid", False)),
    "height_field": lambda entry: HeightField(entry["heights"], tuple(entry["spacing"]))}
"""Makers of the shapes that have geometry."""


@dataclass
class Mistakes:
    """What is wrong in a file: paths and sentences without them.

    excused: names of materials and bodies that have a mistake and are left out: what refers to them is left out, too.
    """

    found: list[tuple[Path, str]] = field(default_factory=list)
    excused: set[str | int] = field(default_factory=set)

    @contextmanager
    def at(self, *path: str | int) -> Iterator[None]:
        """Note BadInput raised inside as a mistake there, and continue."""
        try:
            yield
        except BadInput as error:
            self.found.append((path, f": {error}"))

    def each(self, tables: dict[str, Any], key: str, refers: Callable[[dict[str, Any]], Iterable[str | int]]
             ) -> Iterator[tuple[dict[str, Any], AbstractContextManager]]:
        """(element, context in which its mistakes are noted) of an array, without those left out (None) and excused.

        refers: the names that an element refers to.
        """
        for k, entry in enumerate(tables.get(key, ())):
            before = len(self.found)
            if entry is None or self.excused.intersection(refers(entry)):
                if entry is not None:
                    self.excused.add(entry.get("name", ""))
                continue
            yield entry, self.at(key, k)
            if len(self.found) > before:
                self.excused.add(entry.get("name", ""))


def build(tables: dict[str, Any], mistakes: Mistakes) -> World:
    """The world of tables whose values have passed `schema.wrong_values`; None stands for elements that have not. What is
    wrong is left out of it."""
    world = World()
    settings = tables.get("world", {})
    with mistakes.at("world"):
        world.set_gravity(settings.get("gravity", world.gravity))
        world.margin = settings.get("margin", world.margin)
    for name, value in tables.get("inputs", {}).items():
        with mistakes.at("inputs", name):
            world.set_input(name, value)
    _materials(world, tables, mistakes)
    for entry, noted in mistakes.each(tables, "bodies", lambda body: (part.get("material", 0)
                                                                      for part in body.get("shapes", ()))):
        with noted:
            _skip_to(world.body_table, world.body_names, entry.get("index"), "body", lambda record: None)
            _add_body(world, entry)
    for entry, noted in mistakes.each(tables, "joints", lambda joint: (joint["a"], joint["b"])):
        with noted:
            _skip_to(world.joint_table, world.joint_names, entry.get("index"), "joint", _empty_joint)
            _add_joint(world, entry)
    if (entry := tables.get("solver")) is not None and not mistakes.excused:     # support is checked on a complete world
        _use_solver(world, entry, mistakes)
    for table, options in (("sleeping", world.sleeping), ("audit", world.audit.options)):
        for name, value in tables.get(table, {}).items():
            with mistakes.at(table, name):
                set_option(options, name, value)
    world.time, world.steps = float(settings.get("time", 0.0)), settings.get("steps", 0)
    return world


def _use_solver(world: World, entry: dict[str, Any], mistakes: Mistakes) -> None:
    """The solver with its options, on which it may depend whether it supports the world."""
    known, options = solvers.available().get(entry["name"]), entry.get("options", {})
    chosen = {}
    for name, value in options.items() if known is not None else ():
        with mistakes.at("solver", "options", name):
            set_option(known().options, name, value)
            chosen[name] = value
    with mistakes.at("solver", "name"):
        world.use_solver(entry["name"], **chosen)


# ---- slots


def _skip_to(table: Any, names: list[str], index: int | None, what: str, clear: Callable[[Any], None]) -> None:
    """Leave slots empty up to an index, so that the drivers of a scene find what they drive."""
    if index is None:
        return
    if index < len(table.records):
        raise BadInput(message("index = {index} is taken: the {what} before it has {records}; leave the line out", index=index,
                               what=what, records=len(table.records) - 1))
    while len(table.records) < index:
        slot = table.add(lambda records: np.zeros(len(records), bool))
        clear(table.records[slot])
        names.append("")
    table.has_free_slots = False        # until all are added


def _empty_joint(record: Any) -> None:
    record["kind"] = -1


# ---- materials


def _materials(world: World, tables: dict[str, Any], mistakes: Mistakes) -> None:
    items = [PLAIN_MATERIAL]
    for entry, noted in mistakes.each(tables, "materials", lambda material: ()):
        with noted:
            given = {**entry, **{name: tuple(entry[name]) for name in ("axis", "surface_velocity") if name in entry}}
            item = Material(**given).without_coefficients()
            if item.name and item.name in [other.name for other in items]:
                raise BadInput(message("the name '{item}' is taken by another material", item=item.name))
            items.append(item)
    world.materials = Materials(tuple(items))
    for entry, noted in mistakes.each(tables, "pairs", lambda pair: (pair["a"], pair["b"])):
        with noted:
            pair = [_material_index(world, entry[side]) for side in "ab"]
            world.materials = world.materials.with_pair(*pair, {name: entry[name] for name in PAIRED if name in entry})


def _material_index(world: World, which: str | int) -> int:
    if isinstance(which, str):
        return world.materials.index(which)
    if which >= len(world.materials.items):
        raise BadInput(message("there is no material {which}; there are {items} in [[materials]]", which=which,
                               items=len(world.materials.items) - 1))
    return which


# ---- bodies


def _add_body(world: World, entry: dict[str, Any]) -> None:
    parts = entry.get("shapes", ())
    made = [(_shape_of(part), part) for part in parts]
    body = None
    if made:
        body = made[0][0] if len(made) == 1 and not {"pos", "quat"} & made[0][1].keys() else Compound(
            *((shape, part.get("pos", (0.0, 0.0, 0.0)), part.get("quat", (1.0, 0.0, 0.0, 0.0))) for shape, part in made))
    for one in ("density", "inertia_tensor"):
        if one in entry and (other := {"density": "mass", "inertia_tensor": "inertia"}[one]) in entry:
            raise BadInput(message("{other} and {one} exclude one another: remove one of the two", other=other, one=one))
    materials = [_material_index(world, part.get("material", 0)) for part in parts]
    moves = {name: entry[name] for name in ("pos", "quat", "vel", "omega", "mass", "density") if name in entry}
    inertia = entry.get("inertia_tensor", entry.get("inertia"))
    i = world.add_body(body, kind=entry["kind"], name=entry["name"], inertia=inertia, **moves)
    _write_exactly(world, i, entry, inertia)
    own = np.flatnonzero(world.shapes["body"] == i)
    defines_mass = entry["kind"] != "dynamic" or ("mass" in entry and inertia is not None)
    for slot, (shape, part), material in zip(own, made, materials, strict=True):
        _write_surface(world, world.shapes[slot], part, material)
        if defines_mass:        # shapes are placed about the centre of mass, as in the file
            turn = _exact_quaternion(part.get("quat"), NO_ROTATION)
            middle = getattr(shape, "middle", np.zeros(3))
            world.shapes[slot]["local_quat"] = turn
            world.shapes[slot]["local_pos"] = np.array(part.get("pos", (0.0, 0.0, 0.0))) + (rotate(turn, middle) if middle.any()
                                                                                           else 0.0)
    if defines_mass and "pos" in entry:
        world.bodies[i]["pos"] = entry["pos"]


def _shape_of(entry: dict[str, Any]) -> shapes.Shape:
    kind = entry["kind"]
    if kind in GEOMETRY_MAKERS:
        return GEOMETRY_MAKERS[kind](entry)
    example = type(shapes.kinds()[kind].make((1.0, 1.0, 1.0)))
    given = {f.name: entry[f.name] for f in dataclasses.fields(example)}
    return example(**{name: tuple(map(float, value)) if isinstance(value, list) else float(value)
                      for name, value in given.items()})


def _write_exactly(world: World, i: int, entry: dict[str, Any], inertia: Any) -> None:
    b = world.bodies[i]
    b["quat"] = _exact_quaternion(entry.get("quat"), b["quat"])
    b["group"] = entry.get("group", 0)
    if entry["kind"] == "dynamic" and inertia is not None:
        b["inertia"] = np.diag(inertia) if np.ndim(inertia) == 1 else inertia
        b["inv_inertia"] = inverse(b["inertia"])


def _exact_quaternion(given: Any, otherwise: np.ndarray) -> np.ndarray:
    """The one of the file, if it has length 1, else the normalised one."""
    if given is None:
        return otherwise
    quat = np.array(given, float)
    size = float(np.sqrt((quat**2).sum()))
    return quat if abs(size - 1.0) < UNIT_TOLERANCE else quat / size


def _write_surface(world: World, record: np.void, entry: dict[str, Any], material: int) -> None:
    item = world.materials.items[material] if material else Material()
    record["material"] = material
    for name in ("friction", "restitution"):
        record[name] = entry.get(name, getattr(item, name))
    record["category"], record["ignores"] = entry.get("category", 1), ALL_CATEGORIES ^ entry.get("mask", ALL_CATEGORIES)
    record["group"], record["sensor"] = entry.get("group", 0), entry.get("sensor", False)


# ---- joints


def _add_joint(world: World, entry: dict[str, Any]) -> None:
    a, b = (world.body(entry[side]) for side in "ab")
    local, known = entry.get("local"), joint_kinds()[entry["kind"]]
    if local is None and "point" not in entry:
        raise BadInput("it has no place: add point = [x, y, z]")
    if local is not None and (other := {"point", "point_b", "axis", "axis_b", "across"} & entry.keys()):
        raise BadInput(message("{other} and local exclude one another: remove one of the two", other=min(other)))
    j = world.add_joint(
        entry["kind"], a, b, name=entry["name"], **_place(world, known, a, b, entry),
        friction={name: Friction(**law) for name, law in entry.get("friction", {}).items()} or None,
        limits={name: (ends.get("lower"), ends.get("upper")) for name, ends in entry.get("limits", {}).items()} or None,
        motor={name: Motor(**motor) for name, motor in entry.get("motors", {}).items()} or None,
        restitution=entry.get("restitution", 0.0), collide=entry.get("collide", False),
        **{name: entry[name] for name in ("break_force", "break_torque") if name in entry}, **entry.get("params", {}))
    record = world.joints[j]
    if "friction_polygon" in entry:      # support is checked on the complete world
        write_corners(message("joint '{name}'", name=entry["name"]), record, known, entry["friction_polygon"])
    if local is None:
        return
    named = {p.slot for p in known.params if p.field == "param"}
    for k in set(range(4)) - named:
        record["param"][k] = local.get("param", (0.0,) * 4)[k]
    for name in ("anchor_a", "anchor_b", "coordinate", "start_error", "ramp"):
        record[name] = local.get(name, 0.0)
    for name in ("frame_a", "frame_b", "rest_a", "rest_b"):
        record[name] = _exact_quaternion(local[name], record[name])


def _place(world: World, known: Any, a: int, b: int, entry: dict[str, Any]) -> dict[str, Any]:
    """Arguments of `add_joint` for the place of a joint; those that `local` gives are written over it afterwards."""
    if "local" not in entry:
        names = {"point": "anchor", "point_b": "anchor_b", "axis": "axis", "axis_b": "axis_b", "across": "across"}
        return {name: entry[key] for key, name in names.items() if key in entry}
    local, placed = entry["local"], {}
    for side, i, names in (("a", a, ("anchor", "axis")), ("b", b, ("anchor_b", "axis_b"))):
        body = world.bodies[i]
        if side == "a" or known.anchors == 2:
            turn = product(body["quat"], _exact_quaternion(local[f"frame_{side}"], NO_ROTATION))
            placed[names[0]] = rotate(body["quat"], np.array(local[f"anchor_{side}"])) + body["pos"]
            placed[names[1]] = rotate(turn, np.array([0.0, 0.0, 1.0]))
    return placed


def free_slots(world: World) -> None:
    """Tell the tables of empty slots, once everything is in them."""
    world.body_table.has_free_slots = bool((world.bodies["kind"] == Kind.FREE).any())
    world.joint_table.has_free_slots = bool((world.joints["kind"] < 0).any())
