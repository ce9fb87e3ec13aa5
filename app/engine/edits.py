"""What an edit changed, as a difference of two states that a person can author, and how to go from either one to the other.

Only what people set is looked at: poses, velocities, masses, kinds, shapes, surfaces, settings of joints, names, gravity, solver,
options. What steps make of it (contacts, impulses, sleep, time) is none of an edit's business. So an edit can be taken back while
time goes on: friction set from 0.5 to 0.7 becomes 0.5 again, and nothing moves back. What was removed comes back as it was when
it was removed; what was moved by hand goes back to where it was before.
"""

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.engine.words import sentence
from physics import World, solvers
from physics.core.records import Kind, copy_of

MOUSE = "mouse"
"""Name of the spring between the mouse and a body: no edit."""

AUTHORED = {
    "bodies": ("pos", "quat", "vel", "omega", "mass", "inv_mass", "inertia", "inv_inertia", "kind", "group"),
    "shapes": ("kind", "geometry", "dims", "rounding", "friction", "restitution", "material", "local_pos", "local_quat",
               "category", "ignores", "group", "sensor"),
    "joints": ("anchor_a", "anchor_b", "frame_a", "frame_b", "rest_a", "rest_b", "param", "max_friction", "kinetic", "stribeck",
               "viscous", "load_mu", "load_radius", "limit_lo", "limit_hi", "limit_restitution", "motor_target", "motor_force",
               "motor_speed", "motor_stiffness", "motor_damping", "motor_mode", "used", "locked", "break_force", "break_torque",
               "collide"),
}
"""Fields of the world's tables that people set."""

SETTINGS = ("dt", "friction", "restitution", "joint_bounds", "pairs", "gravity", "drag_stiffness")
"""Of a simulation."""


@dataclass(frozen=True)
class State:
    """What people set of a simulation, by value. alive: which slots of each table are in use."""

    tables: dict[str, np.ndarray]
    alive: dict[str, np.ndarray]
    names: dict[str, tuple[str, ...]]
    values: dict[str, Any]


@dataclass(frozen=True)
class Field:
    """One field of some records. slots (n,); before, after: values (n, ...)."""

    table: str
    name: str
    slots: np.ndarray
    before: np.ndarray
    after: np.ndarray


@dataclass(frozen=True)
class Thing:
    """A body or a joint that came or went. record: BODY or JOINT; slots, shapes: of a body's SHAPE records."""

    slot: int
    record: np.void
    name: str
    slots: np.ndarray | None = None
    shapes: np.ndarray | None = None


@dataclass(frozen=True)
class Change:
    """The difference of two states. names: (table, slot, before, after); values: by name (before, after)."""

    fields: tuple[Field, ...]
    came: dict[str, tuple[Thing, ...]]
    went: dict[str, tuple[Thing, ...]]
    names: tuple[tuple[str, int, str, str], ...]
    values: dict[str, tuple[Any, Any]]

    def __bool__(self) -> bool:
        return bool(self.fields or self.names or self.values or any(self.came.values()) or any(self.went.values()))

    @property
    def size(self) -> int:
        """Bytes, about."""
        things = [t for side in (self.came, self.went) for kept in side.values() for t in kept]
        return (1000 + sum(f.before.nbytes + f.after.nbytes + f.slots.nbytes + 300 for f in self.fields)
                + sum(2000 + (t.shapes.nbytes if t.shapes is not None else 0) for t in things))

    def text(self, before: State, after: State) -> str:
        """In words: "friction of crate 3: 0.5 -> 0.7"."""
        return sentence(self, before, after)


def state_of(simulation: Any) -> State:
    """What people set of it, by value."""
    world: World = simulation.world
    tables = {"bodies": world.bodies, "shapes": world.shapes, "joints": world.joints}
    values = {name: copy.copy(getattr(simulation, name)) for name in SETTINGS}
    values |= {"world gravity": tuple(float(g) for g in world.gravity), "materials": world.materials,
               "sleeping": copy.copy(world.sleeping), "auditor": copy.copy(world.audit.options),
               "solver": (file_of(world.solver), copy.copy(getattr(world.solver, "options", None)))}
    return State({name: copy_of(table) for name, table in tables.items()}, _alive(world),
                 {"bodies": tuple(world.body_names), "joints": tuple(world.joint_names)}, values)


def difference(before: State, after: State) -> Change:
    """What has to be changed to come from the one to the other."""
    fields, came, went, names = [], {}, {}, []
    for table in AUTHORED:
        rows = max(len(before.tables[table]), len(after.tables[table]))
        was, now = (np.pad(state.alive[table], (0, rows - len(state.alive[table]))) for state in (before, after))
        if table != "shapes":
            came[table] = tuple(_thing(after, table, int(i)) for i in np.flatnonzero(now & ~was))
            went[table] = tuple(_thing(before, table, int(i)) for i in np.flatnonzero(was & ~now))
            names += [(table, int(i), before.names[table][i], after.names[table][i]) for i in np.flatnonzero(was & now)
                      if before.names[table][i] != after.names[table][i]]
        fields += _fields(table, before.tables[table], after.tables[table], was & now)
    values = {name: (old, after.values[name]) for name, old in before.values.items()
              if not (old is after.values[name] or (name != "materials" and old == after.values[name]))}
    return Change(tuple(fields), came, went, tuple(names), values)


def merged(first: Change, second: Change) -> Change:
    """The change of both, one after the other, where nothing came, went or was renamed."""
    fields = {(f.table, f.name): f for f in first.fields}
    for f in second.fields:
        old = fields.get((f.table, f.name))
        fields[f.table, f.name] = f if old is None else _joined(old, f)
    values = dict(first.values)
    for name, (old, new) in second.values.items():
        values[name] = (values[name][0] if name in values else old, new)
    return Change(tuple(fields.values()), first.came, first.went, first.names, values)


def apply(simulation: Any, change: Change, back: bool) -> None:
    """Make the state what it was before the change (back), or after it.

    Fields of what is there no more are left out: a joint may have broken meanwhile.

    Raises:
        BadInput: something cannot be put back because its place is taken.
    """
    world: World = simulation.world
    leaving, coming = (change.came, change.went) if back else (change.went, change.came)
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
        _write(world, field, field.before if back else field.after)
    for name, (old, new) in change.values.items():
        _set(simulation, name, old if back else new)
    world.was_edited()


def _alive(world: World) -> dict[str, np.ndarray]:
    """Which slots of each table are in use; the mouse is none."""
    hands = np.array([name != MOUSE for name in world.joint_names], bool)
    return {"bodies": world.bodies["kind"] != Kind.FREE, "shapes": world.shapes["body"] >= 0,
            "joints": (world.joints["kind"] >= 0) & hands}


def file_of(solver: Any) -> str:
    """Name of the file that the solver is in: what `use_solver` takes."""
    return next(file for file, kind in solvers.available().items() if type(solver) is kind)


def _thing(state: State, table: str, i: int) -> Thing:
    record, name = state.tables[table][i].copy(), state.names[table][i]
    if table == "joints":
        return Thing(i, record, name)
    slots = np.flatnonzero(state.tables["shapes"]["body"] == i)
    return Thing(i, record, name, slots, state.tables["shapes"][slots].copy())


def _fields(table: str, old: np.ndarray, new: np.ndarray, both: np.ndarray) -> list[Field]:
    """What differs among the slots that are in use before and after."""
    count = min(len(old), len(new))
    rows = np.flatnonzero(both[:count] & np.any(_bits(old[:count]) != _bits(new[:count]), axis=1))
    found = []
    for name in AUTHORED[table] if len(rows) else ():
        was, now = old[name][rows], new[name][rows]
        unlike = np.any(_bits(was) != _bits(now), axis=1)
        if np.any(unlike):
            found.append(Field(table, name, rows[unlike], was[unlike], now[unlike]))
    return found


def _bits(values: np.ndarray) -> np.ndarray:
    """(n, bytes) of n values: equal where they are the same to the bit, whatever they are."""
    return np.frombuffer(values.tobytes(), np.uint8).reshape(len(values), -1) if len(values) else np.zeros((0, 1), np.uint8)


def _joined(first: Field, second: Field) -> Field:
    slots = np.union1d(first.slots, second.slots)
    before = np.empty((len(slots), *first.before.shape[1:]), first.before.dtype)
    after = before.copy()
    for part, target, values in ((second, before, second.before), (first, before, first.before),
                                 (first, after, first.after), (second, after, second.after)):
        target[np.searchsorted(slots, part.slots)] = values
    return Field(first.table, first.name, slots, before, after)


def _write(world: World, field: Field, values: np.ndarray) -> None:
    table = getattr(world, field.table)
    known = field.slots < len(table)
    slots, values = field.slots[known], values[known]
    there = _alive(world)[field.table][slots]
    slots, values = slots[there], values[there]
    table[field.name][slots] = values
    if field.table == "bodies":
        world.unseen.update(slots.tolist())
        if field.name in ("vel", "omega"):
            table["since"][slots] = 0.0     # a velocity that is given belongs to the pose


def _set(simulation: Any, name: str, value: Any) -> None:
    world: World = simulation.world
    if name in SETTINGS:
        setattr(simulation, name, copy.copy(value))
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
            world.use_solver(key)
        _copy_onto(world.solver.options, options)


def _copy_onto(target: Any, options: Any) -> None:
    for name, value in vars(options).items():
        setattr(target, name, value)

