"""Edits as differences of two authored states, applied forwards or backwards.

Authored are poses, velocities, masses, kinds, shapes, surfaces, settings of joints, names, gravity, solver, options. What steps
compute (contacts, impulses, sleep, time) is no part of an edit. So an edit is undone while time continues: friction set from 0.5
to 0.7 becomes 0.5 again, and nothing moves back. What was removed returns as it was when removed; what was moved by hand returns
to its previous place.
"""

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.engine.undo.describe_edit import describe_edit
from physics import World, solvers
from physics.core.options import option_values
from physics.core.records import Kind, copy_of

MOUSE_SPRING = "mouse"
"""Name of the spring between the mouse and a body, which is no edit."""

AUTHORED_FIELDS = {
    "bodies": ("pos", "quat", "vel", "omega", "mass", "inv_mass", "inertia", "inv_inertia", "kind", "group"),
    "shapes": ("kind", "geometry", "dims", "rounding", "friction", "restitution", "material", "local_pos", "local_quat",
               "category", "ignores", "group", "sensor"),
    "joints": ("anchor_a", "anchor_b", "frame_a", "frame_b", "rest_a", "rest_b", "param", "max_friction", "kinetic", "stribeck",
               "viscous", "load_mu", "load_radius", "corners", "corner_count", "limit_lo", "limit_hi", "limit_restitution",
               "motor_target", "motor_force", "motor_speed", "motor_stiffness", "motor_damping", "motor_mode", "used", "locked",
               "break_force", "break_torque", "collide"),
}
"""Authored fields of the world's tables."""

AUTHORED_SETTINGS = ("dt", "friction", "restitution", "joint_bounds", "pairs", "gravity", "drag_stiffness")
"""Authored settings of a simulation."""


INPUT = "input "
"""Prefix of the names of live parameters among the values of a state."""


@dataclass(frozen=True)
class AuthoredState:
    """Authored state of a simulation, by value. alive: used slots of each table."""

    tables: dict[str, np.ndarray]
    alive: dict[str, np.ndarray]
    names: dict[str, tuple[str, ...]]
    values: dict[str, Any]


@dataclass(frozen=True)
class FieldChange:
    """A changed field of some records. slots (n,); before, after: values (n, ...)."""

    table: str
    name: str
    slots: np.ndarray
    before: np.ndarray
    after: np.ndarray


@dataclass(frozen=True)
class Item:
    """A body or joint that was added or removed. record: BODY or JOINT; slots, shapes: of a body's SHAPE records."""

    slot: int
    record: np.void
    name: str
    slots: np.ndarray | None = None
    shapes: np.ndarray | None = None


@dataclass(frozen=True)
class EditDifference:
    """Difference of two states. names: (table, slot, before, after); values: by name (before, after)."""

    fields: tuple[FieldChange, ...]
    added: dict[str, tuple[Item, ...]]
    removed: dict[str, tuple[Item, ...]]
    names: tuple[tuple[str, int, str, str], ...]
    values: dict[str, tuple[Any, Any]]

    def __bool__(self) -> bool:
        return bool(self.fields or self.names or self.values or any(self.added.values()) or any(self.removed.values()))

    @property
    def size(self) -> int:
        """Estimate the memory [bytes]."""
        things = [t for side in (self.added, self.removed) for kept in side.values() for t in kept]
        return (1000 + sum(f.before.nbytes + f.after.nbytes + f.slots.nbytes + 300 for f in self.fields)
                + sum(2000 + (t.shapes.nbytes if t.shapes is not None else 0) for t in things))

    def text(self, before: AuthoredState, after: AuthoredState) -> str:
        """Describe the difference: "friction of crate 3: 0.5 -> 0.7"."""
        return describe_edit(self, before, after)


def state_of(simulation: Any) -> AuthoredState:
    """Return the authored state of a simulation, by value."""
    world: World = simulation.world
    tables = {"bodies": world.bodies, "shapes": world.shapes, "joints": world.joints}
    values = {name: copy.copy(getattr(simulation, name)) for name in AUTHORED_SETTINGS}
    values |= {f"{INPUT}{name}": world.inputs[name] for name in (simulation.scene.live if simulation.scene is not None else ())
               if name in world.inputs}
    values |= {"world gravity": tuple(float(g) for g in world.gravity), "materials": world.materials,
               "sleeping": copy.copy(world.sleeping), "auditor": copy.copy(world.audit.options),
               "solver": (file_of(world.solver), copy.copy(getattr(world.solver, "options", None)))}
    return AuthoredState({name: copy_of(table) for name, table in tables.items()}, _alive(world),
                         {"bodies": tuple(world.body_names), "joints": tuple(world.joint_names)}, values)


def difference(before: AuthoredState, after: AuthoredState) -> EditDifference:
    """Return the changes that lead from one state to the other."""
    fields, came, went, names = [], {}, {}, []
    for table in AUTHORED_FIELDS:
        rows = max(len(before.tables[table]), len(after.tables[table]))
        was, now = (np.pad(state.alive[table], (0, rows - len(state.alive[table]))) for state in (before, after))
        if table != "shapes":
            came[table] = tuple(_thing(after, table, int(i)) for i in np.flatnonzero(now & ~was))
            went[table] = tuple(_thing(before, table, int(i)) for i in np.flatnonzero(was & ~now))
            names += [(table, int(i), before.names[table][i], after.names[table][i]) for i in np.flatnonzero(was & now)
                      if before.names[table][i] != after.names[table][i]]
        fields += _fields(table, before.tables[table], after.tables[table], was & now)
    values = {name: (old, after.values[name]) for name, old in before.values.items() if name in after.values
              and not (old is after.values[name] or (name != "materials" and old == after.values[name]))}
    return EditDifference(tuple(fields), came, went, tuple(names), values)


def changed_fields(before: World, after: World) -> tuple[FieldChange, ...]:
    """Return the authored fields that differ in records of the same slots of two worlds."""
    was, now, found = _alive(before), _alive(after), []
    for table in AUTHORED_FIELDS:
        old, new = getattr(before, table), getattr(after, table)
        count = min(len(old), len(new))
        found += _fields(table, old, new, was[table][:count] & now[table][:count])
    return tuple(found)


def write_fields(world: World, fields: Iterable[FieldChange]) -> None:
    """Write the later values of fields into a world; records that it has no more are skipped."""
    for field in fields:
        write_field(world, field, field.after)
    world.refresh_after_edit()


def merge(first: EditDifference, second: EditDifference) -> EditDifference:
    """Merge two successive changes in which nothing was added, removed or renamed."""
    fields = {(f.table, f.name): f for f in first.fields}
    for f in second.fields:
        old = fields.get((f.table, f.name))
        fields[f.table, f.name] = f if old is None else _joined(old, f)
    values = dict(first.values)
    for name, (old, new) in second.values.items():
        values[name] = (values[name][0] if name in values else old, new)
    return EditDifference(tuple(fields.values()), first.added, first.removed, first.names, values)


def apply(simulation: Any, change: EditDifference, back: bool) -> None:
    """Apply a change, or revert it (back).

    Fields of missing bodies and joints are skipped: a joint may have broken meanwhile.

    Raises:
        BadInput: something cannot return because its slot is in use.
    """
    world: World = simulation.world
    leaving, coming = (change.added, change.removed) if back else (change.removed, change.added)
    for thing in leaving["joints"]:
        if world.joints["kind"][thing.slot] >= 0:
            world.remove_joint(thing.slot)
    for thing in leaving["bodies"]:
        if world.bodies["kind"][thing.slot] != Kind.FREE:
            world.remove_body(thing.slot, with_joints=True)
    for thing in coming["bodies"]:
        world.put_body(thing.slot, thing.record, thing.name, thing.slots, thing.shapes)
    for thing in coming["joints"]:
        world.put_joint(thing.slot, thing.record, thing.name)
    for table, slot, old, new in change.names:
        (world.body_names if table == "bodies" else world.joint_names)[slot] = old if back else new
    for field in change.fields:
        write_field(world, field, field.before if back else field.after)
    for name, (old, new) in change.values.items():
        _set(simulation, name, old if back else new)
    world.refresh_after_edit()


def _alive(world: World) -> dict[str, np.ndarray]:
    """Return the used slots of each table, without the mouse spring."""
    hands = np.array([name != MOUSE_SPRING for name in world.joint_names], bool)
    return {"bodies": world.bodies["kind"] != Kind.FREE, "shapes": world.shapes["body"] >= 0,
            "joints": (world.joints["kind"] >= 0) & hands}


def file_of(solver: Any) -> str:
    """Return the name of the file that defines the solver, as `use_solver` takes it."""
    return next(file for file, kind in solvers.available().items() if type(solver) is kind)


def _thing(state: AuthoredState, table: str, i: int) -> Item:
    record, name = state.tables[table][i].copy(), state.names[table][i]
    if table == "joints":
        return Item(i, record, name)
    slots = np.flatnonzero(state.tables["shapes"]["body"] == i)
    return Item(i, record, name, slots, state.tables["shapes"][slots].copy())


def _fields(table: str, old: np.ndarray, new: np.ndarray, both: np.ndarray) -> list[FieldChange]:
    """Return the differences of the slots used before and after."""
    count = min(len(old), len(new))
    rows = np.flatnonzero(both[:count] & np.any(_bits(old[:count]) != _bits(new[:count]), axis=1))
    found = []
    for name in AUTHORED_FIELDS[table] if len(rows) else ():
        was, now = old[name][rows], new[name][rows]
        unlike = np.any(_bits(was) != _bits(now), axis=1)
        if np.any(unlike):
            found.append(FieldChange(table, name, rows[unlike], was[unlike], now[unlike]))
    return found


def _bits(values: np.ndarray) -> np.ndarray:
    """Return (n, bytes) of n values: equal if the values are bit-identical, NaN included."""
    return np.frombuffer(values.tobytes(), np.uint8).reshape(len(values), -1) if len(values) else np.zeros((0, 1), np.uint8)


def _joined(first: FieldChange, second: FieldChange) -> FieldChange:
    slots = np.union1d(first.slots, second.slots)
    before = np.empty((len(slots), *first.before.shape[1:]), first.before.dtype)
    after = before.copy()
    for part, target, values in ((second, before, second.before), (first, before, first.before),
                                 (first, after, first.after), (second, after, second.after)):
        target[np.searchsorted(slots, part.slots)] = values
    return FieldChange(first.table, first.name, slots, before, after)


def write_field(world: World, field: FieldChange, values: np.ndarray, chosen: np.ndarray | bool = True) -> None:
    """Write values of a field (n, ...) into its records, those that are chosen (n,) and that the world has."""
    table = getattr(world, field.table)
    known = (field.slots < len(table)) & chosen
    slots, values = field.slots[known], values[known]
    there = _alive(world)[field.table][slots]
    slots, values = slots[there], values[there]
    table[field.name][slots] = values
    if field.table == "bodies":
        world.unchecked_bodies.update(slots.tolist())
        if field.name in ("vel", "omega"):
            table["velocity_lag"][slots] = 0.0     # a velocity that is set belongs to the present pose


def _set(simulation: Any, name: str, value: Any) -> None:
    world: World = simulation.world
    if name in AUTHORED_SETTINGS:
        setattr(simulation, name, copy.copy(value))
    elif name.startswith(INPUT):
        world.set_input(name.removeprefix(INPUT), value)
    elif name == "world gravity":
        world.set_gravity(value)
    elif name == "materials":
        world.materials = value
    elif name == "sleeping":
        _copy_onto(world.sleeping, value)
    elif name == "auditor":
        _copy_onto(world.audit.options, value)
    else:
        key, options = value
        if file_of(world.solver) != key:
            world.use_solver(key, **option_values(options))
        _copy_onto(world.solver.options, options)


def _copy_onto(target: Any, options: Any) -> None:
    for name, value in vars(options).items():
        setattr(target, name, value)

