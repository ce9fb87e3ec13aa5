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
from physics import BadInput, Compound, World, set_option, shapes
from physics.basics.frames import inverse
from physics.basics.quaternions import product, rotate
from physics.collide.broad import ALL
from physics.contact.material import Material
from physics.core.records import Kind
from physics.joints._settings import Friction, Motor, write_corners
from physics.shapes.height_field import HeightField
from physics.shapes.hull import Hull
from physics.shapes.triangle_mesh import TriangleMesh
from physics.world.materials import PAIRED, PLAIN, Materials

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])

UNIT = 1e-9
"""A quaternion whose length differs from 1 by less is taken as it is."""

GEOMETRIC: dict[str, Callable[[dict[str, Any]], shapes.Shape]] = {
    "hull": lambda told: Hull(told["points"], told.get("rounding", 0.0)),
    "triangle_mesh": lambda told: TriangleMesh(told["vertices"], told["triangles"], told.get("solid", False)),
    "height_field": lambda told: HeightField(told["heights"], tuple(told["spacing"]))}
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
        """Note BadInput raised inside as a mistake there, and go on."""
        try:
            yield
        except BadInput as error:
            self.found.append((path, f": {error}"))

    def each(self, tables: dict[str, Any], key: str, refers: Callable[[dict[str, Any]], Iterable[str | int]]
             ) -> Iterator[tuple[dict[str, Any], AbstractContextManager]]:
        """(element, context in which its mistakes are noted) of an array, without those left out (None) and excused.

        refers: the names that an element refers to.
        """
        for k, told in enumerate(tables.get(key, ())):
            before = len(self.found)
            if told is None or self.excused.intersection(refers(told)):
                if told is not None:
                    self.excused.add(told.get("name", ""))
                continue
            yield told, self.at(key, k)
            if len(self.found) > before:
                self.excused.add(told.get("name", ""))


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
    for told, noted in mistakes.each(tables, "bodies", lambda body: (part.get("material", 0) for part in body.get("shapes", ()))):
        with noted:
            _skip_to(world._bodies, world.body_names, told.get("index"), "body", lambda record: None)
            _add_body(world, told)
    for told, noted in mistakes.each(tables, "joints", lambda joint: (joint["a"], joint["b"])):
        with noted:
            _skip_to(world._joints, world.joint_names, told.get("index"), "joint", _empty_joint)
            _add_joint(world, told)
    if (told := tables.get("solver")) is not None and not mistakes.excused:     # what it supports is asked of a whole world
        with mistakes.at("solver", "name"):
            world.use_solver(told["name"])
        for name, value in told.get("options", {}).items():
            with mistakes.at("solver", "options", name):
                set_option(world.solver.options, name, value)
    for table, options in (("sleeping", world.sleeping), ("audit", world.audit.options)):
        for name, value in tables.get(table, {}).items():
            with mistakes.at(table, name):
                set_option(options, name, value)
    world.time, world.steps = float(settings.get("time", 0.0)), settings.get("steps", 0)
    return world


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
    items = [PLAIN]
    for told, noted in mistakes.each(tables, "materials", lambda material: ()):
        with noted:
            given = {**told, **{name: tuple(told[name]) for name in ("axis", "surface_velocity") if name in told}}
            item = Material(**given).without_coefficients()
            if item.name and item.name in [other.name for other in items]:
                raise BadInput(message("the name '{item}' is taken by another material", item=item.name))
            items.append(item)
    world.materials = Materials(tuple(items))
    for told, noted in mistakes.each(tables, "pairs", lambda pair: (pair["a"], pair["b"])):
        with noted:
            pair = [_material_index(world, told[side]) for side in "ab"]
            world.materials = world.materials.with_pair(*pair, {name: told[name] for name in PAIRED if name in told})


def _material_index(world: World, which: str | int) -> int:
    if isinstance(which, str):
        return world.materials.index(which)
    if which >= len(world.materials.items):
        raise BadInput(message("there is no material {which}; there are {items} in [[materials]]", which=which,
                               items=len(world.materials.items) - 1))
    return which


# ---- bodies


def _add_body(world: World, told: dict[str, Any]) -> None:
    parts = told.get("shapes", ())
    made = [(_shape_of(part), part) for part in parts]
    body = None
    if made:
        body = made[0][0] if len(made) == 1 and not {"pos", "quat"} & made[0][1].keys() else Compound(
            *((shape, part.get("pos", (0.0, 0.0, 0.0)), part.get("quat", (1.0, 0.0, 0.0, 0.0))) for shape, part in made))
    for one in ("density", "inertia_tensor"):
        if one in told and (other := {"density": "mass", "inertia_tensor": "inertia"}[one]) in told:
            raise BadInput(message("{other} and {one} exclude one another: remove one of the two", other=other, one=one))
    materials = [_material_index(world, part.get("material", 0)) for part in parts]
    moves = {name: told[name] for name in ("pos", "quat", "vel", "omega", "mass", "density") if name in told}
    inertia = told.get("inertia_tensor", told.get("inertia"))
    i = world.add_body(body, kind=told["kind"], name=told["name"], inertia=inertia, **moves)
    _write_exactly(world, i, told, inertia)
    own = np.flatnonzero(world.shapes["body"] == i)
    defines_mass = told["kind"] != "dynamic" or ("mass" in told and inertia is not None)
    for slot, (shape, part), material in zip(own, made, materials, strict=True):
        _write_surface(world, world.shapes[slot], part, material)
        if defines_mass:        # shapes are where the file says, about the centre of mass
            turn = _exact_quaternion(part.get("quat"), UPRIGHT)
            middle = getattr(shape, "middle", np.zeros(3))
            world.shapes[slot]["local_quat"] = turn
            world.shapes[slot]["local_pos"] = np.array(part.get("pos", (0.0, 0.0, 0.0))) + (rotate(turn, middle) if middle.any()
                                                                                           else 0.0)
    if defines_mass and "pos" in told:
        world.bodies[i]["pos"] = told["pos"]


def _shape_of(told: dict[str, Any]) -> shapes.Shape:
    kind = told["kind"]
    if kind in GEOMETRIC:
        return GEOMETRIC[kind](told)
    example = type(shapes.kinds()[kind].make((1.0, 1.0, 1.0)))
    given = {f.name: told[f.name] for f in dataclasses.fields(example)}
    return example(**{name: tuple(map(float, value)) if isinstance(value, list) else float(value)
                      for name, value in given.items()})


def _write_exactly(world: World, i: int, told: dict[str, Any], inertia: Any) -> None:
    b = world.bodies[i]
    b["quat"] = _exact_quaternion(told.get("quat"), b["quat"])
    b["group"] = told.get("group", 0)
    if told["kind"] == "dynamic" and inertia is not None:
        b["inertia"] = np.diag(inertia) if np.ndim(inertia) == 1 else inertia
        b["inv_inertia"] = inverse(b["inertia"])


def _exact_quaternion(given: Any, otherwise: np.ndarray) -> np.ndarray:
    """The one of the file, if it has length 1, else the normalised one."""
    if given is None:
        return otherwise
    quat = np.array(given, float)
    size = float(np.sqrt((quat**2).sum()))
    return quat if abs(size - 1.0) < UNIT else quat / size


def _write_surface(world: World, record: np.void, told: dict[str, Any], material: int) -> None:
    item = world.materials.items[material] if material else Material()
    record["material"] = material
    for name in ("friction", "restitution"):
        record[name] = told.get(name, getattr(item, name))
    record["category"], record["ignores"] = told.get("category", 1), ALL ^ told.get("mask", ALL)
    record["group"], record["sensor"] = told.get("group", 0), told.get("sensor", False)


# ---- joints


def _add_joint(world: World, told: dict[str, Any]) -> None:
    a, b = (world.body(told[side]) for side in "ab")
    local, known = told.get("local"), world._joint_kinds[told["kind"]]
    if local is None and "point" not in told:
        raise BadInput("it has no place: add point = [x, y, z]")
    if local is not None and (other := {"point", "point_b", "axis", "axis_b", "across"} & told.keys()):
        raise BadInput(message("{other} and local exclude one another: remove one of the two", other=min(other)))
    j = world.add_joint(
        told["kind"], a, b, name=told["name"], **_place(world, known, a, b, told),
        friction={name: Friction(**law) for name, law in told.get("friction", {}).items()} or None,
        limits={name: (ends.get("lower"), ends.get("upper")) for name, ends in told.get("limits", {}).items()} or None,
        motor={name: Motor(**motor) for name, motor in told.get("motors", {}).items()} or None,
        restitution=told.get("restitution", 0.0), collide=told.get("collide", False),
        **{name: told[name] for name in ("break_force", "break_torque") if name in told}, **told.get("params", {}))
    record = world.joints[j]
    if "friction_polygon" in told:      # whether the solver supports it is asked of the whole world
        write_corners(message("joint '{name}'", name=told["name"]), record, known, told["friction_polygon"])
    if local is None:
        return
    named = {p.slot for p in known.params if p.field == "param"}
    for k in set(range(4)) - named:
        record["param"][k] = local.get("param", (0.0,) * 4)[k]
    for name in ("anchor_a", "anchor_b", "coordinate", "start_error", "ramp"):
        record[name] = local.get(name, 0.0)
    for name in ("frame_a", "frame_b", "rest_a", "rest_b"):
        record[name] = _exact_quaternion(local[name], record[name])


def _place(world: World, known: Any, a: int, b: int, told: dict[str, Any]) -> dict[str, Any]:
    """Arguments of `add_joint` for the place of a joint; those that `local` gives are written over it afterwards."""
    if "local" not in told:
        names = {"point": "anchor", "point_b": "anchor_b", "axis": "axis", "axis_b": "axis_b", "across": "across"}
        return {name: told[key] for key, name in names.items() if key in told}
    local, placed = told["local"], {}
    for side, i, names in (("a", a, ("anchor", "axis")), ("b", b, ("anchor_b", "axis_b"))):
        body = world.bodies[i]
        if side == "a" or known.anchors == 2:
            turn = product(body["quat"], _exact_quaternion(local[f"frame_{side}"], UPRIGHT))
            placed[names[0]] = rotate(body["quat"], np.array(local[f"anchor_{side}"])) + body["pos"]
            placed[names[1]] = rotate(turn, np.array([0.0, 0.0, 1.0]))
    return placed


def free_slots(world: World) -> None:
    """Tell the tables of empty slots, once everything is in them."""
    world._bodies.has_free_slots = bool((world.bodies["kind"] == Kind.FREE).any())
    world._joints.has_free_slots = bool((world.joints["kind"] < 0).any())
